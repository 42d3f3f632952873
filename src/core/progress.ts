/**
 * How far a turn is saved.
 *
 * Law: only this file says what is remembered between two saves of one turn. Everything here counts or names
 * positions of the turn, except `written`, which counts entries in the store and is a checksum, never a position.
 *
 * Rules: PROGRESS-1 to PROGRESS-12.
 */

/** What a store keeps beside the items of a session, in the write's own transaction. Plain JSON. */
export interface Progress {
  /** The runner's id of the turn. */
  readonly turn: string
  /** Plans applied so far. */
  readonly revision: number
  /** Positions below this are decided. A count of turn positions, not of entries. */
  readonly settled: number
  /** Length of the turn at the last ended outcome; 0 before. */
  readonly final: number
  /** Length of the turn at the ended outcome before the last growth; positions below it are never judged again. */
  readonly sealed: number
  /** Positions below `settled` that are not in the store, ascending. */
  readonly withheld: ReadonlyArray<number>
  /** Positions at or beyond `settled` that are in the store, ascending. */
  readonly ahead: ReadonlyArray<number>
  /** Positions of calls that have a closing in the store, ascending. */
  readonly closed: ReadonlyArray<number>
  /** Positions of outputs that are in the store redacted, ascending. */
  readonly redacted: ReadonlyArray<number>
  /** Entries of this turn in the store: settled − withheld + ahead + closed. */
  readonly written: number
  /** Digest of the settled and ahead positions and of the policy; empty while there are none. */
  readonly edge: string
}

/**
 * The progress of a turn of which nothing is stored.
 *
 * Rules: PROGRESS-1. Complexity: constant.
 *
 * @example
 * startProgress('run-7/3').settled // => 0
 */
export const startProgress = (turn: string): Progress => ({
  turn,
  revision: 0,
  settled: 0,
  final: 0,
  sealed: 0,
  withheld: [],
  ahead: [],
  closed: [],
  redacted: [],
  written: 0,
  edge: ''
})

/**
 * Entries that the store holds of this turn: for a host that keeps a count of written items.
 *
 * It is not a position: the two differ as soon as anything is withheld or closed.
 *
 * Rules: PROGRESS-3. Complexity: constant.
 *
 * @example
 * persistedCount(startProgress('run-7/3')) // => 0
 */
export const persistedCount = (progress: Progress): number => progress.written
