/**
 * In which form is a LangChain message given, and where are its fields?
 *
 * Law: the only place that knows the forms: `{ lc: 1, … kwargs }`, `{ type, data }`, and a message itself, live or
 * flat. It reads who speaks and writes a body back into its form; what the fields mean is not its matter.
 *
 * Rules: BLOCK-3, BLOCK-4.
 */
import type { Speaker } from '../wire/blocks/format.js'
import { isWire, type Wire } from '../wire/decode.js'
import { withFields, withoutField } from '../wire/rewrite.js'

export type Form = 'constructor' | 'stored' | 'flat'

/** The form of a message. */
export const formOf = (message: Wire): Form =>
  isWire(message['kwargs']) && Array.isArray(message['id'])
    ? 'constructor'
    : isWire(message['data']) && typeof message['type'] === 'string' && message['content'] === undefined
      ? 'stored'
      : 'flat'

const bodyFields: { readonly [F in Exclude<Form, 'flat'>]: string } = {
  constructor: 'kwargs',
  stored: 'data'
}

/** The object that holds content, calls and id. */
export const bodyOf = (message: Wire): Wire => {
  const form = formOf(message)
  const body = form === 'flat' ? message : message[bodyFields[form]]
  return isWire(body) ? body : message
}

/** What a live message was made from says the same as its fields, and is dumped with it. */
const withArguments = (before: Wire, after: Wire): Wire => {
  const given = before['lc_kwargs']
  if (!isWire(given)) return after
  let changed = given
  for (const field of Object.keys(given)) {
    if (before[field] === after[field]) continue
    changed = Object.hasOwn(after, field)
      ? withFields(changed, { [field]: after[field] })
      : withoutField(changed, field)
  }
  return changed === given ? after : withFields(after, { lc_kwargs: changed })
}

/** The message with another body, in the same form. */
export const withBody = (message: Wire, body: Wire): Wire => {
  const form = formOf(message)
  const before = bodyOf(message)
  if (before === body) return message
  return form === 'flat' ? withArguments(message, body) : withFields(message, { [bodyFields[form]]: body })
}

/** A new message in the form of another one. */
export const makeInForm = (like: unknown, type: string, className: string, body: Wire): Wire => {
  const form = isWire(like) ? formOf(like) : 'flat'
  if (form === 'stored') return { type, data: body }
  return form === 'flat'
    ? { type, ...body }
    : { lc: 1, type: 'constructor', id: ['langchain_core', 'messages', className], kwargs: body }
}

const speakers: ReadonlyMap<unknown, Speaker> = new Map<unknown, Speaker>([
  ['human', 'user'],
  ['user', 'user'],
  ['ai', 'model'],
  ['assistant', 'model'],
  ['system', 'system'],
  ['developer', 'system'],
  ['tool', 'results'],
  ['function', 'results']
])

const nameOfClass = (message: Wire): string => {
  const id = message['id']
  const last: unknown = Array.isArray(id) ? id[id.length - 1] : undefined
  return typeof last === 'string' ? last.replace(/Message(Chunk)?$/, '').toLowerCase() : ''
}

/** What older live messages answer when they are asked for their type. */
const askType = (message: Wire): unknown => {
  const ask = message['_getType']
  if (typeof ask !== 'function') return message['role']
  try {
    return Reflect.apply(ask, message, [])
  } catch {
    return undefined
  }
}

/** The type of a message in LangChain's words. */
export const typeOf = (message: Wire): string => {
  const given =
    formOf(message) === 'constructor' ? nameOfClass(message) : (message['type'] ?? askType(message))
  const type = given === 'chat' || given === 'generic' ? bodyOf(message)['role'] : given
  return typeof type === 'string' ? type : ''
}

/** Who speaks. */
export const speakerOf = (message: Wire): Speaker => speakers.get(typeOf(message)) ?? 'unknown'
