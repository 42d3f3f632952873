/**
 * Does a raw object carry the fields that matter, and are they of the right sort?
 *
 * Law: the one place where io-ts looks at provider items. A field of the wrong sort is left out of the reading and
 * reported; it never costs the item. The common case, an object all of whose fields fit, is one codec test.
 *
 * Rules: ITEM-9.
 */
import * as t from 'io-ts'
import { complain, sortOf, type Memory, type Wire } from './decode.js'

/** A field that is checked: its name, its codec, and what a message says was expected. */
export interface FieldCheck {
  readonly name: string
  readonly codec: t.Mixed
  readonly expected: string
}

const orNothing = (codec: t.Mixed): t.Mixed => t.union([codec, t.null, t.undefined])

/** A string, or nothing. */
export const text = (name: string): FieldCheck => ({ name, codec: orNothing(t.string), expected: 'a string' })

/** An object, or nothing. */
export const object = (name: string): FieldCheck => ({
  name,
  codec: orNothing(t.UnknownRecord),
  expected: 'an object'
})

/** Reads a checked field: its value when it fits, `undefined` when it is absent, null, or of the wrong sort. */
export type FieldReader = (raw: Wire, memory: Memory, path: string) => (name: string) => unknown

/** Makes the reader of a set of fields. Complexity of a reading: constant for the set. */
export const makeFieldReader = (checks: ReadonlyArray<FieldCheck>): FieldReader => {
  const properties: Record<string, t.Mixed> = {}
  for (const check of checks) properties[check.name] = check.codec
  const whole: t.Mixed = t.partial(properties)
  return (raw, memory, path) => {
    if (whole.is(raw)) return (name) => raw[name] ?? undefined
    const wrong = new Set<string>()
    for (const check of checks) {
      const value = raw[check.name]
      if (!check.codec.is(value)) {
        wrong.add(check.name)
        complain(
          memory,
          'wrong-field',
          `${path}.${check.name}`,
          `expected ${check.expected}, received ${sortOf(value)}; the field is not used`
        )
      }
    }
    return (name) => (wrong.has(name) ? undefined : (raw[name] ?? undefined))
  }
}
