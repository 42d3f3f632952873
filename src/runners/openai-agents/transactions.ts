/**
 * History transactions for a session that has none.
 *
 * Law: only this file turns the five methods of a session into a transaction. It is best effort, and cannot be more:
 * a crash between taking the last items away and adding the new ones loses what was taken away, another writer in
 * between is noticed only if it changed the suffix before it was read, and operations are remembered by the returned
 * value, not by the store.
 */
import {
  isSessionHistoryTransactionAwareSession,
  type AgentInputItem,
  type Session,
  type SessionHistoryTransaction,
  type SessionHistoryTransactionArgs,
  type SessionHistoryTransactionAwareSession
} from '@openai/agents-core'
import { isEqual, toSessionItem } from './plain.js'

/** Why a transaction was refused; nothing was changed. An `Error` with these fields. */
export interface TransactionRefusal extends Error {
  readonly kind: 'rejected'
  /** Where in the request. */
  readonly path: string
}

const refuse = (path: string, expected: string): TransactionRefusal =>
  Object.assign(new Error(`${path}: expected ${expected}`), { kind: 'rejected' as const, path })

/** Operations that are remembered. A retry comes soon after what it repeats. */
const remembered = 256

const replaceSuffix = async (
  session: Session,
  expected: ReadonlyArray<AgentInputItem>,
  replacement: AgentInputItem[]
): Promise<void> => {
  const tail = expected.length === 0 ? [] : await session.getItems(expected.length)
  // Items that both have in front stay where they are, so that as little as possible is at risk.
  if (!isEqual(tail, expected)) throw refuse('transaction.expectedSuffix', 'the last items of the session')
  let kept = 0
  while (kept < expected.length && kept < replacement.length && isEqual(tail[kept], replacement[kept])) {
    kept += 1
  }
  const taken = expected.slice(kept)
  for (const _item of taken) await session.popItem()
  if (kept === replacement.length) return
  try {
    await session.addItems(replacement.slice(kept))
  } catch (thrown) {
    // Back to what was there, as far as the session lets us: a retry expects it.
    if (taken.length > 0) await session.addItems(taken).catch(() => undefined)
    throw thrown
  }
}

const apply = async (session: Session, transaction: SessionHistoryTransaction): Promise<void> => {
  if (transaction.type === 'append_items') {
    if (transaction.items.length > 0) await session.addItems(transaction.items)
    return
  }
  await replaceSuffix(session, transaction.expectedSuffix, transaction.replacement)
}

const snapshot = (transaction: SessionHistoryTransaction): SessionHistoryTransaction => {
  switch (transaction?.type) {
    case 'append_items':
      return { type: 'append_items', items: transaction.items.map(toSessionItem) }
    case 'replace_suffix':
      return {
        type: 'replace_suffix',
        expectedSuffix: transaction.expectedSuffix.map(toSessionItem),
        replacement: transaction.replacement.map(toSessionItem)
      }
    default:
      throw refuse('transaction.type', 'append_items or replace_suffix')
  }
}

const makeApply = (session: Session): SessionHistoryTransactionAwareSession['applyHistoryTransaction'] => {
  const applied = new Map<string, SessionHistoryTransaction>()
  let last: Promise<unknown> = Promise.resolve()
  const run = async ({ operationId, transaction }: SessionHistoryTransactionArgs): Promise<void> => {
    if (typeof operationId !== 'string' || operationId.trim() === '')
      throw refuse('operationId', 'an id that is not empty')
    const wanted = snapshot(transaction)
    const known = applied.get(operationId)
    if (known !== undefined) {
      if (isEqual(known, wanted)) return
      throw refuse('operationId', 'an id that no other transaction has used')
    }
    await apply(session, wanted)
    applied.set(operationId, wanted)
    if (applied.size > remembered) applied.delete(applied.keys().next().value as string)
  }
  return (args) => {
    const done = last.then(() => run(args))
    last = done.catch(() => undefined)
    return done
  }
}

const wrapped = new WeakMap<Session, SessionHistoryTransactionAwareSession>()

/**
 * The same session, with history transactions made of its five methods.
 *
 * The SDK uses them by itself: with this alone, a rejected message no longer costs the tool calls before it. One
 * value per session, which is the session itself when it has transactions of its own. Errors: `rejected` when the
 * suffix is not the expected one or an operation id is used twice; otherwise those of the session.
 * Complexity: linear in the transaction.
 *
 * @example
 * import { MemorySession } from '@openai/agents-core'
 * const session = withTransactions(new MemorySession())
 * await session.getItems() // => []
 */
export const withTransactions = <S extends Session>(
  session: S
): S & SessionHistoryTransactionAwareSession => {
  if (isSessionHistoryTransactionAwareSession(session)) return session
  const known = wrapped.get(session)
  if (known !== undefined) return known as S & SessionHistoryTransactionAwareSession
  const applyHistoryTransaction = makeApply(session)
  const proxy = new Proxy(session, {
    // Methods are bound to the session: one with private fields refuses any other receiver.
    get: (target, name) => {
      if (name === 'applyHistoryTransaction') return applyHistoryTransaction
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
    has: (target, name) => name === 'applyHistoryTransaction' || Reflect.has(target, name)
  }) as S & SessionHistoryTransactionAwareSession
  wrapped.set(session, proxy)
  return proxy
}
