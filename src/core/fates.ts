/**
 * What a repair does with calls that are owed an answer, and with what depends on them.
 *
 * Law: only this file decides between closing and dropping a call. What ran is not dropped for want of a closing. It
 * changes nothing and answers in indices of the history. Linear.
 *
 * Rules: REPAIR-5 to REPAIR-12.
 */
import type { AuditRule } from './audit.js'
import {
  findOwed,
  findParentless,
  findSharedKeys,
  findStrays,
  type History,
  keyOf,
  type Stray
} from './history.js'
import type { Item } from './item.js'
import { Flag, Role } from './roles.js'
import { NONE } from './structure.js'
import type { Answers } from './place.js'

/** Why an item changes, and the index that caused it; −1 if none. */
export interface Cause {
  readonly why: AuditRule
  readonly because: number
}

/** What becomes of calls and outputs. */
export interface Fates extends Answers {
  readonly gone: ReadonlyMap<number, Cause>
}

interface Draft {
  readonly gone: Map<number, Cause>
  readonly closing: Set<number>
}

/** Decides for every call and output of a history without copies. Complexity: linear. */
export const decideFates = (history: History, atRest: boolean): Fates => {
  const draft: Draft = { gone: new Map(), closing: new Set() }
  const strays = findStrays(history)
  const early = findEarly(history, strays)
  const cameEarly = new Set(early.values())
  for (const { output, because } of strays) {
    if (cameEarly.has(output)) continue
    draft.gone.set(output, { why: because === NONE ? 'orphan-output' : 'duplicate-output', because })
  }
  const owed = findOwed(history, atRest).filter((call) => !early.has(call))
  if (history.profile.orphanCall === 'drop') dropCalls(history, owed, draft)
  else {
    for (const call of owed) {
      if (history.cutOff.has(call)) draft.gone.set(call, { why: 'orphan-call', because: NONE })
      else draft.closing.add(call)
    }
  }
  leaveBlocked(history, draft, early)
  dropWithCalls(history, draft)
  for (const [call, output] of early) {
    if (!draft.gone.has(call)) continue
    draft.gone.set(output, { why: 'orphan-output', because: NONE })
    early.delete(call)
  }
  return { ...draft, early, behind: findBehind(history, draft) }
}

/**
 * Outputs that stand before the call they answer: no user input between them, and no other call to answer. Where
 * keys may repeat this cannot be told.
 */
const findEarly = (history: History, strays: ReadonlyArray<Stray>): Map<number, number> => {
  const { structure, items, profile } = history
  const early = new Map<number, number>()
  if (profile.pairing === 'by-occurrence') return early
  const orphans = new Set<number>()
  for (const stray of strays) if (stray.because === NONE) orphans.add(stray.output)
  if (orphans.size === 0) return early
  const waiting = new Map<string, number>()
  for (let index = 0; index < items.length; index += 1) {
    const role = structure.roles[index]
    if (role === Role.user) waiting.clear()
    else if (orphans.has(index)) waiting.set(keyOf(items[index] as Item), index)
    else if (
      (role === Role.call || role === Role.providerCall) &&
      waiting.size > 0 &&
      history.links[index] === NONE
    ) {
      const key = keyOf(items[index] as Item)
      const output = waiting.get(key)
      if (output !== undefined && role === Role.call) early.set(index, output)
      waiting.delete(key)
    }
  }
  return early
}

/** A window's unanswered calls go: their answers lie outside. What an answered call needs is closed instead. */
const dropCalls = (history: History, owed: ReadonlyArray<number>, draft: Draft): void => {
  const { structure, profile } = history
  const lost = draft.gone
  for (const call of findParentless(history)) lost.set(call, { why: 'missing-parent', because: NONE })
  const parents = [...structure.parents]
  for (const [child, parent] of parents) {
    if (lost.has(parent)) lost.set(child, { why: 'missing-parent', because: parent })
  }
  const unanswered = new Set(owed)
  const needed = new Set<number>()
  for (const [child, parent] of parents.reverse()) {
    if (!lost.has(child) && (!unanswered.has(child) || needed.has(child))) needed.add(parent)
  }
  for (const call of owed) {
    if (lost.has(call)) continue
    if (needed.has(call) && !history.cutOff.has(call)) draft.closing.add(call)
    else lost.set(call, { why: 'orphan-call', because: NONE })
  }
  if (profile.parallel === 'all-or-none') dropBatches(history, draft)
}

/** A dropped call takes the calls of its response with it, and those take the calls they made. */
const dropBatches = (history: History, draft: Draft): void => {
  const { roles, flags, parents } = history.structure
  let batch: number[] = []
  let first = NONE
  const finish = (): void => {
    if (first !== NONE) {
      for (const call of batch) {
        if (!draft.gone.has(call)) draft.gone.set(call, { why: 'orphan-call', because: first })
        draft.closing.delete(call)
      }
    }
    batch = []
    first = NONE
  }
  for (let index = 0; index < history.items.length; index += 1) {
    if (((flags[index] as number) & Flag.starts) !== 0) finish()
    if (roles[index] !== Role.call) continue
    const parent = parents.get(index)
    if (parent !== undefined && draft.gone.has(parent) && !draft.gone.has(index))
      draft.gone.set(index, { why: 'missing-parent', because: parent })
    if (draft.gone.has(index) && first === NONE) first = index
    batch.push(index)
  }
  finish()
}

/**
 * A closing answers the call that has waited longest, and none may answer a call of the provider: behind one that
 * stays open, a call of its key stays open too.
 */
const leaveBlocked = (history: History, draft: Draft, early: ReadonlyMap<number, number>): void => {
  const { structure, items, links } = history
  const { roles } = structure
  for (const [call, other] of findStanding(history, draft.gone)) {
    const answered = links[other] !== NONE || early.has(other)
    if (!answered && !draft.closing.has(other)) draft.closing.delete(call)
  }
  const provided = new Set<string>()
  for (let index = 0; index < items.length; index += 1) {
    if (roles[index] === Role.providerCall && links[index] === NONE) provided.add(keyOf(items[index] as Item))
    else if (provided.size > 0 && draft.closing.has(index) && provided.has(keyOf(items[index] as Item)))
      draft.closing.delete(index)
  }
}

/** For each call that shares its key, the nearest one before it in its queue that stays. */
const findStanding = (history: History, gone: ReadonlyMap<number, Cause>): ReadonlyMap<number, number> => {
  const standing = new Map<number, number>()
  for (const [call, other] of findSharedKeys(history)) {
    const stays = gone.has(other) ? standing.get(other) : other
    if (stays !== undefined) standing.set(call, stays)
  }
  return standing
}

/** What is nothing without its call: its output, its approval, and the placeholder of an output once it is closed. */
const dropWithCalls = (history: History, draft: Draft): void => {
  const { structure, items, links } = history
  const { roles } = structure
  const lastCall = new Map<string, number>()
  for (let index = 0; index < items.length; index += 1) {
    const role = roles[index] as number
    if (role === Role.call) lastCall.set(keyOf(items[index] as Item), index)
    else if (role === Role.pending) {
      const call = lastCall.get(keyOf(items[index] as Item))
      if (call !== undefined && draft.closing.has(call))
        draft.gone.set(index, { why: 'orphan-call', because: call })
    } else if (role === Role.output || role === Role.approval) {
      const call = links[index] as number
      const cause = draft.gone.get(call)
      if (cause !== undefined) draft.gone.set(index, { why: cause.why, because: call })
    }
  }
}

/**
 * Which call may not come before the answer of which other one with its key: where keys may not repeat, any; where
 * they may, one that is closed, because a closing answers the call that has waited longest.
 */
const findBehind = (history: History, { gone, closing }: Draft): ReadonlyMap<number, number> => {
  const behind = new Map<number, number>()
  const byId = history.profile.pairing === 'by-id'
  for (const [call, other] of findStanding(history, gone)) {
    if (byId || (closing.has(call) && !closing.has(other))) behind.set(call, other)
  }
  return behind
}
