/**
 * How is a list of raw items walked, and how is an oddity reported?
 *
 * Law: only this file turns a list into `Decoded`, numbers the positions and makes notices. It knows no wire type:
 * a dialect hands it a function that reads one raw item. One pass; what is remembered of earlier items is looked
 * up by key, so decoding is linear, and a prefix reads the same however the list goes on.
 *
 * Rules: ITEM-1, ITEM-9.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Item, ItemFields, ItemKind } from '../../core/item.js'
import type { Decoded, DecodeError, DecodeNotice } from '../../ports/dialect.js'

/** A raw value seen as an object: every field may be anything. */
export type Wire = Readonly<Record<string, unknown>>

/** An item while it is being read. */
export type Draft = { -readonly [F in Exclude<keyof ItemFields, 'kind'>]?: ItemFields[F] } & {
  kind: ItemKind
}

/** What one decoding remembers from the items it has passed. */
export interface Memory {
  /** The position that is being read, 0-based. */
  position: number
  readonly notices: Array<DecodeNotice>
  /** Where each provider id was met first. */
  readonly ids: Map<string, number>
  /** Keys of the calls that were met, made by `callKey`. */
  readonly calls: Set<string>
  /** Those of them that the provider runs. */
  readonly hosted: Set<string>
  /** Call ids by item id, for outputs that name the item instead of the call. */
  readonly callIds: Map<string, string>
}

/** A memory of nothing: for a decoding that starts, or for reading one raw item alone. */
export const startMemory = (): Memory => ({
  position: 0,
  notices: [],
  ids: new Map(),
  calls: new Set(),
  hosted: new Set(),
  callIds: new Map()
})

/** One key per namespace and call id; no two pairs share one. */
export const callKey = (namespace: string | undefined, callId: string): string =>
  namespace === undefined ? `-${callId}` : `${namespace.length}:${namespace}${callId}`

/** Notes an oddity of the item that is being read. */
export const complain = (memory: Memory, kind: DecodeNotice['kind'], path: string, message: string): void => {
  memory.notices.push({ kind, position: memory.position, message: `${path}: ${message}`, path })
}

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

/** Reads one raw item; `path` is where it stands, such as `[3]`. */
export type ReadItem = (raw: unknown, memory: Memory, path: string) => Item

const noteRepeatedId = (item: Item, memory: Memory, path: string): void => {
  if (item.id === undefined || item.kind === 'marker') return
  const first = memory.ids.get(item.id)
  if (first === undefined) memory.ids.set(item.id, memory.position)
  else complain(memory, 'repeated-id', path, `expected an id of its own, found the id of [${first}]`)
}

/**
 * Reads a list item by item; `raws` of the answer is the list that was given.
 *
 * Errors: `decode` when the input is no list. Rules: ITEM-1, ITEM-9. Complexity: linear.
 */
export const decodeList = <Raw>(input: unknown, readItem: ReadItem): E.Either<DecodeError, Decoded<Raw>> => {
  if (!Array.isArray(input)) {
    const received = sortOf(input)
    return E.left({
      kind: 'decode',
      path: '',
      expected: 'a list of items',
      received,
      message: `Expected a list of items, received ${received}.`
    })
  }
  const raws: ReadonlyArray<Raw> = input
  const memory = startMemory()
  const items: Array<Item> = []
  for (let position = 0; position < raws.length; position += 1) {
    memory.position = position
    const path = `[${position}]`
    const item = readItem(raws[position], memory, path)
    noteRepeatedId(item, memory, path)
    items.push(item)
  }
  return E.right({ items, raws, notices: memory.notices })
}
