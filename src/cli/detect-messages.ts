/**
 * What gives a dialect of messages away?
 *
 * Law: signs of the dialects in which one message holds many items, each of which only this dialect writes, and which
 * dialect a history of plain messages is read in. Complexity: linear in the parts.
 */
import { isRecord } from '../conformance/question.js'
import type { Raw, Signs } from './detect.js'

const hasPart = (value: unknown, fits: (part: Raw) => boolean): boolean =>
  Array.isArray(value) && value.some((part: unknown) => isRecord(part) && fits(part))

const typed =
  (names: ReadonlyArray<string>) =>
  ({ type }: Raw): boolean =>
    typeof type === 'string' && names.includes(type)

const isLangChain = (raw: Raw): boolean =>
  raw['lc'] === 1 ||
  (typed(['human', 'ai', 'system', 'tool', 'function'])(raw) && (isRecord(raw['data']) || 'content' in raw))

const anthropicParts = typed([
  'tool_use',
  'tool_result',
  'thinking',
  'redacted_thinking',
  'server_tool_use',
  'mcp_tool_use'
])
const aiSdkParts = typed([
  'tool-call',
  'tool-result',
  'reasoning',
  'tool-approval-request',
  'tool-approval-response'
])

/** The signs, one entry per dialect. */
export const messageSigns: ReadonlyArray<Signs> = [
  { dialect: 'langchain', owns: isLangChain },
  {
    dialect: 'chat-completions',
    owns: (raw) =>
      typeof raw['role'] === 'string' &&
      !isLangChain(raw) &&
      (Array.isArray(raw['tool_calls']) || isRecord(raw['function_call']) || 'tool_call_id' in raw)
  },
  { dialect: 'anthropic', owns: (raw) => hasPart(raw['content'], anthropicParts) },
  { dialect: 'ai-sdk', owns: (raw) => 'role' in raw && hasPart(raw['content'], aiSdkParts) },
  {
    dialect: 'ai-sdk-ui',
    owns: (raw) => hasPart(raw['parts'], ({ type }) => typeof type === 'string')
  },
  {
    dialect: 'gemini',
    owns: (raw) => hasPart(raw['parts'], ({ type }) => type === undefined)
  }
]
