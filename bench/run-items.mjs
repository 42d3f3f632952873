/**
 * How does a measured turn look to `@openai/agents-core`?
 *
 * Law: instances of its classes for the turns of `shapes.mjs`, and which of them its selection keeps when the last
 * message is rejected. It tells classes by `instanceof`, so the caller hands them in.
 */

const rawCall = ({ namespace, callId, id, parent }) => {
  if (namespace === 'tool-search')
    return {
      type: 'tool_search_call',
      id,
      call_id: callId,
      execution: 'client',
      status: 'completed',
      arguments: {}
    }
  if (namespace === 'program')
    return { type: 'program', id, callId, code: 'await find(7)', fingerprint: 'f7', status: 'completed' }
  const raw = { type: 'function_call', id, callId, name: 'find_order', arguments: '{}', status: 'completed' }
  if (parent !== undefined) raw.caller = { type: 'program', callerId: parent }
  return raw
}

const rawOutput = ({ namespace, callId }, parent) => {
  if (namespace === 'tool-search')
    return {
      type: 'tool_search_output',
      call_id: callId,
      execution: 'client',
      status: 'completed',
      tools: [{ type: 'function', name: 'find_order' }]
    }
  if (namespace === 'program') return { type: 'program_output', callId, result: 'paid', status: 'completed' }
  const raw = {
    type: 'function_call_result',
    callId,
    name: 'find_order',
    status: 'completed',
    output: { type: 'text', text: 'paid' }
  }
  if (parent !== undefined) raw.caller = { type: 'program', callerId: parent }
  return raw
}

const content = [{ type: 'output_text', text: 'paid' }]

/** Run items of one agent, one for each item of the turn. User input stands as a message, which it never keeps. */
export const toRunItems = (items, classes, agent) => {
  const parents = new Map()
  return items.map((item) => {
    switch (item.kind) {
      case 'call':
        if (item.parent !== undefined) parents.set(item.callId, item.parent)
        return item.namespace === 'tool-search'
          ? new classes.RunToolSearchCallItem(rawCall(item), agent)
          : new classes.RunToolCallItem(rawCall(item), agent)
      case 'output':
        return item.namespace === 'tool-search'
          ? new classes.RunToolSearchOutputItem(rawOutput(item), agent)
          : new classes.RunToolCallOutputItem(
              rawOutput(item, parents.get(item.callId)),
              agent,
              'paid',
              undefined,
              item.namespace === 'program' ? undefined : 'executed'
            )
      case 'reasoning':
        return new classes.RunReasoningItem({ type: 'reasoning', id: item.id, content: [] }, agent)
      default:
        return new classes.RunMessageOutputItem(
          { type: 'message', role: 'assistant', status: 'completed', content },
          agent
        )
    }
  })
}

/** How many items its selection keeps: pairs that ran, and thoughts right before one of their calls. */
export const countSelected = (items) => {
  let count = 0
  let next
  for (let position = items.length - 1; position >= 0; position -= 1) {
    const { kind, namespace } = items[position]
    if (kind === 'reasoning') count += next === 'call' ? 1 : 0
    else {
      next = kind
      if (kind === 'call' || (kind === 'output' && namespace !== 'program')) count += 1
    }
  }
  return count
}
