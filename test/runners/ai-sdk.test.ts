import * as ai7 from 'ai'
import { MockLanguageModelV4, convertArrayToReadableStream } from 'ai/test'
import * as ai6 from 'ai6'
import { MockLanguageModelV3 } from 'ai6/test'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { rejected } from '../../src/core/outcome.js'
import { aiSdk } from '../../src/dialects/ai-sdk.js'
import { keepSteps } from '../../src/runners/ai-sdk.js'
import { memorySession } from '../../src/sessions/memory.js'
import type { Session } from '../../src/sessions/session.js'

interface Message {
  readonly role: string
  readonly content: unknown
}

type Part = Readonly<Record<string, unknown>>
type Fields = Readonly<Record<string, unknown>>

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }

const thought: Part = {
  type: 'reasoning',
  text: 'hm',
  providerOptions: { anthropic: { signature: 'sig' } }
}
const callPart = (id: string): Part => ({ type: 'tool-call', toolCallId: id, toolName: 'pay', input: { id } })
const resultPart = (id: string): Part => ({
  type: 'tool-result',
  toolCallId: id,
  toolName: 'pay',
  output: { type: 'text', value: `paid ${id}` }
})
const partsOf = ({ content }: Message): ReadonlyArray<Part> =>
  Array.isArray(content) ? (content as Part[]) : []

const user: Message = { role: 'user', content: 'pay' }
const asked = (...ids: ReadonlyArray<string>): Message => ({
  role: 'assistant',
  content: [thought, ...ids.map(callPart)]
})
const done: Message = { role: 'assistant', content: [{ type: 'text', text: 'done' }] }
const paid = (...ids: ReadonlyArray<string>): Message => ({ role: 'tool', content: ids.map(resultPart) })

const streamedCalls = (ids: ReadonlyArray<string>): Part[] => [
  { type: 'stream-start', warnings: [] },
  { type: 'reasoning-start', id: 'r' },
  { type: 'reasoning-delta', id: 'r', delta: 'h' },
  { type: 'reasoning-delta', id: 'r', delta: 'm' },
  { type: 'reasoning-end', id: 'r', providerMetadata: { anthropic: { signature: 'sig' } } },
  ...ids.map((id) => ({ type: 'tool-call', toolCallId: id, toolName: 'pay', input: JSON.stringify({ id }) })),
  { type: 'finish', finishReason: { unified: 'tool-calls' }, usage }
]
const streamedText: Part[] = [
  { type: 'stream-start', warnings: [] },
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'done' },
  { type: 'text-end', id: 't' },
  { type: 'finish', finishReason: { unified: 'stop' }, usage }
]
const generated = (content: ReadonlyArray<Part>, reason: string): Fields => ({
  content,
  finishReason: { unified: reason },
  usage,
  warnings: []
})

/** After everything that is ready now. */
const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

const makeGate = (): { readonly opened: Promise<void>; readonly open: () => void } => {
  let open = (): void => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))

/** What happens in a turn of two steps: calls, then text. */
interface Scenario {
  readonly name: string
  readonly ids?: ReadonlyArray<string>
  /** What a tool does with its call; `host` resolves when the loop of the host is over. */
  readonly tool?: (id: string, abort: () => void, signal: AbortSignal, host: Promise<void>) => Promise<string>
  readonly secondStep?: (abort: () => void, signal: AbortSignal) => Promise<Part[]>
  /** The consumer stops at the first part of this type. */
  readonly breaksAt?: string
  /** The session when the loop of the host is over. */
  readonly leaves: ReadonlyArray<Message | object>
  /** The session when everything has come to rest, where that differs. */
  readonly rests?: ReadonlyArray<Message | object>
  /** Version 6 does not end its loop before the tool has returned. */
  readonly waitsIn6?: true
  readonly outcome: string
  readonly forms?: ReadonlyArray<'stream' | 'generate'>
}

const closing = (id: string): object => ({
  type: 'tool-result',
  toolCallId: id,
  toolName: 'pay',
  output: { type: 'error-text', value: expect.stringContaining('interrupted') as unknown }
})

const scenarios: ReadonlyArray<Scenario> = [
  { name: 'a turn that ends well', leaves: [user, asked('c1'), paid('c1'), done], outcome: 'accepted' },
  {
    name: 'two calls at once, the second faster',
    ids: ['c1', 'c2'],
    tool: async (id) => {
      if (id === 'c1') for (let turn = 0; turn < 20; turn += 1) await later()
      return `paid ${id}`
    },
    leaves: [user, asked('c1', 'c2'), paid('c2', 'c1'), done],
    outcome: 'accepted'
  },
  {
    name: 'a tool that throws',
    tool: async () => {
      throw new Error('no money')
    },
    leaves: [
      user,
      asked('c1'),
      { role: 'tool', content: [{ ...resultPart('c1'), output: { type: 'error-text', value: 'no money' } }] },
      done
    ],
    outcome: 'accepted'
  },
  {
    name: 'a cancel that the tool obeys',
    tool: async (_id, abort, signal) => {
      setTimeout(abort)
      return untilAborted(signal)
    },
    leaves: [user, asked('c1'), { role: 'tool', content: [closing('c1')] }],
    outcome: 'aborted'
  },
  {
    name: 'a cancel that the tool ignores: its result takes the place of the closing',
    tool: async (id, abort, _signal, host) => {
      abort()
      await host
      return `paid ${id}`
    },
    leaves: [user, asked('c1'), { role: 'tool', content: [closing('c1')] }],
    rests: [user, asked('c1'), paid('c1')],
    waitsIn6: true,
    outcome: 'aborted',
    forms: ['stream']
  },
  {
    name: 'a cancel beside a tool that has returned',
    ids: ['c1', 'c2'],
    tool: async (id, abort, signal) => {
      if (id === 'c1') return `paid ${id}`
      for (let turn = 0; turn < 20; turn += 1) await later()
      setTimeout(abort)
      return untilAborted(signal)
    },
    leaves: [user, asked('c1', 'c2'), { role: 'tool', content: [resultPart('c1'), closing('c2')] }],
    outcome: 'aborted'
  },
  {
    name: 'a cancel in the second answer of the model',
    secondStep: async (abort, signal) => {
      setTimeout(abort)
      return untilAborted(signal)
    },
    leaves: [user, asked('c1'), paid('c1')],
    outcome: 'aborted'
  },
  {
    name: 'a second answer that fails',
    secondStep: async () => {
      throw new Error('503')
    },
    leaves: [user, asked('c1'), paid('c1')],
    outcome: 'failed'
  },
  {
    name: 'a consumer that stops at the result of a tool',
    breaksAt: 'tool-result',
    leaves: [user, asked('c1'), paid('c1')],
    outcome: 'aborted',
    forms: ['stream']
  },
  {
    name: 'a consumer that stops while the tool runs',
    tool: async (id, _abort, _signal, host) => {
      await host
      return `paid ${id}`
    },
    breaksAt: 'tool-call',
    leaves: [user, asked('c1'), { role: 'tool', content: [closing('c1')] }],
    rests: [user, asked('c1'), paid('c1')],
    outcome: 'aborted',
    forms: ['stream']
  }
]

const versions: ReadonlyArray<{
  readonly name: string
  readonly sdk: typeof ai7
  readonly Model: new (options: object) => object
}> = [
  { name: 'ai 7', sdk: ai7, Model: MockLanguageModelV4 as never },
  { name: 'ai 6', sdk: ai6 as never, Model: MockLanguageModelV3 as never }
]

interface Played {
  readonly thrown: unknown
  readonly left: ReadonlyArray<Message>
  readonly settle: () => Promise<unknown>
  readonly ran: ReadonlyArray<string>
  readonly outcomes: ReadonlyArray<string>
}

const play = async (
  { sdk, Model }: (typeof versions)[number],
  form: 'stream' | 'generate',
  scenario: Scenario,
  session: Session<Message>
): Promise<Played> => {
  const { ids = ['c1'], tool = async (id: string) => `paid ${id}`, secondStep, breaksAt } = scenario
  const controller = new AbortController()
  const abort = (): void => controller.abort()
  const gate = makeGate()
  if (sdk !== ai7 && scenario.waitsIn6 === true) gate.open()
  const ran: string[] = []
  const outcomes: string[] = []
  let answers = 0
  const answer = async (signal: AbortSignal): Promise<Part[] | undefined> => {
    answers += 1
    if (answers === 1) return undefined
    return secondStep === undefined ? streamedText : secondStep(abort, signal)
  }
  const model = new Model({
    doStream: async ({ abortSignal }: { abortSignal: AbortSignal }) => {
      const second = await answer(abortSignal)
      return { stream: convertArrayToReadableStream(second ?? streamedCalls(ids)) }
    },
    doGenerate: async ({ abortSignal }: { abortSignal: AbortSignal }) => {
      const second = await answer(abortSignal)
      return second === undefined
        ? generated(
            [
              { type: 'reasoning', text: 'hm', providerMetadata: { anthropic: { signature: 'sig' } } },
              ...ids.map((id) => ({
                type: 'tool-call',
                toolCallId: id,
                toolName: 'pay',
                input: JSON.stringify({ id })
              }))
            ],
            'tool-calls'
          )
        : generated([{ type: 'text', text: 'done' }], 'stop')
    }
  })
  const kept = keepSteps({
    dialect: aiSdk,
    session,
    turn: 'turn-1',
    input: [user],
    model,
    tools: {
      pay: sdk.tool({
        description: 'pays',
        inputSchema: z.object({ id: z.string() }),
        execute: async ({ id }, { abortSignal }) => {
          ran.push(id)
          return tool(id, abort, abortSignal ?? controller.signal, gate.opened)
        }
      })
    },
    onSave: ({ outcome }) => outcomes.push(outcome.kind)
  })
  const { settle, messages: _messages, ...options } = kept
  const common = {
    ...options,
    model: options.model as never,
    messages: [user] as never,
    stopWhen: sdk.stepCountIs(5),
    abortSignal: controller.signal,
    maxRetries: 0
  }
  let thrown: unknown
  try {
    if (form === 'generate') {
      const { onAbort: _onAbort, onError: _onError, ...forGenerate } = common
      await sdk.generateText(forGenerate)
    } else {
      const result = sdk.streamText(common)
      for await (const part of result.fullStream) if (part.type === breaksAt) break
    }
  } catch (error) {
    thrown = error
    await settle({
      kind: error instanceof Error && error.name === 'AbortError' ? 'aborted' : 'failed',
      check: 'none'
    })
  } finally {
    await settle()
  }
  const left = await session.getItems()
  gate.open()
  return { thrown, left, settle, ran, outcomes }
}

for (const version of versions) {
  for (const scenario of scenarios) {
    for (const form of scenario.forms ?? (['stream', 'generate'] as const)) {
      test(`${version.name}, ${form}: ${scenario.name}`, async () => {
        const { ids = ['c1'], rests = scenario.leaves, outcome } = scenario
        const leaves = version.sdk !== ai7 && scenario.waitsIn6 === true ? rests : scenario.leaves
        const session = memorySession<Message>()
        const played = await play(version, form, scenario, session)
        expect(played.left).toEqual(leaves)
        await vi.waitFor(async () => expect(await session.getItems()).toEqual(rests))
        await played.settle()
        expect(await session.getItems()).toEqual(rests)
        expect([...played.ran].sort()).toEqual(ids)
        expect(new Set(played.outcomes)).toEqual(new Set([outcome]))
      })
    }
  }

  test(`${version.name}: a call is in the session before its tool runs, and its result before the step goes on`, async () => {
    const session = memorySession<Message>()
    const seen: Array<ReadonlyArray<Message>> = []
    await play(
      version,
      'stream',
      {
        name: '',
        leaves: [],
        outcome: '',
        tool: async (id) => {
          seen.push(await session.getItems())
          return `paid ${id}`
        },
        secondStep: async () => {
          seen.push(await session.getItems())
          return streamedText
        }
      },
      session
    )
    expect(seen).toEqual([
      [user, asked('c1')],
      [user, asked('c1'), paid('c1')]
    ])
  })
}

for (const { name, sdk, Model } of versions) {
  test(`${name}: a turn that waits for an approval stays open, and the next one answers its call`, async () => {
    const session = memorySession<Message>()
    const paidFor: string[] = []
    let answers = 0
    const model = new Model({
      doStream: async () => {
        answers += 1
        return { stream: convertArrayToReadableStream(answers === 1 ? streamedCalls(['c1']) : streamedText) }
      }
    })
    const makeKept = (turn: string, input: ReadonlyArray<Message>, open: ReadonlyArray<{ callId: string }>) =>
      keepSteps({
        dialect: aiSdk,
        session,
        turn,
        input,
        open,
        model,
        tools: {
          pay: sdk.tool({
            description: 'pays',
            inputSchema: z.object({ id: z.string() }),
            needsApproval: true,
            execute: async ({ id }) => {
              paidFor.push(id)
              return `paid ${id}`
            }
          })
        }
      })
    const stream = async (
      kept: ReturnType<typeof makeKept>,
      messages: ReadonlyArray<Message>
    ): Promise<void> => {
      const { settle: _settle, messages: _messages, model: heard, ...options } = kept
      const result = sdk.streamText({
        ...options,
        model: heard as never,
        messages: messages as never,
        stopWhen: sdk.stepCountIs(5)
      })
      for await (const part of result.fullStream) expect(part.type).not.toBe('error')
    }
    const first = makeKept('t1', [user], [])
    await stream(first, [user])
    const waiting = await session.getItems()
    const request = waiting.flatMap(partsOf).find(({ type }) => type === 'tool-approval-request')
    expect(waiting.map(({ role }) => role)).toEqual(['user', 'assistant'])
    expect(paidFor).toEqual([])
    const response: Message = {
      role: 'tool',
      content: [{ type: 'tool-approval-response', approvalId: request?.['approvalId'], approved: true }]
    }
    const second = makeKept('t2', [response], [{ callId: 'c1' }])
    await stream(second, [...waiting, response])
    await second.settle()
    expect(paidFor).toEqual(['c1'])
    const left = await session.getItems()
    const parts = left.flatMap(partsOf)
    expect(parts.filter(({ type }) => type === 'tool-result')).toEqual([resultPart('c1')])
    expect(parts.filter(({ type }) => type === 'tool-call')).toHaveLength(1)
    expect(left[left.length - 1]).toEqual(done)
  })
}

test('what the model says once the turn has ended is not in the session: a stream that nobody reads may run on', async () => {
  const session = memorySession<Message>()
  const model = new MockLanguageModelV4({
    doStream: [
      { stream: convertArrayToReadableStream(streamedCalls(['c1'])) },
      { stream: convertArrayToReadableStream(streamedText) }
    ] as never
  })
  const kept = keepSteps({ dialect: aiSdk, session, turn: 'turn-1', input: [user], model })
  const readStep = async (): Promise<void> => {
    const { stream } = await kept.model.doStream({ prompt: [] } as never)
    for await (const part of stream) expect(part).toBeDefined()
  }
  await readStep()
  await kept.settle()
  const left = await session.getItems()
  expect(left.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
  await readStep()
  await kept.settle()
  expect(await session.getItems()).toEqual(left)
})

test('a rejection after the end withholds the message and keeps the payment', async () => {
  const session = memorySession<Message>()
  const kept = keepSteps({
    dialect: aiSdk,
    session,
    turn: 't1',
    input: [user],
    pending: 'message',
    model: new MockLanguageModelV4({
      doStream: [
        { stream: convertArrayToReadableStream(streamedCalls(['c1'])) },
        { stream: convertArrayToReadableStream(streamedText) }
      ] as never
    }),
    tools: {
      pay: ai7.tool({ inputSchema: z.object({ id: z.string() }), execute: async ({ id }) => `paid ${id}` })
    }
  })
  const { settle, messages, ...options } = kept
  const result = ai7.streamText({ ...options, messages: [user] as never, stopWhen: ai7.isStepCount(5) })
  expect(await result.text).toBe('done')
  expect(await session.getItems()).toEqual([user, asked('c1'), paid('c1')])
  const settlement = await settle(rejected('message'))
  expect(settlement.outcome).toMatchObject({ kind: 'rejected', deliverable: 'message' })
  expect(await session.getItems()).toEqual([user, asked('c1'), paid('c1')])
  expect(messages()).toHaveLength(4)
})

for (const { name, sdk, Model } of versions) {
  test(`${name}: a text that the provider ends only behind the call stands in front of it, from the first save on`, async () => {
    const session = memorySession<Message>()
    const kinds: unknown[] = []
    let answers = 0
    const late: Part[] = [
      { type: 'stream-start', warnings: [] },
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'I pay' },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'pay', input: '{"id":"c1"}' },
      { type: 'text-end', id: 't' },
      { type: 'finish', finishReason: { unified: 'tool-calls' }, usage }
    ]
    const {
      settle,
      messages: _messages,
      ...kept
    } = keepSteps({
      dialect: aiSdk,
      session,
      turn: 't1',
      input: [user],
      model: new Model({
        doStream: async () => {
          answers += 1
          return { stream: convertArrayToReadableStream(answers === 1 ? late : streamedText) }
        }
      }),
      tools: {
        pay: sdk.tool({
          description: 'pays',
          inputSchema: z.object({ id: z.string() }),
          execute: async ({ id }) => {
            const stored = await session.getItems()
            kinds.push(stored.flatMap(partsOf).map(({ type }) => type))
            return `paid ${id}`
          }
        })
      }
    })
    const result = sdk.streamText({
      ...kept,
      model: kept.model as never,
      messages: [user] as never,
      stopWhen: sdk.stepCountIs(5)
    })
    for await (const part of result.fullStream) expect(part.type).not.toBe('error')
    const { save } = await settle()
    expect(save).toMatchObject({ _tag: 'Right' })
    expect(kinds).toEqual([['text', 'tool-call']])
    expect(await session.getItems()).toEqual([
      user,
      { role: 'assistant', content: [{ type: 'text', text: 'I pay' }, callPart('c1')] },
      paid('c1'),
      done
    ])
  })
}

test('a stream that was cancelled and asked for again goes on with its turn', async () => {
  const session = memorySession<Message>()
  // The first answer is given up when its thought is whole.
  const answers = [streamedCalls(['c0']).slice(0, 5), streamedCalls(['c1']), streamedText]
  const kept = keepSteps({
    dialect: aiSdk,
    session,
    turn: 't1',
    input: [user],
    model: { doStream: async () => ({ stream: convertArrayToReadableStream(answers.shift() ?? []) }) },
    tools: { pay: { execute: async () => 'paid c1' } }
  })
  const first = await kept.model.doStream()
  const reader = first.stream.getReader()
  for (let part = 0; part < 5; part += 1) await reader.read()
  await reader.cancel()
  for await (const part of (await kept.model.doStream()).stream) expect(part).toBeDefined()
  const run = kept.tools.pay.execute as unknown as (...given: unknown[]) => Promise<unknown>
  await run({ id: 'c1' }, { toolCallId: 'c1' })
  await kept.onStepFinish({ response: { messages: [asked('c1'), paid('c1')] } })
  for await (const part of (await kept.model.doStream()).stream) expect(part).toBeDefined()
  await kept.onStepFinish({ response: { messages: [done] } })
  await kept.onFinish()
  expect(await session.getItems()).toEqual([user, asked('c1'), paid('c1'), done])
})

test('without a model that can be heard the call of a step that was cut off is stored all the same', async () => {
  const session = memorySession<Message>()
  const kept = keepSteps({
    dialect: aiSdk,
    session,
    turn: 't1',
    tools: { pay: { execute: async () => 'paid c1' } }
  })
  expect(kept.model).toBeUndefined()
  await kept.tools.pay.execute.call(undefined, ...([{ id: 'c1' }, { toolCallId: 'c1' }] as never as []))
  await kept.onAbort()
  expect(await session.getItems()).toEqual([{ role: 'assistant', content: [callPart('c1')] }, paid('c1')])
})

test('the result of a call whose tool never began stands behind those that were heard', async () => {
  const session = memorySession<Message>()
  const kept = keepSteps({
    dialect: aiSdk,
    session,
    turn: 't1',
    tools: { pay: { execute: async () => 'paid c2' } }
  })
  const run = kept.tools.pay.execute as unknown as (...given: unknown[]) => Promise<unknown>
  await run({ id: 'c2' }, { toolCallId: 'c2' })
  const refused = { ...resultPart('c1'), output: { type: 'error-text', value: 'the input is not valid' } }
  await kept.onStepFinish({
    response: {
      messages: [
        { role: 'assistant', content: [callPart('c2'), callPart('c1')] },
        { role: 'tool', content: [refused, resultPart('c2')] }
      ]
    }
  })
  await kept.onFinish()
  expect(await session.getItems()).toEqual([
    { role: 'assistant', content: [callPart('c2'), callPart('c1')] },
    { role: 'tool', content: [resultPart('c2'), refused] }
  ])
})

test('a model that is only a name: what the SDK says of a complete step is stored whole', async () => {
  const session = memorySession<Message>()
  const kept = keepSteps({
    dialect: aiSdk,
    session,
    turn: 't1',
    model: 'a/model' as const,
    tools: { pay: { execute: async () => 'paid c1' } }
  })
  expect(kept.model).toBe('a/model')
  const run = kept.tools.pay.execute as unknown as (...given: unknown[]) => Promise<unknown>
  await run({ id: 'c1' }, { toolCallId: 'c1' })
  const step = [asked('c1'), paid('c1')]
  await kept.onStepFinish({ response: { messages: step } })
  expect(await session.getItems()).toEqual(step)
  await kept.onStepFinish({ response: { messages: [...step, done] } })
  await kept.onFinish()
  expect(await session.getItems()).toEqual([...step, done])
})

test('a tool that streams its output is stored with its last one', async () => {
  const session = memorySession<Message>()
  const kept = keepSteps({
    dialect: aiSdk,
    session,
    turn: 't1',
    tools: {
      pay: {
        async *execute() {
          yield 'paying'
          yield 'paid c1'
        }
      }
    }
  })
  const outputs: unknown[] = []
  const run = kept.tools.pay.execute as unknown as (...given: unknown[]) => AsyncIterable<unknown>
  for await (const output of run({ id: 'c1' }, { toolCallId: 'c1' })) outputs.push(output)
  expect(outputs).toEqual(['paying', 'paid c1'])
  await kept.settle()
  expect(await session.getItems()).toEqual([{ role: 'assistant', content: [callPart('c1')] }, paid('c1')])
})
