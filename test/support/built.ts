/** Before the tests of the built package: dist is what the sources say. Declarations are left to `npm test`. */
import { build } from '../../scripts/build.mjs'

export const setup = (): void => build({ declarations: false, onlyIfStale: true })
