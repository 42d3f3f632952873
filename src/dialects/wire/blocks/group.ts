/**
 * Which entries stand together in one message?
 *
 * Law: only this file cuts a list of entries into messages. Entries of one message that follow each other make one
 * group; an output or a closing goes where the format keeps outputs; what comes back to a message after something else
 * has come between makes a group of its own, unless it was a text that had to move in. It goes by source, never by place in a list that has become shorter.
 * Linear in the entries and in the items of the messages from the first to the last that they come from.
 *
 * Rules: BLOCK-3, BLOCK-4, BLOCK-6, BLOCK-8.
 */
import type { Item } from '../../../core/item.js'
import type { BlockEntry, ClosingExecution } from '../../../ports/dialect.js'
import type { OutputPlace } from './format.js'

/** One entry, opened: the position of an item, or of the call that is closed. */
export interface Piece {
  readonly position: number
  readonly redact: boolean
  readonly strip: boolean
  readonly closing: ClosingExecution | undefined
}

/** Pieces that make one message. */
export interface Group {
  /** The message they come from; −1 for a message that is made for closings. */
  readonly message: number
  readonly pieces: Array<Piece>
  /** Whether a piece comes from elsewhere. */
  mixed: boolean
  /** Whether all of its pieces are outputs of the runner, or closings. */
  onlyResults: boolean
}

/** A group that is finished. */
export interface ReadyGroup extends Readonly<Group> {
  /** Whether it is a message of the caller just as it is. */
  readonly isWhole: boolean
}

/** Marks the groups that are whole messages: nothing is missing, nothing came from elsewhere, nothing stands between. */
const finish = (
  groups: ReadonlyArray<Group>,
  broken: Uint8Array,
  first: number
): ReadonlyArray<ReadyGroup> => {
  const counts = new Uint32Array(broken.length)
  for (const { message } of groups)
    if (message >= 0) counts[message - first] = (counts[message - first] as number) + 1
  return groups.map((group) => {
    const { message, mixed } = group
    const place = message - first
    return { ...group, isWhole: message >= 0 && !mixed && broken[place] === 0 && counts[place] === 1 }
  })
}

const open = (entry: BlockEntry): Piece =>
  'close' in entry
    ? { position: entry.close, redact: false, strip: false, closing: entry.as }
    : {
        position: entry.position,
        redact: entry.redact === true,
        strip: entry.stripId === true,
        closing: undefined
      }

const messageOf = (items: ReadonlyArray<Item>, position: number): number =>
  items[position]?.source?.message ?? -1

/** An output that the runner hands back. */
const isResult = (item: Item | undefined): boolean => item?.kind === 'output' && item.origin !== 'model'

/** An item that is written with the parts around it, or not at all. */
export const isTransparent = (item: Item | undefined): boolean =>
  item === undefined || item.kind === 'marker' || (item.kind === 'output' && item.execution === 'pending')

const isSigned = (item: Item | undefined): boolean =>
  item?.kind === 'reasoning' && item.signature === 'present'

/** Whether something that counts stood between two positions. */
const standsBetween = (items: ReadonlyArray<Item>, earlier: number, later: number): boolean => {
  for (let position = earlier + 1; position < later; position += 1) {
    const item = items[position]
    if (item?.kind !== 'reasoning' && !isTransparent(item)) return true
  }
  return false
}

/**
 * Leaves out the earlier of two signed thoughts that would come to stand side by side because what stood between them
 * is gone: the model never wrote them so.
 */
export const partSignedRuns = (
  items: ReadonlyArray<Item>,
  pieces: ReadonlyArray<Piece>
): ReadonlyArray<Piece> => {
  if (!pieces.some(({ position }) => isSigned(items[position]))) return pieces
  const left: Array<Piece> = []
  for (const piece of pieces) {
    const last = left[left.length - 1]
    if (
      piece.closing === undefined &&
      last !== undefined &&
      last.closing === undefined &&
      isSigned(items[piece.position]) &&
      isSigned(items[last.position]) &&
      last.position < piece.position &&
      standsBetween(items, last.position, piece.position)
    ) {
      while (left.length > 0) {
        const earlier = left[left.length - 1] as Piece
        if (earlier.closing !== undefined || items[earlier.position]?.kind !== 'reasoning') break
        left.pop()
      }
    }
    left.push(piece)
  }
  return left
}

/** The messages from the first to the last that entries come from, and their items: nothing else is looked at. */
interface Span {
  readonly first: number
  readonly messages: number
  readonly from: number
  readonly to: number
}

const spanOf = (items: ReadonlyArray<Item>, pieces: ReadonlyArray<Piece>): Span => {
  let from = Number.POSITIVE_INFINITY
  let to = -1
  for (const { position } of pieces) {
    if (messageOf(items, position) < 0) continue
    if (position < from) from = position
    if (position > to) to = position
  }
  if (to < 0) return { first: 0, messages: 0, from: 0, to: 0 }
  const first = messageOf(items, from)
  const last = messageOf(items, to)
  while (from > 0 && messageOf(items, from - 1) === first) from -= 1
  to += 1
  while (to < items.length && messageOf(items, to) === last) to += 1
  return { first, messages: last - first + 1, from, to }
}

/** Tells whether a message is broken: entries of it are missing, changed, out of order, or apart. */
const findBroken = (
  items: ReadonlyArray<Item>,
  pieces: ReadonlyArray<Piece>,
  { first, messages, from, to }: Span,
  outputs: OutputPlace
): Uint8Array => {
  const broken = new Uint8Array(messages)
  const owed = new Uint32Array(messages)
  for (let position = from; position < to; position += 1) {
    const item = items[position]
    if (item?.source === undefined || isTransparent(item)) continue
    const place = item.source.message - first
    owed[place] = (owed[place] as number) + 1
  }
  let previous = -1
  const left = new Uint8Array(messages)
  let current = -1
  for (const { position, redact, strip, closing } of pieces) {
    const place = messageOf(items, position) - first
    if (place < 0) continue
    if (closing !== undefined) {
      if (outputs === 'in-place') broken[place] = 1
      continue
    }
    if (redact || strip || position < previous) broken[place] = 1
    if (place !== current) {
      if (left[place] === 1) broken[place] = 1
      if (current >= 0) left[current] = 1
      current = place
    }
    if (!isTransparent(items[position])) owed[place] = (owed[place] as number) - 1
    previous = position
  }
  for (let place = 0; place < messages; place += 1) if (owed[place] !== 0) broken[place] = 1
  return broken
}

/** The last entry of each message, by its place in the list. */
const findLast = (items: ReadonlyArray<Item>, pieces: ReadonlyArray<Piece>): ReadonlyMap<number, number> => {
  const last = new Map<number, number>()
  for (const [place, { position, closing }] of pieces.entries())
    if (closing === undefined) last.set(messageOf(items, position), place)
  return last
}

/** A text of the model, which may move into another of its messages. */
const isSaid = (item: Item | undefined): boolean =>
  item?.kind === 'message' && (item.origin === undefined || item.origin === 'model')

/** Entries that were cut into messages. */
export interface Grouped {
  readonly groups: ReadonlyArray<ReadyGroup>
  /** In formats that close in place: how each closed call is closed, by position. */
  readonly closings: ReadonlyMap<number, ClosingExecution>
}

/** Cuts entries into messages. */
export const groupEntries = (
  items: ReadonlyArray<Item>,
  entries: Iterable<BlockEntry>,
  outputs: OutputPlace
): Grouped => {
  const closings = new Map<number, ClosingExecution>()
  const pieces = partSignedRuns(items, Array.from(entries, open))
  const span = spanOf(items, pieces)
  const broken = findBroken(items, pieces, span, outputs)
  const groups: Array<Group> = []
  let current: Group | undefined
  let held: Array<Piece> = []
  const start = (message: number, given: Array<Piece>, onlyResults: boolean): Group => {
    current = { message, pieces: given, mixed: message < 0 || given.length > 0, onlyResults }
    groups.push(current)
    return current
  }
  const flush = (): void => {
    if (held.length > 0) start(-1, held, true)
    held = []
  }
  const last = findLast(items, pieces)
  for (const [place, piece] of pieces.entries()) {
    if (piece.closing !== undefined) {
      if (outputs === 'in-place') closings.set(piece.position, piece.closing)
      else if (outputs === 'own-message') start(-1, [piece], true)
      else if (current?.onlyResults === true && held.length === 0) {
        current.pieces.push(piece)
        current.mixed = true
      } else held.push(piece)
      continue
    }
    const message = messageOf(items, piece.position)
    if (message < 0) continue
    const result = isResult(items[piece.position])
    const joins = result && outputs === 'joined'
    if (held.length > 0 && joins) {
      const given = held
      held = []
      start(message, given, true).pieces.push(piece)
      continue
    }
    flush()
    if (current !== undefined && current.message === message) {
      current.pieces.push(piece)
      current.onlyResults = current.onlyResults && result
    } else if (
      current !== undefined &&
      isSaid(items[piece.position]) &&
      (last.get(current.message) ?? -1) > place
    ) {
      // It was moved before the calls of that message, which is not over: it goes in, and cuts nothing in two.
      current.pieces.push(piece)
      current.mixed = true
      current.onlyResults = false
    } else if (joins && current?.onlyResults === true && broken[message - span.first] === 1) {
      current.pieces.push(piece)
      current.mixed = true
    } else start(message, [], result).pieces.push(piece)
  }
  flush()
  return { groups: finish(groups, broken, span.first), closings }
}
