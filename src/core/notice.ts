/**
 * What the caller should be told, in words.
 *
 * Law: nothing here decides. What is odd about items was noted when they were read; the rest is seen by looking at the
 * judgement of a plan once more. The words for people stand here and nowhere else in the core. Complexity: linear,
 * made when asked.
 *
 * Rules: EXPLAIN-4, PAIR-9, SELECT-16, SELECT-17, SELECT-24, PLAN-12, PLAN-23.
 */
import type { TurnState } from './draft.js'
import { isUnrecorded, judgeAll } from './explain.js'
import { rejectedFrom, Stored } from './judge.js'
import type { OpenCall } from './item.js'
import type { EndedOutcome, Outcome } from './outcome.js'
import { Odd, Role } from './roles.js'
import { NONE } from './structure.js'

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

/** Everything a plan reports: what is odd about items, in the order of the turn, then the rest (EXPLAIN-4). */
export const noticesOf = (state: TurnState, outcome: Outcome): ReadonlyArray<Notice> => {
  const { structure } = state
  const notices: Notice[] = []
  for (const code of structure.odd) notices.push(noticeOfOdd(Math.floor(code / 4), code % 4))
  if (outcome.kind !== 'open') {
    if (isWithoutDeliverable(state, outcome))
      notices.push({ kind: 'no-deliverable', message: WORDS.noDeliverable })
    for (let index = 0; index < structure.open.length; index += 1) {
      if (structure.openAnswered[index] === true) continue
      notices.push({
        kind: 'open-call',
        message: `${WORDS.openCall} ${(structure.open[index] as OpenCall).callId}`.trim()
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
  if (outcome.kind === 'input-rejected') return false
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
