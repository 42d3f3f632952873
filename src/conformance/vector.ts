/**
 * What is a vector?
 *
 * Law: only this file reads vectors. It checks what a runner relies on, not what an answer says: questions and
 * expectations stay the plain JSON that they are, so that a malformed question reaches whom it is meant for.
 * Complexity: linear.
 */
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'

/** A JSON object. */
export type Fields = { readonly [name: string]: unknown }

/** What an implementation claims: `README.md` of the specification. */
export type Level = 'pair' | 'associate' | 'select' | 'plan' | 'audit' | 'repair'

/** The levels, the lower ones first. */
export const levels: ReadonlyArray<Level> = ['pair', 'associate', 'select', 'plan', 'audit', 'repair']

/** One save of a sequence: what changes against the step before, and what is expected. */
export interface Step extends Fields {
  readonly outcome: unknown
  readonly expect: Fields
  /** Length of the prefix that is planned; absent: all items. */
  readonly length?: number
  /** Replaces the items from this step on. */
  readonly items?: ReadonlyArray<unknown>
}

interface About {
  /** Stable, such as `planning-007`. */
  readonly id: string
  /** A fact, unique over all vectors. */
  readonly name: string
  readonly rules: ReadonlyArray<string>
  /** The bugs that it catches. */
  readonly flags: ReadonlyArray<string>
  readonly level: Level
}

/** One question and its answer. */
export interface SingleVector extends About {
  readonly input: Fields
  readonly expect: Fields
}

/** A sequence of saves of one turn; each is asked with the progress of the one before. */
export interface SequenceVector extends About {
  readonly items: ReadonlyArray<unknown>
  readonly policy?: unknown
  readonly store?: unknown
  readonly open?: unknown
  readonly steps: ReadonlyArray<Step>
}

export type Vector = SingleVector | SequenceVector

/** Why a list of vectors cannot be used: the first one that is none, and the field. */
export interface VectorError {
  readonly kind: 'decode'
  readonly message: string
  /** Such as `[3].steps[0].expect`. */
  readonly path: string
}

const stepCodec: t.Mixed = t.intersection([
  t.type({ outcome: t.unknown, expect: t.UnknownRecord }),
  t.partial({ length: t.Int, items: t.UnknownArray })
])

const aboutCodec: t.Mixed = t.type({
  id: t.string,
  name: t.string,
  rules: t.array(t.string),
  flags: t.array(t.string),
  level: t.keyof({ pair: null, associate: null, select: null, plan: null, audit: null, repair: null })
})

const singleCodec: t.Mixed = t.intersection([
  aboutCodec,
  t.type({ input: t.UnknownRecord, expect: t.UnknownRecord })
])
const sequenceCodec: t.Mixed = t.intersection([
  aboutCodec,
  t.type({ items: t.UnknownArray, steps: t.array(stepCodec) })
])

const placeOf = (context: t.Context): string =>
  context
    .map(({ key }) => key)
    // The members of an intersection are numbered in the context, and are no place in the document.
    .filter((key, depth) => key !== '' && !(context[depth - 1]?.type instanceof t.IntersectionType))
    .map((key) => (/^\d+$/.test(key) ? `[${key}]` : `.${key}`))
    .join('')

/** Whether a value is an object with named fields. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Reads a list of vectors, or a document that holds one as `vectors`.
 *
 * Errors: `decode` with the place of the first fault.
 *
 * @example
 * readVectors([{ id: 'pairing-001' }])._tag // => 'Left'
 */
export const readVectors = (value: unknown): Either<VectorError, ReadonlyArray<Vector>> => {
  const list = isFields(value) ? value['vectors'] : value
  if (!Array.isArray(list)) {
    return left({ kind: 'decode', message: 'expected a list of vectors', path: '' })
  }
  for (const [index, vector] of list.entries()) {
    const codec = isFields(vector) && 'steps' in vector ? sequenceCodec : singleCodec
    const decoded = codec.decode(vector)
    if (isLeft(decoded)) {
      const place = decoded.left[0] === undefined ? '' : placeOf(decoded.left[0].context)
      const path = `[${index}]${place}`
      return left({ kind: 'decode', message: `${path}: not what a vector holds there`, path })
    }
  }
  return right(list as ReadonlyArray<Vector>)
}
