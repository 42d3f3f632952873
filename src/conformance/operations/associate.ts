/**
 * What is the answer to a question about reasoning?
 *
 * Law: the operation `associate` of the contract. Of the policy only `association` matters. Complexity: linear.
 *
 * Rules: REASON-6.
 */
import { type Either, isLeft, right } from 'fp-ts/lib/Either.js'
import { type AssociateAnswer, associateReasoning } from '../../core/associate.js'
import { type Question, type QuestionError, readPolicy } from '../question.js'

/** Answers an associate question. Errors: `invalid-input` for the policy. */
export const answerAssociate = ({ fields, decoded }: Question): Either<QuestionError, AssociateAnswer> => {
  const policy = readPolicy(fields['policy'])
  if (isLeft(policy)) return policy
  return right(associateReasoning({ items: decoded.items, association: policy.right.association }))
}
