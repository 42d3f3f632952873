/**
 * The items of the OpenAI Agents SDK for Python.
 *
 * Law: only this file says what the `agents-python` dialect reads: input items as its sessions hold them, which are
 * Responses items, and run items `{ type: 'tool_call_item', raw_item }` as its run state is serialized.
 */
import type { SharedDialect } from '../ports/dialect.js'
import { buildDialect } from './wire/build.js'
import {
  closeResponses,
  readResponsesFields,
  redactResponses,
  responsesTypes
} from './wire/responses-wire.js'
import { withoutField } from './wire/rewrite.js'

/** An input item, or a run item around one. */
export interface AgentsPythonItem {
  readonly type?: string | null | undefined
  readonly raw_item?: unknown
}

/**
 * Reads and writes input items and run items of the Python SDK.
 *
 * Errors: `decode` when the input is no list. Rules: ITEM-1, ITEM-5, ITEM-9. Complexity: linear.
 *
 * @example
 * const decoded = agentsPython.decode([{ type: 'tool_approval_item', raw_item: { type: 'function_call', call_id: 'c1' } }])
 * decoded._tag === 'Right' && decoded.right.items // => [{ kind: 'marker' }]
 */
export const agentsPython: SharedDialect<AgentsPythonItem> = buildDialect({
  name: 'agents-python',
  types: responsesTypes,
  wrapped: 'raw_item',
  readFields: readResponsesFields,
  close: closeResponses,
  redact: redactResponses,
  stripId: (raw) => withoutField(raw, 'id')
})
