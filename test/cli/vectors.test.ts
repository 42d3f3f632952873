/**
 * Every vector that asks one question, through the command and its lines.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import {
  answerOfDocument,
  answerOfExpectation,
  type ExpectedPlan,
  narrowTo,
  type PlanDocument
} from '../support/answers.js'
import { turnkeep } from '../support/command.js'
import { loadVectors } from '../support/vectors.js'

const answered = ['pair', 'associate', 'select', 'plan', 'audit', 'repair']
const vectors = loadVectors().filter(({ input, level }) => input !== undefined && answered.includes(level))

interface ErrorAnswer {
  readonly error: { readonly kind: string; readonly message: string; readonly path?: string }
}

describe('a vector, as a line', () => {
  let lines: ReadonlyArray<string> = []
  let state: number | null = null
  beforeAll(() => {
    const run = turnkeep(
      ['plan', '--lines'],
      vectors.map(({ input }) => `${JSON.stringify(input)}\n`).join('')
    )
    lines = run.out.split('\n')
    state = run.state
  })

  it('has an answer each, and errors show in the exit state', () => {
    expect(lines.length).toBe(vectors.length + 1)
    expect(lines[vectors.length]).toBe('')
    expect(state).toBe(2)
  })

  it.each(vectors.map((vector, index) => ({ ...vector, index })))('$name $rules', (vector) => {
    const answer: unknown = JSON.parse(lines[vector.index] ?? '')
    const expected = vector.expect as ExpectedPlan & Partial<ErrorAnswer>
    if (expected.error !== undefined) {
      const { error } = answer as ErrorAnswer
      expect(error.kind).toBe(expected.error.kind)
      if (expected.error.path !== undefined) expect(error.path).toMatch(startOf(expected.error.path))
    } else if (vector.level === 'pair' || vector.level === 'associate') expect(answer).toEqual(expected)
    else if (vector.level === 'audit' || vector.level === 'repair') expect(answer).toMatchObject(expected)
    else {
      const wanted = answerOfExpectation(expected)
      expect(narrowTo(answerOfDocument(answer as PlanDocument), wanted)).toEqual(wanted)
    }
  })
})

/** A path may go on into the list that it names. */
const startOf = (path: string): RegExp => new RegExp(`^${path.replace(/[.[\]]/g, '\\$&')}(\\[\\d+\\])?$`)
