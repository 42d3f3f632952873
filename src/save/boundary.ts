/**
 * Where does an open save stop, so that no message is written in part?
 *
 * Law: only this file moves the end of an open save to the start of a message, for stores that can only append. It
 * looks at what the plan decided and at what belongs together, and judges nothing itself. One pass backwards.
 *
 * Rules: BLOCK-10, BLOCK-11.
 */
import type { Item } from '../core/item.js'
import type { LoadedTurn } from '../core/load.js'
import { Flag, Role } from '../core/roles.js'
import { NONE } from '../core/structure.js'

/** The first position of the message that holds a position, but no position below `floor`. */
export const startOfMessage = (items: ReadonlyArray<Item>, position: number, floor: number): number => {
  const message = items[position]?.source?.message
  if (message === undefined) return position
  let start = position
  while (start > floor && items[start - 1]?.source?.message === message) start -= 1
  return start
}

/** Whether a message ends in front of a position. */
export const isMessageEnd = (items: ReadonlyArray<Item>, position: number, floor: number): boolean =>
  position >= items.length || startOfMessage(items, position, floor) === position

/**
 * The end of what may be written: the start of the message of the first position that waits, and before it the start
 * of every message that holds something which would wait if the rest were not there. Positions below `floor` are in
 * the store and stay.
 */
export const findBoundary = (
  loaded: LoadedTurn,
  items: ReadonlyArray<Item>,
  waiting: number,
  floor: number
): number => {
  const { structure, policy } = loaded.state
  const { roles, flags, links } = structure
  let end = startOfMessage(items, waiting, floor)
  /** Whether everything passed since `end` belongs to the response in front of it. */
  let isLast = true
  for (let position = end - 1; position >= floor; position -= 1) {
    const role = roles[position] as number
    const link = links[position] as number
    if (role === Role.user) isLast = false
    const waitsForOwner = role === Role.reasoning && (link === NONE ? isLast : link >= end)
    const waitsForOutput = role === Role.call && policy.unansweredCalls === 'drop' && link >= end
    if (waitsForOwner || waitsForOutput) {
      end = startOfMessage(items, position, floor)
      isLast = true
    } else if (((flags[position] as number) & Flag.starts) !== 0) isLast = false
  }
  return end
}
