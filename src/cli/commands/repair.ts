/**
 * `turnkeep repair`: the history as a provider takes it.
 *
 * Law: where the repaired document goes, and the page of edits, which goes to standard error.
 */
import { writeFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { isLeft } from 'fp-ts/lib/Either.js'
import { answerRepair, type RepairDocument } from '../../conformance/operations/repair.js'
import { ask, type ExitState } from '../ask.js'
import { failure } from '../failure.js'
import { fieldsOf, type History, type HistoryOptions, nameHistory, readHistory } from '../history.js'
import { positionOf, tellEdit } from '../history-words.js'
import { nameItem, shortId } from '../item-words.js'
import type { Terminal } from '../terminal.js'
import { addHistoryOptions, inDocument, refuse, showViolations } from './audit.js'
import { isFailure, wayOf } from './ways.js'

interface RepairOptions extends HistoryOptions {
  readonly diff?: true
  readonly output?: string
}

const tell = async (history: History, answer: RepairDocument, terminal: Terminal): Promise<string> => {
  const { drawTable } = await import('../table.js')
  const { items, raws } = history.question.decoded
  const { paint, width } = terminal
  const edits =
    answer.edits.length === 0
      ? 'nothing to mend: the document is as it was\n'
      : drawTable({
          columns: [
            { heading: 'place' },
            { heading: 'item' },
            { heading: 'call id', paint: paint.dim },
            { heading: 'edit' }
          ],
          rows: answer.edits.map((edit) => {
            const position = positionOf(edit)
            const item = items[position] ?? { kind: 'unclassified' as const }
            return [
              history.placeOf(position),
              nameItem(item, raws[position]),
              shortId('callId' in item ? item.callId : undefined),
              tellEdit(edit, history.placeOf)
            ]
          }),
          paint,
          width
        })
  const left =
    answer.remaining.length === 0
      ? ''
      : `\nwhat remains\n${await showViolations(history, answer.remaining, terminal)}`
  return `${nameHistory(history)}\n${edits}${left}`
}

const drawDiff = async (before: string, after: string): Promise<string> => {
  const { createTwoFilesPatch } = await import('diff')
  const spread = (text: string): string => {
    try {
      return `${JSON.stringify(JSON.parse(text), null, 2)}\n`
    } catch {
      return text
    }
  }
  return createTwoFilesPatch('before', 'after', spread(before), spread(after), '', '', { context: 3 })
}

const runRepair = async (
  file: string | undefined,
  options: RepairOptions,
  terminal: Terminal
): Promise<ExitState> => {
  const way = wayOf(
    file,
    { ...(options.json ? { json: true } : {}), ...(options.lines ? { lines: true } : {}) },
    terminal
  )
  if (isFailure(way)) return refuse(way, options, terminal)
  if (way.lines) {
    const asked = { op: 'repair', fields: fieldsOf(options), answer: answerRepair, show: () => '' }
    return ask(asked, way, terminal)
  }
  const found = await readHistory(way.file, options)
  if (isLeft(found)) return refuse(found.left, options, terminal)
  const history = found.right
  const answered = answerRepair(history.question)
  if (isLeft(answered)) return refuse(answered.left, options, terminal)
  const answer = answered.right
  const remaining = inDocument(history, answer.remaining).violations
  const state: ExitState = remaining.length === 0 ? 0 : 1
  if (way.json) {
    await terminal.write(`${JSON.stringify({ ...answer, remaining })}\n`)
    return state
  }
  const { write, name } = history.envelope
  if (write === undefined && answer.edits.length > 0) {
    const reason = 'holds each item in several places; repair the list of items that the session holds'
    return refuse(failure('invalid-input', `${history.file}: ${name} ${reason}`), options, terminal)
  }
  const text = answer.edits.length === 0 || write === undefined ? history.text : write(answer.items)
  for (const line of (await tell(history, answer, terminal)).trimEnd().split('\n')) terminal.complain(line)
  if (options.output !== undefined) {
    try {
      await writeFile(options.output, text)
    } catch {
      return refuse(failure('unwritable', `${options.output}: cannot be written`), options, terminal)
    }
  }
  if (options.diff === true) await terminal.write(await drawDiff(history.text, text))
  else if (options.output === undefined) await terminal.write(text)
  return state
}

/** Adds the command to a program. */
export const addRepair = (program: Command, terminal: Terminal, done: (state: ExitState) => void): void => {
  const command = program
    .command('repair')
    .summary('write the history as a provider takes it')
    .description('Writes the repaired document to standard output, and what was done to standard error.')
    .argument('[file]', 'a JSON file, or - for standard input')
  addHistoryOptions(command)
    .option('-o, --output <file>', 'write the document to a file')
    .option('--diff', 'show what changes in the document in its place; shows contents')
    .addOption(new Option('--json', 'one document in, one document out').conflicts('lines'))
    .option('--lines', 'one question per line, one answer per line')
    .action(async (file: string | undefined, options: RepairOptions) =>
      done(await runRepair(file, options, terminal))
    )
}
