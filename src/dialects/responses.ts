/**
 * The items of the OpenAI Responses API.
 *
 * Law: only this file says which raw type the `responses` dialect has. An item is one entry of `input` or `output`,
 * as the API or its SDK types have it; a message may lack its type. What each type becomes: docs/reference/dialects.md.
 */
import type { SharedDialect } from '../ports/dialect.js'
import { withoutField } from './wire/rewrite.js'
import { buildDialect } from './wire/build.js'
import {
  closeResponses,
  readResponsesFields,
  redactResponses,
  responsesTypes
} from './wire/responses-wire.js'

/** What the dialect needs to know of an item's type; every input and output item of the API has this shape. */
export interface ResponsesItem {
  readonly type?: string | null | undefined
  readonly id?: string | null | undefined
}

/**
 * Reads and writes Responses items.
 *
 * Errors: `decode` when the input is no list. Rules: ITEM-1, ITEM-5, ITEM-9. Complexity: linear.
 *
 * @example
 * const decoded = responses.decode([{ type: 'function_call', call_id: 'c1', name: 'pay', arguments: '{}' }])
 * decoded._tag === 'Right' && decoded.right.items[0] // => { kind: 'call', namespace: 'function', callId: 'c1' }
 */
export const responses: SharedDialect<ResponsesItem> = buildDialect({
  name: 'responses',
  types: responsesTypes,
  readFields: readResponsesFields,
  close: closeResponses,
  redact: redactResponses,
  stripId: (raw) => withoutField(raw, 'id')
})
