/**
 * From raw items to raw items ready to append, in one pure step.
 *
 * Law: decode with the handed dialect, plan, apply; the caller does the writing. Complexity: linear in the turn.
 *
 * Rules: ITEM-9, PLAN-1.
 */
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import type { PlanError } from '../core/error.js'
import type { Notice } from '../core/explain.js'
import type { OpenCall } from '../core/item.js'
import type { Outcome } from '../core/outcome.js'
import { planSave, type SavePlan, type StoreKind } from '../core/plan.js'
import type { Policy } from '../core/policy.js'
import type { Progress } from '../core/progress.js'
import type { DecodeError, DecodeNotice, Dialect } from '../ports/dialect.js'
import { applyPlan } from './apply.js'

/** What `saveTurn` is asked: a plan question whose items are raw. */
export interface SaveQuestion<Raw> {
  readonly dialect: Dialect<Raw>
  /** The whole turn as the runner has it, every time. */
  readonly items: unknown
  readonly turn: string
  readonly outcome: Outcome
  readonly policy?: Policy
  readonly progress?: Progress | null
  readonly store?: StoreKind
  readonly open?: ReadonlyArray<OpenCall>
}

/** One write, in raw items. */
export interface SaveAnswer<Raw> {
  readonly change: SavePlan['change']
  /** To be written, in order. */
  readonly items: ReadonlyArray<Raw>
  /** The last entries of this turn in the store that the write takes away, oldest first. */
  readonly replaces: ReadonlyArray<Raw>
  /** The progress that the store must hold before the write. */
  readonly expects: Progress
  /** The progress to keep with the write, in its own transaction. */
  readonly progress: Progress
  readonly operation: string
  /** What was odd, about raw items and about the turn. */
  readonly notices: ReadonlyArray<Notice | DecodeNotice>
  readonly plan: SavePlan
}

/** What the dialect said of an item is not said again by the plan. */
const mergeNotices = (
  decoded: ReadonlyArray<DecodeNotice>,
  planned: ReadonlyArray<Notice>
): ReadonlyArray<Notice | DecodeNotice> => {
  if (decoded.length === 0) return planned
  const said = new Set(decoded.map((notice) => notice.position))
  const repeated = (notice: Notice): boolean =>
    (notice.kind === 'unclassified' || notice.kind === 'missing-call-id') &&
    notice.position !== undefined &&
    said.has(notice.position)
  return [...decoded, ...planned.filter((notice) => !repeated(notice))]
}

/**
 * What one save of a turn writes, as raw items.
 *
 * Errors: those of `planSave`, and `decode` when `items` is no list. Then nothing is to be written.
 * Complexity: linear in the turn. Rules: ITEM-9, PLAN-1.
 */
export const saveTurn = <Raw>(
  question: SaveQuestion<Raw>
): Either<PlanError | DecodeError, SaveAnswer<Raw>> => {
  const { dialect, items, ...rest } = question
  const decoded = dialect.decode(items)
  if (isLeft(decoded)) return left(decoded.left)
  const turn = decoded.right
  const planned = planSave({ ...rest, items: turn.items })
  if (isLeft(planned)) return planned
  const plan = planned.right
  const applied = applyPlan({ dialect, plan, items: turn.items, raws: turn.raws })
  return right({
    change: plan.change,
    items: applied.writes,
    replaces: applied.replaces,
    expects: plan.expects,
    progress: plan.after,
    operation: plan.operation,
    notices: mergeNotices(turn.notices, plan.notices),
    plan
  })
}
