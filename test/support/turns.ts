/**
 * Small turns in one line: builders that name an item by its id.
 *
 * A first argument is the provider id of a message or reasoning item, and the call id of a call, output or approval.
 */
import type {
  ApprovalItem,
  CallItem,
  CompactionItem,
  ContextItem,
  MarkerItem,
  MessageItem,
  OutputItem,
  ReasoningItem,
  UnclassifiedItem
} from '../../src/core/item.js'

type Rest<I> = Partial<Omit<I, 'kind'>>

export const message = (id?: string, rest: Rest<MessageItem> = {}): MessageItem => ({
  kind: 'message',
  ...(id === undefined ? {} : { id }),
  ...rest
})

export const user = (id?: string, rest: Rest<MessageItem> = {}): MessageItem =>
  message(id, { origin: 'user', ...rest })

export const reasoning = (id?: string, rest: Rest<ReasoningItem> = {}): ReasoningItem => ({
  kind: 'reasoning',
  ...(id === undefined ? {} : { id }),
  ...rest
})

export const call = (callId?: string, rest: Rest<CallItem> = {}): CallItem => ({
  kind: 'call',
  ...(callId === undefined ? {} : { callId }),
  ...rest
})

export const output = (callId?: string, rest: Rest<OutputItem> = {}): OutputItem => ({
  kind: 'output',
  ...(callId === undefined ? {} : { callId }),
  ...rest
})

export const approval = (callId?: string, rest: Rest<ApprovalItem> = {}): ApprovalItem => ({
  kind: 'approval',
  ...(callId === undefined ? {} : { callId }),
  ...rest
})

export const hosted = (callId: string, rest: Rest<CallItem> = {}): CallItem =>
  call(callId, { selfContained: true, executor: 'provider', ...rest })

export const compaction = (rest: Rest<CompactionItem> = {}): CompactionItem => ({
  kind: 'compaction',
  ...rest
})

export const context = (rest: Rest<ContextItem> = {}): ContextItem => ({ kind: 'context', ...rest })

export const marker = (rest: Rest<MarkerItem> = {}): MarkerItem => ({ kind: 'marker', ...rest })

export const unclassified = (rest: Rest<UnclassifiedItem> = {}): UnclassifiedItem => ({
  kind: 'unclassified',
  ...rest
})
