/**
 * Which entries does a session hold under a progress?
 *
 * Law: only this file asks the core to lay out a whole progress. A plan speaks of the last entries that change; a
 * message is made of entries on both sides of that place, so a format of messages needs them all. It decides nothing.
 * Linear in the turn.
 *
 * Rules: PLAN-14, BLOCK-9.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import { type Entry, entryOf, layEntries, noClosings, placeClosings } from '../core/layout.js'
import type { LoadedTurn } from '../core/load.js'
import type { Progress } from '../core/progress.js'
import { loadSaved } from '../core/saved.js'

/** The entries of a turn, in the order in which a store that can replace a suffix holds them. */
export const listStanding = (loaded: LoadedTurn, progress: Progress): ReadonlyArray<Entry> => {
  const { structure, policy } = loaded.state
  const opened = loadSaved(progress, structure.length)
  if (isLeft(opened)) return []
  const saved = opened.right
  const view = { base: 0, bits: saved.stored.subarray(0, structure.length) }
  const codes: Array<number> = []
  layEntries(
    {
      structure,
      view,
      closings: saved.closings > 0 ? placeClosings(structure, view) : noClosings,
      strips: policy.brokenContext === 'strip-id',
      context: { hasRun: false, runWritten: true, inRun: false },
      held: undefined
    },
    0,
    structure.length,
    codes
  )
  return codes.map(entryOf)
}
