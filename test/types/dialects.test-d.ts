/** A caller's own item types survive a dialect: the SDKs' unions are handed in, and come back as themselves. */
import type { AgentInputItem, RunItem } from '@openai/agents-core'
import type { Either } from 'fp-ts/lib/Either.js'
import type { ResponseInputItem, ResponseOutputItem } from 'openai/resources/responses/responses'
import { describe, expectTypeOf, test } from 'vitest'
import type { Item } from '../../src/core/item.js'
import { agentsJs } from '../../src/dialects/agents-js.js'
import { agentsPython } from '../../src/dialects/agents-python.js'
import { neutral } from '../../src/dialects/neutral.js'
import { type ResponsesItem, responses } from '../../src/dialects/responses.js'
import type { Decoded, DecodeError, Dialect, ItemOf } from '../../src/ports/dialect.js'

declare const item: Item

/** A function as a host or a runner has it: the item type comes from the items, if they have one. */
declare const save: <Raw, Given>(question: {
  readonly dialect: Dialect<Raw>
  readonly items: Given
}) => ReadonlyArray<ItemOf<Raw, Given>>

describe('a dialect serves', () => {
  test('the items of the openai package', () => {
    expectTypeOf(responses).toExtend<Dialect<ResponseInputItem>>()
    expectTypeOf(responses).toExtend<Dialect<ResponseOutputItem>>()
    expectTypeOf(save({ dialect: responses, items: [] as ReadonlyArray<ResponseInputItem> })).toEqualTypeOf<
      ReadonlyArray<ResponseInputItem>
    >()
  })

  test('the items of the agents package', () => {
    expectTypeOf(agentsJs).toExtend<Dialect<AgentInputItem>>()
    expectTypeOf(agentsJs).toExtend<Dialect<RunItem>>()
    expectTypeOf(save({ dialect: agentsJs, items: [] as ReadonlyArray<RunItem> })).toEqualTypeOf<
      ReadonlyArray<RunItem>
    >()
  })

  test('input that nobody has typed', () => {
    expectTypeOf(responses.decode([] as ReadonlyArray<unknown>)).toExtend<
      Either<DecodeError, Decoded<unknown>>
    >()
  })

  test('a list that was parsed with the type of the dialect', () => {
    const items: unknown = JSON.parse('[]')
    expectTypeOf(save({ dialect: responses, items })).toEqualTypeOf<ReadonlyArray<ResponsesItem>>()
    expectTypeOf(save({ dialect: responses, items: JSON.parse('[]') })).toEqualTypeOf<
      ReadonlyArray<ResponsesItem>
    >()
  })

  test('a type of the caller through every step', () => {
    interface Own {
      readonly type: 'acme_call'
      readonly extra: number
    }
    const own: Own = { type: 'acme_call', extra: 1 }
    expectTypeOf(responses.stripId(own, item)).toEqualTypeOf<Own>()
    expectTypeOf(
      responses.with({ acme_call: { kind: 'call', namespace: 'acme' } }).close(own, item, 'denied')
    ).toEqualTypeOf<Own>()
    expectTypeOf(agentsPython.redact({ type: 'x', raw_item: own }, item)).toEqualTypeOf<{
      type: string
      raw_item: Own
    }>()
    expectTypeOf(neutral.stripId({ kind: 'call', callId: 'c' }, item)).toEqualTypeOf<{
      kind: string
      callId: string
    }>()
  })

  test('and refuses what has no such shape', () => {
    // @ts-expect-error a number is no item
    responses.stripId(7, item)
    // @ts-expect-error there is no such kind
    responses.with({ acme_call: 'question' })
  })
})
