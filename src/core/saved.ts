/**
 * What the store holds of a turn, in the form that planning reads.
 *
 * Law: only this file turns a progress into bits per position and back. It checks the form of a progress; whether
 * the progress belongs to the turn is decided where the turn is known, in `plan.ts`. Position sets share their
 * buffers from save to save and become arrays only when somebody asks.
 *
 * Rules: PROGRESS-3, PROGRESS-9, PROGRESS-12.
 */
import { type Either, left, right } from 'fp-ts/lib/Either.js'
import { digestMember } from './digest.js'
import { type InvalidInput, invalidInput } from './error.js'
import type { Progress } from './progress.js'
import { isKept, Stored } from './judge.js'

/** The four position sets of a progress. */
export type SetName = 'withheld' | 'ahead' | 'closed' | 'redacted'

/** Ascending positions; only the first `length` of the buffer belong to the set. */
export interface PositionSet {
  readonly buffer: number[]
  readonly length: number
}

/** A progress, opened up. */
export interface Saved {
  readonly progress: Progress
  readonly settled: number
  readonly final: number
  readonly sealed: number
  readonly written: number
  /** Bits of `Stored` per position; longer than the turn that was saved. */
  readonly stored: Uint8Array
  readonly sets: Readonly<Record<SetName, PositionSet>>
  /** Sum of `digestMember` over the sets. */
  readonly digest: number
  /** How many calls have a closing. */
  readonly closings: number
  /** One more than the highest position in the store; 0 when there is none. */
  readonly top: number
}

const TAGS: Readonly<Record<SetName, number>> = { withheld: 1, ahead: 2, closed: 3, redacted: 4 }

/** What one position adds to the digest of the sets, given its bits. */
export const memberDigest = (position: number, bits: number, settled: number): number => {
  let digest = 0
  const stored = isKept(bits)
  if (position < settled && !stored) digest += digestMember(position, TAGS.withheld)
  if (position >= settled && stored) digest += digestMember(position, TAGS.ahead)
  if ((bits & Stored.closing) !== 0) digest += digestMember(position, TAGS.closed)
  if ((bits & Stored.redacted) !== 0) digest += digestMember(position, TAGS.redacted)
  return digest | 0
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0

const checkSet = (name: SetName, value: unknown, low: number, high: number): InvalidInput | undefined => {
  const path = `progress.${name}`
  if (!Array.isArray(value)) return invalidInput(path, 'a list of positions')
  let previous = low - 1
  for (let index = 0; index < value.length; index += 1) {
    const position: unknown = value[index]
    if (!isCount(position) || position <= previous || position >= high) {
      const range = high === Infinity ? `at least ${low}` : `from ${low} to below ${high}`
      return invalidInput(path, `ascending positions ${range}; the one at index ${index} is not`)
    }
    previous = position
  }
  return undefined
}

const COUNTS = ['revision', 'settled', 'final', 'sealed', 'written'] as const

/** Checks the form of a progress (PROGRESS-9). Complexity: linear in its sets. */
export const checkProgress = (progress: Progress): InvalidInput | undefined => {
  if (typeof progress !== 'object') return invalidInput('progress', 'a progress or null')
  if (typeof progress.turn !== 'string') return invalidInput('progress.turn', 'a string')
  for (const name of COUNTS) {
    if (!isCount(progress[name])) return invalidInput(`progress.${name}`, 'a whole number of at least 0')
  }
  if (typeof progress.edge !== 'string') return invalidInput('progress.edge', 'a string')
  if (progress.final > progress.settled) return invalidInput('progress.final', 'at most progress.settled')
  if (progress.sealed > progress.final) return invalidInput('progress.sealed', 'at most progress.final')
  return (
    checkSet('withheld', progress.withheld, 0, progress.settled) ??
    checkSet('ahead', progress.ahead, progress.settled, Infinity) ??
    checkSet('closed', progress.closed, 0, endOf(progress)) ??
    checkSet('redacted', progress.redacted, 0, endOf(progress)) ??
    checkWritten(progress)
  )
}

const checkWritten = (progress: Progress): InvalidInput | undefined => {
  const { settled, withheld, ahead, closed, written } = progress
  const entries = settled - withheld.length + ahead.length + closed.length
  return written === entries
    ? undefined
    : invalidInput('progress.written', `${entries}: settled − withheld + ahead + closed`)
}

/** One more than the highest position that can be in the store. */
const endOf = (progress: Progress): number =>
  progress.ahead.length === 0
    ? progress.settled
    : Math.max(progress.settled, (progress.ahead[progress.ahead.length - 1] as number) + 1)

/** One more than the highest position that a progress of the right form speaks of. */
export const reachOf = (progress: Progress): number => Math.max(progress.final, endOf(progress))

/** More positions than any turn has; a progress that speaks of more is malformed. */
const MOST_POSITIONS = 2 ** 30

/**
 * Opens a progress of the right form for a turn of up to `capacity` positions.
 *
 * Errors: `invalid-input` with the field's path. Complexity: linear in the settled positions.
 */
export const loadSaved = (progress: Progress, capacity: number): Either<InvalidInput, Saved> => {
  const reach = reachOf(progress)
  if (reach > MOST_POSITIONS) return left(invalidInput('progress.settled', `at most ${MOST_POSITIONS}`))
  const stored = new Uint8Array(Math.max(capacity, reach))
  const misplaced = reach === 0 ? undefined : fillStored(progress, stored)
  if (misplaced !== undefined) return left(misplaced)
  const { settled, withheld, ahead, closed, redacted } = progress
  let top = ahead.length > 0 ? (ahead[ahead.length - 1] as number) + 1 : settled
  while (top > 0 && !isKept(stored[top - 1] as number)) top -= 1
  return right({
    progress,
    settled,
    final: progress.final,
    sealed: progress.sealed,
    written: progress.written,
    stored,
    sets: {
      withheld: ownSet(withheld),
      ahead: ownSet(ahead),
      closed: ownSet(closed),
      redacted: ownSet(redacted)
    },
    digest:
      (sumSet('withheld', withheld) +
        sumSet('ahead', ahead) +
        sumSet('closed', closed) +
        sumSet('redacted', redacted)) |
      0,
    closings: closed.length,
    top
  })
}

/** Sets the bits that a progress tells of; an error names a set whose positions are not in the store. */
const fillStored = (progress: Progress, stored: Uint8Array): InvalidInput | undefined => {
  stored.fill(Stored.item, 0, progress.settled)
  for (const position of progress.withheld) stored[position] = 0
  for (const position of progress.ahead) stored[position] = Stored.item
  for (const position of progress.closed) {
    if (stored[position] === 0) return invalidInput('progress.closed', 'positions that are in the store')
    stored[position] = (stored[position] as number) | Stored.closing
  }
  for (const position of progress.redacted) {
    if (!isKept(stored[position] as number))
      return invalidInput('progress.redacted', 'positions that are in the store')
    stored[position] = (stored[position] as number) | Stored.redacted
  }
  return undefined
}

const sumSet = (name: SetName, positions: ReadonlyArray<number>): number => {
  let sum = 0
  for (const position of positions) sum = (sum + digestMember(position, TAGS[name])) | 0
  return sum
}

/** A set with a buffer of its own, which may be pushed to. */
const ownSet = (positions: ReadonlyArray<number>): PositionSet => ({
  buffer: positions.slice(),
  length: positions.length
})

/** How many positions of a set are below `base`. Complexity: logarithmic. */
export const countBelow = (set: PositionSet, base: number): number => {
  let low = 0
  let high = set.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((set.buffer[middle] as number) < base) low = middle + 1
    else high = middle
  }
  return low
}

/** Whether a position with these bits is in a set. */
const isMember = (name: SetName, position: number, bits: number, settled: number): boolean => {
  switch (name) {
    case 'withheld':
      return position < settled && !isKept(bits)
    case 'ahead':
      return position >= settled && isKept(bits)
    case 'closed':
      return (bits & Stored.closing) !== 0
    case 'redacted':
      return (bits & Stored.redacted) !== 0
  }
}

/** The members of all sets among some positions. */
export type Members = Readonly<Record<SetName, ReadonlyArray<number>>>

/** The members of every set from `base` on, given the bits there. Complexity: linear in the bits. */
export const membersFrom = (base: number, bits: Uint8Array, settled: number): Members => {
  const withheld: number[] = []
  const ahead: number[] = []
  const closed: number[] = []
  const redacted: number[] = []
  for (let index = 0; index < bits.length; index += 1) {
    const position = base + index
    const bit = bits[index] as number
    if (!isKept(bit)) {
      if (position < settled) withheld.push(position)
    } else if (position >= settled) ahead.push(position)
    if ((bit & Stored.closing) !== 0) closed.push(position)
    if ((bit & Stored.redacted) !== 0) redacted.push(position)
  }
  return { withheld, ahead, closed, redacted }
}

/** Which bits a save has changed. */
export interface Change {
  readonly base: number
  readonly bits: Uint8Array
  readonly settled: number
}

/** A set after a save: `members` are those among the bits that it changed, and the ones outside of them stay. */
export const listSet = (
  name: SetName,
  sets: Saved['sets'],
  members: Members,
  change: Change
): ReadonlyArray<number> => {
  const { base, bits } = change
  const before = sets[name]
  if (before.length === 0) return members[name]
  const list = before.buffer.slice(0, countBelow(before, base))
  for (const position of members[name]) list.push(position)
  for (let index = countBelow(before, base + bits.length); index < before.length; index += 1)
    list.push(before.buffer[index] as number)
  return list
}

/**
 * A set after a save that changed the bits from `base` on. Members that only come at the end are pushed into the
 * shared buffer, which earlier sets see only up to their own length; anything else is copied.
 */
export const applySet = (name: SetName, sets: Saved['sets'], change: Change): PositionSet => {
  const { base, bits, settled } = change
  const before = sets[name]
  if (countBelow(before, base + bits.length) < before.length)
    return ownSet(listSet(name, sets, membersFrom(base, bits, settled), change))
  let buffer = before.buffer
  let length = countBelow(before, base)
  for (let index = 0; index < bits.length; index += 1) {
    const position = base + index
    if (!isMember(name, position, bits[index] as number, settled)) continue
    if (buffer[length] !== position) {
      if (length < buffer.length) buffer = buffer.slice(0, length)
      buffer.push(position)
    }
    length += 1
  }
  return { buffer, length }
}
