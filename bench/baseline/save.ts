/**
 * How a session was saved before there was a progress: by a count of written items, and in two parts.
 *
 * Kept to be measured and to be shown wrong; nothing in `src` uses it.
 */
import type { Item } from '../../src/core/item.js'

/** What a save that only counts writes of a batch, and the count after it. */
export interface CountedSave<I> {
  readonly writes: ReadonlyArray<I>
  readonly count: number
}

/**
 * Takes the count of items that were written for a position in the batch that is handed in now. The two are the same
 * only as long as every batch is the whole turn and nothing of it was ever left out.
 */
export const saveByCount = <I>(batch: ReadonlyArray<I>, count: number): CountedSave<I> => {
  if (count >= batch.length) return { writes: [], count }
  return { writes: batch.slice(count), count: batch.length }
}

/** The first shape of the repair: what has had an effect is saved before the check, the rest after it. */
export const splitSave = <I>(
  batch: ReadonlyArray<I>,
  itemOf: (entry: I) => Item
): readonly [committed: ReadonlyArray<I>, rest: ReadonlyArray<I>] => {
  const committed: Array<I> = []
  const rest: Array<I> = []
  for (const entry of batch) {
    const { kind } = itemOf(entry)
    ;(kind === 'call' || kind === 'output' ? committed : rest).push(entry)
  }
  return [committed, rest]
}
