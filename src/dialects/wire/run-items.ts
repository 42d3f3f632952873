/**
 * What does the wrapper that an agents SDK puts around an item say about it?
 *
 * Law: the run item types of both agents SDKs, and how a wrapper is written around an answer. What is inside a wrapper
 * is read by the dialect that owns it.
 */
import type { Wire } from './decode.js'
import { withFields, withoutPayload } from './rewrite.js'
import type { TypeRule } from './rules.js'

/** How a wrapper changes the reading of what it holds. */
export type WrapperReading = 'plain' | 'handoff' | 'input' | 'marker'

/** Every run item type of the agents SDKs, JavaScript and Python. */
export const wrapperTypes: ReadonlyMap<string, WrapperReading> = new Map<string, WrapperReading>([
  ['message_output_item', 'plain'],
  ['reasoning_item', 'plain'],
  ['tool_call_item', 'plain'],
  ['tool_call_output_item', 'plain'],
  ['tool_search_call_item', 'plain'],
  ['tool_search_output_item', 'plain'],
  ['handoff_call_item', 'handoff'],
  ['handoff_output_item', 'handoff'],
  ['mcp_list_tools_item', 'plain'],
  ['mcp_approval_request_item', 'plain'],
  ['mcp_approval_response_item', 'plain'],
  ['compaction_item', 'plain'],
  ['input_item', 'input'],
  ['tool_approval_item', 'marker']
])

/** A rule with something else said, made once for each rule. */
const changeRule = (change: Partial<TypeRule>): ((rule: TypeRule) => TypeRule) => {
  const changed = new WeakMap<TypeRule, TypeRule>()
  return (rule) => {
    const made = changed.get(rule) ?? { ...rule, ...change }
    changed.set(rule, made)
    return made
  }
}

const asHandoff = changeRule({ namespace: 'handoff', answersAlso: ['function'] })
const asInput = changeRule({ origin: 'user' })

/** The rule of a wrapped item: a handoff is a function call on the wire with a namespace of its own. */
export const ruleInWrapper = (rule: TypeRule, reading: WrapperReading): TypeRule => {
  if (reading === 'handoff' && rule.namespace === 'function') {
    return asHandoff(rule)
  }
  if (reading === 'input' && rule.kind === 'message') return asInput(rule)
  return rule
}

/** A wrapper around the output that closes a wrapped call. */
export const wrapClosing = (field: string, call: Wire, output: Wire, words: string): Wire => {
  const agent = call['agent'] === undefined ? {} : { agent: call['agent'] }
  return output['type'] === 'tool_search_output'
    ? { type: 'tool_search_output_item', [field]: output, ...agent }
    : { type: 'tool_call_output_item', [field]: output, ...agent, output: words }
}

const structure: ReadonlySet<string> = new Set([
  'type',
  'agent',
  'sourceAgent',
  'targetAgent',
  'source_agent',
  'target_agent',
  'executionStatus',
  'tool_origin'
])

/** The same wrapper around a redacted output; what mirrors the payload beside it goes as well. */
export const wrapRedacted = (field: string, wrapper: Wire, output: Wire, words: string): Wire => {
  const mirror = Object.hasOwn(wrapper, 'output') ? { output: words } : {}
  return withoutPayload(wrapper, structure, { [field]: output, ...mirror })
}

/** The same wrapper around another inner item. */
export const wrapSame = (field: string, wrapper: Wire, inner: Wire): Wire =>
  withFields(wrapper, { [field]: inner })
