/**
 * The library keeps its own specification, asked in plain JSON as any other implementation is.
 */
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { answer, operations } from '../../src/conformance/answer.js'
import { checkVectors, readVectors, type Report, vectors } from '../../src/conformance/index.js'
import { neutral } from '../../src/dialects/neutral.js'

const dialects = { names: ['neutral'], find: (name: string) => (name === 'neutral' ? neutral : undefined) }
const askLibrary = (question: unknown): unknown => JSON.parse(JSON.stringify(answer(question, { dialects })))

const reportOf = (report: ReturnType<typeof checkVectors>): Report => {
  if (isLeft(report)) throw new Error(report.left.message)
  return report.right
}

describe('the vectors', () => {
  it('are what the codec reads', () => {
    const read = readVectors(vectors)
    expect(isRight(read) && read.right.length).toBe(vectors.length)
    expect(vectors.length).toBeGreaterThan(250)
  })
})

describe('the library', () => {
  it('passes every vector in every way [PLAN-25] [PLAN-26] [PROGRESS-7] [PROGRESS-8]', () => {
    const tags = [...operations.keys()].flatMap((op) => (op === 'plan' ? ['select', 'plan'] : [op]))
    const report = reportOf(checkVectors({ answer: askLibrary, tags }))
    const failures = report.results.flatMap(({ vector, finding }) =>
      finding === undefined ? [] : [{ id: vector.id, finding }]
    )
    expect(failures).toEqual([])
    expect(report).toMatchObject({ ok: true, failed: 0, passed: report.results.length })
    expect(report.passed).toBeGreaterThan(250)
  })
})
