/**
 * How values become text that every database keeps, and come back.
 *
 * Law: only this file says what an entry, an id and a progress look like in a row. A JSON text escapes NUL and
 * lone surrogates, so nothing a session holds is special to a database; `__proto__` comes back as a plain key.
 * It knows no SQL. Every function is linear in the text.
 *
 * Rules: PROGRESS-9, PROGRESS-12.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Progress } from '../core/progress.js'
import type { StoreRejected } from '../ports/session-store.js'

declare const TextDecoder: new (
  label: string,
  options: { fatal: boolean; ignoreBOM: boolean }
) => { decode(bytes: ArrayBuffer | ArrayBufferView): string }

/** An id may fill this much of an index entry of the strictest database. */
const longestId = 1800

export const reject = (path: string, expected: string): StoreRejected => ({
  kind: 'rejected',
  path,
  message: `${path}: expected ${expected}`
})

/** What `JSON.stringify` would lose without a word. */
const isLost = (value: unknown): boolean => {
  switch (typeof value) {
    case 'number':
      return !Number.isFinite(value)
    case 'bigint':
    case 'function':
    case 'symbol':
      return true
    case 'object':
      return (
        ArrayBuffer.isView(value) ||
        value instanceof ArrayBuffer ||
        value instanceof Map ||
        value instanceof Set
      )
    default:
      return false
  }
}

const sortKeys = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
    : value

/** Beyond this depth a value is left to `JSON.stringify`, which knows how deep is too deep. */
const deepest = 100

const isPlainObject = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Whether a value is JSON as it stands: nothing in it is lost, none of it says how it wants to be written. */
const isPlain = (value: unknown, depth: number): boolean => {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true
    case 'number':
      return Number.isFinite(value)
    case 'object':
      if (value === null) return true
      break
    default:
      return false
  }
  if (depth > deepest || 'toJSON' in value) return false
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) if (!isPlain(value[index], depth + 1)) return false
    return true
  }
  if (!isPlainObject(value)) return false
  for (const key in value) {
    const kept = (value as Readonly<Record<string, unknown>>)[key]
    if (kept !== undefined && !isPlain(kept, depth + 1)) return false
  }
  return true
}

/** A plain value with the keys of every object in order. */
const sortDeep = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sortDeep)
  const sorted = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1))
  return Object.fromEntries(sorted.map(([key, kept]) => [key, sortDeep(kept)]))
}

/** The text of any value, read key by key: slow, and right about what it cannot hold. */
const writeWatched = (value: unknown, path: string, sorted: boolean): E.Either<StoreRejected, string> => {
  let lost = false
  const text = E.tryCatch(
    () =>
      JSON.stringify(value, function (this: Record<string, unknown>, key, kept) {
        lost ||= isLost(this[key])
        return sorted ? sortKeys(kept) : kept
      }) as string | undefined,
    () => reject(path, 'a value that JSON can hold: no cycle, no bigint, not nested too deeply')
  )
  if (E.isLeft(text)) return text
  if (lost || text.right === undefined)
    return E.left(
      reject(path, 'a value that JSON can hold: no binary data, function, symbol, Map, Set or NaN')
    )
  return E.right(text.right)
}

/** A value as JSON text; with `sorted` equal values have equal texts, whatever the order of their keys. */
const writeJson = (value: unknown, path: string, sorted: boolean): E.Either<StoreRejected, string> =>
  isPlain(value, 0)
    ? E.right(JSON.stringify(sorted ? sortDeep(value) : value))
    : writeWatched(value, path, sorted)

/** An entry as the text of its row. */
export const encodeItem = (item: unknown, path: string): E.Either<StoreRejected, string> =>
  writeJson(item, path, false)

/** The text by which two JSON values are compared. */
export const canonicalText = (value: unknown, path: string): E.Either<StoreRejected, string> =>
  writeJson(value, path, true)

/** Entries as texts, or the first one that cannot be stored. */
export const encodeItems = (
  items: ReadonlyArray<unknown>,
  path: string,
  encode: (item: unknown, path: string) => E.Either<StoreRejected, string> = encodeItem
): E.Either<StoreRejected, ReadonlyArray<string>> => {
  const texts: string[] = []
  for (let position = 0; position < items.length; position += 1) {
    const text = encode(items[position], `${path}[${position}]`)
    if (E.isLeft(text)) return text
    texts.push(text.right)
  }
  return E.right(texts)
}

/** An id as text that is different for different ids and means nothing to a database. */
export const encodeId = (id: string, path: string): E.Either<StoreRejected, string> => {
  const text = JSON.stringify(id).slice(1, -1)
  // A character outside ASCII takes up to three bytes in UTF-8, and a pair of surrogates four.
  return text.length * 3 <= longestId || (text.length <= longestId && isAscii(text))
    ? E.right(text)
    : E.left(reject(path, `an id of at most ${longestId} bytes once escaped`))
}

const isAscii = (text: string): boolean => {
  for (let position = 0; position < text.length; position += 1) {
    if (text.charCodeAt(position) > 127) return false
  }
  return true
}

/** The id that `encodeId` made a text of. */
export const decodeId = (text: string): string => {
  const id = decodeJson(`"${text}"`)
  return typeof id === 'string' ? id : text
}

/** What stands for a text that is no JSON. */
export const unreadable: unique symbol = Symbol('unreadable')

/** The value of a JSON text, or `unreadable`. */
export const decodeJson = (text: string | null): unknown => {
  if (text === null) return unreadable
  try {
    return JSON.parse(text)
  } catch {
    return unreadable
  }
}

const counts = ['revision', 'settled', 'final', 'sealed', 'written'] as const
const lists = ['withheld', 'ahead', 'closed', 'redacted'] as const
const fieldsOfProgress = counts.length + lists.length + 2

const isProgress = (value: unknown): value is Progress => {
  if (typeof value !== 'object' || value === null) return false
  const fields = value as Readonly<Record<string, unknown>>
  return (
    typeof fields['turn'] === 'string' &&
    typeof fields['edge'] === 'string' &&
    counts.every((name) => Number.isSafeInteger(fields[name])) &&
    lists.every((name) => Array.isArray(fields[name]))
  )
}

/** The canonical text of a progress that holds its own fields and nothing else. Complexity: linear in its lists. */
export const progressText = (progress: Progress): string =>
  `{"ahead":[${progress.ahead.join()}],"closed":[${progress.closed.join()}],"edge":${JSON.stringify(progress.edge)},"final":${progress.final},"redacted":[${progress.redacted.join()}],"revision":${progress.revision},"sealed":${progress.sealed},"settled":${progress.settled},"turn":${JSON.stringify(progress.turn)},"withheld":[${progress.withheld.join()}],"written":${progress.written}}`

const isCounted = (list: ReadonlyArray<unknown>): boolean => {
  // By index, so that a hole is seen.
  for (let index = 0; index < list.length; index += 1) if (!Number.isSafeInteger(list[index])) return false
  return true
}

/** Whether a value is a progress as the core makes it; one of a host may hold anything else besides. */
export const isOwnProgress = (value: Progress): boolean =>
  isProgress(value) &&
  isPlainObject(value) &&
  !('toJSON' in value) &&
  Object.keys(value).length === fieldsOfProgress &&
  lists.every((name) => isCounted(value[name]))

/** A progress as the text of its row, equal for equal ones. */
export const encodeProgress = (progress: Progress, path: string): E.Either<StoreRejected, string> =>
  isOwnProgress(progress) ? E.right(progressText(progress)) : canonicalText(progress, path)

/** A stored progress, or null where the text is none. */
export const decodeProgress = (text: string): Progress | null => {
  const value = decodeJson(text)
  return isProgress(value) ? value : null
}

/** The text of a column as a driver returns it: a string, or its bytes. Null where the bytes are no UTF-8. */
export const readText = (value: unknown): string | null => {
  if (typeof value === 'string') return value
  if (!(value instanceof ArrayBuffer) && !ArrayBuffer.isView(value)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value)
  } catch {
    return null
  }
}

/**
 * A digest of 128 bits that tells one history transaction from another.
 *
 * The transaction itself is not kept: it may hold what a redaction removes.
 */
export const digestText = (text: string): string => {
  const lanes = [0x9e3779b9, 0x85ebca6b, 0xc2b2ae35, 0x27d4eb2f]
  for (let position = 0; position < text.length; position += 1) {
    const unit = text.charCodeAt(position)
    for (let lane = 0; lane < 4; lane += 1) {
      const mixed = Math.imul((lanes[lane] as number) ^ (unit + lane * 65_537), 0x01000193 + lane * 2)
      lanes[lane] = mixed ^ (mixed >>> 15)
    }
  }
  return lanes.map((lane) => (lane >>> 0).toString(16).padStart(8, '0')).join('')
}
