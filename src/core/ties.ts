/**
 * What ties reasoning to its place in a stored history.
 *
 * Law: only this file decides which reasoning hangs loose, which item lacks its own, and which signature no longer
 * holds. A history has no responses to go by but what stands in it, so reasoning looks for its owner up to the next
 * user input. It changes nothing. Each item is read a bounded number of times.
 *
 * Rules: AUDIT-22 to AUDIT-33.
 */
import type { Item, ItemFields } from './item.js'
import { type History, isModel } from './history.js'
import { Flag, Role } from './roles.js'
import { NONE } from './structure.js'

/** Reasoning with nothing between it but what it steps over, and all that it may belong to, nearest first. */
export interface Run {
  readonly members: ReadonlyArray<number>
  readonly owners: ReadonlyArray<number>
}

/** A finding of this file, in indices of the history. `because` is −1 where no other item is to blame. */
export interface Tie {
  readonly index: number
  readonly because: number
}

/** A signature that does not hold. */
export interface Seal extends Tie {
  readonly rule: 'signature-missing' | 'signature-stale' | 'signature-incomplete'
  readonly severity: 'error' | 'warning'
}

/** Model items of one response that do not stand in the order in which it emitted them. */
export interface Disorder {
  /** Where they stand, ascending. */
  readonly places: ReadonlyArray<number>
  /** The same indices in the order of their `sequence`. */
  readonly emitted: ReadonlyArray<number>
}

/** Whether the runner's output ends the model's message, and with it the search for an owner. */
const outputEndsMessage = (history: History): boolean =>
  history.profile.adjacency === 'message' || history.profile.adjacency === 'response'

/** Every run of reasoning, in order. Complexity: linear. */
export const findRuns = (history: History): ReadonlyArray<Run> => {
  const { structure, items } = history
  const found: Run[] = []
  let members: number[] = []
  let owners: number[] = []
  const finish = (): void => {
    if (members.length > 0) found.push({ members, owners })
    members = []
    owners = []
  }
  const outputEnds = outputEndsMessage(history)
  for (let index = 0; index < items.length; index += 1) {
    const role = structure.roles[index] as number
    if (role === Role.reasoning) {
      if (owners.length > 0) finish()
      members.push(index)
    } else if (((structure.flags[index] as number) & Flag.owns) !== 0) {
      if (members.length > 0) owners.push(index)
    } else if (role === Role.user || (outputEnds && role === Role.output && !isModel(items[index] as Item)))
      finish()
  }
  finish()
  return found
}

/** Whether the ids of a run's member and of its owner disagree: one is told by its id, the other is not. */
const isUntied = (
  history: History,
  member: ItemFields,
  owner: number,
  stripped: ReadonlySet<number>
): boolean =>
  history.profile.partners === 'by-id' &&
  member.id !== undefined &&
  (stripped.has(owner) || (history.items[owner] as Item).id === undefined)

const none: ReadonlySet<number> = new Set()

/** Reasoning that hangs loose, ascending. Complexity: linear. Rules: AUDIT-24 to AUDIT-26. */
export const findDangling = (
  history: History,
  runs: ReadonlyArray<Run>,
  stripped: ReadonlySet<number> = none
): ReadonlyArray<Tie> => {
  const { profile, items } = history
  const found: Tie[] = []
  for (const run of runs) {
    const owner = run.owners[0]
    for (const index of run.members) {
      if (profile.reasoning === 'refused') found.push({ index, because: NONE })
      else if (profile.association === 'self') continue
      else if (owner === undefined) found.push({ index, because: NONE })
      else if (isUntied(history, items[index] as Item, owner, stripped)) found.push({ index, because: owner })
    }
  }
  return found
}

/** Items that lack the reasoning they need, ascending. Complexity: linear. Rules: AUDIT-22, AUDIT-23. */
export const findUnreasoned = (history: History): ReadonlyArray<Tie> => {
  const { structure, items, profile } = history
  const found: Tie[] = []
  const places = new Map<string, number>()
  /** The last model item that counts, and the start of its segment; −1 behind a border. */
  let before = NONE
  let segment = NONE
  for (let index = 0; index < items.length; index += 1) {
    const role = structure.roles[index] as number
    const owns = ((structure.flags[index] as number) & Flag.owns) !== 0
    if (role === Role.user) {
      before = NONE
      segment = NONE
    } else if (role === Role.output && !isModel(items[index] as Item)) segment = NONE
    else if (role === Role.reasoning) {
      const id = (items[index] as Item).id
      if (id !== undefined) places.set(id, index)
      if (segment === NONE || structure.roles[before] !== Role.reasoning) segment = index
      before = index
    } else if (owns) {
      const item: ItemFields = items[index] as Item
      const needed = item.requiresReasoning
      if (needed !== undefined && item.id !== undefined) {
        const place = places.get(needed)
        const holds =
          place !== undefined &&
          (profile.association === 'segment' ? segment !== NONE && place >= segment : place === before)
        if (!holds) found.push({ index, because: place ?? NONE })
      }
      before = index
    }
  }
  if (profile.reasoning === 'with-calls') addCallsWithoutReasoning(history, found)
  if (profile.reasoning === 'first-in-last-turn') addUnreasonedEnd(history, found)
  return found
}

/** Each message of the model that calls must hold reasoning before its first call. */
const addCallsWithoutReasoning = (history: History, found: Tie[]): void => {
  const { structure, items } = history
  let reasoned = false
  for (let index = 0; index < items.length; index += 1) {
    const role = structure.roles[index] as number
    if (role === Role.reasoning) reasoned = true
    else if (role === Role.user || (role === Role.output && !isModel(items[index] as Item))) reasoned = false
    else if (role === Role.call && !reasoned) {
      found.push({ index, because: NONE })
      reasoned = true
    }
  }
}

/** The model's last message, if no user input follows it, must begin with reasoning. */
const addUnreasonedEnd = (history: History, found: Tie[]): void => {
  const { structure, items } = history
  let first = NONE
  for (let index = items.length - 1; index >= 0; index -= 1) {
    const role = structure.roles[index] as number
    if (role === Role.user) break
    if (role === Role.output && !isModel(items[index] as Item)) {
      if (first !== NONE) break
    } else if (role === Role.reasoning || ((structure.flags[index] as number) & Flag.owns) !== 0)
      first = index
  }
  if (first !== NONE && structure.roles[first] !== Role.reasoning) found.push({ index: first, because: NONE })
}

/**
 * Responses whose emission order is known and broken. Complexity: linear, plus the sorting of their items. Rules:
 * AUDIT-31, REPAIR-18.
 */
export const findDisorder = (history: History): ReadonlyArray<Disorder> => {
  const { structure, items } = history
  const found: Disorder[] = []
  let places: number[] = []
  let sequences: number[] = []
  let run: string | undefined
  const finish = (): void => {
    const order = places.map((_, place) => place)
    order.sort((left, right) => (sequences[left] as number) - (sequences[right] as number))
    let broken = false
    let distinct = true
    for (let place = 0; place < order.length; place += 1) {
      if (order[place] !== place) broken = true
      if (place > 0 && sequences[order[place] as number] === sequences[order[place - 1] as number])
        distinct = false
    }
    if (broken && distinct) found.push({ places, emitted: order.map((place) => places[place] as number) })
    places = []
    sequences = []
  }
  for (let index = 0; index < items.length; index += 1) {
    const role = structure.roles[index] as number
    if (role <= Role.pending) continue
    const item: ItemFields = items[index] as Item
    const sequence = item.sequence
    if (sequence === undefined || !isModel(item)) finish()
    else {
      if (item.run !== run) finish()
      run = item.run
      places.push(index)
      sequences.push(sequence)
    }
  }
  finish()
  return found
}

/** Whether the provider takes a reasoning item for signed. */
export const isSigned = (item: ItemFields): boolean =>
  item.kind === 'reasoning' && item.signature !== 'none' && item.signature !== 'missing'

/** Signatures that do not hold, ascending. Complexity: linear. Rules: AUDIT-27 to AUDIT-33. */
export const findBrokenSeals = (history: History): ReadonlyArray<Seal> => {
  const scope = history.profile.signatureScope
  if (scope === 'none') return []
  if (scope === 'step') return findBrokenSteps(history)
  const displaced = scope === 'next' ? none : findDisplaced(history)
  const { items, structure } = history
  const found: Seal[] = []
  let stale = NONE
  for (let index = 0; index < items.length; index += 1) {
    const item: ItemFields = items[index] as Item
    if (structure.roles[index] !== Role.reasoning) continue
    const rule = sealRule(item, displaced.has(index))
    if (rule !== undefined) found.push({ index, rule, severity: 'error', because: NONE })
    else if (stale !== NONE && isSigned(item))
      found.push({ index, rule: 'signature-stale', severity: 'error', because: stale })
    if (rule === 'signature-stale' && scope === 'prefix' && stale === NONE) stale = index
  }
  return found
}

const sealRule = (item: ItemFields, displaced: boolean): Seal['rule'] | undefined => {
  if (item.signature === 'missing') return 'signature-missing'
  if (item.signature === 'partial' || item.partial === true) return 'signature-incomplete'
  return displaced || item.signature === 'stale' ? 'signature-stale' : undefined
}

/** Reasoning that no longer stands behind the item that it was emitted behind. */
const findDisplaced = (history: History): ReadonlySet<number> => {
  const displaced = new Set<number>()
  for (const { places, emitted } of findDisorder(history)) {
    const before = new Map<number, number>()
    for (let place = 0; place < emitted.length; place += 1)
      before.set(emitted[place] as number, place === 0 ? NONE : (emitted[place - 1] as number))
    for (let place = 0; place < places.length; place += 1) {
      const index = places[place] as number
      const stands = place === 0 ? NONE : (places[place - 1] as number)
      if (history.structure.roles[index] === Role.reasoning && before.get(index) !== stands)
        displaced.add(index)
    }
  }
  return displaced
}

/** The first call of each step since the last user input must be signed; other lost signatures are only told. */
const findBrokenSteps = (history: History): ReadonlyArray<Seal> => {
  const { items, structure } = history
  const found: Seal[] = []
  let firstOfStep = true
  for (let index = 0; index < items.length; index += 1) {
    const role = structure.roles[index] as number
    const item: ItemFields = items[index] as Item
    const signature = item.signature
    if (signature === 'stale')
      found.push({ index, rule: 'signature-stale', severity: 'error', because: NONE })
    if (signature === 'partial')
      found.push({ index, rule: 'signature-incomplete', severity: 'error', because: NONE })
    if (role === Role.output && !isModel(item)) firstOfStep = true
    else if (role === Role.call) {
      if (firstOfStep && index > structure.lastUser && (signature === 'missing' || signature === 'none'))
        found.push({ index, rule: 'signature-missing', severity: 'error', because: NONE })
      firstOfStep = false
    } else if (signature === 'missing')
      found.push({ index, rule: 'signature-missing', severity: 'warning', because: NONE })
  }
  return found
}
