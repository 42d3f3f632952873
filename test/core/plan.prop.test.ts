/** Planning, compared with the oracle along any sequence of saves, and the invariants that every plan keeps. */
import { test } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { answerOfDocument, answerOfOracle } from '../support/answers.js'
import { cutsDrawn, savingDrawn, sequencesDrawn, unfinishedDrawn } from '../support/drawn.js'
import { expectInvariants, expectOneSession, expectRepeatable, freezeDeep } from '../support/laws.js'
import { planByLibrary } from '../support/library.js'
import { oraclePlan, type Question } from '../support/oracle.js'
import { type Planned, type Saving, saveTurnBy } from '../support/saving.js'

const expectOracle = (question: Question, answer: Planned): void => {
  const wanted = answerOfOracle(oraclePlan(question))
  expect('error' in answer ? { error: answer.error } : answerOfDocument(answer.plan)).toEqual(wanted)
}

const expectOracleAlong = (saving: Saving): void => {
  for (const { question, answer } of saveTurnBy(planByLibrary, saving).asked) expectOracle(question, answer)
}

describe('planSave', () => {
  test.prop([savingDrawn])('equals the oracle for one ended save of any turn', expectOracleAlong)

  test.prop([sequencesDrawn])('equals the oracle at each step of any sequence of saves', expectOracleAlong)

  test.prop([unfinishedDrawn])(
    'equals the oracle at each step when items are partial or pending at first [PLAN-4, PLAN-6]',
    expectOracleAlong
  )

  test.prop([sequencesDrawn])('keeps invariants 1 to 5 and readable pairs, whatever is saved', (saving) => {
    expectInvariants(saveTurnBy(planByLibrary, saving))
  })

  test.prop([savingDrawn])('writes nothing when asked again [PLAN-25]', (saving) => {
    expectRepeatable(planByLibrary, saving)
  })

  test.prop([sequencesDrawn])(
    'writes nothing when the last of many saves is asked again [PLAN-25]',
    (saving) => {
      expectRepeatable(planByLibrary, saving)
    }
  )

  test.prop([cutsDrawn])('ends in one session however a turn is cut into open saves [PLAN-26]', (cut) => {
    expectOneSession(planByLibrary, cut)
  })

  test.prop([sequencesDrawn])('touches nothing that it is given [ITEM-1]', (saving) => {
    expectOracleAlong(freezeDeep(saving))
  })
})
