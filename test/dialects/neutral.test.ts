/** Neutral JSON is read as it stands; what does not fit is left out and reported. */
import { describe, expect, test } from 'vitest'
import type { Item } from '../../src/core/item.js'
import { neutral } from '../../src/dialects/neutral.js'
import { closeOne, decodeOrThrow, deepFreeze, reread } from './decoding.js'

const whole: ReadonlyArray<Item> = [
  { kind: 'message', origin: 'user', role: 'system', id: 'u', run: 'r', sequence: 1 },
  { kind: 'message', response: 1, partial: true, source: { message: 0, part: 2 } },
  { kind: 'reasoning', id: 'rs', response: 1, signature: 'stale' },
  {
    kind: 'call',
    id: 'fc',
    callId: 'c',
    namespace: 'n',
    parent: 'p',
    executor: 'provider',
    execution: 'running',
    requiresReasoning: 'rs'
  },
  { kind: 'call', selfContained: true },
  { kind: 'call', namespace: 'tool-search' },
  { kind: 'output', callId: 'c', namespace: 'n', execution: 'interrupted' },
  { kind: 'output', namespace: 'tool-search', origin: 'model' },
  { kind: 'approval', callId: 'c', namespace: 'n' },
  { kind: 'compaction' },
  { kind: 'context' },
  { kind: 'marker', callId: 'c' },
  { kind: 'unclassified', id: 'x' }
]

describe('the neutral dialect reads', () => {
  test.each(whole.map((item) => [item.kind, item] as const))('a %s with its fields', (_kind, item) => {
    const { items, notices, raws } = decodeOrThrow(neutral, deepFreeze([item]))
    expect(items).toEqual([item])
    expect(notices).toEqual([])
    expect(raws[0]).toBe(item)
  })

  test('null and false as an absent field, as other languages write it', () => {
    const raw = { kind: 'call', callId: 'c', id: null, selfContained: false, partial: false, execution: null }
    const { items, notices } = decodeOrThrow(neutral, [raw])
    expect(items).toEqual([{ kind: 'call', callId: 'c' }])
    expect(notices).toEqual([])
  })

  test('only the fields that a kind has, and leaves the others with the raw value', () => {
    const raw = deepFreeze({ kind: 'message', callId: 'c', note: 'mine', execution: 'denied' })
    const { items, notices, raws } = decodeOrThrow(neutral, [raw])
    expect(items).toEqual([{ kind: 'message' }])
    expect(notices).toEqual([])
    expect(raws[0]).toBe(raw)
  })

  test('names of the prototype as ids, and a __proto__ field as nothing', () => {
    const raws = JSON.parse(
      '[{"kind":"call","callId":"__proto__","id":"constructor"},{"__proto__":{"kind":"message"}}]'
    ) as ReadonlyArray<unknown>
    expect(reread(neutral, raws)).toEqual([
      { kind: 'call', callId: '__proto__', id: 'constructor' },
      { kind: 'unclassified' }
    ])
  })

  test('a cyclic value', () => {
    const raw: Record<string, unknown> = { kind: 'message' }
    raw['self'] = raw
    expect(reread(neutral, [raw])).toEqual([{ kind: 'message' }])
  })
})

describe('the neutral dialect reports', () => {
  const odd: ReadonlyArray<readonly [name: string, raw: unknown, item: Item, kind: string, path: string]> = [
    ['a string', 'message', { kind: 'unclassified' }, 'unclassified', '[0]'],
    ['null', null, { kind: 'unclassified' }, 'unclassified', '[0]'],
    ['no kind (ITEM-9)', { id: 'x' }, { kind: 'unclassified', id: 'x' }, 'unclassified', '[0].kind'],
    [
      'a kind of no rule (ITEM-4), whose origin and response still count',
      { kind: 'hologram', origin: 'user', response: 2, id: 'h' },
      { kind: 'unclassified', origin: 'user', response: 2, id: 'h' },
      'unclassified',
      '[0].kind'
    ],
    [
      'a kind named constructor',
      { kind: 'constructor' },
      { kind: 'unclassified' },
      'unclassified',
      '[0].kind'
    ],
    [
      'a call without a call id (ITEM-5), of which only what every item has stays',
      { kind: 'call', id: 'x', response: 1, namespace: 'n', parent: 'p' },
      { kind: 'unclassified', id: 'x', response: 1 },
      'missing-call-id',
      '[0].callId'
    ],
    [
      'an output without a call id',
      { kind: 'output', id: 'x' },
      { kind: 'output', id: 'x' },
      'missing-call-id',
      '[0].callId'
    ],
    [
      'a response that is no number',
      { kind: 'message', response: 'x' },
      { kind: 'message' },
      'wrong-field',
      '[0].response'
    ],
    [
      'an origin that nobody has',
      { kind: 'message', origin: 'tool' },
      { kind: 'message' },
      'wrong-field',
      '[0].origin'
    ],
    [
      'an execution of another kind',
      { kind: 'call', callId: 'c', execution: 'executed' },
      { kind: 'call', callId: 'c' },
      'wrong-field',
      '[0].execution'
    ],
    [
      'a flag that is a number',
      { kind: 'message', partial: 1 },
      { kind: 'message' },
      'wrong-field',
      '[0].partial'
    ],
    [
      'false for what is no flag',
      { kind: 'message', origin: false },
      { kind: 'message' },
      'wrong-field',
      '[0].origin'
    ],
    [
      'a source without a part',
      { kind: 'message', source: { message: 1 } },
      { kind: 'message' },
      'wrong-field',
      '[0].source'
    ]
  ]
  test.each(odd)('%s', (_name, raw, item, kind, path) => {
    const { items, notices } = decodeOrThrow(neutral, [deepFreeze(raw), { kind: 'reasoning' }])
    expect(items).toEqual([item, { kind: 'reasoning' }])
    expect(notices).toHaveLength(1)
    expect(notices[0]).toMatchObject({ kind, path, position: 0 })
    expect(notices[0]?.message).toMatch(/expected/)
  })

  test('what was expected, by name', () => {
    const { notices } = decodeOrThrow(neutral, [{ kind: 'message', origin: 'tool' }])
    expect(notices[0]?.message).toBe(
      '[0].origin: expected one of model, runner, user, received a string; the field is not used'
    )
  })

  test('a repeated id, and keeps both items', () => {
    const { items, notices } = decodeOrThrow(neutral, [
      { kind: 'message', id: 'm' },
      { kind: 'message', id: 'm' },
      { kind: 'marker', id: 'm' }
    ])
    expect(items).toHaveLength(3)
    expect(notices.map((notice) => [notice.kind, notice.position])).toEqual([['repeated-id', 1]])
  })

  test('an input that is no list', () => {
    expect(neutral.decode({ items: [] })).toMatchObject({
      _tag: 'Left',
      left: { kind: 'decode', path: '', expected: 'a list of items', received: 'an object' }
    })
  })
})

describe('the neutral dialect writes', () => {
  test('a closing with the key of its call', () => {
    expect(
      closeOne(neutral, { kind: 'call', callId: 'c', namespace: 'n' } as { kind: string }, 'skipped')
    ).toEqual({
      kind: 'output',
      callId: 'c',
      namespace: 'n',
      execution: 'skipped'
    })
    expect(closeOne(neutral, { kind: 'call', callId: 'c' } as { kind: string }, 'interrupted')).toEqual({
      kind: 'output',
      callId: 'c',
      execution: 'interrupted'
    })
  })

  test('a redacted output as the same output with a mark', () => {
    const raw = deepFreeze({ kind: 'output', callId: 'c', note: 1 })
    expect(neutral.redact(raw, reread(neutral, [raw])[0] as Item)).toEqual({ ...raw, redacted: true })
  })

  test('an item without its id, and the same item when it has none', () => {
    const raw = deepFreeze({ kind: 'call', id: 'fc', callId: 'c', note: 1 })
    const item = reread(neutral, [raw])[0] as Item
    expect(neutral.stripId(raw, item)).toEqual({ kind: 'call', callId: 'c', note: 1 })
    const bare = { kind: 'call', callId: 'c' }
    expect(neutral.stripId(bare, item)).toBe(bare)
  })
})

describe('the neutral dialect with a host kind', () => {
  test('reads it, and lets an item say more', () => {
    const extended = neutral.with({
      acme_call: 'call',
      acme_lookup: { kind: 'call', selfContained: true, origin: 'runner' }
    })
    expect(
      reread(extended, [
        { kind: 'acme_call', callId: 'c' },
        { kind: 'acme_lookup', origin: 'model' }
      ])
    ).toEqual([
      { kind: 'call', callId: 'c' },
      { kind: 'call', selfContained: true, origin: 'model' }
    ])
  })

  test('keeps the meaning of its own kinds and says so once', () => {
    const extended = neutral.with({ message: 'marker' }).withWording({ skipped: 'x' })
    const { items, notices } = decodeOrThrow(extended, [{ kind: 'message' }, { kind: 'message' }])
    expect(items).toEqual([{ kind: 'message' }, { kind: 'message' }])
    expect(notices.map((notice) => [notice.kind, notice.path])).toEqual([['wrong-field', '[0].kind']])
  })
})
