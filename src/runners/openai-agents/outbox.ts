/**
 * The session that the SDK is given in place of the caller's.
 *
 * Law: it answers reads from the caller's session and holds back every write, because what is to be written is
 * planned elsewhere. Within one run the SDK sees what it has written. It is deliberately not transaction aware.
 */
import {
  isRunContextAwareSession,
  type AgentInputItem,
  type RunContext,
  type Session
} from '@openai/agents-core'
import { toSessionItem } from './plain.js'

/** A session that keeps writes to itself. */
export interface Outbox {
  readonly session: Session
  /** What the SDK wrote, oldest first. */
  readonly written: () => ReadonlyArray<AgentInputItem>
}

const lastOf = (items: AgentInputItem[], limit: number | undefined): AgentInputItem[] => {
  if (limit === undefined) return items
  return limit <= 0 ? [] : items.slice(-limit)
}

/** Optional methods of a session that only read or rewrite what is handed to them. */
const passedOn = [
  'prepareHistoryItemForModelInput',
  'prepareHistoryItemsForPersistenceComparison',
  'preserveReasoningItemIdsForPersistence'
] as const

/** An outbox in front of a session. */
export const makeOutbox = (inner: Session): Outbox => {
  let held: AgentInputItem[] = []
  let cleared = false
  const withContext = isRunContextAwareSession(inner) ? inner : undefined
  const session: Session & { acceptsRunContext?: true } = {
    getSessionId: () => inner.getSessionId(),
    getItems: async (limit?: number, context?: RunContext<unknown>) => {
      if (cleared) return lastOf(held.slice(), limit)
      const stored =
        withContext === undefined ? await inner.getItems(limit) : await withContext.getItems(limit, context)
      return lastOf([...stored, ...held], limit)
    },
    addItems: async (items: AgentInputItem[]) => {
      for (const item of items) held.push(toSessionItem(item))
    },
    popItem: async () => held.pop(),
    clearSession: async () => {
      held = []
      cleared = true
    }
  }
  if (withContext !== undefined) session.acceptsRunContext = true
  for (const name of passedOn) {
    const method: unknown = inner[name]
    if (typeof method === 'function') Object.assign(session, { [name]: method.bind(inner) })
  }
  return { session, written: () => held }
}
