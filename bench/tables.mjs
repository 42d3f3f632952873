/**
 * How are figures put into tables?
 *
 * Law: tables as data (a head and rows of text) from the rows of a run, and the two ways to print one. No figure is
 * computed here but sums of what was measured.
 */
import Table from 'cli-table3'
import { otherCases, planCases } from './cases.mjs'
import { peerNames } from './measure.mjs'
import { shapeNames, sizes } from './shapes.mjs'

const count = (number) => number.toLocaleString('en-US')

/** Three digits that mean something. */
export const short = (number) => {
  if (number === undefined || number === null) return '–'
  if (number === 0) return '0'
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(number))))
  return Number(number.toFixed(Math.min(digits, 3))).toLocaleString('en-US', { maximumFractionDigits: 3 })
}

const percent = (share) => `±${Math.round((share * 100) / 2)} %`

const perItem = ({ time, size }) => (time.median * 1e6) / size

const find = (rows, shape, name, size) =>
  rows.find((row) => row.shape === shape && row.case === name && row.size === size)

const namesOf = (rows, all) => all.filter((name) => rows.some((row) => row.case === name))

const cellOf = (row, before) => {
  if (row === undefined) return '–'
  if (row.stopped !== undefined) return row.stopped
  const grows = before?.time === undefined ? '' : ` ↗${short(perItem(row) / perItem(before))}`
  return `${short(perItem(row))} ns ${percent(row.time.spread)} · ${short(row.ratio.median)}×${grows}`
}

const bySize = (name, title, rows, cases, labelOf) => {
  const measured = sizes.filter((size) => rows.some((row) => row.size === size && cases.includes(row.case)))
  const lines = []
  for (const shape of shapeNames)
    for (const one of cases) {
      const found = measured.map((size) => find(rows, shape, one, size))
      if (found.every((row) => row === undefined)) continue
      lines.push([
        labelOf(shape, one),
        ...found.map((row, index) => cellOf(row, index === 0 ? undefined : found[index - 1]))
      ])
    }
  return { name, title, head: ['', ...measured.map((size) => count(size))], lines }
}

const bytesTable = (rows) => {
  const found = rows.filter((row) => row.case === 'bytes')
  return {
    name: 'bytes',
    title: 'Bytes per item: one plan of a rejected turn',
    head: ['shape', 'items', 'allocated', 'the floor', 'its map alone', 'kept by the plan'],
    lines: found.map(({ shape, size, allocated, floor, map, retained }) => [
      shape,
      count(size),
      ...[allocated, floor, map, retained].map((bytes) =>
        bytes === null ? 'not measured' : short(bytes / size)
      )
    ])
  }
}

const targetsTable = (judged) => ({
  name: 'targets',
  title: 'Targets',
  head: ['', 'target', 'measured', ''],
  lines: judged
    .filter(({ figure }) => figure !== undefined)
    .map(({ name, sign, limit, figure, met }) => [
      name,
      `${sign} ${count(limit)}`,
      short(figure),
      met ? 'met' : '**missed**'
    ])
})

const sessionsTable = (sessions) => ({
  name: 'sessions',
  title: 'Sessions: beside the same rows written by hand, in one transaction per turn',
  head: ['', 'turnkeep', 'by hand', 'ratio'],
  lines: sessions.flatMap(({ writes }) =>
    writes.map(({ name, ours, byHand, ratio }) => [
      name,
      `${short(ours.median)} ms ${percent(ours.spread)}`,
      `${short(byHand.median)} ms ${percent(byHand.spread)}`,
      `${short(ratio.median)}×`
    ])
  )
})

const readsTable = (sessions) => ({
  name: 'reads',
  title: 'Sessions: reading the last 50 items',
  head: ['', ...(sessions[0]?.reads ?? []).map(({ size }) => `of ${count(size)}`)],
  lines: sessions.map(({ store, reads }) => [
    store,
    ...reads.map(({ time }) => `${short(time.median)} ms ${percent(time.spread)}`)
  ])
})

const sizesTable = (sizes) => ({
  name: 'sizes',
  title: 'Size: bundled with what it needs, minified, gzip',
  head: ['import', 'bytes'],
  lines: Object.entries(sizes).map(([entry, bytes]) => [`\`turnkeep${entry.slice(1)}\``, count(bytes)])
})

/** Every table of a run that has a row. */
export const tablesOf = ({ rows, judged, sessions, bundles }) =>
  [
    targetsTable(judged),
    bySize(
      'plans',
      'Plans: ns per item · × the floor',
      rows,
      namesOf(rows, Object.keys(planCases)),
      (shape, name) => `${shape}, ${name}`
    ),
    bySize(
      'peers',
      'Peers: ns per item · × as slow as turnkeep',
      rows,
      namesOf(rows, Object.keys(peerNames)),
      (shape, name) => `${shape}, ${peerNames[name]}`
    ),
    bySize(
      'others',
      'Everything else: ns per item · × one plan of the rejected turn',
      rows,
      namesOf(rows, Object.keys(otherCases)),
      (shape, name) => `${shape}, ${name}`
    ),
    bytesTable(rows),
    sizesTable(bundles),
    sessionsTable(sessions),
    readsTable(sessions)
  ].filter(({ lines }) => lines.length > 0)

/** A table for a terminal. */
export const toText = ({ title, head, lines }) => {
  const table = new Table({ head, style: { head: [], border: [], compact: true } })
  for (const line of lines) table.push(line.map((cell) => cell.replaceAll('**', '')))
  return `${title}\n${table.toString()}`
}

/** A table for a document, below a heading of the given level. */
export const toMarkdown = ({ title, head, lines }, level) =>
  [
    `${'#'.repeat(level)} ${title}`,
    '',
    `| ${head.join(' | ')} |`,
    `|${head.map((_, index) => (index === 0 ? '---' : '---:')).join('|')}|`,
    ...lines.map((line) => `| ${line.join(' | ')} |`)
  ].join('\n')
