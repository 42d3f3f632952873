/**
 * Does a raw object carry the fields that matter, and are they of the right sort?
 *
 * Law: the one place where io-ts looks at provider items. A field of the wrong sort is left out of the reading and
 * reported; it never costs the item. A field that is missing or a text is seen to fit before its codec is asked.
 *
 * Rules: ITEM-9.
 */
import * as t from 'io-ts'
import { sortOf, type Wire } from './decode.js'
import { complain, type Memory } from './memory.js'

/** A field that is checked: its name, its codec, and what a message says was expected. */
export interface FieldCheck {
  readonly name: string
  readonly codec: t.Mixed
  readonly expected: string
  readonly isText: boolean
}

const orNothing = (codec: t.Mixed): t.Mixed => t.union([codec, t.null, t.undefined])

/** A string, or nothing. */
export const text = (name: string): FieldCheck => ({
  name,
  codec: orNothing(t.string),
  expected: 'a string',
  isText: true
})

/** An object, or nothing. */
export const object = (name: string): FieldCheck => ({
  name,
  codec: orNothing(t.UnknownRecord),
  expected: 'an object',
  isText: false
})

/** Reports the fields of a raw object that are of the wrong sort; who reads them takes only what fits. */
export type FieldChecker = (raw: Wire, memory: Memory, path: string) => void

/** Makes the checker of a set of fields, each of which may be missing. Complexity of a check: constant for the set. */
export const makeFieldChecker =
  (checks: ReadonlyArray<FieldCheck>): FieldChecker =>
  (raw, memory, path) => {
    for (const { name, codec, expected, isText } of checks) {
      const value = raw[name]
      // What nearly every field is: asking the codec takes longer than all other reading of the item.
      if (value === undefined || value === null || (isText && typeof value === 'string')) continue
      if (codec.is(value)) continue
      const message = `expected ${expected}, received ${sortOf(value)}; the field is not used`
      complain(memory, 'wrong-field', `${path}.${name}`, message)
    }
  }

/** A text field, or nothing when it is absent or no text. */
export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
