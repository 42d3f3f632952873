/**
 * What does a durable session cost beside its rows?
 *
 * Law: turns go from raw items into SQLite and Postgres, by turnkeep and by hand in turn, into the same tables with
 * the same settings; then the end of sessions of several lengths is read. Takes a request as JSON, prints one JSON
 * line per store.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import Database from 'libsql'
import pg from 'pg'
import { orThrow, rejected, saveTurn } from '../dist/index.js'
import { responses } from '../dist/dialects/responses.js'
import { postgresSession } from '../dist/sessions/postgres.js'
import { sqliteSession } from '../dist/sessions/sqlite.js'
import { writePostgresByHand, writeSqliteByHand } from './by-hand.mjs'
import { middle, ratioOf } from './meters.mjs'
import { toResponses } from './responses-items.mjs'
import { makeTurn } from './shapes.mjs'
import { importTypescript } from './typescript.mjs'

const { quick } = JSON.parse(process.argv[2])

const turns = quick ? 500 : 10_000
const largeSize = quick ? 5_000 : 100_000
const readSizes = quick ? [1_000, 10_000] : [1_000, 100_000, 1_000_000]
const turnsPerRound = 50

const expect = (name, actual, expected) => {
  if (JSON.stringify(actual) !== JSON.stringify(expected))
    throw new Error(`${name}: expected ${expected}, got ${actual}`)
}

const answerOf = (turn, items) =>
  orThrow(saveTurn({ dialect: responses, turn, items, outcome: rejected('message') }))

const writeOf = ({ change, operation, expects, progress, replaces, items }, turn) => ({
  turn,
  operation,
  expects,
  change,
  replaces: replaces.length,
  items,
  after: progress
})

/** From raw items to a durable session, as a host without fp-ts calls it. */
const writeOurs = async (session, turn, items) => {
  const answer = answerOf(turn, items)
  const receipt = await session.promises.save(writeOf(answer, turn))
  if (!receipt.applied) throw new Error('a save was taken for a repetition')
}

const timeOf = async (act) => {
  const start = performance.now()
  await act()
  return performance.now() - start
}

/** Rounds of turns, by turnkeep and by hand in turn; who begins changes with every round. */
const compare = async (name, rounds, ours, byHand) => {
  const samples = { ours: [], byHand: [] }
  for (let round = 0; round < rounds; round += 1) {
    const acts = [
      ['ours', () => ours(round)],
      ['byHand', () => byHand(round)]
    ]
    for (const [who, act] of round % 2 === 0 ? acts : acts.reverse()) samples[who].push(await timeOf(act))
  }
  // The first rounds warm up.
  const warm = rounds > 10 ? Math.ceil(rounds / 10) : 1
  const [mine, floor] = [samples.ours.slice(warm), samples.byHand.slice(warm)]
  return { name, ours: middle(mine), byHand: middle(floor), ratio: ratioOf(mine, floor) }
}

const compareWrites = async ({ open, byHand, count }) => {
  const small = toResponses(makeTurn('chat', 20))
  const large = toResponses(makeTurn('chat', largeSize))
  const kept = (items) => answerOf('turn', items)
  const [smallKept, largeKept] = [kept(small), kept(large)]
  const session = open('small')
  const many = await compare(
    `${turns.toLocaleString('en-US')} turns of 20 items, per ${turnsPerRound} turns`,
    turns / turnsPerRound,
    async (round) => {
      for (let turn = 0; turn < turnsPerRound; turn += 1)
        await writeOurs(session, `turn-${round}-${turn}`, small)
    },
    async (round) => {
      for (let turn = 0; turn < turnsPerRound; turn += 1)
        await byHand(
          'small',
          round * turnsPerRound + turn,
          `turn-${round}-${turn}`,
          smallKept.items,
          smallKept
        )
    }
  )
  const rows = turns * smallKept.items.length
  expect('rows of small turns', [await count('ours', 'small'), await count('byhand', 'small')], [rows, rows])
  const one = await compare(
    `one turn of ${largeSize.toLocaleString('en-US')} items`,
    quick ? 3 : 4,
    (round) => writeOurs(open(`large-${round}`), 'turn', large),
    (round) => byHand(`large-${round}`, 0, 'turn', largeKept.items, largeKept)
  )
  expect('rows of a large turn', await count('ours', 'large-0'), largeKept.items.length)
  return [many, one]
}

const readRounds = quick ? 20 : 60

const compareReads = async ({ open, byHand }) => {
  const items = toResponses(makeTurn('chat', 1_000))
  const answer = answerOf('turn', items)
  const reads = []
  for (const size of readSizes) {
    const name = `read-${size}`
    for (let number = 0; number < size / 1_000; number += 1)
      await byHand(name, number, `turn-${number}`, items, answer)
    const session = open(name)
    const samples = []
    for (let round = 0; round < readRounds; round += 1) {
      let found
      samples.push(
        await timeOf(async () => {
          found = await session.getItems(50)
        })
      )
      expect('the last items', found.at(-1), items.at(-1))
    }
    reads.push({ size, time: middle(samples.slice(5)) })
  }
  return reads
}

const measure = async (store, hands) => {
  const writes = await compareWrites(hands.writing)
  const reads = await compareReads(hands.reading)
  process.stdout.write(
    `${JSON.stringify({ store, writes: writes.map((row) => ({ ...row, name: `${store}, ${row.name}` })), reads })}\n`
  )
}

/** Opens the tables by reading an empty session. */
const touch = async (session) => expect('an empty session', await session.getItems(), [])

const measureSqlite = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'turnkeep-bench-'))
  const connections = ['ours', 'byhand'].map((name) => {
    const client = new Database(join(folder, `${name}.db`))
    client.exec('pragma journal_mode = wal')
    return client
  })
  try {
    const [ours, other] = connections
    const openIn = (client, table) => (sessionId) =>
      sqliteSession({ client, sessionId, table, dialect: responses })
    const clientOf = { ours, byhand: other }
    await touch(openIn(ours, 'ours')('none'))
    // A session sets what a commit must guarantee on its connection: so both have it.
    await touch(openIn(other, 'byhand')('none'))
    const byHand = writeSqliteByHand(other, 'byhand')
    await measure('SQLite', {
      writing: {
        open: openIn(ours, 'ours'),
        byHand,
        count: async (table, session) =>
          Number(
            clientOf[table]
              .prepare(`select count(*) as rows from ${table}_entries where session = ?`)
              .get(session).rows
          )
      },
      reading: { open: openIn(other, 'byhand'), byHand }
    })
  } finally {
    for (const client of connections) client.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const measurePostgres = async () => {
  const { startPostgres } = await importTypescript('test/support/postgres.ts')
  const server = await startPostgres()
  const client = new pg.Client(server.configuration)
  try {
    await client.connect()
    const openIn = (table) => (sessionId) => postgresSession({ client, sessionId, table, dialect: responses })
    for (const table of ['ours', 'byhand']) await touch(openIn(table)('none'))
    const byHand = writePostgresByHand(client, 'byhand')
    await measure('Postgres', {
      writing: {
        open: openIn('ours'),
        byHand,
        count: async (table, session) =>
          Number(
            (
              await client.query(`select count(*) as rows from ${table}_entries where session = $1`, [
                session
              ])
            ).rows[0].rows
          )
      },
      reading: { open: openIn('byhand'), byHand }
    })
  } finally {
    await client.end()
    await server.stop()
  }
}

await measureSqlite()
await measurePostgres()
