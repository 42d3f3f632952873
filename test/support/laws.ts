/**
 * What must hold of anything that plans, as assertions over a whole saving.
 */
import { expect } from 'vitest'
import type { OracleEntry } from './oracle.js'
import type { Cut } from './drawn.js'
import { type Planner, type Saved, type Saving, saveTurnBy } from './saving.js'
import { brokenInvariants, type Session } from './session-model.js'

export const expectInvariants = (saved: Saved): void => {
  expect(saved.applied.flatMap((state) => brokenInvariants(state))).toEqual([])
}

/** PLAN-25: the last save made again writes nothing and moves nothing. */
export const expectRepeatable = (planner: Planner, saving: Saving): void => {
  const last = saving.steps[saving.steps.length - 1]
  if (last === undefined) return
  const once = saveTurnBy(planner, saving)
  if (once.errors.length > 0) return
  const twice = saveTurnBy(planner, { ...saving, steps: [...saving.steps, last] })
  expect(twice.errors).toEqual([])
  expect(twice.applied[twice.applied.length - 1]?.plan).toMatchObject({
    change: 'none',
    writes: [],
    replaces: []
  })
  expect(twice.progress).toEqual(once.progress)
}

/** Leaves out what plans reported, and the closings of calls whose late output was reported. */
const withoutReported = (session: Session, reported: ReadonlySet<number>): ReadonlyArray<OracleEntry> =>
  session.filter((entry) => !reported.has('close' in entry ? entry.close : entry.position))

/** PLAN-26: however a turn is cut into open saves, its session is that of one save. */
export const expectOneSession = (planner: Planner, { whole, cut }: Cut): void => {
  const single = saveTurnBy(planner, whole)
  const many = saveTurnBy(planner, cut)
  expect(single.errors).toEqual([])
  if (cut.store === 'replace') {
    expect(many.errors).toEqual([])
    expect(many.session).toEqual(single.session)
    return
  }
  if (many.errors.length > 0) {
    expect(many.errors).toEqual(['out-of-order'])
    return
  }
  expect(withoutReported(many.session, many.reported)).toEqual(withoutReported(single.session, many.reported))
}

/** A value that throws when anything in it is written to. */
export const freezeDeep = <V>(value: V): V => {
  if (typeof value !== 'object' || value === null) return value
  for (const inner of Object.values(value)) freezeDeep(inner)
  return Object.freeze(value)
}
