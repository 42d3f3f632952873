/** The small grammar of conversations in the words of each format. */
import { anthropic } from '../../src/dialects/anthropic.js'
import { chatCompletions } from '../../src/dialects/chat-completions.js'
import { gemini } from '../../src/dialects/gemini.js'
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
    part.what === 'call' ? [{ id: part.id, type: 'function', function: { name: 'pay', arguments: '{}' } }] : []
  )
  return {
    role: 'assistant',
    content:
      texts.length === 0 ? null : texts.length === 1 ? texts[0] : texts.map((text) => ({ type: 'text', text })),
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

/** Every block dialect with its spelling. */
export const spellings = [
  { dialect: anthropic, spell: spellAnthropic },
  { dialect: chatCompletions, spell: spellChat },
  { dialect: gemini, spell: spellGemini }
]
