/**
 * How often items are read, and how often position sets are copied: counted, never timed [INV-9].
 *
 * Every item is a proxy that counts the reads of its properties. The bounds below are stated in
 * `docs/explanation/proof.md` too.
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import type { Item } from '../../src/core/item.js'
import {
  acknowledge,
  associateReasoning,
  extendTurn,
  type Outcome,
  orThrow,
  pairCalls,
  planSave,
  planTurn,
  retain,
  type SavePlan,
  type StoreKind,
  selectItems,
  type TurnTracker,
  trackTurn
} from '../../src/index.js'

/**
 * Reads of properties that one item may cost: in one question with every list of its answer made, and over the whole
 * life of a turn that is saved after every item. An item has some twenty fields.
 */
const READS = 30
/** Buffers of position sets over such a life: four to begin with, and one for each that begins anew. */
const BUFFERS_PER_LIFE = 8

const SIZE = 100_000
/** The longest turn of the shapes beside the five plain ones: reads are counted, so a tenth shows as much. */
const SMALL_SIZE = 10_000
const GROWN_SIZE = 2_000

type Shape = (position: number, size: number) => Item

const message: Item = { kind: 'message' }
const call = (callId: string): Item => ({ kind: 'call', callId })
const output = (callId: string): Item => ({ kind: 'output', callId })

/** Plain turns, and turns made to send a careless planner back to the start for each item. */
const shapes: Readonly<Record<string, Shape>> = {
  'reasoning, call, output, again and again': (position) =>
    [
      { kind: 'reasoning' } as const,
      call(`c${position - (position % 3)}`),
      output(`c${position - (position % 3)}`)
    ][position % 3] as Item,
  'messages and user input': (position) =>
    position % 2 === 0 ? { kind: 'message', origin: 'user' } : message,
  'reasoning stacked on one call': (position, size) =>
    position < size - 1 ? { kind: 'reasoning' } : call('last'),
  'reasoning that never gets an owner': () => ({ kind: 'reasoning' }),
  'reasoning and outputs of nothing in turn': (position) =>
    position % 2 === 0 ? { kind: 'reasoning' } : output('never called'),
  'all calls, then all outputs': (position, size) => {
    const half = size / 2
    return position < half ? call(`c${position}`) : output(`c${position - half}`)
  },
  'all calls, then all outputs in reverse': (position, size) =>
    position < size / 2 ? call(`c${position}`) : output(`c${size - 1 - position}`),
  'calls of one id, then as many outputs': (position, size) =>
    position < size / 2 ? call('same') : output('same'),
  'calls that nobody answers': (position) => call(`c${position}`),
  'calls of one id, each in a response of its own': (position) =>
    position % 2 === 0 ? call('same') : { kind: 'message', origin: 'user' },
  'calls of a program': (position) =>
    position === 0 ? call('program') : { kind: 'call', callId: `c${position}`, parent: 'program' },
  'each call the parent of the next': (position) => ({
    kind: 'call',
    callId: `c${position}`,
    parent: `c${position - 1}`
  }),
  'approvals far before their calls': (position, size) =>
    position < size / 2 ? { kind: 'approval', callId: `c${position}` } : call(`c${position - size / 2}`),
  'numbered responses': (position) => ({ kind: 'message', response: position }),
  markers: () => ({ kind: 'marker' }),
  'unclassified items': () => ({ kind: 'unclassified' })
}

const names = Object.keys(shapes)

const plainShapes: ReadonlyArray<string> = [
  'reasoning, call, output, again and again',
  'reasoning stacked on one call',
  'all calls, then all outputs',
  'all calls, then all outputs in reverse',
  'calls of one id, each in a response of its own'
]

const sizeOf = (shape: string): number => (plainShapes.includes(shape) ? SIZE : SMALL_SIZE)

interface Counted {
  readonly items: ReadonlyArray<Item>
  readonly reads: Uint32Array
}

const handlerOf = (reads: Uint32Array, position: number): ProxyHandler<Item> => ({
  get: (item, name) => {
    reads[position] = (reads[position] as number) + 1
    return Reflect.get(item, name)
  },
  has: (item, name) => {
    reads[position] = (reads[position] as number) + 1
    return Reflect.has(item, name)
  }
})

const countReads = (shape: string, size: number): Counted => {
  const reads = new Uint32Array(size)
  const make = shapes[shape] as Shape
  const items = Array.from(
    { length: size },
    (_, position) => new Proxy(make(position, size), handlerOf(reads, position))
  )
  return { items, reads }
}

const most = (reads: Uint32Array): number => reads.reduce((highest, count) => Math.max(highest, count), 0)

const questions: ReadonlyArray<readonly [Outcome, StoreKind]> = [
  [{ kind: 'accepted' }, 'append'],
  [{ kind: 'rejected', deliverable: 'output' }, 'replace'],
  [{ kind: 'open', check: 'message' }, 'append'],
  [{ kind: 'open', check: 'input' }, 'replace']
]

/** Asks for everything that a plan makes only when it is asked for; answers with the number of positions decided. */
const readAll = (plan: SavePlan): number => {
  let decided = 0
  for (const _ of plan.decisions) decided += 1
  let entries = 0
  for (const _ of plan.writes) entries += 1
  if (entries !== plan.writes.length) return -1
  const { withheld, ahead, closed, redacted } = plan.after
  const lists = [withheld, ahead, closed, redacted, plan.notices, plan.unprotected]
  return lists.every(Array.isArray) ? decided : -1
}

describe.each(names)('a turn of %s', (shape) => {
  const size = sizeOf(shape)

  it('is planned with a bounded number of reads of each item [INV-9]', () => {
    const { items, reads } = countReads(shape, size)
    for (const [outcome, store] of questions) {
      reads.fill(0)
      const plan = orThrow(planSave({ turn: 'turn', items, outcome, store }))
      expect(readAll(plan)).toBe(size)
      expect(most(reads)).toBeGreaterThan(0)
      expect(most(reads)).toBeLessThanOrEqual(READS)
    }
  })

  it('is paired, associated and selected with a bounded number of reads of each item [INV-9]', () => {
    const { items, reads } = countReads(shape, size)
    const bounded = (question: () => unknown): void => {
      reads.fill(0)
      question()
      expect(most(reads)).toBeGreaterThan(0)
      expect(most(reads)).toBeLessThanOrEqual(READS)
    }
    bounded(() => pairCalls({ items }))
    bounded(() => associateReasoning({ items, association: 'next' }))
    bounded(() => associateReasoning({ items, association: 'segment' }))
    bounded(() => selectItems({ items, outcome: { kind: 'rejected', deliverable: 'message' } }))
    bounded(() => retain({ items }))
  })
})

describe('a turn of a million items', () => {
  it.each(['append', 'replace'] as const)('is planned on a store of kind %s', (store) => {
    const kinds: ReadonlyArray<Item> = [{ kind: 'reasoning' }, call('a'), output('a'), message]
    const items = Array.from({ length: 1_000_000 }, (_, position) => kinds[position % 4] as Item)
    const plan = planSave({
      turn: 'turn',
      items,
      outcome: { kind: 'rejected', deliverable: 'message' },
      store
    })
    expect(E.isRight(plan)).toBe(true)
    // The last response is [reasoning, call, output, message] behind an answered call.
    expect(orThrow(plan).after.settled).toBe(1_000_000)
    expect(orThrow(plan).after.withheld).toEqual([999_999])
  })
})

interface Life {
  readonly tracker: TurnTracker
  /** Buffers of position sets that were made, the ones to begin with included. */
  readonly buffers: number
}

/** Saves after every item. A set that only grows keeps its buffer, so each further buffer is a copy that was made. */
const liveThrough = (items: ReadonlyArray<Item>, store: StoreKind, outcome: Outcome): Life => {
  let tracker = orThrow(trackTurn({ turn: 'turn', store }))
  let before: ReadonlyArray<unknown> = []
  let buffers = 0
  for (const item of items) {
    tracker = extendTurn(tracker, [item])
    tracker = orThrow(acknowledge(tracker, orThrow(planTurn(tracker, outcome))))
    const { withheld, ahead, closed, redacted } = tracker.shared.saved.sets
    const now = [withheld.buffer, ahead.buffer, closed.buffer, redacted.buffer]
    for (let index = 0; index < now.length; index += 1) if (now[index] !== before[index]) buffers += 1
    before = now
  }
  return { tracker, buffers }
}

describe.each(names)('a growing turn of %s, saved after every item', (shape) => {
  it.each(['append', 'replace'] as const)(
    'is read in linear total on a store of kind %s [INV-9]',
    (store) => {
      const size = GROWN_SIZE
      const { items, reads } = countReads(shape, size)
      const { tracker } = liveThrough(items, store, { kind: 'open', check: 'message' })
      expect(most(reads)).toBeGreaterThan(0)
      expect(most(reads)).toBeLessThanOrEqual(READS)
      const whole = orThrow(
        planSave({ turn: 'turn', items, outcome: { kind: 'accepted' }, store, progress: tracker.progress })
      )
      expect(orThrow(planTurn(tracker, { kind: 'accepted' })).operation).toBe(whole.operation)
    }
  )
})

describe('a turn of 100,000 items, saved after every one', () => {
  const shape = 'reasoning, call, output, again and again'

  it.each([
    ['append', { kind: 'open', check: 'none' }],
    ['append', { kind: 'open', check: 'message' }],
    ['replace', { kind: 'open', check: 'none' }],
    ['replace', { kind: 'open', check: 'message' }]
  ] as const)(
    'is read in linear total, and its position sets are hardly ever copied: %s, %o [INV-9, PROGRESS-12]',
    (store, outcome) => {
      const { items, reads } = countReads(shape, SIZE)
      const { tracker, buffers } = liveThrough(items, store, outcome)
      expect(tracker.progress.revision).toBeGreaterThan(SIZE / 2)
      expect(most(reads)).toBeLessThanOrEqual(READS)
      expect(buffers).toBeLessThanOrEqual(BUFFERS_PER_LIFE)
    }
  )

  it('whose reasoning waits on a store that can replace copies a set of bounded length, never the whole', () => {
    // Every third position is ahead for one save and settled after the next.
    const { items } = countReads(shape, SMALL_SIZE)
    const { tracker } = liveThrough(items, 'replace', { kind: 'open', check: 'output' })
    expect(tracker.shared.saved.sets.ahead.length).toBeLessThanOrEqual(3)
  })
})
