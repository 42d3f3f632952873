/** Raw values with the fields of all formats at once: what no provider sends, and a dialect must read all the same. */
import * as fc from 'fast-check'
import { agentsTypes } from '../../src/dialects/wire/agents-wire.js'
import { wrapperTypes } from '../../src/dialects/wire/run-items.js'

const id = fc.constantFrom('a', 'b', 'c', '', 7)
const named = { requiredKeys: [] as never[] }

/** Fields of all item formats at once, so that what was remembered of one item is asked for by another. */
const wireItem: fc.Arbitrary<unknown> = fc.record(
  {
    type: fc.constantFrom(...agentsTypes.keys(), 'acme_call', 'acme_call_output', 'nobody knows'),
    kind: fc.constantFrom('message', 'call', 'output', 'approval', 'reasoning', 'marker', 'acme', 'nobody'),
    role: fc.constantFrom('user', 'assistant', 'system', 'nobody'),
    id,
    call_id: id,
    callId: id,
    approval_request_id: id,
    namespace: fc.constantFrom('function', 'tool-search'),
    executor: fc.constantFrom('runner', 'provider'),
    execution: fc.constantFrom('server', 'client', 'pending'),
    status: fc.constantFrom('completed', 'incomplete', 'in_progress'),
    providerData: fc.record({ id, call_id: id, type: fc.constantFrom('mcp_call', 'shell_call') }, named)
  },
  named
)
const runItem = fc.record({
  type: fc.constantFrom(...wrapperTypes.keys()),
  rawItem: wireItem,
  raw_item: wireItem
})
/** A raw item of any item format, or nothing of the kind. */
export const rawItem: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: wireItem },
  { weight: 3, arbitrary: runItem },
  fc.constantFrom<unknown>(null, 'text', [], 3)
)

/** Parts and messages with the fields of all formats of messages at once. */
const part = fc.record(
  {
    type: fc.constantFrom(
      ...['text', 'tool-call', 'tool-result', 'tool_use', 'tool_result', 'thinking', 'function', 'acme'],
      ...['tool-approval-request', 'tool-approval-response', 'step-start', 'tool-pay', 'dynamic-tool']
    ),
    id,
    toolCallId: id,
    approvalId: id,
    tool_use_id: id,
    text: fc.constantFrom('', 'words'),
    state: fc.constantFrom('streaming', 'output-available', 'approval-requested'),
    providerOptions: fc.record({ openai: fc.record({ itemId: id }) }),
    providerMetadata: fc.record({ openai: fc.record({ itemId: id }) }),
    functionCall: fc.record({ id, name: fc.constantFrom('pay', 'ask') }, named),
    functionResponse: fc.record({ id, name: fc.constantFrom('pay', 'ask') }, named)
  },
  named
)
const parts = fc.oneof(fc.array(part, { maxLength: 4 }), fc.constantFrom<unknown>('words', '', null))
/** A message of any format, or nothing of the kind. */
export const oddMessage: fc.Arbitrary<unknown> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record(
      {
        role: fc.constantFrom('user', 'assistant', 'model', 'tool', 'system', 'function', 'nobody'),
        type: fc.constantFrom('human', 'ai', 'tool'),
        content: parts,
        parts,
        tool_calls: fc.array(part, { maxLength: 2 }),
        tool_call_id: id,
        id,
        stop_reason: fc.constantFrom(null, 'end_turn')
      },
      named
    )
  },
  fc.constantFrom<unknown>(null, 'words', [])
)
