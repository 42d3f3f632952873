/**
 * Whose a reasoning item is.
 *
 * Law: only this file decides it. Reasoning waits from where it stands until an owning item of the same response
 * comes, which claims all of it back to where it began; user input and the start of a response end the wait. It knows
 * no outcomes, policies or stores; what becomes of trailing reasoning is decided in `select.ts`. Complexity: linear;
 * each position is passed once more at most, also when the turn grows.
 *
 * Rules: REASON-1 to REASON-6.
 */
import { Role } from './roles.js'
import { NONE, type Structure } from './structure.js'

/** Lets a reasoning item wait for its owner. */
export const awaitOwner = (structure: Structure, position: number): void => {
  const { scan } = structure
  if (scan.run === NONE) {
    scan.run = position
    scan.reasoningBefore = structure.reasoning
  }
  structure.reasoning += 1
}

/** Links the reasoning that waits, of which there is some, to its owner. */
export const claimReasoning = (structure: Structure, owner: number): void => {
  const { scan, links, roles } = structure
  const { run } = scan
  const count = structure.reasoning - scan.reasoningBefore
  if (owner - run === count) links.fill(owner, run, owner)
  else {
    for (let position = run; position < owner; position += 1)
      if (roles[position] === Role.reasoning) links[position] = owner
  }
  structure.owned += count
  if (run < structure.claimed) structure.claimed = run
  scan.run = NONE
}
