import { randomUUID } from 'node:crypto'
import type { AgentInputItem, Session } from '@openai/agents-core'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { agentsJs } from '../../src/dialects/agents-js.js'
import { type RetentionReport, retaining } from '../../src/runners/openai-agents.js'
import { postgresSession } from '../../src/sessions/postgres.js'
import { sqliteSession } from '../../src/sessions/sqlite.js'
import { expectedRuns, nameOf, play, scenarios } from '../support/agents-scenarios.js'
import { startPostgres, type TestPostgres } from '../support/postgres.js'
import { makeDatabase } from '../support/sqlite.js'

const database = makeDatabase()
let server: TestPostgres
let pool: pg.Pool

beforeAll(async () => {
  server = await startPostgres()
  pool = new pg.Pool(server.configuration)
})

afterAll(async () => {
  await pool.end()
  await server.stop()
  database.remove()
})

const client = database.connect()
const sessions: ReadonlyArray<readonly [string, () => Session]> = [
  ['SQLite', () => sqliteSession<AgentInputItem>({ client, sessionId: randomUUID() })],
  ['Postgres', () => postgresSession<AgentInputItem>({ client: pool, sessionId: randomUUID() })]
]

for (const [kind, makeSession] of sessions) {
  for (const scenario of scenarios) {
    for (const mode of scenario.modes ?? (['run', 'stream'] as const)) {
      test(`retaining ${scenario.group} ${scenario.name}: ${mode}, ${kind}`, async () => {
        const reports: RetentionReport[] = []
        const run = retaining({ dialect: agentsJs, onSave: (report) => reports.push(report) })
        const played = await play(scenario, mode, run, makeSession())
        expect(played.items.map(nameOf)).toEqual(['user', ...scenario.leaves])
        expect(played.ran).toEqual(expectedRuns(scenario))
        expect(reports.map(({ saved }) => saved)).toEqual(reports.map(() => true))
      })
    }
  }
}
