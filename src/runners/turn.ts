/**
 * What a runner holds of a turn while it runs.
 *
 * Law: items in the order in which they came, one save at a time, and the outcome once there is one. Items that come
 * after the turn was settled (a tool that finished late) are saved again under that outcome. It decides nothing
 * about items.
 *
 * Rules: PLAN-22, PLAN-25.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { EndedOutcome, Outcome } from '../core/outcome.js'
import type { Progress } from '../core/progress.js'
import { settle, type Settlement, type TurnSettings } from './settle.js'

/** A turn that can grow. */
export interface RunningTurn<Raw> {
  /** The items so far, oldest first. A list of its own. */
  readonly items: () => ReadonlyArray<Raw>
  /** Puts items behind those that are there. */
  readonly add: (items: ReadonlyArray<Raw>) => void
  /** Takes these as the whole turn: what is saved of it must still stand at its place. */
  readonly set: (items: ReadonlyArray<Raw>) => void
  /** The outcome the turn was last settled under, or null while it runs. */
  readonly outcome: () => EndedOutcome | null
  /** Saves the turn as it stands. Saves wait for each other; the promise never rejects. */
  readonly save: (outcome: Outcome) => Promise<Settlement<Raw>>
}

/** A turn that starts with the given items. */
export const startTurn = <Raw>(
  settings: TurnSettings<Raw>,
  items: ReadonlyArray<Raw> = []
): RunningTurn<Raw> => {
  let held: Raw[] = items.slice()
  let progress: Progress | undefined
  let ended: EndedOutcome | null = null
  let last: Promise<unknown> = Promise.resolve()
  const saveNow = async (outcome: Outcome): Promise<Settlement<Raw>> => {
    const settlement = await settle({
      ...settings,
      items: held.slice(),
      outcome,
      ...(progress === undefined ? {} : { progress })
    })()
    progress = E.isRight(settlement.save) ? settlement.save.right.progress : undefined
    return settlement
  }
  return {
    items: () => held.slice(),
    add: (more) => {
      for (const item of more) held.push(item)
    },
    set: (all) => {
      held = all.slice()
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
