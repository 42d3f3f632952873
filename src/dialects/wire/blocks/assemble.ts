/**
 * How is a message written again with fewer or other parts?
 *
 * Law: only this file puts parts back into the fields they came from. A field that did not change keeps its value by
 * identity, a string stays a string while it is alone, and is lifted to a part beside others. It knows fields by the
 * names a format hands it. Linear in the parts of one message.
 *
 * Rules: BLOCK-4, BLOCK-5.
 */
import { isWire, type Wire } from '../decode.js'
import { withFields, withoutField } from '../rewrite.js'
import type { Placed, Slot } from './format.js'

/** What stays in a field of which no part is left. */
export type Emptied = 'removed' | 'null' | 'list' | 'text'

/** The fields of a body that hold parts. */
export interface FieldRules {
  /** The field that takes parts which come from elsewhere. */
  readonly main: string
  readonly emptied: ReadonlyMap<string, Emptied>
  /** A string as a part. */
  readonly lift: (text: string) => unknown
}

const emptyValue: { readonly [E in Exclude<Emptied, 'removed'>]: unknown } = {
  null: null,
  list: [],
  text: ''
}

/** Whether the values are those of the list, one for one. */
const isSame = (list: ReadonlyArray<unknown>, values: ReadonlyArray<unknown>): boolean => {
  if (list.length !== values.length) return false
  for (let index = 0; index < list.length; index += 1) if (list[index] !== values[index]) return false
  return true
}

const listOf = (parts: ReadonlyArray<Placed>, field: string, rules: FieldRules): unknown => {
  const [first] = parts
  const alone = parts.length === 1 && first !== undefined && first.written.part >= 0
  if (alone && first.written.slot.field === field && first.written.slot.index < 0) return first.value
  return parts.map(({ written, value }) =>
    written.slot.index < 0 && typeof value === 'string' ? rules.lift(value) : value
  )
}

/** Fields of the body that held parts, in the order in which they were met. */
const fieldsOf = (slots: ReadonlyArray<Slot>): ReadonlySet<string> => {
  const fields = new Set<string>()
  for (const slot of slots) fields.add(slot.field)
  return fields
}

/** The body with only these parts. `slots` are all that it had. */
export const assembleBody = (
  body: Wire,
  slots: ReadonlyArray<Slot>,
  parts: ReadonlyArray<Placed>,
  rules: FieldRules
): Wire => {
  const kept = new Map<string, Array<Placed>>()
  const stays = new Set<string>()
  for (const part of parts) {
    const { slot } = part.written
    const field = rules.emptied.has(slot.field) && part.written.part >= 0 ? slot.field : rules.main
    const list = kept.get(field)
    if (list === undefined) kept.set(field, [part])
    else list.push(part)
    for (const name of part.written.slot.also ?? []) stays.add(name)
  }
  const changes: Record<string, unknown> = {}
  let result = body
  for (const field of new Set([...fieldsOf(slots), ...kept.keys()])) {
    const list = kept.get(field)
    if (list === undefined) {
      const emptied = rules.emptied.get(field) ?? 'removed'
      if (emptied === 'removed') result = withoutField(result, field)
      else changes[field] = emptyValue[emptied]
      continue
    }
    const before = body[field]
    const value = listOf(list, field, rules)
    const unchanged =
      Array.isArray(before) && Array.isArray(value) ? isSame(before, value) : Object.is(before, value)
    if (!unchanged) changes[field] = value
  }
  for (const slot of slots) {
    for (const name of slot.also ?? []) if (!stays.has(name)) result = withoutField(result, name)
  }
  return Object.keys(changes).length === 0 ? result : withFields(result, changes)
}

/** The slots of a field that holds a list, a string, or nothing. */
export const slotsOfField = (body: Wire, field: string): ReadonlyArray<Slot> => {
  const value = body[field]
  if (Array.isArray(value)) return value.map((part: unknown, index) => ({ field, index, value: part }))
  if (value === undefined || value === null) return []
  return [{ field, index: -1, value }]
}

/** Path of a slot in a body that is the message itself. */
export const plainPath = (_message: Wire, slot: Slot): string => {
  if (slot.field === '') return ''
  return slot.index < 0 ? `.${slot.field}` : `.${slot.field}[${slot.index}]`
}

/** A message that is one part is written as that part. */
export const wholeOf = (message: Wire, parts: ReadonlyArray<Placed>): Wire | undefined => {
  const [first] = parts
  if (parts.length !== 1 || first === undefined || first.written.slot.field !== '') return undefined
  return isWire(first.value) ? first.value : message
}
