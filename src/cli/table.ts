/**
 * How is a table drawn?
 *
 * Law: columns without lines, so that it reads the same on a terminal, in a file and in an issue. On a terminal the last
 * column is folded to the width; elsewhere nothing is, and neither is a table that is too long to be read at one sitting:
 * its rows are only put under each other, at a small part of the cost.
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
const mostFolded = 1000

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

const trimLines = (text: string): string => text.replace(/[ ]+$/gm, '')

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
  const head = shown.map(({ column }) => paint.bold(column.heading))
  const body = rows.map((row) =>
    shown.map(({ column, index }) => {
      const cell = row[index] ?? ''
      return column.paint === undefined ? cell : column.paint(cell)
    })
  )
  if (rows.length > mostFolded) {
    const plain = [
      shown.map(({ column }) => column.heading),
      ...rows.map((row) => shown.map(({ index }) => row[index] ?? ''))
    ]
    const lines = [head, ...body].map((cells, row) =>
      cells
        .map(
          (cell, index) => `${cell}${' '.repeat((widths[index] ?? 0) - (plain[row]?.[index] ?? '').length)}`
        )
        .join('')
    )
    return `${trimLines(lines.join('\n'))}\n`
  }
  const table = new Table({
    chars: noLines,
    style: { 'padding-left': 0, 'padding-right': gap, head: [], border: [] },
    colWidths: widths,
    wordWrap: true
  })
  table.push(head, ...body)
  return `${trimLines(table.toString())}\n`
}
