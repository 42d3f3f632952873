/** Protocol items and run items of the JavaScript agents SDK become the items that they should, and can be written back. */
import { Agent, RunHandoffCallItem, RunToolCallItem, RunToolCallOutputItem } from '@openai/agents-core'
import { protocol } from '@openai/agents-core'
import { describe, expect, test } from 'vitest'
import type { Item } from '../../src/core/item.js'
import { agentsJs } from '../../src/dialects/agents-js.js'
import { closeOne, decodeOrThrow, deepFreeze, reread } from './decoding.js'

const read = (...raws: ReadonlyArray<unknown>) => decodeOrThrow(agentsJs, raws)
const agent = { name: 'teller' }
const functionCall = { type: 'function_call', id: 'fc_1', callId: 'c1', name: 'pay', arguments: '{}' }
const functionResult = {
  type: 'function_call_result',
  name: 'pay',
  callId: 'c1',
  status: 'completed',
  output: { type: 'text', text: 'paid' }
}
const shellCall = { type: 'shell_call', callId: 'c1', action: { commands: ['ls'], maxOutputLength: 9 } }
const patchCall = {
  type: 'apply_patch_call',
  callId: 'c1',
  status: 'completed',
  operation: { type: 'delete_file', path: 'a' }
}
const computerCall = {
  type: 'computer_call',
  callId: 'c1',
  status: 'completed',
  action: { type: 'screenshot' }
}
const hosted = (type: string, more: object = {}, provider: object = {}) => ({
  type: 'hosted_tool_call',
  id: 'h_1',
  name: type,
  status: 'completed',
  providerData: { type, id: 'h_1', ...provider },
  ...more
})
const provided: Item = { kind: 'call', selfContained: true, executor: 'provider', id: 'h_1' }

const items: ReadonlyArray<readonly [name: string, raw: object, item: Item]> = [
  ['a user message', { role: 'user', content: 'hi' }, { kind: 'message', origin: 'user' }],
  [
    'a system message',
    { type: 'message', role: 'system', content: 'hi' },
    { kind: 'message', origin: 'user', role: 'system' }
  ],
  [
    'an assistant message',
    { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [] },
    { kind: 'message', id: 'msg_1' }
  ],
  [
    'an assistant message that was cut off',
    { role: 'assistant', status: 'in_progress', content: [] },
    { kind: 'message', partial: true }
  ],
  [
    'reasoning',
    { type: 'reasoning', id: 'rs_1', content: [] },
    { kind: 'reasoning', id: 'rs_1', signature: 'missing' }
  ],
  [
    'reasoning that carries what a provider without a store needs',
    { type: 'reasoning', id: 'rs_1', content: [], providerData: { encrypted_content: 'x' } },
    { kind: 'reasoning', id: 'rs_1', signature: 'present' }
  ],
  [
    'reasoning that was cut off',
    { type: 'reasoning', content: [], providerData: { status: 'incomplete' } },
    { kind: 'reasoning', partial: true, signature: 'missing' }
  ],
  ['function_call', functionCall, { kind: 'call', namespace: 'function', id: 'fc_1', callId: 'c1' }],
  [
    'function_call made by a program',
    { ...functionCall, caller: { type: 'program', callerId: 'p1' } },
    { kind: 'call', namespace: 'function', id: 'fc_1', callId: 'c1', parent: 'p1' }
  ],
  ['function_call_result', functionResult, { kind: 'output', namespace: 'function', callId: 'c1' }],
  [
    'function_call_result of an aborted tool',
    { ...functionResult, status: 'incomplete' },
    { kind: 'output', namespace: 'function', callId: 'c1', execution: 'interrupted' }
  ],
  ['computer_call', computerCall, { kind: 'call', namespace: 'computer', callId: 'c1' }],
  [
    'computer_call_result',
    { type: 'computer_call_result', callId: 'c1', output: { type: 'computer_screenshot', data: '' } },
    { kind: 'output', namespace: 'computer', callId: 'c1' }
  ],
  [
    'computer_call_result of a rejected action',
    {
      type: 'computer_call_result',
      callId: 'c1',
      output: { type: 'computer_screenshot', data: '', providerData: { approvalStatus: 'rejected' } }
    },
    { kind: 'output', namespace: 'computer', callId: 'c1', execution: 'denied' }
  ],
  ['shell_call', shellCall, { kind: 'call', namespace: 'shell', callId: 'c1' }],
  [
    'shell_call in a container',
    { ...shellCall, providerData: { environment: { type: 'container_reference' } } },
    { kind: 'call', namespace: 'shell', executor: 'provider', callId: 'c1' }
  ],
  [
    'shell_call_output',
    { type: 'shell_call_output', callId: 'c1', output: [] },
    { kind: 'output', namespace: 'shell', callId: 'c1' }
  ],
  ['apply_patch_call', patchCall, { kind: 'call', namespace: 'apply-patch', callId: 'c1' }],
  [
    'apply_patch_call_output',
    { type: 'apply_patch_call_output', callId: 'c1', status: 'failed' },
    { kind: 'output', namespace: 'apply-patch', callId: 'c1', execution: 'failed' }
  ],
  [
    'program',
    { type: 'program', id: 'prog_1', callId: 'p1', code: '', fingerprint: '' },
    { kind: 'call', namespace: 'program', executor: 'provider', id: 'prog_1', callId: 'p1' }
  ],
  [
    'program_output',
    { type: 'program_output', callId: 'p1', output: '', status: 'completed' },
    { kind: 'output', origin: 'model', namespace: 'program', callId: 'p1' }
  ],
  [
    'tool_search_call of a client, in snake case',
    { type: 'tool_search_call', call_id: 'c1', execution: 'client', arguments: {} },
    { kind: 'call', namespace: 'tool-search', callId: 'c1' }
  ],
  [
    'tool_search_call whose call id is in the provider data',
    { type: 'tool_search_call', arguments: {}, providerData: { call_id: 'c1', execution: 'server' } },
    { kind: 'call', namespace: 'tool-search', executor: 'provider', callId: 'c1' }
  ],
  [
    'tool_search_output without a call id',
    { type: 'tool_search_output', execution: 'server', tools: [] },
    { kind: 'output', namespace: 'tool-search', origin: 'model' }
  ],
  ['a hosted web search', hosted('web_search_call'), provided],
  ['a hosted web search under its older name', hosted('web_search'), provided],
  ['a hosted file search that failed', hosted('file_search_call', { status: 'failed' }), provided],
  [
    'a hosted code interpreter that still runs',
    hosted('code_interpreter_call', { status: 'interpreting' }),
    { ...provided, partial: true }
  ],
  [
    'a hosted image that is there',
    hosted('image_generation_call', { status: 'generating', output: 'aGk=' }),
    provided
  ],
  [
    'a hosted image that is not there',
    hosted('image_generation_call', { status: 'generating' }),
    { ...provided, partial: true }
  ],
  ['a hosted tool that nobody knows', hosted('weather'), provided],
  ['a hosted tool without provider data', { type: 'hosted_tool_call', id: 'h_1', name: 'weather' }, provided],
  ['a hosted tool that calls itself a message', hosted('message'), provided],
  [
    'a hosted MCP call that was approved',
    hosted('mcp_call', {}, { approval_request_id: 'r1' }),
    { ...provided, namespace: 'mcp', callId: 'r1' }
  ],
  [
    'a hosted MCP call whose provider data says that it is not done',
    hosted('mcp_call', {}, { status: 'calling' }),
    { ...provided, namespace: 'mcp', partial: true }
  ],
  ['a hosted MCP listing', hosted('mcp_list_tools'), { kind: 'context', id: 'h_1' }],
  [
    'a hosted MCP approval request',
    hosted('mcp_approval_request', {}, { id: 'r1' }),
    { kind: 'approval', origin: 'model', namespace: 'mcp', callId: 'r1' }
  ],
  [
    'a hosted MCP approval response',
    {
      type: 'hosted_tool_call',
      name: 'mcp_approval_response',
      providerData: { approve: true, approval_request_id: 'r1' }
    },
    { kind: 'approval', namespace: 'mcp', callId: 'r1' }
  ],
  [
    'compaction',
    { type: 'compaction', id: 'cmp_1', encrypted_content: 'x' },
    { kind: 'compaction', id: 'cmp_1' }
  ],
  [
    'an unknown item that holds a Responses item',
    {
      type: 'unknown',
      id: 'ctc_1',
      providerData: { type: 'custom_tool_call', id: 'ctc_1', call_id: 'c1', name: 'grep', input: '' }
    },
    { kind: 'call', namespace: 'custom', id: 'ctc_1', callId: 'c1' }
  ]
]

const wrapped: ReadonlyArray<readonly [name: string, raw: object, item: Item]> = [
  [
    'message_output_item',
    { type: 'message_output_item', rawItem: { role: 'assistant', status: 'completed', content: [] }, agent },
    { kind: 'message' }
  ],
  [
    'reasoning_item',
    { type: 'reasoning_item', rawItem: { type: 'reasoning', content: [] }, agent },
    { kind: 'reasoning', signature: 'missing' }
  ],
  [
    'tool_call_item',
    { type: 'tool_call_item', rawItem: functionCall, agent },
    { kind: 'call', namespace: 'function', id: 'fc_1', callId: 'c1' }
  ],
  [
    'tool_call_output_item that was executed',
    {
      type: 'tool_call_output_item',
      rawItem: functionResult,
      agent,
      output: 'paid',
      executionStatus: 'executed'
    },
    { kind: 'output', namespace: 'function', callId: 'c1' }
  ],
  [
    'tool_call_output_item of a refused call',
    {
      type: 'tool_call_output_item',
      rawItem: functionResult,
      agent,
      output: 'no',
      executionStatus: undefined
    },
    { kind: 'output', namespace: 'function', callId: 'c1', execution: 'denied' }
  ],
  [
    'tool_call_output_item of an aborted call',
    {
      type: 'tool_call_output_item',
      rawItem: { ...functionResult, status: 'incomplete' },
      agent,
      output: 'aborted',
      executionStatus: undefined
    },
    { kind: 'output', namespace: 'function', callId: 'c1', execution: 'interrupted' }
  ],
  [
    'tool_call_output_item that says nothing, which counts as executed',
    { type: 'tool_call_output_item', rawItem: functionResult, agent, output: 'paid' },
    { kind: 'output', namespace: 'function', callId: 'c1' }
  ],
  [
    'tool_search_call_item',
    { type: 'tool_search_call_item', rawItem: { type: 'tool_search_call', execution: 'server' }, agent },
    { kind: 'call', namespace: 'tool-search', executor: 'provider' }
  ],
  [
    'tool_search_output_item',
    { type: 'tool_search_output_item', rawItem: { type: 'tool_search_output', execution: 'server' }, agent },
    { kind: 'output', namespace: 'tool-search', origin: 'model' }
  ],
  [
    'handoff_call_item',
    { type: 'handoff_call_item', rawItem: functionCall, agent },
    { kind: 'call', namespace: 'handoff', id: 'fc_1', callId: 'c1' }
  ],
  [
    'handoff_output_item',
    { type: 'handoff_output_item', rawItem: functionResult, sourceAgent: agent, targetAgent: agent },
    { kind: 'output', namespace: 'handoff', callId: 'c1' }
  ],
  ['tool_approval_item', { type: 'tool_approval_item', rawItem: functionCall, agent }, { kind: 'marker' }],
  [
    'compaction_item',
    { type: 'compaction_item', rawItem: { type: 'compaction', encrypted_content: 'x' }, agent },
    { kind: 'compaction' }
  ],
  [
    'input_item',
    { type: 'input_item', rawItem: { role: 'user', content: 'hi' }, agent, inputId: 'i' },
    { kind: 'message', origin: 'user' }
  ]
]

describe('the agents-js dialect reads', () => {
  test.each([...items, ...wrapped])('%s', (_name, raw, item) => {
    const decoded = read(deepFreeze(raw))
    expect(decoded.items).toEqual([item])
    expect(decoded.notices).toEqual([])
    expect(decoded.raws[0]).toBe(raw)
  })

  test('instances of the classes of the SDK, and an approval of the same item without a notice', () => {
    const teller = new Agent({ name: 'teller' })
    const call = functionCall as protocol.FunctionCallItem
    const result = functionResult as protocol.FunctionCallResultItem
    const { items: read0, notices } = read(
      new RunToolCallItem(call, teller),
      { type: 'tool_approval_item', rawItem: call, agent: teller },
      new RunToolCallOutputItem(result, teller, 'paid', undefined, 'executed'),
      new RunToolCallOutputItem(result, teller, 'no')
    )
    expect(read0).toEqual([
      { kind: 'call', namespace: 'function', id: 'fc_1', callId: 'c1' },
      { kind: 'marker' },
      { kind: 'output', namespace: 'function', callId: 'c1' },
      { kind: 'output', namespace: 'function', callId: 'c1', execution: 'denied' }
    ])
    expect(notices).toEqual([])
  })

  test('a result of a container shell as the own result of the provider', () => {
    const environment = { type: 'container_reference' }
    expect(
      read(
        { ...shellCall, providerData: { environment } },
        { type: 'shell_call_output', callId: 'c1', output: [] }
      ).items[1]
    ).toEqual({ kind: 'output', origin: 'model', namespace: 'shell', callId: 'c1' })
  })
})

describe('the agents-js dialect joins', () => {
  const namespacesOf = (...raws: ReadonlyArray<unknown>) =>
    read(...raws).items.map((item) => ('namespace' in item ? item.namespace : ''))

  test('a handoff that the runner turned down, though its output is a plain tool output', () => {
    expect(
      namespacesOf(
        { type: 'handoff_call_item', rawItem: functionCall, agent },
        { type: 'tool_call_output_item', rawItem: functionResult, agent, output: 'Multiple handoffs' }
      )
    ).toEqual(['handoff', 'handoff'])
  })

  test('a handoff output with a call that was stored as a bare function call', () => {
    expect(namespacesOf(functionCall, { type: 'handoff_output_item', rawItem: functionResult })).toEqual([
      'function',
      'function'
    ])
  })

  test('equal ids of a handoff and a function call, each with its own', () => {
    expect(
      namespacesOf({ type: 'handoff_call_item', rawItem: functionCall }, functionCall, functionResult, {
        type: 'handoff_output_item',
        rawItem: functionResult
      })
    ).toEqual(['handoff', 'function', 'function', 'handoff'])
  })

  test('items of two agents, because a session names no agent', () => {
    expect(
      namespacesOf({ type: 'tool_call_item', rawItem: functionCall, agent: { name: 'a' } }, functionResult)
    ).toEqual(['function', 'function'])
  })
})

describe('the agents-js dialect reports', () => {
  const odd: ReadonlyArray<readonly [name: string, raw: unknown, kind: string, path: string]> = [
    ['a run item without its item', { type: 'tool_call_item', agent }, 'unclassified', '[0].rawItem'],
    [
      'a run item around an unknown type',
      { type: 'tool_call_item', rawItem: { type: 'hologram' } },
      'unclassified',
      '[0].rawItem.type'
    ],
    ['an unknown run item', { type: 'hologram_item', rawItem: functionCall }, 'unclassified', '[0].type'],
    ['an unknown item that holds nothing', { type: 'unknown' }, 'unclassified', '[0].type'],
    [
      'an unknown item that holds an unknown type',
      { type: 'unknown', providerData: { type: 'hologram' } },
      'unclassified',
      '[0].type'
    ],
    [
      'a call in the spelling of the API (ITEM-5)',
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
      'missing-call-id',
      '[0].callId'
    ],
    [
      'a call id of a run item that does not fit',
      { type: 'tool_call_output_item', rawItem: { ...functionResult, callId: 7 } },
      'wrong-field',
      '[0].rawItem.callId'
    ],
    ['null', null, 'unclassified', '[0]']
  ]
  test.each(odd)('%s', (_name, raw, kind, path) => {
    const { items: read0, notices } = read(deepFreeze(raw), { role: 'user', content: 'hi' })
    expect(read0[1]).toEqual({ kind: 'message', origin: 'user' })
    expect(notices[0]).toMatchObject({ kind, path, position: 0 })
  })

  test('an input that is no list', () => {
    expect(agentsJs.decode({ generatedItems: [] })).toMatchObject({
      _tag: 'Left',
      left: { kind: 'decode', path: '', received: 'an object' }
    })
  })
})

const pixel = expect.stringMatching(/^data:image\/png;base64,/)
const closings: ReadonlyArray<readonly [name: string, call: object, output: object]> = [
  [
    'function_call',
    { ...functionCall, namespace: 'bank', caller: { type: 'direct' } },
    {
      type: 'function_call_result',
      name: 'pay',
      namespace: 'bank',
      callId: 'c1',
      status: 'incomplete',
      output: { type: 'text', text: 'WORDS' },
      caller: { type: 'direct' }
    }
  ],
  [
    'computer_call',
    computerCall,
    {
      type: 'computer_call_result',
      callId: 'c1',
      output: {
        type: 'computer_screenshot',
        data: pixel,
        providerData: { approvalStatus: 'rejected', message: 'WORDS' }
      },
      providerData: { status: 'incomplete' }
    }
  ],
  [
    'shell_call',
    shellCall,
    {
      type: 'shell_call_output',
      callId: 'c1',
      status: 'incomplete',
      maxOutputLength: 9,
      output: [{ stdout: '', stderr: 'WORDS', outcome: { type: 'exit', exitCode: 1 } }]
    }
  ],
  [
    'apply_patch_call',
    patchCall,
    { type: 'apply_patch_call_output', callId: 'c1', status: 'failed', output: 'WORDS' }
  ],
  [
    'tool_search_call in snake case',
    { type: 'tool_search_call', call_id: 'c1', execution: 'client', arguments: {} },
    { type: 'tool_search_output', call_id: 'c1', execution: 'client', status: 'incomplete', tools: [] }
  ],
  [
    'tool_search_call in camel case',
    { type: 'tool_search_call', callId: 'c1', arguments: {} },
    { type: 'tool_search_output', callId: 'c1', execution: 'client', status: 'incomplete', tools: [] }
  ],
  [
    'program',
    { type: 'program', callId: 'p1', code: '', fingerprint: '' },
    { type: 'program_output', callId: 'p1', output: 'WORDS', status: 'incomplete' }
  ]
]

describe('the agents-js dialect closes', () => {
  const worded = agentsJs.withWording({ denied: 'WORDS' })

  test.each(closings)('%s with an output that the SDK accepts and that answers it', (_name, raw, output) => {
    const closing = closeOne(worded, deepFreeze(raw), 'denied')
    expect(closing).toEqual(output)
    expect(protocol.ModelItem.safeParse(closing).error).toBeUndefined()
    const [call, answer] = reread(agentsJs, [raw, closing])
    const joinOf = (item: Item | undefined) =>
      item !== undefined && 'callId' in item ? [item.namespace, item.callId] : []
    expect(answer?.kind).toBe('output')
    expect(joinOf(answer)).toEqual(joinOf(call))
  })

  test('an unknown item around a Responses call with one around the output', () => {
    const raw = {
      type: 'unknown',
      providerData: { type: 'custom_tool_call', call_id: 'c1', name: 'grep', input: '' }
    }
    const closing = closeOne(worded, raw, 'denied')
    expect(closing).toEqual({
      type: 'unknown',
      providerData: { type: 'custom_tool_call_output', call_id: 'c1', output: 'WORDS' }
    })
    expect(reread(agentsJs, [closing])).toEqual([{ kind: 'output', namespace: 'custom', callId: 'c1' }])
  })

  test.each([
    ['tool_call_item', 'function'],
    ['handoff_call_item', 'handoff']
  ])('a %s with a run item of the same agent', (type, namespace) => {
    const raw = { type, rawItem: functionCall, agent }
    const closing = closeOne(worded, raw, 'denied')
    expect(closing).toEqual({
      type: 'tool_call_output_item',
      rawItem: {
        type: 'function_call_result',
        name: 'pay',
        callId: 'c1',
        status: 'incomplete',
        output: { type: 'text', text: 'WORDS' }
      },
      agent,
      output: 'WORDS'
    })
    expect((closing as { agent: unknown }).agent).toBe(agent)
    expect(reread(agentsJs, [raw, closing])[1]).toEqual({
      kind: 'output',
      namespace,
      callId: 'c1',
      execution: 'interrupted'
    })
  })

  test('a tool search run item with a run item of its own type', () => {
    const raw = {
      type: 'tool_search_call_item',
      rawItem: { type: 'tool_search_call', callId: 'c1', execution: 'client' }
    }
    expect(closeOne(agentsJs, raw, 'skipped')).toMatchObject({
      type: 'tool_search_output_item',
      rawItem: { type: 'tool_search_output', callId: 'c1', tools: [] }
    })
  })

  test('a host type of its own', () => {
    const extended = agentsJs.with({ acme_call: 'call' })
    const acme: { type: string } = JSON.parse('{"type":"acme_call","callId":"c1"}')
    const closing = closeOne(extended, acme, 'skipped')
    expect(closing).toMatchObject({ type: 'acme_call_output', callId: 'c1' })
    expect(reread(extended, [closing])).toEqual([
      { kind: 'output', namespace: 'acme_call', callId: 'c1', execution: 'interrupted' }
    ])
  })
})

const secret = 'the rejected text'
const redactions: ReadonlyArray<readonly [name: string, raw: object, redacted: object]> = [
  [
    'function_call_result',
    { ...functionResult, id: 'o', output: { type: 'text', text: secret }, providerData: { raw: secret } },
    { ...functionResult, id: 'o', output: { type: 'text', text: 'WORDS' }, providerData: {} }
  ],
  [
    'computer_call_result',
    {
      type: 'computer_call_result',
      callId: 'c1',
      output: { type: 'computer_screenshot', data: secret },
      providerData: { acknowledgedSafetyChecks: [{ id: 's' }], note: secret }
    },
    {
      type: 'computer_call_result',
      callId: 'c1',
      output: { type: 'computer_screenshot', data: pixel },
      providerData: { acknowledgedSafetyChecks: [{ id: 's' }] }
    }
  ],
  [
    'shell_call_output',
    {
      type: 'shell_call_output',
      callId: 'c1',
      output: [{ stdout: secret, stderr: secret, outcome: { type: 'exit', exitCode: 2 } }]
    },
    {
      type: 'shell_call_output',
      callId: 'c1',
      output: [{ stdout: 'WORDS', stderr: '', outcome: { type: 'exit', exitCode: 2 } }]
    }
  ],
  [
    'apply_patch_call_output',
    { type: 'apply_patch_call_output', callId: 'c1', status: 'completed', output: secret },
    { type: 'apply_patch_call_output', callId: 'c1', status: 'completed', output: 'WORDS' }
  ],
  [
    'tool_search_output',
    { type: 'tool_search_output', providerData: { call_id: 'c1', note: secret }, tools: [{ name: secret }] },
    { type: 'tool_search_output', providerData: { call_id: 'c1' }, tools: [] }
  ],
  [
    'program_output',
    { type: 'program_output', callId: 'p1', output: secret, status: 'completed' },
    { type: 'program_output', callId: 'p1', output: 'WORDS', status: 'completed' }
  ]
]

describe('the agents-js dialect redacts', () => {
  const worded = agentsJs.withWording({ redacted: 'WORDS' })

  test.each(redactions)('%s to something that the SDK accepts', (_name, raw, redacted) => {
    const item = reread(agentsJs, [raw])[0] as Item
    const written = worded.redact(deepFreeze(raw), item)
    expect(written).toEqual(redacted)
    expect(JSON.stringify(written)).not.toContain(secret)
    expect(protocol.ModelItem.safeParse(written).error).toBeUndefined()
    expect(reread(agentsJs, [written])).toEqual([item])
  })

  test('an unknown item around a Responses output', () => {
    const raw = {
      type: 'unknown',
      id: 'o',
      providerData: { type: 'custom_tool_call_output', id: 'o', call_id: 'c1', output: secret }
    }
    const item = reread(agentsJs, [raw])[0] as Item
    expect(worded.redact(raw, item)).toEqual({
      type: 'unknown',
      id: 'o',
      providerData: { type: 'custom_tool_call_output', id: 'o', call_id: 'c1', output: 'WORDS' }
    })
  })

  test('a run item with its mirror of the output and its custom data, and keeps its class', () => {
    const teller = new Agent({ name: 'teller' })
    const raw = new RunToolCallOutputItem(
      { ...functionResult, output: secret } as protocol.FunctionCallResultItem,
      teller,
      secret,
      { note: secret },
      'executed'
    )
    Object.freeze(raw)
    const item = reread(agentsJs, [raw])[0] as Item
    const written = worded.redact(raw, item)
    expect(written).toBeInstanceOf(RunToolCallOutputItem)
    expect(written.agent).toBe(teller)
    expect(written.executionStatus).toBe('executed')
    expect(written.output).toBe('WORDS')
    expect(JSON.stringify(written)).not.toContain(secret)
    expect(raw.output).toBe(secret)
    expect(reread(agentsJs, [written])).toEqual([item])
  })

  test('a handoff output, which has no mirror and gets none', () => {
    const raw = {
      type: 'handoff_output_item',
      rawItem: { ...functionResult, output: secret },
      sourceAgent: agent,
      targetAgent: agent
    }
    const written = worded.redact(raw, reread(agentsJs, [raw])[0] as Item)
    expect(written).toEqual({
      ...raw,
      rawItem: { ...functionResult, output: { type: 'text', text: 'WORDS' } }
    })
    expect(written.sourceAgent).toBe(agent)
  })
})

describe('the agents-js dialect strips', () => {
  test('the id of a protocol item', () => {
    const item = reread(agentsJs, [functionCall])[0] as Item
    const written = agentsJs.stripId(deepFreeze(functionCall), item)
    expect(written).toEqual({ type: 'function_call', callId: 'c1', name: 'pay', arguments: '{}' })
  })

  test('both ids of a hosted call', () => {
    const raw = hosted('mcp_call', {}, { approval_request_id: 'r1' })
    const written = agentsJs.stripId(raw, reread(agentsJs, [raw])[0] as Item)
    expect(JSON.stringify(written)).not.toContain('h_1')
    expect(written).toMatchObject({ providerData: { approval_request_id: 'r1' } })
  })

  test('the id inside a run item, whose class and agent stay', () => {
    const teller = new Agent({ name: 'teller' })
    const raw = new RunHandoffCallItem(functionCall as protocol.FunctionCallItem, teller)
    const written = agentsJs.stripId(raw, reread(agentsJs, [raw])[0] as Item)
    expect(written).toBeInstanceOf(RunHandoffCallItem)
    expect(written.agent).toBe(teller)
    expect(written.rawItem.id).toBeUndefined()
    expect(written.rawItem.callId).toBe('c1')
    expect(raw.rawItem.id).toBe('fc_1')
  })

  test('nothing from an approval request, whose id is what its response names', () => {
    const raw = hosted('mcp_approval_request')
    expect(agentsJs.stripId(raw, reread(agentsJs, [raw])[0] as Item)).toBe(raw)
  })
})
