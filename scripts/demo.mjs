// `npm start`: one refund, four ways, on the real OpenAI Agents SDK with a scripted model and a SQLite file.
// Nothing leaves the machine. Ends with 1 if a way does not do what is said of it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  Agent,
  OutputGuardrailTripwireTriggered,
  Runner,
  setTracingDisabled,
  tool,
  Usage
} from '@openai/agents-core'
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents-core/testing'
import Table from 'cli-table3'
import Database from 'libsql'
import colours from 'picocolors'
import { agentsJs } from 'turnkeep/dialects/agents-js'
import { retaining } from 'turnkeep/openai-agents'
import { sqliteSession } from 'turnkeep/sessions/sqlite'
import { z } from 'zod'

setTracingDisabled(true)

/** A model that refunds unless it sees that it was done. */
const scriptedModel = () => {
  let answers = 0
  const respond = ({ request }) => {
    answers += 1
    const sees = JSON.stringify(request.input).includes('function_call_result')
    const output = sees
      ? [assistantMessage('Order 7 is refunded.', { id: `msg_${answers}` })]
      : [
          { type: 'reasoning', id: `rs_${answers}`, content: [] },
          functionCall('refund', { order: 7 }, { callId: `call_${answers}`, id: `fc_${answers}` })
        ]
    return { usage: new Usage(), responseId: `resp_${answers}`, output }
  }
  return new ScriptedModel(Array.from({ length: 6 }, () => ({ type: 'responder', respond })))
}

const makeAgent = (books, model, isStrict) =>
  new Agent({
    name: 'Refunds',
    model,
    toolUseBehavior: 'stop_on_first_tool',
    tools: [
      tool({
        name: 'refund',
        description: 'Refunds an order.',
        parameters: z.object({ order: z.number() }),
        execute: async ({ order }) => {
          books.refunds += 1
          return `Order ${order} refunded to card 4242 4242 4242 4242.`
        }
      })
    ],
    outputGuardrails: [
      {
        name: 'no card numbers',
        execute: async () => ({ tripwireTriggered: isStrict, outputInfo: undefined })
      }
    ]
  })

const nameOf = (item) => {
  switch (item.type) {
    case 'reasoning':
      return 'reasoning'
    case 'function_call':
      return `call ${item.name}`
    case 'function_call_result':
      return JSON.stringify(item.output).includes('4242') ? 'output, in full' : 'output, withheld'
    default:
      return item.role ?? item.type
  }
}

/** Asks once; true when the output check rejected the answer. */
const ask = async (run, agent, text, session, isStreamed) => {
  try {
    if (!isStreamed) await run(agent, text, { session })
    else {
      const result = await run(agent, text, { session, stream: true })
      for await (const _event of result);
      await result.completed
    }
    return false
  } catch (error) {
    if (error instanceof OutputGuardrailTripwireTriggered) return true
    throw error
  }
}

const native = new Runner()
const plainRun = native.run.bind(native)
const keptRun = retaining({
  dialect: agentsJs,
  onSave: ({ saved }) => {
    if (!saved) throw new Error('the turn was not saved')
  }
})

const ways = [
  { name: 'the SDK, run', run: plainRun, isStreamed: false, refunds: 2 },
  { name: 'the SDK, stream', run: plainRun, isStreamed: true, refunds: 2 },
  { name: 'turnkeep, run', run: keptRun, isStreamed: false, refunds: 1 },
  { name: 'turnkeep, stream', run: keptRun, isStreamed: true, refunds: 1 }
]

const folder = mkdtempSync(join(tmpdir(), 'turnkeep-demo-'))
const client = new Database(join(folder, 'sessions.db'))
client.exec('pragma journal_mode = wal')

const tryWay = async ({ name, run, isStreamed }) => {
  const session = sqliteSession({ client, sessionId: name })
  const books = { refunds: 0 }
  const model = scriptedModel()
  const rejected = await ask(run, makeAgent(books, model, true), 'Refund order 7.', session, isStreamed)
  if (!rejected) throw new Error('the output check was to reject the answer')
  const held = (await session.getItems()).map(nameOf)
  await ask(run, makeAgent(books, model, false), 'Is order 7 refunded?', session, isStreamed)
  return { held, refunds: books.refunds }
}

console.log(`
${colours.bold('A refund, asked for once.')} The model thinks, then calls the tool ${colours.bold('refund')}, which refunds the order.
Its result is the answer. An output check rejects it, for it shows a card number.
Then the customer asks: ${colours.italic('Is order 7 refunded?')}

Real SDK, scripted model, the same SQLite session each time. What the session holds after the rejection decides.
`)

const table = new Table({
  head: ['', 'in the session after the rejection', 'refunds made'].map((text) => colours.bold(text)),
  style: { head: [], border: [] },
  wordWrap: true
})
let isAsSaid = true
try {
  for (const way of ways) {
    const { held, refunds } = await tryWay(way)
    if (refunds !== way.refunds) isAsSaid = false
    const paint = refunds === 1 ? colours.green : colours.red
    table.push([way.name, held.join('\n'), paint(`${refunds} x`)])
  }
} finally {
  client.close()
  rmSync(folder, { recursive: true, force: true })
}
console.log(table.toString())
console.log(`
The SDK deletes a response that holds reasoning beside the call, so the next run does not know of the refund.
turnkeep keeps what was done, withholds what was rejected, and stores both facts in one transaction.

${colours.dim('Every other way a run can end:')}  docs/explanation/openai-agents.md
${colours.dim('One turn, position by position:')} node dist/cli/main.js demo
`)
if (!isAsSaid) {
  console.error('A way did not do what is said of it above.')
  process.exitCode = 1
}
