import { type AgentInputItem, MemorySession, Runner, type Session, UserError } from '@openai/agents-core'
import { expect, test } from 'vitest'
import { agentsJs } from '../../src/dialects/agents-js.js'
import { type RetentionReport, retaining, withTransactions } from '../../src/runners/openai-agents.js'
import { memorySession } from '../../src/sessions/memory.js'
import { expectedRuns, nameOf, play, scenarios } from '../support/agents-scenarios.js'
import { plainSession } from '../support/agents-sessions.js'

const sessions: ReadonlyArray<readonly [string, () => Session]> = [
  ['memory', () => memorySession<AgentInputItem>()],
  ['plain', plainSession],
  ['MemorySession', () => new MemorySession()]
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
        expect(played.error instanceof UserError).toBe(scenario.refused === true)
      })
    }
  }
}

const native = new Runner()
const runNative = native.run.bind(native) as Runner['run']
/** The SDK drops the ids of function calls; here only what is there counts. */
const withoutMarks = (items: ReadonlyArray<AgentInputItem>): ReadonlyArray<string> =>
  items.map((item) => nameOf(item).replace(/-id$/, ''))

for (const scenario of scenarios) {
  for (const mode of scenario.modes ?? (['run', 'stream'] as const)) {
    test(`withTransactions ${scenario.group} ${scenario.name}: ${mode}, as with a session that has transactions`, async () => {
      const theirs = await play(scenario, mode, runNative, new MemorySession())
      const ours = await play(scenario, mode, runNative, withTransactions(plainSession()))
      expect(withoutMarks(ours.items)).toEqual(withoutMarks(theirs.items))
      expect(ours.ran).toEqual(theirs.ran)
    })
  }
}

/** A cancel is thrown as the signal's reason; the SDK throws what its model made of it. */
const errorOf = (error: unknown): string | undefined =>
  error instanceof Error
    ? error.name === 'AbortError'
      ? error.name
      : `${error.name}: ${error.message}`
    : undefined

test('what a run throws is what the SDK throws, in every row', async () => {
  for (const scenario of scenarios) {
    for (const mode of scenario.modes ?? (['run', 'stream'] as const)) {
      const theirs = await play(scenario, mode, runNative, new MemorySession())
      const run = retaining({ dialect: agentsJs, onSave: () => undefined })
      const ours = await play(scenario, mode, run, new MemorySession())
      expect(errorOf(ours.error), `${scenario.name}: ${mode}`).toBe(errorOf(theirs.error))
    }
  }
})

test('withTransactions keeps every call that ran in every row of the final message, and no rejected message', async () => {
  for (const scenario of scenarios.filter(({ group }) => group === '2.2')) {
    const played = await play(scenario, 'run', runNative, withTransactions(plainSession()))
    const left = withoutMarks(played.items)
    for (const callId of Object.keys(expectedRuns(scenario))) {
      expect(left, scenario.name).toContain(callId)
      expect(
        left.filter((name) => name.startsWith(`out(${callId})`)),
        scenario.name
      ).toHaveLength(1)
    }
    expect(
      left.filter((name) => name.startsWith('msg')),
      scenario.name
    ).toEqual([])
  }
})
