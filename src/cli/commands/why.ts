/**
 * `turnkeep why`: what does the text of a refusal mean, and where in this history is the culprit?
 *
 * Law: the page of a refusal. What a text means is said by the table of refusals, what is wrong with a history by the
 * audit.
 */
import type { Command } from 'commander'
import { isLeft } from 'fp-ts/lib/Either.js'
import { answerAudit } from '../../conformance/operations/audit.js'
import type { Violation } from '../../core/audit.js'
import type { ExitState } from '../ask.js'
import { failure } from '../failure.js'
import { type History, type HistoryOptions, nameHistory, readHistory, withNamed } from '../history.js'
import { type Recognised, recogniseRefusal } from '../refusals.js'
import type { Terminal } from '../terminal.js'
import { addHistoryOptions, refuse, showViolations, stateOf } from './audit.js'

const tellRefusal = ({ refusal }: Recognised, options: HistoryOptions, file = 'FILE'): string => {
  const how =
    refusal.mended === 'by-text' ? '--why "<the text>"' : `--profile ${options.profile ?? refusal.profile}`
  const rows = [
    ['refusal', `${refusal.provider}: ${refusal.title}`],
    ['says', refusal.says],
    ['means', refusal.means],
    ['rule', refusal.rules.join(', ')],
    ['cause', refusal.cause],
    ['fix', refusal.fix],
    ...(refusal.mended === 'by-hand' ? [] : [['command', `turnkeep repair ${how} ${file} > fixed.json`]])
  ]
  return rows.map(([name = '', words = '']) => `${name.padEnd(9)}${words}\n`).join('')
}

/** The violations that a refusal speaks of: those of its rules, and of the ids in its text where it names some. */
const findCulprits = (
  { refusal, item, reasoning, calls }: Recognised,
  history: History,
  violations: ReadonlyArray<Violation>
): ReadonlyArray<Violation> => {
  const fits = violations.filter(({ rule }) => refusal.rules.includes(rule))
  const ids = new Set([item, reasoning, ...calls].filter((id) => id !== undefined))
  const named = fits.filter(({ position, callId }) => {
    const found = history.question.decoded.items[position]
    const id = found !== undefined && 'id' in found ? found.id : undefined
    return (callId !== undefined && ids.has(callId)) || (id !== undefined && ids.has(id))
  })
  return named.length > 0 ? named : fits
}

/** The history in which the item that a refusal names needs the reasoning that it names. */
export const markNamed = (history: History, { refusal, item, reasoning }: Recognised): History =>
  item === undefined || !refusal.rules.includes('missing-reasoning')
    ? history
    : withNamed(history, item, reasoning ?? '')

const runWhy = async (
  text: string,
  file: string | undefined,
  options: HistoryOptions,
  terminal: Terminal
): Promise<ExitState> => {
  const [recognised] = recogniseRefusal(text)
  if (recognised === undefined) {
    const advice = 'this text is not known; turnkeep FILE says what would be refused in a history'
    return refuse(failure('unknown-refusal', advice), options, terminal)
  }
  if (file === undefined) {
    await terminal.write(tellRefusal(recognised, options))
    return 0
  }
  const profile = options.profile ?? recognised.refusal.profile
  const found = await readHistory(file, { ...options, profile })
  if (isLeft(found)) return refuse(found.left, options, terminal)
  const history = markNamed(found.right, recognised)
  const answer = answerAudit(history.question)
  if (isLeft(answer)) return refuse(answer.left, options, terminal)
  const culprits = findCulprits(recognised, history, answer.right.violations)
  const page = tellRefusal(recognised, options, file === '-' ? 'FILE' : file)
  const where =
    culprits.length === 0
      ? 'no such thing is in this history; turnkeep FILE shows all that is refused in it\n'
      : await showViolations(history, culprits, terminal)
  await terminal.write(`${page}\n${nameHistory(history)}\n${where}`)
  return stateOf(culprits, options.strict === true)
}

/** Adds the command to a program. */
export const addWhy = (program: Command, terminal: Terminal, done: (state: ExitState) => void): void => {
  const command = program
    .command('why')
    .summary('say what the text of a refusal means, and where its cause is')
    .description('Says what the text of a refusal means, and where in a history its cause is.')
    .argument('<text>', 'what the provider said')
    .argument('[file]', 'the history that was sent, or - for standard input')
  addHistoryOptions(command).action(async (text: string, file: string | undefined, options: HistoryOptions) =>
    done(await runWhy(text, file, options, terminal))
  )
}
