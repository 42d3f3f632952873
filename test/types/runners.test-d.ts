import { Agent, type AgentInputItem, MemorySession, type Runner } from '@openai/agents-core'
import { type ModelMessage, streamText, tool } from 'ai'
import { expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { agentsJs } from '../../src/dialects/agents-js.js'
import { aiSdk } from '../../src/dialects/ai-sdk.js'
import { responses } from '../../src/dialects/responses.js'
import { keepSteps } from '../../src/runners/ai-sdk.js'
import { promises, streamTurn } from '../../src/runners/index.js'
import { retaining, withTransactions } from '../../src/runners/openai-agents.js'
import { memorySession } from '../../src/sessions/memory.js'

interface Wire {
  readonly type: string
  readonly [field: string]: unknown
}

test('the session says what the items are, the dialect does not', () => {
  const session = memorySession<Wire>({ dialect: responses })
  const ran = promises.runTurn({
    dialect: responses,
    session,
    turn: 't',
    run: async (turn) => {
      expectTypeOf(turn.items()).toEqualTypeOf<ReadonlyArray<Wire>>()
      return 1
    },
    check: (value) => {
      expectTypeOf(value).toEqualTypeOf<number>()
      return { kind: 'accepted' }
    }
  })
  expectTypeOf(ran).resolves.toHaveProperty('value').toEqualTypeOf<number>()
})

test('a stream keeps the type of its events', () => {
  const events = streamTurn({
    dialect: responses,
    session: memorySession<Wire>(),
    turn: 't',
    stream: async function* () {
      yield 'a'
    },
    itemsOf: (event) => {
      expectTypeOf(event).toEqualTypeOf<string>()
      return []
    }
  })
  expectTypeOf(events).toExtend<AsyncIterable<string>>()
})

test('retaining has the overloads of the SDK', () => {
  const run = retaining({ dialect: agentsJs, onSave: () => undefined })
  expectTypeOf(run).toEqualTypeOf<Runner['run']>()
  const agent = new Agent({ name: 'A' })
  const session = memorySession<AgentInputItem>({ dialect: agentsJs })
  expectTypeOf(run(agent, 'go', { session })).resolves.toHaveProperty('finalOutput')
  expectTypeOf(run(agent, 'go', { session })).resolves.not.toHaveProperty('completed')
  expectTypeOf(run(agent, 'go', { session, stream: true })).resolves.toHaveProperty('completed')
})

test('a session with transactions is still the session', () => {
  class Own extends MemorySession {
    readonly size = 1
  }
  expectTypeOf(withTransactions(new Own()).size).toEqualTypeOf<number>()
})

test('what keepSteps gives is taken by streamText as it is', () => {
  const { settle, messages, ...kept } = keepSteps({
    dialect: aiSdk,
    session: memorySession<ModelMessage>(),
    turn: 't',
    model: 'a/model',
    tools: { pay: tool({ inputSchema: z.object({ id: z.string() }), execute: async ({ id }) => id }) }
  })
  expectTypeOf(messages()).toEqualTypeOf<ReadonlyArray<ModelMessage>>()
  expectTypeOf(settle).returns.resolves.toHaveProperty('outcome')
  const call = () => streamText({ ...kept, messages: [...messages()] })
  expectTypeOf(call).returns.toHaveProperty('fullStream')
})
