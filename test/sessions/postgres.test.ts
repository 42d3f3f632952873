/** Postgres: lost answers, a server that dies, a lock that is held, and what is in the rows afterwards. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import pg from 'pg'
import postgres from 'postgres'
import { startProgress } from '../../src/core/progress.js'
import type { StoreError } from '../../src/ports/session-store.js'
import { nextWrite } from '../../src/sessions/contract/expect.js'
import { postgresSession, type PostgresOptions } from '../../src/sessions/postgres.js'
import type { Session } from '../../src/sessions/session.js'
import { recordFigure, sized } from '../support/figures.js'
import { startProxy, type Fate, type PostgresProxy } from '../support/postgres-proxy.js'
import { queryOnce, startPostgres, type TestPostgres } from '../support/postgres.js'

let server: TestPostgres
let proxy: PostgresProxy
let sessions = 0
const closers: Array<() => Promise<unknown>> = []

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(async () => {
  await server.stop()
})
beforeEach(async () => {
  proxy = await startProxy(server)
})
const closeClients = async (): Promise<void> => {
  for (const close of closers.splice(0)) await close()
}
afterEach(async () => {
  await proxy.close()
  await closeClients()
})

type Client = PostgresOptions<unknown>['client']
type Configuration = TestPostgres['configuration']

const clients: Readonly<Record<string, (configuration: Configuration, options?: string) => Promise<Client>>> =
  {
    'a pool of pg': async (configuration, options) => {
      const pool = new pg.Pool({ ...configuration, max: 4, ...(options === undefined ? {} : { options }) })
      // Required of every host: an idle connection that breaks is an event of the pool.
      pool.on('error', () => undefined)
      closers.push(() => pool.end())
      return pool
    },
    'one client of pg': async (configuration, options) => {
      const client = new pg.Client({ ...configuration, ...(options === undefined ? {} : { options }) })
      client.on('error', () => undefined)
      await client.connect()
      closers.push(() => client.end().catch(() => undefined))
      return client
    },
    'postgres.js': async (configuration, options) => {
      const lockTimeout = options === undefined ? {} : { connection: { lock_timeout: 100 } }
      // As the how-to says: a server that is down is asked again soon, and no query of the driver's own goes astray.
      const sql = postgres({
        ...configuration,
        max: 4,
        fetch_types: false,
        backoff: () => 0.02,
        ...lockTimeout
      })
      closers.push(() => sql.end({ timeout: 0 }))
      return sql
    }
  }
const names = Object.keys(clients)
const connect = (name: string, configuration: Configuration, options?: string): Promise<Client> =>
  (clients[name] as (typeof clients)[string])(configuration, options)

const newId = (): string => {
  sessions += 1
  return `session-${sessions}`
}

const over = (client: Client, sessionId: string): Session<unknown> => postgresSession({ client, sessionId })

const leftOf = async (task: Promise<{ readonly _tag: string }>): Promise<StoreError> => {
  const result = (await task) as { readonly _tag: string; readonly left?: StoreError }
  if (result.left === undefined) throw new Error(`expected an error, found ${result._tag}`)
  return result.left
}

const start = startProgress('turn-1')

describe.each(names)('%s', (name) => {
  test('whose answer to a commit is lost does not know, and the same write again is applied once', async () => {
    const rounds = sized(3, 200)
    const sessionId = newId()
    let progress = start
    for (let round = 0; round < rounds; round += 1) {
      const session = over(await connect(name, proxy.configuration), sessionId)
      await session.promises.read()
      const write = nextWrite(progress, { items: [`${round} a`, `${round} b`] })
      proxy.arm('COMMIT', 'cut')
      expect(await leftOf(session.save(write)())).toMatchObject({
        kind: 'unavailable',
        reason: 'connection',
        applied: 'unknown'
      })
      const again = over(await connect(name, proxy.configuration), sessionId)
      expect(await again.promises.save(write)).toEqual({ applied: false, progress: write.after, notices: [] })
      progress = write.after
      await closeClients()
    }
    expect(proxy.struck()).toBe(rounds)
    const safe = over(await connect('a pool of pg', server.configuration), sessionId)
    expect(await safe.getItems()).toEqual(
      Array.from({ length: rounds }, (_, round) => [`${round} a`, `${round} b`]).flat()
    )
    recordFigure({
      order: 30,
      fault: 'connection lost after the commit, before the answer',
      store: `Postgres, ${name}`,
      tried: `${rounds} saves, each sent again`,
      result: `${rounds} reported as unknown, ${rounds} found applied on the retry, 0 doubled`
    })
  })

  test('whose connection breaks before the commit has written nothing, and the retry writes it', async () => {
    const sessionId = newId()
    const session = over(await connect(name, proxy.configuration), sessionId)
    const first = nextWrite(start, { items: ['a'] })
    await session.promises.save(first)
    const write = nextWrite(first.after, { items: ['b'] })
    proxy.arm('INSERT 0 1', 'cut')
    expect(await leftOf(session.save(write)())).toMatchObject({ kind: 'unavailable', applied: 'no' })
    const again = over(await connect(name, server.configuration), sessionId)
    expect(await again.getItems()).toEqual(['a'])
    expect((await again.promises.save(write)).applied).toBe(true)
    expect(await again.getItems()).toEqual(['a', 'b'])
  })

  test('that is answered late keeps its order', async () => {
    const rounds = sized(1, 50)
    for (let round = 0; round < rounds; round += 1) {
      const sessionId = newId()
      const session = over(await connect(name, proxy.configuration), sessionId)
      await session.promises.read()
      const slow = nextWrite(start, { items: ['a1', 'a2'] })
      const fast = nextWrite(startProgress('turn-2'), { items: ['b1', 'b2'] })
      proxy.arm('COMMIT', 'delay')
      const both = await Promise.all([session.promises.save(slow), session.promises.save(fast)])
      expect(both.map(({ applied }) => applied)).toEqual([true, true])
      const items = await session.getItems()
      expect([
        ['a1', 'a2', 'b1', 'b2'],
        ['b1', 'b2', 'a1', 'a2']
      ]).toContainEqual(items)
      expect(await session.promises.save(slow)).toMatchObject({ applied: false })
      expect(await session.getItems()).toEqual(items)
      await closeClients()
    }
    expect(proxy.struck()).toBe(rounds)
    recordFigure({
      order: 32,
      fault: 'commit answered late while another turn is saved',
      store: `Postgres, ${name}`,
      tried: `${rounds} pairs of saves`,
      result: `${rounds * 2} applied once, whole turns in order`
    })
  })

  test('that delivers a write twice at once has it applied once', async () => {
    const rounds = sized(1, 50)
    for (let round = 0; round < rounds; round += 1) {
      const session = over(await connect(name, server.configuration), newId())
      const write = nextWrite(start, { items: ['a', 'b'] })
      const both = await Promise.all([session.promises.save(write), session.promises.save(write)])
      expect(both.map(({ applied }) => applied).sort()).toEqual([false, true])
      expect(await session.getItems()).toEqual(['a', 'b'])
      await closeClients()
    }
    recordFigure({
      order: 33,
      fault: 'write delivered twice at once',
      store: `Postgres, ${name}`,
      tried: `${rounds} writes`,
      result: `${rounds} applied once, 0 doubled`
    })
  })
})

describe.each(['a pool of pg', 'postgres.js'])('%s', (name) => {
  test('that survives a server killed and started again goes on by sending the same writes', {
    timeout: 300_000
  }, async () => {
    const rounds = sized(1, 10)
    const turns = 6
    const sessionId = newId()
    const session = over(await connect(name, server.configuration), sessionId)
    const errors: StoreError[] = []
    let repeated = 0
    const expected: string[] = []
    for (let round = 0; round < rounds; round += 1) {
      const pending = Array.from({ length: turns }, async (_, turn) => {
        const id = `${round}/${turn}`
        let progress = startProgress(id)
        for (let step = 0; step < 5; step += 1) {
          const write = nextWrite(progress, { items: [`${id} ${step}`] })
          for (;;) {
            const result = await session.save(write)()
            if (result._tag === 'Right') {
              if (!result.right.applied) repeated += 1
              progress = result.right.progress
              break
            }
            expect(result.left.kind).toBe('unavailable')
            errors.push(result.left)
            await new Promise((resolve) => setTimeout(resolve, 20))
          }
        }
      })
      // Somewhere in the middle of the saves.
      while ((await session.getItems().catch(() => [])).length < expected.length + 2 + (round % 9));
      await server.kill()
      await server.start()
      await Promise.all(pending)
      expected.push(
        ...Array.from({ length: turns }, (_, turn) =>
          Array.from({ length: 5 }, (_, step) => `${round}/${turn} ${step}`)
        ).flat()
      )
    }
    const items = (await session.getItems()) as ReadonlyArray<string>
    expect([...items].sort()).toEqual([...expected].sort())
    for (let turn = 0; turn < items.length; turn += 5) {
      expect(items.slice(turn, turn + 5).map((item) => item.split(' ')[1])).toEqual(['0', '1', '2', '3', '4'])
    }
    expect(errors.length).toBeGreaterThan(0)
    recordFigure({
      order: 31,
      fault: 'server killed and started again while six turns are saved',
      store: `Postgres, ${name}`,
      tried: `${rounds} restarts, ${errors.length} saves failed and were sent again`,
      result: `${items.length} entries, 0 lost, 0 doubled, order kept; ${repeated} of the repeated saves had been applied`
    })
  })

  test('that is never answered holds nobody up for longer than the host allows', async () => {
    const sessionId = newId()
    const lost = over(await connect(name, proxy.configuration), sessionId)
    const first = nextWrite(start, { items: ['a'] })
    await lost.promises.save(first)
    const write = nextWrite(first.after, { items: ['b'] })
    proxy.arm('INSERT 0 1', 'swallow')
    const settled: string[] = []
    const waiting = lost
      .save(write)()
      .then(({ _tag }) => settled.push(_tag))
    const impatient = over(await connect(name, server.configuration, '-c lock_timeout=100'), sessionId)
    while (proxy.struck() === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    // The transaction of the silent connection holds the session: a typed error, not a wait without end.
    expect(await leftOf(impatient.save(write)())).toMatchObject({
      kind: 'unavailable',
      reason: 'busy',
      applied: 'no'
    })
    // Other sessions go on, and so do reads of this one.
    const other = over(await connect(name, server.configuration), newId())
    expect((await other.promises.save(write).catch((error: unknown) => error)) as object).toMatchObject({
      kind: 'conflict'
    })
    expect(await impatient.getItems()).toEqual(['a'])
    expect(settled).toEqual([])
    proxy.cutAll()
    await waiting
    expect(settled).toEqual(['Left'])
    expect((await other.promises.save(nextWrite(start, { items: ['x'] }))).applied).toBe(true)
    let receipt = await impatient.save(write)()
    while (receipt._tag === 'Left') receipt = await impatient.save(write)()
    expect(receipt.right.applied).toBe(true)
    expect(await impatient.getItems()).toEqual(['a', 'b'])
  })

  test.each(['swallow', 'cut'] as ReadonlyArray<Fate>)(
    'whose commit is answered never (%s) is found applied by another',
    async (fate) => {
      const rounds = sized(1, 20)
      for (let round = 1; round <= rounds; round += 1) {
        const sessionId = newId()
        const lost = over(await connect(name, proxy.configuration), sessionId)
        await lost.promises.read()
        const write = nextWrite(start, { items: ['a'] })
        proxy.arm('COMMIT', fate)
        const waiting = lost.save(write)()
        while (proxy.struck() < round) await new Promise((resolve) => setTimeout(resolve, 5))
        const other = over(await connect(name, server.configuration), sessionId)
        expect(await other.promises.save(write)).toMatchObject({ applied: false })
        proxy.cutAll()
        expect(await leftOf(waiting)).toMatchObject({ kind: 'unavailable', applied: 'unknown' })
        expect(await other.getItems()).toEqual(['a'])
        await closeClients()
      }
      recordFigure({
        order: 34,
        fault: `commit never answered (${fate === 'cut' ? 'connection cut' : 'silence'})`,
        store: `Postgres, ${name}`,
        tried: `${rounds} saves, each sent again by another process meanwhile`,
        result: `${rounds} found applied, 0 doubled`
      })
    }
  )
})

test('what a redaction removes is in no row', async () => {
  const session = over(await connect('a pool of pg', server.configuration), newId())
  const raw = nextWrite(start, { items: ['a', { output: 'secret-7' }] })
  await session.promises.save(raw)
  const dump = async (): Promise<string> => {
    const tables = await queryOnce(server, `select tablename from pg_tables where schemaname = 'public'`)
    const rows = await Promise.all(
      tables.map(({ tablename }) => queryOnce(server, `select t::text from "${tablename}" t`))
    )
    return JSON.stringify(rows)
  }
  expect(await dump()).toContain('secret-7')
  await session.promises.save(nextWrite(raw.after, { items: [{ output: 'redacted' }], replaces: 1 }))
  expect(await dump()).not.toContain('secret-7')
  const expectedSuffix = [{ output: 'redacted' }]
  const replacement = [{ output: 'secret-8' }]
  await session.applyHistoryTransaction({
    operationId: 'o1',
    transaction: { type: 'replace_suffix', expectedSuffix, replacement }
  })
  await session.applyHistoryTransaction({
    operationId: 'o2',
    transaction: { type: 'replace_suffix', expectedSuffix: replacement, replacement: expectedSuffix }
  })
  expect(await dump()).not.toContain('secret-8')
})

test('a corrupt row hides nothing else', async () => {
  const session = over(await connect('a pool of pg', server.configuration), newId())
  await session.promises.save(nextWrite(start, { items: ['a', 'b', 'c'] }))
  const id = await session.getSessionId()
  await queryOnce(
    server,
    `update turnkeep_entries set item = '{"cut":' where session = $1 and position = 0`,
    [id]
  )
  const view = await session.promises.read()
  expect(view.items).toEqual(['b', 'c'])
  expect(view.notices).toMatchObject([
    { kind: 'corrupt-entry', turn: 'turn-1', path: 'entries[number=0, position=0]' }
  ])
})

test('tables of a newer release are refused', async () => {
  const client = await connect('a pool of pg', server.configuration)
  const first = postgresSession<unknown>({ client, sessionId: 's', table: 'late' })
  await first.addItems(['a'])
  await queryOnce(server, 'update late_version set version = 9')
  const fresh = await connect('a pool of pg', server.configuration)
  const late = postgresSession<unknown>({ client: fresh, sessionId: 's', table: 'late' })
  expect(await leftOf(late.read()())).toMatchObject({ kind: 'unsupported-version', found: 9, known: 1 })
})

test('an error of the server carries its code and not its text', async () => {
  const client = await connect('a pool of pg', server.configuration)
  const session = postgresSession<unknown>({ client, sessionId: newId(), table: 'guarded' })
  await session.addItems(['a'])
  await queryOnce(server, `alter table guarded_entries add check (item <> '"secret"')`)
  const error = await leftOf(session.save(nextWrite(start, { items: ['secret'] }))())
  expect(error).toEqual({
    kind: 'unavailable',
    reason: 'other',
    applied: 'no',
    code: '23514',
    message: 'the Postgres client failed with 23514'
  })
  expect(await session.getItems()).toEqual(['a'])
})

test('a database that only reads is named so', async () => {
  const client = await connect('a pool of pg', server.configuration, '-c default_transaction_read_only=on')
  const writable = over(await connect('a pool of pg', server.configuration), newId())
  await writable.addItems(['a'])
  const session = over(client, await writable.getSessionId())
  expect(await session.getItems()).toEqual(['a'])
  expect(await leftOf(session.save(nextWrite(start, { items: ['b'] }))())).toMatchObject({
    reason: 'read-only'
  })
})

test('a first save that is sent again takes no number of the session', async () => {
  const client = await connect('one client of pg', server.configuration)
  const sessionId = newId()
  const session = postgresSession({ client, sessionId })
  const write = nextWrite(start, { items: ['a'] })
  expect((await session.promises.save(write)).applied).toBe(true)
  expect((await session.promises.save(write)).applied).toBe(false)
  await session.promises.save(nextWrite(startProgress('turn-2'), { items: ['b'] }))
  const turns = await queryOnce(
    server,
    'select turn, number from turnkeep_turns where session = $1 order by number',
    [sessionId]
  )
  expect(turns).toEqual([
    { turn: 'turn-1', number: '0' },
    { turn: 'turn-2', number: '1' }
  ])
})
