/**
 * Where kept items and closings stand in a session, and in which form.
 *
 * Law: the entries of a turn are a function of what is kept of it; this file is that function. Complexity: linear in
 * the positions.
 *
 * Rules: SELECT-11, SELECT-20, SELECT-21, SELECT-22.
 */
import { type EntryList, Form } from './entries.js'
import { isKept, Stored } from './judge.js'
import { Flag, Role } from './roles.js'
import type { CallQueue, Structure } from './structure.js'

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

/** The context where everything before is written: no item goes without its id for what stands there (SELECT-20). */
export const contextWritten = (): Context => ({ hasRun: false, runWritten: true, inRun: false })

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
  for (let position = structure.length - 1; position >= view.base; position -= 1) {
    if (((view.bits[position - view.base] as number) & Stored.closing) !== 0) {
      const queue = structure.queues.get(position)
      if (queue !== undefined && !behind.has(queue)) behind.set(queue, behindQueue(structure, queue, view))
      const place = queue === undefined ? boundary : Math.max(boundary, behind.get(queue) as number)
      places.push(place)
      calls.push(position)
    }
    if (isBoundary(structure, position)) boundary = position
  }
  return sortClosings(places.reverse(), calls.reverse())
}

/** By place; those at one place in the order of their calls, in which they are given. */
const sortClosings = (places: ReadonlyArray<number>, calls: ReadonlyArray<number>): Closings => {
  const order = places.map((_, index) => index)
  order.sort((left, right) => (places[left] as number) - (places[right] as number))
  return {
    places: order.map((index) => places[index] as number),
    calls: order.map((index) => calls[index] as number)
  }
}

/** The form of a closing, in the words that its call asks for (SELECT-11). */
export const closingForm = (structure: Structure, call: number): number => {
  const flags = structure.flags[call] as number
  if ((flags & Flag.denied) !== 0) return Form.denied
  return (flags & Flag.skipped) !== 0 ? Form.skipped : Form.interrupted
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
export const layEntries = (layout: Layout, start: number, end: number, laid: EntryList): void => {
  const { structure, view, closings, strips, context, held } = layout
  const { roles, flags } = structure
  const { base, bits } = view
  const { places, calls } = closings
  let { hasRun, runWritten, inRun } = context
  let closing = 0
  let nextPlace = places[closing] ?? Infinity
  for (let position = start; ; position += 1) {
    while (nextPlace <= position) {
      const call = calls[closing] as number
      laid.add(call, closingForm(structure, call))
      closing += 1
      nextPlace = places[closing] ?? Infinity
    }
    if (position >= end) break
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
    if (isKept(bit) && (held === undefined || !isKept(held[position] as number))) laid.add(position, form)
  }
  context.hasRun = hasRun
  context.runWritten = runWritten
  context.inRun = inRun
}
