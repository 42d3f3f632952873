/**
 * Turns of more than 64 positions, which lie in other arrays than short ones, and of more calls than are remembered.
 */
import { describe, expect, it } from 'vitest'
import { type Item, orThrow, pairCalls, planSave } from '../../src/index.js'

const COUNT = 40

const calls: ReadonlyArray<Item> = Array.from({ length: COUNT }, (_, key) => ({
  kind: 'call',
  callId: `c${key}`
}))
const outputs: ReadonlyArray<Item> = Array.from({ length: COUNT }, (_, key) => ({
  kind: 'output',
  callId: `c${key}`
}))

describe('forty calls at once', () => {
  it('are paired again when their ids come a second time [PAIR-4, PAIR-7]', () => {
    const items = [...calls, ...outputs, ...calls, ...outputs, outputs[7] as Item]
    const { pairs, unpaired } = pairCalls({ items })
    const expected = [0, 2 * COUNT].flatMap((first) =>
      calls.map((_, key) => [first + key, first + COUNT + key] as const)
    )
    expect(pairs).toEqual(expected)
    expect(unpaired).toEqual([4 * COUNT])
  })

  it('are not answered twice after all of them were answered [PAIR-7]', () => {
    const { unpaired } = pairCalls({ items: [...calls, ...outputs, ...outputs] })
    expect(unpaired).toEqual(outputs.map((_, key) => 2 * COUNT + key))
  })
})

describe('a long turn on a store that can replace a suffix', () => {
  const items: ReadonlyArray<Item> = [...calls, ...outputs, { kind: 'message' }]
  const question = { turn: 'turn', items, store: 'replace' } as const
  const before = orThrow(planSave({ ...question, outcome: { kind: 'open', check: 'none' } }))

  it('takes one message back, and nothing in front of it [PLAN-14]', () => {
    const outcome = { kind: 'rejected', deliverable: 'message' } as const
    const plan = orThrow(planSave({ ...question, outcome, progress: before.after }))
    expect(Array.from(before.writes)).toEqual(items.map((_, position) => ({ position })))
    expect(before.writes.at(2 * COUNT)).toEqual({ position: 2 * COUNT })
    expect(before.writes.at(2 * COUNT + 1)).toBeUndefined()
    expect(Array.from(plan.replaces)).toEqual([{ position: 2 * COUNT }])
    expect(Array.from(plan.writes)).toEqual([])
    expect(plan.after.withheld).toEqual([2 * COUNT])
  })

  it('redacts every output of the rejected response [SELECT-19]', () => {
    const outcome = { kind: 'rejected', deliverable: 'output', from: 0 } as const
    const plan = orThrow(planSave({ ...question, outcome, progress: before.after }))
    const redacted = outputs.map((_, key) => COUNT + key)
    expect(Array.from(plan.replaces, (entry) => entry)).toEqual(
      [...redacted, 2 * COUNT].map((position) => ({ position }))
    )
    expect(Array.from(plan.writes)).toEqual(redacted.map((position) => ({ position, redact: true })))
    expect({ ...plan.after }).toMatchObject({ redacted, withheld: [2 * COUNT] })
  })
})
