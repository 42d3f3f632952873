/**
 * Session items as values that every store can keep.
 *
 * Law: a copy without undefined fields, bytes as data URLs (as the SDK itself stores them), and a comparison that
 * does not look at the order of fields. The depth of a payload is the depth of the recursion.
 */
import type { AgentInputItem } from '@openai/agents-core'

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

const toBase64 = (bytes: Uint8Array): string => {
  const parts: string[] = []
  for (let index = 0; index < bytes.length; index += 3) {
    const [first = 0, second = 0, third = 0] = bytes.subarray(index, index + 3)
    const left = bytes.length - index
    parts.push(
      digits.charAt(first >> 2) +
        digits.charAt(((first & 3) << 4) | (second >> 4)) +
        (left > 1 ? digits.charAt(((second & 15) << 2) | (third >> 6)) : '=') +
        (left > 2 ? digits.charAt(third & 63) : '=')
    )
  }
  return parts.join('')
}

const toPlain = (value: unknown, mediaType: string): unknown => {
  if (value instanceof Uint8Array) return `data:${mediaType};base64,${toBase64(value)}`
  if (value instanceof ArrayBuffer) return toPlain(new Uint8Array(value), mediaType)
  if (Array.isArray(value)) return value.map((entry) => toPlain(entry, mediaType))
  if (!isFields(value)) return value
  const own = value['mediaType']
  const type = typeof own === 'string' && own !== '' ? own : mediaType
  const copy: Record<string, unknown> = {}
  for (const [name, entry] of Object.entries(value)) {
    if (entry !== undefined) {
      Object.defineProperty(copy, name, {
        value: toPlain(entry, type),
        enumerable: true,
        configurable: true,
        writable: true
      })
    }
  }
  return copy
}

/** A copy of an item as a session keeps it. Complexity: linear in its payload. */
export const toSessionItem = (item: unknown): AgentInputItem =>
  toPlain(item, 'application/octet-stream') as AgentInputItem

/** Whether two values are equal, whatever the order of their fields; an absent field equals an undefined one. */
export const isEqual = (one: unknown, other: unknown): boolean => {
  if (Object.is(one, other)) return true
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((entry, index) => isEqual(entry, other[index]))
  }
  if (!isFields(one) || !isFields(other)) return false
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  for (const name of names) if (!isEqual(one[name], other[name])) return false
  return true
}
