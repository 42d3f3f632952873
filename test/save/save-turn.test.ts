/** Raw items in, raw items out: a plan in the caller's own values, and in the words of a dialect. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { neutral } from '../../src/dialects/neutral.js'
import { responses } from '../../src/dialects/responses.js'
import {
  applyPlan,
  type Item,
  type Outcome,
  orThrow,
  type Progress,
  planSave,
  saveTurn,
  startProgress
} from '../../src/index.js'
import { joinNotices } from '../../src/save/notices.js'

const freeze = <V>(value: V): V => {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const key of Reflect.ownKeys(value)) freeze((value as Record<PropertyKey, unknown>)[key])
  }
  return value
}

const turn = 'run-7/3'
const accepted: Outcome = { kind: 'accepted' }
const rejected: Outcome = { kind: 'rejected', deliverable: 'message' }

const user = freeze({ type: 'message', role: 'user', content: 'refund 4' })
const reasoning = freeze({ type: 'reasoning', id: 'rs_1', summary: [] })
const call = freeze({
  type: 'function_call',
  id: 'fc_1',
  call_id: 'c1',
  name: 'refund',
  arguments: '{"id":4}'
})
const output = freeze({ type: 'function_call_output', call_id: 'c1', output: 'refunded' })
const message = freeze({ type: 'message', id: 'msg_1', role: 'assistant', content: [] })
const items = freeze([user, reasoning, call, output, message])

/** Both are the very same values, in the same order. */
const expectSame = (given: ReadonlyArray<unknown>, expected: ReadonlyArray<unknown>): void => {
  expect(given.length).toBe(expected.length)
  for (let index = 0; index < expected.length; index += 1) expect(given[index]).toBe(expected[index])
}

describe('a save of raw items', () => {
  test('writes the very values that it was given [ITEM-1]', () => {
    const answer = orThrow(saveTurn({ dialect: responses, items, turn, outcome: accepted }))
    expectSame(answer.items, items)
    expectSame(answer.replaces, [])
    expect(answer.change).toBe('append')
    expect(answer.notices).toEqual([])
  })

  test('answers what the plan of the decoded turn says [PLAN-1]', () => {
    const decoded = orThrow(responses.decode(items))
    const plan = orThrow(planSave({ items: decoded.items, turn, outcome: rejected }))
    const answer = orThrow(saveTurn({ dialect: responses, items, turn, outcome: rejected }))
    expect(answer.expects).toEqual(startProgress(turn))
    expect(answer.progress).toBe(answer.plan.after)
    expect({ ...answer.progress }).toEqual({ ...plan.after })
    expect(answer.operation).toBe(plan.operation)
    expect(Array.from(answer.plan.writes)).toEqual([
      { position: 0 },
      { position: 1 },
      { position: 2 },
      { position: 3 }
    ])
    expectSame(answer.items, [user, reasoning, call, output])
  })

  test('goes on from the progress of the save before it, and replaces what does not stay', () => {
    const first = orThrow(
      saveTurn({
        dialect: responses,
        items: items.slice(0, 3),
        turn,
        outcome: { kind: 'failed', check: 'none' },
        store: 'replace'
      })
    )
    const closing = first.items[3]
    expectSame(first.items, [user, reasoning, call, closing])
    expect(closing).toMatchObject({ type: 'function_call_output', call_id: 'c1' })
    const progress: Progress = JSON.parse(JSON.stringify(first.progress))
    const second = orThrow(
      saveTurn({ dialect: responses, items, turn, outcome: accepted, store: 'replace', progress })
    )
    expect(second.change).toBe('replace-suffix')
    expect(second.replaces).toEqual([closing])
    expectSame(second.items, [output, message])
    expect(second.expects).toBe(progress)
    const again = orThrow(
      saveTurn({
        dialect: responses,
        items,
        turn,
        outcome: accepted,
        store: 'replace',
        progress: second.progress
      })
    )
    expect(again).toMatchObject({ change: 'none', items: [], replaces: [] })
    expect(again.progress).toBe(second.progress)
  })

  test('closes a call in the words of the dialect [SELECT-10]', () => {
    const asked = freeze([user, call])
    const dialect = responses.withWording({ interrupted: 'the run was stopped' })
    const answer = orThrow(
      saveTurn({ dialect, items: asked, turn, outcome: { kind: 'aborted', check: 'none' } })
    )
    expectSame(answer.items.slice(0, 2), asked)
    const [item] = orThrow(responses.decode([call])).items as [Item]
    expect(answer.items[2]).toEqual(dialect.close(call, item, 'interrupted'))
    expect(answer.items[2]).toMatchObject({ call_id: 'c1', output: 'the run was stopped' })
  })

  test('redacts a rejected output and leaves the given one as it is [SELECT-19]', () => {
    const asked = freeze([call, output])
    const answer = orThrow(
      saveTurn({
        dialect: responses,
        items: asked,
        turn,
        outcome: { kind: 'rejected', deliverable: 'output' }
      })
    )
    expect(answer.items[0]).toBe(call)
    expect(answer.items[1]).toMatchObject({ type: 'function_call_output', call_id: 'c1' })
    expect(JSON.stringify(answer.items[1])).not.toContain('refunded')
    expect(output.output).toBe('refunded')
  })

  test('writes an item without its id where its reasoning is not written [SELECT-20]', () => {
    const cut = freeze({ type: 'reasoning', id: 'rs_2', summary: [], status: 'incomplete' })
    const asked = freeze([cut, call, output])
    const answer = orThrow(saveTurn({ dialect: responses, items: asked, turn, outcome: accepted }))
    const { id: _, ...withoutId } = call
    expect(answer.items).toEqual([withoutId, output])
    expect(answer.items[1]).toBe(output)
    expect(call.id).toBe('fc_1')
  })

  test('says once what a dialect and the plan both saw, with the place in the raw input [EXPLAIN-4]', () => {
    const strange = freeze({ type: 'acme_note', text: 'hello' })
    const unanswerable = freeze({ type: 'function_call', name: 'f', arguments: '{}' })
    const lost = freeze({ type: 'function_call_output', call_id: 'nobody', output: '' })
    const answer = orThrow(
      saveTurn({ dialect: responses, items: [strange, lost, unanswerable], turn, outcome: rejected })
    )
    expect(answer.notices.map(({ kind, position, path }) => ({ kind, position, path }))).toEqual([
      { kind: 'unclassified', position: 0, path: '[0].type' },
      { kind: 'unpaired-output', position: 1, path: undefined },
      { kind: 'missing-call-id', position: 2, path: '[2].call_id' },
      { kind: 'no-deliverable', position: undefined, path: undefined }
    ])
  })

  test('hands on what the plan reports when the dialect saw nothing odd', () => {
    const answer = orThrow(
      saveTurn({ dialect: neutral, items: [{ kind: 'output', callId: 'x' }], turn, outcome: accepted })
    )
    expect(answer.notices).toBe(answer.plan.notices)
    expect(answer.notices.map(({ kind, position }) => [kind, position])).toEqual([['unpaired-output', 0]])
  })

  test.each([null, undefined, 'items', 7, {}])('is refused when the items are %o', (bad) => {
    const answer = saveTurn({ dialect: responses, items: bad, turn, outcome: accepted })
    expect(answer).toEqual(responses.decode(bad))
    expect(E.isLeft(answer) && answer.left.kind).toBe('decode')
  })

  test('hands on the errors of the plan', () => {
    expect(
      saveTurn({ dialect: responses, items, turn, outcome: accepted, progress: startProgress('other') })
    ).toEqual(
      E.left({
        kind: 'foreign-turn',
        path: 'progress.turn',
        message: 'progress.turn is "other", the turn is "run-7/3": a progress belongs to one turn'
      })
    )
    const none = { kind: 'done' } as unknown as Outcome
    expect(saveTurn({ dialect: responses, items, turn, outcome: none })).toEqual(
      planSave({ items: [], turn, outcome: none })
    )
  })
})

describe('a plan that is applied', () => {
  const raws = freeze([{ name: 'call' }, { name: 'output' }, { name: 'message' }])
  const described: ReadonlyArray<Item> = [
    { kind: 'call', callId: 'a' },
    { kind: 'output', callId: 'a' },
    { kind: 'message', id: 'm' }
  ]

  test('asks the dialect for what the core makes, with the raw value and the item, and for nothing else', () => {
    const asked: unknown[] = []
    const made = (name: string) => (raw: { name: string }, item: Item, as?: string) => {
      asked.push([name, raw, item, as])
      return { name: `${raw.name} ${name}` }
    }
    const dialect = { close: made('closed'), redact: made('redacted'), stripId: made('stripped') }
    const plan = {
      writes: [
        { position: 2, stripId: true as const },
        { close: 0, as: 'denied' as const },
        { position: 1, redact: true as const },
        { position: 0 }
      ],
      replaces: [{ position: 0 }, { close: 0, as: 'skipped' as const }]
    }
    const applied = applyPlan({ dialect, plan, items: described, raws })
    expect(applied.writes).toEqual([
      { name: 'message stripped' },
      { name: 'call closed' },
      { name: 'output redacted' },
      { name: 'call' }
    ])
    expect(applied.writes[3]).toBe(raws[0])
    expect(applied.replaces).toEqual([{ name: 'call' }, { name: 'call closed' }])
    expect(applied.replaces[0]).toBe(raws[0])
    expect(asked).toEqual([
      ['stripped', raws[2], described[2], undefined],
      ['closed', raws[0], described[0], 'denied'],
      ['redacted', raws[1], described[1], undefined],
      ['closed', raws[0], described[0], 'skipped']
    ])
  })
})

describe('notices of a dialect and of a plan', () => {
  const said = (
    kind: 'unclassified' | 'missing-call-id' | 'repeated-id' | 'wrong-field',
    position: number
  ) => ({
    kind,
    position,
    message: `the dialect on ${kind}`,
    path: `[${position}]`
  })
  const planned = (
    kind: 'unclassified' | 'missing-call-id' | 'unpaired-output' | 'late-output',
    position: number
  ) => ({
    kind,
    position,
    message: `the plan on ${kind}`
  })

  test('that say the same of one item are one, in the words of the dialect [EXPLAIN-4]', () => {
    const call = said('missing-call-id', 1)
    expect(
      joinNotices([said('unclassified', 0), call], [planned('unclassified', 0), planned('unclassified', 1)])
    ).toEqual([said('unclassified', 0), call])
  })

  test('that say different things of one item are two, the dialect’s first [EXPLAIN-4]', () => {
    const wrong = said('wrong-field', 2)
    expect(
      joinNotices(
        [wrong, said('repeated-id', 2)],
        [planned('unpaired-output', 2), planned('unclassified', 2)]
      )
    ).toEqual([wrong, said('repeated-id', 2), planned('unpaired-output', 2), planned('unclassified', 2)])
  })

  test('about an output that no call id leads to are one, in the words of the plan [EXPLAIN-4]', () => {
    expect(joinNotices([said('missing-call-id', 0)], [planned('unpaired-output', 0)])).toEqual([
      planned('unpaired-output', 0)
    ])
  })

  test('stand in the order of the turn, and what is about no item or about an effect behind them [EXPLAIN-4]', () => {
    const late = planned('late-output', 0)
    const none = { kind: 'no-deliverable' as const, message: 'nothing there' }
    expect(
      joinNotices(
        [said('wrong-field', 3)],
        [planned('unclassified', 1), none, late, planned('unclassified', 4)]
      )
    ).toEqual([planned('unclassified', 1), said('wrong-field', 3), planned('unclassified', 4), none, late])
  })

  test('are those of the plan where the dialect has none', () => {
    const notices = [planned('late-output', 0)]
    expect(joinNotices([], notices)).toBe(notices)
  })
})
