/**
 * What is the answer to a question about a stored history?
 *
 * Law: the operation `audit` of the contract. It reads the fields that an audit and a repair share, and adds the place in
 * the raw form where there is one. Complexity: linear.
 *
 * Rules: AUDIT-1, AUDIT-2.
 */
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { type AuditQuestion, audit, type Violation } from '../../core/audit.js'
import { invalidInput } from '../../core/error.js'
import { plainDialect, type Question, type QuestionError, readOpenCalls, readProfile } from '../question.js'

/** A violation, with its place in the raw form. */
export interface PlacedViolation extends Violation {
  /** Absent where the items came in the words of the specification. */
  readonly path?: string
}

/** The answer to an audit. */
export interface AuditDocument {
  readonly violations: ReadonlyArray<PlacedViolation>
}

/** What the core is asked. Errors: `invalid-input` for `profile`, `open` and `atRest`. */
export const readAudit = ({ fields, decoded }: Question): Either<QuestionError, AuditQuestion> => {
  const profile = readProfile(fields['profile'])
  if (isLeft(profile)) return profile
  const open = readOpenCalls(fields['open'])
  if (isLeft(open)) return open
  const { atRest } = fields
  if (atRest !== undefined && typeof atRest !== 'boolean')
    return left(invalidInput('atRest', 'true or false'))
  return right({
    items: decoded.items,
    profile: profile.right,
    open: open.right,
    atRest: atRest === true
  })
}

/** Violations with their places; as they are in the words of the specification, where a position says it all. */
export const placeViolations = (
  violations: ReadonlyArray<Violation>,
  { dialect, decoded }: Question
): ReadonlyArray<PlacedViolation> =>
  dialect.name === plainDialect
    ? violations
    : violations.map((violation) => ({ ...violation, path: `items${decoded.pathOf(violation.position)}` }))

/** Answers an audit question. Errors: `invalid-input`. */
export const answerAudit = (question: Question): Either<QuestionError, AuditDocument> => {
  const asked = readAudit(question)
  if (isLeft(asked)) return asked
  return right({ violations: placeViolations(audit(asked.right).violations, question) })
}
