/** The small grammar of conversations in the words of each format. */
import { aiSdk } from '../../src/dialects/ai-sdk.js'
import { aiSdkUi } from '../../src/dialects/ai-sdk-ui.js'
import { anthropic } from '../../src/dialects/anthropic.js'
import { chatCompletions } from '../../src/dialects/chat-completions.js'
import { gemini } from '../../src/dialects/gemini.js'
import { langchain } from '../../src/dialects/langchain.js'
import type { Said, Spoken } from './conversations.js'

type Spell = (spoken: ReadonlyArray<Spoken>) => ReadonlyArray<unknown>

const each =
  (spell: (spoken: Spoken) => ReadonlyArray<unknown>): Spell =>
  (spoken) =>
    spoken.flatMap((message) => [...spell(message)])

const anthropicBlock = (part: Said): object =>
  part.what === 'call'
    ? { type: 'tool_use', id: part.id, name: 'pay', input: {} }
    : part.what === 'thought'
      ? { type: 'thinking', thinking: part.words, signature: 's' }
      : { type: 'text', text: part.words }

const spellAnthropic = each((message) => {
  if (message.who === 'user') {
    const [only, ...rest] = message.words
    return [
      {
        role: 'user',
        content: rest.length === 0 ? only : message.words.map((text) => ({ type: 'text', text }))
      }
    ]
  }
  if (message.who === 'model') return [{ role: 'assistant', content: message.said.map(anthropicBlock) }]
  return [
    {
      role: 'user',
      content: message.results.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'done' }))
    }
  ]
})

const chatAssistant = (said: ReadonlyArray<Said>): object => {
  const texts = said.flatMap((part) => (part.what === 'text' ? [part.words] : []))
  const thoughts = said.flatMap((part) => (part.what === 'thought' ? [part.words] : []))
  const calls = said.flatMap((part) =>
    part.what === 'call'
      ? [{ id: part.id, type: 'function', function: { name: 'pay', arguments: '{}' } }]
      : []
  )
  return {
    role: 'assistant',
    content:
      texts.length === 0
        ? null
        : texts.length === 1
          ? texts[0]
          : texts.map((text) => ({ type: 'text', text })),
    ...(thoughts.length === 0 ? {} : { reasoning_content: thoughts.join(' ') }),
    ...(calls.length === 0 ? {} : { tool_calls: calls })
  }
}

const spellChat = each((message) => {
  if (message.who === 'user') return message.words.map((content) => ({ role: 'user', content }))
  if (message.who === 'model') return [chatAssistant(message.said)]
  return message.results.map((id) => ({ role: 'tool', tool_call_id: id, content: 'done' }))
})

const geminiPart = (part: Said): object =>
  part.what === 'call'
    ? { functionCall: { name: part.id, args: {} }, thoughtSignature: 's' }
    : part.what === 'thought'
      ? { text: part.words, thought: true }
      : { text: part.words }

const spellGemini = each((message) => {
  if (message.who === 'user') return [{ role: 'user', parts: message.words.map((text) => ({ text })) }]
  if (message.who === 'model') return [{ role: 'model', parts: message.said.map(geminiPart) }]
  return [
    {
      role: 'user',
      parts: message.results.map((name) => ({ functionResponse: { name, response: { output: 'done' } } }))
    }
  ]
})

const aiSdkPart = (part: Said): object =>
  part.what === 'call'
    ? { type: 'tool-call', toolCallId: part.id, toolName: 'pay', input: {} }
    : part.what === 'thought'
      ? { type: 'reasoning', text: part.words, providerOptions: { anthropic: { signature: 's' } } }
      : { type: 'text', text: part.words }

const spellAiSdk = each((message) => {
  if (message.who === 'user') return message.words.map((content) => ({ role: 'user', content }))
  if (message.who === 'model') return [{ role: 'assistant', content: message.said.map(aiSdkPart) }]
  const output = { type: 'text', value: 'done' }
  return [
    {
      role: 'tool',
      content: message.results.map((toolCallId) => ({
        type: 'tool-result',
        toolCallId,
        toolName: 'pay',
        output
      }))
    }
  ]
})

const uiPart = (part: Said, answered: ReadonlySet<string>): object => {
  if (part.what !== 'call')
    return { type: part.what === 'thought' ? 'reasoning' : 'text', text: part.words, state: 'done' }
  const tool = { type: 'tool-pay', toolCallId: part.id, input: {} }
  return answered.has(part.id)
    ? { ...tool, state: 'output-available', output: 'done' }
    : { ...tool, state: 'input-available' }
}

/** One message of the assistant for all that it says until the user speaks again. */
const spellUi: Spell = (spoken) => {
  const messages: Array<{ id: string; role: string; parts: Array<object> }> = []
  const answered = new Set(spoken.flatMap((message) => (message.who === 'tools' ? message.results : [])))
  for (const message of spoken) {
    if (message.who === 'tools') continue
    const role = message.who === 'user' ? 'user' : 'assistant'
    const parts =
      message.who === 'user'
        ? message.words.map((text) => ({ type: 'text', text }))
        : [{ type: 'step-start' }, ...message.said.map((part) => uiPart(part, answered))]
    const last = messages[messages.length - 1]
    if (last?.role === 'assistant' && role === 'assistant') last.parts.push(...parts)
    else messages.push({ id: `m${messages.length}`, role, parts })
  }
  return messages
}

const langchainBlock = (part: Said): object =>
  part.what === 'call'
    ? { type: 'tool_use', id: part.id, name: 'pay', input: {} }
    : part.what === 'thought'
      ? { type: 'thinking', thinking: part.words, signature: 's' }
      : { type: 'text', text: part.words }

const spellLangchain = each((message) => {
  if (message.who === 'user') return message.words.map((content) => ({ type: 'human', data: { content } }))
  if (message.who === 'tools')
    return message.results.map((id) => ({ type: 'tool', data: { content: 'done', tool_call_id: id } }))
  const calls = message.said.flatMap((part) =>
    part.what === 'call' ? [{ id: part.id, name: 'pay', args: {} }] : []
  )
  return [{ type: 'ai', data: { content: message.said.map(langchainBlock), tool_calls: calls } }]
})

/** Every block dialect with its spelling. */
export const spellings = [
  { dialect: anthropic, spell: spellAnthropic },
  { dialect: chatCompletions, spell: spellChat },
  { dialect: gemini, spell: spellGemini },
  { dialect: aiSdk, spell: spellAiSdk },
  { dialect: aiSdkUi, spell: spellUi },
  { dialect: langchain, spell: spellLangchain }
]
