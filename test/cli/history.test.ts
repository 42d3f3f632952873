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

  it('asks for encrypted content where the provider stores nothing', () => {
    const reasoning = { type: 'reasoning', id: 'rs', summary: [] }
    const answer = { type: 'message', id: 'msg', role: 'assistant', content: [] }
    const stateless = (content: object): ReturnType<typeof turnkeep> =>
      find([{ ...reasoning, ...content }, answer], ['--profile', 'responses-stateless'])
    expect(find([reasoning, answer]).state).toBe(0)
    expect(stateless({}).out).toMatch(/^\[0\] .*signature-missing/m)
    expect(stateless({ encrypted_content: 'x' }).state).toBe(0)
  })

  it('takes the demands from the request where it says them: nothing stored, or an older model', () => {
    const input = [
      { type: 'reasoning', id: 'rs', summary: [] },
      { type: 'message', id: 'msg', role: 'assistant', content: [] }
    ]
    expect(find({ store: true, input }).out).toContain('profile responses,')
    const stateless = find({ store: false, input })
    expect(stateless.out).toContain('profile responses-stateless,')
    expect(stateless.out).toMatch(/^input\[0\] .*signature-missing/m)
    expect(find({ store: false, input }, ['--profile', 'responses']).state).toBe(0)
    const contents = [
      { role: 'user', parts: [{ text: 'x' }] },
      { role: 'model', parts: [{ functionCall: { name: 'find', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'find', response: {} } }] }
    ]
    expect(find({ model: 'gemini-2.5-pro', contents }).state).toBe(0)
    expect(find({ model: 'gemini-3-pro', contents }).out).toMatch(/^contents\[1\].* signature-missing/m)
    expect(find({ contents }).state).toBe(1)
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

  it('ends with 1 for a warning when strict, as it ends for what remains', () => {
    const odd = JSON.stringify([
      { kind: 'message', origin: 'user' },
      { kind: 'hologram' },
      { kind: 'call', callId: 'a' }
    ])
    expect(turnkeep(['repair', '-'], odd).state).toBe(0)
    expect(turnkeep(['repair', '--strict', '-'], odd).state).toBe(1)
    expect(turnkeep(['shape', '-'], odd).state).toBe(0)
    expect(turnkeep(['shape', '--strict', '-'], odd).state).toBe(1)
    expect(turnkeep(['shape', '--strict', file]).state).toBe(0)
  })

  it('prints numbers as they were, in every form of the answer', () => {
    const kept =
      '{"type":"function_call_output","call_id":"c1","output":"x","at":12345678901234567890,"one":1.0}'
    const gone = '{"type":"function_call_output","call_id":"c2","output":"x"}'
    const list = `[${JSON.stringify(call)},${kept},${gone}]`
    expect(turnkeep(['repair', '-'], list).out).toBe(list.replace(`,${gone}`, ''))
    expect(turnkeep(['repair', '--json', '-'], list).out).toContain(kept)
    expect(turnkeep(['repair', '--diff', '-'], list).out).toMatch(/^ +"at": 12345678901234567890,$/m)
    const question = `{"items":${list},"dialect":"responses","profile":"responses"}\n`
    expect(turnkeep(['repair', '--lines', '-'], question).out).toContain(kept)
  })

  it('repairs the last word, which is what the document says', () => {
    const thinking = { type: 'thinking', thinking: 't', signature: 's' }
    const use = { type: 'tool_use', id: 'a', name: 'find', input: {} }
    const messages = [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: [thinking, use, { type: 'text', text: 'hm' }] }
    ]
    const { state, out } = turnkeep(['repair', '-'], JSON.stringify({ system: 's', messages }))
    expect(state).toBe(0)
    expect(JSON.parse(out).messages.map(({ content }: { content: unknown }) => content)).toMatchObject([
      'x',
      [thinking, { type: 'text' }, use],
      [{ type: 'tool_result', tool_use_id: 'a' }]
    ])
  })
})

describe('a run state', () => {
  const output = {
    type: 'function_call_result',
    callId: 'gone',
    name: 'find',
    status: 'completed',
    output: 'x'
  }
  const made = [
    {
      type: 'tool_call_item',
      rawItem: { type: 'function_call', callId: 'c1', name: 'find', arguments: '{}' }
    },
    {
      type: 'tool_approval_item',
      rawItem: { type: 'function_call', callId: 'c1', name: 'find', arguments: '{}' }
    }
  ]

  it('waits for the calls that it has asked consent for', () => {
    expect(find({ generatedItems: made }).state).toBe(0)
    expect(find({ generatedItems: made.slice(0, 1) }).state).toBe(1)
  })

  it('is repaired in what came before the run, and nowhere else', () => {
    const user = { type: 'message', role: 'user', content: 'x' }
    const document = { $schemaVersion: '1.0', originalInput: [user, output], generatedItems: made, n: 1 }
    const text = JSON.stringify(document).replace('"n":1', '"n":1.0')
    expect(turnkeep(['repair', '-'], text)).toMatchObject({
      state: 0,
      out: text.replace(`,${JSON.stringify(output)}`, '')
    })
  })

  it('is not repaired in what the run has made: the run compares it when it resumes', () => {
    const state = { originalInput: 'x', generatedItems: [{ type: 'tool_call_output_item', rawItem: output }] }
    const { state: exit, out, problems } = turnkeep(['repair', '-'], JSON.stringify(state))
    expect([exit, out]).toEqual([2, ''])
    expect(problems).toContain('compares its generatedItems when it resumes')
    const python = { original_input: 'x', generated_items: [{ type: 'tool_call_item', raw_item: call }] }
    expect(turnkeep(['repair', '-'], JSON.stringify(python)).problems).toContain('generated_items')
  })
})

describe('a transcript of JSON Lines', () => {
  const wrap = (message: object, more: object = {}): string =>
    JSON.stringify({ type: 'turn', message, ...more })
  const lines = (...all: ReadonlyArray<string>): string => all.map((line) => `${line}\n`).join('')
  const note = '{"kind_of_note":1.0}'
  const [asked, called] = chat as [object, object]

  it('is repaired line by line; what holds no message stays between its neighbours', () => {
    const gone = wrap({ role: 'tool', tool_call_id: 'gone', content: 'x' })
    const text = lines(wrap(asked, { at: 1 }), note, wrap(called).replace('}}', ',"n":1.0}}'), gone, note)
    const { state, out } = turnkeep(['repair', '-'], text)
    expect(state).toBe(0)
    const written = out.split('\n')
    expect(written.slice(0, 3)).toEqual(text.split('\n').slice(0, 3))
    expect(JSON.parse(written[3] ?? '')).toMatchObject({
      type: 'turn',
      message: { role: 'tool', tool_call_id: 'c1' }
    })
    expect(written.slice(4)).toEqual([note, ''])
    expect(turnkeep(['repair', '-'], out).out).toBe(out)
  })

  it('may be one line long', () => {
    expect(turnkeep(['-'], lines(wrap(asked))).out).toContain('JSON Lines, dialect')
    expect(turnkeep(['-'], lines(JSON.stringify(asked))).state).toBe(0)
    expect(turnkeep(['-'], '{"message":"x"}\n').state).toBe(2)
  })

  it('names the line that is broken', () => {
    const text = lines(JSON.stringify(asked), '', '{"role":')
    expect(turnkeep(['-'], text).problems).toBe(
      'turnkeep: standard input: not JSON: line 3, column 9: the text ends; expected a value\n'
    )
    expect(turnkeep(['-'], lines(JSON.stringify(asked), '3')).problems).toContain(
      'line 2: expected an object, as on the lines before it'
    )
  })

  it('keeps the ends of its lines, and a line that only changed its wrapper', () => {
    const text = lines(JSON.stringify(asked), JSON.stringify(called)).replaceAll('\n', '\r\n')
    const { out } = turnkeep(['repair', '-'], text)
    expect(out.startsWith(text)).toBe(true)
    expect(out.endsWith('}\r\n')).toBe(true)
  })

  it('is not repaired where its lines point at each other and one would be added', () => {
    const linked = (message: object, uuid: string): string => wrap(message, { uuid, parentUuid: null })
    const text = lines(linked(asked, 'u1'), linked(called, 'u2'))
    const { state, out, problems } = turnkeep(['repair', '-'], text)
    expect([state, out]).toEqual([2, ''])
    expect(problems).toContain('its lines name the line before them')
    expect(turnkeep(['-'], text).state).toBe(1)
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

  it('finds the item of which only the text tells, and the text mends it', () => {
    const text =
      "Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_y'."
    const input = [call, { type: 'function_call_output', call_id: 'c1', output: 'x' }]
    const document = JSON.stringify({ input })
    const { state, out } = turnkeep(['why', text, '-'], document)
    expect(state).toBe(1)
    expect(out).toMatch(/^input\[0\] .*c1 +missing-reasoning/m)
    expect(out).toMatch(/^command +turnkeep repair --why "<the text>" FILE > fixed.json$/m)
    const mended = turnkeep(['repair', '--why', text, '-'], document)
    expect(mended.state).toBe(0)
    const { id: _, ...stripped } = call
    expect(JSON.parse(mended.out)).toEqual({ input: [stripped, input[1]] })
    expect(turnkeep(['why', text, '-'], mended.out).out).toContain('no such thing is in this history')
    expect(turnkeep(['repair', '--why', 'quota exceeded', '-'], document)).toMatchObject({
      state: 2,
      out: ''
    })
    const whole = [{ type: 'reasoning', id: 'rs_y', summary: [] }, ...input]
    expect(turnkeep(['why', text, '-'], JSON.stringify({ input: whole })).state).toBe(0)
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
