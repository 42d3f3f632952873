/**
 * What can be wrong with a question to the planner.
 *
 * Law: errors are data. Each names the place and what was expected, and none holds a payload.
 *
 * Rules: PLAN-17, PLAN-27, PLAN-28, PROGRESS-5, PROGRESS-7, PROGRESS-9 to PROGRESS-11, SELECT-30.
 */

/** A field that is not of its form. */
export interface InvalidInput {
  readonly kind: 'invalid-input'
  /** Where, in the words of the question: `progress.settled`, `policy.committed`. */
  readonly path: string
  readonly expected: string
  readonly message: string
}

/** The progress belongs to another turn. */
export interface ForeignTurn {
  readonly kind: 'foreign-turn'
  readonly path: 'progress.turn'
  readonly message: string
}

/** The progress reaches beyond the end of the turn. */
export interface BeyondTurn {
  readonly kind: 'beyond-turn'
  readonly path: string
  readonly message: string
}

/** The saved positions of the turn, or the policy, are not those that were saved. */
export interface EdgeMismatch {
  readonly kind: 'edge-mismatch'
  readonly path: 'progress.edge'
  readonly message: string
}

/** An item would have to be written in front of one that an append-only store already holds. */
export interface OutOfOrder {
  readonly kind: 'out-of-order'
  readonly path: string
  /** 0-based position of the first such item. */
  readonly position: number
  readonly message: string
}

/** A count or a history from which no progress can be read. */
export interface Untrusted {
  readonly kind: 'untrusted'
  readonly path: string
  readonly message: string
}

export type PlanError = InvalidInput | ForeignTurn | BeyondTurn | EdgeMismatch | OutOfOrder

/** An `invalid-input` error. */
export const invalidInput = (path: string, expected: string): InvalidInput => ({
  kind: 'invalid-input',
  path,
  expected,
  message: `${path} must be ${expected}`
})
