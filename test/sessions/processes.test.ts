/** Processes that save on one session at once lose nothing, double nothing and keep order. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import pg from 'pg'
import { postgresSession } from '../../src/sessions/postgres.js'
import type { Session } from '../../src/sessions/session.js'
import { sqliteSession } from '../../src/sessions/sqlite.js'
import { recordFigure, sized } from '../support/figures.js'
import { startPostgres, type TestPostgres } from '../support/postgres.js'
import { makeWorkers, type WorkerEnd, type WorkerTask, type Workers } from '../support/session-process.js'
import { makeDatabase, type TestDatabase } from '../support/sqlite.js'

const processes = 8
const turnsEach = sized(8, 200)
const entriesEach = sized(5, 60)
const kills = sized(3, 50)

let server: TestPostgres
let workers: Workers
let pool: pg.Pool
let database: TestDatabase

beforeAll(async () => {
  workers = await makeWorkers()
  server = await startPostgres()
  pool = new pg.Pool({ ...server.configuration, max: 2 })
  pool.on('error', () => undefined)
  database = makeDatabase()
})
afterAll(async () => {
  workers.stop()
  await pool.end()
  await server.stop()
  database.remove()
})

interface Store {
  readonly place: WorkerTask['place']
  readonly open: (sessionId: string) => Session<unknown>
}

const stores: Readonly<Record<string, () => Store>> = {
  SQLite: () => {
    const client = database.connect()
    return {
      place: { kind: 'sqlite', file: database.file },
      open: (sessionId) => sqliteSession({ client, sessionId })
    }
  },
  Postgres: () => ({
    place: { kind: 'postgres', table: 'turnkeep', configuration: server.configuration },
    open: (sessionId) => postgresSession({ client: pool, sessionId })
  })
}

const expectClean = (ends: ReadonlyArray<WorkerEnd>): void => {
  expect(ends.map(({ code, errors }) => ({ code, errors }))).toEqual(
    ends.map(() => ({ code: 0, errors: '' }))
  )
}

describe.each(Object.keys(stores))('%s', (name) => {
  const runAll = (store: Store, act: WorkerTask['act'], count: number): Promise<ReadonlyArray<WorkerEnd>> =>
    Promise.all(
      Array.from({ length: processes }, (_, writer) =>
        workers.run({ name: `p${writer}`, place: store.place, sessionId: act, act, writes: [], count })
      )
    )

  test(`${processes} processes save ${turnsEach} turns each on one session`, {
    timeout: 300_000
  }, async () => {
    const store = (stores[name] as () => Store)()
    expectClean(await runAll(store, 'turns', turnsEach))
    const items = (await store.open('turns').promises.read()).items as ReadonlyArray<string>
    expect(items.length).toBe(processes * turnsEach * 2)
    const turns: string[] = []
    for (let entry = 0; entry < items.length; entry += 2) {
      const turn = (items[entry] as string).split(' ')[0] as string
      expect(items.slice(entry, entry + 2)).toEqual([`${turn} call, again`, `${turn} output`])
      turns.push(turn)
    }
    expect(new Set(turns).size).toBe(processes * turnsEach)
    for (let writer = 0; writer < processes; writer += 1) {
      const own = turns.filter((turn) => turn.startsWith(`p${writer}/`))
      expect(own).toEqual(own.map((_, turn) => `p${writer}/${turn}`))
    }
    recordFigure({
      order: 20,
      fault: `${processes} processes save ${turnsEach} turns each on one session`,
      store: name,
      tried: `${processes * turnsEach} turns in ${processes * turnsEach * 2} saves`,
      result: `${new Set(turns).size} turns, 0 lost, 0 doubled, 0 out of order, 0 interleaved`
    })
  })

  test(`${processes} processes write ${entriesEach} entries each to one turn, planning again on conflict`, {
    timeout: 300_000
  }, async () => {
    const store = (stores[name] as () => Store)()
    const ends = await runAll(store, 'share', entriesEach)
    expectClean(ends)
    const items = (await store.open('share').promises.read()).items as ReadonlyArray<string>
    const expected = Array.from({ length: processes }, (_, writer) =>
      Array.from({ length: entriesEach }, (_, entry) => `p${writer}/${entry}`)
    )
    expect([...items].sort()).toEqual(expected.flat().sort())
    for (const own of expected) expect(items.filter((item) => own.includes(item))).toEqual(own)
    const conflicts = ends.reduce((sum, end) => sum + Number(end.lines[0]?.['conflicts']), 0)
    recordFigure({
      order: 21,
      fault: `${processes} processes write ${entriesEach} entries each to one turn`,
      store: name,
      tried: `${items.length} entries, ${conflicts} conflicts planned again`,
      result: `${new Set(items).size} entries, 0 lost, 0 doubled, each process's own in order`
    })
  })

  test(`a process that is killed ${kills} times somewhere in its work`, { timeout: 300_000 }, async () => {
    const store = (stores[name] as () => Store)()
    let acknowledged = 0
    let found = 0
    for (let life = 0; life < kills; life += 1) {
      const sessionId = `life-${life}`
      const task = { name: 'p', place: store.place, sessionId, act: 'turns', writes: [], count: 500 } as const
      const end = await workers.run(task, 1 + (life % 7))
      expect(end.signal).toBe('SIGKILL')
      // Waits until the server has noticed that the process is gone.
      await store.open(sessionId).addItems(['probe'])
      const items = (await store.open(sessionId).promises.read()).items as ReadonlyArray<string>
      const whole = items.filter((item) => item.endsWith('output')).map((item) => item.split(' ')[0])
      expect(whole).toEqual(whole.map((_, turn) => `p/${turn}`))
      expect(whole.length).toBeGreaterThanOrEqual(end.lines.length)
      expect(new Set(items).size).toBe(items.length)
      // Besides whole turns there is at most the first save of one more.
      expect([1, 2]).toContain(items.length - whole.length * 2)
      acknowledged += end.lines.length
      found += whole.length
    }
    recordFigure({
      order: 12,
      fault: 'kill -9 somewhere in a stream of saves',
      store: name,
      tried: `${kills} kills, ${acknowledged} turns acknowledged before them`,
      result: `${found} whole turns found, 0 acknowledged ones lost, 0 parts of a save`
    })
  })
})
