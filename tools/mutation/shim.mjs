/**
 * What the tests of the core take from `vitest`, without its workers: the parts that vitest itself is made of.
 *
 * Law: only this file says what `vitest` means under mutation. A name that is missing here fails the dry run.
 */
import {
  ASYMMETRIC_MATCHERS_OBJECT,
  chai,
  JestAsymmetricMatchers,
  JestChaiExpect,
  JestExtend
} from '@vitest/expect'
import { createTaskCollector, getCurrentSuite, getHooks } from '@vitest/runner'

export { afterAll, afterEach, beforeAll, beforeEach, describe, it, test } from '@vitest/runner'

chai.use(JestExtend)
chai.use(JestChaiExpect)
chai.use(JestAsymmetricMatchers)

export const expect = Object.assign(
  (value, message) => chai.expect(value, message),
  chai.expect,
  globalThis[ASYMMETRIC_MATCHERS_OBJECT]
)

/** What `@fast-check/vitest` makes its tests with. */
export const TestRunner = {
  createTaskCollector,
  getCurrentSuite,
  getSuiteHooks: getHooks,
  getCurrentTest: () => globalThis.turnkeepTest
}
