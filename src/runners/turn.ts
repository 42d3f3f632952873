/**
 * What a runner holds of a turn while it runs.
 *
 * Law: items in the order in which they came, one save at a time, and the outcome once there is one. Items that come
 * after the turn was settled (a tool that finished late) are saved again under that outcome. Between saves the turn is
 * followed, so that saving after every item is linear in all. It decides nothing about items.
 *
 * Rules: PLAN-22, PLAN-25.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { EndedOutcome, Outcome } from '../core/outcome.js'
import { followSettings, saveFollowed, type Settlement, type TurnSettings } from './settle.js'

/** A turn that can grow. */
export interface RunningTurn<Raw> {
  /** The items so far, oldest first. A list of its own. */
  readonly items: () => ReadonlyArray<Raw>
  /** Puts items behind those that are there. Each is read once, by the next save: what was added is not changed. */
  readonly add: (items: ReadonlyArray<Raw>) => void
  /**
   * Takes these as what stands from a 0-based place on, by default as the whole turn: what is saved of it must still
   * stand at its place. An item that is the very one that stood there is not read again, so one that changed is
   * given as another object.
   */
  readonly set: (items: ReadonlyArray<Raw>, from?: number) => void
  /** The outcome the turn was last settled under, or null while it runs. */
  readonly outcome: () => EndedOutcome | null
  /** Saves the turn as it stands. Saves wait for each other; the promise never rejects. */
  readonly save: (outcome: Outcome) => Promise<Settlement<Raw>>
}

/**
 * A turn that starts with the given items.
 *
 * Complexity: a save is linear in what is new since the save before, and in the turn after a conflict, after a save
 * that failed, and where items were set that read otherwise than those in their place.
 */
export const startTurn = <Raw>(
  settings: TurnSettings<Raw>,
  items: ReadonlyArray<Raw> = []
): RunningTurn<Raw> => {
  const held: Raw[] = items.slice()
  const followed = followSettings(settings)
  /** How many of the items were taken by the last save, and are held still. */
  let taken = 0
  let isKnown = false
  let ended: EndedOutcome | null = null
  let last: Promise<unknown> = Promise.resolve()
  const saveNow = async (outcome: Outcome): Promise<Settlement<Raw>> => {
    followed.take(held.slice(taken), taken)
    taken = held.length
    const settlement = await saveFollowed(settings, followed, outcome, isKnown ? 'followed' : undefined)
    isKnown = E.isRight(settlement.save)
    return settlement
  }
  return {
    items: () => held.slice(),
    add: (more) => {
      for (const item of more) held.push(item)
    },
    set: (all, from = 0) => {
      let same = 0
      while (same < all.length && from + same < held.length && all[same] === held[from + same]) same += 1
      taken = Math.min(taken, from + same)
      held.length = Math.min(held.length, from + same)
      for (let place = same; place < all.length; place += 1) held.push(all[place] as Raw)
    },
    outcome: () => ended,
    save: (outcome) => {
      if (outcome.kind !== 'open') ended = outcome
      const saved = last.then(() => saveNow(outcome))
      last = saved
      return saved
    }
  }
}
