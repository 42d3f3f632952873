/** How far a turn is plain, position by position: what is taken at once, and what is judged. */
import { describe, expect, it } from 'vitest'
import type { Item, OpenCall } from '../../src/core/item.js'
import { extendStructure, startStructure } from '../../src/core/pair.js'
import { plainUntil } from '../../src/core/plain.js'
import type { Structure } from '../../src/core/structure.js'

const reasoning: Item = { kind: 'reasoning' }
const message: Item = { kind: 'message' }
const user: Item = { kind: 'message', origin: 'user' }
const call = (callId: string): Item => ({ kind: 'call', callId })
const output = (callId: string): Item => ({ kind: 'output', callId })

const read = (items: ReadonlyArray<Item>): Structure => {
  const structure = startStructure([], items.length)
  extendStructure(structure, items)
  return structure
}

const plainOf = (
  items: ReadonlyArray<Item>,
  part = items.length,
  open: ReadonlyArray<OpenCall> = []
): number => {
  const structure = startStructure(open, items.length)
  extendStructure(structure, items)
  return plainUntil(structure, part)
}

describe('a turn is plain', () => {
  it.each<[string, ReadonlyArray<Item>]>([
    ['nothing', []],
    [
      'input, a message, and reasoning with its call and output',
      [user, message, reasoning, call('a'), output('a')]
    ],
    ['calls that are answered in another order', [call('a'), call('b'), output('b'), output('a')]],
    ['an unanswered call of the provider', [{ kind: 'call', callId: 'a', executor: 'provider' }, message]],
    ['a call that carries its result', [{ kind: 'call', callId: 'a', selfContained: true }, message]],
    [
      'an approval, a compaction, a context',
      [{ kind: 'approval' }, { kind: 'compaction' }, { kind: 'context' }]
    ],
    ['what no dialect can place', [{ kind: 'unclassified' }, message]]
  ])('to its end: %s', (_title, items) => {
    expect(plainOf(items)).toBe(items.length)
  })

  it.each<[string, ReadonlyArray<Item>, number]>([
    ['a marker', [message, { kind: 'marker' }, message], 1],
    [
      'an output that is still pending',
      [call('a'), { kind: 'output', callId: 'a', execution: 'pending' }],
      0
    ],
    ['a message that was cut off', [message, { kind: 'message', partial: true }], 1],
    ['input that was cut off', [message, { kind: 'message', origin: 'user', partial: true }], 1],
    ['a call that was cut off', [message, { kind: 'call', callId: 'a', partial: true }], 1],
    ['an output that was cut off', [message, { kind: 'output', callId: 'a', partial: true }], 1],
    ['a compaction that was cut off', [message, { kind: 'compaction', partial: true }], 1],
    ['an output of nothing', [message, output('a'), message], 1],
    ['the first of two irregular items', [message, { kind: 'marker' }, output('a')], 1],
    ['a call without its output', [message, call('a'), call('b'), output('b')], 1],
    ['one of many calls without its output', [...'abcdefgh'].map(call), 0],
    ['a call that a later one of its key replaced', [call('a'), user, call('a'), output('a')], 0],
    ['reasoning at the end', [message, reasoning], 1],
    ['reasoning that input cuts off', [message, reasoning, user, message], 1],
    [
      'reasoning whose owner was cut off',
      [message, reasoning, reasoning, { kind: 'message', partial: true }],
      1
    ]
  ])('up to %s', (_title, items, expected) => {
    expect(plainOf(items)).toBe(expected)
  })

  it('up to the rejected part', () => {
    expect(plainOf([user, message, message], 2)).toBe(2)
    expect(plainOf([user, message, message], 0)).toBe(0)
  })

  it('up to the reasoning whose owner stands in the rejected part', () => {
    expect(plainOf([message, reasoning, reasoning, message], 3)).toBe(1)
    expect(plainOf([message, reasoning, output('x'), reasoning, message], 2)).toBe(1)
    expect(plainOf([reasoning, reasoning, message], 1)).toBe(0)
    expect(plainOf([message, reasoning, call('a'), output('a'), message], 3)).toBe(3)
  })

  it('over reasoning of an earlier response, whose owner cannot come any more', () => {
    const items: ReadonlyArray<Item> = [
      { kind: 'reasoning', response: 0 },
      { kind: 'message', response: 0 },
      { kind: 'message', response: 1 }
    ]
    expect(plainOf(items, 2)).toBe(2)
  })

  it('whether or not a call of an earlier turn waits', () => {
    expect(plainOf([message, call('a'), output('a')], 3, [{ callId: 'z' }])).toBe(3)
    expect(plainOf([output('z'), message], 2, [{ callId: 'z' }])).toBe(2)
  })

  it('without a look at its positions where every reasoning item has its owner', () => {
    const { reasoning: all, owned } = read([
      reasoning,
      message,
      reasoning,
      { kind: 'marker' },
      reasoning,
      call('a'),
      output('a'),
      reasoning
    ])
    expect([all, owned]).toEqual([4, 3])
  })
})
