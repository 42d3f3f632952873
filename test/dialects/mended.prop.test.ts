/** A broken history in any format of messages is repaired, rebuilt and read again: the provider takes it. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { audit } from '../../src/core/audit.js'
import type { ItemFields } from '../../src/core/item.js'
import type { ProfileName } from '../../src/core/profile.js'
import { repair } from '../../src/core/repair.js'
import type { BlockEntry, SharedBlockDialect } from '../../src/ports/dialect.js'
import { decodeBlocks } from './blocks.js'
import { conversations } from './conversations.js'
import { deepFreeze } from './decoding.js'
import { spellings } from './spellings.js'

const profileOf: Readonly<Record<string, ProfileName>> = {
  'chat-completions': 'chat-completions',
  anthropic: 'anthropic',
  gemini: 'gemini',
  'ai-sdk': 'ai-sdk',
  'ai-sdk-ui': 'ai-sdk',
  langchain: 'chat-completions'
}

/** What a repair leaves, as entries of a rebuild. */
const entriesOf = ({ edits, items, order }: ReturnType<typeof repair>): ReadonlyArray<BlockEntry> => {
  const stripped = new Set(edits.flatMap((edit) => ('stripId' in edit ? [edit.stripId] : [])))
  return order.map((position, index): BlockEntry => {
    if (position >= 0) return stripped.has(position) ? { position, stripId: true } : { position }
    const { execution }: ItemFields = items[index] as ItemFields
    return {
      close: -1 - position,
      as: execution === 'denied' || execution === 'skipped' ? execution : 'interrupted'
    }
  })
}

describe.each(spellings)('$dialect.name', ({ dialect: given, spell }) => {
  const dialect = given as SharedBlockDialect<unknown>
  const profile = profileOf[dialect.name] ?? 'neutral'

  test('what was broken by messages that went missing is mended, and no message is cut in two (REPAIR-1, REPAIR-14, BLOCK-6)', () => {
    fc.assert(
      fc.property(conversations, fc.array(fc.nat(10), { maxLength: 3 }), (spoken, gone) => {
        const messages = deepFreeze(spell(spoken.filter((_, index) => !gone.includes(index))))
        const { items } = decodeBlocks(dialect, messages)
        const mended = repair({ items, profile })
        const rebuilt = dialect.rebuild({ messages, items, entries: entriesOf(mended) })
        const again = decodeBlocks(dialect, rebuilt.messages).items
        const errors = audit({ items: again, profile }).violations.filter(
          ({ severity }) => severity === 'error'
        )
        expect(errors.length).toBeLessThanOrEqual(mended.remaining.length)
        if (mended.edits.length === 0) expect(rebuilt.messages).toBe(messages)
        const written = rebuilt.recipes
          .map((recipe) => recipe.split(' ')[0])
          .filter((message) => message !== '-1')
        // A closing is put in front of or behind a message that the model wrote, never into it [REPAIR-14].
        expect(new Set(written).size).toBe(written.length)
        const said = (list: typeof items): number => list.filter(({ kind }) => kind === 'message').length
        const kept = mended.items.filter(({ kind }) => kind === 'message').length
        expect(said(again)).toBe(kept)
      })
    )
  })
})
