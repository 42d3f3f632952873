import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { expect, test } from 'vitest'
import { accepted, open, rejected } from '../../src/core/outcome.js'
import { anthropic } from '../../src/dialects/anthropic.js'
import { responses } from '../../src/dialects/responses.js'
import type { SessionStore, SessionWrite, StoreError } from '../../src/ports/session-store.js'
import { promises, resend, settle, startTurn, streamTurn, type TurnStream } from '../../src/runners/index.js'
import { memorySession } from '../../src/sessions/memory.js'
import type { Session } from '../../src/sessions/session.js'

interface Wire {
  readonly type: string
  readonly [field: string]: unknown
}

const user: Wire = { type: 'message', role: 'user', content: 'refund order 7' }
const reasoning = (id: string): Wire => ({ type: 'reasoning', id, summary: [] })
const call = (id: string): Wire => ({ type: 'function_call', call_id: id, name: 'pay', arguments: '{}' })
const output = (id: string, text = `paid ${id}`): Wire => ({
  type: 'function_call_output',
  call_id: id,
  output: text
})
const message = (id: string): Wire => ({ type: 'message', role: 'assistant', id, content: [] })

const paid: ReadonlyArray<Wire> = [reasoning('rs_1'), call('c1'), output('c1')]
const answered: ReadonlyArray<Wire> = [...paid, reasoning('rs_2'), message('msg_1')]

const unavailable = (applied: 'no' | 'unknown'): StoreError => ({
  kind: 'unavailable',
  reason: 'connection',
  applied,
  message: 'the connection was lost'
})

/** A store whose saves go through `intercept` first. */
const through = (
  inner: Session<Wire>,
  intercept: (
    write: SessionWrite<Wire>,
    save: SessionStore<Wire>['save']
  ) => ReturnType<SessionStore<Wire>['save']>
): SessionStore<Wire> => ({
  read: inner.read,
  progress: inner.progress,
  save: (write) => intercept(write, inner.save)
})

const settings = (session: SessionStore<Wire>, turn = 't1') => ({
  dialect: responses,
  session,
  turn
})

test('SELECT-2, PLAN-1: a rejected message is withheld, the payment before it is stored, and both facts are told', async () => {
  const session = memorySession<Wire>()
  const settlement = await settle({
    ...settings(session),
    items: [user, ...answered],
    outcome: rejected('message')
  })()
  expect(await session.getItems()).toEqual([user, ...paid])
  expect(settlement.outcome).toEqual({ kind: 'rejected', deliverable: 'message', from: 4 })
  expect(settlement.save).toMatchObject({
    _tag: 'Right',
    right: { applied: true, progress: { settled: 6, written: 4 } }
  })
  expect(settlement.pending).toBeNull()
})

test('PLAN-25: settling again writes nothing, with the progress at hand and without', async () => {
  const session = memorySession<Wire>()
  const question = { ...settings(session), items: answered, outcome: accepted }
  const first = await settle(question)()
  const progress = E.isRight(first.save) ? first.save.right.progress : undefined
  const second = await settle(progress === undefined ? question : { ...question, progress })()
  const third = await settle(question)()
  expect([second.save, third.save]).toMatchObject([
    { _tag: 'Right', right: { applied: false } },
    { _tag: 'Right', right: { applied: false } }
  ])
  expect(await session.getItems()).toEqual(answered)
})

test('a conflict is planned again from the stored progress', async () => {
  const session = memorySession<Wire>()
  let met = 0
  const store = through(session, (write, save) => {
    met += 1
    if (met > 1) return save(write)
    // Another writer of the same turn comes first.
    return TE.flatten(
      TE.fromTask(async () => {
        await promises.settle({ ...settings(session), items: paid, outcome: open('message') })
        return save(write)
      })
    )
  })
  const settlement = await settle({ ...settings(store), items: answered, outcome: accepted })()
  expect(settlement.save).toMatchObject({ _tag: 'Right', right: { applied: true } })
  expect(met).toBe(2)
  expect(await session.getItems()).toEqual(answered)
})

test('a conflict that does not end is told after the given number of attempts', async () => {
  const session = memorySession<Wire>()
  let asked = 0
  const store = through(session, () => {
    asked += 1
    return TE.left({ kind: 'conflict', turn: 't1', stored: null, message: 'somebody else' })
  })
  const settlement = await settle({ ...settings(store), items: paid, outcome: accepted, attempts: 3 })()
  expect(settlement.save).toMatchObject({ _tag: 'Left', left: { kind: 'conflict' } })
  expect(settlement.pending).toBeNull()
  expect(asked).toBe(3)
})

test('PROGRESS-8: a write whose answer was lost is returned, and sent again by value it is applied once', async () => {
  const session = memorySession<Wire>()
  const store = through(session, (write, save) =>
    TE.flatten(
      TE.fromTask(async () => {
        await save(write)()
        return TE.left(unavailable('unknown'))
      })
    )
  )
  const settlement = await settle({ ...settings(store), items: paid, outcome: accepted })()
  expect(settlement.save).toMatchObject({ _tag: 'Left', left: { kind: 'unavailable', applied: 'unknown' } })
  const pending = settlement.pending
  if (pending === null) throw new Error('expected the write')
  expect(await resend(session, pending)()).toMatchObject({ _tag: 'Right', right: { applied: false } })
  expect(await session.getItems()).toEqual(paid)
})

test('a store that throws or never answers does not take the settlement with it', async () => {
  const session = memorySession<Wire>()
  const throwing = through(session, () => () => Promise.reject(new Error('secret')))
  const thrown = await settle({ ...settings(throwing), items: paid, outcome: accepted })()
  expect(thrown.save).toMatchObject({ _tag: 'Left', left: { kind: 'unavailable', applied: 'unknown' } })
  expect(JSON.stringify(thrown.save)).not.toContain('secret')
  const controller = new AbortController()
  const silent = through(session, () => () => {
    controller.abort()
    return new Promise(() => undefined)
  })
  const waited = await settle({
    ...settings(silent),
    items: paid,
    outcome: accepted,
    saveSignal: controller.signal
  })()
  expect(waited.save).toMatchObject({ _tag: 'Left', left: { kind: 'unavailable', applied: 'unknown' } })
  const pending = waited.pending
  if (pending === null) throw new Error('expected the write')
  expect(await promises.resend(session, pending)).toMatchObject({ applied: true })
  expect(await session.getItems()).toEqual(paid)
})

test('a plan that cannot be made is told, and nothing is written', async () => {
  const session = memorySession<Wire>()
  await promises.settle({ ...settings(session), items: paid, outcome: accepted })
  const settlement = await settle({ ...settings(session), items: [message('other')], outcome: accepted })()
  expect(settlement.save).toMatchObject({ _tag: 'Left', left: { kind: 'beyond-turn' } })
  expect(await session.getItems()).toEqual(paid)
})

/** Everything a turn can do, for both forms. */
interface Scenario {
  readonly name: string
  readonly produces: ReadonlyArray<Wire>
  readonly throws?: unknown
  readonly check?: () => ReturnType<typeof rejected> | typeof accepted
  readonly leaves: ReadonlyArray<Wire>
  readonly raises?: unknown
}

const tripwire = Object.assign(new Error('tripped'), { ...rejected('message') })
const crash = new Error('the check crashed')
const modelDown = new Error('503')
const closed = {
  type: 'function_call_output',
  call_id: 'c2',
  output: expect.stringContaining('interrupted') as unknown as string
}

const scenarios: ReadonlyArray<Scenario> = [
  { name: 'accepted', produces: answered, leaves: [user, ...answered] },
  {
    name: 'a typed rejection',
    produces: answered,
    check: () => rejected('message'),
    leaves: [user, ...paid],
    raises: { kind: 'rejected', deliverable: 'message' }
  },
  {
    name: 'a thrown rejection',
    produces: answered,
    check: () => {
      throw tripwire
    },
    leaves: [user, ...paid],
    raises: tripwire
  },
  {
    name: 'a check that crashes',
    produces: answered,
    check: () => {
      throw crash
    },
    leaves: [user, ...answered],
    raises: crash
  },
  {
    name: 'a model that fails',
    produces: paid,
    throws: modelDown,
    leaves: [user, ...paid],
    raises: modelDown
  },
  {
    name: 'a tool that throws',
    produces: [...paid, call('c2')],
    throws: modelDown,
    leaves: [user, ...paid, call('c2'), closed as unknown as Wire],
    raises: modelDown
  }
]

const catching = async (act: () => Promise<unknown>): Promise<unknown> => {
  try {
    await act()
    return undefined
  } catch (thrown) {
    return thrown
  }
}

const readAll = async (stream: TurnStream<Wire, Wire>): Promise<ReadonlyArray<Wire>> => {
  const seen: Wire[] = []
  for await (const event of stream) seen.push(event)
  return seen
}

const produce = async function* (scenario: Scenario): AsyncGenerator<Wire> {
  for (const item of scenario.produces) yield item
  if (scenario.throws !== undefined) throw scenario.throws
}

for (const saves of ['at-the-end', 'while-running'] as const) {
  for (const scenario of scenarios) {
    test(`PLAN-26: runTurn and streamTurn leave the same session, saved ${saves}: ${scenario.name}`, async () => {
      const { check } = scenario
      const ran = memorySession<Wire>()
      const raised = await catching(() =>
        promises.runTurn({
          ...settings(ran),
          input: [user],
          saves,
          run: async (turn) => {
            for await (const item of produce(scenario)) await turn.add(item)
            return 'done'
          },
          ...(check === undefined ? {} : { check })
        })
      )
      expect(await ran.getItems()).toEqual([...scenario.leaves])
      if (scenario.raises instanceof Error) expect(raised).toBe(scenario.raises)
      else if (scenario.raises === undefined) expect(raised).toBeUndefined()
      else expect(raised).toMatchObject(scenario.raises as object)

      const streamed = memorySession<Wire>()
      const stream = streamTurn({
        ...settings(streamed),
        input: [user],
        saves,
        stream: () => produce(scenario),
        itemsOf: (event) => [event],
        ...(check === undefined ? {} : { check })
      })
      const thrown = await catching(() => readAll(stream))
      expect(await streamed.getItems()).toEqual([...scenario.leaves])
      if (scenario.raises instanceof Error) expect(thrown).toBe(scenario.raises)
      else if (scenario.raises !== undefined) expect(thrown).toMatchObject(scenario.raises as object)
    })
  }
}

test('a rejection is thrown only after the committed items are stored', async () => {
  const session = memorySession<Wire>()
  const steps: string[] = []
  const store = through(session, (write, save) =>
    TE.flatten(
      TE.fromTask(async () => {
        await new Promise((resolve) => setImmediate(resolve))
        steps.push('stored')
        return save(write)
      })
    )
  )
  const stream = streamTurn({
    ...settings(store),
    stream: () => answered,
    itemsOf: (event) => [event],
    check: () => rejected('message')
  })
  await catching(() => readAll(stream))
  steps.push('thrown')
  expect(steps).toEqual(['stored', 'thrown'])
})

test('a failed save and a rejection are both told', async () => {
  const store = through(memorySession<Wire>(), () => TE.left(unavailable('no')))
  const question = {
    ...settings(store),
    run: async (turn: { add: (...items: Wire[]) => Promise<unknown> }) => {
      await turn.add(...answered)
      return 'done'
    }
  }
  const both = (await catching(() =>
    promises.runTurn({
      ...question,
      check: () => {
        throw tripwire
      }
    })
  )) as AggregateError & { kind: string; report: { settlement: { pending: unknown } } }
  expect(both.kind).toBe('save-failed')
  expect(both.errors[0]).toBe(tripwire)
  expect(both.errors[1]).toMatchObject({ kind: 'unavailable', applied: 'no' })
  expect(both.report.settlement.pending).toMatchObject({ turn: 't1', change: 'append' })
  const alone = (await catching(() => promises.runTurn(question))) as AggregateError & { report: unknown }
  expect(alone.errors).toMatchObject([{ kind: 'unavailable' }])
  expect(alone.report).toMatchObject({ ending: { kind: 'returned', value: 'done' } })
})

test('a consumer that stops reading stops the source and leaves what was committed', async () => {
  const session = memorySession<Wire>()
  let stopped = false
  const stream = streamTurn({
    ...settings(session),
    input: [user],
    stream: async function* () {
      try {
        for (const item of [...paid, call('c2'), message('late')]) yield item
      } finally {
        stopped = true
      }
    },
    itemsOf: (event) => [event]
  })
  for await (const event of stream) if (event['call_id'] === 'c2') break
  expect(stopped).toBe(true)
  expect(await session.getItems()).toMatchObject([
    user,
    ...paid,
    call('c2'),
    { type: 'function_call_output', call_id: 'c2' }
  ])
  expect(await stream.report).toMatchObject({
    ending: { kind: 'stopped' },
    settlement: { outcome: { kind: 'aborted' } }
  })
})

test('events are asked for one at a time', async () => {
  let produced = 0
  const stream = streamTurn({
    ...settings(memorySession<Wire>()),
    stream: function* () {
      for (const item of answered) {
        produced += 1
        yield item
      }
    }
  })
  const events = stream[Symbol.asyncIterator]()
  expect(produced).toBe(0)
  await events.next()
  await events.next()
  expect(produced).toBe(2)
  await events.return?.()
  expect(produced).toBe(2)
})

test('PLAN-22: a result that comes after the turn was settled takes the place of its closing', async () => {
  const session = memorySession<Wire>()
  let finish: () => Promise<unknown> = async () => undefined
  await catching(() =>
    promises.runTurn({
      ...settings(session),
      input: [user],
      run: async (turn) => {
        await turn.add(reasoning('rs_1'), call('c2'))
        finish = () => turn.add(output('c2'))
        throw new DOMException('cancelled', 'AbortError')
      }
    })
  )
  expect(await session.getItems()).toMatchObject([user, reasoning('rs_1'), call('c2'), closed])
  await finish()
  expect(await session.getItems()).toEqual([user, reasoning('rs_1'), call('c2'), output('c2')])
})

test('SELECT-10: what is written ahead is there when the process dies', async () => {
  const session = memorySession<Wire>()
  let before: ReadonlyArray<Wire> = []
  await promises.runTurn({
    ...settings(session),
    input: [user],
    saves: 'while-running',
    run: async (turn) => {
      await turn.add(reasoning('rs_1'), call('c1'))
      before = await session.getItems()
      await turn.add(output('c1'))
      return 'done'
    }
  })
  expect(before).toEqual([user, reasoning('rs_1'), call('c1')])
})

test('BLOCK-9: a turn of messages with many parts is settled by the same runners', async () => {
  interface Message {
    readonly role: string
    readonly content: unknown
  }
  const session = memorySession<Message>()
  const asks: Message = {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'tool_use', id: 'c1', name: 'pay', input: {} }
    ]
  }
  const result: Message = {
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'paid' }]
  }
  const says: Message = { role: 'assistant', content: [{ type: 'text', text: 'the card is 4242' }] }
  const error = await catching(() =>
    promises.runTurn({
      dialect: anthropic,
      session,
      turn: 't1',
      input: [{ role: 'user', content: 'pay' }],
      saves: 'while-running',
      run: async (turn) => {
        await turn.add(asks)
        await turn.add(result)
        await turn.add(says)
        return 'done'
      },
      check: () => rejected('message')
    })
  )
  expect(error).toMatchObject({ kind: 'rejected' })
  expect(await session.getItems()).toEqual([{ role: 'user', content: 'pay' }, asks, result])
})

test('what is no list is told as such, and a turn that is given a list then is saved', async () => {
  const session = memorySession<Wire>()
  const settled = await settle({ ...settings(session), items: 'no list' as never, outcome: accepted })()
  expect(settled).toMatchObject({ save: { _tag: 'Left', left: { kind: 'decode' } }, answer: null })
  expect(await session.getItems()).toEqual([])
  const saved = await settle({ ...settings(session), items: paid, outcome: accepted })()
  expect(saved.save).toMatchObject({ _tag: 'Right', right: { applied: true } })
})

test('PROGRESS-9: a turn goes on when a store that gave no progress gives one again', async () => {
  const session = memorySession<Wire>()
  let isOdd = true
  const store: SessionStore<Wire> = {
    read: session.read,
    save: session.save,
    progress: (turn) => (isOdd ? TE.right({ turn, settled: 'all' } as never) : session.progress(turn))
  }
  const turn = startTurn(settings(store), paid)
  expect((await turn.save(open('none'))).save).toMatchObject({
    _tag: 'Left',
    left: { kind: 'invalid-input' }
  })
  turn.add([reasoning('rs_2')])
  isOdd = false
  turn.add([message('msg_1')])
  expect((await turn.save(accepted)).save).toMatchObject({ _tag: 'Right', right: { applied: true } })
  expect(await session.getItems()).toEqual(answered)
})

test('PROGRESS-2: what a store says that it holds is planned from, also where it is not what was written', async () => {
  const session = memorySession<Wire>()
  const store = through(session, (write, save) => async () => {
    const receipt = await save(write)()
    if (E.isLeft(receipt) || write.after.revision !== 1) return receipt
    // Another writer comes before the answer is given.
    const other = await promises.settle({
      ...settings(session),
      items: [user, ...answered],
      outcome: accepted
    })
    return other.save as typeof receipt
  })
  const turn = startTurn(settings(store), [user, ...paid])
  const first = await turn.save(open('none'))
  expect(first.save).toMatchObject({ _tag: 'Right', right: { progress: { final: 6 } } })
  turn.add(answered.slice(3))
  const second = await turn.save(accepted)
  expect(second.save).toMatchObject({ _tag: 'Right', right: { applied: false } })
  expect(await session.getItems()).toEqual([user, ...answered])
})

test('items can be replaced from a place on, as long as what is saved stands at its place', async () => {
  const session = memorySession<Wire>()
  const turn = startTurn(settings(session), [user, ...paid])
  await turn.save(open('none'))
  turn.set([output('c1', 'paid twice'), message('msg_1')], 3)
  expect(turn.items()).toEqual([user, ...paid.slice(0, 2), output('c1', 'paid twice'), message('msg_1')])
  expect((await turn.save(accepted)).save).toMatchObject({ _tag: 'Right', right: { applied: true } })
  turn.set([call('c1')], 1)
  expect(turn.items()).toEqual([user, call('c1')])
  expect((await turn.save(accepted)).save).toMatchObject({ _tag: 'Left', left: { kind: 'beyond-turn' } })
})
