/** The session interface of the OpenAI Agents SDK, over every store: what its own in-memory session answers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  MemorySession,
  isSessionHistoryTransactionAwareSession,
  type AgentInputItem
} from '@openai/agents-core'
import pg from 'pg'
import { startProgress } from '../../src/core/progress.js'
import { nextWrite } from '../../src/sessions/contract/expect.js'
import { memorySession } from '../../src/sessions/memory.js'
import { postgresSession } from '../../src/sessions/postgres.js'
import type { Session } from '../../src/sessions/session.js'
import { sqliteSession } from '../../src/sessions/sqlite.js'
import { startPostgres, type TestPostgres } from '../support/postgres.js'
import { likeBetterSqlite, makeDatabase } from '../support/sqlite.js'

let server: TestPostgres
let pool: pg.Pool
const database = makeDatabase()
beforeAll(async () => {
  server = await startPostgres()
  pool = new pg.Pool({ ...server.configuration, max: 4 })
  pool.on('error', () => undefined)
})
afterAll(async () => {
  await pool.end()
  await server.stop()
  database.remove()
})

let sessions = 0
const makers: Readonly<Record<string, <Raw>(sessionId: string) => Session<Raw>>> = {
  memory: (sessionId) => memorySession({ sessionId }),
  sqlite: (sessionId) => sqliteSession({ client: database.connect(), sessionId }),
  'sqlite like better-sqlite3': (sessionId) =>
    sqliteSession({ client: likeBetterSqlite(database.connect()), sessionId }),
  postgres: (sessionId) => postgresSession({ client: pool, sessionId })
}

const user = (content: string): AgentInputItem => ({ type: 'message', role: 'user', content })
const call = (callId: string): AgentInputItem => ({
  type: 'function_call',
  callId,
  name: 'pay',
  arguments: '{}',
  status: 'completed'
})
const output = (callId: string, text: string): AgentInputItem => ({
  type: 'function_call_result',
  callId,
  name: 'pay',
  status: 'completed',
  output: text
})

const append = (operationId: string, ...items: AgentInputItem[]) => ({
  operationId,
  transaction: { type: 'append_items' as const, items }
})
const replace = (
  operationId: string,
  expectedSuffix: AgentInputItem[],
  ...replacement: AgentInputItem[]
) => ({
  operationId,
  transaction: { type: 'replace_suffix' as const, expectedSuffix, replacement }
})

/** Calls that both sessions get, and what each answers: a value, or that it failed. */
type Step = (session: Session<AgentInputItem> | MemorySession) => Promise<unknown>
const steps: ReadonlyArray<readonly [string, Step]> = [
  ['reads an empty session', (s) => s.getItems()],
  ['pops from an empty session', (s) => s.popItem()],
  ['adds nothing', (s) => s.addItems([])],
  ['adds items', (s) => s.addItems([user('a'), user('b'), user('c')])],
  ['reads everything', (s) => s.getItems()],
  ['reads the last two', (s) => s.getItems(2)],
  ['reads none for 0', (s) => s.getItems(0)],
  ['reads none for less', (s) => s.getItems(-3)],
  ['reads no more than there is', (s) => s.getItems(99)],
  ['pops the last', (s) => s.popItem()],
  ['appends in a transaction', (s) => s.applyHistoryTransaction(append('o1', call('1'), output('1', 'raw')))],
  ['appends once', (s) => s.applyHistoryTransaction(append('o1', call('1'), output('1', 'raw')))],
  [
    'refuses another transaction under the same id',
    (s) => s.applyHistoryTransaction(append('o1', user('x')))
  ],
  [
    'refuses a suffix that is not there',
    (s) => s.applyHistoryTransaction(replace('o2', [user('z')], user('y')))
  ],
  [
    'refuses a longer suffix',
    (s) =>
      s.applyHistoryTransaction(
        replace(
          'o2',
          Array.from({ length: 9 }, () => user('z')),
          user('y')
        )
      )
  ],
  [
    'replaces a suffix',
    (s) => s.applyHistoryTransaction(replace('o2', [output('1', 'raw')], output('1', 'redacted'), user('d')))
  ],
  [
    'replaces it once',
    (s) => s.applyHistoryTransaction(replace('o2', [output('1', 'raw')], output('1', 'redacted'), user('d')))
  ],
  ['replaces an empty suffix', (s) => s.applyHistoryTransaction(replace('o3', [], user('e')))],
  ['removes a suffix', (s) => s.applyHistoryTransaction(replace('o4', [user('e')]))],
  [
    'takes keys in another order',
    (s) =>
      s.applyHistoryTransaction(
        replace('o5', [{ content: 'd', role: 'user', type: 'message' } as AgentInputItem], user('f'))
      )
  ],
  ['refuses an empty id', (s) => s.applyHistoryTransaction(append('  ', user('x')))],
  [
    'refuses an unknown transaction',
    (s) => s.applyHistoryTransaction({ operationId: 'o6', transaction: { type: 'other' } } as never)
  ],
  [
    'refuses what no list is',
    (s) =>
      s.applyHistoryTransaction({
        operationId: 'o6',
        transaction: { type: 'append_items', items: 1 }
      } as never)
  ],
  ['reads everything again', (s) => s.getItems()],
  ['clears', (s) => s.clearSession()],
  ['reads nothing', (s) => s.getItems()],
  ['takes an id again after clearing', (s) => s.applyHistoryTransaction(append('o1', user('again')))],
  ['reads that', (s) => s.getItems()]
]

const answer = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => ({ value }),
    () => 'failed'
  )

describe.each(Object.keys(makers))('%s', (name) => {
  const make = <Raw>(): Session<Raw> => {
    sessions += 1
    return (makers[name] as (typeof makers)[string])(`session-${sessions}`)
  }

  test('answers every call as the session of the SDK does', async () => {
    const mine = make<AgentInputItem>()
    const theirs = new MemorySession()
    for (const [what, step] of steps) {
      const expected = await answer(step(theirs))
      expect([what, await answer(step(mine))]).toEqual([what, expected])
      expect([what, await mine.getItems()]).toEqual([what, await theirs.getItems()])
    }
  })

  test('says its id and is seen as transaction aware', async () => {
    const session = make<AgentInputItem>()
    expect(await session.getSessionId()).toBe(`session-${sessions}`)
    expect(isSessionHistoryTransactionAwareSession(session)).toBe(true)
  })

  test('rejects with an error that carries the fields of the store error, and no payload', async () => {
    const session = make<unknown>()
    await session.addItems(['a'])
    const error = await session
      .applyHistoryTransaction({
        operationId: 'o',
        transaction: { type: 'replace_suffix', expectedSuffix: ['secret'], replacement: ['secret'] }
      })
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({ kind: 'rejected', path: 'transaction.expectedSuffix' })
    expect(JSON.stringify(error) + String(error)).not.toContain('secret')
    const lost = await session.addItems(['b', 1n]).catch((thrown: unknown) => thrown)
    expect(lost).toMatchObject({ kind: 'rejected', path: 'items[1]' })
    expect(await session.getItems()).toEqual(['a'])
  })

  test.each([
    ['popItem', (session: Session<unknown>) => session.popItem()],
    [
      'a history transaction',
      (session: Session<unknown>) =>
        session.applyHistoryTransaction({
          operationId: 'o',
          transaction: { type: 'replace_suffix', expectedSuffix: ['b'], replacement: [] }
        })
    ]
  ])('refuses to save a turn that lost entries to %s', async (_, remove) => {
    const session = make<unknown>()
    const first = nextWrite(startProgress('turn-1'), { items: ['a', 'b'] })
    await session.promises.save(first)
    await remove(session)
    expect(await session.getItems()).toEqual(['a'])
    const error = await session.promises
      .save(nextWrite(first.after, { items: ['c'] }))
      .catch((e: unknown) => e)
    expect(error).toMatchObject({ kind: 'diverged', turn: 'turn-1', removed: 1 })
    expect((await session.promises.save(first)).applied).toBe(false)
    await session.promises.save(nextWrite(startProgress('turn-2'), { items: ['d'] }))
    expect(await session.getItems()).toEqual(['a', 'd'])
  })

  test('keeps plain items and turns apart, in the order of their first write', async () => {
    const session = make<unknown>()
    const first = nextWrite(startProgress('turn-1'), { items: ['a'] })
    await session.promises.save(first)
    await session.addItems(['plain'])
    await session.promises.save(nextWrite(first.after, { items: ['b'], replaces: 1 }))
    expect(await session.getItems()).toEqual(['b', 'plain'])
  })

  test('forgets progress and operations when it is cleared', async () => {
    const session = make<unknown>()
    const first = nextWrite(startProgress('turn-1'), { items: ['a'] })
    await session.promises.save(first)
    await session.clearSession()
    expect(await session.promises.progress('turn-1')).toBeNull()
    const error = await session.promises
      .save(nextWrite(first.after, { items: ['b'] }))
      .catch((e: unknown) => e)
    expect(error).toMatchObject({ kind: 'conflict', stored: null })
    await session.promises.save(first)
    expect(await session.getItems()).toEqual(['a'])
  })
})
