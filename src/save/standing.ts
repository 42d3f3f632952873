/**
 * Which entries does a session hold under a progress?
 *
 * Law: only this file asks the core to lay out what is stored. A plan speaks of the last entries that change; a
 * message is made of entries on both sides of that place, so a format of messages needs those in front as well. It
 * decides nothing. Linear in the positions that are laid out.
 *
 * Rules: PLAN-14, BLOCK-9.
 */
import { type Entry, EntryList } from '../core/entries.js'
import { type Context, contextBefore, layEntries, noClosings, placeClosings } from '../core/layout.js'
import type { LoadedTurn } from '../core/load.js'
import { Flag } from '../core/roles.js'
import type { Saved } from '../core/saved.js'
import type { Structure } from '../core/structure.js'

/** No run of reasoning goes on over the start of a response. */
const contextAt = (structure: Structure, saved: Saved, position: number): Context =>
  position === 0 || structure.reasoning === 0 || ((structure.flags[position] as number) & Flag.starts) !== 0
    ? { hasRun: false, runWritten: true, inRun: false }
    : contextBefore(structure, saved.stored, position)

/**
 * The entries of a turn from a position on, in the order in which a store that can replace a suffix holds them.
 * In front of the position no closing of a call behind it may stand.
 */
export const listStanding = (loaded: LoadedTurn, saved: Saved, from = 0): Array<Entry> => {
  const { structure, policy } = loaded.state
  const view = { base: from, bits: saved.stored.subarray(from, structure.length) }
  const closings = saved.closings > 0 ? placeClosings(structure, view) : noClosings
  const laid = new EntryList()
  layEntries(
    {
      structure,
      view,
      closings,
      strips: policy.brokenContext === 'strip-id',
      context: contextAt(structure, saved, from),
      held: undefined
    },
    from,
    structure.length,
    laid
  )
  return Array.from(laid)
}
