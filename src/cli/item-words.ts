/**
 * How is an item named to a person?
 *
 * Law: kind, tool name and ids; never contents. An id may be anything, so it is shortened and cleaned.
 */
import type { ItemFields } from '../core/item.js'
import { isRecord } from '../conformance/question.js'
import { plainText } from './failure.js'

const longest = 20

/** An id short enough for a table: its start and its end. */
export const shortId = (id: string | undefined): string => {
  if (id === undefined) return ''
  const characters = Array.from(id.length > 200 ? `${id.slice(0, 40)}${id.slice(-40)}` : id)
  return plainText(
    characters.length <= longest
      ? characters.join('')
      : `${characters.slice(0, 12).join('')}…${characters.slice(-6).join('')}`
  )
}

const toolName = /^[\w.:/-]{1,64}$/

/** The tool that a raw item names, wherever its dialect keeps it. What does not look like a name is not shown. */
const toolOf = (raw: unknown): string | undefined => {
  if (!isRecord(raw)) return undefined
  for (const place of [raw, raw['rawItem'], raw['raw_item']]) {
    const name = isRecord(place) ? place['name'] : undefined
    if (typeof name === 'string' && toolName.test(name)) return name
  }
  return undefined
}

/** An item in a few words: `user message`, `partial reasoning`, `call refund`. */
export const nameItem = (item: ItemFields, raw: unknown): string => {
  const words: Array<string> = []
  if (item.partial === true) words.push('partial')
  if (item.origin === 'user') words.push('user')
  if (item.origin === 'runner' && item.kind === 'message') words.push('runner')
  if (item.executor === 'provider' || item.selfContained === true) words.push('hosted')
  words.push(item.kind)
  const tool = item.kind === 'call' || item.kind === 'output' ? toolOf(raw) : undefined
  if (tool !== undefined) words.push(tool)
  if (item.execution !== undefined && item.execution !== 'executed') words.push(`(${item.execution})`)
  return words.join(' ')
}
