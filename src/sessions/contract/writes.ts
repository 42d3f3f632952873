/**
 * What one writer of one turn may expect.
 *
 * Law: only cases about a single turn; rules PLAN-14, PROGRESS-2, PROGRESS-8.
 */
import type { Progress } from '../../core/progress.js'
import {
  expectItems,
  expectProgress,
  expectSame,
  first,
  expectError,
  nextWrite,
  save,
  second,
  type Cases
} from './expect.js'

/** What one writer of one turn may expect. */
export const writes: Cases = {
  'an empty session has no entries and no progress': async (place) => {
    const store = await place.open('s')
    await expectItems(store, [])
    await expectProgress(store, 'turn-1', null)
  },
  'a write is read back by another handle, in order, with the progress after it': async (place) => {
    const write = nextWrite(first, { items: ['a', 'b', 'c'] })
    const receipt = await save(await place.open('s'), write)
    expectSame('receipt', receipt, { applied: true, progress: write.after, notices: [] })
    const other = await place.open('s')
    await expectItems(other, ['a', 'b', 'c'])
    await expectProgress(other, 'turn-1', write.after)
  },
  'a write that moves only the progress is kept (PROGRESS-2)': async (place) => {
    const store = await place.open('s')
    const write = nextWrite(first)
    await save(store, write)
    await expectItems(store, [])
    await expectProgress(store, 'turn-1', write.after)
  },
  'the same operation again is applied once (PROGRESS-8)': async (place) => {
    const store = await place.open('s')
    const write = nextWrite(first, { items: ['a'] })
    await save(store, write)
    const again = await save(await place.open('s'), write)
    expectSame('receipt', again, { applied: false, progress: write.after, notices: [] })
    await expectItems(store, ['a'])
  },
  'a retry of a replaced suffix is applied once': async (place) => {
    const store = await place.open('s')
    const start = nextWrite(first, { items: ['a', 'b'] })
    await save(store, start)
    const write = nextWrite(start.after, { items: ['c', 'd'], replaces: 1 })
    await save(store, write)
    await save(store, write)
    await expectItems(store, ['a', 'c', 'd'])
  },
  'a write from an old progress is a conflict that carries the stored one': async (place) => {
    const store = await place.open('s')
    const write = nextWrite(first, { items: ['a'] })
    await save(store, write)
    const late = nextWrite(first, { items: ['b'], operation: 'other' })
    const error = await expectError('save', 'conflict', store.save(late))
    expectSame('stored', error.stored, write.after)
    expectSame('turn', error.turn, 'turn-1')
    await expectItems(store, ['a'])
    await expectProgress(store, 'turn-1', write.after)
  },
  'a write that expects what was never stored is a conflict without a progress': async (place) => {
    const store = await place.open('s')
    const write = nextWrite({ ...first, revision: 3 }, { items: ['a'] })
    expectSame('stored', (await expectError('save', 'conflict', store.save(write))).stored, null)
    await expectItems(store, [])
    await expectProgress(store, 'turn-1', null)
  },
  'progresses that differ in one set or in the edge alone are a conflict': async (place) => {
    const store = await place.open('s')
    const write = nextWrite(first, { items: ['a'] })
    await save(store, write)
    for (const expects of [
      { ...write.after, withheld: [0] },
      { ...write.after, edge: 'another' }
    ]) {
      await expectError('save', 'conflict', store.save(nextWrite(expects, { items: ['b'] })))
    }
    await expectItems(store, ['a'])
  },
  'the order of keys in a progress does not matter': async (place) => {
    const store = await place.open('s')
    const write = nextWrite(first, { items: ['a'] })
    await save(store, write)
    const expects = Object.fromEntries(Object.entries(write.after).reverse()) as unknown as Progress
    await save(store, nextWrite(expects, { items: ['b'] }))
    await expectItems(store, ['a', 'b'])
  },
  'a suffix is replaced by more, by fewer and by nothing (PLAN-14)': async (place) => {
    const store = await place.open('s')
    let write = nextWrite(first, { items: ['a', 'b', 'c'] })
    await save(store, write)
    write = nextWrite(write.after, { items: ['d', 'e', 'f'], replaces: 2 })
    await save(store, write)
    await expectItems(store, ['a', 'd', 'e', 'f'])
    write = nextWrite(write.after, { items: ['g'], replaces: 3 })
    await save(store, write)
    await expectItems(store, ['a', 'g'])
    write = nextWrite(write.after, { replaces: 2 })
    await save(store, write)
    await expectItems(store, [])
    await save(store, nextWrite(write.after, { items: ['h'] }))
    await expectItems(store, ['h'])
  },
  'more than is stored of the turn cannot be replaced': async (place) => {
    const store = await place.open('s')
    const other = nextWrite(second, { items: ['x', 'y'] })
    await save(store, other)
    const write = nextWrite(first, { items: ['a'] })
    await save(store, write)
    const error = await expectError(
      'save',
      'rejected',
      store.save(nextWrite(write.after, { items: ['b'], replaces: 2 }))
    )
    expectSame('path', error.path, 'replaces')
    await expectItems(store, ['x', 'y', 'a'])
    await expectProgress(store, 'turn-1', write.after)
  }
}
