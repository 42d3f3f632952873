/**
 * The oracle itself keeps the invariants: a reading of the text that loses an effect would prove nothing.
 */
import { test } from '@fast-check/vitest'
import { describe } from 'vitest'
import { savingDrawn, sequencesDrawn, cutsDrawn, unfinishedDrawn } from '../support/drawn.js'
import { expectInvariants, expectOneSession, expectRepeatable } from '../support/laws.js'
import { planByOracle, saveTurnBy } from '../support/saving.js'

describe('the oracle', () => {
  test.prop([sequencesDrawn])('keeps invariants 1 to 5 and readable pairs, whatever is saved', (saving) => {
    expectInvariants(saveTurnBy(planByOracle, saving))
  })

  test.prop([unfinishedDrawn])('keeps them when items are partial or pending at first', (saving) => {
    expectInvariants(saveTurnBy(planByOracle, saving))
  })

  test.prop([savingDrawn])('writes nothing when asked again [PLAN-25]', (saving) => {
    expectRepeatable(planByOracle, saving)
  })

  test.prop([cutsDrawn])('ends in one session however a turn is cut into open saves [PLAN-26]', (cut) => {
    expectOneSession(planByOracle, cut)
  })
})
