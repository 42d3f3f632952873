/** Whatever a document holds: read and written again unchanged, it is the very same values. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { agentsJs } from '../../src/dialects/agents-js.js'
import { agentsPython } from '../../src/dialects/agents-python.js'
import { neutral } from '../../src/dialects/neutral.js'
import { responses } from '../../src/dialects/responses.js'
import type { BlockDialect, Dialect } from '../../src/ports/dialect.js'
import { applyPlan } from '../../src/save/apply.js'
import { decodeBlocks, everything } from './blocks.js'
import { conversations } from './conversations.js'
import { decodeOrThrow, deepFreeze } from './decoding.js'
import { oddMessage, rawItem } from './odd-values.js'
import { spellings } from './spellings.js'

const own = { acme_call: 'call', acme: 'output', function_call: 'output', message: 'call' } as const
const itemDialects = [responses, agentsJs, agentsPython, neutral] as ReadonlyArray<Dialect<unknown>>

describe.each(itemDialects.flatMap((dialect) => [dialect, dialect.with(own)]))('$name', (dialect) => {
  test('items that nothing touches are written as the very values that were read [ITEM-1, ITEM-9]', () => {
    fc.assert(
      fc.property(fc.array(rawItem, { maxLength: 12 }), (given) => {
        const list = deepFreeze(given)
        const { items, raws, notices } = decodeOrThrow(dialect as never, list)
        expect(raws).toBe(list)
        expect(items).toHaveLength(list.length)
        const plan = { writes: everything(items) as never, replaces: [] }
        const { writes } = applyPlan({ dialect, plan, items, raws })
        expect(writes).toHaveLength(list.length)
        writes.forEach((raw, position) => {
          expect(raw).toBe(list[position])
        })
        for (const { position } of notices) expect(items[position]).toBeDefined()
      })
    )
  })
})

describe.each(spellings)('$dialect.name', ({ dialect: given, spell }) => {
  const plain = given as BlockDialect<unknown>

  test('messages that nothing touches are the very list that was read, however odd [BLOCK-1, BLOCK-3]', () => {
    const odd = fc.array(oddMessage, { maxLength: 8 })
    const mixed = fc
      .tuple(odd, conversations, odd)
      .map(([head, spoken, tail]) => [...head, ...spell(spoken), ...tail])
    fc.assert(
      fc.property(fc.oneof(odd, mixed), fc.boolean(), (drawn, declares) => {
        const messages = deepFreeze(drawn)
        const dialect = declares ? plain.with({ ...own, text: 'call' }) : plain
        const { items } = decodeBlocks(dialect as never, messages)
        const rebuilt = dialect.rebuild({ messages, items, entries: everything(items) })
        expect(rebuilt.messages).toBe(messages)
        expect(rebuilt.origins.flat()).toEqual(items.map((_, position) => position))
      })
    )
  })
})
