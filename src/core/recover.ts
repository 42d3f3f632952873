/**
 * Progress for a turn whose store kept none.
 *
 * Law: only this file reads a progress out of something else: a count of written items, or the items themselves.
 * Both can lie, so both are refused where more than one reading is possible. Complexity: linear.
 *
 * Rules: PROGRESS-3, PROGRESS-10, PROGRESS-11.
 */
import { type Either, left, right } from 'fp-ts/lib/Either.js'
import { digestEdge, digestItem, policyCode } from './digest.js'
import { type InvalidInput, invalidInput, type Untrusted } from './error.js'
import type { Item, ItemFields } from './item.js'
import { extendStructure, startStructure } from './pair.js'
import { defaultPolicy, type Policy } from './policy.js'
import { type Progress, startProgress } from './progress.js'
import { checkPolicy } from './question.js'
import { Role } from './roles.js'
import { NONE } from './structure.js'

/** What `progressFromCount` is asked. */
export interface CountQuestion {
  readonly turn: string
  readonly items: ReadonlyArray<Item>
  /** How many items of this turn the host has written. */
  readonly count: number
  /** The policy that the turn will be planned with. Default: `defaultPolicy`. */
  readonly policy?: Policy
}

const untrusted = (path: string, message: string): Untrusted => ({ kind: 'untrusted', path, message })

const keyOf = (item: ItemFields): string =>
  `${item.kind} ${item.namespace === undefined ? '' : `${item.namespace.length}:${item.namespace}`} ${item.callId ?? ''}`

/** The progress of a turn of which the positions below `settled`, less `withheld`, are in the store. */
const progressOf = (
  turn: string,
  items: ReadonlyArray<Item>,
  policy: Policy,
  settled: number,
  withheld: ReadonlyArray<number>,
  closed: ReadonlyArray<number>
): Progress => ({
  ...startProgress(turn),
  settled,
  withheld,
  closed,
  written: settled - withheld.length + closed.length,
  edge: digestEdge(
    settled,
    () => true,
    (position) => digestItem(items[position] as Item),
    policyCode(policy)
  )
})

/**
 * The progress of a host that only counted what it wrote.
 *
 * A count says how many items were written, not which. It is trusted only when the first `count` positions are all
 * items that any save writes one for one: no marker, nothing partial, nothing unclassified, no id twice.
 * Errors: `invalid-input` for a count that is no count or is greater than the turn, `untrusted` otherwise.
 * Complexity: linear in `count`. Rules: PROGRESS-10.
 *
 * @example
 * const counted = progressFromCount({ turn: 'run-7/3', items: [{ kind: 'message', origin: 'user' }], count: 1 })
 * orThrow(counted).settled // => 1
 */
export const progressFromCount = (question: CountQuestion): Either<InvalidInput | Untrusted, Progress> => {
  const { turn, items, count, policy = defaultPolicy } = question
  if (typeof turn !== 'string') return left(invalidInput('turn', 'a string'))
  if (!Array.isArray(items)) return left(invalidInput('items', 'a list of items'))
  const policyError = checkPolicy(policy)
  if (policyError !== undefined) return left(policyError)
  if (!Number.isInteger(count) || count < 0 || count > items.length) {
    return left(invalidInput('count', `a whole number from 0 to ${items.length}`))
  }
  const structure = startStructure([], count)
  extendStructure(structure, items.slice(0, count))
  const ids = new Set<string>()
  const keys = new Set<string>()
  for (let position = 0; position < count; position += 1) {
    const item: ItemFields = items[position] as Item
    const role = structure.roles[position] as number
    const path = `items[${position}]`
    if (item.partial === true || role === Role.marker || role === Role.pending) {
      return left(
        untrusted(path, `${path} is a marker or partial: a save skips it, so the count is no position`)
      )
    }
    if (role === Role.unclassified) {
      return left(
        untrusted(path, `${path} is unclassified: a save may have skipped it, so the count is no position`)
      )
    }
    const key = item.callId === undefined ? undefined : keyOf(item)
    if ((item.id !== undefined && ids.has(item.id)) || (key !== undefined && keys.has(key))) {
      return left(
        untrusted(path, `${path} repeats an id: a save may have merged the two, so the count is no position`)
      )
    }
    if (item.id !== undefined) ids.add(item.id)
    if (key !== undefined) keys.add(key)
  }
  return right(progressOf(turn, items, policy, count, [], []))
}

/** What `recoverProgress` is asked. */
export interface RecoverQuestion {
  readonly turn: string
  /** The whole turn. */
  readonly items: ReadonlyArray<Item>
  /** The session as it is, oldest first, in the same words. */
  readonly history: ReadonlyArray<Item>
  readonly policy?: Policy
  /**
   * Whether the history's item at the first index is the turn's item at the second: for hosts that can compare raw
   * values. By default kind, origin, callId, namespace and id are compared, and an item without any id is refused.
   */
  readonly same?: (historyIndex: number, position: number) => boolean
}

const originOf = (item: ItemFields): string =>
  item.origin ??
  (item.kind === 'output' || item.kind === 'approval' || item.kind === 'marker' ? 'runner' : 'model')

const isAnonymous = (item: ItemFields): boolean => item.id === undefined && item.callId === undefined

/** Equal as far as a stored item can show: it may have been written without its id. */
const looksSame = (stored: ItemFields, item: ItemFields): boolean =>
  stored.kind === item.kind &&
  originOf(stored) === originOf(item) &&
  stored.callId === item.callId &&
  stored.namespace === item.namespace &&
  (stored.id === undefined || stored.id === item.id)

/** One reading of a history's tail: which position each entry is, or the call that it closes. */
interface Reading {
  readonly positions: number[]
  readonly closed: Set<number>
}

/**
 * The progress of a turn, read from the tail of a plain history.
 *
 * Redactions cannot be seen: an output that was redacted is taken for a stored one. Errors: `invalid-input` for
 * fields that are no lists, `untrusted` where the tail can be read in two ways. Complexity: linear in both lists.
 * Rules: PROGRESS-11.
 *
 * @example
 * const recovered = recoverProgress({
 *   turn: 'run-7/3',
 *   items: [{ kind: 'call', callId: 'a' }, { kind: 'output', callId: 'a' }],
 *   history: [{ kind: 'message', id: 'earlier' }, { kind: 'call', callId: 'a' }]
 * })
 * orThrow(recovered).settled // => 1
 */
export const recoverProgress = (question: RecoverQuestion): Either<InvalidInput | Untrusted, Progress> => {
  const { turn, items, history, policy = defaultPolicy } = question
  if (typeof turn !== 'string') return left(invalidInput('turn', 'a string'))
  if (!Array.isArray(items)) return left(invalidInput('items', 'a list of items'))
  if (!Array.isArray(history)) return left(invalidInput('history', 'a list of items'))
  const policyError = checkPolicy(policy)
  if (policyError !== undefined) return left(policyError)
  const calls = new Map<string, number>()
  const outputs = new Set<string>()
  for (let position = 0; position < items.length; position += 1) {
    const item: ItemFields = items[position] as Item
    if (item.kind === 'call') calls.set(keyOf(item), position)
    if (item.kind === 'output') outputs.add(keyOf(item))
  }
  const same =
    question.same ?? ((index, position) => looksSame(history[index] as Item, items[position] as Item))
  const closes = (index: number): number => {
    const entry: ItemFields = history[index] as Item
    if (entry.kind !== 'output' || outputs.has(keyOf(entry))) return NONE
    return calls.get(keyOf({ ...entry, kind: 'call' })) ?? NONE
  }
  const last = readBackwards(items.length, history.length, same, closes)
  const start = history.length - last.positions.length - last.closed.size
  const first = readForwards(start, items.length, history.length, same, closes)
  for (let index = 0; index < last.positions.length; index += 1) {
    const position = last.positions[index] as number
    const anonymous = question.same === undefined && isAnonymous(items[position] as Item)
    if (anonymous || first[index] !== position) {
      const path = `items[${position}]`
      return left(
        untrusted(
          path,
          `${path} can be matched with the history in more than one way; compare raw items with \`same\``
        )
      )
    }
  }
  const settled = (last.positions[last.positions.length - 1] ?? NONE) + 1
  const withheld: number[] = []
  let stored = 0
  const closed: number[] = []
  for (let position = 0; position < settled; position += 1) {
    if (last.positions[stored] !== position) withheld.push(position)
    else {
      stored += 1
      if (last.closed.has(position)) closed.push(position)
    }
  }
  if (closed.length < last.closed.size) {
    return left(
      untrusted('history', 'history holds an output for a call of the turn, and not the call in front of it')
    )
  }
  return right(progressOf(turn, items, policy, settled, withheld, closed))
}

/** The longest tail of the history that is part of the turn, each entry matched as late as possible. */
const readBackwards = (
  length: number,
  historyLength: number,
  same: (index: number, position: number) => boolean,
  closes: (index: number) => number
): Reading => {
  const positions: number[] = []
  const closed = new Set<number>()
  // Outputs in front of everything that matches are of an earlier turn, whose calls had the same ids.
  const leading: number[] = []
  let position = length - 1
  for (let index = historyLength - 1; index >= 0; index -= 1) {
    const call = closes(index)
    if (call !== NONE && !closed.has(call)) {
      closed.add(call)
      leading.push(call)
      continue
    }
    let candidate = position
    while (candidate >= 0 && !same(index, candidate)) candidate -= 1
    if (candidate < 0) break
    positions.push(candidate)
    leading.length = 0
    position = candidate - 1
  }
  for (const call of leading) closed.delete(call)
  return { positions: positions.reverse(), closed }
}

/** The same tail, each entry matched as early as possible. */
const readForwards = (
  start: number,
  length: number,
  historyLength: number,
  same: (index: number, position: number) => boolean,
  closes: (index: number) => number
): ReadonlyArray<number> => {
  const positions: number[] = []
  let position = 0
  for (let index = start; index < historyLength; index += 1) {
    if (closes(index) !== NONE) continue
    while (position < length && !same(index, position)) position += 1
    positions.push(position)
    position += 1
  }
  return positions
}
