/**
 * The oracle and the vectors are two readings of one text: where they differ, one of them misread it.
 */
import { describe, expect, it } from 'vitest'
import type { Progress } from '../src/core/progress.js'
import { answerOfExpectation, answerOfOracle, narrowTo } from './support/answers.js'
import { oracleAssociate, oraclePair, oraclePlan } from './support/oracle.js'
import { loadVectors, resolvePolicy, savesOf } from './support/vectors.js'

// The oracle reads the rules about items; questions that are no questions are not for it.
const vectors = loadVectors().filter(
  (vector) => vector.input?.dialect === undefined && vector.malformed !== true
)

describe('the oracle gives the answer of every vector', () => {
  it.each(vectors.filter((vector) => vector.level === 'select' || vector.level === 'plan'))(
    '$name [$rules]',
    (vector) => {
      let progress: Progress | undefined
      for (const save of savesOf(vector)) {
        const { expect: expected, ...question } = save
        const given = save.progress ?? progress
        const plan = oraclePlan(given === undefined ? question : { ...question, progress: given })
        const answer = answerOfOracle(plan)
        if ('error' in expected) {
          // The oracle computes no digest, so it cannot see that an edge differs (PROGRESS-7).
          if (expected.error.kind !== 'edge-mismatch') expect(answer).toEqual({ error: expected.error.kind })
          continue
        }
        const wanted = answerOfExpectation(expected)
        expect('error' in answer ? answer : narrowTo(answer, wanted)).toEqual(wanted)
        if ('error' in plan) continue
        for (const [position, rule] of Object.entries(expected.rulesOf ?? {}))
          expect({ position, rule: plan.rules[Number(position)] }).toEqual({ position, rule })
        progress = { ...plan.after, edge: '' }
      }
    }
  )

  it.each(vectors.filter((vector) => vector.level === 'pair'))('$name [$rules]', (vector) => {
    expect(oraclePair({ items: vector.input?.items ?? [], open: vector.input?.open ?? [] })).toEqual(
      vector.expect
    )
  })

  it.each(vectors.filter((vector) => vector.level === 'associate'))('$name [$rules]', (vector) => {
    const { association } = resolvePolicy(vector.input?.policy)
    expect(oracleAssociate({ items: vector.input?.items ?? [], association })).toEqual(vector.expect)
  })
})
