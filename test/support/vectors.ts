/**
 * The vectors of the specification, read from their files and laid out as single questions and steps.
 */
import { readdirSync, readFileSync } from 'node:fs'
import type { Item, OpenCall } from '../../src/core/item.js'
import type { Outcome } from '../../src/core/outcome.js'
import { defaultPolicy, type Policy, seedPolicy } from '../../src/core/policy.js'
import type { Progress } from '../../src/core/progress.js'
import type { ExpectedPlan } from './answers.js'

type Named = 'default' | 'seed' | Partial<Policy>

export interface VectorInput {
  readonly op: string
  readonly items: ReadonlyArray<Item>
  readonly dialect?: string
  readonly turn?: string
  readonly outcome?: Outcome
  readonly policy?: Named
  readonly progress?: Progress | null
  readonly store?: 'append' | 'replace'
  readonly open?: ReadonlyArray<OpenCall>
}

export type Expectation = ExpectedPlan | { readonly error: { readonly kind: string; readonly path?: string } }

/** What a save writes in the form of a provider, and how many messages it takes away. */
export interface RawResult {
  /** The save is of so many raw values; absent: of all. */
  readonly length?: number
  readonly result?: ReadonlyArray<unknown>
  readonly replaces?: number
}

/** The items of a vector in the form of a provider. */
export interface RawForm extends RawResult {
  readonly dialect: string
  readonly items: ReadonlyArray<unknown>
  readonly signatureScope?: 'next' | 'segment' | 'step' | 'prefix'
}

export interface VectorStep {
  readonly length?: number
  readonly items?: ReadonlyArray<Item>
  readonly outcome: Outcome
  readonly store?: 'append' | 'replace'
  readonly policy?: Named
  readonly raw?: RawResult
  readonly expect: Expectation
}

export interface Vector {
  readonly id?: string
  readonly name: string
  readonly rules: ReadonlyArray<string>
  readonly level: string
  readonly malformed?: true
  readonly input?: VectorInput
  readonly items?: ReadonlyArray<Item>
  readonly policy?: Named
  readonly store?: 'append' | 'replace'
  readonly open?: ReadonlyArray<OpenCall>
  readonly steps?: ReadonlyArray<VectorStep>
  readonly raw?: RawForm
  readonly expect?: unknown
}

/** One save of a vector. `progress` is absent where the progress after the step before is meant. */
export interface Save {
  readonly items: ReadonlyArray<Item>
  readonly turn: string
  readonly outcome: Outcome
  readonly policy: Policy
  readonly store: 'append' | 'replace'
  readonly open: ReadonlyArray<OpenCall>
  readonly progress?: Progress
  readonly expect: Expectation
}

const folder = new URL('../../docs/spec/vectors/', import.meta.url)

export const loadVectors = (): ReadonlyArray<Vector> =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .flatMap((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Array<Vector>)

export const resolvePolicy = (policy: Named | undefined): Policy => {
  if (policy === 'seed') return seedPolicy
  if (policy === undefined || policy === 'default') return defaultPolicy
  // A malformed policy is handed on as it is.
  if (typeof policy !== 'object' || policy === null) return policy
  return { ...defaultPolicy, ...policy }
}

export const savesOf = (vector: Vector): ReadonlyArray<Save> => {
  const turn = vector.input?.turn ?? 'turn'
  if (vector.input !== undefined) {
    const { items, outcome, policy, progress, store, open } = vector.input
    return [
      {
        items,
        turn,
        outcome: outcome ?? { kind: 'accepted' },
        policy: resolvePolicy(policy),
        store: store ?? 'append',
        open: open ?? [],
        ...(progress === undefined || progress === null ? {} : { progress }),
        expect: vector.expect as Expectation
      }
    ]
  }
  let items = vector.items ?? []
  let policy = vector.policy
  return (vector.steps ?? []).map((step) => {
    items = step.items ?? items
    policy = step.policy ?? policy
    return {
      items: items.slice(0, step.length ?? items.length),
      turn,
      outcome: step.outcome,
      policy: resolvePolicy(policy),
      store: step.store ?? vector.store ?? 'append',
      open: vector.open ?? [],
      expect: step.expect
    }
  })
}

/** The check that a save in the middle of a turn names when it knows how the turn will end. */
export const checkToCome = (outcome: Outcome, policy: Policy): 'none' | 'message' | 'output' | 'input' => {
  if (outcome.kind === 'rejected') return outcome.deliverable
  if (outcome.kind === 'input-rejected') return 'input'
  if (outcome.kind === 'failed' || outcome.kind === 'aborted')
    return outcome.check === 'due' && policy.unjudged === 'withhold' ? 'message' : 'none'
  return 'none'
}

/** One question about an ended turn of which nothing is stored, with a plan as its answer. */
export const isPlanned = (vector: Vector): boolean => {
  const [save] = savesOf(vector)
  return (
    vector.input !== undefined &&
    save !== undefined &&
    save.progress === undefined &&
    save.outcome.kind !== 'open' &&
    !('error' in save.expect)
  )
}
