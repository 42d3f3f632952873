/**
 * Which positions of a new order were moved.
 *
 * Law: only this file decides what counts as moved: the fewest positions without which the rest stands in its old
 * order. It knows no items. Complexity: n log n, on numbers alone.
 *
 * Rules: REPAIR-16.
 */

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
