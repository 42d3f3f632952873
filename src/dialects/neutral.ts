/**
 * The items of the specification themselves, as JSON.
 *
 * Law: only this file reads neutral JSON. A field that does not fit is left out and reported; `null` and a flag that
 * is `false` mean that a field is absent, as some languages write it. Only fields that a kind has are read.
 *
 * Rules: ITEM-4, ITEM-5, ITEM-9.
 */
import * as t from 'io-ts'
import type { Item, ItemKind } from '../core/item.js'
import type { Extension, SharedDialect } from '../ports/dialect.js'
import {
  decodeList,
  isWire,
  nameOf,
  readItems,
  sortOf,
  startReader,
  type Draft,
  type Wire
} from './wire/decode.js'
import { complain, isNews, type Memory } from './wire/memory.js'
import { withFields, withoutField } from './wire/rewrite.js'

/** An item of the specification; fields of a host's own may stand beside. */
export interface NeutralItem {
  readonly kind: string
}

interface Check {
  readonly name: Exclude<keyof Draft, 'kind'>
  readonly codec: t.Mixed
  readonly expected: string
}

const oneOf = (...values: ReadonlyArray<string>): Pick<Check, 'codec' | 'expected'> => ({
  codec: t.keyof(Object.fromEntries(values.map((value) => [value, null]))),
  expected: `one of ${values.join(', ')}`
})

const string: Pick<Check, 'codec' | 'expected'> = { codec: t.string, expected: 'a string' }
const flag: Pick<Check, 'codec' | 'expected'> = { codec: t.literal(true), expected: 'true' }
const source: t.Mixed = t.type({ message: t.number, part: t.number })

const everyKind: ReadonlyArray<Check> = [
  { name: 'origin', ...oneOf('model', 'runner', 'user') },
  { name: 'id', ...string },
  { name: 'partial', ...flag },
  { name: 'response', codec: t.number, expected: 'a number' },
  { name: 'source', codec: source, expected: 'an object of the numbers message and part' },
  { name: 'role', ...oneOf('system') },
  { name: 'signature', ...oneOf('present', 'missing', 'partial', 'stale', 'none') },
  { name: 'requiresReasoning', ...string },
  { name: 'run', ...string },
  { name: 'sequence', codec: t.number, expected: 'a number' }
]
const joined: ReadonlyArray<Check> = [
  ...everyKind,
  { name: 'callId', ...string },
  { name: 'namespace', ...string }
]

const checksOfKind: { readonly [K in ItemKind]: ReadonlyArray<Check> } = {
  message: everyKind,
  reasoning: everyKind,
  call: [
    ...joined,
    { name: 'parent', ...string },
    { name: 'selfContained', ...flag },
    { name: 'executor', ...oneOf('runner', 'provider') },
    { name: 'execution', ...oneOf('running', 'pending', 'skipped', 'denied') }
  ],
  output: [
    ...joined,
    { name: 'execution', ...oneOf('executed', 'failed', 'denied', 'skipped', 'interrupted', 'pending') }
  ],
  approval: joined,
  compaction: everyKind,
  context: everyKind,
  marker: joined,
  unclassified: everyKind
}

type Kinds = ReadonlyMap<string, { readonly kind: ItemKind } & Readonly<Record<string, unknown>>>

const ownKinds: Kinds = new Map(
  (Object.keys(checksOfKind) as ReadonlyArray<ItemKind>).map((kind) => [kind, { kind }])
)

const readFields = (draft: Draft, raw: Wire, memory: Memory, path: string): void => {
  for (const check of checksOfKind[draft.kind]) {
    const value = raw[check.name]
    if (value === undefined || value === null) continue
    if (value === false && check.codec === flag.codec) continue
    if (check.codec.is(value)) (draft as Record<string, unknown>)[check.name] = value
    else {
      const where = `${path}.${check.name}`
      complain(
        memory,
        'wrong-field',
        where,
        `expected ${check.expected}, received ${sortOf(value)}; the field is not used`
      )
    }
  }
}

const readUnclassified = (raw: Wire, memory: Memory, path: string, field: string, message: string): Item => {
  complain(memory, 'unclassified', `${path}.${field}`, `${message}; the item is read as unclassified`)
  const draft: Draft = { kind: 'unclassified' }
  readFields(draft, raw, memory, path)
  return draft as Item
}

const readNeutral =
  (kinds: Kinds, refused: ReadonlySet<string>) =>
  (raw: unknown, memory: Memory, path: string): Item => {
    if (!isWire(raw)) {
      complain(memory, 'unclassified', path, `expected an object, received ${sortOf(raw)}`)
      return { kind: 'unclassified' }
    }
    const name = raw['kind']
    if (typeof name !== 'string') {
      return readUnclassified(raw, memory, path, 'kind', `expected a string, received ${sortOf(name)}`)
    }
    const known = kinds.get(name)
    if (known === undefined) {
      return readUnclassified(
        raw,
        memory,
        path,
        'kind',
        `expected one of the nine kinds, found ${nameOf(name)}`
      )
    }
    if (refused.has(name) && isNews(memory, name)) {
      const message = `${nameOf(name)} is a kind of the specification; what the host declared for it is not used`
      complain(memory, 'wrong-field', `${path}.kind`, message)
    }
    const draft: Draft = { ...known }
    readFields(draft, raw, memory, path)
    if (draft.callId === undefined && draft.namespace !== 'tool-search') {
      if (draft.kind === 'call' && draft.selfContained !== true) {
        complain(
          memory,
          'missing-call-id',
          `${path}.callId`,
          'expected a call id; the call is read as unclassified'
        )
        const rest: Draft = { kind: 'unclassified' }
        for (const field of everyKind) {
          if (field.name in draft) Object.assign(rest, { [field.name]: draft[field.name] })
        }
        return rest as Item
      }
      if (draft.kind === 'output') {
        complain(
          memory,
          'missing-call-id',
          `${path}.callId`,
          'expected a call id; the output answers nothing'
        )
      }
    }
    return draft as Item
  }

const closing = (item: Item, as: string): Wire => {
  const call = item.kind === 'call' ? item : undefined
  return {
    kind: 'output',
    ...(call?.callId === undefined ? {} : { callId: call.callId }),
    ...(call?.namespace === undefined ? {} : { namespace: call.namespace }),
    execution: as
  }
}

const extendKinds = (kinds: Kinds, declared: Readonly<Record<string, Extension>>): Kinds => {
  const all = new Map(kinds)
  for (const name of Object.keys(declared)) {
    const extension = declared[name]
    if (extension === undefined || kinds.has(name)) continue
    all.set(name, typeof extension === 'string' ? { kind: extension } : extension)
  }
  return all
}

const assemble = (kinds: Kinds, refused: ReadonlySet<string>): SharedDialect<unknown> => ({
  name: 'neutral',
  decode: (raws) => decodeList(raws, readItems(readNeutral(kinds, refused))),
  startReading: () => startReader(readItems(readNeutral(kinds, refused))),
  close: ((_call: unknown, item: Item, as: string) => closing(item, as)) as SharedDialect<unknown>['close'],
  redact: ((output: unknown) =>
    isWire(output) ? withFields(output, { redacted: true }) : output) as SharedDialect<unknown>['redact'],
  stripId: ((raw: unknown) =>
    isWire(raw) ? withoutField(raw, 'id') : raw) as SharedDialect<unknown>['stripId'],
  with: (types) => {
    const known = Object.keys(types).filter((name) => kinds.has(name))
    return assemble(extendKinds(kinds, types), new Set([...refused, ...known]))
  },
  withWording: () => assemble(kinds, refused)
})

/**
 * Reads and writes the items of the specification.
 *
 * A neutral item has no payload: redacting marks it with `redacted: true` and leaves a host's own fields alone.
 *
 * Errors: `decode` when the input is no list. Rules: ITEM-1, ITEM-4, ITEM-5, ITEM-9. Complexity: linear.
 *
 * @example
 * const decoded = neutral.decode([{ kind: 'message', response: 'x' }])
 * decoded._tag === 'Right' && decoded.right.notices[0]?.path // => '[0].response'
 */
export const neutral: SharedDialect<NeutralItem> = assemble(ownKinds, new Set()) as SharedDialect<NeutralItem>
