/** The promise forms: an error keeps its fields, and an unknown one is never taken for "not applied". */
import { describe, expect, test } from 'vitest'
import { startProgress } from '../../src/core/progress.js'
import { nextWrite } from '../../src/sessions/contract/expect.js'
import { memorySession } from '../../src/sessions/memory.js'
import { fromPromises, toPromises, toStoreError } from '../../src/sessions/promises.js'

const write = nextWrite(startProgress('turn-1'), { items: ['secret'] })

describe('a store as promises', () => {
  test('rejects with an error that is told apart by kind', async () => {
    const store = toPromises(memorySession<unknown>())
    await store.save(write)
    const late = nextWrite(startProgress('turn-1'), { operation: 'other' })
    const error: unknown = await store.save(late).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({ kind: 'conflict', turn: 'turn-1', stored: write.after })
    expect((error as Error).message).toContain('plan again')
  })
})

describe('promises as a store', () => {
  const failing = (thrown: unknown) =>
    fromPromises<unknown>({
      read: () => Promise.reject(thrown),
      progress: () => {
        throw thrown
      },
      save: () => Promise.reject(thrown)
    })

  test('keep the fields of a store error, thrown as an object or as an error', async () => {
    const conflict = { kind: 'conflict', turn: 'turn-1', stored: null, message: 'plan again' }
    expect(await failing(conflict).save(write)()).toEqual({ _tag: 'Left', left: conflict })
    const error = Object.assign(new Error('plan again'), { kind: 'conflict', turn: 'turn-1', stored: null })
    expect(await failing(error).save(write)()).toEqual({ _tag: 'Left', left: conflict })
  })

  test.each([
    ['an error', new Error('secret')],
    ['a string', 'secret'],
    ['nothing', undefined],
    ['another kind', { kind: 'secret' }]
  ])('leave open whether a write was applied when %s is thrown, and repeat none of it', async (_, thrown) => {
    const expected = { kind: 'unavailable', reason: 'other', applied: 'unknown' }
    for (const task of [failing(thrown).save(write), failing(thrown).read(), failing(thrown).progress('t')]) {
      const result = await task()
      expect(result).toMatchObject({ _tag: 'Left', left: expected })
      expect(JSON.stringify(result)).not.toContain('secret')
    }
    expect(toStoreError(thrown)).toMatchObject(expected)
  })
})
