/**
 * The UI messages of the AI SDK, versions 6 and 7.
 *
 * Law: only this file says which part the `ai-sdk-ui` dialect has. A tool part is two items, a call and its output,
 * also before there is one: it is then `pending`, so that positions stay what they are when it comes. What becomes of
 * a tool part is a change of its state. What each part becomes: docs/reference/dialects.md.
 *
 * Rules: ITEM-3, ITEM-9, BLOCK-1 to BLOCK-9.
 */
import type { OutputExecution } from '../core/item.js'
import type { ClosingExecution, SharedBlockDialect, Wording } from '../ports/dialect.js'
import { readProviderData, withoutProviderId } from './wire/ai-sdk-wire.js'
import { assembleBody, type FieldRules, plainPath, slotsOfField } from './wire/blocks/assemble.js'
import { buildBlockDialect } from './wire/blocks/build.js'
import type {
  BlockFormat,
  PartInHand,
  PartRule,
  PartTable,
  Reading,
  Slot,
  Speaker,
  Written
} from './wire/blocks/format.js'
import { readPartByRule, readTypedPart, unclassifiedPart } from './wire/blocks/read-part.js'
import { type Draft, isWire, type Wire } from './wire/decode.js'
import { complain } from './wire/memory.js'
import { withFields, withoutField } from './wire/rewrite.js'

/** What the dialect needs to know of a message; every `UIMessage` has this shape. */
export interface AiSdkUiMessage {
  readonly role: string
  readonly parts: ReadonlyArray<object>
}

const words: PartRule = { kind: 'message', note: 'partial while its `state` is `streaming`' }
const record: PartRule = { kind: 'context' }

/** Every type of part; `tool-*` and `data-*` stand for all types that begin so. */
export const aiSdkUiTypes: PartTable = new Map<string, PartRule>([
  ['text', words],
  ['file', { kind: 'message' }],
  ['steering-message', { kind: 'message', origin: 'user' }],
  ['custom', { kind: 'context', note: 'compaction when its `kind` ends in `.compaction`' }],
  ['reasoning', { kind: 'reasoning', note: 'partial while its `state` is `streaming`' }],
  ['reasoning-file', { kind: 'reasoning' }],
  ['tool-*', { kind: 'call', callId: 'toolCallId', note: 'and an output; both by `state`' }],
  ['dynamic-tool', { kind: 'call', callId: 'toolCallId', note: 'and an output; both by `state`' }],
  ['source-url', record],
  ['source-document', record],
  ['data-*', record],
  ['step-start', { kind: 'marker', note: 'a new response starts behind it' }]
])

/** What the states of a tool part say of its call and of its output. */
export const toolStates: ReadonlyMap<
  unknown,
  { readonly call?: 'partial' | 'running' | 'pending'; readonly output: OutputExecution }
> = new Map([
  ['input-streaming', { call: 'partial', output: 'pending' }],
  ['input-available', { output: 'pending' }],
  ['approval-requested', { call: 'pending', output: 'pending' }],
  ['approval-responded', { output: 'pending' }],
  ['output-available', { output: 'executed' }],
  ['output-error', { output: 'failed' }],
  ['output-denied', { output: 'denied' }]
])

const speakers: ReadonlyMap<unknown, Speaker> = new Map([
  ['user', 'user'],
  ['assistant', 'model'],
  ['system', 'system']
])

const speakerOf = (message: Wire): Speaker => speakers.get(message['role']) ?? 'unknown'

const slotsOf = (message: Wire): ReadonlyArray<Slot> =>
  speakerOf(message) === 'unknown' || !Array.isArray(message['parts'])
    ? [{ field: '', index: -1, value: message }]
    : slotsOfField(message, 'parts')

const isTool = (type: unknown): boolean =>
  type === 'dynamic-tool' || (typeof type === 'string' && type.startsWith('tool-'))

/** A refused call whose answer was not written yet: the tool did not run. */
const isRefused = (part: Wire): boolean => isWire(part['approval']) && part['approval']['approved'] === false

const readTool = (part: PartInHand, value: Wire, reading: Reading): ReadonlyArray<Draft> => {
  const rule = reading.types.get('dynamic-tool')
  if (rule === undefined) return []
  const state = toolStates.get(value['state'])
  const place = reading.memory.position
  const call = readPartByRule(part, value, rule, reading)
  readProviderData(call, value['callProviderMetadata'], reading)
  if (call.kind !== 'call' || call.callId === undefined) return [call]
  const hosted = value['providerExecuted'] === true
  if (hosted) call.executor = 'provider'
  const output: Draft = { kind: 'output', callId: call.callId, ...(hosted ? { origin: 'model' } : {}) }
  if (state === undefined) {
    reading.memory.position = place
    const path = `${part.path}.state`
    const message = `expected one of ${[...toolStates.keys()].join(', ')}; the call is read as one without a result`
    complain(reading.memory, 'wrong-field', path, message)
    return [call, { ...output, execution: 'pending' }]
  }
  if (state.call === 'partial') call.partial = true
  else if (isRefused(value)) call.execution = 'denied'
  else if (state.call !== undefined) call.execution = state.call
  if (value['preliminary'] === true && state.output === 'executed') output.execution = 'pending'
  else if (state.output !== 'executed') output.execution = state.output
  return [call, output]
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const readPart = (part: PartInHand, reading: Reading): ReadonlyArray<Draft> => {
  const { slot, speaker, message } = part
  const { value } = slot
  if (slot.field === '') {
    const [where, expected] =
      speaker === 'unknown'
        ? ['role', 'expected one of user, assistant, system']
        : ['parts', 'expected a list of parts']
    return [unclassifiedPart(part, reading, `${part.path}.${where}`, expected ?? '')]
  }
  if (!isWire(value) || message['parts'] === undefined) return [readTypedPart(part, reading)]
  const type = value['type']
  if (isTool(type)) return readTool(part, value, reading)
  const isData = typeof type === 'string' && type.startsWith('data-') && !reading.types.has(type)
  const rule = isData ? reading.types.get('data-*') : undefined
  const draft = rule === undefined ? readTypedPart(part, reading) : readPartByRule(part, value, rule, reading)
  readProviderData(draft, value['providerMetadata'], reading)
  if (draft.kind === 'marker' && speaker === 'model' && reading.hasItems) {
    reading.response += 1
    reading.hasItems = false
  }
  if (draft.kind === 'context' && type === 'custom' && textOf(value['kind']).endsWith('.compaction'))
    draft.kind = 'compaction'
  if (value['state'] === 'streaming' && (draft.kind === 'message' || draft.kind === 'reasoning'))
    draft.partial = true
  return [draft]
}

const fields: FieldRules = { main: 'parts', emptied: new Map([['parts', 'list']]), lift: (text) => text }

const resultFields: ReadonlyArray<string> = [
  'output',
  'errorText',
  'preliminary',
  'resultProviderMetadata',
  'rawInput'
]

/** The same tool part in another state: what an earlier state had said of the result is gone. */
const inState = (part: Wire, state: string, changes: Wire): Wire => {
  let bare = part
  for (const field of resultFields) {
    if (field !== 'rawInput' || state !== 'output-error') bare = withoutField(bare, field)
  }
  return withFields(bare, { state, ...changes })
}

/** A tool part that says that its call was closed. */
const closed = (part: Wire, as: ClosingExecution, said: string): Wire => {
  const approval = part['approval']
  if (as === 'denied' && isWire(approval) && typeof approval['id'] === 'string')
    return inState(part, 'output-denied', { approval: withFields(approval, { approved: false }) })
  const bare = isWire(approval) && approval['approved'] !== true ? withoutField(part, 'approval') : part
  return inState(bare, 'output-error', { errorText: said })
}

const redacted = (part: Wire, said: string): Wire =>
  part['state'] === 'output-error'
    ? inState(part, 'output-error', { errorText: said })
    : part['state'] === 'output-denied'
      ? part
      : inState(part, 'output-available', { output: said })

/** A tool part whose output does not stay is one whose call still waits. */
const unanswered = (part: Wire): Wire => {
  const state = part['state']
  const ended = state === 'output-available' || state === 'output-error' || state === 'output-denied'
  if (!ended) return part
  return inState(part, isWire(part['approval']) ? 'approval-responded' : 'input-available', {})
}

const writePart = (written: Written, wording: Wording): unknown => {
  const { value } = written.slot
  if (!isWire(value)) return value
  const part = written.strip
    ? withoutProviderId(withoutProviderId(value, 'providerMetadata'), 'callProviderMetadata')
    : value
  if (!isTool(value['type'])) return part
  if (written.closing !== undefined) return closed(part, written.closing, wording[written.closing])
  if (written.redact) return redacted(part, wording.redacted)
  return written.output ? part : unanswered(part)
}

const format: BlockFormat = {
  name: 'ai-sdk-ui',
  types: aiSdkUiTypes,
  outputs: 'in-place',
  resultsFirst: false,
  callsLast: false,
  mergesResponses: false,
  speakerOf,
  slotsOf,
  pathOf: plainPath,
  readPart,
  writePart,
  assemble: (message, parts) =>
    slotsOf(message)[0]?.field === '' ? message : assembleBody(message, slotsOf(message), parts, fields),
  close: (call, _item, as, said) => closed(isWire(call) ? call : {}, as, said),
  resultsMessage: (parts) => ({ role: 'assistant', parts }),
  callIdFields: { call: 'toolCallId', output: 'toolCallId', approval: 'toolCallId' }
}

/**
 * Reads and writes UI messages of the AI SDK.
 *
 * Errors: `decode` when the input is no list. Rules: ITEM-3, ITEM-9, BLOCK-1 to BLOCK-9. Complexity: linear.
 *
 * @example
 * const part = { type: 'tool-pay', toolCallId: 'c1', state: 'output-available', input: {}, output: 'done' }
 * const decoded = aiSdkUi.decode([{ id: 'm1', role: 'assistant', parts: [part] }])
 * decoded._tag === 'Right' && decoded.right.items.map(({ kind }) => kind) // => ['call', 'output']
 */
export const aiSdkUi: SharedBlockDialect<AiSdkUiMessage> = buildBlockDialect(format)
