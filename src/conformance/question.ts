/**
 * What does a question in JSON ask?
 *
 * Law: only this file reads a question: which fields it may have, the items in the words of the specification, and the
 * policy by name. What a field must hold is checked where it is used. Nothing is assumed about the value: it comes from
 * a file or from another program. Complexity: linear in the items.
 *
 * Rules: ITEM-9, SELECT-30, AUDIT-2.
 */
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import type { OpenCall } from '../core/item.js'
import { invalidInput, type InvalidInput, type PlanError } from '../core/error.js'
import { checkPolicy } from '../core/question.js'
import { defaultPolicy, type Policy, seedPolicy } from '../core/policy.js'
import { checkProfile, type Profile, type ProfileName } from '../core/profile.js'
import type { DecodeError } from '../ports/dialect.js'
import { type AnyDialect, type ReadItems, readItems } from './reading.js'

/** Why a question has no answer. Names the place and what was expected, never a payload. */
export type QuestionError = PlanError | DecodeError

/** The fields of a question as they were read, none of them checked. */
export type Fields = Readonly<Record<string, unknown>>

/** A question whose items are read. */
export interface Question {
  readonly fields: Fields
  readonly dialect: AnyDialect
  readonly decoded: ReadItems
}

/** The dialects that are at hand when a question is asked. */
export interface Dialects {
  readonly names: ReadonlyArray<string>
  readonly find: (name: string) => AnyDialect | undefined
}

/** Every field that a question of any operation may have. */
export const fieldNames: ReadonlyArray<string> = [
  'op',
  'items',
  'dialect',
  'turn',
  'outcome',
  'policy',
  'progress',
  'store',
  'open',
  'profile',
  'atRest'
]

/** The dialect of a question that names none. */
export const plainDialect = 'neutral'

/** Whether a value is an object with named fields. */
export const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads the fields of a question. Errors: `invalid-input` when it is no object or has a field of another name. */
export const readFields = (value: unknown): Either<QuestionError, Fields> => {
  if (!isRecord(value)) return left(invalidInput('question', 'an object with items'))
  for (const name of Object.keys(value)) {
    if (!fieldNames.includes(name)) {
      return left(
        invalidInput(name, `absent: there is no such field; the fields are ${fieldNames.join(', ')}`)
      )
    }
  }
  return right(value)
}

/** The name of the dialect in which a question's items are written, if it is a name at all. */
export const dialectNameOf = (value: unknown): string | undefined => {
  if (!isRecord(value)) return undefined
  const name = value['dialect'] === undefined ? plainDialect : value['dialect']
  return typeof name === 'string' ? name : undefined
}

/** Reads the items of a question. Errors: `invalid-input` for an unknown dialect, `decode` for items that are no list. */
export const readQuestion = (value: unknown, dialects: Dialects): Either<QuestionError, Question> => {
  const fields = readFields(value)
  if (isLeft(fields)) return fields
  const name = dialectNameOf(value)
  const dialect = name === undefined ? undefined : dialects.find(name)
  if (dialect === undefined) return left(invalidInput('dialect', `one of ${dialects.names.join(', ')}`))
  const decoded = readItems(dialect, fields.right['items'])
  if (isLeft(decoded))
    return left({ ...decoded.left, path: 'items', message: 'items must be a list of items' })
  return right({ fields: fields.right, dialect, decoded: decoded.right })
}

/** The policy that a question names, in part or as a preset. Errors: `invalid-input`. */
export const readPolicy = (value: unknown): Either<InvalidInput, Policy> => {
  if (value === undefined || value === 'default') return right(defaultPolicy)
  if (value === 'seed') return right(seedPolicy)
  if (!isRecord(value)) {
    return left(invalidInput('policy', 'default, seed, or an object with the fields that differ'))
  }
  const policy: Policy = { ...defaultPolicy, ...value }
  const error = checkPolicy(policy)
  return error === undefined ? right(policy) : left(error)
}

/** The calls of earlier turns that a question names. Errors: `invalid-input`. */
export const readOpenCalls = (value: unknown): Either<InvalidInput, ReadonlyArray<OpenCall>> => {
  if (value === undefined) return right([])
  if (!Array.isArray(value)) return left(invalidInput('open', 'a list of calls'))
  const calls: Array<OpenCall> = []
  for (let index = 0; index < value.length; index += 1) {
    const call: unknown = value[index]
    const path = `open[${index}]`
    if (!isRecord(call)) return left(invalidInput(path, 'an object with a callId'))
    const { callId, namespace } = call
    if (typeof callId !== 'string') return left(invalidInput(`${path}.callId`, 'a string'))
    if (namespace === undefined) calls.push({ callId })
    else if (typeof namespace === 'string') calls.push({ callId, namespace })
    else return left(invalidInput(`${path}.namespace`, 'a string'))
  }
  return right(calls)
}

/** The profile that a question names, as a preset or in part. Absent: `neutral`. Errors: `invalid-input`. */
export const readProfile = (value: unknown): Either<InvalidInput, ProfileName | Partial<Profile>> => {
  if (value === undefined) return right('neutral')
  const problem = checkProfile(value)
  return problem === undefined ? right(value as ProfileName | Partial<Profile>) : left(problem)
}
