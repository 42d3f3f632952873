/**
 * How is a question asked on the command line, and how is it answered?
 *
 * Law: the three ways that every command shares: a table for people, one document for a program (`--json`), one question
 * per line (`--lines`). What the command line says wins over what a document says. An error costs its own question only.
 */
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { errorDocument, tryAnswer } from '../conformance/answer.js'
import {
  dialectNameOf,
  type Fields,
  isRecord,
  type Question,
  type QuestionError,
  readQuestion
} from '../conformance/question.js'
import { detectDialect } from './detect.js'
import { type LoadedDialects, startDialects } from './dialects.js'
import { type Failure, failure, lineOf } from './failure.js'
import {
  decodeText,
  largestDocument,
  nameOfInput,
  openInput,
  parseJson,
  readDocument,
  splitLines
} from './input.js'
import type { Terminal } from './terminal.js'

/** What became of the work: 0 done, 1 errors found, 2 not to be used. */
export type ExitState = 0 | 1 | 2

/** What a command adds to the ways of asking. */
export interface Asked<Answer extends object> {
  readonly op: string
  /** The fields that the command line gives; they win. */
  readonly fields: Fields
  readonly answer: (question: Question) => Either<QuestionError, Answer>
  /** The answer for people. */
  readonly show: (shown: Shown<Answer>) => string | Promise<string>
}

/** What a command shows. */
export interface Shown<Answer> {
  readonly question: Question
  readonly answer: Answer
  readonly terminal: Terminal
}

/** How the user wants to be answered. */
export interface Way {
  readonly file: string
  readonly json: boolean
  readonly lines: boolean
}

/** More positions than any turn has; a list of empty objects could otherwise fill the memory. */
const mostItems = 2_000_000

const itemsOf = (document: unknown): unknown => (isRecord(document) ? document['items'] : document)

/** Whether a document holds more items than can be planned. */
const checkLength = (document: unknown, place: string): Failure | undefined => {
  const items = itemsOf(document)
  return Array.isArray(items) && items.length > mostItems
    ? failure('too-large', `${place}: expected at most ${mostItems} items, found ${items.length}`)
    : undefined
}

/** Who gives a progress and no turn means the turn that it is about. */
const turnOf = ({ progress }: Fields): Fields =>
  isRecord(progress) && typeof progress['turn'] === 'string' ? { turn: progress['turn'] } : {}

/** A list becomes a question about it; in a list without a dialect, the dialect is looked for. */
const questionOf = (document: unknown, fields: Fields, place: string): Either<Failure, unknown> => {
  if (Array.isArray(document)) {
    if (fields['dialect'] !== undefined) return right({ items: document, ...turnOf(fields), ...fields })
    const dialect = detectDialect(document, place)
    return isLeft(dialect)
      ? dialect
      : right({ items: document, dialect: dialect.right, ...turnOf(fields), ...fields })
  }
  if (!isRecord(document))
    return left(failure('invalid-input', `${place}: expected a list of items or a question`))
  if (!Object.hasOwn(document, 'items')) {
    const held = ['output', 'input', 'messages', 'contents'].find((name) => Array.isArray(document[name]))
    if (held !== undefined)
      return left(
        failure(
          'invalid-input',
          `${place}: expected a list of items or a question with items; give the list under "${held}"`,
          held
        )
      )
  }
  return right({ ...turnOf(fields), ...document, ...fields })
}

const askOne = async <Answer extends object>(
  asked: Asked<Answer>,
  way: Way,
  terminal: Terminal
): Promise<ExitState> => {
  const dialects = startDialects()
  const refuse = async (problem: Failure): Promise<ExitState> => {
    if (way.json) await terminal.write(`${JSON.stringify(errorDocument(problem))}\n`)
    terminal.complain(lineOf(problem))
    return 2
  }
  const document = await readDocument(way.file)
  if (isLeft(document)) return refuse(document.left)
  const excess = checkLength(document.right, nameOfInput(way.file))
  if (excess !== undefined) return refuse(excess)
  const question = questionOf(document.right, asked.fields, nameOfInput(way.file))
  if (isLeft(question)) return refuse(question.left)
  await dialects.need(dialectNameOf(question.right))
  if (way.json) {
    const answered = tryAnswer(question.right, { dialects, op: asked.op })
    if (isLeft(answered)) return refuse(answered.left)
    await terminal.write(`${JSON.stringify(answered.right)}\n`)
    return 0
  }
  const op = isRecord(question.right) ? question.right['op'] : undefined
  if (op !== undefined && op !== asked.op) {
    return refuse(failure('invalid-input', `op must be ${asked.op} here, or be left out`, 'op'))
  }
  const read = readQuestion(question.right, dialects)
  if (isLeft(read)) return refuse(read.left)
  const answered = asked.answer(read.right)
  if (isLeft(answered)) return refuse(answered.left)
  await terminal.write(await asked.show({ question: read.right, answer: answered.right, terminal }))
  return 0
}

/** An answer as text. Raw items that it gives back are spelled as in the question. */
const printAnswer = async (answer: object, text: string, question: unknown): Promise<string> => {
  if (!('items' in answer)) return JSON.stringify(answer)
  const { mostLevels, startWriting } = await import('./json-text.js')
  const writer = startWriting()
  writer.know(text, question, mostLevels)
  return writer.print(answer, '')
}

/** The answer to one line, as text; a line that cannot be used is answered by an error. */
const answerLine = async (
  bytes: Uint8Array,
  asked: Pick<Asked<object>, 'op' | 'fields'>,
  dialects: LoadedDialects,
  place: string
): Promise<Either<Failure, string>> => {
  const text = decodeText(bytes, place)
  if (isLeft(text)) return text
  const value = parseJson(text.right, place)
  if (isLeft(value)) return value
  const excess = checkLength(value.right, place)
  if (excess !== undefined) return left(excess)
  const question = isRecord(value.right) ? { ...value.right, ...asked.fields } : value.right
  await dialects.need(dialectNameOf(question))
  const answered = tryAnswer(question, { dialects, op: asked.op })
  return isLeft(answered) ? answered : right(await printAnswer(answered.right, text.right, value.right))
}

const askLines = async (
  asked: Pick<Asked<object>, 'op' | 'fields'>,
  way: Way,
  terminal: Terminal
): Promise<ExitState> => {
  const dialects = startDialects()
  const opened = await openInput(way.file)
  if (isLeft(opened)) {
    terminal.complain(lineOf(opened.left))
    return 2
  }
  let line = 0
  let bad = 0
  let first = 0
  for await (const input of splitLines(opened.right, largestDocument())) {
    line += 1
    const place = `line ${line}`
    const answered =
      'bytes' in input
        ? await answerLine(input.bytes, asked, dialects, place)
        : left(failure('too-large', `${place}: too long to be read at once`))
    if (isLeft(answered)) {
      bad += 1
      if (first === 0) first = line
    }
    const document = isLeft(answered) ? JSON.stringify(errorDocument(answered.left)) : answered.right
    await terminal.write(`${document}\n`)
  }
  if (bad === 0) return 0
  terminal.complain(
    lineOf({ message: `${bad} of ${line} lines could not be answered, the first is line ${first}` })
  )
  return 2
}

/** Asks what the user asks, in the way that he wants. */
export const ask = <Answer extends object>(
  asked: Asked<Answer>,
  way: Way,
  terminal: Terminal
): Promise<ExitState> => (way.lines ? askLines(asked, way, terminal) : askOne(asked, way, terminal))
