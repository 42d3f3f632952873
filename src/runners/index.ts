/**
 * What `turnkeep/runners` exports.
 *
 * Law: names only.
 */
export type { AbortSignalLike } from '../ports/abort-signal.js'
export {
  type Ending,
  outcomeOfThrown,
  type ReadThrown,
  type RejectionError,
  type SaveFailedError,
  type Stage,
  type TurnReport,
  type Verdict
} from './ending.js'
export { promises, type RanTurn, type RunnerPromises } from './promises.js'
export { type RunQuestion, type RunSettings, runTurn, type TurnHandle } from './run.js'
export {
  type Planned,
  resend,
  type SaveError,
  settle,
  type Settlement,
  type SettleQuestion,
  type TurnSettings
} from './settle.js'
export { type StreamQuestion, streamTurn, type TurnStream } from './stream.js'
export { type RunningTurn, startTurn } from './turn.js'
