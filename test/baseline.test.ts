/**
 * The seed's earlier shapes, red first: what each of them gets wrong, and that `turnkeep` does not.
 *
 * Identities are compared, not only kinds: a session with the right kinds may hold the wrong reasoning.
 */
import { describe, expect, it } from 'vitest'
import { retainByForwardScan, retainEveryReasoning } from '../bench/baseline/retain.js'
import { saveByCount, splitSave } from '../bench/baseline/save.js'
import {
  type EndedOutcome,
  type Entry,
  type Item,
  orThrow,
  type Progress,
  planSave,
  retain,
  type StoreKind
} from '../src/index.js'
import { call, message, output, reasoning, user } from './support/turns.js'

const idsAt = (items: ReadonlyArray<Item>, positions: ReadonlyArray<number>): ReadonlyArray<string> =>
  positions.map((position) => items[position]?.id ?? `${items[position]?.kind} ${position}`)

const save = (
  items: ReadonlyArray<Item>,
  outcome: EndedOutcome,
  progress: Progress | null = null,
  store: StoreKind = 'append',
  turn = 'turn'
): ReturnType<typeof planSave> => planSave({ turn, items, outcome, progress, store })

const writesOf = (...question: Parameters<typeof save>): ReadonlyArray<Entry> =>
  Array.from(orThrow(save(...question)).writes)

const ids = (items: ReadonlyArray<Item>, entries: ReadonlyArray<Entry>): ReadonlyArray<string> =>
  idsAt(
    items,
    entries.flatMap((entry) => ('position' in entry ? [entry.position] : []))
  )

describe('every reasoning kept', () => {
  // The example of the maintainer.
  const items = [
    reasoning('rs_message'),
    message('msg_rejected'),
    reasoning('rs_call'),
    call('c1', { id: 'fc_1' }),
    output('c1', { id: 'fco_1' })
  ]

  it('is what the second shape does', () => {
    expect(idsAt(items, retainEveryReasoning(items))).toEqual(['rs_message', 'rs_call', 'fc_1', 'fco_1'])
  })

  it('is not what retain does [REASON-1, SELECT-3]', () => {
    expect(idsAt(items, retain({ items }))).toEqual(['rs_call', 'fc_1', 'fco_1'])
  })
})

describe('a forward scan that stops at any item', () => {
  const items = [
    reasoning('rs_call'),
    call('c1', { id: 'fc_1' }),
    reasoning('rs_message'),
    output('c1', { id: 'fco_1' }),
    message('msg_rejected', { response: 0 })
  ].map((item) => ({ ...item, ...(item.kind === 'output' ? {} : { response: 0 }) }))

  it('is what the third shape does: it takes the output for the owner', () => {
    expect(idsAt(items, retainByForwardScan(items))).toEqual(['rs_call', 'fc_1', 'rs_message', 'fco_1'])
  })

  it('is not what retain does: an output owns no reasoning [REASON-1, ITEM-8]', () => {
    expect(idsAt(items, retain({ items }))).toEqual(['rs_call', 'fc_1', 'fco_1'])
  })
})

describe('a count taken for a position', () => {
  const items = [
    message('msg_rejected'),
    call('c1', { id: 'fc_1' }),
    output('c1', { id: 'fco_1' }),
    user('msg_next')
  ]
  const turn = items.slice(0, 3)

  it('is what the counting save does: what was withheld is skipped, what was written is written again', () => {
    const kept = retain({ items: turn }).map((position) => turn[position] as Item)
    const first = saveByCount(kept, 0)
    const second = saveByCount(items, first.count)
    expect(first.writes.map(({ id }) => id)).toEqual(['fc_1', 'fco_1'])
    expect(second.writes.map(({ id }) => id)).toEqual(['fco_1', 'msg_next'])
  })

  it('also loses the message of a turn that passes: the shorter batch came first', () => {
    const committed = turn.filter(({ kind }) => kind !== 'message')
    const rest = turn.filter(({ kind }) => kind === 'message')
    expect(saveByCount(rest, saveByCount(committed, 0).count).writes).toEqual([])
  })

  it('is not what a progress does: it names positions [PROGRESS-3, PLAN-25]', () => {
    const first = orThrow(save(turn, { kind: 'rejected', deliverable: 'message' }))
    expect(ids(turn, Array.from(first.writes))).toEqual(['fc_1', 'fco_1'])
    expect(ids(items, writesOf(items, { kind: 'accepted' }, first.after))).toEqual(['msg_next'])
  })
})

describe('a split save', () => {
  const items = [message('msg_1'), call('c1', { id: 'fc_1' }), output('c1', { id: 'fco_1' })]

  it('reorders the turn: the model spoke before it called', () => {
    const [committed, rest] = splitSave(items, (item) => item)
    expect([...committed, ...rest].map(({ id }) => id)).toEqual(['fc_1', 'fco_1', 'msg_1'])
  })

  it('is not made, on either kind of store, also when the call is saved before the check [PLAN-10, PLAN-14]', () => {
    for (const store of ['append', 'replace'] as const) {
      const before = orThrow(
        planSave({ turn: 'turn', items, outcome: { kind: 'open', check: 'message' }, store })
      )
      const after = orThrow(save(items, { kind: 'accepted' }, before.after, store))
      const session = [...before.writes].slice(0, before.writes.length - after.replaces.length)
      expect(ids(items, [...session, ...after.writes])).toEqual(['msg_1', 'fc_1', 'fco_1'])
    }
  })
})

describe('an output that was redacted', () => {
  it('is restored when the turn is accepted after all [PLAN-14, PLAN-19]', () => {
    const items = [call('c1', { id: 'fc_1' }), output('c1', { id: 'fco_1' })]
    const rejected = orThrow(save(items, { kind: 'rejected', deliverable: 'output' }, null, 'replace'))
    expect(Array.from(rejected.writes)).toEqual([{ position: 0 }, { position: 1, redact: true }])
    const accepted = orThrow(save(items, { kind: 'accepted' }, rejected.after, 'replace'))
    expect(Array.from(accepted.replaces)).toEqual([{ position: 1, redact: true }])
    expect(Array.from(accepted.writes)).toEqual([{ position: 1 }])
    expect(accepted.after.redacted).toEqual([])
  })
})

describe('two turns of one shape', () => {
  it('have operations of their own, so that the second is not taken for a retry [PROGRESS-8]', () => {
    const items = [user('u')]
    const operationOf = (turn: string): string =>
      orThrow(save(items, { kind: 'accepted' }, null, 'append', turn)).operation
    expect(operationOf('run-1/1')).toBe(operationOf('run-1/1'))
    expect(operationOf('run-1/1')).not.toBe(operationOf('run-1/2'))
  })
})
