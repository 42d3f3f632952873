/**
 * From raw items to raw items ready to append, in one pure step.
 *
 * Law: decode with the handed dialect, plan, apply; the caller does the writing. A format whose messages hold many
 * items is left to `messages.ts`. Complexity: linear in the turn.
 *
 * Rules: ITEM-9, PLAN-1.
 */
import { type Either, isLeft, right } from 'fp-ts/lib/Either.js'
import type { PlanError } from '../core/error.js'
import { planSave, type SavePlan } from '../core/plan.js'
import type { PlanQuestion } from '../core/question.js'
import type { BlockDialect, Decoded, DecodeError, Dialect, ItemOf } from '../ports/dialect.js'
import { answerOf, type SaveAnswer, type Write } from './answer.js'
import { applyPlan } from './apply.js'
import { saveMessages, type SaveMessagesQuestion } from './messages.js'

/** What `saveTurn` is asked: a plan question whose items are raw. */
export interface SaveQuestion<Raw, Given = unknown> extends Omit<PlanQuestion, 'items'> {
  /** Of a format whose items are whole, or of one whose messages hold many. */
  readonly dialect: Dialect<Raw> | BlockDialect<Raw>
  /** The whole turn as the runner has it, every time. What is in it comes back as it is, with its type. */
  readonly items: Given
  /** What a signature of the provider vouches for, in a format of messages. Only `prefix` changes what is written. */
  readonly signatureScope?: SaveMessagesQuestion<Raw>['signatureScope']
}

/**
 * What one save of a turn writes, as raw items.
 *
 * Errors: those of `planSave`, and `decode` when `items` is no list. Then nothing is to be written.
 * Complexity: linear in the turn. Rules: ITEM-1, ITEM-9, PLAN-1, EXPLAIN-4, BLOCK-9 to BLOCK-12.
 */
export const saveTurn = <Raw, Given = unknown>(
  question: SaveQuestion<Raw, Given>
): Either<PlanError | DecodeError, SaveAnswer<ItemOf<Raw, Given>>> => {
  type Own = ItemOf<Raw, Given>
  const { dialect: given, items, signatureScope, ...rest } = question
  if ('rebuild' in given) {
    const scope = signatureScope === undefined ? {} : { signatureScope }
    return saveMessages({ ...rest, ...scope, items, dialect: given as unknown as BlockDialect<Own> })
  }
  // The dialect hands back what it was given, so that what it decodes is of the caller's own type.
  const dialect = given as unknown as Dialect<Own>
  const decoded: Either<DecodeError, Decoded<Own>> = dialect.decode(items)
  if (isLeft(decoded)) return decoded
  const turn = decoded.right
  const planned = planSave({ ...rest, items: turn.items })
  if (isLeft(planned)) return planned
  return right(answerOf(planned.right, writeItems(dialect, turn, planned.right), turn.notices))
}

/** The raw items that a plan writes and takes away. Complexity: linear in the entries. */
export const writeItems = <Raw>(
  dialect: Dialect<Raw>,
  turn: Pick<Decoded<Raw>, 'items' | 'raws'>,
  plan: SavePlan
): Write<Raw> => {
  const { writes, replaces } = applyPlan({ dialect, plan, items: turn.items, raws: turn.raws })
  return { change: plan.change, items: writes, replaces }
}
