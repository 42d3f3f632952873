/**
 * How are items of any dialect read and written?
 *
 * Law: the one place where a dialect of single items and one of messages look alike: items, what they were read from,
 * where they stand, and how entries become raw values again. It decides nothing. Complexity: linear.
 *
 * Rules: ITEM-1, BLOCK-1, BLOCK-3.
 */
import { type Either, isLeft, right } from 'fp-ts/lib/Either.js'
import type { Entry } from '../core/entries.js'
import type { Decoded, DecodeError, SharedBlockDialect, SharedDialect } from '../ports/dialect.js'
import { applyPlan } from '../save/apply.js'

/** A dialect of either form. */
export type AnyDialect = SharedDialect<unknown> | SharedBlockDialect<unknown>

/** Items with the way back to the raw values that they were read from. */
export interface ReadItems extends Decoded<unknown> {
  /** Where an item stands in the list that was given, such as `[2].content[1]`. */
  readonly pathOf: (position: number) => string
  /** The raw list that holds exactly these entries. */
  readonly write: (entries: Iterable<Entry>) => Written
}

/** A raw list that was written again. */
export interface Written {
  readonly raws: ReadonlyArray<unknown>
  /** What each raw value holds: positions of the given items, and −1 less the position of a closed call. */
  readonly origins: ReadonlyArray<ReadonlyArray<number>>
}

const readMessages = (
  dialect: SharedBlockDialect<unknown>,
  raws: unknown
): Either<DecodeError, ReadItems> => {
  const decoded = dialect.decode(raws)
  if (isLeft(decoded)) return decoded
  const { items, messages, notices, pathOf } = decoded.right
  return right({
    items,
    raws: items.map(({ source }) => (source === undefined ? undefined : messages[source.message])),
    notices,
    pathOf,
    write: (entries) => {
      const { messages: written, origins } = dialect.rebuild({ messages, items, entries })
      return { raws: written, origins }
    }
  })
}

/** Reads a raw list. Errors: `decode` for what is no list. */
export const readItems = (dialect: AnyDialect, raws: unknown): Either<DecodeError, ReadItems> => {
  if ('rebuild' in dialect) return readMessages(dialect, raws)
  const decoded = dialect.decode(raws)
  if (isLeft(decoded)) return decoded
  const { items, raws: given } = decoded.right
  return right({
    ...decoded.right,
    pathOf: (position) => `[${position}]`,
    write: (entries) => {
      const writes = Array.from(entries)
      return {
        raws: applyPlan({ dialect, plan: { writes, replaces: [] }, items, raws: given }).writes,
        origins: writes.map((entry) => ['close' in entry ? -1 - entry.close : entry.position])
      }
    }
  })
}
