/** The messages that the providers' own packages declare are handed to the block dialects, and come back as themselves. */
import type Anthropic from '@anthropic-ai/sdk'
import type { Content } from '@google/genai'
import type { BaseMessage, StoredMessage } from '@langchain/core/messages'
import type { ModelMessage, UIMessage } from 'ai'
import type { ModelMessage as ModelMessage6, UIMessage as UIMessage6 } from 'ai6'
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions'
import { describe, expectTypeOf, test } from 'vitest'
import type { Item } from '../../src/core/item.js'
import { aiSdk } from '../../src/dialects/ai-sdk.js'
import { aiSdkUi } from '../../src/dialects/ai-sdk-ui.js'
import { anthropic } from '../../src/dialects/anthropic.js'
import { chatCompletions } from '../../src/dialects/chat-completions.js'
import { gemini } from '../../src/dialects/gemini.js'
import { langchain, type LangChainRemoval, langchainEdits } from '../../src/dialects/langchain.js'
import { orThrow } from '../../src/core/plan.js'
import type { BlockDialect } from '../../src/ports/dialect.js'
import { saveTurn } from '../../src/save/save-turn.js'

declare const items: ReadonlyArray<Item>

describe('a block dialect serves', () => {
  test('the messages of the openai package', () => {
    expectTypeOf(chatCompletions).toExtend<BlockDialect<ChatCompletionMessageParam>>()
  })

  test('the messages of the Anthropic package, beta ones and responses included', () => {
    expectTypeOf(anthropic).toExtend<BlockDialect<Anthropic.MessageParam>>()
    expectTypeOf(anthropic).toExtend<BlockDialect<Anthropic.Beta.BetaMessageParam>>()
    expectTypeOf(anthropic).toExtend<BlockDialect<Anthropic.Message>>()
  })

  test('the contents of the Gemini package', () => {
    expectTypeOf(gemini).toExtend<BlockDialect<Content>>()
  })

  test('the messages of the AI SDK, versions 6 and 7', () => {
    expectTypeOf(aiSdk).toExtend<BlockDialect<ModelMessage>>()
    expectTypeOf(aiSdk).toExtend<BlockDialect<ModelMessage6>>()
    expectTypeOf(aiSdkUi).toExtend<BlockDialect<UIMessage>>()
    expectTypeOf(aiSdkUi).toExtend<BlockDialect<UIMessage6>>()
  })

  test('the messages of LangChain, live and stored', () => {
    expectTypeOf(langchain).toExtend<BlockDialect<BaseMessage>>()
    expectTypeOf(langchain).toExtend<BlockDialect<StoredMessage>>()
    expectTypeOf(langchainEdits([] as ReadonlyArray<BaseMessage>, [])).toEqualTypeOf<
      ReadonlyArray<BaseMessage | LangChainRemoval>
    >()
  })

  test("a caller's own type through every step", () => {
    interface Own {
      readonly role: 'assistant'
      readonly content: string
      readonly mine: number
    }
    const messages: ReadonlyArray<Own> = []
    expectTypeOf(chatCompletions.rebuild({ messages, items, entries: [] }).messages).toEqualTypeOf<
      ReadonlyArray<Own>
    >()
  })

  test('a save of messages, which hands back their own type', () => {
    const turn: ReadonlyArray<ModelMessage> = []
    const answer = orThrow(
      saveTurn({ dialect: aiSdk, items: turn, turn: 't', outcome: { kind: 'accepted' } })
    )
    expectTypeOf(answer.items).toEqualTypeOf<ReadonlyArray<ModelMessage>>()
  })

  test('and refuses what has no such shape', () => {
    // @ts-expect-error a number is no message
    anthropic.rebuild({ messages: [7], items, entries: [] })
    // @ts-expect-error there is no such kind
    gemini.with({ acme: 'question' })
    expectTypeOf(anthropic).not.toExtend<BlockDialect<{ readonly parts: number }>>()
  })
})
