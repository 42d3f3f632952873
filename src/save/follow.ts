/**
 * What has to be written of a turn that grows?
 *
 * Law: only this file holds a turn between two saves: its raw values, the reader and the tracker. Each answer equals
 * that of `saveTurn` for the whole turn and the same progress. Raw values are read where they are new or others than
 * before; the tracker goes on as long as what was read before reads the same, and begins again where it does not.
 * Over the whole life of a turn that only grows, a raw value is read once and an item a constant number of times.
 *
 * Rules: PLAN-1, PROGRESS-2.
 */
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import type { PlanError } from '../core/error.js'
import type { Item } from '../core/item.js'
import type { Outcome } from '../core/outcome.js'
import type { SavePlan } from '../core/plan.js'
import { type Progress, startProgress } from '../core/progress.js'
import {
  acknowledge,
  extendTurn,
  loadedTurn,
  planTurn,
  type TrackQuestion,
  trackTurn,
  type TurnTracker
} from '../core/tracker.js'
import type { BlockDialect, DecodeError, Dialect } from '../ports/dialect.js'
import { answerOf, type SaveAnswer, type Write } from './answer.js'
import { cutToMessage, type SaveMessagesQuestion, writeMessages } from './messages.js'
import { writeItems } from './save-turn.js'

/** What is the same for every save of one turn. */
export interface FollowQuestion<Raw> extends Omit<TrackQuestion, 'progress'> {
  readonly dialect: Dialect<Raw> | BlockDialect<Raw>
  /** What a signature of the provider vouches for, in a format of messages. */
  readonly signatureScope?: SaveMessagesQuestion<Raw>['signatureScope']
}

/** A turn between two saves. */
export interface FollowedTurn<Raw> {
  /** Takes raw values as what stands from a 0-based place on; those in front of it stay. Linear in these. */
  readonly take: (raws: ReadonlyArray<Raw>, from: number) => void
  /** Goes on from another progress; null when the store holds nothing. Linear in the turn, unless it is the same. */
  readonly resume: (progress: Progress | null) => void
  /** What a save of the turn so far writes. Errors as `saveTurn`. */
  readonly plan: (outcome: Outcome) => Either<PlanError | DecodeError, SaveAnswer<Raw>>
  /** The last answer is in the store, with this progress. */
  readonly acknowledge: (answer: SaveAnswer<Raw>, stored: Progress) => void
}

const isSameItem = (one: Item, other: Item | undefined): boolean => {
  if (other === undefined) return false
  const { source: place, ...fields } = one
  const { source: otherPlace, ...otherFields } = other
  const names = Object.keys(fields) as ReadonlyArray<keyof typeof fields>
  return (
    place?.message === otherPlace?.message &&
    place?.part === otherPlace?.part &&
    names.length === Object.keys(otherFields).length &&
    names.every((name) => fields[name] === otherFields[name])
  )
}

const counted = ['turn', 'revision', 'settled', 'final', 'sealed', 'written', 'edge'] as const
const listed = ['withheld', 'ahead', 'closed', 'redacted'] as const

const isSameCount = (one: Progress, other: Progress): boolean =>
  counted.every((name) => one[name] === other[name])

const isSameList = (one: unknown, other: unknown): boolean =>
  Array.isArray(one) &&
  Array.isArray(other) &&
  one.length === other.length &&
  one.every((position, index) => position === other[index])

const isSameProgress = (one: Progress, other: Progress): boolean =>
  isSameCount(one, other) && listed.every((name) => isSameList(one[name], other[name]))

/** A turn of which nothing is known yet. */
export const followTurn = <Raw>(question: FollowQuestion<Raw>): FollowedTurn<Raw> => {
  const { dialect, signatureScope, ...tracked } = question
  const reader = dialect.startReading()
  const { items } = reader
  const raws: Raw[] = []
  let refusal: DecodeError | undefined
  const begin = (progress: Progress | null): Either<PlanError, TurnTracker> => {
    const started = trackTurn({ ...tracked, progress })
    return isLeft(started) ? started : right(extendTurn(started.right, items))
  }
  let tracker: Either<PlanError, TurnTracker> = begin(null)
  /** What was stored when the tracker last went on; it begins again from there. */
  let progress: Progress | null = null
  /** After items were taken back, or come: goes on where what was read before reads the same. */
  const readOn = (gone: ReadonlyArray<Item>, kept: number): void => {
    if (isLeft(tracker)) tracker = begin(progress)
    else if (gone.every((item, index) => isSameItem(item, items[kept + index])))
      tracker = right(extendTurn(tracker.right, items.slice(tracker.right.length)))
    else tracker = begin(progress)
  }
  const write = (turn: TurnTracker, plan: SavePlan): Write<Raw> =>
    'rebuild' in dialect
      ? writeMessages({ dialect, messages: raws, items, loaded: loadedTurn(turn), signatureScope }, plan)
      : writeItems(dialect, { items, raws }, plan)
  const planFrom = (turn: TurnTracker, outcome: Outcome): Either<PlanError, SavePlan> => {
    const planned = planTurn(turn, outcome)
    if (isLeft(planned) || !('rebuild' in dialect)) return planned
    return cutToMessage(loadedTurn(turn), planned.right, { ...tracked, items, outcome, progress })
  }
  return {
    take: (given, from) => {
      const whole = Array.isArray(given) ? undefined : dialect.decode(given)
      refusal = whole !== undefined && isLeft(whole) ? whole.left : undefined
      if (whole !== undefined) return
      const gone = from < raws.length ? reader.rewind(from) : []
      const kept = items.length
      raws.length = Math.min(from, raws.length)
      reader.read(given)
      for (const raw of given) raws.push(raw)
      readOn(gone, kept)
    },
    resume: (stored) => {
      const expected = stored ?? startProgress(question.turn)
      const isSame = !isLeft(tracker) && isSameProgress(expected, tracker.right.progress)
      progress = stored
      if (!isSame) tracker = begin(stored)
    },
    plan: (outcome) => {
      if (refusal !== undefined) return left(refusal)
      if (isLeft(tracker)) return tracker
      const planned = planFrom(tracker.right, outcome)
      return isLeft(planned)
        ? planned
        : right(answerOf(planned.right, write(tracker.right, planned.right), reader.notices))
    },
    acknowledge: ({ plan }, stored) => {
      progress = stored
      if (isLeft(tracker)) return
      tracker = isSameCount(stored, plan.after) ? acknowledge(tracker.right, plan) : begin(stored)
    }
  }
}
