/**
 * A session in Postgres.
 *
 * Law: only this file knows a Postgres client: how a dialogue is run in one transaction over a connection that
 * nobody else uses meanwhile, what its error codes mean, and when a lost answer leaves open whether a write was
 * applied. It brings no driver.
 *
 * Rules: PLAN-14, PROGRESS-8.
 */
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { StoreError, StoreUnavailable } from '../ports/session-store.js'
import type { Backend } from './backend.js'
import * as dialogues from './dialogue.js'
import { openSession, type Session, type TableOptions } from './session.js'
import { migrations, postgresFlavour, statementsFor, type Statement, type Statements } from './statements.js'

export type { Session } from './session.js'

/** A connection of `pg`, by structure. */
export interface PgClient {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: unknown[] }>
  on?(event: 'error', listener: () => void): unknown
  removeListener?(event: 'error', listener: () => void): unknown
}

/** A pool of `pg`, by structure: told from a client by its count of connections. */
export interface PgPool {
  readonly totalCount: number
  connect(): Promise<PgClient & { release(destroy?: boolean): void }>
}

/** What `postgres` (postgres.js) hands to a transaction, by structure. */
export interface PostgresJsConnection {
  unsafe(text: string, values?: unknown[]): PromiseLike<Iterable<unknown>>
}

/** The client of `postgres` (postgres.js), by structure. */
export interface PostgresJsClient extends PostgresJsConnection {
  begin(options: string, run: (connection: PostgresJsConnection) => Promise<unknown>): Promise<unknown>
}

/** What `postgresSession` takes. */
export interface PostgresOptions<Raw> extends TableOptions<Raw> {
  /**
   * A pool of `pg`, a connected client of `pg`, or a client of `postgres`. A single `pg` client is used by one act
   * at a time; nobody else may open a transaction on it.
   */
  readonly client: PgPool | PgClient | PostgresJsClient
}

type Rows = ReadonlyArray<dialogues.Row>

/** Sends one statement over a connection that belongs to the dialogue. */
type Link = (statement: Statement) => Promise<Rows>

/** How a client runs dialogues: one that only reads, and one in a transaction. */
interface Runner {
  readonly read: <A>(dialogue: () => dialogues.Dialogue<A>) => Promise<E.Either<StoreError, A>>
  readonly write: <A>(dialogue: () => dialogues.Dialogue<A>) => Promise<E.Either<StoreError, A>>
}

const codeOf = (thrown: unknown): string | undefined => {
  const code = (thrown as { readonly code?: unknown } | null | undefined)?.code
  return typeof code === 'string' ? code : undefined
}

/** An answer of the server itself (an SQLSTATE always holds a digit), after which the transaction is over. */
const isAnswer = (code: string | undefined): boolean =>
  code !== undefined && /^(?=.*\d)[0-9A-Z]{5}$/.test(code) && !/^(08|57P|XX)/.test(code)

const reasonOf = (code: string | undefined): StoreUnavailable['reason'] => {
  if (!isAnswer(code)) return 'connection'
  if (code === '40001' || code === '40P01' || code === '55P03') return 'busy'
  if (code === '53100') return 'full'
  return code === '25006' ? 'read-only' : 'other'
}

const unavailable = (thrown: unknown, committing: boolean): StoreUnavailable => {
  const code = codeOf(thrown)
  const reason = reasonOf(code)
  const applied = committing && !isAnswer(code) ? 'unknown' : 'no'
  const message = `the Postgres client failed${code === undefined ? '' : ` with ${code}`}`
  return code === undefined
    ? { kind: 'unavailable', reason, applied, message }
    : { kind: 'unavailable', reason, applied, code, message }
}

const converse = async <A>(link: Link, dialogue: dialogues.Dialogue<A>): Promise<E.Either<StoreError, A>> => {
  let step = dialogue.next([])
  while (step.done !== true) step = dialogue.next(await link(step.value))
  return step.value
}

/** Runs an act; what it throws becomes an error that says whether the write may have been applied. */
const attempt = async <A>(
  act: (mark: () => void) => Promise<E.Either<StoreError, A>>
): Promise<E.Either<StoreError, A>> => {
  let committing = false
  const result = await TE.tryCatch(
    () =>
      act(() => {
        committing = true
      }),
    (thrown) => unavailable(thrown, committing)
  )()
  return E.isLeft(result) ? result : result.right
}

/** Read committed: each statement sees what was committed while the lock was waited for. */
const isolation = 'isolation level read committed'

const linkPg =
  (client: PgClient): Link =>
  async ({ sql, values }) =>
    (await client.query(sql, [...values])).rows as Rows

/** A lost connection is reported by the statement that it breaks; as an event it would end the process. */
const ignore = (): void => undefined

const transactPg = async <A>(
  client: PgClient,
  dialogue: dialogues.Dialogue<A>,
  mark: () => void
): Promise<E.Either<StoreError, A>> => {
  await client.query(`begin ${isolation}`)
  const result = await converse(linkPg(client), dialogue)
  if (E.isLeft(result)) {
    await client.query('rollback')
    return result
  }
  mark()
  await client.query('commit')
  return result
}

const runOnPool = (pool: PgPool): Runner => {
  const use = <A>(
    act: (client: PgClient, mark: () => void) => Promise<E.Either<StoreError, A>>
  ): Promise<E.Either<StoreError, A>> =>
    attempt(async (mark) => {
      const client = await pool.connect()
      client.on?.('error', ignore)
      let destroy = true
      try {
        const result = await act(client, mark)
        destroy = false
        return result
      } finally {
        client.removeListener?.('error', ignore)
        // A connection whose transaction did not end in order is not given to anybody else.
        client.release(destroy)
      }
    })
  return {
    read: (dialogue) => use((client) => converse(linkPg(client), dialogue())),
    write: (dialogue) => use((client, mark) => transactPg(client, dialogue(), mark))
  }
}

/** The acts that wait for a single connection, so that no two transactions run into each other. */
const queues = new WeakMap<object, Promise<unknown>>()

const waitForTurn = <A>(client: object, act: () => Promise<A>): Promise<A> => {
  const mine = (queues.get(client) ?? Promise.resolve()).then(act, act)
  queues.set(client, mine)
  return mine
}

const runOnClient = (client: PgClient): Runner => {
  const use = <A>(
    act: (mark: () => void) => Promise<E.Either<StoreError, A>>
  ): Promise<E.Either<StoreError, A>> =>
    waitForTurn(client, async () => {
      client.on?.('error', ignore)
      const result = await attempt(act)
      if (E.isLeft(result) && result.left.kind === 'unavailable') await client.query('rollback').catch(ignore)
      client.removeListener?.('error', ignore)
      return result
    })
  return {
    read: (dialogue) => use(() => converse(linkPg(client), dialogue())),
    write: (dialogue) => use((mark) => transactPg(client, dialogue(), mark))
  }
}

const linkPostgresJs =
  (connection: PostgresJsConnection): Link =>
  async ({ sql, values }) =>
    [...(await connection.unsafe(sql, [...values]))] as Rows

/** The connection is gone, or goes as soon as the server has said why. */
const isBroken = (thrown: unknown): boolean => /^(CONNECTION_|E[A-Z]{3,}$|08|57P)/.test(codeOf(thrown) ?? '')

/**
 * Runs an act in a transaction. When the connection breaks, the act is left hanging on purpose: rolling back,
 * postgres.js 3.4 would write to a socket that is gone, outside every promise, and end the process.
 */
const beginPostgresJs = (
  client: PostgresJsClient,
  act: (connection: PostgresJsConnection) => Promise<void>
): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const guarded = async (connection: PostgresJsConnection): Promise<void> => {
      try {
        await act(connection)
      } catch (thrown) {
        if (!isBroken(thrown)) throw thrown
        reject(thrown)
        await new Promise(ignore)
      }
    }
    client.begin(isolation, guarded).then(resolve, reject)
  })

const runOnPostgresJs = (client: PostgresJsClient): Runner => ({
  read: (dialogue) => attempt(() => converse(linkPostgresJs(client), dialogue())),
  write: <A>(dialogue: () => dialogues.Dialogue<A>) =>
    attempt<A>(async (mark) => {
      let result: E.Either<StoreError, A> | undefined
      const refused = {}
      try {
        await beginPostgresJs(client, async (connection) => {
          result = await converse(linkPostgresJs(connection), dialogue())
          // Throwing is how this client is asked to roll back.
          if (E.isLeft(result)) throw refused
          mark()
        })
      } catch (thrown) {
        if (thrown !== refused) throw thrown
      }
      return result as E.Either<StoreError, A>
    })
})

const runnerOf = (client: PgPool | PgClient | PostgresJsClient): Runner => {
  if ('unsafe' in client) return runOnPostgresJs(client)
  return 'totalCount' in client ? runOnPool(client) : runOnClient(client)
}

/** What is known of a client: its statements by the name of the tables, and the tables that are current. */
interface Known {
  readonly statements: Map<string, Statements>
  readonly opened: Set<string>
}

const clients = new WeakMap<object, Known>()

const knownOf = (client: object): Known => {
  const known = clients.get(client) ?? { statements: new Map(), opened: new Set() }
  clients.set(client, known)
  return known
}

/** All sessions of the same tables share the texts. */
const statementsOf = (client: object, table: string): Statements => {
  const { statements } = knownOf(client)
  const found = statements.get(table) ?? statementsFor(table, postgresFlavour)
  statements.set(table, found)
  return found
}

const openTables = async (
  client: object,
  runner: Runner,
  table: string
): Promise<E.Either<StoreError, boolean>> => {
  const { opened } = knownOf(client)
  if (opened.has(table)) return E.right(true)
  const statements = statementsOf(client, table)
  const steps = migrations(table)
  const current = await runner.read(() => dialogues.checkVersion(statements, steps.length))
  const result =
    E.isRight(current) && !current.right
      ? await runner.write(() => dialogues.openTables(statements, steps))
      : current
  if (E.isRight(result)) opened.add(table)
  return result
}

const makeBackend = (
  client: PgPool | PgClient | PostgresJsClient,
  table: string,
  session: string
): Backend => {
  const runner = runnerOf(client)
  const statements = statementsOf(client, table)
  const act =
    <A>(run: Runner['read'], dialogue: () => dialogues.Dialogue<A>): TE.TaskEither<StoreError, A> =>
    async () => {
      const ready = await openTables(client, runner, table)
      return E.isLeft(ready) ? ready : run(dialogue)
    }
  return {
    tail: (limit) => act(runner.read, () => dialogues.readTail(statements, session, limit)),
    progress: (turn) => act(runner.read, () => dialogues.readProgress(statements, session, turn)),
    save: (encoded) => act(runner.write, () => dialogues.save(statements, session, encoded)),
    add: (texts) => act(runner.write, () => dialogues.add(statements, session, texts)),
    pop: () => act(runner.write, () => dialogues.pop(statements, session)),
    clear: () => act(runner.write, () => dialogues.clear(statements, session)),
    transact: (transaction) => act(runner.write, () => dialogues.transact(statements, session, transaction))
  }
}

/**
 * A session in the tables of a Postgres database, through a client that the host opens and closes.
 *
 * One transaction holds the entries, the progress and the operation; the row of the session is locked meanwhile, so
 * that any number of machines can save at once.
 *
 * Errors: all of `StoreError`, as values; the promise methods reject with them. Complexity: a save is linear in
 * what it writes, a read in what it returns. Rules: PLAN-14, PROGRESS-8.
 */
export const postgresSession = <Raw>(options: PostgresOptions<Raw>): Session<Raw> =>
  openSession(options, (table, session) => makeBackend(options.client, table, session))
