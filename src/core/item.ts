/**
 * What an item is.
 *
 * Law: only this file says which facts about an item the rules may look at, and how an item is read when a
 * field is absent. It knows no provider: a dialect maps wire items onto these words and keeps the raw value.
 * Reading an item costs a constant number of property reads.
 *
 * Rules: ITEM-1 to ITEM-9.
 */

/** The closed list of kinds. Anything a dialect cannot place is `unclassified`, never a guess. */
export type ItemKind =
  | 'message'
  | 'reasoning'
  | 'call'
  | 'output'
  | 'approval'
  | 'compaction'
  | 'context'
  | 'marker'
  | 'unclassified'

/** Who put the item into the turn. A result that the provider produced itself has origin `model`. */
export type Origin = 'model' | 'runner' | 'user'

/** Who runs a call. A provider may answer its own call inline, later or never. */
export type Executor = 'runner' | 'provider'

/** What is known of a call before it has an output. Absent: unknown. */
export type CallExecution = 'running' | 'pending' | 'skipped' | 'denied'

/** What became of the tool, as its output says. Absent: `executed`. */
export type OutputExecution = 'executed' | 'failed' | 'denied' | 'skipped' | 'interrupted' | 'pending'

/**
 * What is known of the signature that an item carries for its provider. `missing`: it had one and lost it; `partial`:
 * cut off while streaming; `stale`: made for another place or content; `none`: it never had one. Absent: unknown.
 */
export type Signature = 'present' | 'missing' | 'partial' | 'stale' | 'none'

/** Fields that every item may carry. */
interface ItemBase {
  readonly origin?: Origin
  /** The provider's item id. */
  readonly id?: string
  /** Cut off while streaming. */
  readonly partial?: true
  /** Which model response the item belongs to: on all model items, non-decreasing, or on none. */
  readonly response?: number
  /** Where the item lives when one message holds many: 0-based message and part. */
  readonly source?: { readonly message: number; readonly part: number }
  /** Instructions of the host: user input that stands outside the turns of user and model. */
  readonly role?: 'system'
  /** What is known of its signature; only an audit looks at it. */
  readonly signature?: Signature
  /** Provider id of the reasoning without which the provider refuses this item's id. */
  readonly requiresReasoning?: string
  /** The run that stored the item, where several write into one session. */
  readonly run?: string
  /** Place in the order in which its response emitted the items, where a host knows it. */
  readonly sequence?: number
}

/** Fields of an item that is joined with others by its call. */
interface Joined {
  /** Joins a call with its output and approval, inside one `namespace`. */
  readonly callId?: string
  /** A tool family, a handoff, an agent: ids are unique only inside one. */
  readonly namespace?: string
}

export interface MessageItem extends ItemBase {
  readonly kind: 'message'
}
export interface ReasoningItem extends ItemBase {
  readonly kind: 'reasoning'
}
export interface CallItem extends ItemBase, Joined {
  readonly kind: 'call'
  /** `callId` of the program that made this call. */
  readonly parent?: string
  /** The call carries its own result. */
  readonly selfContained?: true
  readonly executor?: Executor
  readonly execution?: CallExecution
}
export interface OutputItem extends ItemBase, Joined {
  readonly kind: 'output'
  readonly execution?: OutputExecution
}
export interface ApprovalItem extends ItemBase, Joined {
  readonly kind: 'approval'
}
export interface CompactionItem extends ItemBase {
  readonly kind: 'compaction'
}
export interface ContextItem extends ItemBase {
  readonly kind: 'context'
}
export interface MarkerItem extends ItemBase, Joined {
  readonly kind: 'marker'
}
export interface UnclassifiedItem extends ItemBase {
  readonly kind: 'unclassified'
}

/** One item of a turn, in the words of the specification. */
export type Item =
  | MessageItem
  | ReasoningItem
  | CallItem
  | OutputItem
  | ApprovalItem
  | CompactionItem
  | ContextItem
  | MarkerItem
  | UnclassifiedItem

/** The ordered items that a run has produced since the last input was stored. A position is a 0-based index into it. */
export type Turn = ReadonlyArray<Item>

/** Every field of every kind, all optional: how a loop reads an item without narrowing it first. */
export interface ItemFields {
  readonly kind: string
  readonly origin?: Origin
  readonly id?: string
  readonly callId?: string
  readonly namespace?: string
  readonly parent?: string
  readonly selfContained?: true
  readonly executor?: Executor
  readonly execution?: CallExecution | OutputExecution
  readonly partial?: true
  readonly response?: number
  readonly source?: { readonly message: number; readonly part: number }
  readonly role?: 'system'
  readonly signature?: Signature
  readonly requiresReasoning?: string
  readonly run?: string
  readonly sequence?: number
}

/** What an untyped caller's `null` is read as: an item of a kind that is not known (ITEM-4). */
export const NO_ITEM: ItemFields = { kind: '' }

/** A call that an earlier turn stored and that is still unanswered. */
export interface OpenCall {
  readonly callId: string
  readonly namespace?: string
}
