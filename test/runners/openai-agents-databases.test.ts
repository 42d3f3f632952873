import { randomUUID } from 'node:crypto'
import {
  type AgentInputItem,
  OutputGuardrailTripwireTriggered,
  RunState,
  type Session
} from '@openai/agents-core'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { agentsJs } from '../../src/dialects/agents-js.js'
import { type RetentionReport, retaining } from '../../src/runners/openai-agents.js'
import { postgresSession } from '../../src/sessions/postgres.js'
import { sqliteSession } from '../../src/sessions/sqlite.js'
import { expectedRuns, nameOf, play, scenarios, setStage } from '../support/agents-scenarios.js'
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

test('PROGRESS-2: a state from text goes on with its turn over another connection, and nothing is written twice', async () => {
  const sessionId = randomUUID()
  const here = sqliteSession<AgentInputItem>({ client, sessionId })
  const there = sqliteSession<AgentInputItem>({ client: database.connect(), sessionId })
  const { agent, ran } = setStage({
    group: '2.4',
    name: '',
    leaves: [],
    guardrail: 'trips',
    responses: [
      ['rs_a', 'c1', 'n1'],
      ['rs_b', 'msg_1']
    ]
  })
  const reports: RetentionReport[] = []
  const run = retaining({ dialect: agentsJs, onSave: (report) => reports.push(report) })
  const waiting = await run(agent, 'go', { session: here })
  expect((await there.getItems()).map(nameOf)).toEqual(['user', 'rs_a', 'c1', 'n1', 'out(c1)'])
  const state = await RunState.fromString(agent, waiting.state.toString())
  for (const interruption of state.getInterruptions()) state.approve(interruption)
  await expect(run(agent, state, { session: there })).rejects.toThrow(OutputGuardrailTripwireTriggered)
  expect((await here.getItems()).map(nameOf)).toEqual(['user', 'rs_a', 'c1', 'n1', 'out(c1)', 'out(n1)'])
  expect(ran).toEqual({ c1: 1, n1: 1 })
  expect(new Set(reports.map(({ turn }) => turn)).size).toBe(1)
  expect(reports.map(({ outcome }) => outcome.kind)).toEqual(['open', 'rejected'])
})
