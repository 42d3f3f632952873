/**
 * However a turn is run, streamed, saved while it runs, or cut off by a store that fails: one session.
 */
import { fc, test } from '@fast-check/vitest'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { expect } from 'vitest'
import type { Item } from '../../src/core/item.js'
import type { Outcome, PendingCheck } from '../../src/core/outcome.js'
import { neutral } from '../../src/dialects/neutral.js'
import type { SessionStore, StoreError } from '../../src/ports/session-store.js'
import {
  promises,
  runTurn,
  settle,
  streamTurn,
  type TurnReport,
  type Verdict
} from '../../src/runners/index.js'
import { memorySession } from '../../src/sessions/memory.js'
import { items, policy } from '../support/arbitraries.js'

/** How a drawn turn ends. */
type End = 'returns' | 'rejects' | 'rejects-output' | 'check-throws' | 'throws'

const ends = fc.constantFrom<End>('returns', 'rejects', 'rejects-output', 'check-throws', 'throws')

const broken = new Error('broken')

const pendingOf: Readonly<Record<End, PendingCheck>> = {
  returns: 'message',
  rejects: 'message',
  'rejects-output': 'output',
  'check-throws': 'message',
  throws: 'message'
}

const judgeAs = (end: End) => (): Verdict => {
  if (end === 'check-throws') throw broken
  if (end === 'returns' || end === 'throws') return { kind: 'accepted' }
  return { kind: 'rejected', deliverable: end === 'rejects' ? 'message' : 'output' }
}

const lost = (applied: 'no' | 'unknown'): StoreError => ({
  kind: 'unavailable',
  reason: 'connection',
  applied,
  message: 'lost'
})

/** What becomes of the saves, one after the other; after the last one the store is well. */
type Fault = 'well' | 'before' | 'after'

const faulty = (inner: SessionStore<Item>, faults: ReadonlyArray<Fault>): SessionStore<Item> => {
  let number = 0
  return {
    read: inner.read,
    progress: inner.progress,
    save: (write) => async () => {
      const fault = faults[number] ?? 'well'
      number += 1
      if (fault === 'before') return TE.left(lost('no'))()
      const receipt = await inner.save(write)()
      return fault === 'after' ? TE.left(lost('unknown'))() : receipt
    }
  }
}

test.prop([
  items,
  ends,
  policy,
  fc.array(fc.constantFrom<Fault>('well', 'before', 'after'), { maxLength: 8 })
])(
  'PLAN-26, PLAN-25: runTurn and streamTurn, saved at the end or while running, over a store that fails, leave one session',
  async (turn, end, chosen, faults) => {
    const known = {
      dialect: neutral,
      turn: 't',
      policy: chosen,
      pending: pendingOf[end],
      check: judgeAs(end)
    }
    const readThrown = (_thrown: unknown, stage: string) =>
      stage === 'check'
        ? ({ kind: 'failed', check: 'due' } as const)
        : ({ kind: 'failed', check: 'none' } as const)
    const produce = async function* (): AsyncGenerator<Item> {
      for (const item of turn) yield item
      if (end === 'throws') throw broken
    }
    const left: Array<{
      readonly session: ReadonlyArray<Item>
      readonly ending: string
      readonly outcome: Outcome
    }> = []
    for (const saves of ['at-the-end', 'while-running'] as const) {
      for (const form of ['run', 'stream'] as const) {
        for (const stored of [[], faults]) {
          const inner = memorySession<Item>()
          const session = faulty(inner, stored)
          const settings = { ...known, session, saves, readThrown }
          let report: TurnReport<unknown, Item>
          if (form === 'run') {
            report = await runTurn({
              ...settings,
              run: async (handle) => {
                for await (const item of produce()) await handle.add(item)
              }
            })()
          } else {
            const stream = streamTurn({ ...settings, stream: produce, itemsOf: (item) => [item] })
            try {
              for await (const _item of stream);
            } catch {
              // Told by the report.
            }
            report = await stream.report
          }
          const { outcome, pending } = report.settlement
          // A write that was not confirmed is sent again, and then the turn is settled again, as a restart would.
          if (pending !== null) await promises.resend(inner, pending)
          await settle({ ...known, session: inner, items: turn, outcome })()
          left.push({ session: await inner.getItems(), ending: report.ending.kind, outcome })
        }
      }
    }
    for (const one of left) {
      expect(one.session).toEqual(left[0]?.session)
      expect(one.ending).toBe(left[0]?.ending)
      expect(one.outcome.kind).toBe(left[0]?.outcome.kind)
    }
  }
)
