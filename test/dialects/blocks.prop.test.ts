/** What holds for every block dialect and every conversation. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { accepted, aborted, open, type Outcome, rejected } from '../../src/core/outcome.js'
import type { SharedBlockDialect } from '../../src/ports/dialect.js'
import { type BlockSession, decodeBlocks, emptySession, everything, saveInto } from './blocks.js'
import { conversations } from './conversations.js'
import { deepFreeze } from './decoding.js'
import { spellings } from './spellings.js'

const endings: ReadonlyArray<readonly [Outcome, Outcome]> = [
  [open('none'), accepted],
  [open('none'), aborted('none')],
  [open('message'), accepted],
  [open('message'), rejected('message')],
  [open('output'), rejected('output')],
  [open('output'), accepted]
]

const ending = fc.constantFrom(...endings)
const cuts = fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 4 })

describe.each(spellings)('$dialect.name', ({ dialect: given, spell }) => {
  const dialect = given as SharedBlockDialect<unknown>

  test('what is decoded and rebuilt unchanged is the same list of the same objects (BLOCK-3)', () => {
    fc.assert(
      fc.property(conversations, (spoken) => {
        const messages = deepFreeze(spell(spoken))
        const { items } = decodeBlocks(dialect, messages)
        expect(dialect.rebuild({ messages, items, entries: everything(items) }).messages).toBe(messages)
      })
    )
  })

  test('an accepted turn whose calls are answered is written as the very messages (BLOCK-3)', () => {
    fc.assert(
      fc.property(conversations, (spoken) => {
        const messages = spell(spoken)
        const { items } = decodeBlocks(dialect, messages)
        const calls = items.filter(({ kind }) => kind === 'call').length
        const outputs = items.filter((item) => item.kind === 'output' && item.execution !== 'pending').length
        const thinks = items.some(({ kind }) => kind === 'reasoning')
        fc.pre(calls === outputs && !thinks)
        const session = saveInto(emptySession, dialect, messages, accepted, 'append')
        expect(session.messages).toHaveLength(messages.length)
        session.messages.forEach((message, index) => {
          expect(message).toBe(messages[index])
        })
      })
    )
  })

  test('numbers stand on all items of the model, in order (PAIR-1, BLOCK-13)', () => {
    fc.assert(
      fc.property(conversations, (spoken) => {
        let last = 0
        for (const item of decodeBlocks(dialect, spell(spoken)).items) {
          const isModel = (item.origin ?? (item.kind === 'output' ? 'runner' : 'model')) === 'model'
          if (!isModel || item.kind === 'marker') continue
          expect(item.response).toBeGreaterThanOrEqual(last)
          last = item.response ?? 0
        }
      })
    )
  })

  test('a prefix reads the same however the turn goes on (PAIR-1)', () => {
    fc.assert(
      fc.property(conversations, fc.nat(12), (spoken, length) => {
        const messages = spell(spoken)
        const { items } = decodeBlocks(dialect, messages)
        const prefix = decodeBlocks(dialect, messages.slice(0, length)).items
        expect(items.slice(0, prefix.length)).toEqual(prefix)
      })
    )
  })

  test('saved in pieces on a store that replaces, a turn ends as if saved once (BLOCK-9, PLAN-26)', () => {
    fc.assert(
      fc.property(conversations, cuts, ending, (spoken, lengths, [before, end]) => {
        const messages = spell(spoken)
        let session: BlockSession<unknown> = emptySession
        for (const length of [...lengths].sort((left, right) => left - right)) {
          session = saveInto(session, dialect, messages.slice(0, length), before, 'replace')
        }
        session = saveInto(session, dialect, messages, end, 'replace')
        const once = saveInto(emptySession, dialect, messages, end, 'replace')
        expect(session.messages).toEqual(once.messages)
        const again = saveInto(session, dialect, messages, end, 'replace')
        expect(again.answer?.change).toBe('none')
      })
    )
  })

  test('an open save that appends writes a message whole or not at all (BLOCK-10)', () => {
    fc.assert(
      fc.property(conversations, cuts, ending, (spoken, lengths, [before, end]) => {
        const messages = spell(spoken)
        let session: BlockSession<unknown> = emptySession
        for (const length of [...lengths].sort((left, right) => left - right)) {
          session = saveInto(session, dialect, messages.slice(0, length), before, 'append')
        }
        const known = new Set(messages)
        const { items } = decodeBlocks(dialect, messages)
        const thinks = items.some(({ kind }) => kind === 'reasoning')
        if (!thinks) for (const message of session.messages) expect(known.has(message)).toBe(true)
        const open = session.messages.length
        session = saveInto(session, dialect, messages, end, 'append')
        expect(session.messages.length).toBeGreaterThanOrEqual(open)
      })
    )
  })

  test('whatever is left out, nothing of it is in what is rebuilt, and the rest is', () => {
    fc.assert(
      fc.property(conversations, fc.array(fc.nat(20)), (spoken, gone) => {
        const messages = deepFreeze(spell(spoken))
        const { items } = decodeBlocks(dialect, messages)
        const left = new Set(gone)
        for (let position = 0; position < items.length; position += 1) {
          const { kind, ...item } = items[position] as (typeof items)[number]
          const call = items.findIndex(
            (one) => 'callId' in item && 'callId' in one && one.callId === item.callId
          )
          if (kind === 'output' && left.has(call)) left.add(position)
        }
        const entries = everything(items).filter((_, position) => !left.has(position))
        const rebuilt = dialect.rebuild({ messages, items, entries })
        const wanted = entries.map((entry) => items['position' in entry ? entry.position : 0])
        const found = decodeBlocks(dialect, rebuilt.messages).items
        const count = (list: ReadonlyArray<(typeof wanted)[number]>, kind: string): number =>
          list.filter(
            (item) =>
              item?.kind === kind &&
              !(kind === 'output' && 'execution' in item && item.execution === 'pending')
          ).length
        for (const kind of ['message', 'call', 'output']) expect(count(found, kind)).toBe(count(wanted, kind))
        expect(rebuilt.recipes).toHaveLength(rebuilt.messages.length)
      })
    )
  })
})
