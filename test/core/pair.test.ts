/** Calls that wait together: few and many, of one key and of several, of this turn and of an earlier one. */
import { describe, expect, it } from 'vitest'
import type { Item, OpenCall } from '../../src/core/item.js'
import { extendStructure, pairCalls, startStructure } from '../../src/core/pair.js'
import { NONE } from '../../src/core/structure.js'

const call = (callId: string, namespace?: string): Item =>
  namespace === undefined ? { kind: 'call', callId } : { kind: 'call', callId, namespace }
const output = (callId: string, namespace?: string): Item =>
  namespace === undefined ? { kind: 'output', callId } : { kind: 'output', callId, namespace }
const open = (...callIds: ReadonlyArray<string>): ReadonlyArray<OpenCall> =>
  callIds.map((callId) => ({ callId }))
const letters = (count: number): ReadonlyArray<string> => [...'abcdefghijklmnopqrst'].slice(0, count)

describe('calls that wait together', () => {
  it.each([1, 2, 5, 6, 7, 8, 20])('get their outputs in any order: %i calls [PAIR-3]', (count) => {
    const ids = letters(count)
    const middle = Math.floor(count / 2)
    for (const order of [ids, [...ids].reverse(), [...ids.slice(middle), ...ids.slice(0, middle)]]) {
      const { pairs, unpaired } = pairCalls({
        items: [...ids.map((id) => call(id)), ...order.map((id) => output(id))]
      })
      expect(pairs).toEqual(ids.map((id, position) => [position, count + order.indexOf(id)]))
      expect(unpaired).toEqual([])
    }
  })

  it('get no output of another namespace [PAIR-3, PAIR-7]', () => {
    const items = [call('a'), call('a', 'x'), output('a', 'y'), output('a', 'x'), output('a')]
    expect(pairCalls({ items })).toEqual({
      pairs: [
        [0, 4],
        [1, 3]
      ],
      unpaired: [2]
    })
  })

  it('get one output each [PAIR-7]', () => {
    expect(pairCalls({ items: [call('a'), call('b'), output('b'), output('b'), output('a')] })).toEqual({
      pairs: [
        [0, 4],
        [1, 2]
      ],
      unpaired: [3]
    })
  })

  it.each([1, 6, 7])('queue under one key, behind %i others [PAIR-4, PAIR-5]', (count) => {
    const others = letters(count).map((id) => call(`other ${id}`))
    const items = [
      ...others,
      call('a'),
      call('a', 'x'),
      call('a'),
      output('a'),
      output('a', 'x'),
      output('a')
    ]
    expect(pairCalls({ items })).toEqual({
      pairs: [
        [count, count + 3],
        [count + 1, count + 4],
        [count + 2, count + 5]
      ],
      unpaired: []
    })
  })

  it('queue again after the first queue is answered, and under a second key [PAIR-5]', () => {
    const items = [
      ...[call('a'), call('a'), call('b'), call('b')],
      ...[output('b'), output('a'), output('a'), output('b')],
      ...[call('a'), call('a'), output('a'), output('a')]
    ]
    expect(pairCalls({ items })).toEqual({
      pairs: [
        [0, 5],
        [1, 6],
        [2, 4],
        [3, 7],
        [8, 10],
        [9, 11]
      ],
      unpaired: []
    })
  })
})

describe('calls of an earlier turn', () => {
  it('make room for a call of their key once they are answered [PAIR-8]', () => {
    const items = [output('a'), call('a'), output('a'), output('b')]
    expect(pairCalls({ items, open: open('a', 'b') })).toEqual({ pairs: [[1, 2]], unpaired: [] })
  })

  it.each<[string, ReadonlyArray<string>]>([
    ['first and last', ['a', 'b', 'a']],
    ['behind others', ['b', 'c', 'a', 'a']],
    ['in front of others', ['a', 'a', 'b', 'c']]
  ])('queue under one key: %s [PAIR-5, PAIR-8]', (_title, ids) => {
    const outputs = [output('a'), output('a'), output('a'), output('b')]
    const structure = startStructure(open(...ids), outputs.length)
    extendStructure(structure, outputs)
    const [first, second] = ids.flatMap((id, index) => (id === 'a' ? [-2 - index] : []))
    expect(Array.from(structure.links)).toEqual([first, second, NONE, -2 - ids.indexOf('b')])
  })

  it('are superseded by a call of their key, the right one among several [PAIR-6, PAIR-8]', () => {
    const items = [call('b'), output('a'), output('b'), output('b'), output('c')]
    expect(pairCalls({ items, open: open('a', 'b', 'c') })).toEqual({ pairs: [[0, 2]], unpaired: [3] })
  })
})
