/**
 * A question and its progress, opened up and found to belong together.
 *
 * Law: only this file checks that a progress is of the turn that is asked about. Complexity: linear in the turn; each
 * item is read once, and up to 82 of them once more for the edge.
 *
 * Rules: PLAN-27, PROGRESS-5 to PROGRESS-7.
 */
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { digestEdge, digestItem, policyCode } from './digest.js'
import { startScan, type TurnState } from './draft.js'
import type { PlanError } from './error.js'
import type { Item } from './item.js'
import { isKept } from './judge.js'
import { extendStructure, forgetScan, startStructure } from './pair.js'
import { defaultPolicy } from './policy.js'
import { type Progress, startProgress } from './progress.js'
import { checkQuestion, type PlanQuestion } from './question.js'
import { checkProgress, loadSaved, reachOf } from './saved.js'

/** A turn and its progress, ready to be planned. */
export interface LoadedTurn {
  readonly state: TurnState
  readonly policyCode: number
  /** A digest of the item at a position. */
  readonly digestAt: (position: number) => number
}

/** Checks that a progress can belong to a turn of a length (PLAN-27, PROGRESS-5). */
export const checkReach = (progress: Progress, turn: string, length: number): PlanError | undefined => {
  if (progress.turn !== turn) {
    return {
      kind: 'foreign-turn',
      path: 'progress.turn',
      message: `progress.turn is ${quote(progress.turn)}, the turn is ${quote(turn)}: a progress belongs to one turn`
    }
  }
  const reach = reachOf(progress)
  if (reach <= length) return undefined
  return {
    kind: 'beyond-turn',
    path: 'items',
    message: `items has ${length} positions, the progress speaks of ${reach}: give the whole turn, from its first item`
  }
}

/** Checks that the saved positions of a turn are those that were saved (PROGRESS-7). */
export const checkEdge = (loaded: LoadedTurn): PlanError | undefined => {
  const { saved } = loaded.state
  const edge = edgeOf(loaded, saved.settled, saved.top, 0, saved.stored)
  if (edge === saved.progress.edge) return undefined
  return {
    kind: 'edge-mismatch',
    path: 'progress.edge',
    message:
      'the saved positions of the turn, or the policy, are not those that were saved: the turn is shifted, rewound, or another one'
  }
}

const quote = (text: string): string => `"${text}"`

/**
 * The edge of what is settled or ahead (PROGRESS-6); `bits` is what the store holds of the positions from `base` on,
 * and below and behind it holds what is saved.
 */
export const edgeOf = (
  loaded: LoadedTurn,
  settled: number,
  top: number,
  base: number,
  bits: Uint8Array
): string => {
  const { stored } = loaded.state.saved
  const end = base + bits.length
  return digestEdge(
    Math.max(settled, top),
    (position) => {
      if (position < settled) return true
      return isKept((position >= base && position < end ? bits[position - base] : stored[position]) as number)
    },
    loaded.digestAt,
    loaded.policyCode
  )
}

/** How many positions the digests are remembered of: both edges of a short turn ask for the same ones. */
const REMEMBERED = 64

const rememberDigests = (items: ReadonlyArray<Item>): ((position: number) => number) => {
  const known: number[] = []
  return (position) => {
    if (position >= REMEMBERED) return digestItem(items[position] as Item)
    const digest = known[position] ?? digestItem(items[position] as Item)
    known[position] = digest
    return digest
  }
}

/** Opens a question: everything but the outcome is read and checked. */
export const loadTurn = (question: PlanQuestion): Either<PlanError, LoadedTurn> => {
  const error = checkQuestion(question)
  if (error !== undefined) return left(error)
  const { items, turn, policy = defaultPolicy, store = 'append', open = [] } = question
  const progress = question.progress ?? startProgress(turn)
  const beyond = checkProgress(progress) ?? checkReach(progress, turn, items.length)
  if (beyond !== undefined) return left(beyond)
  const saved = loadSaved(progress, items.length)
  if (isLeft(saved)) return saved
  const structure = startStructure(open, items.length)
  extendStructure(structure, items)
  forgetScan(structure)
  const loaded: LoadedTurn = {
    state: {
      structure,
      policy,
      appendOnly: store === 'append',
      saved: saved.right,
      scan: startScan(saved.right)
    },
    policyCode: policyCode(policy),
    digestAt: rememberDigests(items)
  }
  const mismatch = checkEdge(loaded)
  return mismatch === undefined ? right(loaded) : left(mismatch)
}
