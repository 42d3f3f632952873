/**
 * `turnkeep repair`: the history as a provider takes it.
 *
 * Law: where the repaired document goes, and the page of edits, which goes to standard error.
 */
import { writeFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import {
  answerRepair,
  type Mended,
  mendHistory,
  type RepairDocument
} from '../../conformance/operations/repair.js'
import type { Question } from '../../conformance/question.js'
import { ask, type ExitState } from '../ask.js'
import { type Failure, failure } from '../failure.js'
import { fieldsOf, type History, type HistoryOptions, nameHistory, readHistory } from '../history.js'
import { positionOf, tellEdit } from '../history-words.js'
import { nameItem, shortId } from '../item-words.js'
import { mostLevels, spreadJson, startWriting } from '../json-text.js'
import { recogniseRefusal } from '../refusals.js'
import type { Terminal } from '../terminal.js'
import { addHistoryOptions, inDocument, refuse, showViolations, stateOf } from './audit.js'
import { markNamed } from './why.js'
import { isFailure, wayOf } from './ways.js'

interface RepairOptions extends HistoryOptions {
  readonly diff?: true
  readonly output?: string
  readonly why?: string
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
  return createTwoFilesPatch('before', 'after', spreadJson(before), spreadJson(after), '', '', { context: 3 })
}

/** Where each raw value of a repaired history comes from, in places of the list that was given. */
const placesOf = ({ origins }: Mended, { decoded }: Question): ReadonlyArray<number> => {
  const placeOf = (position: number): number => decoded.items[position]?.source?.message ?? position
  return origins.map((held) => {
    const kept = held.find((origin) => origin >= 0)
    if (kept !== undefined) return placeOf(kept)
    const [closed = -1] = held
    return -1 - placeOf(-1 - closed)
  })
}

/** The answer for programs, in which everything that stays is spelled as it was. */
const printAnswer = (history: History, document: object): string => {
  const writer = startWriting()
  for (const [text, value] of history.envelope.sources) writer.know(text, value, mostLevels)
  return `${writer.print(document, '')}\n`
}

/** The history in which a refusal is taken into account. */
const heed = (history: History, text: string): Either<Failure, History> => {
  const [recognised] = recogniseRefusal(text)
  return recognised === undefined
    ? left(
        failure(
          'unknown-refusal',
          'the text of --why is not known; leave it out, and all is mended that can be'
        )
      )
    : right(markNamed(history, recognised))
}

const repairFile = async (found: History, options: RepairOptions, terminal: Terminal): Promise<ExitState> => {
  const heeded = options.why === undefined ? right(found) : heed(found, options.why)
  if (isLeft(heeded)) return refuse(heeded.left, options, terminal)
  const history = heeded.right
  const mended = mendHistory(history.question)
  if (isLeft(mended)) return refuse(mended.left, options, terminal)
  const { document, violations } = mended.right
  const state = stateOf(violations, options.strict === true)
  const remaining = inDocument(history, document.remaining).violations
  if (options.json === true) {
    await terminal.write(printAnswer(history, { ...document, remaining }))
    return state
  }
  const written =
    document.edits.length === 0
      ? right(history.text)
      : history.envelope.write({
          list: document.items,
          from: placesOf(mended.right, history.question)
        })
  if (isLeft(written)) return refuse(written.left, options, terminal)
  const text = written.right
  for (const line of (await tell(history, document, terminal)).trimEnd().split('\n')) terminal.complain(line)
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
  return isLeft(found) ? refuse(found.left, options, terminal) : repairFile(found.right, options, terminal)
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
    .option('--why <text>', 'what the provider said: the item that it names is mended too')
    .option('--diff', 'show what changes in the document in its place; shows contents')
    .addOption(new Option('--json', 'one document in, one document out').conflicts('lines'))
    .option('--lines', 'one question per line, one answer per line')
    .action(async (file: string | undefined, options: RepairOptions) =>
      done(await runRepair(file, options, terminal))
    )
}
