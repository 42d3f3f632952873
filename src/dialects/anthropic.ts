/**
 * The messages of the Anthropic API, as requests take them and responses give them.
 *
 * Law: only this file says which block the `anthropic` dialect has and how it is spelled. A block of `content` is one
 * item; a string is one block of text. What each block becomes: docs/reference/dialects.md.
 *
 * Rules: ITEM-9, BLOCK-1 to BLOCK-9.
 */
import type { Item } from '../core/item.js'
import type { ClosingExecution, SharedBlockDialect } from '../ports/dialect.js'
import { assembleBody, plainPath, slotsOfField, type FieldRules } from './wire/blocks/assemble.js'
import { buildBlockDialect } from './wire/blocks/build.js'
import type {
  BlockFormat,
  PartInHand,
  PartRule,
  PartTable,
  Reading,
  Slot,
  Speaker
} from './wire/blocks/format.js'
import { readText, readTypedPart, unclassifiedPart } from './wire/blocks/read-part.js'
import { isWire, type Draft, type Wire } from './wire/decode.js'
import { withoutPayload } from './wire/rewrite.js'

/** What the dialect needs to know of a message; every message type of the API's package has this shape. */
export interface AnthropicMessage {
  readonly role: string
}

const words: PartRule = { kind: 'message' }
const record: PartRule = { kind: 'context' }

const serverResult: PartRule = {
  kind: 'output',
  origin: 'model',
  namespace: 'server',
  callId: 'tool_use_id',
  note: 'failed when its content is an error'
}

/** Every type of content block. */
export const anthropicTypes: PartTable = new Map<string, PartRule>([
  ['text', words],
  ['image', words],
  ['document', words],
  ['search_result', words],
  ['container_upload', words],
  ['thinking', { kind: 'reasoning', signed: 'signature' }],
  ['redacted_thinking', { kind: 'reasoning', signed: 'data' }],
  ['tool_use', { kind: 'call', callId: 'id' }],
  ['tool_result', { kind: 'output', callId: 'tool_use_id', note: 'failed when `is_error` is true' }],
  ['server_tool_use', { kind: 'call', namespace: 'server', callId: 'id', executor: 'provider' }],
  ['web_search_tool_result', serverResult],
  ['web_fetch_tool_result', serverResult],
  ['advisor_tool_result', serverResult],
  ['code_execution_tool_result', serverResult],
  ['bash_code_execution_tool_result', serverResult],
  ['text_editor_code_execution_tool_result', serverResult],
  ['tool_search_tool_result', serverResult],
  ['mcp_tool_use', { kind: 'call', namespace: 'mcp', callId: 'id', executor: 'provider' }],
  [
    'mcp_tool_result',
    {
      kind: 'output',
      origin: 'model',
      namespace: 'mcp',
      callId: 'tool_use_id',
      note: 'failed when `is_error` is true'
    }
  ],
  ['mcp_tool_listing', record],
  ['tool_addition', record],
  ['tool_removal', record],
  ['fallback', record],
  ['compaction', { kind: 'compaction' }]
])

const speakers: ReadonlyMap<unknown, Speaker> = new Map([
  ['user', 'user'],
  ['assistant', 'model'],
  ['system', 'system']
])

const speakerOf = (message: Wire): Speaker => speakers.get(message['role']) ?? 'unknown'

/** Why a response stopped in the middle of its last block. */
const cutShort: ReadonlySet<unknown> = new Set([
  null,
  'max_tokens',
  'model_context_window_exceeded',
  'refusal'
])

const wholeMessage = (message: Wire): ReadonlyArray<Slot> => [{ field: '', index: -1, value: message }]

const slotsOf = (message: Wire): ReadonlyArray<Slot> =>
  speakerOf(message) === 'unknown' ? wholeMessage(message) : slotsOfField(message, 'content')

const isErrorContent = (part: Wire): boolean => {
  const content = part['content']
  if (part['is_error'] === true) return true
  return isWire(content) && typeof content['type'] === 'string' && content['type'].endsWith('_error')
}

const readPart = (part: PartInHand, reading: Reading): ReadonlyArray<Draft> => {
  const { slot, message, speaker } = part
  if (speaker === 'unknown') {
    const expected = 'expected one of user, assistant, system'
    return [unclassifiedPart(part, reading, `${part.path}.role`, expected)]
  }
  if (typeof slot.value === 'string') return [readText(part)]
  const draft = readTypedPart(part, reading)
  if (!isWire(slot.value)) return [draft]
  if (draft.kind === 'output' && draft.execution === undefined && isErrorContent(slot.value))
    draft.execution = 'failed'
  if (
    speaker === 'model' &&
    part.isLast &&
    'stop_reason' in message &&
    cutShort.has(message['stop_reason'])
  ) {
    if (draft.kind !== 'output' && draft.executor !== 'provider') draft.partial = true
  }
  return [draft]
}

const fields: FieldRules = {
  main: 'content',
  emptied: new Map([['content', 'list']]),
  lift: (text) => ({ type: 'text', text })
}

const structure: ReadonlySet<string> = new Set(['type', 'tool_use_id', 'cache_control', 'is_error'])

const close = (_call: unknown, item: Item, _as: ClosingExecution, text: string): Wire => ({
  type: 'tool_result',
  tool_use_id: item.kind === 'call' ? (item.callId ?? '') : '',
  content: text,
  is_error: true
})

const format: BlockFormat = {
  name: 'anthropic',
  types: anthropicTypes,
  outputs: 'joined',
  resultsFirst: true,
  callsLast: true,
  mergesResponses: false,
  speakerOf,
  slotsOf,
  pathOf: plainPath,
  readPart,
  writePart: ({ slot, redact }, wording) =>
    redact && isWire(slot.value)
      ? withoutPayload(slot.value, structure, { content: wording.redacted })
      : slot.value,
  assemble: (message, parts) =>
    speakerOf(message) === 'unknown' ? message : assembleBody(message, slotsOf(message), parts, fields),
  close,
  resultsMessage: (parts) => ({ role: 'user', content: parts }),
  callIdFields: { call: 'id', output: 'tool_use_id', approval: 'id' }
}

/**
 * Reads and writes messages of the Anthropic API. Signatures travel untouched.
 *
 * Errors: `decode` when the input is no list. Rules: ITEM-9, BLOCK-1 to BLOCK-9. Complexity: linear.
 *
 * @example
 * const turn = [{ role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'pay', input: {} }] }]
 * const decoded = anthropic.decode(turn)
 * decoded._tag === 'Right' && decoded.right.items[0]
 * // => { kind: 'call', callId: 'c1', source: { message: 0, part: 0 }, response: 0 }
 */
export const anthropic: SharedBlockDialect<AnthropicMessage> = buildBlockDialect(format)
