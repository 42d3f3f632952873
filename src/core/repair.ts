/**
 * The fewest edits after which a provider takes a stored history.
 *
 * Law: only this file edits. It drops, moves, closes and strips until the audit has nothing left that it can mend,
 * and says what remains. It never makes up a result, and what it does not touch stays the caller's own object. Each
 * stage is one pass over the history; the number of rounds is bounded.
 *
 * Rules: REPAIR-1 to REPAIR-27.
 */
import { type AuditQuestion, audit, findInterleaved, type Violation } from './audit.js'
import { type Causes, type Draft, listEdits, type RepairClosing, type RepairEdit } from './edits.js'
import { type Cause, decideFates } from './fates.js'
import { findRepeatedApprovals, type History, readHistory } from './history.js'
import type { Item, ItemFields, OpenCall } from './item.js'
import { Flag } from './roles.js'
import { NONE } from './structure.js'
import { placeItems } from './place.js'
import { type Profile, profileOf } from './profile.js'
import {
  findBrokenSeals,
  findDangling,
  findDisorder,
  findRuns,
  findUnreasoned,
  isSigned,
  type Run
} from './ties.js'

/** A repaired history. */
export interface RepairAnswer {
  /** In the order of the positions they concern. */
  readonly edits: ReadonlyArray<RepairEdit>
  /** The history after the edits; the very array that was given when there are none. */
  readonly items: ReadonlyArray<Item>
  /** Where each of `items` comes from: its position in the given history, or −1 less the position of a closed call. */
  readonly order: ReadonlyArray<number>
  /** Errors that no edit could mend, in positions of the given history. */
  readonly remaining: ReadonlyArray<Violation>
}

interface Work {
  readonly question: AuditQuestion
  readonly profile: Profile
  readonly open: ReadonlyArray<OpenCall>
  readonly atRest: boolean
  readonly causes: Causes
  latest: { readonly draft: Draft; readonly history: History } | undefined
}

/** Changes that one stage asks for, in indices of its draft. */
interface Changes {
  readonly gone: Map<number, Cause>
  readonly strip: Map<number, Cause>
}

const ROUNDS = 8

/**
 * Mends a stored history so that a provider takes it, with as few edits as it can.
 *
 * Repairing again changes nothing. Complexity: linear, apart from sorting positions; each item is read a bounded
 * number of times. Rules: REPAIR-1 to REPAIR-27.
 *
 * @example
 * repair({ items: [{ kind: 'output', callId: 'a' }] }).edits // => [{ drop: 0, why: 'orphan-output' }]
 */
export const repair = (question: AuditQuestion): RepairAnswer => {
  const identity = question.items.map((_, position) => position)
  if (errorsOf(question).length === 0)
    return { edits: [], items: question.items, order: identity, remaining: [] }
  const work: Work = {
    question,
    profile: profileOf(question.profile ?? 'neutral'),
    open: question.open ?? [],
    atRest: question.atRest === true,
    causes: { dropped: new Map(), stripped: new Map() },
    latest: undefined
  }
  let draft: Draft = { items: question.items, order: identity }
  let errors: ReadonlyArray<Violation> = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = draft
    draft = mend(work, draft)
    errors = errorsOf({ ...question, items: draft.items })
    if (draft === before || errors.length === 0) break
  }
  draft = nameClosings(work, draft)
  const remaining = errors.map((violation) => inGivenPositions(violation, draft))
  const edits = listEdits(draft, work.causes)
  const items = edits.length === 0 ? question.items : draft.items
  return { edits, items, order: draft.order, remaining }
}

/** One round: each stage sees what the one before it has left. */
const mend = (work: Work, given: Draft): Draft => {
  let draft = dropCopies(work, given)
  draft = partRuns(draft)
  draft = restoreEmission(work, draft)
  draft = answerCalls(work, draft)
  draft = tieReasoning(work, draft)
  return dropBehindChange(work, draft)
}

const errorsOf = (question: AuditQuestion): ReadonlyArray<Violation> =>
  audit(question).violations.filter((violation) => violation.severity === 'error')

/** A violation of the draft, where the caller can find it; a closing is found at its call. */
const inGivenPositions = (violation: Violation, draft: Draft): Violation => {
  const { because, ...rest } = violation
  const find = (index: number): number => {
    const position = draft.order[index] as number
    return position < 0 ? -1 - position : position
  }
  const position = find(violation.position)
  return because === undefined ? { ...rest, position } : { ...rest, position, because: find(because) }
}

/** Reads a draft, unless it is the one that was read last. */
const read = (work: Work, draft: Draft): History => {
  if (work.latest?.draft === draft) return work.latest.history
  const history = readHistory(draft.items, work.profile, work.open)
  work.latest = { draft, history }
  return history
}

const startChanges = (): Changes => ({ gone: new Map(), strip: new Map() })

/** Notes why an item of the given history changes; what was made here has no position there. */
const note = (causes: Map<number, Cause>, draft: Draft, index: number, cause: Cause): void => {
  const because = cause.because === NONE ? NONE : (draft.order[cause.because] as number)
  causes.set(draft.order[index] as number, { why: cause.why, because })
}

/** The draft without what is gone, and without the ids that are stripped; itself when nothing changes. */
const applyChanges = (work: Work, draft: Draft, changes: Changes): Draft => {
  if (changes.gone.size === 0 && changes.strip.size === 0) return draft
  const items: Item[] = []
  const order: number[] = []
  for (let index = 0; index < draft.items.length; index += 1) {
    const cause = changes.gone.get(index)
    if (cause !== undefined) {
      note(work.causes.dropped, draft, index, cause)
      continue
    }
    const item = draft.items[index] as Item
    const strip = changes.strip.get(index)
    if (strip !== undefined) note(work.causes.stripped, draft, index, strip)
    items.push(strip === undefined ? item : withoutId(item))
    order.push(draft.order[index] as number)
  }
  return { items, order }
}

const withoutId = (item: Item): Item => {
  const { id: _id, ...rest } = item
  return rest
}

/** The first of several copies stays; what only borrowed an id gives it back. */
const dropCopies = (work: Work, draft: Draft): Draft => {
  const history = read(work, draft)
  const changes = startChanges()
  for (const { position, first, copy } of history.repeats)
    (copy ? changes.gone : changes.strip).set(position, { why: 'duplicate-item', because: first })
  for (const [approval, first] of findRepeatedApprovals(history)) {
    const because = history.at[first] as number
    changes.gone.set(history.at[approval] as number, { why: 'duplicate-approval', because })
  }
  return applyChanges(work, draft, changes)
}

/** Runs that were written into each other are told apart; what has no run goes with its neighbour. */
const partRuns = (draft: Draft): Draft => {
  if (findInterleaved(draft.items).length === 0) return draft
  const places = new Map<string | undefined, number[]>()
  let waiting: number[] = []
  let current: string | undefined
  const placesOf = (run: string | undefined): number[] => {
    const known = places.get(run)
    if (known !== undefined) return known
    const fresh: number[] = []
    places.set(run, fresh)
    return fresh
  }
  for (let index = 0; index < draft.items.length; index += 1) {
    const item: ItemFields = draft.items[index] as Item
    if (item.run !== undefined) {
      current = item.run
      const target = placesOf(current)
      for (const user of waiting) target.push(user)
      waiting = []
      target.push(index)
    } else if (item.origin === 'user' || waiting.length > 0) waiting.push(index)
    else placesOf(current).push(index)
  }
  const order: number[] = []
  for (const run of places.values()) for (const index of run) order.push(index)
  for (const index of waiting) order.push(index)
  return reorder(draft, order)
}

const reorder = (draft: Draft, order: ReadonlyArray<number>): Draft => ({
  items: order.map((index) => draft.items[index] as Item),
  order: order.map((index) => draft.order[index] as number)
})

/** A response whose emission order is known is put back into it, if reasoning has lost its place in it. */
const restoreEmission = (work: Work, draft: Draft): Draft => {
  const history = read(work, draft)
  const disorder = findDisorder(history)
  if (disorder.length === 0) return draft
  const misplaced = new Set<number>()
  for (const { index } of findUnreasoned(history)) misplaced.add(index)
  for (const { index } of findDangling(history, findRuns(history))) misplaced.add(index)
  for (const { index } of findBrokenSeals(history)) misplaced.add(index)
  const order = draft.items.map((_, index) => index)
  let changed = false
  for (const { places, emitted } of disorder) {
    if (!places.some((index) => misplaced.has(index))) continue
    changed = true
    for (let place = 0; place < places.length; place += 1)
      order[history.at[places[place] as number] as number] = history.at[emitted[place] as number] as number
  }
  return changed ? reorder(draft, order) : draft
}

/** Every call gets its answer, or goes; answers stand where the profile wants them. */
const answerCalls = (work: Work, draft: Draft): Draft => {
  const history = read(work, draft)
  const fates = decideFates(history, work.atRest)
  const changes = startChanges()
  for (const [index, cause] of fates.gone) changes.gone.set(index, cause)
  for (const run of findRuns(history)) {
    if (!losesOwners(work.profile, run, fates.gone)) continue
    dropRun(history, run, changes, { why: 'dangling-reasoning', because: run.owners[0] as number })
  }
  const { order } = placeItems(history, { ...fates, gone: changes.gone })
  const same = changes.gone.size === 0 && order.every((index, place) => index === place)
  if (same && order.length === draft.items.length) return draft
  for (const [index, cause] of changes.gone) note(work.causes.dropped, draft, index, cause)
  for (const [index, cause] of changes.strip) note(work.causes.stripped, draft, index, cause)
  const items: Item[] = []
  for (const index of order) {
    const item = draft.items[index < 0 ? -1 - index : index] as Item
    if (index < 0) items.push(closingOf(item, history.structure.flags[-1 - index] as number))
    else items.push(changes.strip.has(index) ? withoutId(item) : item)
  }
  const positions = order.map((index) =>
    index < 0 ? -1 - (draft.order[-1 - index] as number) : (draft.order[index] as number)
  )
  return { items, order: positions }
}

/** What stands for the output that never came. */
const closingOf = (call: ItemFields, flags: number): Item => ({
  kind: 'output',
  ...(call.callId === undefined ? {} : { callId: call.callId }),
  ...(call.namespace === undefined ? {} : { namespace: call.namespace }),
  execution: closesAs(flags)
})

const closesAs = (flags: number): RepairClosing => {
  if ((flags & Flag.denied) !== 0) return 'denied'
  return (flags & Flag.skipped) !== 0 ? 'skipped' : 'interrupted'
}

const losesOwners = (profile: Profile, run: Run, gone: ReadonlyMap<number, Cause>): boolean => {
  const [owner] = run.owners
  if (owner === undefined || profile.association === 'self') return false
  return profile.association === 'next' ? gone.has(owner) : run.owners.every((index) => gone.has(index))
}

/** A run goes as a whole; where ids tie, what it belonged to loses its id up to the next response. */
const dropRun = (history: History, run: Run, changes: Changes, cause: Cause): void => {
  for (const index of run.members) changes.gone.set(index, cause)
  if (history.profile.partners === 'by-place') return
  for (let place = 0; place < run.owners.length; place += 1) {
    const owner = run.owners[place] as number
    if (place > 0 && startsBehind(history, run.owners[place - 1] as number, owner)) return
    if (changes.gone.has(owner) || (history.items[owner] as Item).id === undefined) continue
    changes.strip.set(owner, { why: 'missing-reasoning', because: run.members[0] as number })
  }
}

/** Whether a response starts behind one item and not behind another. */
const startsBehind = ({ structure }: History, first: number, last: number): boolean => {
  for (let index = first + 1; index <= last; index += 1) {
    if (((structure.flags[index] as number) & Flag.starts) !== 0) return true
  }
  return false
}

/** Loose or unsealed reasoning goes; what lacks its reasoning loses the id by which it is missed. */
const tieReasoning = (work: Work, draft: Draft): Draft => {
  const history = read(work, draft)
  const changes = startChanges()
  for (const { index, because } of findUnreasoned(history)) {
    const item: ItemFields = history.items[index] as Item
    if (item.requiresReasoning !== undefined && item.id !== undefined)
      changes.strip.set(index, { why: 'missing-reasoning', because })
  }
  const runs = findRuns(history)
  const bad = new Map<number, Cause>()
  for (const { index, because } of findDangling(history, runs, new Set(changes.strip.keys())))
    bad.set(index, { why: 'dangling-reasoning', because })
  for (const { index, rule, because } of findBrokenSeals(history)) {
    if (work.profile.signatureScope !== 'step') bad.set(index, { why: rule, because })
  }
  for (const run of runs) {
    const first = run.members.find((index) => bad.has(index))
    if (first !== undefined) dropRun(history, run, changes, bad.get(first) as Cause)
  }
  return applyChanges(work, draft, changes)
}

/** Where a signature vouches for everything before it, none behind the first change holds. */
const dropBehindChange = (work: Work, draft: Draft): Draft => {
  if (work.profile.signatureScope !== 'prefix') return draft
  const changes = startChanges()
  let changed = false
  for (let index = 0; index < draft.items.length; index += 1) {
    if (draft.order[index] !== index) changed = true
    if (changed && isSigned(draft.items[index] as Item))
      changes.gone.set(index, { why: 'signature-stale', because: NONE })
  }
  return applyChanges(work, draft, changes)
}

/** A closing is named after the call that it answers in the end, whichever it was made for. */
const nameClosings = (work: Work, draft: Draft): Draft => {
  if (!draft.order.some((position) => position < 0)) return draft
  const { links } = read(work, draft)
  const order = draft.order.map((position, index) => {
    const call = links[index] as number
    return position >= 0 || call < 0 ? position : -1 - (draft.order[call] as number)
  })
  return { items: draft.items, order }
}
