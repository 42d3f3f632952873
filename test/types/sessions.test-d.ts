/** Sessions are the SDK's sessions, and clients of the real drivers fit, by structure alone. */
import { describe, expectTypeOf, test } from 'vitest'
import type { AgentInputItem, Session, SessionHistoryTransactionAwareSession } from '@openai/agents-core'
import type Database from 'libsql'
import type pg from 'pg'
import type postgres from 'postgres'
import type { SessionStore } from '../../src/ports/session-store.js'
import { memorySession } from '../../src/sessions/memory.js'
import {
  postgresSession,
  type PgClient,
  type PgPool,
  type PostgresJsClient
} from '../../src/sessions/postgres.js'
import { sqliteSession, type SqliteClient } from '../../src/sessions/sqlite.js'

describe('a session', () => {
  test('is a session of the agents SDK with history transactions', () => {
    expectTypeOf(memorySession<AgentInputItem>()).toExtend<Session>()
    expectTypeOf(memorySession<AgentInputItem>()).toExtend<SessionHistoryTransactionAwareSession>()
    expectTypeOf(sqliteSession<AgentInputItem>).returns.toExtend<SessionHistoryTransactionAwareSession>()
    expectTypeOf(postgresSession<AgentInputItem>).returns.toExtend<SessionHistoryTransactionAwareSession>()
  })

  test('is a store of the same entries', () => {
    expectTypeOf(memorySession<{ a: 1 }>()).toExtend<SessionStore<{ a: 1 }>>()
  })
})

describe('a client', () => {
  test('of a real driver fits', () => {
    expectTypeOf<Database.Database>().toExtend<SqliteClient>()
    expectTypeOf<pg.Pool>().toExtend<PgPool>()
    expectTypeOf<pg.Client>().toExtend<PgClient>()
    expectTypeOf<pg.PoolClient>().toExtend<PgClient>()
    expectTypeOf<postgres.Sql>().toExtend<PostgresJsClient>()
  })
})
