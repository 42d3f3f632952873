/** Input items and run items of the Python agents SDK become the items that they should, and can be written back. */
import { describe, expect, test } from 'vitest'
import type { Item } from '../../src/core/item.js'
import { agentsPython } from '../../src/dialects/agents-python.js'
import { closeOne, decodeOrThrow, deepFreeze, reread } from './decoding.js'

const agent = { name: 'teller' }
const call = { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'pay', arguments: '{}' }
const output = { type: 'function_call_output', call_id: 'c1', output: 'paid' }
const wrap = (type: string, raw: object, more: object = {}) => ({ type, raw_item: raw, agent, ...more })

const types: ReadonlyArray<readonly [name: string, raw: object, item: Item]> = [
  ['an input item', { role: 'user', content: 'hi' }, { kind: 'message', origin: 'user' }],
  [
    'message_output_item',
    wrap('message_output_item', { type: 'message', id: 'm', role: 'assistant', status: 'completed' }),
    { kind: 'message', id: 'm' }
  ],
  [
    'message_output_item of a provider without ids',
    wrap('message_output_item', { type: 'message', id: '__fake_id__', role: 'assistant' }),
    { kind: 'message' }
  ],
  [
    'reasoning_item',
    wrap('reasoning_item', { type: 'reasoning', id: 'rs', summary: [] }),
    { kind: 'reasoning', id: 'rs', signature: 'missing' }
  ],
  [
    'tool_call_item',
    wrap('tool_call_item', call),
    { kind: 'call', namespace: 'function', id: 'fc_1', callId: 'c1' }
  ],
  [
    'tool_call_item of a hosted tool',
    wrap('tool_call_item', { type: 'web_search_call', id: 'ws', status: 'completed' }),
    { kind: 'call', selfContained: true, executor: 'provider', id: 'ws' }
  ],
  [
    'tool_call_output_item',
    wrap('tool_call_output_item', output, { output: 'paid' }),
    { kind: 'output', namespace: 'function', callId: 'c1' }
  ],
  [
    'tool_search_call_item',
    wrap('tool_search_call_item', { type: 'tool_search_call', execution: 'server', call_id: null }),
    { kind: 'call', namespace: 'tool-search', executor: 'provider' }
  ],
  [
    'tool_search_output_item',
    wrap('tool_search_output_item', { type: 'tool_search_output', execution: 'client', call_id: 'c1' }),
    { kind: 'output', namespace: 'tool-search', callId: 'c1' }
  ],
  [
    'handoff_call_item',
    wrap('handoff_call_item', call),
    { kind: 'call', namespace: 'handoff', id: 'fc_1', callId: 'c1' }
  ],
  [
    'handoff_output_item',
    wrap('handoff_output_item', output, { source_agent: agent, target_agent: agent }),
    { kind: 'output', namespace: 'handoff', callId: 'c1' }
  ],
  [
    'mcp_list_tools_item',
    wrap('mcp_list_tools_item', { type: 'mcp_list_tools', id: 'l' }),
    { kind: 'context', id: 'l' }
  ],
  [
    'mcp_approval_request_item',
    wrap('mcp_approval_request_item', { type: 'mcp_approval_request', id: 'r1' }),
    { kind: 'approval', origin: 'model', namespace: 'mcp', callId: 'r1' }
  ],
  [
    'mcp_approval_response_item',
    wrap('mcp_approval_response_item', {
      type: 'mcp_approval_response',
      approval_request_id: 'r1',
      approve: false
    }),
    { kind: 'approval', namespace: 'mcp', callId: 'r1' }
  ],
  [
    'compaction_item',
    wrap('compaction_item', { type: 'compaction', encrypted_content: 'x' }),
    { kind: 'compaction' }
  ],
  ['tool_approval_item', wrap('tool_approval_item', call), { kind: 'marker' }],
  [
    'input_item',
    wrap('input_item', { role: 'assistant', content: 'I said' }),
    { kind: 'message', origin: 'user' }
  ]
]

describe('the agents-python dialect', () => {
  test.each(types)('reads %s', (_name, raw, item) => {
    const decoded = decodeOrThrow(agentsPython, deepFreeze([raw]))
    expect(decoded.items).toEqual([item])
    expect(decoded.notices).toEqual([])
    expect(decoded.raws[0]).toBe(raw)
  })

  test('reports what a run item does not hold, by its path', () => {
    const { items, notices } = decodeOrThrow(agentsPython, [
      { type: 'tool_call_item', agent },
      wrap('tool_call_item', { type: 'hologram', id: 'h' }),
      wrap('tool_call_item', { ...call, call_id: null }),
      wrap('tool_call_output_item', output)
    ])
    expect(items).toEqual([
      { kind: 'unclassified' },
      { kind: 'unclassified', id: 'h' },
      { kind: 'unclassified', id: 'fc_1' },
      { kind: 'output', namespace: 'function', callId: 'c1' }
    ])
    expect(notices.map(({ kind, path, position }) => [kind, path, position])).toEqual([
      ['unclassified', '[0].raw_item', 0],
      ['unclassified', '[1].raw_item.type', 1],
      ['missing-call-id', '[2].raw_item.call_id', 2]
    ])
  })

  test('knows nothing of the wrappers of the JavaScript SDK, and refuses what is no list', () => {
    expect(reread(agentsPython, [{ type: 'tool_call_item', rawItem: call }])).toEqual([
      { kind: 'unclassified' }
    ])
    expect(agentsPython.decode('[]')).toMatchObject({ _tag: 'Left', left: { received: 'a string' } })
  })

  test('joins a handoff that was turned down with its plain output', () => {
    const items = reread(agentsPython, [
      wrap('handoff_call_item', call),
      wrap('tool_call_output_item', output)
    ])
    expect(items[1]).toEqual({ kind: 'output', namespace: 'handoff', callId: 'c1' })
  })

  test.each([
    ['an input item', call, { type: 'function_call_output', call_id: 'c1', output: 'WORDS' }],
    [
      'a run item',
      wrap('tool_call_item', call),
      {
        type: 'tool_call_output_item',
        raw_item: { type: 'function_call_output', call_id: 'c1', output: 'WORDS' },
        agent,
        output: 'WORDS'
      }
    ]
  ])('closes %s with another', (_name, raw, closing) => {
    expect(
      closeOne(agentsPython.withWording({ interrupted: 'WORDS' }), deepFreeze(raw), 'interrupted')
    ).toEqual(closing)
  })

  test('redacts a run item and its mirror', () => {
    const secret = 'the rejected text'
    const raw = deepFreeze(
      wrap(
        'tool_call_output_item',
        { ...output, output: secret },
        { output: secret, custom_data: { secret } }
      )
    )
    const written = agentsPython.redact(raw, reread(agentsPython, [raw])[0] as Item)
    expect(JSON.stringify(written)).not.toContain(secret)
    expect(written).toMatchObject({ type: 'tool_call_output_item', raw_item: { call_id: 'c1' }, agent })
    expect(reread(agentsPython, [written])).toEqual(reread(agentsPython, [raw]))
  })

  test('strips the id inside a run item', () => {
    const raw = wrap('tool_call_item', call)
    expect(agentsPython.stripId(raw, reread(agentsPython, [raw])[0] as Item)).toEqual(
      wrap('tool_call_item', { type: 'function_call', call_id: 'c1', name: 'pay', arguments: '{}' })
    )
  })
})
