/**
 * The slow, obvious oracle: an independent reading of the specification that the library is compared with.
 *
 * Law: nothing here or below it may import from `src/core` more than types, defaults and constructors.
 */
export {
  isOracleError,
  isWellFormed,
  type OracleError,
  type OracleNotice,
  type OraclePlan,
  oraclePlan,
  type Question
} from './oracle-plan.js'
export { type OracleEntry, type OracleSelection, oracleSelect, type SelectQuestion } from './oracle-select.js'
export { oracleAssociate, oraclePair } from './oracle-turn.js'
