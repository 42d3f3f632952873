/**
 * What `turnkeep/ai-sdk` exports.
 *
 * Law: names only.
 */
export { type KeepStepsQuestion, keepSteps, type KeptSteps } from './ai-sdk/keep-steps.js'
export type { StepMessage } from './ai-sdk/steps.js'
