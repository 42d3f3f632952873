/**
 * What `turnkeep/openai-agents` exports: two ways to keep what an agent of the OpenAI Agents SDK has done.
 *
 * Law: names only. The SDK is used through its public exports.
 */
export type { StaleStateError } from './openai-agents/kept.js'
export { type RetainingOptions, retaining } from './openai-agents/retaining.js'
export type { RetentionReport } from './openai-agents/save-run.js'
export { type TransactionRefusal, withTransactions } from './openai-agents/transactions.js'
