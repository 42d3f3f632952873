/**
 * How a turn, a policy and a plan are recognised again.
 *
 * Law: only this file computes digests. They tell same from different and mean nothing else; another
 * implementation may compute others. Every function is pure and reads the fields of at most one item.
 *
 * Rules: PROGRESS-6, PROGRESS-8.
 */
import { type Item, type ItemFields, NO_ITEM } from './item.js'
import type { Policy } from './policy.js'
import type { Progress } from './progress.js'

const mixText = (seed: number, text: string): number => {
  let hash = seed
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return Math.imul(hash ^ text.length, 0x85ebca6b)
}

const mix = (hash: number, value: number): number => {
  const mixed = Math.imul(hash ^ value, 0xcc9e2d51)
  return (mixed << 13) | (mixed >>> 19)
}

const originCode = (item: ItemFields): number => {
  const origin = item.origin
  if (origin !== undefined) return origin === 'model' ? 1 : origin === 'runner' ? 2 : 3
  return item.kind === 'output' || item.kind === 'approval' || item.kind === 'marker' ? 2 : 1
}

/** A 32-bit digest of kind, origin, id, callId and namespace of one item. Complexity: linear in their lengths. */
export const digestItem = (item: Item): number => {
  const fields: ItemFields = item ?? NO_ITEM
  const { kind, id, callId, namespace } = fields
  let hash = originCode(fields)
  if (typeof kind === 'string') hash |= (kind.charCodeAt(0) << 8) | (kind.length << 2)
  if (typeof id === 'string') hash = mixText(hash ^ 0x51ed270b, id)
  if (typeof callId === 'string') hash = mixText(hash ^ 0x2f0b4c47, callId)
  if (typeof namespace === 'string') hash = mixText(hash ^ 0x6c8e9cf5, namespace)
  return hash
}

/** A number that differs between any two policies. */
export const policyCode = (policy: Policy): number =>
  (policy.association === 'next' ? 0 : 1) |
  (policy.trailingReasoning === 'drop' ? 0 : 2) |
  (policy.committed === 'answered' ? 0 : 4) |
  (policy.unansweredCalls === 'close' ? 0 : policy.unansweredCalls === 'drop' ? 8 : 16) |
  (policy.rejectedOutput === 'redact' ? 0 : 32) |
  (policy.partialItems === 'drop' ? 0 : 64) |
  (policy.brokenContext === 'strip-id' ? 0 : 128) |
  (policy.unclassified === 'withhold' ? 0 : 256) |
  (policy.unjudged === 'keep' ? 0 : 512) |
  (policy.speculative === 'committed' ? 0 : 1024)

/** Two hexadecimal digits for every byte: looking them up costs a tenth of `toString(16)`. */
const DIGITS: ReadonlyArray<string> = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, '0')
)

const hexadecimal = (word: number): string =>
  `${DIGITS[word >>> 24]}${DIGITS[(word >>> 16) & 255]}${DIGITS[(word >>> 8) & 255]}${DIGITS[word & 255]}`

/** Last positions that an edge covers without a gap. */
const EDGE_WINDOW = 64

/**
 * The edge of what is saved below `end`: the first position, those at powers of two, and the last 64, of those that
 * `holds` says are settled or ahead.
 *
 * Complexity: at most 64 plus the logarithm of `end` positions. Rules: PROGRESS-6.
 */
export const digestEdge = (
  end: number,
  holds: (position: number) => boolean,
  digestAt: (position: number) => number,
  policy: number
): string => {
  if (end === 0) return ''
  let first = mix(0x9747b28c, policy)
  let second = mix(0x3c6ef372, policy)
  const window = Math.max(0, end - EDGE_WINDOW)
  for (
    let position = 0;
    position < end;
    position = position < window ? Math.min(window, position * 2 || 1) : position + 1
  ) {
    if (!holds(position)) continue
    const digest = digestAt(position)
    first = mix(first, digest)
    second = mix(second ^ position, digest)
  }
  return hexadecimal(first) + hexadecimal(second)
}

/** The share of one position in the digest of the position sets; the sum does not depend on an order. */
export const digestMember = (position: number, tag: number): number => {
  let hash = Math.imul(position * 8 + tag + 1, 0x9e3779b1)
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca77)
  return hash ^ (hash >>> 13)
}

/**
 * The id of a write: equal for the same plan made again, different otherwise.
 *
 * `after` is the progress after it, `sets` the sum of `digestMember` over the position sets before it, `replaced` the
 * number of entries that it takes away, `written` that of those that it writes, and `stretches` which these are, as
 * numbers. Complexity: linear in the stretches.
 * Rules: PROGRESS-8.
 */
export const digestOperation = (
  after: Progress,
  sets: number,
  replaced: number,
  written: number,
  stretches: ReadonlyArray<number>
): string => {
  let first = mixText(0x1b873593, after.edge)
  let second = mixText(0x38b34ae5, after.turn)
  first = mix(mix(mix(first, after.revision), after.settled), after.final)
  second = mix(second, first)
  first = mix(mix(mix(mix(mix(first, after.sealed), after.written), sets), replaced), written)
  second = mix(second, first)
  for (let index = 0; index < stretches.length; index += 1) {
    first = mix(first, stretches[index] as number)
    second = mix(second, first)
  }
  return `${after.turn}:${after.revision}:${hexadecimal(first)}${hexadecimal(second)}`
}
