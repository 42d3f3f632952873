/** Every session holds the store contract, over every client, and the contract sees a store that does not. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import pg from 'pg'
import postgres from 'postgres'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { storeContract, type Place } from '../../src/sessions/contract.js'
import { memorySession } from '../../src/sessions/memory.js'
import { postgresSession } from '../../src/sessions/postgres.js'
import { fromPromises } from '../../src/sessions/promises.js'
import type { Session } from '../../src/sessions/session.js'
import { sqliteSession, type SqliteClient } from '../../src/sessions/sqlite.js'
import { startPostgres, type TestPostgres } from '../support/postgres.js'
import { likeBetterSqlite, makeDatabase } from '../support/sqlite.js'

const inMemory = (): Place => {
  const sessions = new Map<string, Session<unknown>>()
  return {
    open: (sessionId) => {
      const known = sessions.get(sessionId) ?? memorySession<unknown>({ sessionId })
      sessions.set(sessionId, known)
      return known
    }
  }
}

const inSqlite =
  (dress: (client: SqliteClient) => SqliteClient, journal: 'wal' | 'delete' = 'wal') =>
  (): Place => {
    const database = makeDatabase(journal)
    return {
      open: (sessionId) => sqliteSession({ client: dress(database.connect()), sessionId }),
      close: database.remove
    }
  }

const run = (name: string, makePlace: () => Place | Promise<Place>): void => {
  describe(name, () => {
    test.each(storeContract(makePlace))('$name', async ({ run: check }) => {
      await expect(check()).resolves.toBeUndefined()
    })
  })
}

run('memory', inMemory)
run('memory through promises and back', () => {
  const place = inMemory()
  return { open: async (id) => fromPromises(((await place.open(id)) as Session<unknown>).promises) }
})
run(
  'sqlite over libsql, write-ahead log',
  inSqlite((client) => client)
)
run(
  'sqlite over libsql, rollback journal',
  inSqlite((client) => client, 'delete')
)
run(
  'sqlite over a client like better-sqlite3',
  inSqlite((client) => likeBetterSqlite(client))
)
run(
  'sqlite over a client like better-sqlite3 with bigints',
  inSqlite((client) => likeBetterSqlite(client, true))
)

describe('postgres', () => {
  let server: TestPostgres
  let tables = 0
  const nextTable = (): string => {
    tables += 1
    return `place_${tables}`
  }
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(async () => {
    await server.stop()
  })

  run('over a pool of pg', () => {
    const client = new pg.Pool({ ...server.configuration, max: 8 })
    client.on('error', () => undefined)
    const table = nextTable()
    return { open: (sessionId) => postgresSession({ client, sessionId, table }), close: () => client.end() }
  })
  run('over one client of pg', async () => {
    const client = new pg.Client(server.configuration)
    await client.connect()
    const table = nextTable()
    return { open: (sessionId) => postgresSession({ client, sessionId, table }), close: () => client.end() }
  })
  run('over postgres.js', () => {
    const client = postgres({ ...server.configuration, max: 8 })
    const table = nextTable()
    return { open: (sessionId) => postgresSession({ client, sessionId, table }), close: () => client.end() }
  })
})

describe('the contract sees', () => {
  const breakStore = (change: (session: Session<unknown>) => Partial<Session<unknown>>) => async () => {
    const place = inMemory()
    const failures: string[] = []
    for (const { name, run: check } of storeContract(() => ({
      open: async (id) => {
        const session = (await place.open(`${id}${failures.length}`)) as Session<unknown>
        return { ...session, ...change(session) }
      }
    }))) {
      await check().catch(() => failures.push(name))
    }
    return failures
  }

  test('a store that appends without comparing', async () => {
    const failures = await breakStore((session) => ({
      save: (write) => async () => {
        await session.addItems([...write.items])
        return { _tag: 'Right', right: { applied: true, progress: write.after, notices: [] } }
      }
    }))()
    expect(failures).toContain('the same operation again is applied once (PROGRESS-8)')
    expect(failures).toContain('a write from an old progress is a conflict that carries the stored one')
    expect(failures).toContain('a suffix is replaced by more, by fewer and by nothing (PLAN-14)')
  })

  test('a store that forgets the progress', async () => {
    const failures = await breakStore(() => ({ progress: () => TE.right(null) }))()
    expect(failures).toContain('a write is read back by another handle, in order, with the progress after it')
  })

  test('a store that ignores the limit', async () => {
    const failures = await breakStore((session) => ({ read: () => session.read() }))()
    expect(failures).toContain('a limit counts from the end')
  })
})
