/**
 * What every session store must do, as cases that any test runner can run.
 *
 * Law: only this file says what is expected of a store from outside; it uses nothing but the port. A case throws an
 * `Error` that names what was expected, and knows no test framework.
 *
 * Rules: PLAN-1, PLAN-14, PROGRESS-8.
 */
import type { Place } from './contract/expect.js'
import { turns } from './contract/turns.js'
import { values } from './contract/values.js'
import { writes } from './contract/writes.js'

export type { Place } from './contract/expect.js'

/** One expectation. */
export interface ContractCase {
  readonly name: string
  /** Rejects with an `Error` when the store does not hold the contract. */
  readonly run: () => Promise<void>
}

/**
 * The cases that a session store must pass. Each one asks for a place of its own and closes it.
 *
 * Complexity: the largest case writes 100,000 entries. Rules: PLAN-1, PLAN-14, PROGRESS-2, PROGRESS-8.
 *
 * @example
 * const makePlace = () => ({ open: (sessionId) => openMyStore(sessionId) })
 * storeContract(makePlace).length > 20 // => true
 */
export const storeContract = (makePlace: () => Promise<Place> | Place): ReadonlyArray<ContractCase> =>
  Object.entries({ ...writes, ...turns, ...values }).map(([name, run]) => ({
    name,
    run: async () => {
      const place = await makePlace()
      try {
        await run(place)
      } finally {
        await place.close?.()
      }
    }
  }))
