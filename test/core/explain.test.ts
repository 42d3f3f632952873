/**
 * Which rule a decision names where several give the verdict: the one that knows the cause. No vector asks for it,
 * because the specification leaves the choice to the implementation.
 */
import { describe, expect, it } from 'vitest'
import type { Item } from '../../src/core/item.js'
import type { Decision, Outcome, Policy } from '../../src/index.js'
import { defaultPolicy, orThrow, planSave } from '../../src/index.js'
import { call, message, output, reasoning, user } from '../support/turns.js'

const decisionsOf = (
  items: ReadonlyArray<Item>,
  outcome: Outcome,
  policy: Partial<Policy> = {},
  open: ReadonlyArray<{ readonly callId: string }> = []
): ReadonlyArray<Decision> =>
  Array.from(
    orThrow(
      planSave({ turn: 't', items, outcome, policy: { ...defaultPolicy, ...policy }, store: 'append', open })
    ).decisions
  )

const open = (check: 'none' | 'message' | 'input'): Outcome => ({ kind: 'open', check })

describe('of two rules that make a position wait, the one is named that knows why', () => {
  it('reasoning waits for what it belongs to [PLAN-7, EXPLAIN-2]', () => {
    expect(decisionsOf([reasoning(), message()], open('message'))).toEqual([
      { position: 0, verdict: 'defer', rule: 'PLAN-7', because: 1 },
      { position: 1, verdict: 'defer', rule: 'PLAN-2' }
    ])
    expect(decisionsOf([reasoning(), message()], open('message'), { association: 'segment' })).toEqual([
      { position: 0, verdict: 'defer', rule: 'PLAN-9', because: 1 },
      { position: 1, verdict: 'defer', rule: 'PLAN-2' }
    ])
  })

  it('an output waits for its call [PLAN-8, EXPLAIN-2]', () => {
    const items = [call('a'), call('b'), output('b'), output('a')]
    expect(decisionsOf(items, open('input'), { speculative: 'discard' })).toEqual([
      { position: 0, verdict: 'defer', rule: 'PLAN-2' },
      { position: 1, verdict: 'defer', rule: 'PLAN-2' },
      { position: 2, verdict: 'defer', rule: 'PLAN-8', because: 1 },
      { position: 3, verdict: 'defer', rule: 'PLAN-8', because: 0 }
    ])
    const denied = [call('a'), output('a', { execution: 'denied' })]
    const policy = { unansweredCalls: 'drop', committed: 'executed' } as const
    expect(decisionsOf(denied, open('message'), policy)).toEqual([
      { position: 0, verdict: 'defer', rule: 'PLAN-2' },
      { position: 1, verdict: 'defer', rule: 'PLAN-8', because: 0 }
    ])
  })

  it('a call waits for the check of the input, whatever would become of it then [PLAN-2, EXPLAIN-2]', () => {
    const policy = { unansweredCalls: 'drop', speculative: 'discard' } as const
    expect(decisionsOf([user(), call('a')], open('input'), policy)).toEqual([
      { position: 0, verdict: 'keep', rule: 'SELECT-4' },
      { position: 1, verdict: 'defer', rule: 'PLAN-2' }
    ])
  })
})

describe('of two rules that give a verdict, the one is named that knows why', () => {
  it('reasoning goes with what it belongs to [SELECT-3, EXPLAIN-2]', () => {
    const policy = { speculative: 'discard' } as const
    expect(decisionsOf([reasoning(), message()], { kind: 'input-rejected' }, policy)).toEqual([
      { position: 0, verdict: 'withhold', rule: 'SELECT-3', because: 1 },
      { position: 1, verdict: 'withhold', rule: 'SELECT-26' }
    ])
  })

  it('what is cut off and never kept is withheld for that alone [SELECT-13, EXPLAIN-2]', () => {
    const items: ReadonlyArray<Item> = [{ kind: 'context', partial: true }, call('a'), call('b')]
    const rejected: Outcome = { kind: 'rejected', deliverable: 'message', from: 0 }
    expect(decisionsOf(items, rejected, { unansweredCalls: 'keep' })).toEqual([
      { position: 0, verdict: 'withhold', rule: 'SELECT-13' },
      { position: 1, verdict: 'keep', rule: 'SELECT-10' },
      { position: 2, verdict: 'keep', rule: 'SELECT-10' }
    ])
  })

  it('a call that carries its result is kept for that [SELECT-7, EXPLAIN-2]', () => {
    expect(decisionsOf([call('a', { selfContained: true })], { kind: 'accepted' })).toEqual([
      { position: 0, verdict: 'keep', rule: 'SELECT-7' }
    ])
  })

  it('what the user was cut off in is kept as partial, and in a rejected part as the user’s [SELECT-13, SELECT-4]', () => {
    const items = [user(undefined, { partial: true })]
    const policy = { partialItems: 'keep' } as const
    expect(decisionsOf(items, { kind: 'accepted' }, policy)).toEqual([
      { position: 0, verdict: 'keep', rule: 'SELECT-13' }
    ])
    expect(decisionsOf(items, { kind: 'rejected', deliverable: 'message', from: 0 }, policy)).toEqual([
      { position: 0, verdict: 'keep', rule: 'SELECT-4' }
    ])
  })
})

describe('what is not of the turn is no cause', () => {
  it('an output that answers a call of an earlier turn names none [SELECT-6, EXPLAIN-2]', () => {
    expect(decisionsOf([output('a')], { kind: 'accepted' }, {}, [{ callId: 'a' }])).toEqual([
      { position: 0, verdict: 'keep', rule: 'SELECT-6' }
    ])
    expect(decisionsOf([output('a')], open('none'), {}, [{ callId: 'a' }])).toEqual([
      { position: 0, verdict: 'keep', rule: 'SELECT-6' }
    ])
  })

  it('nor does an approval of a call that nobody made [SELECT-9, EXPLAIN-2]', () => {
    const items: ReadonlyArray<Item> = [{ kind: 'approval', callId: 'z' }]
    expect(decisionsOf(items, { kind: 'rejected', deliverable: 'message', from: 0 })).toEqual([
      { position: 0, verdict: 'withhold', rule: 'SELECT-9' }
    ])
  })
})

describe('a notice', () => {
  const noticesOf = (callId: string, items: ReadonlyArray<Item> = []): unknown =>
    orThrow(planSave({ turn: 't', items, outcome: { kind: 'accepted' }, open: [{ callId }] })).notices

  it('names the call of an earlier turn that is still unanswered [EXPLAIN-4]', () => {
    const kind = 'open-call'
    expect(noticesOf('a')).toEqual([{ kind, message: 'a call of an earlier turn is still unanswered: a' }])
    expect(noticesOf('')).toEqual([{ kind, message: 'a call of an earlier turn is still unanswered:' }])
    expect(noticesOf('a', [output('a')])).toEqual([])
  })

  it('of a late output is of outputs alone [PLAN-23]', () => {
    const items: ReadonlyArray<Item> = [call('a'), { kind: 'approval', callId: 'a' }]
    const ended = orThrow(planSave({ turn: 't', items: items.slice(0, 1), outcome: { kind: 'accepted' } }))
    const grown = orThrow(
      planSave({ turn: 't', items, outcome: { kind: 'accepted' }, progress: ended.after })
    )
    expect(grown.notices).toEqual([])
  })

  it('of a missing deliverable asks for an output that answers something [SELECT-24]', () => {
    const outcome: Outcome = { kind: 'rejected', deliverable: 'output', from: 0 }
    const kindsOf = (items: ReadonlyArray<Item>): ReadonlyArray<string> =>
      orThrow(planSave({ turn: 't', items, outcome })).notices.map(({ kind }) => kind)
    expect(kindsOf([message(), output('z')])).toEqual(['unpaired-output', 'no-deliverable'])
    expect(kindsOf([call('a'), output('a')])).toEqual([])
  })
})

describe('an output behind a closing', () => {
  const closed = orThrow(
    planSave({ turn: 't', items: [call('a')], outcome: { kind: 'accepted' }, store: 'replace' })
  ).after

  it('is kept like any other where the closing can go [PLAN-22, SELECT-6]', () => {
    const items = [call('a'), output('a')]
    const grown = orThrow(
      planSave({ turn: 't', items, outcome: { kind: 'accepted' }, store: 'replace', progress: closed })
    )
    expect(Array.from(grown.decisions)).toEqual([
      { position: 0, verdict: 'keep', rule: 'PLAN-18' },
      { position: 1, verdict: 'keep', rule: 'SELECT-6', because: 0 }
    ])
  })

  it('is too late where it cannot, and then no effect without a record [PLAN-12, PLAN-23]', () => {
    const items = [call('a'), message(), output('a')]
    const grown = orThrow(
      planSave({ turn: 't', items, outcome: { kind: 'open', check: 'message' }, progress: closed })
    )
    expect(Array.from(grown.decisions, ({ verdict }) => verdict)).toEqual(['keep', 'defer', 'withhold'])
    expect(Array.from(grown.unprotected)).toEqual([])
  })
})

describe('an unprotected effect', () => {
  it('is none of an open plan at the length of the end, whatever became real since [PLAN-21]', () => {
    const items = (execution?: 'pending'): ReadonlyArray<Item> => [
      call('a'),
      output('a', execution === undefined ? {} : { execution })
    ]
    const asked = { turn: 't', store: 'replace' } as const
    const ended = orThrow(planSave({ ...asked, items: items('pending'), outcome: { kind: 'accepted' } }))
    const again = orThrow(
      planSave({
        ...asked,
        items: items(),
        outcome: { kind: 'open', check: 'output' },
        progress: ended.after
      })
    )
    expect(Array.from(again.unprotected)).toEqual([])
    expect(again.after).toEqual(ended.after)
  })
})
