/**
 * The items of the OpenAI Agents SDK for JavaScript.
 *
 * Law: only this file says what the `agents-js` dialect reads: protocol items as its sessions hold them, and run items
 * `{ type: 'tool_call_item', rawItem }`, instances of its classes or plain.
 */
import type { SharedDialect } from '../ports/dialect.js'
import {
  agentsTypes,
  closeAgents,
  readAgentsFields,
  redactAgents,
  refineAgents,
  stripAgentsId
} from './wire/agents-wire.js'
import { buildDialect } from './wire/build.js'

/** A protocol item, or a run item around one. */
export interface AgentsJsItem {
  readonly type?: string | undefined
  readonly rawItem?: unknown
}

/**
 * Reads and writes protocol items and run items of the JavaScript SDK.
 *
 * Errors: `decode` when the input is no list. Rules: ITEM-1, ITEM-5, ITEM-9. Complexity: linear.
 *
 * @example
 * const call = { type: 'function_call', callId: 'c1', name: 'pay', arguments: '{}' }
 * const decoded = agentsJs.decode([{ type: 'handoff_call_item', rawItem: call }])
 * decoded._tag === 'Right' && decoded.right.items // => [{ kind: 'call', namespace: 'handoff', callId: 'c1' }]
 */
export const agentsJs: SharedDialect<AgentsJsItem> = buildDialect({
  name: 'agents-js',
  types: agentsTypes,
  wrapped: 'rawItem',
  readFields: readAgentsFields,
  refine: refineAgents,
  close: closeAgents,
  redact: redactAgents,
  stripId: stripAgentsId
})
