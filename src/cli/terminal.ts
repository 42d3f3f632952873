/**
 * Where does output go, and may it be coloured?
 *
 * Law: only this file writes to the process's streams. A reader that has gone away ends the work quietly. Colours are
 * for a terminal whose owner has not asked for none.
 */
import picocolors from 'picocolors'

/** Functions that colour a text, or leave it as it is. */
export type Paint = ReturnType<typeof picocolors.createColors>

/** What a command needs to know of the outside. */
export interface Terminal {
  /** Writes to standard output; resolves when more can be written. */
  readonly write: (text: string) => Promise<void>
  /** Writes one line to standard error. */
  readonly complain: (line: string) => void
  readonly paint: Paint
  /** Columns of the terminal; infinite where the output is no terminal. */
  readonly width: number
  /** Whether somebody would have to type what is read from standard input. */
  readonly typed: boolean
}

/** Whether to colour. `NO_COLOR` counts when it is set and not empty. */
export const mayColour = (
  environment: Readonly<Record<string, string | undefined>>,
  isTerminal: boolean
): boolean => isTerminal && (environment['NO_COLOR'] ?? '') === '' && environment['TERM'] !== 'dumb'

const endQuietly = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'EPIPE') process.exitCode = 2
  process.exit()
}

/** The terminal of this process. */
export const openTerminal = (): Terminal => {
  const { stdout, stderr, stdin } = process
  stdout.on('error', endQuietly)
  stderr.on('error', endQuietly)
  const isTerminal = stdout.isTTY === true
  return {
    write: (text) =>
      new Promise((resolve) => {
        if (stdout.write(text)) resolve()
        else stdout.once('drain', resolve)
      }),
    complain: (line) => {
      stderr.write(`${line}\n`)
    },
    paint: picocolors.createColors(mayColour(process.env, isTerminal)),
    width: isTerminal ? stdout.columns : Number.POSITIVE_INFINITY,
    typed: stdin.isTTY === true
  }
}
