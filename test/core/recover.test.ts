/** Progress read out of a count, or out of a plain history: trusted where only one reading is possible. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import {
  type CountQuestion,
  defaultPolicy,
  type Item,
  type Outcome,
  orThrow,
  type Policy,
  type Progress,
  planSave,
  planToJSON,
  progressFromCount,
  type RecoverQuestion,
  recoverProgress,
  seedPolicy,
  startProgress
} from '../../src/index.js'

const turn = 'run-7/3'

/** What a save of a turn leaves, as a store would have it that counted no plans. */
const leftBy = (items: ReadonlyArray<Item>, outcome: Outcome, policy: Policy = defaultPolicy): Progress => {
  const { after } = planToJSON(orThrow(planSave({ turn, items, outcome, policy, store: 'replace' })))
  return { ...after, revision: 0, final: 0 }
}

const open: Outcome = { kind: 'open', check: 'none' }
const accepted: Outcome = { kind: 'accepted' }

const untrusted = (path: string, message: string): unknown =>
  E.left({ kind: 'untrusted', path, message: `${path} ${message}` })

const invalid = (path: string, expected: string): unknown =>
  E.left({ kind: 'invalid-input', path, expected, message: `${path} must be ${expected}` })

const user: Item = { kind: 'message', origin: 'user', id: 'u' }
const callA: Item = { kind: 'call', callId: 'a', id: 'fc-a' }
const outputA: Item = { kind: 'output', callId: 'a' }
const callB: Item = { kind: 'call', callId: 'b', id: 'fc-b' }
const outputB: Item = { kind: 'output', callId: 'b' }
const answer: Item = { kind: 'message', id: 'm' }

describe('a count of written items', () => {
  test('PROGRESS-10: says which positions are stored where every save writes all of them', () => {
    const items = [user, callA, outputA, answer]
    expect(progressFromCount({ turn, items, count: 4 })).toEqual(E.right(leftBy(items, open)))
    expect(progressFromCount({ turn, items, count: 3 })).toEqual(E.right(leftBy(items.slice(0, 3), open)))
  })

  test('PROGRESS-10: of nothing is a fresh progress, whatever comes first', () => {
    expect(progressFromCount({ turn, items: [{ kind: 'marker' }], count: 0 })).toEqual(
      E.right(startProgress(turn))
    )
  })

  test('PROGRESS-10: is bound to the policy that the turn is planned with', () => {
    const counted = orThrow(progressFromCount({ turn, items: [user], count: 1, policy: seedPolicy }))
    expect(counted).toEqual(leftBy([user], open, seedPolicy))
    expect(counted.edge).not.toBe(leftBy([user], open).edge)
  })

  const skipped = 'is a marker or partial: a save skips it, so the count is no position'
  const unclassified = 'is unclassified: a save may have skipped it, so the count is no position'
  const repeated = 'repeats an id: a save may have merged the two, so the count is no position'

  test.each<[string, ReadonlyArray<Item>, string]>([
    ['a marker', [user, { kind: 'marker' }], skipped],
    ['a partial message', [user, { kind: 'message', partial: true }], skipped],
    ['a partial call', [user, { kind: 'call', callId: 'a', partial: true }], skipped],
    ['an output that is pending', [callA, { kind: 'output', callId: 'a', execution: 'pending' }], skipped],
    ['an item of no known kind', [user, { kind: 'unclassified' }], unclassified],
    ['a call that nothing can answer', [user, { kind: 'call' }], unclassified],
    ['an item id that is there twice', [answer, { kind: 'reasoning', id: 'm' }], repeated],
    ['a call id that is there twice', [callA, { kind: 'call', callId: 'a' }], repeated],
    ['an output that is there twice', [outputA, outputA], repeated]
  ])('PROGRESS-10: is refused over %s', (_, items, why) => {
    expect(progressFromCount({ turn, items, count: 2 })).toEqual(untrusted('items[1]', why))
    expect(E.isRight(progressFromCount({ turn, items, count: 1 }))).toBe(true)
  })

  test('PROGRESS-10: takes the same call id in another namespace for another one', () => {
    const items: ReadonlyArray<Item> = [
      { kind: 'call', callId: 'a' },
      { kind: 'call', callId: 'a', namespace: 'mcp' },
      { kind: 'output', callId: 'a', namespace: 'mcp' }
    ]
    expect(orThrow(progressFromCount({ turn, items, count: 3 })).settled).toBe(3)
  })

  test.each([-1, 0.5, 3, Number.NaN, Infinity, '1', null, undefined])(
    'PROGRESS-10: that is %s of two items is no count',
    (count) => {
      expect(progressFromCount({ turn, items: [user, answer], count: count as number })).toEqual(
        invalid('count', 'a whole number from 0 to 2')
      )
    }
  )

  test.each<[string, object, string, string]>([
    ['turn', { turn: 7 }, 'turn', 'a string'],
    ['items', { items: 'all' }, 'items', 'a list of items'],
    [
      'policy',
      { policy: { ...defaultPolicy, committed: 'all' } },
      'policy.committed',
      'one of answered, executed'
    ]
  ])('names the field %s when it is not of its form', (_, bad, path, expected) => {
    const question = { turn, items: [user], count: 1, ...bad } as CountQuestion
    expect(progressFromCount(question)).toEqual(invalid(path, expected))
  })
})

describe('a plain history', () => {
  const earlier: Item = { kind: 'message', id: 'earlier' }
  const items = [user, callA, outputA, callB, outputB, answer]

  test.each([0, 1, 2, 3, 4, 5, 6])('PROGRESS-11: that ends with the first %i items of the turn', (count) => {
    const history = [earlier, ...items.slice(0, count)]
    expect(recoverProgress({ turn, items, history })).toEqual(E.right(leftBy(items.slice(0, count), open)))
  })

  test('PROGRESS-11: that is empty says that nothing is stored', () => {
    expect(recoverProgress({ turn, items, history: [] })).toEqual(E.right(startProgress(turn)))
  })

  test('PROGRESS-11: names what is missing in front of the last match as withheld', () => {
    const recovered = orThrow(recoverProgress({ turn, items, history: [user, callB, outputB] }))
    expect(recovered).toMatchObject({ settled: 5, withheld: [1, 2], closed: [], written: 3 })
    expect(
      orThrow(planSave({ turn, items, outcome: accepted, progress: recovered, store: 'replace' })).change
    ).toBe('replace-suffix')
  })

  test('PROGRESS-11: is taken by the next plan, which writes only the rest', () => {
    const progress = orThrow(recoverProgress({ turn, items, history: [earlier, user, callA, outputA] }))
    const plan = orThrow(planSave({ turn, items, outcome: accepted, progress }))
    expect(Array.from(plan.writes)).toEqual([{ position: 3 }, { position: 4 }, { position: 5 }])
    expect(plan.after.written).toBe(6)
  })

  test('PROGRESS-11: takes an output for a closing when the turn has the call and no output', () => {
    const asked = [user, callB, callA]
    const history = [earlier, user, callB, callA, outputB, outputA]
    const recovered = orThrow(recoverProgress({ turn, items: asked, history }))
    expect(recovered).toEqual(leftBy(asked, accepted))
    expect(recovered).toMatchObject({ settled: 3, closed: [1, 2], written: 5 })
  })

  test('PROGRESS-11: knows the closing of a call without an id where such calls are answered', () => {
    const search: Item = { kind: 'call', namespace: 'tool-search', id: 'ts' }
    const closing: Item = { kind: 'output', namespace: 'tool-search' }
    expect(orThrow(recoverProgress({ turn, items: [search], history: [earlier, search, closing] }))).toEqual(
      leftBy([search], accepted)
    )
  })

  test('PROGRESS-11: knows a closing with more of the turn behind it', () => {
    const asked = [user, callA, answer]
    expect(orThrow(recoverProgress({ turn, items: asked, history: [user, callA, outputA, answer] }))).toEqual(
      {
        ...leftBy(asked, open),
        closed: [1],
        written: 4
      }
    )
  })

  test('PROGRESS-11: takes no output for a second closing of the same call', () => {
    const history = [outputA, callA, outputA]
    expect(orThrow(recoverProgress({ turn, items: [callA], history }))).toMatchObject({
      settled: 1,
      closed: [0],
      written: 2
    })
  })

  test('PROGRESS-11: is refused when it ends with a closing whose call it does not hold', () => {
    expect(recoverProgress({ turn, items: [user, callA], history: [user, outputA] })).toEqual(
      untrusted('history', 'holds an output for a call of the turn, and not the call in front of it')
    )
  })

  test('PROGRESS-11: starts behind the output of an earlier turn whose call had the same id', () => {
    const earlierCall: Item = { kind: 'call', callId: 'a', id: 'fc-earlier' }
    const asked = [user, callA]
    expect(recoverProgress({ turn, items: asked, history: [earlierCall, outputA] })).toEqual(
      E.right(startProgress(turn))
    )
    expect(recoverProgress({ turn, items: asked, history: [earlierCall, outputA, user] })).toEqual(
      E.right(leftBy([user], open))
    )
  })

  test('PROGRESS-11: knows a stored item again that lost its id, by its call id', () => {
    const history: ReadonlyArray<Item> = [earlier, { kind: 'call', callId: 'a' }, outputA]
    expect(orThrow(recoverProgress({ turn, items: [callA, outputA, answer], history }))).toEqual(
      leftBy([callA, outputA], open)
    )
  })

  test('PROGRESS-11: shows no redaction, so a redacted output counts as stored', () => {
    const asked = [callA, outputA]
    const rejected: Outcome = { kind: 'rejected', deliverable: 'output' }
    expect(leftBy(asked, rejected).redacted).toEqual([1])
    expect(orThrow(recoverProgress({ turn, items: asked, history: asked }))).toEqual({
      ...leftBy(asked, rejected),
      redacted: []
    })
  })

  const twice = 'can be matched with the history in more than one way; compare raw items with `same`'

  test('PROGRESS-11: is refused where an item without any id matches', () => {
    const plain: ReadonlyArray<Item> = [user, { kind: 'message' }]
    expect(recoverProgress({ turn, items: plain, history: plain })).toEqual(untrusted('items[1]', twice))
  })

  test('PROGRESS-11: is refused where an entry can be either of two items', () => {
    const same: ReadonlyArray<Item> = [callA, outputA, callA, outputA]
    expect(recoverProgress({ turn, items: same, history: [callA] })).toEqual(untrusted('items[2]', twice))
    expect(recoverProgress({ turn, items: same, history: [callA, outputA] })).toEqual(
      untrusted('items[2]', twice)
    )
    expect(orThrow(recoverProgress({ turn, items: same, history: same })).settled).toBe(4)
  })

  test.each<[string, Item]>([
    ['kind', { kind: 'approval', callId: 'a' }],
    ['origin', { kind: 'output', callId: 'a', origin: 'model' }],
    ['call id', { kind: 'output', callId: 'c' }],
    ['namespace', { kind: 'output', callId: 'a', namespace: 'mcp' }],
    ['id', { kind: 'output', callId: 'a', id: 'o' }]
  ])('PROGRESS-11: ends in front of an entry of another %s', (_, other) => {
    expect(recoverProgress({ turn, items: [callA, outputA], history: [callA, other] })).toEqual(
      E.right(startProgress(turn))
    )
  })

  test.each<[Item, Item]>([
    [
      { kind: 'output', callId: 'a' },
      { kind: 'output', callId: 'a', origin: 'runner' }
    ],
    [
      { kind: 'approval', callId: 'a' },
      { kind: 'approval', callId: 'a', origin: 'runner' }
    ],
    [
      { kind: 'marker', callId: 'a' },
      { kind: 'marker', callId: 'a', origin: 'runner' }
    ],
    [
      { kind: 'call', callId: 'a' },
      { kind: 'call', callId: 'a', origin: 'model' }
    ]
  ])('PROGRESS-11: reads an absent origin as ITEM-2 does: %o', (stored, item) => {
    expect(orThrow(recoverProgress({ turn, items: [item], history: [stored] })).settled).toBe(1)
  })

  test('PROGRESS-11: is read by identity with `same`, which also tells items without ids apart', () => {
    const raws = [{ text: 'one' }, { text: 'one' }, { text: 'one' }]
    const plain: ReadonlyArray<Item> = raws.map(() => ({ kind: 'message', origin: 'user' }))
    const stored = [{ text: 'one' }, raws[0], raws[2]]
    const recovered = recoverProgress({
      turn,
      items: plain,
      history: plain,
      same: (index, position) => stored[index] === raws[position]
    })
    expect(orThrow(recovered)).toMatchObject({ settled: 3, withheld: [1], written: 2 })
  })

  test('PROGRESS-11: is refused with a `same` that finds one entry in two places', () => {
    const plain: ReadonlyArray<Item> = [{ kind: 'message' }, { kind: 'message' }]
    expect(recoverProgress({ turn, items: plain, history: [{ kind: 'message' }], same: () => true })).toEqual(
      untrusted('items[1]', twice)
    )
  })

  test('PROGRESS-11: is bound to the policy that the turn is planned with', () => {
    const recovered = orThrow(recoverProgress({ turn, items, history: [user], policy: seedPolicy }))
    expect(recovered).toEqual(leftBy([user], open, seedPolicy))
  })

  test.each<[string, object, string, string]>([
    ['turn', { turn: null }, 'turn', 'a string'],
    ['items', { items: undefined }, 'items', 'a list of items'],
    ['history', { history: {} }, 'history', 'a list of items'],
    ['policy', { policy: null }, 'policy', 'an object with the fields of a policy']
  ])('names the field %s when it is not of its form', (_, bad, path, expected) => {
    const question = { turn, items, history: [], ...bad } as RecoverQuestion
    expect(recoverProgress(question)).toEqual(invalid(path, expected))
  })
})
