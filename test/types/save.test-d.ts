/** A save hands back the items that it was given, with the type that the caller has for them. */
import type { AgentInputItem, RunItem } from '@openai/agents-core'
import type { Either } from 'fp-ts/lib/Either.js'
import type { ResponseInputItem } from 'openai/resources/responses/responses'
import { describe, expectTypeOf, test } from 'vitest'
import type { PlanError } from '../../src/core/error.js'
import { agentsJs } from '../../src/dialects/agents-js.js'
import { type ResponsesItem, responses } from '../../src/dialects/responses.js'
import type { DecodeError, Dialect } from '../../src/ports/dialect.js'
import type { SaveAnswer } from '../../src/save/answer.js'
import { type SaveQuestion, saveTurn } from '../../src/save/save-turn.js'

const how = { turn: 't', outcome: { kind: 'accepted' } } as const

type Answer<Raw> = Either<PlanError | DecodeError, SaveAnswer<Raw>>

describe('a save answers', () => {
  test('in the items of the openai package', () => {
    const items: ReadonlyArray<ResponseInputItem> = []
    expectTypeOf(saveTurn({ ...how, dialect: responses, items })).toEqualTypeOf<Answer<ResponseInputItem>>()
  })

  test('in the items of the agents package', () => {
    const items: AgentInputItem[] = []
    expectTypeOf(saveTurn({ ...how, dialect: agentsJs, items })).toEqualTypeOf<Answer<AgentInputItem>>()
    const ran: ReadonlyArray<RunItem> = []
    expectTypeOf(saveTurn({ ...how, dialect: agentsJs, items: ran })).toEqualTypeOf<Answer<RunItem>>()
  })

  test('in the items of the dialect where nobody has typed the list', () => {
    const items: unknown = JSON.parse('[]')
    expectTypeOf(saveTurn({ ...how, dialect: responses, items })).toEqualTypeOf<Answer<ResponsesItem>>()
    expectTypeOf(saveTurn({ ...how, dialect: responses, items: JSON.parse('[]') })).toEqualTypeOf<
      Answer<ResponsesItem>
    >()
  })

  test('in the type that a function asks for', () => {
    const save = <Raw>(dialect: Dialect<Raw>, items: ReadonlyArray<Raw>): Answer<Raw> =>
      saveTurn<Raw>({ ...how, dialect, items })
    expectTypeOf(save).returns.toExtend<Answer<unknown>>()
    expectTypeOf<SaveQuestion<ResponsesItem>['items']>().toEqualTypeOf<unknown>()
  })
})
