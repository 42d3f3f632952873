/**
 * Which item each reasoning item of a turn belongs to, asked by itself.
 *
 * Law: only this file answers that question; whose a reasoning item is, is decided in `claim.ts`. Complexity: linear.
 *
 * Rules: REASON-1 to REASON-6.
 */
import type { Item } from './item.js'
import type { Policy } from './policy.js'
import { extendStructure, startStructure } from './pair.js'
import { Role } from './roles.js'
import { NONE } from './structure.js'

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
  const owner: Array<number | null> = []
  for (let position = 0; position < structure.length; position += 1) {
    if (structure.roles[position] !== Role.reasoning) continue
    const link = structure.links[position] as number
    owner.push(link === NONE ? null : link)
  }
  return { owner }
}
