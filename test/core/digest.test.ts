/** What a digest tells apart: items, policies, position sets and writes; and what it must not. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  type Item,
  orThrow,
  type Policy,
  planSave,
  planToJSON,
  policyValues,
  defaultPolicy
} from '../../src/index.js'

const turn = 't'
const accepted = { kind: 'accepted' } as const
const open = { kind: 'open', check: 'none' } as const
const edgeOf = (items: ReadonlyArray<Item>, policy: Policy = defaultPolicy): string =>
  orThrow(planSave({ turn, items, outcome: accepted, policy })).after.edge

interface Vector {
  readonly input?: { readonly op: string; readonly items: ReadonlyArray<Item> }
}

/** Every turn of the vectors whose items stand in a question. */
const turns = (
  JSON.parse(readFileSync(new URL('../../docs/spec/vectors.json', import.meta.url), 'utf8')) as {
    readonly vectors: ReadonlyArray<Vector>
  }
).vectors.flatMap(({ input }) => (input?.op === 'plan' && Array.isArray(input.items) ? [input.items] : []))

const runnerKinds: ReadonlyArray<string> = ['output', 'approval', 'marker']

/** The item with the origin that an absent one is read as (ITEM-2). */
const withOrigin = (item: Item): Item =>
  item.origin === undefined ? { ...item, origin: runnerKinds.includes(item.kind) ? 'runner' : 'model' } : item

const kinds = [
  'message',
  'reasoning',
  'call',
  'output',
  'approval',
  'compaction',
  'context',
  'marker'
] as const

describe('an absent origin', () => {
  it('is read as the one of its kind: the same plan, edge and operation on every turn of the vectors [ITEM-2]', () => {
    expect(turns.length).toBeGreaterThan(200)
    for (const items of turns) {
      if (items.some((item) => item === null || typeof item.kind !== 'string')) continue
      for (const outcome of [accepted, open, { kind: 'rejected', deliverable: 'message' }] as const) {
        const given = planSave({ turn, items, outcome })
        const explicit = planSave({ turn, items: items.map(withOrigin), outcome })
        expect(planToJSON(orThrow(explicit))).toEqual(planToJSON(orThrow(given)))
      }
    }
  })

  it.each(kinds)('of a %s is no other one [PROGRESS-6]', (kind) => {
    const item = { kind, callId: 'a' } as Item
    const edges = (['model', 'runner', 'user'] as const).map((origin) => edgeOf([{ ...item, origin }]))
    expect(new Set(edges).size).toBe(3)
    expect(edges).toContain(edgeOf([item]))
  })
})

describe('an edge', () => {
  it('differs between any two policies [PROGRESS-6]', () => {
    const policies = Object.entries(policyValues).flatMap(([field, values]) =>
      values.map((value) => ({ ...defaultPolicy, [field]: value }))
    )
    const edges = new Set(policies.map((policy) => edgeOf([{ kind: 'message' }], policy)))
    expect(edges.size).toBe(1 + policies.length - Object.keys(policyValues).length)
  })
})

describe('an operation', () => {
  const items: ReadonlyArray<Item> = [{ kind: 'message' }, { kind: 'message' }, { kind: 'message' }]

  it('differs where the sets before it do [PROGRESS-8]', () => {
    const { after } = orThrow(planSave({ turn, items: items.slice(0, 2), outcome: open }))
    const operations = [0, 1].map((position) => {
      const progress = { ...after, withheld: [position], written: 1 }
      return orThrow(planSave({ turn, items, outcome: open, progress })).operation
    })
    expect(new Set(operations).size).toBe(2)
  })

  it('differs where only the words of a closing do [PROGRESS-8]', () => {
    const made = ([undefined, 'skipped', 'denied'] as const).map((execution) => {
      const call: Item = { kind: 'call', callId: 'a', ...(execution === undefined ? {} : { execution }) }
      return orThrow(planSave({ turn, items: [call], outcome: accepted }))
    })
    expect(new Set(made.map(({ after }) => JSON.stringify(after))).size).toBe(1)
    expect(new Set(made.map(({ operation }) => operation)).size).toBe(3)
  })

  it('differs where one list of as many entries stands elsewhere [PROGRESS-8]', () => {
    const made = [0, 1].map((cut) => {
      const partial: ReadonlyArray<Item> = items.map((item, position) =>
        position === cut ? { ...item, partial: true } : item
      )
      return orThrow(planSave({ turn, items: partial, outcome: accepted })).operation
    })
    expect(new Set(made).size).toBe(2)
  })
})
