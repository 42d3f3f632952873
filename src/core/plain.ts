/**
 * How far a turn is plain: from its first position on, everything stays as it is, whatever becomes of the rest.
 *
 * Law: only this file says so, and only of what stands in front of the rejected part of an ended turn: complete items,
 * calls that have their outputs, outputs that have their calls, reasoning whose owner is among them. Whoever plans may
 * take these positions at once; judging them one by one gives the same answer. Complexity: linear, and almost always
 * constant: the positions are looked at only where a call or reasoning item is left over.
 *
 * Rules: SELECT-2, SELECT-4, SELECT-5, SELECT-6.
 */
import { Flag, Role } from './roles.js'
import { NONE, type Structure } from './structure.js'

/** The end of the plain positions, at most `part`: the start of the rejected part, or the length. */
export const plainUntil = (structure: Structure, part: number): number => {
  const regular = Math.min(part, structure.irregular)
  const end = isAllJoined(structure) ? regular : firstLeftOver(structure, regular)
  return structure.reasoning === 0 ? end : beforeSplitRun(structure, end)
}

/** Whether no call waits for its output, and no reasoning for its owner. */
const isAllJoined = ({ scan, superseded, reasoning, owned }: Structure): boolean =>
  scan.waiting === 0 && scan.held.length === 0 && superseded.length === 0 && reasoning === owned

/** The first unanswered call of the runner, or reasoning item without an owner, in front of `end`. */
const firstLeftOver = ({ roles, links }: Structure, end: number): number => {
  for (let position = 0; position < end; position += 1) {
    const role = roles[position] as number
    if ((role === Role.call || role === Role.reasoning) && links[position] === NONE) return position
  }
  return end
}

/**
 * The first reasoning item in front of `end` whose owner is not. All reasoning there has an owner, so it is what stands
 * behind the last owner in front of `end`.
 */
const beforeSplitRun = ({ roles, flags }: Structure, end: number): number => {
  let first = end
  for (let position = end - 1; position >= 0; position -= 1) {
    if (((flags[position] as number) & Flag.owns) !== 0) break
    if (roles[position] === Role.reasoning) first = position
  }
  return first
}
