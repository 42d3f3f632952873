/**
 * What must a format say of itself in which one message holds many items?
 *
 * Law: the shapes of that answer, as types. A format says where the parts of a message are, what each part is, and
 * how a part is written; it never walks a list of messages and never decides what stays.
 *
 * Rules: ITEM-9, BLOCK-1, BLOCK-4.
 */
import type { Item, ItemFields, ItemKind } from '../../../core/item.js'
import type { ClosingExecution, Extension, Wording } from '../../../ports/dialect.js'
import type { Draft, Wire } from '../decode.js'
import { learn, type Memory } from '../memory.js'

/** Where one part of a message lives. */
export interface Slot {
  /** The field of the body that holds it; empty when the whole message is the part. */
  readonly field: string
  /** 0-based place in the list of that field; −1 when the field is the part. */
  readonly index: number
  readonly value: unknown
  /** Other fields of the body that say the same, and go with it. */
  readonly also?: ReadonlyArray<string>
}

/** Whose message it is. `results`: a message for nothing but tool results. */
export type Speaker = 'user' | 'system' | 'model' | 'results' | 'unknown'

/** What one type of part means. */
export interface PartRule extends Omit<ItemFields, 'kind' | 'id' | 'callId' | 'source'> {
  readonly kind: ItemKind
  /** The field that holds the call id. */
  readonly callId?: string
  /** The field that holds the provider's id of the part. */
  readonly id?: string
  /** The field that holds the signature. */
  readonly signed?: string
  /** A note for the reference table. */
  readonly note?: string
}

/** The rules of a format by type of part. A map, so that `constructor` and `__proto__` are only names. */
export type PartTable = ReadonlyMap<string, PartRule>

/** Where the reading of a list of messages stands. */
export interface Standing {
  /** Number of the model response that is being read; −1 before the first. */
  response: number
  /** Whether the response in progress has an item yet. */
  hasItems: boolean
  /** Whose message was read last. */
  before: Speaker
  /** The provider's id of the part before, where several parts are one item of the provider. */
  previousId: string | undefined
}

/** What the reading of one list remembers. */
export interface Reading extends Standing {
  readonly memory: Memory
  readonly types: PartTable
  /** Types of the format that a host declared all the same. */
  readonly refused: ReadonlySet<string>
  /** What a format files for later parts by a key of its own: each value by its key and number. */
  readonly filed: Map<string, string>
  /** How many values were filed under a key, and how many of them were taken. */
  readonly filedCounts: Map<string, number>
  readonly takenCounts: Map<string, number>
}

/** Files a value under a key. */
export const file = (reading: Reading, key: string, value: string): void => {
  const count = reading.filedCounts.get(key) ?? 0
  learn(reading.memory, reading.filed, `${count} ${key}`, value)
  learn(reading.memory, reading.filedCounts, key, count + 1)
}

/** The value that has waited longest under a key, which waits no more. */
export const takeFiled = (reading: Reading, key: string): string | undefined => {
  const taken = reading.takenCounts.get(key) ?? 0
  const value = reading.filed.get(`${taken} ${key}`)
  if (value !== undefined) learn(reading.memory, reading.takenCounts, key, taken + 1)
  return value
}

/** One part while it is being read. */
export interface PartInHand {
  readonly slot: Slot
  readonly message: Wire
  readonly speaker: Speaker
  /** Where it stands, such as `[2].content[1]`. */
  readonly path: string
  /** Whether it is the last part of its message. */
  readonly isLast: boolean
}

/** How a part is to be written. */
export interface Written {
  readonly slot: Slot
  readonly item: Item
  /** 0-based part of its message; −1 for a closing that is a part of its own. */
  readonly part: number
  /** Position of the part's first item, or of the call that is closed. */
  readonly position: number
  redact: boolean
  strip: boolean
  /** In formats where call and output are one part: whether the output stays. */
  output: boolean
  closing: ClosingExecution | undefined
}

/**
 * Where an output goes. `own-message`: each is a message. `joined`: parts, together in one message behind the call.
 * `in-place`: inside the part of its call.
 */
export type OutputPlace = 'own-message' | 'joined' | 'in-place'

/** A format. `Wire` values are the caller's own and are never changed. */
export interface BlockFormat {
  readonly name: string
  readonly types: PartTable
  readonly outputs: OutputPlace
  /** Whether outputs stand first in a message that is rebuilt. */
  readonly resultsFirst: boolean
  /** Whether calls stand last between two thoughts in a message that is rebuilt. */
  readonly callsLast: boolean
  /** Whether two of the model's messages with nothing between them come from one response. */
  readonly mergesResponses: boolean
  readonly speakerOf: (message: Wire) => Speaker
  /** The parts in reading order; `source.part` counts them. The same for the same message, always. */
  readonly slotsOf: (message: Wire) => ReadonlyArray<Slot>
  /** Path of a slot inside its message, such as `.content[1]`. */
  readonly pathOf: (message: Wire, slot: Slot) => string
  /** The items of a part; none when it is part of another one. */
  readonly readPart: (part: PartInHand, reading: Reading) => ReadonlyArray<Draft>
  /** The part as it is to be written; undefined where nothing of it stays. */
  readonly writePart: (written: Written, wording: Wording) => unknown
  /** The message with only these parts, in this order; values that did not change are the message's own. */
  readonly assemble: (message: Wire, parts: ReadonlyArray<Placed>) => Wire
  /** A part, or a message where outputs are messages, that closes a call of a message. */
  readonly close: (call: unknown, item: Item, as: ClosingExecution, words: string, message: unknown) => Wire
  /** A message that holds only these outputs. */
  readonly resultsMessage: (parts: ReadonlyArray<unknown>) => Wire
  /** The fields that hold the call id in a host's own types. */
  readonly callIdFields: { readonly [K in 'call' | 'output' | 'approval']: string }
}

/** A part with the value that is written. */
export interface Placed {
  readonly written: Written
  readonly value: unknown
}

/** The rule of a host's own type. */
export const ruleOfExtension = (format: BlockFormat, extension: Extension): PartRule => {
  const given: PartRule = typeof extension === 'string' ? { kind: extension } : extension
  const { kind } = given
  const isJoined = kind === 'call' || kind === 'output' || kind === 'approval'
  const own = isJoined && given.selfContained !== true ? { callId: format.callIdFields[kind] } : {}
  return { ...own, ...given, note: 'declared by the host' }
}
