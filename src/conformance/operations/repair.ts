/**
 * What is the answer to a question that wants a history mended?
 *
 * Law: the operation `repair` of the contract: the core's edits, and the history in the form in which it came.
 * Complexity: linear, apart from sorting positions.
 *
 * Rules: REPAIR-24, REPAIR-25, REPAIR-26.
 */
import { type Either, isLeft, right } from 'fp-ts/lib/Either.js'
import { type RepairEdit, repairedEntries } from '../../core/edits.js'
import { audit } from '../../core/audit.js'
import { repair } from '../../core/repair.js'
import type { Question, QuestionError } from '../question.js'
import { auditWritten } from '../rebuilt.js'
import { type PlacedViolation, placeViolations, readAudit } from './audit.js'

/** The answer to a repair. */
export interface RepairDocument {
  /** The history after the edits, in the form in which it came. */
  readonly items: ReadonlyArray<unknown>
  readonly order: ReadonlyArray<number>
  readonly edits: ReadonlyArray<RepairEdit>
  readonly remaining: ReadonlyArray<PlacedViolation>
}

/** A repair, with all that the audit finds in what it wrote: warnings, which a repair leaves alone, included. */
export interface Mended {
  readonly document: RepairDocument
  readonly origins: ReadonlyArray<ReadonlyArray<number>>
  readonly violations: ReadonlyArray<PlacedViolation>
}

/** Repairs, and audits what was written. Errors: `invalid-input`. */
export const mendHistory = (question: Question): Either<QuestionError, Mended> => {
  const asked = readAudit(question)
  if (isLeft(asked)) return asked
  const answer = repair(asked.right)
  const { order, edits } = answer
  const given = question.fields['items'] as ReadonlyArray<unknown>
  const written = edits.length === 0 ? undefined : question.decoded.write(repairedEntries(answer))
  const found =
    written === undefined
      ? audit(asked.right).violations
      : auditWritten(asked.right, question.dialect, written)
  const violations = placeViolations(found, question)
  return right({
    document: {
      items: written === undefined ? given : written.raws,
      order,
      edits,
      remaining: violations.filter(({ severity }) => severity === 'error')
    },
    origins: written === undefined ? [] : written.origins,
    violations
  })
}

/** Answers a repair question. Errors: `invalid-input`. */
export const answerRepair = (question: Question): Either<QuestionError, RepairDocument> => {
  const mended = mendHistory(question)
  return isLeft(mended) ? mended : right(mended.right.document)
}
