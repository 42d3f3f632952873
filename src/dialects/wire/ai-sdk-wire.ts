/**
 * Where does the AI SDK keep what a provider said of a part?
 *
 * Law: ids and signatures in `providerOptions` and `providerMetadata`, which hold an object for each provider. It
 * knows their names, not the parts around them.
 *
 * Rules: ITEM-9, BLOCK-4.
 */
import type { Reading } from './blocks/format.js'
import { type Draft, isWire, type Wire } from './decode.js'
import { withFields, withoutField } from './rewrite.js'

const signatureFields: ReadonlyArray<string> = [
  'signature',
  'redactedData',
  'thoughtSignature',
  'reasoningEncryptedContent'
]

const isFull = (value: unknown): boolean => typeof value === 'string' && value !== ''

/** The kinds of which a provider's own record has an id that can be left out. */
const carriesId: ReadonlySet<string> = new Set(['message', 'reasoning', 'call', 'compaction'])

/** Reads id and signature. Of several parts that are one item of the provider, the first has the id. */
export const readProviderData = (draft: Draft, data: unknown, reading: Reading): void => {
  const before = reading.previousId
  reading.previousId = undefined
  if (!isWire(data)) return
  for (const provider of Object.keys(data)) {
    const own = data[provider]
    if (!isWire(own)) continue
    const id = own['itemId']
    if (typeof id === 'string' && id !== '' && carriesId.has(draft.kind)) {
      reading.previousId ??= id
      if (id !== before) draft.id ??= id
    }
    if (signatureFields.some((name) => isFull(own[name]))) draft.signature = 'present'
  }
}

/** The same part without the ids of providers in a field. */
export const withoutProviderId = (part: Wire, field: string): Wire => {
  const data = part[field]
  if (!isWire(data)) return part
  const changes: Record<string, unknown> = {}
  for (const provider of Object.keys(data)) {
    const own = data[provider]
    if (isWire(own) && Object.hasOwn(own, 'itemId')) changes[provider] = withoutField(own, 'itemId')
  }
  return Object.keys(changes).length === 0 ? part : withFields(part, { [field]: withFields(data, changes) })
}
