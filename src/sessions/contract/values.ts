/**
 * Which entries and ids survive.
 *
 * Law: only cases about what is stored, not about when.
 */
import { startProgress } from '../../core/progress.js'
import type { SessionWrite } from '../../ports/session-store.js'
import {
  expectItems,
  expectProgress,
  expectSame,
  first,
  expectError,
  nextWrite,
  expectSuccess,
  save,
  second,
  type Cases
} from './expect.js'

const lone = String.fromCharCode(0xd800)
const odd = [
  '',
  'a\u0000',
  'a\u0000b',
  'a',
  `a${lone}`,
  'a\ufffd',
  `"; drop table x; --`,
  "'",
  '\\u0000',
  'é',
  '🙂',
  '%',
  '$1',
  '?1'
]

/** Which entries and ids survive. */
export const values: Cases = {
  'ids are data: NUL, lone surrogates, quotes and escapes stay apart': async (place) => {
    for (const [position, id] of odd.entries()) {
      await save(await place.open(`s${id}`), nextWrite(startProgress(`t${id}`), { items: [position] }))
    }
    for (const [position, id] of odd.entries()) {
      const store = await place.open(`s${id}`)
      await expectItems(store, [position])
      expectSame('turn', (await expectSuccess('progress', store.progress(`t${id}`)))?.turn, `t${id}`)
      await expectProgress(store, `t${odd[(position + 1) % odd.length]}`, null)
    }
  },
  'unknown fields, unicode, NUL and lone surrogates survive': async (place) => {
    const store = await place.open('s')
    const items = [
      { type: 'unheard_of', deep: { list: [1, null, false, -0.5, 1e300] }, [`k${lone}`]: odd },
      null,
      7,
      ''
    ]
    await save(store, nextWrite(first, { items }))
    await expectItems(store, items)
  },
  'a __proto__ key is a plain key, and names of the prototype are data': async (place) => {
    const store = await place.open('s')
    const items = [JSON.parse('{"__proto__":{"polluted":true},"constructor":1,"toString":"x"}')]
    await save(store, nextWrite(first, { items }))
    await expectItems(store, items)
    const read = (await expectSuccess('read', store.read())).items[0] as object
    expectSame('own keys', Object.keys(read).sort(), ['__proto__', 'constructor', 'toString'])
    expectSame('prototype', 'polluted' in Object.prototype || 'polluted' in read, false)
  },
  'what comes back is not what was handed in': async (place) => {
    const store = await place.open('s')
    const item = { nested: { value: 1 } }
    await save(store, nextWrite(first, { items: [item] }))
    item.nested.value = 2
    await expectItems(store, [{ nested: { value: 1 } }])
  },
  'an entry of five megabytes survives': async (place) => {
    const store = await place.open('s')
    const items = ['before', `${'é"\\\u0000🙂'.repeat(500_000)}end`, 'after']
    await save(store, nextWrite(first, { items }))
    const view = await expectSuccess('read', store.read())
    expectSame(
      'lengths',
      view.items.map((item) => String(item).length),
      items.map((item) => item.length)
    )
    if (view.items[1] !== items[1]) throw new Error('items: expected the large entry unchanged')
  },
  'a hundred thousand entries are one write': async (place) => {
    const store = await place.open('s')
    const items = Array.from({ length: 100_000 }, (_, position) => position)
    await save(store, nextWrite(first, { items }))
    const view = await expectSuccess('read', store.read())
    expectSame('entries', view.items.length, items.length)
    const wrong = view.items.findIndex((item, position) => item !== position)
    expectSame('first entry out of place', wrong, -1)
  },
  'what JSON cannot hold is refused by name, with nothing written': async (place) => {
    const store = await place.open('s')
    const cycle: Record<string, unknown> = {}
    cycle['self'] = cycle
    for (const bad of [undefined, 1n, Number.NaN, () => 1, new Uint8Array(2), new Map(), cycle]) {
      const error = await expectError(
        'save',
        'rejected',
        store.save(nextWrite(first, { items: ['a', { bad }, bad] }))
      )
      expectSame('path', error.path, bad === undefined ? 'items[2]' : 'items[1]')
    }
    await expectItems(store, [])
    await expectProgress(store, 'turn-1', null)
  },
  'a write that contradicts itself is refused': async (place) => {
    const store = await place.open('s')
    const write = nextWrite(first, { items: ['a'] })
    const wrong: ReadonlyArray<readonly [string, SessionWrite<unknown>]> = [
      ['expects.turn', { ...write, expects: second }],
      ['after.turn', { ...write, after: { ...write.after, turn: 'turn-2' } }],
      ['operation', { ...write, operation: '' }],
      ['replaces', { ...write, replaces: -1 }],
      ['replaces', { ...write, replaces: 0.5 }],
      ['replaces', { ...write, replaces: 1 }],
      ['items', { ...write, change: 'none' }]
    ]
    for (const [path, bad] of wrong)
      expectSame('path', (await expectError('save', 'rejected', store.save(bad))).path, path)
    await expectItems(store, [])
  },
  'a limit counts from the end': async (place) => {
    const store = await place.open('s')
    const a = nextWrite(first, { items: ['a', 'b'] })
    await save(store, a)
    await save(store, nextWrite(second, { items: ['c', 'd'] }))
    for (const [limit, expected] of [
      [0, []],
      [1, ['d']],
      [3, ['b', 'c', 'd']],
      [4, ['a', 'b', 'c', 'd']],
      [9, ['a', 'b', 'c', 'd']]
    ] as const) {
      expectSame(`limit ${limit}`, (await expectSuccess('read', store.read({ limit }))).items, expected)
    }
  }
}
