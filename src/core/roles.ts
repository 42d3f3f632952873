/**
 * What a position is, as far as the rules care.
 *
 * Law: only this file turns the fields of an item into a role and flags. It looks at one item at a time and knows no
 * neighbour, outcome or policy. Complexity: constant.
 *
 * Rules: ITEM-2 to ITEM-8, PAIR-3.
 */
import type { ItemFields } from './item.js'

/** The roles. Every position has exactly one. */
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
  superseded: 32,
  /** A model item. Nothing reads it after the forward pass. */
  model: 64,
  /** A marker, or cut off: never simply kept. Nothing reads it after the forward pass. */
  irregular: 128
} as const

/** What is reported about a position: four times the position plus one of these. */
export const Odd = { unclassified: 0, missingCallId: 1, unpairedOutput: 2, responseOrder: 3 } as const

/** What a reading says is to be reported of the item for its kind alone (ITEM-4, ITEM-5): nothing, or one more than `Odd`. */
const Report = {
  nothing: 0,
  unclassified: 1 + Odd.unclassified,
  missingCallId: 1 + Odd.missingCallId
} as const

/** The only namespace in which calls and outputs without an id pair, in order. */
export const ANONYMOUS_NAMESPACE = 'tool-search'

/** Whether nothing could ever answer a call (ITEM-5). */
export const isUnanswerable = (call: ItemFields): boolean =>
  typeof call.callId !== 'string' && call.selfContained !== true && call.namespace !== ANONYMOUS_NAMESPACE

/** Whether an item of one of the rarer kinds is one of the model's (ITEM-2, ITEM-7). */
const isModel = (item: ItemFields, kind: string): boolean => {
  const origin = item.origin
  return origin === undefined ? kind !== 'approval' : origin === 'model'
}

/** Role, report and flags: one number, so that reading an item allocates nothing. */
const packed = (role: number, flags: number, report: number = Report.nothing): number =>
  (role << 10) | (report << 8) | flags

export const roleIn = (reading: number): number => reading >> 10
export const flagsIn = (reading: number): number => reading & 255

/** What is reported of the item for its kind alone: one of `Odd`, or −1. */
export const oddityIn = (reading: number): number => ((reading >> 8) & 3) - 1

/** Whether an item is reported for its kind alone, or irregular. */
export const isRemarkable = (reading: number): boolean => (reading & (0x300 | Flag.irregular)) !== 0

/** Reads one item: its role, and the flags and the report that depend on it alone, packed. */
export const readItem = (item: ItemFields): number => {
  const kind = item.kind
  switch (kind) {
    case 'message':
      return readMessage(item)
    case 'reasoning':
      return readReasoning(item)
    case 'call':
      return readCall(item)
    case 'output':
      return readOutput(item)
    case 'marker':
      return packed(Role.marker, Flag.irregular)
    default:
      return readOther(item, kind)
  }
}

const readCall = (item: ItemFields): number => {
  const execution = item.execution
  let flags = item.origin === undefined || item.origin === 'model' ? Flag.owns | Flag.model : 0
  const partial = item.partial === true
  if (partial) flags |= Flag.irregular
  if (isUnanswerable(item))
    return packed(partial ? Role.fragment : Role.unclassified, flags, Report.missingCallId)
  if (execution === 'skipped' || execution === 'pending') flags |= Flag.skipped
  else if (execution === 'denied') flags |= Flag.denied
  if (partial) return packed(Role.partialCall, flags)
  if (item.selfContained === true) return packed(Role.selfContained, flags)
  return packed(item.executor === 'provider' ? Role.providerCall : Role.call, flags)
}

const readOutput = (item: ItemFields): number => {
  const execution = item.execution
  if (execution === 'pending') return packed(Role.pending, Flag.irregular)
  const flags = item.origin === 'model' ? Flag.model : 0
  if (item.partial === true) return packed(Role.fragment, flags | Flag.irregular)
  return packed(Role.output, execution === 'denied' || execution === 'skipped' ? flags | Flag.skipped : flags)
}

const readMessage = (item: ItemFields): number => {
  const origin = item.origin
  const flags = item.partial === true ? Flag.partial | Flag.irregular : 0
  if (origin === undefined || origin === 'model') return packed(Role.message, flags | Flag.owns | Flag.model)
  if (origin !== 'user') return packed(Role.other, flags)
  return packed(flags === 0 ? Role.user : Role.partialUser, flags)
}

const readReasoning = (item: ItemFields): number => {
  const origin = item.origin
  const flags = item.partial === true ? Flag.partial | Flag.irregular : 0
  if (origin === 'user' && flags === 0) return packed(Role.user, 0)
  return packed(Role.reasoning, origin === undefined || origin === 'model' ? flags | Flag.model : flags)
}

const readOther = (item: ItemFields, kind: string): number => {
  const known = kind === 'approval' || kind === 'compaction' || kind === 'context'
  const report = known ? Report.nothing : Report.unclassified
  const owns = kind === 'context' ? 0 : Flag.owns
  const flags = isModel(item, kind) ? owns | Flag.model : 0
  if (item.partial === true) return packed(Role.fragment, flags | Flag.irregular, report)
  if (item.origin === 'user') return packed(Role.user, 0, report)
  if (!known) return packed(Role.unclassified, flags, report)
  return packed(kind === 'approval' ? Role.approval : Role.other, flags)
}
