/**
 * The messages of LangChain and LangGraph: live objects, `{ lc: 1, … }` dumps, and `{ type, data }` as stored.
 *
 * Law: only this file says which part of a message the `langchain` dialect has. The parts of an AI message are its
 * thoughts, each block of `content` or the text, and each entry of `tool_calls`; a block that repeats such a call
 * is no part of its own and goes with it. A tool message is one output. What each becomes: docs/reference/dialects.md.
 *
 * Rules: ITEM-9, BLOCK-1 to BLOCK-9.
 */
import type { Item } from '../core/item.js'
import type { ClosingExecution, SharedBlockDialect } from '../ports/dialect.js'
import { bodyOf, formOf, makeInForm, speakerOf, typeOf, withBody } from './langchain/body.js'
import { slotsOfField } from './wire/blocks/assemble.js'
import { buildBlockDialect } from './wire/blocks/build.js'
import type {
  BlockFormat,
  PartInHand,
  PartRule,
  PartTable,
  Placed,
  Reading,
  Slot
} from './wire/blocks/format.js'
import {
  holdsText,
  readPartByRule,
  readText,
  readTypedPart,
  unclassifiedPart
} from './wire/blocks/read-part.js'
import { type Draft, isWire, type Wire } from './wire/decode.js'
import { withFields, withoutField, withoutPayload } from './wire/rewrite.js'

export { type LangChainRemoval, langchainEdits } from './langchain/edits.js'

/** What the dialect needs to know of a message; live messages and dumps have this shape. */
export type LangChainMessage = object

const words: PartRule = { kind: 'message' }
const thought: PartRule = { kind: 'reasoning' }
const providerCall: PartRule = { kind: 'call', namespace: 'server', callId: 'id', executor: 'provider' }
const providerResult: PartRule = {
  kind: 'output',
  origin: 'model',
  namespace: 'server',
  callId: 'tool_use_id'
}

/** Every type of block, of call and of message that is read by its name. */
export const langchainTypes: PartTable = new Map<string, PartRule>([
  ['text', words],
  ['image', words],
  ['image_url', words],
  ['audio', words],
  ['input_audio', words],
  ['video', words],
  ['file', words],
  ['document', words],
  ['text-plain', words],
  ['refusal', words],
  ['search_result', words],
  [
    'reasoning',
    { kind: 'reasoning', note: 'also `reasoning_content` and `reasoning` of `additional_kwargs`' }
  ],
  ['reasoning_content', thought],
  ['thinking', { kind: 'reasoning', signed: 'signature' }],
  ['redacted_thinking', { kind: 'reasoning', signed: 'data' }],
  ['tool_calls', { kind: 'call', callId: 'id', note: 'an entry of the list' }],
  ['invalid_tool_calls', { kind: 'call', callId: 'id', partial: true, note: 'an entry of the list' }],
  ['tool_call', { kind: 'call', callId: 'id', note: 'unless it repeats an entry of `tool_calls`' }],
  ['tool_use', { kind: 'call', callId: 'id', note: 'unless it repeats an entry of `tool_calls`' }],
  ['tool_result', { kind: 'output', callId: 'tool_use_id' }],
  ['tool', { kind: 'output', callId: 'tool_call_id', note: 'a message; failed when its status is `error`' }],
  ['server_tool_call', providerCall],
  ['server_tool_use', providerCall],
  ['mcp_tool_use', providerCall],
  ['server_tool_call_result', { ...providerResult, callId: 'toolCallId' }],
  ['web_search_tool_result', providerResult],
  ['web_fetch_tool_result', providerResult],
  ['code_execution_tool_result', providerResult],
  ['bash_code_execution_tool_result', providerResult],
  ['text_editor_code_execution_tool_result', providerResult],
  ['tool_search_tool_result', providerResult],
  ['mcp_tool_result', providerResult],
  ['citation', { kind: 'context' }],
  ['non_standard', { kind: 'context' }],
  ['compaction', { kind: 'compaction' }],
  ['input_json_delta', { kind: 'marker' }],
  ['tool_call_chunk', { kind: 'marker' }]
])

/** Fields of `additional_kwargs` that hold thoughts; both are one part. */
const thoughtFields: ReadonlyArray<string> = ['reasoning_content', 'reasoning']

const extrasOf = (body: Wire): Wire => {
  const extras = body['additional_kwargs']
  return isWire(extras) ? extras : {}
}

const idIn = (entry: unknown): string | undefined => {
  const id = isWire(entry) ? entry['id'] : undefined
  return typeof id === 'string' ? id : undefined
}

const callIdsOf = (body: Wire): ReadonlySet<string> => {
  const ids = new Set<string>()
  for (const field of ['tool_calls', 'invalid_tool_calls']) {
    for (const { value } of slotsOfField(body, field)) {
      const id = idIn(value)
      if (id !== undefined) ids.add(id)
    }
  }
  return ids
}

const repeating: ReadonlySet<unknown> = new Set(['tool_use', 'tool_call', 'function_call'])

/** The id of the call that a block repeats, if it does. */
const repeatedCall = (block: unknown, calls: ReadonlySet<string>): string | undefined => {
  const id = idIn(block)
  return isWire(block) && repeating.has(block['type']) && id !== undefined && calls.has(id) ? id : undefined
}

const wholeOf = (message: Wire): ReadonlyArray<Slot> => [{ field: '', index: -1, value: message }]

const thoughtsOf = (body: Wire): ReadonlyArray<Slot> => {
  const extras = extrasOf(body)
  const field = thoughtFields.find((name) => holdsText(extras[name]) || isWire(extras[name]))
  return field === undefined ? [] : [{ field: 'additional_kwargs', index: -1, value: extras[field] }]
}

const slotsOf = (message: Wire): ReadonlyArray<Slot> => {
  const speaker = speakerOf(message)
  if (speaker === 'unknown' || speaker === 'results') return wholeOf(message)
  const body = bodyOf(message)
  if (speaker !== 'model') return slotsOfField(body, 'content')
  const ids = callIdsOf(body)
  const calls = [...slotsOfField(body, 'tool_calls'), ...slotsOfField(body, 'invalid_tool_calls')]
  const content = slotsOfField(body, 'content').filter(
    ({ value }) => !(value === '' && calls.length > 0) && repeatedCall(value, ids) === undefined
  )
  return [...thoughtsOf(body), ...content, ...calls]
}

const prefixes = { constructor: '.kwargs', stored: '.data', flat: '' } as const

const pathOf = (message: Wire, slot: Slot): string => {
  if (slot.field === '') return ''
  const prefix = `${prefixes[formOf(message)]}.${slot.field}`
  return slot.index < 0 ? prefix : `${prefix}[${slot.index}]`
}

const readPart = (part: PartInHand, reading: Reading): ReadonlyArray<Draft> => {
  const { slot, message, speaker } = part
  const read = (type: string, body: unknown, path: string = part.path): ReadonlyArray<Draft> => {
    const rule = reading.types.get(type)
    return rule !== undefined && isWire(body)
      ? [readPartByRule(part, body, rule, reading, path)]
      : [unclassifiedPart(part, reading, part.path, 'expected an object')]
  }
  if (speaker === 'unknown') {
    const type = typeOf(message)
    if (type === 'remove') return [{ kind: 'marker' }]
    return [unclassifiedPart(part, reading, `${part.path}.type`, 'expected human, ai, system or tool')]
  }
  if (speaker === 'results') {
    const body = bodyOf(message)
    const path = part.path + prefixes[formOf(message)]
    if (typeOf(message) === 'function')
      return read('tool', withFields(body, { tool_call_id: body['name'] }), path)
    const [draft] = read('tool', body, path)
    if (draft?.kind === 'output' && body['status'] === 'error') draft.execution = 'failed'
    return draft === undefined ? [] : [draft]
  }
  if (slot.field === 'tool_calls' || slot.field === 'invalid_tool_calls') return read(slot.field, slot.value)
  if (slot.field === 'additional_kwargs') {
    const { value } = slot
    const draft: Draft = { kind: 'reasoning' }
    if (isWire(value) && holdsText(value['id'])) draft.id = value['id'] as string
    if (isWire(value) && holdsText(value['encrypted_content'])) draft.signature = 'present'
    return [draft]
  }
  return [typeof slot.value === 'string' ? readText(part) : readTypedPart(part, reading)]
}

/** The elements of a list for which the test holds; the list itself when it holds for all. */
const filtered = (list: unknown, test: (element: unknown) => boolean): unknown => {
  if (!Array.isArray(list)) return list
  const kept: ReadonlyArray<unknown> = list.filter(test)
  return kept.length === list.length ? list : kept
}

/** What else of an AI message repeats what is gone: raw calls, chunks of calls, the provider's raw output. */
const withoutEchoes = (body: Wire, calls: ReadonlySet<string>, thinks: boolean): Wire => {
  const changes: Record<string, unknown> = {}
  const extras = body['additional_kwargs']
  if (isWire(extras)) {
    let left = extras
    if (!thinks) for (const field of thoughtFields) left = withoutField(left, field)
    const raw = filtered(extras['tool_calls'], (entry) => calls.has(idIn(entry) ?? ''))
    if (Array.isArray(raw) && raw.length === 0) left = withoutField(left, 'tool_calls')
    else if (raw !== extras['tool_calls']) left = withFields(left, { tool_calls: raw })
    if (left !== extras) changes['additional_kwargs'] = left
  }
  const record = body['response_metadata']
  if (isWire(record) && Object.hasOwn(record, 'output'))
    changes['response_metadata'] = withoutField(record, 'output')
  if (Array.isArray(body['tool_call_chunks']))
    changes['tool_call_chunks'] = filtered(body['tool_call_chunks'], (entry) => calls.has(idIn(entry) ?? ''))
  return Object.keys(changes).length === 0 ? body : withFields(body, changes)
}

const assemble = (message: Wire, parts: ReadonlyArray<Placed>): Wire => {
  const [first] = parts
  if (first?.written.slot.field === '') return isWire(first.value) ? first.value : message
  const body = bodyOf(message)
  const kept = new Map<string, Set<number>>()
  for (const { written } of parts) {
    const { field, index } = written.slot
    const indices = kept.get(field)
    if (indices === undefined) kept.set(field, new Set([index]))
    else indices.add(index)
  }
  const keeps = (field: string, index: number): boolean => kept.get(field)?.has(index) === true
  const changes: Record<string, unknown> = {}
  const calls = new Set<string>()
  for (const field of ['tool_calls', 'invalid_tool_calls']) {
    const list = body[field]
    if (!Array.isArray(list)) continue
    const left: ReadonlyArray<unknown> = list.filter((_, index) => keeps(field, index))
    for (const entry of left) calls.add(idIn(entry) ?? '')
    if (left.length !== list.length) changes[field] = left
  }
  const content = body['content']
  const all = callIdsOf(body)
  if (Array.isArray(content)) {
    const left: ReadonlyArray<unknown> = content.filter((block: unknown, index) => {
      const call = repeatedCall(block, all)
      return call === undefined ? keeps('content', index) : calls.has(call)
    })
    if (left.length !== content.length) changes['content'] = left
  } else if (holdsText(content) && !keeps('content', -1)) changes['content'] = ''
  const bare = Object.keys(changes).length === 0 ? body : withFields(body, changes)
  return withBody(
    message,
    speakerOf(message) === 'model' ? withoutEchoes(bare, calls, kept.has('additional_kwargs')) : bare
  )
}

const structure: ReadonlySet<string> = new Set([
  'type',
  'id',
  'name',
  'role',
  'tool_call_id',
  'status',
  'lc_namespace',
  'lc_serializable'
])

const redacted = (message: Wire, said: string): Wire => {
  const body = bodyOf(message)
  const empty = { content: said, additional_kwargs: {}, response_metadata: {} }
  const bare = withoutPayload(body, structure, empty)
  const given = body['lc_kwargs']
  const live = isWire(given) ? withFields(bare, { lc_kwargs: withoutPayload(given, structure, empty) }) : bare
  return formOf(message) === 'flat' ? live : withBody(message, live)
}

const close = (call: unknown, item: Item, _as: ClosingExecution, said: string, message: unknown): Wire => {
  const name = isWire(call) && typeof call['name'] === 'string' ? { name: call['name'] } : {}
  const callId = item.kind === 'call' ? (item.callId ?? '') : ''
  const body = { content: said, tool_call_id: callId, ...name, status: 'error' }
  return makeInForm(message, 'tool', 'ToolMessage', body)
}

const format: BlockFormat = {
  name: 'langchain',
  types: langchainTypes,
  outputs: 'own-message',
  resultsFirst: false,
  callsLast: false,
  mergesResponses: false,
  speakerOf,
  slotsOf,
  pathOf,
  readPart,
  writePart: ({ slot, redact }, wording) =>
    redact && slot.field === '' && isWire(slot.value) ? redacted(slot.value, wording.redacted) : slot.value,
  assemble,
  close,
  resultsMessage: () => ({}),
  callIdFields: { call: 'id', output: 'tool_use_id', approval: 'id' }
}

/**
 * Reads and writes LangChain messages. A copy of a live message keeps its class.
 *
 * Errors: `decode` when the input is no list. Rules: ITEM-9, BLOCK-1 to BLOCK-9. Complexity: linear.
 *
 * @example
 * const stored = { type: 'tool', data: { content: 'done', tool_call_id: 'c1' } }
 * const decoded = langchain.decode([stored])
 * decoded._tag === 'Right' && decoded.right.items[0]
 * // => { kind: 'output', callId: 'c1', source: { message: 0, part: 0 } }
 */
export const langchain: SharedBlockDialect<LangChainMessage> = buildBlockDialect(format)
