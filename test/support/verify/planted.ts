/**
 * What the exhaustive check finds in planners with a planted bug: the table of `docs/explanation/proof.md`.
 */
import { type Counterexample, explore } from './explore.js'
import { pairAlphabet } from './letters.js'
import { furtherMutants, type Mutant, seedMutants } from './mutants.js'
import { defaultPolicy } from '../../../src/core/policy.js'

export interface Caught {
  readonly mutant: Mutant
  /** The smallest counter-example of each rule that was broken. */
  readonly found: ReadonlyArray<Counterexample>
}

/** Short turns on both kinds of store: enough for all of them. */
export const catchMutant = (mutant: Mutant): Caught => {
  const found: Array<Counterexample> = []
  for (const store of ['replace', 'append'] as const) {
    const bound = {
      policyName: 'default',
      policy: defaultPolicy,
      alphabet: mutant.alphabet ?? pairAlphabet,
      length: mutant.length ?? 2,
      growth: false,
      store
    }
    for (const counterexample of explore(mutant.planner, bound).found.values()) {
      const known = found.findIndex((other) => other.rule === counterexample.rule)
      if (known === -1) found.push(counterexample)
      else if (counterexample.word.length < (found[known] as Counterexample).word.length)
        found[known] = counterexample
    }
  }
  return {
    mutant,
    found: found.sort((left, right) => left.rule.localeCompare(right.rule, 'en', { numeric: true }))
  }
}

const outcomeOf = (outcome: Counterexample['steps'][number]['outcome']): string => {
  if (outcome.kind === 'open') return `open, check ${outcome.check}`
  if (outcome.kind !== 'rejected') return outcome.kind
  const from = outcome.from === undefined ? '' : ` from ${outcome.from}`
  return `rejected ${outcome.deliverable}${from}`
}

const runOf = ({ word, store, steps }: Counterexample): string =>
  `\`${word}\` on ${store}: ${steps.map(({ length, outcome }) => `${outcomeOf(outcome)} at ${length}`).join('; ')}`

/** The invariant that says it best: the first of the nine, else the first rule. */
const firstOf = ({ found }: Caught): Counterexample | undefined =>
  found.find(({ rule }) => rule.startsWith('INV-')) ?? found[0]

/** What was caught, as a table of the page. */
export const tableOf = (all: ReadonlyArray<Caught>): string =>
  [
    '| planted bug | it | caught by | smallest run |',
    '|---|---|---|---|',
    ...all.map((caught) => {
      const { mutant, found } = caught
      const first = firstOf(caught)
      const rules = found.map(({ rule }) => (rule === first?.rule ? `**${rule}**` : rule)).join(', ')
      return `| ${mutant.name} | ${mutant.does} | ${rules} | ${first === undefined ? 'not caught' : runOf(first)} |`
    })
  ].join('\n')

/** The two tables, as the page holds them. */
export const plantedTables = (): { readonly seed: string; readonly further: string } => ({
  seed: tableOf(seedMutants.map(catchMutant)),
  further: tableOf(furtherMutants.map(catchMutant))
})
