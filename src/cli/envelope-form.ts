/**
 * What is a history together with what it is kept in?
 *
 * Law: the form of the answer, and how the writer of JSON learns what a repaired element was made from.
 */
import type { Either } from 'fp-ts/lib/Either.js'
import type { Failure } from './failure.js'
import { type JsonWriter, startWriting } from './json-text.js'

/** A history as it stands after a repair. */
export interface Rewritten {
  readonly list: ReadonlyArray<unknown>
  /** For each element the place in the old list that it comes from; −1 less the place that a new one belongs to. */
  readonly from: ReadonlyArray<number>
}

/** A writer that knows from which old element each new one was made. */
export const writerFor = ({ list, from }: Rewritten, before: ReadonlyArray<unknown>): JsonWriter => {
  const writer = startWriting()
  for (const [index, value] of list.entries()) {
    const place = from[index] as number
    if (place >= 0 && before[place] !== value) writer.make(value, before[place])
  }
  return writer
}

/** A history and what it is kept in. */
export interface Envelope {
  /** In words, such as `request body (messages)`. */
  readonly name: string
  readonly list: ReadonlyArray<unknown>
  /** The dialect of a history of plain messages. */
  readonly ofPlain: string
  /** The fields of a question, where the document is one. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The other fields of the document, such as its model; empty where it has none. */
  readonly around: Readonly<Record<string, unknown>>
  /** Ids of calls that the document says are still waited for. */
  readonly waiting: ReadonlySet<string>
  /** From a place in the list, such as `[2].content[1]`, to one in the document. */
  readonly place: (path: string) => string
  /** The texts that the list was read from, each with its value. */
  readonly sources: ReadonlyArray<readonly [text: string, value: unknown]>
  /** The text of the document with another list. Errors: `invalid-input` where it cannot be put back. */
  readonly write: (rewritten: Rewritten) => Either<Failure, string>
}
