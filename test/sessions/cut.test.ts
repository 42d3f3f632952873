/** A limited read begins where nothing is torn apart. */
import { describe, expect, test } from 'vitest'
import * as E from 'fp-ts/lib/Either.js'
import { associateReasoning } from '../../src/core/associate.js'
import type { Item } from '../../src/core/item.js'
import { pairCalls } from '../../src/core/pair.js'
import { neutral } from '../../src/dialects/neutral.js'
import type { Dialect } from '../../src/ports/dialect.js'
import { findCut } from '../../src/sessions/cut.js'
import { memorySession } from '../../src/sessions/memory.js'

/** Entries that are items already. */
const plain: Dialect<Item> = {
  name: 'plain',
  decode: (raws) => E.right({ items: raws as Item[], raws: raws as Item[], notices: [] }),
  startReading: neutral.startReading,
  close: (call) => call,
  redact: (output) => output,
  stripId: (raw) => raw,
  with: () => plain,
  withWording: () => plain
}

const user: Item = { kind: 'message', origin: 'user' }
const message: Item = { kind: 'message' }
const reasoning: Item = { kind: 'reasoning' }
const call = (callId: string, parent?: string): Item =>
  parent === undefined ? { kind: 'call', callId } : { kind: 'call', callId, parent }
const output = (callId: string): Item => ({ kind: 'output', callId })
const approval = (callId: string, origin: 'model' | 'user'): Item => ({ kind: 'approval', callId, origin })

const lastOf = async (
  items: ReadonlyArray<Item>,
  limit: number,
  dialect?: Dialect<Item>
): Promise<number> => {
  const session = memorySession<Item>(dialect === undefined ? {} : { dialect })
  await session.addItems([...items])
  const read = await session.getItems(limit)
  expect(read).toEqual(items.slice(items.length - read.length))
  return read.length
}

/** What belongs together in a whole history: outputs with a call before them, reasoning with its owner. */
const bondsOf = (items: ReadonlyArray<Item>): ReadonlyArray<readonly [number, number]> => {
  const bonds: Array<readonly [number, number]> = [...pairCalls({ items }).pairs]
  const { owner } = associateReasoning({ items })
  const places = items.flatMap((item, position) => (item.kind === 'reasoning' ? [position] : []))
  for (const [index, position] of places.entries()) {
    const owned = owner[index]
    if (owned !== null && owned !== undefined) bonds.push([position, owned])
  }
  for (const [position, item] of items.entries()) {
    const kinds = items.slice(0, position).map(({ kind }) => kind)
    const before = kinds.lastIndexOf('call')
    if (item.kind === 'output' && before >= 0) bonds.push([before, position])
  }
  return bonds
}

/** Whether a call is repeated or stands behind its own approval: bonds that are not looked for beyond what was read. */
const isOdd = (items: ReadonlyArray<Item>): boolean => {
  const calls = items.flatMap((item, position) =>
    item.kind === 'call' && item.callId === 'a' ? [position] : []
  )
  const approval = items.findIndex(({ kind }) => kind === 'approval')
  return calls.length > 1 || (approval >= 0 && approval < (calls[0] ?? -1))
}

describe('a limited read', () => {
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<Item>, number, number]> = [
    [
      'never begins with an output whose call is cut off (PAIR-7)',
      [user, call('a'), output('a'), message],
      2,
      1
    ],
    ['begins at the call when that fits', [user, call('a'), output('a'), message], 3, 3],
    [
      'keeps parallel calls with their outputs (PAIR-4)',
      [user, call('a'), call('b'), output('a'), output('b'), message],
      4,
      1
    ],
    [
      'never splits reasoning from its call (REASON-1)',
      [user, reasoning, call('a'), output('a'), message],
      3,
      1
    ],
    [
      'keeps stacked reasoning together (REASON-2)',
      [user, reasoning, reasoning, call('a'), output('a'), message],
      4,
      1
    ],
    ['may begin with an unanswered call', [user, message, call('a'), user], 2, 2],
    [
      'never splits an approval from what it answers (PAIR-10)',
      [user, approval('a', 'model'), approval('a', 'user'), message],
      2,
      1
    ],
    [
      'never splits a call from its parent (PAIR-11)',
      [user, call('p'), call('c', 'p'), output('c'), output('p'), message],
      4,
      1
    ],
    ['returns nothing rather than a part', [user, call('a'), output('a')], 1, 0],
    ['is not shortened by an output that never had a call', [user, output('x'), message, user, message], 4, 4]
  ]
  test.each(cases)('%s', async (_, items, limit, expected) => {
    expect(await lastOf(items, limit, plain)).toBe(expected)
  })

  test('looks further back than its first window for the call of an output and the reasoning of a call', async () => {
    const far = Array.from({ length: 300 }, () => message)
    expect(await lastOf([user, call('a'), ...far, output('a'), message], 50, plain)).toBe(1)
    const outputs = Array.from({ length: 300 }, (_, position) => output(`${position}`))
    const calls = Array.from({ length: 300 }, (_, position) => call(`${position}`))
    expect(await lastOf([user, ...calls, ...outputs, message], 301, plain)).toBe(1)
    expect(await lastOf([user, ...far, user, message], 2, plain)).toBe(2)
  })

  test('is a plain count without a dialect, or when the dialect cannot read the entries', async () => {
    const items = [user, call('a'), output('a'), message]
    expect(await lastOf(items, 2)).toBe(2)
    const blind: Dialect<Item> = {
      ...plain,
      decode: () => E.left({ kind: 'decode', path: '', expected: 'a list', received: 'x', message: 'x' })
    }
    expect(await lastOf(items, 2, blind)).toBe(2)
  })

  test('of every size of every small history is the longest that tears nothing', async () => {
    const words: ReadonlyArray<Item> = [user, message, reasoning, call('a'), output('a')]
    const size = 5
    for (let number = 0; number < words.length ** size; number += 3) {
      const items = Array.from(
        { length: size },
        (_, place) => words[Math.floor(number / words.length ** place) % words.length] as Item
      )
      const bonds = bondsOf(items)
      for (let limit = 1; limit <= size; limit += 1) {
        const isTorn = (cut: number): boolean => bonds.some(([early, late]) => early < cut && cut <= late)
        let longest = limit
        while (longest > 0 && isTorn(size - longest)) longest -= 1
        expect([items, limit, await lastOf(items, limit, plain)]).toEqual([items, limit, longest])
      }
    }
  })

  test('that saw only the end of a small history and is certain tears nothing that the whole of it binds', () => {
    const words: ReadonlyArray<Item> = [
      user,
      message,
      reasoning,
      call('a'),
      output('a'),
      call('b', 'a'),
      approval('a', 'user')
    ]
    const size = 5
    let certain = 0
    for (let number = 0; number < words.length ** size; number += 1) {
      const items = Array.from(
        { length: size },
        (_, place) => words[Math.floor(number / words.length ** place) % words.length] as Item
      )
      if (isOdd(items)) continue
      for (let first = 1; first < size - 1; first += 1) {
        const end = items.slice(first)
        for (let earliest = first; earliest < size; earliest += 1) {
          const seen = findCut(end, earliest - first, false, plain)
          if (!seen.certain) continue
          certain += 1
          const from = seen.from + first
          const whole = findCut(items, from, true, plain)
          if (whole.from !== from)
            expect([items, first, earliest, from]).toEqual([items, first, earliest, whole.from])
        }
      }
    }
    expect(certain).toBeGreaterThan(10_000)
  })

  test('of a long turn reads a number of entries that does not grow with the turn', async () => {
    const step = (position: number): ReadonlyArray<Item> => [
      reasoning,
      call(`${position}`),
      call(`${position}+`),
      output(`${position}`),
      output(`${position}+`)
    ]
    const items = Array.from({ length: 1000 }, (_, position) => step(position)).flat()
    let most = 0
    const watching: Dialect<Item> = {
      ...plain,
      decode: (raws) => {
        most = Math.max(most, (raws as ReadonlyArray<unknown>).length)
        return plain.decode(raws)
      }
    }
    for (let limit = 40; limit < 60; limit += 1)
      expect(await lastOf(items, limit, watching)).toBe(limit - (limit % 5))
    expect(most).toBeLessThan(100)
  })
})
