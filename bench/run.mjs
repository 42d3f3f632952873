/**
 * `npm run bench`: measures the built package, prints tables, and keeps a full run in RESULTS.md and docs/bench.
 *
 *   --only shape/case/size   only these rows; a part may be * or left out; can be given again
 *   --quick                  small sizes, few rounds
 *   --sessions               only the sessions
 *   --json                   one JSON document instead of tables
 *   --record                 measures what the tests compare with, and keeps it in recorded.json
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { build } from '../scripts/build.mjs'

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    quick: { type: 'boolean', default: false },
    sessions: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false }
  }
})

build({ declarations: false, onlyIfStale: true })

/** Loaded behind the build: they use what was built. */
const load = async () => ({
  ...(await import('./measure.mjs')),
  ...(await import('./measure-sessions.mjs')),
  ...(await import('./gates.mjs')),
  ...(await import('./tables.mjs')),
  ...(await import('./targets.mjs'))
})

const record = async () => {
  const { keepRecord } = await import('./gates.mjs')
  console.log(`kept in bench/recorded.json for Node ${await keepRecord()}`)
}

const bench = async () => {
  const { measureAll, measureSessions, measureSizes, tablesOf, toText, judge } = await load()
  const started = { date: new Date().toISOString().slice(0, 10), load: loadavg()[0] }
  const rows = []
  const report = (row) => {
    rows.push(row)
    if (!values.json && process.stderr.isTTY)
      process.stderr.write(`\r\u001b[K${row.shape} ${row.case} ${row.size}`)
  }
  const options = { only: values.only, quick: values.quick, budget: values.quick ? 60 : 300 }
  if (!values.sessions) await measureAll(options, report)
  const withSessions = values.sessions || values.only.length === 0
  const sessions = withSessions ? await measureSessions({ quick: values.quick }) : []
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K')
  const isFull = !values.quick && !values.sessions && values.only.length === 0
  const bundles = isFull ? await measureSizes() : {}
  const found = { rows, bundles, sessions }
  const run = { ...started, ...found, judged: judge(found) }
  if (values.json) console.log(JSON.stringify(run))
  else for (const table of tablesOf(run)) console.log(`${toText(table)}\n`)
  if (!isFull) return
  const { draw } = await import('./picture.mjs')
  const { writeResults } = await import('./results.mjs')
  mkdirSync('docs/bench', { recursive: true })
  writeFileSync('docs/bench/plan.svg', await draw(rows))
  writeResults(run)
}

await (values.record ? record() : bench())
