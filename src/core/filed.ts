/**
 * Which call has waited longest under a key.
 *
 * Law: only this file keeps waiting calls by namespace and call id, lets them queue, and supersedes them. Whether a call
 * has to be kept here at all is decided in `held.ts`. Complexity: constant per call.
 *
 * Rules: PAIR-4 to PAIR-6, PAIR-12.
 */
import type { Item, ItemFields, OpenCall } from './item.js'
import { Flag, Role } from './roles.js'
import { type CallQueue, type FiledCalls, NONE, type Scan, type Structure } from './structure.js'

/** Whether a call of this turn, or an open one, still waits for its output. */
const isWaiting = (structure: Structure, call: number): boolean =>
  call < 0 ? structure.openAnswered[-2 - call] === false : structure.links[call] === NONE

/** Files a waiting call under its key; it joins a queue there, or supersedes it (PAIR-4 to PAIR-6). */
export const fileCall = (structure: Structure, fields: ItemFields | OpenCall, call: number): void => {
  const { scan } = structure
  const { callId } = fields
  const filed = filedIn(scan, fields.namespace)
  scan.waiting += 1
  if (!scan.repeats) {
    const before = filed.size
    filed.set(callId, call)
    if (filed.size > before) return
    scan.repeats = true
    filed.set(callId, callBefore(structure, fields, call))
  }
  const known = filed.get(callId)
  const last = typeof known === 'object' ? known.calls[known.calls.length - 1] : known
  if (known === undefined || !isWaiting(structure, last as number)) filed.set(callId, call)
  else if (call >= 0 && (last as number) < structure.responseStart) {
    supersede(structure, known)
    filed.set(callId, call)
  } else filed.set(callId, joinQueue(structure, known, call))
}

/**
 * The last call with the key of a call before it: what the first key that is filed twice has replaced. Asked once, so
 * that every other key need not be looked up before it is filed.
 */
const callBefore = (
  { items, roles, open }: Structure,
  fields: ItemFields | OpenCall,
  call: number
): number => {
  const hasKey = (other: ItemFields | OpenCall): boolean =>
    other.callId === fields.callId && other.namespace === fields.namespace
  for (let position = call - 1; position >= 0; position -= 1) {
    const role = roles[position]
    const isCall = role === Role.call || role === Role.providerCall
    if (isCall && hasKey(items[position] as Item)) return position
  }
  let index = call < 0 ? -3 - call : open.length - 1
  while (!hasKey(open[index] as OpenCall)) index -= 1
  return -2 - index
}

/** The filed calls of a namespace. */
const filedIn = (scan: Scan, namespace: string | undefined): FiledCalls => {
  if (scan.filed !== undefined && scan.namespace === namespace) return scan.filed
  scan.calls ??= new Map()
  const filed = scan.calls.get(namespace) ?? new Map()
  scan.calls.set(namespace, filed)
  scan.filed = filed
  scan.namespace = namespace
  return filed
}

const joinQueue = (structure: Structure, known: number | CallQueue, call: number): CallQueue => {
  const queue = typeof known === 'number' ? { calls: [known], answered: 0 } : known
  queue.calls.push(call)
  if (call < 0) return queue
  const isFirst = structure.queues.size === 0
  const queues = isFirst ? new Map<number, CallQueue>() : (structure.queues as Map<number, CallQueue>)
  structure.queues = queues.set(call, queue)
  return queue
}

const supersede = (structure: Structure, known: number | CallQueue): void => {
  const calls = typeof known === 'number' ? [known] : known.calls.slice(known.answered)
  structure.scan.waiting -= calls.length
  for (const call of calls) {
    if (call < 0) continue
    structure.flags[call] = (structure.flags[call] as number) | Flag.superseded
    structure.superseded.push(call)
  }
}

/** More filed calls than this are forgotten once none of them waits, so that the next ones find a small map. */
const MANY = 32

/** The filed call that an output answers, which waits no longer; −1 if none waits. */
export const takeFiled = (structure: Structure, output: ItemFields): number => {
  const { scan } = structure
  const filed = filedIn(scan, output.namespace)
  const known = filed.get(output.callId)
  if (known === undefined) return NONE
  const call = typeof known === 'number' ? known : (known.calls[known.answered] ?? NONE)
  if (call === NONE || !isWaiting(structure, call)) return NONE
  if (typeof known !== 'number') known.answered += 1
  scan.waiting -= 1
  if (scan.waiting === 0 && filed.size > MANY) {
    scan.calls = undefined
    scan.filed = undefined
  }
  return call
}
