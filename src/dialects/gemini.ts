/**
 * The contents of the Gemini API (`generateContent`).
 *
 * Law: only this file says which part the `gemini` dialect has. A part of `parts` is one item; what it is, is said by
 * the field it has. A call without an id is joined with its response by name and order. What each part becomes:
 * docs/reference/dialects.md.
 *
 * Rules: ITEM-9, BLOCK-1 to BLOCK-9.
 */
import type { Item } from '../core/item.js'
import type { ClosingExecution, SharedBlockDialect } from '../ports/dialect.js'
import { assembleBody, plainPath, slotsOfField, type FieldRules } from './wire/blocks/assemble.js'
import { buildBlockDialect } from './wire/blocks/build.js'
import {
  file,
  takeFiled,
  type BlockFormat,
  type PartInHand,
  type PartRule,
  type PartTable,
  type Reading,
  type Slot,
  type Speaker
} from './wire/blocks/format.js'
import {
  findPartRule,
  holdsText,
  readPartByRule,
  readText,
  unclassifiedPart
} from './wire/blocks/read-part.js'
import { callKey, isWire, nameOf, sortOf, type Draft, type Wire } from './wire/decode.js'
import { makeFieldChecker, text } from './wire/fields.js'
import { learn } from './wire/memory.js'
import { withoutPayload } from './wire/rewrite.js'

/** What the dialect needs to know of a content; the type of the API's package has this shape. */
export interface GeminiContent {
  readonly role?: string
  readonly parts?: ReadonlyArray<object>
}

const words: PartRule = { kind: 'message' }
const byOrder = 'without an id joined by order'

/** Every part by the field that tells it. A part that only has text is told last. */
export const geminiTypes: PartTable = new Map<string, PartRule>([
  ['functionCall', { kind: 'call', callId: 'id', note: 'without an id joined by name and order' }],
  [
    'functionResponse',
    {
      kind: 'output',
      callId: 'id',
      note: 'failed when its response is an `error`; context while `willContinue`'
    }
  ],
  ['toolCall', { kind: 'call', namespace: 'server', callId: 'id', executor: 'provider', note: byOrder }],
  ['toolResponse', { kind: 'output', origin: 'model', namespace: 'server', callId: 'id', note: byOrder }],
  [
    'executableCode',
    { kind: 'call', namespace: 'code-execution', callId: 'id', executor: 'provider', note: byOrder }
  ],
  [
    'codeExecutionResult',
    { kind: 'output', origin: 'model', namespace: 'code-execution', callId: 'id', note: byOrder }
  ],
  ['inlineData', words],
  ['fileData', words],
  ['audioTranscription', words],
  ['text', { kind: 'message', note: 'reasoning when `thought` is true' }]
])

const speakers: ReadonlyMap<unknown, Speaker> = new Map<unknown, Speaker>([
  ['user', 'user'],
  ['model', 'model'],
  ['function', 'user'],
  [undefined, 'user'],
  ['system', 'system']
])

const speakerOf = (message: Wire): Speaker => speakers.get(message['role']) ?? 'unknown'

const slotsOf = (message: Wire): ReadonlyArray<Slot> =>
  speakerOf(message) === 'unknown'
    ? [{ field: '', index: -1, value: message }]
    : slotsOfField(message, 'parts')

/** The names that calls and responses without ids are joined by, told apart from ids. */
const namedSpace = 'by-name'

const textIn = (body: Wire, field: string): string | undefined => {
  const value = body[field]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A call that has an id is also filed by name, for a response that lacks the id. */
const joinCall = (draft: Draft, body: Wire, reading: Reading): void => {
  const name = textIn(body, 'name') ?? ''
  const id = textIn(body, 'id')
  draft.callId = id ?? name
  if (id === undefined) draft.namespace = namedSpace
  else {
    learn(reading.memory, reading.memory.calls, callKey(undefined, id), false)
    file(reading, name, id)
  }
}

const joinResponse = (draft: Draft, body: Wire, reading: Reading): void => {
  const name = textIn(body, 'name') ?? ''
  const id = textIn(body, 'id')
  const isKnown = id !== undefined && reading.memory.calls.has(callKey(undefined, id))
  const callId = isKnown ? id : id === undefined ? takeFiled(reading, name) : undefined
  draft.callId = callId ?? name
  if (callId === undefined) draft.namespace = namedSpace
}

const checkIds = makeFieldChecker([text('id'), text('name')])

/** The ids of these parts are checked where they are joined: none of them has to be there. */
const withoutJoin = (rule: PartRule): PartRule => {
  const { callId: _callId, ...rest } = rule
  return rest
}

const plainRules: ReadonlyMap<string, PartRule> = new Map(
  Array.from(geminiTypes, ([name, rule]): readonly [string, PartRule] => [name, withoutJoin(rule)])
)

const readNamed = (part: PartInHand, name: string, body: Wire, reading: Reading): Draft => {
  const rule = plainRules.get(name) ?? findPartRule(name, part.path, reading) ?? { kind: 'unclassified' }
  const path = `${part.path}.${name}`
  checkIds(body, reading.memory, path)
  const draft = readPartByRule(part, body, rule, reading, path)
  if (draft.kind === 'call' && name === 'functionCall') {
    joinCall(draft, body, reading)
    if (body['willContinue'] === true) draft.partial = true
  } else if (draft.kind === 'output' && name === 'functionResponse') {
    if (body['willContinue'] === true) return { kind: 'context', origin: 'runner' }
    joinResponse(draft, body, reading)
    const response = body['response']
    if (isWire(response) && 'error' in response && !('output' in response)) draft.execution = 'failed'
  } else if ((draft.kind === 'call' || draft.kind === 'output') && plainRules.has(name)) {
    draft.callId = textIn(body, 'id') ?? draft.namespace ?? ''
  }
  return draft
}

const knownField = (part: Wire, types: PartTable): string | undefined => {
  for (const name of types.keys()) if (part[name] !== undefined && part[name] !== null) return name
  return undefined
}

const readPart = (part: PartInHand, reading: Reading): ReadonlyArray<Draft> => {
  const { value } = part.slot
  if (part.speaker === 'unknown')
    return [unclassifiedPart(part, reading, `${part.path}.role`, 'expected one of user, model')]
  if (typeof value === 'string') return [readText(part)]
  if (!isWire(value))
    return [unclassifiedPart(part, reading, part.path, `expected an object, received ${sortOf(value)}`)]
  const signature: Draft['signature'] | undefined = holdsText(value['thoughtSignature'])
    ? 'present'
    : undefined
  const sign = (draft: Draft): ReadonlyArray<Draft> => {
    if (signature !== undefined) draft.signature = signature
    else if (draft.kind === 'call' && draft.executor !== 'provider') draft.signature = 'none'
    return [draft]
  }
  const name = knownField(value, reading.types)
  if (name === undefined) {
    if (signature !== undefined) return sign(readText(part))
    const [first] = Object.keys(value)
    const found = first === undefined ? 'an empty part' : nameOf(first)
    return [unclassifiedPart(part, reading, part.path, `expected a known field, found ${found}`)]
  }
  if (name === 'text') {
    const isThought = value['thought'] === true && part.speaker === 'model'
    return sign(isThought ? { kind: 'reasoning' } : readText(part))
  }
  const body = value[name]
  if (isWire(body)) return sign(readNamed(part, name, body, reading))
  const expected = `expected an object, received ${sortOf(body)}`
  return [unclassifiedPart(part, reading, `${part.path}.${name}`, expected)]
}

const fields: FieldRules = {
  main: 'parts',
  emptied: new Map([['parts', 'list']]),
  lift: (said) => ({ text: said })
}

const structure: ReadonlySet<string> = new Set(['id', 'name', 'scheduling'])

const redact = (value: unknown, replacement: string): unknown => {
  const response = isWire(value) ? value['functionResponse'] : undefined
  if (!isWire(value) || !isWire(response)) return value
  const redacted = withoutPayload(response, structure, { response: { output: replacement } })
  return withoutPayload(value, new Set(['thoughtSignature']), { functionResponse: redacted })
}

const close = (call: unknown, _item: Item, as: ClosingExecution, said: string): Wire => {
  const body = isWire(call) && isWire(call['functionCall']) ? call['functionCall'] : {}
  return {
    functionResponse: {
      ...(textIn(body, 'id') === undefined ? {} : { id: body['id'] }),
      name: textIn(body, 'name') ?? '',
      response: { error: said, status: as }
    }
  }
}

const format: BlockFormat = {
  name: 'gemini',
  types: geminiTypes,
  outputs: 'joined',
  resultsFirst: true,
  callsLast: false,
  mergesResponses: true,
  speakerOf,
  slotsOf,
  pathOf: plainPath,
  readPart,
  writePart: ({ slot, redact: redacts }, wording) =>
    redacts ? redact(slot.value, wording.redacted) : slot.value,
  assemble: (message, parts) =>
    speakerOf(message) === 'unknown' ? message : assembleBody(message, slotsOf(message), parts, fields),
  close,
  resultsMessage: (parts) => ({ role: 'user', parts }),
  callIdFields: { call: 'id', output: 'id', approval: 'id' }
}

/**
 * Reads and writes contents of the Gemini API. A signature travels on the part that it came with.
 *
 * Errors: `decode` when the input is no list. Rules: ITEM-9, BLOCK-1 to BLOCK-9. Complexity: linear.
 *
 * @example
 * const decoded = gemini.decode([{ role: 'model', parts: [{ text: 'hm', thought: true }] }])
 * decoded._tag === 'Right' && decoded.right.items[0]
 * // => { kind: 'reasoning', source: { message: 0, part: 0 }, response: 0 }
 */
export const gemini: SharedBlockDialect<GeminiContent> = buildBlockDialect(format)
