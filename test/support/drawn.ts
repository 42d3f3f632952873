/**
 * Whole savings drawn at random: what is saved, into which store, in which steps.
 */
import fc from 'fast-check'
import type { EndedOutcome } from '../../src/core/outcome.js'
import * as drawn from './arbitraries.js'
import { readTurn } from './oracle-turn.js'
import type { Saving } from './saving.js'
import { checkToCome } from './vectors.js'

const given = {
  items: drawn.items,
  policy: drawn.policy,
  store: drawn.store,
  open: drawn.openCalls,
  saves: drawn.saves
}

/** A turn that grows and is judged, and judged again, in any order. */
export const sequencesDrawn: fc.Arbitrary<Saving> = fc
  .record(given)
  .map(({ items, policy, store, open, saves }) => ({
    policy,
    store,
    open,
    steps: drawn.layOut(saves, items.length).map(({ length, outcome, fate }) => ({
      items: items.slice(0, length),
      outcome,
      fate
    }))
  }))

/**
 * Whether each item is in the response, and each output with the call, that it was with when it was stored. An output
 * that becomes real at its place can start a response at what stands behind it, or take the call of a later output.
 * Nothing that is remembered could tell.
 */
const keepsStructure = (saving: Saving): boolean => {
  const last = readTurn(saving.steps[saving.steps.length - 1]?.items ?? [], saving.open)
  return saving.steps.every((step) => {
    const turn = readTurn(step.items, saving.open)
    return (
      turn.response.every((response, position) => response === last.response[position]) &&
      [...turn.answers].every(
        ([output, target]) => JSON.stringify(last.answers.get(output)) === JSON.stringify(target)
      )
    )
  })
}

/** The same, but some items are still partial or pending at first. */
export const unfinishedDrawn: fc.Arbitrary<Saving> = fc
  .record({ ...given, unfinished: drawn.unfinished })
  .map(({ items, policy, store, open, saves, unfinished }) => ({
    policy,
    store,
    open,
    steps: drawn.layOut(saves, items.length).map(({ length, outcome, fate }, index) => ({
      items: drawn.asUnfinished(items, unfinished, index).slice(0, length),
      outcome,
      fate
    }))
  }))
  .filter(keepsStructure)

/** One ended save of a whole turn. */
export const savingDrawn: fc.Arbitrary<Saving & { readonly outcome: EndedOutcome }> = fc
  .record({
    items: drawn.items,
    policy: drawn.policy,
    store: drawn.store,
    open: drawn.openCalls,
    end: drawn.drawnEnd
  })
  .map(({ items, policy, store, open, end }) => {
    const outcome = drawn.endAt(end, items.length)
    return { policy, store, open, outcome, steps: [{ items, outcome }] }
  })

export interface Cut {
  /** The turn saved once, at its end. */
  readonly whole: Saving
  /** The same turn, saved before while it was open, naming the check to come. */
  readonly cut: Saving
}

/**
 * A rejection names no `from` here: a pending check may reject the last response, and where that starts is known
 * only when the turn has ended (PLAN-2).
 */
export const cutsDrawn: fc.Arbitrary<Cut> = fc
  .record({
    items: drawn.items,
    policy: drawn.policy,
    store: drawn.store,
    open: drawn.openCalls,
    end: drawn.drawnEnd,
    shares: fc.array(drawn.share, { minLength: 1, maxLength: 4 })
  })
  .map(({ items, policy, store, open, end, shares }) => {
    const { outcome } = end
    const check = checkToCome(outcome, policy)
    const lengths = shares
      .map((share) => Math.round(share * items.length))
      .sort((left, right) => left - right)
    const last = { items, outcome }
    const before = lengths.map((length) => ({
      items: items.slice(0, length),
      outcome: { kind: 'open', check } as const
    }))
    const whole = { policy, store, open, steps: [last] }
    return { whole, cut: { ...whole, steps: [...before, last] } }
  })
