/** What `selectItems` and `retain` answer in their own words; what stays is shown by the vectors. */
import { describe, expect, test } from 'vitest'
import { type Item, type Outcome, retain, selectItems } from '../../src/index.js'
import { call, message, output } from '../support/turns.js'

const items: ReadonlyArray<Item> = [message(), call('a'), output('a'), call('b', { selfContained: true })]
const rejectedOutput = { kind: 'rejected', deliverable: 'output' } as const satisfies Outcome

describe('selectItems', () => {
  test('has every position in one list [SELECT-19, SELECT-24]', () => {
    expect(selectItems({ items, outcome: { ...rejectedOutput, from: 0 } })).toEqual({
      from: 0,
      keep: [1, 3],
      redact: [2],
      withhold: [0]
    })
  })

  test('names no part where nothing is rejected [PLAN-29]', () => {
    expect(selectItems({ items, outcome: { kind: 'accepted' } })).toEqual({
      from: null,
      keep: [0, 1, 2, 3],
      redact: [],
      withhold: []
    })
  })

  test('keeps an approval of a call that carries its result [SELECT-7, SELECT-9]', () => {
    const approved: ReadonlyArray<Item> = [
      call('b', { selfContained: true }),
      { kind: 'approval', callId: 'b' }
    ]
    const { keep } = selectItems({
      items: approved,
      outcome: { kind: 'rejected', deliverable: 'message', from: 0 }
    })
    expect(keep).toEqual([0, 1])
  })
})

describe('retain', () => {
  test('rejects from the position that it is given', () => {
    const messages = [message(), message(), message()]
    expect(retain({ items: messages })).toEqual([])
    expect(retain({ items: messages, from: 1 })).toEqual([0])
  })
})
