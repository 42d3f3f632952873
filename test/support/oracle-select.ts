/**
 * The oracle's reading of selection: what one ending gives each position.
 *
 * Law: written from `docs/spec/04-selection.md` alone; a question about one position is answered from the rules each
 * time it is asked. What is already stored and must not be judged again is handed in.
 */
import type { Item, ItemFields, OpenCall } from '../../src/core/item.js'
import type { EndedOutcome } from '../../src/core/outcome.js'
import { defaultPolicy, type Policy } from '../../src/core/policy.js'
import {
  callOfApproval,
  canBeAnswered,
  childrenOf,
  isMarker,
  isOwning,
  isPartial,
  isRunnerExecuted,
  isUserInput,
  keyOf,
  kindOf,
  lastResponseStart,
  originOf,
  ownersOf,
  type ReadTurn,
  readTurn,
  runBefore
} from './oracle-turn.js'

export type Kept = 'keep' | 'redact' | 'withhold'

export interface Judgement {
  readonly verdict: Kept
  readonly rule: string
}

/** What an ending rejects: nothing, or the positions from `from` on. */
export interface Ending {
  readonly from: number | null
  readonly deliverable: 'message' | 'output' | null
  readonly discard: boolean
}

export const nothingRejected: Ending = { from: null, deliverable: null, discard: false }

/** What the session holds before, and what is not judged again. */
export interface Before {
  readonly isSealed: (position: number) => boolean
  readonly isStored: (position: number) => boolean
  readonly isRedacted: (position: number) => boolean
  readonly isClosed: (position: number) => boolean
}

export const nothingStored: Before = {
  isSealed: () => false,
  isStored: () => false,
  isRedacted: () => false,
  isClosed: () => false
}

/** SELECT-23, SELECT-25, SELECT-26: which part an ended outcome rejects. */
export const endingOf = (turn: ReadTurn, outcome: EndedOutcome, policy: Policy): Ending => {
  if (outcome.kind === 'rejected')
    return {
      from: outcome.from ?? lastResponseStart(turn),
      deliverable: outcome.deliverable,
      discard: false
    }
  if (outcome.kind === 'input-rejected')
    return { from: 0, deliverable: null, discard: policy.speculative === 'discard' }
  if (outcome.kind !== 'accepted' && outcome.check === 'due' && policy.unjudged === 'withhold')
    return { from: lastResponseStart(turn), deliverable: 'message', discard: false }
  return nothingRejected
}

/** SELECT-1 to SELECT-19 and SELECT-25 to SELECT-29 for one position. */
export const judge = (
  turn: ReadTurn,
  policy: Policy,
  ending: Ending,
  before: Before,
  position: number
): Judgement => {
  const item = turn.items[position] as Item
  const fields = item as ItemFields
  const isKept = (other: number): boolean => judge(turn, policy, ending, before, other).verdict !== 'withhold'
  const rejected = ending.from !== null && position >= ending.from
  const answer = (kept: boolean, rule: string): Judgement => ({ verdict: kept ? 'keep' : 'withhold', rule })

  // PLAN-18, PLAN-19
  if (before.isSealed(position)) {
    const rule = 'PLAN-18'
    if (!before.isStored(position)) return { verdict: 'withhold', rule }
    return { verdict: before.isRedacted(position) ? 'redact' : 'keep', rule }
  }
  // SELECT-15
  if (isMarker(item)) return answer(false, 'SELECT-15')

  const isTreatedAsComplete =
    policy.partialItems === 'keep' && (kindOf(item) === 'message' || kindOf(item) === 'reasoning')
  const isUser = isUserInput(item) || (isPartial(item) && isTreatedAsComplete && originOf(item) === 'user')
  // SELECT-4
  if (isUser) return answer(true, 'SELECT-4')
  // SELECT-26
  const answered = turn.answers.get(position)
  const answersStored =
    answered !== undefined &&
    (!('call' in answered) || (before.isSealed(answered.call) && before.isStored(answered.call)))
  if (ending.discard && !answersStored) return answer(false, 'SELECT-26')
  if (isPartial(item) && !isTreatedAsComplete) {
    // SELECT-14
    if (kindOf(item) === 'call' && before.isStored(position)) return answer(true, 'SELECT-14')
    // SELECT-13
    return answer(false, 'SELECT-13')
  }

  switch (kindOf(item)) {
    case 'reasoning': {
      const owners = ownersOf(turn, position, policy.association)
      // SELECT-18
      if (owners.length === 0) return answer(policy.trailingReasoning === 'keep', 'SELECT-18')
      // SELECT-3, SELECT-27
      return answer(owners.some(isKept), policy.association === 'segment' ? 'SELECT-27' : 'SELECT-3')
    }
    case 'call':
      return judgeCall()
    case 'output': {
      const target = turn.answers.get(position)
      // SELECT-16
      if (target === undefined) return answer(false, 'SELECT-16')
      // SELECT-6
      if ('call' in target && !isKept(target.call)) return answer(false, 'SELECT-6')
      // SELECT-19
      if (rejected && ending.deliverable === 'output' && policy.rejectedOutput === 'redact')
        return { verdict: 'redact', rule: 'SELECT-19' }
      return answer(true, 'SELECT-6')
    }
    case 'approval': {
      // SELECT-1
      if (!rejected) return answer(true, 'SELECT-1')
      // SELECT-9
      const owner = callOfApproval(turn, position)
      if (owner !== null) return answer(isKept(owner), 'SELECT-9')
      const isOfOpen = fields.callId !== undefined && turn.open.some((one) => keyOf(one) === keyOf(fields))
      return answer(isOfOpen, 'SELECT-9')
    }
    case 'unclassified':
      // SELECT-17
      return rejected ? answer(policy.unclassified === 'keep', 'SELECT-17') : answer(true, 'SELECT-1')
    default:
      // SELECT-1, SELECT-2
      return answer(!rejected, rejected ? 'SELECT-2' : 'SELECT-1')
  }

  function judgeCall(): Judgement {
    const own = judgeCallAlone()
    // SELECT-8
    if (own.verdict === 'withhold' && childrenOf(turn, position).some(isKept)) return answer(true, 'SELECT-8')
    return own
  }

  function judgeCallAlone(): Judgement {
    // SELECT-7
    if (fields.selfContained === true) return answer(true, rejected ? 'SELECT-7' : 'SELECT-1')
    const output = turn.answeredBy.get(position)
    if (output !== undefined) {
      if (!rejected) return answer(true, 'SELECT-1')
      // SELECT-5
      const says = (turn.items[output] as ItemFields).execution ?? 'executed'
      return answer(
        !(policy.committed === 'executed' && (says === 'denied' || says === 'skipped')),
        'SELECT-5'
      )
    }
    // SELECT-12
    if (!isRunnerExecuted(item)) return answer(!rejected, 'SELECT-12')
    // SELECT-10, SELECT-29
    return answer(policy.unansweredCalls !== 'drop', 'SELECT-10')
  }
}

/** SELECT-10, SELECT-14, SELECT-28: whether an ended turn gives a kept call a closing. Asked of judged calls only. */
export const needsClosing = (turn: ReadTurn, policy: Policy, before: Before, position: number): boolean => {
  const item = turn.items[position] as Item
  if (kindOf(item) !== 'call') return false
  // SELECT-14
  if (isPartial(item)) return before.isStored(position)
  if (!canBeAnswered(item) || turn.answeredBy.has(position) || !isRunnerExecuted(item)) return false
  // SELECT-10
  if (policy.unansweredCalls === 'close') return true
  // SELECT-28
  return policy.unansweredCalls === 'drop' && childrenOf(turn, position).length > 0
}

/** SELECT-11. */
export const closingOf = (item: Item): 'skipped' | 'denied' | 'interrupted' => {
  const says = (item as ItemFields).execution
  if (says === 'skipped' || says === 'pending') return 'skipped'
  if (says === 'denied') return 'denied'
  return 'interrupted'
}

/** What is in the session: kept positions, which of them redacted, and the calls with a closing. */
export interface SessionContents {
  readonly positions: ReadonlySet<number>
  readonly redacted: ReadonlySet<number>
  readonly closed: ReadonlySet<number>
}

/** An entry as JSON states it. */
export type OracleEntry =
  | { readonly position: number; readonly stripId?: true; readonly redact?: true }
  | { readonly close: number; readonly as: string }

/** SELECT-21: a closing stands in front of the item at this position. */
export const placeOfClosing = (turn: ReadTurn, contents: SessionContents, call: number): number => {
  const key = keyOf(turn.items[call] as ItemFields)
  let place = turn.items.length
  for (let after = turn.items.length - 1; after > call; after -= 1) {
    const item = turn.items[after] as Item
    const opensLater =
      originOf(item) === 'model' &&
      !isMarker(item) &&
      (turn.response[after] as number) > (turn.response[call] as number)
    if (isUserInput(item) || opensLater) place = after
  }
  for (const position of contents.positions) {
    const target = turn.answers.get(position)
    if (target === undefined) continue
    const answered =
      'call' in target ? (turn.items[target.call] as ItemFields) : (turn.open[target.open] as OpenCall)
    const isEarlier = 'open' in target || target.call < call
    if (isEarlier && keyOf(answered) === key) place = Math.max(place, position + 1)
  }
  return place
}

/** SELECT-20. */
export const isStripped = (
  turn: ReadTurn,
  policy: Policy,
  contents: SessionContents,
  position: number
): boolean =>
  policy.brokenContext === 'strip-id' &&
  isOwning(turn.items[position] as Item) &&
  runBefore(turn, position).some((member) => !contents.positions.has(member))

/** SELECT-20, SELECT-21, SELECT-22: the entries of a session in their order. */
export const entriesOf = (turn: ReadTurn, policy: Policy, contents: SessionContents): Array<OracleEntry> => {
  const items = [...contents.positions].map((position) => ({
    order: [position, 1, 0] as const,
    entry: {
      position,
      ...(isStripped(turn, policy, contents, position) ? { stripId: true as const } : {}),
      ...(contents.redacted.has(position) ? { redact: true as const } : {})
    }
  }))
  const closings = [...contents.closed].map((call) => ({
    order: [placeOfClosing(turn, contents, call), 0, call] as const,
    entry: { close: call, as: closingOf(turn.items[call] as Item) }
  }))
  return [...items, ...closings]
    .sort(
      (left, right) =>
        left.order[0] - right.order[0] || left.order[1] - right.order[1] || left.order[2] - right.order[2]
    )
    .map((one) => one.entry)
}

/** SELECT-24: whether a rejected part holds what was rejected. */
export const holdsDeliverable = (turn: ReadTurn, ending: Ending): boolean => {
  if (ending.from === null || ending.deliverable === null) return true
  for (let position = ending.from; position < turn.items.length; position += 1) {
    const item = turn.items[position] as Item
    if (ending.deliverable === 'message' && kindOf(item) === 'message' && originOf(item) === 'model')
      return true
    if (ending.deliverable === 'output' && turn.answers.has(position)) return true
  }
  return false
}

export interface SelectQuestion {
  readonly items: ReadonlyArray<Item>
  readonly outcome: EndedOutcome
  readonly policy?: Policy
  readonly open?: ReadonlyArray<OpenCall>
}

export interface OracleSelection {
  readonly entries: ReadonlyArray<OracleEntry>
  readonly judgements: ReadonlyArray<Judgement>
  readonly from: number | null
}

/** Chapter 4 for a turn of which nothing is stored. */
export const oracleSelect = (question: SelectQuestion): OracleSelection => {
  const policy = question.policy ?? defaultPolicy
  const turn = readTurn(question.items, question.open)
  const ending = endingOf(turn, question.outcome, policy)
  const judgements = question.items.map((_, position) => judge(turn, policy, ending, nothingStored, position))
  const positions = new Set(
    judgements.flatMap((one, position) => (one.verdict === 'withhold' ? [] : [position]))
  )
  const redacted = new Set(
    judgements.flatMap((one, position) => (one.verdict === 'redact' ? [position] : []))
  )
  const closed = new Set([...positions].filter((call) => needsClosing(turn, policy, nothingStored, call)))
  return { entries: entriesOf(turn, policy, { positions, redacted, closed }), judgements, from: ending.from }
}
