/** Sessions of the OpenAI Agents SDK for tests. */
import type { AgentInputItem, Session } from '@openai/agents-core'

/** A session with the five methods and nothing else, as the SDK's documentation shows it. */
export const plainSession = (): Session => {
  let items: AgentInputItem[] = []
  return {
    getSessionId: async () => 'plain',
    getItems: async (limit) =>
      structuredClone(limit === undefined ? items : limit <= 0 ? [] : items.slice(-limit)),
    addItems: async (more) => {
      items = [...items, ...structuredClone(more)]
    },
    popItem: async () => items.pop(),
    clearSession: async () => {
      items = []
    }
  }
}
