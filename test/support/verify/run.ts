/**
 * What `scripts/verify.mjs` runs: the list of jobs, one job in a process of its own, and the page's tables.
 */
import {
  addCounts,
  type Counterexample,
  type Counts,
  type Exploration,
  explore,
  noCounts
} from './explore.js'
import { type Extent, fullExtents, type Job, jobsOf, smallExtents } from './jobs.js'
import { letters } from './letters.js'
import { plantedTables } from './planted.js'
import { library } from './planner.js'
import { vectorOf } from './vector.js'

export const extentsOf = (isSmall: boolean): ReadonlyArray<Extent> => (isSmall ? smallExtents : fullExtents)

export const listJobs = (extents: ReadonlyArray<Extent>): ReadonlyArray<Job> => jobsOf(extents)

/** What a job answers; plain data, so that it can cross between processes. */
export interface JobAnswer {
  readonly counts: Counts
  readonly found: ReadonlyArray<Counterexample>
}

export const runJob = ({ bound, under }: Job): JobAnswer => {
  const { counts, found }: Exploration = explore(library, bound, under)
  return { counts, found: Array.from(found.values()) }
}

/** The smallest counter-example: the shortest turn, then the fewest saves. */
export const smallestOf = (found: ReadonlyArray<Counterexample>): Counterexample | undefined =>
  [...found].sort(
    (left, right) => left.word.length - right.word.length || left.steps.length - right.steps.length
  )[0]

/** The bounds of the check in words, as `docs/explanation/proof.md` holds them. */
export const extentTable = (): string =>
  [
    '| turns of | length | grow after an ended save | policies |',
    '|---|---|---|---|',
    ...fullExtents.map(({ name, length, growth, policies }) => {
      const policy = policies.length === 1 ? 'default' : `${policies.length} others`
      return `| ${name} | up to ${length} | ${growth ? 'yes' : 'no'} | ${policy} |`
    })
  ].join('\n')

export const letterTable = (): string =>
  [
    '| letter | item |',
    '|---|---|',
    ...Object.entries(letters).map(([letter, item]) => `| \`${letter}\` | ${item} |`)
  ].join('\n')

export { addCounts, noCounts, plantedTables, vectorOf }
