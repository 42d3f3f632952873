/**
 * The items of a run, in their order, from every public source that the SDK has.
 *
 * Law: run items are taken from the result while it is whole: the SDK rewrites its state when a guardrail rejects a
 * tool's result, so nothing is taken after that. What a failing tool keeps out of the state is taken from the model's
 * response and from what tools reported at their end. Each source is read once per item.
 */
import type { FunctionCallItem, ModelResponse, RunItem, RunToolApprovalItem } from '@openai/agents-core'

/** A run item, or a protocol item that never became one. */
export interface LogItem {
  readonly type?: string | undefined
  readonly rawItem?: unknown
}

/** What a tool reported at its end. */
export interface ToolEnd {
  readonly call: FunctionCallItem
  readonly text: string
}

/** The items that a state has produced, over all runs of it. */
export interface RunLog {
  readonly items: LogItem[]
  /** Run items and responses that have been taken. */
  readonly taken: Set<object>
}

/** A log of what a state already holds. */
export const startLog = (items: ReadonlyArray<RunItem>, responses: ReadonlyArray<ModelResponse>): RunLog => {
  const log: RunLog = { items: [], taken: new Set() }
  takeItems(log, items)
  for (const response of responses) log.taken.add(response)
  return log
}

const isApproval = (item: RunItem): item is RunToolApprovalItem => item.type === 'tool_approval_item'

/** Takes the run items that are new, in their order. */
export const takeItems = (log: RunLog, items: ReadonlyArray<RunItem>): void => {
  for (const item of items) {
    // Approval placeholders come and go in a state, and are never written.
    if (isApproval(item) || log.taken.has(item)) continue
    log.taken.add(item)
    log.items.push(item)
  }
}

/** The protocol item in a log item. */
export const rawOf = (item: LogItem): unknown => item.rawItem ?? item

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined

const keyOf = (raw: unknown): string | undefined => {
  const callId = fieldOf(raw, 'callId')
  if (typeof callId === 'string') return `${String(fieldOf(raw, 'type'))} ${callId}`
  const id = fieldOf(raw, 'id')
  return typeof id === 'string' ? id : undefined
}

/** Takes what a response holds that is in no run item: the turn broke before there were any. */
export const takeResponses = (log: RunLog, responses: ReadonlyArray<ModelResponse>): void => {
  const last = responses[responses.length - 1]
  if (last === undefined || log.taken.has(last)) return
  log.taken.add(last)
  const raws = new Set(log.items.map(rawOf))
  const keys = new Set(log.items.map((item) => keyOf(rawOf(item))))
  keys.delete(undefined)
  const isKnown = (item: unknown): boolean => raws.has(item) || keys.has(keyOf(item))
  if (last.output.some(isKnown)) return
  for (const item of last.output) log.items.push(item)
}

const outputOf = ({ call, text }: ToolEnd): LogItem => ({
  type: 'function_call_result',
  ...{
    name: call.name,
    ...(call.namespace === undefined ? {} : { namespace: call.namespace }),
    callId: call.callId,
    status: 'completed',
    output: { type: 'text', text },
    ...(call.caller === undefined ? {} : { caller: call.caller })
  }
})

/** Call ids that have an output. */
export const answeredCalls = (log: RunLog): ReadonlySet<string> => {
  const answered = new Set<string>()
  for (const item of log.items) {
    const raw = rawOf(item)
    const callId = fieldOf(raw, 'callId')
    if (fieldOf(raw, 'type') === 'function_call_result' && typeof callId === 'string') answered.add(callId)
  }
  return answered
}

/** Takes the results of tools that are in no run item. */
export const takeToolEnds = (log: RunLog, ends: ReadonlyArray<ToolEnd>): void => {
  const answered = new Set(answeredCalls(log))
  for (const end of ends) {
    if (answered.has(end.call.callId)) continue
    answered.add(end.call.callId)
    log.items.push(outputOf(end))
  }
}

/** Whether the last item is a tool's output: then it was the final output, if there was one. */
export const endsWithOutput = (log: RunLog): boolean => {
  const last = log.items[log.items.length - 1]
  if (last === undefined) return false
  const type = fieldOf(rawOf(last), 'type')
  return typeof type === 'string' && (type.endsWith('_result') || type.endsWith('_output'))
}

/** An id of the turn that a state, live or read from text, always gives: its first response and its first call. */
export const turnOf = (log: RunLog, responses: ReadonlyArray<ModelResponse>): string | undefined => {
  const response = responses[0]?.responseId
  let first: unknown
  for (const item of log.items) {
    first = fieldOf(rawOf(item), 'callId')
    if (typeof first === 'string') break
  }
  if (response === undefined && typeof first !== 'string') return undefined
  return `${response ?? ''}/${typeof first === 'string' ? first : ''}`
}
