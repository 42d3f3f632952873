import { fileURLToPath } from 'node:url'

process.env['TURNKEEP_SEED'] = '20261130'
process.env['TURNKEEP_RUNS'] = '20'

// Results are kept and used again, in one file for each part of the core that is tried by itself.
const part = process.env['TURNKEEP_PART'] ?? 'core'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  plugins: [here('./runner.mjs')],
  testRunner: 'in-process',
  mutate: ['src/core/**/*.ts'],
  coverageAnalysis: 'perTest',
  ignoreStatic: true,
  concurrency: 2,
  incremental: true,
  incrementalFile: `tools/mutation/.stryker/${part}.incremental.json`,
  tempDirName: '.stryker-tmp',
  ignorePatterns: ['/dist*', '/bench', '/coverage', '/reports', '__pycache__', '/tools/mutation/.stryker'],
  reporters: ['clear-text', 'progress-append-only'],
  clearTextReporter: { logTests: false, allowColor: false, reportTests: false, reportScoreTable: true },
  // A loop that does not end is stopped by the hits that Stryker counts; the clock has to bear a busy machine.
  timeoutMS: 20_000,
  timeoutFactor: 2
}
