/**
 * Where in a document does the history stand?
 *
 * Law: only this file knows what people keep a history in, how its places are called, and how a repaired history goes
 * back into it. Everything around the history stays as it is. Complexity: linear.
 */
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { isRecord } from '../conformance/question.js'
import { type Failure, failure } from './failure.js'
import { parseJson } from './input.js'

/** A history and what it is kept in. */
export interface Envelope {
  /** In words, such as `request body (messages)`. */
  readonly name: string
  readonly list: ReadonlyArray<unknown>
  /** The dialect of a history of plain messages. */
  readonly ofPlain: string
  /** The fields of a question, where the document is one. */
  readonly fields: Readonly<Record<string, unknown>>
  /** From a place in the list, such as `[2].content[1]`, to one in the document. */
  readonly place: (path: string) => string
  /** The text of the document with another list; undefined where the list cannot be put back. */
  readonly write?: (list: ReadonlyArray<unknown>) => string
}

const indentOf = (text: string): string => /\n([ \t]+)\S/.exec(text)?.[1] ?? ''

const print = (value: unknown, text: string): string => `${JSON.stringify(value, null, indentOf(text))}\n`

const kept: ReadonlyArray<{ readonly field: string; readonly name: string; readonly ofPlain: string }> = [
  { field: 'input', name: 'request body (input)', ofPlain: 'responses' },
  { field: 'messages', name: 'request body (messages)', ofPlain: 'chat-completions' },
  { field: 'contents', name: 'request body (contents)', ofPlain: 'gemini' },
  { field: 'output', name: 'response (output)', ofPlain: 'responses' }
]

const openRecord = (
  document: Readonly<Record<string, unknown>>,
  text: string,
  place: string
): Either<Failure, Envelope> => {
  const open = (field: string, name: string, ofPlain: string): Envelope => ({
    name,
    list: document[field] as ReadonlyArray<unknown>,
    ofPlain,
    fields: {},
    place: (path) => `${field}${path}`,
    write: (list) => print({ ...document, [field]: list }, text)
  })
  if (Array.isArray(document['items'])) {
    const { items: _, ...fields } = document
    return right({ ...open('items', 'question (items)', 'responses'), fields })
  }
  const { originalInput, generatedItems } = document
  if (Array.isArray(generatedItems)) {
    const before: ReadonlyArray<unknown> = Array.isArray(originalInput) ? originalInput : []
    return right({
      name: 'agents run state',
      list: [...before, ...generatedItems],
      ofPlain: 'agents-js',
      fields: {},
      place: (path) => {
        const [, digits = '0', rest = ''] = /^\[(\d+)\](.*)$/.exec(path) ?? []
        const index = Number(digits)
        return index < before.length
          ? `originalInput[${index}]${rest}`
          : `generatedItems[${index - before.length}]${rest}`
      }
    })
  }
  const found = kept.filter(({ field }) => Array.isArray(document[field]))
  const [one] = found
  if (one === undefined)
    return left(
      failure(
        'invalid-input',
        `${place}: expected a list, or an object with a list under ${kept.map(({ field }) => field).join(', ')} or items`
      )
    )
  if (found.length > 1)
    return left(
      failure(
        'invalid-input',
        `${place}: expected one history, found ${found.map(({ field }) => field).join(' and ')}; give one of them`
      )
    )
  const withSystem = one.field === 'messages' && Object.hasOwn(document, 'system')
  return right(open(one.field, one.name, withSystem ? 'anthropic' : one.ofPlain))
}

/** A transcript of JSON Lines: a message per line, or an object that holds one as `message`. */
const openLines = (text: string): Envelope | undefined => {
  const lines = text.split('\n')
  const values: Array<unknown> = []
  const list: Array<unknown> = []
  const places: Array<string> = []
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue
    const value = parseJson(line, '')
    if (isLeft(value) || !isRecord(value.right)) return undefined
    const { message } = value.right
    const isMessage = isRecord(message) && 'role' in message
    values.push(value.right)
    // What carries no message is of the program that wrote the transcript.
    if (!isMessage && !['role', 'type', 'kind'].some((name) => name in (value.right as object))) continue
    if (!isMessage && 'uuid' in value.right) continue
    list.push(isMessage ? message : value.right)
    places.push(`line ${index + 1}${isMessage ? ': message' : ''}`)
  }
  if (values.length < 2) return undefined
  const bare = list.length === values.length && list.every((item, index) => item === values[index])
  return {
    name: 'JSON Lines',
    list,
    ofPlain: 'chat-completions',
    fields: {},
    place: (path) => {
      const [, digits = '0', rest = ''] = /^\[(\d+)\](.*)$/.exec(path) ?? []
      const head = places[Number(digits)] ?? ''
      return head.endsWith('message') ? `${head}${rest}` : `${head}${rest.replace(/^\./, ': ')}`
    },
    ...(bare
      ? {
          write: (changed: ReadonlyArray<unknown>) =>
            changed.map((each) => `${JSON.stringify(each)}\n`).join('')
        }
      : {})
  }
}

/** Opens a document. Errors: `not-json`, and `invalid-input` for a document that holds no history, or several. */
export const openEnvelope = (text: string, place: string): Either<Failure, Envelope> => {
  const document = parseJson(text, place)
  if (isLeft(document)) {
    const lines = openLines(text)
    return lines === undefined ? document : right(lines)
  }
  if (Array.isArray(document.right)) {
    const list: ReadonlyArray<unknown> = document.right
    return right({
      name: 'list',
      list,
      ofPlain: 'responses',
      fields: {},
      place: (path) => path,
      write: (changed) => print(changed, text)
    })
  }
  if (isRecord(document.right)) return openRecord(document.right, text, place)
  return left(failure('invalid-input', `${place}: expected a list of items or messages, or what holds one`))
}
