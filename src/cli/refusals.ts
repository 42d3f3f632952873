/**
 * What a provider's refusal means.
 *
 * Law: data, and the one function that looks a text up in it. Only this file knows the words of refusals; what is
 * wrong with a history is said by the audit. `docs/errors.md` is made from the same table.
 */
import type { AuditRule } from '../core/audit.js'
import type { ProfileName } from '../core/profile.js'

/** One refusal that people meet. */
export interface Refusal {
  /** The anchor in `docs/errors.md`. */
  readonly name: string
  readonly provider: string
  /** The words by which the text is known, short. */
  readonly title: string
  /** Matched against the text once its quotes are alike; groups: `item`, `reasoning`, `calls`. */
  readonly patterns: ReadonlyArray<RegExp>
  readonly profile: ProfileName
  /** What an audit reports in such a history, the likeliest first. */
  readonly rules: ReadonlyArray<AuditRule>
  /** What the provider says, in our words. */
  readonly says: string
  readonly means: string
  /** What the runner did wrong. */
  readonly cause: string
  /** What repair does, or what has to be done by hand. */
  readonly fix: string
  /** Whether `turnkeep repair` mends it; `by-text`: only the refusal names the place. */
  readonly mended: 'always' | 'mostly' | 'by-text' | 'by-hand'
}

/** The longer a pattern's own words, the earlier it stands: the first match is the answer. */
export const refusals: ReadonlyArray<Refusal> = [
  {
    name: 'reasoning-without-following-item',
    provider: 'OpenAI Responses',
    title: "of type 'reasoning' was provided without its required following item",
    patterns: [
      /item '(?<reasoning>[^']+)' of type 'reasoning' was provided without its required following item/
    ],
    profile: 'responses',
    rules: ['dangling-reasoning'],
    says: 'A reasoning item is in the input, the item that it led to is not behind it.',
    means:
      'Reasoning is tied to the next item of the model. That item was dropped, moved, or sent without its id.',
    cause:
      'It filtered messages or calls and kept the reasoning; or it rewrote an answer as plain text, without its id.',
    fix: 'Repair drops the reasoning item, and strips the ids of what had been tied to it.',
    mended: 'always'
  },
  {
    name: 'item-without-reasoning',
    provider: 'OpenAI Responses',
    title: "was provided without its required 'reasoning' item",
    patterns: [
      /item '(?<item>[^']+)' of type '[^']+' was provided without its required 'reasoning' item(?:: '(?<reasoning>[^']+)')?/
    ],
    profile: 'responses',
    rules: ['missing-reasoning'],
    says: 'A call or a message is in the input, the reasoning item before it is not.',
    means: 'The provider remembers by the id of the item that reasoning came before it, and wants both.',
    cause: 'It stored or replayed the item without its reasoning, or put another item between them.',
    fix: 'The history alone does not show what the provider remembers; its text names the item. Given the text, repair strips the `id` of that item: `call_id` still pairs a call with its output, and nothing asks for the reasoning any more. In code: give the item `requiresReasoning`.',
    mended: 'by-text'
  },
  {
    name: 'no-call-for-output',
    provider: 'OpenAI Responses',
    title: 'No tool call found for function call output',
    patterns: [
      /no tool call found for (?:function call |custom tool call )?output with call_id (?<calls>[^\s'.,]+)/
    ],
    profile: 'responses',
    rules: ['orphan-output', 'duplicate-output'],
    says: 'There is an output for a call that is not in the input.',
    means: 'Call and output are a pair: both are sent, or neither.',
    cause: 'A limit, a compaction or a filter cut the history between the two.',
    fix: 'Repair drops the output, or moves it behind its call when that stands after it.',
    mended: 'always'
  },
  {
    name: 'no-output-for-call',
    provider: 'OpenAI Responses',
    title: 'No tool output found for function call',
    patterns: [
      /no tool output found for (?:function|custom tool|computer|local shell|shell|apply patch) call (?<calls>[^\s'.,]+)/
    ],
    profile: 'responses',
    rules: ['orphan-call'],
    says: 'There is a call in the input that nothing answers.',
    means:
      'Before the model goes on, every call of a tool that you run needs an output, also one that failed or was never run.',
    cause: 'It was interrupted, threw, or waited for an approval, and the next input was sent all the same.',
    fix: 'Repair adds an output that says `interrupted`, `skipped` or `denied`. If the tool may still answer, wait for it; name the call as open when you check.',
    mended: 'always'
  },
  {
    name: 'duplicate-item',
    provider: 'OpenAI Responses',
    title: 'Duplicate item found',
    patterns: [/duplicate item found(?: with id '?(?<item>[^\s'.,]+))?/],
    profile: 'responses',
    rules: ['duplicate-item', 'duplicate-approval'],
    says: 'The same item id is in the input twice.',
    means: 'An item was written twice, or two items share one id.',
    cause:
      'It saved a turn again from the start, counted written items as positions, or copied the id of a call to its output.',
    fix: 'Repair keeps the first and drops its copies; an item that only borrowed the id gives it back.',
    mended: 'always'
  },
  {
    name: 'item-not-stored',
    provider: 'OpenAI Responses, nothing stored',
    title: 'Items are not persisted when store is set to false',
    patterns: [
      /item with id '?(?<item>[^\s'.,]+)'? not found.{0,200}(?:not persisted|'?store'? (?:is )?set to)/,
      /items are not persisted when '?store'?/
    ],
    profile: 'responses-stateless',
    rules: ['signature-missing'],
    says: 'The input names an item by its id, and the provider has not kept it.',
    means:
      'With `store: false` nothing is remembered: reasoning has to come with its `encrypted_content`, or not at all.',
    cause:
      'It stored reasoning without its encrypted content (`include: ["reasoning.encrypted_content"]` was not asked for), or sent a reference instead of the item.',
    fix: 'Repair drops reasoning that has no encrypted content, and strips the ids of what was tied to it. References are not made up: send the items.',
    mended: 'mostly'
  },
  {
    name: 'encrypted-content-not-verified',
    provider: 'OpenAI Responses, nothing stored',
    title: 'The encrypted content could not be verified',
    patterns: [
      /encrypted content .{0,400}could not be (?:verified|decrypted|parsed)/,
      /invalid_encrypted_content/
    ],
    profile: 'responses-stateless',
    rules: ['signature-stale', 'signature-incomplete', 'signature-missing'],
    says: 'The encrypted content of a reasoning item is not one that this provider made, or is cut off.',
    means: 'It can be opened by the organisation and the model family that made it only, and only whole.',
    cause:
      'It replayed a history with another key, endpoint or model, or cut long fields when it stored them.',
    fix: 'The history does not show whose content it is. Drop the reasoning and the ids of what follows it: set `signature: "stale"` on the item in code, and repair does both.',
    mended: 'by-hand'
  },
  {
    name: 'tool-calls-not-answered',
    provider: 'OpenAI Chat Completions',
    title: "An assistant message with 'tool_calls' must be followed by tool messages",
    patterns: [
      /an assistant message with 'tool_calls' must be followed by tool messages(?:.{0,400}did not have response messages: (?<calls>[^'}\]]+))?/,
      /tool_call_ids did not have response messages: (?<calls>[^'}\]]+)/,
      /'?tool_calls'? must be followed by tool messages/
    ],
    profile: 'chat-completions',
    rules: ['orphan-call', 'intervening-item'],
    says: 'Behind an assistant message with tool calls, the tool messages for some of them are missing.',
    means:
      'Every call needs its tool message, directly behind the assistant message and before anything else.',
    cause:
      'It sent a user message while a call was open, ran one of several calls only, or put a message between a call and its result.',
    fix: 'Repair moves results back to their calls and closes calls that have none.',
    mended: 'always'
  },
  {
    name: 'tool-message-without-call',
    provider: 'OpenAI Chat Completions',
    title: "messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
    patterns: [/messages? with role '?tool'? must be a response to a prece+d?ing message with '?tool_calls/],
    profile: 'chat-completions',
    rules: ['orphan-output', 'intervening-item', 'duplicate-output'],
    says: 'A tool message stands where no assistant message with tool calls is before it.',
    means: 'Its call was cut off, or something stands between the two.',
    cause: 'It trimmed the history by count, or dropped an assistant message for its text.',
    fix: 'Repair moves the tool message behind its call, or drops it when the call is gone.',
    mended: 'always'
  },
  {
    name: 'reasoning-content-missing',
    provider: 'Chat Completions of reasoning models',
    title: 'reasoning_content is missing beside tool calls',
    patterns: [
      /missing '?reasoning_content/,
      /reasoning_content'? (?:is |field is )?(?:missing|required)/,
      /reasoning_content'? .{0,400}must be passed back/
    ],
    profile: 'chat-completions',
    rules: ['missing-reasoning'],
    says: 'An assistant message with tool calls comes without the reasoning that the provider sent with it.',
    means:
      'Some providers demand their reasoning text back as long as the tools of that turn run. It is a field of the profile: `reasoning: "with-calls"`.',
    cause: 'Its message type has no such field, so it was lost on the way to the store.',
    fix: 'What is lost cannot be made up. Store unknown fields; start the turn again from its user message.',
    mended: 'by-hand'
  },
  {
    name: 'not-the-same-number',
    provider: 'Mistral',
    title: 'Not the same number of function calls and responses',
    patterns: [/not the same number of function calls and responses/, /unexpected role '?tool'? after role/],
    profile: 'chat-completions',
    rules: ['orphan-call', 'orphan-output', 'duplicate-output', 'intervening-item'],
    says: 'The tool messages behind an assistant message are not as many as its tool calls, or stand elsewhere.',
    means: 'Each call has one tool message, directly behind the message that called.',
    cause: 'It ran one of several calls, was interrupted between them, or trimmed between call and result.',
    fix: 'Repair closes what has no result, drops what has no call, and puts results back.',
    mended: 'always'
  },
  {
    name: 'wrong-api-format',
    provider: 'Chat Completions, strict servers',
    title: 'wrong_api_format',
    patterns: [/wrong_api_format/],
    profile: 'chat-completions',
    rules: ['orphan-call', 'orphan-output', 'intervening-item'],
    says: 'The messages are not in a form that the server takes; often without saying which.',
    means:
      'Most often a tool call and its tool messages do not stand together. Lenient servers let the same history pass.',
    cause: 'It was tried against a lenient server only.',
    fix: 'Audit names the message; repair closes, moves or drops.',
    mended: 'mostly'
  },
  {
    name: 'tool-use-without-result',
    provider: 'Anthropic Messages',
    title: 'tool_use ids were found without tool_result blocks immediately after',
    patterns: [
      /'?tool_use'? ids were found without '?tool_result'? blocks immediately after(?:: (?<calls>[^\s.,'}\]]+(?:, [^\s.,'}\]]+)*))?/,
      /tool[_ ]result blocks must immediately follow/
    ],
    profile: 'anthropic',
    rules: ['orphan-call', 'intervening-item'],
    says: 'The message behind an assistant message with tool use lacks a result for some of them.',
    means: 'All results stand in the one user message directly behind, before any text.',
    cause:
      'It was interrupted and went on with the next prompt; or stored a message between tool use and result; or added a retry to the aborted message.',
    fix: 'Repair moves results back and closes what has none.',
    mended: 'always'
  },
  {
    name: 'result-without-tool-use',
    provider: 'Anthropic Messages',
    title: 'unexpected tool_use_id found in tool_result blocks',
    patterns: [
      /unexpected '?tool_use_id'? found in '?tool_result'? blocks(?:: (?<calls>[^\s.,'}\]]+(?:, [^\s.,'}\]]+)*))?/,
      /'?tool_result'? block\(s\) provided when previous message does not contain any '?tool_use'? blocks/
    ],
    profile: 'anthropic',
    rules: ['orphan-output', 'intervening-item'],
    says: 'A result names a tool use that is not in the assistant message before it.',
    means: 'The tool use was compacted or cut away, or stands further back.',
    cause: 'It compacted or trimmed between the two; or a late result arrived after the history had gone on.',
    fix: 'Repair moves the result behind its tool use, or drops it when that is gone.',
    mended: 'always'
  },
  {
    name: 'two-results',
    provider: 'Anthropic Messages',
    title: 'each tool_use must have a single result',
    patterns: [
      /each '?tool_use'? must have a single result(?:.{0,400}'?tool_result'? blocks with id:? '?(?<calls>[^\s.'}\]]+))?/,
      /found multiple '?tool_result'? blocks with id:? '?(?<calls>[^\s.'}\]]+)/
    ],
    profile: 'anthropic',
    rules: ['duplicate-output'],
    says: 'One tool use has two results.',
    means: 'A result was written twice, or a made-up one was added to a real one.',
    cause: 'It closed an interrupted call and then stored the real result as well; or it saved a turn twice.',
    fix: 'Repair keeps one: a real result beats one that only says interrupted or skipped, else the first.',
    mended: 'always'
  },
  {
    name: 'tool-use-ids-not-unique',
    provider: 'Anthropic Messages',
    title: 'tool_use ids must be unique',
    patterns: [/'?tool_use'? ids must be unique/],
    profile: 'anthropic',
    rules: ['duplicate-call-id', 'duplicate-item'],
    says: 'Two tool uses share one id.',
    means: 'A message is there twice, or a provider gave the same id to two calls.',
    cause: 'It appended a message again, or trusted ids of a server that counts from zero in each response.',
    fix: 'Repair drops copies, and lets two calls of one id follow each other, each with its result. Where ids have to be unique over the whole history, give the second call and its result a new one.',
    mended: 'mostly'
  },
  {
    name: 'thinking-bound-to-another-conversation',
    provider: 'Anthropic Messages, preserved thinking',
    title: "Invalid 'signature' in 'thinking' block: bound to a different conversation",
    patterns: [/invalid 'signature' in 'thinking' block.{0,400}bound to a different conversation/],
    profile: 'anthropic-preserved',
    rules: ['signature-stale'],
    says: 'A thinking block was made behind other messages than those that are sent before it now.',
    means:
      'The signature vouches for everything before it. Any change further up breaks it and all later ones; removing the one block is not enough.',
    cause: 'It trimmed, compacted or edited earlier messages and kept later thinking.',
    fix: 'Repair drops the block and all signed thinking behind it. Calls and results stay. A history that was only edited further up shows no trace of it: say so with `--profile anthropic-preserved`, or let the provider drop such blocks (`prefix_mismatch_behavior`).',
    mended: 'mostly'
  },
  {
    name: 'thinking-signature-invalid',
    provider: 'Anthropic Messages',
    title: "Invalid 'signature' in 'thinking' block",
    patterns: [/invalid 'signature' in 'thinking' block/, /'?thinking\.signature'?: field required/],
    profile: 'anthropic',
    rules: ['signature-incomplete', 'signature-missing', 'signature-stale'],
    says: 'The signature of a thinking block is missing, cut off, or made for other content.',
    means: 'A thinking block comes back whole and unchanged, or not at all.',
    cause:
      'It stored a block while it was still streaming, rebuilt it without its signature, or took it from another model.',
    fix: 'Repair drops the run of thinking that holds it. Store a block when it has ended.',
    mended: 'mostly'
  },
  {
    name: 'thinking-modified',
    provider: 'Anthropic Messages',
    title: 'blocks in the latest assistant message cannot be modified',
    patterns: [/blocks in the latest assistant message cannot be modified/],
    profile: 'anthropic',
    rules: ['signature-stale', 'signature-incomplete', 'signature-missing'],
    says: 'The thinking blocks of the last assistant message are not those that the model sent.',
    means: 'A run of thinking is kept whole and in its order, or dropped whole.',
    cause:
      'It grouped thinking first and calls last, dropped one of two blocks, or removed what stood between them.',
    fix: 'Repair puts blocks back where their order is known, and drops the run where it is not.',
    mended: 'mostly'
  },
  {
    name: 'thinking-expected-first',
    provider: 'Anthropic Messages, thinking budget',
    title: 'a final assistant message must start with a thinking block',
    patterns: [
      /expected '?thinking'? or '?redacted_thinking'?, but found/,
      /final '?assistant'? (?:message|turn)(?: of a thinking-enabled request)? must (?:start|begin) with a thinking block/
    ],
    profile: 'anthropic',
    rules: ['missing-reasoning'],
    says: 'Thinking is switched on, and the last assistant message does not begin with it.',
    means:
      'Within a turn of tools the thinking of its first step has to come back. It is a field of the profile: `reasoning: "first-in-last-turn"`.',
    cause: 'It dropped thinking from the store, or switched thinking on in the middle of a turn of tools.',
    fix: 'What is lost cannot be made up. Switch thinking off for this turn, or let a user message begin a new one.',
    mended: 'by-hand'
  },
  {
    name: 'thinking-last',
    provider: 'Anthropic Messages',
    title: 'an assistant message cannot end with thinking',
    patterns: [
      /final block in an assistant message cannot be '?thinking/,
      /must not (?:be|contain) only thinking/
    ],
    profile: 'anthropic',
    rules: ['dangling-reasoning'],
    says: 'An assistant message ends with thinking, or holds nothing else.',
    means: 'The text or tool use that the thinking led to is gone.',
    cause: 'It withheld the text of a message and kept its thinking; or it was stopped after the thinking.',
    fix: 'Repair drops the thinking.',
    mended: 'always'
  },
  {
    name: 'results-first',
    provider: 'Anthropic Messages',
    title: 'tool_result blocks must come first',
    patterns: [
      /tool_result'? blocks must come first/,
      /must contain only '?tool_result'? blocks/,
      /results? must be .{0,400}together in a single user message/
    ],
    profile: 'anthropic',
    rules: ['intervening-item'],
    says: 'A user message with results begins with something else, or holds text where only results are allowed.',
    means:
      'Results stand first and together. While a server tool is unanswered, nothing else stands beside them.',
    cause: 'It put the next prompt into the same message, before the results.',
    fix: 'Repair puts results first. Text beside an unanswered server tool is not moved: send it after the next answer.',
    mended: 'mostly'
  },
  {
    name: 'first-message-user',
    provider: 'Anthropic Messages',
    title: "the first message must use the 'user' role",
    patterns: [/first message must use the '?user'? role/],
    profile: 'anthropic',
    rules: ['leading-item'],
    says: 'The messages begin with one of the assistant.',
    means: 'A window was cut so that it begins in the middle of a turn.',
    cause: 'It trimmed by count and not at user input.',
    fix: 'Nothing is made up and nothing that ran is dropped: begin the window at a user message.',
    mended: 'by-hand'
  },
  {
    name: 'bedrock-results-expected',
    provider: 'Amazon Bedrock Converse',
    title: 'Expected toolResult blocks for the following Ids',
    patterns: [
      /expected '?toolresult'? blocks at \S+ for the following ids: (?<calls>[^\s.,'}\]]+(?:, ?[^\s.,'}\]]+)*)/
    ],
    profile: 'anthropic',
    rules: ['orphan-call', 'intervening-item'],
    says: 'The user message behind a tool use lacks results for some of the uses.',
    means: 'All results stand in the one user message directly behind.',
    cause: 'It was interrupted and went on with the next prompt, or stored one of several results.',
    fix: 'Repair closes what has none and moves results back, in the form of the Anthropic API. In the form of Converse take the list of edits (`--json`).',
    mended: 'mostly'
  },
  {
    name: 'bedrock-results-exceed',
    provider: 'Amazon Bedrock Converse',
    title: 'toolResult blocks exceed the number of toolUse blocks of previous turn',
    patterns: [
      /number of '?toolresult'? blocks at .{0,80}exceeds the number of '?tooluse'? blocks of (?:the )?previous turn/
    ],
    profile: 'anthropic',
    rules: ['orphan-output', 'duplicate-output', 'intervening-item'],
    says: 'A user message holds more results than the message before it has tool uses.',
    means: 'A result whose tool use was cut away, or that is there twice.',
    cause: 'It trimmed or compacted between the two, or stored a result again.',
    fix: 'Repair drops results without a tool use, and those too many.',
    mended: 'mostly'
  },
  {
    name: 'bedrock-start-with-user',
    provider: 'Amazon Bedrock Converse',
    title: 'A conversation must start with a user message',
    patterns: [/conversation must start with a user message/],
    profile: 'anthropic',
    rules: ['leading-item'],
    says: 'The messages begin with one of the assistant.',
    means: 'A window was cut so that it begins in the middle of a turn.',
    cause: 'It trimmed by count and not at user input.',
    fix: 'Begin the window at a user message; nothing is made up, and nothing that ran is dropped.',
    mended: 'by-hand'
  },
  {
    name: 'thought-signature-missing',
    provider: 'Gemini',
    title: 'is missing a thought_signature',
    patterns: [/missing a '?thought_?signature/],
    profile: 'gemini',
    rules: ['signature-missing'],
    says: 'A function call of the current turn comes back without the signature that it was sent with.',
    means:
      'The first call of each step since the last user message must carry it, in the very part where it was. Gemini 2.5 does not ask for it: `--profile gemini-2.5`.',
    cause:
      'It stored calls without the fields it did not know, merged parts, or dropped the first of several parallel calls.',
    fix: 'A signature cannot be made up. For calls that never had one Gemini documents the value `skip_thought_signature_validator`; answers may get worse.',
    mended: 'by-hand'
  },
  {
    name: 'thought-signature-corrupted',
    provider: 'Gemini',
    title: 'Corrupted thought signature',
    patterns: [/corrupted thought.?signature/, /thought.?signature is not valid/],
    profile: 'gemini',
    rules: ['signature-stale', 'signature-incomplete'],
    says: 'A thought signature is not the one that the model sent with this part.',
    means:
      'A signature stays on the part it came with, whole and unchanged, and is not taken to another model.',
    cause: 'It encoded bytes as text, cut long fields, or moved the signature when it merged parts.',
    fix: 'The history does not show it. Send the part as it came; for a call that has lost its own Gemini documents `skip_thought_signature_validator`.',
    mended: 'by-hand'
  },
  {
    name: 'function-response-parity',
    provider: 'Gemini',
    title: 'the number of function response parts is equal to the number of function call parts',
    patterns: [/number of function response parts is equal to the number of function call parts/],
    profile: 'gemini',
    rules: ['orphan-call', 'duplicate-output', 'orphan-output', 'intervening-item'],
    says: 'A turn of function calls and the turn of responses behind it do not match in number.',
    means: 'All calls of a response come first, then one response for each.',
    cause: 'It ran one of several calls, was interrupted between them, or stored a response twice.',
    fix: 'Repair closes what has no response, drops what is too much, and puts the responses together.',
    mended: 'always'
  },
  {
    name: 'function-call-turn-order',
    provider: 'Gemini',
    title: 'function call turn comes immediately after a user turn or after a function response turn',
    patterns: [/function call turn comes immediately after a user turn/],
    profile: 'gemini',
    rules: ['leading-item', 'orphan-call', 'intervening-item'],
    says: 'A function call stands behind something that is neither user input nor a function response.',
    means: 'The history begins in the middle of a turn, or an earlier call has no response.',
    cause: 'It trimmed by count, or went on behind an unanswered call.',
    fix: 'Repair closes and moves; a history that begins with a call has to begin at a user message.',
    mended: 'mostly'
  },
  {
    name: 'function-response-turn-order',
    provider: 'Gemini',
    title: 'function response turn comes immediately after a function call turn',
    patterns: [/function response turn comes immediately after a function call turn/],
    profile: 'gemini',
    rules: ['orphan-output', 'intervening-item', 'duplicate-output'],
    says: 'A function response has no call directly before it.',
    means: 'Its call was cut away, or something stands between them.',
    cause: 'It trimmed between the two, or stored a message in between.',
    fix: 'Repair moves the response behind its call, or drops it when the call is gone.',
    mended: 'always'
  },
  {
    name: 'tool-invocation-must-have-result',
    provider: 'AI SDK',
    title: 'ToolInvocation must have a result',
    patterns: [/toolinvocation must have a result(?:.{0,400}?'?toolcallid'?: ?'(?<calls>[^']+)')?/],
    profile: 'ai-sdk',
    rules: ['orphan-call'],
    says: 'A UI message holds a tool call that has no result when it is made into model messages.',
    means: 'The call was stored while it ran or waited, and never got an end.',
    cause:
      'It stored the messages of a stopped stream, or sent the next prompt while a tool waited for the user.',
    fix: 'Repair ends the call as failed, with words that say that it was interrupted.',
    mended: 'always'
  },
  {
    name: 'tool-results-missing',
    provider: 'AI SDK',
    title: 'Tool result is missing for tool call',
    patterns: [
      /tool results? (?:is|are) missing for tool calls? (?<calls>[^\s.,']+(?:, [^\s.,']+)*)/,
      /missingtoolresultserror/
    ],
    profile: 'ai-sdk',
    rules: ['orphan-call', 'intervening-item'],
    says: 'A tool call is unanswered when the next user message, or the end, comes.',
    means:
      'The SDK refuses before the provider is asked. Calls of the provider and calls whose approval was answered are excused.',
    cause: 'It stored a stopped stream: the call is there, its result is not.',
    fix: 'Repair closes the call, or moves its result before the next user message.',
    mended: 'always'
  },
  {
    name: 'ai-messages-without-tool-message',
    provider: 'LangGraph',
    title: 'Found AIMessages with tool_calls that do not have a corresponding ToolMessage',
    patterns: [
      /found aimessages with tool_calls that do not have a corresponding toolmessage/,
      /invalid_chat_history/
    ],
    profile: 'chat-completions',
    rules: ['orphan-call'],
    says: 'The prebuilt agent refuses its state before the model is asked: a call has no tool message.',
    means: 'The graph was interrupted between the model and the tools, and went on with another message.',
    cause:
      'It was resumed with new input instead of the answer, or a tool threw and its message was never added.',
    fix: 'Repair closes the call; in a graph, put a node that repairs in front of the model.',
    mended: 'always'
  },
  {
    name: 'tool-call-for-response-missing',
    provider: 'LiteLLM',
    title: 'Missing corresponding tool call for tool response message',
    patterns: [/missing corresponding tool call for tool response message/],
    profile: 'chat-completions',
    rules: ['orphan-output', 'intervening-item'],
    says: 'The proxy finds a tool message without a call before it while it translates the messages.',
    means: 'The call was cut away, or something stands between the two.',
    cause: 'It trimmed the history by count.',
    fix: 'Repair moves the tool message behind its call, or drops it when the call is gone.',
    mended: 'always'
  },
  {
    name: 'invalid-tool-results',
    provider: 'LangChain',
    title: 'INVALID_TOOL_RESULTS',
    patterns: [/invalid_tool_results/],
    profile: 'chat-completions',
    rules: ['orphan-call', 'orphan-output', 'duplicate-output', 'intervening-item'],
    says: 'The provider refused, and LangChain gives it one label: calls and tool messages do not match.',
    means: 'Below the label stands the provider’s own text. It says more.',
    cause:
      'A node was interrupted between model and tools, messages were trimmed, or one of several calls was rejected.',
    fix: 'Look the provider’s text up too. Repair closes, moves or drops; put it before every model call, not only at the start.',
    mended: 'mostly'
  }
]

/** A refusal that was recognised, and the ids that its text names. */
export interface Recognised {
  readonly refusal: Refusal
  readonly item?: string
  readonly reasoning?: string
  readonly calls: ReadonlyArray<string>
}

/** One kind of quote, no escapes, one space, small letters for matching. */
const plainText = (text: string): string =>
  text
    .replace(/\\+["'`]/g, "'")
    .replace(/["`´‘’“”]/g, "'")
    .replace(/\\[nrt]/g, ' ')
    .replace(/\s+/g, ' ')

/**
 * Recognises a provider's refusal by its text, which may be the whole response, JSON, a stack trace or a log line.
 *
 * @returns every refusal that fits, the likeliest first; none when the text is unknown
 */
export const recogniseRefusal = (text: string): ReadonlyArray<Recognised> => {
  const plain = plainText(text)
  const found: Array<Recognised> = []
  for (const refusal of refusals) {
    const match = firstMatch(refusal, plain)
    if (match === undefined) continue
    const { item, reasoning, calls } = match
    found.push({
      refusal,
      ...(item === undefined ? {} : { item }),
      ...(reasoning === undefined ? {} : { reasoning }),
      calls:
        calls === undefined
          ? []
          : calls
              .split(/[\s,]+/)
              .filter((call) => call !== '')
              .map(withoutStop)
    })
  }
  return found
}

const withoutStop = (id: string): string => id.replace(/[.,;]+$/, '')

const firstMatch = (
  refusal: Refusal,
  text: string
): Readonly<Record<string, string | undefined>> | undefined => {
  for (const pattern of refusal.patterns) {
    const match = new RegExp(pattern.source, 'i').exec(text)
    if (match !== null) return match.groups ?? {}
  }
  return undefined
}
