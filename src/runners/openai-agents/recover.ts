/**
 * Which store a turn is saved to, and from which progress.
 *
 * Law: a resumed turn whose progress no store knows is matched against the tail of the history, and refused where
 * that can be read in two ways. A turn that starts now has no progress.
 *
 * Rules: PROGRESS-11.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { AgentInputItem, Session } from '@openai/agents-core'
import type { Policy } from '../../core/policy.js'
import { recoverProgress } from '../../core/recover.js'
import type { Dialect } from '../../ports/dialect.js'
import type { SessionStore } from '../../ports/session-store.js'
import { adopt, isStore, ledgerStore } from './ledger.js'
import { type LogItem, rawOf } from './log.js'
import { isEqual, toSessionItem } from './plain.js'

/** The store of a session. */
export const storeOf = (session: Session): SessionStore<AgentInputItem> =>
  isStore(session) ? session : ledgerStore(session)

const withoutId = (item: unknown): unknown => {
  const { id: _id, ...rest } = toSessionItem(item) as { readonly id?: unknown }
  return rest
}

/** The store for a resumed turn: the session's own, or a ledger that knows what the history tells. */
export const resumedStore = async (
  session: Session,
  turn: string,
  items: ReadonlyArray<LogItem>,
  dialect: Dialect<LogItem>,
  policy: Policy | undefined
): Promise<SessionStore<AgentInputItem>> => {
  const store = storeOf(session)
  const known = await store.progress(turn)()
  if (E.isLeft(known) || known.right !== null) return store
  const history = await session.getItems()
  const wanted = dialect.decode(items)
  const stored = dialect.decode(history)
  if (E.isLeft(wanted) || E.isLeft(stored)) return store
  const kinds = { wanted: wanted.right.items, stored: stored.right.items }
  const recovered = recoverProgress({
    turn,
    items: kinds.wanted,
    history: kinds.stored,
    ...(policy === undefined ? {} : { policy }),
    same: (index, position) =>
      kinds.stored[index]?.kind === kinds.wanted[position]?.kind &&
      isEqual(withoutId(history[index]), withoutId(rawOf(items[position] as LogItem)))
  })
  if (E.isLeft(recovered)) {
    const error = recovered.left
    throw Object.assign(new Error(error.message), error)
  }
  if (recovered.right.written === 0) return store
  adopt(session, recovered.right, history.slice(history.length - recovered.right.written))
  return ledgerStore(session)
}
