/**
 * Which item a reasoning item belongs to.
 *
 * Law: only this file decides whose a reasoning item is. It knows no outcomes, policies or stores; what becomes of
 * trailing reasoning is decided in `select.ts`. From each owning item it looks back to the one before it, so every
 * position is passed once, also when the turn grows. It reads roles, never items.
 *
 * Rules: REASON-1 to REASON-6.
 */
import type { Item } from './item.js'
import type { Policy } from './policy.js'
import { extendStructure, startStructure } from './pair.js'
import { Flag, Role } from './roles.js'
import { NONE, type Structure } from './structure.js'

/**
 * Links the reasoning items that an owning item at or after `from` claims.
 *
 * Complexity: linear in the positions since the last owning item before `from`.
 */
export const extendAssociation = (structure: Structure, from: number): void => {
  if (structure.reasoning === 0) return
  const { flags, length } = structure
  for (let position = from; position < length; position += 1) {
    if (((flags[position] as number) & Flag.owns) === 0) continue
    const claimed = claimReasoning(structure, position)
    if (claimed < structure.claimed) structure.claimed = claimed
  }
}

/**
 * Walks back from an owning item over what reasoning steps over, and claims the reasoning that it meets. It is one of
 * the model's, so that a response starts at it or before.
 */
const claimReasoning = (structure: Structure, owner: number): number => {
  let lowest = Infinity
  let position = owner
  while (((structure.flags[position] as number) & Flag.starts) === 0) {
    position -= 1
    const role = structure.roles[position] as number
    if (role === Role.user || ((structure.flags[position] as number) & Flag.owns) !== 0) break
    if (role === Role.reasoning) {
      structure.links[position] = owner
      structure.owned += 1
      lowest = position
    }
  }
  return lowest
}

/** What `associateReasoning` is asked. */
export interface AssociateQuestion {
  readonly items: ReadonlyArray<Item>
  /** `next` (default) or `segment`; the first owner is the same. */
  readonly association?: Policy['association']
}

/** One entry per reasoning item, in the order of the turn: the 0-based position of its owner, or null. */
export interface AssociateAnswer {
  readonly owner: ReadonlyArray<number | null>
}

/**
 * Which model item each reasoning item belongs to: the next owning one of the same response.
 *
 * Complexity: linear; each item is read once. Rules: REASON-1 to REASON-6.
 *
 * @example
 * associateReasoning({ items: [{ kind: 'reasoning' }, { kind: 'message' }, { kind: 'reasoning' }] }).owner // => [1, null]
 */
export const associateReasoning = (question: AssociateQuestion): AssociateAnswer => {
  const structure = startStructure([], question.items.length)
  extendStructure(structure, question.items)
  extendAssociation(structure, 0)
  const owner: Array<number | null> = []
  for (let position = 0; position < structure.length; position += 1) {
    if (structure.roles[position] !== Role.reasoning) continue
    const link = structure.links[position] as number
    owner.push(link === NONE ? null : link)
  }
  return { owner }
}
