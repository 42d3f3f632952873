/**
 * Does an implementation that can be called conform?
 *
 * Law: drives examinations with a function, for a test suite of any framework. The command line drives the same
 * examinations with another process.
 */
import type { Either } from 'fp-ts/lib/Either.js'
import { left, right } from 'fp-ts/lib/Either.js'
import { type Depth, examine } from './examine.js'
import {
  checkChoice,
  type Choice,
  type ChoiceError,
  chooseVectors,
  claimsSaves,
  type Finding,
  judge,
  type Report,
  sumUp
} from './report.js'
import type { Fields, Vector } from './vector.js'
import { vectors } from './vectors.js'

/** What is checked. */
export interface Conformance extends Choice {
  /** Answers one question of `questions and answers` in plain JSON. */
  readonly answer: (question: Fields) => unknown
  /** Absent: the vectors of this version of the specification. */
  readonly vectors?: ReadonlyArray<Vector>
}

const runVector = (vector: Vector, answer: Conformance['answer'], depth: Depth): Finding | undefined => {
  const examination = examine(vector, depth)
  let next = examination.next()
  while (next.done !== true) {
    let answered: unknown
    try {
      answered = answer(next.value)
    } catch (error) {
      return { kind: 'threw', message: `the function threw: ${String(error)}` }
    }
    next = examination.next(answered)
  }
  return next.value
}

/**
 * Runs the vectors against a function and says what came out.
 *
 * Without a level in `tags`, or with `plan` among them, every question is also asked with its own progress and every
 * turn saved at every split.
 *
 * Errors: `invalid-input` for a tag or a skipped id that fits no vector.
 *
 * @example
 * const report = checkVectors({ answer: () => ({}), tags: ['pair'] })
 * report._tag === 'Right' && report.right.ok // => false
 */
export const checkVectors = (conformance: Conformance): Either<ChoiceError, Report> => {
  const all = conformance.vectors ?? vectors
  const error = checkChoice(all, conformance)
  if (error !== undefined) return left(error)
  const depth = { saves: claimsSaves(conformance), splits: true }
  const results = chooseVectors(all, conformance).map((vector) =>
    judge(vector, runVector(vector, conformance.answer, depth), conformance)
  )
  return right(sumUp(results))
}
