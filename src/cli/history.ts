/**
 * Which history does the user ask about?
 *
 * Law: what audit, repair, why and shape have in common: a file becomes a question about the history in it, in a dialect
 * and for a profile that are found where they are not given. Complexity: linear.
 */
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { dialectNameOf, type Question, readQuestion } from '../conformance/question.js'
import type { OpenCall } from '../core/item.js'
import { detectDialect } from './detect.js'
import { messageSigns } from './detect-messages.js'
import { startDialects } from './dialects.js'
import { openEnvelope } from './envelope.js'
import type { Envelope } from './envelope-form.js'
import { type Failure, failure } from './failure.js'
import { nameOfInput, readText } from './input.js'

/** What commander hands over. */
export interface HistoryOptions {
  readonly json?: true
  readonly lines?: true
  readonly dialect?: string
  readonly profile?: string
  readonly atRest?: true
  readonly strict?: true
}

/** A history that was found. */
export interface History {
  readonly file: string
  readonly text: string
  readonly envelope: Envelope
  readonly question: Question
  readonly profile: string
  /** The place of an item in the user's own document. */
  readonly placeOf: (position: number) => string
}

const profileOfDialect: ReadonlyMap<string, string> = new Map([
  ['responses', 'responses'],
  ['agents-js', 'responses'],
  ['agents-python', 'responses'],
  ['chat-completions', 'chat-completions'],
  ['anthropic', 'anthropic'],
  ['gemini', 'gemini'],
  ['ai-sdk', 'ai-sdk'],
  ['ai-sdk-ui', 'ai-sdk']
])

const olderGemini = /^(?:models\/)?gemini-[12][.-]/

/** What the rest of a request says about the demands: nothing is stored, or the model is one that checks less. */
const profileOfRequest = (
  dialect: string | undefined,
  around: Readonly<Record<string, unknown>>
): string | undefined => {
  const { model } = around
  if (dialect === 'responses' && around['store'] === false) return 'responses-stateless'
  return dialect === 'gemini' && typeof model === 'string' && olderGemini.test(model)
    ? 'gemini-2.5'
    : undefined
}

const mostItems = 2_000_000

/** The fields that the options give. */
export const fieldsOf = (options: HistoryOptions): Readonly<Record<string, unknown>> => ({
  ...(options.dialect === undefined ? {} : { dialect: options.dialect }),
  ...(options.profile === undefined ? {} : { profile: options.profile }),
  ...(options.atRest === true ? { atRest: true } : {})
})

/** Reads the history of a file. Errors: those of the input, `unknown-dialect`, `invalid-input`. */
export const readHistory = async (
  file: string,
  options: HistoryOptions
): Promise<Either<Failure, History>> => {
  const place = nameOfInput(file)
  const text = await readText(file)
  if (isLeft(text)) return text
  const opened = openEnvelope(text.right, place)
  if (isLeft(opened)) return opened
  const envelope = opened.right
  const { list, fields, ofPlain } = envelope
  if (list.length > mostItems)
    return left(failure('too-large', `${place}: expected at most ${mostItems} items, found ${list.length}`))
  const given = { ...fields, ...fieldsOf(options) } as Readonly<Record<string, unknown>>
  let dialect = dialectNameOf(given)
  const isGiven = given['dialect'] !== undefined || envelope.name === 'question (items)'
  if (!isGiven) {
    const found = detectDialect(list, place, messageSigns, ofPlain)
    if (isLeft(found)) return found
    dialect = found.right
  }
  const dialects = startDialects()
  await dialects.need(dialect)
  const profile =
    given['profile'] ??
    profileOfRequest(dialect, envelope.around) ??
    profileOfDialect.get(dialect ?? '') ??
    'neutral'
  const { op: _, ...rest } = given
  const read = readQuestion({ ...rest, items: list, dialect, profile }, dialects)
  if (isLeft(read)) return read
  const question = withWaiting(read.right, envelope.waiting)
  return right({
    file,
    text: text.right,
    envelope,
    question,
    profile: typeof profile === 'string' ? profile : 'of its own',
    placeOf: (position) => envelope.place(question.decoded.pathOf(position))
  })
}

/** The same question, in which the calls that the document waits for are open. */
const withWaiting = (question: Question, waiting: ReadonlySet<string>): Question => {
  if (waiting.size === 0) return question
  const open: Array<OpenCall> = []
  for (const item of question.decoded.items) {
    if (item.kind !== 'call' || item.callId === undefined || !waiting.has(item.callId)) continue
    open.push({
      callId: item.callId,
      ...(item.namespace === undefined ? {} : { namespace: item.namespace })
    })
  }
  return { ...question, fields: { ...question.fields, open } }
}

/**
 * The same history, in which the item that a refusal names needs the reasoning that it names. Nothing else shows what the
 * provider remembers (AUDIT-22).
 */
export const withNamed = (history: History, item: string, reasoning: string): History => {
  const { decoded } = history.question
  const items = decoded.items.map((each) =>
    'id' in each && each.id === item ? { ...each, requiresReasoning: reasoning } : each
  )
  return { ...history, question: { ...history.question, decoded: { ...decoded, items } } }
}

/** The line that names what was read. */
export const nameHistory = ({ file, envelope, question, profile }: History): string =>
  `${nameOfInput(file)}: ${envelope.name}, dialect ${question.dialect.name}, profile ${profile}, ${question.decoded.items.length} items\n`
