/** A turn that grows, in hands that are late, wrong or in conflict: the answers are those of `planSave`. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import {
  acknowledge,
  defaultPolicy,
  extendTurn,
  type Item,
  type Outcome,
  open,
  orThrow,
  planSave,
  planToJSON,
  planTurn,
  resumeTurn,
  seedPolicy,
  startProgress,
  type TrackQuestion,
  trackTurn,
  type TurnTracker
} from '../../src/index.js'

const turn = 't'
const user: Item = { kind: 'message', origin: 'user', id: 'u' }
const callA: Item = { kind: 'call', callId: 'a' }
const outputA: Item = { kind: 'output', callId: 'a' }
const message: Item = { kind: 'message', id: 'm' }

const tracked = (items: ReadonlyArray<Item>, question: Partial<TrackQuestion> = {}): TurnTracker =>
  extendTurn(orThrow(trackTurn({ turn, ...question })), items)

describe('a turn that grows', () => {
  test('is planned as the whole turn is, after each save', () => {
    const items = [user, callA, outputA, message]
    let tracker = orThrow(trackTurn({ turn }))
    for (let length = 1; length <= items.length; length += 1) {
      tracker = extendTurn(tracker, items.slice(length - 1, length))
      const { progress } = tracker
      const made = orThrow(planTurn(tracker, open()))
      const single = orThrow(planSave({ turn, items: items.slice(0, length), outcome: open(), progress }))
      expect(planToJSON(made)).toEqual(planToJSON(single))
      expect(made.expects).toBe(progress)
      tracker = orThrow(acknowledge(tracker, made))
      expect(tracker.progress).toBe(made.after)
    }
    expect(tracker.progress).toMatchObject({ revision: 4, settled: 4, written: 4 })
  })

  test.each(['append', 'replace'] as const)(
    'sees what the first of two owners claims that came together, on a store of kind %s [PLAN-3]',
    (store) => {
      const thought: Item = { kind: 'reasoning', id: 'r1' }
      const before = tracked([user, thought], { store })
      const saved = orThrow(acknowledge(before, orThrow(planTurn(before, open()))))
      const later: ReadonlyArray<Item> = [
        message,
        { kind: 'reasoning', id: 'r2' },
        { kind: 'message', id: 'n' }
      ]
      const made = orThrow(planTurn(extendTurn(saved, later), open()))
      expect(Array.from(made.writes)).toEqual([1, 2, 3, 4].map((position) => ({ position })))
    }
  )

  test('remembers of many items that came at once that they are stored', () => {
    const items = Array.from({ length: 100 }, (_, index): Item => ({ kind: 'message', id: `m${index}` }))
    const before = tracked(items, { store: 'replace' })
    const saved = orThrow(acknowledge(before, orThrow(planTurn(before, open()))))
    const outcome: Outcome = { kind: 'rejected', deliverable: 'message', from: 50 }
    const made = orThrow(planTurn(saved, outcome))
    expect(Array.from(made.replaces)).toEqual(items.slice(50).map((_, index) => ({ position: 50 + index })))
    expect(planToJSON(made)).toEqual(
      planToJSON(orThrow(planSave({ turn, items, outcome, store: 'replace', progress: saved.progress })))
    )
  })

  test('sees what came between a plan and its acknowledgement', () => {
    const thought: Item = { kind: 'reasoning', id: 'r1' }
    const before = tracked([user, thought], { store: 'replace' })
    const plan = orThrow(planTurn(before, open()))
    const saved = orThrow(acknowledge(extendTurn(before, [message]), plan))
    const made = orThrow(planTurn(saved, open()))
    expect(Array.from(made.writes)).toEqual([1, 2].map((position) => ({ position })))
  })

  test('answers for the turn as it was planned, though it has grown since', () => {
    const before = tracked([user, callA])
    const plan = orThrow(planTurn(before, open()))
    extendTurn(before, [outputA, { kind: 'output', callId: 'b' }])
    const single = orThrow(planSave({ turn, items: [user, callA], outcome: open() }))
    expect(planToJSON(plan)).toEqual(planToJSON(single))
  })

  test('is where it was after a plan that changes nothing [PLAN-25]', () => {
    const started = orThrow(trackTurn({ turn }))
    const none = orThrow(planTurn(started, open()))
    expect(none.after).toBe(none.expects)
    const next = orThrow(acknowledge(started, none))
    expect(next.progress).toBe(started.progress)
    expect(next.length).toBe(0)
  })

  test.each([
    ['open', { kind: 'open', check: 'none' }],
    ['accepted', { kind: 'accepted' }]
  ] as const)(
    'puts an output that has waited in the place of a closing that stands far before it: %s [PLAN-22]',
    (_name, outcome) => {
      const items = [callA, user, outputA]
      const ended = tracked([callA, user], { store: 'replace' })
      const closed = orThrow(acknowledge(ended, orThrow(planTurn(ended, { kind: 'accepted' }))))
      expect(closed.progress.closed).toEqual([0])
      const late = extendTurn(closed, [outputA])
      const waits = orThrow(acknowledge(late, orThrow(planTurn(late, open('output')))))
      expect(waits.progress.closed).toEqual([0])
      const made = orThrow(planTurn(waits, outcome))
      const { progress } = waits
      const single = orThrow(planSave({ turn, items, outcome, progress, store: 'replace' }))
      expect(made.after.closed).toEqual([])
      expect(planToJSON(made)).toEqual(planToJSON(single))
    }
  )

  test.each([
    ['open', { kind: 'open', check: 'none' }],
    ['still open', { kind: 'open', check: 'output' }],
    ['accepted', { kind: 'accepted' }],
    ['rejected', { kind: 'rejected', deliverable: 'output' }]
  ] as const)(
    'puts an output that was pending at the end, and then waited, in the place of its closing: %s [PLAN-22]',
    (_name, outcome) => {
      const pending: Item = { ...outputA, execution: 'pending' }
      const ended = planSave({
        turn,
        items: [callA, pending],
        outcome: { kind: 'accepted' },
        store: 'replace'
      })
      const question = { progress: orThrow(ended).after, store: 'replace' } as const
      const grown = tracked([callA, outputA, user], question)
      const waits = orThrow(acknowledge(grown, orThrow(planTurn(grown, open('output')))))
      expect(waits.progress.closed).toEqual([0])
      const same = orThrow(acknowledge(waits, orThrow(planTurn(waits, open('output')))))
      const longer = extendTurn(same, [message, callA, outputA])
      for (const tracker of [waits, same, longer]) {
        const items = [callA, outputA, user, message, callA, outputA].slice(0, tracker.length)
        const { progress } = tracker
        expect(planToJSON(orThrow(planTurn(tracker, outcome)))).toEqual(
          planToJSON(orThrow(planSave({ turn, items, outcome, progress, store: 'replace' })))
        )
      }
    }
  )

  test('has decided a call of two responses ago once it is superseded [PLAN-5]', () => {
    const policy = { ...defaultPolicy, unansweredCalls: 'drop' } as const
    const asked = { policy, store: 'replace' } as const
    const items: ReadonlyArray<Item> = [
      { ...callA, response: 1 },
      { ...message, response: 2 },
      { ...callA, response: 3 }
    ]
    const first = tracked(items.slice(0, 2), asked)
    const saved = orThrow(acknowledge(first, orThrow(planTurn(first, open()))))
    expect(saved.progress).toMatchObject({ settled: 0, ahead: [1] })
    const made = orThrow(planTurn(extendTurn(saved, items.slice(2)), open()))
    expect(made.after).toMatchObject({ settled: 2, withheld: [0], ahead: [] })
    expect(planToJSON(made)).toEqual(
      planToJSON(orThrow(planSave({ turn, items, outcome: open(), progress: saved.progress, ...asked })))
    )
  })

  test('goes on from an older tracker, which a newer one has left as it was', () => {
    const first = tracked([user])
    const plan = orThrow(planTurn(first, open()))
    const longer = orThrow(acknowledge(extendTurn(first, [callA]), plan))
    expect([first.length, longer.length]).toEqual([1, 2])
    const other = extendTurn(first, [message])
    expect(planToJSON(orThrow(planTurn(other, open())))).toEqual(
      planToJSON(orThrow(planSave({ turn, items: [user, message], outcome: open() })))
    )
    expect(Array.from(orThrow(planTurn(longer, open())).writes)).toEqual([{ position: 1 }])
  })

  test('takes a plan that another tracker made by its progress', () => {
    const foreign = orThrow(planSave({ turn, items: [user, callA], outcome: open() }))
    const next = orThrow(acknowledge(tracked([user, callA]), foreign))
    expect(next.progress).toBe(foreign.after)
    expect(orThrow(planTurn(next, open())).change).toBe('none')
  })

  test('goes on from what the store turned out to hold', () => {
    const { after } = orThrow(planSave({ turn, items: [user], outcome: open() }))
    const resumed = orThrow(resumeTurn(tracked([user, callA]), after))
    expect(resumed.progress).toBe(after)
    expect(Array.from(orThrow(planTurn(resumed, open())).writes)).toEqual([{ position: 1 }])
  })
})

describe('a turn that grows is refused', () => {
  const held = orThrow(planSave({ turn, items: [user, callA], outcome: open() })).after

  test('with an outcome that is not of its form [PLAN-28]', () => {
    expect(planTurn(tracked([user]), { kind: 'rejected', deliverable: 'message', from: 1 })).toEqual(
      planSave({ turn, items: [user], outcome: { kind: 'rejected', deliverable: 'message', from: 1 } })
    )
  })

  test('with the progress of another turn [PROGRESS-5]', () => {
    const refused = planTurn(tracked([user], { progress: startProgress('other') }), open())
    expect(refused).toEqual(
      E.left({
        kind: 'foreign-turn',
        path: 'progress.turn',
        message: 'progress.turn is "other", the turn is "t": a progress belongs to one turn'
      })
    )
  })

  test('until it is as long as its progress says [PLAN-27]', () => {
    const short = tracked([user], { progress: held })
    expect(planTurn(short, open())).toEqual(
      E.left({
        kind: 'beyond-turn',
        path: 'items',
        message: 'items has 1 positions, the progress speaks of 2: give the whole turn, from its first item'
      })
    )
    expect(orThrow(planTurn(extendTurn(short, [callA]), open())).after).toBe(held)
  })

  test('with other items, or another policy, than were saved [PROGRESS-7]', () => {
    const mismatch = {
      kind: 'edge-mismatch',
      path: 'progress.edge',
      message:
        'the saved positions of the turn, or the policy, are not those that were saved: the turn is shifted, rewound, or another one'
    }
    expect(planTurn(tracked([user, message], { progress: held }), open())).toEqual(E.left(mismatch))
    expect(planTurn(tracked([user, callA], { progress: held, policy: seedPolicy }), open())).toEqual(
      E.left(mismatch)
    )
  })

  test('from an older tracker too, which a longer one has left as it was [PLAN-27, PROGRESS-7]', () => {
    const short = tracked([user], { progress: held })
    expect(orThrow(planTurn(extendTurn(short, [callA]), open())).after).toBe(held)
    expect(planTurn(short, open())).toMatchObject(E.left({ kind: 'beyond-turn' }))
    expect(planTurn(extendTurn(short, [message]), open())).toMatchObject(E.left({ kind: 'edge-mismatch' }))
  })

  test('where an append-only store would have to take an item in front of another [PLAN-17]', () => {
    const { after } = orThrow(
      planSave({ turn, items: [{ ...message, partial: true }, callA], outcome: open(), store: 'replace' })
    )
    expect(planTurn(tracked([message, callA], { progress: after }), open())).toEqual(
      E.left({
        kind: 'out-of-order',
        path: 'items[0]',
        position: 0,
        message:
          'items[0] would have to be written in front of an item that an append-only store already holds; use a store that can replace a suffix'
      })
    )
  })
})

test('of two items that would stand in front of a stored one the first is named [PLAN-17]', () => {
  const cut: Item = { ...message, partial: true }
  const { after } = orThrow(planSave({ turn, items: [cut, cut, message], outcome: { kind: 'accepted' } }))
  const items = [message, message, message]
  expect(planSave({ turn, items, outcome: { kind: 'accepted' }, progress: after })).toMatchObject(
    E.left({ kind: 'out-of-order', path: 'items[0]', position: 0 })
  )
})

test('a tracker leaves the progress that it is given as it was [PROGRESS-12]', () => {
  const rejected = { kind: 'rejected', deliverable: 'message' } as const
  const { after } = orThrow(planSave({ turn, items: [message], outcome: rejected }))
  const given = { ...after, withheld: Object.freeze([...after.withheld]) }
  const grown = tracked([message, user, message], { progress: given })
  const next = orThrow(acknowledge(grown, orThrow(planTurn(grown, rejected))))
  expect(next.progress.withheld).toEqual([0, 2])
  const longer = extendTurn(next, [message])
  expect(orThrow(planTurn(longer, rejected)).after.withheld).toEqual([0, 2, 3])
  expect(given.withheld).toEqual([0])
})

test('what is stored ahead stays told of, in a plan and in a tracker [PROGRESS-3]', () => {
  const partial: Item = { kind: 'message', id: 'p', partial: true }
  const first: ReadonlyArray<Item> = [
    { kind: 'output', callId: 'x', execution: 'pending' },
    partial,
    callA,
    outputA
  ]
  const items: ReadonlyArray<Item> = [{ kind: 'output', callId: 'x' }, partial, callA, outputA]
  const { after } = orThrow(planSave({ turn, items: first, outcome: open(), store: 'replace' }))
  const tracker = tracked(items, { progress: after })
  const made = orThrow(planTurn(tracker, open()))
  const told = { settled: 1, withheld: [0], ahead: [2, 3], written: 2 }
  expect(planToJSON(made).after).toMatchObject(told)
  const next = orThrow(acknowledge(tracker, made))
  const longer = extendTurn(next, [message])
  const then = orThrow(planTurn(longer, open()))
  expect(then.change).toBe('none')
  expect(then.after).toBe(made.after)
})
