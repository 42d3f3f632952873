/**
 * What is remembered of the raw values that were read, and how is it forgotten again?
 *
 * Law: only this file writes to what a reading remembers. For a reader that can go back what is learnt is logged;
 * forgetting is linear in what was learnt since. It knows no wire type.
 *
 * Rules: ITEM-9.
 */
import type { DecodeNotice } from '../../ports/dialect.js'

/** What one reading remembers from the raw values it has passed. */
export interface Memory {
  /** The position that is being read, 0-based. */
  position: number
  notices: Array<DecodeNotice>
  /** Where each provider id was met first. */
  readonly ids: Map<string, number>
  /** The calls that were met, by `callKey`: whether the provider runs them. */
  readonly calls: Map<string, boolean>
  /** Call ids by what else names the call, such as the id of its item. */
  readonly callIds: Map<string, string>
  /** Names of which something was said that is said only once. */
  readonly noted: Map<string, true>
  /**
   * What was learnt, three entries for each: the map, the key, and what the map held for it before. Absent where
   * nobody will go back.
   */
  log: unknown[] | undefined
}

/** A memory of nothing: for a reading that starts, or for reading one raw value alone. */
export const startMemory = (): Memory => ({
  position: 0,
  notices: [],
  ids: new Map(),
  calls: new Map(),
  callIds: new Map(),
  noted: new Map(),
  log: undefined
})

/** Remembers a value under a key. No map of a memory holds `undefined`. */
export const learn = <Key, Value>(
  memory: Memory,
  map: Map<Key, Value>,
  key: Key,
  value: NonNullable<Value>
): void => {
  memory.log?.push(map, key, map.get(key))
  map.set(key, value)
}

/** Notes an oddity of the item that is being read. */
export const complain = (memory: Memory, kind: DecodeNotice['kind'], path: string, message: string): void => {
  memory.notices.push({ kind, position: memory.position, message: `${path}: ${message}`, path })
}

/** Whether this is the first time that a name is asked for. */
export const isNews = (memory: Memory, name: string): boolean => {
  if (memory.noted.has(name)) return false
  learn(memory, memory.noted, name, true)
  return true
}

/** Forgets what was logged and noticed since. Notices that were handed out before stay as they were. */
export const forget = (memory: Memory, logged: number, noticed: number): void => {
  const { log = [] } = memory
  while (log.length > logged) {
    const before = log.pop()
    const key = log.pop()
    const map = log.pop() as Map<unknown, unknown>
    if (before === undefined) map.delete(key)
    else map.set(key, before)
  }
  if (noticed < memory.notices.length) memory.notices = memory.notices.slice(0, noticed)
}
