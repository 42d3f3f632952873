/**
 * What one save changes: the bits after it, and the entries to write and to replace.
 *
 * Law: only this file compares what should be in the session with what is in it. It judges nothing (`select.ts`) and
 * lays nothing out (`layout.ts`). It looks at positions from the first one that can have changed; everything before
 * is in the session as it should be. Complexity: linear in those positions.
 *
 * Rules: PLAN-10, PLAN-11, PLAN-13 to PLAN-26, PLAN-30, PROGRESS-2, PROGRESS-4.
 */
import { type Either, left, right } from 'fp-ts/lib/Either.js'
import type { OutOfOrder } from './error.js'
import {
  type Closings,
  type Context,
  contextBefore,
  type Kept,
  layEntries,
  noClosings,
  placeClosings
} from './layout.js'
import type { EndedOutcome, Open } from './outcome.js'
import { Flag, NONE, Role, type Structure } from './pair.js'
import type { Policy } from './policy.js'
import { memberDigest, type Saved } from './saved.js'
import {
  createJudge,
  type Judge,
  judgeEnded,
  judgeOpen,
  needsClosing,
  noteParentsOfOpen,
  Stored,
  Verdict
} from './select.js'

/** A turn together with what the store holds of it. */
export interface TurnState {
  readonly structure: Structure
  readonly policy: Policy
  readonly appendOnly: boolean
  readonly saved: Saved
  /** First position that no plan which was applied has looked at; what is below changes only by events. */
  readonly scan: ScanState
}

/** What a growing turn remembers between plans, so that each position is looked at a bounded number of times. */
export interface ScanState {
  /** Positions below were looked at by the last applied plan. */
  readonly scanned: number
  /** Lowest position that waits for something other than its own completion; infinity if none does. */
  readonly waiting: number
  /** What that plan depended on: the check, the last response and the last user input. */
  readonly key: string
  /** How many superseded calls were dealt with. */
  readonly superseded: number
  /** The context in front of `contextAt`, so that it need not be searched. */
  readonly context: Context | undefined
  readonly contextAt: number
}

/** What one save changes. */
export interface Draft {
  /** `bits[i]` is what the store holds of position base + i after the save; nothing below base changes. */
  readonly base: number
  readonly bits: Uint8Array
  readonly settled: number
  readonly final: number
  readonly sealed: number
  readonly written: number
  readonly digest: number
  readonly changed: boolean
  readonly codes: ReadonlyArray<number>
  readonly replaced: ReadonlyArray<number>
  readonly irrevocable: ReadonlyArray<number>
  readonly late: ReadonlyArray<number>
  readonly scan: ScanState
}

/** The scan state of a turn whose progress was just loaded. */
export const startScan = (saved: Saved): ScanState => ({
  scanned: 0,
  waiting: saved.settled,
  key: '',
  superseded: 0,
  context: undefined,
  contextAt: NONE
})

const has = (bits: number, bit: number): boolean => (bits & bit) !== 0

/** The lowest call behind which a closing goes away, because a real output has come for it; else infinity. */
const lowestAnsweredClosing = (state: TurnState): number => {
  const { structure, saved, scan, appendOnly } = state
  let lowest = Infinity
  if (appendOnly || saved.closings === 0) return lowest
  for (let position = scan.scanned; position < structure.length; position += 1) {
    if (structure.roles[position] !== Role.output) continue
    const call = structure.links[position] as number
    if (call >= 0 && call < lowest && has(saved.stored[call] as number, Stored.closing)) lowest = call
  }
  return lowest
}

/** The last user input or start of a response before a position; closings of calls before it stand before it. */
const boundaryBefore = (structure: Structure, position: number): number => {
  let earlier = position - 1
  while (earlier > 0) {
    if (structure.roles[earlier] === Role.user || has(structure.flags[earlier] as number, Flag.starts))
      return earlier
    earlier -= 1
  }
  return 0
}

/** Where the bits must begin, so that every closing that stands at or behind `start` is among them. */
const baseFor = (state: TurnState, start: number, closes: boolean): number => {
  if (!closes && state.saved.closings === 0) return start
  return state.structure.queues.size > 0 ? 0 : boundaryBefore(state.structure, start)
}

/** The sums of a progress after the bits from `base` on have changed. */
const sumUp = (
  saved: Saved,
  base: number,
  bits: Uint8Array,
  settled: number
): { readonly written: number; readonly digest: number; readonly changed: boolean } => {
  let written = saved.written
  let digest = saved.digest
  let changed = settled !== saved.settled
  for (let index = 0; index < bits.length; index += 1) {
    const position = base + index
    const before = saved.stored[position] as number
    const after = bits[index] as number
    if (before !== after) {
      changed = true
      written += (after & Stored.item) - (before & Stored.item)
      written += ((after & Stored.closing) - (before & Stored.closing)) >> 2
    } else if (settled === saved.settled || position < saved.settled || position >= settled) continue
    digest =
      (digest + memberDigest(position, after, settled) - memberDigest(position, before, saved.settled)) | 0
  }
  return { written, digest, changed }
}

/** Entries of an append-only save: late closings first, then what is new, in order. */
const appendEntries = (
  state: TurnState,
  view: Kept,
  start: number,
  end: number,
  context: Context,
  closes: boolean
): { readonly codes: number[]; readonly late: number[] } => {
  const { structure, saved, policy } = state
  const codes: number[] = []
  const late: number[] = []
  let closings: Closings = noClosings
  if (closes) {
    const placed = placeClosings(structure, view, 0)
    const inPlace: Closings = { places: [], calls: [] }
    for (let index = 0; index < placed.calls.length; index += 1) {
      const call = placed.calls[index] as number
      const place = placed.places[index] as number
      if (has(saved.stored[call] as number, Stored.closing)) continue
      if (place < saved.top) late.push(call)
      else {
        inPlace.places.push(place)
        inPlace.calls.push(call)
      }
    }
    closings = inPlace
  }
  const strips = policy.brokenContext === 'strip-id'
  const lateClosings: Closings = { places: late.map(() => 0), calls: late }
  if (late.length > 0)
    layEntries(structure, view, 0, 0, { ...context }, strips, lateClosings, (code) => codes.push(code))
  layEntries(structure, view, start, end, context, strips, closings, (code, position) => {
    if (code % 8 >= 4 || !has(saved.stored[position] as number, Stored.item)) codes.push(code)
  })
  return { codes, late }
}

/** Entries of a save that may replace a suffix: what differs, from the first difference on (PLAN-14). */
const replaceEntries = (
  state: TurnState,
  view: Kept,
  start: number,
  context: Context,
  closes: boolean
): { readonly codes: number[]; readonly replaced: number[] } => {
  const { structure, saved, policy } = state
  const strips = policy.brokenContext === 'strip-id'
  const end = structure.length
  const codes: number[] = []
  const replaced: number[] = []
  if (saved.top > start || saved.closings > 0) {
    const before: Kept = {
      base: view.base,
      bits: saved.stored.subarray(view.base, view.base + view.bits.length)
    }
    const closings = saved.closings > 0 ? placeClosings(structure, before, start) : noClosings
    layEntries(structure, before, start, end, { ...context }, strips, closings, (code) => replaced.push(code))
  }
  const closings = closes ? placeClosings(structure, view, start) : noClosings
  layEntries(structure, view, start, end, context, strips, closings, (code) => codes.push(code))
  if (replaced.length === 0) return { codes, replaced }
  let same = 0
  while (same < codes.length && same < replaced.length && codes[same] === replaced[same]) same += 1
  return { codes: codes.slice(same), replaced: replaced.slice(same) }
}

/**
 * The bits from `base` up to `end` as the store holds them, less closings whose real output has come and stands
 * below `decided`.
 */
const copyBits = (state: TurnState, base: number, end: number, decided: number): Uint8Array => {
  const { structure, saved, appendOnly } = state
  const bits = new Uint8Array(end - base)
  if (saved.written > 0) bits.set(saved.stored.subarray(base, end))
  if (appendOnly || saved.closings === 0) return bits
  for (let position = base; position < end; position += 1) {
    if (!has(bits[position - base] as number, Stored.closing)) continue
    const output = structure.links[position] as number
    const role = structure.roles[position] as number
    if (role < Role.call || role > Role.providerCall || output === NONE || output >= decided) continue
    bits[position - base] = (bits[position - base] as number) & ~Stored.closing
    bits[output - base] = (bits[output - base] as number) | Stored.item
  }
  return bits
}

/**
 * What a save at the end of a turn changes.
 *
 * Errors: `out-of-order` on an append-only store. Complexity: linear in the positions from `final` on.
 */
export const draftEnded = (state: TurnState, outcome: EndedOutcome): Either<OutOfOrder, Draft> => {
  const { structure, policy, saved, appendOnly } = state
  const length = structure.length
  const low = length === saved.final ? saved.sealed : saved.final
  const judge = createJudge(structure, policy, outcome, low, saved.stored, appendOnly)
  const verdicts = new Uint8Array(length - low)
  judgeEnded(judge, verdicts)
  const answered = lowestAnsweredClosing(state)
  const start = structure.queues.size > 0 && saved.closings > 0 ? 0 : Math.min(low, answered)
  const base = appendOnly ? low : baseFor(state, start, false)
  const bits = copyBits(state, base, length, low)
  const irrevocable: number[] = []
  let outOfOrder: number = NONE
  let closes = false
  for (let position = low; position < length; position += 1) {
    const verdict = verdicts[position - low] as number
    const before = saved.stored[position] as number
    const stays = appendOnly && has(before, Stored.item)
    let after =
      verdict === Verdict.keep ? Stored.item : verdict === Verdict.redact ? Stored.item | Stored.redacted : 0
    if (stays) {
      const held = before & (Stored.item | Stored.redacted)
      if (held !== after) irrevocable.push(position)
      after = held
    } else if (appendOnly && after !== 0 && position < saved.top && outOfOrder === NONE) outOfOrder = position
    if (
      after !== 0 &&
      isCall(structure, position) &&
      needsClosing(judge, position, structure.roles[position] as number)
    ) {
      after |= Stored.closing
    }
    if (appendOnly) after |= before & Stored.closing
    if (has(after, Stored.closing)) closes = true
    bits[position - base] = after
  }
  if (outOfOrder !== NONE) return left(outOfOrderAt(outOfOrder))
  for (let position = base; position < low; position += 1) {
    const bit = bits[position - base] as number
    if (!has(bit, Stored.closing)) continue
    const output = structure.links[position] as number
    const answered =
      isCall(structure, position) && output >= low && has(bits[output - base] as number, Stored.item)
    if (answered && !appendOnly) bits[position - base] = bit & ~Stored.closing
    else closes = true
  }
  const view: Kept = { base, bits }
  const context = contextOf(state, appendOnly ? low : start)
  const entries = appendOnly
    ? { ...appendEntries(state, view, low, length, context, closes), replaced: [] }
    : { ...replaceEntries(state, view, start, context, closes), late: [] }
  const sums = sumUp(saved, base, bits, length)
  const sealed = length > saved.final ? saved.final : saved.sealed
  return right({
    base,
    bits,
    settled: length,
    final: length,
    sealed,
    ...sums,
    changed: sums.changed || length !== saved.final || sealed !== saved.sealed,
    ...entries,
    irrevocable,
    scan: {
      scanned: length,
      waiting: Infinity,
      key: '',
      superseded: structure.superseded.length,
      context,
      contextAt: length
    }
  })
}

const isCall = (structure: Structure, position: number): boolean => {
  const role = structure.roles[position] as number
  return role === Role.call || role === Role.partialCall
}

const outOfOrderAt = (position: number): OutOfOrder => ({
  kind: 'out-of-order',
  path: `items[${position}]`,
  position,
  message: `items[${position}] would have to be written in front of an item that an append-only store already holds; use a store that can replace a suffix`
})

const contextOf = (state: TurnState, position: number): Context =>
  state.scan.context !== undefined && state.scan.contextAt === position
    ? { ...state.scan.context }
    : contextBefore(state.structure, state.saved.stored, position)

/** Whether a position can only stop waiting by its own change or the end of the turn. */
const waitsForItself = (structure: Structure, position: number): boolean => {
  const role = structure.roles[position] as number
  return (
    has(structure.flags[position] as number, Flag.partial) ||
    role === Role.partialCall ||
    role === Role.pending ||
    role === Role.fragment
  )
}

/** What the waiting of positions depends on, beside the positions themselves. */
const scanKey = (state: TurnState, outcome: Open): string => {
  const { responseStart, lastUser } = state.structure
  return `${outcome.check} ${responseStart} ${lastUser}`
}

/** The first position whose entry or waiting can differ from what the last applied plan left. */
const firstChange = (state: TurnState, key: string): number => {
  const { structure, saved, scan, policy } = state
  const known = Math.max(scan.scanned, saved.settled)
  if (scan.scanned === 0) return saved.settled
  let first = known
  if (key !== scan.key)
    first = key.split(' ')[0] === scan.key.split(' ')[0] ? Math.min(first, scan.waiting) : saved.settled
  if (policy.association === 'segment' || structure.touched !== Infinity)
    first = Math.min(first, scan.waiting)
  first = Math.min(first, structure.claimed, structure.touched)
  for (let position = scan.scanned; position < structure.length; position += 1) {
    if (structure.roles[position] !== Role.output) continue
    const call = structure.links[position] as number
    if (call < 0 || call >= scan.scanned || has(saved.stored[call] as number, Stored.item)) continue
    first = Math.min(first, call, scan.waiting)
  }
  return Math.max(first, saved.settled)
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
    const settledAlready = !isCall(structure, call) || has(saved.stored[call] as number, Stored.closing)
    const ready = !settledAlready && isReady(call)
    if (ready) calls.push(call)
    if ((settledAlready || ready) && done === index) done = index + 1
  }
  return { calls, done }
}

/** The first user input or start of a response behind a call. */
const boundaryAfter = (structure: Structure, call: number): number => {
  let position = call + 1
  while (position < structure.length) {
    if (structure.roles[position] === Role.user || has(structure.flags[position] as number, Flag.starts))
      return position
    position += 1
  }
  return position
}

/** What a save of an open turn changes. Complexity: linear in the positions that can have changed. */
export const draftOpen = (state: TurnState, outcome: Open): Either<OutOfOrder, Draft> =>
  state.appendOnly ? draftOpenAppend(state, outcome) : right(draftOpenReplace(state, outcome))

const openJudge = (state: TurnState, outcome: Open, from: number): Judge => {
  const { structure, policy, saved, appendOnly } = state
  const judge = createJudge(structure, policy, outcome, saved.final, saved.stored, appendOnly)
  noteParentsOfOpen(judge, from)
  return judge
}

const bitsOf = (verdict: number, before: number): number => {
  const closing = before & Stored.closing
  if (verdict === Verdict.wait) return before
  if (verdict === Verdict.withhold) return closing
  return Stored.item | closing
}

/** Where writing stops so that no new reasoning stands at the end without an item that it belongs to (PLAN-31). */
const withoutLoneReasoning = (state: TurnState, decided: ReadonlyArray<number>, end: number): number => {
  const { structure, saved, policy } = state
  let stop = end
  for (let position = end - 1; position >= saved.settled; position -= 1) {
    const role = structure.roles[position] as number
    const flags = structure.flags[position] as number
    const kept = has(decided[position - saved.settled] as number, Stored.item)
    if (role === Role.user) break
    if (has(flags, Flag.owns) && (kept || policy.association === 'next')) break
    const isNew = kept && !has(saved.stored[position] as number, Stored.item)
    if (role === Role.reasoning && isNew && structure.links[position] !== NONE) stop = position
    if (has(flags, Flag.starts)) break
  }
  return stop
}

/** An append-only store takes the decided prefix and nothing behind it (PLAN-10). */
const draftOpenAppend = (state: TurnState, outcome: Open): Either<OutOfOrder, Draft> => {
  const { structure, saved } = state
  const length = structure.length
  const low = saved.settled
  const judge = openJudge(state, outcome, low)
  const decided: number[] = []
  const irrevocable: number[] = []
  let settled: number = NONE
  let end = low
  for (; end < length; end += 1) {
    const verdict = judgeOpen(judge, end)
    const before = saved.stored[end] as number
    const stored = has(before, Stored.item)
    if (verdict === Verdict.wait) {
      if (settled === NONE) settled = end
      if (!stored) break
    }
    if (stored) {
      if (verdict === Verdict.withhold) irrevocable.push(end)
      decided.push(before)
    } else if (verdict === Verdict.withhold) decided.push(before & Stored.closing)
    else if (end < saved.top) return left(outOfOrderAt(end))
    else decided.push(Stored.item | (before & Stored.closing))
  }
  end = withoutLoneReasoning(state, decided, end)
  settled = settled === NONE ? end : Math.min(settled, end)
  const superseded = supersededToClose(state, (call) => {
    if (call >= end || boundaryAfter(structure, call) > end) return false
    return has(call < low ? (saved.stored[call] as number) : (decided[call - low] as number), Stored.item)
  })
  const closes = superseded.calls.length > 0
  let base = low
  for (const call of superseded.calls) base = Math.min(base, call)
  if (closes && structure.queues.size > 0) base = 0
  const bits = new Uint8Array(end - base)
  bits.set(saved.stored.subarray(base, low))
  for (let index = 0; index < end - low; index += 1) bits[low - base + index] = decided[index] as number
  for (const call of superseded.calls) bits[call - base] = (bits[call - base] as number) | Stored.closing
  const context = contextOf(state, low)
  const entries = appendEntries(state, { base, bits }, low, end, context, closes)
  const sums = sumUp(saved, base, bits, settled)
  return right({
    base,
    bits,
    settled,
    final: saved.final,
    sealed: saved.sealed,
    ...sums,
    ...entries,
    replaced: [],
    irrevocable,
    scan: { scanned: length, waiting: end, key: '', superseded: superseded.done, context, contextAt: end }
  })
}

/** A store that can replace a suffix takes everything that is decided (PLAN-11). */
const draftOpenReplace = (state: TurnState, outcome: Open): Draft => {
  const { structure, saved, scan } = state
  const length = structure.length
  const key = scanKey(state, outcome)
  const judged = firstChange(state, key)
  const judge = openJudge(state, outcome, saved.settled)
  const answered = lowestAnsweredClosing(state)
  let start = Math.min(judged, answered)
  const superseded = supersededToClose(state, (call) =>
    call < judged ? has(saved.stored[call] as number, Stored.item) : judgeOpen(judge, call) === Verdict.keep
  )
  for (const call of superseded.calls) start = Math.min(start, call)
  const closesNew = superseded.calls.length > 0
  if (structure.queues.size > 0 && (closesNew || saved.closings > 0)) start = 0
  const base = baseFor(state, start, closesNew)
  const bits = copyBits(state, base, length, saved.final)
  let settled = judged <= saved.settled ? NONE : saved.settled
  let waiting = judged <= saved.settled ? Infinity : scan.waiting < judged ? scan.waiting : Infinity
  for (let position = judged; position < length; position += 1) {
    const verdict = judgeOpen(judge, position)
    bits[position - base] = bitsOf(verdict, bits[position - base] as number)
    if (verdict !== Verdict.wait) continue
    if (settled === NONE) settled = position
    if (waiting === Infinity && !waitsForItself(structure, position)) waiting = position
  }
  if (settled === NONE) settled = length
  removeAnsweredClosings(state, judge, bits, base)
  for (const call of superseded.calls) bits[call - base] = (bits[call - base] as number) | Stored.closing
  const closes = closesNew || saved.closings > 0
  const context = contextOf(state, start)
  const entries = replaceEntries(state, { base, bits }, start, context, closes)
  const sums = sumUp(saved, base, bits, settled)
  return {
    base,
    bits,
    settled,
    final: saved.final,
    sealed: saved.sealed,
    ...sums,
    ...entries,
    irrevocable: [],
    late: [],
    scan: { scanned: length, waiting, key, superseded: superseded.done, context, contextAt: length }
  }
}

/** Takes away the closings whose real output is decided (PLAN-22). */
const removeAnsweredClosings = (state: TurnState, judge: Judge, bits: Uint8Array, base: number): void => {
  const { structure, saved } = state
  if (saved.closings === 0) return
  for (let position = base; position < structure.length; position += 1) {
    if (!has(bits[position - base] as number, Stored.closing) || !isCall(structure, position)) continue
    const output = structure.links[position] as number
    if (output === NONE || output < saved.final || judgeOpen(judge, output) !== Verdict.keep) continue
    bits[position - base] = (bits[position - base] as number) & ~Stored.closing
  }
}
