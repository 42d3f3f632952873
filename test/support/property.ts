/**
 * How property tests draw: the same cases on every run, unless asked otherwise.
 * `TURNKEEP_SEED=17 TURNKEEP_RUNS=10000 npx vitest run --project property` looks elsewhere, and longer.
 */
import fc from 'fast-check'

fc.configureGlobal({
  seed: Number(process.env['TURNKEEP_SEED'] ?? 20261130),
  numRuns: Number(process.env['TURNKEEP_RUNS'] ?? 100)
})
