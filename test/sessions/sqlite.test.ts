/** SQLite: removed bytes leave the files, a full or read-only file is an error as data, a bad row hides nothing. */
import { chmodSync, chownSync } from 'node:fs'
import { dirname } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startProgress } from '../../src/core/progress.js'
import { checkVersion, openTables, type Dialogue, type Row } from '../../src/sessions/dialogue.js'
import { nextWrite } from '../../src/sessions/contract/expect.js'
import type { Session } from '../../src/sessions/session.js'
import { sqliteSession, type SqliteClient } from '../../src/sessions/sqlite.js'
import { migrations, sqliteFlavour, statementsFor } from '../../src/sessions/statements.js'
import { recordFigure, sized } from '../support/figures.js'
import { makeWorkers, type Workers } from '../support/session-process.js'
import { makeDatabase, type TestDatabase } from '../support/sqlite.js'

const databases: TestDatabase[] = []
const make = (journal?: 'wal' | 'delete' | 'persist'): TestDatabase => {
  const database = makeDatabase(journal)
  databases.push(database)
  return database
}
afterEach(() => {
  for (const database of databases.splice(0)) database.remove()
})

const start = startProgress('turn-1')
const errorOf = async (task: Promise<unknown>): Promise<Record<string, unknown>> =>
  task.then(
    () => ({ kind: 'success' }),
    (error: unknown) => ({ ...(error as object), message: (error as Error).message })
  )

/** A sequence of numbers below 1 that is the same in every run. */
const seeded = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const filler = (random: () => number): string => 'f'.repeat(Math.floor(random() ** 4 * 9000))

describe('what a redaction removes', () => {
  test.each(['wal', 'delete', 'persist'] as const)(
    'is nowhere in the files (journal %s)',
    async (journal) => {
      const rounds = sized(4, 100)
      let scanned = 0
      let secrets = 0
      for (let round = 0; round < rounds; round += 1) {
        const random = seeded(round)
        const database = make(journal)
        const session = sqliteSession<unknown>({ client: database.connect(), sessionId: 's' })
        const other = sqliteSession<unknown>({ client: database.connect(), sessionId: 'other' })
        let progress = start
        for (let step = 0; step < 8; step += 1) {
          const secret = `secret-${round}-${step}-`
          const items = Array.from(
            { length: 1 + Math.floor(random() * 12) },
            () => `${secret}${filler(random)}${secret}`
          )
          const raw = nextWrite(progress, { items: [filler(random), ...items] })
          await session.promises.save(raw)
          await other.addItems([filler(random)])
          expect(database.readBytes().includes(secret)).toBe(true)
          const redacted = nextWrite(raw.after, {
            items: items.map(() => filler(random)),
            replaces: items.length
          })
          expect((await session.promises.save(redacted)).notices).toEqual([])
          progress = redacted.after
          const bytes = database.readBytes()
          expect(bytes.includes('secret-')).toBe(false)
          scanned += bytes.length
          secrets += items.length
        }
        database.remove()
        databases.pop()
      }
      recordFigure({
        order: 50,
        fault: 'redacted payloads searched for in the database, its log and its journal',
        store: `SQLite, journal ${journal}`,
        tried: `${secrets} payloads redacted, ${Math.round(scanned / 1e6)} MB scanned`,
        result: '0 found'
      })
    }
  )

  test('is gone too after popItem, clearSession and a history transaction', async () => {
    const database = make()
    const session = sqliteSession<unknown>({ client: database.connect(), sessionId: 's' })
    await session.addItems(['a', 'secret-1'])
    await session.popItem()
    expect(database.readBytes().includes('secret-')).toBe(false)
    await session.addItems(['secret-2'])
    const transaction = {
      type: 'replace_suffix' as const,
      expectedSuffix: ['secret-2'],
      replacement: ['redacted']
    }
    await session.applyHistoryTransaction({ operationId: 'o', transaction })
    expect(database.readBytes().includes('secret-')).toBe(false)
    await session.addItems(['secret-3'])
    await session.clearSession()
    expect(database.readBytes().includes('secret-')).toBe(false)
  })

  test('may stay in the log while a reader holds it, is reported, and leaves with the next save', async () => {
    const database = make()
    const client = database.connect()
    client.exec('pragma busy_timeout = 20')
    const session = sqliteSession<unknown>({ client, sessionId: 's' })
    const raw = nextWrite(start, { items: ['secret-1'] })
    await session.promises.save(raw)
    const reader = database.connect()
    reader.exec('begin')
    reader.prepare('select count(*) from turnkeep_entries').all()
    const redacted = nextWrite(raw.after, { items: ['x'], replaces: 1 })
    expect((await session.promises.save(redacted)).notices).toMatchObject([{ kind: 'residue' }])
    reader.exec('commit')
    expect((await session.promises.save(nextWrite(redacted.after, { items: ['y'] }))).notices).toEqual([])
    expect(database.readBytes().includes('secret-')).toBe(false)
  })
})

describe('a full disk', () => {
  test('is unavailable, certainly not applied, and the same write goes through once there is room', async () => {
    const database = make()
    const client = database.connect()
    const session = sqliteSession<unknown>({ client, sessionId: 's' })
    const first = nextWrite(start, { items: ['a'] })
    await session.promises.save(first)
    let refused = 0
    let write = first
    for (const size of [10_000, 100_000, 1_000_000, 3_000_000]) {
      const pages = Object.values(client.prepare('pragma page_count').all()[0] as object)[0] as number
      client.exec(`pragma max_page_count = ${pages}`)
      write = nextWrite(write.after, { items: ['b', 'x'.repeat(size), 'c'] })
      expect(await errorOf(session.promises.save(write))).toMatchObject({
        kind: 'unavailable',
        reason: 'full',
        applied: 'no',
        code: 'SQLITE_FULL'
      })
      expect(await session.promises.progress('turn-1')).toEqual(write.expects)
      refused += 1
      client.exec('pragma max_page_count = 1000000')
      expect((await session.promises.save(write)).applied).toBe(true)
    }
    expect((await session.getItems()).length).toBe(13)
    recordFigure({
      order: 40,
      fault: 'disk full in the middle of a save',
      store: 'SQLite',
      tried: `${refused} saves of 10 kB to 3 MB`,
      result: `${refused} refused with nothing written, ${refused} applied once there was room`
    })
  })
})

describe('a read-only file', () => {
  let workers: Workers
  beforeAll(async () => {
    workers = await makeWorkers()
  })
  afterAll(() => workers.stop())

  test('can be read, and a save by an unprivileged process is refused as read-only', async () => {
    const database = make('delete')
    const session = sqliteSession<unknown>({ client: database.connect(), sessionId: 's' })
    const first = nextWrite(start, { items: ['a'] })
    await session.promises.save(first)
    const asRoot = process.getuid?.() === 0
    if (asRoot) chownSync(dirname(database.file), 65534, 65534)
    chmodSync(dirname(database.file), 0o755)
    chmodSync(database.file, 0o444)
    const base = {
      name: 'reader',
      place: { kind: 'sqlite', file: database.file },
      sessionId: 's',
      writes: [nextWrite(first.after, { items: ['b'] })],
      count: 0,
      ...(asRoot ? { uid: 65534 } : {})
    } as const
    const read = await workers.run({ ...base, act: 'read' })
    expect(read.lines[0]).toMatchObject({ _tag: 'Right', right: { items: ['a'] } })
    const saved = await workers.run({ ...base, act: 'write' })
    expect(saved.lines[0]).toMatchObject({
      _tag: 'Left',
      left: { kind: 'unavailable', reason: 'read-only', applied: 'no' }
    })
    expect(await session.getItems()).toEqual(['a'])
    recordFigure({
      order: 41,
      fault: 'read-only file, unprivileged process',
      store: 'SQLite',
      tried: '1 read, 1 save',
      result: 'the read answers, the save is refused with nothing written'
    })
  })
})

describe('a corrupt row', () => {
  const corrupt: ReadonlyArray<readonly [string, string]> = [
    ['no JSON', `'{"cut":'`],
    ['no text', `x'00ff'`],
    ['bytes that are no UTF-8', `cast(x'22ff22' as text)`],
    ['a text that NUL cuts', `'"a' || char(0) || 'b"'`]
  ]
  test.each(corrupt)('(%s) hides nothing else and is named without its contents', async (_, value) => {
    const client = make().connect()
    const session = sqliteSession<unknown>({ client, sessionId: 's' })
    await session.promises.save(nextWrite(start, { items: ['a', 'b', 'c'] }))
    client.exec(`update turnkeep_entries set item = ${value} where position = 1`)
    const view = await session.promises.read()
    expect(view).toEqual({
      items: ['a', 'c'],
      notices: [
        {
          kind: 'corrupt-entry',
          path: 'entries[number=0, position=1]',
          turn: 'turn-1',
          message: 'entries[number=0, position=1]: expected JSON; left out'
        }
      ]
    })
    expect(await session.getItems(2)).toEqual(['c'])
    expect(await session.popItem()).toBe('c')
    expect(await session.popItem()).toBe('a')
    expect(await session.popItem()).toBeUndefined()
    expect((await session.promises.read()).notices.length).toBe(1)
  })

  test('of progress stops saves of its turn and of no other', async () => {
    const client = make().connect()
    const session = sqliteSession<unknown>({ client, sessionId: 's' })
    const first = nextWrite(start, { items: ['a'] })
    await session.promises.save(first)
    client.exec(`update turnkeep_turns set progress = '{"turn":"turn-1"}'`)
    const expected = { kind: 'corrupt', turn: 'turn-1', path: 'turns.progress' }
    expect(await errorOf(session.promises.progress('turn-1'))).toMatchObject(expected)
    expect(await errorOf(session.promises.save(nextWrite(first.after)))).toMatchObject(expected)
    await session.promises.save(nextWrite(startProgress('turn-2'), { items: ['b'] }))
    expect(await session.getItems()).toEqual(['a', 'b'])
  })
})

describe('the tables', () => {
  const sessionOf = (client: SqliteClient, table?: string): Session<unknown> =>
    sqliteSession({ client, sessionId: 's', ...(table === undefined ? {} : { table }) })

  test('of a newer release are refused, for reading too', async () => {
    const database = make()
    const client = database.connect()
    await sessionOf(client).addItems(['a'])
    client.exec('update turnkeep_version set version = 7')
    const late = sessionOf(database.connect())
    const error = { kind: 'unsupported-version', found: 7, known: 1 }
    expect(await errorOf(late.getItems())).toMatchObject(error)
    expect(await errorOf(late.promises.save(nextWrite(start)))).toMatchObject(error)
  })

  test('of an older release take the missing steps once, and keep what they hold', async () => {
    const database = make()
    const client = database.connect()
    await sessionOf(client).addItems(['a'])
    const statements = statementsFor('turnkeep', sqliteFlavour)
    const steps = [...migrations('turnkeep'), ['alter table "turnkeep_turns" add column note text']]
    const run = <A>(dialogue: Dialogue<A>): unknown => {
      let step = dialogue.next([])
      while (step.done !== true) {
        const { sql, values, returns } = step.value
        const statement = client.prepare(sql.replaceAll('$', '?'))
        const rows = returns ? (statement.all(...values) as Row[]) : []
        if (!returns) statement.run(...values)
        step = dialogue.next(rows)
      }
      return step.value
    }
    expect(run(checkVersion(statements, steps.length))).toEqual(E.right(false))
    expect(run(openTables(statements, steps))).toEqual(E.right(true))
    expect(run(openTables(statements, steps))).toEqual(E.right(true))
    expect(run(checkVersion(statements, steps.length))).toEqual(E.right(true))
    expect(client.prepare('select note from turnkeep_turns').all()).toEqual([])
    expect(await sessionOf(client).getItems()).toEqual(['a'])
    expect(await errorOf(sessionOf(database.connect()).getItems())).toMatchObject({ found: 2, known: 1 })
  })

  test('have names that are identifiers, and nothing else is put into SQL', async () => {
    const client = make().connect()
    for (const table of ['', '1a', 'a-b', 'a"b', 'a b', 'a;drop table x', 'a'.repeat(41), 'é', 'a.b']) {
      expect(await errorOf(sessionOf(client, table).getItems())).toMatchObject({
        kind: 'rejected',
        path: 'table'
      })
    }
    await sessionOf(client, 'Agents_2').addItems(['a'])
    await sessionOf(client, 'agents_3').addItems(['b'])
    expect(await sessionOf(client, 'Agents_2').getItems()).toEqual(['a'])
  })

  test('refuse an id that no index can hold, by name', async () => {
    const client = make().connect()
    const long = sqliteSession({ client, sessionId: 'x'.repeat(1801) })
    expect(await errorOf(long.getItems())).toMatchObject({ kind: 'rejected', path: 'sessionId' })
    const session = sqliteSession<unknown>({ client, sessionId: 'é'.repeat(600) })
    const turn = startProgress('\u0000'.repeat(300))
    expect((await session.promises.save(nextWrite(turn, { items: ['a'], operation: 'o' }))).applied).toBe(
      true
    )
    const error = await errorOf(
      session.promises.save(nextWrite(startProgress('x'.repeat(1801)), { operation: 'o' }))
    )
    expect(error).toMatchObject({ kind: 'rejected', path: 'turn' })
  })
})

describe('a client', () => {
  test('inside a transaction of its own is not written into', async () => {
    const client = make().connect()
    const session = sqliteSession<unknown>({ client, sessionId: 's' })
    await session.addItems(['a'])
    client.exec('begin')
    expect(await errorOf(session.addItems(['b']))).toMatchObject({ kind: 'unavailable', applied: 'no' })
    client.exec('rollback')
    await session.addItems(['c'])
    expect(await session.getItems()).toEqual(['a', 'c'])
  })

  test('that is busy or closed fails with a code and without the text of the driver', async () => {
    const database = make()
    const client = database.connect()
    client.exec('pragma busy_timeout = 10')
    const session = sqliteSession<unknown>({ client, sessionId: 's' })
    await session.addItems(['a'])
    const writer = database.connect()
    writer.exec('begin immediate')
    expect(await errorOf(session.addItems(['b']))).toEqual({
      kind: 'unavailable',
      reason: 'busy',
      applied: 'no',
      code: 'SQLITE_BUSY',
      message: 'the SQLite client failed with SQLITE_BUSY'
    })
    writer.exec('rollback')
    await session.addItems(['c'])
    expect(await session.getItems()).toEqual(['a', 'c'])
  })

  test('that throws payloads leaks none of them', async () => {
    const thrown = Object.assign(new Error('near "secret"'), { detail: 'secret', code: 'SQLITE_ERROR' })
    const failing: SqliteClient = {
      prepare: () => {
        throw thrown
      },
      exec: () => undefined
    }
    const session = sqliteSession<unknown>({ client: failing, sessionId: 's' })
    const error = await session.save(nextWrite(start, { items: ['secret'] }))()
    expect(JSON.stringify(error)).not.toContain('secret')
  })

  test('with numeric codes, as node:sqlite has, is understood', async () => {
    const failing: SqliteClient = {
      prepare: () => {
        throw Object.assign(new Error('x'), { code: 'ERR_SQLITE_ERROR', errcode: 2067 & 0xff00 })
      },
      exec: () => {
        throw Object.assign(new Error('x'), { code: 'ERR_SQLITE_ERROR', errcode: 8 })
      }
    }
    const session = sqliteSession<unknown>({ client: failing, sessionId: 's' })
    expect(await errorOf(session.addItems(['a']))).toMatchObject({
      reason: 'read-only',
      code: 'SQLITE_READONLY'
    })
  })
})
