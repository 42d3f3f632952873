import {
  Agent,
  type AgentInputItem,
  type InputGuardrail,
  InputGuardrailTripwireTriggered,
  MaxTurnsExceededError,
  MemorySession,
  OutputGuardrailTripwireTriggered,
  type RunContextAwareSession,
  Runner,
  RunResult,
  type RunState,
  type RunStreamEvent,
  type Session,
  StreamedRunResult,
  tool,
  Usage
} from '@openai/agents-core'
import { assistantMessage, functionCall, modelError, ScriptedModel } from '@openai/agents-core/testing'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { defaultPolicy } from '../../src/core/policy.js'
import { agentsJs } from '../../src/dialects/agents-js.js'
import { type RetainingOptions, type RetentionReport, retaining } from '../../src/runners/openai-agents.js'
import { memorySession } from '../../src/sessions/memory.js'
import { nameOf, setStage } from '../support/agents-scenarios.js'
import { plainSession } from '../support/agents-sessions.js'

type State = RunState<unknown, Agent<unknown, 'text'>>

const reporting = (options: Partial<RetainingOptions> = {}) => {
  const reports: RetentionReport[] = []
  const run = retaining({ dialect: agentsJs, onSave: (report) => reports.push(report), ...options })
  return { reports, run }
}

const caught = async (act: () => Promise<unknown>): Promise<unknown> => {
  try {
    await act()
    return undefined
  } catch (thrown) {
    return thrown
  }
}

const names = async (session: Session): Promise<ReadonlyArray<string>> =>
  (await session.getItems()).map(nameOf)

const nameOfEvent = (event: RunStreamEvent): string =>
  event.type === 'run_item_stream_event' ? event.name : event.type

const rejecting = { group: '2.2', name: '', leaves: [], guardrail: 'trips' } as const

test("the error is the SDK's own, thrown after the save, with the report told first", async () => {
  const { agent } = setStage({ ...rejecting, responses: [['rs_a', 'c1'], ['msg_1']] })
  const session = memorySession<AgentInputItem>()
  const order: string[] = []
  const { run } = reporting({ onSave: () => order.push('told') })
  const error = await caught(() => run(agent, 'go', { session }))
  order.push('thrown')
  expect(error).toBeInstanceOf(OutputGuardrailTripwireTriggered)
  expect(order).toEqual(['told', 'thrown'])
})

test('the result of a run is a RunResult, the result of a stream a StreamedRunResult, and both hold the output', async () => {
  const { run } = reporting()
  const first = setStage({ ...rejecting, guardrail: 'passes', responses: [['c1'], ['msg_1']] })
  const ran = await run(first.agent, 'go', { session: memorySession<AgentInputItem>() })
  expect(ran).toBeInstanceOf(RunResult)
  expect(ran.finalOutput).toBe('says msg_1')
  const second = setStage({ ...rejecting, guardrail: 'passes', responses: [['c1'], ['msg_1']] })
  const streamed = await run(second.agent, 'go', {
    session: memorySession<AgentInputItem>(),
    stream: true
  })
  expect(streamed).toBeInstanceOf(StreamedRunResult)
  const events: string[] = []
  for await (const event of streamed) events.push(nameOfEvent(event))
  await streamed.completed
  const third = setStage({ ...rejecting, guardrail: 'passes', responses: [['c1'], ['msg_1']] })
  const theirs: string[] = []
  const native = await new Runner().run(third.agent, 'go', { session: new MemorySession(), stream: true })
  for await (const event of native) theirs.push(nameOfEvent(event))
  expect(events).toEqual(theirs)
  expect(events).toContain('tool_output')
  expect(streamed.finalOutput).toBe('says msg_1')
})

test('a text stream gives the text, and ends after the save', async () => {
  const { run, reports } = reporting()
  const { agent } = setStage({ ...rejecting, guardrail: 'passes', responses: [['c1'], ['msg_1']] })
  const streamed = await run(agent, 'go', { session: memorySession<AgentInputItem>(), stream: true })
  let text = ''
  for await (const part of streamed.toTextStream()) text += part
  expect(text).toBe('says msg_1')
  expect(reports).toHaveLength(1)
})

test('a consumer that stops reading finds the session settled when its loop is left', async () => {
  const session = memorySession<AgentInputItem>()
  const { run, reports } = reporting()
  const { agent } = setStage({ ...rejecting, responses: [['rs_a', 'c1'], ['msg_1']] })
  const streamed = await run(agent, 'go', { session, stream: true })
  for await (const event of streamed)
    if (event.type === 'run_item_stream_event' && event.name === 'tool_output') break
  expect(reports.map(({ outcome }) => outcome.kind)).toEqual(['aborted'])
  expect(await names(session)).toEqual(['user', 'rs_a', 'c1', 'out(c1)'])
})

test('a stream that nobody reads is settled all the same', async () => {
  const session = memorySession<AgentInputItem>()
  const { run } = reporting()
  const { agent } = setStage({ ...rejecting, responses: [['c1'], ['msg_1']] })
  const streamed = await run(agent, 'go', { session, stream: true })
  expect(await caught(() => streamed.completed)).toBeInstanceOf(OutputGuardrailTripwireTriggered)
  expect(await names(session)).toEqual(['user', 'c1', 'out(c1)'])
})

/** An agent whose model pays only when it sees no payment in its input. */
const payer = (guardrail: 'trips' | 'passes', paid: { count: number }): Agent<unknown, 'text'> => {
  const model = new ScriptedModel(
    Array.from({ length: 4 }, () => ({
      type: 'responder' as const,
      respond: ({ request }: { request: { input: unknown } }) => {
        const seen = JSON.stringify(request.input).includes('function_call_result')
        return {
          usage: new Usage(),
          responseId: `resp_${paid.count}_${seen}`,
          output: seen
            ? [assistantMessage('done', { id: 'msg_1' })]
            : [
                { type: 'reasoning' as const, id: 'rs_1', content: [] },
                functionCall('pay', {}, { callId: `call_${paid.count}`, id: 'fc_1' })
              ]
        }
      }
    }))
  )
  return new Agent({
    name: 'Payer',
    model,
    toolUseBehavior: guardrail === 'trips' ? 'stop_on_first_tool' : 'run_llm_again',
    tools: [
      tool({
        name: 'pay',
        description: 'pays',
        parameters: z.object({}),
        execute: async () => {
          paid.count += 1
          return 'paid'
        }
      })
    ],
    outputGuardrails: [
      {
        name: 'check',
        execute: async () => ({ tripwireTriggered: guardrail === 'trips', outputInfo: undefined })
      }
    ]
  })
}

for (const mode of ['run', 'stream'] as const) {
  test(`a follow-up ${mode} sees the payment and does not make it again`, async () => {
    const session = memorySession<AgentInputItem>()
    const { run } = reporting()
    const paid = { count: 0 }
    const once = async (agent: Agent<unknown, 'text'>): Promise<void> => {
      if (mode === 'run') await run(agent, 'go', { session })
      else await (await run(agent, 'go', { session, stream: true })).completed
    }
    expect(await caught(() => once(payer('trips', paid)))).toBeInstanceOf(OutputGuardrailTripwireTriggered)
    await once(payer('passes', paid))
    expect(paid.count).toBe(1)
    expect(await names(session)).toEqual(['user', 'rs_1', 'call_0', 'out(call_0):redacted', 'user', 'msg_1'])
  })
}

const sessions: ReadonlyArray<readonly [string, () => Session]> = [
  ['memory', () => memorySession<AgentInputItem>()],
  ['plain', plainSession],
  ['MemorySession', () => new MemorySession()]
]

for (const [kind, makeSession] of sessions) {
  test(`PLAN-19: a rejected state that is resumed and then passes gets its withheld items back, in order: ${kind}`, async () => {
    const session = makeSession()
    const { run } = reporting()
    let verdict = true
    const { agent } = setStage({
      ...rejecting,
      responses: [
        ['rs_a', 'c1'],
        ['rs_b', 'msg_1']
      ]
    })
    agent.outputGuardrails = [
      { name: 'check', execute: async () => ({ tripwireTriggered: verdict, outputInfo: undefined }) }
    ]
    const error = (await caught(() =>
      run(agent, 'go', { session })
    )) as OutputGuardrailTripwireTriggered<never>
    expect(await names(session)).toEqual(['user', 'rs_a', 'c1', 'out(c1)'])
    verdict = false
    const result = await run(agent, error.state as State, { session })
    expect(result.finalOutput).toBe('says msg_1')
    expect(await names(session)).toEqual(['user', 'rs_a', 'c1', 'out(c1)', 'rs_b', 'msg_1'])
  })

  test(`PLAN-25: a state that hit the turn limit goes on with the same turn, and nothing is written twice: ${kind}`, async () => {
    const session = makeSession()
    const { run } = reporting()
    const stage = setStage({ ...rejecting, guardrail: 'passes', responses: [['rs_a', 'c1'], ['msg_1']] })
    const error = (await caught(() =>
      run(stage.agent, 'go', { session, maxTurns: 1 })
    )) as MaxTurnsExceededError
    expect(error).toBeInstanceOf(MaxTurnsExceededError)
    expect(await names(session)).toEqual(['user', 'rs_a', 'c1', 'out(c1)'])
    await run(stage.agent, error.state as State, { session, maxTurns: 3 })
    expect(await names(session)).toEqual(['user', 'rs_a', 'c1', 'out(c1)', 'msg_1'])
    expect(stage.ran).toEqual({ c1: 1 })
  })

  test(`a state that has lost calls which ran is refused, and no tool runs again: ${kind}`, async () => {
    const session = makeSession()
    const { run } = reporting()
    const stage = setStage({
      ...rejecting,
      toolFinal: 'stop_on_first_tool',
      responses: [
        ['rs_a', 's1'],
        ['rs_b', 's2']
      ]
    })
    const error = (await caught(() =>
      run(stage.agent, 'go', { session })
    )) as OutputGuardrailTripwireTriggered<never>
    const before = await names(session)
    const refused = await caught(() => run(stage.agent, error.state as State, { session }))
    expect(refused).toMatchObject({ kind: 'stale-state', callIds: ['s1'] })
    expect(await names(session)).toEqual(before)
    expect(stage.ran).toEqual({ s1: 1 })
  })
}

test('SELECT-26: a rejected input leaves the input', async () => {
  const session = memorySession<AgentInputItem>()
  const { run, reports } = reporting()
  const guardrail: InputGuardrail = {
    name: 'input',
    execute: async () => ({ tripwireTriggered: true, outputInfo: undefined })
  }
  const { agent } = setStage({ ...rejecting, responses: [['msg_1']] })
  agent.inputGuardrails = [guardrail]
  expect(await caught(() => run(agent, 'go', { session }))).toBeInstanceOf(InputGuardrailTripwireTriggered)
  expect(reports.map(({ outcome }) => outcome.kind)).toEqual(['input-rejected'])
  expect(await names(session)).toEqual(['user'])
})

test('SELECT-25: an unjudged message is withheld where the policy says so', async () => {
  const session = memorySession<AgentInputItem>()
  const { run } = reporting({ policy: { ...defaultPolicy, unjudged: 'withhold' } })
  const { agent } = setStage({
    ...rejecting,
    guardrail: 'throws',
    responses: [
      ['rs_a', 'c1'],
      ['rs_b', 'msg_1']
    ]
  })
  await caught(() => run(agent, 'go', { session }))
  expect(await names(session)).toEqual(['user', 'rs_a', 'c1', 'out(c1)'])
})

test("a save that failed is told beside the SDK's error, and can be tried again until it is stored once", async () => {
  const inner = memorySession<AgentInputItem>()
  let down = true
  const session = {
    ...inner,
    save: ((write) =>
      down
        ? TE.left({ kind: 'unavailable', reason: 'connection', applied: 'no', message: 'down' })
        : inner.save(write)) as typeof inner.save
  }
  const { run, reports } = reporting()
  const { agent } = setStage({ ...rejecting, responses: [['rs_a', 'c1'], ['msg_1']] })
  expect(await caught(() => run(agent, 'go', { session }))).toBeInstanceOf(OutputGuardrailTripwireTriggered)
  expect(reports).toMatchObject([{ saved: false, input: { _tag: 'Left', left: { kind: 'unavailable' } } }])
  expect(await names(session)).toEqual([])
  expect((await reports[0]?.retry())?.saved).toBe(false)
  down = false
  expect((await reports[0]?.retry())?.saved).toBe(true)
  expect((await reports[0]?.retry())?.saved).toBe(true)
  expect(await names(session)).toEqual(['user', 'rs_a', 'c1', 'out(c1)'])
})

test("a plain session that fails is told, and the SDK's error is not touched", async () => {
  const plain = plainSession()
  const session: Session = { ...plain, addItems: async () => Promise.reject(new Error('disk')) }
  const { run, reports } = reporting()
  const { agent } = setStage({ ...rejecting, responses: [['c1'], ['msg_1']] })
  expect(await caught(() => run(agent, 'go', { session }))).toBeInstanceOf(OutputGuardrailTripwireTriggered)
  expect(reports[0]?.saved).toBe(false)
})

test("a callback that throws does not hide the SDK's error", async () => {
  const { run } = reporting({
    onSave: () => {
      throw new Error('the host')
    }
  })
  const { agent } = setStage({ ...rejecting, responses: [['c1'], ['msg_1']] })
  const error = await caught(() => run(agent, 'go', { session: memorySession<AgentInputItem>() }))
  expect(error).toBeInstanceOf(OutputGuardrailTripwireTriggered)
})

test("the model's error is the one that was thrown", async () => {
  const failure = new Error('503')
  const agent = new Agent({ name: 'A', model: new ScriptedModel([modelError(failure)]) })
  const { run } = reporting()
  const session = memorySession<AgentInputItem>()
  const theirs = await caught(() =>
    new Runner().run(new Agent({ name: 'A', model: new ScriptedModel([modelError(failure)]) }), 'go')
  )
  const ours = await caught(() => run(agent, 'go', { session }))
  expect(ours).toBe(failure)
  expect(theirs).toBe(failure)
})

test("a runner's configuration and listeners are used", async () => {
  const runner = new Runner({
    outputGuardrails: [
      { name: 'r', execute: async () => ({ tripwireTriggered: true, outputInfo: undefined }) }
    ]
  })
  const heard: string[] = []
  runner.on('agent_tool_end', (_context, _agent, ended, text) => heard.push(`${ended.name}: ${text}`))
  const { run } = reporting({ runner })
  const session = memorySession<AgentInputItem>()
  const { agent } = setStage({ group: '2.2', name: '', leaves: [], responses: [['c1'], ['msg_1']] })
  expect(await caught(() => run(agent, 'go', { session }))).toBeInstanceOf(OutputGuardrailTripwireTriggered)
  expect(heard).toEqual(['pay: paid c1'])
  expect(await names(session)).toEqual(['user', 'c1', 'out(c1)'])
})

test("without a session the run is the SDK's own", async () => {
  const { run, reports } = reporting()
  const { agent } = setStage({ ...rejecting, guardrail: 'passes', responses: [['c1'], ['msg_1']] })
  expect((await run(agent, 'go')).finalOutput).toBe('says msg_1')
  expect(reports).toEqual([])
})

test('input that a callback reshapes is stored as the SDK would store it', async () => {
  const session = memorySession<AgentInputItem>()
  const { run } = reporting()
  const { agent } = setStage({ ...rejecting, guardrail: 'passes', responses: [['rs_a', 'c1'], ['msg_1']] })
  const reshaped: AgentInputItem = { type: 'message', role: 'user', content: 'go, politely' }
  await run(agent, 'go', { session, sessionInputCallback: (history) => [...history, reshaped] })
  expect((await session.getItems())[0]).toEqual(reshaped)
  expect(await names(session)).toEqual(['user', 'rs_a', 'c1', 'out(c1)', 'msg_1'])
})

test('reasoning is stored without ids where the host wants it so', async () => {
  const session = memorySession<AgentInputItem>()
  const { run } = reporting()
  const { agent } = setStage({ ...rejecting, responses: [['rs_a', 'c1'], ['msg_1']] })
  await caught(() => run(agent, 'go', { session, reasoningItemIdPolicy: 'omit' }))
  expect((await session.getItems())[1]).toEqual({ type: 'reasoning', content: [] })
})

test('two runs at once on one session keep the items of each together', async () => {
  const session = memorySession<AgentInputItem>()
  const { run, reports } = reporting()
  await Promise.all(
    ['a', 'b'].map(async () => {
      const { agent } = setStage({ ...rejecting, responses: [['rs_a', 'c1'], ['msg_1']] })
      await caught(() => run(agent, 'go', { session }))
    })
  )
  expect(reports.map(({ saved }) => saved)).toEqual([true, true])
  const left = await names(session)
  expect(left.filter((name) => name === 'out(c1)')).toHaveLength(2)
  const turns = left.filter((name) => name !== 'user')
  expect(turns).toEqual(['rs_a', 'c1', 'out(c1)', 'rs_a', 'c1', 'out(c1)'])
})

test('PROGRESS-11: a state from text is found again in the history of a session that keeps no progress', async () => {
  const shared = plainSession()
  const { RunState: Restored } = await import('@openai/agents-core')
  const { agent } = setStage({
    ...rejecting,
    guardrail: 'passes',
    responses: [['rs_a', 'msg_1', 'n1'], ['msg_2']]
  })
  const first = reporting()
  const waiting = await first.run(agent, 'go', { session: shared })
  // Another process: another session object over the same items, and nothing in memory.
  const items = await shared.getItems()
  const elsewhere = plainSession()
  await elsewhere.addItems(items)
  const state = await Restored.fromString(agent, waiting.state.toString())
  for (const interruption of state.getInterruptions()) state.approve(interruption)
  const second = reporting()
  await second.run(agent, state, { session: elsewhere })
  expect(second.reports.map(({ saved }) => saved)).toEqual([true])
  expect(await names(elsewhere)).toEqual(['user', 'rs_a', 'msg_1', 'n1', 'out(n1)', 'msg_2'])
})

test('the report names what was planned and what became of it', async () => {
  const { run, reports } = reporting({ turn: () => 'turn-1' })
  const session = memorySession<AgentInputItem>()
  const { agent } = setStage({ ...rejecting, responses: [['rs_a', 'c1'], ['msg_1']] })
  await caught(() => run(agent, 'go', { session }))
  const [report] = reports
  expect(report).toMatchObject({
    turn: 'turn-1',
    outcome: { kind: 'rejected', deliverable: 'message', from: 3 }
  })
  const save = report?.settlement?.save
  expect(save !== undefined && E.isRight(save) && save.right.progress).toMatchObject({
    turn: 'turn-1',
    withheld: [3]
  })
  const stored = await session.progress('turn-1')()
  expect(stored).toMatchObject({ _tag: 'Right', right: { withheld: [3] } })
})

test('a tool that ends after its sibling has broken the run is waited for, and its result is stored', async () => {
  const session = memorySession<AgentInputItem>()
  const { run, reports } = reporting()
  let finish = (): void => undefined
  const slow = new Promise<void>((resolve) => {
    finish = resolve
  })
  const make = (name: string, execute: () => Promise<string>) =>
    tool({ name, description: name, parameters: z.object({}), errorFunction: null, execute })
  const agent = new Agent({
    name: 'A',
    model: new ScriptedModel([
      [functionCall('slow', {}, { callId: 'c1' }), functionCall('broken', {}, { callId: 'c2' })]
    ]),
    tools: [
      make('slow', async () => {
        await slow
        return 'paid'
      }),
      make('broken', async () => {
        throw new Error('broken')
      })
    ]
  })
  const running = caught(() => run(agent, 'go', { session }))
  setTimeout(finish)
  expect(await running).toBeInstanceOf(Error)
  expect(await names(session)).toEqual(['user', 'c1', 'c2', 'out(c2)', 'out(c1)'])
  expect(reports.every(({ saved }) => saved)).toBe(true)
})

test('a session that wants to know its run is told', async () => {
  const plain = plainSession()
  const seen: unknown[] = []
  const session: RunContextAwareSession<{ tenant: string }> = {
    ...plain,
    acceptsRunContext: true,
    getItems: async (limit, context) => {
      seen.push(context?.context.tenant)
      return plain.getItems(limit)
    },
    addItems: async (items, context) => {
      seen.push(context?.context.tenant)
      await plain.addItems(items)
    }
  }
  const { run } = reporting()
  const { agent } = setStage({ ...rejecting, responses: [['rs_a', 'c1'], ['msg_1']] })
  await caught(() => run(agent as never, 'go', { session, context: { tenant: 'acme' } }))
  expect(await plain.getItems()).toHaveLength(4)
  expect(new Set(seen)).toEqual(new Set(['acme']))
})

test('a conversation that the server keeps is left to the SDK, also when its state is resumed', async () => {
  const { run, reports } = reporting()
  const session = memorySession<AgentInputItem>()
  const { agent } = setStage({ ...rejecting, guardrail: 'passes', responses: [['n1'], ['msg_1']] })
  const waiting = await run(agent, 'go', { session, conversationId: 'conv_1' })
  for (const interruption of waiting.interruptions) waiting.state.approve(interruption)
  const result = await run(agent, waiting.state, { session })
  expect(result.finalOutput).toBe('says msg_1')
  expect(reports).toEqual([])
})
