/**
 * Where in a document does the history stand?
 *
 * Law: only this file and the two beside it (JSON Lines, run states) know what people keep a history in, how its places
 * are called, and how a repaired history goes back into it. Everything around the history stays as it is, in its own
 * spelling. Complexity: linear.
 */
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { isRecord } from '../conformance/question.js'
import { type Envelope, writerFor } from './envelope-form.js'
import { openLines } from './envelope-lines.js'
import { openState } from './envelope-state.js'
import { type Failure, failure } from './failure.js'
import { parseJson } from './input.js'

const kept: ReadonlyArray<{ readonly field: string; readonly name: string; readonly ofPlain: string }> = [
  { field: 'input', name: 'request body (input)', ofPlain: 'responses' },
  { field: 'messages', name: 'request body (messages)', ofPlain: 'chat-completions' },
  { field: 'contents', name: 'request body (contents)', ofPlain: 'gemini' },
  { field: 'output', name: 'response (output)', ofPlain: 'responses' }
]

const none: ReadonlySet<string> = new Set()

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
    around: document,
    waiting: none,
    place: (path) => `${field}${path}`,
    sources: [[text, document]],
    write: (rewritten) => {
      const writer = writerFor(rewritten, document[field] as ReadonlyArray<unknown>)
      return right(writer.write(text, document, { ...document, [field]: rewritten.list }))
    }
  })
  const ofField = (field: string): boolean => Object.hasOwn(document, field) && Array.isArray(document[field])
  if (ofField('items')) {
    const { items: _, ...fields } = document
    return right({ ...open('items', 'question (items)', 'responses'), fields })
  }
  const state = openState(document, text, place)
  if (state !== undefined) return right(state)
  const found = kept.filter(({ field }) => ofField(field))
  const [one] = found
  if (one === undefined) {
    const names = kept.map(({ field }) => field).join(', ')
    const expected = `${place}: expected a list, or an object with a list under ${names} or items`
    // A transcript of one line is an object like any other.
    return openLines(text, place) ?? left(failure('invalid-input', expected))
  }
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

/** Opens a document. Errors: `not-json`, and `invalid-input` for a document that holds no history, or several. */
export const openEnvelope = (text: string, place: string): Either<Failure, Envelope> => {
  const document = parseJson(text, place)
  if (isLeft(document)) return openLines(text, place) ?? document
  if (Array.isArray(document.right)) {
    const list: ReadonlyArray<unknown> = document.right
    return right({
      name: 'list',
      list,
      ofPlain: 'responses',
      fields: {},
      around: {},
      waiting: none,
      place: (path) => path,
      sources: [[text, list]],
      write: (rewritten) => right(writerFor(rewritten, list).write(text, list, rewritten.list))
    })
  }
  if (isRecord(document.right)) return openRecord(document.right, text, place)
  return left(failure('invalid-input', `${place}: expected a list of items or messages, or what holds one`))
}
