/**
 * Every vector of the specification: as it stands, at every split, and twice.
 */
import { describe, expect, it } from 'vitest'
import type { Progress } from '../src/core/progress.js'
import { associateReasoning, pairCalls } from '../src/index.js'
import { answerOfDocument, answerOfExpectation, narrowTo } from './support/answers.js'
import { expectOneSession, expectRepeatable } from './support/laws.js'
import { planByLibrary } from './support/library.js'
import {
  checkToCome,
  isPlanned,
  loadVectors,
  resolvePolicy,
  savesOf,
  type Vector
} from './support/vectors.js'

const all = loadVectors()
// What a dialect has to read first (ITEM-9) is asked through the answer of a question, in test/conformance.
const isDecoded = (vector: Vector): boolean => vector.malformed === true && vector.rules.includes('ITEM-9')
const neutral = all.filter((vector) => vector.input?.dialect === undefined && !isDecoded(vector))
const planned = neutral.filter((vector) => vector.level === 'select' || vector.level === 'plan')

describe('the vectors', () => {
  it('have a name each', () => {
    expect(planned.length).toBeGreaterThan(0)
    expect(new Set(all.map((vector) => vector.name)).size).toBe(all.length)
  })
})

describe('a vector, whole', () => {
  it.each(planned)('$name $rules', (vector) => {
    let progress: Progress | undefined
    for (const save of savesOf(vector)) {
      const { expect: expected, ...question } = save
      const given = save.progress ?? progress
      const answer = planByLibrary(given === undefined ? question : { ...question, progress: given })
      if ('error' in expected) {
        expect('error' in answer ? answer.error : answer.plan).toEqual(expected.error.kind)
        continue
      }
      if ('error' in answer) throw new Error(`planned nothing: ${answer.error}`)
      const wanted = answerOfExpectation(expected)
      expect(narrowTo(answerOfDocument(answer.plan), wanted)).toEqual(wanted)
      for (const [position, rule] of Object.entries(expected.rulesOf ?? {}))
        expect(answer.plan.decisions[Number(position)]).toMatchObject({ position: Number(position), rule })
      for (const [position, because] of Object.entries(expected.because ?? {}))
        expect(answer.plan.decisions[Number(position)]).toMatchObject({ position: Number(position), because })
      progress = answer.progress
    }
  })

  it.each(neutral.filter((vector) => vector.level === 'pair'))('$name $rules', (vector) => {
    expect(pairCalls({ items: vector.input?.items ?? [], open: vector.input?.open ?? [] })).toEqual(
      vector.expect
    )
  })

  it.each(neutral.filter((vector) => vector.level === 'associate'))('$name $rules', (vector) => {
    const { association } = resolvePolicy(vector.input?.policy)
    expect(associateReasoning({ items: vector.input?.items ?? [], association })).toEqual(vector.expect)
  })
})

// A vector that asks one question about an ended turn of which nothing is stored can be split anywhere.
const single = planned.filter(isPlanned)

describe('a vector, at every prefix split', () => {
  it.each(single)('$name $rules', (vector) => {
    const [save] = savesOf(vector)
    if (save === undefined || save.outcome.kind === 'open') throw new Error('not a single ended save')
    const { items, outcome, policy, open } = save
    const check = checkToCome(outcome, policy)
    for (const store of ['append', 'replace'] as const) {
      const whole = { policy, store, open, steps: [{ items, outcome }] }
      for (let length = 0; length <= items.length; length += 1) {
        const first = { items: items.slice(0, length), outcome: { kind: 'open', check } as const }
        expectOneSession(planByLibrary, { whole, cut: { ...whole, steps: [first, { items, outcome }] } })
      }
    }
  })
})

describe('a vector, twice', () => {
  it.each(planned)('$name $rules', (vector) => {
    for (const store of ['append', 'replace'] as const)
      for (const save of savesOf(vector)) {
        if (save.progress !== undefined || 'error' in save.expect) continue
        const { items, outcome, policy, open } = save
        expectRepeatable(planByLibrary, { policy, store, open, steps: [{ items, outcome }] })
      }
  })

  it('asked with the same input, every vector gives the same answer [PROGRESS-8]', () => {
    for (const vector of planned)
      for (const { expect: _, ...question } of savesOf(vector))
        expect(planByLibrary(question)).toEqual(planByLibrary(question))
  })
})
