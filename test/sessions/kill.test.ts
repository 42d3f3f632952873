/** A process that is killed at any statement of a save leaves the session as it was or as it should be. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import pg from 'pg'
import { startProgress } from '../../src/core/progress.js'
import { nextWrite } from '../../src/sessions/contract/expect.js'
import { postgresSession } from '../../src/sessions/postgres.js'
import type { Session } from '../../src/sessions/session.js'
import { sqliteSession } from '../../src/sessions/sqlite.js'
import { recordFigure, sized } from '../support/figures.js'
import { startPostgres, type TestPostgres } from '../support/postgres.js'
import { inPairs, makeWorkers, type WorkerTask, type Workers } from '../support/session-process.js'
import { makeDatabase } from '../support/sqlite.js'

const secret = 'secret-3f1c9a'
const first = nextWrite(startProgress('turn-1'), { items: ['input', 'call', secret] })
const second = nextWrite(first.after, { items: ['redacted', 'message'], replaces: 1 })
const states = [[], ['input', 'call', secret], ['input', 'call', 'redacted', 'message']]

/** Which prefix of the two writes the session shows: 0, 1 or 2. */
const readState = async (session: Session<unknown>): Promise<number> => {
  const [view, progress] = [await session.promises.read(), await session.promises.progress('turn-1')]
  const state = states.findIndex((items) => JSON.stringify(items) === JSON.stringify(view.items))
  expect(view.notices).toEqual([])
  expect(progress).toEqual([null, first.after, second.after][state])
  return state
}

/** Sends both writes again, as a restarted runner would. */
const finish = async (session: Session<unknown>, state: number): Promise<void> => {
  if (state < 2) await session.promises.save(first).catch(() => undefined)
  const receipt = await session.promises.save(second)
  expect(receipt).toEqual({ applied: state < 2, progress: second.after, notices: [] })
  expect(await readState(session)).toBe(2)
}

const taskFor = (place: WorkerTask['place'], death: Partial<WorkerTask>): WorkerTask => ({
  name: 'killed',
  place,
  sessionId: 's',
  act: 'write',
  writes: [first, second],
  count: 0,
  ...death
})

const recordKills = (order: number, store: string, tried: number, reached: ReadonlyArray<number>): void => {
  const counts = [0, 1, 2].map((state) => reached.filter((found) => found === state).length)
  recordFigure({
    order,
    fault: 'kill -9 of the writing process at every statement of two saves',
    store,
    tried: `${tried} processes killed`,
    result: `${counts[0]} times nothing of it, ${counts[1]} times the first save, ${counts[2]} times both; 0 times a part; the repeated saves ended in the same session every time`
  })
}

const numbers = (count: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, index) => index + 1)

// Some seventy processes are started: how long that takes says nothing about a save.
describe('kill -9 of the writing process', { timeout: 300_000 }, () => {
  let server: TestPostgres
  let workers: Workers
  beforeAll(async () => {
    workers = await makeWorkers()
    server = await startPostgres()
  })
  afterAll(async () => {
    workers.stop()
    await server.stop()
  })

  const countStatements = async (place: WorkerTask['place']): Promise<number> => {
    const whole = await workers.run(taskFor(place, {}))
    expect(whole.errors).toBe('')
    expect(whole.code).toBe(0)
    return Number(whole.lines.at(-1)?.['statements'])
  }

  const journals = sized(1, 2) === 1 ? (['wal'] as const) : (['wal', 'delete'] as const)

  test.each(journals)(
    'at every statement of two saves on SQLite (journal %s): before or after, never between',
    async (journal) => {
      const model = makeDatabase(journal)
      model.connect()
      const statements = await countStatements({ kind: 'sqlite', file: model.file })
      model.remove()
      expect(statements).toBeGreaterThan(20)
      const reached = await inPairs(numbers(statements), async (dieAt) => {
        const database = makeDatabase(journal)
        const client = database.connect()
        const place = { kind: 'sqlite', file: database.file } as const
        const end = await workers.run(taskFor(place, { dieAt, dieWhen: 'before' }))
        expect(end.signal).toBe('SIGKILL')
        const session = sqliteSession({ client, sessionId: 's' })
        const state = await readState(session)
        // What was acknowledged is stored, and at most one write more.
        expect([end.lines.length, end.lines.length + 1]).toContain(state)
        await finish(session, state)
        expect(database.readBytes().includes(secret)).toBe(false)
        database.remove()
        return state
      })
      expect([...reached].sort()).toEqual(reached)
      expect(new Set(reached)).toEqual(new Set([0, 1, 2]))
      recordKills(10, `SQLite, journal ${journal}`, statements, reached)
    }
  )

  test('at every statement of two saves on Postgres: before or after, never between', async () => {
    const placeOf = (table: string): WorkerTask['place'] => ({
      kind: 'postgres',
      table,
      configuration: server.configuration
    })
    const statements = await countStatements(placeOf('whole'))
    expect(statements).toBeGreaterThan(20)
    const deaths = [
      ...numbers(statements).map((dieAt) => ({ dieAt, dieWhen: 'before' }) as const),
      // The last statement is the commit: it is sent, and nobody reads the answer.
      ...numbers(statements)
        .slice(-sized(1, statements))
        .map((dieAt) => ({ dieAt, dieWhen: 'sent' }) as const)
    ]
    const pool = new pg.Pool({ ...server.configuration, max: 4 })
    pool.on('error', () => undefined)
    const reached = await inPairs(deaths, async (death) => {
      const table = `${death.dieWhen}_${death.dieAt}`
      const end = await workers.run(taskFor(placeOf(table), death))
      expect(end.signal).toBe('SIGKILL')
      const session = postgresSession({ client: pool, sessionId: 's', table })
      // The server may still be working for the dead process: a write waits for it, a read does not.
      await session.promises.save(nextWrite(startProgress('probe')))
      const state = await readState(session)
      expect([end.lines.length, end.lines.length + 1]).toContain(state)
      await finish(session, state)
      return state
    })
    await pool.end()
    expect(new Set(reached.slice(0, statements))).toEqual(new Set([0, 1]))
    recordKills(11, 'Postgres', deaths.length, reached)
  })
})
