/**
 * Which commands are there, and how does a run end?
 *
 * Law: the list of commands, and the exit state: 0 done, notices included; 1 errors found; 2 arguments, input or a plan
 * that cannot be used. Whatever happens, nobody is shown a stack trace.
 */
import { existsSync } from 'node:fs'
import { Command } from 'commander'
import { isRecord } from '../conformance/question.js'
import type { ExitState } from './ask.js'
import { lineOf } from './failure.js'
import type { Terminal } from './terminal.js'

type Add = (program: Command, terminal: Terminal, done: (state: ExitState) => void) => void

/** Every command by its name, in the order of the help. Only the command that was asked for is loaded. */
const commands: ReadonlyMap<string, () => Promise<Add>> = new Map<string, () => Promise<Add>>([
  ['audit', async () => (await import('./commands/audit.js')).addAudit],
  ['repair', async () => (await import('./commands/repair.js')).addRepair],
  ['why', async () => (await import('./commands/why.js')).addWhy],
  ['shape', async () => (await import('./commands/shape.js')).addShape],
  ['plan', async () => (await import('./commands/plan.js')).addPlan],
  ['pair', async () => (await import('./commands/pair.js')).addPair],
  ['associate', async () => (await import('./commands/associate.js')).addAssociate],
  ['conform', async () => (await import('./commands/conform.js')).addConform],
  ['demo', async () => (await import('./commands/demo.js')).addDemo]
])

/** The commands that a line of words needs: one, or all where help or advice is wanted. */
const loadCommands = ([first = '']: ReadonlyArray<string>): Promise<ReadonlyArray<Add>> => {
  if (first === '--version') return Promise.resolve([])
  const wanted = commands.get(first)
  return Promise.all((wanted === undefined ? [...commands.values()] : [wanted]).map((load) => load()))
}

/** One sentence of commander, without its prefix and on one line. */
const sentence = (text: string): string => text.replace(/^error: /, '').trim()

const ownOptions: ReadonlyArray<string> = ['-h', '--help', '--version']

/** Whoever names a file and no command wants it audited; a word that is neither stays a slip. */
const withDefault = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [first = ''] = words
  const isCommand = first === 'help' || commands.has(first)
  if (isCommand || ownOptions.includes(first)) return words
  const isFile = first === '-' || /[./\\]/.test(first) || existsSync(first)
  const isOption = first.startsWith('-') && words.length > 1
  return isFile || isOption ? ['audit', ...words] : words
}

/** Runs the command line; `words` are the arguments after the program's name. */
export const runProgram = async (
  words: ReadonlyArray<string>,
  terminal: Terminal,
  version: string
): Promise<ExitState> => {
  let state: ExitState = 0
  let printed = Promise.resolve()
  const program = new Command('turnkeep')
    .description('Which items of an agent turn belong in the session, and what went wrong in one.')
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .showSuggestionAfterError(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        printed = printed.then(() => terminal.write(text))
      },
      outputError: (text) => terminal.complain(lineOf({ message: sentence(text) }))
    })
  program.addHelpText(
    'after',
    '\nExit state: 0 done, 1 errors found, 2 something cannot be used. Nothing leaves this machine.'
  )
  const done = (reached: ExitState): void => {
    state = reached
  }
  const asked = withDefault(words)
  for (const add of await loadCommands(asked)) add(program, terminal, done)
  if (words.length === 0) {
    if (terminal.typed) {
      await terminal.write(program.helpInformation())
      return 0
    }
    terminal.complain(lineOf({ message: 'expected a command; turnkeep --help lists them' }))
    return 2
  }
  try {
    await program.parseAsync([...asked], { from: 'user' })
  } catch (error) {
    await printed
    const { code, exitCode, message } = isRecord(error) ? error : {}
    // commander has told its own errors.
    if (typeof code === 'string' && code.startsWith('commander.')) return exitCode === 0 ? 0 : 2
    terminal.complain(lineOf({ message: `the work could not be done: ${String(message)}` }))
    return 2
  }
  await printed
  return state
}
