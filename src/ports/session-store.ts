/**
 * What a session store must be able to do, and in which ways it may fail.
 *
 * Law: types only. A store holds opaque entries in an order, and beside each turn's entries the progress of that
 * turn and the operation that wrote it, changed in one transaction. It knows no retention rule and no provider.
 *
 * Rules: PLAN-1, PLAN-14, PROGRESS-2, PROGRESS-8.
 */
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Progress } from '../core/progress.js'

/** How a write changes the entries of its own turn; it never touches those of another. */
export type SessionChange = 'append' | 'replace-suffix' | 'none'

/** One write: entries, progress and operation of one turn, applied together or not at all. */
export interface SessionWrite<Raw> {
  /** The runner's id of the turn. */
  readonly turn: string
  /** The plan's operation: the same on a retry, different otherwise. */
  readonly operation: string
  /** The progress the plan was made from. Must equal the stored one, or a fresh one when nothing is stored. */
  readonly expects: Progress
  readonly change: SessionChange
  /** How many of this turn's last entries are removed first. 0 unless `change` is `replace-suffix`. */
  readonly replaces: number
  /** Entries to write behind what is left of this turn, in order. */
  readonly items: ReadonlyArray<Raw>
  /** The progress to keep. */
  readonly after: Progress
}

/** What became of a write that did not fail. */
export interface Receipt {
  /** False when the same operation had been applied before: nothing was written again. */
  readonly applied: boolean
  /** The progress that is stored now. */
  readonly progress: Progress
  /** What the caller may want to know although the write went through. */
  readonly notices: ReadonlyArray<StoreNotice>
}

/** Something odd that hides nothing else. Names places, never contents. */
export type StoreNotice =
  /** A stored entry that cannot be read; the others are returned. */
  | {
      readonly kind: 'corrupt-entry'
      readonly path: string
      readonly turn: string | null
      readonly message: string
    }
  /** Removed bytes may still be in the database's log; the next write tries again. */
  | { readonly kind: 'residue'; readonly message: string }

export interface ReadOptions {
  /** The most entries to return, counted from the end. Absent: all of them. */
  readonly limit?: number
}

/** The session as it stands, oldest entry first. */
export interface SessionView<Raw> {
  readonly items: ReadonlyArray<Raw>
  readonly notices: ReadonlyArray<StoreNotice>
}

/** The stored progress of the turn is not the expected one: plan again from `stored`. */
export interface StoreConflict {
  readonly kind: 'conflict'
  readonly message: string
  readonly turn: string
  /** Null when nothing of the turn is stored. */
  readonly stored: Progress | null
}

/** The store could not be reached or could not write; the same write may be sent again. */
export interface StoreUnavailable {
  readonly kind: 'unavailable'
  readonly message: string
  readonly reason: 'busy' | 'full' | 'read-only' | 'connection' | 'other'
  /** `no`: certainly not applied. `unknown`: the answer was lost; sending the same operation again settles it. */
  readonly applied: 'no' | 'unknown'
  /** The driver's code, such as `SQLITE_FULL` or `57P01`. Its message is left out: it may hold payloads. */
  readonly code?: string
}

/** The request itself can never be stored. */
export interface StoreRejected {
  readonly kind: 'rejected'
  readonly message: string
  /** Where in the request, such as `items[3]`. */
  readonly path: string
}

/** What is stored about the turn cannot be read; nothing was written. */
export interface StoreCorrupt {
  readonly kind: 'corrupt'
  readonly message: string
  /** The table and the column. */
  readonly path: string
  readonly turn: string
}

/** Entries of this turn were removed by another door (`popItem`, a history transaction): its progress is not true. */
export interface StoreDiverged {
  readonly kind: 'diverged'
  readonly message: string
  readonly turn: string
  /** How many entries were removed. */
  readonly removed: number
}

/** The tables were written by a newer release. */
export interface StoreVersion {
  readonly kind: 'unsupported-version'
  readonly message: string
  readonly found: number
  readonly known: number
}

/** In which ways a store may fail. Discriminate by `kind`. */
export type StoreError =
  | StoreConflict
  | StoreUnavailable
  | StoreRejected
  | StoreCorrupt
  | StoreDiverged
  | StoreVersion

/** A session that a runner can save to: compare-and-append by progress. */
export interface SessionStore<Raw> {
  /** The entries of the session, turns in the order of their first write, each turn's entries together. */
  readonly read: (options?: ReadOptions) => TaskEither<StoreError, SessionView<Raw>>
  /** The stored progress of a turn, or null when nothing of it is stored. */
  readonly progress: (turn: string) => TaskEither<StoreError, Progress | null>
  /** Applies a write once, however often it is sent. */
  readonly save: (write: SessionWrite<Raw>) => TaskEither<StoreError, Receipt>
}
