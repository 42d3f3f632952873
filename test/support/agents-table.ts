/** The table of the documentation: what each row leaves in a session, with the SDK alone and with turnkeep. */
import { type AgentInputItem, MemorySession, Runner, type Session } from '@openai/agents-core'
import { agentsJs } from '../../src/dialects/agents-js.js'
import { retaining, withTransactions } from '../../src/runners/openai-agents.js'
import { memorySession } from '../../src/sessions/memory.js'
import { type Mode, nameOf, type Played, play, type Scenario, scenarios } from './agents-scenarios.js'
import { plainSession } from './agents-sessions.js'

type Run = Runner['run']

const native = new Runner()
const runNative = native.run.bind(native) as Run
const runRetaining = retaining({ dialect: agentsJs, onSave: () => undefined })

/** The SDK stores function calls without ids; that is no difference that matters here. */
const plainNames = ({ items }: Played): ReadonlyArray<string> =>
  items.map((item) => nameOf(item).replace(/-id$/, ''))

const show = (names: ReadonlyArray<string>): string =>
  names.length === 0 ? 'nothing' : `\`${names.join(' ')}\``

const modesOf = (scenario: Scenario): ReadonlyArray<Mode> => scenario.modes ?? ['run', 'stream']

/** What a way of running leaves, told once where both modes agree. */
const cellOf = async (
  scenario: Scenario,
  run: Run,
  makeSession: () => Session,
  expected: ReadonlyArray<string>
): Promise<string> => {
  const cells: string[] = []
  for (const mode of modesOf(scenario)) {
    const names = plainNames(await play(scenario, mode, run, makeSession()))
    cells.push(names.join(' ') === expected.join(' ') ? 'the same' : show(names))
  }
  const [first = '', second = first] = cells
  return first === second ? first : `run: ${first}<br>stream: ${second}`
}

const marked = ['user']

/** The rows of one group, as Markdown. */
const rowsOf = async (group: Scenario['group']): Promise<ReadonlyArray<string>> => {
  const rows: string[] = []
  const chosen = scenarios.filter(
    (scenario) =>
      scenario.group === group &&
      (group !== '2.1' ||
        scenario.toolFinal === 'stop_on_first_tool' ||
        (scenario.name.startsWith('T1') && scenario.toolFinal === 'stopAtToolNames'))
  )
  for (const scenario of chosen) {
    const leaves = [...marked, ...scenario.leaves]
    const expected = leaves.map((name) => name.replace(/-id$/, ''))
    const ours = await cellOf(scenario, runRetaining, () => memorySession<AgentInputItem>(), expected)
    if (ours !== 'the same') throw new Error(`${scenario.name}: turnkeep leaves ${ours}`)
    const cells = [
      scenario.name.replace(/, (stop_on_first_tool|stopAtToolNames)$/, ''),
      show(leaves),
      await cellOf(scenario, runNative, plainSession, expected),
      await cellOf(scenario, runNative, () => new MemorySession(), expected),
      await cellOf(scenario, runNative, () => withTransactions(plainSession()), expected)
    ]
    rows.push(`| ${cells.map((cell) => cell.replace(/\|/g, '\\|')).join(' | ')} |`)
  }
  return rows
}

const titles: ReadonlyArray<readonly [Scenario['group'], string]> = [
  ['2.1', 'The result of a tool is the final output, and the output guardrail trips'],
  ['2.2', 'A message is the final output, and the output guardrail trips'],
  ['2.3', 'Other ends'],
  ['2.4', 'Approvals']
]

/** Every table, as Markdown. */
export const makeTables = async (): Promise<string> => {
  const parts: string[] = []
  for (const [group, title] of titles) {
    parts.push(
      `## ${title}`,
      '',
      '| what happens | `retaining`, every session | SDK, five methods | SDK, `MemorySession` | SDK, `withTransactions` |',
      '|---|---|---|---|---|',
      ...(await rowsOf(group)),
      ''
    )
  }
  return parts.join('\n')
}
