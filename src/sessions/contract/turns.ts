/**
 * What several turns, writers and sessions may expect of each other.
 *
 * Law: only cases about more than one turn, writer or session.
 */
import { startProgress } from '../../core/progress.js'
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
  type Cases,
  type Store
} from './expect.js'

/** What several turns, writers and sessions may expect of each other. */
export const turns: Cases = {
  'turns stand in the order of their first write and never interleave': async (place) => {
    const one = await place.open('s')
    const two = await place.open('s')
    const a = nextWrite(first, { items: ['call-1'] })
    await save(one, a)
    const b = nextWrite(second, { items: ['call-2'] })
    await save(two, b)
    await save(one, nextWrite(a.after, { items: ['output-1'] }))
    await save(two, nextWrite(b.after, { items: ['output-2'] }))
    await expectItems(one, ['call-1', 'output-1', 'call-2', 'output-2'])
  },
  'a replaced suffix leaves the entries of another turn alone': async (place) => {
    const store = await place.open('s')
    const a = nextWrite(first, { items: ['a1', 'a2'] })
    await save(store, a)
    const b = nextWrite(second, { items: ['b1', 'b2'] })
    await save(store, b)
    await save(store, nextWrite(a.after, { items: ['a3', 'a4', 'a5'], replaces: 2 }))
    await expectItems(store, ['a3', 'a4', 'a5', 'b1', 'b2'])
    await expectProgress(store, 'turn-2', b.after)
  },
  'a conflict in one turn is none in another': async (place) => {
    const store = await place.open('s')
    await save(store, nextWrite(first, { items: ['a'] }))
    await save(store, nextWrite(second, { items: ['b'] }))
    await expectError('save', 'conflict', store.save(nextWrite(first, { items: ['c'], operation: 'other' })))
    await expectItems(store, ['a', 'b'])
  },
  'an operation of one turn is none of another': async (place) => {
    const store = await place.open('s')
    await save(store, nextWrite(first, { items: ['a'], operation: 'same' }))
    const receipt = await save(store, nextWrite(second, { items: ['b'], operation: 'same' }))
    expectSame('applied', receipt.applied, true)
    await expectItems(store, ['a', 'b'])
  },
  'writers at once on one session lose nothing, double nothing and keep each turn in order': async (
    place
  ) => {
    const writers = Array.from({ length: 6 }, async (_, writer) => {
      const store = await place.open('s')
      let progress = startProgress(`turn-${writer}`)
      for (let step = 0; step < 5; step += 1) {
        const write = nextWrite(progress, { items: [`${writer}.${step}.0`, `${writer}.${step}.1`] })
        progress = (await save(store, write)).progress
      }
    })
    await Promise.all(writers)
    const view = await expectSuccess('read', (await place.open('s')).read())
    expectSame('entries', view.items.length, 60)
    const starts = view.items
      .filter((_, position) => position % 10 === 0)
      .map((item) => String(item).split('.')[0])
    const expected = starts.flatMap((writer) =>
      Array.from({ length: 10 }, (_, entry) => `${writer}.${Math.floor(entry / 2)}.${entry % 2}`)
    )
    expectSame('order', view.items, expected)
    expectSame('turns', new Set(starts).size, 6)
  },
  'of two writers on one turn exactly one wins, and the other plans again': async (place) => {
    const stores = [await place.open('s'), await place.open('s')]
    const results = await Promise.all(
      stores.map((store, writer) =>
        store.save(nextWrite(first, { items: [writer], operation: `w${writer}` }))()
      )
    )
    const winner = results.findIndex(({ _tag }) => _tag === 'Right')
    const lost = results[1 - winner]
    if (winner < 0 || lost?._tag !== 'Left' || lost.left.kind !== 'conflict' || lost.left.stored === null)
      throw new Error('two writers: expected one receipt and one conflict with the stored progress')
    await save(stores[1 - winner] as Store, nextWrite(lost.left.stored, { items: ['again'] }))
    await expectItems(stores[0] as Store, [winner, 'again'])
  },
  'sessions do not see each other': async (place) => {
    const one = await place.open('one')
    const two = await place.open('two')
    await save(one, nextWrite(first, { items: ['a'] }))
    await save(two, nextWrite(first, { items: ['b'] }))
    await expectItems(one, ['a'])
    await expectItems(two, ['b'])
  }
}
