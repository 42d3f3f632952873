/** The table of refusals, and the page that is made from it. */
import { describe, expect, it } from 'vitest'
import { recogniseRefusal, refusals } from '../src/cli/refusals.js'
import { audit, auditRules } from '../src/core/audit.js'
import { profiles } from '../src/core/profile.js'
import { errorsPage } from './support/errors-page.js'
import { loadVectors } from './support/vectors.js'

/** Texts as they stand in public threads and documents, with the refusal that they are. */
const texts: ReadonlyArray<readonly [text: string, name: string, ids?: ReadonlyArray<string>]> = [
  [
    "400 Item 'rs_68a1' of type 'reasoning' was provided without its required following item.",
    'reasoning-without-following-item',
    ['rs_68a1']
  ],
  [
    '{"error":{"message":"Item \'rs_1\' of type \'reasoning\' was provided without its required following item.","type":"invalid_request_error"}}',
    'reasoning-without-following-item',
    ['rs_1']
  ],
  [
    "Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.",
    'item-without-reasoning',
    ['fc_1', 'rs_1']
  ],
  [
    "Item 'msg_7' of type 'message' was provided without its required 'reasoning' item",
    'item-without-reasoning',
    ['msg_7']
  ],
  ['No tool call found for function call output with call_id call_9.', 'no-call-for-output', ['call_9']],
  ['No tool output found for function call call_V1.', 'no-output-for-call', ['call_V1']],
  [
    'Duplicate item found with id msg_1. Remove duplicate items from your input and try again.',
    'duplicate-item',
    ['msg_1']
  ],
  [
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_a, call_b",
    'tool-calls-not-answered',
    ['call_a', 'call_b']
  ],
  [
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    'tool-message-without-call'
  ],
  [
    'Missing `reasoning_content` field in the assistant message at message index 2',
    'reasoning-content-missing'
  ],
  [
    'The `reasoning_content` in the thinking mode must be passed back to the API.',
    'reasoning-content-missing'
  ],
  ['422 {"code":"wrong_api_format"}', 'wrong-api-format'],
  [
    'messages.5: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01, toolu_02. Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
    'tool-use-without-result',
    ['toolu_01', 'toolu_02']
  ],
  [
    'tool_use ids were found without tool_result blocks immediately after: toolu_3',
    'tool-use-without-result',
    ['toolu_3']
  ],
  [
    'Tool result blocks must immediately follow their corresponding tool use blocks in the message history.',
    'tool-use-without-result'
  ],
  [
    'messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_4. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
    'result-without-tool-use',
    ['toolu_4']
  ],
  [
    'each tool_use must have a single result. Found multiple `tool_result` blocks with id: toolu_5',
    'two-results',
    ['toolu_5']
  ],
  ['messages.3.content.1: `tool_use` ids must be unique', 'tool-use-ids-not-unique'],
  [
    "Invalid 'signature' in 'thinking' block. The block is bound to a different conversation. Remove the block, or set thinking.block_binding.prefix_mismatch_behavior to \"drop_block\"",
    'thinking-bound-to-another-conversation'
  ],
  ['messages.1.content.0: Invalid `signature` in `thinking` block', 'thinking-signature-invalid'],
  [
    'messages.7.content.1: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.',
    'thinking-modified'
  ],
  [
    'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block',
    'thinking-expected-first'
  ],
  [
    'the final assistant turn of a thinking-enabled request must begin with a thinking block',
    'thinking-expected-first'
  ],
  ['messages.1: The final block in an assistant message cannot be `thinking`.', 'thinking-last'],
  [
    'In the user message containing tool results, the tool_result blocks must come FIRST in the content array.',
    'results-first'
  ],
  ['the user message must contain only `tool_result` blocks', 'results-first'],
  ['messages: first message must use the "user" role', 'first-message-user'],
  [
    'Function call default_api:search is missing a thought_signature in functionCall parts.',
    'thought-signature-missing'
  ],
  [
    'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
    'function-response-parity'
  ],
  [
    'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
    'function-call-turn-order'
  ],
  [
    'Please ensure that function response turn comes immediately after a function call turn.',
    'function-response-turn-order'
  ],
  [
    'AI_MissingToolResultsError: Tool result is missing for tool call call_1.',
    'tool-results-missing',
    ['call_1']
  ],
  ['Tool results are missing for tool calls call_1, call_2.', 'tool-results-missing', ['call_1', 'call_2']],
  ['lc_error_code: "INVALID_TOOL_RESULTS"', 'invalid-tool-results'],
  [
    "Item with id 'rs_0a1' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.",
    'item-not-stored',
    ['rs_0a1']
  ],
  [
    'The encrypted content gAAAAABo for item rs_1 could not be verified. Reason: Encrypted content organization_id did not match the target organization.',
    'encrypted-content-not-verified'
  ],
  ['{"code":"invalid_encrypted_content"}', 'encrypted-content-not-verified'],
  [
    '{"object":"error","message":"Not the same number of function calls and responses","code":"3230"}',
    'not-the-same-number'
  ],
  ["Unexpected role 'tool' after role 'user'", 'not-the-same-number'],
  [
    'ValidationException: Expected toolResult blocks at messages.2.content for the following Ids: tooluse_a1, tooluse_b2',
    'bedrock-results-expected',
    ['tooluse_a1', 'tooluse_b2']
  ],
  [
    'An error occurred (ValidationException) when calling the Converse operation: The number of toolResult blocks at messages.4.content exceeds the number of toolUse blocks of previous turn.',
    'bedrock-results-exceed'
  ],
  [
    'A conversation must start with a user message. Try again with a conversation that starts with a user message.',
    'bedrock-start-with-user'
  ],
  [
    '{"code":400,"message":"Corrupted thought signature.","status":"INVALID_ARGUMENT"}',
    'thought-signature-corrupted'
  ],
  ['Thought signature is not valid', 'thought-signature-corrupted'],
  [
    'AI_MessageConversionError: ToolInvocation must have a result: {"state":"call","toolCallId":"call_7","toolName":"pay"}',
    'tool-invocation-must-have-result',
    ['call_7']
  ],
  [
    "ValueError: Found AIMessages with tool_calls that do not have a corresponding ToolMessage. Here are the first few of those tool calls: [{'name': 'pay', 'id': 'call_1'}]",
    'ai-messages-without-tool-message'
  ],
  [
    'litellm.APIConnectionError: Missing corresponding tool call for tool response message. Received - message={}',
    'tool-call-for-response-missing'
  ],
  [
    'litellm.BadRequestError: AnthropicException - {"type":"error","error":{"type":"invalid_request_error","message":"messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_9. Each..."}}',
    'tool-use-without-result',
    ['toolu_9']
  ],
  [
    'litellm.BadRequestError: BedrockException - {"message":"The model returned the following errors: messages.2: tool_use ids were found without tool_result blocks immediately after: tooluse_9"}',
    'tool-use-without-result',
    ['tooluse_9']
  ],
  [
    'messages.0.content.1: tool_result block(s) provided when previous message does not contain any tool_use blocks',
    'result-without-tool-use'
  ],
  [
    'Unable to submit request because function call `default_api:pay` in the 4. content block is missing a `thought_signature`.',
    'thought-signature-missing'
  ]
]

describe('a refusal', () => {
  it.each(texts.map(([text, name, ids = []]) => ({ text, name, ids })))(
    'is recognised: $text',
    ({ text, name, ids }) => {
      const [first] = recogniseRefusal(text)
      expect(first?.refusal.name).toBe(name)
      expect(
        [first?.item, first?.reasoning, ...(first?.calls ?? [])].filter((id) => id !== undefined)
      ).toEqual(ids)
    }
  )

  it.each(texts.map(([text, name]) => ({ text, name })))(
    'is recognised inside JSON inside a log line: $text',
    ({ text, name }) => {
      const logged = `ERROR turn 3\n  ${JSON.stringify(JSON.stringify({ error: { message: text } }))}\n    at request`
      expect(recogniseRefusal(logged)[0]?.refusal.name).toBe(name)
    }
  )

  it('that nobody knows is none, however long it is', () => {
    expect(recogniseRefusal('You exceeded your current quota')).toEqual([])
    expect(recogniseRefusal('function call '.repeat(20_000))).toEqual([])
  })
})

describe('the table of refusals', () => {
  it('has an example for each entry, names of its own, and rules that the audit knows', () => {
    const names = refusals.map((refusal) => refusal.name)
    expect(new Set(names).size).toBe(names.length)
    expect([...new Set(texts.map(([, name]) => name))].sort()).toEqual([...names].sort())
    for (const refusal of refusals) for (const rule of refusal.rules) expect(auditRules).toContain(rule)
  })

  it('names for each entry a rule that a vector of that profile breaks', () => {
    const broken = new Set<string>()
    for (const { input, level } of loadVectors()) {
      if (input === undefined || level !== 'audit') continue
      for (const name of Object.keys(profiles)) {
        const { violations } = audit({ items: input.items, profile: name as keyof typeof profiles })
        for (const { rule } of violations) broken.add(`${name} ${rule}`)
      }
    }
    const conditional = new Set(['reasoning-content-missing', 'thinking-expected-first'])
    for (const { name, profile, rules } of refusals)
      if (!conditional.has(name)) expect(broken).toContain(`${profile} ${rules[0]}`)
  })

  it('is what docs/errors.md says', async () => {
    await expect(errorsPage()).toMatchFileSnapshot('../docs/errors.md')
  })
})
