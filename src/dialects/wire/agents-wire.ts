/**
 * How does the protocol of the JavaScript agents SDK spell its items, and what does it accept in place of an output?
 *
 * Law: field names, types, closings and redactions of protocol items. Hosted calls hide their Responses type in
 * `providerData`, and an `unknown` item is a Responses item as a whole.
 *
 * Rules: ITEM-5, ITEM-9.
 */
import type { Item } from '../../core/item.js'
import type { ClosingExecution } from '../../ports/dialect.js'
import { isWire, type Wire } from './decode.js'
import { makeFieldChecker, object, text, textOf } from './fields.js'
import type { Memory } from './memory.js'
import type { Fields } from './read.js'
import {
  blankImage,
  closeResponses,
  holdsSeal,
  programOf,
  readResponsesFields,
  realId,
  redactResponses,
  responsesTypes,
  shellEndOf
} from './responses-wire.js'
import { withFields, withoutField, withoutPayload } from './rewrite.js'
import { providerRules, type TypeRule, type TypeTable } from './rules.js'

const ownRules: ReadonlyArray<readonly [string, TypeRule]> = [
  [
    'function_call_result',
    {
      kind: 'output',
      namespace: 'function',
      join: ['call-id'],
      status: 'output',
      answersAlso: ['handoff'],
      note: 'also answers a handoff of its call id'
    }
  ],
  ['computer_call_result', { kind: 'output', namespace: 'computer', join: ['call-id'], status: 'output' }]
]

/** Protocol types, and the Responses types that `hosted_tool_call` and `unknown` items can hold. */
export const agentsTypes: TypeTable = new Map([...responsesTypes, ...ownRules])

const hostedTypes: ReadonlySet<string> = new Set(providerRules.map(([type]) => type))

const checkFields = makeFieldChecker([
  text('type'),
  text('id'),
  text('callId'),
  text('status'),
  text('role'),
  text('execution'),
  object('caller'),
  object('providerData')
])

const firstText = (...values: ReadonlyArray<unknown>): string | undefined => {
  for (const value of values) if (typeof value === 'string') return value
  return undefined
}

const hostedTypeOf = (name: string | undefined): string => {
  if (name === undefined) return 'hosted_tool_call'
  if (hostedTypes.has(name)) return name
  return hostedTypes.has(`${name}_call`) ? `${name}_call` : 'hosted_tool_call'
}

const isRejected = (output: unknown): boolean => {
  const provider = isWire(output) ? output['providerData'] : undefined
  return isWire(provider) && provider['approvalStatus'] === 'rejected'
}

const readHosted = (raw: Wire, provider: Wire, plain: Fields): Fields => ({
  ...plain,
  type: hostedTypeOf(firstText(provider['type'], raw['name'])),
  body: { output: raw['output'], result: raw['output'], error: provider['error'] },
  id: realId(provider['id']) ?? plain.id,
  approvalRequestId: firstText(provider['approval_request_id'], provider['approvalRequestId']),
  status: firstText(provider['status'], plain.status),
  callIdName: 'providerData.approval_request_id'
})

/** Reads the fields of a protocol item. */
export const readAgentsFields = (raw: Wire, memory: Memory, path: string): Fields => {
  checkFields(raw, memory, path)
  const given = raw['providerData']
  const provider: Wire = isWire(given) ? given : {}
  const role = textOf(raw['role'])
  const type = textOf(raw['type']) ?? (role === undefined ? undefined : 'message')
  const id = realId(raw['id'])
  if (type === 'unknown' && isWire(given)) {
    const inner = readResponsesFields(given, memory, `${path}.providerData`)
    return { ...inner, type: inner.type ?? type, id: id ?? inner.id }
  }
  const search = type === 'tool_search_call' || type === 'tool_search_output'
  const environment = provider['environment']
  const plain: Fields = {
    type,
    body: raw,
    id,
    callId: search
      ? firstText(raw['callId'], raw['call_id'], provider['call_id'], provider['callId'])
      : textOf(raw['callId']),
    approvalRequestId: undefined,
    status: firstText(raw['status'], provider['status']),
    role,
    program: programOf(raw['caller']),
    sealed:
      type === 'reasoning'
        ? holdsSeal(firstText(provider['encrypted_content'], raw['encrypted_content']))
        : undefined,
    execution: firstText(raw['execution'], provider['execution']),
    environment: isWire(environment) ? textOf(environment['type']) : undefined,
    refused: type === 'computer_call_result' && isRejected(raw['output']),
    callIdName: 'callId'
  }
  return type === 'hosted_tool_call' ? readHosted(raw, provider, plain) : plain
}

/**
 * The SDK marks what it has executed. An output item that has the mark's field, but not the mark, was refused: by an
 * approval, a tool guardrail, or the runner itself. Without the field nothing is known, and it counts as executed.
 */
export const refineAgents = (fields: Fields, wrapper: Wire): Fields =>
  fields.type === 'function_call_result' &&
  Object.hasOwn(wrapper, 'executionStatus') &&
  wrapper['executionStatus'] !== 'executed' &&
  (fields.status === undefined || fields.status === 'completed')
    ? { ...fields, refused: true }
    : fields

const callerOf = (call: Wire): Wire => (isWire(call['caller']) ? { caller: call['caller'] } : {})

const functionNameOf = (call: Wire): Wire => ({
  name: textOf(call['name']) ?? '',
  ...(typeof call['namespace'] === 'string' ? { namespace: call['namespace'] } : {})
})

const maximumLengthOf = (call: Wire): Wire => {
  const action = call['action']
  const length = isWire(action) ? action['maxOutputLength'] : undefined
  return typeof length === 'number' ? { maxOutputLength: length } : {}
}

const closeComputer = (joined: Wire, as: ClosingExecution, words: string): Wire => ({
  type: 'computer_call_result',
  ...joined,
  output: {
    type: 'computer_screenshot',
    data: blankImage,
    ...(as === 'denied' ? { providerData: { approvalStatus: 'rejected', message: words } } : {})
  },
  providerData: { status: 'incomplete' }
})

const closeSearch = (call: Wire, item: Item): Wire => {
  const callId = item.kind === 'call' ? item.callId : undefined
  const joined = typeof call['callId'] === 'string' ? { callId } : { call_id: callId ?? null }
  return {
    type: 'tool_search_output',
    ...joined,
    execution: call['execution'] === 'server' ? 'server' : 'client',
    status: 'incomplete',
    tools: []
  }
}

/** A protocol output that closes a call. Complexity: constant. */
export const closeAgents = (
  type: string,
  call: Wire,
  item: Item,
  as: ClosingExecution,
  words: string
): Wire => {
  if (call['type'] === 'unknown' && isWire(call['providerData'])) {
    return { type: 'unknown', providerData: closeResponses(type, call['providerData'], item, as, words) }
  }
  const callId = item.kind === 'call' ? item.callId : undefined
  const joined = callId === undefined ? {} : { callId }
  switch (type) {
    case 'function_call':
      return {
        type: 'function_call_result',
        ...functionNameOf(call),
        ...joined,
        status: 'incomplete',
        output: { type: 'text', text: words },
        ...callerOf(call)
      }
    case 'computer_call':
      return closeComputer(joined, as, words)
    case 'shell_call':
      return {
        type: 'shell_call_output',
        ...joined,
        status: 'incomplete',
        output: [
          {
            stdout: '',
            stderr: words,
            outcome: as === 'interrupted' ? { type: 'timeout' } : { type: 'exit', exitCode: 1 }
          }
        ],
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
    case 'tool_search_call':
      return closeSearch(call, item)
    case 'program':
      return { type: 'program_output', ...joined, output: words, status: 'incomplete' }
    default:
      return { type: `${type}_output`, ...joined, status: 'incomplete', output: words, ...callerOf(call) }
  }
}

const structure: ReadonlySet<string> = new Set([
  'type',
  'id',
  'callId',
  'call_id',
  'status',
  'name',
  'namespace',
  'caller',
  'execution',
  'toolSearchAgentName'
])

const providerStructure: ReadonlySet<string> = new Set([
  'type',
  'id',
  'call_id',
  'callId',
  'status',
  'execution',
  'acknowledgedSafetyChecks',
  'acknowledged_safety_checks'
])

const redactProvider = (output: Wire): Wire => {
  const provider = output['providerData']
  return isWire(provider) ? { providerData: withoutPayload(provider, providerStructure, {}) } : {}
}

/** The same protocol output with a placeholder for its payload. Complexity: linear in its fields. */
export const redactAgents = (type: string, output: Wire, words: string): Wire => {
  if (output['type'] === 'unknown' && isWire(output['providerData'])) {
    return withoutPayload(output, structure, {
      providerData: redactResponses(type, output['providerData'], words)
    })
  }
  const provider = redactProvider(output)
  switch (type) {
    case 'function_call_result':
      return withoutPayload(output, structure, { output: { type: 'text', text: words }, ...provider })
    case 'computer_call_result':
      return withoutPayload(output, structure, {
        output: { type: 'computer_screenshot', data: blankImage },
        ...provider
      })
    case 'shell_call_output':
      return withoutPayload(output, structure, {
        output: [{ stdout: words, stderr: '', outcome: shellEndOf(output['output'], 'exitCode') }],
        ...provider
      })
    case 'tool_search_output':
      return withoutPayload(output, structure, { tools: [], ...provider })
    default:
      return withoutPayload(output, structure, { output: words, ...provider })
  }
}

/** The same protocol item without its provider id, which hosted items hold twice. */
export const stripAgentsId = (raw: Wire): Wire => {
  const outer = withoutField(raw, 'id')
  const provider = outer['providerData']
  return isWire(provider) && Object.hasOwn(provider, 'id')
    ? withFields(outer, { providerData: withoutField(provider, 'id') })
    : outer
}
