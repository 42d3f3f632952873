/**
 * How does a format of messages become a dialect?
 *
 * Law: the assembly of a format, a host's own types and the wording. It names no provider's field.
 *
 * Rules: ITEM-1, ITEM-9.
 */
import type { Extension, SharedBlockDialect, Wording } from '../../../ports/dialect.js'
import { type Reading, startReader } from '../decode.js'
import { defaultWording } from '../wording.js'
import { decodeMessages, readMessages } from './flatten.js'
import { ruleOfExtension, type BlockFormat, type PartRule, type PartTable } from './format.js'
import { rebuildMessages } from './rebuild.js'

const extendTypes = (
  format: BlockFormat,
  types: PartTable,
  declared: Readonly<Record<string, Extension>>
): PartTable => {
  const all = new Map<string, PartRule>(types)
  for (const name of Object.keys(declared)) {
    const extension = declared[name]
    if (extension !== undefined && !format.types.has(name)) all.set(name, ruleOfExtension(format, extension))
  }
  return all
}

const assemble = (
  format: BlockFormat,
  types: PartTable,
  refused: ReadonlySet<string>,
  wording: Wording
): SharedBlockDialect<unknown> => {
  const start = (): Reading => readMessages(format, types, refused)
  return {
    name: format.name,
    decode: (messages) => decodeMessages(messages, format, start()),
    startReading: () => startReader(start()),
    rebuild: (question) => rebuildMessages(question, format, wording),
    with: (declared) => {
      const known = Object.keys(declared).filter((name) => format.types.has(name))
      return assemble(format, extendTypes(format, types, declared), new Set([...refused, ...known]), wording)
    },
    withWording: (words) => assemble(format, types, refused, { ...wording, ...words })
  }
}

/** Makes the dialect of a format. What it returns for a caller's message is a message of the same format. */
export const buildBlockDialect = <Base>(format: BlockFormat): SharedBlockDialect<Base> =>
  assemble(format, format.types, new Set(), defaultWording) as SharedBlockDialect<Base>
