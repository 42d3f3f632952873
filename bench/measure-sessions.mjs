/**
 * What is measured of sessions in a run?
 *
 * Law: runs `sessions.mjs` in a process of its own and hands on what it found of each store.
 */
import { runScript } from './processes.mjs'

/** One entry per store: its writes beside those by hand, and its reads. */
export const measureSessions = async ({ quick }) => {
  const sessions = []
  await runScript('sessions.mjs', { quick }, { onRow: (row) => sessions.push(row) })
  return sessions
}
