/**
 * How does the Responses API spell its items, and what does it accept in place of an output?
 *
 * Law: field names, types, closings and redactions of Responses items, for every dialect that holds such items.
 *
 * Rules: ITEM-5, ITEM-9.
 */
import type { Item } from '../../core/item.js'
import type { ClosingExecution } from '../../ports/dialect.js'
import { isWire, type Wire } from './decode.js'
import { makeFieldChecker, object, text, textOf } from './fields.js'
import type { Memory } from './memory.js'
import type { Fields } from './read.js'
import { withoutPayload } from './rewrite.js'
import { providerRules, sharedRules, type TypeRule, type TypeTable } from './rules.js'

const ownRules: ReadonlyArray<readonly [string, TypeRule]> = [
  [
    'function_call_output',
    {
      kind: 'output',
      namespace: 'function',
      join: ['call-id'],
      status: 'output',
      answersAlso: ['handoff', 'local-shell'],
      note: 'also answers a handoff or a local shell call of its call id'
    }
  ],
  ['custom_tool_call', { kind: 'call', namespace: 'custom', join: ['call-id'], status: 'call' }],
  ['custom_tool_call_output', { kind: 'output', namespace: 'custom', join: ['call-id'], status: 'output' }],
  [
    'local_shell_call',
    {
      kind: 'call',
      namespace: 'local-shell',
      join: ['call-id', 'id'],
      status: 'call',
      isWhole: (body) => isWire(body['action']) && Array.isArray(body['action']['command']),
      note: 'without a call id its id is the callId'
    }
  ],
  [
    'local_shell_call_output',
    {
      kind: 'output',
      namespace: 'local-shell',
      join: ['call-id', 'id'],
      idNamesCall: true,
      status: 'output',
      note: 'its id names the call, by call id or item id'
    }
  ],
  ['computer_call_output', { kind: 'output', namespace: 'computer', join: ['call-id'], status: 'output' }],
  ['additional_tools', { kind: 'context' }],
  ['compaction_trigger', { kind: 'marker' }]
]

/** Every type of the Responses API; `item_reference` is left out on purpose: what it refers to is unknown here. */
export const responsesTypes: TypeTable = new Map([...sharedRules, ...providerRules, ...ownRules])

const checkFields = makeFieldChecker([
  text('type'),
  text('id'),
  text('call_id'),
  text('approval_request_id'),
  text('status'),
  text('role'),
  text('execution'),
  object('caller'),
  object('environment')
])

/** An id that stands for having none: written by SDKs for providers that give no ids. */
const placeholderIds: ReadonlySet<unknown> = new Set(['', '__fake_id__', 'FAKE_ID'])

/** A provider id, unless it is a placeholder. */
export const realId = (value: unknown): string | undefined =>
  typeof value === 'string' && !placeholderIds.has(value) ? value : undefined

/** The call id of the program in a `caller` field, in either spelling. */
export const programOf = (caller: unknown): string | undefined =>
  isWire(caller) && caller['type'] === 'program'
    ? (textOf(caller['callerId']) ?? textOf(caller['caller_id']))
    : undefined

/** Whether reasoning carries its encrypted content, which a provider that stores nothing needs. */
export const holdsSeal = (content: unknown): boolean => typeof content === 'string' && content !== ''

/** Reads the fields of a Responses item. */
export const readResponsesFields = (raw: Wire, memory: Memory, path: string): Fields => {
  checkFields(raw, memory, path)
  const environment = raw['environment']
  const role = textOf(raw['role'])
  const type = textOf(raw['type']) ?? (role === undefined ? undefined : 'message')
  return {
    type,
    body: raw,
    id: realId(raw['id']),
    callId: textOf(raw['call_id']),
    approvalRequestId: textOf(raw['approval_request_id']),
    status: textOf(raw['status']),
    role,
    program: programOf(raw['caller']),
    sealed: type === 'reasoning' ? holdsSeal(raw['encrypted_content']) : undefined,
    execution: textOf(raw['execution']),
    environment: isWire(environment) ? textOf(environment['type']) : undefined,
    refused: false,
    callIdName: 'call_id'
  }
}

/** One transparent pixel: the only thing that can stand where the API wants a screenshot. */
export const blankImage =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAAC0lEQVR42mNgAAIAAAUAAen63NgAAAAASUVORK5CYII='

const callerOf = (call: Wire): Wire => (isWire(call['caller']) ? { caller: call['caller'] } : {})

const maximumLengthOf = (call: Wire): Wire => {
  const action = call['action']
  const length = isWire(action) ? action['max_output_length'] : undefined
  return typeof length === 'number' ? { max_output_length: length } : {}
}

/** How a shell says that nothing came of a command: cut off, or ended with an error. */
const shellOutcome = (as: ClosingExecution): Wire =>
  as === 'interrupted' ? { type: 'timeout' } : { type: 'exit', exit_code: 1 }

/** A Responses output that closes a call. Complexity: constant. */
export const closeResponses = (
  type: string,
  call: Wire,
  item: Item,
  as: ClosingExecution,
  words: string
): Wire => {
  const callId = item.kind === 'call' ? item.callId : undefined
  const joined = callId === undefined ? {} : { call_id: callId }
  switch (type) {
    case 'custom_tool_call':
      return { type: 'custom_tool_call_output', ...joined, output: words, ...callerOf(call) }
    case 'local_shell_call':
      return { type: 'local_shell_call_output', ...joined, output: words }
    case 'shell_call':
      return {
        type: 'shell_call_output',
        ...joined,
        output: [{ stdout: '', stderr: words, outcome: shellOutcome(as) }],
        ...maximumLengthOf(call),
        ...callerOf(call)
      }
    case 'apply_patch_call':
      return {
        type: 'apply_patch_call_output',
        ...joined,
        status: 'failed',
        output: words,
        ...callerOf(call)
      }
    case 'computer_call':
      return {
        type: 'computer_call_output',
        ...joined,
        output: { type: 'computer_screenshot', image_url: blankImage }
      }
    case 'tool_search_call':
      return {
        type: 'tool_search_output',
        call_id: callId ?? null,
        execution: call['execution'] === 'server' ? 'server' : 'client',
        status: 'incomplete',
        tools: []
      }
    case 'program':
      return {
        type: 'program_output',
        id: `prog_out_${callId ?? ''}`,
        ...joined,
        result: words,
        status: 'incomplete'
      }
    case 'function_call':
      return { type: 'function_call_output', ...joined, output: words, ...callerOf(call) }
    default:
      return { type: `${type}_output`, ...joined, output: words, ...callerOf(call) }
  }
}

const structure: ReadonlySet<string> = new Set([
  'type',
  'id',
  'call_id',
  'callId',
  'status',
  'name',
  'namespace',
  'caller',
  'execution',
  'acknowledged_safety_checks',
  'created_by',
  'response_id'
])

/** How the last command of a shell output ended: a code is not the payload. Where it cannot be told, no success is invented. */
export const shellEndOf = (output: unknown, codeField: string): Wire => {
  const last: unknown = Array.isArray(output) ? output[output.length - 1] : undefined
  const outcome = isWire(last) ? last['outcome'] : undefined
  if (isWire(outcome) && outcome['type'] === 'timeout') return { type: 'timeout' }
  const code = isWire(outcome) ? outcome[codeField] : undefined
  return { type: 'exit', [codeField]: typeof code === 'number' ? code : 1 }
}

/** The same Responses output with a placeholder for its payload. Complexity: linear in its fields. */
export const redactResponses = (type: string, output: Wire, words: string): Wire => {
  switch (type) {
    case 'shell_call_output':
      return withoutPayload(output, structure, {
        output: [{ stdout: words, stderr: '', outcome: shellEndOf(output['output'], 'exit_code') }]
      })
    case 'computer_call_output':
      return withoutPayload(output, structure, {
        output: { type: 'computer_screenshot', image_url: blankImage }
      })
    case 'tool_search_output':
      return withoutPayload(output, structure, { tools: [] })
    case 'program_output':
      return withoutPayload(output, structure, { result: words })
    default:
      return withoutPayload(output, structure, { output: words })
  }
}
