/** Messages of LangChain in all their forms, and what a reducer is told. */
import {
  AIMessage,
  coerceMessageLikeToMessage,
  HumanMessage,
  mapStoredMessagesToChatMessages,
  RemoveMessage,
  SystemMessage,
  ToolMessage
} from '@langchain/core/messages'
import { describe, expect, test } from 'vitest'
import { accepted, failed, open, rejected } from '../../src/core/outcome.js'
import { langchain, langchainEdits } from '../../src/dialects/langchain.js'
import { decodeBlocks, emptySession, everything, kindsOf, rebuildWith, saveInto, without } from './blocks.js'

const pay = (id: string): { id: string; name: string; args: object; type: 'tool_call' } => ({
  id,
  name: 'pay',
  args: {},
  type: 'tool_call'
})

const live = [
  new SystemMessage({ content: 'be kind', id: 's1' }),
  new HumanMessage({ content: 'go', id: 'h1' }),
  new AIMessage({
    id: 'a1',
    content: [
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'text', text: 'bad' },
      { type: 'tool_use', id: 'c1', name: 'pay', input: {} },
      { type: 'tool_use', id: 'c2', name: 'pay', input: {} }
    ],
    tool_calls: [pay('c1'), pay('c2')],
    additional_kwargs: { tool_calls: [{ id: 'c1' }, { id: 'c2' }] as never },
    response_metadata: { output: ['bad'], model: 'm' }
  }),
  new ToolMessage({ content: 'secret', tool_call_id: 'c1', id: 't1', artifact: 'secret', name: 'pay' })
]
const dumped: ReadonlyArray<object> = JSON.parse(JSON.stringify(live))
const stored: ReadonlyArray<object> = JSON.parse(JSON.stringify(live.map((message) => message.toDict())))

const forms: ReadonlyArray<readonly [string, ReadonlyArray<object>]> = [
  ['live', live],
  ['dumped', dumped],
  ['stored', stored]
]

/** Any form as live messages. */
const revive = (messages: ReadonlyArray<object>): ReadonlyArray<{ readonly content: unknown }> =>
  mapStoredMessagesToChatMessages(
    messages.map((message) => {
      const { data, kwargs } = message as { data?: object; kwargs?: object }
      const { content, tool_calls, tool_call_id } = message as Record<string, unknown>
      const types: Record<string, string> = {
        SystemMessage: 'system',
        HumanMessage: 'human',
        AIMessage: 'ai',
        ToolMessage: 'tool'
      }
      const { type, id } = message as { type: string; id: ReadonlyArray<string> }
      return {
        type: kwargs === undefined ? type : (types[id[id.length - 1] as string] as string),
        data: (data ?? kwargs ?? { content, tool_calls, tool_call_id }) as never
      }
    })
  )

describe.each(forms)('messages that are %s', (form, turn) => {
  test('are read alike (BLOCK-1)', () => {
    expect(kindsOf(langchain, turn)).toEqual([
      { kind: 'message', origin: 'user', role: 'system' },
      { kind: 'message', origin: 'user' },
      { kind: 'reasoning', signature: 'present' },
      { kind: 'message' },
      { kind: 'call', callId: 'c1' },
      { kind: 'call', callId: 'c2' },
      { kind: 'output', callId: 'c1' }
    ])
    expect(decodeBlocks(langchain, turn).notices).toEqual([])
  })

  test('are rebuilt as the very list when nothing changed (BLOCK-3)', () => {
    expect(rebuildWith(langchain, turn, everything).messages).toBe(turn)
  })

  test('lose a text and a call with everything that repeats them (BLOCK-4)', () => {
    const { messages } = rebuildWith(langchain, turn, without(2, 3, 5))
    const [, , ai] = revive(messages)
    expect(ai).toMatchObject({
      content: [{ type: 'tool_use', id: 'c1' }],
      tool_calls: [{ id: 'c1' }]
    })
    const text = JSON.stringify(messages[2])
    expect(text).not.toContain('bad')
    expect(text).not.toContain('c2')
    expect(messages[3]).toBe(turn[3])
  })

  test('are closed in their own form, and redacted wherever the output is repeated', () => {
    const { messages } = rebuildWith(langchain, turn, () => [
      ...[0, 1, 2, 3, 4, 5].map((position) => ({ position })),
      { position: 6, redact: true },
      { close: 5, as: 'interrupted' }
    ])
    expect(messages[2]).toBe(turn[2])
    expect(JSON.stringify(messages)).not.toContain('secret')
    expect(revive(messages).slice(3)).toMatchObject([
      { content: 'The tool ran. Its output was withheld by an output check.', tool_call_id: 'c1' },
      { content: expect.stringContaining('may have run'), tool_call_id: 'c2' }
    ])
    if (form !== 'live') return
    expect(messages[3]).toBeInstanceOf(ToolMessage)
    expect(coerceMessageLikeToMessage(messages[4] as never)).toMatchObject({
      tool_call_id: 'c2',
      status: 'error'
    })
  })
})

describe('what else a message holds', () => {
  test('thoughts beside the content, calls that could not be read, results of the provider', () => {
    const turn = [
      {
        type: 'ai',
        data: {
          content: [
            { type: 'server_tool_use', id: 's1', name: 'search' },
            { type: 'web_search_tool_result', tool_use_id: 's1', content: [] }
          ],
          additional_kwargs: { reasoning_content: 'hm' },
          tool_calls: [],
          invalid_tool_calls: [{ id: 'c1', name: 'pay', args: '{' }]
        }
      },
      {
        type: 'ai',
        data: { content: '', additional_kwargs: { reasoning: { id: 'rs_1' } }, tool_calls: [pay('c2')] }
      },
      { type: 'tool', data: { content: 'no', tool_call_id: 'c2', status: 'error' } },
      new RemoveMessage({ id: 'x' })
    ]
    expect(kindsOf(langchain, turn)).toEqual([
      { kind: 'reasoning' },
      { kind: 'call', namespace: 'server', executor: 'provider', callId: 's1' },
      { kind: 'output', origin: 'model', namespace: 'server', callId: 's1' },
      { kind: 'call', callId: 'c1', partial: true },
      { kind: 'reasoning', id: 'rs_1' },
      { kind: 'call', callId: 'c2' },
      { kind: 'output', callId: 'c2', execution: 'failed' },
      { kind: 'marker' }
    ])
  })

  test('what cannot be placed is unclassified and reported with its path (ITEM-9)', () => {
    const turn: ReadonlyArray<object> = [
      [],
      { type: 'oracle', content: 'x' },
      {
        lc: 1,
        type: 'constructor',
        id: ['x', 'AIMessage'],
        kwargs: { content: [{ type: 'hologram' }], tool_calls: [{}] }
      },
      { type: 'tool', data: {} }
    ]
    const { items, notices } = decodeBlocks(langchain, turn)
    expect(items.map(({ kind }) => kind)).toEqual([
      ...Array.from({ length: 4 }, () => 'unclassified'),
      'output'
    ])
    expect(notices.map(({ path }) => path)).toEqual([
      '[0]',
      '[1].type',
      '[2].kwargs.content[0].type',
      '[2].kwargs.tool_calls[0].id',
      '[3].data.tool_call_id'
    ])
  })
})

describe('a reducer is told', () => {
  const history = live as ReadonlyArray<object>

  test('nothing when nothing changed', () => {
    expect(langchainEdits(history, history)).toEqual([])
  })

  test('what goes and what changes in place, by id', () => {
    const changed = new AIMessage({ id: 'a1', content: 'better' })
    expect(langchainEdits(history, [history[0], changed, history[3]] as ReadonlyArray<object>)).toEqual([
      { type: 'remove', id: 'h1' },
      changed
    ])
  })

  test('what comes at the end', () => {
    const closing = { type: 'tool', content: 'no', tool_call_id: 'c2' }
    expect(langchainEdits(history, [...history, closing])).toEqual([closing])
  })

  test('everything anew when a message comes between others, or has no id to go by', () => {
    const closing = { type: 'tool', content: 'no', tool_call_id: 'c2' }
    const after = [...history.slice(0, 3), closing, ...history.slice(3)]
    expect(langchainEdits(history, after)).toEqual([{ type: 'remove', id: '__remove_all__' }, ...after])
    const nameless = [{ type: 'human', content: 'a' }, ...history]
    expect(langchainEdits(nameless, history)[0]).toEqual({ type: 'remove', id: '__remove_all__' })
  })

  test('a removal that LangChain understands', () => {
    const [removal] = langchainEdits(history, history.slice(1))
    expect(coerceMessageLikeToMessage(removal as never)).toBeInstanceOf(RemoveMessage)
  })
})

test('a turn is saved up to the end of a message, then closed or cut', () => {
  const first = saveInto(emptySession, langchain, stored.slice(0, 3), open('message'), 'append')
  expect(first.messages).toEqual(stored.slice(0, 2))
  const last = saveInto(first, langchain, stored, failed('none'), 'append')
  expect(last.messages.slice(0, 4)).toEqual(stored)
  expect(last.messages[4]).toMatchObject({ type: 'tool', data: { tool_call_id: 'c2', status: 'error' } })
  expect(
    JSON.stringify(saveInto(first, langchain, stored, rejected('message'), 'append').messages)
  ).not.toContain('bad')
  expect(saveInto(first, langchain, stored, accepted, 'append').messages).toHaveLength(5)
})
