/**
 * Which arguments does every command have that asks a question?
 *
 * Law: the file, the two ways for programs and the dialect, with the words of their help. A slip is a usage error.
 */
import { type Command, Option } from 'commander'
import { dialectNames } from '../dialects.js'
import type { Way } from '../ask.js'
import { type Failure, failure } from '../failure.js'
import type { Terminal } from '../terminal.js'

/** What commander hands over for these arguments. */
export interface WayOptions {
  readonly json?: true
  readonly lines?: true
  readonly dialect?: string
}

/** Adds the shared arguments to a command. */
export const addWays = (command: Command): Command =>
  command
    .argument('[file]', 'a JSON file, or - for standard input')
    .addOption(
      new Option('--dialect <name>', 'how the items are written; found by itself where possible').choices(
        dialectNames
      )
    )
    .addOption(new Option('--json', 'one document in, one document out').conflicts('lines'))
    .option('--lines', 'one question per line, one answer per line')

/** The way of asking. Without a file, standard input is read, but nobody is made to type JSON. */
export const wayOf = (file: string | undefined, options: WayOptions, terminal: Terminal): Way | Failure =>
  file === undefined && terminal.typed
    ? failure('usage', 'expected a file, or JSON on standard input')
    : { file: file ?? '-', json: options.json === true, lines: options.lines === true }

/** Whether this is a failure and no way. */
export const isFailure = (value: object): value is Failure => 'kind' in value
