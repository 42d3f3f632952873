/** Laws of repair, on any history and any profile. */
import { test } from '@fast-check/vitest'
import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { audit } from '../../src/core/audit.js'
import type { Item } from '../../src/core/item.js'
import { pairCalls } from '../../src/core/pair.js'
import { profiles } from '../../src/core/profile.js'
import { type RepairAnswer, repair } from '../../src/core/repair.js'
import { openCalls } from '../support/arbitraries.js'
import { history, profile } from '../support/histories.js'

const question = fc.record({ items: history, profile, open: openCalls, atRest: fc.boolean() })

const known = fc.constantFrom(...Object.values(profiles))

const errorsOf = (question: Parameters<typeof audit>[0]): ReadonlyArray<string> =>
  audit(question)
    .violations.filter((violation) => violation.severity === 'error')
    .map((violation) => violation.rule)

const keptOf = (answer: RepairAnswer): ReadonlyArray<number> =>
  answer.order.filter((position) => position >= 0)

/** An item that says nothing of runs, responses or an emission order, with no id to share, of the runner's own tools. */
const withoutOrders = (item: Item): Item => {
  const { run: _run, sequence: _sequence, response: _response, id: _id, partial: _partial, ...rest } = item
  const { executor: _executor, ...own } = rest as { readonly executor?: string }
  return (item.kind === 'output' ? { ...own, origin: 'runner' } : own) as Item
}

describe('repair', () => {
  test.prop({ question })('leaves no error that it does not name [REPAIR-26]', ({ question: asked }) => {
    const answer = repair(asked)
    expect(errorsOf({ ...asked, items: answer.items })).toEqual(answer.remaining.map((each) => each.rule))
  })

  test.prop({ question })('made twice equals made once [REPAIR-27]', ({ question: asked }) => {
    const once = repair(asked)
    const twice = repair({ ...asked, items: once.items })
    expect(twice.edits).toEqual([])
    expect(twice.items).toBe(once.items)
  })

  test.prop({ question })(
    'returns a clean history as the same reference [REPAIR-1]',
    ({ question: asked }) => {
      fc.pre(errorsOf(asked).length === 0)
      const answer = repair(asked)
      expect(answer.items).toBe(asked.items)
      expect(answer.edits).toEqual([])
      expect(answer.remaining).toEqual([])
    }
  )

  test.prop({ question })(
    'makes up no result: what is new is a closing [REPAIR-2]',
    ({ question: asked }) => {
      const given = new Set<Item>(asked.items)
      const answer = repair(asked)
      const stripped = new Set(answer.edits.flatMap((edit) => ('stripId' in edit ? [edit.stripId] : [])))
      for (const [index, item] of answer.items.entries()) {
        const position = answer.order[index] as number
        if (position < 0) {
          expect(asked.items[-1 - position]?.kind).toBe('call')
          expect(item.kind).toBe('output')
          expect(['interrupted', 'skipped', 'denied']).toContain((item as { execution?: string }).execution)
        } else if (stripped.has(position)) {
          const { id: _, ...rest } = asked.items[position] as Item
          expect(item).toEqual(rest)
        } else expect(given.has(item) && item === asked.items[position]).toBe(true)
      }
    }
  )

  test.prop({ question })(
    'keeps what it has no reason to drop, once [REPAIR-3, REPAIR-24]',
    ({ question: asked }) => {
      const answer = repair(asked)
      const dropped = answer.edits.flatMap((edit) => ('drop' in edit ? [edit.drop] : []))
      const all = [...keptOf(answer), ...dropped].sort((left, right) => left - right)
      expect(all).toEqual(asked.items.map((_, position) => position))
    }
  )

  test.prop({
    question: fc.record({ items: history, profile: known, open: openCalls, atRest: fc.boolean() })
  })(
    'leaves each call its result under the profiles of providers, where neither runs nor an emission order say more [REPAIR-13] [REPAIR-14]',
    ({ question: asked }) => {
      const items = asked.items.map(withoutOrders)
      const answer = repair({ ...asked, items })
      const placeOf = new Map(answer.order.map((position, place) => [position, place]))
      const before = pairCalls({ items, open: asked.open }).pairs
      const after = new Map(pairCalls({ items: answer.items, open: asked.open }).pairs)
      for (const [call, output] of before) {
        if (placeOf.has(call) && placeOf.has(output))
          expect(after.get(placeOf.get(call) as number)).toBe(placeOf.get(output))
      }
    }
  )

  test.prop({ question })('can be followed from its edits [REPAIR-24, REPAIR-25]', ({ question: asked }) => {
    const answer = repair(asked)
    const dropped = new Set(answer.edits.flatMap((edit) => ('drop' in edit ? [edit.drop] : [])))
    const moved = new Set(answer.edits.flatMap((edit) => ('move' in edit ? [edit.move] : [])))
    const stays = asked.items
      .map((_, position) => position)
      .filter((each) => !dropped.has(each) && !moved.has(each))
    expect(keptOf(answer).filter((each) => !moved.has(each))).toEqual(stays)
    for (const edit of answer.edits) {
      if (!('after' in edit)) continue
      const subject = 'move' in edit ? edit.move : -1 - edit.close
      const before = answer.order.slice(0, answer.order.indexOf(subject)).filter((each) => each >= 0)
      expect(before.at(-1) ?? null).toBe(edit.after)
    }
  })

  test.prop({ question })('leaves user input and warnings alone [REPAIR-3]', ({ question: asked }) => {
    const answer = repair(asked)
    const kept = new Set(keptOf(answer))
    for (const [position, item] of asked.items.entries()) {
      if (item.kind !== 'message' && item.kind !== 'unclassified' && item.kind !== 'compaction') continue
      if (
        asked.items.some(
          (other, earlier) => earlier < position && other.id !== undefined && other.id === item.id
        )
      )
        continue
      expect(kept.has(position)).toBe(true)
    }
  })
})
