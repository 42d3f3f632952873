/**
 * What does the audit say of a history that was written again?
 *
 * Law: the last word on a repair is what stands in the document, not what was meant to. A format may keep parts in other
 * fields, put results first, or drop a message that only thinks; so the raw list is read again as anybody reads it, and
 * what is found there is told in positions of the history that was given. It changes nothing. Complexity: linear.
 *
 * Rules: REPAIR-26.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import { type AuditQuestion, audit, type Violation } from '../core/audit.js'
import type { Item, ItemFields } from '../core/item.js'
import { type AnyDialect, readItems, type Written } from './reading.js'

/** What tells an item of one raw value from the others of it; those that are alike keep their order. */
const keyOf = ({ kind, origin, namespace, callId, id }: ItemFields): string =>
  [kind, origin ?? '', namespace ?? '', callId ?? '', kind === 'output' ? '' : (id ?? '')].join('\u0000')

const closingKey = ({ namespace, callId }: ItemFields): string =>
  keyOf({ kind: 'output', ...join(namespace, callId) })

const join = (
  namespace: string | undefined,
  callId: string | undefined
): Pick<ItemFields, 'namespace' | 'callId'> => ({
  ...(namespace === undefined ? {} : { namespace }),
  ...(callId === undefined ? {} : { callId })
})

/** The position in the given history of each item that one raw value was read as; a closing is found at its call. */
const positionsOf = (
  read: ReadonlyArray<Item>,
  given: ReadonlyArray<Item>,
  origins: ReadonlyArray<number>
): ReadonlyArray<number> => {
  const waiting = new Map<string, Array<number>>()
  const [first = 0] = origins
  for (const origin of [...origins].reverse()) {
    const position = origin < 0 ? -1 - origin : origin
    const item = given[position] as Item
    const key = origin < 0 ? closingKey(item) : keyOf(item)
    const list = waiting.get(key)
    if (list === undefined) waiting.set(key, [position])
    else list.push(position)
  }
  return read.map((item) => waiting.get(keyOf(item))?.pop() ?? (first < 0 ? -1 - first : first))
}

/** What the one who asked knows of an item, and its raw form does not say. */
const withAskedReasoning = (item: Item, { requiresReasoning }: ItemFields): Item =>
  requiresReasoning === undefined || item.id === undefined ? item : { ...item, requiresReasoning }

/** The violations of what was written, in positions of the history that was given. */
export const auditWritten = (
  asked: AuditQuestion,
  dialect: AnyDialect,
  written: Written
): ReadonlyArray<Violation> => {
  const again = readItems(dialect, written.raws)
  if (isLeft(again)) return []
  const read = again.right.items
  const positions: Array<number> = []
  let start = 0
  for (const [index, origins] of written.origins.entries()) {
    let end = start
    if (!('rebuild' in dialect)) end += 1
    else while (read[end]?.source?.message === index) end += 1
    for (const position of positionsOf(read.slice(start, end), asked.items, origins)) positions.push(position)
    start = end
  }
  const given = (index: number): number => positions[index] ?? 0
  const items = read.map((item, index) => withAskedReasoning(item, asked.items[given(index)] as Item))
  return audit({ ...asked, items }).violations.map(({ because, ...violation }) => {
    const placed = { ...violation, position: given(violation.position) }
    return because === undefined ? placed : { ...placed, because: given(because) }
  })
}
