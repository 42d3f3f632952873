/**
 * What does the command line say when it cannot do its work?
 *
 * Law: the errors that only the command line can meet, and the one line that any error becomes. A line names the place
 * and what was expected. It never shows a payload, and nothing in it can steer a terminal.
 */

/** An error of the command line, or one of the contract: told apart by `kind`. */
export interface Failure {
  readonly kind: string
  readonly message: string
  readonly path?: string
}

/** Makes a failure. */
export const failure = (kind: string, message: string, path?: string): Failure =>
  path === undefined ? { kind, message } : { kind, message, path }

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal
const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

/** The same text without characters that move a cursor, colour a terminal or turn the direction of writing. */
export const plainText = (text: string): string => text.replace(controls, '�')

/** The line that tells of a failure. */
export const lineOf = (problem: { readonly message: string }): string =>
  `turnkeep: ${plainText(problem.message.replace(/\s*\n\s*/g, ' '))}`
