/**
 * What is the answer to a question of the contract?
 *
 * Law: the table of operations, and one function from a question in JSON to a document in JSON. It is pure, it never
 * throws on a value that came from JSON, and it knows no arguments, files or exit states.
 */
import { type Either, isLeft, isRight, left } from 'fp-ts/lib/Either.js'
import { invalidInput } from '../core/error.js'
import { answerAssociate } from './operations/associate.js'
import { answerAudit } from './operations/audit.js'
import { answerPair } from './operations/pair.js'
import { answerPlan } from './operations/plan.js'
import { answerRepair } from './operations/repair.js'
import {
  type Dialects,
  type Fields,
  type Question,
  type QuestionError,
  readFields,
  readQuestion
} from './question.js'

/** One operation: from a question whose items are read to a document. */
export type Operation = (question: Question) => Either<QuestionError, object>

/** Every operation by its name in `op`. */
export const operations: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['plan', answerPlan],
  ['pair', answerPair],
  ['associate', answerAssociate],
  ['audit', answerAudit],
  ['repair', answerRepair]
])

/** An error as the contract shows it. */
export interface ErrorDocument {
  readonly error: { readonly kind: string; readonly message: string; readonly path?: string }
}

/** The document of an error: kind, message and place, and nothing else of it. */
export const errorDocument = (error: {
  readonly kind: string
  readonly message: string
  readonly path?: string
}): ErrorDocument => ({
  error: {
    kind: error.kind,
    message: error.message,
    ...(error.path === undefined ? {} : { path: error.path })
  }
})

/** How a question is asked. */
export interface Asking {
  readonly dialects: Dialects
  /** The operation of a question that names none. */
  readonly op?: string
}

/** Answers a question of any operation. Errors: `invalid-input`, and those of the operation. */
export const tryAnswer = (value: unknown, asking: Asking): Either<QuestionError, object> => {
  const fields = readFields(value)
  if (isLeft(fields)) return fields
  const op = fields.right['op'] === undefined ? asking.op : fields.right['op']
  const operation = typeof op === 'string' ? operations.get(op) : undefined
  if (operation === undefined) return left(invalidInput('op', `one of ${[...operations.keys()].join(', ')}`))
  const question = readQuestion(fields.right, asking.dialects)
  if (isRight(question)) return operation(question.right)
  return findMalformed(fields.right, asking.dialects, operation) ?? question
}

/** A malformed field is told before items that are no list; only `from` cannot be judged without them. */
const findMalformed = (
  fields: Fields,
  dialects: Dialects,
  operation: Operation
): Either<QuestionError, object> | undefined => {
  const question = readQuestion({ ...fields, items: [] }, dialects)
  const answered = isLeft(question) ? question : operation(question.right)
  const tells =
    isLeft(answered) && answered.left.kind === 'invalid-input' && answered.left.path !== 'outcome.from'
  return tells ? answered : undefined
}

/**
 * The document that answers a question: the answer of its operation, or an error.
 *
 * Complexity: linear in the items.
 *
 * @example
 * import { neutral } from 'turnkeep/dialects/neutral'
 * const dialects = { names: ['neutral'], find: () => neutral }
 * answer({ op: 'pair', items: [{ kind: 'call', callId: 'a' }] }, { dialects }) // => { pairs: [], unpaired: [] }
 */
export const answer = (value: unknown, asking: Asking): object => {
  const answered = tryAnswer(value, asking)
  return isLeft(answered) ? errorDocument(answered.left) : answered.right
}
