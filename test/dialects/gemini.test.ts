/** Contents of the Gemini API: every part, its way through plans, and back. */
import { describe, expect, test } from 'vitest'
import { failed, open, rejected } from '../../src/core/outcome.js'
import { type GeminiContent, gemini } from '../../src/dialects/gemini.js'
import { decodeBlocks, emptySession, everything, kindsOf, rebuildWith, saveInto, without } from './blocks.js'
import { deepFreeze } from './decoding.js'

const model = (...parts: ReadonlyArray<object>): GeminiContent => deepFreeze({ role: 'model', parts })
const user = (...parts: ReadonlyArray<object>): GeminiContent => deepFreeze({ role: 'user', parts })
const call = (name: string, more: object = {}): object => ({ functionCall: { name, args: {}, ...more } })
const answer = (name: string, more: object = {}): object => ({
  functionResponse: { name, response: { output: 'done' }, ...more }
})

describe('what each part is', () => {
  test('thoughts, texts, media, calls and responses, joined by name and order', () => {
    const turn = [
      user({ text: 'a' }, { inlineData: { mimeType: 'image/png', data: '' } }),
      model({ text: 'hm', thought: true }, { text: 'b' }, call('pay'), call('pay')),
      user(answer('pay'), answer('pay', { response: { error: 'no' } }))
    ]
    expect(kindsOf(gemini, turn)).toEqual([
      { kind: 'message', origin: 'user' },
      { kind: 'message', origin: 'user' },
      { kind: 'reasoning' },
      { kind: 'message' },
      { kind: 'call', namespace: 'by-name', callId: 'pay', signature: 'none' },
      { kind: 'call', namespace: 'by-name', callId: 'pay', signature: 'none' },
      { kind: 'output', namespace: 'by-name', callId: 'pay' },
      { kind: 'output', namespace: 'by-name', callId: 'pay', execution: 'failed' }
    ])
  })

  test('ids join where they are given, and a response without one answers by name, oldest first', () => {
    const turn = [
      model(call('pay', { id: 'c1' }), call('pay', { id: 'c2' }), call('ask', { id: 'c3' })),
      user(answer('pay'), answer('pay'), answer('ask', { id: 'c3' }))
    ]
    expect(decodeBlocks(gemini, turn).items.map((item) => ('callId' in item ? item.callId : ''))).toEqual([
      'c1',
      'c2',
      'c3',
      'c1',
      'c2',
      'c3'
    ])
  })

  test('a signature is a fact of its part', () => {
    const turn = [
      model({ ...call('pay'), thoughtSignature: 's' }, call('ask'), { text: 'x', thoughtSignature: 's' })
    ]
    expect(decodeBlocks(gemini, turn).items.map(({ signature }) => signature)).toEqual([
      'present',
      'none',
      'present'
    ])
  })

  test("the provider's own calls and results are the model's", () => {
    const turn = [
      model(
        { executableCode: { code: '1', language: 'PYTHON' } },
        { codeExecutionResult: { outcome: 'OUTCOME_OK' } },
        { toolCall: { id: 's1' } },
        { toolResponse: { id: 's1' } }
      )
    ]
    expect(kindsOf(gemini, turn)).toEqual([
      { kind: 'call', namespace: 'code-execution', executor: 'provider', callId: 'code-execution' },
      { kind: 'output', origin: 'model', namespace: 'code-execution', callId: 'code-execution' },
      { kind: 'call', namespace: 'server', executor: 'provider', callId: 's1' },
      { kind: 'output', origin: 'model', namespace: 'server', callId: 's1' }
    ])
  })

  test('contents of the model with nothing between them are one response (BLOCK-13)', () => {
    const turn = [model({ text: 'a' }), model({ text: 'b' }), user({ text: 'c' }), model({ text: 'd' })]
    expect(decodeBlocks(gemini, turn).items.map(({ response }) => response)).toEqual([0, 0, undefined, 1])
  })

  test('a call that goes on is partial, a response that goes on is no answer yet', () => {
    const turn = [model(call('pay', { willContinue: true })), user(answer('pay', { willContinue: true }))]
    expect(kindsOf(gemini, turn)).toEqual([
      { kind: 'call', namespace: 'by-name', callId: 'pay', signature: 'none', partial: true },
      { kind: 'context', origin: 'runner' }
    ])
  })

  test('what cannot be placed is unclassified and reported with its path (ITEM-9)', () => {
    const turn: ReadonlyArray<unknown> = [
      'x',
      { role: 'oracle', parts: [] },
      model({}, { hologram: 1 }, { functionCall: 7 }, { functionCall: { id: 7 } }),
      { parts: [null, { functionCall: { name: 'x' } }] }
    ]
    const { items, notices } = decodeBlocks(gemini, turn)
    expect(items.map(({ kind }) => kind)).toEqual([
      ...Array.from({ length: 5 }, () => 'unclassified'),
      'call',
      'unclassified',
      'unclassified'
    ])
    expect(notices.map(({ path }) => path)).toEqual([
      '[0]',
      '[1].role',
      '[2].parts[0]',
      '[2].parts[1]',
      '[2].parts[2].functionCall',
      '[2].parts[3].functionCall.id',
      '[3].parts[0]',
      '[3].parts[1].functionCall'
    ])
    expect(rebuildWith(gemini, turn as ReadonlyArray<GeminiContent>, everything).messages).toBe(turn)
  })
})

describe('contents are rebuilt', () => {
  const turn = [
    user({ text: 'a' }),
    model({ text: 'b' }, { ...call('pay', { id: 'c1' }), thoughtSignature: 's' }, call('ask')),
    user(answer('pay', { id: 'c1' }))
  ]

  test('with a closing among the responses, so that their number is right (BLOCK-6)', () => {
    const entries = [0, 1, 2, 3].map((position) => ({ position }))
    const { messages } = rebuildWith(gemini, turn, () => [
      ...entries,
      { close: 3, as: 'interrupted' },
      { position: 4 }
    ])
    expect(messages).toEqual([
      turn[0],
      turn[1],
      user(
        {
          functionResponse: {
            name: 'ask',
            response: { error: expect.stringContaining('may have run'), status: 'interrupted' }
          }
        },
        answer('pay', { id: 'c1' })
      )
    ])
  })

  test('with the signature on its call when the text is gone (BLOCK-4)', () => {
    const { messages } = rebuildWith(gemini, turn, without(1))
    expect(messages[1]).toEqual(model({ ...call('pay', { id: 'c1' }), thoughtSignature: 's' }, call('ask')))
    expect(messages[2]).toBe(turn[2])
  })

  test('with an output whose payload is gone', () => {
    const { messages } = rebuildWith(gemini, turn, () => [{ position: 2 }, { position: 4, redact: true }])
    expect(messages[1]).toEqual(
      user(answer('pay', { id: 'c1', response: { output: expect.stringContaining('withheld') } }))
    )
  })
})

test('a broken turn is saved with a closing in the content of its responses', () => {
  const turn = [user({ text: 'a' }), model(call('pay'), call('ask')), user(answer('pay'))]
  const first = saveInto(emptySession, gemini, turn.slice(0, 2), open('none'), 'replace')
  const { messages } = saveInto(first, gemini, turn, failed('none'), 'replace')
  expect(messages.map(({ parts }) => parts?.length)).toEqual([1, 2, 2])
  expect(
    saveInto(emptySession, gemini, [...turn, model({ text: 'x' })], rejected('message'), 'append').messages
  ).toEqual(messages)
})
