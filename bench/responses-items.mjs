/**
 * How does a measured turn look on the wire of the Responses API?
 *
 * Law: raw items for the turns of `shapes.mjs`, of an everyday length; nothing is measured here.
 */

const words =
  'The order has been found; it was paid on Monday and will be sent with the next delivery to Graz.'

const callTypes = { 'tool-search': 'tool_search_call', program: 'program' }
const outputTypes = { 'tool-search': 'tool_search_output', program: 'program_output' }

const rawCall = ({ namespace, callId, id, parent }) => {
  const type = callTypes[namespace] ?? 'function_call'
  if (type === 'tool_search_call')
    return {
      type,
      id,
      call_id: callId,
      execution: 'client',
      status: 'completed',
      arguments: { query: 'orders' }
    }
  if (type === 'program') return { type, id, call_id: callId, code: 'await find(7)', fingerprint: 'f7' }
  const asked = '{"customer":7142,"from":"2026-01-01","to":"2026-12-31"}'
  const name = 'find_order'
  return parent === undefined
    ? { type, id, call_id: callId, name, arguments: asked, status: 'completed' }
    : {
        type,
        id,
        call_id: callId,
        name,
        arguments: asked,
        status: 'completed',
        caller: { type: 'program', caller_id: parent }
      }
}

const rawOutput = ({ namespace, callId }) => {
  const type = outputTypes[namespace] ?? 'function_call_output'
  if (type === 'tool_search_output')
    return {
      type,
      call_id: callId,
      execution: 'client',
      status: 'completed',
      tools: [{ type: 'function', name: 'find_order' }]
    }
  if (type === 'program_output') return { type, call_id: callId, result: words, status: 'completed' }
  return { type, call_id: callId, output: words }
}

const rawItem = (item) => {
  switch (item.kind) {
    case 'call':
      return rawCall(item)
    case 'output':
      return rawOutput(item)
    case 'reasoning':
      return { type: 'reasoning', id: item.id, summary: [], encrypted_content: words }
    default:
      return item.origin === 'user'
        ? { type: 'message', role: 'user', content: words }
        : {
            type: 'message',
            role: 'assistant',
            id: item.id,
            status: 'completed',
            content: [{ type: 'output_text', text: words, annotations: [] }]
          }
  }
}

/** Raw items, one for each item of the turn. */
export const toResponses = (items) => items.map(rawItem)
