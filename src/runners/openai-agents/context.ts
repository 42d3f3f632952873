/**
 * A session that wants to know the run it serves.
 *
 * Law: such a session is called with the context of the run, as the SDK would call it; every other one as it is.
 */
import {
  isRunContextAwareSession,
  isSessionHistoryTransactionAwareSession,
  type RunContext,
  type Session,
  type SessionHistoryTransactionAwareSession
} from '@openai/agents-core'

/** The context of a run, once it is known. */
export interface ContextHolder {
  context: RunContext<unknown> | undefined
}

/** The session, called with the context in the holder where it takes one. */
export const withRunContext = (session: Session, holder: ContextHolder): Session => {
  if (!isRunContextAwareSession(session)) return session
  const own: Session & Partial<SessionHistoryTransactionAwareSession> = {
    getSessionId: () => session.getSessionId(),
    getItems: (limit) => session.getItems(limit, holder.context),
    addItems: (items) => session.addItems(items, holder.context),
    popItem: () => session.popItem(holder.context),
    clearSession: () => session.clearSession(holder.context)
  }
  if (isSessionHistoryTransactionAwareSession(session))
    own.applyHistoryTransaction = (args) => session.applyHistoryTransaction(args, holder.context)
  return own
}
