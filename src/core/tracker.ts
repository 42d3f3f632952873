/**
 * Planning a turn that grows, so that saving after every item stays linear.
 *
 * Law: a tracker is a value: extend it, plan from it, acknowledge what was written. Every answer equals that of
 * `planSave` on the same prefix. The values share their arrays; only the newest one may write to them, and an older
 * one that is used again starts from its own copy. It decides nothing itself. Over the whole life of a turn each
 * item is read a constant number of times.
 *
 * Rules: PLAN-1 to PLAN-30, PROGRESS-2, PROGRESS-12.
 */
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { digestItem, policyCode } from './digest.js'
import { type Draft, isChange, type ScanState, startScan, topAfter, type TurnState } from './draft.js'
import { invalidInput, type InvalidInput, type PlanError } from './error.js'
import type { Item } from './item.js'
import { Stored } from './judge.js'
import type { Outcome } from './outcome.js'
import { extendStructure, startStructure } from './pair.js'
import { checkEdge, checkReach, type LoadedTurn, loadTurn } from './load.js'
import { draftSave, orThrow, planOf, type SavePlan } from './plan.js'
import { defaultPolicy, type Policy } from './policy.js'
import { type Progress, startProgress } from './progress.js'
import { checkOutcome, checkQuestion, type PlanQuestion } from './question.js'
import { applySet, checkProgress, loadSaved, memberDigest, type Saved } from './saved.js'
import type { Structure } from './structure.js'

/** How a tracker starts: a plan question without items and outcome. */
export type TrackQuestion = Omit<PlanQuestion, 'items' | 'outcome'>

/** What the trackers of one turn share. Mutated only through the newest of them. */
interface Shared {
  readonly question: TrackQuestion
  readonly policy: Policy
  readonly policyCode: number
  readonly items: Item[]
  readonly structure: Structure
  saved: Saved
  stored: Uint8Array
  digests: Int32Array
  scan: ScanState
  /** Whether the progress was found to belong to this turn. */
  checked: boolean
  version: number
  last: { readonly plan: SavePlan; readonly draft: Draft; readonly length: number } | undefined
}

/** A turn as far as it has come, with what is saved of it. */
export interface TurnTracker {
  /** Items so far. */
  readonly length: number
  /** What the store holds, as far as it was acknowledged. */
  readonly progress: Progress
  /** Not for callers. */
  readonly shared: Shared
  readonly version: number
}

const INITIAL_CAPACITY = 16

const handleOf = (shared: Shared): TurnTracker => ({
  length: shared.items.length,
  progress: shared.saved.progress,
  shared,
  version: shared.version
})

const startShared = (question: TrackQuestion): Either<InvalidInput, Shared> => {
  const { turn, policy = defaultPolicy, open = [] } = question
  const progress = question.progress ?? startProgress(turn)
  const error = checkProgress(progress)
  if (error !== undefined) return left(error)
  const saved = loadSaved(progress, INITIAL_CAPACITY)
  if (isLeft(saved)) return saved
  return right({
    question,
    policy,
    policyCode: policyCode(policy),
    items: [],
    structure: startStructure(open, INITIAL_CAPACITY),
    saved: saved.right,
    stored: saved.right.stored,
    digests: new Int32Array(INITIAL_CAPACITY),
    scan: startScan(saved.right),
    checked: false,
    version: 0,
    last: undefined
  })
}

/**
 * A tracker for a turn of which no item is known yet.
 *
 * Errors: `invalid-input` for a field that is not of its form. Complexity: linear in the progress.
 *
 * @example
 * orThrow(trackTurn({ turn: 'run-7/3' })).length // => 0
 */
export const trackTurn = (question: TrackQuestion): Either<InvalidInput, TurnTracker> => {
  const error = checkQuestion({ ...question, items: [], outcome: { kind: 'accepted' } })
  if (error !== undefined) return left(error)
  const shared = startShared(question)
  return isLeft(shared) ? shared : right(handleOf(shared.right))
}

/** The shared arrays that a tracker may write to: its own, or a copy when a newer tracker uses them. */
const own = (tracker: TurnTracker): Shared => {
  const { shared, version, length, progress } = tracker
  if (shared.version === version) return shared
  const copy = orThrow(startShared({ ...shared.question, progress }))
  append(copy, shared.items, length)
  return copy
}

const append = (shared: Shared, items: ReadonlyArray<Item>, count: number): void => {
  for (let index = 0; index < count; index += 1) shared.items.push(items[index] as Item)
  const length = shared.items.length
  if (length > shared.stored.length) {
    const grown = new Uint8Array(Math.max(length, shared.stored.length * 2))
    grown.set(shared.stored)
    shared.stored = grown
    shared.saved = { ...shared.saved, stored: grown }
  }
  if (length > shared.digests.length) {
    const grown = new Int32Array(Math.max(length, shared.digests.length * 2))
    grown.set(shared.digests)
    shared.digests = grown
  }
  extendStructure(shared.structure, shared.items)
}

/**
 * The tracker after more items have come; the given one stays valid.
 *
 * Complexity: linear in the new items, each of which is read once.
 *
 * @example
 * const started = orThrow(trackTurn({ turn: 'run-7/3' }))
 * extendTurn(started, [{ kind: 'message' }]).length // => 1
 */
export const extendTurn = (tracker: TurnTracker, items: ReadonlyArray<Item>): TurnTracker => {
  const shared = own(tracker)
  append(shared, items, items.length)
  shared.version += 1
  return handleOf(shared)
}

/** The digest of an item, computed once. */
const digestOnce = (shared: Shared, position: number): number => {
  const known = shared.digests[position] as number
  if (known !== 0) return known
  const digest = digestItem(shared.items[position] as Item)
  shared.digests[position] = digest
  return digest
}

const loadedOf = (shared: Shared): LoadedTurn => ({
  state: {
    structure: shared.structure,
    policy: shared.policy,
    appendOnly: (shared.question.store ?? 'append') === 'append',
    saved: shared.saved,
    scan: shared.scan
  },
  policyCode: shared.policyCode,
  digestAt: (position) => digestOnce(shared, position)
})

/** The turn as it was planned, read again: for lists of a plan that are made only when they are asked for. */
const planAgain = (shared: Shared, length: number, progress: Progress): (() => TurnState) => {
  let state: TurnState | undefined
  return () => {
    if (state === undefined) {
      const items = shared.items.slice(0, length)
      state = orThrow(loadTurn({ ...shared.question, items, progress, outcome: { kind: 'accepted' } })).state
    }
    return state
  }
}

/**
 * What is known of the items of a turn and of the store, for who lays out more of the session than a plan names. It
 * is shared: good until the tracker is extended or its plan acknowledged.
 *
 * Complexity: constant.
 */
export const loadedTurn = (tracker: TurnTracker): LoadedTurn => loadedOf(own(tracker))

/**
 * What a save of the turn so far must write: equal to `planSave` on the same items and progress.
 *
 * Errors: as `planSave`. Complexity: linear in the positions whose entries can have changed since the last save
 * that was acknowledged, and in the entries that are written.
 *
 * @example
 * const tracker = extendTurn(orThrow(trackTurn({ turn: 'run-7/3' })), [{ kind: 'message', origin: 'user' }])
 * orThrow(planTurn(tracker, { kind: 'open', check: 'none' })).writes.length // => 1
 */
export const planTurn = (tracker: TurnTracker, outcome: Outcome): Either<PlanError, SavePlan> => {
  const error = checkOutcome(outcome, tracker.length)
  if (error !== undefined) return left(error)
  const shared = own(tracker)
  const loaded = loadedOf(shared)
  if (!shared.checked) {
    const { progress } = shared.saved
    const mismatch = checkReach(progress, shared.question.turn, tracker.length) ?? checkEdge(loaded)
    if (mismatch !== undefined) return left(mismatch)
    shared.checked = true
  }
  const draft = draftSave(loaded.state, outcome)
  if (isLeft(draft)) return draft
  const length = shared.items.length
  const plan = planOf(loaded, outcome, draft.right, planAgain(shared, length, shared.saved.progress))
  shared.last = { plan, draft: draft.right, length }
  return right(plan)
}

/**
 * The tracker after a plan was written. Give it the tracker that made the plan, or one extended from that.
 *
 * A plan that some other tracker made is taken by its `after`. Errors: `invalid-input` when that is malformed.
 * Complexity: linear in what the plan changed.
 *
 * @example
 * const before = extendTurn(orThrow(trackTurn({ turn: 'run-7/3' })), [{ kind: 'message', origin: 'user' }])
 * const plan = orThrow(planTurn(before, { kind: 'open', check: 'none' }))
 * orThrow(acknowledge(before, plan)).progress.settled // => 1
 */
export const acknowledge = (
  tracker: TurnTracker,
  plan: Pick<SavePlan, 'after' | 'expects'>
): Either<InvalidInput, TurnTracker> => {
  const shared = own(tracker)
  const { last } = shared
  if (last === undefined || last.plan !== plan) return restart(shared, plan.after)
  if (isChange(shared.saved, last.draft)) applyDraft(shared, last.draft, plan.after)
  shared.scan = last.draft.scan
  if (last.length === shared.items.length) shared.structure.touched = shared.structure.claimed = Infinity
  shared.last = undefined
  shared.version += 1
  return right(handleOf(shared))
}

/**
 * The tracker after a conflict: the same items, with the progress that the store turned out to hold.
 *
 * Errors: `invalid-input` when it is malformed; whether it belongs to the turn is said by the next plan.
 *
 * @example
 * const first = orThrow(trackTurn({ turn: 'run-7/3' }))
 * orThrow(resumeTurn(first, first.progress)).progress.revision // => 0
 */
export const resumeTurn = (tracker: TurnTracker, progress: Progress): Either<InvalidInput, TurnTracker> =>
  restart(own(tracker), progress)

const restart = (shared: Shared, progress: Progress): Either<InvalidInput, TurnTracker> => {
  if (typeof progress !== 'object' || progress === null) return left(invalidInput('progress', 'a progress'))
  const fresh = startShared({ ...shared.question, progress })
  if (isLeft(fresh)) return fresh
  append(fresh.right, shared.items, shared.items.length)
  return right(handleOf(fresh.right))
}

/** Moves what a draft changed into the shared arrays. */
const applyDraft = (shared: Shared, draft: Draft, after: Progress): void => {
  const { saved, stored } = shared
  const { base, bits, settled } = draft
  const top = topAfter(saved, draft)
  const sets = {
    withheld: applySet('withheld', saved.sets, draft),
    ahead: applySet('ahead', saved.sets, draft),
    closed: applySet('closed', saved.sets, draft),
    redacted: applySet('redacted', saved.sets, draft)
  }
  let { closings, digest } = saved
  for (let index = 0; index < bits.length; index += 1) {
    const position = base + index
    const bitsAfter = bits[index] as number
    const bitsBefore = stored[position] as number
    closings += ((bitsAfter & Stored.closing) - (bitsBefore & Stored.closing)) >> 2
    digest += memberDigest(position, bitsAfter, settled) - memberDigest(position, bitsBefore, saved.settled)
    stored[position] = bitsAfter
  }
  shared.saved = {
    progress: after,
    settled,
    final: draft.final,
    sealed: draft.sealed,
    written: after.written,
    stored,
    sets,
    digest: digest | 0,
    closings,
    top
  }
}
