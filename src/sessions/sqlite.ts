/**
 * A session in SQLite.
 *
 * Law: only this file knows an SQLite client: how a dialogue is run in one transaction without giving up the
 * thread, what its error codes mean, and how removed bytes leave the files. It brings no driver.
 *
 * Rules: PLAN-14, PROGRESS-8.
 */
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { StoreError, StoreNotice, StoreUnavailable } from '../ports/session-store.js'
import type { Backend } from './backend.js'
import * as dialogues from './dialogue.js'
import { openSession, type Session, type TableOptions } from './session.js'
import { migrations, sqliteFlavour, statementsFor, type Statement, type Statements } from './statements.js'

export type { Session } from './session.js'

/** A prepared statement of `libsql`, `better-sqlite3` or `node:sqlite`. */
export interface SqliteStatement {
  run(...values: unknown[]): unknown
  all(...values: unknown[]): unknown[]
}

/** A synchronous SQLite connection, by structure. */
export interface SqliteClient {
  prepare(sql: string): SqliteStatement
  exec(sql: string): unknown
  readonly inTransaction?: boolean
}

/** What `sqliteSession` takes. */
export interface SqliteOptions<Raw> extends TableOptions<Raw> {
  /** An open connection. The session sets `secure_delete`, `synchronous` and, where it is 0, `busy_timeout` on it. */
  readonly client: SqliteClient
}

interface Prepared {
  readonly statement: SqliteStatement
  /** Which value each `?` takes. */
  readonly order: ReadonlyArray<number>
}

/** What is known of a connection: its statements, the tables that are current, and whether removed bytes may still be in its log. */
interface Connection {
  readonly opened: Set<string>
  /** By the name of the tables; all sessions of these share the texts. */
  readonly statements: Map<string, Statements>
  /** Statements by their text, the one that was used last behind the others. */
  readonly prepared: Map<string, Prepared>
  residue: boolean
}

const connections = new WeakMap<SqliteClient, Connection>()

const connectionOf = (client: SqliteClient): Connection => {
  const known = connections.get(client)
  if (known !== undefined) return known
  const made: Connection = {
    opened: new Set(),
    statements: new Map(),
    prepared: new Map(),
    residue: false
  }
  connections.set(client, made)
  return made
}

const statementsOf = (client: SqliteClient, table: string): Statements => {
  const { statements } = connectionOf(client)
  const found = statements.get(table) ?? statementsFor(table, sqliteFlavour)
  statements.set(table, found)
  return found
}

/** How long another writer is waited for when the host has not said. */
const patience = 5000

const codes: Readonly<Record<number, string>> = {
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN'
}

/** The driver's code: a name, or the number that `node:sqlite` gives. */
const codeOf = (thrown: unknown): string | undefined => {
  if (typeof thrown !== 'object' || thrown === null) return undefined
  const { code, errcode } = thrown as { readonly code?: unknown; readonly errcode?: unknown }
  if (typeof errcode === 'number') return codes[errcode & 0xff] ?? `SQLITE_${errcode}`
  return typeof code === 'string' ? code : undefined
}

const reasonOf = (code: string): StoreUnavailable['reason'] => {
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) return 'busy'
  if (code.startsWith('SQLITE_FULL')) return 'full'
  if (code.startsWith('SQLITE_READONLY') || code.startsWith('SQLITE_CANTOPEN')) return 'read-only'
  return 'other'
}

const unavailable = (thrown: unknown, applied: StoreUnavailable['applied']): StoreUnavailable => {
  const code = codeOf(thrown)
  const message = `the SQLite client failed${code === undefined ? '' : ` with ${code}`}`
  return code === undefined
    ? { kind: 'unavailable', reason: 'other', applied, message }
    : { kind: 'unavailable', reason: reasonOf(code), applied, code, message }
}

type Rows = ReadonlyArray<dialogues.Row>

/** Numbered parameters are names to `better-sqlite3`, so every one becomes a plain `?` and its value is repeated. */
const prepare = (client: SqliteClient, sql: string): Prepared => {
  const order: number[] = []
  const plain = sql.replace(/\$(\d+)/g, (_, number: string) => {
    order.push(Number(number) - 1)
    return '?'
  })
  return { statement: client.prepare(plain), order }
}

/** Inserts of other lengths have other texts, so the number of texts has no bound of its own. */
const mostPrepared = 64

/** The prepared statement of a text; the one that was not used for longest makes room. */
const findPrepared = (client: SqliteClient, sql: string): Prepared => {
  const { prepared } = connectionOf(client)
  const known = prepared.get(sql)
  if (known !== undefined) prepared.delete(sql)
  else if (prepared.size >= mostPrepared) {
    for (const oldest of prepared.keys()) {
      prepared.delete(oldest)
      break
    }
  }
  const found = known ?? prepare(client, sql)
  prepared.set(sql, found)
  return found
}

const ask = (client: SqliteClient, { sql, values, returns }: Statement): Rows => {
  const { statement, order } = findPrepared(client, sql)
  const bound = order.map((index) => values[index])
  if (returns) return statement.all(...bound) as Rows
  statement.run(...bound)
  return []
}

const converse = <A>(client: SqliteClient, dialogue: dialogues.Dialogue<A>): E.Either<StoreError, A> => {
  let step = dialogue.next([])
  while (step.done !== true) step = dialogue.next(ask(client, step.value))
  return step.value
}

const readDialogue = <A>(client: SqliteClient, dialogue: dialogues.Dialogue<A>): E.Either<StoreError, A> => {
  try {
    return converse(client, dialogue)
  } catch (thrown) {
    return E.left(unavailable(thrown, 'no'))
  }
}

const rollBack = (client: SqliteClient): void => {
  try {
    client.exec('rollback')
  } catch {
    // A full disk or a lost file has already rolled the transaction back.
  }
}

const writeDialogue = <A>(client: SqliteClient, dialogue: dialogues.Dialogue<A>): E.Either<StoreError, A> => {
  if (client.inTransaction === true)
    return E.left({
      kind: 'unavailable',
      reason: 'busy',
      applied: 'no',
      message: 'the SQLite client is inside a transaction of its own: end it, or hand a connection of its own'
    })
  let committing = false
  let begun = false
  try {
    client.exec('begin immediate')
    begun = true
    const result = converse(client, dialogue)
    if (E.isLeft(result)) {
      rollBack(client)
      return result
    }
    committing = true
    client.exec('commit')
    return result
  } catch (thrown) {
    if (begun) rollBack(client)
    const failed = committing && (codeOf(thrown) ?? 'SQLITE_IOERR').startsWith('SQLITE_IOERR')
    return E.left(unavailable(thrown, failed ? 'unknown' : 'no'))
  }
}

const askPragma = (client: SqliteClient, pragma: string): dialogues.Row => {
  const rows = client.prepare(`pragma ${pragma}`).all() as Rows
  return rows[0] ?? {}
}

/** Moves the write-ahead log into the database and empties it, so that removed bytes are in neither. */
const emptyLog = (client: SqliteClient): void => {
  const connection = connectionOf(client)
  try {
    connection.residue = Number(askPragma(client, 'wal_checkpoint(truncate)')['busy']) !== 0
  } catch {
    connection.residue = true
  }
}

const prepareConnection = (client: SqliteClient): void => {
  client.exec('pragma secure_delete = on')
  client.exec('pragma synchronous = full')
  if (Object.values(askPragma(client, 'busy_timeout')).some((value) => Number(value) === 0))
    client.exec(`pragma busy_timeout = ${patience}`)
  // A kept rollback journal holds old pages; only its header is cleared.
  if (askPragma(client, 'journal_mode')['journal_mode'] === 'persist')
    client.exec('pragma journal_mode = delete')
}

const openTables = (client: SqliteClient, table: string): E.Either<StoreError, void> => {
  const connection = connectionOf(client)
  if (connection.opened.has(table)) return E.right(undefined)
  const statements = statementsOf(client, table)
  const steps = migrations(table)
  try {
    prepareConnection(client)
  } catch (thrown) {
    return E.left(unavailable(thrown, 'no'))
  }
  const current = readDialogue(client, dialogues.checkVersion(statements, steps.length))
  if (E.isLeft(current)) return current
  if (!current.right) {
    const opened = writeDialogue(client, dialogues.openTables(statements, steps))
    if (E.isLeft(opened)) return opened
  }
  // What a process that was killed between commit and checkpoint has left behind.
  emptyLog(client)
  connection.opened.add(table)
  return E.right(undefined)
}

const residueNotice: StoreNotice = {
  kind: 'residue',
  message:
    'a reader keeps the write-ahead log from being emptied: removed bytes may be in it until the next save that can'
}

/** Empties the log after a removal, and again while an earlier removal could not. */
const sweep = (client: SqliteClient, removes: boolean): ReadonlyArray<StoreNotice> => {
  if (!removes && !connectionOf(client).residue) return []
  emptyLog(client)
  return connectionOf(client).residue ? [residueNotice] : []
}

const makeBackend = (client: SqliteClient, table: string, session: string): Backend => {
  const statements = statementsOf(client, table)
  const open = <A>(act: () => E.Either<StoreError, A>): TE.TaskEither<StoreError, A> =>
    TE.fromIOEither(() => pipe(openTables(client, table), E.chain(act)))
  const write = <A>(dialogue: () => dialogues.Dialogue<A>, removes: boolean): TE.TaskEither<StoreError, A> =>
    open(() => {
      const result = writeDialogue(client, dialogue())
      if (E.isRight(result)) sweep(client, removes)
      return result
    })
  return {
    tail: (limit) => open(() => readDialogue(client, dialogues.readTail(statements, session, limit))),
    progress: (turn) => open(() => readDialogue(client, dialogues.readProgress(statements, session, turn))),
    save: (encoded) =>
      open(() =>
        pipe(
          writeDialogue(client, dialogues.save(statements, session, encoded)),
          E.map((saved) => ({ ...saved, notices: sweep(client, encoded.replaces > 0) }))
        )
      ),
    add: (texts) => write(() => dialogues.add(statements, session, texts), false),
    pop: () => write(() => dialogues.pop(statements, session), true),
    clear: () => write(() => dialogues.clear(statements, session), true),
    transact: (transaction) =>
      write(() => dialogues.transact(statements, session, transaction), transaction.expected !== null)
  }
}

/**
 * A session in the tables of an SQLite database, through a connection that the host opens and closes.
 *
 * One transaction holds the entries, the progress and the operation. What is removed is overwritten, and the
 * write-ahead log is emptied after every removal.
 *
 * Errors: all of `StoreError`, as values; the promise methods reject with them. Complexity: a save is linear in
 * what it writes, a read in what it returns. Rules: PLAN-14, PROGRESS-8.
 */
export const sqliteSession = <Raw>(options: SqliteOptions<Raw>): Session<Raw> =>
  openSession(options, (table, session) => makeBackend(options.client, table, session))
