/** Prints `N passed, N failed` as the very last line of a run, also of one that broke. */
import { writeSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

export interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** The closing line; skipped tests are named only when there are any. */
export const closingLine = ({ passed, failed, skipped }: Counts): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`

const countTests = (modules: ReadonlyArray<TestModule>, unhandledErrors: number): Counts => {
  let passed = 0
  let failed = unhandledErrors
  let skipped = 0
  for (const module of modules) {
    // A file that cannot be loaded has no tests, and a hook that throws fails none.
    if (module.state() === 'failed') failed += module.errors().length
    for (const suite of module.children.allSuites()) failed += suite.errors().length
    for (const test of module.children.allTests()) {
      const { state } = test.result()
      if (state === 'passed') passed += 1
      else if (state === 'skipped') skipped += 1
      else failed += 1
    }
  }
  return { passed, failed, skipped }
}

export const countsReporter = (): Reporter => {
  let counts: Counts = { passed: 0, failed: 1, skipped: 0 }
  return {
    onInit: () => {
      // Coverage tables are printed after the run has ended, so the line waits for the process to end.
      process.once('exit', (code) => {
        const silentFailure = code !== 0 && counts.failed === 0 ? 1 : 0
        writeSync(1, `${closingLine({ ...counts, failed: counts.failed + silentFailure })}\n`)
      })
    },
    onTestRunEnd: (modules, unhandledErrors) => {
      counts = countTests(modules, unhandledErrors.length)
    }
  }
}
