/**
 * Where kept items and closings stand in a session, and in which form.
 *
 * Law: the entries of a turn are a function of what is kept of it; this file is that function. Entries are numbers
 * (position times 8 plus a form), so that a plan holds no object per item. Complexity: linear in the positions.
 *
 * Rules: SELECT-11, SELECT-20, SELECT-21, SELECT-22.
 */
import { type CallQueue, Flag, NONE, Role, type Structure } from './pair.js'
import { Stored } from './select.js'

/** How an entry is written; the last three are closings of the call at the position. */
export const Form = { plain: 0, stripped: 1, redacted: 2, interrupted: 4, skipped: 5, denied: 6 } as const

/** One entry of a session, as the answer of a plan shows it. */
export type Entry =
  | { readonly position: number; readonly stripId?: true; readonly redact?: true }
  | { readonly close: number; readonly as: 'interrupted' | 'skipped' | 'denied' }

/** The entry that a number stands for. */
export const entryOf = (code: number): Entry => {
  const position = Math.floor(code / 8)
  switch (code % 8) {
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
      if (((stored[earlier] as number) & Stored.item) === 0) context.runWritten = false
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

/** No closings. */
export const noClosings: Closings = { places: [], calls: [] }

/** The position behind the last kept output that answers an earlier call of the same queue; 0 if none. */
const behindQueue = (
  structure: Structure,
  queue: CallQueue,
  call: number,
  kept: (position: number) => boolean
): number => {
  for (let index = queue.answered - 1; index >= 0; index -= 1) {
    const earlier = queue.calls[index] as number
    if (earlier >= call) continue
    const output = earlier < 0 ? NONE : (structure.links[earlier] as number)
    if (output !== NONE && kept(output)) return output + 1
  }
  return 0
}

/** The closings of a view whose place is at or behind `start`, in the order in which they stand (SELECT-21). */
export const placeClosings = (structure: Structure, view: Kept, start: number): Closings => {
  const places: number[] = []
  const calls: number[] = []
  let boundary = structure.length
  let ordered = true
  const kept = (position: number): boolean =>
    position >= view.base && ((view.bits[position - view.base] as number) & Stored.item) !== 0
  for (let position = structure.length - 1; position >= view.base; position -= 1) {
    if (((view.bits[position - view.base] as number) & Stored.closing) !== 0) {
      const queue = structure.queues.get(position)
      const place =
        queue === undefined ? boundary : Math.max(boundary, behindQueue(structure, queue, position, kept))
      if (place >= start) {
        if (place > (places[places.length - 1] ?? Infinity)) ordered = false
        places.push(place)
        calls.push(position)
      }
    }
    const role = structure.roles[position] as number
    if (role === Role.user || ((structure.flags[position] as number) & Flag.starts) !== 0) boundary = position
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

/**
 * Calls `write` with the entry of every kept position from `start` up to `end`, and of every closing at its place.
 *
 * `context` is the context in front of `start` and is moved to `end`. Complexity: linear.
 */
export const layEntries = (
  structure: Structure,
  view: Kept,
  start: number,
  end: number,
  context: Context,
  strips: boolean,
  closings: Closings,
  write: (code: number, position: number) => void
): void => {
  const { roles, flags } = structure
  const { base, bits } = view
  let closing = 0
  let nextPlace = closings.places.length > 0 ? (closings.places[0] as number) : Infinity
  for (let position = start; position < end; position += 1) {
    while (nextPlace <= position) {
      const call = closings.calls[closing] as number
      write(closingCode(structure, call), call)
      closing += 1
      nextPlace = closing < closings.places.length ? (closings.places[closing] as number) : Infinity
    }
    const role = roles[position] as number
    const flag = flags[position] as number
    const bit = bits[position - base] as number
    const kept = (bit & Stored.item) !== 0
    let form: number = Form.plain
    if ((flag & Flag.starts) !== 0) context.hasRun = context.inRun = false
    if (role === Role.reasoning) {
      if (!context.inRun) {
        context.hasRun = context.runWritten = context.inRun = true
      }
      if (!kept) context.runWritten = false
    } else if ((flag & Flag.owns) !== 0) {
      context.inRun = false
      if (strips && context.hasRun && !context.runWritten) form = Form.stripped
    } else if (role === Role.user) context.inRun = false
    if (!kept) continue
    if ((bit & Stored.redacted) !== 0) form = Form.redacted
    write(position * 8 + form, position)
  }
  for (; closing < closings.places.length && (closings.places[closing] as number) <= end; closing += 1) {
    const call = closings.calls[closing] as number
    write(closingCode(structure, call), call)
  }
}
