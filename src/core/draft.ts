/**
 * What one save changes: the bits after it, and the entries to write and to replace.
 *
 * Law: only this file compares what should be in a session with what is in it. It judges nothing and lays nothing
 * out. A draft speaks of the positions from the first one that can have changed; everything before is in the session
 * as it should be. Complexity: linear in those positions.
 *
 * Rules: PLAN-14, PLAN-16, PLAN-17.
 */
import { EntryList, noEntries } from './entries.js'
import type { OutOfOrder } from './error.js'
import { isKept, type Judge, judgeRevived, Stored, Verdict } from './judge.js'
import {
  type Closings,
  type Context,
  contextBefore,
  isBoundary,
  type Kept,
  type Layout,
  layEntries,
  noClosings,
  placeClosings
} from './layout.js'
import type { Policy } from './policy.js'
import { Role } from './roles.js'
import type { Saved } from './saved.js'
import { NONE, type Structure } from './structure.js'

/** A turn together with what the store holds of it. */
export interface TurnState {
  readonly structure: Structure
  readonly policy: Policy
  readonly appendOnly: boolean
  readonly saved: Saved
  readonly scan: ScanState
}

/** What a growing turn remembers between plans, so that each position is looked at a bounded number of times. */
export interface ScanState {
  /** Positions below were looked at by the last applied plan; what is below changes only by events. */
  readonly scanned: number
  /** Lowest position that waited for something other than its own completion; infinity if none did. */
  readonly waiting: number
  /** Lowest sealed output that is real and still waits to take the place of its closing; infinity if none does. */
  readonly revived: number
  /** What that plan depended on, beside the items. */
  readonly key: ScanKey | undefined
  /** How many superseded calls were dealt with. */
  readonly superseded: number
  /** The context in front of `contextAt`, so that it need not be searched. */
  readonly context: Context | undefined
  readonly contextAt: number
}

/** What decides who waits in an open turn, beside the items themselves. */
export interface ScanKey {
  readonly check: string
  readonly responseStart: number
  readonly lastUser: number
  readonly superseded: number
}

/** What one save changes. */
export interface Draft {
  /** `bits[i]` is what the store holds of position base + i after the save; nothing below base changes. */
  readonly base: number
  readonly bits: Uint8Array
  readonly settled: number
  readonly final: number
  readonly sealed: number
  readonly writes: EntryList
  readonly replaces: EntryList
  readonly irrevocable: ReadonlyArray<number>
  readonly late: ReadonlyArray<number>
  readonly scan: ScanState
}

/** The scan state of a turn whose progress was just loaded. */
export const startScan = (saved: Saved): ScanState => ({
  scanned: 0,
  waiting: saved.settled,
  revived: Infinity,
  key: undefined,
  superseded: 0,
  context: undefined,
  contextAt: NONE
})

export const hasClosing = (bits: number): boolean => (bits & Stored.closing) !== 0

/** The error of an item in front of one that is already stored (PLAN-17). */
export const outOfOrderAt = (position: number): OutOfOrder => ({
  kind: 'out-of-order',
  path: `items[${position}]`,
  position,
  message: `items[${position}] would have to be written in front of an item that an append-only store already holds; use a store that can replace a suffix`
})

/** The context in front of a position, remembered or searched. */
export const contextOf = (state: TurnState, position: number): Context => {
  const { context, contextAt } = state.scan
  if (context !== undefined && contextAt === position) return { ...context }
  return contextBefore(state.structure, state.saved.stored, position)
}

/**
 * The lowest call whose closing may go away because a real output has come for it, or has waited and is judged now,
 * from `judged` on; else infinity.
 */
export const lowestAnsweredClosing = (state: TurnState, judged: number): number => {
  const { structure, saved, scan } = state
  let lowest = Infinity
  if (saved.closings === 0) return lowest
  const from = Math.min(scan.scanned, scan.revived, judged)
  for (let position = from; position < structure.length; position += 1) {
    if (structure.roles[position] !== Role.output) continue
    const call = structure.links[position] as number
    if (call >= 0 && call < lowest && hasClosing(saved.stored[call] as number)) lowest = call
  }
  return lowest
}

/** Where the bits must begin, so that every stored closing that stands at or behind `start` is among them. */
export const baseFor = (state: TurnState, start: number): number => {
  const { structure, saved } = state
  if (saved.closings === 0) return start
  let position = start - 1
  while (position > 0 && !isBoundary(structure, position)) position -= 1
  return Math.max(0, position)
}

/**
 * The bits from `base` up to the end as the store holds them, less the closings of calls whose real output has come
 * at a sealed position: that output takes their place (PLAN-22).
 */
export const copyBits = (state: TurnState, judge: Judge, base: number): Uint8Array => {
  const { structure, saved } = state
  const end = structure.length
  const bits = new Uint8Array(end - base)
  if (saved.written > 0) bits.set(saved.stored.subarray(base, end))
  if (saved.closings === 0) return bits
  for (let position = base; position < end; position += 1) {
    if (!hasClosing(bits[position - base] as number)) continue
    const output = structure.links[position] as number
    if (output === NONE || output >= judge.low) continue
    const verdict = judgeRevived(judge, output)
    if (verdict === Verdict.wait) continue
    bits[position - base] = (bits[position - base] as number) & ~Stored.closing
    bits[output - base] = (bits[output - base] as number) | Math.max(verdict, 0)
  }
  return bits
}

/** The entries of one save. */
export interface DraftEntries {
  readonly writes: EntryList
  readonly replaces: EntryList
  readonly late: ReadonlyArray<number>
}

const layoutOf = (state: TurnState, view: Kept, closings: Closings, context: Context): Layout => ({
  structure: state.structure,
  view,
  closings,
  strips: state.policy.brokenContext === 'strip-id',
  context,
  held: undefined
})

/**
 * Entries of an append-only save: late closings first, then what is new, in order (PLAN-16); behind what `writes`
 * holds already.
 */
export const appendEntries = (
  state: TurnState,
  view: Kept,
  start: number,
  end: number,
  context: Context,
  closes: boolean,
  writes: EntryList = new EntryList()
): DraftEntries => {
  const { structure, saved } = state
  const inPlace: Closings = closes ? { places: [], calls: [] } : noClosings
  const late: number[] = []
  const placed = closes ? placeClosings(structure, view) : noClosings
  for (let index = 0; index < placed.calls.length; index += 1) {
    const call = placed.calls[index] as number
    if (hasClosing(saved.stored[call] as number)) continue
    const place = placed.places[index] as number
    if (place < saved.top) late.push(call)
    else {
      inPlace.places.push(place)
      inPlace.calls.push(call)
    }
  }
  const first: Closings = { places: late.map(() => 0), calls: late }
  if (late.length > 0) layEntries(layoutOf(state, view, first, context), 0, 0, writes)
  layEntries({ ...layoutOf(state, view, inPlace, context), held: saved.stored }, start, end, writes)
  return { writes, replaces: noEntries, late }
}

/**
 * Entries of a save that may replace a suffix: what differs, from the first difference on (PLAN-14); behind what
 * `writes` holds already, which nothing stored stands behind.
 */
export const replaceEntries = (
  state: TurnState,
  view: Kept,
  start: number,
  context: Context,
  closes: boolean,
  writes: EntryList = new EntryList()
): DraftEntries => {
  const { structure, saved } = state
  const end = structure.length
  let replaces = noEntries
  if (saved.top > start || saved.closings > 0) {
    const before: Kept = {
      base: view.base,
      bits: saved.stored.subarray(view.base, view.base + view.bits.length)
    }
    const closings = saved.closings > 0 ? placeClosings(structure, before) : noClosings
    replaces = new EntryList()
    layEntries(layoutOf(state, before, closings, { ...context }), start, end, replaces)
  }
  const closings = closes ? placeClosings(structure, view) : noClosings
  layEntries(layoutOf(state, view, closings, context), start, end, writes)
  if (replaces.length === 0) return { writes, replaces, late: [] }
  const same = writes.countSame(replaces)
  return { writes: writes.from(same), replaces: replaces.from(same), late: [] }
}

/** Whether a draft changes anything that a progress tells (PROGRESS-2); `sealed` changes only with `final`. */
export const isChange = (saved: Saved, draft: Draft): boolean =>
  draft.writes.length > 0 ||
  draft.replaces.length > 0 ||
  draft.settled !== saved.settled ||
  draft.final !== saved.final

/** One more than the highest stored position after a draft. */
export const topAfter = (saved: Saved, draft: Draft): number => {
  const { base, bits } = draft
  if (saved.top > base + bits.length) return saved.top
  for (let index = bits.length - 1; index >= 0; index -= 1) {
    if (isKept(bits[index] as number)) return base + index + 1
  }
  let top = Math.min(saved.top, base)
  while (top > 0 && !isKept(saved.stored[top - 1] as number)) top -= 1
  return top
}
