/**
 * `turnkeep shape`: a history without its contents, to attach to an issue.
 *
 * Law: what is shown is what the rules know of an item, which is no payload. The page is a question that every command
 * reads. Complexity: linear.
 */
import type { Command } from 'commander'
import { isLeft } from 'fp-ts/lib/Either.js'
import type { ExitState } from '../ask.js'
import { type HistoryOptions, readHistory } from '../history.js'
import type { Terminal } from '../terminal.js'
import { addHistoryOptions, refuse } from './audit.js'
import { isFailure, wayOf } from './ways.js'

const runShape = async (
  file: string | undefined,
  options: HistoryOptions,
  terminal: Terminal
): Promise<ExitState> => {
  const way = wayOf(file, {}, terminal)
  if (isFailure(way)) return refuse(way, options, terminal)
  const history = await readHistory(way.file, options)
  if (isLeft(history)) return refuse(history.left, options, terminal)
  const { question } = history.right
  const profile = JSON.stringify(question.fields['profile'])
  const items = question.decoded.items.map((item) => `  ${JSON.stringify(item)}`).join(',\n')
  await terminal.write(`{"profile":${profile},"items":[\n${items}\n]}\n`)
  const isOdd = question.decoded.items.some(({ kind }) => kind === 'unclassified')
  return options.strict === true && (isOdd || question.decoded.notices.length > 0) ? 1 : 0
}

/** Adds the command to a program. */
export const addShape = (program: Command, terminal: Terminal, done: (state: ExitState) => void): void => {
  const command = program
    .command('shape')
    .summary('print a history without its contents, to attach to an issue')
    .description('Prints a history without its contents: kinds, ids and places, to attach to an issue.')
    .argument('[file]', 'a JSON file, or - for standard input')
  addHistoryOptions(command).action(async (file: string | undefined, options: HistoryOptions) =>
    done(await runShape(file, options, terminal))
  )
}
