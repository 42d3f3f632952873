/**
 * The SQL of a session.
 *
 * Law: only this file holds SQL text and the shape of the tables. Every value is a parameter; the one name that is
 * put into the text is a table name that has been validated. Order is (number, position): `number` is the place of
 * a turn among the turns of its session, `position` the place of an entry in its turn; both are given inside the
 * transaction that writes them, and no clock is read.
 *
 * Rules: none; the answers are `decide.ts` and `dialogue.ts`.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { StoreRejected } from '../ports/session-store.js'
import { reject } from './encode.js'

/** One statement; `$1` is the first value. */
export interface Statement {
  readonly sql: string
  readonly values: ReadonlyArray<string | number | null>
  /** Whether it answers with rows. */
  readonly returns: boolean
}

/** What a turn has in a row of its own. */
export interface TurnRow {
  readonly operation: string
  readonly progress: string
  readonly entries: number
}

/** Where two databases need other words. */
export interface Flavour {
  /** How a text column is read, so that the driver neither cuts it nor stops at bytes that are no text. */
  readonly text: (column: string) => string
  /** Locks the selected row until the transaction ends. */
  readonly lock: string
  /**
   * Whether every statement is planned anew and travels to a server: then few and plain statements are the quickest.
   * Elsewhere it is prepared once, and each value that is bound and each row that a write answers costs.
   */
  readonly isRemote: boolean
  /** Asks for a row if the table exists. */
  readonly find: (table: string) => Statement
  /** Lets one process at a time create or migrate the tables. */
  readonly guard: ReadonlyArray<Statement>
}

const ask = (sql: string, ...values: Statement['values']): Statement => ({ sql, values, returns: true })
const tell = (sql: string, ...values: Statement['values']): Statement => ({ sql, values, returns: false })

/** SQLite: BEGIN IMMEDIATE is the lock. */
export const sqliteFlavour: Flavour = {
  text: (column) => `cast(${column} as blob) as ${column}`,
  lock: '',
  isRemote: false,
  find: (table) => ask(`select name from sqlite_master where type = 'table' and name = $1`, table),
  guard: []
}

/** Postgres: the row of the session is the lock. */
export const postgresFlavour: Flavour = {
  text: (column) => column,
  lock: ' for update',
  isRemote: true,
  // Read as rows: a name that was looked up before the guard was waited for stays unknown to the name functions.
  find: (table) =>
    ask(
      'select 1 as found from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace where c.relname = $1 and n.nspname = any(current_schemas(false))',
      table
    ),
  guard: [ask(`select pg_advisory_xact_lock(hashtext('turnkeep'))::text as held`)]
}

/** A table name as it may stand in SQL text. */
export const checkTable = (table: string): E.Either<StoreRejected, string> =>
  /^[A-Za-z_][A-Za-z0-9_]{0,39}$/.test(table)
    ? E.right(table)
    : E.left(
        reject('table', 'a name of letters, digits and underscores, at most 40, not starting with a digit')
      )

/** The steps from one version of the tables to the next; the version is how many have been taken. */
export const migrations = (table: string): ReadonlyArray<ReadonlyArray<string>> => [
  [
    `create table "${table}_sessions" (session text primary key, next bigint not null)`,
    `create table "${table}_turns" (session text not null, turn text not null, number bigint not null, operation text not null, progress text not null, entries bigint not null, removed bigint not null, primary key (session, turn))`,
    `create table "${table}_entries" (session text not null, number bigint not null, position bigint not null, turn text, item text not null, primary key (session, number, position))`,
    `create table "${table}_operations" (session text not null, operation text not null, digest text not null, primary key (session, operation))`
  ]
]

/** Rows in one insert, and the characters of text in it: bounds for what a driver sends at once. */
const rowsAtOnce = 400
const textAtOnce = 4_000_000

/** How many of the texts from `from` on go into one insert: at least one. */
const countAtOnce = (texts: ReadonlyArray<string>, from: number): number => {
  let length = 0
  let count = 0
  while (from + count < texts.length && count < rowsAtOnce) {
    length += (texts[from + count] as string).length
    if (count > 0 && length > textAtOnce) break
    count += 1
  }
  return count
}

export interface Statements {
  readonly flavour: Flavour
  readonly findVersion: Statement
  readonly readVersion: Statement
  readonly createVersion: ReadonlyArray<Statement>
  readonly migrate: (step: string) => Statement
  readonly setVersion: (version: number) => Statement
  readonly createSession: (session: string) => Statement
  readonly lockSession: (session: string) => Statement
  readonly advance: (session: string) => Statement
  readonly readTurn: (session: string, turn: string) => Statement
  readonly readProgress: (session: string, turn: string) => Statement
  readonly writeTurn: (session: string, turn: string, number: number, row: TurnRow) => Statement
  /** Answers with the number of the next turn of a session, unless the named one is stored. */
  readonly findNumber: (session: string, turn: string) => Statement
  /** Counts one more turn, which also locks the session, creates it if need be, and answers with the turn's number. */
  readonly takeNumber: (session: string) => Statement
  readonly returnNumber: (session: string) => Statement
  readonly countTurns: (session: string, count: number) => Statement
  /** Answers with a row if nothing was stored of the turn; otherwise it writes nothing. */
  readonly addTurn: (session: string, turn: string, number: number, row: TurnRow) => Statement
  readonly markRemoved: (session: string, turn: string, count: number) => Statement
  readonly readAll: (session: string) => Statement
  readonly readTail: (session: string, limit: number) => Statement
  readonly deleteTurnFrom: (session: string, number: number, position: number) => Statement
  readonly deleteFrom: (session: string, number: number, position: number) => Statement
  readonly deleteOne: (session: string, number: number, position: number) => Statement
  readonly clear: (session: string) => ReadonlyArray<Statement>
  readonly readOperation: (session: string, operation: string) => Statement
  readonly writeOperation: (session: string, operation: string, digest: string) => Statement
  /** Inserts of a bounded size that write the texts from `position` on. */
  readonly insert: (
    session: string,
    number: number,
    position: number,
    turn: string | null,
    texts: ReadonlyArray<string>
  ) => Iterable<Statement>
}

const whole = (parameter: string): string => `cast(${parameter} as bigint)`

/** Inserts of few rows are made again and again; the text of a longer one costs little beside its rows. */
const longestKept = 64

/** The texts of a statement by its count of rows. A text that is kept is also found faster by who prepared it. */
const keepTexts = (make: (count: number) => string): ((count: number) => string) => {
  const kept = new Map<number, string>()
  return (count) => {
    const known = kept.get(count)
    if (known !== undefined) return known
    const made = make(count)
    if (count <= longestKept || count === rowsAtOnce) kept.set(count, made)
    return made
  }
}

/** The rows of an insert, from the first one on. */
const rowsOf = (count: number, rowOf: (row: number) => string): string => {
  const rows: string[] = []
  for (let row = 0; row < count; row += 1) rows.push(rowOf(row))
  return rows.join(', ')
}

/** The statements for a validated table name. */
export const statementsFor = (table: string, flavour: Flavour): Statements => {
  const sessions = `"${table}_sessions"`
  const turns = `"${table}_turns"`
  const entries = `"${table}_entries"`
  const operations = `"${table}_operations"`
  const version = `"${table}_version"`
  const columns = `select number, position, ${flavour.text('turn')}, ${flavour.text('item')} from ${entries}`
  const insertTurn = `insert into ${turns} (session, turn, number, operation, progress, entries, removed) values ($1, $2, ${whole('$3')}, $4, $5, ${whole('$6')}, 0)`
  const valuesOf = (session: string, turn: string, number: number, row: TurnRow): Statement['values'] => [
    session,
    turn,
    number,
    row.operation,
    row.progress,
    row.entries
  ]
  const entryColumns = 'session, number, position, turn, item'
  // What all rows share is sent once.
  const insertOf = keepTexts(
    (count) =>
      `with added (place, item) as (values ${rowsOf(count, (row) => `(${row}, $${row + 5})`)}) insert into ${entries} (${entryColumns}) select $1, ${whole('$2')}, ${whole('$3')} + place, $4, item from added`
  )
  const insertFirst = keepTexts(
    (count) =>
      `insert into ${entries} (${entryColumns}) values ${rowsOf(count, (row) => `($1, $2, ${row}, $3, $${row + 4})`)}`
  )
  const insert: Statements['insert'] = function* (session, number, position, turn, texts) {
    let done = 0
    while (done < texts.length) {
      const count = countAtOnce(texts, done)
      const place = position + done
      const added = texts.slice(done, done + count)
      yield flavour.isRemote && place === 0
        ? { sql: insertFirst(count), values: [session, number, turn, ...added], returns: false }
        : { sql: insertOf(count), values: [session, number, place, turn, ...added], returns: false }
      done += count
    }
  }
  return {
    flavour,
    findVersion: flavour.find(`${table}_version`),
    readVersion: ask(`select version from ${version}`),
    createVersion: [
      tell(`create table ${version} (version bigint not null)`),
      tell(`insert into ${version} (version) values (0)`)
    ],
    migrate: (step) => tell(step),
    setVersion: (number) => tell(`update ${version} set version = ${whole('$1')}`, number),
    createSession: (session) =>
      tell(
        `insert into ${sessions} (session, next) values ($1, 0) on conflict (session) do nothing`,
        session
      ),
    lockSession: (session) => ask(`select next from ${sessions} where session = $1${flavour.lock}`, session),
    advance: (session) => tell(`update ${sessions} set next = next + 1 where session = $1`, session),
    readTurn: (session, turn) =>
      ask(
        `select number, ${flavour.text('operation')}, ${flavour.text('progress')}, entries, removed from ${turns} where session = $1 and turn = $2`,
        session,
        turn
      ),
    readProgress: (session, turn) =>
      ask(`select ${flavour.text('progress')} from ${turns} where session = $1 and turn = $2`, session, turn),
    findNumber: (session, turn) =>
      ask(
        `select coalesce((select next from ${sessions} where session = $1), 0) as number where not exists (select 1 from ${turns} where session = $1 and turn = $2)`,
        session,
        turn
      ),
    takeNumber: (session) =>
      ask(
        `insert into ${sessions} (session, next) values ($1, 1) on conflict (session) do update set next = ${sessions}.next + 1 returning next - 1 as number`,
        session
      ),
    returnNumber: (session) => tell(`update ${sessions} set next = next - 1 where session = $1`, session),
    countTurns: (session, count) =>
      tell(
        `insert into ${sessions} (session, next) values ($1, ${whole('$2')}) on conflict (session) do update set next = excluded.next`,
        session,
        count
      ),
    addTurn: (session, turn, number, row) =>
      ask(
        `${insertTurn} on conflict (session, turn) do nothing returning number`,
        ...valuesOf(session, turn, number, row)
      ),
    writeTurn: (session, turn, number, row) =>
      tell(
        `${insertTurn} on conflict (session, turn) do update set operation = excluded.operation, progress = excluded.progress, entries = excluded.entries`,
        ...valuesOf(session, turn, number, row)
      ),
    markRemoved: (session, turn, count) =>
      tell(
        `update ${turns} set removed = removed + ${whole('$3')} where session = $1 and turn = $2`,
        session,
        turn,
        count
      ),
    readAll: (session) => ask(`${columns} where session = $1 order by number desc, position desc`, session),
    readTail: (session, limit) =>
      ask(
        `${columns} where session = $1 order by number desc, position desc limit ${whole('$2')}`,
        session,
        limit
      ),
    deleteTurnFrom: (session, number, position) =>
      tell(
        `delete from ${entries} where session = $1 and number = ${whole('$2')} and position >= ${whole('$3')}`,
        session,
        number,
        position
      ),
    deleteFrom: (session, number, position) =>
      tell(
        `delete from ${entries} where session = $1 and (number, position) >= (${whole('$2')}, ${whole('$3')})`,
        session,
        number,
        position
      ),
    deleteOne: (session, number, position) =>
      tell(
        `delete from ${entries} where session = $1 and number = ${whole('$2')} and position = ${whole('$3')}`,
        session,
        number,
        position
      ),
    clear: (session) =>
      [entries, turns, operations].map((name) => tell(`delete from ${name} where session = $1`, session)),
    readOperation: (session, operation) =>
      ask(
        `select ${flavour.text('digest')} from ${operations} where session = $1 and operation = $2`,
        session,
        operation
      ),
    writeOperation: (session, operation, digest) =>
      tell(
        `insert into ${operations} (session, operation, digest) values ($1, $2, $3)`,
        session,
        operation,
        digest
      ),
    insert
  }
}
