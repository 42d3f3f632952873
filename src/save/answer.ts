/**
 * One write, in raw values.
 *
 * Law: only this file puts a plan and the raw values that come of it into one answer. It decides nothing. What is odd
 * is listed when somebody asks, because that is linear in the turn; everything else is constant.
 *
 * Rules: PLAN-1, EXPLAIN-4.
 */
import type { SavePlan } from '../core/plan.js'
import type { Progress } from '../core/progress.js'
import type { DecodeNotice } from '../ports/dialect.js'
import { type AnswerNotice, joinNotices } from './notices.js'

/** One write, in raw items or in messages. */
export interface SaveAnswer<Raw> {
  readonly change: SavePlan['change']
  /** To be written, in order; what is untouched is the caller's own value. */
  readonly items: ReadonlyArray<Raw>
  /** The last entries of this turn in the store that the write takes away, oldest first. */
  readonly replaces: ReadonlyArray<Raw>
  /** The progress that the store must hold before the write. */
  readonly expects: Progress
  /** The progress to keep with the write, in its own transaction. It counts items, also where messages are written. */
  readonly progress: Progress
  readonly operation: string
  /** What was odd, about raw items and about the turn. Made when asked; linear in the turn. */
  readonly notices: ReadonlyArray<AnswerNotice>
  readonly plan: SavePlan
}

/** What of an answer is in raw values. */
export type Write<Raw> = Pick<SaveAnswer<Raw>, 'change' | 'items' | 'replaces'>

/** The answer of a plan. `noticed` may be added to later: what comes then is not of this answer. */
export const answerOf = <Raw>(
  plan: SavePlan,
  write: Write<Raw>,
  noticed: ReadonlyArray<DecodeNotice>
): SaveAnswer<Raw> => {
  const count = noticed.length
  let notices: ReadonlyArray<AnswerNotice> | undefined
  return {
    change: write.change,
    items: write.items,
    replaces: write.replaces,
    expects: plan.expects,
    progress: plan.after,
    operation: plan.operation,
    get notices() {
      notices ??= joinNotices(noticed.slice(0, count), plan.notices)
      return notices
    },
    plan
  }
}
