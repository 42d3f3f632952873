/**
 * What a save at the end of a turn changes.
 *
 * Law: everything from the last sealed position on is judged, and the session is brought to that. What an append-only
 * store cannot take back is listed, not changed. Complexity: linear in the positions that are not sealed.
 *
 * Rules: PLAN-14 to PLAN-20, PLAN-22, PLAN-23, PLAN-30.
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
  type TurnState
} from './draft.js'
import { EntryList } from './entries.js'
import type { OutOfOrder } from './error.js'
import { createJudge, isKept, type Judge, rejectedPart, Stored } from './judge.js'
import { type Context, contextWritten, type Kept } from './layout.js'
import type { EndedOutcome } from './outcome.js'
import { plainUntil } from './plain.js'
import type { Saved } from './saved.js'
import { judgeEnded } from './select.js'
import { NONE } from './structure.js'

/** First position that an ended plan judges (PLAN-18, PLAN-19). */
export const judgedFrom = (state: TurnState): number =>
  state.structure.length === state.saved.final ? state.saved.sealed : state.saved.final

/** Whether the store holds exactly the positions below `settled`, each as it is. */
const isUnbroken = ({ sets }: Saved): boolean =>
  sets.withheld.length + sets.ahead.length + sets.closed.length + sets.redacted.length === 0

/**
 * The draft of a save at the end of a turn.
 *
 * Errors: `out-of-order` on an append-only store.
 */
export const draftEnded = (state: TurnState, outcome: EndedOutcome): Either<OutOfOrder, Draft> => {
  const { structure, policy, saved, appendOnly } = state
  const first = judgedFrom(state)
  const skips = first === 0 && isUnbroken(saved)
  const low = skips ? plainUntil(structure, rejectedPart(outcome, policy, structure)) : first
  const judge = createJudge(structure, policy, outcome, low, saved.stored, appendOnly, skips)
  return appendOnly ? draftEndedAppend(state, judge) : right(draftEndedReplace(state, judge))
}

/** The entries of plain positions that the store does not hold yet. */
const plainEntries = ({ saved }: TurnState, judge: Judge): EntryList => {
  const writes = new EntryList()
  if (judge.keepsBelow) writes.addPlain(saved.settled, judge.low)
  return writes
}

/** Where the bits of a draft begin whose plain positions are not stored yet; `start` if all are. */
const belowPlain = ({ saved }: TurnState, judge: Judge, start: number): number =>
  judge.keepsBelow ? Math.min(saved.settled, start) : start

const contextAt = (state: TurnState, judge: Judge, start: number): Context =>
  judge.keepsBelow ? contextWritten() : contextOf(state, start)

const draftEndedAppend = (state: TurnState, judge: Judge): Either<OutOfOrder, Draft> => {
  const { saved, structure } = state
  const { low } = judge
  const base = belowPlain(state, judge, low)
  const bits = new Uint8Array(structure.length - base).fill(Stored.item, 0, low - base)
  judgeEnded(judge, bits, base)
  const irrevocable: number[] = []
  if (saved.written > 0) {
    const first = holdToStored(state, judge, { base, bits }, irrevocable)
    if (first !== NONE) return left(outOfOrderAt(first))
  }
  const entries = appendEntries(
    state,
    { base, bits },
    low,
    structure.length,
    contextAt(state, judge, low),
    judge.closes,
    plainEntries(state, judge)
  )
  return right(endedDraft(state, base, bits, entries, irrevocable))
}

/**
 * Puts what an append-only store holds in the place of what it should hold, and lists where the two differ; returns
 * the first position that would have to be written in front of a stored one, or −1 (PLAN-15, PLAN-17).
 */
const holdToStored = (state: TurnState, judge: Judge, view: Kept, irrevocable: number[]): number => {
  const { saved, structure } = state
  const { base, bits } = view
  let outOfOrder: number = NONE
  for (let position = judge.low; position < structure.length; position += 1) {
    const after = bits[position - base] as number
    const before = saved.stored[position] as number
    if (isKept(before)) {
      const form = Stored.item | Stored.redacted
      if ((before & form) !== (after & form)) irrevocable.push(position)
      bits[position - base] = before | (after & Stored.closing)
    } else if (isKept(after) && position < saved.top && outOfOrder === NONE) outOfOrder = position
    else bits[position - base] = after | (before & Stored.closing)
  }
  return outOfOrder
}

const draftEndedReplace = (state: TurnState, judge: Judge): Draft => {
  const { saved, structure } = state
  const { low } = judge
  const hasQueues = structure.queues.size > 0 && saved.closings > 0
  const start = hasQueues ? 0 : Math.min(low, lowestAnsweredClosing(state, low))
  const base = belowPlain(state, judge, baseFor(state, start))
  const bits = copyBits(state, judge, base)
  if (judge.keepsBelow) bits.fill(Stored.item, 0, low - base)
  bits.fill(0, low - base)
  judgeEnded(judge, bits, base)
  const closesSealed = closesBelow(state, bits, base, low)
  const entries = replaceEntries(
    state,
    { base, bits },
    start,
    contextAt(state, judge, start),
    judge.closes || closesSealed,
    plainEntries(state, judge)
  )
  return endedDraft(state, base, bits, entries, [])
}

/** Takes away sealed closings whose output is judged, and so kept, now (PLAN-22); whether any sealed closing stays. */
const closesBelow = (state: TurnState, bits: Uint8Array, base: number, low: number): boolean => {
  const { structure } = state
  let closes = false
  for (let position = base; position < low; position += 1) {
    const bit = bits[position - base] as number
    if (!hasClosing(bit)) continue
    const output = structure.links[position] as number
    if (output >= low) bits[position - base] = bit & ~Stored.closing
    else closes = true
  }
  return closes
}

const endedDraft = (
  state: TurnState,
  base: number,
  bits: Uint8Array,
  entries: Pick<Draft, 'writes' | 'replaces' | 'late'>,
  irrevocable: ReadonlyArray<number>
): Draft => {
  const { saved, structure } = state
  const length = structure.length
  return {
    base,
    bits,
    settled: length,
    final: length,
    sealed: length > saved.final ? saved.final : saved.sealed,
    writes: entries.writes,
    replaces: entries.replaces,
    irrevocable,
    late: entries.late,
    scan: {
      scanned: length,
      waiting: Infinity,
      revived: Infinity,
      key: undefined,
      superseded: structure.superseded.length,
      context: undefined,
      contextAt: NONE
    }
  }
}
