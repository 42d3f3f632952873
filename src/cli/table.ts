/**
 * How is a table drawn?
 *
 * Law: columns without lines, so that it reads the same on a terminal, in a file and in an issue. On a terminal the last
 * column is folded to the width; elsewhere nothing is. Rows are drawn in blocks of one layout, so that a long turn costs
 * no more per row than a short one.
 */
import Table from 'cli-table3'
import type { Paint } from './terminal.js'

/** A column: its heading, and how its cells are coloured. */
export interface Column {
  readonly heading: string
  readonly paint?: (cell: string) => string
}

export interface TableQuestion {
  readonly columns: ReadonlyArray<Column>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
  readonly paint: Paint
  /** Columns of the terminal, or infinite. */
  readonly width: number
}

const gap = 2
const narrowest = 24
const rowsPerBlock = 500

const noLines = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: ''
}

/** Draws a table; a column without any text is left out. Complexity: linear in the cells. */
export const drawTable = ({ columns, rows, paint, width }: TableQuestion): string => {
  const shown = columns
    .map((column, index) => ({ column, index }))
    .filter(({ index }) => rows.some((row) => row[index] !== ''))
  const widths = shown.map(({ column, index }) => {
    let widest = column.heading.length
    for (const row of rows) widest = Math.max(widest, (row[index] ?? '').length)
    return widest + gap
  })
  const last = widths.length - 1
  const others = widths.slice(0, last).reduce((sum, each) => sum + each, 0)
  if (widths[last] !== undefined)
    widths[last] = Math.min(widths[last], Math.max(width - others, narrowest) + gap)
  const draw = (block: ReadonlyArray<ReadonlyArray<string>>): string => {
    const table = new Table({
      chars: noLines,
      style: { 'padding-left': 0, 'padding-right': gap, head: [], border: [] },
      colWidths: [...widths],
      wordWrap: true
    })
    table.push(...block.map((row) => [...row]))
    return table.toString().replace(/[ ]+$/gm, '')
  }
  const head = shown.map(({ column }) => paint.bold(column.heading))
  const body = rows.map((row) =>
    shown.map(({ column, index }) => {
      const cell = row[index] ?? ''
      return column.paint === undefined ? cell : column.paint(cell)
    })
  )
  const all = [head, ...body]
  const blocks: Array<string> = []
  for (let start = 0; start < all.length; start += rowsPerBlock)
    blocks.push(draw(all.slice(start, start + rowsPerBlock)))
  return `${blocks.join('\n')}\n`
}
