/**
 * What a database does for a session, in texts.
 *
 * Law: types only. Everything above (JSON, limits, the promise doors) is `session.ts`, everything below is one
 * database; this is the seam between them.
 */
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { StoreError, StoreNotice } from '../ports/session-store.js'
import type { EncodedWrite } from './decide.js'

/** A stored entry; `text` is null where the column could not be read. */
export interface StoredEntry {
  readonly number: number
  readonly position: number
  readonly turn: string | null
  readonly text: string | null
}

/** A history transaction of the session interface, as text. */
export interface EncodedTransaction {
  readonly operation: string
  readonly digest: string
  /** The canonical texts that the last entries must have; null for an append. */
  readonly expected: ReadonlyArray<string> | null
  readonly items: ReadonlyArray<string>
}

/** What became of a save. */
export interface Saved {
  readonly applied: boolean
  readonly progress: string
  readonly notices: ReadonlyArray<StoreNotice>
}

export interface Backend {
  /** The last entries, at most `limit`, oldest first; all of them for null. */
  readonly tail: (limit: number | null) => TaskEither<StoreError, ReadonlyArray<StoredEntry>>
  /** The text of a turn's progress, or null. */
  readonly progress: (turn: string) => TaskEither<StoreError, string | null>
  readonly save: (write: EncodedWrite) => TaskEither<StoreError, Saved>
  /** Writes entries that belong to no turn. */
  readonly add: (texts: ReadonlyArray<string>) => TaskEither<StoreError, void>
  /** Removes the last readable entry and answers with its text, or null when there is none. */
  readonly pop: () => TaskEither<StoreError, string | null>
  readonly clear: () => TaskEither<StoreError, void>
  readonly transact: (transaction: EncodedTransaction) => TaskEither<StoreError, void>
}
