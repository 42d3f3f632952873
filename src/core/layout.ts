/**
 * Where kept items and closings stand in a session, and in which form.
 *
 * Law: the entries of a turn are a function of what is kept of it; this file is that function. Entries are numbers
 * (position times 8 plus a form), so that a plan holds no object per item. Complexity: linear in the positions.
 *
 * Rules: SELECT-11, SELECT-20, SELECT-21, SELECT-22.
 */
import { isKept, Stored } from './judge.js'
import { Flag, Role } from './roles.js'
import { type CallQueue, SHORT, type Structure } from './structure.js'

/** How an entry is written; the last three are closings of the call at the position. */
export const Form = { plain: 0, stripped: 1, redacted: 2, interrupted: 4, skipped: 5, denied: 6 } as const

/** One entry of a session, as the answer of a plan shows it. */
export type Entry =
  | { readonly position: number; readonly stripId?: true; readonly redact?: true }
  | { readonly close: number; readonly as: 'interrupted' | 'skipped' | 'denied' }

/** The entry that a number stands for. */
export const entryOf = (code: number): Entry => {
  const position = code >>> 3
  switch (code & 7) {
    case Form.stripped:
      return { position, stripId: true }
    case Form.redacted:
      return { position, redact: true }
    case Form.interrupted:
      return { close: position, as: 'interrupted' }
    case Form.skipped:
      return { close: position, as: 'skipped' }
    case Form.denied:
      return { close: position, as: 'denied' }
    default:
      return { position }
  }
}

/** Entries as numbers. */
export type Codes = ReadonlyArray<number> | Uint32Array

/** Entries that are being laid out, in room that was made for all of them beforehand. */
export interface Laid {
  readonly room: number[] | Uint32Array
  count: number
}

/** Room for up to `most` entries. */
export const makeRoom = (most: number): Laid => ({
  room: most <= SHORT ? new Array<number>(most) : new Uint32Array(most),
  count: 0
})

/** The entries that were laid out. */
export const codesOf = ({ room, count }: Laid): Codes => {
  if (!Array.isArray(room)) return room.subarray(0, count)
  room.length = count
  return room
}

/** A view of what is kept: bits of `Stored` for the positions from `base` on. */
export interface Kept {
  readonly base: number
  readonly bits: Uint8Array
}

/** What the reasoning before a position leaves for the items after it. */
export interface Context {
  hasRun: boolean
  runWritten: boolean
  inRun: boolean
}

/** The context in front of a position, found by walking back to the start of its response. */
export const contextBefore = (structure: Structure, stored: Uint8Array, position: number): Context => {
  const context: Context = { hasRun: false, runWritten: true, inRun: true }
  for (let earlier = position - 1; earlier >= 0; earlier -= 1) {
    const role = structure.roles[earlier] as number
    const flags = structure.flags[earlier] as number
    if (role === Role.reasoning) {
      context.hasRun = true
      if (!isKept(stored[earlier] as number)) context.runWritten = false
    } else if (role === Role.user || (flags & Flag.owns) !== 0) {
      if (context.hasRun) break
      context.inRun = false
    }
    if ((flags & Flag.starts) !== 0) break
  }
  if (!context.hasRun) context.inRun = false
  return context
}

/** Closings with their places: `places[i]` is the position that the closing of `calls[i]` stands before. */
export interface Closings {
  readonly places: number[]
  readonly calls: number[]
}

/** Whether closings of the calls before a position stand before it: user input, or the start of a response. */
export const isBoundary = (structure: Structure, position: number): boolean =>
  structure.roles[position] === Role.user || ((structure.flags[position] as number) & Flag.starts) !== 0

/** No closings. */
export const noClosings: Closings = { places: [], calls: [] }

/** The position behind the last kept output that answers a call of a queue; 0 if none. Open calls join no queue of the turn's. */
const behindQueue = (structure: Structure, queue: CallQueue, view: Kept): number => {
  for (let index = queue.answered - 1; index >= 0; index -= 1) {
    const call = queue.calls[index] as number
    const output = structure.links[call] as number
    if (output >= view.base && isKept(view.bits[output - view.base] as number)) return output + 1
  }
  return 0
}

/** The closings of a view, in the order in which they stand (SELECT-21). */
export const placeClosings = (structure: Structure, view: Kept): Closings => {
  const places: number[] = []
  const calls: number[] = []
  const behind = new Map<CallQueue, number>()
  let boundary = structure.length
  let ordered = true
  for (let position = structure.length - 1; position >= view.base; position -= 1) {
    if (((view.bits[position - view.base] as number) & Stored.closing) !== 0) {
      const queue = structure.queues.get(position)
      if (queue !== undefined && !behind.has(queue)) behind.set(queue, behindQueue(structure, queue, view))
      const place = queue === undefined ? boundary : Math.max(boundary, behind.get(queue) as number)
      if (place > (places[places.length - 1] ?? Infinity)) ordered = false
      places.push(place)
      calls.push(position)
    }
    if (isBoundary(structure, position)) boundary = position
  }
  places.reverse()
  calls.reverse()
  return ordered ? { places, calls } : sortClosings(places, calls)
}

const sortClosings = (places: ReadonlyArray<number>, calls: ReadonlyArray<number>): Closings => {
  const order = places.map((_, index) => index)
  order.sort((left, right) => (places[left] as number) - (places[right] as number) || left - right)
  return {
    places: order.map((index) => places[index] as number),
    calls: order.map((index) => calls[index] as number)
  }
}

/** The entry of a closing, in the words that its call asks for (SELECT-11). */
export const closingCode = (structure: Structure, call: number): number => {
  const flags = structure.flags[call] as number
  if ((flags & Flag.denied) !== 0) return call * 8 + Form.denied
  return call * 8 + ((flags & Flag.skipped) !== 0 ? Form.skipped : Form.interrupted)
}

/** What is to be laid out: kept positions and closings, with the context in front of the first of them. */
export interface Layout {
  readonly structure: Structure
  readonly view: Kept
  readonly closings: Closings
  /** Whether an item whose reasoning is not written goes without its id (SELECT-20). */
  readonly strips: boolean
  /** Moved from the start to the end of what is laid out. */
  readonly context: Context
  /** Positions that the store holds already and that are not written again; absent when all are. */
  readonly held: Uint8Array | undefined
}

/**
 * Adds to `laid` the entry of every kept position from `start` up to `end`, and every closing at its place.
 *
 * Complexity: linear.
 */
export const layEntries = (layout: Layout, start: number, end: number, laid: Laid): void => {
  const { structure, view, closings, strips, context, held } = layout
  const { roles, flags } = structure
  const { base, bits } = view
  const { places, calls } = closings
  const { room } = laid
  let { count } = laid
  let { hasRun, runWritten, inRun } = context
  let closing = 0
  let nextPlace = places.length > 0 ? (places[0] as number) : Infinity
  for (let position = start; position < end; position += 1) {
    while (nextPlace <= position) {
      room[count] = closingCode(structure, calls[closing] as number)
      count += 1
      closing += 1
      nextPlace = closing < places.length ? (places[closing] as number) : Infinity
    }
    const role = roles[position] as number
    const flag = flags[position] as number
    const bit = bits[position - base] as number
    let form: number = (bit & Stored.redacted) !== 0 ? Form.redacted : Form.plain
    if ((flag & Flag.starts) !== 0) hasRun = inRun = false
    if (role === Role.reasoning) {
      if (!inRun) hasRun = runWritten = inRun = true
      if (!isKept(bit)) runWritten = false
    } else if ((flag & Flag.owns) !== 0) {
      inRun = false
      if (strips && hasRun && !runWritten) form = Form.stripped
    } else if (role === Role.user) inRun = false
    if (isKept(bit) && (held === undefined || !isKept(held[position] as number))) {
      room[count] = position * 8 + form
      count += 1
    }
  }
  context.hasRun = hasRun
  context.runWritten = runWritten
  context.inRun = inRun
  for (; closing < places.length && (places[closing] as number) <= end; closing += 1) {
    room[count] = closingCode(structure, calls[closing] as number)
    count += 1
  }
  laid.count = count
}
