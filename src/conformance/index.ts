/**
 * Proves an implementation of the specification: the vectors, and a checker for a test suite.
 *
 * Law: the public names of `turnkeep/conformance`, and nothing else.
 */
export { type Conformance, checkVectors } from './check.js'
export type { Difference } from './compare.js'
export type { Fault, Way } from './examine.js'
export type { Choice, ChoiceError, Finding, Report, Result, RuleCount, State, Trouble } from './report.js'
export {
  type Fields,
  type Level,
  levels,
  readVectors,
  type SequenceVector,
  type SingleVector,
  type Step,
  type Vector,
  type VectorError
} from './vector.js'
export { vectors } from './vectors.js'
