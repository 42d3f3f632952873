/**
 * Which dialects are there, and which one is needed?
 *
 * Law: the table of dialects by name. A dialect is loaded when an input first needs it, so that the rest costs nothing.
 */
import type { Dialects } from '../conformance/question.js'
import type { AnyDialect } from '../conformance/reading.js'

type Loader = () => Promise<object>

const loaders: ReadonlyMap<string, Loader> = new Map<string, Loader>([
  ['neutral', async () => (await import('../dialects/neutral.js')).neutral],
  ['responses', async () => (await import('../dialects/responses.js')).responses],
  ['agents-js', async () => (await import('../dialects/agents-js.js')).agentsJs],
  ['agents-python', async () => (await import('../dialects/agents-python.js')).agentsPython]
])

const blockLoaders: ReadonlyMap<string, Loader> = new Map<string, Loader>([
  ['chat-completions', async () => (await import('../dialects/chat-completions.js')).chatCompletions],
  ['anthropic', async () => (await import('../dialects/anthropic.js')).anthropic],
  ['gemini', async () => (await import('../dialects/gemini.js')).gemini],
  ['ai-sdk', async () => (await import('../dialects/ai-sdk.js')).aiSdk],
  ['ai-sdk-ui', async () => (await import('../dialects/ai-sdk-ui.js')).aiSdkUi],
  ['langchain', async () => (await import('../dialects/langchain.js')).langchain]
])

/** The dialects of single items, in the order in which they are shown. */
export const dialectNames: ReadonlyArray<string> = [...loaders.keys()]

/** All dialects, those of messages that hold many items behind the others. */
export const historyDialects: ReadonlyArray<string> = [...dialectNames, ...blockLoaders.keys()]

/** The dialects that were needed so far; `need` loads another one, and does nothing for a name that is not known. */
export interface LoadedDialects extends Dialects {
  readonly need: (name: string | undefined) => Promise<void>
}

/** A table in which nothing is loaded yet. */
export const startDialects = (): LoadedDialects => {
  const loaded = new Map<string, AnyDialect>()
  return {
    names: historyDialects,
    find: (name) => loaded.get(name),
    need: async (name) => {
      const load =
        name === undefined || loaded.has(name) ? undefined : (loaders.get(name) ?? blockLoaders.get(name))
      // A dialect takes whatever its own `decode` was given; what kind of raw item that is does not matter here.
      if (name !== undefined && load !== undefined) loaded.set(name, (await load()) as AnyDialect)
    }
  }
}
