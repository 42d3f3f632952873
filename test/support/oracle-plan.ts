/**
 * The oracle's reading of planning and progress: what one save must write, and what is remembered after it.
 *
 * Law: written from `docs/spec/05-planning.md` and `06-progress.md` alone. It computes no digest: whether an edge
 * differs is told by whoever asks.
 */
import type { Item, ItemFields } from '../../src/core/item.js'
import type { Outcome } from '../../src/core/outcome.js'
import { defaultPolicy, type Policy } from '../../src/core/policy.js'
import { type Progress, startProgress } from '../../src/core/progress.js'
import { type OracleError, type Question, refusalOf } from './oracle-question.js'
import {
  type Before,
  type Ending,
  endingOf,
  entriesOf,
  holdsDeliverable,
  type Judgement,
  judge,
  needsClosing,
  nothingRejected,
  type OracleEntry,
  placeOfClosing,
  type SessionContents
} from './oracle-select.js'
import {
  childrenOf,
  isCompleteCall,
  isInLastResponse,
  isPartial,
  isReasoning,
  isRunnerExecuted,
  isUserInput,
  kindOf,
  lacksCallId,
  lastResponseStart,
  ownersOf,
  type ReadTurn,
  readTurn
} from './oracle-turn.js'

export interface OracleNotice {
  readonly kind: string
  readonly position?: number
}

export interface OraclePlan {
  readonly change: 'append' | 'replace-suffix' | 'none'
  readonly replaces: ReadonlyArray<OracleEntry>
  readonly from: number | null
  readonly writes: ReadonlyArray<OracleEntry>
  readonly after: Omit<Progress, 'edge'>
  readonly unprotected: ReadonlyArray<number>
  readonly irrevocable: ReadonlyArray<number>
  readonly late: ReadonlyArray<number>
  readonly notices: ReadonlyArray<OracleNotice>
  readonly verdicts: ReadonlyArray<'keep' | 'redact' | 'withhold' | 'defer'>
  readonly rules: ReadonlyArray<string>
}

const fieldsOf = (item: Item): ItemFields => item

const ascending = (positions: Iterable<number>): Array<number> =>
  [...positions].sort((left, right) => left - right)

/** PLAN-2: what the endings that a pending check still allows reject. */
const endingsOf = (turn: ReadTurn, policy: Policy, outcome: Outcome): ReadonlyArray<Ending> => {
  if (outcome.kind !== 'open') return [endingOf(turn, outcome, policy)]
  const last = lastResponseStart(turn)
  switch (outcome.check) {
    case 'none':
      return [nothingRejected]
    case 'input':
      return [nothingRejected, endingOf(turn, { kind: 'input-rejected' }, policy)]
    default:
      return [nothingRejected, { from: last, deliverable: outcome.check, discard: false }]
  }
}

/** PLAN-3, PLAN-9: user input or further reasoning behind a reasoning item; the run can grow no more behind the latter. */
const isFollowedBy = (turn: ReadTurn, position: number, test: (item: Item) => boolean): boolean =>
  turn.items.some((item, other) => other > position && test(item))

export const oraclePlan = (question: Question): OraclePlan | OracleError => {
  const policy = question.policy ?? defaultPolicy
  const before = question.progress ?? startProgress(question.turn)
  const store = question.store ?? 'append'
  const { items, outcome } = question
  const length = items.length
  const isOpen = outcome.kind === 'open'

  const refused = refusalOf(question, policy, before)
  if (refused !== null) return refused

  const turn = readTurn(items, question.open)
  const at = (position: number): Item => items[position] as Item
  const positions = items.map((_, position) => position)

  const isStored = (position: number): boolean =>
    position < before.settled ? !before.withheld.includes(position) : before.ahead.includes(position)
  const isRedacted = (position: number): boolean => before.redacted.includes(position)
  const isClosed = (position: number): boolean => before.closed.includes(position)
  const stored = positions.filter(isStored)

  // PLAN-18, PLAN-19, PLAN-21
  const isUnchanged = isOpen && length === before.final && length > 0
  const frozen = length === before.final && !isOpen ? before.sealed : before.final
  /** PLAN-22: an output that was not real when its call was closed, and may take the place of the closing. */
  const isReopened = (position: number): boolean => {
    const target = turn.answers.get(position)
    if (store !== 'replace' || isStored(position) || target === undefined || !('call' in target)) return false
    return isStored(target.call) && isClosed(target.call)
  }
  // PLAN-18
  const isSealed = (position: number): boolean => isUnchanged || (position < frozen && !isReopened(position))
  const earlier: Before = { isSealed, isStored, isRedacted, isClosed }

  const endings = endingsOf(turn, policy, outcome)
  const ending = endings[0] as Ending
  const judgements = endings.map((one) =>
    positions.map((position) => judge(turn, policy, one, earlier, position))
  )
  /** PLAN-30: what is in an append-only store though it should be withheld. */
  const isStuck = (position: number): boolean =>
    store === 'append' &&
    isStored(position) &&
    judgements.every((one) => one[position]?.verdict === 'withhold')

  const judgementAt = (position: number): Judgement => {
    if (isLate(position)) return { verdict: 'withhold', rule: 'PLAN-23' }
    const target = turn.answers.get(position)
    const ruled = judgements[0]?.[position] as Judgement
    if (!isSealed(position) && target !== undefined && 'call' in target && isStuck(target.call)) {
      const redacts =
        ending.from !== null &&
        position >= ending.from &&
        ending.deliverable === 'output' &&
        policy.rejectedOutput === 'redact'
      return { verdict: redacts ? 'redact' : 'keep', rule: 'PLAN-30' }
    }
    return ruled
  }

  /** PLAN-23: a real output of a call that has a closing, where nothing can be replaced. */
  function isLate(position: number): boolean {
    if (store !== 'append' || isSealed(position) || isStored(position)) return false
    const target = turn.answers.get(position)
    return target !== undefined && 'call' in target && isClosed(target.call)
  }

  /** PLAN-2: the endings disagree. */
  const isDisputed = (position: number): boolean =>
    !isLate(position) &&
    judgements.some((one) => one[position]?.verdict !== judgements[0]?.[position]?.verdict)

  /** PLAN-2 to PLAN-9: the rule that makes a position wait, or null when it is decided. */
  const waitingRule = (position: number): string | null => {
    const item = at(position)
    if (!isOpen || isSealed(position)) return null
    // PLAN-6
    if (item.kind === 'output' && item.execution === 'pending') return 'PLAN-6'
    // PLAN-4
    if (isPartial(item)) return 'PLAN-4'
    if (isDisputed(position)) return 'PLAN-2'
    if (kindOf(item) === 'call') {
      // PLAN-5
      const isWithheld =
        judgementAt(position).rule === 'SELECT-10' && judgementAt(position).verdict === 'withhold'
      const mayBeNeeded = (): boolean =>
        childrenOf(turn, position).some((child) => isCompleteCall(at(child)) && waitingRule(child) !== null)
      if (
        policy.unansweredCalls === 'drop' &&
        isWithheld &&
        (!turn.superseded.has(position) || mayBeNeeded())
      )
        return 'PLAN-5'
    }
    if (kindOf(item) === 'output') {
      const target = turn.answers.get(position)
      // PLAN-8
      if (target !== undefined && 'call' in target && waitingRule(target.call) !== null) return 'PLAN-8'
    }
    if (isReasoning(item)) {
      const owners = ownersOf(turn, position, policy.association)
      const decidedToKeep = owners.some(
        (owner) => waitingRule(owner) === null && judgementAt(owner).verdict !== 'withhold'
      )
      const canGrow = isInLastResponse(turn, position) && !isFollowedBy(turn, position, isUserInput)
      // PLAN-3
      if (owners.length === 0 && canGrow) return 'PLAN-3'
      // PLAN-7
      if (owners.some((owner) => waitingRule(owner) !== null) && !decidedToKeep) return 'PLAN-7'
      // PLAN-9
      const lastOwner = owners[owners.length - 1]
      const isClosedByReasoning = lastOwner !== undefined && isFollowedBy(turn, lastOwner, isReasoning)
      if (policy.association === 'segment' && canGrow && !isClosedByReasoning && !decidedToKeep)
        return 'PLAN-9'
    }
    return null
  }
  const waiting = positions.map(waitingRule)
  const waits = (position: number): boolean => waiting[position] !== null
  const verdictAt = (position: number): Judgement['verdict'] => judgementAt(position).verdict

  // PLAN-10: on an append-only store nothing is written from here on.
  const firstGap = positions.find((position) => waits(position) && !isStored(position)) ?? length
  let barrier = store === 'append' ? firstGap : length

  // PLAN-11, PLAN-13, PLAN-14, PLAN-15: what the session holds after the plan.
  const isHeld = (position: number): boolean => {
    if (isUnchanged || waits(position)) return isStored(position)
    if (store === 'append')
      return isStored(position) || (verdictAt(position) !== 'withhold' && position < barrier)
    return verdictAt(position) !== 'withhold'
  }
  /** PLAN-31: reasoning that this plan would write in front of nothing it belongs to. */
  const wouldDangle = (position: number): boolean => {
    if (isStored(position) || !isHeld(position) || !isReasoning(at(position))) return false
    const owners = ownersOf(turn, position, policy.association)
    return owners.length > 0 && !owners.some(isHeld)
  }
  for (;;) {
    const dangling = store === 'append' ? positions.find(wouldDangle) : undefined
    if (dangling === undefined) break
    barrier = dangling
  }
  const held = positions.filter(isHeld)
  const isHeldRedacted = (position: number): boolean => {
    if (isUnchanged || waits(position) || (store === 'append' && isStored(position)))
      return isRedacted(position)
    return verdictAt(position) === 'redact'
  }
  const contents = (closed: Iterable<number>): SessionContents => ({
    positions: new Set(held),
    redacted: new Set(held.filter(isHeldRedacted)),
    closed: new Set(closed)
  })

  /** Whether a call that the session holds has a closing after the plan. */
  const isClosedAfter = (call: number): boolean => {
    if (isUnchanged) return isClosed(call)
    if (store === 'append' && isClosed(call)) return true
    const output = turn.answeredBy.get(call)
    // PLAN-22
    if (isClosed(call) && (output === undefined || !isHeld(output))) {
      if (isOpen || isSealed(call) || output !== undefined) return true
    }
    if (isSealed(call)) return false
    if (!waits(call) && verdictAt(call) === 'withhold') {
      // PLAN-30
      const isUnanswered = output === undefined && fieldsOf(at(call)).selfContained !== true
      return (
        isStuck(call) &&
        kindOf(at(call)) === 'call' &&
        isUnanswered &&
        isRunnerExecuted(at(call)) &&
        policy.unansweredCalls !== 'keep'
      )
    }
    if (!isOpen) return needsClosing(turn, policy, earlier, call)
    // PLAN-24
    return (
      turn.superseded.has(call) &&
      needsClosing(turn, policy, earlier, call) &&
      placeOfClosing(turn, contents([]), call) <= barrier
    )
  }
  const closed = held.filter(isClosedAfter)
  const after = contents(closed)

  let replaces: ReadonlyArray<OracleEntry> = []
  let writes: ReadonlyArray<OracleEntry> = []
  let late: ReadonlyArray<number> = []
  if (store === 'replace') {
    // PLAN-14
    const now = entriesOf(turn, policy, {
      positions: new Set(stored),
      redacted: new Set(before.redacted),
      closed: new Set(before.closed)
    })
    const target = entriesOf(turn, policy, after)
    let common = 0
    while (
      common < now.length &&
      common < target.length &&
      JSON.stringify(now[common]) === JSON.stringify(target[common])
    )
      common += 1
    replaces = now.slice(common)
    writes = target.slice(common)
  } else {
    const lastStored = stored[stored.length - 1] ?? -1
    // PLAN-17
    if (held.some((position) => !isStored(position) && position < lastStored))
      return { error: 'out-of-order' }
    // PLAN-16
    const isNew = (entry: OracleEntry): boolean =>
      'close' in entry ? !isClosed(entry.close) : !isStored(entry.position)
    const isLateClosing = (entry: OracleEntry): boolean =>
      'close' in entry && placeOfClosing(turn, after, entry.close) <= lastStored
    const fresh = entriesOf(turn, policy, after).filter(isNew)
    const lateEntries = fresh.filter(isLateClosing)
    writes = [...lateEntries, ...fresh.filter((entry) => !isLateClosing(entry))]
    late = ascending(lateEntries.flatMap((entry) => ('close' in entry ? [entry.close] : [])))
  }

  // PLAN-15
  const irrevocable =
    store === 'replace' || isUnchanged
      ? []
      : stored.filter((position) => {
          if (isSealed(position) || waits(position)) return false
          return (
            verdictAt(position) === 'withhold' || (verdictAt(position) === 'redact') !== isRedacted(position)
          )
        })

  // PLAN-12
  const isUnrecorded = (position: number): boolean => {
    const target = turn.answers.get(position)
    if (target === undefined || !('call' in target) || isSealed(position)) return false
    return isSealed(target.call) && !isStored(target.call)
  }
  const isHeldBack = (position: number): boolean =>
    !isSealed(position) && position >= barrier && verdictAt(position) !== 'withhold'
  const unprotected = positions.filter(
    (position) =>
      isUnrecorded(position) ||
      ((isCompleteCall(at(position)) || turn.answers.has(position)) &&
        !after.positions.has(position) &&
        (waits(position) || isHeldBack(position)))
  )

  const notices: Array<OracleNotice> = []
  for (const position of positions) {
    const item = at(position)
    if (turn.unpaired.includes(position)) notices.push({ kind: 'unpaired-output', position })
    if (lacksCallId(item)) notices.push({ kind: 'missing-call-id', position })
    else if (kindOf(item) === 'unclassified') notices.push({ kind: 'unclassified', position })
    if (turn.outOfOrder.includes(position)) notices.push({ kind: 'response-order', position })
    if (!isSealed(position) && isLate(position)) notices.push({ kind: 'late-output', position })
    if (isUnrecorded(position)) notices.push({ kind: 'unrecorded-effect', position })
  }
  // SELECT-24
  if (!isOpen && !holdsDeliverable(turn, ending)) notices.push({ kind: 'no-deliverable' })
  // PAIR-9
  if (!isOpen) for (const _ of turn.openUnanswered) notices.push({ kind: 'open-call' })

  // PLAN-20, PROGRESS-1 to PROGRESS-4
  const firstUndecided = positions.find((position) => position >= before.settled && waits(position)) ?? length
  // PLAN-31: `settled` stops in front of reasoning that is held back.
  const reached = barrier < firstGap ? Math.min(firstUndecided, barrier) : firstUndecided
  const settled = isUnchanged ? before.settled : Math.max(before.settled, reached)
  const body = {
    turn: before.turn,
    settled,
    final: isOpen ? before.final : length,
    sealed: !isOpen && length > before.final ? before.final : before.sealed,
    withheld: positions.filter((position) => position < settled && !after.positions.has(position)),
    ahead: held.filter((position) => position >= settled),
    closed: ascending(closed),
    redacted: ascending(after.redacted),
    written: held.length + closed.length
  }
  // PROGRESS-2
  const { revision, edge: _edge, ...previous } = before
  const changed = Object.entries(body).some(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(previous[name as keyof typeof previous])
  )

  const verdicts = positions.map((position): OraclePlan['verdicts'][number] => {
    if (isSealed(position) || waits(position)) {
      // EXPLAIN-3
      if (isStored(position)) return isRedacted(position) ? 'redact' : 'keep'
      return waits(position) ? 'defer' : 'withhold'
    }
    return verdictAt(position)
  })

  return {
    change: replaces.length > 0 ? 'replace-suffix' : writes.length > 0 ? 'append' : 'none',
    replaces,
    from: isOpen ? null : ending.from,
    writes,
    after: { ...body, revision: changed ? revision + 1 : revision },
    unprotected,
    irrevocable,
    late,
    notices,
    verdicts,
    rules: positions.map((position) => {
      if (isUnchanged) return 'PLAN-21'
      if (waits(position) && isStored(position)) return 'PLAN-13'
      return waiting[position] ?? (isReopened(position) ? 'PLAN-22' : judgementAt(position).rule)
    })
  }
}

export const isOracleError = (answer: OraclePlan | OracleError): answer is OracleError => 'error' in answer
