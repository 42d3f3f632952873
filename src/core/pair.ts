/**
 * Which output answers which call, and where a model response starts.
 *
 * Law: only this file passes over items. One pass from the first position to the last turns each of them into a role,
 * flags and links. It knows no outcome, policy or store. Complexity: linear; each item is read once, and a call once
 * more when another one comes before its output.
 *
 * Rules: PAIR-1 to PAIR-9, PAIR-12.
 */
import { type Item, type ItemFields, NO_ITEM, type OpenCall } from './item.js'
import { referApproval, referCall } from './refer.js'
import { ANONYMOUS_NAMESPACE, Flag, flagsIn, Odd, oddityIn, Role, readItem, roleIn } from './roles.js'
import {
  type CallQueue,
  emptyStructure,
  type FiledCalls,
  NONE,
  reserve,
  type Scan,
  type Structure
} from './structure.js'

/** A structure of no items, in which `open` calls of earlier turns wait (PAIR-8). */
export const startStructure = (open: ReadonlyArray<OpenCall>, capacity: number): Structure => {
  const structure = emptyStructure(open, capacity)
  for (let index = 0; index < open.length; index += 1) {
    const call = open[index] as OpenCall
    fileCall(structure, call.namespace, call.callId, -2 - index)
  }
  return structure
}

/**
 * Reads the items from `structure.length` to the end of `items` into the structure, which is mutated.
 *
 * `items` must begin with the items that were read before. Complexity: linear in the new items.
 */
export const extendStructure = (structure: Structure, items: ReadonlyArray<Item>): void => {
  const to = items.length
  reserve(structure, to)
  structure.items = items
  const { roles, flags, scan } = structure
  for (let position = structure.length; position < to; position += 1) {
    const item: ItemFields = items[position] ?? NO_ITEM
    const reading = readItem(item)
    const role = roleIn(reading)
    let flag = flagsIn(reading)
    roles[position] = role
    const oddity = oddityIn(reading)
    if (oddity >= 0) structure.odd.push(position * 4 + oddity)
    if ((flag & Flag.irregular) !== 0 && position < structure.irregular) structure.irregular = position
    if ((flag & Flag.model) !== 0) {
      if (startsResponse(structure, item, position)) flag |= Flag.starts
      scan.userSinceModel = false
    }
    flags[position] = flag
    switch (role) {
      case Role.marker:
      case Role.pending:
        break
      case Role.user:
        scan.userSinceModel = true
        scan.endsResponse = false
        structure.lastUser = position
        break
      case Role.output:
        readAnswer(structure, item, position, (flag & Flag.model) !== 0)
        break
      case Role.call:
        scan.unanswered += 1
        awaitOutput(structure, item, position)
        referCall(structure, item, position)
        scan.endsResponse = false
        break
      case Role.providerCall:
        awaitOutput(structure, item, position)
        referCall(structure, item, position)
        scan.endsResponse = false
        break
      case Role.selfContained:
        referCall(structure, item, position)
        scan.endsResponse = false
        break
      case Role.approval:
        referApproval(structure, item, position)
        scan.endsResponse = (flag & Flag.model) === 0
        break
      case Role.reasoning:
        structure.reasoning += 1
        scan.endsResponse = false
        break
      default:
        scan.endsResponse = false
    }
  }
  structure.length = to
}

/** Forgets what is needed only to read further items, of a turn that is not extended any more. */
export const forgetScan = ({ scan }: Structure): void => {
  scan.calls = undefined
  scan.filed = undefined
  scan.callsById = undefined
  scan.callsByKey = undefined
  scan.waitingApprovals = undefined
}

/** Whether a response starts at this model item (PAIR-1, PAIR-2). */
const startsResponse = (structure: Structure, item: ItemFields, position: number): boolean => {
  const { scan } = structure
  const number = item.response
  if (scan.numbered === undefined) scan.numbered = number !== undefined
  else if (scan.numbered) {
    if (number === undefined || number < scan.number) structure.odd.push(position * 4 + Odd.responseOrder)
    if (number === undefined || number <= scan.number) return false
  } else if (!scan.userSinceModel && !(scan.endsResponse && scan.unanswered === 0)) return false
  if (number !== undefined) scan.number = number
  scan.unanswered = 0
  structure.responseStart = position
  return true
}

/** Whether a call of this turn, or an open one, still waits for its output. */
const isWaiting = (structure: Structure, call: number): boolean =>
  call < 0 ? structure.openAnswered[-2 - call] === false : structure.links[call] === NONE

/** Lets a complete call wait for its output. */
const awaitOutput = (structure: Structure, call: ItemFields, position: number): void => {
  const { scan } = structure
  fileHeld(structure)
  if (scan.waiting === 0) scan.held = position
  else fileCall(structure, call.namespace, call.callId, position)
}

/** Files the held call, since something else has come before its output. */
const fileHeld = (structure: Structure): void => {
  const { scan } = structure
  if (scan.held === NONE) return
  const call: ItemFields = structure.items[scan.held] as Item
  fileCall(structure, call.namespace, call.callId, scan.held)
  scan.held = NONE
}

/** Files a waiting call under its key; it joins a queue there, or supersedes it (PAIR-4 to PAIR-6). */
const fileCall = (
  structure: Structure,
  namespace: string | undefined,
  callId: string | undefined,
  call: number
): void => {
  const { scan } = structure
  const filed = filedIn(scan, namespace)
  const known = filed.get(callId)
  scan.waiting += 1
  const last = known === undefined || typeof known === 'number' ? known : known.calls[known.calls.length - 1]
  if (known === undefined || last === undefined || !isWaiting(structure, last)) filed.set(callId, call)
  else if (call >= 0 && last < structure.responseStart) {
    supersede(structure, known)
    filed.set(callId, call)
  } else filed.set(callId, joinQueue(structure, known, call))
}

/** The filed calls of a namespace. */
const filedIn = (scan: Scan, namespace: string | undefined): FiledCalls => {
  if (scan.filed !== undefined && scan.namespace === namespace) return scan.filed
  scan.calls ??= new Map()
  const filed = scan.calls.get(namespace) ?? new Map()
  scan.calls.set(namespace, filed)
  scan.filed = filed
  scan.namespace = namespace
  return filed
}

/** More filed calls than this are forgotten once none of them waits, so that the next ones find a small map. */
const MANY = 32

const joinQueue = (structure: Structure, known: number | CallQueue, call: number): CallQueue => {
  const queue = typeof known === 'number' ? { calls: [known], answered: 0 } : known
  queue.calls.push(call)
  if (call < 0) return queue
  const isFirst = structure.queues.size === 0
  const queues = isFirst ? new Map<number, CallQueue>() : (structure.queues as Map<number, CallQueue>)
  structure.queues = queues.set(call, queue)
  if (typeof known === 'number') queues.set(known, queue)
  return queue
}

const supersede = (structure: Structure, known: number | CallQueue): void => {
  const calls = typeof known === 'number' ? [known] : known.calls.slice(known.answered)
  structure.scan.waiting -= calls.length
  for (const call of calls) {
    if (call < 0) continue
    structure.flags[call] = (structure.flags[call] as number) | Flag.superseded
    structure.superseded.push(call)
  }
}

/** Links an output to the call that has waited longest for it, if one does (PAIR-4, PAIR-7). */
const readAnswer = (structure: Structure, output: ItemFields, position: number, model: boolean): void => {
  const { scan } = structure
  const call = takeCall(structure, output)
  if (model) scan.endsResponse = false
  if (call === NONE) {
    structure.odd.push(position * 4 + Odd.unpairedOutput)
    if (position < structure.irregular) structure.irregular = position
    return
  }
  if (!model) scan.endsResponse = true
  structure.links[position] = call
  if (call < 0) {
    structure.openAnswered[-2 - call] = true
    return
  }
  structure.links[call] = position
  if (call >= structure.responseStart && structure.roles[call] === Role.call) scan.unanswered -= 1
}

/** The call that an output answers, which waits no longer; −1 if none waits. */
const takeCall = (structure: Structure, output: ItemFields): number => {
  const { scan } = structure
  if (typeof output.callId !== 'string' && output.namespace !== ANONYMOUS_NAMESPACE) return NONE
  if (scan.held !== NONE) {
    const held: ItemFields = structure.items[scan.held] as Item
    if (held.callId === output.callId && held.namespace === output.namespace) {
      const call = scan.held
      scan.held = NONE
      return call
    }
    return NONE
  }
  if (scan.waiting === 0) return NONE
  const filed = filedIn(scan, output.namespace)
  const known = filed.get(output.callId)
  if (known === undefined) return NONE
  const call = typeof known === 'number' ? known : (known.calls[known.answered] ?? NONE)
  if (call === NONE || !isWaiting(structure, call)) return NONE
  if (typeof known !== 'number') known.answered += 1
  scan.waiting -= 1
  if (scan.waiting === 0 && filed.size > MANY) {
    scan.calls = undefined
    scan.filed = undefined
  }
  return call
}

/** What `pairCalls` is asked. */
export interface PairQuestion {
  readonly items: ReadonlyArray<Item>
  /** Calls that an earlier turn stored and that still wait. */
  readonly open?: ReadonlyArray<OpenCall>
}

/** Pairs `[call, output]` in the order of calls, and outputs that answer nothing. Positions are 0-based. */
export interface PairAnswer {
  readonly pairs: ReadonlyArray<readonly [number, number]>
  readonly unpaired: ReadonlyArray<number>
}

/**
 * Which output answers which call.
 *
 * Complexity: linear; each item is read a bounded number of times. Rules: PAIR-3 to PAIR-8, PAIR-12.
 *
 * @example
 * pairCalls({ items: [{ kind: 'call', callId: 'a' }, { kind: 'output', callId: 'a' }] }).pairs // => [[0, 1]]
 */
export const pairCalls = (question: PairQuestion): PairAnswer => {
  const structure = startStructure(question.open ?? [], question.items.length)
  extendStructure(structure, question.items)
  const pairs: Array<readonly [number, number]> = []
  const unpaired: number[] = []
  for (let position = 0; position < structure.length; position += 1) {
    const linked = structure.links[position] as number
    const role = structure.roles[position]
    if (role === Role.output && linked === NONE) unpaired.push(position)
    else if ((role === Role.call || role === Role.providerCall) && linked !== NONE)
      pairs.push([position, linked])
  }
  return { pairs, unpaired }
}
