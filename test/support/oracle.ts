/**
 * The slow, obvious oracle: an independent reading of the specification that the library is compared with.
 *
 * Law: nothing here or below it may import from `src/core` more than types, defaults and constructors.
 */
export {
  isOracleError,
  type OracleNotice,
  type OraclePlan,
  oraclePlan
} from './oracle-plan.js'
export { isWellFormed, type OracleError, type Question } from './oracle-question.js'
export { type OracleEntry, type OracleSelection, oracleSelect, type SelectQuestion } from './oracle-select.js'
export { oracleAssociate, oraclePair } from './oracle-turn.js'
