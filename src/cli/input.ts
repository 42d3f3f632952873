/**
 * What stands in a file or on standard input?
 *
 * Law: only this file turns bytes into JSON. Bytes are never guessed at: what is too much, not UTF-8 or not JSON is a
 * failure that names its place. Complexity: linear in the bytes.
 */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { getHeapStatistics } from 'node:v8'
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { type Failure, failure } from './failure.js'
import { findBreak } from './json-place.js'

/** How a place is called in a message: the file as it was given, or standard input. */
export const nameOfInput = (file: string): string => (file === '-' ? 'standard input' : file)

/**
 * The most bytes of one document. A list of small items takes more than thirty times its bytes once it is read;
 * a limit that follows the heap turns what would be a crash into a sentence.
 */
export const largestDocument = (): number => Math.floor(getHeapStatistics().heap_size_limit / 64)

const megabytes = (bytes: number): string => `${Math.floor(bytes / 1_000_000)} MB`

const tooLarge = (name: string): Failure =>
  failure(
    'too-large',
    `${name}: at most ${megabytes(largestDocument())} are read as one document; ` +
      'give Node.js more memory (NODE_OPTIONS=--max-old-space-size=…), or ask one question per line with --lines'
  )

const unreadable = (name: string, error: unknown): Failure => {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such file',
    EISDIR: 'expected a file, found a folder',
    EACCES: 'the file may not be read',
    EPERM: 'the file may not be read'
  }
  return failure('unreadable', `${name}: ${reasons[code] ?? `cannot be read (${code})`}`)
}

/** The bytes of a file, or of standard input for `-`, chunk by chunk. */
export const openInput = async (file: string): Promise<Either<Failure, AsyncIterable<Uint8Array>>> => {
  if (file === '-') return right(process.stdin)
  try {
    const found = await stat(file)
    if (found.isDirectory()) return left(unreadable(nameOfInput(file), { code: 'EISDIR' }))
    return right(createReadStream(file))
  } catch (error) {
    return left(unreadable(nameOfInput(file), error))
  }
}

const readBytes = async (file: string): Promise<Either<Failure, Uint8Array>> => {
  const opened = await openInput(file)
  if (isLeft(opened)) return opened
  const limit = largestDocument()
  const chunks: Array<Uint8Array> = []
  let length = 0
  try {
    for await (const chunk of opened.right) {
      length += chunk.length
      if (length > limit) return left(tooLarge(nameOfInput(file)))
      chunks.push(chunk)
    }
  } catch (error) {
    return left(unreadable(nameOfInput(file), error))
  }
  return right(Buffer.concat(chunks))
}

const isUtf8 = (bytes: Uint8Array): boolean => {
  try {
    // A character that is cut off at the end is no mistake yet.
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}

/** The offset of the first byte that no UTF-8 can go on with. */
const findBadByte = (bytes: Uint8Array): number => {
  let good = 0
  let bad = bytes.length + 1
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2)
    if (isUtf8(bytes.subarray(0, middle))) good = middle
    else bad = middle
  }
  return good
}

/** Bytes as text. A byte order mark of UTF-8 is left out. Errors: `not-utf8`. */
export const decodeText = (bytes: Uint8Array, name: string): Either<Failure, string> => {
  const start = (bytes[0] ?? 0) * 256 + (bytes[1] ?? 0)
  if (start === 0xfffe || start === 0xfeff) {
    return left(failure('not-utf8', `${name}: expected UTF-8, found the mark of UTF-16 at its start`))
  }
  try {
    return right(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return left(
      failure('not-utf8', `${name}: expected UTF-8, found a byte that is none at byte ${findBadByte(bytes)}`)
    )
  }
}

/**
 * Text as JSON; `firstLine` is the number of its first line in the input. Errors: `not-json`, with the line, the column
 * and what should have stood there.
 */
export const parseJson = (text: string, name: string, firstLine: number = 1): Either<Failure, unknown> => {
  try {
    const value: unknown = JSON.parse(text)
    return right(value)
  } catch {
    if (text.trim() === '') return left(failure('not-json', `${name}: expected JSON, found nothing`))
    const found = findBreak(text)
    const place =
      found === undefined
        ? 'expected JSON'
        : `line ${firstLine - 1 + found.line}, column ${found.column}: ${found.atEnd ? 'the text ends; ' : ''}expected ${found.expected}`
    return left(failure('not-json', `${name}: not JSON: ${place}`))
  }
}

/** The text of a file or of standard input. */
export const readText = async (file: string): Promise<Either<Failure, string>> => {
  const bytes = await readBytes(file)
  return isLeft(bytes) ? bytes : decodeText(bytes.right, nameOfInput(file))
}

/** One JSON document from a file or from standard input. */
export const readDocument = async (file: string): Promise<Either<Failure, unknown>> => {
  const text = await readText(file)
  return isLeft(text) ? text : parseJson(text.right, nameOfInput(file))
}

/** What a line of a stream holds, or that it is too long to be held. */
export type InputLine = { readonly bytes: Uint8Array } | { readonly tooLong: true }

/** The lines of a stream, without their ends; a line feed at the very end begins no line. */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
  limit: number
): AsyncGenerator<InputLine> {
  let parts: Array<Uint8Array> = []
  let length = 0
  const take = (part: Uint8Array): void => {
    length += part.length
    if (length <= limit) parts.push(part)
    else parts = []
  }
  const finish = (): InputLine => {
    const line: InputLine = length > limit ? { tooLong: true } : { bytes: Buffer.concat(parts) }
    parts = []
    length = 0
    return line
  }
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      take(chunk.subarray(start, end))
      yield finish()
      start = end + 1
    }
    if (start < chunk.length) take(chunk.subarray(start))
  }
  if (length > 0) yield finish()
}
