/**
 * The incremental planner along the same paths: each state remembers every way in which a tracker can have come there.
 *
 * Two trackers that will answer alike (same progress, same memory of what was looked at) are one.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { ScanState } from '../../../src/core/draft.js'
import type { Item } from '../../../src/core/item.js'
import type { Outcome } from '../../../src/core/outcome.js'
import { orThrow } from '../../../src/core/plan.js'
import type { Progress } from '../../../src/core/progress.js'
import {
  acknowledge,
  extendTurn,
  planTurn,
  type TrackQuestion,
  trackTurn,
  type TurnTracker
} from '../../../src/core/tracker.js'
import { type Answer, type Plan, readPlan } from './planner.js'
import { sameProgress } from './session.js'

/** How a tracker came to be: items that came, plans that were written and acknowledged. */
export type Move = { readonly items: number } | { readonly outcome: Outcome }

export interface Growing {
  readonly key: string
  /** The progress that was read again from the store when this tracker was started. */
  readonly start: Progress | null
  readonly moves: ReadonlyArray<Move>
  /** Whether its plans have been compared at the present length. */
  isDone: boolean
}

const wordsOf = (scan: ScanState, touched: number, claimed: number, checked: boolean): string => {
  const { hasRun, runWritten, inRun } = scan.context ?? {}
  return `${scan.scanned} ${scan.waiting} ${scan.key?.check},${scan.key?.responseStart},${scan.key?.lastUser} ${scan.superseded} ${scan.contextAt} ${hasRun}${runWritten}${inRun} ${touched} ${claimed} ${checked}`
}

const memoryOf = (tracker: TurnTracker): string => {
  const { scan, structure, checked } = tracker.shared
  return wordsOf(scan, structure.touched, structure.claimed, checked)
}

/** The memory after the last plan of a tracker has been acknowledged, without acknowledging it. */
export const memoryAfter = (tracker: TurnTracker): string => {
  const { last, scan } = tracker.shared
  return wordsOf(last?.draft.scan ?? scan, Infinity, Infinity, true)
}

/** Makes the tracker once more, so that no other branch has written to its arrays. */
export const replay = (
  growing: Growing,
  question: TrackQuestion,
  items: ReadonlyArray<Item>
): TurnTracker => {
  let tracker = orThrow(trackTurn({ ...question, progress: growing.start }))
  let length = 0
  for (const move of growing.moves) {
    if ('items' in move) {
      tracker = extendTurn(tracker, items.slice(length, length + move.items))
      length += move.items
    } else tracker = orThrow(acknowledge(tracker, orThrow(planTurn(tracker, move.outcome))))
  }
  return tracker
}

export const startGrowing = (): Growing => ({ key: 'start', start: null, moves: [], isDone: false })

/** A tracker that was started from the stored progress after a crash. */
export const resumeGrowing = (progress: Progress, length: number): Growing => ({
  key: `resumed ${length}`,
  start: progress,
  moves: length === 0 ? [] : [{ items: length }],
  isDone: false
})

export const extendGrowing = (
  growing: Growing,
  question: TrackQuestion,
  items: ReadonlyArray<Item>
): Growing => {
  const next = { ...growing, isDone: false, moves: [...growing.moves, { items: 1 }] }
  return { ...next, key: memoryOf(replay(next, question, items)) }
}

export const acknowledgeGrowing = (growing: Growing, outcome: Outcome, key: string): Growing => ({
  ...growing,
  key,
  isDone: false,
  moves: [...growing.moves, { outcome }]
})

const sameList = (left: ReadonlyArray<unknown>, right: ReadonlyArray<unknown>): boolean =>
  left.length === right.length && left.every((value, index) => value === right[index])

const samePlan = (left: Plan, right: Plan, lists: boolean): boolean =>
  left.from === right.from &&
  sameProgress(left.after, right.after) &&
  sameList(left.writes, right.writes) &&
  sameList(left.replaces, right.replaces) &&
  sameList(left.irrevocable, right.irrevocable) &&
  sameList(left.late, right.late) &&
  (!lists ||
    (sameList(left.unprotected(), right.unprotected()) &&
      sameList(left.lateOutputs(), right.lateOutputs()) &&
      sameList(left.verdicts(), right.verdicts())))

/**
 * What differs between a tracker's plan and the answer of `planSave`, or undefined. `lists` compares also the lists
 * that both make from the whole turn when they are asked for.
 */
export const differenceOf = (
  tracker: TurnTracker,
  outcome: Outcome,
  answer: Answer,
  revision: { readonly before: number; readonly after: number },
  lists: boolean
): string | undefined => {
  const planned = planTurn(tracker, outcome)
  if (E.isLeft(planned)) {
    if ('error' in answer) return answer.error === planned.left.kind ? undefined : planned.left.kind
    return `the tracker answers ${planned.left.kind}`
  }
  if ('error' in answer) return `the tracker plans, planSave answers ${answer.error}`
  const plan = readPlan(planned.right)
  // States that differ in nothing but their revision are one, so the tracker may have another than the state.
  const shift = tracker.progress.revision - revision.before
  const isSameOperation = shift !== 0 || plan.operation === answer.plan.operation
  const isSameRevision = plan.after.revision === revision.after + shift
  if (isSameOperation && isSameRevision && samePlan(plan, answer.plan, lists)) return undefined
  const show = ({ writes, replaces, after, operation }: Plan): string =>
    JSON.stringify({ writes, replaces, after, operation })
  return `the tracker plans ${show(plan)}, planSave ${show(answer.plan)}`
}
