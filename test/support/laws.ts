/**
 * What must hold of anything that plans, as assertions over a whole saving.
 */
import { expect } from 'vitest'
import type { Item, ItemFields } from '../../src/core/item.js'
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

const keyOf = (item: ItemFields | undefined): string | undefined =>
  item?.callId === undefined ? undefined : JSON.stringify([item.namespace, item.callId])

/**
 * Leaves out what plans reported, and the outputs and closings of its key: what cannot be taken back is answered
 * (PLAN-30), and other closings of the key stand behind that answer (SELECT-21).
 */
const withoutReported = (
  session: Session,
  items: ReadonlyArray<Item>,
  reported: ReadonlySet<number>
): ReadonlyArray<OracleEntry> => {
  const fieldsAt = (position: number): ItemFields | undefined => items[position]
  const keys = new Set<string>()
  for (const position of reported) {
    const key = keyOf(fieldsAt(position))
    if (key !== undefined) keys.add(key)
  }
  const isOfReportedKey = (position: number): boolean => keys.has(keyOf(fieldsAt(position)) ?? '')
  return session.filter((entry) => {
    if ('close' in entry) return !reported.has(entry.close) && !isOfReportedKey(entry.close)
    const isOutput = fieldsAt(entry.position)?.kind === 'output'
    return !reported.has(entry.position) && !(isOutput && isOfReportedKey(entry.position))
  })
}

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
  const items = whole.steps[whole.steps.length - 1]?.items ?? []
  expect(withoutReported(many.session, items, many.reported)).toEqual(
    withoutReported(single.session, items, many.reported)
  )
}

/** A value that throws when anything in it is written to. */
export const freezeDeep = <V>(value: V): V => {
  if (typeof value !== 'object' || value === null) return value
  for (const inner of Object.values(value)) freezeDeep(inner)
  return Object.freeze(value)
}
