/**
 * How is a list of raw values walked?
 *
 * Law: only this file turns a list into items, whole or as it grows, and keeps the places to which a reader can go
 * back. It knows no wire type: a format hands it a function that reads one raw value. One pass; what is remembered of
 * earlier values is looked up by key, so reading is linear, and a prefix reads the same however the list goes on.
 *
 * Rules: ITEM-1, ITEM-9.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Item, ItemFields, ItemKind } from '../../core/item.js'
import type { Decoded, DecodeError, Reader } from '../../ports/dialect.js'
import { complain, forget, learn, type Memory, startMemory } from './memory.js'

/** A raw value seen as an object: every field may be anything. */
export type Wire = Readonly<Record<string, unknown>>

/** An item while it is being read. */
export type Draft = { -readonly [F in Exclude<keyof ItemFields, 'kind'>]?: ItemFields[F] } & {
  kind: ItemKind
}

/** One key per namespace and call id; no two pairs share one. */
export const callKey = (namespace: string | undefined, callId: string): string =>
  namespace === undefined ? `-${callId}` : `${namespace.length}:${namespace}${callId}`

/** Whether a value is an object that is no list. */
export const isWire = (value: unknown): value is Wire =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The sort of a value, for messages: never the value itself. */
export const sortOf = (value: unknown): string => {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

const plainName = /^[\w.:/-]{1,64}$/

/** A wire name as a message may print it: one that is long or odd might be content, and is not shown. */
export const nameOf = (value: string): string =>
  plainName.test(value) ? `"${value}"` : 'an unprintable name'

/** How a list is read: what is remembered, and what one raw value adds. */
export interface Reading {
  readonly memory: Memory
  readonly items: Array<Item>
  /** Reads one raw value: its items are added to the list. `place` is its 0-based place among the raw values. */
  readonly readRaw: (raw: unknown, place: number) => void
  /** What else is remembered, as a value that is never changed. */
  readonly state?: { readonly get: () => unknown; readonly set: (state: unknown) => void }
}

/** Numbers that are kept of each place to which a reader can go back. */
const perPlace = 3

/** Reads a whole list, once. */
export const readAll = ({ readRaw }: Reading, raws: ReadonlyArray<unknown>): void => {
  for (let place = 0; place < raws.length; place += 1) readRaw(raws[place], place)
}

/** A reader over a reading of which nothing was read yet: it keeps the way back. */
export const startReader = ({ memory, items, readRaw, state }: Reading): Reader => {
  const log: unknown[] = []
  memory.log = log
  // Three numbers for each raw value: what was learnt, noticed and read before it.
  const places: number[] = []
  const states: unknown[] = []
  return {
    items,
    get notices() {
      return memory.notices
    },
    read: (raws) => {
      for (let index = 0; index < raws.length; index += 1) {
        const place = places.length / perPlace
        places.push(log.length, memory.notices.length, items.length)
        if (state !== undefined) states.push(state.get())
        readRaw(raws[index], place)
      }
    },
    rewind: (count) => {
      const [learnt, noticed, kept] = places.slice(count * perPlace, (count + 1) * perPlace)
      if (learnt === undefined || noticed === undefined || kept === undefined) return []
      forget(memory, learnt, noticed)
      state?.set(states[count])
      places.length = count * perPlace
      states.length = Math.min(states.length, count)
      return items.splice(kept)
    }
  }
}

/** The error of an input that is no list. */
export const notAList = (input: unknown, of: 'items' | 'messages'): DecodeError => {
  const received = sortOf(input)
  const expected = `a list of ${of}`
  return {
    kind: 'decode',
    path: '',
    expected,
    received,
    message: `Expected ${expected}, received ${received}.`
  }
}

/** Reads one raw item; `path` is where it stands, such as `[3]`. */
export type ReadItem = (raw: unknown, memory: Memory, path: string) => Item

const noteRepeatedId = (item: Item, memory: Memory, path: string): void => {
  if (item.id === undefined || item.kind === 'marker') return
  const first = memory.ids.get(item.id)
  if (first === undefined) learn(memory, memory.ids, item.id, memory.position)
  else complain(memory, 'repeated-id', path, `expected an id of its own, found the id of [${first}]`)
}

/** The reading of raw values that are one item each. */
export const readItems = (readItem: ReadItem): Reading => {
  const memory = startMemory()
  const items: Array<Item> = []
  const readRaw = (raw: unknown, place: number): void => {
    memory.position = place
    const path = `[${place}]`
    const item = readItem(raw, memory, path)
    noteRepeatedId(item, memory, path)
    items.push(item)
  }
  return { memory, items, readRaw }
}

/**
 * Reads a whole list; `raws` of the answer is the list that was given.
 *
 * Errors: `decode` when the input is no list. Rules: ITEM-1, ITEM-9. Complexity: linear.
 */
export const decodeList = <Raw>(input: unknown, reading: Reading): E.Either<DecodeError, Decoded<Raw>> => {
  if (!Array.isArray(input)) return E.left(notAList(input, 'items'))
  const raws: ReadonlyArray<Raw> = input
  readAll(reading, raws)
  return E.right({ items: reading.items, raws, notices: reading.memory.notices })
}
