/**
 * The oracle's reading of what a question must be: which ones are refused, before anything is judged.
 *
 * Law: written from PLAN-27, PLAN-28, SELECT-30, PROGRESS-5 and PROGRESS-9 alone. An edge it cannot check.
 */
import type { Item, OpenCall } from '../../src/core/item.js'
import type { Outcome } from '../../src/core/outcome.js'
import { type Policy, policyValues } from '../../src/core/policy.js'
import type { Progress } from '../../src/core/progress.js'

export interface Question {
  readonly items: ReadonlyArray<Item>
  readonly turn: string
  readonly outcome: Outcome
  readonly policy?: Policy
  readonly progress?: Progress
  readonly store?: 'append' | 'replace'
  readonly open?: ReadonlyArray<OpenCall>
}

export interface OracleError {
  readonly error: 'invalid-input' | 'foreign-turn' | 'beyond-turn' | 'out-of-order'
}

/** PROGRESS-9. */
export const isWellFormed = (progress: Progress): boolean => {
  const counts = [progress.revision, progress.settled, progress.final, progress.sealed, progress.written]
  const sets = [progress.withheld, progress.ahead, progress.closed, progress.redacted]
  const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0
  const isStored = (position: number): boolean =>
    position < progress.settled ? !progress.withheld.includes(position) : progress.ahead.includes(position)
  const rises = (list: ReadonlyArray<number>): boolean =>
    list.every((value, index) => index === 0 || value > (list[index - 1] as number))
  return (
    counts.every(isCount) &&
    sets.every((list) => list.every(isCount) && rises(list)) &&
    typeof progress.turn === 'string' &&
    typeof progress.edge === 'string' &&
    progress.sealed <= progress.final &&
    progress.final <= progress.settled &&
    progress.withheld.every((position) => position < progress.settled) &&
    progress.ahead.every((position) => position >= progress.settled) &&
    [...progress.closed, ...progress.redacted].every(isStored) &&
    progress.written ===
      progress.settled - progress.withheld.length + progress.ahead.length + progress.closed.length
  )
}

/** SELECT-30. */
const isPolicy = (policy: unknown): boolean => {
  if (typeof policy !== 'object' || policy === null) return false
  const values: Readonly<Record<string, ReadonlyArray<unknown>>> = policyValues
  const given = Object.entries(policy)
  return (
    given.every(([name, value]) => values[name]?.includes(value) === true) &&
    Object.keys(values).every((name) => name in policy)
  )
}

/** The five ways a turn can end, the one in which it is open, and their fields. */
const isOutcome = (outcome: Outcome): boolean => {
  const given: { readonly kind?: unknown; readonly check?: unknown; readonly deliverable?: unknown } = outcome
  switch (given.kind) {
    case 'accepted':
    case 'input-rejected':
      return true
    case 'rejected':
      return given.deliverable === 'message' || given.deliverable === 'output'
    case 'failed':
    case 'aborted':
      return given.check === 'none' || given.check === 'due'
    case 'open':
      return ['none', 'message', 'output', 'input'].includes(String(given.check))
    default:
      return false
  }
}

/** Why a question gets no plan, or null. */
export const refusalOf = (question: Question, policy: Policy, before: Progress): OracleError | null => {
  const { outcome } = question
  const { length } = question.items
  if (!isPolicy(policy) || !isOutcome(outcome) || !isWellFormed(before)) return { error: 'invalid-input' }
  // PLAN-28
  if (outcome.kind === 'rejected' && outcome.from !== undefined)
    if (!Number.isSafeInteger(outcome.from) || outcome.from < 0 || outcome.from >= length)
      return { error: 'invalid-input' }
  // PROGRESS-5
  if (before.turn !== question.turn) return { error: 'foreign-turn' }
  // PLAN-27
  const lastAhead = before.ahead[before.ahead.length - 1]
  if (length < before.settled || length < before.final || (lastAhead !== undefined && length <= lastAhead))
    return { error: 'beyond-turn' }
  return null
}
