/**
 * What is the answer to a question about a save?
 *
 * Law: the operation `plan` of the contract. It fills in what a question may leave out and asks the core; it decides
 * nothing about an item. Complexity: linear in the turn.
 *
 * Rules: PLAN-1, PLAN-28, PROGRESS-5.
 */
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { invalidInput, type InvalidInput } from '../../core/error.js'
import type { Outcome } from '../../core/outcome.js'
import { type PlanDocument, planSave, planToJSON } from '../../core/plan.js'
import { type PlanQuestion } from '../../core/question.js'
import type { Progress } from '../../core/progress.js'
import { type AnswerNotice, joinNotices } from '../../save/notices.js'
import {
  type Fields,
  isRecord,
  plainDialect,
  type Question,
  type QuestionError,
  readOpenCalls,
  readPolicy
} from '../question.js'

/** The answer: a plan as plain data, with what the dialect had to report. */
export type PlanAnswer = Omit<PlanDocument, 'notices'> & { readonly notices: ReadonlyArray<AnswerNotice> }

const fieldsOfOutcome: ReadonlyMap<unknown, ReadonlyArray<string>> = new Map<unknown, ReadonlyArray<string>>([
  ['accepted', ['kind']],
  ['input-rejected', ['kind']],
  ['rejected', ['kind', 'deliverable', 'from']],
  ['failed', ['kind', 'check']],
  ['aborted', ['kind', 'check']],
  ['open', ['kind', 'check']]
])

/** The core checks what an outcome says; a field that it would not look at is a slip of the pen. */
const readOutcome = (value: unknown): Either<InvalidInput, Outcome> => {
  if (value === undefined) return right({ kind: 'accepted' })
  const known = isRecord(value) ? fieldsOfOutcome.get(value['kind']) : undefined
  if (known !== undefined) {
    const extra = Object.keys(value as Fields).find((name) => !known.includes(name))
    if (extra !== undefined) {
      return left(
        invalidInput(`outcome.${extra}`, `absent: an outcome of this kind has only ${known.join(', ')}`)
      )
    }
  }
  return right(value as Outcome)
}

/** Answers a plan question. Errors: those of `planSave`, and `invalid-input` for a field that is not of its form. */
export const answerPlan = ({ fields, dialect, decoded }: Question): Either<QuestionError, PlanAnswer> => {
  const policy = readPolicy(fields['policy'])
  if (isLeft(policy)) return policy
  const open = readOpenCalls(fields['open'])
  if (isLeft(open)) return open
  const outcome = readOutcome(fields['outcome'])
  if (isLeft(outcome)) return outcome
  const plan = planSave({
    items: decoded.items,
    turn: (fields['turn'] === undefined ? 'turn' : fields['turn']) as string,
    outcome: outcome.right,
    policy: policy.right,
    progress: (fields['progress'] ?? null) as Progress | null,
    store: (fields['store'] === undefined ? 'append' : fields['store']) as NonNullable<PlanQuestion['store']>,
    open: open.right
  })
  if (isLeft(plan)) return plan
  const document = planToJSON(plan.right)
  // The specification says nothing about ids that repeat; a wire format does.
  const said =
    dialect.name === plainDialect
      ? decoded.notices.filter(({ kind }) => kind !== 'repeated-id')
      : decoded.notices
  return right({ ...document, notices: joinNotices(said, document.notices) })
}
