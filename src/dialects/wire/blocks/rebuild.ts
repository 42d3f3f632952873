/**
 * How do items become messages again?
 *
 * Law: only this file turns groups of entries into messages. A message of which everything stays is the caller's own
 * object; another one is written again, with untouched parts by identity. A message that is left empty, or with
 * nothing but thoughts, is dropped. Linear in the entries and the parts of the messages they come from.
 *
 * Rules: BLOCK-3 to BLOCK-9.
 */
import type { Item } from '../../../core/item.js'
import type { ClosingExecution, Rebuilt, RebuildQuestion, Wording } from '../../../ports/dialect.js'
import { isWire } from '../decode.js'
import { slotsOfRaw } from './flatten.js'
import type { BlockFormat, Placed, Slot, Written } from './format.js'
import { groupEntries, isTransparent, type Piece, type ReadyGroup } from './group.js'

/** What one rebuilding has at hand. */
interface Work {
  readonly format: BlockFormat
  readonly wording: Wording
  readonly items: ReadonlyArray<Item>
  readonly messages: ReadonlyArray<unknown>
  readonly closings: ReadonlyMap<number, ClosingExecution>
  readonly slots: Map<number, ReadonlyArray<Slot>>
  readonly markers: Map<number, ReadonlyMap<number, number>>
}

const nothing: Slot = { field: '', index: -1, value: undefined }

const slotsAt = (work: Work, message: number): ReadonlyArray<Slot> => {
  const known = work.slots.get(message)
  if (known !== undefined) return known
  const slots = slotsOfRaw(work.format, work.messages[message])
  work.slots.set(message, slots)
  return slots
}

const slotOf = (work: Work, item: Item): Slot =>
  (item.source === undefined ? undefined : slotsAt(work, item.source.message)[item.source.part]) ?? nothing

const startWritten = (work: Work, position: number): Written => {
  const item = work.items[position] as Item
  const closing = work.closings.get(position)
  return {
    slot: slotOf(work, item),
    item,
    part: item.source?.part ?? 0,
    position,
    redact: false,
    strip: false,
    output: false,
    closing
  }
}

/** The marker that stands before a part, if no other part stands between them that could be kept. */
const markersOf = (work: Work, group: ReadyGroup): ReadonlyMap<number, number> => {
  const known = work.markers.get(group.message)
  if (known !== undefined) return known
  const found = new Map<number, number>()
  work.markers.set(group.message, found)
  let position = group.pieces.find(
    (piece) => work.items[piece.position]?.source?.message === group.message
  )?.position
  if (position === undefined || group.message < 0) return found
  while (position > 0 && work.items[position - 1]?.source?.message === group.message) position -= 1
  let marker = -1
  for (; work.items[position]?.source?.message === group.message; position += 1) {
    if (work.items[position]?.kind === 'marker') marker = position
    else if (marker >= 0) found.set(position, marker)
  }
  return found
}

/** Pieces as parts: a call and its output in one part are one, and a marker comes with the first part behind it. */
const partsOf = (work: Work, group: ReadyGroup): ReadonlyArray<Written> => {
  const parts: Array<Written> = []
  const byPart = new Map<number, Written>()
  const markers = markersOf(work, group)
  const done = new Set<number>()
  const add = (position: number, piece?: Piece): void => {
    const item = work.items[position] as Item
    const isOwn = item.source?.message === group.message
    const known = isOwn ? byPart.get(item.source?.part ?? -1) : undefined
    const part = known ?? startWritten(work, position)
    if (item.kind === 'output') part.output = true
    if (piece?.redact === true) part.redact = true
    if (piece?.strip === true) part.strip = true
    if (known !== undefined) return
    if (isOwn) byPart.set(part.part, part)
    parts.push(isOwn ? part : { ...part, part: -1 })
  }
  for (const piece of group.pieces) {
    if (piece.closing !== undefined) {
      const call = work.items[piece.position] as Item
      const { format, wording } = work
      const said = wording[piece.closing]
      const message = work.messages[call.source?.message ?? -1]
      const value = format.close(slotOf(work, call).value, call, piece.closing, said, message)
      const item: Item = { kind: 'output', execution: piece.closing }
      parts.push({
        slot: { field: '', index: -1, value },
        item,
        part: -1,
        position: piece.position,
        redact: false,
        strip: false,
        output: true,
        closing: piece.closing
      })
      continue
    }
    const marker = markers.get(piece.position)
    if (marker !== undefined && !done.has(marker)) add(marker)
    if (work.items[piece.position]?.kind === 'marker') done.add(piece.position)
    if (marker !== undefined) done.add(marker)
    add(piece.position, piece)
  }
  return parts
}

/** The same order, but with those first for which the test holds. */
const firstWhere = <A>(list: ReadonlyArray<A>, test: (element: A) => boolean): ReadonlyArray<A> => {
  const first: Array<A> = []
  const rest: Array<A> = []
  for (const element of list) (test(element) ? first : rest).push(element)
  return first.length === 0 || rest.length === 0 ? list : first.concat(rest)
}

const isRunnerCall = ({ item }: Written): boolean => item.kind === 'call' && item.executor !== 'provider'

/** Calls behind everything else between two thoughts; no part moves over a thought. */
const withCallsLast = (parts: ReadonlyArray<Written>): ReadonlyArray<Written> => {
  const ordered: Array<Written> = []
  let calls: Array<Written> = []
  const finish = (): void => {
    for (const call of calls) ordered.push(call)
    calls = []
  }
  for (const part of parts) {
    if (isRunnerCall(part)) calls.push(part)
    else {
      if (part.item.kind === 'reasoning') finish()
      ordered.push(part)
    }
  }
  finish()
  return ordered
}

const isResultPart = ({ item }: Written): boolean => item.kind === 'output' && item.origin !== 'model'

/** Whether a message holds more than thoughts and bookkeeping. */
const saysSomething = (parts: ReadonlyArray<Written>): boolean =>
  parts.some(({ item }) => item.kind !== 'reasoning' && !isTransparent(item))

const writeGroup = (work: Work, group: ReadyGroup): unknown => {
  const { format, wording } = work
  const raw = group.message < 0 ? undefined : work.messages[group.message]
  if (group.isWhole) return raw
  let parts = partsOf(work, group)
  if (!saysSomething(parts)) return undefined
  if (format.resultsFirst) parts = firstWhere(parts, isResultPart)
  if (format.callsLast) parts = withCallsLast(parts)
  const placed: Array<Placed> = []
  for (const written of parts) {
    const isClosing = written.part < 0 && written.closing !== undefined
    const value = isClosing ? written.slot.value : format.writePart(written, wording)
    if (value !== undefined) placed.push({ written, value })
  }
  if (placed.length === 0) return undefined
  if (isWire(raw)) return format.assemble(raw, placed)
  const [first] = placed
  if (raw !== undefined) return raw
  if (format.outputs === 'own-message') return first?.value
  return format.resultsMessage(placed.map(({ value }) => value))
}

const letterOf = (piece: Piece): string =>
  piece.closing === undefined ? `${piece.redact ? 'r' : ''}${piece.strip ? 's' : ''}` : piece.closing

const recipeOf = (group: ReadyGroup, closings: ReadonlyMap<number, ClosingExecution>): string => {
  const words: Array<string> = [`${group.message}`]
  for (const piece of group.pieces) {
    const closing = closings.get(piece.position)
    words.push(`${piece.position}${letterOf(piece)}${closing === undefined ? '' : `=${closing}`}`)
  }
  return words.join(' ')
}

const originsOf = (
  { pieces }: ReadyGroup,
  closings: ReadonlyMap<number, ClosingExecution>
): ReadonlyArray<number> => {
  const origins: Array<number> = []
  for (const { position, closing } of pieces) {
    origins.push(closing === undefined ? position : -1 - position)
    if (closing === undefined && closings.has(position)) origins.push(-1 - position)
  }
  return origins
}

/** Messages that hold exactly the given entries. Rules: BLOCK-3 to BLOCK-9. Complexity: linear. */
export const rebuildMessages = <Message>(
  question: RebuildQuestion<Message>,
  format: BlockFormat,
  wording: Wording
): Rebuilt<Message> => {
  const { items, entries } = question
  const { groups, closings } = groupEntries(items, entries, format.outputs)
  const work: Work = {
    format,
    wording,
    items,
    messages: question.messages,
    closings,
    slots: new Map(),
    markers: new Map()
  }
  const messages: Array<Message> = []
  const recipes: Array<string> = []
  const origins: Array<ReadonlyArray<number>> = []
  let whole = groups.length === question.messages.length
  for (const group of groups) {
    const message = writeGroup(work, group)
    if (message === undefined) {
      whole = false
      continue
    }
    if (message !== question.messages[messages.length]) whole = false
    messages.push(message as Message)
    recipes.push(recipeOf(group, closings))
    origins.push(originsOf(group, closings))
  }
  return { messages: whole ? question.messages : messages, recipes, origins }
}
