/**
 * The runners for callers who do not use fp-ts.
 *
 * Law: only forms, no acts. A promise rejects with what the run threw, unchanged, when the turn is saved, and with
 * an error that holds both when it is not; what it resolves with is saved.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { AbortSignalLike } from '../ports/abort-signal.js'
import type { Receipt, SessionStore, SessionWrite } from '../ports/session-store.js'
import { thrownBy } from './ending.js'
import { type RunQuestion, runTurn as runTask } from './run.js'
import { resend as resendTask, type SettleQuestion, settle as settleTask, type Settlement } from './settle.js'

/** What a promise of `runTurn` resolves with. */
export interface RanTurn<A, Raw> {
  readonly value: A
  readonly settlement: Settlement<Raw>
}

/** The promise forms of the runners. */
export interface RunnerPromises {
  /** Both facts; never rejects. */
  readonly settle: <Raw>(question: SettleQuestion<Raw>) => Promise<Settlement<Raw>>
  /** Rejects with an `Error` that carries the fields of a `StoreError`. */
  readonly resend: <Raw>(
    session: SessionStore<Raw>,
    pending: SessionWrite<Raw>,
    saveSignal?: AbortSignalLike
  ) => Promise<Receipt>
  /**
   * Rejects with what the run threw, with a `RejectionError` for a typed rejection, or with a `SaveFailedError` that
   * holds both errors.
   */
  readonly runTurn: <A, Raw>(question: RunQuestion<A, Raw>) => Promise<RanTurn<A, Raw>>
}

/** The promise forms of `settle`, `resend` and `runTurn`. `streamTurn` is one already. */
export const promises: RunnerPromises = {
  settle: (question) => settleTask(question)(),
  resend: async (session, pending, saveSignal) => {
    const receipt = await resendTask(session, pending, saveSignal)()
    if (E.isLeft(receipt)) throw Object.assign(new Error(receipt.left.message), receipt.left)
    return receipt.right
  },
  runTurn: async (question) => {
    const report = await runTask(question)()
    const raised = thrownBy(report)
    if (raised !== null) throw raised.thrown
    const { ending, settlement } = report
    if (ending.kind !== 'returned') throw new Error('a run that did not return has thrown')
    return { value: ending.value, settlement }
  }
}
