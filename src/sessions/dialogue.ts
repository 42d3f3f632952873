/**
 * What a session says to a database and how it goes on with the answers.
 *
 * Law: only this file orders statements into transactions. A dialogue yields a statement and is handed its rows;
 * SQLite runs it without ever giving up the thread, Postgres awaits each answer, and both run the same lines.
 * A left ends the transaction with a rollback.
 *
 * Rules: PLAN-1, PLAN-14, PROGRESS-8.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { StoreError, StoreVersion } from '../ports/session-store.js'
import type { EncodedTransaction, Saved, StoredEntry } from './backend.js'
import { decideSave, type EncodedWrite, isFirst, type StoredTurn } from './decide.js'
import { canonicalText, decodeId, decodeJson, readText, reject, unreadable } from './encode.js'
import type { Statement, Statements } from './statements.js'

export type Row = Readonly<Record<string, unknown>>

/** Statements out, rows in, an answer at the end. */
export type Dialogue<A> = Generator<Statement, E.Either<StoreError, A>, ReadonlyArray<Row>>

const toEntry = (row: Row): StoredEntry => {
  const turn = readText(row['turn'])
  return {
    number: Number(row['number']),
    position: Number(row['position']),
    turn: turn === null ? null : decodeId(turn),
    text: readText(row['item'])
  }
}

/** The version of the tables: 0 when there are none. */
function* askVersion(statements: Statements): Generator<Statement, number, ReadonlyArray<Row>> {
  const tables = yield statements.findVersion
  if (tables.length === 0) return 0
  const rows = yield statements.readVersion
  return Number(rows[0]?.['version'] ?? 0)
}

const tooNew = (found: number, known: number): StoreVersion => ({
  kind: 'unsupported-version',
  found,
  known,
  message: `the tables have version ${found}, this release knows up to ${known}: update turnkeep`
})

/** Whether the tables are as this release wants them. */
export function* checkVersion(statements: Statements, known: number): Dialogue<boolean> {
  const found = yield* askVersion(statements)
  return found > known ? E.left(tooNew(found, known)) : E.right(found === known)
}

/** Creates the tables or takes the steps that are missing; safe to run in many processes at once. */
export function* openTables(
  statements: Statements,
  steps: ReadonlyArray<ReadonlyArray<string>>
): Dialogue<boolean> {
  for (const guard of statements.flavour.guard) yield guard
  const found = yield* askVersion(statements)
  if (found > steps.length) return E.left(tooNew(found, steps.length))
  const absent = (yield statements.findVersion).length === 0
  if (absent) for (const statement of statements.createVersion) yield statement
  for (const step of steps.slice(found)) for (const sql of step) yield statements.migrate(sql)
  yield statements.setVersion(steps.length)
  return E.right(true)
}

/** Locks the session, creating it if need be, and answers with the number of its next turn. */
function* lock(statements: Statements, session: string): Generator<Statement, number, ReadonlyArray<Row>> {
  const found = (yield statements.lockSession(session))[0]
  if (found !== undefined) return Number(found['next'])
  yield statements.createSession(session)
  const rows = yield statements.lockSession(session)
  return Number(rows[0]?.['next'])
}

function* loadTurn(
  statements: Statements,
  session: string,
  turn: string
): Generator<Statement, StoredTurn | null, ReadonlyArray<Row>> {
  const row = (yield statements.readTurn(session, turn))[0]
  if (row === undefined) return null
  return {
    number: Number(row['number']),
    operation: readText(row['operation']) ?? '',
    progress: readText(row['progress']) ?? '',
    entries: Number(row['entries']),
    removed: Number(row['removed'])
  }
}

/** Writes a turn of which nothing is stored; false, and nothing is written, where something is. */
function* start(
  statements: Statements,
  session: string,
  { turn, operation, after, items }: EncodedWrite
): Generator<Statement, boolean, ReadonlyArray<Row>> {
  const { isRemote } = statements.flavour
  const row = { operation, progress: after, entries: items.length }
  const asked = isRemote ? statements.takeNumber(session) : statements.findNumber(session, turn)
  const found = (yield asked)[0]
  if (found === undefined) return false
  const number = Number(found['number'])
  if (isRemote) {
    const isAdded = (yield statements.addTurn(session, turn, number, row)).length > 0
    if (!isAdded) {
      yield statements.returnNumber(session)
      return false
    }
  }
  yield* statements.insert(session, number, 0, turn, items)
  if (isRemote) return true
  yield statements.writeTurn(session, turn, number, row)
  yield statements.countTurns(session, number + 1)
  return true
}

/** Compare-and-append: one transaction holds the entries, the progress and the operation. */
export function* save(statements: Statements, session: string, write: EncodedWrite): Dialogue<Saved> {
  const saved = E.right({ applied: true, progress: write.after, notices: [] })
  // Most turns are saved once: what a first save expects is asked with the write itself.
  if (isFirst(write) && (yield* start(statements, session, write))) return saved
  const next = yield* lock(statements, session)
  const stored = yield* loadTurn(statements, session, write.turn)
  const decision = decideSave(write, stored)
  if (E.isLeft(decision)) return decision
  if (decision.right.kind === 'repeat')
    return E.right({ applied: false, progress: stored?.progress ?? '', notices: [] })
  const { keep } = decision.right
  const number = stored?.number ?? next
  if (write.replaces > 0) yield statements.deleteTurnFrom(session, number, keep)
  yield* statements.insert(session, number, keep, write.turn, write.items)
  yield statements.writeTurn(session, write.turn, number, {
    operation: write.operation,
    progress: write.after,
    entries: keep + write.items.length
  })
  if (stored === null) yield statements.advance(session)
  return saved
}

export function* readTail(
  statements: Statements,
  session: string,
  limit: number | null
): Dialogue<ReadonlyArray<StoredEntry>> {
  const rows = yield limit === null ? statements.readAll(session) : statements.readTail(session, limit)
  return E.right(rows.map(toEntry).reverse())
}

/** The text of a turn's progress; '' where it cannot be read. */
export function* readProgress(
  statements: Statements,
  session: string,
  turn: string
): Dialogue<string | null> {
  const row = (yield statements.readProgress(session, turn))[0]
  return E.right(row === undefined ? null : (readText(row['progress']) ?? ''))
}

/** Writes entries that belong to no turn, behind everything. */
export function* add(statements: Statements, session: string, texts: ReadonlyArray<string>): Dialogue<void> {
  const next = yield* lock(statements, session)
  yield* statements.insert(session, next, 0, null, texts)
  yield statements.advance(session)
  return E.right(undefined)
}

/** Removes the last entry that can be read; a corrupt one stays, as evidence. */
export function* pop(statements: Statements, session: string): Dialogue<string | null> {
  yield* lock(statements, session)
  for (let limit = 1; ; limit *= 4) {
    const rows = yield statements.readTail(session, limit)
    for (const row of rows) {
      const entry = toEntry(row)
      if (decodeJson(entry.text) === unreadable) continue
      yield statements.deleteOne(session, entry.number, entry.position)
      const turn = readText(row['turn'])
      if (turn !== null) yield statements.markRemoved(session, turn, 1)
      return E.right(entry.text)
    }
    if (rows.length < limit) return E.right(null)
  }
}

/** Forgets the entries, the progress of every turn and the operations of the session. */
export function* clear(statements: Statements, session: string): Dialogue<void> {
  yield* lock(statements, session)
  for (const statement of statements.clear(session)) yield statement
  return E.right(undefined)
}

const isSame = (text: string | null, expected: string | undefined): boolean => {
  const value = decodeJson(text)
  if (value === unreadable) return false
  const canonical = canonicalText(value, 'items')
  return E.isRight(canonical) && canonical.right === expected
}

/** A history transaction: applied once per operation, and only to the suffix it expects. */
export function* transact(
  statements: Statements,
  session: string,
  transaction: EncodedTransaction
): Dialogue<void> {
  const next = yield* lock(statements, session)
  const known = (yield statements.readOperation(session, transaction.operation))[0]
  if (known !== undefined) {
    return readText(known['digest']) === transaction.digest
      ? E.right(undefined)
      : E.left(reject('operationId', 'an id that no other transaction has used'))
  }
  const expected = transaction.expected
  if (expected !== null && expected.length > 0) {
    const rows = yield statements.readTail(session, expected.length)
    const matches =
      rows.length === expected.length &&
      rows.every((row, back) => isSame(readText(row['item']), expected[expected.length - 1 - back]))
    if (!matches) return E.left(reject('transaction.expectedSuffix', 'the last entries of the session'))
    const first = rows[rows.length - 1] as Row
    yield statements.deleteFrom(session, Number(first['number']), Number(first['position']))
    for (const [turn, count] of countTurns(rows)) yield statements.markRemoved(session, turn, count)
  }
  yield* statements.insert(session, next, 0, null, transaction.items)
  yield statements.advance(session)
  yield statements.writeOperation(session, transaction.operation, transaction.digest)
  return E.right(undefined)
}

const countTurns = (rows: ReadonlyArray<Row>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const row of rows) {
    const turn = readText(row['turn'])
    if (turn !== null) counts.set(turn, (counts.get(turn) ?? 0) + 1)
  }
  return counts
}
