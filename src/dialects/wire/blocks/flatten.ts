/**
 * How do messages become items?
 *
 * Law: only this file walks a list of messages, numbers positions, parts and responses. One pass; a prefix reads the
 * same however the list goes on, so decoding is linear and what was read never changes.
 *
 * Rules: ITEM-1, ITEM-9, PAIR-1, BLOCK-1, BLOCK-2.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Item } from '../../../core/item.js'
import type { DecodedBlocks, DecodeError } from '../../../ports/dialect.js'
import { isWire, notAList, readAll, sortOf, type Draft, type Reading as ListReading } from '../decode.js'
import { complain, learn, startMemory } from '../memory.js'
import type { BlockFormat, PartInHand, PartTable, Reading, Slot, Speaker, Standing } from './format.js'

const modelKinds: ReadonlySet<string> = new Set([
  'message',
  'reasoning',
  'call',
  'compaction',
  'context',
  'unclassified'
])

const isModelItem = (draft: Draft): boolean =>
  draft.origin === undefined
    ? modelKinds.has(draft.kind)
    : draft.origin === 'model' && draft.kind !== 'marker'

/** The slots of a raw value; a value that is no message is a slot of its own. */
export const slotsOfRaw = (format: BlockFormat, raw: unknown): ReadonlyArray<Slot> =>
  isWire(raw) ? format.slotsOf(raw) : [{ field: '', index: -1, value: raw }]

/** The items of one message are added to the list. */
const readMessage = (
  format: BlockFormat,
  raw: unknown,
  message: number,
  reading: Reading,
  items: Array<Item>
): Speaker => {
  const path = `[${message}]`
  const { memory } = reading
  memory.position = items.length
  if (!isWire(raw)) {
    const received = `expected a message, received ${sortOf(raw)}; it is read as unclassified`
    complain(memory, 'unclassified', path, received)
    items.push({ kind: 'unclassified', source: { message, part: 0 }, ...numberOf(reading) })
    return 'unknown'
  }
  const speaker = format.speakerOf(raw)
  if (speaker === 'model' && !(format.mergesResponses && reading.before === 'model')) {
    reading.response += 1
    reading.hasItems = false
  }
  const slots = format.slotsOf(raw)
  for (let part = 0; part < slots.length; part += 1) {
    const slot = slots[part] as Slot
    memory.position = items.length
    const inHand: PartInHand = {
      slot,
      message: raw,
      speaker,
      path: path + format.pathOf(raw, slot),
      isLast: part === slots.length - 1
    }
    for (const draft of format.readPart(inHand, reading)) {
      const source = { message, part }
      const numbered = isModelItem(draft) ? numberOf(reading) : {}
      if (isModelItem(draft)) reading.hasItems = true
      noteRepeatedId(draft, reading, inHand.path, items.length)
      items.push({ ...draft, source, ...numbered } as Item)
    }
  }
  if (slots.length === 0) items.push({ kind: 'marker', source: { message, part: 0 } })
  return speaker
}

/** Every model item has a number; what the model said before its first message counts to the first response. */
const numberOf = (reading: Reading): { readonly response: number } => ({
  response: Math.max(reading.response, 0)
})

const noteRepeatedId = (draft: Draft, reading: Reading, path: string, position: number): void => {
  if (draft.id === undefined || draft.kind === 'marker' || draft.kind === 'output') return
  const { ids } = reading.memory
  const first = ids.get(draft.id)
  if (first === undefined) learn(reading.memory, ids, draft.id, position)
  else {
    const message = `expected an id of its own, found the id of the item at position ${first}`
    complain(reading.memory, 'repeated-id', path, message)
  }
}

/** The reading of a list of messages. */
export const readMessages = (
  format: BlockFormat,
  types: PartTable,
  refused: ReadonlySet<string>
): ListReading => {
  const memory = startMemory()
  const reading: Reading = {
    memory,
    response: -1,
    hasItems: false,
    before: 'unknown',
    previousId: undefined,
    types,
    refused,
    filed: new Map(),
    filedCounts: new Map(),
    takenCounts: new Map()
  }
  const items: Array<Item> = []
  return {
    memory,
    items,
    readRaw: (raw, place) => {
      reading.before = readMessage(format, raw, place, reading, items)
    },
    state: {
      get: (): Standing => {
        const { response, hasItems, before, previousId } = reading
        return { response, hasItems, before, previousId }
      },
      set: (state) => {
        Object.assign(reading, state)
      }
    }
  }
}

/**
 * Reads a whole list of messages; `messages` of the answer is the list that was given.
 *
 * Errors: `decode` when the input is no list. Complexity: linear in the parts.
 */
export const decodeMessages = <Message>(
  input: unknown,
  format: BlockFormat,
  reading: ListReading
): E.Either<DecodeError, DecodedBlocks<Message>> => {
  if (!Array.isArray(input)) return E.left(notAList(input, 'messages'))
  const messages: ReadonlyArray<Message> = input
  readAll(reading, messages)
  const { items, memory } = reading
  let seen = -1
  let slots: ReadonlyArray<Slot> = []
  const pathOf = (position: number): string => {
    const source = items[position]?.source
    if (source === undefined) return ''
    const raw: unknown = messages[source.message]
    if (seen !== source.message) {
      slots = slotsOfRaw(format, raw)
      seen = source.message
    }
    const slot = slots[source.part]
    return `[${source.message}]${slot === undefined || !isWire(raw) ? '' : format.pathOf(raw, slot)}`
  }
  return E.right({ items, messages, notices: memory.notices, pathOf })
}
