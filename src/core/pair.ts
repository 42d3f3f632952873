/**
 * Which output answers which call, and where a model response starts.
 *
 * Law: only this file reads items. One pass from the first position to the last turns each item into a role, a
 * few flags and a link, all in compact arrays that later files read instead. It knows no outcome, policy or store,
 * and what it found for a prefix never changes when the turn grows. Each item is read once.
 *
 * Rules: ITEM-2 to ITEM-8, PAIR-1 to PAIR-12.
 */
import type { Item, ItemFields, OpenCall } from './item.js'

/** What a position is, as far as the rules care. */
export const Role = {
  /** Never written, transparent. */
  marker: 0,
  /** An output that is still pending: a marker until it is real. */
  pending: 1,
  user: 2,
  reasoning: 3,
  /** A complete call that the runner executes and that needs an output. */
  call: 4,
  /** A complete call that the provider executes and that may be answered. */
  providerCall: 5,
  /** A complete call that carries its own result. */
  selfContained: 6,
  partialCall: 7,
  /** A complete output; its link says whether it answers anything. */
  output: 8,
  message: 9,
  /** Compaction, context, a runner's message: written only with what is accepted. */
  other: 10,
  approval: 11,
  unclassified: 12,
  /** A partial item of a kind that is never kept partial. */
  fragment: 13,
  /** A message of the user that was cut off: no user input. */
  partialUser: 14
} as const

/** Facts beside the role; a position may have several. */
export const Flag = {
  /** A partial message or reasoning item. */
  partial: 1,
  /** Reasoning can belong to it (ITEM-8). */
  owns: 2,
  /** The first model item of a response. */
  starts: 4,
  /** An output says denied or skipped; a call says skipped or pending. */
  skipped: 8,
  /** A call says denied. */
  denied: 16,
  /** A call that a later response's call replaced. */
  superseded: 32
} as const

/** What is reported about a position of `Structure.odd`. */
export const Odd = { unclassified: 0, missingCallId: 1, unpairedOutput: 2, responseOrder: 3 } as const

/** No link: an unanswered call, an unpaired output, trailing reasoning. */
export const NONE = -1

/** Calls of one key that wait together, or waited when they were superseded. */
export interface CallQueue {
  readonly calls: number[]
  /** How many of `calls` are answered; the rest waits. */
  answered: number
}

/** What the forward pass has found so far. Arrays are longer than `length`; only the prefix counts. */
export interface Structure {
  items: ReadonlyArray<Item>
  length: number
  roles: Uint8Array
  flags: Uint8Array
  /** call → output, output → call (−2 − i for the i-th open call), reasoning → owner, approval → call; else −1. */
  links: Int32Array
  readonly open: ReadonlyArray<OpenCall>
  /** Which open calls were answered. */
  readonly openAnswered: Uint8Array
  /** Positions of approvals, ascending. */
  readonly approvals: number[]
  /** Child call → its parent's position; empty for almost every turn. */
  readonly parents: Map<number, number>
  /** Calls that shared their key with another waiting call. */
  readonly queues: Map<number, CallQueue>
  /** What is reported, ascending: four times the position plus one of `Odd`. */
  readonly odd: number[]
  /** Calls that became superseded, in the order in which that was seen. */
  readonly superseded: number[]
  /** Start of the last response; −1 while there is no model item. */
  responseStart: number
  /** Position of the last user input; −1 if none. */
  lastUser: number
  /** Lowest position whose approval or parent was found only later, since somebody last set this to infinity. */
  touched: number
  /** Lowest reasoning item that was claimed, since somebody last set this to infinity. */
  claimed: number
  scan: Scan
}

/** Where the pass stands between two extensions. */
interface Scan {
  numbered: 'unknown' | 'yes' | 'no'
  number: number
  userSinceModel: boolean
  /** The nearest predecessor ends a response once its calls are answered. */
  endsResponse: boolean
  /** Runner-executed calls of the current response that wait. */
  unanswered: number
  /** Waiting calls by namespace and call id. */
  waiting: Map<string | undefined, Map<string | undefined, number | CallQueue>>
  /** How many keys wait. */
  waitingKeys: number
  /** One waiting call that is not in `waiting` yet: most outputs follow their call at once. −1 if none. */
  held: number
  /** Last complete call of each id, once a parent was seen. */
  callsById: Map<string | undefined, number> | undefined
  /** Last call and waiting approvals of each key, once an approval was seen. */
  approvalKeys: Map<string, number> | undefined
  waitingApprovals: Map<string, number[]>
}

const ANONYMOUS_NAMESPACE = 'tool-search'

/** A key of namespace and call id that no two pairs share. */
const keyOf = (item: ItemFields): string =>
  `${item.namespace === undefined ? '' : `${item.namespace.length}:${item.namespace}`}|${item.callId ?? ''}`

/** An empty structure into which `open` calls of earlier turns wait (PAIR-8). Complexity: linear in `open`. */
export const startStructure = (open: ReadonlyArray<OpenCall>, capacity: number): Structure => {
  const structure: Structure = {
    items: [],
    length: 0,
    roles: new Uint8Array(capacity),
    flags: new Uint8Array(capacity),
    links: new Int32Array(capacity),
    open,
    openAnswered: new Uint8Array(open.length),
    approvals: [],
    parents: new Map(),
    queues: new Map(),
    odd: [],
    superseded: [],
    responseStart: NONE,
    lastUser: NONE,
    touched: Infinity,
    claimed: Infinity,
    scan: {
      numbered: 'unknown',
      number: 0,
      userSinceModel: false,
      endsResponse: false,
      unanswered: 0,
      waiting: new Map(),
      waitingKeys: 0,
      held: NONE,
      callsById: undefined,
      approvalKeys: undefined,
      waitingApprovals: new Map()
    }
  }
  for (let index = 0; index < open.length; index += 1) {
    const call = open[index] as OpenCall
    joinQueue(structure, call.namespace, call.callId, -2 - index)
  }
  return structure
}

const reserve = (structure: Structure, length: number): void => {
  if (length <= structure.roles.length) return
  const capacity = Math.max(length, structure.roles.length * 2)
  const roles = new Uint8Array(capacity)
  roles.set(structure.roles)
  const flags = new Uint8Array(capacity)
  flags.set(structure.flags)
  const links = new Int32Array(capacity)
  links.set(structure.links)
  structure.roles = roles
  structure.flags = flags
  structure.links = links
}

/**
 * Reads the items from `structure.length` to the end of `items` into the structure, which is mutated.
 *
 * `items` must begin with the items that were read before. Complexity: linear in the new items.
 */
export const extendStructure = (structure: Structure, items: ReadonlyArray<Item>): void => {
  const from = structure.length
  const to = items.length
  reserve(structure, to)
  structure.items = items
  const scan = structure.scan
  for (let position = from; position < to; position += 1) {
    const item: ItemFields = items[position] as Item
    const role = roleOf(structure, item, position)
    structure.roles[position] = role
    structure.links[position] = NONE
    if (role <= Role.pending) continue
    if (role === Role.partialUser) scan.endsResponse = false
    if (role === Role.user) {
      scan.userSinceModel = true
      scan.endsResponse = false
      structure.lastUser = position
      continue
    }
    const kind = item.kind
    const model = isModel(item, kind)
    if (model) {
      if (startsResponse(structure, item, position))
        structure.flags[position] = (structure.flags[position] as number) | Flag.starts
      if (kind !== 'reasoning' && kind !== 'output' && kind !== 'context') {
        structure.flags[position] = (structure.flags[position] as number) | Flag.owns
      }
      scan.userSinceModel = false
    }
    if (role === Role.output) {
      const call = answerCall(structure, item, position)
      structure.links[position] = call
      if (call === NONE) report(structure, position, Odd.unpairedOutput)
      if (model) scan.endsResponse = false
      else if (call !== NONE) scan.endsResponse = true
      continue
    }
    scan.endsResponse = role === Role.approval && !model
    if (role === Role.call || role === Role.providerCall) addCall(structure, item, position, role)
    else if (role === Role.approval) addApproval(structure, item, position)
    if (role >= Role.call && role <= Role.selfContained) addReferences(structure, item, position)
  }
  structure.length = to
}

const report = (structure: Structure, position: number, what: number): void => {
  structure.odd.push(position * 4 + what)
}

const isModel = (item: ItemFields, kind: string): boolean => {
  const origin = item.origin
  if (origin !== undefined) return origin === 'model'
  return kind !== 'output' && kind !== 'approval'
}

/** The role of an item; sets the flags that depend on the item alone (ITEM-2 to ITEM-6, PAIR-3). */
const roleOf = (structure: Structure, item: ItemFields, position: number): number => {
  const partial = item.partial === true
  let flags = 0
  let role: number
  switch (item.kind) {
    case 'call': {
      if (
        item.selfContained !== true &&
        item.callId === undefined &&
        item.namespace !== ANONYMOUS_NAMESPACE
      ) {
        report(structure, position, Odd.missingCallId)
        role = partial ? Role.fragment : Role.unclassified
        break
      }
      const execution = item.execution
      if (execution === 'skipped' || execution === 'pending') flags = Flag.skipped
      else if (execution === 'denied') flags = Flag.denied
      if (partial) role = Role.partialCall
      else if (item.selfContained === true) role = Role.selfContained
      else role = item.executor === 'provider' ? Role.providerCall : Role.call
      break
    }
    case 'output': {
      const execution = item.execution
      if (execution === 'pending') role = Role.pending
      else if (partial) role = Role.fragment
      else {
        role = Role.output
        if (execution === 'denied' || execution === 'skipped') flags = Flag.skipped
      }
      break
    }
    case 'reasoning':
    case 'message':
      if (partial) flags = Flag.partial
      if (item.origin === 'user' && !partial) role = Role.user
      else if (item.kind === 'reasoning') role = Role.reasoning
      else if (item.origin === 'user') role = Role.partialUser
      else role = item.origin === 'runner' ? Role.other : Role.message
      break
    case 'marker':
      role = Role.marker
      break
    case 'approval':
    case 'compaction':
    case 'context':
      if (partial) role = Role.fragment
      else if (item.origin === 'user') role = Role.user
      else role = item.kind === 'approval' ? Role.approval : Role.other
      break
    default:
      report(structure, position, Odd.unclassified)
      role = partial ? Role.fragment : item.origin === 'user' ? Role.user : Role.unclassified
  }
  structure.flags[position] = flags
  return role
}

/** Whether a response starts at this model item (PAIR-1, PAIR-2). */
const startsResponse = (structure: Structure, item: ItemFields, position: number): boolean => {
  const scan = structure.scan
  const number = item.response
  let starts: boolean
  if (scan.numbered === 'unknown') {
    scan.numbered = number === undefined ? 'no' : 'yes'
    starts = true
  } else if (scan.numbered === 'yes') {
    starts = number !== undefined && number > scan.number
    if (number === undefined || number < scan.number) report(structure, position, Odd.responseOrder)
  } else {
    starts = scan.userSinceModel || (scan.endsResponse && scan.unanswered === 0)
  }
  if (!starts) return false
  if (number !== undefined) scan.number = number
  scan.unanswered = 0
  structure.responseStart = position
  return true
}

/** Lets a call wait for its output (PAIR-4 to PAIR-6). */
const addCall = (structure: Structure, item: ItemFields, position: number, role: number): void => {
  const scan = structure.scan
  if (scan.held !== NONE) {
    const held: ItemFields = structure.items[scan.held] as Item
    joinQueue(structure, held.namespace, held.callId, scan.held)
  }
  scan.held = position
  if (role === Role.call) scan.unanswered += 1
  if (scan.waitingKeys > 0 && findWaiting(scan, item) !== undefined) {
    joinQueue(structure, item.namespace, item.callId, position)
    scan.held = NONE
  }
}

const findWaiting = (scan: Scan, item: ItemFields): number | CallQueue | undefined =>
  scan.waiting.get(item.namespace)?.get(item.callId)

/** Puts a waiting call into the queue of its key, which it may supersede. */
const joinQueue = (
  structure: Structure,
  namespace: string | undefined,
  callId: string | undefined,
  call: number
): void => {
  const scan = structure.scan
  let byId = scan.waiting.get(namespace)
  if (byId === undefined) {
    byId = new Map()
    scan.waiting.set(namespace, byId)
  }
  const waiting = byId.get(callId)
  if (waiting === undefined) {
    byId.set(callId, call)
    scan.waitingKeys += 1
    return
  }
  const queue: CallQueue = typeof waiting === 'number' ? { calls: [waiting], answered: 0 } : waiting
  const last = queue.calls[queue.calls.length - 1] as number
  if (call >= 0 && last < structure.responseStart) {
    supersede(structure, queue)
    byId.set(callId, call)
    return
  }
  if (typeof waiting === 'number') {
    byId.set(callId, queue)
    if (waiting >= 0) structure.queues.set(waiting, queue)
  }
  queue.calls.push(call)
  if (call >= 0) structure.queues.set(call, queue)
}

const supersede = (structure: Structure, queue: CallQueue): void => {
  for (let index = queue.answered; index < queue.calls.length; index += 1) {
    const call = queue.calls[index] as number
    if (call < 0) continue
    structure.flags[call] = (structure.flags[call] as number) | Flag.superseded
    structure.superseded.push(call)
  }
}

/** The call that an output answers, which waits no longer; −1 if none waits (PAIR-4, PAIR-7). */
const answerCall = (structure: Structure, item: ItemFields, position: number): number => {
  const scan = structure.scan
  if (scan.held !== NONE && scan.waitingKeys === 0) {
    const held: ItemFields = structure.items[scan.held] as Item
    if (held.callId === item.callId && held.namespace === item.namespace) {
      const call = scan.held
      scan.held = NONE
      return link(structure, call, position)
    }
    return NONE
  }
  if (scan.held !== NONE) {
    const held: ItemFields = structure.items[scan.held] as Item
    joinQueue(structure, held.namespace, held.callId, scan.held)
    scan.held = NONE
  }
  const byId = scan.waiting.get(item.namespace)
  const waiting = byId?.get(item.callId)
  if (byId === undefined || waiting === undefined) return NONE
  if (item.callId === undefined && item.namespace !== ANONYMOUS_NAMESPACE) return NONE
  let call: number
  if (typeof waiting === 'number') {
    call = waiting
    byId.delete(item.callId)
    scan.waitingKeys -= 1
  } else {
    call = waiting.calls[waiting.answered] as number
    waiting.answered += 1
    if (waiting.answered === waiting.calls.length) {
      byId.delete(item.callId)
      scan.waitingKeys -= 1
    }
  }
  return link(structure, call, position)
}

const link = (structure: Structure, call: number, output: number): number => {
  if (call < 0) {
    structure.openAnswered[-2 - call] = 1
    return call
  }
  structure.links[call] = output
  if (call >= structure.responseStart && structure.roles[call] === Role.call) structure.scan.unanswered -= 1
  return call
}

/** Notes the parent of a call and the approvals that belong to it (PAIR-10, PAIR-11). */
const addReferences = (structure: Structure, item: ItemFields, position: number): void => {
  const scan = structure.scan
  if (item.parent !== undefined) {
    const calls = scan.callsById ?? indexCalls(structure, position)
    const parent = calls.get(item.parent)
    if (parent !== undefined) {
      structure.parents.set(position, parent)
      structure.touched = Math.min(structure.touched, parent)
    }
  }
  if (scan.callsById !== undefined && item.callId !== undefined) scan.callsById.set(item.callId, position)
  if (scan.approvalKeys !== undefined && item.callId !== undefined) {
    const key = keyOf(item)
    scan.approvalKeys.set(key, position)
    const waiting = scan.waitingApprovals.get(key)
    if (waiting !== undefined) {
      for (const approval of waiting) structure.links[approval] = position
      structure.touched = Math.min(structure.touched, waiting[0] as number)
      scan.waitingApprovals.delete(key)
    }
  }
}

/** All complete calls before a position by their id: made once, when the first parent is seen. */
const indexCalls = (structure: Structure, before: number): Map<string | undefined, number> => {
  const calls = new Map<string | undefined, number>()
  for (let position = 0; position < before; position += 1) {
    if (!isCompleteCall(structure, position)) continue
    const item: ItemFields = structure.items[position] as Item
    if (item.callId !== undefined) calls.set(item.callId, position)
  }
  structure.scan.callsById = calls
  return calls
}

const isCompleteCall = (structure: Structure, position: number): boolean => {
  const role = structure.roles[position] as number
  return role >= Role.call && role <= Role.selfContained
}

const addApproval = (structure: Structure, item: ItemFields, position: number): void => {
  const scan = structure.scan
  structure.approvals.push(position)
  if (scan.approvalKeys === undefined) {
    scan.approvalKeys = new Map()
    for (let earlier = 0; earlier < position; earlier += 1) {
      const call: ItemFields = structure.items[earlier] as Item
      if (isCompleteCall(structure, earlier) && call.callId !== undefined)
        scan.approvalKeys.set(keyOf(call), earlier)
    }
  }
  if (item.callId === undefined) return
  const key = keyOf(item)
  const call = scan.approvalKeys.get(key)
  if (call !== undefined) {
    structure.links[position] = call
    return
  }
  for (let index = 0; index < structure.open.length; index += 1) {
    if (keyOf({ kind: 'call', ...(structure.open[index] as OpenCall) }) === key)
      structure.links[position] = -2 - index
  }
  const waiting = scan.waitingApprovals.get(key)
  if (waiting === undefined) scan.waitingApprovals.set(key, [position])
  else waiting.push(position)
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
    const role = structure.roles[position] as number
    if (role === Role.output && linked === NONE) unpaired.push(position)
    else if ((role === Role.call || role === Role.providerCall) && linked !== NONE)
      pairs.push([position, linked])
  }
  return { pairs, unpaired }
}
