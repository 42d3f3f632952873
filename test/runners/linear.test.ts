/**
 * How often raw values are read over the whole life of a turn that is saved after every one: counted, never timed.
 *
 * Every raw value is a proxy to the bottom that counts the reads of its properties, and of its names. The bounds below
 * are stated in `docs/explanation/proof.md` too.
 */
import type { AgentInputItem, Session as AgentsSession } from '@openai/agents-core'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, test } from 'vitest'
import type { Outcome } from '../../src/core/outcome.js'
import type { Progress } from '../../src/core/progress.js'
import { agentsJs } from '../../src/dialects/agents-js.js'
import { agentsPython } from '../../src/dialects/agents-python.js'
import { aiSdk } from '../../src/dialects/ai-sdk.js'
import { neutral } from '../../src/dialects/neutral.js'
import { responses } from '../../src/dialects/responses.js'
import type { BlockDialect, Dialect, Reader } from '../../src/ports/dialect.js'
import type { SessionStore } from '../../src/ports/session-store.js'
import { keepSteps } from '../../src/runners/ai-sdk.js'
import { startTurn, streamTurn } from '../../src/runners/index.js'
import { ledgerStore } from '../../src/runners/openai-agents/ledger.js'
import { memorySession } from '../../src/sessions/memory.js'

/** Reads that one raw item may cost over its whole life, all of its parts together. It has about six fields. */
const READS = 60
/** The same where a session turns it into text, each time that it is written. */
const READS_AS_TEXT = 150
const SIZE = 10_000
const STEPS = 1000

interface Counted<A> {
  readonly value: A
  readonly reads: () => number
}

const counted = <A>(value: A): Counted<A> => {
  let reads = 0
  const wrap = (inner: unknown): unknown =>
    typeof inner !== 'object' || inner === null
      ? inner
      : new Proxy(inner, {
          get: (target, name) => {
            reads += 1
            return wrap(Reflect.get(target, name))
          },
          has: (target, name) => {
            reads += 1
            return Reflect.has(target, name)
          },
          ownKeys: (target) => {
            reads += 1
            return Reflect.ownKeys(target)
          },
          getOwnPropertyDescriptor: (target, name) => {
            reads += 1
            return Reflect.getOwnPropertyDescriptor(target, name)
          }
        })
  return { value: wrap(value) as A, reads: () => reads }
}

const most = (all: ReadonlyArray<Counted<unknown>>): number =>
  all.reduce((highest, { reads }) => Math.max(highest, reads()), 0)

/** A store that looks at no item. */
const blindStore = (): SessionStore<unknown> & { readonly written: () => number } => {
  const stored = new Map<string, Progress>()
  let written = 0
  return {
    written: () => written,
    read: () => TE.right({ items: [], notices: [] }),
    progress: (turn) => TE.fromIO(() => stored.get(turn) ?? null),
    save: ({ turn, items, replaces, after }) =>
      TE.fromIO(() => {
        written += items.length + replaces
        stored.set(turn, after)
        return { applied: true, progress: after, notices: [] }
      })
  }
}

type Raw = Readonly<Record<string, unknown>>

type StepRaw = Raw & { readonly role: string }

/** Reasoning, a call and its output, again and again; now and then user input, and an item that nobody knows. */
const itemOf = (place: number): Raw => {
  const call = `c${place - (place % 3)}`
  if (place % 100 === 99) return { type: 'message', role: 'user', content: 'go on' }
  if (place % 100 === 98) return { type: 'odd', id: 'the same' }
  if (place % 3 === 0) return { type: 'reasoning', id: `r${place}`, summary: [] }
  if (place % 3 === 1)
    return {
      type: 'function_call',
      id: `f${place}`,
      call_id: call,
      callId: call,
      name: 'pay',
      arguments: '{}'
    }
  return { type: 'function_call_output', call_id: call, callId: call, output: { type: 'text', text: 'paid' } }
}

const asRunItem =
  (field: string) =>
  (place: number): Raw => {
    const raw = itemOf(place)
    return { type: raw['type'] === 'reasoning' ? 'reasoning_item' : 'tool_call_item', [field]: raw }
  }

const neutralOf = (place: number): Raw =>
  [
    { kind: 'reasoning', id: `r${place}` },
    { kind: 'call', callId: `c${place}` },
    { kind: 'output', callId: `c${place - 1}` }
  ][place % 3] as Raw

const shapes: ReadonlyArray<readonly [string, unknown, (place: number) => Raw]> = [
  ['responses', responses, itemOf],
  ['agents-js', agentsJs, asRunItem('rawItem')],
  ['agents-python', agentsPython, asRunItem('raw_item')],
  ['neutral', neutral, neutralOf]
]

const streamAll = async (
  dialect: unknown,
  session: SessionStore<unknown>,
  all: ReadonlyArray<Counted<unknown>>,
  store: 'append' | 'replace',
  pending: 'none' | 'message'
): Promise<Progress> => {
  const turn = streamTurn<unknown, unknown>({
    dialect: dialect as Dialect<unknown>,
    session,
    turn: 't',
    store,
    saves: 'while-running',
    pending,
    stream: () => all.map(({ value }) => value),
    itemsOf: (item) => [item]
  })
  for await (const _item of turn) {
    // Reading is what makes the turn go on.
  }
  const { settlement } = await turn.report
  if (E.isLeft(settlement.save)) throw new Error(settlement.save.left.message)
  return settlement.save.right.progress
}

describe.each(shapes)('%s, streamed and saved after every item', (_name, dialect, make) => {
  test.each([
    ['append', 'none'],
    ['replace', 'message']
  ] as const)(
    'is read in linear total on a store of kind %s with the pending check %s [INV-9]',
    async (store, pending) => {
      const all = Array.from({ length: SIZE }, (_, place) => counted(make(place)))
      const session = blindStore()
      const progress = await streamAll(dialect, session, all, store, pending)
      expect(progress.settled).toBe(SIZE)
      expect(progress.revision).toBeGreaterThan(SIZE / 2)
      expect(most(all)).toBeGreaterThan(0)
      expect(most(all)).toBeLessThanOrEqual(READS)
      expect(session.written()).toBeLessThanOrEqual(3 * SIZE)
    }
  )
})

test('a session in memory reads an item when it is written, and never again [INV-9]', async () => {
  const all = Array.from({ length: SIZE }, (_, place) => counted(itemOf(place)))
  const progress = await streamAll(responses, memorySession<unknown>(), all, 'replace', 'message')
  expect(progress.settled).toBe(SIZE)
  expect(most(all)).toBeLessThanOrEqual(READS_AS_TEXT)
})

test('the ledger beside a session of the agents SDK reads an item when it is written, and never again [INV-9]', async () => {
  const entries: AgentInputItem[] = []
  let asked = 0
  const session: AgentsSession = {
    getSessionId: async () => 's',
    getItems: async (limit) => {
      asked += limit ?? entries.length
      return limit === undefined ? entries.slice() : entries.slice(entries.length - limit)
    },
    addItems: async (items) => {
      for (const item of items) entries.push(item)
    },
    popItem: async () => entries.pop(),
    clearSession: async () => undefined
  }
  const all = Array.from({ length: SIZE }, (_, place) => counted(itemOf(place)))
  const store = ledgerStore(session) as unknown as SessionStore<unknown>
  const progress = await streamAll(agentsJs, store, all, 'replace', 'message')
  expect(progress.settled).toBe(SIZE)
  expect(entries.length).toBeGreaterThan(SIZE / 2)
  expect(asked).toBeLessThanOrEqual(SIZE)
  expect(most(all)).toBeLessThanOrEqual(READS_AS_TEXT)
})

describe('steps of the AI SDK', () => {
  /** The dialect, with a count of the messages that are read and of the entries that messages are made of. */
  const countWork = (
    inner: BlockDialect<StepRaw>
  ): { readonly dialect: BlockDialect<StepRaw>; work: () => number } => {
    let work = 0
    const startReading = (): Reader => {
      const reader = inner.startReading()
      return {
        items: reader.items,
        get notices() {
          return reader.notices
        },
        rewind: reader.rewind,
        read: (raws) => {
          work += raws.length
          reader.read(raws)
        }
      }
    }
    const dialect: BlockDialect<StepRaw> = {
      ...inner,
      startReading,
      rebuild: (question) => {
        const entries = Array.from(question.entries)
        work += entries.length
        return inner.rebuild({ ...question, entries })
      }
    }
    return { dialect, work: () => work }
  }

  test.each(['append', 'replace'] as const)(
    'are read, planned and written in linear total on a store of kind %s [INV-9, BLOCK-9]',
    async (store) => {
      const { dialect, work } = countWork(aiSdk as unknown as BlockDialect<StepRaw>)
      const all: Array<Counted<Raw>> = []
      const count = (message: Raw): Raw => {
        const made = counted(message)
        all.push(made)
        return made.value
      }
      const session = blindStore()
      const kept = keepSteps({
        dialect,
        session: session as SessionStore<StepRaw>,
        turn: 't',
        store,
        input: [count({ role: 'user', content: 'go' })] as never,
        tools: { pay: { execute: async () => 'paid' } },
        model: { doGenerate: async (content: unknown) => ({ content }) }
      })
      const tool = kept.tools.pay as unknown as {
        execute: (input: object, options: object) => Promise<unknown>
      }
      for (let step = 0; step < STEPS; step += 1) {
        const part = { type: 'tool-call', toolCallId: `c${step}`, toolName: 'pay' }
        await kept.model.doGenerate([
          { type: 'reasoning', text: 'hm' },
          { ...part, input: '{}' }
        ])
        await tool.execute({}, { toolCallId: `c${step}` })
        const output = { type: 'text', value: 'paid' }
        const messages = [
          {
            role: 'assistant',
            content: [
              { type: 'reasoning', text: 'hm' },
              { ...part, input: {} }
            ]
          },
          { role: 'tool', content: [{ ...part, type: 'tool-result', output }] }
        ]
        await kept.onStepFinish({ response: { messages: messages.map(count) as never } })
      }
      await kept.onFinish()
      const settlement = await kept.settle()
      expect(settlement.save).toMatchObject({
        _tag: 'Right',
        right: { progress: { settled: 1 + 3 * STEPS } }
      })
      expect(kept.messages()).toHaveLength(1 + 2 * STEPS)
      expect(most(all)).toBeGreaterThan(0)
      expect(most(all)).toBeLessThanOrEqual(READS_AS_TEXT)
      expect(work()).toBeLessThanOrEqual(50 * STEPS)
      expect(session.written()).toBeLessThanOrEqual(10 * STEPS)
    }
  )
})

test('a turn that is set again and again with the very items that it holds is read once', async () => {
  const all = Array.from({ length: 1000 }, (_, place) => counted(itemOf(place)))
  const session = blindStore()
  const turn = startTurn<unknown>({ dialect: responses as never, session, turn: 't' })
  const outcome: Outcome = { kind: 'open', check: 'none' }
  for (let length = 1; length <= all.length; length += 1) {
    turn.set(all.slice(0, length).map(({ value }) => value))
    await turn.save(outcome)
  }
  expect(most(all)).toBeLessThanOrEqual(READS)
})
