/**
 * Which calls wait for their outputs, and where they are kept.
 *
 * Law: only this file decides whether a waiting call is kept by its key. Most outputs follow their calls at once, so a
 * few calls, whose keys all differ, are held in a list and compared one by one; more calls, and calls of one key, are
 * filed. While a filed call waits, none is held. Complexity: constant per call and output.
 *
 * Rules: PAIR-3 to PAIR-7.
 */
import { fileCall, takeFiled } from './filed.js'
import type { Item, ItemFields } from './item.js'
import { ANONYMOUS_NAMESPACE } from './roles.js'
import { NONE, type Structure } from './structure.js'

/** How many calls are held at most: an output may have to be compared with all of them. */
const FEW = 6

/** Where in the list the call of a key is; −1 if it is not held. */
const findHeld = ({ items, scan }: Structure, { callId, namespace }: ItemFields): number => {
  const { held } = scan
  for (let index = 0; index < held.length; index += 1) {
    const call: ItemFields = items[held[index] as number] as Item
    if (call.callId === callId && call.namespace === namespace) return index
  }
  return NONE
}

/** Lets a complete call wait for its output. */
export const awaitOutput = (structure: Structure, call: ItemFields, position: number): void => {
  const { held, waiting } = structure.scan
  if (waiting === 0) {
    if (held.length < FEW && findHeld(structure, call) === NONE) {
      held.push(position)
      return
    }
    fileHeld(structure)
  }
  fileCall(structure, call, position)
}

/** Files all held calls. */
const fileHeld = (structure: Structure): void => {
  const { held } = structure.scan
  for (const position of held) fileCall(structure, structure.items[position] as Item, position)
  held.length = 0
}

/** The call that an output answers, which waits no longer; −1 if none waits. */
export const takeCall = (structure: Structure, output: ItemFields): number => {
  const { scan } = structure
  if (typeof output.callId !== 'string' && output.namespace !== ANONYMOUS_NAMESPACE) return NONE
  if (scan.waiting > 0) return takeFiled(structure, output)
  const index = findHeld(structure, output)
  return index === NONE ? NONE : takeHeld(scan.held, index)
}

const takeHeld = (held: number[], index: number): number => {
  const call = held[index] as number
  for (let later = index + 1; later < held.length; later += 1) held[later - 1] = held[later] as number
  held.pop()
  return call
}
