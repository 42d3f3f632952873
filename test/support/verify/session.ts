/**
 * A session that believes no plan, and what must hold of it after every save.
 *
 * Law: it knows the turn only through `facts.ts`, which is read without `src/core`. Every check names the invariant
 * or the rule that it shows; where one is scoped (to a policy, to a kind of store, to what was reported), the scope
 * stands beside it. See `docs/spec/invariants.md`.
 */
import type { Item } from '../../../src/core/item.js'
import type { Outcome } from '../../../src/core/outcome.js'
import { audit } from '../../../src/core/audit.js'
import type { StoreKind } from '../../../src/core/question.js'
import { defaultPolicy, type Policy } from '../../../src/core/policy.js'
import type { Progress } from '../../../src/core/progress.js'
import { readTurn } from '../oracle-turn.js'
import type { Facts } from './facts.js'
import { Form, formOf, isClosing, type Plan, positionOf } from './planner.js'

export interface Fault {
  readonly rule: string
  readonly detail: string
}

/** A save that was made. */
export interface Made {
  readonly facts: Facts
  readonly policy: Policy
  readonly store: StoreKind
  readonly outcome: Outcome
  readonly before: { readonly session: ReadonlyArray<number>; readonly progress: Progress }
  readonly session: ReadonlyArray<number>
  readonly plan: Plan
  /** Everything that this and earlier plans of the path reported: irrevocable, late, or an output that was late. */
  readonly reported: number
  /** Whether an earlier save of the path threw effects away on purpose. */
  readonly discarded: boolean
}

export const maskOfPositions = (positions: ReadonlyArray<number>): number => {
  let mask = 0
  for (const position of positions) mask |= 1 << position
  return mask
}

/** The items of a session as a mask. */
export const heldIn = (session: ReadonlyArray<number>): number => {
  let mask = 0
  for (const code of session) if (!isClosing(code)) mask |= 1 << positionOf(code)
  return mask
}

export const closedIn = (session: ReadonlyArray<number>): number => {
  let mask = 0
  for (const code of session) if (isClosing(code)) mask |= 1 << positionOf(code)
  return mask
}

const redactedIn = (session: ReadonlyArray<number>): number => {
  let mask = 0
  for (const code of session) if (formOf(code) === Form.redacted) mask |= 1 << positionOf(code)
  return mask
}

const below = (position: number): number => (1 << position) - 1
const has = (mask: number, position: number): boolean => (mask & (1 << position)) !== 0
const listOf = (mask: number): string => {
  const positions: Array<number> = []
  for (let position = 0; position < 31; position += 1) if (has(mask, position)) positions.push(position)
  return positions.join(', ')
}

/** Positions below are not judged by a save. */
export const frozenBy = (progress: Progress, length: number, outcome: Outcome): number =>
  outcome.kind !== 'open' && length === progress.final ? progress.sealed : progress.final

/** First position of the rejected part, or −1: SELECT-23, SELECT-25, SELECT-26. */
export const rejectedPart = (facts: Facts, outcome: Outcome, policy: Policy): number => {
  switch (outcome.kind) {
    case 'rejected':
      return outcome.from ?? facts.lastStart
    case 'failed':
    case 'aborted':
      return outcome.check === 'due' && policy.unjudged === 'withhold' ? facts.lastStart : -1
    case 'input-rejected':
      return 0
    default:
      return -1
  }
}

/** The session after a plan, or what is wrong with what it says it replaces. */
export const applyPlan = (session: ReadonlyArray<number>, plan: Plan): ReadonlyArray<number> | Fault => {
  const kept = session.length - plan.replaces.length
  for (let index = 0; index < plan.replaces.length; index += 1)
    if (session[kept + index] !== plan.replaces[index])
      return { rule: 'PLAN-14', detail: 'what the plan says it replaces is not what is there' }
  if (plan.replaces.length === 0) return plan.writes.length === 0 ? session : [...session, ...plan.writes]
  return [...session.slice(0, kept), ...plan.writes]
}

export const sameNumbers = (left: ReadonlyArray<number>, right: ReadonlyArray<number>): boolean => {
  if (left.length !== right.length) return false
  for (let index = 0; index < left.length; index += 1) if (left[index] !== right[index]) return false
  return true
}

/** Whether two progresses say the same, whatever their revision. */
export const sameProgress = (left: Progress, right: Progress): boolean =>
  left === right ||
  (left.settled === right.settled &&
    left.final === right.final &&
    left.sealed === right.sealed &&
    left.written === right.written &&
    left.edge === right.edge &&
    left.turn === right.turn &&
    sameNumbers(left.withheld, right.withheld) &&
    sameNumbers(left.ahead, right.ahead) &&
    sameNumbers(left.closed, right.closed) &&
    sameNumbers(left.redacted, right.redacted))

/** The progress names what is there, and moves as it may. */
const checkProgress = (made: Made, add: (rule: string, detail: string) => void): void => {
  const { after } = made.plan
  const { progress } = made.before
  const { outcome, session, facts } = made
  const held = heldIn(session)
  const named = (below(after.settled) & ~maskOfPositions(after.withheld)) | maskOfPositions(after.ahead)
  if (named !== held)
    add('PROGRESS-3', `the progress names ${listOf(named)} as stored, the session holds ${listOf(held)}`)
  if (maskOfPositions(after.closed) !== closedIn(session))
    add(
      'PROGRESS-3',
      `the progress names closings of ${after.closed}, the session has ${listOf(closedIn(session))}`
    )
  if (maskOfPositions(after.redacted) !== redactedIn(session))
    add(
      'PROGRESS-3',
      `the progress names ${after.redacted} as redacted, the session has ${listOf(redactedIn(session))}`
    )
  if (after.written !== session.length)
    add('PROGRESS-3', `the progress counts ${after.written} entries, the session holds ${session.length}`)
  if (after.settled < progress.settled) add('PROGRESS-4', 'settled has decreased')
  const changed = !sameProgress(after, progress)
  if (after.revision !== progress.revision + (changed ? 1 : 0))
    add('PROGRESS-2', `the revision went from ${progress.revision} to ${after.revision}`)
  const isEnded = outcome.kind !== 'open'
  const final = isEnded ? facts.length : progress.final
  const sealed = isEnded && facts.length > progress.final ? progress.final : progress.sealed
  if (after.final !== final || after.sealed !== sealed)
    add('PLAN-20', `final and sealed are ${after.final} and ${after.sealed}, not ${final} and ${sealed}`)
  if (!isEnded && facts.length === progress.final && facts.length > 0 && changed)
    add('PLAN-21', 'an open plan at the length final has changed something')
  const kept = below(progress.sealed) & heldIn(made.before.session)
  if ((held & below(progress.sealed)) !== kept) add('PLAN-18', 'a sealed position was judged again')
  const gone = heldIn(made.before.session) & ~held
  if (!isEnded && gone !== 0) add('PLAN-13', `an open plan has removed ${listOf(gone)}`)
  if (made.store === 'append' && made.plan.replaces.length > 0)
    add('PLAN-15', 'an append-only store was told to replace entries')
}

/**
 * Invariant 1. Under the default policy every complete call counts, answered or not. Otherwise a call counts when
 * an output says that it ran, and what a policy throws away on purpose is no loss.
 */
const checkEffects = (made: Made, add: (rule: string, detail: string) => void): void => {
  const { facts, policy, store, session, plan } = made
  const held = heldIn(session)
  const closed = closedIn(session)
  const listed = maskOfPositions(plan.unprotected())
  let seen = 0
  for (const code of session) {
    const bit = isClosing(code) ? 0 : 1 << positionOf(code)
    if ((seen & bit) !== 0) add('INV-1', `position ${positionOf(code)} is in the session twice`)
    seen |= bit
  }
  const isDefault = policy === defaultPolicy
  const frozen = frozenBy(made.before.progress, facts.length, made.outcome)
  for (let position = 0; position < facts.length; position += 1) {
    if (!has(facts.calls, position)) continue
    const output = facts.outputOf[position] as number
    if (!isDefault) {
      const isEffect = output !== -1 && !has(facts.refused, output)
      const wasThrownAway = output < frozen || made.discarded
      if (!isEffect || wasThrownAway) continue
    }
    const isListed = has(listed, position) || (output !== -1 && has(listed, output))
    if (!has(held, position) && !isListed)
      add('INV-1', `call ${position} is neither in the session nor listed as unprotected`)
    if (output === -1 || has(held, output) || isListed) continue
    if (store === 'append' && has(closed, position)) continue
    add('INV-1', `output ${output} is neither in the session nor listed as unprotected`)
  }
  const falsely = listed & held
  if (falsely !== 0) add('PLAN-12', `${listOf(falsely)} is listed as unprotected and is in the session`)
}

/** Invariant 2, for what this save judges; on an append-only store what was there before is listed as irrevocable. */
const checkMessages = (made: Made, add: (rule: string, detail: string) => void): void => {
  const { facts, policy, outcome, session, plan, before } = made
  const frozen = frozenBy(before.progress, facts.length, outcome)
  const held = heldIn(session)
  const there = heldIn(before.session)
  if (outcome.kind === 'open') {
    if (outcome.check === 'none') return
    const start = Math.max(outcome.check === 'input' ? 0 : facts.lastStart, frozen)
    const leaked = held & ~there & facts.messages & ~below(start)
    if (leaked !== 0) add('INV-2', `message ${listOf(leaked)} is written while its check is pending`)
    return
  }
  const part = rejectedPart(facts, outcome, policy)
  if (plan.from !== (part === -1 ? null : part)) add('PLAN-29', `from is ${plan.from}, not ${part}`)
  if (part === -1) return
  const excused = made.store === 'append' ? maskOfPositions(plan.irrevocable) & there : 0
  const leaked = held & facts.messages & ~below(Math.max(part, frozen)) & ~excused
  if (leaked !== 0) add('INV-2', `rejected message ${listOf(leaked)} is in the session`)
}

/** Invariant 3. */
const checkOrder = (made: Made, add: (rule: string, detail: string) => void): void => {
  let last = -1
  for (const code of made.session) {
    if (isClosing(code)) continue
    if (positionOf(code) < last) add('INV-3', `item ${positionOf(code)} stands behind item ${last}`)
    last = positionOf(code)
  }
}

/**
 * Invariant 4. While a turn is open, an owner that is decided to be kept may still have to wait for its place in an
 * append-only store; and what could not be taken back was reported.
 */
const checkReasoning = (made: Made, add: (rule: string, detail: string) => void): void => {
  const { facts, policy, session, store } = made
  if (policy.trailingReasoning === 'keep') return
  const held = heldIn(session)
  let rest = held & facts.reasoning
  while (rest !== 0) {
    const position = 31 - Math.clz32(rest)
    rest &= ~(1 << position)
    const owners = facts.owners[position] as number
    if ((owners & held) !== 0 || has(made.reported, position)) continue
    if (store === 'append' && made.outcome.kind === 'open') {
      const verdicts = made.plan.verdicts()
      if (verdicts.some((verdict, owner) => has(owners, owner) && verdict === 'keep')) continue
    }
    add('INV-4', `reasoning ${position} stands before nothing it belongs to`)
  }
}

/** Invariant 5. Under `keep` unanswered calls stay as they are. */
const checkPairs = (made: Made, add: (rule: string, detail: string) => void): void => {
  const { facts, policy, session, outcome } = made
  let seen = 0
  let closed = 0
  for (const code of session) {
    const position = positionOf(code)
    if (isClosing(code)) {
      if (!has(seen, position)) add('INV-5', `the closing of ${position} stands before its call`)
      if (has(closed, position)) add('INV-5', `call ${position} has two closings`)
      closed |= 1 << position
      continue
    }
    seen |= 1 << position
    if (!has(facts.outputs, position)) continue
    const call = facts.callOf[position] as number
    if (call === -1 || !has(seen, call)) add('INV-5', `output ${position} is without its call`)
  }
  for (let position = 0; position < facts.length; position += 1) {
    if (!has(facts.owed & seen, position)) continue
    const output = facts.outputOf[position] as number
    const isAnswered = output !== -1 && has(seen, output)
    if (isAnswered && has(closed, position)) add('INV-5', `call ${position} has an output and a closing`)
    if (outcome.kind === 'open' || policy.unansweredCalls === 'keep') continue
    if (!isAnswered && !has(closed, position))
      add('INV-5', `call ${position} of an ended turn is without output and closing`)
  }
}

/** The history that a session is: what would be sent to a provider. */
export const historyOf = (facts: Facts, session: ReadonlyArray<number>): ReadonlyArray<Item> =>
  session.map((code): Item => {
    const item = facts.items[positionOf(code)] as Item
    if (isClosing(code)) {
      const { callId, namespace } = item as { readonly callId: string; readonly namespace?: string }
      return {
        kind: 'output',
        callId,
        ...(namespace === undefined ? {} : { namespace }),
        execution: 'interrupted'
      }
    }
    if (formOf(code) !== Form.stripped) return item
    const { id: _, ...rest } = item
    return rest as Item
  })

/** Invariant 8, read twice: by the audit, and by the oracle's pairing, which must find the pairs of the turn. */
export const readBack = (
  facts: Facts,
  session: ReadonlyArray<number>,
  atRest: boolean
): ReadonlyArray<Fault> => {
  const faults: Array<Fault> = []
  const items = historyOf(facts, session)
  for (const violation of audit({ items, atRest }).violations) {
    // The turn itself holds two calls that cannot be told apart.
    if (violation.rule === 'duplicate-call-id' && facts.sharesKeys) continue
    if (violation.severity === 'error')
      faults.push({
        rule: 'INV-8',
        detail: `the audit finds ${violation.rule} at entry ${violation.position}`
      })
  }
  const { answers } = readTurn(items)
  session.forEach((code, index) => {
    const position = positionOf(code)
    if (!isClosing(code) && !has(facts.outputs, position)) return
    const target = answers.get(index)
    const call = target !== undefined && 'call' in target ? positionOf(session[target.call] as number) : -1
    const meant = isClosing(code) ? position : facts.callOf[position]
    if (call !== meant)
      faults.push({
        rule: 'INV-8',
        detail: `entry ${index} is read as the answer of ${call}, not of ${meant}`
      })
  })
  return faults
}

/** Everything that must hold after one save but for what is read back from the session alone. */
export const checkMade = (made: Made, add: (rule: string, detail: string) => void): void => {
  checkEffects(made, add)
  checkMessages(made, add)
  checkOrder(made, add)
  checkReasoning(made, add)
  checkPairs(made, add)
  checkProgress(made, add)
}
