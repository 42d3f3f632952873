/**
 * How does a wire format become a dialect?
 *
 * Law: the assembly of table, fields, closings and redactions that all formats with one item per raw value share. It
 * names no provider's field.
 *
 * Rules: ITEM-1, ITEM-9.
 */
import type { Item } from '../../core/item.js'
import type { ClosingExecution, SharedDialect, Wording } from '../../ports/dialect.js'
import { decodeList, isWire, nameOf, readItems, sortOf, startReader, type Wire } from './decode.js'
import { extend, type Extended } from './extend.js'
import { complain, isNews, startMemory, type Memory } from './memory.js'
import { findRule, readByRule, unclassifiedItem, type Fields } from './read.js'
import type { TypeTable } from './rules.js'
import { ruleInWrapper, wrapClosing, wrapperTypes, wrapRedacted, wrapSame } from './run-items.js'
import { defaultWording, wordsFor } from './wording.js'

/** What a provider's format must say of itself. */
export interface WireFormat {
  readonly name: string
  readonly types: TypeTable
  /** The field in which a run item holds its item, if the format has run items. */
  readonly wrapped?: string
  readonly readFields: (raw: Wire, memory: Memory, path: string) => Fields
  /** What a wrapper says beyond its type. */
  readonly refine?: (fields: Fields, wrapper: Wire) => Fields
  readonly close: (type: string, call: Wire, item: Item, as: ClosingExecution, words: string) => Wire
  readonly redact: (type: string, output: Wire, words: string) => Wire
  readonly stripId: (raw: Wire) => Wire
}

const unwrap = (format: WireFormat, raw: Wire): Wire | undefined => {
  const type = raw['type']
  const inner = format.wrapped === undefined ? undefined : raw[format.wrapped]
  return typeof type === 'string' && wrapperTypes.has(type) && isWire(inner) ? inner : undefined
}

const readWrapped = (
  format: WireFormat,
  known: Extended,
  raw: Wire,
  type: string,
  memory: Memory,
  path: string
): Item | undefined => {
  const reading = format.wrapped === undefined ? undefined : wrapperTypes.get(type)
  if (reading === undefined || format.wrapped === undefined) return undefined
  if (reading === 'marker') return { kind: 'marker' }
  const innerPath = `${path}.${format.wrapped}`
  const inner = raw[format.wrapped]
  if (!isWire(inner)) {
    complain(
      memory,
      'unclassified',
      innerPath,
      `expected the item of this run item, received ${sortOf(inner)}; it is read as unclassified`
    )
    return unclassifiedItem(undefined)
  }
  const plain = format.readFields(inner, memory, innerPath)
  const fields = format.refine === undefined ? plain : format.refine(plain, raw)
  const rule = findRule(fields.type, known.types, memory, innerPath)
  return rule === undefined
    ? unclassifiedItem(fields.id)
    : readByRule(fields, ruleInWrapper(rule, reading), memory, innerPath)
}

const readRaw =
  (format: WireFormat, known: Extended) =>
  (raw: unknown, memory: Memory, path: string): Item => {
    if (!isWire(raw)) {
      complain(
        memory,
        'unclassified',
        path,
        `expected an object, received ${sortOf(raw)}; the item is read as unclassified`
      )
      return unclassifiedItem(undefined)
    }
    const type = raw['type']
    if (typeof type === 'string') {
      const wrapped = readWrapped(format, known, raw, type, memory, path)
      if (wrapped !== undefined) return wrapped
    }
    const fields = format.readFields(raw, memory, path)
    if (fields.type !== undefined && known.refused.has(fields.type) && isNews(memory, fields.type)) {
      complain(
        memory,
        'wrong-field',
        `${path}.type`,
        `${nameOf(fields.type)} is a type of the ${format.name} dialect; what the host declared for it is not used`
      )
    }
    const rule = findRule(fields.type, known.types, memory, path)
    return rule === undefined ? unclassifiedItem(fields.id) : readByRule(fields, rule, memory, path)
  }

const typeOf = (format: WireFormat, raw: Wire): string => format.readFields(raw, startMemory(), '').type ?? ''

const assemble = (format: WireFormat, known: Extended, wording: Wording): SharedDialect<unknown> => {
  const closeInner = (call: Wire, item: Item, as: ClosingExecution, words: string): Wire => {
    const type = typeOf(format, call)
    const output = format.close(type, call, item, as, words)
    const answer = known.answers.get(type)
    return answer === undefined ? output : { ...output, type: answer }
  }
  const close = (call: unknown, item: Item, as: ClosingExecution): unknown => {
    const words = wordsFor(wording, as)
    const raw = isWire(call) ? call : {}
    const inner = unwrap(format, raw)
    return inner === undefined
      ? closeInner(raw, item, as, words)
      : wrapClosing(format.wrapped ?? '', raw, closeInner(inner, item, as, words), words)
  }
  const redact = (output: unknown): unknown => {
    if (!isWire(output)) return output
    const inner = unwrap(format, output)
    const redacted = format.redact(typeOf(format, inner ?? output), inner ?? output, wording.redacted)
    return inner === undefined
      ? redacted
      : wrapRedacted(format.wrapped ?? '', output, redacted, wording.redacted)
  }
  const stripId = (raw: unknown, item: Item): unknown => {
    if (!isWire(raw) || item.id === undefined) return raw
    const inner = unwrap(format, raw)
    return inner === undefined
      ? format.stripId(raw)
      : wrapSame(format.wrapped ?? '', raw, format.stripId(inner))
  }
  const readOwn = readRaw(format, known)
  return {
    name: format.name,
    decode: (raws) => decodeList(raws, readItems(readOwn)),
    startReading: () => startReader(readItems(readOwn)),
    close: close as SharedDialect<unknown>['close'],
    redact: redact as SharedDialect<unknown>['redact'],
    stripId: stripId as SharedDialect<unknown>['stripId'],
    with: (types) => assemble(format, extend(known, types), wording),
    withWording: (words) => assemble(format, known, { ...wording, ...words })
  }
}

/** Makes the dialect of a format. What it returns for a caller's item is an item of the same format. */
export const buildDialect = <Base>(format: WireFormat): SharedDialect<Base> =>
  assemble(
    format,
    { types: format.types, answers: new Map(), refused: new Set() },
    defaultWording
  ) as SharedDialect<Base>
