/**
 * What does a transcript of JSON Lines hold of a history?
 *
 * Law: a message per line, or an object per line that holds one as `message`. A line that nobody touched stays as it is;
 * lines that hold no message stay between the messages around them. Lines that point at each other cannot be added or
 * taken out. Complexity: linear.
 */
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { isRecord } from '../conformance/question.js'
import type { Envelope, Rewritten } from './envelope-form.js'
import { type Failure, failure } from './failure.js'
import { parseJson } from './input.js'
import { mostLevels, startWriting } from './json-text.js'

interface Line {
  readonly text: string
  readonly value: Readonly<Record<string, unknown>>
  /** 0-based place among the lines that are not blank. */
  readonly at: number
  /** Place in the list; −1 for a line without a message. */
  readonly index: number
  readonly wrapped: boolean
}

/** A message has a role; those of LangChain have a type and what it holds. */
const isMessage = (value: unknown): boolean =>
  isRecord(value) &&
  (Object.hasOwn(value, 'role') ||
    value['lc'] === 1 ||
    (typeof value['type'] === 'string' && (Object.hasOwn(value, 'data') || Object.hasOwn(value, 'content'))))

interface Lines {
  readonly lines: ReadonlyArray<Line>
  /** Number of the line of each message, counted from 1. */
  readonly numbers: ReadonlyArray<number>
}

/** The lines that are not blank; undefined for a text that does not begin with an object on a line of its own. */
const readLines = (text: string, place: string): Either<Failure, Lines> | undefined => {
  const lines: Array<Line> = []
  const numbers: Array<number> = []
  for (const [number, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const parsed = parseJson(line, place, number + 1)
    if (isLeft(parsed)) return lines.length === 0 ? undefined : parsed
    const value = parsed.right
    if (!isRecord(value)) {
      const expected = `${place}: line ${number + 1}: expected an object, as on the lines before it`
      return lines.length === 0 ? undefined : left(failure('invalid-input', expected))
    }
    const wrapped = Object.hasOwn(value, 'message') && isMessage(value['message'])
    // What carries no message is of the program that wrote the transcript.
    const named = ['role', 'type', 'kind'].some((name) => Object.hasOwn(value, name))
    const counts = wrapped || (named && !Object.hasOwn(value, 'uuid'))
    lines.push({ text: line, value, at: lines.length, index: counts ? numbers.length : -1, wrapped })
    if (counts) numbers.push(number + 1)
  }
  return numbers.length === 0 && lines.length < 2 ? undefined : right({ lines, numbers })
}

const roleOf = (message: unknown): unknown => (isRecord(message) ? message['role'] : undefined)

/** The line around a message that was not there before: what its kind of line is called, and nothing made up. */
const wrapNew = (message: unknown, lines: ReadonlyArray<Line>): unknown => {
  if (!lines.some(({ wrapped }) => wrapped)) return message
  const like = lines.find(({ wrapped, value }) => wrapped && roleOf(value['message']) === roleOf(message))
  const type = like?.value['type']
  return typeof type === 'string' ? { type, message } : { message }
}

const pointsAtOthers = ({ value }: Line): boolean =>
  Object.hasOwn(value, 'uuid') && Object.hasOwn(value, 'parentUuid')

/** Opens a transcript; undefined for a text that is none. Errors: `not-json` and `invalid-input` of one of its lines. */
export const openLines = (text: string, place: string): Either<Failure, Envelope> | undefined => {
  const read = readLines(text, place)
  if (read === undefined || isLeft(read)) return read
  const { lines, numbers } = read.right
  const held = lines.filter(({ index }) => index >= 0)
  const list = held.map(({ value, wrapped }) => (wrapped ? value['message'] : value))
  const write = ({ list: changed, from }: Rewritten): ReturnType<Envelope['write']> => {
    const kept = new Set(from)
    const isChanged = from.some((index) => index < 0) || list.some((_, index) => !kept.has(index))
    if (lines.some(pointsAtOthers) && isChanged) {
      const reason = 'its lines name the line before them, so none is added or taken out'
      return left(failure('invalid-input', `${place}: ${reason}; repair the messages that are sent`))
    }
    const writer = startWriting()
    for (const { text: line, value } of held) writer.know(line, value, mostLevels)
    const end = lines[0]?.text.endsWith('\r') === true ? '\r' : ''
    const written: Array<string> = []
    let next = 0
    /** Lines without a message keep their place behind those before them. */
    const passTo = (line: number): void => {
      for (; next < line; next += 1) if (lines[next]?.index === -1) written.push((lines[next] as Line).text)
    }
    const done = new Set<number>()
    for (const [index, message] of changed.entries()) {
      const source = from[index] as number
      const line = held[source]
      if (line === undefined || done.has(source)) {
        written.push(writer.print(wrapNew(message, held), '') + end)
        continue
      }
      done.add(source)
      passTo(line.at)
      const after = line.wrapped ? { ...line.value, message } : message
      written.push(writer.write(line.text, line.value, after))
    }
    passTo(lines.length)
    const close = text.endsWith('\n') ? '\n' : ''
    return right(written.length === 0 ? '' : written.join('\n') + close)
  }
  return right({
    name: 'JSON Lines',
    list,
    ofPlain: 'chat-completions',
    fields: {},
    around: {},
    waiting: new Set(),
    place: (path) => {
      const [, digits = '0', rest = ''] = /^\[(\d+)\](.*)$/.exec(path) ?? []
      const index = Number(digits)
      const head = `line ${numbers[index] ?? 0}`
      return held[index]?.wrapped === true ? `${head}: message${rest}` : `${head}${rest.replace(/^\./, ': ')}`
    },
    sources: held.map(({ text: line, value }) => [line, value] as const),
    write
  })
}
