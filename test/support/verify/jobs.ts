/**
 * How far the exhaustive check goes, and how that is divided into pieces for several processes.
 */
import { defaultPolicy, type Policy, policyValues, seedPolicy } from '../../../src/core/policy.js'
import type { Bound } from './explore.js'
import { callAlphabet, fullAlphabet, nextLetters, pairAlphabet } from './letters.js'

export interface Extent {
  readonly name: string
  readonly alphabet: string
  readonly length: number
  readonly growth: boolean
  readonly policies: ReadonlyArray<readonly [string, Policy]>
}

const byDefault: Extent['policies'] = [['default', defaultPolicy]]

/** Every policy that differs from the default one in one field, and the preset of the seed. */
const otherPolicies: Extent['policies'] = [
  ['seed', seedPolicy],
  ...Object.entries(policyValues).flatMap(([field, values]) =>
    values
      .slice(1)
      .map(
        (value) => [`${field}: ${value}`, { ...defaultPolicy, [field]: value }] as readonly [string, Policy]
      )
  )
]

/** The bounds of `npm run verify`. */
export const fullExtents: ReadonlyArray<Extent> = [
  {
    name: 'every kind of item, open saves',
    alphabet: fullAlphabet,
    length: 4,
    growth: false,
    policies: byDefault
  },
  {
    name: 'every kind of item, ended saves anywhere and growth',
    alphabet: fullAlphabet,
    length: 3,
    growth: true,
    policies: byDefault
  },
  {
    name: 'user, reasoning, message, two calls with outputs',
    alphabet: callAlphabet,
    length: 5,
    growth: false,
    policies: byDefault
  },
  {
    name: 'reasoning, message, one call with output',
    alphabet: pairAlphabet,
    length: 6,
    growth: false,
    policies: byDefault
  },
  {
    name: 'user, reasoning, message, two calls with outputs, every other value of every policy field',
    alphabet: callAlphabet,
    length: 3,
    growth: true,
    policies: otherPolicies
  }
]

/** The bounds of `npm test`. */
export const smallExtents: ReadonlyArray<Extent> = [
  {
    name: 'every kind of item, ended saves anywhere and growth',
    alphabet: fullAlphabet,
    length: 2,
    growth: true,
    policies: byDefault
  },
  {
    name: 'reasoning, message, one call with output',
    alphabet: pairAlphabet,
    length: 3,
    growth: false,
    policies: byDefault
  },
  {
    name: 'user, one call with output, ended saves anywhere and growth',
    alphabet: 'uaA',
    length: 3,
    growth: true,
    policies: byDefault
  },
  {
    name: 'every other value of every policy field',
    alphabet: pairAlphabet,
    length: 2,
    growth: false,
    policies: otherPolicies
  }
]

export interface Job {
  readonly extent: string
  readonly bound: Bound
  readonly under: string
}

/** The longest words first, so that no process is left with much at the end. */
export const jobsOf = (extents: ReadonlyArray<Extent>): ReadonlyArray<Job> =>
  extents.flatMap(({ name, alphabet, length, growth, policies }) =>
    policies.flatMap(([policyName, policy]) =>
      (['append', 'replace'] as const).flatMap((store): ReadonlyArray<Job> => {
        const bound = { policyName, policy, alphabet, growth, store, length }
        if (length < 4) return [{ extent: name, bound, under: '' }]
        const under = nextLetters('', alphabet).flatMap((first) =>
          nextLetters(first, alphabet).map((second) => first + second)
        )
        return [
          ...under.map((prefix) => ({ extent: name, bound, under: prefix })),
          { extent: name, bound: { ...bound, length: 1 }, under: '' }
        ]
      })
    )
  )
