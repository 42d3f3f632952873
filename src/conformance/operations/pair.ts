/**
 * What is the answer to a question about pairs?
 *
 * Law: the operation `pair` of the contract. Complexity: linear in the turn.
 *
 * Rules: PAIR-12.
 */
import { type Either, isLeft, right } from 'fp-ts/lib/Either.js'
import { type PairAnswer, pairCalls } from '../../core/pair.js'
import { type Question, type QuestionError, readOpenCalls } from '../question.js'

/** Answers a pair question. Errors: `invalid-input` for `open`. */
export const answerPair = ({ fields, decoded }: Question): Either<QuestionError, PairAnswer> => {
  const open = readOpenCalls(fields['open'])
  return isLeft(open) ? open : right(pairCalls({ items: decoded.items, open: open.right }))
}
