/**
 * What does a wire type mean?
 *
 * Law: the shape of that answer, as data, and the types that several dialects spell alike. A dialect's table maps
 * each wire type to one rule; `read.ts` alone interprets rules. Each tool family has a namespace of its own, so equal
 * call ids of two families never pair. An agent's name is no part of it: a session holds bare items that name no
 * agent, and a call stored there could then not be answered.
 *
 * Rules: ITEM-2, PAIR-4.
 */
import type { ItemFields, ItemKind } from '../../core/item.js'
import { isWire, type Wire } from './decode.js'

/** Which field holds the call id; the first that holds a string decides. */
export type JoinField = 'call-id' | 'id' | 'approval-request-id'

/**
 * How a status field is read. `streamed`: what is not complete was cut off. `call`: an unfinished call is cut off,
 * unless all it asks for is there; then it is running. `hosted`: only completed and failed calls, or calls that hold
 * a result, are complete. `output`: an unfinished output is pending, a cut-off one interrupted.
 */
export type StatusReading = 'streamed' | 'call' | 'hosted' | 'output'

/** What one wire type means: the fields that every item of it has, and how the others are found. */
export interface TypeRule extends Omit<ItemFields, 'kind' | 'id' | 'callId' | 'source'> {
  readonly kind: ItemKind
  readonly join?: ReadonlyArray<JoinField>
  /** The `id` of this type names the call; it is never an id of the item itself. */
  readonly idNamesCall?: true
  readonly status?: StatusReading
  /** Whether a call that is still in progress asks for something whole. */
  readonly isWhole?: (body: Wire) => boolean
  /** Whether a hosted call holds its result, whatever its status says. */
  readonly hasResult?: (body: Wire) => boolean
  /** What else decides: the role of a message, where a shell runs, who executes a search. */
  readonly by?: 'role' | 'optional-role' | 'environment' | 'search'
  /** Families whose calls this output may answer when its own family has no such call. */
  readonly answersAlso?: ReadonlyArray<string>
  /** A note for the reference table. */
  readonly note?: string
}

/** The rules of a dialect by wire type. A map, so that `constructor` and `__proto__` are only names. */
export type TypeTable = ReadonlyMap<string, TypeRule>

const isFullList = (value: unknown): boolean => Array.isArray(value) && value.length > 0

const isJsonText = (value: unknown): boolean => {
  if (typeof value !== 'string') return false
  try {
    JSON.parse(value)
    return true
  } catch {
    return false
  }
}

const hasAction =
  (field: string) =>
  (body: Wire): boolean =>
    isWire(body['action']) && isFullList(body['action'][field])

const hasOperation = (body: Wire): boolean => {
  const operation = body['operation']
  return (
    isWire(operation) &&
    (operation['type'] === 'delete_file' || typeof operation['diff'] === 'string') &&
    operation['diff'] !== ''
  )
}

const isPresent = (value: unknown): boolean => value !== undefined && value !== null

const hosted: TypeRule = {
  kind: 'call',
  selfContained: true,
  executor: 'provider',
  status: 'hosted',
  note: 'complete when completed or failed'
}

/** The types that the Responses API and the protocol of the agents SDK name and mean alike. */
export const sharedRules: ReadonlyArray<readonly [string, TypeRule]> = [
  [
    'message',
    {
      kind: 'message',
      status: 'streamed',
      by: 'role',
      note: 'by role; user, system, developer: origin user; system, developer: role system'
    }
  ],
  ['reasoning', { kind: 'reasoning', status: 'streamed' }],
  [
    'function_call',
    {
      kind: 'call',
      namespace: 'function',
      join: ['call-id'],
      status: 'call',
      isWhole: (body) => isJsonText(body['arguments'])
    }
  ],
  [
    'shell_call',
    {
      kind: 'call',
      namespace: 'shell',
      join: ['call-id'],
      status: 'call',
      isWhole: hasAction('commands'),
      by: 'environment',
      note: 'executor provider in a container'
    }
  ],
  [
    'shell_call_output',
    {
      kind: 'output',
      namespace: 'shell',
      join: ['call-id'],
      status: 'output',
      note: 'origin model when the call ran in a container'
    }
  ],
  [
    'apply_patch_call',
    { kind: 'call', namespace: 'apply-patch', join: ['call-id'], status: 'call', isWhole: hasOperation }
  ],
  [
    'apply_patch_call_output',
    { kind: 'output', namespace: 'apply-patch', join: ['call-id'], status: 'output' }
  ],
  [
    'computer_call',
    {
      kind: 'call',
      namespace: 'computer',
      join: ['call-id'],
      status: 'call',
      isWhole: (body) => isPresent(body['action']) || isFullList(body['actions'])
    }
  ],
  [
    'tool_search_call',
    {
      kind: 'call',
      namespace: 'tool-search',
      join: ['call-id'],
      status: 'call',
      isWhole: (body) => isPresent(body['arguments']) && body['arguments'] !== '',
      by: 'search',
      note: 'without a call id pairs in order; executor provider on a server'
    }
  ],
  [
    'tool_search_output',
    {
      kind: 'output',
      namespace: 'tool-search',
      join: ['call-id'],
      status: 'output',
      by: 'search',
      note: 'origin model on a server'
    }
  ],
  ['program', { kind: 'call', namespace: 'program', join: ['call-id'], executor: 'provider' }],
  [
    'program_output',
    { kind: 'output', origin: 'model', namespace: 'program', join: ['call-id'], status: 'output' }
  ],
  ['compaction', { kind: 'compaction' }]
]

/** What a host's own item of a kind brings along when its declaration does not say. */
export const readingOfKind: { readonly [K in ItemKind]: Pick<TypeRule, 'join' | 'status' | 'by'> } = {
  message: { status: 'streamed', by: 'optional-role' },
  reasoning: { status: 'streamed' },
  call: { join: ['call-id'], status: 'call' },
  output: { join: ['call-id'], status: 'output' },
  approval: { join: ['call-id'] },
  compaction: {},
  context: {},
  marker: {},
  unclassified: {}
}

/** The calls that a provider runs and answers in one item, its MCP items, and its records, by their Responses names. */
export const providerRules: ReadonlyArray<readonly [string, TypeRule]> = [
  ['web_search_call', hosted],
  ['file_search_call', hosted],
  ['code_interpreter_call', hosted],
  ['image_generation_call', { ...hosted, hasResult: (body) => typeof body['result'] === 'string' }],
  ['hosted_tool_call', hosted],
  [
    'mcp_call',
    {
      ...hosted,
      namespace: 'mcp',
      join: ['approval-request-id'],
      hasResult: (body) => isPresent(body['output']) || isPresent(body['error']),
      note: 'callId is the approval request it came from'
    }
  ],
  ['mcp_list_tools', { kind: 'context' }],
  ['mcp_approval_request', { kind: 'approval', origin: 'model', namespace: 'mcp', join: ['id'] }],
  ['mcp_approval_response', { kind: 'approval', namespace: 'mcp', join: ['approval-request-id'] }]
]
