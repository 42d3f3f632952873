/**
 * How a turn stands.
 *
 * Law: only this file says in which ways a turn can stand. It decides nothing: what an outcome means for an
 * item is `select.ts`, what it means for a save is `plan.ts`.
 *
 * Rules: SELECT-23, SELECT-25, SELECT-26, PLAN-2.
 */

/** What was rejected: the message, or a tool's output that was the final output. */
export type Deliverable = 'message' | 'output'

/** Whether an output check was meant to judge this response when the turn ended without a verdict. */
export type EndCheck = 'none' | 'due'

/** What a pending check may still reject while the turn is open. */
export type PendingCheck = 'none' | 'message' | 'output' | 'input'

export interface Accepted {
  readonly kind: 'accepted'
}
export interface Rejected {
  readonly kind: 'rejected'
  readonly deliverable: Deliverable
  /** First position of the rejected response, 0-based. Absent: the start of the last response. */
  readonly from?: number
}
export interface Failed {
  readonly kind: 'failed'
  readonly check: EndCheck
}
export interface Aborted {
  readonly kind: 'aborted'
  readonly check: EndCheck
}
export interface InputRejected {
  readonly kind: 'input-rejected'
}
export interface Open {
  readonly kind: 'open'
  readonly check: PendingCheck
}

/** An outcome after which nothing more of this turn is expected. */
export type EndedOutcome = Accepted | Rejected | Failed | Aborted | InputRejected

/** How the turn stands. */
export type Outcome = EndedOutcome | Open

/** The turn finished and every check passed. */
export const accepted: Accepted = { kind: 'accepted' }

/** An output check tripped on the model's message, or on the tool output that was the final output. */
export const rejected = (deliverable: Deliverable, from?: number): Rejected =>
  from === undefined ? { kind: 'rejected', deliverable } : { kind: 'rejected', deliverable, from }

/** The turn broke: a check crashed, the model or a tool threw, a limit was reached. */
export const failed = (check: EndCheck = 'none'): Failed => ({ kind: 'failed', check })

/** The turn was cancelled. */
export const aborted = (check: EndCheck = 'none'): Aborted => ({ kind: 'aborted', check })

/** An input check tripped while the model was already running. */
export const inputRejected: InputRejected = { kind: 'input-rejected' }

/** The turn is still running, or waits for an approval. */
export const open = (check: PendingCheck = 'none'): Open => ({ kind: 'open', check })
