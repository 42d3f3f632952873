/** Shared steps of the tests of block dialects: decode or fail, rebuild everything, save a growing turn. */
import type { Item } from '../../src/core/item.js'
import type { Outcome } from '../../src/core/outcome.js'
import { orThrow } from '../../src/core/plan.js'
import type { Progress } from '../../src/core/progress.js'
import type { StoreKind } from '../../src/core/question.js'
import type { BlockEntry, DecodedBlocks, Rebuilt, SharedBlockDialect } from '../../src/ports/dialect.js'
import type { SaveAnswer } from '../../src/save/answer.js'
import { type SaveQuestion, saveTurn } from '../../src/save/save-turn.js'

/** The decoded turn; an error fails the test that asked. */
export const decodeBlocks = <Base>(
  dialect: SharedBlockDialect<Base>,
  messages: unknown
): DecodedBlocks<Base> => orThrow(dialect.decode(messages))

/** The items without their sources and numbers: what each part is. */
export const kindsOf = <Base>(
  dialect: SharedBlockDialect<Base>,
  messages: unknown
): ReadonlyArray<Partial<Item>> =>
  decodeBlocks(dialect, messages).items.map(({ source: _source, response: _response, ...rest }) => rest)

/** Every item of a turn, as it is. */
export const everything = (items: ReadonlyArray<Item>): ReadonlyArray<BlockEntry> =>
  items.map((_, position) => ({ position }))

/** Decodes and rebuilds with what is chosen. */
export const rebuildWith = <Base>(
  dialect: SharedBlockDialect<Base>,
  messages: ReadonlyArray<Base>,
  choose: (items: ReadonlyArray<Item>) => ReadonlyArray<BlockEntry>
): Rebuilt<Base> => {
  const { items } = decodeBlocks(dialect, messages)
  return dialect.rebuild({ messages, items, entries: choose(items) })
}

/** Keeps all positions but some. */
export const without =
  (...gone: ReadonlyArray<number>) =>
  (items: ReadonlyArray<Item>): ReadonlyArray<BlockEntry> =>
    items.flatMap((_, position) => (gone.includes(position) ? [] : [{ position }]))

/** A session that holds one turn, and the progress beside it. */
export interface BlockSession<Message> {
  readonly messages: ReadonlyArray<Message>
  readonly progress: Progress | null
  readonly answer?: SaveAnswer<Message>
}

export const emptySession: BlockSession<never> = { messages: [], progress: null }

/** One save, applied. */
export const saveInto = <Base>(
  session: BlockSession<Base>,
  dialect: SharedBlockDialect<Base>,
  items: ReadonlyArray<Base>,
  outcome: Outcome,
  store: StoreKind,
  more: Pick<Partial<SaveQuestion<unknown>>, 'policy' | 'signatureScope'> = {}
): BlockSession<Base> => {
  const answer = orThrow(
    saveTurn<Base, ReadonlyArray<Base>>({
      ...more,
      dialect,
      items,
      outcome,
      store,
      turn: 't',
      progress: session.progress
    })
  )
  const kept = session.messages.slice(0, session.messages.length - answer.replaces.length)
  return { messages: [...kept, ...answer.items], progress: { ...answer.progress }, answer }
}
