/**
 * What a verdict is, and everything that a judgement depends on.
 *
 * Law: `judge.ts`, `select.ts` and `wait.ts` alone read a policy and know what an outcome means for an item; this one
 * holds what the other two share: the verdicts of calls and outputs. A verdict is what the store should hold of a
 * position. Complexity: constant per position; it reads roles and links, never items.
 *
 * Rules: SELECT-5 to SELECT-8, SELECT-10, SELECT-12, SELECT-19, SELECT-23, SELECT-25, SELECT-26, SELECT-28, SELECT-29,
 * PLAN-23, PLAN-30.
 */
import type { EndedOutcome, Outcome } from './outcome.js'
import type { Policy } from './policy.js'
import { Flag, Role } from './roles.js'
import { NONE, type Structure } from './structure.js'

/** What a store holds of a position: bits, so that a closing can stand beside its call. */
export const Stored = { item: 1, redacted: 2, closing: 4 } as const

/** What a position gets: the bits that the store should hold, or `wait` while that is not decided. */
export const Verdict = { withhold: 0, keep: 1, redact: 3, wait: 8 } as const

/** Whether bits of `Stored` or a verdict say that the item is in the session. */
export const isKept = (bits: number): boolean => (bits & Stored.item) !== 0

/** Everything that the judgement of one turn depends on. */
export interface Judge {
  readonly structure: Structure
  readonly policy: Policy
  /** First position of the rejected part, or of the part that may be rejected; the length when there is none. */
  readonly part: number
  /** Whether outputs of that part are redacted. */
  readonly redacts: boolean
  /** Whether only user input of that part stays. */
  readonly discards: boolean
  /** Positions below this are not judged: what the store holds of them is their verdict, or else they are kept. */
  readonly low: number
  /** Whether those are all kept, stored or not, since they are plain. */
  readonly keepsBelow: boolean
  /** Bits of `Stored` by position. */
  readonly stored: Uint8Array
  readonly appendOnly: boolean
  readonly isOpen: boolean
  /** 1 for a call that a kept call names as its parent; absent where no call has a parent. */
  readonly needed: Uint8Array | undefined
  /** In an open turn the calls from here on have been asked for their parents; 0 where no call has one. */
  asked: number
  /** Whether any call got a closing. */
  closes: boolean
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

/** First position that an ended outcome rejects; the length when there is none. */
export const rejectedPart = (outcome: EndedOutcome, policy: Policy, structure: Structure): number => {
  const from = rejectedFrom(outcome, policy, structure)
  return from === NONE ? structure.length : from
}

/** First position that an outcome rejects, or may still reject; the length when there is none. */
const partOf = (outcome: Outcome, policy: Policy, structure: Structure, low: number): number => {
  if (outcome.kind !== 'open') return rejectedPart(outcome, policy, structure)
  if (outcome.check === 'input') return low
  return outcome.check === 'none' || structure.responseStart === NONE
    ? structure.length
    : structure.responseStart
}

/** A judge for an outcome; positions below `low` are taken from the store as they are, or kept if `keepsBelow`. */
export const createJudge = (
  structure: Structure,
  policy: Policy,
  outcome: Outcome,
  low: number,
  stored: Uint8Array,
  appendOnly: boolean,
  keepsBelow = false
): Judge => {
  const isOpen = outcome.kind === 'open'
  const rejectsOutput = isOpen
    ? outcome.check === 'output'
    : outcome.kind === 'rejected' && outcome.deliverable === 'output'
  const rejectsInput = isOpen ? outcome.check === 'input' : outcome.kind === 'input-rejected'
  return {
    structure,
    policy,
    part: partOf(outcome, policy, structure, low),
    redacts: rejectsOutput && policy.rejectedOutput === 'redact',
    discards: rejectsInput && policy.speculative === 'discard',
    low,
    keepsBelow,
    stored,
    appendOnly,
    isOpen,
    needed: structure.parents.size === 0 ? undefined : new Uint8Array(structure.length),
    asked: structure.parents.size === 0 ? 0 : structure.length,
    closes: false,
    segmentOwner: NONE,
    segmentVerdict: Verdict.wait
  }
}

/** The verdict of a position that is not judged: what the store holds, less its closing, unless it is plain. */
export const sealedVerdict = (judge: Judge, position: number): number =>
  judge.keepsBelow ? Verdict.keep : (judge.stored[position] as number) & (Stored.item | Stored.redacted)

/**
 * The verdict of a sealed output that is real now and finds a closing in its place, which it takes (PLAN-22); −1 for
 * every other sealed position.
 */
export const judgeRevived = (judge: Judge, position: number): number => {
  const call = judge.structure.links[position] as number
  if (judge.appendOnly || judge.structure.roles[position] !== Role.output || call < 0) return NONE
  const closed = ((judge.stored[call] as number) & Stored.closing) !== 0
  if (!closed || isKept(judge.stored[position] as number)) return NONE
  if (!judge.redacts || position < judge.part) return Verdict.keep
  return judge.isOpen ? Verdict.wait : Verdict.redact
}

/** Whether a kept call names this one as its parent. */
export const isNeeded = (judge: Judge, position: number): boolean =>
  judge.needed !== undefined && judge.needed[position] === 1

/** Notes that a kept call needs its parent (SELECT-8). */
export const noteParentOf = (judge: Judge, call: number): void => {
  if (judge.needed === undefined) return
  const parent = judge.structure.parents.get(call)
  if (parent !== undefined) judge.needed[parent] = 1
}

/** The verdict of a complete call (SELECT-5, SELECT-7, SELECT-8, SELECT-10, SELECT-12, SELECT-29). */
export const judgeCall = (judge: Judge, position: number, role: number): number => {
  const { structure, policy } = judge
  if (judge.discards) return Verdict.withhold
  if (role === Role.selfContained) return Verdict.keep
  const output = structure.links[position] as number
  if (output !== NONE) {
    if (position < judge.part || policy.committed === 'answered') return Verdict.keep
    const skipped = ((structure.flags[output] as number) & Flag.skipped) !== 0
    return skipped && !isNeeded(judge, position) ? Verdict.withhold : Verdict.keep
  }
  const stays = role === Role.providerCall ? position < judge.part : policy.unansweredCalls !== 'drop'
  return stays || isNeeded(judge, position) ? Verdict.keep : Verdict.withhold
}

/** The verdict of an answering output, given the verdict of its call (SELECT-6, SELECT-19, PLAN-23, PLAN-30). */
export const judgeOutput = (judge: Judge, position: number, call: number, callVerdict: number): number => {
  if (judge.appendOnly) {
    const bits = judge.stored[call] as number
    if ((bits & Stored.closing) !== 0) return Verdict.withhold
    if (!isKept(callVerdict) && !isKept(bits)) return Verdict.withhold
  } else if (!isKept(callVerdict)) return Verdict.withhold
  return judge.redacts && position >= judge.part ? Verdict.redact : Verdict.keep
}

/** Whether a kept call of an ended turn that nothing answers is owed a closing (SELECT-10, SELECT-14, SELECT-28). */
export const needsClosing = (judge: Judge, role: number): boolean => {
  return role === Role.partialCall || (role === Role.call && judge.policy.unansweredCalls !== 'keep')
}
