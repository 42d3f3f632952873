/** Every type of the Responses API becomes the item that it should, and what is written back is valid for the API. */
import { inflateSync } from 'node:zlib'
import type { ResponseInputItem } from 'openai/resources/responses/responses'
import { describe, expect, test } from 'vitest'
import type { Item } from '../../src/core/item.js'
import { responses } from '../../src/dialects/responses.js'
import { closeOne, decodeOrThrow, deepFreeze, reread } from './decoding.js'

const read = (...raws: ReadonlyArray<unknown>) => decodeOrThrow(responses, raws)
const text = (role: string) => ({ type: 'message', role, content: 'hello' })
const action = { commands: ['ls'], max_output_length: 100, timeout_ms: null }

const types: ReadonlyArray<readonly [name: string, raw: object, item: Item]> = [
  ['a user message', text('user'), { kind: 'message', origin: 'user' }],
  ['a system message', text('system'), { kind: 'message', origin: 'user', role: 'system' }],
  ['a developer message', text('developer'), { kind: 'message', origin: 'user', role: 'system' }],
  ['an assistant message', { ...text('assistant'), id: 'msg_1' }, { kind: 'message', id: 'msg_1' }],
  ['a user message without a type', { role: 'user', content: 'hello' }, { kind: 'message', origin: 'user' }],
  ['an assistant message without a type', { role: 'assistant', content: 'hello' }, { kind: 'message' }],
  [
    'a user message in progress, which is input all the same',
    { ...text('user'), status: 'in_progress' },
    { kind: 'message', origin: 'user' }
  ],
  [
    'an assistant message that was cut off',
    { ...text('assistant'), status: 'incomplete' },
    { kind: 'message', partial: true }
  ],
  [
    'reasoning',
    { type: 'reasoning', id: 'rs_1', summary: [] },
    { kind: 'reasoning', id: 'rs_1', signature: 'missing' }
  ],
  [
    'reasoning that carries what a provider without a store needs',
    { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' },
    { kind: 'reasoning', id: 'rs_1', signature: 'present' }
  ],
  [
    'reasoning whose encrypted content is gone',
    { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: null },
    { kind: 'reasoning', id: 'rs_1', signature: 'missing' }
  ],
  [
    'reasoning that was cut off',
    { type: 'reasoning', id: 'rs_1', summary: [], status: 'in_progress' },
    { kind: 'reasoning', id: 'rs_1', partial: true, signature: 'missing' }
  ],
  [
    'function_call',
    { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'pay', arguments: '{}', status: 'completed' },
    { kind: 'call', namespace: 'function', id: 'fc_1', callId: 'c1' }
  ],
  [
    'function_call with a status of null',
    { type: 'function_call', id: null, call_id: 'c1', name: 'pay', arguments: '{}', status: null },
    { kind: 'call', namespace: 'function', callId: 'c1' }
  ],
  [
    'function_call in progress with whole arguments',
    { type: 'function_call', call_id: 'c1', name: 'pay', arguments: '{"a":1}', status: 'in_progress' },
    { kind: 'call', namespace: 'function', callId: 'c1', execution: 'running' }
  ],
  [
    'function_call whose arguments are still streaming',
    { type: 'function_call', call_id: 'c1', name: 'pay', arguments: '{"a":', status: 'in_progress' },
    { kind: 'call', namespace: 'function', callId: 'c1', partial: true }
  ],
  [
    'function_call that was cut off',
    { type: 'function_call', call_id: 'c1', name: 'pay', arguments: '{}', status: 'incomplete' },
    { kind: 'call', namespace: 'function', callId: 'c1', partial: true }
  ],
  [
    'function_call made by a program',
    {
      type: 'function_call',
      call_id: 'c1',
      name: 'pay',
      arguments: '{}',
      caller: { type: 'program', caller_id: 'p1' }
    },
    { kind: 'call', namespace: 'function', callId: 'c1', parent: 'p1' }
  ],
  [
    'function_call made directly',
    { type: 'function_call', call_id: 'c1', name: 'pay', arguments: '{}', caller: { type: 'direct' } },
    { kind: 'call', namespace: 'function', callId: 'c1' }
  ],
  [
    'function_call_output',
    { type: 'function_call_output', id: 'fco_1', call_id: 'c1', output: 'paid' },
    { kind: 'output', namespace: 'function', id: 'fco_1', callId: 'c1' }
  ],
  [
    'function_call_output in progress',
    { type: 'function_call_output', call_id: 'c1', output: '', status: 'in_progress' },
    { kind: 'output', namespace: 'function', callId: 'c1', execution: 'pending' }
  ],
  [
    'function_call_output that was cut off',
    { type: 'function_call_output', call_id: 'c1', output: '', status: 'incomplete' },
    { kind: 'output', namespace: 'function', callId: 'c1', execution: 'interrupted' }
  ],
  [
    'custom_tool_call',
    { type: 'custom_tool_call', id: 'ctc_1', call_id: 'c1', name: 'grep', input: 'x' },
    { kind: 'call', namespace: 'custom', id: 'ctc_1', callId: 'c1' }
  ],
  [
    'custom_tool_call in progress',
    { type: 'custom_tool_call', call_id: 'c1', name: 'grep', input: 'x', status: 'in_progress' },
    { kind: 'call', namespace: 'custom', callId: 'c1', partial: true }
  ],
  [
    'custom_tool_call_output',
    { type: 'custom_tool_call_output', call_id: 'c1', output: 'found' },
    { kind: 'output', namespace: 'custom', callId: 'c1' }
  ],
  [
    'shell_call in progress, as the API hands it to a runner',
    { type: 'shell_call', id: 'sh_1', call_id: 'c1', action, status: 'in_progress', environment: null },
    { kind: 'call', namespace: 'shell', id: 'sh_1', callId: 'c1', execution: 'running' }
  ],
  [
    'shell_call whose commands are still streaming',
    { type: 'shell_call', call_id: 'c1', action: { commands: [] }, status: 'in_progress' },
    { kind: 'call', namespace: 'shell', callId: 'c1', partial: true }
  ],
  [
    'shell_call on the local machine',
    { type: 'shell_call', call_id: 'c1', action, status: 'completed', environment: { type: 'local' } },
    { kind: 'call', namespace: 'shell', callId: 'c1' }
  ],
  [
    'shell_call in a container',
    {
      type: 'shell_call',
      call_id: 'c1',
      action,
      status: 'completed',
      environment: { type: 'container_reference', container_id: 'k' }
    },
    { kind: 'call', namespace: 'shell', executor: 'provider', callId: 'c1' }
  ],
  [
    'shell_call_output',
    { type: 'shell_call_output', call_id: 'c1', output: [] },
    { kind: 'output', namespace: 'shell', callId: 'c1' }
  ],
  [
    'local_shell_call',
    {
      type: 'local_shell_call',
      id: 'lsh_1',
      call_id: 'c1',
      action: { type: 'exec', command: ['ls'], env: {} },
      status: 'completed'
    },
    { kind: 'call', namespace: 'local-shell', id: 'lsh_1', callId: 'c1' }
  ],
  [
    'local_shell_call with an id only',
    {
      type: 'local_shell_call',
      id: 'lsh_1',
      action: { type: 'exec', command: ['ls'], env: {} },
      status: 'in_progress'
    },
    { kind: 'call', namespace: 'local-shell', callId: 'lsh_1', execution: 'running' }
  ],
  [
    'local_shell_call_output with an id only',
    { type: 'local_shell_call_output', id: 'c1', output: '' },
    { kind: 'output', namespace: 'local-shell', callId: 'c1' }
  ],
  [
    'local_shell_call_output with a call id',
    { type: 'local_shell_call_output', id: 'lsh_1', call_id: 'c1', output: '' },
    { kind: 'output', namespace: 'local-shell', callId: 'c1' }
  ],
  [
    'apply_patch_call',
    {
      type: 'apply_patch_call',
      call_id: 'c1',
      status: 'in_progress',
      operation: { type: 'create_file', path: 'a', diff: '+a' }
    },
    { kind: 'call', namespace: 'apply-patch', callId: 'c1', execution: 'running' }
  ],
  [
    'apply_patch_call whose diff has not begun',
    {
      type: 'apply_patch_call',
      call_id: 'c1',
      status: 'in_progress',
      operation: { type: 'create_file', path: 'a', diff: '' }
    },
    { kind: 'call', namespace: 'apply-patch', callId: 'c1', partial: true }
  ],
  [
    'apply_patch_call that deletes, which has no diff',
    {
      type: 'apply_patch_call',
      call_id: 'c1',
      status: 'in_progress',
      operation: { type: 'delete_file', path: 'a' }
    },
    { kind: 'call', namespace: 'apply-patch', callId: 'c1', execution: 'running' }
  ],
  [
    'apply_patch_call_output',
    { type: 'apply_patch_call_output', call_id: 'c1', status: 'failed', output: 'no such file' },
    { kind: 'output', namespace: 'apply-patch', callId: 'c1', execution: 'failed' }
  ],
  [
    'computer_call',
    {
      type: 'computer_call',
      id: 'cu_1',
      call_id: 'c1',
      action: { type: 'screenshot' },
      pending_safety_checks: [],
      status: 'completed'
    },
    { kind: 'call', namespace: 'computer', id: 'cu_1', callId: 'c1' }
  ],
  [
    'computer_call in progress with a list of actions',
    { type: 'computer_call', call_id: 'c1', actions: [{ type: 'wait' }], status: 'in_progress' },
    { kind: 'call', namespace: 'computer', callId: 'c1', execution: 'running' }
  ],
  [
    'computer_call in progress without an action',
    { type: 'computer_call', call_id: 'c1', status: 'in_progress' },
    { kind: 'call', namespace: 'computer', callId: 'c1', partial: true }
  ],
  [
    'computer_call_output',
    { type: 'computer_call_output', call_id: 'c1', output: { type: 'computer_screenshot', image_url: 'x' } },
    { kind: 'output', namespace: 'computer', callId: 'c1' }
  ],
  [
    'tool_search_call of a client',
    {
      type: 'tool_search_call',
      id: 'ts_1',
      call_id: 'c1',
      execution: 'client',
      arguments: {},
      status: 'completed'
    },
    { kind: 'call', namespace: 'tool-search', id: 'ts_1', callId: 'c1' }
  ],
  [
    'tool_search_call of a server, without a call id',
    {
      type: 'tool_search_call',
      id: 'ts_1',
      call_id: null,
      execution: 'server',
      arguments: {},
      status: 'completed'
    },
    { kind: 'call', namespace: 'tool-search', executor: 'provider', id: 'ts_1' }
  ],
  [
    'tool_search_call with neither, which a server ran',
    { type: 'tool_search_call', arguments: {} },
    { kind: 'call', namespace: 'tool-search', executor: 'provider' }
  ],
  [
    'tool_search_call in progress with its arguments',
    { type: 'tool_search_call', call_id: 'c1', arguments: { q: 'x' }, status: 'in_progress' },
    { kind: 'call', namespace: 'tool-search', callId: 'c1', execution: 'running' }
  ],
  [
    'tool_search_call whose arguments have not begun',
    { type: 'tool_search_call', call_id: 'c1', arguments: '', status: 'in_progress' },
    { kind: 'call', namespace: 'tool-search', callId: 'c1', partial: true }
  ],
  [
    'tool_search_output of a client',
    { type: 'tool_search_output', call_id: 'c1', execution: 'client', tools: [] },
    { kind: 'output', namespace: 'tool-search', callId: 'c1' }
  ],
  [
    'tool_search_output of a server',
    { type: 'tool_search_output', call_id: null, execution: 'server', tools: [] },
    { kind: 'output', namespace: 'tool-search', origin: 'model' }
  ],
  [
    'program',
    { type: 'program', id: 'prog_1', call_id: 'p1', code: '', fingerprint: 'f' },
    { kind: 'call', namespace: 'program', executor: 'provider', id: 'prog_1', callId: 'p1' }
  ],
  [
    'program_output',
    { type: 'program_output', id: 'po_1', call_id: 'p1', result: '', status: 'completed' },
    { kind: 'output', origin: 'model', namespace: 'program', id: 'po_1', callId: 'p1' }
  ],
  [
    'program_output that did not complete, which is a result all the same',
    { type: 'program_output', id: 'po_1', call_id: 'p1', result: '', status: 'incomplete' },
    {
      kind: 'output',
      origin: 'model',
      namespace: 'program',
      id: 'po_1',
      callId: 'p1',
      execution: 'interrupted'
    }
  ],
  [
    'mcp_approval_request',
    { type: 'mcp_approval_request', id: 'mcpr_1', arguments: '{}', name: 'pay', server_label: 's' },
    { kind: 'approval', origin: 'model', namespace: 'mcp', callId: 'mcpr_1' }
  ],
  [
    'mcp_approval_response',
    { type: 'mcp_approval_response', id: 'mcpa_1', approval_request_id: 'mcpr_1', approve: true },
    { kind: 'approval', namespace: 'mcp', id: 'mcpa_1', callId: 'mcpr_1' }
  ],
  [
    'mcp_call that was approved',
    { type: 'mcp_call', id: 'mcp_1', approval_request_id: 'mcpr_1', output: 'paid', status: 'completed' },
    {
      kind: 'call',
      selfContained: true,
      executor: 'provider',
      namespace: 'mcp',
      id: 'mcp_1',
      callId: 'mcpr_1'
    }
  ],
  [
    'mcp_call without a status or an approval',
    { type: 'mcp_call', id: 'mcp_1', arguments: '{}', name: 'pay', server_label: 's' },
    { kind: 'call', selfContained: true, executor: 'provider', namespace: 'mcp', id: 'mcp_1' }
  ],
  [
    'mcp_call that was called and not answered',
    { type: 'mcp_call', id: 'mcp_1', output: null, error: null, status: 'calling' },
    { kind: 'call', selfContained: true, executor: 'provider', namespace: 'mcp', id: 'mcp_1', partial: true }
  ],
  [
    'web_search_call',
    { type: 'web_search_call', id: 'ws_1', status: 'completed', action: {} },
    { kind: 'call', selfContained: true, executor: 'provider', id: 'ws_1' }
  ],
  [
    'web_search_call that still searches',
    { type: 'web_search_call', id: 'ws_1', status: 'searching', action: {} },
    { kind: 'call', selfContained: true, executor: 'provider', id: 'ws_1', partial: true }
  ],
  [
    'file_search_call that failed',
    { type: 'file_search_call', id: 'fs_1', status: 'failed', queries: [] },
    { kind: 'call', selfContained: true, executor: 'provider', id: 'fs_1' }
  ],
  [
    'code_interpreter_call that was cut off',
    { type: 'code_interpreter_call', id: 'ci_1', status: 'incomplete', outputs: [] },
    { kind: 'call', selfContained: true, executor: 'provider', id: 'ci_1', partial: true }
  ],
  [
    'image_generation_call that holds its image',
    { type: 'image_generation_call', id: 'ig_1', status: 'generating', result: 'aGk=' },
    { kind: 'call', selfContained: true, executor: 'provider', id: 'ig_1' }
  ],
  [
    'image_generation_call without its image',
    { type: 'image_generation_call', id: 'ig_1', status: 'generating', result: null },
    { kind: 'call', selfContained: true, executor: 'provider', id: 'ig_1', partial: true }
  ],
  ['mcp_list_tools', { type: 'mcp_list_tools', id: 'mcpl_1', tools: [] }, { kind: 'context', id: 'mcpl_1' }],
  ['additional_tools', { type: 'additional_tools', role: 'developer', tools: [] }, { kind: 'context' }],
  [
    'compaction',
    { type: 'compaction', id: 'cmp_1', encrypted_content: 'x' },
    { kind: 'compaction', id: 'cmp_1' }
  ],
  ['compaction_trigger', { type: 'compaction_trigger' }, { kind: 'marker' }]
]

describe('the responses dialect reads', () => {
  test.each(types)('%s', (_name, raw, item) => {
    const decoded = read(deepFreeze(raw))
    expect(decoded.items).toEqual([item])
    expect(decoded.notices).toEqual([])
    expect(decoded.raws[0]).toBe(raw)
  })

  test('placeholder ids as no ids', () => {
    const { items, notices } = read(
      { ...text('assistant'), id: '__fake_id__' },
      { ...text('assistant'), id: '__fake_id__' },
      { ...text('assistant'), id: '' }
    )
    expect(items).toEqual([{ kind: 'message' }, { kind: 'message' }, { kind: 'message' }])
    expect(notices).toEqual([])
  })
})

describe('the responses dialect joins', () => {
  const namespaces = (...raws: ReadonlyArray<unknown>) =>
    read(...raws).items.map((item) => ('callId' in item ? [item.namespace, item.callId] : item.kind))

  test('equal call ids of two families in two namespaces (PAIR-4)', () => {
    expect(
      namespaces(
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
        { type: 'custom_tool_call', call_id: 'c', name: 'g', input: '' },
        { type: 'custom_tool_call_output', call_id: 'c', output: '' },
        { type: 'function_call_output', call_id: 'c', output: '' }
      )
    ).toEqual([
      ['function', 'c'],
      ['custom', 'c'],
      ['custom', 'c'],
      ['function', 'c']
    ])
  })

  test('a local shell output that names the item with the call of that item', () => {
    expect(
      namespaces(
        { type: 'local_shell_call', id: 'lsh_1', call_id: 'c1', action: { command: ['ls'] } },
        { type: 'local_shell_call_output', id: 'lsh_1', output: '' }
      )
    ).toEqual([
      ['local-shell', 'c1'],
      ['local-shell', 'c1']
    ])
  })

  test('a function output with the local shell call of its call id, when no function call has it', () => {
    const shell = { type: 'local_shell_call', id: 'lsh_1', call_id: 'c1', action: { command: ['ls'] } }
    const output = { type: 'function_call_output', call_id: 'c1', output: '' }
    expect(namespaces(shell, output)[1]).toEqual(['local-shell', 'c1'])
    const call = { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' }
    expect(namespaces(shell, call, output)[2]).toEqual(['function', 'c1'])
    expect(namespaces(output, shell)[0]).toEqual(['function', 'c1'])
  })

  test('the output of a shell in a container as the own result of the provider', () => {
    const environment = { type: 'container_reference', container_id: 'k' }
    const { items } = read(
      { type: 'shell_call', call_id: 'c1', action, environment },
      { type: 'shell_call_output', call_id: 'c1', output: [] }
    )
    expect(items[1]).toEqual({ kind: 'output', origin: 'model', namespace: 'shell', callId: 'c1' })
  })

  test("the output of a local shell as the runner's, though a container had the same call id before", () => {
    const environment = { type: 'container_reference', container_id: 'k' }
    const output = { type: 'shell_call_output', call_id: 'c1', output: [] }
    const { items } = read(
      { type: 'shell_call', call_id: 'c1', action, environment },
      output,
      { type: 'shell_call', call_id: 'c1', action },
      output
    )
    expect(items.map((item) => item.origin)).toEqual([undefined, 'model', undefined, undefined])
  })

  test('a search output with the executor of its call when it does not say who ran it', () => {
    const { items } = read(
      { type: 'tool_search_call', call_id: 'c1', execution: 'server', arguments: {} },
      { type: 'tool_search_output', call_id: 'c1', tools: [] }
    )
    expect(items[1]).toEqual({ kind: 'output', origin: 'model', namespace: 'tool-search', callId: 'c1' })
  })

  test('call ids that are names of the prototype', () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
    const raws = names.flatMap((name) => [
      { type: 'function_call', id: `i${name}`, call_id: name, name: 'f', arguments: '{}' },
      { type: 'function_call_output', id: name, call_id: name, output: '' }
    ])
    const { items, notices } = read(...raws)
    expect(items.map((item) => ('callId' in item ? item.callId : ''))).toEqual(names.flatMap((n) => [n, n]))
    expect(notices).toEqual([])
  })
})

describe('the responses dialect reports', () => {
  const odd: ReadonlyArray<
    readonly [name: string, raw: unknown, item: Item, kinds: string[], paths: string[]]
  > = [
    [
      'an unknown type (ITEM-9)',
      { type: 'hologram', id: 'h' },
      { kind: 'unclassified', id: 'h' },
      ['unclassified'],
      ['[0].type']
    ],
    [
      'a type named constructor',
      { type: 'constructor' },
      { kind: 'unclassified' },
      ['unclassified'],
      ['[0].type']
    ],
    [
      'a type named __proto__',
      { type: '__proto__' },
      { kind: 'unclassified' },
      ['unclassified'],
      ['[0].type']
    ],
    [
      'an item reference',
      { type: 'item_reference', id: 'm' },
      { kind: 'unclassified', id: 'm' },
      ['unclassified'],
      ['[0].type']
    ],
    [
      'an item reference without a type',
      { id: 'm' },
      { kind: 'unclassified', id: 'm' },
      ['unclassified'],
      ['[0].type']
    ],
    ['an object with nothing', {}, { kind: 'unclassified' }, ['unclassified'], ['[0].type']],
    ['null', null, { kind: 'unclassified' }, ['unclassified'], ['[0]']],
    ['a hole', undefined, { kind: 'unclassified' }, ['unclassified'], ['[0]']],
    ['a string', 'hello', { kind: 'unclassified' }, ['unclassified'], ['[0]']],
    ['a list', [], { kind: 'unclassified' }, ['unclassified'], ['[0]']],
    [
      'a type that is no string',
      { type: 7, role: 'user' },
      { kind: 'message', origin: 'user' },
      ['wrong-field'],
      ['[0].type']
    ],
    [
      'a role that nobody has',
      { ...text('critic') },
      { kind: 'unclassified' },
      ['unclassified'],
      ['[0].role']
    ],
    [
      'a message without a role',
      { type: 'message' },
      { kind: 'unclassified' },
      ['unclassified'],
      ['[0].role']
    ],
    [
      'a call without a call id (ITEM-5)',
      { type: 'function_call', id: 'fc', name: 'f', arguments: '{}' },
      { kind: 'unclassified', id: 'fc' },
      ['missing-call-id'],
      ['[0].call_id']
    ],
    [
      'a call id that is a number',
      { type: 'function_call', call_id: 7, name: 'f', arguments: '{}' },
      { kind: 'unclassified' },
      ['wrong-field', 'missing-call-id'],
      ['[0].call_id', '[0].call_id']
    ],
    [
      'an output without a call id',
      { type: 'function_call_output', output: '' },
      { kind: 'output', namespace: 'function' },
      ['missing-call-id'],
      ['[0].call_id']
    ],
    [
      'an approval request without an id',
      { type: 'mcp_approval_request' },
      { kind: 'approval', origin: 'model', namespace: 'mcp' },
      ['missing-call-id'],
      ['[0].id']
    ],
    [
      'a status and an id that do not fit, and reads the rest',
      { type: 'reasoning', id: {}, status: 3 },
      { kind: 'reasoning', signature: 'missing' },
      ['wrong-field', 'wrong-field'],
      ['[0].id', '[0].status']
    ]
  ]
  test.each(odd)('%s', (_name, raw, item, kinds, paths) => {
    const after = { type: 'reasoning', id: 'rs_after' }
    const { items, notices, raws } = read(deepFreeze(raw), after)
    expect(items).toEqual([item, { kind: 'reasoning', id: 'rs_after', signature: 'missing' }])
    expect(notices.map((notice) => notice.kind)).toEqual(kinds)
    expect(notices.map((notice) => notice.path)).toEqual(paths)
    expect(notices.every((notice) => notice.position === 0)).toBe(true)
    expect(raws[0]).toBe(raw)
  })

  test('a repeated id, and keeps both items', () => {
    const { items, notices } = read(
      { type: 'reasoning', id: 'rs' },
      { ...text('assistant'), id: 'm' },
      { type: 'reasoning', id: 'rs' }
    )
    expect(items.map((item) => item.id)).toEqual(['rs', 'm', 'rs'])
    expect(notices).toEqual([
      {
        kind: 'repeated-id',
        position: 2,
        path: '[2]',
        message: '[2]: expected an id of its own, found the id of [0]'
      }
    ])
  })

  test('never what an item says', () => {
    const secret = 'sk-very-secret '.repeat(20)
    const { notices } = read(
      { type: secret },
      { type: 'message', role: secret },
      { type: 'reasoning', id: [secret] }
    )
    expect(notices).toHaveLength(3)
    expect(JSON.stringify(notices)).not.toContain('secret')
  })

  test.each([
    ['an object', { input: [] }, 'an object'],
    ['nothing', undefined, 'nothing'],
    ['null', null, 'null'],
    ['a string', '[]', 'a string']
  ])('%s instead of a list as an error that names what came', (_name, input, received) => {
    expect(responses.decode(input)).toEqual({
      _tag: 'Left',
      left: {
        kind: 'decode',
        path: '',
        expected: 'a list of items',
        received,
        message: `Expected a list of items, received ${received}.`
      }
    })
  })
})

const call = (type: string, more: object = {}) => ({ type, id: `${type}_id`, call_id: 'c1', ...more })
const pixel = expect.stringMatching(/^data:image\/png;base64,/)
const caller = { type: 'program', caller_id: 'p1' } as const

/** The API wants `call_id`, whatever the declared type says; the Python SDK sends the same. */
const localShellOutput = (callId: string): ResponseInputItem => {
  const output: unknown = { type: 'local_shell_call_output', call_id: callId, output: 'WORDS' }
  return output as ResponseInputItem
}

const closings: ReadonlyArray<readonly [type: string, call: object, output: ResponseInputItem]> = [
  [
    'function_call',
    call('function_call', { name: 'f', arguments: '{}' }),
    { type: 'function_call_output', call_id: 'c1', output: 'WORDS' }
  ],
  [
    'function_call of a program',
    call('function_call', { name: 'f', arguments: '{}', caller }),
    { type: 'function_call_output', call_id: 'c1', output: 'WORDS', caller }
  ],
  [
    'custom_tool_call',
    call('custom_tool_call', { name: 'f', input: '' }),
    { type: 'custom_tool_call_output', call_id: 'c1', output: 'WORDS' }
  ],
  [
    'shell_call',
    call('shell_call', { action }),
    {
      type: 'shell_call_output',
      call_id: 'c1',
      max_output_length: 100,
      output: [{ stdout: '', stderr: 'WORDS', outcome: { type: 'exit', exit_code: 1 } }]
    }
  ],
  ['local_shell_call', call('local_shell_call', { action: { command: ['ls'] } }), localShellOutput('c1')],
  [
    'local_shell_call with an id only',
    { type: 'local_shell_call', id: 'lsh_1', action: { command: ['ls'] } },
    localShellOutput('lsh_1')
  ],
  [
    'apply_patch_call',
    call('apply_patch_call', { operation: { type: 'delete_file', path: 'a' } }),
    { type: 'apply_patch_call_output', call_id: 'c1', status: 'failed', output: 'WORDS' }
  ],
  [
    'computer_call',
    call('computer_call', { action: { type: 'wait' } }),
    {
      type: 'computer_call_output',
      call_id: 'c1',
      output: { type: 'computer_screenshot', image_url: pixel }
    }
  ],
  [
    'tool_search_call',
    call('tool_search_call', { execution: 'client', arguments: {} }),
    { type: 'tool_search_output', call_id: 'c1', execution: 'client', status: 'incomplete', tools: [] }
  ],
  [
    'tool_search_call without a call id',
    { type: 'tool_search_call', execution: 'server', arguments: {} },
    { type: 'tool_search_output', call_id: null, execution: 'server', status: 'incomplete', tools: [] }
  ],
  [
    'program',
    call('program', { code: '', fingerprint: '' }),
    { type: 'program_output', id: 'prog_out_c1', call_id: 'c1', result: 'WORDS', status: 'incomplete' }
  ]
]

describe('the responses dialect closes', () => {
  test.each(closings)('%s with an output that answers it', (_name, raw, output) => {
    const worded = responses.withWording({ skipped: 'WORDS' })
    const closing = closeOne(worded, deepFreeze(raw), 'skipped')
    expect(closing).toEqual(output)
    const [read0, read1] = reread(responses, [raw, closing])
    expect(read1).toMatchObject({
      kind: 'output',
      namespace: read0 && 'namespace' in read0 ? read0.namespace : ''
    })
    expect(read1 && 'callId' in read1 ? read1.callId : undefined).toBe(
      read0 && 'callId' in read0 ? read0.callId : undefined
    )
  })

  test('in plain words that say no more than is known', () => {
    const raw = call('function_call', { name: 'f', arguments: '{}' })
    const words = (as: 'interrupted' | 'skipped' | 'denied' | 'failed') =>
      (closeOne(responses, raw, as) as { output: string }).output
    expect(words('interrupted')).toMatch(/may have run/)
    expect(words('interrupted')).toMatch(/check/i)
    expect(words('skipped')).toMatch(/not executed/)
    expect(words('denied')).toMatch(/refused/)
    expect(words('failed')).toMatch(/failed/)
  })

  test('an interrupted shell as timed out', () => {
    expect(closeOne(responses, call('shell_call', { action }), 'interrupted')).toMatchObject({
      output: [{ outcome: { type: 'timeout' } }]
    })
  })

  test('a computer call with a picture that can be decoded', () => {
    const { output } = closeOne(responses, call('computer_call', { action: {} }), 'denied') as {
      output: { image_url: string }
    }
    const png = Buffer.from(output.image_url.split(',')[1] ?? '', 'base64')
    expect([...png.subarray(1, 4)].map((byte) => String.fromCharCode(byte)).join('')).toBe('PNG')
    const at = png.indexOf('IDAT')
    const length = png.readUInt32BE(at - 4)
    expect([...inflateSync(png.subarray(at + 4, at + 4 + length))]).toEqual([0, 0, 0, 0, 0])
  })
})

const secret = 'the rejected text'
const redactions: ReadonlyArray<readonly [type: string, output: object, redacted: ResponseInputItem]> = [
  [
    'function_call_output',
    {
      type: 'function_call_output',
      id: 'o',
      call_id: 'c1',
      output: [{ type: 'input_text', text: secret }],
      caller
    },
    { type: 'function_call_output', id: 'o', call_id: 'c1', output: 'WORDS', caller }
  ],
  [
    'custom_tool_call_output',
    { type: 'custom_tool_call_output', call_id: 'c1', output: secret },
    { type: 'custom_tool_call_output', call_id: 'c1', output: 'WORDS' }
  ],
  [
    'shell_call_output',
    {
      type: 'shell_call_output',
      call_id: 'c1',
      max_output_length: 9,
      output: [
        { stdout: secret, stderr: secret, outcome: { type: 'exit', exit_code: 0 } },
        { stdout: secret, stderr: '', outcome: { type: 'exit', exit_code: 3 } }
      ],
      shell_output: secret
    },
    {
      type: 'shell_call_output',
      call_id: 'c1',
      max_output_length: 9,
      output: [{ stdout: 'WORDS', stderr: '', outcome: { type: 'exit', exit_code: 3 } }]
    }
  ],
  [
    'shell_call_output that timed out',
    {
      type: 'shell_call_output',
      call_id: 'c1',
      output: [{ stdout: secret, stderr: '', outcome: { type: 'timeout' } }]
    },
    {
      type: 'shell_call_output',
      call_id: 'c1',
      output: [{ stdout: 'WORDS', stderr: '', outcome: { type: 'timeout' } }]
    }
  ],
  [
    'shell_call_output that does not say how it ended',
    { type: 'shell_call_output', call_id: 'c1', output: secret },
    {
      type: 'shell_call_output',
      call_id: 'c1',
      output: [{ stdout: 'WORDS', stderr: '', outcome: { type: 'exit', exit_code: 1 } }]
    }
  ],
  [
    'local_shell_call_output',
    { type: 'local_shell_call_output', id: 'c1', output: secret },
    { type: 'local_shell_call_output', id: 'c1', output: 'WORDS' }
  ],
  [
    'apply_patch_call_output',
    { type: 'apply_patch_call_output', call_id: 'c1', status: 'completed', output: secret },
    { type: 'apply_patch_call_output', call_id: 'c1', status: 'completed', output: 'WORDS' }
  ],
  [
    'computer_call_output',
    {
      type: 'computer_call_output',
      call_id: 'c1',
      acknowledged_safety_checks: [{ id: 's' }],
      output: { type: 'computer_screenshot', image_url: secret }
    },
    {
      type: 'computer_call_output',
      call_id: 'c1',
      acknowledged_safety_checks: [{ id: 's' }],
      output: { type: 'computer_screenshot', image_url: pixel }
    }
  ],
  [
    'tool_search_output',
    { type: 'tool_search_output', call_id: 'c1', execution: 'client', tools: [{ name: secret }] },
    { type: 'tool_search_output', call_id: 'c1', execution: 'client', tools: [] }
  ],
  [
    'program_output',
    { type: 'program_output', id: 'po', call_id: 'p1', result: secret, status: 'completed' },
    { type: 'program_output', id: 'po', call_id: 'p1', result: 'WORDS', status: 'completed' }
  ]
]

describe('the responses dialect redacts', () => {
  test.each(redactions)('%s', (_name, raw, redacted) => {
    const item = reread(responses, [raw])[0] as Item
    const written = responses.withWording({ redacted: 'WORDS' }).redact(deepFreeze(raw), item)
    expect(written).toEqual(redacted)
    expect(JSON.stringify(written)).not.toContain(secret)
    expect(reread(responses, [written])).toEqual([item])
  })

  test('unknown fields that could carry text, and keeps those that cannot', () => {
    const raw = {
      type: 'function_call_output',
      call_id: 'c1',
      output: secret,
      x_mirror: secret,
      x_list: [secret],
      x_count: 3,
      x_flag: true
    }
    const written = responses.redact(raw, reread(responses, [raw])[0] as Item)
    expect(written).toMatchObject({ x_count: 3, x_flag: true })
    expect(JSON.stringify(written)).not.toContain(secret)
  })
})

describe('the responses dialect strips', () => {
  test('the id and nothing else, and shares what it does not change', () => {
    const content = [{ type: 'output_text', text: 'hi' }]
    const raw = deepFreeze({ ...text('assistant'), id: 'm', content, x_own: { a: 1 } })
    const item = reread(responses, [raw])[0] as Item
    const written = responses.stripId(raw, item)
    expect(written).toEqual({ type: 'message', role: 'assistant', content, x_own: { a: 1 } })
    expect((written as unknown as typeof raw).content).toBe(raw.content)
    expect(raw.id).toBe('m')
  })

  test('nothing where there is no id, or where the id is what joins', () => {
    for (const raw of [
      text('assistant'),
      { type: 'local_shell_call', id: 'lsh_1', action: { command: ['ls'] } },
      { type: 'mcp_approval_request', id: 'mcpr_1' }
    ]) {
      expect(responses.stripId(raw, reread(responses, [raw])[0] as Item)).toBe(raw)
    }
  })

  test('a call of its id and leaves the call id', () => {
    const raw = call('function_call', { name: 'f', arguments: '{}' })
    expect(responses.stripId(raw, reread(responses, [raw])[0] as Item)).toEqual({
      type: 'function_call',
      call_id: 'c1',
      name: 'f',
      arguments: '{}'
    })
  })
})

describe('the responses dialect leaves alone', () => {
  test('a __proto__ field, which is copied as a field', () => {
    const raw = JSON.parse(
      '{"type":"message","role":"assistant","id":"m","content":"x","__proto__":{"role":"user","polluted":true}}'
    ) as object
    const decoded = read(raw)
    expect(decoded.items).toEqual([{ kind: 'message', id: 'm' }])
    const written = responses.stripId(raw, decoded.items[0] as Item)
    expect(Object.getPrototypeOf(written)).toBe(Object.prototype)
    expect(Object.keys(written)).toContain('__proto__')
    expect(({} as { polluted?: true }).polluted).toBeUndefined()
  })

  test('a cyclic value', () => {
    const raw: Record<string, unknown> = {
      type: 'function_call_output',
      call_id: 'c1',
      output: 'x',
      x_count: 1
    }
    raw['self'] = raw
    raw['caller'] = raw
    const decoded = read(raw)
    expect(decoded.items).toEqual([{ kind: 'output', namespace: 'function', callId: 'c1' }])
    expect(responses.redact(raw, decoded.items[0] as Item)).toMatchObject({ x_count: 1, caller: raw })
  })

  test('the list it was given', () => {
    const raws = deepFreeze([text('user'), text('assistant')])
    const decoded = decodeOrThrow(responses, raws)
    expect(decoded.raws).toBe(raws)
  })
})

describe('the responses dialect with a host type', () => {
  const acme = { type: 'acme_call', id: 'a', call_id: 'c1', name: 'x' }

  test('reads it, and can read the closing that it writes', () => {
    const extended = responses.with({ acme_call: 'call' })
    const closing = closeOne(extended, acme, 'interrupted')
    expect(closing).toEqual({ type: 'acme_call_output', call_id: 'c1', output: expect.any(String) })
    expect(reread(extended, [acme, closing])).toEqual([
      { kind: 'call', namespace: 'acme_call', id: 'a', callId: 'c1' },
      { kind: 'output', namespace: 'acme_call', callId: 'c1' }
    ])
    expect(reread(responses, [acme])).toEqual([{ kind: 'unclassified', id: 'a' }])
  })

  test('closes with the output type that the host declares for the family', () => {
    const extended = responses.with({
      acme_call: { kind: 'call', namespace: 'acme' },
      acme_done: { kind: 'output', namespace: 'acme' }
    })
    expect(closeOne(extended, acme, 'denied')).toMatchObject({ type: 'acme_done', call_id: 'c1' })
  })

  test('leaves the origin that the host declares, and an output type that it declares as something else', () => {
    const extended = responses.with({
      acme_call: { kind: 'call', namespace: 'acme', executor: 'provider' },
      acme_done: { kind: 'output', namespace: 'acme', origin: 'runner' },
      other_call: 'call',
      other_call_output: 'context'
    })
    const types = ['acme_call', 'acme_done', 'other_call_output']
    expect(
      reread(
        extended,
        types.map((type) => ({ type, call_id: 'c1' }))
      )
    ).toEqual([
      { kind: 'call', namespace: 'acme', executor: 'provider', callId: 'c1' },
      { kind: 'output', namespace: 'acme', origin: 'runner', callId: 'c1' },
      { kind: 'context' }
    ])
  })

  test('gives no output to a call that carries its own result', () => {
    const extended = responses.with({
      acme_call: { kind: 'call', namespace: 'acme', executor: 'provider', selfContained: true },
      acme_done: { kind: 'output', namespace: 'acme' }
    })
    const items = reread(extended, [
      { type: 'acme_call', call_id: 'c1' },
      { type: 'acme_done', call_id: 'c1' }
    ])
    expect(items[1]).toEqual({ kind: 'output', namespace: 'acme', callId: 'c1' })
  })

  test('takes the object form with all that an item can say', () => {
    const extended = responses.with({
      acme_lookup: { kind: 'call', selfContained: true, executor: 'provider' },
      acme_note: { kind: 'message', origin: 'runner' },
      acme_said: 'message'
    })
    expect(
      reread(extended, [
        { type: 'acme_lookup', id: 'l', status: 'running' },
        { type: 'acme_note' },
        { type: 'acme_said', role: 'user' },
        { type: 'acme_said' }
      ])
    ).toEqual([
      { kind: 'call', selfContained: true, executor: 'provider', id: 'l', partial: true },
      { kind: 'message', origin: 'runner' },
      { kind: 'message', origin: 'user' },
      { kind: 'message' }
    ])
  })

  test('keeps the meaning of its own types and says so once', () => {
    const extended = responses.with({ function_call: 'context', acme_call: 'call' })
    const raw = { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' }
    for (const attempt of [1, 2]) {
      const { items, notices } = decodeOrThrow(extended, [raw, { ...raw, call_id: `d${attempt}` }])
      expect(items.map((item) => item.kind)).toEqual(['call', 'call'])
      expect(notices.map((notice) => [notice.kind, notice.path])).toEqual([['wrong-field', '[0].type']])
    }
  })

  test('is inert for names of the prototype', () => {
    const declared = JSON.parse('{"__proto__":"call","constructor":"message"}') as Record<string, 'call'>
    expect(
      reread(responses.with(declared), [{ type: '__proto__', call_id: 'c' }, { type: 'constructor' }])
    ).toEqual([{ kind: 'call', namespace: '__proto__', callId: 'c' }, { kind: 'message' }])
  })

  test('leaves the dialect that it was made from as it was, wording included', () => {
    const extended = responses.withWording({ skipped: 'WORDS' }).with({ acme_call: 'call' })
    expect(closeOne(extended, acme, 'skipped')).toMatchObject({ output: 'WORDS' })
    expect(closeOne(responses.with({ acme_call: 'call' }), acme, 'skipped')).not.toMatchObject({
      output: 'WORDS'
    })
  })
})

describe('the cost of decoding', () => {
  test('a bounded number of reads for each field of each item, whatever the turn', () => {
    let most = 0
    const counted = (raw: Record<string, unknown>) => {
      const counts = new Map<PropertyKey, number>()
      return new Proxy(raw, {
        get: (target, key) => {
          const count = (counts.get(key) ?? 0) + 1
          counts.set(key, count)
          most = Math.max(most, count)
          return Reflect.get(target, key)
        }
      })
    }
    for (const size of [10, 1000]) {
      most = 0
      const raws: Array<unknown> = []
      for (let n = 0; n < size; n += 1) {
        raws.push(
          counted({ type: 'function_call', id: `f${n}`, call_id: `c${n}`, name: 'f', arguments: '{}' })
        )
      }
      for (let n = size - 1; n >= 0; n -= 1) {
        raws.push(counted({ type: 'function_call_output', call_id: `c${n}`, output: '' }))
      }
      const { items } = decodeOrThrow(responses, raws)
      expect(items).toHaveLength(size * 2)
      expect(most).toBeGreaterThan(0)
      expect(most).toBeLessThanOrEqual(6)
    }
  })
})
