/**
 * A process that saves to a session and may die at any statement: run by tests, never imported by them.
 *
 * What to do comes as JSON in the first argument; every line it prints was acknowledged by the store before.
 */
import { writeSync } from 'node:fs'
import type pg from 'pg'
import { startProgress, type Progress } from '../../src/core/progress.js'
import type { Receipt, SessionWrite } from '../../src/ports/session-store.js'
import { postgresSession } from '../../src/sessions/postgres.js'
import type { Session } from '../../src/sessions/session.js'
import { sqliteSession, type SqliteClient } from '../../src/sessions/sqlite.js'
import type { WorkerTask } from './session-process.js'

const task = JSON.parse(process.argv[2] as string) as WorkerTask

/** Counts statements; at the chosen one the process dies, before it is sent or right after. */
let statements = 0
const step = (): 'go' | 'die-sent' => {
  statements += 1
  if (statements !== task.dieAt) return 'go'
  if (task.dieWhen === 'before') process.kill(process.pid, 'SIGKILL')
  return 'die-sent'
}

const counted = <A>(act: () => A): A => {
  const fate = step()
  const result = act()
  if (fate === 'die-sent') process.kill(process.pid, 'SIGKILL')
  return result
}

const countSqlite = (database: SqliteClient): SqliteClient => ({
  prepare: (sql) => {
    const statement = database.prepare(sql)
    return {
      run: (...values) => counted(() => statement.run(...values)),
      all: (...values) => counted(() => statement.all(...values))
    }
  },
  exec: (sql) => counted(() => database.exec(sql))
})

const openSqlite = async (file: string): Promise<Session<unknown>> => {
  const { default: Database } = await import('libsql')
  if (task.uid !== undefined) {
    process.setgid?.(task.uid)
    process.setuid?.(task.uid)
  }
  return sqliteSession({ client: countSqlite(new Database(file)), sessionId: task.sessionId })
}

const openPostgres = async (
  configuration: pg.ClientConfig,
  table: string
): Promise<{ readonly session: Session<unknown>; readonly close: () => Promise<void> }> => {
  const { default: driver } = await import('pg')
  const client = new driver.Client(configuration)
  await client.connect()
  const session = postgresSession({
    client: {
      query: async (text, values) => {
        const fate = step()
        const answer = client.query(text, values)
        // The statement is on its way; nobody will read what comes back.
        if (fate === 'die-sent') setImmediate(() => process.kill(process.pid, 'SIGKILL'))
        return answer
      }
    },
    sessionId: task.sessionId,
    table
  })
  return { session, close: () => client.end() }
}

const say = (line: unknown): void => {
  writeSync(1, `${JSON.stringify(line)}\n`)
}

/** Saves until it goes through: a busy database is asked again, a conflict is planned again. */
const saveStubbornly = async (
  session: Session<unknown>,
  from: Progress,
  plan: (progress: Progress) => SessionWrite<unknown>
): Promise<{ readonly receipt: Receipt; readonly conflicts: number }> => {
  let write = plan(from)
  let conflicts = 0
  for (;;) {
    const result = await session.save(write)()
    if (result._tag === 'Right') return { receipt: result.right, conflicts }
    if (result.left.kind === 'conflict' && result.left.stored !== null) {
      conflicts += 1
      write = plan(result.left.stored)
    } else if (result.left.kind !== 'unavailable' || result.left.reason !== 'busy') {
      say({ error: result.left })
      process.exit(1)
    }
  }
}

const append = (
  progress: Progress,
  items: ReadonlyArray<unknown>,
  replaces: number
): SessionWrite<unknown> => {
  const written = progress.written - replaces + items.length
  const revision = progress.revision + 1
  return {
    turn: progress.turn,
    operation: `${progress.turn}:${revision}:${task.name}`,
    expects: progress,
    change: replaces > 0 ? 'replace-suffix' : 'append',
    replaces,
    items,
    after: { ...progress, revision, settled: written, written, edge: `${revision}` }
  }
}

/** Turns of their own: a call, then call and output in its place. */
const saveTurns = async (session: Session<unknown>): Promise<void> => {
  for (let turn = 0; turn < task.count; turn += 1) {
    const id = `${task.name}/${turn}`
    const open = await saveStubbornly(session, startProgress(id), (progress) =>
      append(progress, [`${id} call`], 0)
    )
    await saveStubbornly(session, open.receipt.progress, (progress) =>
      append(progress, [`${id} call, again`, `${id} output`], 1)
    )
    say({ turn: id })
  }
}

/** One turn that everybody writes to. */
const shareTurn = async (session: Session<unknown>): Promise<void> => {
  let conflicts = 0
  let progress = startProgress('shared')
  for (let entry = 0; entry < task.count; entry += 1) {
    const saved = await saveStubbornly(session, progress, (stored) =>
      append(stored, [`${task.name}/${entry}`], 0)
    )
    progress = saved.receipt.progress
    conflicts += saved.conflicts
  }
  say({ conflicts })
}

const run = async (session: Session<unknown>): Promise<void> => {
  if (task.act === 'turns') await saveTurns(session)
  else if (task.act === 'share') await shareTurn(session)
  else if (task.act === 'read') say(await session.read()())
  else {
    for (const write of task.writes) say(await session.save(write)())
  }
  say({ statements })
}

if (task.place.kind === 'sqlite') await run(await openSqlite(task.place.file))
else {
  const { session, close } = await openPostgres(task.place.configuration, task.place.table)
  await run(session)
  await close()
}
