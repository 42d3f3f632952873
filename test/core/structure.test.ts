/** In which form a turn is kept: what only memory and time would tell. */
import { describe, expect, test } from 'vitest'
import { type Item, open, orThrow, planSave } from '../../src/index.js'
import { extendStructure, startStructure } from '../../src/core/pair.js'
import { emptyStructure, NONE, reserve, SHORT } from '../../src/core/structure.js'
import { message, output, reasoning } from '../support/turns.js'

describe('room for a turn', () => {
  test('is a plain list of links up to a bound, and four bytes a position above it', () => {
    expect(Array.isArray(emptyStructure([], SHORT).links)).toBe(true)
    expect(emptyStructure([], SHORT + 1).links).toBeInstanceOf(Int32Array)
    for (const capacity of [1, SHORT, SHORT + 1])
      expect(Array.from(emptyStructure([], capacity).links)).toEqual(new Array(capacity).fill(NONE))
  })

  test('is made only when it is needed, and then for twice as many positions', () => {
    const structure = emptyStructure([], 16)
    const { roles, flags, links } = structure
    reserve(structure, 16)
    expect([structure.roles, structure.flags, structure.links]).toEqual([roles, flags, links])
    expect(structure.roles).toBe(roles)
    expect(structure.links).toBe(links)
    reserve(structure, 17)
    expect([structure.roles.length, structure.flags.length, structure.links.length]).toEqual([32, 32, 32])
    reserve(structure, 100)
    expect([structure.roles.length, structure.flags.length, structure.links.length]).toEqual([100, 100, 100])
  })
})

describe('what is known of a turn', () => {
  test('is how much of its reasoning belongs to an item, and to which [REASON-1, REASON-2]', () => {
    const structure = startStructure([], 0)
    const items = [reasoning(), message(), reasoning(), output('z'), reasoning(), message(), reasoning()]
    extendStructure(structure, items.slice(0, 1))
    expect([structure.reasoning, structure.owned, structure.claimed]).toEqual([1, 0, Infinity])
    extendStructure(structure, items)
    expect([structure.reasoning, structure.owned, structure.claimed]).toEqual([4, 3, 0])
    expect(Array.from(structure.links.slice(0, items.length))).toEqual([1, -1, 5, -1, 5, -1, -1])
  })
})

describe('a short turn that is planned once more', () => {
  test('has the id of each item read once, though both edges hold them all', () => {
    let reads = 0
    const countReads = (id: string): Item =>
      Object.defineProperty({ kind: 'message' } as Item, 'id', {
        enumerable: true,
        get: () => {
          reads += 1
          return id
        }
      })
    const items = ['a', 'b', 'c'].map(countReads)
    const { after } = orThrow(planSave({ turn: 't', items: items.slice(0, 2), outcome: open() }))
    reads = 0
    expect(orThrow(planSave({ turn: 't', items, outcome: open(), progress: after })).after.settled).toBe(3)
    expect(reads).toBe(3)
  })
})
