/**
 * What a provider would refuse in a stored history.
 *
 * Law: only this file names violations. It puts together what `history.ts`, `place.ts` and `ties.ts` find, and turns
 * indices into positions of the history that was given. It changes nothing and knows no edit.
 *
 * Rules: AUDIT-1 to AUDIT-34.
 */
import {
  findOwed,
  findParentless,
  findRepeatedApprovals,
  findSharedKeys,
  findStrays,
  type History,
  isModel,
  readHistory,
  type Stray
} from './history.js'
import type { Item, ItemFields, OpenCall } from './item.js'
import { placeItems } from './place.js'
import { type Profile, type ProfileName, profileOf } from './profile.js'
import { Odd, Role } from './roles.js'
import { NONE } from './structure.js'
import { findBrokenSeals, findDangling, findRuns, findUnreasoned } from './ties.js'

/** Everything that can be wrong, in the order in which it is reported about one position. */
export const auditRules = [
  'unclassified',
  'duplicate-item',
  'duplicate-approval',
  'duplicate-call-id',
  'duplicate-output',
  'orphan-output',
  'orphan-call',
  'missing-parent',
  'leading-item',
  'interleaved-runs',
  'intervening-item',
  'missing-reasoning',
  'dangling-reasoning',
  'signature-missing',
  'signature-incomplete',
  'signature-stale'
] as const

export type AuditRule = (typeof auditRules)[number]

/** Something that a provider refuses, or that should be known. */
export interface Violation {
  readonly rule: AuditRule
  /** A warning is nothing that the provider refuses. */
  readonly severity: 'error' | 'warning'
  /** 0-based position in the history. */
  readonly position: number
  /** The call that it is about. */
  readonly callId?: string
  /** The position that caused it. */
  readonly because?: number
}

/** What `audit` and `repair` are asked. */
export interface AuditQuestion {
  /** A stored history, oldest item first. */
  readonly items: ReadonlyArray<Item>
  /** What the provider demands: a name, or the fields that differ from `neutral`. Absent: `neutral`. */
  readonly profile?: ProfileName | Partial<Profile>
  /** Calls that may stand unanswered, or that stand before the history. */
  readonly open?: ReadonlyArray<OpenCall>
  /** The history is not about to be sent: calls that can still be answered may stand open. */
  readonly atRest?: boolean
}

/** The violations in the order of their positions. */
export interface AuditAnswer {
  readonly violations: ReadonlyArray<Violation>
}

/**
 * What a provider would refuse in a stored history, and why.
 *
 * Complexity: linear; each item is read a bounded number of times. Rules: AUDIT-1 to AUDIT-34.
 *
 * @example
 * audit({ items: [{ kind: 'call', callId: 'a' }] }).violations[0]?.rule // => 'orphan-call'
 */
export const audit = (question: AuditQuestion): AuditAnswer => {
  const history = readHistory(question.items, profileOf(question.profile ?? 'neutral'), question.open ?? [])
  const found: Violation[] = []
  const strays = findStrays(history)
  addOdd(history, found)
  for (const { position, first, copy } of history.repeats) {
    const item: ItemFields = question.items[position] as Item
    found.push(violation('duplicate-item', item, position, first))
    // A copy of an approval is an approval too many as well.
    if (copy && item.kind === 'approval') found.push(violation('duplicate-approval', item, position, first))
  }
  for (const [approval, first] of findRepeatedApprovals(history))
    add(history, found, 'duplicate-approval', approval, first)
  if (history.profile.pairing === 'by-id') {
    for (const [call, other] of findSharedKeys(history)) add(history, found, 'duplicate-call-id', call, other)
  }
  for (const { output, because } of strays)
    add(history, found, because === NONE ? 'orphan-output' : 'duplicate-output', output, because)
  for (const call of findOwed(history, question.atRest === true)) add(history, found, 'orphan-call', call)
  for (const call of findParentless(history)) add(history, found, 'missing-parent', call)
  addPlaces(history, strays, found)
  for (const { index, because } of findUnreasoned(history))
    add(history, found, 'missing-reasoning', index, because)
  for (const { index, because } of findDangling(history, findRuns(history)))
    add(history, found, 'dangling-reasoning', index, because)
  for (const { index, rule, severity, because } of findBrokenSeals(history))
    add(history, found, rule, index, because, severity)
  found.sort((left, right) => left.position - right.position || rankOf(left) - rankOf(right))
  return { violations: found }
}

const rankOf = (found: Violation): number => auditRules.indexOf(found.rule)

const violation = (
  rule: AuditRule,
  item: ItemFields,
  position: number,
  because: number,
  severity: Violation['severity'] = 'error'
): Violation => ({
  rule,
  severity,
  position,
  ...(item.callId === undefined ? {} : { callId: item.callId }),
  ...(because === NONE ? {} : { because })
})

const add = (
  history: History,
  found: Violation[],
  rule: AuditRule,
  index: number,
  because: number = NONE,
  severity: Violation['severity'] = 'error'
): void => {
  const cause = because === NONE ? NONE : (history.at[because] as number)
  found.push(violation(rule, history.items[index] as Item, history.at[index] as number, cause, severity))
}

const addOdd = (history: History, found: Violation[]): void => {
  for (const odd of history.structure.odd) {
    const what = odd % 4
    if (what === Odd.unclassified || what === Odd.missingCallId)
      add(history, found, 'unclassified', (odd - what) / 4, NONE, 'warning')
  }
}

const noAnswers = {
  closing: new Set<number>(),
  early: new Map<number, number>(),
  behind: new Map<number, number>()
}

/** What stands where it may not: at the head, between two halves of a run, between a call and its output. */
const addPlaces = (history: History, strays: ReadonlyArray<Stray>, found: Violation[]): void => {
  const { items, profile } = history
  const { roles } = history.structure
  if (profile.firstRole === 'user') {
    const first = findHead(history)
    if (first !== NONE) add(history, found, 'leading-item', first)
  }
  for (const [index, other] of findInterleaved(items)) add(history, found, 'interleaved-runs', index, other)
  if (profile.adjacency !== 'free' || profile.order !== 'free') {
    const gone = new Set(strays.map((stray) => stray.output))
    const { order, hoisted } = placeItems(history, { ...noAnswers, gone })
    let furthest = NONE
    for (const index of order) {
      if (hoisted.has(index)) add(history, found, 'intervening-item', index)
      else if (index > furthest) furthest = index
      else if ((roles[index] as number) > Role.pending && roles[index] !== Role.approval)
        add(history, found, 'intervening-item', index, furthest)
    }
  }
  if (profile.openProviderCall === 'outputs-only') addEarlyInput(history, found)
}

/** The item that stands where user input should begin the history, or −1. */
const findHead = (history: History): number => {
  const { roles } = history.structure
  for (let index = 0; index < history.items.length; index += 1) {
    const role = roles[index] as number
    const item: ItemFields = history.items[index] as Item
    if (role <= Role.pending || (role === Role.user && item.role === 'system')) continue
    return role === Role.user || item.kind === 'compaction' ? NONE : index
  }
  return NONE
}

/**
 * Items with which a run goes on after another one has begun, and the item that came between: `[item, other]`. An
 * output stands where its call wants it, so it tells nothing.
 */
export const findInterleaved = (items: ReadonlyArray<Item>): ReadonlyArray<readonly [number, number]> => {
  const found: Array<readonly [number, number]> = []
  const left = new Map<string, number>()
  let current: string | undefined
  for (let index = 0; index < items.length; index += 1) {
    const { kind, run }: ItemFields = items[index] as Item
    if (kind === 'output' || run === undefined || run === current) continue
    if (current !== undefined) left.set(current, index)
    const other = left.get(run)
    if (other !== undefined) found.push([index, other])
    current = run
  }
  return found
}

/** User input behind outputs while the provider still owes the answer to a call of its own. */
const addEarlyInput = (history: History, found: Violation[]): void => {
  const { items, structure } = history
  let owed = new Set<number>()
  let answered = false
  let isOver = false
  for (let index = 0; index < items.length; index += 1) {
    const role = structure.roles[index] as number
    const item: ItemFields = items[index] as Item
    const model = isModel(item)
    if (role === Role.output) owed.delete(history.links[index] as number)
    if (role === Role.user) {
      const [call] = owed
      if (answered && call !== undefined) add(history, found, 'intervening-item', index, call)
      isOver = true
    } else if (role === Role.output && !model) answered = isOver = true
    else if (role > Role.pending && model) {
      if (isOver) owed = new Set()
      answered = isOver = false
      if (role === Role.providerCall) owed.add(index)
    }
  }
}
