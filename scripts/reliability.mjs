// Runs the fault tests of the sessions at full size and writes what they counted into
// docs/explanation/reliability.md. Takes some minutes; needs no network.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'

const page = 'docs/explanation/reliability.md'
const start = '<!-- figures -->'
const end = '<!-- /figures -->'
const tests = ['kill', 'processes', 'postgres', 'sqlite'].map((name) => `test/sessions/${name}.test.ts`)

const folder = mkdtempSync(join(tmpdir(), 'turnkeep-figures-'))
const file = join(folder, 'figures.jsonl')

const run = () =>
  spawnSync(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--project',
      'unit',
      '--no-file-parallelism',
      '--testTimeout=1200000',
      ...tests
    ],
    { stdio: 'inherit', env: { ...process.env, TURNKEEP_FIGURES: file } }
  )

const readFigures = () =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .sort((left, right) => left.order - right.order || (left.store < right.store ? -1 : 1))

const renderTable = (figures) =>
  [
    '| fault | store | tried | came out |',
    '|---|---|---|---|',
    ...figures.map(({ fault, store, tried, result }) => `| ${fault} | ${store} | ${tried} | ${result} |`),
    '',
    `Node ${process.versions.node}, ${process.platform}, ${availableParallelism()} processors.`
  ].join('\n')

try {
  const { status } = run()
  if (status !== 0 || !existsSync(file)) {
    console.error(`${page} is left as it is: a fault test failed`)
    process.exitCode = 1
  } else {
    const text = readFileSync(page, 'utf8')
    const before = text.slice(0, text.indexOf(start) + start.length)
    const after = text.slice(text.indexOf(end))
    writeFileSync(page, `${before}\n${renderTable(readFigures())}\n${after}`)
    console.log(`${page} holds the figures of this run`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
