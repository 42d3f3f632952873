/**
 * A plan becomes raw items.
 *
 * Law: nothing is decided here. An entry is the caller's own raw value, or what the handed dialect makes of it: a
 * closing, a redacted output, an item without its id. Complexity: linear in the entries.
 *
 * Rules: ITEM-1, PLAN-1.
 */
import type { Item } from '../core/item.js'
import type { Entry } from '../core/entries.js'
import type { Dialect } from '../ports/dialect.js'

/** What `applyPlan` is asked: the plan, and the turn that it was made for. */
export interface ApplyQuestion<Raw> {
  readonly dialect: Pick<Dialect<Raw>, 'close' | 'redact' | 'stripId'>
  readonly plan: { readonly writes: Iterable<Entry>; readonly replaces: Iterable<Entry> }
  /** `items[i]` describes `raws[i]`. */
  readonly items: ReadonlyArray<Item>
  readonly raws: ReadonlyArray<Raw>
}

/** Raw items, in the order in which they stand in the session. */
export interface ApplyAnswer<Raw> {
  /** To be written; untouched items are the caller's own values. */
  readonly writes: ReadonlyArray<Raw>
  /** The last entries of this turn as they were written, oldest first, that the write takes away. */
  readonly replaces: ReadonlyArray<Raw>
}

/**
 * The raw items that a plan writes and replaces.
 *
 * Complexity: linear in the entries. Rules: ITEM-1, PLAN-1.
 *
 * @example
 * const words = { close: () => 'closed', redact: () => 'redacted', stripId: () => 'stripped' }
 * applyPlan({ dialect: words, plan: { writes: [{ position: 0 }], replaces: [] }, items: [{ kind: 'message' }], raws: ['hi'] })
 * // => { writes: ['hi'], replaces: [] }
 */
export const applyPlan = <Raw>(question: ApplyQuestion<Raw>): ApplyAnswer<Raw> => {
  const { dialect, plan, items, raws } = question
  const rawOf = (entry: Entry): Raw => {
    if ('close' in entry) return dialect.close(raws[entry.close] as Raw, items[entry.close] as Item, entry.as)
    const raw = raws[entry.position] as Raw
    const item = items[entry.position] as Item
    if (entry.redact === true) return dialect.redact(raw, item)
    return entry.stripId === true ? dialect.stripId(raw, item) : raw
  }
  const listOf = (entries: Iterable<Entry>): Raw[] => {
    const list: Raw[] = []
    for (const entry of entries) list.push(rawOf(entry))
    return list
  }
  return { writes: listOf(plan.writes), replaces: listOf(plan.replaces) }
}
