/**
 * A session as a plain list of entries, to which plans are applied one after the other.
 *
 * Law: it believes no plan. What a plan says it replaces must be what is there, what it says it stored must be
 * there, and the invariants are read off the list and the turn, not off the plan.
 */
import type { Item, ItemFields, OpenCall } from '../../src/core/item.js'
import type { Outcome } from '../../src/core/outcome.js'
import type { Policy } from '../../src/core/policy.js'
import type { PlanDocument } from './answers.js'
import type { OracleEntry } from './oracle.js'
import {
  canBeAnswered,
  isComplete,
  isModelItem,
  isReasoning,
  isRunnerExecuted,
  isUserInput,
  keyOf,
  kindOf,
  originOf,
  ownersOf,
  type ReadTurn,
  readTurn
} from './oracle-turn.js'

export type Session = ReadonlyArray<OracleEntry>

/** A save that has been applied, with everything that an invariant may ask about. */
export interface Applied {
  readonly items: ReadonlyArray<Item>
  readonly open: ReadonlyArray<OpenCall>
  readonly outcome: Outcome
  readonly policy: Policy
  readonly store: 'append' | 'replace'
  /** Below this position nothing was judged again by this save. */
  readonly frozen: number
  readonly session: Session
  readonly plan: PlanDocument
  /** Every position that this or an earlier plan reported as irrevocable, late or recorded as a late output. */
  readonly reported: ReadonlySet<number>
}

const isClosing = (entry: OracleEntry): entry is Extract<OracleEntry, { readonly close: number }> =>
  'close' in entry

export const positionsIn = (session: Session): ReadonlyArray<number> =>
  session.flatMap((entry) => (isClosing(entry) ? [] : [entry.position]))

const closingsIn = (session: Session): ReadonlyArray<number> =>
  session.flatMap((entry) => (isClosing(entry) ? [entry.close] : []))

/** Replaces the tail by the writes; fails when the tail is not what the plan says it is. */
export const applyToSession = (session: Session, plan: PlanDocument): Session => {
  const kept = session.length - plan.replaces.length
  const tail = session.slice(Math.max(kept, 0))
  if (JSON.stringify(tail) !== JSON.stringify(plan.replaces))
    throw new Error(`replaces ${JSON.stringify(plan.replaces)}, but there is ${JSON.stringify(tail)}`)
  return [...session.slice(0, kept), ...plan.writes]
}

/** The progress names what is there: PROGRESS-3 and the meaning of its sets. */
export const contradictionsOfProgress = (session: Session, plan: PlanDocument): ReadonlyArray<string> => {
  const after = plan.after as { settled: number; withheld: number[]; ahead: number[] }
  const named: Array<number> = []
  for (let position = 0; position < after.settled; position += 1)
    if (!after.withheld.includes(position)) named.push(position)
  named.push(...after.ahead)
  const found: ReadonlyArray<readonly [string, unknown, unknown]> = [
    ['positions', named, [...positionsIn(session)].sort((left, right) => left - right)],
    ['closed', plan.after['closed'], [...closingsIn(session)].sort((left, right) => left - right)],
    [
      'redacted',
      plan.after['redacted'],
      session.flatMap((entry) => (!isClosing(entry) && entry.redact === true ? [entry.position] : []))
    ],
    ['written', plan.after['written'], session.length]
  ]
  return found
    .filter(([, said, there]) => JSON.stringify(said) !== JSON.stringify(there))
    .map(
      ([name, said, there]) =>
        `progress says ${name} ${JSON.stringify(said)}, there is ${JSON.stringify(there)}`
    )
}

const fieldsAt = (state: Applied, position: number): ItemFields => state.items[position] as ItemFields

/** Invariant 1: every committed effect is in the session once, unless the plan lists it. */
export const lostEffects = (state: Applied): ReadonlyArray<string> => {
  const turn = readTurn(state.items, state.open)
  const positions = positionsIn(state.session)
  const found: Array<string> = []
  if (new Set(positions).size !== positions.length) found.push('a position is in the session twice')
  for (const [output, target] of turn.answers) {
    const says = fieldsAt(state, output).execution ?? 'executed'
    if (says === 'denied' || says === 'skipped') continue
    // What a policy throws away on purpose is no loss.
    if (state.policy.speculative === 'discard' && state.outcome.kind === 'input-rejected') continue
    const parts = 'call' in target ? [target.call, output] : [output]
    const isRecorded = parts.every((part) => positions.includes(part))
    const isClosed = 'call' in target && closingsIn(state.session).includes(target.call)
    const isListed = parts.some((part) => state.plan.unprotected.includes(part))
    const wasThrownAway = output < state.frozen
    if (!isRecorded && !isClosed && !isListed && !wasThrownAway)
      found.push(`the effect of output ${output} is neither in the session nor listed`)
  }
  return found
}

/** Invariant 2: no rejected message is in the session. */
export const leakedMessages = (state: Applied): ReadonlyArray<string> => {
  const { from } = state.plan
  const isRejection = state.outcome.kind !== 'open' && from !== null
  if (!isRejection) return []
  return positionsIn(state.session)
    .filter((position) => position >= from && position >= state.frozen)
    .filter((position) => kindOf(state.items[position] as Item) === 'message')
    .filter((position) => isModelItem(state.items[position] as Item))
    .filter((position) => !state.plan.irrevocable.includes(position))
    .map((position) => `rejected message ${position} is in the session`)
}

/** Invariant 3: items are in turn order. */
export const disorder = (state: Applied): ReadonlyArray<string> => {
  const positions = positionsIn(state.session)
  return positions.every((position, index) => index === 0 || position > (positions[index - 1] as number))
    ? []
    : [`positions stand as ${JSON.stringify(positions)}`]
}

/** Invariant 4: kept reasoning stands before an item it is tied to. */
export const danglingReasoning = (state: Applied): ReadonlyArray<string> => {
  if (state.policy.trailingReasoning === 'keep') return []
  const turn = readTurn(state.items, state.open)
  const positions = positionsIn(state.session)
  return positions
    .filter((position) => isReasoning(state.items[position] as Item) && !isUsers(state, position))
    .filter((position) => !state.reported.has(position))
    .filter(
      (position) =>
        !ownersOf(turn, position, state.policy.association).some((owner) => positions.includes(owner))
    )
    .map((position) => `reasoning ${position} stands before nothing it belongs to`)
}

const isUsers = (state: Applied, position: number): boolean =>
  originOf(state.items[position] as Item) === 'user'

/** Invariant 5: no output without its call; no call of an ended turn without output or closing. */
export const brokenPairs = (state: Applied): ReadonlyArray<string> => {
  const turn = readTurn(state.items, state.open)
  const found: Array<string> = []
  const seen = new Set<number>()
  for (const entry of state.session) {
    if (isClosing(entry)) {
      if (!seen.has(entry.close)) found.push(`closing of ${entry.close} stands before its call`)
      continue
    }
    seen.add(entry.position)
    const target = turn.answers.get(entry.position)
    if (kindOf(state.items[entry.position] as Item) !== 'output') continue
    if (target === undefined) found.push(`output ${entry.position} answers nothing`)
    else if ('call' in target && !seen.has(target.call))
      found.push(`output ${entry.position} is without its call`)
  }
  if (state.outcome.kind === 'open') return found
  for (const position of seen) {
    const item = state.items[position] as Item
    if (!canBeAnswered(item) || !isRunnerExecuted(item) || state.reported.has(position)) continue
    if (state.policy.unansweredCalls === 'keep') continue
    const output = turn.answeredBy.get(position)
    const isAnswered = output !== undefined && seen.has(output)
    if (!isAnswered && !closingsIn(state.session).includes(position))
      found.push(`call ${position} is without output and closing`)
    if (isAnswered && closingsIn(state.session).includes(position))
      found.push(`call ${position} has an output and a closing`)
  }
  return found
}

interface Queued {
  readonly key: string | null
  /** A closing never answers a provider's call, so it is not read as the answer of one either (SELECT-12). */
  readonly canBeClosed: boolean
  readonly response: number
  readonly answeredRight: (by: OracleEntry) => boolean
}

/** Invariant 8, as far as pairs go: whoever reads the session alone gives each output to the call it answers. */
export const misreadPairs = (state: Applied): ReadonlyArray<string> => {
  const turn = readTurn(state.items, state.open)
  const found: Array<string> = []
  let waiting: Array<Queued> = state.open.map((one, index) => ({
    key: keyOf(one),
    canBeClosed: true,
    response: -1,
    answeredRight: (by) => !isClosing(by) && isAnswerTo(turn, by.position, index)
  }))
  for (const entry of state.session) {
    const position = isClosing(entry) ? entry.close : entry.position
    const item = state.items[position] as Item
    const key = keyOf(item as ItemFields)
    if (!isClosing(entry) && canBeAnswered(item)) {
      const response = turn.response[position] as number
      waiting = waiting.filter((other) => other.key !== key || other.response === response)
      waiting.push({
        key,
        canBeClosed: isRunnerExecuted(item),
        response,
        answeredRight: (by) =>
          isClosing(by) ? by.close === position : turn.answeredBy.get(position) === by.position
      })
    }
    const answers = isClosing(entry) ? isComplete(item) : turn.answers.has(entry.position)
    if (!answers) continue
    const first = waiting.find((other) => other.key === key && (other.canBeClosed || !isClosing(entry)))
    if (first === undefined) found.push(`${JSON.stringify(entry)} finds no waiting call`)
    else if (!first.answeredRight(entry))
      found.push(`${JSON.stringify(entry)} is read as the answer of another call`)
    waiting = waiting.filter((other) => other !== first)
  }
  // What a plan reported stands out of order.
  return state.reported.size === 0 ? found : []
}

const isAnswerTo = (turn: ReadTurn, output: number, open: number): boolean => {
  const target = turn.answers.get(output)
  return target !== undefined && 'open' in target && target.open === open
}

/** A message that a pending check may still reject is not written by this save. */
export const leakedWhilePending = (state: Applied): ReadonlyArray<string> => {
  if (state.outcome.kind !== 'open' || state.outcome.check !== 'message') return []
  const turn = readTurn(state.items, state.open)
  const wasThere = positionsIn(state.plan.replaces)
  return positionsIn(state.plan.writes)
    .filter((position) => !wasThere.includes(position))
    .filter((position) => position >= state.frozen && turn.response[position] === turn.starts.length)
    .filter((position) => kindOf(state.items[position] as Item) === 'message')
    .filter(
      (position) => isModelItem(state.items[position] as Item) && !isUserInput(state.items[position] as Item)
    )
    .map((position) => `message ${position} is written while its check is pending`)
}

export const brokenInvariants = (state: Applied): ReadonlyArray<string> => [
  ...contradictionsOfProgress(state.session, state.plan),
  ...lostEffects(state),
  ...leakedMessages(state),
  ...leakedWhilePending(state),
  ...disorder(state),
  ...danglingReasoning(state),
  ...brokenPairs(state),
  ...misreadPairs(state)
]
