/**
 * The exhaustive check up to a small bound, and that it can fail. `npm run verify` goes further.
 */
import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { fillPage } from '../../scripts/verify.mjs'
import { explore } from '../support/verify/explore.js'
import { jobsOf, smallExtents } from '../support/verify/jobs.js'
import { catchMutant, type Caught, tableOf } from '../support/verify/planted.js'
import { furtherMutants, seedMutants } from '../support/verify/mutants.js'
import { library } from '../support/verify/planner.js'
import { extentTable, letterTable, smallestOf, vectorOf } from '../support/verify/run.js'

const jobs = jobsOf(smallExtents)

describe('the save protocol', () => {
  it.each(jobs.map((job) => [job.extent, job.bound.policyName, job.bound.store, job] as const))(
    'keeps every invariant in every short run: %s, %s, %s [PLAN-25, PLAN-26]',
    (_extent, _policy, _store, { bound, under }) => {
      const { counts, found } = explore(library, bound, under)
      const smallest = smallestOf([...found.values()])
      expect(smallest === undefined ? undefined : [smallest.rule, smallest.detail, vectorOf(smallest)]).toBe(
        undefined
      )
      // What was not tried cannot fail.
      expect(counts.turns).toBeGreaterThan(15)
      expect(counts.plans).toBeGreaterThan(counts.states)
      expect(counts.growingPlans).toBeGreaterThan(counts.plans)
    }
  )
})

describe('the check itself', () => {
  const caught = new Map<string, Caught>(
    [...seedMutants, ...furtherMutants].map((mutant) => [mutant.name, catchMutant(mutant)])
  )
  const rulesOf = (name: string): ReadonlyArray<string> =>
    caught.get(name)?.found.map(({ rule }) => rule) ?? []

  it.each([
    ['split save', 'INV-3'],
    ['count as position', 'INV-1'],
    ['forward scan that stops at any item', 'INV-4'],
    ['every reasoning kept', 'INV-4'],
    ['outputs redacted but never restored', 'PLAN-14'],
    ['operation id without a turn', 'INV-1'],
    ['rejection ignored', 'INV-2'],
    ['unprotected effects not listed', 'INV-1'],
    ['closings forgotten', 'INV-5'],
    ['progress forgotten', 'PLAN-25'],
    ['ids never given back', 'INV-7'],
    ['start of the rejected part lost', 'INV-6']
  ])('catches a planner with the planted bug "%s" by %s', (name, rule) => {
    expect(rulesOf(name)).toContain(rule)
  })

  it('prints a counter-example as a vector of the specification', () => {
    const schema = JSON.parse(readFileSync('docs/spec/vector.schema.json', 'utf8')) as object
    const validate = new Ajv2020({ strict: false }).compile(schema)
    for (const { found } of caught.values())
      for (const counterexample of found) {
        const vector = JSON.parse(JSON.stringify(vectorOf(counterexample))) as unknown
        expect([validate(vector), validate.errors]).toEqual([true, null])
      }
  })

  it('has its tables in docs/explanation/proof.md as they are', () => {
    const page = readFileSync('docs/explanation/proof.md', 'utf8')
    const tableFor = (mutants: typeof seedMutants): string =>
      tableOf(mutants.map((mutant) => caught.get(mutant.name) as Caught))
    const parts = {
      letters: letterTable(),
      extents: extentTable(),
      planted: tableFor(seedMutants),
      further: tableFor(furtherMutants)
    }
    expect(fillPage(page, parts)).toBe(page)
  })
})
