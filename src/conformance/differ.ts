/**
 * Where do two JSON values differ first?
 *
 * Law: equality of plain JSON, whatever the order of fields. Complexity: linear in the smaller value.
 */
import { isFields } from './vector.js'

/** The first place where two values differ, such as `writes[1].stripId`, or undefined; `''` is the value itself. */
export const findDifference = (expected: unknown, received: unknown): string | undefined => {
  if (Array.isArray(expected) && Array.isArray(received)) {
    for (let index = 0; index < Math.max(expected.length, received.length); index += 1) {
      if (index >= expected.length || index >= received.length) return `[${index}]`
      const inside = findDifference(expected[index], received[index])
      if (inside !== undefined) return joinPath(`[${index}]`, inside)
    }
    return undefined
  }
  if (isFields(expected) && isFields(received)) {
    for (const name of new Set([...Object.keys(expected), ...Object.keys(received)])) {
      if (Object.hasOwn(expected, name) !== Object.hasOwn(received, name)) return name
      const inside = findDifference(expected[name], received[name])
      if (inside !== undefined) return joinPath(name, inside)
    }
    return undefined
  }
  return Object.is(expected, received) || (expected === 0 && received === 0) ? undefined : ''
}

const joinPath = (outer: string, inner: string): string =>
  inner === '' || inner.startsWith('[') ? `${outer}${inner}` : `${outer}.${inner}`
