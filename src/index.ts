/**
 * The library: pure functions over plain data, and their types.
 *
 * Law: named exports only, grouped by what they answer. Nothing in `src` imports this file. Dialects, runners and
 * sessions are subpaths of their own.
 */

// The pure core: what an item, an outcome and a policy are.
export type {
  ApprovalItem,
  CallExecution,
  CallItem,
  CompactionItem,
  ContextItem,
  Executor,
  Item,
  ItemKind,
  MarkerItem,
  MessageItem,
  OpenCall,
  Origin,
  OutputExecution,
  OutputItem,
  ReasoningItem,
  Turn,
  UnclassifiedItem
} from './core/item.js'
export {
  type Aborted,
  type Accepted,
  aborted,
  accepted,
  type Deliverable,
  type EndCheck,
  type EndedOutcome,
  type Failed,
  failed,
  type InputRejected,
  inputRejected,
  type Open,
  type Outcome,
  open,
  type PendingCheck,
  type Rejected,
  rejected
} from './core/outcome.js'
export { defaultPolicy, type Policy, policyValues, seedPolicy } from './core/policy.js'

// What belongs together, and what stays.
export { type AssociateAnswer, type AssociateQuestion, associateReasoning } from './core/associate.js'
export { type PairAnswer, type PairQuestion, pairCalls } from './core/pair.js'
export {
  type RetainQuestion,
  retain,
  type SelectAnswer,
  type SelectQuestion,
  selectItems
} from './core/select.js'

// What a save writes.
export type {
  BeyondTurn,
  EdgeMismatch,
  ForeignTurn,
  InvalidInput,
  OutOfOrder,
  PlanError,
  Untrusted
} from './core/error.js'
export type { Decision } from './core/explain.js'
export type { Notice } from './core/notice.js'
export type { Entries, Entry } from './core/entries.js'
export {
  type Decisions,
  orThrow,
  type PlanDocument,
  planSave,
  planToJSON,
  type SavePlan
} from './core/plan.js'
export type { PlanQuestion, StoreKind } from './core/question.js'
export { type Progress, persistedCount, startProgress } from './core/progress.js'

// A turn that grows: the same answers, linear over its whole life.
export {
  acknowledge,
  extendTurn,
  planTurn,
  resumeTurn,
  type TrackQuestion,
  type TurnTracker,
  trackTurn
} from './core/tracker.js'

// A stored history: what its provider would refuse, and what mends it.
export {
  type AuditAnswer,
  type AuditQuestion,
  type AuditRule,
  audit,
  auditRules,
  type Violation
} from './core/audit.js'
export { checkProfile, type Profile, type ProfileName, profileOf, profiles } from './core/profile.js'
export { type RepairClosing, type RepairEdit, repairedEntries } from './core/edits.js'
export { type RepairAnswer, repair } from './core/repair.js'

// Progress for a store that kept none.
export {
  type CountQuestion,
  progressFromCount,
  type RecoverQuestion,
  recoverProgress
} from './core/recover.js'

// From raw items to raw items, with a handed dialect.
export type { SaveAnswer } from './save/answer.js'
export { type ApplyAnswer, type ApplyQuestion, applyPlan } from './save/apply.js'
export type { AnswerNotice } from './save/notices.js'
export { type SaveQuestion, saveTurn } from './save/save-turn.js'
export type {
  BlockDialect,
  BlockEntry,
  DecodedBlocks,
  DecodeError,
  DecodeNotice,
  Dialect,
  ItemOf,
  Reader,
  Rebuilt,
  RebuildQuestion
} from './ports/dialect.js'

/** The version of the specification that this package follows; not the version of the package. */
export const SPEC_VERSION = '1.0'
