/**
 * The model messages of the AI SDK, versions 6 and 7.
 *
 * Law: only this file says which part the `ai-sdk` dialect has and how it is spelled. A part of `content` is one item;
 * a string is one part of text. What each part becomes: docs/reference/dialects.md.
 *
 * Rules: ITEM-9, BLOCK-1 to BLOCK-9.
 */
import type { Item } from '../core/item.js'
import type { ClosingExecution, SharedBlockDialect } from '../ports/dialect.js'
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
  Speaker
} from './wire/blocks/format.js'
import { readText, readTypedPart, unclassifiedPart } from './wire/blocks/read-part.js'
import { type Draft, isWire, type Wire } from './wire/decode.js'
import { learn } from './wire/memory.js'
import { withoutPayload } from './wire/rewrite.js'

/** What the dialect needs to know of a message; every `ModelMessage` has this shape. */
export interface AiSdkMessage {
  readonly role: string
}

const words: PartRule = { kind: 'message' }

/** Every type of part. */
export const aiSdkTypes: PartTable = new Map<string, PartRule>([
  ['text', words],
  ['image', words],
  ['file', words],
  ['custom', { kind: 'context', note: 'compaction when its `kind` ends in `.compaction`' }],
  ['reasoning', { kind: 'reasoning' }],
  ['reasoning-file', { kind: 'reasoning' }],
  ['tool-call', { kind: 'call', callId: 'toolCallId', note: 'the provider runs it when `providerExecuted`' }],
  [
    'tool-result',
    { kind: 'output', callId: 'toolCallId', note: 'what became of it is told by `output.type`' }
  ],
  ['tool-approval-request', { kind: 'approval', callId: 'toolCallId', origin: 'model' }],
  [
    'tool-approval-response',
    { kind: 'approval', note: 'its call is that of the request with its `approvalId`' }
  ]
])

const speakers: ReadonlyMap<unknown, Speaker> = new Map([
  ['user', 'user'],
  ['assistant', 'model'],
  ['tool', 'results'],
  ['system', 'system']
])

const speakerOf = (message: Wire): Speaker => speakers.get(message['role']) ?? 'unknown'

const slotsOf = (message: Wire): ReadonlyArray<Slot> =>
  speakerOf(message) === 'unknown'
    ? [{ field: '', index: -1, value: message }]
    : slotsOfField(message, 'content')

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const executions: ReadonlyMap<unknown, 'failed' | 'denied'> = new Map([
  ['error-text', 'failed' as const],
  ['error-json', 'failed' as const],
  ['execution-denied', 'denied' as const]
])

/** An approval names its call or the request that named it. */
const joinApproval = (draft: Draft, part: Wire, reading: Reading): void => {
  const approval = textOf(part['approvalId'])
  if (approval === undefined) return
  const key = `approval ${approval}`
  if (draft.callId !== undefined) learn(reading.memory, reading.memory.callIds, key, draft.callId)
  else {
    const callId = reading.memory.callIds.get(key)
    if (callId !== undefined) draft.callId = callId
  }
}

const isCompaction = (part: Wire): boolean =>
  part['type'] === 'custom' && textOf(part['kind'])?.endsWith('.compaction') === true

const readPart = (part: PartInHand, reading: Reading): ReadonlyArray<Draft> => {
  const { slot, speaker } = part
  if (speaker === 'unknown') {
    const expected = 'expected one of user, assistant, tool, system'
    return [unclassifiedPart(part, reading, `${part.path}.role`, expected)]
  }
  if (typeof slot.value === 'string') return [readText(part)]
  const draft = readTypedPart(part, reading)
  const { value } = slot
  if (!isWire(value)) return [draft]
  readProviderData(draft, value['providerOptions'], reading)
  if (draft.kind === 'approval') joinApproval(draft, value, reading)
  if (draft.kind === 'context' && isCompaction(value)) draft.kind = 'compaction'
  if (draft.kind === 'call' && value['providerExecuted'] === true) draft.executor = 'provider'
  if (draft.kind === 'output') {
    if (speaker === 'model') draft.origin = 'model'
    const output = value['output']
    const execution = isWire(output) ? executions.get(output['type']) : undefined
    if (execution !== undefined && draft.execution === undefined) draft.execution = execution
  }
  return [draft]
}

const fields: FieldRules = {
  main: 'content',
  emptied: new Map([['content', 'list']]),
  lift: (text) => ({ type: 'text', text })
}

const structure: ReadonlySet<string> = new Set([
  'type',
  'toolCallId',
  'toolName',
  'providerExecuted',
  'dynamic'
])

const close = (call: unknown, item: Item, as: ClosingExecution, text: string): Wire => ({
  type: 'tool-result',
  toolCallId: item.kind === 'call' ? (item.callId ?? '') : '',
  toolName: isWire(call) ? (textOf(call['toolName']) ?? '') : '',
  output: as === 'denied' ? { type: 'execution-denied', reason: text } : { type: 'error-text', value: text }
})

const format: BlockFormat = {
  name: 'ai-sdk',
  types: aiSdkTypes,
  outputs: 'joined',
  resultsFirst: false,
  callsLast: false,
  mergesResponses: false,
  speakerOf,
  slotsOf,
  pathOf: plainPath,
  readPart,
  writePart: ({ slot, redact, strip }, wording) => {
    const { value } = slot
    if (!isWire(value)) return value
    if (redact) return withoutPayload(value, structure, { output: { type: 'text', value: wording.redacted } })
    return strip ? withoutProviderId(value, 'providerOptions') : value
  },
  assemble: (message, parts) =>
    speakerOf(message) === 'unknown' ? message : assembleBody(message, slotsOf(message), parts, fields),
  close,
  resultsMessage: (parts) => ({ role: 'tool', content: parts }),
  callIdFields: { call: 'toolCallId', output: 'toolCallId', approval: 'toolCallId' }
}

/**
 * Reads and writes model messages of the AI SDK. Provider options travel untouched.
 *
 * Errors: `decode` when the input is no list. Rules: ITEM-9, BLOCK-1 to BLOCK-9. Complexity: linear.
 *
 * @example
 * const turn = [{ role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'pay', input: {} }] }]
 * const decoded = aiSdk.decode(turn)
 * decoded._tag === 'Right' && decoded.right.items[0]
 * // => { kind: 'call', callId: 'c1', source: { message: 0, part: 0 }, response: 0 }
 */
export const aiSdk: SharedBlockDialect<AiSdkMessage> = buildBlockDialect(format)
