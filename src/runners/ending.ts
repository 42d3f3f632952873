/**
 * How a run ended, and what is told about it.
 *
 * Law: a thrown value becomes an outcome here, and here alone a report becomes a thrown value: the one that was
 * thrown, unchanged, when the save went through; otherwise an error that holds both.
 *
 * Rules: SELECT-23, SELECT-25.
 */
import * as E from 'fp-ts/lib/Either.js'
import {
  type Accepted,
  aborted,
  accepted,
  type EndedOutcome,
  failed,
  type Open,
  type Outcome,
  type Rejected
} from '../core/outcome.js'
import type { SaveError, Settlement } from './settle.js'

/** What a host's check says of a result: fine, rejected, or still waiting (for an approval). */
export type Verdict = Accepted | Rejected | Open

/** How a run ended. */
export type Ending<A> =
  | { readonly kind: 'returned'; readonly value: A }
  /** The check said so in its answer. */
  | { readonly kind: 'rejected'; readonly value: A; readonly rejection: Rejected }
  /** The run or the check threw, which may be a rejection too. */
  | { readonly kind: 'threw'; readonly thrown: unknown }
  /** The consumer of a stream stopped reading. */
  | { readonly kind: 'stopped' }

/** Both facts about a turn, and what the run itself gave. */
export interface TurnReport<A, Raw> {
  readonly ending: Ending<A>
  readonly settlement: Settlement<Raw>
}

/** Where something was thrown. */
export type Stage = 'run' | 'check'

/** Which outcome a thrown value stands for; undefined leaves it to `outcomeOfThrown`. */
export type ReadThrown = (thrown: unknown, stage: Stage) => EndedOutcome | undefined

const kindOf = (thrown: unknown): unknown =>
  typeof thrown === 'object' && thrown !== null ? (thrown as { readonly kind?: unknown }).kind : undefined

const nameOf = (thrown: unknown): unknown =>
  typeof thrown === 'object' && thrown !== null ? (thrown as { readonly name?: unknown }).name : undefined

/**
 * The outcome that a thrown value stands for, when the host does not say.
 *
 * A value with the fields of a rejection is one; with the `kind` `input-rejected` it is that; an `AbortError` or a
 * `TimeoutError` is a cancel; everything else is a failure. A check that crashed leaves its response unjudged.
 */
export const outcomeOfThrown = (thrown: unknown, stage: Stage): EndedOutcome => {
  const check = stage === 'check' ? 'due' : 'none'
  const kind = kindOf(thrown)
  if (kind === 'rejected') {
    const { deliverable, from } = thrown as Partial<Rejected>
    const named = deliverable === 'output' ? 'output' : 'message'
    return typeof from === 'number'
      ? { kind: 'rejected', deliverable: named, from }
      : { kind: 'rejected', deliverable: named }
  }
  if (kind === 'input-rejected') return { kind: 'input-rejected' }
  const name = nameOf(thrown)
  return name === 'AbortError' || name === 'TimeoutError' ? aborted(check) : failed(check)
}

/** How the turn stands after a run has ended this way. */
export const outcomeOf = <A>(
  ending: Ending<A>,
  verdict: Verdict,
  stage: Stage,
  read: ReadThrown | undefined
): Outcome => {
  switch (ending.kind) {
    case 'returned':
      return verdict
    case 'rejected':
      return ending.rejection
    case 'stopped':
      return aborted('none')
    case 'threw':
      return read?.(ending.thrown, stage) ?? outcomeOfThrown(ending.thrown, stage)
  }
}

/** Asks the check. Without one, what was returned is accepted. */
export const judge = async <A>(
  value: A,
  check: (() => Verdict | Promise<Verdict>) | undefined
): Promise<{ readonly ending: Ending<A>; readonly verdict: Verdict }> => {
  if (check === undefined) return { ending: { kind: 'returned', value }, verdict: accepted }
  try {
    const verdict = await check()
    return verdict.kind === 'rejected'
      ? { ending: { kind: 'rejected', value, rejection: verdict }, verdict }
      : { ending: { kind: 'returned', value }, verdict }
  } catch (thrown) {
    return { ending: { kind: 'threw', thrown }, verdict: accepted }
  }
}

/** A typed rejection, thrown: an `Error` with the fields of the rejection and the report. */
export interface RejectionError<A, Raw> extends Error, Rejected {
  readonly report: TurnReport<A, Raw>
}

/** A save that failed, thrown: an `Error` whose `errors` hold what the run threw, if it did, and the save's error. */
export interface SaveFailedError<A, Raw> extends Error {
  readonly kind: 'save-failed'
  readonly errors: ReadonlyArray<unknown>
  readonly report: TurnReport<A, Raw>
}

const rejectionError = <A, Raw>(rejection: Rejected, report: TurnReport<A, Raw>): RejectionError<A, Raw> =>
  Object.assign(new Error(`the ${rejection.deliverable} was rejected`), { ...rejection, report })

const saveFailedError = <A, Raw>(
  error: SaveError,
  thrown: ReadonlyArray<unknown>,
  report: TurnReport<A, Raw>
): SaveFailedError<A, Raw> =>
  Object.assign(new AggregateError([...thrown, error], `the turn was not saved: ${error.message}`), {
    kind: 'save-failed' as const,
    report
  })

/** What a report throws, or null: what the run threw when it is saved, both when it is not. */
export const thrownBy = <A, Raw>(report: TurnReport<A, Raw>): { readonly thrown: unknown } | null => {
  const { ending, settlement } = report
  const own: ReadonlyArray<unknown> =
    ending.kind === 'threw'
      ? [ending.thrown]
      : ending.kind === 'rejected'
        ? [rejectionError(ending.rejection, report)]
        : []
  if (E.isLeft(settlement.save)) return { thrown: saveFailedError(settlement.save.left, own, report) }
  return own.length === 0 ? null : { thrown: own[0] }
}
