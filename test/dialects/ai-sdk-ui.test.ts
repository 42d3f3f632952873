/** UI messages of the AI SDK: a tool part is a call and its output. */
import { describe, expect, test } from 'vitest'
import { aborted, accepted, open, rejected } from '../../src/core/outcome.js'
import { type AiSdkUiMessage, aiSdkUi } from '../../src/dialects/ai-sdk-ui.js'
import { decodeBlocks, emptySession, everything, kindsOf, rebuildWith, saveInto } from './blocks.js'
import { deepFreeze } from './decoding.js'

const step = { type: 'step-start' }
const text = (words: string, more: object = {}): object => ({ type: 'text', text: words, ...more })
const tool = (toolCallId: string, state: string, more: object = {}): object => ({
  type: 'tool-pay',
  toolCallId,
  state,
  input: { amount: 1 },
  ...more
})
const assistant = (...parts: ReadonlyArray<object>): AiSdkUiMessage =>
  deepFreeze({ id: 'a1', role: 'assistant', parts } as AiSdkUiMessage)
const user = (...parts: ReadonlyArray<object>): AiSdkUiMessage =>
  deepFreeze({ id: 'u1', role: 'user', parts } as AiSdkUiMessage)

describe('what each part is', () => {
  test.each([
    ['input-streaming', { partial: true }, { execution: 'pending' }],
    ['input-available', {}, { execution: 'pending' }],
    ['approval-requested', { execution: 'pending' }, { execution: 'pending' }],
    ['approval-responded', {}, { execution: 'pending' }],
    ['output-available', {}, {}],
    ['output-error', {}, { execution: 'failed' }],
    ['output-denied', {}, { execution: 'denied' }]
  ])('a tool part in the state %s is a call and an output of one part (BLOCK-1)', (state, call, output) => {
    expect(decodeBlocks(aiSdkUi, [assistant(tool('c1', state))]).items).toEqual([
      { kind: 'call', callId: 'c1', source: { message: 0, part: 0 }, response: 0, ...call },
      { kind: 'output', callId: 'c1', source: { message: 0, part: 0 }, ...output }
    ])
  })

  test('a preliminary output is pending; a refused call is denied; a hosted output is of the model', () => {
    const turn = [
      assistant(
        tool('c1', 'output-available', { output: 1, preliminary: true }),
        tool('c2', 'approval-responded', { approval: { id: 'x', approved: false } }),
        { ...tool('c3', 'output-available', { output: 1, providerExecuted: true }), type: 'dynamic-tool' }
      )
    ]
    expect(kindsOf(aiSdkUi, turn)).toEqual([
      { kind: 'call', callId: 'c1' },
      { kind: 'output', callId: 'c1', execution: 'pending' },
      { kind: 'call', callId: 'c2', execution: 'denied' },
      { kind: 'output', callId: 'c2', execution: 'pending' },
      { kind: 'call', callId: 'c3', executor: 'provider' },
      { kind: 'output', callId: 'c3', origin: 'model' }
    ])
  })

  test('a step is a response, and its start a marker (BLOCK-13)', () => {
    const turn = [
      user(text('go')),
      assistant(step, { type: 'reasoning', text: 'a' }, tool('c1', 'output-available'), step, text('b'), {
        type: 'data-weather',
        data: {}
      })
    ]
    expect(decodeBlocks(aiSdkUi, turn).items.map(({ kind, response }) => [kind, response])).toEqual([
      ['message', undefined],
      ['marker', undefined],
      ['reasoning', 0],
      ['call', 0],
      ['output', undefined],
      ['marker', undefined],
      ['message', 1],
      ['context', 1]
    ])
  })

  test('what still streams is partial; what cannot be placed is reported with its path (ITEM-9)', () => {
    const turn: ReadonlyArray<unknown> = [
      assistant(text('a', { state: 'streaming' }), { type: 'hologram' }, tool('c1', 'dreaming'), {
        type: 'tool-x'
      }),
      { role: 'assistant', content: 'no parts' },
      { role: 'critic', parts: [] }
    ]
    const { items, notices } = decodeBlocks(aiSdkUi, turn)
    expect(items.map(({ kind, partial }) => [kind, partial])).toEqual([
      ['message', true],
      ['unclassified', undefined],
      ['call', undefined],
      ['output', undefined],
      ['unclassified', undefined],
      ['unclassified', undefined],
      ['unclassified', undefined]
    ])
    expect(notices.map(({ path, position }) => [path, position])).toEqual([
      ['[0].parts[1].type', 1],
      ['[0].parts[2].state', 2],
      ['[0].parts[3].toolCallId', 4],
      ['[1].parts', 5],
      ['[2].role', 6]
    ])
    expect(rebuildWith(aiSdkUi, turn as ReadonlyArray<AiSdkUiMessage>, everything).messages).toBe(turn)
  })
})

describe('messages are rebuilt', () => {
  const done = tool('c1', 'output-available', {
    output: 'secret',
    resultProviderMetadata: { x: { y: 'secret' } }
  })

  test('a redacted output is overwritten in its part', () => {
    const { messages } = rebuildWith(aiSdkUi, [assistant(step, done)], () => [
      { position: 1 },
      { position: 2, redact: true }
    ])
    expect(messages).toEqual([
      assistant(
        step,
        tool('c1', 'output-available', {
          output: 'The tool ran. Its output was withheld by an output check.'
        })
      )
    ])
  })

  test('a call without its output waits again', () => {
    const { messages } = rebuildWith(aiSdkUi, [assistant(done)], () => [{ position: 0 }])
    expect(messages).toEqual([assistant(tool('c1', 'input-available'))])
  })

  test.each([
    [
      'interrupted',
      tool('c1', 'input-available'),
      tool('c1', 'output-error', { errorText: expect.any(String) })
    ],
    [
      'denied',
      tool('c1', 'approval-responded', { approval: { id: 'x', approved: false } }),
      tool('c1', 'output-denied', { approval: { id: 'x', approved: false } })
    ],
    [
      'skipped',
      tool('c1', 'approval-requested', { approval: { id: 'x' } }),
      tool('c1', 'output-error', { errorText: 'This call was not executed.' })
    ]
  ] as const)('a call closed as %s changes its state, in its part (BLOCK-6)', (as, before, after) => {
    const { messages } = rebuildWith(aiSdkUi, [assistant(before, text('b'))], () => [
      { position: 0 },
      { position: 2 },
      { close: 0, as }
    ])
    expect(messages).toEqual([assistant(after, text('b'))])
  })

  test('a step that is left empty loses its marker (BLOCK-7)', () => {
    const { messages } = rebuildWith(aiSdkUi, [assistant(step, text('a'), step, text('b'))], () => [
      { position: 1 }
    ])
    expect(messages).toEqual([assistant(step, text('a'))])
  })
})

describe('a turn that grows in one message is saved', () => {
  const turn = (...parts: ReadonlyArray<object>): ReadonlyArray<AiSdkUiMessage> => [
    user(text('go')),
    assistant(step, ...parts)
  ]

  test('with the call ahead of its output where the store can replace (BLOCK-11)', () => {
    const waiting = turn(tool('c1', 'input-available'))
    const first = saveInto(emptySession, aiSdkUi, waiting, open('none'), 'replace')
    expect(first.messages).toEqual(waiting)
    const done = turn(tool('c1', 'output-available', { output: 1 }), step, text('bad'))
    const second = saveInto(first, aiSdkUi, done, rejected('message'), 'replace')
    expect(second.answer?.replaces).toEqual([waiting[1]])
    expect(second.messages).toEqual(turn(tool('c1', 'output-available', { output: 1 })))
    expect(saveInto(second, aiSdkUi, done, accepted, 'replace').messages).toEqual(done)
  })

  test('only once its calls have ended where the store can only append (BLOCK-10)', () => {
    const waiting = turn(tool('c1', 'input-available'))
    const first = saveInto(emptySession, aiSdkUi, waiting, open('none'), 'append')
    expect(first.messages).toEqual([waiting[0]])
    expect(first.answer?.plan.unprotected).toEqual([2])
    const { messages } = saveInto(first, aiSdkUi, waiting, aborted('none'), 'append')
    expect(messages).toEqual(
      turn(tool('c1', 'output-error', { errorText: expect.stringContaining('may have run') }))
    )
  })
})
