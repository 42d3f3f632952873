/**
 * Which signed thoughts no longer hold, because something before them is gone?
 *
 * Law: only this file leaves out reasoning for a provider that binds its signature to everything before it. It works
 * on the entries of a whole turn, in order. Linear.
 *
 * Rules: BLOCK-12.
 */
import type { Item } from '../core/item.js'
import type { Entry } from '../core/entries.js'

const isTransparent = (item: Item | undefined): boolean =>
  item?.kind === 'marker' || (item?.kind === 'output' && item.execution === 'pending')

/** The entries without the signed reasoning that stands behind the first change. */
export const dropUnsealed = (
  items: ReadonlyArray<Item>,
  entries: ReadonlyArray<Entry>
): ReadonlyArray<Entry> => {
  let next = 0
  let changed = false
  const left: Array<Entry> = []
  for (const entry of entries) {
    if ('close' in entry) {
      changed = true
      left.push(entry)
      continue
    }
    while (next < entry.position && isTransparent(items[next])) next += 1
    if (entry.position !== next) changed = true
    next = entry.position + 1
    const item = items[entry.position]
    const drops = changed && item?.kind === 'reasoning' && item.signature === 'present'
    if (!drops) left.push(entry)
    if (entry.redact === true || entry.stripId === true) changed = true
  }
  return left
}
