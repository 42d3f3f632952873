/**
 * The messages of the OpenAI Chat Completions API, and of the many servers that speak it.
 *
 * Law: only this file says which part of a message the `chat-completions` dialect has. The parts of an assistant's
 * message are its thoughts (fields that servers add), each part of `content` or the text, a refusal, a recording,
 * and each entry of `tool_calls`; a tool's message is one output. What each becomes: docs/reference/dialects.md.
 *
 * Rules: ITEM-9, BLOCK-1 to BLOCK-9.
 */
import type { Item } from '../core/item.js'
import type { ClosingExecution, SharedBlockDialect } from '../ports/dialect.js'
import {
  assembleBody,
  plainPath,
  slotsOfField,
  type Emptied,
  type FieldRules
} from './wire/blocks/assemble.js'
import { buildBlockDialect } from './wire/blocks/build.js'
import type {
  BlockFormat,
  PartInHand,
  PartRule,
  PartTable,
  Placed,
  Reading,
  Slot,
  Speaker
} from './wire/blocks/format.js'
import {
  findPartRule,
  holdsText,
  readPartByRule,
  readText,
  readTypedPart,
  unclassifiedPart
} from './wire/blocks/read-part.js'
import { isWire, type Draft, type Wire } from './wire/decode.js'
import { withoutPayload } from './wire/rewrite.js'

/** What the dialect needs to know of a message; every message type of the API's package has this shape. */
export interface ChatMessage {
  readonly role: string
}

const words: PartRule = { kind: 'message' }

/** Fields in which servers put the thoughts of an assistant's message; all of them are one part. */
export const thoughtFields: ReadonlyArray<string> = ['reasoning_content', 'reasoning', 'reasoning_details']

/** Every type of part, of call and of message that is read by its name. */
export const chatTypes: PartTable = new Map<string, PartRule>([
  ['text', words],
  ['image_url', words],
  ['input_audio', words],
  ['file', words],
  ['refusal', words],
  ['audio', words],
  [
    'reasoning',
    { kind: 'reasoning', note: `one for all of ${thoughtFields.map((name) => `\`${name}\``).join(', ')}` }
  ],
  ['function', { kind: 'call', callId: 'id', note: 'an entry of `tool_calls`' }],
  ['custom', { kind: 'call', callId: 'id', note: 'an entry of `tool_calls`' }],
  ['tool', { kind: 'output', callId: 'tool_call_id', note: 'a message' }],
  [
    'function_call',
    { kind: 'call', namespace: 'function-call', callId: 'name', note: 'a field; its name is the call id' }
  ],
  [
    'function-message',
    { kind: 'output', namespace: 'function-call', callId: 'name', note: 'a message of the role `function`' }
  ]
])

const speakers: ReadonlyMap<unknown, Speaker> = new Map<unknown, Speaker>([
  ['user', 'user'],
  ['assistant', 'model'],
  ['system', 'system'],
  ['developer', 'system'],
  ['tool', 'results'],
  ['function', 'results']
])

const speakerOf = (message: Wire): Speaker => speakers.get(message['role']) ?? 'unknown'

const isFull = (value: unknown): boolean =>
  holdsText(value) || (Array.isArray(value) ? value.length > 0 : isWire(value))

/** A field as a part of its own, when it holds something. */
const scalar = (message: Wire, field: string): ReadonlyArray<Slot> =>
  isFull(message[field]) ? [{ field, index: -1, value: message[field] }] : []

const thoughtsOf = (message: Wire): ReadonlyArray<Slot> => {
  const [field, ...also] = thoughtFields.filter((name) => isFull(message[name]))
  return field === undefined ? [] : [{ field, index: -1, value: message[field], also }]
}

/** An empty text beside calls says nothing; alone it is a message. */
const contentOf = (message: Wire, others: number): ReadonlyArray<Slot> =>
  message['content'] === '' && others > 0 ? [] : slotsOfField(message, 'content')

const slotsOf = (message: Wire): ReadonlyArray<Slot> => {
  const speaker = speakerOf(message)
  if (speaker === 'unknown' || speaker === 'results') return [{ field: '', index: -1, value: message }]
  if (speaker !== 'model') return slotsOfField(message, 'content')
  const calls = [...scalar(message, 'function_call'), ...slotsOfField(message, 'tool_calls')]
  const spoken = [...scalar(message, 'refusal'), ...scalar(message, 'audio')]
  const content = contentOf(message, calls.length + spoken.length)
  return [...thoughtsOf(message), ...content, ...spoken, ...calls]
}

const isSealed = (detail: unknown): boolean =>
  isWire(detail) &&
  (holdsText(detail['signature']) || (detail['type'] === 'reasoning.encrypted' && holdsText(detail['data'])))

const readField = (part: PartInHand, reading: Reading): Draft => {
  const { slot, message } = part
  if (slot.field === 'function_call') {
    const rule = reading.types.get('function_call')
    if (isWire(slot.value) && rule !== undefined) return readPartByRule(part, slot.value, rule, reading)
    return unclassifiedPart(part, reading, part.path, 'expected an object')
  }
  if (!thoughtFields.includes(slot.field)) return readText(part)
  const details = message['reasoning_details']
  const sealed = Array.isArray(details) && details.some(isSealed)
  return sealed ? { kind: 'reasoning', signature: 'present' } : { kind: 'reasoning' }
}

const readCall = (part: PartInHand, reading: Reading): Draft => {
  const { value } = part.slot
  if (!isWire(value) || typeof value['type'] === 'string') return readTypedPart(part, reading)
  const rule = findPartRule('function', part.path, reading)
  return rule === undefined ? { kind: 'unclassified' } : readPartByRule(part, value, rule, reading)
}

const readPart = (part: PartInHand, reading: Reading): ReadonlyArray<Draft> => {
  const { slot, message, speaker } = part
  if (speaker === 'unknown') {
    const expected = 'expected one of system, developer, user, assistant, tool, function'
    return [unclassifiedPart(part, reading, `${part.path}.role`, expected)]
  }
  if (speaker === 'results') {
    const rule = reading.types.get(message['role'] === 'tool' ? 'tool' : 'function-message')
    return rule === undefined ? [] : [readPartByRule(part, message, rule, reading)]
  }
  if (slot.field === 'tool_calls') return [readCall(part, reading)]
  if (slot.field !== 'content') return [readField(part, reading)]
  return [typeof slot.value === 'string' ? readText(part) : readTypedPart(part, reading)]
}

const emptied: ReadonlyMap<string, Emptied> = new Map<string, Emptied>([
  ['content', 'null'],
  ['tool_calls', 'removed'],
  ['function_call', 'removed'],
  ['refusal', 'removed'],
  ['audio', 'removed'],
  ...thoughtFields.map((name): readonly [string, Emptied] => [name, 'removed'])
])

const fields: FieldRules = { main: 'content', emptied, lift: (text) => ({ type: 'text', text }) }

const assemble = (message: Wire, parts: ReadonlyArray<Placed>): Wire => {
  const [first] = parts
  if (first !== undefined && first.written.slot.field === '')
    return isWire(first.value) ? first.value : message
  return assembleBody(message, slotsOf(message), parts, fields)
}

const structure: ReadonlySet<string> = new Set(['role', 'tool_call_id', 'name'])

const close = (_call: unknown, item: Item, _as: ClosingExecution, text: string): Wire => {
  const callId = item.kind === 'call' ? (item.callId ?? '') : ''
  return item.kind === 'call' && item.namespace === 'function-call'
    ? { role: 'function', name: callId, content: text }
    : { role: 'tool', tool_call_id: callId, content: text }
}

const format: BlockFormat = {
  name: 'chat-completions',
  types: chatTypes,
  outputs: 'own-message',
  resultsFirst: false,
  callsLast: false,
  mergesResponses: false,
  speakerOf,
  slotsOf,
  pathOf: plainPath,
  readPart,
  writePart: ({ slot, redact }, wording) =>
    redact && isWire(slot.value)
      ? withoutPayload(slot.value, structure, { content: wording.redacted })
      : slot.value,
  assemble,
  close,
  resultsMessage: () => ({}),
  callIdFields: { call: 'id', output: 'tool_call_id', approval: 'id' }
}

/**
 * Reads and writes messages of the Chat Completions API.
 *
 * Errors: `decode` when the input is no list. Rules: ITEM-9, BLOCK-1 to BLOCK-9. Complexity: linear.
 *
 * @example
 * const turn = [{ role: 'tool', tool_call_id: 'c1', content: 'done' }]
 * const decoded = chatCompletions.decode(turn)
 * decoded._tag === 'Right' && decoded.right.items[0]
 * // => { kind: 'output', callId: 'c1', source: { message: 0, part: 0 } }
 */
export const chatCompletions: SharedBlockDialect<ChatMessage> = buildBlockDialect(format)
