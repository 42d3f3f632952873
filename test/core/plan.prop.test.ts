/** Planning, compared with the oracle along any sequence of saves, and the invariants that every plan keeps. */
import { test } from '@fast-check/vitest'
import fc from 'fast-check'
import { describe, expect } from 'vitest'
import type { Item } from '../../src/core/item.js'
import type { Progress } from '../../src/core/progress.js'
import { answerOfDocument, answerOfOracle } from '../support/answers.js'
import { policy } from '../support/arbitraries.js'
import { cutsDrawn, savingDrawn, sequencesDrawn, unfinishedDrawn } from '../support/drawn.js'
import { expectInvariants, expectOneSession, expectRepeatable, freezeDeep } from '../support/laws.js'
import { planByLibrary } from '../support/library.js'
import { isWellFormed, oraclePlan, type Question } from '../support/oracle.js'
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

/** A digest must differ; kind and id decide, the payload does not. */
const foreign: ReadonlyArray<(item: Item) => Item> = [
  (item) => ({ ...item, id: `${item.id ?? ''}'` }),
  (item) => ({ ...item, origin: item.origin === 'user' ? 'runner' : 'user' }),
  (item) => ({ ...item, kind: item.kind === 'message' ? 'context' : 'message' }) as Item
]

describe('planSave and the progress of another turn', () => {
  const stored = fc
    .tuple(savingDrawn, fc.nat(63), fc.constantFrom(...foreign))
    .map(([saving, at, change]) => ({ saving, at, change, saved: saveTurnBy(planByLibrary, saving) }))
    .filter(({ saved, saving }) => saved.progress.settled > 0 && (saving.steps[0]?.items.length ?? 0) <= 64)

  test.prop([stored])('says edge-mismatch for any settled item that is another one [PROGRESS-7]', (given) => {
    const { saving, saved, at, change } = given
    const items = [...(saving.steps[0]?.items ?? [])]
    const position = at % saved.progress.settled
    items[position] = change(items[position] as Item)
    const { progress } = saved
    const question = { ...saving, items, outcome: saving.outcome, turn: progress.turn, progress }
    expect(planByLibrary(question)).toEqual({ error: 'edge-mismatch' })
  })

  test.prop([stored, policy])('says edge-mismatch for any other policy [PROGRESS-7]', (given, other) => {
    const { saving, saved } = given
    fc.pre(JSON.stringify({ ...saving.policy }) !== JSON.stringify({ ...saving.policy, ...other }))
    const items = saving.steps[0]?.items ?? []
    const question = { ...saving, policy: other, items, turn: saved.progress.turn, progress: saved.progress }
    expect(planByLibrary(question)).toEqual({ error: 'edge-mismatch' })
  })

  test.prop([stored])('says foreign-turn for the turn of another id [PROGRESS-5]', ({ saving, saved }) => {
    const items = saving.steps[0]?.items ?? []
    const question = { ...saving, items, turn: 'another', progress: saved.progress }
    expect(planByLibrary(question)).toEqual({ error: 'foreign-turn' })
  })

  test.prop([stored])(
    'says beyond-turn for a list that has become shorter [PLAN-27]',
    ({ saving, saved }) => {
      const items = (saving.steps[0]?.items ?? []).slice(0, -1)
      const question = { ...saving, items, outcome: { kind: 'accepted' } as const }
      expect(planByLibrary({ ...question, turn: saved.progress.turn, progress: saved.progress })).toEqual({
        error: 'beyond-turn'
      })
    }
  )
})

describe('planSave and a damaged progress', () => {
  const damages = fc.record({
    field: fc.constantFrom('revision', 'settled', 'final', 'sealed', 'written'),
    value: fc.constantFrom(-1, 0.5, 1, 2, 3, 99)
  })
  const sets = fc.record({
    field: fc.constantFrom('withheld', 'ahead', 'closed', 'redacted'),
    value: fc.array(fc.constantFrom(-1, 0, 1, 2, 3, 0.5), { maxLength: 3 })
  })

  test.prop([sequencesDrawn, fc.oneof(damages, sets)])(
    'is refused where, and only where, it is malformed [PROGRESS-9]',
    (saving, { field, value }) => {
      const saved = saveTurnBy(planByLibrary, saving)
      const last = saving.steps[saving.steps.length - 1]
      const progress = { ...saved.progress, [field]: value } as Progress
      const question = { ...saving, ...last, items: last?.items ?? [], turn: progress.turn, progress }
      const answer = planByLibrary({ ...question, outcome: last?.outcome ?? { kind: 'accepted' } })
      const isRefused = 'error' in answer && answer.error === 'invalid-input'
      expect({ progress, isRefused }).toEqual({ progress, isRefused: !isWellFormed(progress) })
    }
  )
})

describe('the operation of a plan', () => {
  const operationOf = (answer: Planned): string => ('error' in answer ? answer.error : answer.plan.operation)

  test.prop([sequencesDrawn])('is equal on retry and differs between two saves [PROGRESS-8]', (saving) => {
    const { asked } = saveTurnBy(planByLibrary, saving)
    const written = new Map<string, string>()
    for (const { question, answer } of asked) {
      if ('error' in answer) continue
      expect(operationOf(planByLibrary(question))).toBe(answer.plan.operation)
      const fact = JSON.stringify([answer.plan.writes, answer.plan.after])
      expect(written.get(answer.plan.operation) ?? fact).toBe(fact)
      written.set(answer.plan.operation, fact)
    }
  })

  test.prop([savingDrawn])('differs between two turns of one shape [PROGRESS-8]', (saving) => {
    const operations = ['one', 'two'].map((turn) => {
      const [asked] = saveTurnBy(planByLibrary, { ...saving, turn }).asked
      return asked === undefined ? turn : operationOf(asked.answer)
    })
    expect(operations[0]).not.toBe(operations[1])
  })
})
