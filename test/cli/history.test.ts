/**
 * A refused history, audited and repaired as a person does it.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { turnkeep } from '../support/command.js'

const file = 'docs/examples/refused-request.json'
const text = readFileSync(file, 'utf8')
const find = (document: object, words: ReadonlyArray<string> = []): ReturnType<typeof turnkeep> =>
  turnkeep(['audit', ...words, '-'], JSON.stringify(document))

const call = { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'find', arguments: '{}' }
const chat = [
  { role: 'user', content: 'secret' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'find' } }]
  }
]

describe('turnkeep FILE', () => {
  it('names envelope, dialect, place, rule and the command that mends, and no contents', () => {
    const { state, out } = turnkeep([file])
    expect(state).toBe(1)
    expect(out).toContain(
      `${file}: request body (messages), dialect chat-completions, profile chat-completions`
    )
    expect(out).toMatch(/messages\[2\]\.tool_calls\[1\] .*call_2 +orphan-call/)
    expect(out).toContain(`turnkeep repair ${file} > fixed.json`)
    expect(out).not.toContain('Are you there')
    expect(turnkeep(['-'], text).state).toBe(1)
  })

  it.each([
    ['list', 'responses', [call]],
    ['request body (input)', 'responses', { input: [call] }],
    ['response (output)', 'responses', { output: [call] }],
    [
      'agents run state',
      'agents-js',
      {
        generatedItems: [
          {
            type: 'tool_call_item',
            rawItem: { type: 'function_call', callId: 'c1', name: 'find', arguments: '{}' }
          }
        ]
      }
    ],
    [
      'request body (messages)',
      'anthropic',
      {
        system: 's',
        messages: [
          { role: 'user', content: 'x' },
          { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'find', input: {} }] }
        ]
      }
    ],
    [
      'request body (contents)',
      'gemini',
      {
        contents: [
          { role: 'user', parts: [{ text: 'x' }] },
          { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'find', args: {} } }] }
        ]
      }
    ],
    [
      'list',
      'ai-sdk',
      [
        { role: 'user', content: 'x' },
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'find', input: {} }] }
      ]
    ],
    [
      'list',
      'langchain',
      [
        { type: 'human', data: { content: 'x' } },
        { type: 'ai', data: { content: '', tool_calls: [{ id: 'c1', name: 'find', args: {} }] } }
      ]
    ],
    ['question (items)', 'neutral', { items: [{ kind: 'call', callId: 'c1' }] }]
  ])('finds a history in a %s of %s', (envelope, dialect, document) => {
    const { state, out } = find(document)
    expect(out).toContain(`: ${envelope}, dialect ${dialect},`)
    expect(out).toContain('orphan-call')
    expect(state).toBe(1)
  })

  it('reads JSON Lines and names the line', () => {
    const { state, out } = turnkeep(['-'], chat.map((each) => `${JSON.stringify(each)}\n`).join(''))
    expect(out).toMatch(/JSON Lines, dialect chat-completions[\s\S]*line 2: tool_calls\[0\]/)
    expect(state).toBe(1)
  })

  it('ends with 0 where nothing is refused, and with 1 for a warning only when strict', () => {
    const odd = [{ kind: 'message', origin: 'user' }, { kind: 'hologram' }, { kind: 'message' }]
    expect(find(odd).state).toBe(0)
    expect(find(odd, ['--strict']).state).toBe(1)
    expect(find([{ kind: 'message', origin: 'user' }]).out).toContain('nothing that is refused')
  })

  it('lets a call wait in a history at rest', () => {
    expect(find([call], ['--at-rest']).state).toBe(0)
  })

  it.each([
    ['two histories', { input: [], output: [] }, 'found input and output'],
    ['none', { model: 'x' }, 'an object with a list under'],
    [
      'a tie',
      [call, { role: 'assistant', content: null, tool_calls: [] }],
      'responses (1 item) and chat-completions (1 item)'
    ]
  ])('%s: exit state 2, one line, and no guess', (_, document, words) => {
    const { state, out, problems } = find(document)
    expect([state, out]).toEqual([2, ''])
    expect(problems).toContain(words)
    expect(problems.trimEnd().split('\n').length).toBe(1)
  })

  it('answers programs with places in the document', () => {
    const { out } = find({ input: [call] }, ['--json'])
    expect(JSON.parse(out)).toEqual({
      violations: [{ rule: 'orphan-call', severity: 'error', position: 0, callId: 'c1', path: 'input[0]' }]
    })
  })
})

describe('turnkeep repair', () => {
  it('writes the document in its envelope, everything else as it was, and the edits to standard error', () => {
    const { state, out, problems } = turnkeep(['repair', file])
    expect(state).toBe(0)
    const [before, after] = [JSON.parse(text), JSON.parse(out)]
    expect(Object.keys(after)).toEqual(Object.keys(before))
    expect(after.messages.toSpliced(3, 1)).toEqual(before.messages)
    expect(after.messages[3]).toMatchObject({ role: 'tool', tool_call_id: 'call_2' })
    expect(problems).toMatch(/messages\[2\]\.tool_calls\[1\] .*closed: interrupted/)
    expect(turnkeep(['audit', '-'], out).state).toBe(0)
    expect(turnkeep(['repair', '-'], out).out).toBe(out)
  })

  it('ends with 1 and says what remains', () => {
    const items = [
      { kind: 'call', callId: 'a', parent: 'gone' },
      { kind: 'output', callId: 'a' }
    ]
    const { state, out, problems } = turnkeep(['repair', '-'], JSON.stringify({ items }))
    expect(state).toBe(1)
    expect(JSON.parse(out)).toEqual({ items })
    expect(problems).toMatch(/what remains[\s\S]*missing-parent/)
  })

  it('shows a difference in place of the document', () => {
    expect(turnkeep(['repair', '--diff', file]).out).toMatch(/^\+ .*"tool_call_id": "call_2"/m)
  })

  it('repairs no run state, which holds each item several times', () => {
    const state = {
      generatedItems: [
        { type: 'tool_call_output_item', rawItem: { type: 'function_call_result', callId: 'c' } }
      ]
    }
    expect(turnkeep(['repair', '-'], JSON.stringify(state))).toMatchObject({ state: 2, out: '' })
  })
})

describe('turnkeep why', () => {
  const text = 'No tool output found for function call c1.'

  it('says what a refusal means and which command mends it', () => {
    const { state, out } = turnkeep(['why', text])
    expect(state).toBe(0)
    expect(out).toMatch(/^rule +orphan-call$/m)
    expect(out).toMatch(/^command +turnkeep repair --profile responses FILE > fixed.json$/m)
  })

  it('names the culprit that the text names', () => {
    const { state, out } = turnkeep(
      ['why', text, '-'],
      JSON.stringify({ input: [{ ...call, call_id: 'c0', id: 'fc_0' }, call] })
    )
    expect(state).toBe(1)
    expect(out).toMatch(/^input\[1\] .*c1 +orphan-call/m)
    expect(out).not.toContain('input[0]')
  })

  it('does not guess at a text that it does not know', () => {
    expect(turnkeep(['why', 'quota exceeded'])).toMatchObject({ state: 2, out: '' })
  })
})

describe('turnkeep shape', () => {
  it('prints what the rules know, as a question, and no contents', () => {
    const { state, out } = turnkeep(['shape', file])
    expect(state).toBe(0)
    for (const hidden of ['4471', 'orders', 'found']) expect(out).not.toContain(hidden)
    const rules = JSON.parse(turnkeep(['audit', '--json', '-'], out).out).violations
    expect(rules).toMatchObject([{ rule: 'orphan-call', callId: 'call_2' }])
  })
})
