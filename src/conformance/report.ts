/**
 * Which vectors are run, and what do their results say together?
 *
 * Law: selection by tags and dialect, the skip list, and the count per rule. A vector that is skipped is run all the
 * same, and passing is then its fault: so a skip list cannot rot. Complexity: linear in the vectors.
 */
import type { Fault } from './examine.js'
import { isFields, levels, type Vector } from './vector.js'

/** Why there is no answer that could be compared. */
export interface Trouble {
  readonly kind: 'crash' | 'timeout' | 'not-json' | 'extra-line' | 'order' | 'threw'
  readonly message: string
}

/** What went wrong: an answer that differs, or none that could be compared. */
export type Finding = Fault | Trouble

/** `passed` and `skipped` are well; a vector that was skipped and passes is `unskipped`. */
export type State = 'passed' | 'failed' | 'skipped' | 'unskipped'

export interface Result {
  readonly vector: Vector
  readonly state: State
  /** Absent where the vector passed. */
  readonly finding?: Finding
}

/** How many of a rule's vectors passed, and the ids of those that did not. */
export interface RuleCount {
  readonly rule: string
  readonly vectors: number
  readonly passed: number
  readonly failed: ReadonlyArray<string>
}

export interface Report {
  readonly ok: boolean
  readonly passed: number
  readonly failed: number
  /** Skipped vectors that fail, as they have to. */
  readonly skipped: number
  /** Skipped vectors that pass: each is an error of the list. */
  readonly unskipped: number
  readonly results: ReadonlyArray<Result>
  /** Every rule that a vector shows, in the order of the vectors. */
  readonly rules: ReadonlyArray<RuleCount>
}

/** Which vectors to run. */
export interface Choice {
  /** Levels and flags, such as `select` or `lost-side-effect`: of each kind that is named, one has to fit. */
  readonly tags?: ReadonlyArray<string>
  /** Ids that are known to fail. */
  readonly skip?: ReadonlyArray<string>
  /** Dialects that the other side has besides `neutral`. */
  readonly dialects?: ReadonlyArray<string>
}

/** A tag or an id that fits no vector: a slip that would otherwise make a test run empty. */
export interface ChoiceError {
  readonly kind: 'invalid-input'
  readonly message: string
  readonly path: 'tags' | 'skip'
}

const isLevel = (tag: string): boolean => levels.some((level) => level === tag)

const dialectOf = (vector: Vector): unknown =>
  'input' in vector && isFields(vector.input) ? (vector.input['dialect'] ?? 'neutral') : 'neutral'

/** What is wrong with a choice, or undefined. */
export const checkChoice = (all: ReadonlyArray<Vector>, choice: Choice): ChoiceError | undefined => {
  const known = new Set<string>(levels)
  const ids = new Set<string>()
  for (const { flags, id } of all) {
    for (const flag of flags) known.add(flag)
    ids.add(id)
  }
  const tag = (choice.tags ?? []).find((each) => !known.has(each))
  if (tag !== undefined) {
    const message = `tags: expected levels or flags (${[...known].join(', ')}), found ${tag}`
    return { kind: 'invalid-input', message, path: 'tags' }
  }
  const skip = (choice.skip ?? []).find((each) => !ids.has(each))
  if (skip === undefined) return undefined
  return { kind: 'invalid-input', message: `skip: there is no vector ${skip}`, path: 'skip' }
}

/** The vectors of a choice, in their order. */
export const chooseVectors = (all: ReadonlyArray<Vector>, choice: Choice): ReadonlyArray<Vector> => {
  const tags = choice.tags ?? []
  const wantedLevels = tags.filter(isLevel)
  const wantedFlags = tags.filter((tag) => !isLevel(tag))
  return all.filter((vector) => {
    const dialect = dialectOf(vector)
    return (
      (wantedLevels.length === 0 || wantedLevels.includes(vector.level)) &&
      (wantedFlags.length === 0 || vector.flags.some((flag) => wantedFlags.includes(flag))) &&
      (dialect === 'neutral' || (choice.dialects ?? []).some((each) => each === dialect))
    )
  })
}

/** Whether a choice claims the level `plan`, at which saves follow each other. */
export const claimsSaves = ({ tags = [] }: Choice): boolean => !tags.some(isLevel) || tags.includes('plan')

/** The result of one vector. */
export const judge = (vector: Vector, finding: Finding | undefined, choice: Choice): Result => {
  const skipped = (choice.skip ?? []).includes(vector.id)
  if (finding === undefined) return { vector, state: skipped ? 'unskipped' : 'passed' }
  return { vector, state: skipped ? 'skipped' : 'failed', finding }
}

/** All results together. `extra` are failures of the dialogue, which belong to no vector. */
export const sumUp = (results: ReadonlyArray<Result>, extra: ReadonlyArray<Trouble> = []): Report => {
  const count = (state: State): number => results.filter((result) => result.state === state).length
  const rules = new Map<string, { vectors: number; passed: number; failed: Array<string> }>()
  for (const { vector, finding } of results) {
    for (const rule of vector.rules) {
      const counted = rules.get(rule) ?? { vectors: 0, passed: 0, failed: [] }
      counted.vectors += 1
      if (finding === undefined) counted.passed += 1
      else counted.failed.push(vector.id)
      rules.set(rule, counted)
    }
  }
  const failed = count('failed')
  const unskipped = count('unskipped')
  return {
    ok: failed === 0 && unskipped === 0 && extra.length === 0,
    passed: count('passed'),
    failed,
    skipped: count('skipped'),
    unskipped,
    results,
    rules: [...rules].map(([rule, counted]) => ({ rule, ...counted }))
  }
}
