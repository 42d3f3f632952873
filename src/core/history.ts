/**
 * What a stored history says about its calls, before a place or a signature is looked at.
 *
 * Law: only this file decides what is a copy, which outputs are one too many, and which calls are owed an answer. It
 * pairs with `pair.ts` over everything that is no copy; in a history a partial call or output counts as whole,
 * because it is there. It changes nothing. Each item is read a bounded number of times.
 *
 * Rules: AUDIT-4 to AUDIT-16.
 */
import type { Item, ItemFields, OpenCall } from './item.js'
import { type CallQueue, NONE, type Numbers, type Structure } from './structure.js'
import { extendStructure, startStructure } from './pair.js'
import { Flag, Odd, Role } from './roles.js'
import type { Profile } from './profile.js'

/** A history without its copies. Everything else here counts in indices into `items`; `at` leads back. */
export interface History {
  readonly profile: Profile
  readonly items: ReadonlyArray<Item>
  /** Position of each of `items` in the history that was given, 0-based. */
  readonly at: ReadonlyArray<number>
  readonly structure: Structure
  /** The links of the structure, in which a real output takes the place of a closing once strays are found. */
  readonly links: Numbers
  /** Calls and outputs of `items` that were cut off while streaming, though they count as whole. */
  readonly cutOff: ReadonlySet<number>
  /** By position, ascending. */
  readonly repeats: ReadonlyArray<Repeat>
}

/** An item of the given history with the id of an earlier one. */
export interface Repeat {
  readonly position: number
  readonly first: number
  /** It is the earlier one's copy, and set aside; otherwise it only borrowed the id (AUDIT-5). */
  readonly copy: boolean
}

/** An output too many, or one without a call. */
export interface Stray {
  readonly output: number
  /** What has the place that it wanted, or −1 when there is no call at all. */
  readonly because: number
}

/** A key of namespace and call id that no two pairs share. */
export const keyOf = (item: ItemFields | OpenCall): string =>
  `${item.namespace === undefined ? '' : `${item.namespace.length}:${item.namespace}`}|${item.callId ?? ''}`

/** Whether an item comes from the model (ITEM-2). */
export const isModel = (item: ItemFields): boolean => {
  const origin = item.origin
  if (origin !== undefined) return origin === 'model'
  return item.kind !== 'output' && item.kind !== 'approval'
}

const wholeItem = (item: Item): Item => {
  if (item.partial !== true || (item.kind !== 'call' && item.kind !== 'output')) return item
  const { partial: _partial, ...whole } = item
  return whole
}

const isMarker = (item: ItemFields): boolean =>
  item.kind === 'marker' || (item.kind === 'output' && item.execution === 'pending')

/** The id under which an item is known; a request for approval and its answer may share theirs. */
const identityOf = (item: ItemFields): string | undefined => {
  if (item.kind !== 'approval' || item.id === undefined) return item.id
  return `${isModel(item) ? 'request' : 'answer'} ${item.id}`
}

/** What tells a copy of an item from another one with its id. */
interface Original {
  readonly kind: string
  readonly key: string
  readonly message: number | undefined
}

const originalOf = (item: ItemFields): Original => ({
  kind: item.kind,
  key: keyOf(item),
  message: item.source?.message
})

/** Parts of one message may carry the id of the item that they are parts of. */
const arePartsOfOne = (left: Original, right: Original): boolean =>
  left.kind === right.kind && left.message !== undefined && left.message === right.message

/** Reads a stored history: sets copies aside and pairs the rest. Complexity: linear. Rules: AUDIT-4 to AUDIT-6. */
export const readHistory = (
  given: ReadonlyArray<Item>,
  profile: Profile,
  open: ReadonlyArray<OpenCall>
): History => {
  const items: Item[] = []
  const at: number[] = []
  const repeats: Repeat[] = []
  const cutOff = new Set<number>()
  const firstOf = new Map<string, number>()
  const originals = new Map<number, Original>()
  for (let position = 0; position < given.length; position += 1) {
    const item = given[position] as Item
    const id = isMarker(item) ? undefined : identityOf(item)
    const first = id === undefined ? undefined : firstOf.get(id)
    if (first !== undefined) {
      const original = originals.get(first) ?? originalOf(given[first] as Item)
      originals.set(first, original)
      const another = originalOf(item)
      const copy = original.kind === another.kind && original.key === another.key
      if (!arePartsOfOne(original, another)) {
        repeats.push({ position, first, copy })
        if (copy) continue
      }
    } else if (id !== undefined) firstOf.set(id, position)
    const whole = wholeItem(item)
    if (whole !== item) cutOff.add(items.length)
    items.push(whole)
    at.push(position)
  }
  const structure = startStructure(open, items.length)
  extendStructure(structure, items)
  return { profile, items, at, structure, links: structure.links.slice(), cutOff, repeats }
}

/** An output that only says that there was none: it gives way to a real one. */
const isStandIn = (item: ItemFields): boolean =>
  item.execution === 'interrupted' || item.execution === 'skipped'

/**
 * Outputs that must go: a further one for an answered call, or one without a call. Where a real output follows a
 * closing, the closing is the one too many, and the links of the history are mutated to say so.
 *
 * Complexity: linear. Rules: AUDIT-7 to AUDIT-9.
 */
export const findStrays = (history: History): ReadonlyArray<Stray> => {
  const { structure, links, profile, items } = history
  const strays: Stray[] = []
  if (!structure.odd.some((odd) => odd % 4 === Odd.unpairedOutput)) return strays
  const { roles } = structure
  const lastCall = new Map<string, number>()
  for (let index = 0; index < items.length; index += 1) {
    const role = roles[index] as number
    if (role >= Role.call && role <= Role.selfContained) lastCall.set(keyOf(items[index] as Item), index)
    if (role !== Role.output || links[index] !== NONE) continue
    const output: ItemFields = items[index] as Item
    const call = output.callId === undefined ? undefined : lastCall.get(keyOf(output))
    if (call === undefined) {
      strays.push({ output: index, because: NONE })
      continue
    }
    const answer = roles[call] === Role.selfContained ? call : (links[call] as number)
    if (isStandIn(output)) strays.push({ output: index, because: answer })
    else if (isStandIn(items[answer] as Item) && roles[answer] === Role.output) {
      links[index] = call
      links[call] = index
      links[answer] = NONE
      strays.push({ output: answer, because: index })
    } else if (profile.maximumOutputs === 'many') links[index] = call
    else strays.push({ output: index, because: answer })
  }
  return strays
}

/**
 * Calls that should have an output and have none, ascending.
 *
 * At rest a call may stand open as long as it can still be answered; a call of `open` may always, and one whose
 * approval was answered where the profile excuses it. Complexity: linear. Rules: AUDIT-10 to AUDIT-13.
 */
export const findOwed = (history: History, atRest: boolean): ReadonlyArray<number> => {
  const { structure, links, items, profile } = history
  const { roles, flags, open } = structure
  const owed: number[] = []
  const openKeys = new Set<string>()
  for (const call of open) openKeys.add(keyOf(call))
  const excused = new Set<number>()
  if (profile.approvedCalls === 'excused') {
    for (const approval of history.structure.approvals) {
      if (!isModel(items[approval] as Item)) excused.add(links[approval] as number)
    }
  }
  for (let index = 0; index < items.length; index += 1) {
    if (roles[index] !== Role.call || links[index] !== NONE) continue
    if (((flags[index] as number) & Flag.superseded) === 0) {
      if (atRest || excused.has(index)) continue
      if (openKeys.size > 0 && openKeys.has(keyOf(items[index] as Item))) continue
    }
    owed.push(index)
  }
  return owed
}

/** Calls that were made while another one with their key waited, and that other: `[call, other]`, queue by queue (AUDIT-14). */
export const findSharedKeys = (history: History): ReadonlyArray<readonly [number, number]> => {
  const found: Array<readonly [number, number]> = []
  const seen = new Set<CallQueue>()
  for (const queue of history.structure.queues.values()) {
    if (seen.has(queue)) continue
    seen.add(queue)
    const { calls } = queue
    for (let place = 1; place < calls.length; place += 1) {
      found.push([calls[place] as number, calls[place - 1] as number])
    }
  }
  return found
}

/** Approvals that repeat one of the same phase for the same call: `[approval, first]`, ascending (AUDIT-15). */
export const findRepeatedApprovals = (history: History): ReadonlyArray<readonly [number, number]> => {
  const { links, items } = history
  const found: Array<readonly [number, number]> = []
  const first = new Map<string, number>()
  for (const approval of history.structure.approvals) {
    const item: ItemFields = items[approval] as Item
    const call = links[approval] as number
    if (item.callId === undefined) continue
    const subject = call === NONE ? keyOf(item) : `${call}`
    const key = `${isModel(item) ? 'request' : 'answer'} ${subject}`
    const earlier = first.get(key)
    if (earlier === undefined) first.set(key, approval)
    else found.push([approval, earlier])
  }
  return found
}

/** Calls whose parent is not there, ascending (AUDIT-16). */
export const findParentless = (history: History): ReadonlyArray<number> => {
  const { structure, items } = history
  const openIds = new Set<string>()
  for (const call of structure.open) openIds.add(call.callId)
  const found: number[] = []
  for (let index = 0; index < items.length; index += 1) {
    const role = structure.roles[index] as number
    if (role < Role.call || role > Role.selfContained) continue
    const parent = (items[index] as ItemFields).parent
    if (parent === undefined || structure.parents.has(index)) continue
    if (!openIds.has(parent)) found.push(index)
  }
  return found
}
