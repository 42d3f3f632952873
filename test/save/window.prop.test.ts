/** What a save of messages rewrites is what changes if all messages are made again. */
import { fc, test } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { orThrow } from '../../src/core/plan.js'
import type { Progress } from '../../src/core/progress.js'
import type { BlockDialect, BlockEntry } from '../../src/ports/dialect.js'
import type { SaveAnswer } from '../../src/save/answer.js'
import { saveTurn } from '../../src/save/save-turn.js'
import { conversations, type Said, type Spoken } from '../dialects/conversations.js'
import { spellings } from '../dialects/spellings.js'
import { layOut, policy, saves } from '../support/arbitraries.js'

const callId = fc.constantFrom('c1', 'c2', 'c3')
const said: fc.Arbitrary<Said> = fc.oneof(
  fc.record({ what: fc.constantFrom('thought' as const, 'thought', 'text'), words: fc.constant('words') }),
  fc.record({ what: fc.constant('call' as const), id: callId })
)

/** Messages in any order: calls are repeated, answered late and twice, and thoughts stand side by side. */
const wild: fc.Arbitrary<ReadonlyArray<Spoken>> = fc.array(
  fc.oneof<[fc.Arbitrary<Spoken>, fc.Arbitrary<Spoken>, fc.Arbitrary<Spoken>]>(
    fc.record({ who: fc.constant('user' as const), words: fc.constant(['go']) }),
    fc.record({ who: fc.constant('model' as const), said: fc.array(said, { minLength: 1, maxLength: 4 }) }),
    fc.record({
      who: fc.constant('tools' as const),
      results: fc.array(callId, { minLength: 1, maxLength: 3 })
    })
  ),
  { minLength: 1, maxLength: 10, size: 'max' }
)

const spoken = fc.oneof({ weight: 1, arbitrary: conversations }, { weight: 3, arbitrary: wild })

describe.each(spellings)('$dialect.name', ({ dialect: given, spell }) => {
  const dialect = given as unknown as BlockDialect<unknown>

  test.prop({ spoken, drawn: saves, policy })(
    'only messages behind the last that cannot change are made again [BLOCK-9, PLAN-14]',
    ({ spoken: conversation, drawn, policy: own }) => {
      const turn = spell(conversation)
      let progress: Progress | null = null
      let standing: ReadonlyArray<BlockEntry> = []
      for (const { length, outcome, fate } of layOut(drawn, turn.length)) {
        const messages = turn.slice(0, length)
        const { items } = orThrow(dialect.decode(messages))
        const end = outcome.kind === 'rejected' && outcome.from !== undefined ? outcome.from : undefined
        const stands = end === undefined || end < items.length ? outcome : ({ kind: 'accepted' } as const)
        const answer: SaveAnswer<unknown> = orThrow(
          saveTurn<unknown, ReadonlyArray<unknown>>({
            dialect,
            items: messages,
            turn: 't',
            outcome: stands,
            store: 'replace',
            policy: own,
            progress
          })
        )
        const after = [
          ...standing.slice(0, standing.length - answer.plan.replaces.length),
          ...answer.plan.writes
        ]
        const old = dialect.rebuild({ messages, items, entries: standing })
        const made = dialect.rebuild({ messages, items, entries: after })
        let same = 0
        while (same < old.recipes.length && old.recipes[same] === made.recipes[same]) same += 1
        if (answer.plan.change === 'none') expect([answer.items, answer.replaces]).toEqual([[], []])
        else {
          expect(answer.replaces).toEqual(old.messages.slice(same))
          expect(answer.items).toEqual(made.messages.slice(same))
        }
        if (fate === 'dropped') continue
        standing = after
        progress = { ...answer.progress }
      }
    }
  )
})
