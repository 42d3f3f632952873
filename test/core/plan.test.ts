/** Single turns that say what a plan is made of, where no vector does. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import {
  aborted,
  defaultPolicy,
  type Entry,
  failed,
  type Item,
  open,
  orThrow,
  persistedCount,
  type PlanQuestion,
  planSave,
  planToJSON,
  rejected,
  retain,
  type SavePlan,
  startProgress
} from '../../src/index.js'

const turn = 't'
const callA: Item = { kind: 'call', callId: 'a' }
const outputA: Item = { kind: 'output', callId: 'a' }
const message: Item = { kind: 'message', id: 'm' }

const plan = (question: Omit<PlanQuestion, 'turn'>): SavePlan => orThrow(planSave({ turn, ...question }))
const verdicts = (made: SavePlan): ReadonlyArray<string> =>
  Array.from(made.decisions, ({ verdict }) => verdict)

describe('outcomes are made', () => {
  test('with what is left out at its default', () => {
    expect(rejected('message')).toEqual({ kind: 'rejected', deliverable: 'message' })
    expect(rejected('output', 3)).toEqual({ kind: 'rejected', deliverable: 'output', from: 3 })
    expect([failed(), failed('due')]).toEqual([
      { kind: 'failed', check: 'none' },
      { kind: 'failed', check: 'due' }
    ])
    expect([aborted(), aborted('due')]).toEqual([
      { kind: 'aborted', check: 'none' },
      { kind: 'aborted', check: 'due' }
    ])
    expect([open(), open('input')]).toEqual([
      { kind: 'open', check: 'none' },
      { kind: 'open', check: 'input' }
    ])
  })
})

describe('a plan', () => {
  const asked = { items: [callA, outputA, message], outcome: rejected('message') }

  test('has entries to count, to look up and to walk over, twice', () => {
    const { writes } = plan(asked)
    expect(writes.length).toBe(2)
    expect([writes.at(0), writes.at(1), writes.at(2), writes.at(-1)]).toEqual([
      { position: 0 },
      { position: 1 },
      undefined,
      undefined
    ])
    const entries: ReadonlyArray<Entry> = [{ position: 0 }, { position: 1 }]
    expect([Array.from(writes), Array.from(writes)]).toEqual([entries, entries])
  })

  test('has the same lists each time they are asked for', () => {
    const made = plan(asked)
    expect(made.notices).toBe(made.notices)
    expect(made.unprotected).toBe(made.unprotected)
    expect(made.after.withheld).toBe(made.after.withheld)
    expect(made.decisions.length).toBe(3)
  })

  test('is plain data as JSON, which a text gives back', () => {
    const document = planToJSON(plan(asked))
    expect(JSON.parse(JSON.stringify(document))).toEqual(document)
    expect(document).toMatchObject({
      change: 'append',
      from: 2,
      replaces: [],
      writes: [{ position: 0 }, { position: 1 }],
      after: { turn, revision: 1, settled: 3, final: 3, sealed: 0, withheld: [2], written: 2 },
      unprotected: [],
      irrevocable: [],
      late: [],
      notices: []
    })
    expect(document.decisions.map(({ verdict }) => verdict)).toEqual(['keep', 'keep', 'withhold'])
  })

  test('counts the entries in the store', () => {
    expect(persistedCount(plan(asked).after)).toBe(2)
    expect(persistedCount(startProgress(turn))).toBe(0)
  })

  test('of an open turn that has ended at this length judges nothing [PLAN-21]', () => {
    const ended = plan({ items: [callA, outputA], outcome: rejected('message') })
    const idle = plan({ items: [callA, outputA], outcome: open(), progress: ended.after })
    expect(idle.change).toBe('none')
    expect(idle.after).toBe(ended.after)
    expect([idle.unprotected, idle.notices]).toEqual([[], []])
    expect(Array.from(idle.decisions)).toEqual([
      { position: 0, verdict: 'keep', rule: 'PLAN-21' },
      { position: 1, verdict: 'keep', rule: 'PLAN-21' }
    ])
  })
})

describe('an error', () => {
  test('is thrown with its message and itself as the cause', () => {
    const error = { kind: 'untrusted', path: 'items', message: 'items is wrong' }
    let thrown: unknown
    try {
      orThrow(E.left(error))
    } catch (caught) {
      thrown = caught
    }
    expect(thrown).toBeInstanceOf(Error)
    expect(thrown).toMatchObject({ message: 'items is wrong' })
    expect((thrown as Error).cause).toBe(error)
    const value = {}
    expect(orThrow(E.right(value))).toBe(value)
  })
})

describe('positions that stay of a rejected message', () => {
  test('are looked for from the start of the last response, or from where it says [SELECT-23]', () => {
    const items = [message, callA, outputA, { kind: 'message', id: 'n' } as const]
    expect(retain({ items })).toEqual([0, 1, 2])
    expect(retain({ items, from: 0 })).toEqual([1, 2])
  })
})

describe('a turn that a store with replacing has held, on one that can only append', () => {
  const pending: Item = { kind: 'output', callId: 'x', execution: 'pending' }
  const unpaired: Item = { kind: 'output', callId: 'x' }
  const partial: Item = { kind: 'message', id: 'p', partial: true }
  const held = (items: ReadonlyArray<Item>): SavePlan => plan({ items, outcome: open(), store: 'replace' })

  test('is refused where an item has to be written in front of a stored one [PLAN-17]', () => {
    const { after } = held([partial, callA, outputA])
    expect(after).toMatchObject({ settled: 0, ahead: [1, 2] })
    const whole: Item = { kind: 'message', id: 'p' }
    const refused = planSave({ turn, items: [whole, callA, outputA], outcome: open(), progress: after })
    expect(refused).toEqual(
      E.left({
        kind: 'out-of-order',
        path: 'items[0]',
        position: 0,
        message:
          'items[0] would have to be written in front of an item that an append-only store already holds; use a store that can replace a suffix'
      })
    )
  })

  test('settles up to what waits, and keeps what is ahead of it [PLAN-10]', () => {
    const { after } = held([pending, partial, callA, outputA])
    const next = plan({ items: [unpaired, partial, callA, outputA], outcome: open(), progress: after })
    expect(next.change).toBe('none')
    expect(planToJSON(next).after).toMatchObject({
      revision: 2,
      settled: 1,
      withheld: [0],
      ahead: [2, 3],
      written: 2
    })
  })

  test('settles what is ahead as soon as nothing waits in front of it [PLAN-10]', () => {
    const { after } = held([pending, callA, outputA])
    const next = plan({ items: [unpaired, callA, outputA], outcome: open(), progress: after })
    expect(planToJSON(next)).toMatchObject({
      change: 'none',
      writes: [],
      after: { settled: 3, withheld: [0], ahead: [], written: 2 },
      irrevocable: []
    })
  })

  test('names stored reasoning whose owner turned out to be of another response [PLAN-15]', () => {
    const reasoning: Item = { kind: 'reasoning', id: 'r', response: 0 }
    const { after } = held([pending, reasoning, { ...message, response: 0 }])
    expect(after.ahead).toEqual([1, 2])
    const items: ReadonlyArray<Item> = [unpaired, reasoning, { ...message, response: 1 }]
    const next = plan({ items, outcome: open(), progress: after })
    expect(next.irrevocable).toEqual([1])
    expect(planToJSON(next).after).toMatchObject({ settled: 3, withheld: [0], written: 2 })
  })

  test('lets stored messages wait for a check that has come since [PLAN-13]', () => {
    const other: Item = { kind: 'message', id: 'n' }
    const { after } = held([pending, message, other])
    const next = plan({ items: [unpaired, message, other], outcome: open('message'), progress: after })
    expect(planToJSON(next).after).toMatchObject({ settled: 1, withheld: [0], ahead: [1, 2], written: 2 })
    expect(Array.from(next.decisions)).toMatchObject([
      { verdict: 'withhold' },
      { verdict: 'keep', rule: 'PLAN-13' },
      { verdict: 'keep', rule: 'PLAN-13' }
    ])
  })
})

describe('an output that comes when its turn was sealed with a closing in its place', () => {
  const call: Item = { ...callA, response: 0 }
  const answer: Item = { ...message, response: 0 }
  const items = [call, outputA, answer]
  const { after } = plan({
    items: [call, { ...outputA, execution: 'pending' }],
    outcome: { kind: 'accepted' },
    store: 'replace'
  })

  test('waits while a check may still reject outputs of its response [PLAN-22]', () => {
    expect(after).toMatchObject({ withheld: [1], closed: [0] })
    const waiting = plan({ items, outcome: open('output'), store: 'replace', progress: after })
    expect(waiting.change).toBe('none')
    expect(Array.from(waiting.decisions)[1]).toEqual({
      position: 1,
      verdict: 'defer',
      rule: 'PLAN-22',
      because: 0
    })
    expect(waiting.unprotected).toEqual([1])
  })

  test('takes its place redacted when it is rejected [PLAN-22]', () => {
    const made = plan({ items, outcome: rejected('output'), store: 'replace', progress: after })
    expect(Array.from(made.replaces)).toEqual([{ close: 0, as: 'interrupted' }])
    expect(Array.from(made.writes)).toEqual([{ position: 1, redact: true }])
    expect(planToJSON(made).after).toMatchObject({ withheld: [2], closed: [], redacted: [1], written: 2 })
  })
})

describe('calls of one key', () => {
  test('that waited together and were superseded are closed in an append-only store [PLAN-24]', () => {
    const items: ReadonlyArray<Item> = [
      { ...callA, response: 0 },
      { ...callA, response: 0 },
      { ...callA, response: 1 }
    ]
    const made = plan({ items, outcome: open() })
    expect(Array.from(made.writes)).toEqual([
      { position: 0 },
      { position: 1 },
      { close: 0, as: 'interrupted' },
      { close: 1, as: 'interrupted' },
      { position: 2 }
    ])
  })

  test('are no other calls’ when those have no id [PAIR-11]', () => {
    const items: ReadonlyArray<Item> = [
      { kind: 'call', namespace: 'tool-search' },
      callA,
      { kind: 'approval', callId: 'a' }
    ]
    const made = plan({ items, outcome: rejected('message', 0) })
    expect(Array.from(made.decisions)[2]).toEqual({
      position: 2,
      verdict: 'keep',
      rule: 'SELECT-9',
      because: 1
    })
  })
})

describe('a superseded call that is dropped', () => {
  const policy = { ...defaultPolicy, unansweredCalls: 'drop' as const }

  test('does not keep its parent [PLAN-5]', () => {
    const items: ReadonlyArray<Item> = [
      { kind: 'call', callId: 'p', response: 0 },
      { kind: 'call', callId: 'c', parent: 'p', response: 0 },
      { kind: 'call', callId: 'c', response: 1 }
    ]
    expect(verdicts(plan({ items, outcome: open(), policy, store: 'replace' }))).toEqual([
      'defer',
      'withhold',
      'defer'
    ])
  })

  test('does not keep the reasoning of its segment [PLAN-9]', () => {
    const items: ReadonlyArray<Item> = [
      { kind: 'reasoning', response: 0 },
      { kind: 'call', callId: 'c', response: 0 },
      { kind: 'call', callId: 'c', response: 1 }
    ]
    const segment = { ...policy, association: 'segment' as const }
    expect(verdicts(plan({ items, outcome: open(), policy: segment, store: 'replace' }))).toEqual([
      'withhold',
      'withhold',
      'defer'
    ])
  })
})

describe('planSave, given what no type allows', () => {
  test('plans the rest around items that are no items [ITEM-4, ITEM-9]', () => {
    const odd = [
      null,
      7,
      { kind: 5 },
      { kind: 'call', callId: null, id: null },
      { kind: 'message', id: 3 },
      undefined
    ]
    const items = [
      ...odd,
      { kind: 'call', callId: 'a' },
      { kind: 'output', callId: 'a' }
    ] as unknown as ReadonlyArray<Item>
    const plan = orThrow(
      planSave({ turn: 't', items, outcome: { kind: 'rejected', deliverable: 'message' } })
    )
    expect(Array.from(plan.writes).slice(-2)).toEqual([{ position: 6 }, { position: 7 }])
    expect(
      plan.notices.filter((notice) => notice.kind === 'unclassified').map((notice) => notice.position)
    ).toEqual([0, 1, 2, 5])
    const again = planSave({
      turn: 't',
      items,
      outcome: { kind: 'rejected', deliverable: 'message' },
      progress: plan.after
    })
    expect(orThrow(again).change).toBe('none')
  })
})
