/**
 * What a save of an open turn changes.
 *
 * Law: what is decided is written; what waits is not. An append-only store takes the decided prefix, a store that can
 * replace a suffix takes everything that is decided. Only positions that can have changed since the last applied plan
 * are looked at. Complexity: linear in those.
 *
 * Rules: PLAN-10, PLAN-11, PLAN-13, PLAN-22, PLAN-24, PLAN-31.
 */
import { type Either, left, right } from 'fp-ts/lib/Either.js'
import {
  appendEntries,
  baseFor,
  contextOf,
  copyBits,
  type Draft,
  hasClosing,
  lowestAnsweredClosing,
  outOfOrderAt,
  replaceEntries,
  type ScanKey,
  type TurnState
} from './draft.js'
import type { OutOfOrder } from './error.js'
import { createJudge, isKept, type Judge, Stored, Verdict } from './judge.js'
import { isBoundary } from './layout.js'
import type { Open } from './outcome.js'
import { Flag, Role } from './roles.js'
import { NONE, type Structure } from './structure.js'
import { judgeOpen, noteOpenParents } from './wait.js'

/**
 * The draft of a save of an open turn.
 *
 * Errors: `out-of-order` on an append-only store.
 */
export const draftOpen = (state: TurnState, outcome: Open): Either<OutOfOrder, Draft> => {
  const { structure, policy, saved, appendOnly } = state
  const judge = createJudge(structure, policy, outcome, saved.final, saved.stored, appendOnly)
  noteOpenParents(judge, saved.settled)
  return appendOnly ? draftOpenAppend(state, judge) : right(draftOpenReplace(state, judge, outcome.check))
}

/** Superseded calls that are owed their closing now, and up to where the list of them is dealt with (PLAN-24). */
const supersededToClose = (
  state: TurnState,
  isReady: (call: number) => boolean
): { readonly calls: ReadonlyArray<number>; readonly done: number } => {
  const { structure, scan, policy, saved } = state
  const calls: number[] = []
  if (policy.unansweredCalls === 'keep') return { calls, done: structure.superseded.length }
  let done = scan.superseded
  for (let index = scan.superseded; index < structure.superseded.length; index += 1) {
    const call = structure.superseded[index] as number
    const isDone = structure.roles[call] !== Role.call || hasClosing(saved.stored[call] as number)
    const ready = !isDone && isReady(call)
    if (ready) calls.push(call)
    if ((isDone || ready) && done === index) done = index + 1
  }
  return { calls, done }
}

/** What an append-only store holds of the positions from `settled` on after the save, and where the save stops. */
interface Prefix {
  readonly decided: number[]
  readonly irrevocable: ReadonlyArray<number>
  /** First position that waits; or the end. */
  readonly settled: number
  readonly end: number
}

const decidePrefix = (state: TurnState, judge: Judge): Either<OutOfOrder, Prefix> => {
  const { structure, saved } = state
  const decided: number[] = []
  const irrevocable: number[] = []
  let settled: number = NONE
  let end = saved.settled
  for (; end < structure.length; end += 1) {
    const verdict = judgeOpen(judge, end)
    const before = saved.stored[end] as number
    if (verdict === Verdict.wait) {
      if (settled === NONE) settled = end
      if (!isKept(before)) break
    }
    if (isKept(before)) {
      if (verdict === Verdict.withhold) irrevocable.push(end)
      decided.push(before)
    } else if (verdict === Verdict.withhold) decided.push(before)
    else if (end < saved.top) return left(outOfOrderAt(end))
    else decided.push(before | Stored.item)
  }
  end = withoutLoneReasoning(state, decided, end)
  return right({ decided, irrevocable, settled: settled === NONE ? end : Math.min(settled, end), end })
}

/** Where writing stops so that no new reasoning stands at the end without an item that it belongs to (PLAN-31). */
const withoutLoneReasoning = (state: TurnState, decided: ReadonlyArray<number>, end: number): number => {
  const { structure, saved } = state
  if (structure.reasoning === 0) return end
  let stop = end
  for (let position = end - 1; position >= saved.settled; position -= 1) {
    const flags = structure.flags[position] as number
    const kept = isKept(decided[position - saved.settled] as number)
    if (structure.roles[position] === Role.user) break
    if ((flags & Flag.owns) !== 0 && kept) break
    const isNew = kept && !isKept(saved.stored[position] as number)
    if (structure.roles[position] === Role.reasoning && isNew && structure.links[position] !== NONE)
      stop = position
    if ((flags & Flag.starts) !== 0) break
  }
  return stop
}

/** The first user input or start of a response behind a superseded call, which always has one there. */
const boundaryAfter = (structure: Structure, call: number): number => {
  let position = call + 1
  while (!isBoundary(structure, position)) position += 1
  return position
}

/** An append-only store takes the decided prefix, and nothing behind what waits (PLAN-10). */
const draftOpenAppend = (state: TurnState, judge: Judge): Either<OutOfOrder, Draft> => {
  const { structure, saved } = state
  const low = saved.settled
  const prefix = decidePrefix(state, judge)
  if (prefix._tag === 'Left') return prefix
  const { decided, irrevocable, settled, end } = prefix.right
  const superseded = supersededToClose(state, (call) => {
    if (boundaryAfter(structure, call) > end) return false
    return isKept(call < low ? (saved.stored[call] as number) : (decided[call - low] as number))
  })
  const closes = superseded.calls.length > 0
  let base = low
  for (const call of superseded.calls) base = Math.min(base, call)
  const bits = new Uint8Array(end - base)
  bits.set(saved.stored.subarray(base, low))
  for (let position = low; position < end; position += 1)
    bits[position - base] = decided[position - low] as number
  for (const call of superseded.calls) bits[call - base] = (bits[call - base] as number) | Stored.closing
  const context = contextOf(state, low)
  const entries = appendEntries(state, { base, bits }, low, end, context, closes)
  return right({
    base,
    bits,
    settled,
    final: saved.final,
    sealed: saved.sealed,
    ...entries,
    irrevocable,
    scan: {
      scanned: structure.length,
      waiting: end,
      revived: Infinity,
      key: undefined,
      superseded: superseded.done,
      context,
      contextAt: end
    }
  })
}

/** Whether a position can only stop waiting by its own change or by the end of the turn. */
const waitsForItself = (structure: Structure, position: number): boolean => {
  const role = structure.roles[position]
  const partial = ((structure.flags[position] as number) & Flag.partial) !== 0
  return partial || role === Role.partialCall || role === Role.pending || role === Role.fragment
}

/** The first position whose entry, or whose waiting, can differ from what the last applied plan left. */
const firstChange = (state: TurnState, key: ScanKey): number => {
  const { structure, saved, scan, policy } = state
  if (scan.key === undefined || key.check !== scan.key.check) return saved.settled
  const { waiting } = scan
  let first = Math.max(scan.scanned, saved.settled)
  const moved = key.responseStart !== scan.key.responseStart || key.lastUser !== scan.key.lastUser
  if (policy.association === 'segment' || structure.touched !== Infinity) first = Math.min(first, waiting)
  else if (moved) {
    // Only what stood in the last response depends on it; a call may be waiting for a child of its.
    const reach = structure.parents.size > 0 ? 0 : scan.key.responseStart
    first = Math.min(first, Math.max(waiting, reach))
  }
  // A call that is dropped waits until it is superseded, however far back it stands.
  if (policy.unansweredCalls === 'drop' && key.superseded > scan.key.superseded)
    first = Math.min(first, waiting)
  first = Math.min(first, structure.claimed, structure.touched)
  for (let position = scan.scanned; position < structure.length; position += 1) {
    if (structure.roles[position] !== Role.output) continue
    const call = structure.links[position] as number
    if (call >= 0 && call < scan.scanned && !isKept(saved.stored[call] as number))
      first = Math.min(first, call, waiting)
  }
  return Math.max(first, saved.settled)
}

/** A store that can replace a suffix takes everything that is decided (PLAN-11). */
const draftOpenReplace = (state: TurnState, judge: Judge, check: Open['check']): Draft => {
  const { structure, saved, scan } = state
  const length = structure.length
  const { responseStart, lastUser } = structure
  const key: ScanKey = { check, responseStart, lastUser, superseded: structure.superseded.length }
  const judged = firstChange(state, key)
  const superseded = supersededToClose(state, (call) => {
    const verdict = call < judged ? Verdict.wait : judgeOpen(judge, call)
    return isKept(verdict === Verdict.wait ? (saved.stored[call] as number) : verdict)
  })
  const closesNew = superseded.calls.length > 0
  let start = Math.min(judged, lowestAnsweredClosing(state, judged))
  for (const call of superseded.calls) start = Math.min(start, call)
  if (structure.queues.size > 0 && saved.closings > 0) start = 0
  const base = baseFor(state, start)
  const bits = copyBits(state, judge, base)
  const isFirst = judged <= saved.settled
  let settled = isFirst ? NONE : saved.settled
  let waiting = isFirst || scan.waiting >= judged ? Infinity : scan.waiting
  for (let position = judged; position < length; position += 1) {
    const verdict = judgeOpen(judge, position)
    if (verdict !== Verdict.wait) {
      bits[position - base] = verdict | ((bits[position - base] as number) & Stored.closing)
      continue
    }
    if (settled === NONE) settled = position
    if (waiting === Infinity && !waitsForItself(structure, position)) waiting = position
  }
  const revived = saved.closings > 0 ? removeAnsweredClosings(state, judge, bits, base) : Infinity
  for (const call of superseded.calls) bits[call - base] = (bits[call - base] as number) | Stored.closing
  const context = contextOf(state, start)
  const entries = replaceEntries(state, { base, bits }, start, context, closesNew || saved.closings > 0)
  return {
    base,
    bits,
    settled: settled === NONE ? length : settled,
    final: saved.final,
    sealed: saved.sealed,
    ...entries,
    irrevocable: [],
    scan: { scanned: length, waiting, revived, key, superseded: superseded.done, context, contextAt: length }
  }
}

/**
 * Puts a real output that is decided to be kept in the place of its closing, settled or not (PLAN-22); returns the
 * lowest sealed one that waits for that, or infinity.
 */
const removeAnsweredClosings = (state: TurnState, judge: Judge, bits: Uint8Array, base: number): number => {
  const { structure, saved } = state
  let revived = Infinity
  for (let position = base; position < structure.length; position += 1) {
    if (!hasClosing(bits[position - base] as number)) continue
    const output = structure.links[position] as number
    if (output === NONE) continue
    if (output < saved.final) revived = Math.min(revived, output)
    else if (judgeOpen(judge, output) === Verdict.keep) {
      bits[position - base] = (bits[position - base] as number) & ~Stored.closing
      bits[output - base] = (bits[output - base] as number) | Stored.item
    }
  }
  return revived
}
