/** Every vector asked of a turn that grows: what a tracker remembers from save to save changes no answer. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import {
  acknowledge,
  extendTurn,
  type Item,
  type Outcome,
  orThrow,
  type Progress,
  planSave,
  planToJSON,
  planTurn,
  type TrackQuestion,
  trackTurn,
  type TurnTracker
} from '../../src/index.js'
import { checkToCome, isPlanned, loadVectors, type Save, savesOf } from '../support/vectors.js'

const planned = loadVectors().filter(
  ({ level, input, malformed }) =>
    (level === 'select' || level === 'plan') && input?.dialect === undefined && malformed !== true
)

/** The save of a tracker, which is that of `planSave` on the same items and progress, and the tracker after it. */
const saveGrown = (
  tracker: TurnTracker,
  items: ReadonlyArray<Item>,
  outcome: Outcome,
  question: TrackQuestion
): TurnTracker => {
  const single = planSave({ ...question, items, outcome, progress: tracker.progress })
  const made = planTurn(tracker, outcome)
  if (E.isLeft(made)) {
    expect(made).toEqual(single)
    return tracker
  }
  expect(planToJSON(made.right)).toEqual(planToJSON(orThrow(single)))
  return orThrow(acknowledge(tracker, made.right))
}

const start = (items: ReadonlyArray<Item>, question: TrackQuestion): TurnTracker =>
  extendTurn(orThrow(trackTurn(question)), items)

const questionOf = ({ turn, policy, store, open }: Save, progress: Progress | undefined): TrackQuestion => ({
  turn,
  policy,
  store,
  open,
  ...(progress === undefined ? {} : { progress })
})

/** A tracker of the items of a save: the one before it, if it has only grown. */
const growTo = (before: TurnTracker | undefined, save: Save, last: Save | undefined): TurnTracker => {
  const { items } = save
  const isGrown =
    before !== undefined &&
    last !== undefined &&
    JSON.stringify(last.policy) === JSON.stringify(save.policy) &&
    last.store === save.store &&
    last.items.every((item, position) => JSON.stringify(item) === JSON.stringify(items[position]))
  return isGrown
    ? extendTurn(before, items.slice(before.length))
    : start(items, questionOf(save, save.progress ?? before?.progress))
}

describe('a vector, by a turn that grows', () => {
  it.each(planned)('$name $rules', (vector) => {
    let tracker: TurnTracker | undefined
    let last: Save | undefined
    for (const save of savesOf(vector)) {
      tracker = saveGrown(growTo(tracker, save, last), save.items, save.outcome, questionOf(save, undefined))
      last = save
    }
    expect(last?.items.length).toBe(tracker?.length)
  })
})

describe('a vector, by a turn that is saved after every item', () => {
  it.each(planned.filter(isPlanned))('$name $rules [PLAN-26]', (vector) => {
    const [save] = savesOf(vector)
    if (save === undefined) throw new Error('no save')
    const check = checkToCome(save.outcome, save.policy)
    for (const store of ['append', 'replace'] as const) {
      const question = { ...questionOf(save, undefined), store }
      let tracker = start([], question)
      for (const [position, item] of save.items.entries()) {
        const items = save.items.slice(0, position + 1)
        tracker = saveGrown(extendTurn(tracker, [item]), items, { kind: 'open', check }, question)
      }
      tracker = saveGrown(tracker, save.items, save.outcome, question)
      expect(tracker.length).toBe(save.items.length)
    }
  })
})
