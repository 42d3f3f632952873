/**
 * SQLite for tests: databases in a folder of their own, and a client that answers as `better-sqlite3` does.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import type { SqliteClient, SqliteStatement } from '../../src/sessions/sqlite.js'

/** A folder with one database file. */
export interface TestDatabase {
  readonly file: string
  /** A new connection, as another process would get it; closed by `remove`. */
  readonly connect: () => SqliteClient & { close(): unknown }
  /** The bytes of the database, of its log and of every other file beside it. */
  readonly readBytes: () => Buffer
  readonly remove: () => void
}

export const makeDatabase = (journal: 'wal' | 'delete' | 'persist' = 'wal'): TestDatabase => {
  const folder = mkdtempSync(join(tmpdir(), 'turnkeep-sqlite-'))
  const file = join(folder, 'sessions.db')
  const open: Database.Database[] = []
  return {
    file,
    connect: () => {
      const database = new Database(file)
      database.exec(`pragma journal_mode = ${journal}`)
      open.push(database)
      return database
    },
    readBytes: () => Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name)))),
    remove: () => {
      for (const database of open) database.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/**
 * A client that differs from libsql where `better-sqlite3` does: `run` refuses statements that answer with rows and
 * `all` those that do not, numbered parameters are names, `exec` answers with the
 * client, whole numbers may be bigints, blobs are buffers, and rows have no `_metadata`.
 */
export const likeBetterSqlite = (database: SqliteClient, safeIntegers = false): SqliteClient => {
  const convert = (value: unknown): unknown => {
    if (value instanceof ArrayBuffer) return Buffer.from(value)
    return safeIntegers && typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value
  }
  const prepare = (sql: string): SqliteStatement => {
    if (/\?\d/.test(sql)) throw new RangeError('Too many parameter values were provided')
    const statement = database.prepare(sql)
    const returns = /^\s*(select|pragma)\b/i.test(sql)
    return {
      run: (...values) => {
        if (returns)
          throw new TypeError('This statement returns data. Use get(), all(), or iterate() instead')
        const { changes, lastInsertRowid } = statement.run(...values) as Record<string, unknown>
        return { changes, lastInsertRowid }
      },
      all: (...values) => {
        if (!returns) throw new TypeError('This statement does not return data. Use run() instead')
        return statement.all(...values).map((row) => {
          const names = Object.keys(row as object).filter((name) => name !== '_metadata')
          return Object.fromEntries(
            names.map((name) => [name, convert((row as Record<string, unknown>)[name])])
          )
        })
      }
    }
  }
  const client: SqliteClient = {
    prepare,
    exec: (sql) => {
      database.exec(sql)
      return client
    },
    get inTransaction() {
      return database.inTransaction === true
    }
  }
  return client
}
