/**
 * `turnkeep FILE`: what would a provider refuse in this history?
 *
 * Law: the options that audit and repair share, and the page that shows violations.
 */
import { type Command, Option } from 'commander'
import { isLeft } from 'fp-ts/lib/Either.js'
import { errorDocument } from '../../conformance/answer.js'
import { answerAudit, type AuditDocument } from '../../conformance/operations/audit.js'
import type { Violation } from '../../core/audit.js'
import { profiles } from '../../core/profile.js'
import { ask, type ExitState } from '../ask.js'
import { historyDialects } from '../dialects.js'
import { type Failure, lineOf } from '../failure.js'
import { fieldsOf, type History, type HistoryOptions, nameHistory, readHistory } from '../history.js'
import { tellRule } from '../history-words.js'
import { nameItem, shortId } from '../item-words.js'
import type { Terminal } from '../terminal.js'
import { isFailure, wayOf } from './ways.js'

/** Adds the file and the options that say how it is read. */
export const addHistoryOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--dialect <name>', 'how the history is written; found by itself where possible').choices(
        historyDialects
      )
    )
    .addOption(
      new Option(
        '--profile <name>',
        'whose demands count; those of the dialect where it is left out'
      ).choices(Object.keys(profiles))
    )
    .option('--at-rest', 'the history is not about to be sent: calls may still wait')
    .option('--strict', 'warnings count as errors')

/** Tells of a failure, as a document too where one was asked for. */
export const refuse = async (
  problem: Failure,
  options: HistoryOptions,
  terminal: Terminal
): Promise<ExitState> => {
  if (options.json === true) await terminal.write(`${JSON.stringify(errorDocument(problem))}\n`)
  terminal.complain(lineOf(problem))
  return 2
}

/** The same violations with their places in the user's own document. */
export const inDocument = (history: History, violations: ReadonlyArray<Violation>): AuditDocument => ({
  violations: violations.map((violation) => ({ ...violation, path: history.placeOf(violation.position) }))
})

/** A row per violation: place, item, rule, and what the provider says. */
export const showViolations = async (
  history: History,
  violations: ReadonlyArray<Violation>,
  terminal: Terminal
): Promise<string> => {
  const { drawTable } = await import('../table.js')
  const { items, raws } = history.question.decoded
  const { paint, width } = terminal
  return drawTable({
    columns: [
      { heading: 'place' },
      { heading: 'item' },
      { heading: 'call id', paint: paint.dim },
      { heading: 'rule', paint: paint.red },
      { heading: 'what is refused' }
    ],
    rows: violations.map(({ rule, severity, position, callId, because }) => {
      const item = items[position] ?? { kind: 'unclassified' as const }
      const cause = because === undefined ? '' : ` Because of ${shortPlace(history.placeOf(because))}.`
      const words = `${tellRule(rule, history.profile)}${cause}`
      return [
        shortPlace(history.placeOf(position)),
        nameItem(item, raws[position]),
        shortId(callId),
        severity === 'warning' ? `${rule} (warning)` : rule,
        words
      ]
    }),
    paint,
    width
  })
}

const shortPlace = (place: string): string => lineOf({ message: place }).replace(/^turnkeep: /, '')

/** The state that violations end with. */
export const stateOf = (violations: ReadonlyArray<Violation>, strict: boolean): ExitState =>
  violations.some(({ severity }) => strict || severity === 'error') ? 1 : 0

const optionWords = ({ dialect, profile, atRest }: HistoryOptions): string =>
  [
    ...(dialect === undefined ? [] : [`--dialect ${dialect} `]),
    ...(profile === undefined ? [] : [`--profile ${profile} `]),
    ...(atRest === true ? ['--at-rest '] : [])
  ].join('')

const tell = async (
  history: History,
  violations: ReadonlyArray<Violation>,
  options: HistoryOptions,
  terminal: Terminal
): Promise<string> => {
  const head = nameHistory(history)
  if (violations.length === 0) return `${head}\nnothing that is refused\n`
  const errors = violations.filter(({ severity }) => severity === 'error').length
  const count = `${errors === 1 ? '1 error' : `${errors} errors`}`
  const file = history.file === '-' ? 'FILE' : history.file
  const command = errors === 0 ? '' : `; to mend: turnkeep repair ${optionWords(options)}${file} > fixed.json`
  return `${head}\n${await showViolations(history, violations, terminal)}\n${count}${command}\n`
}

const runAudit = async (
  file: string | undefined,
  options: HistoryOptions,
  terminal: Terminal
): Promise<ExitState> => {
  const way = wayOf(
    file,
    { ...(options.json ? { json: true } : {}), ...(options.lines ? { lines: true } : {}) },
    terminal
  )
  if (isFailure(way)) return refuse(way, options, terminal)
  if (way.lines) {
    const asked = { op: 'audit', fields: fieldsOf(options), answer: answerAudit, show: () => '' }
    return ask(asked, way, terminal)
  }
  const history = await readHistory(way.file, options)
  if (isLeft(history)) return refuse(history.left, options, terminal)
  const answer = answerAudit(history.right.question)
  if (isLeft(answer)) return refuse(answer.left, options, terminal)
  const document = inDocument(history.right, answer.right.violations)
  await terminal.write(
    way.json
      ? `${JSON.stringify(document)}\n`
      : await tell(history.right, document.violations, options, terminal)
  )
  return stateOf(document.violations, options.strict === true)
}

/** Adds the command to a program. */
export const addAudit = (program: Command, terminal: Terminal, done: (state: ExitState) => void): void => {
  const command = program
    .command('audit')
    .summary('show what a provider would refuse in a history (turnkeep FILE does the same)')
    .description('Shows what a provider would refuse in a stored history.')
    .argument('[file]', 'a JSON file, or - for standard input')
  addHistoryOptions(command)
    .addOption(new Option('--json', 'one document in, one document out').conflicts('lines'))
    .option('--lines', 'one question per line, one answer per line')
    .action(async (file: string | undefined, options: HistoryOptions) =>
      done(await runAudit(file, options, terminal))
    )
}
