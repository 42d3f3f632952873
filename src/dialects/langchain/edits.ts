/**
 * Which messages make a reducer hold another history?
 *
 * Law: only this file speaks to LangGraph's message reducer: a message replaces the one of its id in place, one
 * without a known id goes to the end, `{ type: 'remove', id }` takes one away. It compares by identity and id, never
 * by content. Linear.
 *
 * Rules: BLOCK-3.
 */
import { isWire } from '../wire/decode.js'
import { bodyOf } from './body.js'

/** Takes a message away, or all of them. A reducer turns it into a `RemoveMessage`. */
export interface LangChainRemoval {
  readonly type: 'remove'
  readonly id: string
}

/** The id with which a reducer takes everything away. */
const ALL = '__remove_all__'

const idOf = (message: unknown): string | undefined => {
  if (!isWire(message)) return undefined
  const id = bodyOf(message)['id']
  return typeof id === 'string' && id !== '' ? id : undefined
}

/**
 * What a graph node returns so that its history becomes `after`.
 *
 * Where messages only go, change in place or come at the end, only those are named; otherwise everything is removed
 * and written again. Nothing is returned when nothing changed. Complexity: linear.
 *
 * @example
 * langchainEdits([{ type: 'human', id: 'a', content: 'hi' }], []) // => [{ type: 'remove', id: 'a' }]
 */
export const langchainEdits = <Message>(
  before: ReadonlyArray<Message>,
  after: ReadonlyArray<Message>
): ReadonlyArray<Message | LangChainRemoval> => {
  const again = (): ReadonlyArray<Message | LangChainRemoval> => [{ type: 'remove', id: ALL }, ...after]
  const places = new Map<string, number>()
  for (let place = 0; place < before.length; place += 1) {
    const id = idOf(before[place])
    if (id !== undefined && places.has(id)) return again()
    if (id !== undefined) places.set(id, place)
  }
  const edits: Array<Message | LangChainRemoval> = []
  const added: Array<Message> = []
  let next = 0
  const removeUpTo = (place: number): boolean => {
    for (; next < place; next += 1) {
      const id = idOf(before[next])
      if (id === undefined) return false
      edits.push({ type: 'remove', id })
    }
    return true
  }
  for (const message of after) {
    const id = idOf(message)
    const place = message === before[next] ? next : id === undefined ? undefined : places.get(id)
    if (place === undefined) {
      added.push(message)
      continue
    }
    if (added.length > 0 || place < next || !removeUpTo(place)) return again()
    if (message !== before[place]) edits.push(message)
    next = place + 1
  }
  if (!removeUpTo(before.length)) return again()
  return added.length === 0 ? edits : edits.concat(added)
}
