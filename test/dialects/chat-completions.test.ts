/** Messages of the Chat Completions API: every part, its way through plans, and back. */
import { describe, expect, test } from 'vitest'
import { accepted, failed, open, rejected } from '../../src/core/outcome.js'
import { type ChatMessage, chatCompletions } from '../../src/dialects/chat-completions.js'
import { decodeBlocks, emptySession, everything, kindsOf, rebuildWith, saveInto, without } from './blocks.js'
import { deepFreeze } from './decoding.js'

const call = (id: string): object => ({ id, type: 'function', function: { name: 'pay', arguments: '{}' } })
const assistant = (fields: object): ChatMessage => deepFreeze({ role: 'assistant', ...fields })
const user = (content: unknown): ChatMessage => deepFreeze({ role: 'user', content } as ChatMessage)
const tool = (id: string, content = 'done'): ChatMessage =>
  deepFreeze({ role: 'tool', tool_call_id: id, content } as ChatMessage)

describe('what each part is', () => {
  test('texts, thoughts, refusals and calls of one message, in that order (BLOCK-1)', () => {
    const turn = [
      { role: 'developer', content: 'be kind' },
      user([
        { type: 'text', text: 'a' },
        { type: 'image_url', image_url: { url: 'x' } }
      ]),
      assistant({
        reasoning_content: 'hm',
        content: 'b',
        refusal: 'no',
        tool_calls: [call('c1'), call('c2')]
      }),
      tool('c1'),
      assistant({ content: null, audio: { id: 'a1' }, refusal: null })
    ]
    expect(decodeBlocks(chatCompletions, turn).items).toEqual([
      { kind: 'message', origin: 'user', role: 'system', source: { message: 0, part: 0 } },
      { kind: 'message', origin: 'user', source: { message: 1, part: 0 } },
      { kind: 'message', origin: 'user', source: { message: 1, part: 1 } },
      { kind: 'reasoning', source: { message: 2, part: 0 }, response: 0 },
      { kind: 'message', source: { message: 2, part: 1 }, response: 0 },
      { kind: 'message', source: { message: 2, part: 2 }, response: 0 },
      { kind: 'call', callId: 'c1', source: { message: 2, part: 3 }, response: 0 },
      { kind: 'call', callId: 'c2', source: { message: 2, part: 4 }, response: 0 },
      { kind: 'output', callId: 'c1', source: { message: 3, part: 0 } },
      { kind: 'message', source: { message: 4, part: 0 }, response: 1 }
    ])
  })

  test('sealed details of a thought are a signature; the fields are one thought', () => {
    const details = [{ type: 'reasoning.encrypted', data: 'xx' }]
    expect(
      kindsOf(chatCompletions, [assistant({ reasoning: 'a', reasoning_details: details, content: 'b' })])
    ).toEqual([{ kind: 'reasoning', signature: 'present' }, { kind: 'message' }])
  })

  test('a custom call, one that lacks its type, and the call of old', () => {
    const turn = [
      assistant({
        content: '',
        tool_calls: [
          { id: 'c1', type: 'custom', custom: {} },
          { id: 'c2', function: {} }
        ]
      }),
      assistant({ function_call: { name: 'pay', arguments: '{}' } }),
      { role: 'function', name: 'pay', content: 'x' }
    ]
    expect(kindsOf(chatCompletions, turn)).toEqual([
      { kind: 'call', callId: 'c1' },
      { kind: 'call', callId: 'c2' },
      { kind: 'call', namespace: 'function-call', callId: 'pay' },
      { kind: 'output', namespace: 'function-call', callId: 'pay' }
    ])
  })

  test('what cannot be placed is unclassified and reported with its path (ITEM-9)', () => {
    const turn: ReadonlyArray<unknown> = [
      null,
      { role: 'critic', content: 'x' },
      assistant({ content: [{ type: 'hologram' }], tool_calls: [{ type: 'function' }, 3] }),
      { role: 'tool', content: 'x' }
    ]
    const { items, notices } = decodeBlocks(chatCompletions, turn)
    expect(items.map(({ kind }) => kind)).toEqual([
      ...Array.from({ length: 5 }, () => 'unclassified'),
      'output'
    ])
    expect(notices.map(({ path }) => path)).toEqual([
      '[0]',
      '[1].role',
      '[2].content[0].type',
      '[2].tool_calls[0].id',
      '[2].tool_calls[1]',
      '[3].tool_call_id'
    ])
    expect(rebuildWith(chatCompletions, turn as ReadonlyArray<ChatMessage>, everything).messages).toBe(turn)
  })
})

describe('messages are rebuilt', () => {
  const turn = [
    user('a'),
    assistant({ reasoning_content: 'hm', content: 'b', tool_calls: [call('c1'), call('c2')], name: 'bot' }),
    tool('c1'),
    tool('c2')
  ]

  test('with null for a text that is gone, and all other fields as they were (BLOCK-5)', () => {
    const { messages } = rebuildWith(chatCompletions, turn, without(1, 2))
    expect(messages).toEqual([
      turn[0],
      assistant({ content: null, tool_calls: [call('c1'), call('c2')], name: 'bot' }),
      turn[2],
      turn[3]
    ])
    expect((messages[1] as { tool_calls?: unknown }).tool_calls).toBe(
      (turn[1] as { tool_calls?: unknown }).tool_calls
    )
  })

  test('without the list of calls when no call is left', () => {
    expect(rebuildWith(chatCompletions, turn, without(3, 4, 5, 6)).messages).toEqual([
      turn[0],
      assistant({ reasoning_content: 'hm', content: 'b', name: 'bot' })
    ])
  })

  test('without a message that is nothing but a thought (BLOCK-7)', () => {
    expect(rebuildWith(chatCompletions, turn, without(2, 3, 4, 5, 6)).messages).toEqual([turn[0]])
  })

  test('with a closing as a message of its own (BLOCK-6)', () => {
    const entries = [0, 1, 2, 3, 4, 5].map((position) => ({ position }))
    const { messages } = rebuildWith(chatCompletions, turn, () => [...entries, { close: 4, as: 'skipped' }])
    expect(messages.slice(3)).toEqual([
      { role: 'tool', tool_call_id: 'c2', content: 'This call was not executed.' }
    ])
    expect(messages[1]).toBe(turn[1])
  })
})

describe('a turn is saved', () => {
  const turn = [
    user('a'),
    assistant({ content: 'let me see', tool_calls: [call('c1')] }),
    tool('c1', 'secret'),
    assistant({ content: 'bad' })
  ]

  test('up to the end of a message while a check is pending, then on (BLOCK-10)', () => {
    const first = saveInto(emptySession, chatCompletions, turn.slice(0, 2), open('message'), 'append')
    expect(first.messages).toEqual([turn[0]])
    expect(first.answer?.plan.unprotected).toEqual([2])
    const second = saveInto(first, chatCompletions, turn, open('message'), 'append')
    expect(second.messages).toEqual(turn.slice(0, 3))
    expect(saveInto(second, chatCompletions, turn, rejected('message'), 'append').messages).toEqual(
      turn.slice(0, 3)
    )
    expect(saveInto(second, chatCompletions, turn, accepted, 'append').messages).toEqual(turn)
  })

  test('with a closing behind its stored message when the run broke', () => {
    const first = saveInto(emptySession, chatCompletions, turn.slice(0, 2), open('none'), 'append')
    expect(first.messages).toEqual(turn.slice(0, 2))
    const { messages } = saveInto(first, chatCompletions, turn.slice(0, 2), failed('none'), 'append')
    expect(messages[2]).toEqual({
      role: 'tool',
      tool_call_id: 'c1',
      content: expect.stringContaining('may have run')
    })
  })

  test('with a redacted output where the output was rejected (SELECT-19)', () => {
    const ended = turn.slice(0, 3)
    const { messages } = saveInto(emptySession, chatCompletions, ended, rejected('output'), 'append')
    expect(JSON.stringify(messages)).not.toContain('secret')
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
    expect(messages[1]).toEqual(assistant({ content: null, tool_calls: [call('c1')] }))
  })
})
