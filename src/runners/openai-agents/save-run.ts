/**
 * The save of a run: its input, then its turn.
 *
 * Law: the input is the host's own words and is stored as it is, before the turn and as an entry group of its own, so
 * that a state that comes back from text need not know it. The turn is planned by the core. What fails is told, and
 * can be tried again.
 *
 * Rules: PLAN-1, SELECT-4.
 */
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { AgentInputItem } from '@openai/agents-core'
import type { Outcome } from '../../core/outcome.js'
import type { StoreKind } from '../../core/question.js'
import type { Policy } from '../../core/policy.js'
import { startProgress } from '../../core/progress.js'
import type { AbortSignalLike } from '../../ports/abort-signal.js'
import type { Dialect } from '../../ports/dialect.js'
import type { Receipt, SessionStore, StoreError } from '../../ports/session-store.js'
import { resend, settle, type Settlement } from '../settle.js'
import { type LogItem, rawOf, type RunLog } from './log.js'
import { isEqual, toSessionItem } from './plain.js'

/** What is saved, and how. */
export interface RunSave {
  readonly dialect: Dialect<LogItem>
  readonly store: SessionStore<AgentInputItem>
  readonly kind: StoreKind
  readonly policy?: Policy
  readonly attempts?: number
  readonly saveSignal?: AbortSignalLike
  readonly turn: string
  readonly log: RunLog
  readonly outcome: Outcome
  readonly input: ReadonlyArray<AgentInputItem>
  /** Whether the host wants reasoning stored without ids. */
  readonly omitsReasoningIds: boolean
}

/** What became of it. */
export interface SavedRun {
  /** Null when there was no input to store. */
  readonly input: E.Either<StoreError, Receipt> | null
  /** Null when the input could not be stored, without which the turn is not. */
  readonly turn: Settlement<LogItem> | null
}

/** Both facts about a run: how it ended, and what became of its save. */
export interface RetentionReport {
  /** The id of the turn. */
  readonly turn: string
  readonly outcome: Outcome
  /** Whether everything that belongs into the session is there. */
  readonly saved: boolean
  /** What became of the input; null when there was none. */
  readonly input: E.Either<StoreError, Receipt> | null
  /** Plan, notices, unprotected positions and what became of the save; null when the input could not be stored. */
  readonly settlement: Settlement<LogItem> | null
  /** Saves what is not saved yet. Writes nothing twice. */
  readonly retry: () => Promise<RetentionReport>
}

const sessionItem = (item: LogItem, omitsReasoningIds: boolean): AgentInputItem => {
  const copy = toSessionItem(rawOf(item))
  if (!omitsReasoningIds || copy.type !== 'reasoning') return copy
  const { id: _id, ...rest } = copy
  return rest
}

/** A store of session items as a store of log items. */
const throughRaw = (
  store: SessionStore<AgentInputItem>,
  omitsReasoningIds: boolean
): SessionStore<LogItem> => ({
  read: (options) => store.read(options),
  progress: store.progress,
  save: (write) =>
    store.save({ ...write, items: write.items.map((item) => sessionItem(item, omitsReasoningIds)) })
})

const saveInput = (save: RunSave): TE.TaskEither<StoreError, Receipt> => {
  const turn = `${save.turn}/input`
  const items = save.input.map(toSessionItem)
  const count = items.length
  const expects = startProgress(turn)
  const after = { ...expects, revision: 1, settled: count, final: count, written: count }
  const write = { turn, operation: 'input', expects, change: 'append' as const, replaces: 0, items, after }
  return resend(save.store, write, save.saveSignal)
}

/** Saves the input, then the turn. Never rejects. */
export const saveRun = async (save: RunSave): Promise<SavedRun> => {
  const { dialect, store, kind, turn, log, outcome, policy, attempts, saveSignal } = save
  const input = save.input.length === 0 ? null : await saveInput(save)()
  if (input !== null && E.isLeft(input)) return { input, turn: null }
  const settlement = await settle({
    dialect,
    session: throughRaw(store, save.omitsReasoningIds),
    turn,
    items: log.items.slice(),
    outcome,
    store: kind,
    ...(policy === undefined ? {} : { policy }),
    ...(attempts === undefined ? {} : { attempts }),
    ...(saveSignal === undefined ? {} : { saveSignal })
  })()
  return { input, turn: settlement }
}

/** The report of a save. */
export const makeReport = (save: RunSave, saved: SavedRun): RetentionReport => ({
  turn: save.turn,
  outcome: saved.turn?.outcome ?? save.outcome,
  saved: saved.turn !== null && E.isRight(saved.turn.save),
  input: saved.input,
  settlement: saved.turn,
  retry: async () => makeReport(save, await saveRun(save))
})

/** Items that can be equal have one key. */
const keyOf = (item: unknown): string => {
  const { type, callId, id } = item as Readonly<Record<string, unknown>>
  return typeof callId === 'string' ? `call ${String(type)} ${callId}` : `${String(type)} ${String(id)}`
}

/** The items of a log by key, as a session keeps them. */
const indexLog = (log: RunLog): ReadonlyMap<string, ReadonlyArray<AgentInputItem>> => {
  const index = new Map<string, AgentInputItem[]>()
  for (const entry of log.items) {
    const item = toSessionItem(rawOf(entry))
    const key = keyOf(item)
    const known = index.get(key)
    if (known === undefined) index.set(key, [item])
    else known.push(item)
  }
  return index
}

/**
 * The input in what the SDK wrote, where a callback of the host reshapes it: everything before the items of the run.
 * Complexity: linear in both, but for items of one type that have no id: these are compared with each other.
 */
export const writtenInput = (written: ReadonlyArray<AgentInputItem>, log: RunLog): AgentInputItem[] => {
  const index = indexLog(log)
  const isOfLog = (item: AgentInputItem): boolean => {
    const known = index.get(keyOf(item)) ?? []
    return 'callId' in item && typeof item.callId === 'string'
      ? known.length > 0
      : known.some((own) => isEqual(own, item))
  }
  let end = written.length
  while (end > 0 && isOfLog(written[end - 1] as AgentInputItem)) end -= 1
  return written.slice(0, end)
}
