/** Model messages of the AI SDK: every part, its way through plans, and back. */
import { describe, expect, test } from 'vitest'
import { aborted, open, rejected } from '../../src/core/outcome.js'
import { type AiSdkMessage, aiSdk } from '../../src/dialects/ai-sdk.js'
import { decodeBlocks, emptySession, everything, kindsOf, rebuildWith, saveInto, without } from './blocks.js'
import { deepFreeze } from './decoding.js'

const say = (role: string, content: unknown): AiSdkMessage => deepFreeze({ role, content })
const assistant = (...content: ReadonlyArray<object>): AiSdkMessage => say('assistant', content)
const tool = (...content: ReadonlyArray<object>): AiSdkMessage => say('tool', content)
const text = (words: string, more: object = {}): object => ({ type: 'text', text: words, ...more })
const call = (toolCallId: string, more: object = {}): object => ({
  type: 'tool-call',
  toolCallId,
  toolName: 'pay',
  input: {},
  ...more
})
const result = (toolCallId: string, output: object = { type: 'text', value: 'done' }): object => ({
  type: 'tool-result',
  toolCallId,
  toolName: 'pay',
  output
})
const openai = (own: object): object => ({ providerOptions: { openai: own } })

describe('what each part is', () => {
  test('texts, thoughts, calls and outputs, with the ids and signatures of providers', () => {
    const turn = [
      say('system', 'be kind'),
      say('user', [text('a'), { type: 'file', data: 'x', mediaType: 'y' }]),
      assistant(
        { type: 'reasoning', text: 'a', ...openai({ itemId: 'rs_1', reasoningEncryptedContent: 'x' }) },
        { type: 'reasoning', text: 'b', ...openai({ itemId: 'rs_1' }) },
        text('b', openai({ itemId: 'msg_1' })),
        call('c1', openai({ itemId: 'fc_1' })),
        call('c2', { providerExecuted: true }),
        result('c2')
      ),
      tool(result('c1', { type: 'error-text', value: 'no' }), result('c3', { type: 'execution-denied' }))
    ]
    expect(kindsOf(aiSdk, turn)).toEqual([
      { kind: 'message', origin: 'user', role: 'system' },
      { kind: 'message', origin: 'user' },
      { kind: 'message', origin: 'user' },
      { kind: 'reasoning', id: 'rs_1', signature: 'present' },
      { kind: 'reasoning' },
      { kind: 'message', id: 'msg_1' },
      { kind: 'call', callId: 'c1', id: 'fc_1' },
      { kind: 'call', callId: 'c2', executor: 'provider' },
      { kind: 'output', callId: 'c2', origin: 'model' },
      { kind: 'output', callId: 'c1', execution: 'failed' },
      { kind: 'output', callId: 'c3', execution: 'denied' }
    ])
    expect(decodeBlocks(aiSdk, turn).notices).toEqual([])
  })

  test('an approval belongs to the call of its request', () => {
    const turn = [
      assistant(call('c1'), { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'c1' }),
      tool({ type: 'tool-approval-response', approvalId: 'a1', approved: true })
    ]
    expect(kindsOf(aiSdk, turn)).toEqual([
      { kind: 'call', callId: 'c1' },
      { kind: 'approval', origin: 'model', callId: 'c1' },
      { kind: 'approval', callId: 'c1' }
    ])
  })

  test('a part of a provider is context, or a compaction', () => {
    const turn = [assistant({ type: 'custom', kind: 'openai.compaction' }, { type: 'custom', kind: 'x.y' })]
    expect(kindsOf(aiSdk, turn)).toEqual([{ kind: 'compaction' }, { kind: 'context' }])
  })

  test('what cannot be placed is unclassified and reported with its path (ITEM-9)', () => {
    const turn: ReadonlyArray<unknown> = [
      [],
      say('critic', 'x'),
      assistant({ type: 'hologram' }, { type: 'tool-call' }),
      tool({ type: 'tool-result' }),
      say('user', [call('c1')])
    ]
    const { items, notices } = decodeBlocks(aiSdk, turn)
    expect(items.map(({ kind }) => kind)).toEqual([
      ...Array.from({ length: 4 }, () => 'unclassified'),
      'output',
      'unclassified'
    ])
    expect(notices.map(({ path }) => path)).toEqual([
      '[0]',
      '[1].role',
      '[2].content[0].type',
      '[2].content[1].toolCallId',
      '[3].content[0].toolCallId',
      '[4].content[0]'
    ])
    expect(rebuildWith(aiSdk, turn as ReadonlyArray<AiSdkMessage>, everything).messages).toBe(turn)
  })
})

describe('messages are rebuilt', () => {
  const turn = [
    assistant(
      { type: 'reasoning', text: 'a', ...openai({ itemId: 'rs_1' }) },
      text('b'),
      call('c1', openai({ itemId: 'fc_1', strict: true }))
    ),
    tool(result('c1'))
  ]

  test('with an id stripped and all else as it was (SELECT-20)', () => {
    const { messages } = rebuildWith(aiSdk, turn, () => [{ position: 2, stripId: true }, { position: 3 }])
    expect(messages).toEqual([assistant(call('c1', openai({ strict: true }))), turn[1]])
    expect(messages[1]).toBe(turn[1])
  })

  test('without a message that is empty or nothing but a thought (BLOCK-7)', () => {
    expect(rebuildWith(aiSdk, turn, without(1, 2, 3)).messages).toEqual([])
  })

  test('with an output whose payload is gone, and a closing that is no success', () => {
    const { messages } = rebuildWith(aiSdk, [assistant(call('c1'), call('c2')), tool(result('c1'))], () => [
      { position: 0 },
      { position: 1 },
      { position: 2, redact: true },
      { close: 1, as: 'denied' }
    ])
    expect(messages[1]).toEqual(
      tool(
        result('c1', { type: 'text', value: 'The tool ran. Its output was withheld by an output check.' }),
        result('c2', { type: 'execution-denied', reason: 'This call was refused and not executed.' })
      )
    )
  })
})

describe('a turn is saved', () => {
  const turn = [say('user', 'go'), assistant(text('bad'), call('c1'), call('c2')), tool(result('c1'))]

  test('with closings beside the results of its step when it was aborted', () => {
    const { messages } = saveInto(emptySession, aiSdk, turn, aborted('none'), 'append')
    expect(messages[1]).toBe(turn[1])
    expect(messages.slice(2)).toEqual([
      tool(result('c1'), result('c2', { type: 'error-text', value: expect.stringContaining('may have run') }))
    ])
  })

  test('with the calls of a rejected message, and without its text', () => {
    const first = saveInto(emptySession, aiSdk, turn.slice(0, 2), open('message'), 'replace')
    expect(first.messages).toEqual([turn[0], assistant(call('c1'), call('c2'))])
    const last = saveInto(first, aiSdk, turn, rejected('message'), 'replace')
    expect(last.messages.slice(0, 2)).toEqual([turn[0], assistant(call('c1'), call('c2'))])
    expect(JSON.stringify(last.messages)).not.toContain('bad')
  })
})
