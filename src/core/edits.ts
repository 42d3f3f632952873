/**
 * Which edits lead from one order of a history to another.
 *
 * Law: only this file puts a repair into words. What counts as moved are the fewest positions without which the rest
 * stands in its old order. It decides nothing about what is right. Complexity: n log n, on numbers alone.
 *
 * Rules: REPAIR-24.
 */
import type { AuditRule } from './audit.js'
import type { Cause } from './fates.js'
import type { Item, ItemFields } from './item.js'
import type { Entry } from './entries.js'

/** What a closing says: the call may have run, did not run, or was refused. Never that it succeeded. */
export type RepairClosing = 'interrupted' | 'skipped' | 'denied'

/**
 * One change. Every number is a 0-based position in the history that was given; `after` is the item behind which the
 * moved or new one stands in the end, or null at the head.
 */
export type RepairEdit =
  | { readonly drop: number; readonly why: AuditRule; readonly because?: number }
  | { readonly stripId: number; readonly why: AuditRule; readonly because?: number }
  | { readonly move: number; readonly after: number | null }
  | { readonly close: number; readonly as: RepairClosing; readonly after: number | null }

/** A history in the making: its items, and where each comes from (−1 less a call's position: its closing). */
export interface Draft {
  readonly items: ReadonlyArray<Item>
  readonly order: ReadonlyArray<number>
}

/** Why positions are gone, or lost their id. Its `because` is a position, or negative. */
export interface Causes {
  readonly dropped: Map<number, Cause>
  readonly stripped: Map<number, Cause>
}

/** The positions that have to be taken out of `order` for the rest to ascend: as few as possible. */
export const findMoved = (order: ReadonlyArray<number>): ReadonlySet<number> => {
  /** `ends[k]`: place of the lowest position with which an ascending choice of k + 1 positions can end. */
  const ends: number[] = []
  const before = new Int32Array(order.length)
  for (let place = 0; place < order.length; place += 1) {
    const position = order[place] as number
    let low = 0
    let high = ends.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((order[ends[middle] as number] as number) < position) low = middle + 1
      else high = middle
    }
    before[place] = low === 0 ? -1 : (ends[low - 1] as number)
    ends[low] = place
  }
  const moved = new Set(order)
  let place = ends[ends.length - 1] ?? -1
  while (place >= 0) {
    moved.delete(order[place] as number)
    place = before[place] as number
  }
  return moved
}

/** The edits that lead from the given history to the draft. Complexity: n log n, on numbers alone. Rules: REPAIR-24. */
export const listEdits = (draft: Draft, causes: Causes): ReadonlyArray<RepairEdit> => {
  const found: Array<readonly [number, RepairEdit]> = []
  const because = (cause: Cause): { readonly because?: number } =>
    cause.because < 0 ? {} : { because: cause.because }
  for (const [drop, cause] of causes.dropped)
    if (drop >= 0) found.push([drop, { drop, why: cause.why, ...because(cause) }])
  for (const [stripId, cause] of causes.stripped)
    if (!causes.dropped.has(stripId)) found.push([stripId, { stripId, why: cause.why, ...because(cause) }])
  const moved = findMoved(draft.order.filter((position) => position >= 0))
  let after: number | null = null
  for (let index = 0; index < draft.order.length; index += 1) {
    const position = draft.order[index] as number
    if (position < 0) {
      const as = (draft.items[index] as ItemFields).execution as RepairClosing
      found.push([-1 - position, { close: -1 - position, as, after }])
      continue
    }
    if (moved.has(position)) found.push([position, { move: position, after }])
    after = position
  }
  found.sort((left, right) => left[0] - right[0])
  return found.map(([, edit]) => edit)
}

/** What a repaired history consists of, as a dialect writes it. */
interface Repaired {
  readonly order: ReadonlyArray<number>
  readonly edits: ReadonlyArray<RepairEdit>
}

/**
 * A repaired history as the entries that a dialect writes: `dialect.rebuild({ messages, items, entries })`.
 *
 * Complexity: linear. Rules: REPAIR-24, REPAIR-25.
 *
 * @example
 * repairedEntries({ order: [0, -1], edits: [{ close: 0, as: 'interrupted', after: 0 }] })
 * // => [{ position: 0 }, { close: 0, as: 'interrupted' }]
 */
export const repairedEntries = ({ order, edits }: Repaired): ReadonlyArray<Entry> => {
  const stripped = new Set<number>()
  const closings = new Map<number, RepairClosing>()
  for (const edit of edits) {
    if ('stripId' in edit) stripped.add(edit.stripId)
    else if ('close' in edit) closings.set(edit.close, edit.as)
  }
  return order.map((position): Entry => {
    if (position < 0) return { close: -1 - position, as: closings.get(-1 - position) as RepairClosing }
    return stripped.has(position) ? { position, stripId: true } : { position }
  })
}
