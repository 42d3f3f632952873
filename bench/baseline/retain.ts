/**
 * How the helper that turnkeep grew from chose what a rejected response leaves, in its second and third shape.
 *
 * Kept to be measured and to be shown wrong; nothing in `src` uses it. Both answer in 0-based positions.
 */
import type { Item } from '../../src/core/item.js'

const recordsAnEffect = (item: Item): boolean => item.kind === 'call' || item.kind === 'output'

/** The second shape: as soon as one call is kept, all reasoning is kept with it. */
export const retainEveryReasoning = (items: ReadonlyArray<Item>): ReadonlyArray<number> => {
  const hasEffect = items.some(recordsAnEffect)
  return items.flatMap((item, position) =>
    recordsAnEffect(item) || (hasEffect && item.kind === 'reasoning') ? [position] : []
  )
}

/** The third shape: reasoning follows the next item that is not reasoning, whoever made that item. */
export const retainByForwardScan = (items: ReadonlyArray<Item>): ReadonlyArray<number> => {
  const kept: Array<number> = []
  for (let position = 0; position < items.length; position += 1) {
    const item = items[position] as Item
    if (recordsAnEffect(item)) kept.push(position)
    if (item.kind !== 'reasoning') continue
    let next = position + 1
    while (items[next]?.kind === 'reasoning') next += 1
    const follower = items[next]
    if (follower !== undefined && recordsAnEffect(follower)) kept.push(position)
  }
  return kept
}
