/**
 * How is a conformance report told?
 *
 * Law: words only. Vectors are public, so questions and answers are shown in full, the answer as a diff against what was
 * expected; a text of the other program is shown without what could steer a terminal.
 */
import { createTwoFilesPatch } from 'diff'
import type { Finding, Result } from '../conformance/report.js'
import type { DialogueReport } from './dialogue.js'
import { plainText } from './failure.js'
import type { Paint, Terminal } from './terminal.js'

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** An object on as many lines as it has fields, a list of objects on as many as it has entries: what a diff shows. */
const spread = (value: unknown, indent: string): string => {
  const text = JSON.stringify(value) ?? 'nothing'
  const isOpened = Array.isArray(value) ? value.some(isObject) : isObject(value) && indent === ''
  if (!isObject(value) || (!isOpened && text.length < 100)) return text
  const inner = `${indent}  `
  const isList = Array.isArray(value)
  const lines = Object.entries(value).map(
    ([name, each]) => `${inner}${isList ? '' : `${JSON.stringify(name)}: `}${spread(each, inner)}`
  )
  return `${isList ? '[' : '{'}\n${lines.join(',\n')}\n${indent}${isList ? ']' : '}'}`
}

const paintLine = (line: string, paint: Paint): string => {
  if (line.startsWith('-')) return paint.red(line)
  return line.startsWith('+') ? paint.green(line) : line
}

const plainLines = (text: string): string => text.split('\n').map(plainText).join('\n')

/** Both documents as one diff, `-` expected and `+` received. */
const drawDiff = (expected: unknown, received: unknown, paint: Paint): string => {
  const patch = createTwoFilesPatch(
    'expected',
    'received',
    spread(expected, ''),
    spread(received, ''),
    '',
    '',
    {
      context: 2
    }
  )
  const lines = plainLines(patch)
    .split('\n')
    // The heads of the patch name files, and there are none.
    .filter((line) => line !== '' && !/^(\\|=|---|\+\+\+|@@)/.test(line))
  return lines.map((line) => `    ${paintLine(line, paint)}`).join('\n')
}

const tellFinding = (finding: Finding, paint: Paint): ReadonlyArray<string> => {
  if (finding.kind !== 'difference') return [`  ${finding.kind}: ${plainText(finding.message)}`]
  const place = finding.path === '' ? '' : `, first at ${plainText(finding.path)}`
  return [
    `  step ${finding.step}, ${finding.way}: ${plainText(finding.message)}${place} (- expected, + received)`,
    drawDiff(finding.expected, finding.received, paint),
    `    asked: ${JSON.stringify(finding.question)}`
  ]
}

/** The lines of a result that somebody has to look at; none for one that is as it should be. */
export const tellResult = ({ vector, state, finding }: Result, paint: Paint): string => {
  if (state === 'passed' || state === 'skipped') return ''
  const head = `${paint.bold(vector.id)} ${vector.name} [${vector.rules.join(', ')}] (${vector.flags.join(', ')})`
  const lines =
    finding === undefined ? ['  is in the skip list and passes: take it out'] : tellFinding(finding, paint)
  return `${paint.red('failed')} ${head}\n${lines.join('\n')}\n\n`
}

const areaOf = (rule: string): string => rule.replace(/-\d+$/, '')

/** A row per area with the rules that did not hold in all of their vectors, or a row per rule. */
const summarize = async (report: DialogueReport, each: boolean, terminal: Terminal): Promise<string> => {
  const { drawTable } = await import('./table.js')
  const { paint, width } = terminal
  if (each) {
    return drawTable({
      columns: [{ heading: 'rule' }, { heading: 'passed' }, { heading: 'failed', paint: paint.red }],
      rows: report.rules.map(({ rule, vectors, passed, failed }) => [
        rule,
        `${passed} of ${vectors}`,
        failed.join(', ')
      ]),
      paint,
      width
    })
  }
  const areas = new Map<string, { rules: number; kept: number; broken: Array<string> }>()
  for (const { rule, failed } of report.rules) {
    const area = areas.get(areaOf(rule)) ?? { rules: 0, kept: 0, broken: [] }
    area.rules += 1
    if (failed.length === 0) area.kept += 1
    else area.broken.push(`${rule} (${failed.join(', ')})`)
    areas.set(areaOf(rule), area)
  }
  return drawTable({
    columns: [{ heading: 'area' }, { heading: 'rules kept' }, { heading: 'not kept', paint: paint.red }],
    rows: [...areas].map(([area, { rules, kept, broken }]) => [
      area,
      `${kept} of ${rules}`,
      broken.join(', ')
    ]),
    paint,
    width
  })
}

/** What stands behind the results: the dialogue, the rules, and one line to quote. */
export const tellReport = async (
  report: DialogueReport,
  { rules, terminal }: { rules: boolean; terminal: Terminal }
): Promise<string> => {
  const { passed, failed, skipped, unskipped, dialogue } = report
  const { paint } = terminal
  const troubles = dialogue.map(
    ({ kind, message }) => `${paint.red('dialogue')} ${kind}: ${plainText(message)}\n`
  )
  const counts = [
    `${passed} vectors passed`,
    `${failed} failed`,
    ...(skipped === 0 ? [] : [`${skipped} skipped and failing`]),
    ...(unskipped === 0 ? [] : [`${unskipped} skipped and passing`])
  ]
  const verdict = report.ok ? paint.green('conforms') : paint.red('does not conform')
  return `${troubles.join('')}${await summarize(report, rules, terminal)}\n${counts.join(', ')}: ${verdict}\n`
}
