/**
 * Which items of an ended turn stay.
 *
 * Law: one backward pass gives every position its verdict. It does not know how a session is laid out or what a
 * write is; of the store it asks only what is already in it, for the rules that depend on that. Complexity: linear.
 *
 * Rules: SELECT-1 to SELECT-29, PLAN-30.
 */
import type { Item, OpenCall } from './item.js'
import {
  createJudge,
  isKept,
  type Judge,
  judgeCall,
  judgeOutput,
  needsClosing,
  noteParentOf,
  rejectedFrom,
  sealedVerdict,
  Stored,
  Verdict
} from './judge.js'
import type { EndedOutcome } from './outcome.js'
import { extendStructure, startStructure } from './pair.js'
import { defaultPolicy, type Policy } from './policy.js'
import { Flag, Role } from './roles.js'
import { NONE } from './structure.js'

/**
 * Judges an ended turn from `judge.low` to its end; `verdicts[i]`, which must be 0 before, is that of position
 * base + i, with the bit of a closing beside it where the call is owed one.
 *
 * Complexity: linear.
 */
export const judgeEnded = (judge: Judge, verdicts: Uint8Array, base: number): void => {
  const { structure, policy, part, low, discards } = judge
  const { roles, flags, links } = structure
  const keepsPartial = policy.partialItems === 'keep'
  const segment = policy.association === 'segment' ? { kept: false, ended: true } : undefined
  const trailing = policy.trailingReasoning === 'keep' && !discards ? Verdict.keep : Verdict.withhold
  if (structure.approvals.length > 0) judgeCallsFirst(judge, verdicts, base)
  for (let position = structure.length - 1; position >= low; position -= 1) {
    const role = roles[position] as number
    const isFragment = !keepsPartial && ((flags[position] as number) & Flag.partial) !== 0
    let verdict: number = Verdict.withhold
    switch (role) {
      case Role.user:
        verdict = Verdict.keep
        break
      case Role.message:
      case Role.other:
        if (position < part && !isFragment) verdict = Verdict.keep
        break
      case Role.reasoning: {
        if (isFragment) break
        const owner = links[position] as number
        if (owner === NONE) verdict = trailing
        else if (segment === undefined) verdict = (verdicts[owner - base] as number) & Stored.item
        else if (segment.kept) verdict = Verdict.keep
        break
      }
      case Role.call:
      case Role.providerCall:
      case Role.selfContained: {
        verdict = judgeCall(judge, position, role)
        const output = links[position] as number
        if (output !== NONE) verdicts[output - base] = judgeOutput(judge, output, position, verdict)
        else verdict = withClosing(judge, position, role, verdict)
        if (isKept(verdict)) noteParentOf(judge, position)
        break
      }
      case Role.partialCall:
        if (!discards && isKept(judge.stored[position] as number)) verdict = Verdict.keep
        verdict = withClosing(judge, position, role, verdict)
        break
      case Role.output: {
        const call = links[position] as number
        // Its call stands in front of it and judges both.
        if (call === NONE || call >= low) break
        if (call > NONE) verdict = judgeOutput(judge, position, call, sealedVerdict(judge, call))
        else verdict = judge.redacts && position >= part ? Verdict.redact : Verdict.keep
        break
      }
      case Role.approval:
        verdict = judgeApproval(judge, position, verdicts, base)
        break
      case Role.unclassified:
        if (position < part || (policy.unclassified === 'keep' && !discards)) verdict = Verdict.keep
        break
      case Role.partialUser:
        if (keepsPartial) verdict = Verdict.keep
        break
    }
    verdicts[position - base] = verdict
    if (segment !== undefined) stepSegment(segment, role, flags[position] as number, verdict)
  }
}

/** What the backward pass knows of the segment that it is in (SELECT-27). */
interface Segment {
  /** Whether an item is kept that the reasoning before it belongs to. */
  kept: boolean
  /** Whether an owning item before this position belongs to another segment. */
  ended: boolean
}

const stepSegment = (segment: Segment, role: number, flags: number, verdict: number): void => {
  if ((flags & Flag.owns) !== 0) {
    segment.kept = isKept(verdict) || (segment.kept && !segment.ended)
    segment.ended = false
  }
  if (role === Role.reasoning || role === Role.user || (flags & Flag.starts) !== 0) segment.ended = true
}

/** Adds the closing that a call is owed; one that an append-only store holds already is owed it too (PLAN-30). */
const withClosing = (judge: Judge, position: number, role: number, verdict: number): number => {
  const stays = isKept(verdict) || (judge.appendOnly && isKept(judge.stored[position] as number))
  if (!stays || !needsClosing(judge, role)) return verdict
  judge.closes = true
  return verdict | Stored.closing
}

/**
 * Judges all calls before anything else is judged. Needed only where an approval may stand behind its call, whose
 * verdict the reasoning before the approval depends on.
 */
const judgeCallsFirst = (judge: Judge, verdicts: Uint8Array, base: number): void => {
  const { structure, low } = judge
  for (let position = structure.length - 1; position >= low; position -= 1) {
    const role = structure.roles[position] as number
    if (role < Role.call || role > Role.selfContained) continue
    const verdict = judgeCall(judge, position, role)
    verdicts[position - base] = verdict
    if (isKept(verdict)) noteParentOf(judge, position)
  }
}

/** The verdict of an approval of an ended turn (SELECT-1, SELECT-9). */
const judgeApproval = (judge: Judge, position: number, verdicts: Uint8Array, base: number): number => {
  if (judge.discards) return Verdict.withhold
  if (position < judge.part) return Verdict.keep
  const call = judge.structure.links[position] as number
  if (call === NONE) return Verdict.withhold
  if (call < NONE) return Verdict.keep
  const verdict = call < judge.low ? sealedVerdict(judge, call) : (verdicts[call - base] as number)
  return isKept(verdict) ? Verdict.keep : Verdict.withhold
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
  const judge = createJudge(structure, policy, outcome, 0, new Uint8Array(items.length), false)
  const verdicts = new Uint8Array(items.length)
  judgeEnded(judge, verdicts, 0)
  const keep: number[] = []
  const redact: number[] = []
  const withhold: number[] = []
  for (let position = 0; position < items.length; position += 1) {
    const verdict = verdicts[position] as number
    if (!isKept(verdict)) withhold.push(position)
    else if ((verdict & Stored.redacted) !== 0) redact.push(position)
    else keep.push(position)
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
  const rejection: EndedOutcome = { kind: 'rejected', deliverable: 'message' }
  return selectItems({ ...rest, outcome: from === undefined ? rejection : { ...rejection, from } }).keep
}
