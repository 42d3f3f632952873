/**
 * Which call made a call, and which call an approval is about.
 *
 * Law: only this file follows `parent` and approvals. Almost no turn has either, so the maps that it needs are made
 * when the first one is seen, from the calls before it. Complexity: linear; each call is read once more at most.
 *
 * Rules: PAIR-10, PAIR-11.
 */
import type { Item, ItemFields, OpenCall } from './item.js'
import { Role } from './roles.js'
import { NONE, type Structure } from './structure.js'

/** A key of namespace and call id that no two pairs share. */
const keyOf = (namespace: string | undefined, callId: string): string =>
  `${namespace === undefined ? '' : `${namespace.length}:${namespace}`}|${callId}`

/** Calls `visit` with every complete call before a position that has an id. */
const visitCalls = (
  structure: Structure,
  before: number,
  visit: (callId: string, namespace: string | undefined, position: number) => void
): void => {
  for (let position = 0; position < before; position += 1) {
    const role = structure.roles[position] as number
    if (role < Role.call || role > Role.selfContained) continue
    const call: ItemFields = structure.items[position] as Item
    if (call.callId !== undefined) visit(call.callId, call.namespace, position)
  }
}

/** Notes the parent of a complete call, and the approvals that waited for it. */
export const referCall = (structure: Structure, call: ItemFields, position: number): void => {
  const { scan } = structure
  if (call.parent !== undefined) noteParent(structure, call.parent, position)
  if (call.callId === undefined) return
  scan.callsById?.set(call.callId, position)
  if (scan.callsByKey === undefined) return
  const key = keyOf(call.namespace, call.callId)
  scan.callsByKey.set(key, position)
  const waiting = scan.waitingApprovals?.get(key)
  if (waiting === undefined) return
  for (const approval of waiting) structure.links[approval] = position
  structure.touched = Math.min(structure.touched, waiting[0] as number)
  scan.waitingApprovals?.delete(key)
}

const noteParent = (structure: Structure, parentId: string, position: number): void => {
  const { scan } = structure
  if (scan.callsById === undefined) {
    const calls = new Map<string, number>()
    visitCalls(structure, position, (callId, _, earlier) => calls.set(callId, earlier))
    scan.callsById = calls
  }
  const parent = scan.callsById.get(parentId)
  if (parent === undefined) return
  const parents =
    structure.parents.size === 0 ? new Map<number, number>() : (structure.parents as Map<number, number>)
  structure.parents = parents.set(position, parent)
  structure.touched = Math.min(structure.touched, parent)
}

/** Links an approval to its call, if that has come, or lets it wait. */
export const referApproval = (structure: Structure, approval: ItemFields, position: number): void => {
  const { scan } = structure
  structure.approvals.push(position)
  if (approval.callId === undefined) return
  if (scan.callsByKey === undefined) {
    const calls = new Map<string, number>()
    visitCalls(structure, position, (callId, namespace, earlier) =>
      calls.set(keyOf(namespace, callId), earlier)
    )
    scan.callsByKey = calls
  }
  const key = keyOf(approval.namespace, approval.callId)
  const call = scan.callsByKey.get(key)
  structure.links[position] = call ?? openCallOf(structure.open, key)
  if (call !== undefined) return
  scan.waitingApprovals ??= new Map()
  const waiting = scan.waitingApprovals.get(key)
  if (waiting === undefined) scan.waitingApprovals.set(key, [position])
  else waiting.push(position)
}

const openCallOf = (open: ReadonlyArray<OpenCall>, key: string): number => {
  for (let index = 0; index < open.length; index += 1) {
    const call = open[index] as OpenCall
    if (keyOf(call.namespace, call.callId) === key) return -2 - index
  }
  return NONE
}
