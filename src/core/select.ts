/**
 * Which verdict each position gets.
 *
 * Law: only this file reads a policy and only this file knows what an outcome means for an item. It does not know
 * how a session is laid out or what a write is; of the store it asks only what is already in it, for the two rules
 * that depend on that. An ended turn is judged in one backward pass; while a turn is open one position is judged at
 * a time. Complexity: linear; it reads roles and links, never items.
 *
 * Rules: SELECT-1 to SELECT-30, PLAN-2 to PLAN-9, PLAN-23, PLAN-30.
 */
import { extendAssociation } from './associate.js'
import type { Item, OpenCall } from './item.js'
import type { EndedOutcome, Outcome } from './outcome.js'
import { extendStructure, Flag, NONE, Role, startStructure, type Structure } from './pair.js'
import { defaultPolicy, type Policy } from './policy.js'

/** What a position gets. A verdict of `wait` is a position that is not decided yet. */
export const Verdict = { wait: 0, keep: 1, redact: 2, withhold: 3 } as const

/** What the store holds of a position: bits, so that a closing can stand beside its call. */
export const Stored = { item: 1, redacted: 2, closing: 4 } as const

/** Everything the judgement of one turn depends on. */
export interface Judge {
  readonly structure: Structure
  readonly policy: Policy
  /** First position of the rejected part (or of the part that may be rejected); the length when there is none. */
  readonly part: number
  /** Whether outputs of that part are redacted. */
  readonly redacts: boolean
  /** Whether only user input of that part stays. */
  readonly discards: boolean
  /** Positions below this are sealed: what the store holds of them is their verdict. */
  readonly low: number
  readonly stored: Uint8Array
  readonly appendOnly: boolean
  /** 1 for a call that a kept call names as its parent; empty where no call has a parent. */
  readonly needed: Uint8Array
  /** The last answer about a run of reasoning under `segment`: its first owner and the verdict. */
  segmentOwner: number
  segmentVerdict: number
}

/** Start of the rejected part of an ended turn, or −1 (SELECT-23, SELECT-25, SELECT-26). */
export const rejectedFrom = (outcome: EndedOutcome, policy: Policy, structure: Structure): number => {
  const start = structure.responseStart === NONE ? structure.length : structure.responseStart
  switch (outcome.kind) {
    case 'accepted':
      return NONE
    case 'rejected':
      return outcome.from ?? start
    case 'failed':
    case 'aborted':
      return outcome.check === 'due' && policy.unjudged === 'withhold' ? start : NONE
    case 'input-rejected':
      return 0
  }
}

/** A judge for an outcome; positions below `low` are taken from the store as they are. */
export const createJudge = (
  structure: Structure,
  policy: Policy,
  outcome: Outcome,
  low: number,
  stored: Uint8Array,
  appendOnly: boolean
): Judge => {
  let part = structure.length
  let redacts = false
  let discards = false
  if (outcome.kind === 'open') {
    if (outcome.check === 'input') {
      part = low
      discards = policy.speculative === 'discard'
    } else if (outcome.check !== 'none' && structure.responseStart !== NONE) {
      part = structure.responseStart
      redacts = outcome.check === 'output' && policy.rejectedOutput === 'redact'
    }
  } else {
    const from = rejectedFrom(outcome, policy, structure)
    if (from !== NONE) part = from
    redacts =
      outcome.kind === 'rejected' && outcome.deliverable === 'output' && policy.rejectedOutput === 'redact'
    discards = outcome.kind === 'input-rejected' && policy.speculative === 'discard'
  }
  return {
    structure,
    policy,
    part,
    redacts,
    discards,
    low,
    stored,
    appendOnly,
    needed: new Uint8Array(structure.parents.size === 0 ? 0 : structure.length),
    segmentOwner: NONE,
    segmentVerdict: Verdict.wait
  }
}

const isStored = (judge: Judge, position: number): boolean =>
  ((judge.stored[position] as number) & Stored.item) !== 0

/** The verdict of a position that is never judged again: what the store holds. */
export const sealedVerdict = (judge: Judge, position: number): number => {
  const bits = judge.stored[position] as number
  if ((bits & Stored.item) === 0) return Verdict.withhold
  return (bits & Stored.redacted) === 0 ? Verdict.keep : Verdict.redact
}

/** A real output whose call has a closing in a store that cannot take it back (PLAN-23). */
const isTooLate = (judge: Judge, call: number): boolean =>
  judge.appendOnly && ((judge.stored[call] as number) & Stored.closing) !== 0

/** The verdict of a complete call (SELECT-5, SELECT-7, SELECT-8, SELECT-10, SELECT-12, SELECT-29). */
const judgeCall = (judge: Judge, position: number, role: number): number => {
  const { structure, policy } = judge
  if (judge.discards) return Verdict.withhold
  if (role === Role.selfContained) return Verdict.keep
  const needed = judge.needed.length > 0 && judge.needed[position] === 1
  const output = structure.links[position] as number
  const inPart = position >= judge.part
  if (output !== NONE) {
    if (!inPart || policy.committed === 'answered' || needed) return Verdict.keep
    return ((structure.flags[output] as number) & Flag.skipped) === 0 ? Verdict.keep : Verdict.withhold
  }
  if (needed) return Verdict.keep
  if (role === Role.providerCall) return inPart ? Verdict.withhold : Verdict.keep
  return policy.unansweredCalls === 'drop' ? Verdict.withhold : Verdict.keep
}

/** The verdict of an answering output, given the verdict of its call (SELECT-6, SELECT-19, PLAN-23, PLAN-30). */
const judgeOutput = (judge: Judge, position: number, call: number, callVerdict: number): number => {
  if (isTooLate(judge, call)) return Verdict.withhold
  if (callVerdict === Verdict.withhold && !(judge.appendOnly && isStored(judge, call)))
    return Verdict.withhold
  return judge.redacts && position >= judge.part ? Verdict.redact : Verdict.keep
}

const noteParent = (judge: Judge, call: number): void => {
  if (judge.needed.length === 0) return
  const parent = judge.structure.parents.get(call)
  if (parent !== undefined) judge.needed[parent] = 1
}

/**
 * Judges all calls before anything else is judged. Needed only where an approval may stand behind its call, whose
 * verdict the reasoning before the approval depends on.
 */
const judgeCallsFirst = (judge: Judge, verdicts: Uint8Array): void => {
  const { structure, low } = judge
  for (let position = structure.length - 1; position >= low; position -= 1) {
    const role = structure.roles[position] as number
    if (role < Role.call || role > Role.selfContained) continue
    const verdict = judgeCall(judge, position, role)
    verdicts[position - low] = verdict
    if (verdict === Verdict.keep) noteParent(judge, position)
  }
}

/** The verdict of an approval of an ended turn (SELECT-1, SELECT-9). */
const judgeApproval = (judge: Judge, position: number, verdicts: Uint8Array): number => {
  if (judge.discards) return Verdict.withhold
  if (position < judge.part) return Verdict.keep
  const call = judge.structure.links[position] as number
  if (call === NONE) return Verdict.withhold
  if (call < NONE) return Verdict.keep
  const verdict = call < judge.low ? sealedVerdict(judge, call) : (verdicts[call - judge.low] as number)
  return verdict === Verdict.withhold ? Verdict.withhold : Verdict.keep
}

/**
 * Judges an ended turn from `judge.low` to its end in one backward pass; `verdicts[i]` is that of position low + i.
 *
 * Complexity: linear. Rules: SELECT-1 to SELECT-29.
 */
export const judgeEnded = (judge: Judge, verdicts: Uint8Array): void => {
  const { structure, policy, part, low, discards } = judge
  const { roles, flags, links } = structure
  const keepsPartial = policy.partialItems === 'keep'
  const segments = policy.association === 'segment'
  const trailing = policy.trailingReasoning === 'keep' && !discards ? Verdict.keep : Verdict.withhold
  if (structure.approvals.length > 0) judgeCallsFirst(judge, verdicts)
  let segmentKept = false
  let segmentRead = false
  for (let position = structure.length - 1; position >= low; position -= 1) {
    const role = roles[position] as number
    const flag = flags[position] as number
    let verdict: number = Verdict.withhold
    switch (role) {
      case Role.user:
        verdict = Verdict.keep
        break
      case Role.partialUser:
        if (keepsPartial) verdict = Verdict.keep
        break
      case Role.reasoning:
        if ((flag & Flag.partial) !== 0 && !keepsPartial) break
        if (links[position] === NONE) verdict = trailing
        else if (segments) verdict = segmentKept ? Verdict.keep : Verdict.withhold
        else
          verdict =
            (verdicts[(links[position] as number) - low] as number) === Verdict.withhold
              ? Verdict.withhold
              : Verdict.keep
        break
      case Role.call:
      case Role.providerCall:
      case Role.selfContained: {
        verdict = judgeCall(judge, position, role)
        if (verdict === Verdict.keep) noteParent(judge, position)
        const output = links[position] as number
        if (output !== NONE) verdicts[output - low] = judgeOutput(judge, output, position, verdict)
        break
      }
      case Role.partialCall:
        if (!discards && isStored(judge, position)) verdict = Verdict.keep
        break
      case Role.output: {
        const call = links[position] as number
        if (call >= low) continue
        if (call === NONE) break
        if (call < NONE) {
          if (!discards) verdict = judge.redacts && position >= part ? Verdict.redact : Verdict.keep
        } else if (!discards) verdict = judgeOutput(judge, position, call, sealedVerdict(judge, call))
        break
      }
      case Role.message:
      case Role.other:
        if ((flag & Flag.partial) !== 0 && !keepsPartial) break
        if (position < part) verdict = Verdict.keep
        break
      case Role.approval:
        verdict = judgeApproval(judge, position, verdicts)
        break
      case Role.unclassified:
        if (position < part || (policy.unclassified === 'keep' && !discards)) verdict = Verdict.keep
        break
      default:
        break
    }
    verdicts[position - low] = verdict
    if (!segments) continue
    if (role === Role.reasoning) segmentRead = true
    else if (role === Role.user) segmentKept = segmentRead = false
    else if ((flag & Flag.owns) !== 0) {
      if (segmentRead) segmentKept = segmentRead = false
      if (verdict !== Verdict.withhold) segmentKept = true
    }
    if ((flag & Flag.starts) !== 0) segmentKept = segmentRead = false
  }
}

/** Marks the parents of calls that are decided to be kept, from `low` on, so that they are not made to wait. */
export const noteParentsOfOpen = (judge: Judge, from: number): void => {
  if (judge.needed.length === 0) return
  for (let position = judge.structure.length - 1; position >= from; position -= 1) {
    const parent = judge.structure.parents.get(position)
    if (parent !== undefined && judgeOpen(judge, position) === Verdict.keep) judge.needed[parent] = 1
  }
}

/**
 * The verdict of one position while the turn is open: the one that every ending still allowed agrees on, or `wait`.
 *
 * Complexity: constant, except that under `segment` a run looks forward to the first item that is kept.
 * Rules: PLAN-2 to PLAN-9, PLAN-23.
 */
export const judgeOpen = (judge: Judge, position: number): number => {
  const { structure, policy, low } = judge
  if (position < low) return sealedVerdict(judge, position)
  const role = structure.roles[position] as number
  const inPart = position >= judge.part
  if (((structure.flags[position] as number) & Flag.partial) !== 0) return Verdict.wait
  switch (role) {
    case Role.marker:
      return Verdict.withhold
    case Role.user:
      return Verdict.keep
    case Role.message:
    case Role.other:
      return inPart ? Verdict.wait : Verdict.keep
    case Role.unclassified:
      return inPart && (judge.discards || policy.unclassified === 'withhold') ? Verdict.wait : Verdict.keep
    case Role.approval:
      return inPart ? judgeOpenApproval(judge, position) : Verdict.keep
    case Role.call:
    case Role.providerCall:
    case Role.selfContained:
      return judgeOpenCall(judge, position, role, inPart)
    case Role.output:
      return judgeOpenOutput(judge, position, inPart)
    case Role.reasoning:
      return policy.association === 'next'
        ? judgeOpenReasoning(judge, position)
        : judgeOpenSegment(judge, position)
    default:
      return Verdict.wait
  }
}

const judgeOpenApproval = (judge: Judge, position: number): number => {
  const call = judge.structure.links[position] as number
  if (judge.discards || call === NONE) return Verdict.wait
  if (call < NONE) return Verdict.keep
  const verdict = judgeOpen(judge, call)
  return verdict === Verdict.keep || verdict === Verdict.redact ? Verdict.keep : Verdict.wait
}

const judgeOpenCall = (judge: Judge, position: number, role: number, inPart: boolean): number => {
  const { structure, policy } = judge
  const answered = structure.links[position] !== NONE
  const superseded = ((structure.flags[position] as number) & Flag.superseded) !== 0
  const needed = judge.needed.length > 0 && judge.needed[position] === 1
  const canBeDropped = role === Role.call && !answered && !needed && policy.unansweredCalls === 'drop'
  if (canBeDropped) return superseded ? Verdict.withhold : Verdict.wait
  if (judge.discards) return inPart ? Verdict.wait : Verdict.keep
  return judgeCall(judge, position, role) === Verdict.keep ? Verdict.keep : Verdict.wait
}

const judgeOpenOutput = (judge: Judge, position: number, inPart: boolean): number => {
  const call = judge.structure.links[position] as number
  if (call === NONE) return Verdict.withhold
  if (call > NONE) {
    if (isTooLate(judge, call)) return Verdict.withhold
    const verdict = judgeOpen(judge, call)
    if (verdict === Verdict.wait) return Verdict.wait
    if (judgeOutput(judge, position, call, verdict) === Verdict.withhold) return Verdict.withhold
  }
  return inPart && (judge.redacts || judge.discards) ? Verdict.wait : Verdict.keep
}

/** Whether an owner may still come for reasoning at a position (PLAN-3). */
const canStillBeClaimed = (structure: Structure, position: number): boolean =>
  structure.responseStart !== NONE && position >= structure.responseStart && structure.lastUser < position

const judgeOpenTrailing = (judge: Judge, position: number): number => {
  if (canStillBeClaimed(judge.structure, position)) return Verdict.wait
  if (judge.policy.trailingReasoning === 'drop') return Verdict.withhold
  return judge.discards ? Verdict.wait : Verdict.keep
}

const judgeOpenReasoning = (judge: Judge, position: number): number => {
  const owner = judge.structure.links[position] as number
  if (owner === NONE) return judgeOpenTrailing(judge, position)
  const verdict = judgeOpen(judge, owner)
  return verdict === Verdict.redact ? Verdict.keep : verdict
}

/** A run under `segment`: kept as soon as one of its items is, withheld when none can be (PLAN-7, PLAN-9). */
const judgeOpenSegment = (judge: Judge, position: number): number => {
  const { structure } = judge
  const first = structure.links[position] as number
  if (first === NONE) return judgeOpenTrailing(judge, position)
  if (first === judge.segmentOwner) return judge.segmentVerdict
  let verdict: number = Verdict.withhold
  let ended = false
  for (let next = first; next < structure.length && !ended; next += 1) {
    const role = structure.roles[next] as number
    const flags = structure.flags[next] as number
    if (role === Role.user || role === Role.reasoning || (next > first && (flags & Flag.starts) !== 0))
      ended = true
    else if ((flags & Flag.owns) !== 0) {
      const owned = judgeOpen(judge, next)
      if (owned === Verdict.keep) {
        verdict = Verdict.keep
        break
      }
      if (owned === Verdict.wait) verdict = Verdict.wait
    }
  }
  if (verdict === Verdict.withhold && !ended) verdict = Verdict.wait
  judge.segmentOwner = first
  judge.segmentVerdict = verdict
  return verdict
}

/** Whether a kept call of an ended turn is owed a closing (SELECT-10, SELECT-14, SELECT-28). */
export const needsClosing = (judge: Judge, position: number, role: number): boolean => {
  const { structure, policy } = judge
  if (role === Role.partialCall) return true
  if (role !== Role.call || structure.links[position] !== NONE) return false
  return policy.unansweredCalls !== 'keep'
}

/** What `selectItems` is asked. */
export interface SelectQuestion {
  readonly items: ReadonlyArray<Item>
  readonly outcome: EndedOutcome
  readonly policy?: Policy
  readonly open?: ReadonlyArray<OpenCall>
}

/** Positions by verdict, each list ascending; every position is in exactly one. */
export interface SelectAnswer {
  /** First position of the rejected part, or null. */
  readonly from: number | null
  readonly keep: ReadonlyArray<number>
  readonly redact: ReadonlyArray<number>
  readonly withhold: ReadonlyArray<number>
}

/**
 * Which positions of an ended turn stay, stay redacted, or are withheld.
 *
 * For what must be written, and for closings and stripped ids, ask `planSave`. Complexity: linear; each item is
 * read once. Rules: SELECT-1 to SELECT-29.
 *
 * @example
 * selectItems({ items: [{ kind: 'message' }], outcome: { kind: 'rejected', deliverable: 'message' } }).withhold // => [0]
 */
export const selectItems = (question: SelectQuestion): SelectAnswer => {
  const { items, outcome, policy = defaultPolicy, open = [] } = question
  const structure = startStructure(open, items.length)
  extendStructure(structure, items)
  extendAssociation(structure, 0)
  const judge = createJudge(structure, policy, outcome, 0, new Uint8Array(items.length), false)
  const verdicts = new Uint8Array(items.length)
  judgeEnded(judge, verdicts)
  const keep: number[] = []
  const redact: number[] = []
  const withhold: number[] = []
  for (let position = 0; position < items.length; position += 1) {
    const verdict = verdicts[position]
    if (verdict === Verdict.keep) keep.push(position)
    else if (verdict === Verdict.redact) redact.push(position)
    else withhold.push(position)
  }
  const from = rejectedFrom(outcome, policy, structure)
  return { from: from === NONE ? null : from, keep, redact, withhold }
}

/** What `retain` is asked. */
export interface RetainQuestion {
  readonly items: ReadonlyArray<Item>
  readonly policy?: Policy
  /** First position of the rejected response; by default the start of the last one. */
  readonly from?: number
  readonly open?: ReadonlyArray<OpenCall>
}

/**
 * The positions that stay when an output check has rejected the turn's message, ascending.
 *
 * Complexity: linear; each item is read once. Rules: SELECT-1 to SELECT-18.
 *
 * @example
 * retain({ items: [{ kind: 'message' }, { kind: 'call', callId: 'a' }, { kind: 'output', callId: 'a' }] }) // => [1, 2]
 */
export const retain = (question: RetainQuestion): ReadonlyArray<number> => {
  const { from, ...rest } = question
  const outcome: EndedOutcome =
    from === undefined
      ? { kind: 'rejected', deliverable: 'message' }
      : { kind: 'rejected', deliverable: 'message', from }
  return selectItems({ ...rest, outcome }).keep
}
