/**
 * One save of a turn, from plan to store.
 *
 * Law: plan, write, and tell both facts: how the turn stands, and what became of the save. Neither hides the other,
 * so neither is a left of the other. Nothing is decided about items here. A conflict is planned again from the
 * stored progress a bounded number of times; a write that may have been lost is returned, and sent again by value.
 * One save of a turn that is followed is linear in what is new; `settle` follows a turn for one save.
 *
 * Rules: PLAN-1, PLAN-25, PROGRESS-2, PROGRESS-8.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Task } from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { PlanError } from '../core/error.js'
import type { OpenCall } from '../core/item.js'
import type { Outcome } from '../core/outcome.js'
import type { StoreKind } from '../core/question.js'
import type { Policy } from '../core/policy.js'
import type { Progress } from '../core/progress.js'
import type { AbortSignalLike } from '../ports/abort-signal.js'
import type { BlockDialect, DecodeError, Dialect } from '../ports/dialect.js'
import type {
  Receipt,
  SessionStore,
  SessionWrite,
  StoreError,
  StoreUnavailable
} from '../ports/session-store.js'
import type { SaveAnswer } from '../save/answer.js'
import { type FollowedTurn, followTurn } from '../save/follow.js'
import type { SaveMessagesQuestion } from '../save/messages.js'

/** Everything that can keep a save from being stored. Discriminate by `kind`. */
export type SaveError = PlanError | DecodeError | StoreError

/** What is the same for every save of one turn. */
export interface TurnSettings<Raw> {
  /** The wire format: of items, or of messages that hold many. What `Raw` is, the session says. */
  readonly dialect: Dialect<NoInfer<Raw>> | BlockDialect<NoInfer<Raw>>
  readonly session: SessionStore<Raw>
  /** The runner's id of the turn: another one for every turn of a session. */
  readonly turn: string
  readonly policy?: Policy
  /** Default `replace`: the session port can replace the last entries of a turn. */
  readonly store?: StoreKind
  /** Calls that an earlier turn stored and that nobody has answered. */
  readonly open?: ReadonlyArray<OpenCall>
  /** How often a save is planned when other writers are met. At least 1, default 4. */
  readonly attempts?: number
  /** What a signature of the provider vouches for; looked at where one message holds many items. */
  readonly signatureScope?: NonNullable<SaveMessagesQuestion<Raw>['signatureScope']>
  /** Ends the wait for a store that does not answer. It does not stop the turn. */
  readonly saveSignal?: AbortSignalLike
}

/** One save: the settings, the turn so far and how it stands. */
export interface SettleQuestion<Raw> extends TurnSettings<Raw> {
  /** The whole turn, every time. */
  readonly items: ReadonlyArray<Raw>
  readonly outcome: Outcome
  /** What the store held after the last save. Absent: the store is asked. */
  readonly progress?: Progress
}

/** A save as it was planned, in items or in messages. */
export type Planned<Raw> = SaveAnswer<Raw>

/** Both facts about a turn. */
export interface Settlement<Raw> {
  /** How the turn stands; a rejection names the resolved start of the rejected part. */
  readonly outcome: Outcome
  /** What became of the save. */
  readonly save: E.Either<SaveError, Receipt>
  /** The last plan that could be made: its writes, notices, unprotected and irrevocable positions. */
  readonly answer: Planned<Raw> | null
  /** A write that was not confirmed: hand it to `resend`. */
  readonly pending: SessionWrite<Raw> | null
}

const unanswered: StoreUnavailable = {
  kind: 'unavailable',
  reason: 'other',
  applied: 'unknown',
  message: 'the store did not answer in time; the same write may be sent again'
}

const broken: StoreUnavailable = {
  kind: 'unavailable',
  reason: 'other',
  applied: 'unknown',
  message: 'the store threw; the same write may be sent again'
}

/** Runs a store's task until it answers, throws, or nobody waits any more. */
const waitFor =
  <A>(
    task: TE.TaskEither<StoreError, A>,
    signal: AbortSignalLike | undefined
  ): TE.TaskEither<StoreError, A> =>
  async () => {
    const guarded = pipe(
      TE.tryCatch(task, (): StoreError => broken),
      TE.chain(TE.fromEither)
    )
    if (signal === undefined) return guarded()
    if (signal.aborted) return E.left(unanswered)
    return new Promise((resolve) => {
      const stop = (): void => resolve(E.left(unanswered))
      signal.addEventListener('abort', stop)
      void guarded().then((answer) => {
        signal.removeEventListener('abort', stop)
        resolve(answer)
      })
    })
  }

/**
 * Sends a write again that was not confirmed. A store applies an operation once, however often it is sent.
 *
 * Errors: those of the store; `conflict` when the turn was saved differently since, and is to be settled again.
 */
export const resend = <Raw>(
  session: SessionStore<Raw>,
  pending: SessionWrite<Raw>,
  saveSignal?: AbortSignalLike
): TE.TaskEither<StoreError, Receipt> => waitFor(session.save(pending), saveSignal)

const writeOf = <Raw>(turn: string, answer: Planned<Raw>): SessionWrite<Raw> => ({
  turn,
  operation: answer.operation,
  expects: answer.expects,
  change: answer.change,
  replaces: answer.replaces.length,
  items: answer.items,
  after: answer.progress
})

const resolveOutcome = <Raw>(outcome: Outcome, answer: Planned<Raw> | null): Outcome =>
  outcome.kind === 'rejected' && answer !== null && answer.plan.from !== null
    ? { ...outcome, from: answer.plan.from }
    : outcome

/** What the writing of a save needs. */
export type SaveSettings<Raw> = Pick<TurnSettings<Raw>, 'session' | 'turn' | 'attempts' | 'saveSignal'>

/** Plans and writes once. */
const attempt = async <Raw>(
  { turn, session, saveSignal }: SaveSettings<Raw>,
  followed: FollowedTurn<Raw>,
  outcome: Outcome
): Promise<Settlement<Raw>> => {
  const planned = followed.plan(outcome)
  if (E.isLeft(planned)) return { outcome, save: planned, answer: null, pending: null }
  const answer = planned.right
  const resolved = resolveOutcome(outcome, answer)
  if (answer.change === 'none' && answer.progress.revision === answer.expects.revision) {
    const receipt: Receipt = { applied: false, progress: answer.progress, notices: [] }
    followed.acknowledge(answer, receipt.progress)
    return { outcome: resolved, save: E.right(receipt), answer, pending: null }
  }
  const write = writeOf(turn, answer)
  const save = await waitFor(session.save(write), saveSignal)()
  if (E.isRight(save)) followed.acknowledge(answer, save.right.progress)
  const lost = E.isLeft(save) && save.left.kind === 'unavailable'
  return { outcome: resolved, save, answer, pending: lost ? write : null }
}

/**
 * Saves a turn that is followed, as it stands. `known` is what the store holds: a progress, null for nothing,
 * `followed` for what the last save left there, or undefined when the store has to be asked.
 */
export const saveFollowed = async <Raw>(
  settings: SaveSettings<Raw>,
  followed: FollowedTurn<Raw>,
  outcome: Outcome,
  known: Progress | null | undefined | 'followed'
): Promise<Settlement<Raw>> => {
  const { turn, session, saveSignal, attempts = 4 } = settings
  if (known === undefined) {
    const stored = await waitFor(session.progress(turn), saveSignal)()
    if (E.isLeft(stored)) return { outcome, save: stored, answer: null, pending: null }
    followed.resume(stored.right)
  } else if (known !== 'followed') followed.resume(known)
  for (let made = 1; ; made += 1) {
    const settlement: Settlement<Raw> = await attempt(settings, followed, outcome)
    const { save } = settlement
    if (E.isRight(save) || save.left.kind !== 'conflict' || made >= attempts) return settlement
    followed.resume(save.left.stored)
  }
}

/** Follows the turn of some settings; the session port of a runner can replace a suffix, unless the host says no. */
export const followSettings = <Raw>(settings: TurnSettings<Raw>): FollowedTurn<Raw> => {
  const { dialect, turn, policy, store = 'replace', open, signatureScope } = settings
  return followTurn<Raw>({
    dialect,
    turn,
    store,
    ...(policy === undefined ? {} : { policy }),
    ...(open === undefined ? {} : { open }),
    ...(signatureScope === undefined ? {} : { signatureScope })
  })
}

/**
 * Saves a turn as it stands. The task never rejects; both facts are in its answer.
 *
 * Complexity: linear in the turn, times the conflicts that were met. Rules: PLAN-1, PROGRESS-8.
 */
export const settle =
  <Raw>(question: SettleQuestion<Raw>): Task<Settlement<Raw>> =>
  async () => {
    const followed = followSettings(question)
    followed.take(question.items, 0)
    return saveFollowed(question, followed, question.outcome, question.progress)
  }
