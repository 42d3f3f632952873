/**
 * `turnkeep conform -- COMMAND…`: does another implementation keep the specification?
 *
 * Law: the options of this command and its exit state: 0 it conforms, 1 it does not, 2 it could not be asked.
 */
import { type Command, InvalidArgumentError } from 'commander'
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { checkChoice, type Choice, chooseVectors, claimsSaves } from '../../conformance/report.js'
import { readVectors, type Vector } from '../../conformance/vector.js'
import type { ExitState } from '../ask.js'
import { type Failure, failure, lineOf } from '../failure.js'
import { readDocument } from '../input.js'
import type { Terminal } from '../terminal.js'

interface ConformOptions {
  readonly tags?: ReadonlyArray<string>
  readonly skip?: string
  readonly dialects?: ReadonlyArray<string>
  readonly timeout: number
  readonly vectors?: string
  readonly bail?: true
  readonly splits: boolean
  readonly rules?: true
  readonly json?: true
}

const readList = (text: string): ReadonlyArray<string> => text.split(/[\s,]+/).filter((word) => word !== '')

const readTimeout = (text: string): number => {
  if (!/^[1-9]\d{0,7}$/.test(text))
    throw new InvalidArgumentError('It must be milliseconds, a whole number from 1.')
  return Number(text)
}

/** The ids of a skip list: one a line, with a reason behind `#`. */
export const readSkipList = (text: string): ReadonlyArray<string> =>
  text
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((line) => line !== '')

const readSkips = async (file: string | undefined): Promise<Either<Failure, ReadonlyArray<string>>> => {
  if (file === undefined) return right([])
  const { readFile } = await import('node:fs/promises')
  try {
    return right(readSkipList(await readFile(file, 'utf8')))
  } catch {
    return left(failure('unreadable', `${file}: the skip list cannot be read`))
  }
}

const loadVectors = async (file: string | undefined): Promise<Either<Failure, ReadonlyArray<Vector>>> => {
  if (file === undefined) return right((await import('../../conformance/vectors.js')).vectors)
  const document = await readDocument(file)
  if (isLeft(document)) return document
  const read = readVectors(document.right)
  return isLeft(read) ? left(failure('invalid-input', `${file}: ${read.left.message}`)) : read
}

const runConform = async (
  words: ReadonlyArray<string>,
  options: ConformOptions,
  terminal: Terminal
): Promise<ExitState> => {
  const refuse = (problem: { readonly message: string }): ExitState => {
    terminal.complain(lineOf(problem))
    return 2
  }
  const [command, ...rest] = words
  if (command === undefined)
    return refuse({ message: 'expected the command of an implementation: turnkeep conform -- COMMAND…' })
  const all = await loadVectors(options.vectors)
  if (isLeft(all)) return refuse(all.left)
  const skip = await readSkips(options.skip)
  if (isLeft(skip)) return refuse(skip.left)
  const choice: Choice = { tags: options.tags ?? [], skip: skip.right, dialects: options.dialects ?? [] }
  const error = checkChoice(all.right, choice)
  if (error !== undefined) return refuse(error)
  const chosen = chooseVectors(all.right, choice)
  if (chosen.length === 0) return refuse({ message: 'no vector has these tags' })

  const { openPeer } = await import('../peer.js')
  const { converse } = await import('../dialogue.js')
  const { tellReport, tellResult } = await import('../conform-words.js')
  const peer = openPeer({ command, words: rest, timeout: options.timeout })
  const shown: Array<Promise<void>> = []
  const report = await converse(peer, chosen, {
    choice,
    depth: { saves: claimsSaves(choice), splits: options.splits },
    bail: options.bail === true,
    hear: (result) => {
      const text = options.json === true ? '' : tellResult(result, terminal.paint)
      if (text !== '') shown.push(terminal.write(text))
    }
  })
  await Promise.all(shown)
  const { results, ...sums } = report
  const page =
    options.json === true
      ? `${JSON.stringify({
          ...sums,
          results: results.map(({ vector, ...result }) => ({ id: vector.id, ...result }))
        })}\n`
      : await tellReport(report, { rules: options.rules === true, terminal })
  await terminal.write(page)
  return report.ok ? 0 : 1
}

/** Adds the command to a program. */
export const addConform = (program: Command, terminal: Terminal, done: (state: ExitState) => void): void => {
  program
    .command('conform')
    .summary('prove another implementation against the vectors')
    .description(
      'Asks another implementation the questions of the specification: one a line on its standard input, answered one a line on its standard output.'
    )
    .usage('[options] -- COMMAND…')
    .argument('[command...]', 'the implementation and its arguments, behind --')
    .option('--tags <list>', 'levels and flags to run, such as pair,associate (default: all)', readList)
    .option('--skip <file>', 'ids that are known to fail, one a line; one that passes is a failure')
    .option('--dialects <list>', 'dialects that it reads besides neutral', readList)
    .option('--timeout <milliseconds>', 'how long one answer may take', readTimeout, 5000)
    .option('--vectors <file>', 'other vectors than those of this version')
    .option('--no-splits', 'do not save every turn at every split, which takes most of the time')
    .option('--bail', 'stop at the first failure')
    .option('--rules', 'count every rule, not every area')
    .option('--json', 'the report as one document')
    .action(async (words: ReadonlyArray<string>, options: ConformOptions) =>
      done(await runConform(words, options, terminal))
    )
}
