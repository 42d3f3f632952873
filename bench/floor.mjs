/**
 * What must any program do that plans a turn?
 *
 * Law: only this file says what cannot be saved: one loop that reads the kind, origin, response and partial flag of
 * every item, one operation on a map for every call and output, and one byte stored for every item. It plans nothing.
 */

const KEPT = 1
const WITHHELD = 2

/** A byte for every item. */
export const floor = (items) => {
  const bytes = new Uint8Array(items.length)
  const calls = new Map()
  let last = -1
  for (let position = 0; position < items.length; position += 1) {
    const { kind, origin, response, partial, callId } = items[position]
    if (response !== undefined && response > last) last = response
    let byte = origin === 'user' || partial !== true ? KEPT : WITHHELD
    if (kind === 'call') calls.set(callId, position)
    else if (kind === 'output') byte = calls.get(callId) === undefined ? WITHHELD : KEPT
    bytes[position] = byte
  }
  return bytes
}

/** The map alone: what is taken off where memory beside the map is asked for. */
export const pairingMap = (items) => {
  const calls = new Map()
  for (let position = 0; position < items.length; position += 1) {
    const { kind, callId } = items[position]
    if (kind === 'call') calls.set(callId, position)
  }
  return calls
}
