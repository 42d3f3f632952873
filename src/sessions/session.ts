/**
 * A session value: the store port, its promise form, and the session interface of the OpenAI Agents SDK.
 *
 * Law: only this file turns entries into values and back for callers, and decides what a limited read returns. It
 * knows no database: a backend does the acts.
 *
 * Rules: PLAN-1; a limited read keeps pairs and reasoning together (`cut.ts`).
 */
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Progress } from '../core/progress.js'
import type { Dialect } from '../ports/dialect.js'
import type {
  Receipt,
  SessionStore,
  SessionView,
  SessionWrite,
  StoreError,
  StoreNotice
} from '../ports/session-store.js'
import type { Backend, EncodedTransaction, Saved, StoredEntry } from './backend.js'
import { findCut } from './cut.js'
import { corruptProgress, encodeWrite, type EncodedWrite } from './decide.js'
import {
  canonicalText,
  decodeJson,
  decodeProgress,
  digestText,
  encodeId,
  encodeItems,
  isOwnProgress,
  reject,
  unreadable
} from './encode.js'
import { runOrThrow, toPromises, type PromiseStore } from './promises.js'
import { checkTable } from './statements.js'

/** A change of a session's tail, applied atomically and once per operation. */
export type HistoryTransaction<Raw> =
  | { type: 'append_items'; items: Raw[] }
  | { type: 'replace_suffix'; expectedSuffix: Raw[]; replacement: Raw[] }

/** What `applyHistoryTransaction` takes. */
export interface HistoryTransactionArguments<Raw> {
  /** Not empty; the same on a retry. */
  operationId: string
  transaction: HistoryTransaction<Raw>
}

/** The session interface of `@openai/agents-core` 0.20, with history transactions. Every method may reject with an `Error` that carries the fields of a `StoreError`. */
export interface AgentSession<Raw> {
  readonly getSessionId: () => Promise<string>
  /** The last `limit` entries at most, oldest first; all without a limit, none for 0 or less. */
  readonly getItems: (limit?: number) => Promise<Raw[]>
  readonly addItems: (items: Raw[]) => Promise<void>
  /** Removes and returns the last readable entry. A turn that loses an entry so cannot be saved again. */
  readonly popItem: () => Promise<Raw | undefined>
  /** Forgets entries, progress and operations. */
  readonly clearSession: () => Promise<void>
  readonly applyHistoryTransaction: (request: HistoryTransactionArguments<Raw>) => Promise<void>
}

/** A durable session: the store port and the session interface over the same entries. */
export interface Session<Raw> extends SessionStore<Raw>, AgentSession<Raw> {
  /** The store port for callers without fp-ts. */
  readonly promises: PromiseStore<Raw>
}

/** What every session takes. */
export interface SessionOptions<Raw> {
  /** Data, never an identifier: any string of at most 1,800 bytes once escaped, NUL and lone surrogates included. */
  readonly sessionId: string
  /**
   * Reads entries, so that a limited read is never cut between a call and its output or between reasoning and what
   * it belongs to. Without it a limit is a plain count.
   */
  readonly dialect?: Dialect<Raw>
}

/** What every session in tables takes. */
export interface TableOptions<Raw> extends SessionOptions<Raw> {
  /** Prefix of the tables: letters, digits and underscores, at most 40. Default `turnkeep`. */
  readonly table?: string
}

/** Entries read further back than asked for, to see what a cut would tear apart. */
const lookBack = 32

const corruptEntry = (entry: StoredEntry): StoreNotice => {
  const path = `entries[number=${entry.number}, position=${entry.position}]`
  return { kind: 'corrupt-entry', path, turn: entry.turn, message: `${path}: expected JSON; left out` }
}

interface Readable<Raw> {
  readonly items: Raw[]
  readonly notices: StoreNotice[]
  /** How many of the rows before `earliest` could be read. */
  readonly before: number
}

/** Readable entries in order, and a notice for every other one. */
const readEntries = <Raw>(entries: ReadonlyArray<StoredEntry>, earliest: number): Readable<Raw> => {
  const items: Raw[] = []
  const notices: StoreNotice[] = []
  let before = 0
  for (let row = 0; row < entries.length; row += 1) {
    const entry = entries[row] as StoredEntry
    const value = decodeJson(entry.text)
    if (row < earliest && value !== unreadable) before += 1
    if (value !== unreadable) items.push(value as Raw)
    else if (row >= earliest) notices.push(corruptEntry(entry))
  }
  return { items, notices, before }
}

const readLimited = <Raw>(
  backend: Backend,
  limit: number,
  window: number,
  dialect: Dialect<Raw>
): TE.TaskEither<StoreError, SessionView<Raw>> =>
  pipe(
    backend.tail(window),
    TE.chain((entries) => {
      const complete = entries.length < window
      const { items, notices, before } = readEntries<Raw>(entries, Math.max(entries.length - limit, 0))
      const cut = findCut(items, before, complete, dialect)
      return cut.certain
        ? TE.right({ items: items.slice(cut.from), notices })
        : readLimited(backend, limit, window * 4, dialect)
    })
  )

const read = <Raw>(
  backend: Backend,
  dialect: Dialect<Raw> | undefined,
  limit: number | undefined
): TE.TaskEither<StoreError, SessionView<Raw>> => {
  if (limit !== undefined && !(limit >= 1)) return TE.right({ items: [], notices: [] })
  const bounded = limit !== undefined && limit < Number.MAX_SAFE_INTEGER
  if (bounded && dialect !== undefined) {
    const count = Math.floor(limit)
    return readLimited(backend, count, count + lookBack, dialect)
  }
  return pipe(
    backend.tail(bounded ? Math.floor(limit) : null),
    TE.map((entries) => {
      const { items, notices } = readEntries<Raw>(entries, 0)
      return { items, notices }
    })
  )
}

const parseProgress = (turn: string, text: string): E.Either<StoreError, Progress> => {
  const progress = decodeProgress(text)
  return progress === null ? E.left(corruptProgress(turn)) : E.right(progress)
}

const readProgress = (backend: Backend, turn: string): TE.TaskEither<StoreError, Progress | null> =>
  pipe(
    TE.fromEither<StoreError, string>(encodeId(turn, 'turn')),
    TE.chain(backend.progress),
    TE.chainEitherK((text) => (text === null ? E.right(null) : parseProgress(turn, text)))
  )

/** The progress that is stored after a save: the written one, unless something else came of it. */
const progressOf = <Raw>(
  write: SessionWrite<Raw>,
  encoded: EncodedWrite,
  saved: Saved
): E.Either<StoreError, Progress> =>
  saved.progress === encoded.after && isOwnProgress(write.after)
    ? E.right(write.after)
    : parseProgress(write.turn, saved.progress)

const save = <Raw>(backend: Backend, write: SessionWrite<Raw>): TE.TaskEither<StoreError, Receipt> =>
  pipe(
    TE.fromEither<StoreError, EncodedWrite>(encodeWrite(write)),
    TE.chain((encoded) =>
      pipe(
        backend.save(encoded),
        TE.chainEitherK((saved) =>
          pipe(
            progressOf(write, encoded, saved),
            E.map((progress) => ({ applied: saved.applied, notices: saved.notices, progress }))
          )
        )
      )
    )
  )

/** A history transaction as text, or why it can never be applied. */
const encodeTransaction = <Raw>(
  request: HistoryTransactionArguments<Raw>
): E.Either<StoreError, EncodedTransaction> => {
  const { operationId, transaction } = request
  if (typeof operationId !== 'string' || operationId.trim() === '')
    return E.left(reject('operationId', 'an id that is not empty'))
  const known = transaction?.type === 'append_items' || transaction?.type === 'replace_suffix'
  if (!known) return E.left(reject('transaction.type', 'append_items or replace_suffix'))
  const replaces = transaction.type === 'replace_suffix'
  const items = replaces ? transaction.replacement : transaction.items
  const suffix = replaces ? transaction.expectedSuffix : []
  const path = replaces ? 'transaction.replacement' : 'transaction.items'
  if (!Array.isArray(items)) return E.left(reject(path, 'a list of entries'))
  if (!Array.isArray(suffix)) return E.left(reject('transaction.expectedSuffix', 'a list of entries'))
  return pipe(
    E.Do,
    E.apS('operation', encodeId(operationId, 'operationId')),
    E.apS('texts', encodeItems(items, path)),
    E.apS('expected', encodeItems(suffix, 'transaction.expectedSuffix', canonicalText)),
    E.apS('whole', canonicalText(transaction, 'transaction')),
    E.map(({ operation, texts, expected, whole }) => ({
      operation,
      digest: digestText(whole),
      expected: replaces ? expected : null,
      items: texts
    }))
  )
}

/** A session over a backend. */
export const makeSession = <Raw>(backend: Backend, options: SessionOptions<Raw>): Session<Raw> => {
  const store: SessionStore<Raw> = {
    read: (readOptions) => read(backend, options.dialect, readOptions?.limit),
    progress: (turn) => readProgress(backend, turn),
    save: (write) => save(backend, write)
  }
  return {
    ...store,
    promises: toPromises(store),
    getSessionId: async () => options.sessionId,
    getItems: async (limit) => [...(await runOrThrow(read(backend, options.dialect, limit))).items],
    addItems: (items) =>
      runOrThrow(
        pipe(
          TE.fromEither<StoreError, ReadonlyArray<string>>(encodeItems(items, 'items')),
          TE.chain((texts) => (texts.length === 0 ? TE.right(undefined) : backend.add(texts)))
        )
      ),
    popItem: async () => {
      const text = await runOrThrow(backend.pop())
      return text === null ? undefined : (decodeJson(text) as Raw)
    },
    clearSession: () => runOrThrow(backend.clear()),
    applyHistoryTransaction: (request) =>
      runOrThrow(pipe(TE.fromEither(encodeTransaction(request)), TE.chain(backend.transact)))
  }
}

/** A backend every act of which fails the same way. */
const refuse = (error: StoreError): Backend => {
  const left = () => TE.left(error)
  return { tail: left, progress: left, save: left, add: left, pop: left, clear: left, transact: left }
}

/** A session in tables; a name or an id that cannot be used makes every act fail with `rejected`. */
export const openSession = <Raw>(
  options: TableOptions<Raw>,
  makeBackend: (table: string, session: string) => Backend
): Session<Raw> =>
  pipe(
    E.Do,
    E.apS('table', checkTable(options.table ?? 'turnkeep')),
    E.apS('session', encodeId(options.sessionId, 'sessionId')),
    E.matchW(refuse, ({ table, session }) => makeBackend(table, session)),
    (backend) => makeSession(backend, options)
  )
