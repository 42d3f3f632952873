/**
 * The store port for callers who do not use fp-ts, in both directions.
 *
 * Law: only this file turns a store error into a thrown one and back. A thrown error is a plain `Error` that
 * carries the fields of the store error, so it is still told apart by `kind`.
 */
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Progress } from '../core/progress.js'
import type {
  ReadOptions,
  Receipt,
  SessionStore,
  SessionView,
  SessionWrite,
  StoreError
} from '../ports/session-store.js'

/** The three acts of a store as promises that reject with an `Error` carrying the fields of a `StoreError`. */
export interface PromiseStore<Raw> {
  readonly read: (options?: ReadOptions) => Promise<SessionView<Raw>>
  readonly progress: (turn: string) => Promise<Progress | null>
  readonly save: (write: SessionWrite<Raw>) => Promise<Receipt>
}

/** Runs a task; a left becomes a rejection. */
export const runOrThrow = async <A>(task: TE.TaskEither<StoreError, A>): Promise<A> => {
  const result = await task()
  if (E.isLeft(result)) throw Object.assign(new Error(result.left.message), result.left)
  return result.right
}

/** A store as promises. */
export const toPromises = <Raw>(store: SessionStore<Raw>): PromiseStore<Raw> => ({
  read: (options) => runOrThrow(store.read(options)),
  progress: (turn) => runOrThrow(store.progress(turn)),
  save: (write) => runOrThrow(store.save(write))
})

const kinds: ReadonlyArray<StoreError['kind']> = [
  'conflict',
  'unavailable',
  'rejected',
  'corrupt',
  'diverged',
  'unsupported-version'
]

/** A thrown value as a store error: one that carries a known `kind` as it is, everything else as `unavailable`. */
export const toStoreError = (thrown: unknown): StoreError => {
  if (typeof thrown === 'object' && thrown !== null && 'kind' in thrown) {
    const kind = (thrown as { readonly kind: unknown }).kind
    if (kinds.some((known) => known === kind)) {
      const fields = { ...thrown } as StoreError
      return thrown instanceof Error ? { ...fields, message: thrown.message } : fields
    }
  }
  return {
    kind: 'unavailable',
    reason: 'other',
    applied: 'unknown',
    message: 'the store failed without saying whether the write was applied'
  }
}

/** A store written with promises as the port: how to bring one's own database without fp-ts. */
export const fromPromises = <Raw>(store: PromiseStore<Raw>): SessionStore<Raw> => ({
  read: (options) => TE.tryCatch(async () => store.read(options), toStoreError),
  progress: (turn) => TE.tryCatch(async () => store.progress(turn), toStoreError),
  save: (write) => TE.tryCatch(async () => store.save(write), toStoreError)
})
