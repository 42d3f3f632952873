/**
 * A session of the SDK as a session store.
 *
 * Law: a session that is a store already is taken as it is. For every other one the progress of its last turns is
 * kept beside it in this process, because it has no place for it; what another process saved is found again in the
 * history (`recover.ts`). Entries of a turn are replaced only if they are the last ones of the session.
 *
 * Rules: PLAN-14, PROGRESS-8.
 */
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { AgentInputItem, Session } from '@openai/agents-core'
import { type Progress, startProgress } from '../../core/progress.js'
import type {
  Receipt,
  SessionStore,
  SessionWrite,
  StoreConflict,
  StoreError
} from '../../ports/session-store.js'
import { isEqual } from './plain.js'
import { withTransactions } from './transactions.js'

interface KeptTurn {
  readonly progress: Progress
  readonly operation: string
  /** The entries as they were written: one list for the whole life of the turn. */
  readonly entries: AgentInputItem[]
}

/** Turns whose progress is kept for a session that cannot keep it. */
const keptTurns = 64

const ledgers = new WeakMap<Session, Map<string, KeptTurn>>()

const ledgerOf = (session: Session): Map<string, KeptTurn> => {
  const known = ledgers.get(session)
  if (known !== undefined) return known
  const made = new Map<string, KeptTurn>()
  ledgers.set(session, made)
  return made
}

const keep = (session: Session, turn: string, kept: KeptTurn): void => {
  const ledger = ledgerOf(session)
  ledger.delete(turn)
  ledger.set(turn, kept)
  if (ledger.size > keptTurns) ledger.delete(ledger.keys().next().value as string)
}

/** Whether a session keeps progress itself. */
export const isStore = (session: Session): session is Session & SessionStore<AgentInputItem> => {
  const { read, progress, save } = session as Partial<SessionStore<AgentInputItem>>
  return typeof read === 'function' && typeof progress === 'function' && typeof save === 'function'
}

/** Puts into the ledger what was found in the history. */
export const adopt = (session: Session, progress: Progress, entries: ReadonlyArray<AgentInputItem>): void =>
  keep(session, progress.turn, { progress, operation: '', entries: entries.slice() })

const conflict = (turn: string, stored: Progress | null): StoreConflict => ({
  kind: 'conflict',
  turn,
  stored,
  message: 'the progress of the turn is not the expected one: plan again from the stored one'
})

const kindOf = (thrown: unknown): unknown => (thrown as { readonly kind?: unknown } | null | undefined)?.kind

const readThrown = (thrown: unknown): StoreError =>
  kindOf(thrown) === 'rejected'
    ? {
        kind: 'rejected',
        path: 'replaces',
        message: 'the last items of the session are not those that the turn wrote'
      }
    : {
        kind: 'unavailable',
        reason: 'other',
        applied: 'unknown',
        message: 'the session threw; the same write may be sent again'
      }

const act = async (
  session: Session,
  write: SessionWrite<AgentInputItem>,
  before: ReadonlyArray<AgentInputItem>
): Promise<void> => {
  if (write.change === 'none' || (write.items.length === 0 && write.replaces === 0)) return
  const items = write.items.slice()
  const expectedSuffix = before.slice(before.length - write.replaces)
  await withTransactions(session).applyHistoryTransaction({
    operationId: `${write.turn}:${write.operation}`,
    transaction:
      write.replaces === 0
        ? { type: 'append_items', items }
        : { type: 'replace_suffix', expectedSuffix, replacement: items }
  })
}

const save = async (
  session: Session,
  write: SessionWrite<AgentInputItem>
): Promise<E.Either<StoreError, Receipt>> => {
  const kept = ledgerOf(session).get(write.turn)
  if (kept !== undefined && kept.operation === write.operation)
    return E.right({ applied: false, progress: kept.progress, notices: [] })
  const stored = kept?.progress ?? startProgress(write.turn)
  if (!isEqual(stored, write.expects)) return E.left(conflict(write.turn, kept?.progress ?? null))
  const entries = kept?.entries ?? []
  await act(session, write, entries)
  entries.splice(Math.max(entries.length - write.replaces, 0))
  for (const item of write.items) entries.push(item)
  keep(session, write.turn, { progress: write.after, operation: write.operation, entries })
  return E.right({ applied: true, progress: write.after, notices: [] })
}

/** A store over the five methods of a session, or over its transactions where it has them. */
export const ledgerStore = (session: Session): SessionStore<AgentInputItem> => ({
  read: (options) =>
    TE.tryCatch(async () => ({ items: await session.getItems(options?.limit), notices: [] }), readThrown),
  progress: (turn) => TE.right(ledgerOf(session).get(turn)?.progress ?? null),
  save: (write) => TE.flatten(TE.tryCatch(async () => TE.fromEither(await save(session, write)), readThrown))
})
