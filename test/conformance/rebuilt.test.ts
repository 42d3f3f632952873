/** The last word on a repair is what the document says that was written. */
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { answer } from '../../src/conformance/answer.js'
import { mendHistory } from '../../src/conformance/operations/repair.js'
import { readQuestion } from '../../src/conformance/question.js'
import type { AnyDialect } from '../../src/conformance/reading.js'
import { anthropic } from '../../src/dialects/anthropic.js'
import { aiSdkUi } from '../../src/dialects/ai-sdk-ui.js'
import { langchain } from '../../src/dialects/langchain.js'
import { responses } from '../../src/dialects/responses.js'

const known = new Map<string, AnyDialect>(
  Object.entries({ anthropic, langchain, responses, 'ai-sdk-ui': aiSdkUi }) as Array<[string, AnyDialect]>
)
const dialects = { names: [...known.keys()], find: (name: string) => known.get(name) }

const mend = (dialect: string, profile: string, items: ReadonlyArray<unknown>) => {
  const question = readQuestion({ items, dialect, profile }, dialects)
  if (isLeft(question)) throw new Error(question.left.message)
  const mended = mendHistory(question.right)
  if (isLeft(mended)) throw new Error(mended.left.message)
  return mended.right
}

const human = { type: 'human', data: { content: 'x' } }
const done = (id: string): object => ({ type: 'tool', data: { content: 'done', tool_call_id: id } })
const thinking = { type: 'thinking', thinking: 't', signature: 's' }
const ai = (content: ReadonlyArray<object>, ...ids: ReadonlyArray<string>): object => ({
  type: 'ai',
  data: { content, tool_calls: ids.map((id) => ({ id, name: 'pay', args: {} })) }
})

describe('what remains of a repair', () => {
  it('is read from the messages that were written, in positions and places of those that were given [REPAIR-26]', () => {
    const text = { type: 'text', text: 'hm' }
    const given = [
      human,
      ai([{ type: 'tool_use', id: 'a', name: 'pay', input: {} }, text, thinking, text], 'a'),
      ai([text, thinking]),
      ai([text]),
      done('a')
    ]
    const { document } = mend('langchain', 'anthropic', given)
    const again = mend('langchain', 'anthropic', document.items)
    const rules = (each: typeof document): ReadonlyArray<string> => each.remaining.map(({ rule }) => rule)
    expect(rules(document)).not.toEqual([])
    expect(document.remaining.every(({ path }) => path?.startsWith('items[') === true)).toBe(true)
    expect(again.violations.filter(({ severity }) => severity === 'error').length).toBeLessThanOrEqual(
      document.remaining.length
    )
  })

  it('keeps the warnings, which nobody mends [REPAIR-26, AUDIT-34]', () => {
    const odd = [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: [{ type: 'hologram' }] }
    ]
    const { document, violations } = mend('anthropic', 'anthropic', odd)
    expect(document.remaining).toEqual([])
    expect(violations).toMatchObject([
      { rule: 'unclassified', severity: 'warning', path: 'items[1].content[0]' }
    ])
    const open = [
      ...odd,
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'pay', input: {} }] }
    ]
    expect(mend('anthropic', 'anthropic', open).violations).toEqual(violations)
  })

  it('is found at the call where a closing is in the way, and at the part where call and output are one', () => {
    const part = (id: string, state: string): object => ({
      type: 'tool-pay',
      toolCallId: id,
      input: {},
      state
    })
    const messages = [
      { id: 'u', role: 'user', parts: [{ type: 'text', text: 'x' }] },
      { id: 'm', role: 'assistant', parts: [part('a', 'input-available'), part('a', 'input-available')] }
    ]
    const { document, origins } = mend('ai-sdk-ui', 'ai-sdk', messages)
    expect(origins.flat().filter((origin) => origin < 0).length).toBeGreaterThan(0)
    for (const { position } of document.remaining) expect([1, 3]).toContain(position)
  })

  it('asks for the reasoning that the asker knows of, as long as the id is there [AUDIT-22, REPAIR-19]', () => {
    const question = readQuestion(
      {
        items: [
          { kind: 'call', callId: 'a', id: 'fc', requiresReasoning: 'rs' },
          { kind: 'output', callId: 'a' }
        ],
        dialect: 'responses',
        profile: 'responses'
      },
      dialects
    )
    expect(isRight(question)).toBe(true)
    const read = answer(
      { op: 'repair', items: [{ type: 'function_call', id: 'fc', call_id: 'a' }], dialect: 'responses' },
      { dialects }
    )
    expect(read).toMatchObject({ remaining: [], edits: [{ close: 0, as: 'interrupted', after: 0 }] })
  })
})

describe('a text that stands behind calls which are answered later', () => {
  it('moves into their message, behind the thinking and before the calls, which stay together [REPAIR-16, BLOCK-4]', () => {
    const call = { type: 'tool_use', id: 'a', name: 'pay', input: {} }
    const text = { type: 'text', text: 'Paid.' }
    const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'done' }] }
    const user = { role: 'user', content: 'x' }
    const thought = { type: 'thinking', thinking: 't', signature: 's' }
    const { document } = mend('anthropic', 'anthropic', [
      user,
      { role: 'assistant', content: [thought, call] },
      { role: 'assistant', content: [text] },
      result
    ])
    expect(document.remaining).toEqual([])
    expect(document.items).toEqual([user, { role: 'assistant', content: [thought, text, call] }, result])
    expect(document.items[0]).toBe(user)
    expect((document.items[1] as { content: ReadonlyArray<unknown> }).content[1]).toBe(text)
  })
})
