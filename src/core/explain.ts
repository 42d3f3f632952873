/**
 * Why each position got its verdict, and what the caller should be told.
 *
 * Law: nothing here decides; it repeats the judgement of a plan and names the rule and the position that caused it.
 * The words for people are in the second half and nowhere else in the core. Complexity: linear, made when asked.
 *
 * Rules: EXPLAIN-1 to EXPLAIN-4, PLAN-12, SELECT-16, SELECT-17, SELECT-24, PAIR-9.
 */
import { type TurnState } from './draft.js'
import { judgedFrom } from './ended.js'
import {
  createJudge,
  isKept,
  isNeeded,
  type Judge,
  judgeRevived,
  sealedVerdict,
  Stored,
  Verdict
} from './judge.js'
import type { Outcome } from './outcome.js'
import { Flag, Role } from './roles.js'
import { judgeEnded } from './select.js'
import { NONE } from './structure.js'
import { judgeOpen, noteOpenParents } from './wait.js'

/** The verdict of one position, the rule that gave it, and the position that caused it, if another one did. */
export interface Decision {
  /** 0-based. */
  readonly position: number
  readonly verdict: 'keep' | 'redact' | 'withhold' | 'defer'
  readonly rule: string
  readonly because?: number
}

/** A judged turn: the judge and a verdict for every position. */
export interface Judged {
  readonly judge: Judge
  /** The verdict of a position from `low` on. */
  readonly verdictAt: (position: number) => number
  readonly low: number
  /** Whether this plan judges nothing (PLAN-21). */
  readonly idle: boolean
}

/** Judges a turn once more, as a plan did. */
export const judgeAll = (state: TurnState, outcome: Outcome): Judged => {
  const { structure, policy, saved, appendOnly } = state
  const length = structure.length
  if (outcome.kind === 'open') {
    const low = saved.final
    const judge = createJudge(structure, policy, outcome, low, saved.stored, appendOnly)
    noteOpenParents(judge, saved.settled)
    const verdictAt = (position: number): number => judgeOpen(judge, position)
    return { judge, verdictAt, low, idle: saved.final > 0 && length === saved.final }
  }
  const low = judgedFrom(state)
  const judge = createJudge(structure, policy, outcome, low, saved.stored, appendOnly)
  const verdicts = new Uint8Array(length - low)
  judgeEnded(judge, verdicts, low)
  const verdictAt = (position: number): number => verdicts[position - low] as number
  return { judge, verdictAt, low, idle: false }
}

/**
 * Calls and outputs that a plan leaves neither in the session nor withheld (PLAN-12), ascending. `end` is where the
 * plan stops writing: the length, or on an append-only store the first position that it may not pass.
 */
export const unprotectedOf = (state: TurnState, outcome: Outcome, end: number): ReadonlyArray<number> => {
  const { structure, saved } = state
  const judged = judgeAll(state, outcome)
  const positions: number[] = []
  if (judged.idle) return positions
  const { judge } = judged
  for (let position = saved.closings > 0 ? 0 : judged.low; position < judged.low; position += 1) {
    if (judgeRevived(judge, position) === Verdict.wait) positions.push(position)
  }
  for (let position = judged.low; position < structure.length; position += 1) {
    const role = structure.roles[position] as number
    const isCall = role >= Role.call && role <= Role.selfContained
    if (!isCall && (role !== Role.output || structure.links[position] === NONE)) continue
    const verdict = judged.verdictAt(position)
    const stored = isKept(saved.stored[position] as number)
    const written = stored || (verdict !== Verdict.wait && position < end)
    if ((verdict !== Verdict.withhold && !written) || isUnrecorded(state, judged, position))
      positions.push(position)
  }
  return positions
}

/** Whether an output's call was withheld by a verdict that is sealed. */
export const isUnrecorded = (state: TurnState, judged: Judged, position: number): boolean => {
  const { structure, saved } = state
  if (structure.roles[position] !== Role.output) return false
  const call = structure.links[position] as number
  return call >= 0 && call < judged.low && !isKept(saved.stored[call] as number)
}

/** The decisions of a plan, one position at a time. */
export function* decideAll(state: TurnState, outcome: Outcome): IterableIterator<Decision> {
  const judged = judgeAll(state, outcome)
  for (let position = 0; position < state.structure.length; position += 1)
    yield decide(state, judged, position)
}

const decide = (state: TurnState, judged: Judged, position: number): Decision => {
  const { structure, saved } = state
  const { judge, low } = judged
  const bits = saved.stored[position] as number
  if (position < low || judged.idle) {
    const revived = judged.idle ? NONE : judgeRevived(judge, position)
    if (revived !== NONE) {
      return {
        position,
        verdict: wordOf(revived),
        rule: 'PLAN-22',
        because: structure.links[position] as number
      }
    }
    return {
      position,
      verdict: wordOf(sealedVerdict(judge, position)),
      rule: judged.idle ? 'PLAN-21' : 'PLAN-18'
    }
  }
  const verdict = judged.verdictAt(position)
  if (verdict === Verdict.wait && isKept(bits)) {
    return { position, verdict: wordOf(sealedVerdict(judge, position)), rule: 'PLAN-13' }
  }
  const reason =
    verdict === Verdict.wait ? reasonToWait(judge, position) : reasonFor(judged, position, verdict)
  return { position, verdict: wordOf(verdict), ...reason }
}

const wordOf = (verdict: number): Decision['verdict'] => {
  if (verdict === Verdict.wait) return 'defer'
  if (!isKept(verdict)) return 'withhold'
  return (verdict & Stored.redacted) === 0 ? 'keep' : 'redact'
}

interface Reason {
  readonly rule: string
  readonly because?: number
}

const because = (rule: string, position: number): Reason =>
  position >= 0 ? { rule, because: position } : { rule }

/** Why a position waits (PLAN-2 to PLAN-9). */
const reasonToWait = (judge: Judge, position: number): Reason => {
  const { structure } = judge
  const role = structure.roles[position] as number
  const link = structure.links[position] as number
  if (
    ((structure.flags[position] as number) & Flag.partial) !== 0 ||
    role === Role.partialCall ||
    role === Role.fragment
  ) {
    return { rule: 'PLAN-4' }
  }
  switch (role) {
    case Role.pending:
      return { rule: 'PLAN-6' }
    case Role.reasoning:
      if (link === NONE) return { rule: 'PLAN-3' }
      return because(judge.policy.association === 'segment' ? 'PLAN-9' : 'PLAN-7', link)
    case Role.output:
      return link >= 0 && judgeOpen(judge, link) === Verdict.wait
        ? because('PLAN-8', link)
        : { rule: 'PLAN-2' }
    case Role.call:
      return { rule: link === NONE && !judge.discards ? 'PLAN-5' : 'PLAN-2' }
    default:
      return { rule: 'PLAN-2' }
  }
}

/** Which rule gave a verdict, and because of which position. */
const reasonFor = (judged: Judged, position: number, verdict: number): Reason => {
  const { judge } = judged
  const { structure, policy } = judge
  const role = structure.roles[position] as number
  const link = structure.links[position] as number
  const withheld = !isKept(verdict)
  const inPart = position >= judge.part
  if (((structure.flags[position] as number) & Flag.partial) !== 0 && (withheld || !inPart)) {
    if (policy.partialItems === 'drop' || role === Role.partialUser) return { rule: 'SELECT-13' }
  }
  switch (role) {
    case Role.marker:
    case Role.pending:
      return { rule: 'SELECT-15' }
    case Role.user:
    case Role.partialUser:
      return { rule: 'SELECT-4' }
    case Role.fragment:
    case Role.partialCall:
      return { rule: withheld ? 'SELECT-13' : 'SELECT-14' }
    case Role.reasoning:
      if (link === NONE) return { rule: judge.discards && withheld ? 'SELECT-26' : 'SELECT-18' }
      return because(policy.association === 'segment' ? 'SELECT-27' : 'SELECT-3', link)
    case Role.call:
    case Role.providerCall:
    case Role.selfContained:
      return reasonForCall(judge, position, role, withheld, inPart)
    case Role.output:
      if (link === NONE) return { rule: 'SELECT-16' }
      if (judge.discards && withheld) return { rule: 'SELECT-26' }
      if ((verdict & Stored.redacted) !== 0) return because('SELECT-19', link)
      return judge.appendOnly && ((judge.stored[link] as number) & Stored.closing) !== 0
        ? because('PLAN-23', link)
        : because('SELECT-6', link)
    case Role.approval:
      if (judge.discards && withheld) return { rule: 'SELECT-26' }
      return inPart ? because('SELECT-9', link) : { rule: 'SELECT-1' }
    case Role.unclassified:
      if (judge.discards && withheld) return { rule: 'SELECT-26' }
      return { rule: inPart ? 'SELECT-17' : 'SELECT-1' }
    default:
      if (judge.discards && withheld) return { rule: 'SELECT-26' }
      return { rule: inPart ? 'SELECT-2' : 'SELECT-1' }
  }
}

const reasonForCall = (
  judge: Judge,
  position: number,
  role: number,
  withheld: boolean,
  inPart: boolean
): Reason => {
  const { structure, policy } = judge
  const output = structure.links[position] as number
  if (judge.discards && withheld) return { rule: 'SELECT-26' }
  if (role === Role.selfContained) return { rule: 'SELECT-7' }
  if (output !== NONE) {
    if (!inPart) return { rule: 'SELECT-1' }
    const skipped = ((structure.flags[output] as number) & Flag.skipped) !== 0
    const needed = policy.committed === 'executed' && skipped && !withheld
    return needed ? because('SELECT-8', childOf(judge, position)) : because('SELECT-5', output)
  }
  const needed = isNeeded(judge, position)
  if (role === Role.providerCall)
    return needed && inPart ? because('SELECT-8', childOf(judge, position)) : { rule: 'SELECT-12' }
  return needed && policy.unansweredCalls === 'drop'
    ? because('SELECT-8', childOf(judge, position))
    : { rule: 'SELECT-10' }
}

/** The first call that names a needed call as its parent; it stands behind that. */
const childOf = ({ structure }: Judge, parent: number): number => {
  let child = parent + 1
  while (child < structure.length && structure.parents.get(child) !== parent) child += 1
  return child
}
