/**
 * Why each position got its verdict, and what the caller should be told.
 *
 * Law: nothing here decides; it repeats the judgement of a plan and names the rule and the position that caused it.
 * The words for people are in the second half and nowhere else in the core. Complexity: linear, made when asked.
 *
 * Rules: EXPLAIN-1 to EXPLAIN-4, PLAN-12, SELECT-16, SELECT-17, SELECT-24, PAIR-9.
 */
import type { TurnState } from './draft.js'
import type { EndedOutcome, Outcome } from './outcome.js'
import { Flag, NONE, Odd, Role } from './pair.js'
import {
  createJudge,
  type Judge,
  judgeEnded,
  judgeOpen,
  noteParentsOfOpen,
  rejectedFrom,
  sealedVerdict,
  Stored,
  Verdict
} from './select.js'

/** The verdict of one position, the rule that gave it, and the position that caused it, if another one did. */
export interface Decision {
  /** 0-based. */
  readonly position: number
  readonly verdict: 'keep' | 'redact' | 'withhold' | 'defer'
  readonly rule: string
  readonly because?: number
}

/** Something the caller should know; the turn is planned all the same. */
export interface Notice {
  readonly kind:
    | 'unclassified'
    | 'missing-call-id'
    | 'unpaired-output'
    | 'response-order'
    | 'no-deliverable'
    | 'open-call'
    | 'late-output'
    | 'unrecorded-effect'
  /** 0-based; absent where it is about no item. */
  readonly position?: number
  readonly message: string
}

/** A judged turn: the judge and a verdict for every position. */
interface Judged {
  readonly judge: Judge
  readonly verdictAt: (position: number) => number
  readonly low: number
  /** Whether this plan judges nothing (PLAN-21). */
  readonly idle: boolean
}

const judgeAll = (state: TurnState, outcome: Outcome): Judged => {
  const { structure, policy, saved, appendOnly } = state
  const length = structure.length
  if (outcome.kind === 'open') {
    const low = saved.final
    const judge = createJudge(structure, policy, outcome, low, saved.stored, appendOnly)
    noteParentsOfOpen(judge, saved.settled)
    const verdictAt = (position: number): number =>
      position < saved.settled ? sealedVerdict(judge, position) : judgeOpen(judge, position)
    return { judge, verdictAt, low, idle: saved.final > 0 && length === saved.final }
  }
  const low = length === saved.final ? saved.sealed : saved.final
  const judge = createJudge(structure, policy, outcome, low, saved.stored, appendOnly)
  const verdicts = new Uint8Array(length - low)
  judgeEnded(judge, verdicts)
  const verdictAt = (position: number): number =>
    position < low ? sealedVerdict(judge, position) : (verdicts[position - low] as number)
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
  for (let position = judged.low; position < structure.length; position += 1) {
    const role = structure.roles[position] as number
    const isCall = role >= Role.call && role <= Role.selfContained
    if (!isCall && (role !== Role.output || structure.links[position] === NONE)) continue
    const verdict = judged.verdictAt(position)
    const stored = ((saved.stored[position] as number) & Stored.item) !== 0
    const written = stored || (verdict !== Verdict.wait && position < end)
    if ((verdict !== Verdict.withhold && !written) || isUnrecorded(state, judged, position))
      positions.push(position)
  }
  return positions
}

/** Whether an output's call was withheld by a verdict that is sealed. */
const isUnrecorded = (state: TurnState, judged: Judged, position: number): boolean => {
  const { structure, saved } = state
  if (structure.roles[position] !== Role.output) return false
  const call = structure.links[position] as number
  return call >= 0 && call < judged.low && ((saved.stored[call] as number) & Stored.item) === 0
}

/** The decisions of a plan, one position at a time. */
export function* decideAll(state: TurnState, outcome: Outcome): IterableIterator<Decision> {
  const judged = judgeAll(state, outcome)
  for (let position = 0; position < state.structure.length; position += 1)
    yield decide(state, judged, position)
}

const VERDICT_WORDS = ['defer', 'keep', 'redact', 'withhold'] as const

const decide = (state: TurnState, judged: Judged, position: number): Decision => {
  const { structure, saved } = state
  const { judge, low } = judged
  const bits = saved.stored[position] as number
  if (position < low || (judged.idle && position < structure.length)) {
    return { position, verdict: wordOf(sealedVerdict(judge, position)), rule: 'PLAN-19' }
  }
  const verdict = judged.verdictAt(position)
  if (verdict === Verdict.wait && (bits & Stored.item) !== 0) {
    return { position, verdict: wordOf(sealedVerdict(judge, position)), rule: 'PLAN-13' }
  }
  const reason =
    verdict === Verdict.wait ? reasonToWait(judge, position) : reasonFor(judged, position, verdict)
  return { position, verdict: wordOf(verdict), ...reason }
}

const wordOf = (verdict: number): Decision['verdict'] => VERDICT_WORDS[verdict] as Decision['verdict']

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
      return link === NONE && judge.policy.unansweredCalls === 'drop' && !judge.discards
        ? { rule: 'PLAN-5' }
        : { rule: 'PLAN-2' }
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
  const withheld = verdict === Verdict.withhold
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
      return { rule: 'SELECT-13' }
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
      if (verdict === Verdict.redact) return because('SELECT-19', link)
      return withheld &&
        link >= 0 &&
        judge.appendOnly &&
        ((judge.stored[link] as number) & Stored.closing) !== 0
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
  const needed = judge.needed.length > 0 && judge.needed[position] === 1
  if (role === Role.providerCall)
    return needed && inPart ? because('SELECT-8', childOf(judge, position)) : { rule: 'SELECT-12' }
  return needed && policy.unansweredCalls === 'drop'
    ? because('SELECT-8', childOf(judge, position))
    : { rule: 'SELECT-10' }
}

/** The first call that names a call as its parent. */
const childOf = (judge: Judge, parent: number): number => {
  for (const [child, itsParent] of judge.structure.parents) if (itsParent === parent) return child
  return NONE
}

/** Everything a plan reports: what is odd about items, in the order of the turn, then the rest (EXPLAIN-4). */
export const noticesOf = (state: TurnState, outcome: Outcome): ReadonlyArray<Notice> => {
  const { structure } = state
  const notices: Notice[] = []
  for (const code of structure.odd) notices.push(noticeOfOdd(Math.floor(code / 4), code % 4))
  if (outcome.kind !== 'open') {
    if (isWithoutDeliverable(state, outcome))
      notices.push({ kind: 'no-deliverable', message: WORDS.noDeliverable })
    for (let index = 0; index < structure.open.length; index += 1) {
      if (structure.openAnswered[index] !== 0) continue
      notices.push({
        kind: 'open-call',
        message: `${WORDS.openCall} ${structure.open[index]?.callId ?? ''}`.trim()
      })
    }
  }
  const judged = judgeAll(state, outcome)
  if (judged.idle) return notices
  for (let position = judged.low; position < structure.length; position += 1) {
    if (structure.roles[position] !== Role.output) continue
    const call = structure.links[position] as number
    if (call < 0) continue
    if (state.appendOnly && ((state.saved.stored[call] as number) & Stored.closing) !== 0) {
      notices.push({ kind: 'late-output', position, message: WORDS.lateOutput })
    } else if (isUnrecorded(state, judged, position)) {
      notices.push({ kind: 'unrecorded-effect', position, message: WORDS.unrecordedEffect })
    }
  }
  return notices
}

const isWithoutDeliverable = (state: TurnState, outcome: EndedOutcome): boolean => {
  const { structure, policy } = state
  if (outcome.kind === 'accepted' || outcome.kind === 'input-rejected') return false
  const from = rejectedFrom(outcome, policy, structure)
  if (from === NONE) return false
  const wanted = outcome.kind === 'rejected' && outcome.deliverable === 'output' ? Role.output : Role.message
  for (let position = from; position < structure.length; position += 1) {
    if (structure.roles[position] !== wanted) continue
    if (wanted === Role.message || structure.links[position] !== NONE) return false
  }
  return true
}

const WORDS = {
  unclassified: 'an item of a kind that is not known: say what it is with the dialect’s `with`',
  missingCallId: 'a call without a call id: nothing can answer it',
  unpairedOutput: 'an output that answers no waiting call: it is not written',
  responseOrder: 'a model item without a response number, or with a smaller one than before',
  noDeliverable:
    'the rejected part holds nothing that could have been rejected: check `from` and `deliverable`',
  openCall: 'a call of an earlier turn is still unanswered:',
  lateOutput:
    'an output came after its call was closed, and the store cannot take the closing back: it is not written',
  unrecordedEffect: 'an output came for a call that was withheld for good: the session will not know of it'
}

const noticeOfOdd = (position: number, what: number): Notice => {
  switch (what) {
    case Odd.unclassified:
      return { kind: 'unclassified', position, message: WORDS.unclassified }
    case Odd.missingCallId:
      return { kind: 'missing-call-id', position, message: WORDS.missingCallId }
    case Odd.unpairedOutput:
      return { kind: 'unpaired-output', position, message: WORDS.unpairedOutput }
    default:
      return { kind: 'response-order', position, message: WORDS.responseOrder }
  }
}
