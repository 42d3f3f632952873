/** What every block dialect does with input that is frozen, cyclic, oddly named or very long. */
import { describe, expect, test } from 'vitest'
import { accepted, open } from '../../src/core/outcome.js'
import { anthropic } from '../../src/dialects/anthropic.js'
import type { SharedBlockDialect } from '../../src/ports/dialect.js'
import { decodeBlocks, emptySession, everything, rebuildWith, saveInto } from './blocks.js'
import { deepFreeze } from './decoding.js'
import { spellings } from './spellings.js'

describe.each(spellings)('$dialect.name', ({ dialect: given, spell }) => {
  const dialect = given as SharedBlockDialect<unknown>
  const spoken = [
    { who: 'user', words: ['go'] },
    {
      who: 'model',
      said: [
        { what: 'thought', words: 'hm' },
        { what: 'text', words: 'a' },
        { what: 'call', id: '__proto__' },
        { what: 'call', id: 'constructor' }
      ]
    },
    { who: 'tools', results: ['__proto__', 'constructor'] }
  ] as const

  test('joins calls whose ids are names of prototypes (PAIR-4)', () => {
    const { items, notices } = decodeBlocks(dialect, deepFreeze(spell(spoken)))
    expect(notices).toEqual([])
    const ids = items.flatMap((item) => (item.kind === 'call' || item.kind === 'output' ? [item.callId] : []))
    expect([...ids].sort()).toEqual(['__proto__', '__proto__', 'constructor', 'constructor'])
  })

  test('reads and rebuilds messages that contain themselves (BLOCK-3)', () => {
    const messages = spell(spoken).map((message) => ({ ...(message as object) }) as Record<string, unknown>)
    for (const message of messages) message['self'] = message
    const { items } = decodeBlocks(dialect, messages)
    expect(dialect.rebuild({ messages, items, entries: everything(items) }).messages).toBe(messages)
    const fewer = everything(items).filter((_, position) => items[position]?.kind !== 'reasoning')
    const { messages: rebuilt } = dialect.rebuild({ messages, items, entries: fewer })
    expect(rebuilt).toHaveLength(messages.length)
    expect((rebuilt[1] as Record<string, unknown>)['self']).toBe(messages[1])
  })

  test('keeps a field named __proto__ when a message is written again (BLOCK-4)', () => {
    const messages = spell(spoken).map((message) =>
      JSON.parse(JSON.stringify(message).replace(/^\{/, '{"__proto__":{"own":1},'))
    )
    const { items } = decodeBlocks(dialect, messages)
    const fewer = everything(items).filter((_, position) => items[position]?.kind !== 'reasoning')
    const { messages: rebuilt } = dialect.rebuild({ messages, items, entries: fewer })
    expect(Object.hasOwn(rebuilt[1] as object, '__proto__')).toBe(true)
  })

  test('gives back an empty list as it is, and refuses what is none', () => {
    const empty: ReadonlyArray<unknown> = []
    expect(rebuildWith(dialect, empty, everything).messages).toBe(empty)
    for (const input of [undefined, null, 'text', 7, {}]) {
      expect(dialect.decode(input)).toMatchObject({ _tag: 'Left', left: { kind: 'decode', path: '' } })
    }
  })
})

/** A message whose parts are counted when they are read. */
const counted = (
  parts: ReadonlyArray<object>
): { readonly message: object; readonly reads: () => number } => {
  let reads = 0
  const content = new Proxy(parts, {
    get: (target, key, receiver) => {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads += 1
      return Reflect.get(target, key, receiver)
    }
  })
  return { message: { role: 'assistant', content }, reads: () => reads }
}

describe('reading is linear', () => {
  const readsFor = (length: number): number => {
    const calls = Array.from({ length }, (_, index) => ({
      type: 'tool_use',
      id: `c${index}`,
      name: 'pay',
      input: {}
    }))
    const results = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'x' })).reverse()
    const { message, reads } = counted([{ type: 'text', text: 'a' }, ...calls])
    const turn = [message, { role: 'user', content: results }] as ReadonlyArray<{ role: string }>
    const first = saveInto(emptySession, anthropic, turn.slice(0, 1), open('message'), 'replace')
    saveInto(first, anthropic, turn, accepted, 'replace')
    return reads()
  }

  test('in the parts of one message, through two saves', () => {
    const small = readsFor(100)
    const large = readsFor(1000)
    expect(small).toBeGreaterThan(100)
    expect(large).toBeLessThanOrEqual(11 * small)
  })

  test('in a message of many thousand parts, of which each place can be asked', () => {
    const content = Array.from({ length: 30000 }, (_, index) => ({ type: 'text', text: `${index}` }))
    const { items, pathOf } = decodeBlocks(anthropic, [{ role: 'assistant', content }])
    expect(items).toHaveLength(30000)
    const paths = new Set(items.map((_, position) => pathOf(position)))
    expect(paths.size).toBe(30000)
  })
})
