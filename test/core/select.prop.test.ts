/** Selection, compared with the oracle on any ended turn, and what selecting again changes. */
import { test } from '@fast-check/vitest'
import fc from 'fast-check'
import { describe, expect } from 'vitest'
import type { Item } from '../../src/core/item.js'
import type { EndedOutcome } from '../../src/core/outcome.js'
import { retain, selectItems } from '../../src/index.js'
import { drawnEnd, endAt, items, numberedItems, openCalls, policy } from '../support/arbitraries.js'
import { freezeDeep } from '../support/laws.js'
import { oracleSelect } from '../support/oracle.js'
import type { OracleEntry } from '../support/oracle.js'
import type { SelectQuestion } from '../support/oracle-select.js'

const positionsOf = (question: SelectQuestion, verdict: string): ReadonlyArray<number> =>
  oracleSelect(question).judgements.flatMap((one, position) => (one.verdict === verdict ? [position] : []))

/** The turn that a session holds: kept items, and a closing as the output that it is. */
const asTurn = (question: SelectQuestion, entries: ReadonlyArray<OracleEntry>): ReadonlyArray<Item> =>
  entries.map((entry) => {
    if (!('close' in entry)) return question.items[entry.position] as Item
    const { callId, namespace } = question.items[entry.close] as { callId?: string; namespace?: string }
    return {
      kind: 'output',
      execution: entry.as as 'interrupted' | 'skipped' | 'denied',
      ...(callId === undefined ? {} : { callId }),
      ...(namespace === undefined ? {} : { namespace })
    }
  })

describe('selectItems', () => {
  test.prop({ items, policy, end: drawnEnd, open: openCalls })(
    'equals the oracle for every ended turn and policy [SELECT-1 to SELECT-29]',
    ({ end, ...given }) => {
      const question = { ...given, outcome: endAt(end, given.items.length) }
      expect(selectItems(question)).toEqual({
        from: oracleSelect(question).from,
        keep: positionsOf(question, 'keep'),
        redact: positionsOf(question, 'redact'),
        withhold: positionsOf(question, 'withhold')
      })
    }
  )

  test.prop({ items, policy, end: drawnEnd, open: openCalls })(
    'touches nothing that it is given [ITEM-1]',
    (given) => {
      const question = { ...given, outcome: endAt(given.end, given.items.length) }
      const frozen = freezeDeep(structuredClone(question))
      expect(selectItems(frozen)).toEqual(selectItems(question))
      expect(frozen.items).toEqual(question.items)
    }
  )

  test.prop({ items: numberedItems, policy, end: drawnEnd, open: openCalls })(
    'changes nothing when it selects from a selection: invariant 6',
    ({ end, ...given }) => {
      const question = { ...given, outcome: endAt(end, given.items.length) }
      const { entries, from } = oracleSelect(question)
      // A call or reasoning that no model emitted starts no response, so it can lose its response with what was
      // withheld in front of it.
      const isTied = (item: Item): boolean => item.kind === 'reasoning' || item.kind === 'call'
      fc.pre(given.items.every((item) => !isTied(item) || (item.origin ?? 'model') === 'model'))
      // Under `executed` a closing that says nothing ran takes its call with it when both are rejected once more.
      fc.pre(
        given.policy.committed === 'answered' ||
          entries.every((entry) => !('close' in entry) || entry.as === 'interrupted')
      )
      const again = asTurn(question, entries)
      const mapped = entries.findIndex(
        (entry) => from !== null && ('close' in entry ? entry.close : entry.position) >= from
      )
      const { kind } = question.outcome
      const deliverable = question.outcome.kind === 'rejected' ? question.outcome.deliverable : 'message'
      // The part that was rejected is named by what is left of it.
      const outcome: EndedOutcome =
        from === null || kind === 'input-rejected'
          ? question.outcome
          : mapped === -1
            ? { kind: 'accepted' }
            : { kind: 'rejected', deliverable, from: mapped }
      const answer = selectItems({ ...question, items: again, outcome })
      expect(answer.withhold).toEqual([])
    }
  )
})

describe('retain', () => {
  test.prop({ items, policy, open: openCalls })(
    'is what a rejected message leaves, redactions aside',
    (given) => {
      const question = { ...given, outcome: { kind: 'rejected', deliverable: 'message' } as const }
      expect(retain(given)).toEqual(selectItems(question).keep)
    }
  )
})
