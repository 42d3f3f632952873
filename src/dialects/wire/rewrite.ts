/**
 * How is one raw object written again with a few fields changed?
 *
 * Law: the only place that copies a raw item. A copy has the prototype and the enumerable fields of the original,
 * a `__proto__` field included, and shares every value that is not changed; the original is never touched, and may
 * be frozen or cyclic. Constant work per field of one object.
 */
import type { Wire } from './decode.js'

const put = (target: object, key: PropertyKey, value: unknown): void => {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true })
}

const copyWhere = (raw: Wire, keeps: (key: string | symbol) => boolean): object => {
  const copy: object = Object.create(Object.getPrototypeOf(raw) as object | null)
  for (const key of Reflect.ownKeys(raw)) {
    if (Object.prototype.propertyIsEnumerable.call(raw, key) && keeps(key)) {
      put(copy, key, Reflect.get(raw, key))
    }
  }
  return copy
}

/** The same object with other values in some fields. */
export const withFields = (raw: Wire, changes: Wire): Wire => {
  const copy = copyWhere(raw, () => true)
  for (const key of Object.keys(changes)) put(copy, key, changes[key])
  return copy as Wire
}

/** The same object without one field; the object itself when it has no such field. */
export const withoutField = (raw: Wire, field: string): Wire =>
  Object.hasOwn(raw, field) ? (copyWhere(raw, (key) => key !== field) as Wire) : raw

/**
 * The same object with its payload taken out: the named fields stay, others only where the value is a number, a
 * boolean or null and so can carry no text. What is not known to be harmless goes: a deny list would leak.
 */
export const withoutPayload = (raw: Wire, stays: ReadonlySet<string>, changes: Wire): Wire => {
  const copy = copyWhere(raw, (key) => {
    if (typeof key === 'string' && stays.has(key)) return true
    const value: unknown = Reflect.get(raw, key)
    return value === null || typeof value === 'number' || typeof value === 'boolean'
  })
  for (const key of Object.keys(changes)) put(copy, key, changes[key])
  return copy as Wire
}
