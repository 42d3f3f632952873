/**
 * What a plan is asked, and whether the question is well formed.
 *
 * Law: only this file checks the fields of a question. It looks at no item and at no progress. Complexity: constant,
 * but for the list of open calls.
 *
 * Rules: SELECT-30, PLAN-28.
 */
import { type InvalidInput, invalidInput } from './error.js'
import type { Item, OpenCall } from './item.js'
import type { Outcome } from './outcome.js'
import { defaultPolicy, type Policy, policyValues, seedPolicy } from './policy.js'
import type { Progress } from './progress.js'

/** Whether a store can only take more entries, or can also replace the last entries of a turn. */
export type StoreKind = 'append' | 'replace'

/** What `planSave` is asked. */
export interface PlanQuestion {
  /** The whole turn, every time: never a subset. */
  readonly items: ReadonlyArray<Item>
  /** The runner's id of the turn, the same for every save of it. */
  readonly turn: string
  readonly outcome: Outcome
  /** Default: `defaultPolicy`. The same for every save of one turn. */
  readonly policy?: Policy
  /** What the store holds of this turn; null or absent when it holds nothing. */
  readonly progress?: Progress | null
  /** Default: `append`. */
  readonly store?: StoreKind
  /** Calls that an earlier turn stored and that still wait for their output. */
  readonly open?: ReadonlyArray<OpenCall>
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0

/** Checks the ten fields of a policy (SELECT-30). */
export const checkPolicy = (policy: Policy): InvalidInput | undefined => {
  if (policy === defaultPolicy || policy === seedPolicy) return undefined
  if (typeof policy !== 'object' || policy === null)
    return invalidInput('policy', 'an object with the fields of a policy')
  const values: Readonly<Record<string, ReadonlyArray<string>>> = policyValues
  const given = policy as unknown as Readonly<Record<string, unknown>>
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(values, name))
      return invalidInput(
        `policy.${name}`,
        `absent: there is no such field; the fields are ${Object.keys(values).join(', ')}`
      )
  }
  for (const name of Object.keys(values)) {
    const allowed = values[name] as ReadonlyArray<string>
    if (!allowed.includes(given[name] as string))
      return invalidInput(`policy.${name}`, `one of ${allowed.join(', ')}`)
  }
  return undefined
}

const END_CHECKS = ['none', 'due']
const PENDING_CHECKS = ['none', 'message', 'output', 'input']

/** Checks an outcome against the length of the turn (PLAN-28). */
export const checkOutcome = (outcome: Outcome, length: number): InvalidInput | undefined => {
  if (typeof outcome !== 'object' || outcome === null) return invalidInput('outcome', 'an object with a kind')
  switch (outcome.kind) {
    case 'accepted':
    case 'input-rejected':
      return undefined
    case 'rejected':
      if (outcome.deliverable !== 'message' && outcome.deliverable !== 'output') {
        return invalidInput('outcome.deliverable', 'message or output')
      }
      if (outcome.from === undefined || (isCount(outcome.from) && outcome.from < length)) return undefined
      return invalidInput('outcome.from', `a position of the turn: a whole number from 0 to below ${length}`)
    case 'failed':
    case 'aborted':
      return END_CHECKS.includes(outcome.check) ? undefined : invalidInput('outcome.check', 'none or due')
    case 'open':
      return PENDING_CHECKS.includes(outcome.check)
        ? undefined
        : invalidInput('outcome.check', `one of ${PENDING_CHECKS.join(', ')}`)
    default:
      return invalidInput('outcome.kind', 'one of accepted, rejected, failed, aborted, input-rejected, open')
  }
}

const checkOpen = (open: ReadonlyArray<OpenCall>): InvalidInput | undefined => {
  if (!Array.isArray(open)) return invalidInput('open', 'a list of calls')
  for (let index = 0; index < open.length; index += 1) {
    const call: unknown = open[index]
    if (typeof call !== 'object' || call === null || typeof (call as OpenCall).callId !== 'string') {
      return invalidInput(`open[${index}].callId`, 'a string')
    }
  }
  return undefined
}

/** Checks every field of a question but the progress. */
export const checkQuestion = (question: PlanQuestion): InvalidInput | undefined => {
  if (typeof question !== 'object' || question === null) return invalidInput('question', 'an object')
  const { items, turn, policy = defaultPolicy, store = 'append', open = [] } = question
  if (!Array.isArray(items)) return invalidInput('items', 'a list of items')
  if (typeof turn !== 'string') return invalidInput('turn', 'a string')
  if (store !== 'append' && store !== 'replace') return invalidInput('store', 'append or replace')
  return checkPolicy(policy) ?? checkOpen(open) ?? checkOutcome(question.outcome, items.length)
}
