/**
 * Where a history may be cut.
 *
 * Law: only this file decides at which entry a limited read may begin: never between a call and its output, its
 * approval or its parent, and never between reasoning and the item it belongs to. What belongs together is the
 * core's word; how to read an entry is the handed dialect's. An approval that stands before its own call,
 * and a call whose id is used again before it is answered, are not looked for beyond the entries that were read.
 *
 * Rules: PAIR-4, PAIR-7, PAIR-10, PAIR-11, REASON-1. Complexity: linear in the entries.
 */
import * as E from 'fp-ts/lib/Either.js'
import { associateReasoning } from '../core/associate.js'
import type { Item } from '../core/item.js'
import { pairCalls } from '../core/pair.js'
import type { Dialect } from '../ports/dialect.js'

/** Where to cut: `from` is the first entry to return; `certain` is false when older entries could change it. */
export interface Cut {
  readonly from: number
  readonly certain: boolean
}

/** Marks every place between two entries, so that no cut falls there. */
const bind = (bound: Int32Array, early: number, late: number): void => {
  if (late <= early) return
  bound[early + 1] = (bound[early + 1] as number) + 1
  bound[late + 1] = (bound[late + 1] as number) - 1
}

interface Joins {
  readonly callId?: string
  readonly namespace?: string
  readonly parent?: string
}

const keyOf = (item: Joins): string => `${item.namespace ?? ''}\u0000${item.callId ?? ''}`

/** What `bindReferences` found. */
interface References {
  /** Nothing at or after the earliest entry refers to something that is missing. */
  readonly found: boolean
  /** The last call or approval of a key. */
  readonly lastByKey: ReadonlyMap<string, number>
}

/**
 * Binds approvals and further outputs to what carries their key, and calls to their parents. What stands before the
 * earliest entry may miss what it refers to: all of that is older still.
 */
const bindReferences = (
  items: ReadonlyArray<Item>,
  at: (position: number) => number,
  bound: Int32Array,
  earliest: number
): References => {
  let found = true
  const miss = (position: number): void => {
    if (at(position) >= earliest) found = false
  }
  const lastByKey = new Map<string, number>()
  const lastById = new Map<string, number>()
  for (let position = 0; position < items.length; position += 1) {
    const item = items[position] as Item
    if (item.kind !== 'call' && item.kind !== 'approval' && item.kind !== 'output') continue
    if (item.callId === undefined) continue
    const key = keyOf(item)
    const before = lastByKey.get(key)
    if (item.kind === 'output') {
      if (before !== undefined) bind(bound, at(before), at(position))
      continue
    }
    const follows = before !== undefined && (item.kind === 'approval' || items[before]?.kind === 'approval')
    if (before !== undefined && follows) bind(bound, at(before), at(position))
    if (before === undefined && item.kind === 'approval' && item.origin !== 'model') miss(position)
    lastByKey.set(key, position)
    if (item.kind !== 'call') continue
    const parent = item.parent === undefined ? undefined : lastById.get(item.parent)
    if (parent !== undefined) bind(bound, at(parent), at(position))
    if (parent === undefined && item.parent !== undefined) miss(position)
    lastById.set(item.callId, position)
  }
  return { found, lastByKey }
}

/**
 * Whether an output without a call among the entries says nothing about where to cut: it stands before the earliest
 * entry, and no later call could be its own or take its place.
 */
const isPast = (
  items: ReadonlyArray<Item>,
  at: (position: number) => number,
  earliest: number,
  { lastByKey }: References
): ((position: number) => boolean) => {
  return (position) => {
    const item: Joins = items[position] as Joins
    return (
      at(position) < earliest && item.callId !== undefined && (lastByKey.get(keyOf(item)) ?? -1) < position
    )
  }
}

const bindReasoning = (
  items: ReadonlyArray<Item>,
  at: (position: number) => number,
  bound: Int32Array
): void => {
  const { owner } = associateReasoning({ items })
  let reasoning = 0
  for (let position = 0; position < items.length; position += 1) {
    if (items[position]?.kind !== 'reasoning') continue
    const owned = owner[reasoning] ?? null
    reasoning += 1
    if (owned !== null) bind(bound, at(position), at(owned))
  }
}

const isOwning = (item: Item): boolean =>
  (item.kind === 'message' || item.kind === 'call') && (item.origin === undefined || item.origin === 'model')

/** Whether all reasoning stands right before what it belongs to, so that no older call could part the two. */
const isAllAdjacent = (items: ReadonlyArray<Item>): boolean => {
  let owned = true
  for (let position = items.length - 1; position >= 0; position -= 1) {
    const item = items[position] as Item
    if (item.kind !== 'reasoning') owned = isOwning(item)
    else if (!owned) return false
  }
  return true
}

/**
 * Whether no reasoning that is older belongs to anything behind the entry: user input stands before it, or an item
 * that older reasoning would belong to instead.
 */
const isFenced = (items: ReadonlyArray<Item>, at: (position: number) => number, before: number): boolean => {
  let owning = false
  for (let position = 0; position < items.length && at(position) < before; position += 1) {
    const item = items[position] as Item
    if (item.origin === 'user' && item.kind !== 'marker' && item.partial !== true) return true
    owning ||= isOwning(item)
  }
  return owning && isAllAdjacent(items)
}

/**
 * The first entry at or after `earliest` (0-based) at which a history may begin.
 *
 * `complete` says that no older entry exists. Without it, an output behind `earliest` whose call is not among the
 * entries and reasoning that could begin further back make the answer uncertain.
 */
export const findCut = <Raw>(
  entries: ReadonlyArray<Raw>,
  earliest: number,
  complete: boolean,
  dialect: Dialect<Raw>
): Cut => {
  const decoded = dialect.decode(entries)
  if (E.isLeft(decoded)) return { from: earliest, certain: true }
  const items = decoded.right.items
  const at = (position: number): number => items[position]?.source?.message ?? position
  const bound = new Int32Array(entries.length + 2)
  const { pairs, unpaired } = pairCalls({ items })
  for (const [call, output] of pairs) bind(bound, at(call), at(output))
  const references = bindReferences(items, at, bound, earliest)
  bindReasoning(items, at, bound)
  let depth = 0
  let from = entries.length
  for (let entry = 0; entry < entries.length; entry += 1) {
    depth += bound[entry] as number
    if (entry >= earliest && depth === 0) {
      from = entry
      break
    }
  }
  const certain =
    references.found &&
    unpaired.every(isPast(items, at, earliest, references)) &&
    isFenced(items, at, earliest)
  return { from, certain: complete || certain }
}
