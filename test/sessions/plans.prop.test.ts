/** Real plans through real sessions: cut into saves, retried, next to another turn, with progress re-read. */
import { test, fc } from '@fast-check/vitest'
import * as E from 'fp-ts/lib/Either.js'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import type { Item } from '../../src/core/item.js'
import { neutral } from '../../src/dialects/neutral.js'
import type { Dialect } from '../../src/ports/dialect.js'
import type { SessionWrite } from '../../src/ports/session-store.js'
import { saveTurn, type SaveQuestion } from '../../src/save/save-turn.js'
import { memorySession } from '../../src/sessions/memory.js'
import type { Session } from '../../src/sessions/session.js'
import { sqliteSession } from '../../src/sessions/sqlite.js'
import { cutsDrawn } from '../support/drawn.js'
import { makeDatabase } from '../support/sqlite.js'

/** Entries that are items already; what the core invents is marked. */
const plain: Dialect<Item> = {
  name: 'plain',
  decode: (raws) => E.right({ items: raws as Item[], raws: raws as Item[], notices: [] }),
  startReading: neutral.startReading,
  close: (_, item, as) => ({
    kind: 'output',
    execution: as,
    callId: `closes ${'callId' in item ? item.callId : ''}`
  }),
  redact: (output) => ({ ...output, id: 'redacted' }),
  stripId: (raw) => ({ ...raw, id: 'stripped' }),
  with: () => plain,
  withWording: () => plain
}

const database = makeDatabase()
const client = database.connect()
beforeAll(async () => {
  await sqliteSession({ client, sessionId: 'opens the tables' }).getItems()
  // Nothing is killed here: flushing every commit would only take time.
  client.exec('pragma synchronous = off')
})
afterAll(() => database.remove())

const toWrite = (
  turn: string,
  question: Omit<SaveQuestion<Item>, 'dialect' | 'turn'>
): SessionWrite<Item> | null => {
  const planned = saveTurn({ ...question, dialect: plain, turn })
  if (E.isLeft(planned)) return null
  const { change, items, replaces, expects, progress, operation } = planned.right
  return { turn, operation, expects, change, replaces: replaces.length, items, after: progress }
}

/** Saves one step of a turn twice, from the progress that the store holds; false where the plan is an error. */
const saveStep = async (
  session: Session<Item>,
  turn: string,
  question: Omit<SaveQuestion<Item>, 'dialect' | 'turn' | 'progress'>
): Promise<boolean> => {
  const write = toWrite(turn, { ...question, progress: await session.promises.progress(turn) })
  if (write === null) return false
  const receipt = await session.promises.save(write)
  const again = await session.promises.save(write)
  expect(again.applied).toBe(false)
  expect(again.progress).toEqual(receipt.progress)
  return true
}

let sessions = 0
const makers: Readonly<Record<string, (sessionId: string) => Session<Item>>> = {
  memory: (sessionId) => memorySession({ sessionId }),
  sqlite: (sessionId) => sqliteSession({ client, sessionId })
}

describe.each(Object.keys(makers))('%s', (name) => {
  const make = (): Session<Item> => {
    sessions += 1
    return (makers[name] as (typeof makers)[string])(`${sessions}`)
  }

  test.prop([cutsDrawn, cutsDrawn, fc.array(fc.boolean(), { minLength: 10, maxLength: 10 })])(
    'two turns, cut into saves that alternate and are sent twice, end as two turns saved whole (PLAN-26)',
    async (one, two, order) => {
      const session = make()
      const alone = [make(), make()] as const
      const turns = [one, two].map(({ cut, whole }, index) => ({
        turn: `turn-${index}`,
        steps: cut.steps.map((step) => ({
          ...step,
          policy: cut.policy,
          open: cut.open,
          store: 'replace' as const
        })),
        whole: { ...whole.steps[0], policy: whole.policy, open: whole.open, store: 'replace' as const }
      }))
      const firsts: number[] = []
      const next = [0, 0]
      for (const side of [...order, false, true, false, true, false, true, false, true, false, true]) {
        const index = side ? 1 : 0
        const { turn, steps } = turns[index] as (typeof turns)[number]
        const step = steps[next[index] as number]
        if (step === undefined) continue
        next[index] = (next[index] as number) + 1
        fc.pre(await saveStep(session, turn, step))
        if (!firsts.includes(index)) firsts.push(index)
      }
      for (const index of [0, 1] as const) {
        const { turn, whole } = turns[index] as (typeof turns)[number]
        fc.pre(await saveStep(alone[index], turn, whole as Parameters<typeof saveStep>[2]))
      }
      const expected = []
      for (const index of firsts) expected.push(...(await (alone[index] as Session<Item>).getItems()))
      expect(await session.getItems()).toEqual(expected)
    }
  )
})
