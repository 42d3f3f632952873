/**
 * From which position on do the messages of a turn have to be made again?
 *
 * Law: only this file says where what a save changes can no longer touch a message in front of it. It is a start of a
 * message and of a response, or of user input, that stands in the session before and after, next to something that no
 * message behind can join. One pass backwards from the first entry that changes.
 *
 * Rules: BLOCK-9.
 */
import type { Item } from '../core/item.js'
import { isKept } from '../core/judge.js'
import type { Entry } from '../core/entries.js'
import { isBoundary } from '../core/layout.js'
import type { LoadedTurn } from '../core/load.js'
import type { SavePlan } from '../core/plan.js'
import { startOfMessage } from './boundary.js'

interface Change {
  /** The lowest position that an entry of the write names; infinity if there is none. */
  readonly lowest: number
  readonly closes: boolean
}

const changeOf = (...lists: ReadonlyArray<Iterable<Entry>>): Change => {
  let lowest = Number.POSITIVE_INFINITY
  let closes = false
  for (const entries of lists) {
    for (const entry of entries) {
      if ('close' in entry) closes = true
      lowest = Math.min(lowest, 'close' in entry ? entry.close : entry.position)
    }
  }
  return { lowest, closes }
}

/** An item that no message behind it is merged with, and in front of which no thought is dropped. */
const parts = (item: Item | undefined): boolean =>
  item !== undefined && item.kind !== 'reasoning' && item.kind !== 'marker' && item.kind !== 'output'

/**
 * The position from which on a store that can replace a suffix has other messages after a write. Everything that
 * stands in front of it stays as it is.
 */
export const findWindow = (loaded: LoadedTurn, items: ReadonlyArray<Item>, plan: SavePlan): number => {
  const { structure, saved } = loaded.state
  const { lowest, closes } = changeOf(plan.replaces, plan.writes)
  // Closings of calls of one key may stand behind the next boundary.
  if (structure.queues.size > 0 && (closes || saved.closings > 0)) return 0
  const isSafe = (position: number): boolean =>
    isBoundary(structure, position) &&
    startOfMessage(items, position, 0) === position &&
    isKept(saved.stored[position] as number) &&
    (parts(items[position]) ||
      (items[position]?.kind === 'reasoning' &&
        items[position - 1]?.kind !== 'reasoning' &&
        isKept(saved.stored[position - 1] as number)))
  let position = Math.min(lowest, structure.length) - 1
  while (position > 0 && !isSafe(position)) position -= 1
  return Math.max(0, position)
}
