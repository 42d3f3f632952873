/**
 * Which output answers which call, and where a model response starts.
 *
 * Law: only this file passes over items. One pass from the first position to the last turns each of them into a role,
 * flags and links. It knows no outcome, policy or store. Complexity: linear; each item is read a bounded
 * number of times.
 *
 * Rules: PAIR-1 to PAIR-9, PAIR-12.
 */
import { awaitOwner, claimReasoning } from './claim.js'
import { fileCall } from './filed.js'
import { awaitOutput, takeCall } from './held.js'
import { type Item, type ItemFields, NO_ITEM, type OpenCall } from './item.js'
import { referApproval, referCall } from './refer.js'
import { Flag, flagsIn, isRemarkable, Odd, oddityIn, Role, readItem, roleIn } from './roles.js'
import { emptyStructure, NONE, reserve, type Structure } from './structure.js'

/** A structure of no items, in which `open` calls of earlier turns wait (PAIR-8). */
export const startStructure = (open: ReadonlyArray<OpenCall>, capacity: number): Structure => {
  const structure = emptyStructure(open, capacity)
  for (let index = 0; index < open.length; index += 1) {
    const call = open[index] as OpenCall
    fileCall(structure, call, -2 - index)
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
    if (isRemarkable(reading)) remark(structure, reading, position)
    if ((flag & Flag.model) !== 0) {
      if (startsResponse(structure, item, position)) {
        flag |= Flag.starts
        scan.run = NONE
      }
      scan.userSinceModel = false
    }
    flags[position] = flag
    if (scan.run !== NONE && (flag & Flag.owns) !== 0) claimReasoning(structure, position)
    // The most frequent roles come first: a switch compares one after the other.
    switch (role) {
      case Role.message:
        scan.endsResponse = false
        break
      case Role.reasoning:
        awaitOwner(structure, position)
        scan.endsResponse = false
        break
      case Role.call:
        scan.unanswered += 1
        awaitOutput(structure, item, position)
        referCall(structure, item, position)
        break
      case Role.output:
        readAnswer(structure, item, position, (flag & Flag.model) !== 0)
        break
      case Role.user:
        scan.userSinceModel = true
        scan.run = NONE
        structure.lastUser = position
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
      case Role.marker:
      case Role.pending:
        break
      default:
        scan.endsResponse = false
    }
  }
  structure.length = to
}

/** Notes that an item is to be reported, or is never simply kept. */
const remark = (structure: Structure, reading: number, position: number): void => {
  const oddity = oddityIn(reading)
  if (oddity >= 0) structure.odd.push(position * 4 + oddity)
  if ((flagsIn(reading) & Flag.irregular) !== 0) noteIrregular(structure, position)
}

const noteIrregular = (structure: Structure, position: number): void => {
  if (position < structure.irregular) structure.irregular = position
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
  if (scan.numbered === false) {
    if (!scan.userSinceModel && !(scan.endsResponse && scan.unanswered === 0)) return false
  } else if (!hasNextNumber(structure, item, position)) return false
  scan.unanswered = 0
  structure.responseStart = position
  return true
}

/** Whether a model item is the first one, or the first of the response that its number names. */
const hasNextNumber = (structure: Structure, item: ItemFields, position: number): boolean => {
  const { scan } = structure
  const number = item.response
  if (scan.numbered === undefined) scan.numbered = number !== undefined
  else {
    if (number === undefined || number < scan.number) structure.odd.push(position * 4 + Odd.responseOrder)
    if (number === undefined || number <= scan.number) return false
  }
  scan.number = number ?? 0
  return true
}

/** Links an output to the call that has waited longest for it, if one does (PAIR-4, PAIR-7). */
const readAnswer = (structure: Structure, output: ItemFields, position: number, model: boolean): void => {
  const { scan } = structure
  const call = takeCall(structure, output)
  if (model) scan.endsResponse = false
  if (call === NONE) {
    structure.odd.push(position * 4 + Odd.unpairedOutput)
    noteIrregular(structure, position)
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
