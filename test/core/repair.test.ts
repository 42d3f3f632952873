/** What no vector can show of audit and repair: identities, and how often items are read (counted, never timed). */
import { describe, expect, it } from 'vitest'
import { audit } from '../../src/core/audit.js'
import type { Item } from '../../src/core/item.js'
import { repairedEntries } from '../../src/core/edits.js'
import { type Profile, type ProfileName, profiles } from '../../src/core/profile.js'
import { repair } from '../../src/core/repair.js'
import { call, message, output, reasoning, user } from '../support/turns.js'

describe('repair keeps the caller’s own objects', () => {
  it('and gives back the very array when there is nothing to do [REPAIR-1]', () => {
    const items = [user('u'), call('a'), output('a')]
    expect(repair({ items }).items).toBe(items)
  })

  it('also when there is something wrong that it cannot mend [REPAIR-26]', () => {
    const items = [call('a', { parent: 'gone' }), output('a')]
    const answer = repair({ items })
    expect(answer.items).toBe(items)
    expect(answer.remaining).toEqual([
      { rule: 'missing-parent', severity: 'error', position: 0, callId: 'a' }
    ])
  })

  it('moved or not; only a stripped item is a new one, and none is changed [REPAIR-3, REPAIR-19]', () => {
    const items: ReadonlyArray<Item> = [
      user('u'),
      call('a', { id: 'fc', requiresReasoning: 'rs' }),
      message('m'),
      output('a')
    ].map((item) => Object.freeze(item))
    const answer = repair({ items, profile: { ...profiles['chat-completions'], partners: 'by-id' } })
    expect(answer.order).toEqual([0, 1, 2, 3])
    const moved = repair({
      items: [items[1] as Item, items[0] as Item, items[3] as Item],
      profile: 'anthropic'
    })
    expect(moved.order).toEqual([0, 2, 1])
    expect(moved.items[1]).toBe(items[3])
    expect(moved.items[2]).toBe(items[0])
    expect(moved.items[0]).toEqual(call('a', { requiresReasoning: 'rs' }))
    expect(items[1]).toEqual(call('a', { id: 'fc', requiresReasoning: 'rs' }))
  })

  it('a closing carries key and fate of its call, and nothing else [REPAIR-2]', () => {
    const answer = repair({ items: [call('a', { namespace: 'agent', id: 'fc', execution: 'denied' })] })
    expect(answer.items[1]).toEqual({ kind: 'output', callId: 'a', namespace: 'agent', execution: 'denied' })
    const search = repair({ items: [{ kind: 'call', namespace: 'tool-search' }] })
    expect(search.items[1]).toEqual({ kind: 'output', namespace: 'tool-search', execution: 'interrupted' })
  })
})

describe('where one repair calls for another', () => {
  it('an output that came early for a call that goes, goes with it [REPAIR-5, REPAIR-9]', () => {
    const { edits } = repair({
      items: [output('a'), call('a', { parent: 'z' })],
      profile: { orphanCall: 'drop' }
    })
    expect(edits).toEqual([
      { drop: 0, why: 'orphan-output' },
      { drop: 1, why: 'missing-parent' }
    ])
  })

  it('a closing that a later round finds superfluous is no edit [REPAIR-24]', () => {
    const items = [call('a'), call('b'), output('b'), output('b', { origin: 'model' }), call('b')]
    const answer = repair({ items, profile: { maximumOutputs: 'many', adjacency: 'response' } })
    expect(answer.edits).toEqual([
      { close: 0, as: 'interrupted', after: 4 },
      { move: 2, after: 4 }
    ])
    expect(answer.order).toEqual([0, 1, 3, 4, -1, 2])
  })

  it('further outputs of a call that carries its own keep their order for good [REPAIR-13, REPAIR-27]', () => {
    const items = [
      call('a'),
      output('a'),
      call('p'),
      call('a', { parent: 'p' }),
      output('a'),
      call('a', { selfContained: true }),
      output('a')
    ].map((item) => ({ ...item, response: 0 }))
    const profile = { pairing: 'by-occurrence', maximumOutputs: 'many', adjacency: 'response' } as const
    const once = repair({ items, profile })
    expect(once.remaining).toEqual([])
    expect(once.order.filter((position) => [1, 4, 6].includes(position))).toEqual([1, 4, 6])
    expect(repair({ items: once.items, profile }).items).toBe(once.items)
  })

  it('a closing that stands in the way is found at its call [REPAIR-26]', () => {
    const items = [call('a'), message('m', { response: 1 }), call('a')]
    const answer = repair({ items, profile: { adjacency: 'response', order: 'calls-last' } })
    expect(answer.order).toEqual([1, 0, -1, 2, -3])
    expect(answer.remaining).toEqual([
      { rule: 'intervening-item', severity: 'error', position: 0, callId: 'a', because: 2 }
    ])
  })

  it('an output of the provider that answers a call of the runner stands behind its response [REPAIR-13]', () => {
    const items = [
      user('u'),
      call('a', { response: 1 }),
      output('a', { origin: 'model', response: 2 }),
      message('m', { response: 2 })
    ]
    expect(repair({ items, profile: { adjacency: 'response' } }).items).toBe(items)
  })
})

describe('a repaired history as entries', () => {
  it('names positions, ids that go, and closings with what they say [REPAIR-24, REPAIR-25]', () => {
    const items = [
      user('u'),
      call('a', { id: 'fc', requiresReasoning: 'rs' }),
      call('b', { execution: 'skipped' }),
      output('z')
    ]
    expect(repairedEntries(repair({ items, profile: 'responses' }))).toEqual([
      { position: 0 },
      { position: 1, stripId: true },
      { position: 2 },
      { close: 1, as: 'interrupted' },
      { close: 2, as: 'skipped' }
    ])
  })
})

/** An item of one message. */
const within = (message: number, item: Item): Item => ({ ...item, source: { message, part: 0 } })

describe('a closing cuts no message in two', () => {
  const spoken = [user('u'), within(1, call('a')), within(1, message('m')), within(1, call('b'))]

  it('it stands behind the message, and the text before the calls where the provider wants that [REPAIR-14]', () => {
    const items = [...spoken, within(2, output('b'))]
    expect(repair({ items, profile: 'anthropic' }).order).toEqual([0, 2, 1, 3, -2, 4])
    expect(repair({ items, profile: 'ai-sdk' }).order).toEqual([0, 1, 2, 3, -2, 4])
    expect(repair({ items, profile: 'neutral' }).order).toEqual([0, 1, 2, 3, -2, 4])
  })

  it('thinking that is signed stays valid, because nothing comes in front of it [REPAIR-14, REPAIR-23]', () => {
    const thought = (id: string): Item => within(1, reasoning(id, { signature: 'present' }))
    const items = [user('u'), thought('s'), spoken[1] as Item, thought('t'), spoken[3] as Item, output('b')]
    const answer = repair({ items, profile: 'anthropic-preserved' })
    expect(answer.edits).toEqual([{ close: 2, as: 'interrupted', after: 4 }])
    expect(answer.remaining).toEqual([])
  })

  it('between two messages it may stand [REPAIR-14]', () => {
    const items = [
      user('u'),
      within(1, call('a')),
      within(2, call('b')),
      within(2, message('m')),
      output('b')
    ]
    expect(repair({ items, profile: 'anthropic' }).order).toEqual([0, 1, -2, 3, 2, 4])
    const text = [user('u'), within(1, call('a')), within(1, message('m')), within(2, call('b')), output('b')]
    expect(repair({ items: text, profile: 'anthropic' }).order).toEqual([0, 2, 1, -2, 3, 4])
  })

  it('only where one key is used again it has to [REPAIR-15]', () => {
    const items = [spoken[0] as Item, ...spoken.slice(1, 3), within(1, call('a')), within(2, output('a'))]
    const answer = repair({ items, profile: 'anthropic' })
    expect(answer.remaining).toEqual([])
    expect(repair({ items: answer.items, profile: 'anthropic' }).edits).toEqual([])
  })
})

/** Reads of properties that one item may cost in one audit, and in one repair: its audits and bounded rounds. */
const READS_PER_AUDIT = 60
const READS_PER_REPAIR = 500

type Shape = (position: number, size: number) => Item

/** Histories made to send a careless repair back to the start for each item. */
const shapes: Readonly<Record<string, Shape>> = {
  'calls that nobody answers, in one turn': (position) => call(`c${position}`),
  'one run of reasoning': () => reasoning(),
  'one run of reasoning on one call': (position, size) => (position < size - 1 ? reasoning() : call('last')),
  'calls, and their outputs in reverse order': (position, size) =>
    position < size / 2 ? call(`c${position}`) : output(`c${size - 1 - position}`),
  'calls of one id, and as many outputs': (position, size) =>
    position < size / 2 ? call('same') : output('same'),
  'outputs before their calls': (position, size) =>
    position < size / 2 ? output(`c${position}`) : call(`c${position - size / 2}`),
  'outputs far behind their calls': (position, size) => {
    if (position >= (size / 3) * 2) return output(`c${position - (size / 3) * 2}`)
    return position % 2 === 0 ? call(`c${position / 2}`) : user()
  },
  'copies of one message': () => message('m'),
  'calls that superseded each other': (position) => (position % 2 === 0 ? call('same') : user()),
  'calls that made each other': (position) => call(`c${position}`, { parent: `c${position - 1}` }),
  'messages behind answered calls': (position, size) => {
    if (position >= size / 2) return output(`c${(position - size / 2) * 2}`)
    return position % 2 === 0 ? call(`c${position}`) : message()
  },
  'runs written into each other': (position) => message(undefined, { run: `r${position % 40}` }),
  'a response in reverse': (position, size) =>
    position % 2 === 0
      ? reasoning(undefined, { sequence: size - position, signature: 'present' })
      : message(undefined, { sequence: size - position })
}

/** The shapes on which others are quadratic are long. */
const sizeOf = (shape: string): number => (longest.includes(shape) ? 30_000 : 6_000)
const longest = [
  'calls that nobody answers, in one turn',
  'one run of reasoning',
  'calls, and their outputs in reverse order'
]

const countReads = (
  make: Shape,
  size: number
): { readonly items: ReadonlyArray<Item>; readonly reads: Uint32Array } => {
  const reads = new Uint32Array(size)
  const items = Array.from({ length: size }, (_, position) => {
    const item = make(position, size)
    return new Proxy(item, {
      get: (target, name) => {
        reads[position] = (reads[position] as number) + 1
        return Reflect.get(target, name)
      }
    })
  })
  return { items, reads }
}

const most = (reads: Uint32Array): number => reads.reduce((highest, count) => Math.max(highest, count), 0)

const asked: Readonly<Record<string, ProfileName | Partial<Profile>>> = {
  responses: 'responses',
  'anthropic-preserved': 'anthropic-preserved',
  gemini: 'gemini',
  'a window': { ...profiles.anthropic, orphanCall: 'drop', parallel: 'all-or-none' }
}

describe.each(Object.keys(shapes))('a history of %s', (shape) => {
  it.each(Object.keys(asked))(
    'is audited and repaired with a bounded number of reads of each item, by %s',
    (name) => {
      const { items, reads } = countReads(shapes[shape] as Shape, sizeOf(shape))
      const profile = asked[name] ?? 'neutral'
      const { violations } = audit({ items, profile })
      expect(violations.length).toBeLessThanOrEqual(items.length * 3)
      expect(most(reads)).toBeLessThanOrEqual(READS_PER_AUDIT)
      reads.fill(0)
      const answer = repair({ items, profile })
      expect(answer.order.length).toBe(answer.items.length)
      expect(most(reads)).toBeLessThanOrEqual(READS_PER_REPAIR)
    }
  )
})
