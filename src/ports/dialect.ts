/**
 * What a wire format must be able to say about itself.
 *
 * Law: types only. A dialect reads raw items into the words of the core and writes the few things that the core
 * invents (a closing, a redacted output, an item without its id). It never copies what it does not change.
 */
import type { Either } from 'fp-ts/lib/Either.js'
import type { Item, ItemFields } from '../core/item.js'
import type { Entry } from '../core/entries.js'

/** Something odd about one raw item. The rest of the turn is planned all the same. */
export interface DecodeNotice {
  readonly kind: 'unclassified' | 'missing-call-id' | 'repeated-id' | 'wrong-field' | 'response-order'
  /** 0-based position of the item in the decoded turn. */
  readonly position: number
  readonly message: string
  /** Where in the raw input, such as `[3].call_id`. */
  readonly path?: string
}

/** The input is no list of items at all. */
export interface DecodeError {
  readonly kind: 'decode'
  readonly path: string
  readonly expected: string
  readonly received: string
  readonly message: string
}

/** A decoded turn: `items[i]` describes `raws[i]`, which is the caller's own value. */
export interface Decoded<Raw> {
  readonly items: ReadonlyArray<Item>
  readonly raws: ReadonlyArray<Raw>
  readonly notices: ReadonlyArray<DecodeNotice>
}

/**
 * A list that is read as it grows. What was read of a raw value never changes by what comes behind it, so after any
 * splitting `items` and `notices` are those of `decode` for the whole list.
 */
export interface Reader {
  /** The items so far: a list that grows, and shrinks when the reader goes back. */
  readonly items: ReadonlyArray<Item>
  /** The notices so far. A list that was handed out is only ever added to. */
  readonly notices: ReadonlyArray<DecodeNotice>
  /** Reads raw values that stand behind those that were read. Linear in these. */
  readonly read: (raws: ReadonlyArray<unknown>) => void
  /**
   * Goes back to where only the first `count` raw values had been read, and answers with the items that are gone.
   * Linear in what is taken back.
   */
  readonly rewind: (count: number) => ReadonlyArray<Item>
}

/** How a closing stands for the output that never came. */
export type ClosingExecution = 'interrupted' | 'skipped' | 'denied' | 'failed'

/** Which neutral item a host's own wire type stands for. */
export type Extension =
  | Item['kind']
  | (Omit<ItemFields, 'kind' | 'id' | 'callId' | 'source'> & { readonly kind: Item['kind'] })

/** The words a dialect puts into a closing or in the place of a redacted output. */
export interface Wording {
  readonly interrupted: string
  readonly skipped: string
  readonly denied: string
  readonly failed: string
  readonly redacted: string
}

/** A wire format in which one raw value is one item. */
export interface Dialect<Raw> {
  readonly name: string
  /** Reads a list of raw items. Only an input that is no list is an error; an odd item is `unclassified` with a notice. */
  readonly decode: (raws: unknown) => Either<DecodeError, Decoded<Raw>>
  /** A reader of which nothing is read yet: `decode` for a list that grows. */
  readonly startReading: () => Reader
  /** A synthetic output for a call that never got one. */
  readonly close: (call: Raw, item: Item, as: ClosingExecution) => Raw
  /** The same output with its payload replaced; call id, type and unknown fields that carry no payload stay. */
  readonly redact: (output: Raw, item: Item) => Raw
  /** The same item without its provider id; the call id stays. */
  readonly stripId: (raw: Raw, item: Item) => Raw
  /** The same dialect that also knows a host's own types: `responses.with({ acme_call: 'call' })`. */
  readonly with: (types: Readonly<Record<string, Extension>>) => Dialect<Raw>
  /** The same dialect with other words in closings and redactions. */
  readonly withWording: (wording: Partial<Wording>) => Dialect<Raw>
}

/**
 * A dialect that serves every item type with the shape `Base`, so that a caller's own type survives: it can be handed
 * where a `Dialect<Own>` is asked for, whatever `Own` the caller's SDK declares.
 */
export interface SharedDialect<Base> {
  readonly name: string
  readonly decode: <Own extends Base = Base>(raws: unknown) => Either<DecodeError, Decoded<Own>>
  readonly startReading: () => Reader
  readonly close: <Own extends Base>(call: Own, item: Item, as: ClosingExecution) => Own
  readonly redact: <Own extends Base>(output: Own, item: Item) => Own
  readonly stripId: <Own extends Base>(raw: Own, item: Item) => Own
  readonly with: (types: Readonly<Record<string, Extension>>) => SharedDialect<Base>
  readonly withWording: (wording: Partial<Wording>) => SharedDialect<Base>
}

/** A decoded turn of messages: `items[i].source` says in which message, and in which of its parts, the item lives. */
export interface DecodedBlocks<Message> {
  readonly items: ReadonlyArray<Item>
  /** The very list that was given. */
  readonly messages: ReadonlyArray<Message>
  readonly notices: ReadonlyArray<DecodeNotice>
  /** Where an item stands in the list that was given, such as `[2].content[1]`. Linear in the parts of its message, once. */
  readonly pathOf: (position: number) => string
}

/** What `rebuild` is asked. */
export interface RebuildQuestion<Message> {
  /** The messages that were decoded; elements are compared by identity only. */
  readonly messages: ReadonlyArray<Message>
  /** The items that `decode` made of them. */
  readonly items: ReadonlyArray<Item>
  /** What stands in the session, in order. What is not named is left out; markers go with the parts around them. */
  readonly entries: Iterable<BlockEntry>
}

/** An entry of a plan, or a closing that a host asks for. */
export type BlockEntry = Entry | { readonly close: number; readonly as: ClosingExecution }

/** Messages that were rebuilt. */
export interface Rebuilt<Message> {
  /** An untouched message is the caller's own object. */
  readonly messages: ReadonlyArray<Message>
  /** `recipes[i]` says what `messages[i]` is made of: equal for equal contents, to be compared only. */
  readonly recipes: ReadonlyArray<string>
  /** `origins[i]` names the entries that `messages[i]` holds: positions, and −1 less the position of a closed call. */
  readonly origins: ReadonlyArray<ReadonlyArray<number>>
}

/** A wire format in which one message holds many items. */
export interface BlockDialect<Message> {
  readonly name: string
  /** Reads a list of messages. Only an input that is no list is an error; an odd part is `unclassified` with a notice. */
  readonly decode: (messages: unknown) => Either<DecodeError, DecodedBlocks<Message>>
  /** A reader of which nothing is read yet: `decode` for a list that grows. */
  readonly startReading: () => Reader
  /** Messages that hold exactly the given entries; untouched ones keep their identity. */
  readonly rebuild: (question: RebuildQuestion<Message>) => Rebuilt<Message>
  /** The same dialect that also knows a host's own types of parts. */
  readonly with: (types: Readonly<Record<string, Extension>>) => BlockDialect<Message>
  /** The same dialect with other words in closings and redactions. */
  readonly withWording: (wording: Partial<Wording>) => BlockDialect<Message>
}

/** A block dialect that serves every message type with the shape `Base`, so that a caller's own type survives. */
export interface SharedBlockDialect<Base> {
  readonly name: string
  readonly decode: <Own extends Base = Base>(messages: unknown) => Either<DecodeError, DecodedBlocks<Own>>
  readonly startReading: () => Reader
  readonly rebuild: <Own extends Base>(question: RebuildQuestion<Own>) => Rebuilt<Own>
  readonly with: (types: Readonly<Record<string, Extension>>) => SharedBlockDialect<Base>
  readonly withWording: (wording: Partial<Wording>) => SharedBlockDialect<Base>
}

/**
 * The item type that a caller gets back: that of the list that was given, or the dialect's own where the list has none
 * (`unknown`, `any`, the result of a parse).
 */
export type ItemOf<Raw, Given> =
  Given extends ReadonlyArray<infer Own> ? (unknown extends Own ? Raw : Own) : Raw
