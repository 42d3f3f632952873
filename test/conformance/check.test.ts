/**
 * The checker notices every kind of wrong answer, and a skip list cannot rot.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { answer } from '../../src/conformance/answer.js'
import { compareAnswer } from '../../src/conformance/compare.js'
import {
  checkVectors,
  type Conformance,
  type Fields,
  readVectors,
  type Report,
  vectors
} from '../../src/conformance/index.js'
import { neutral } from '../../src/dialects/neutral.js'

const dialects = { names: ['neutral'], find: (name: string) => (name === 'neutral' ? neutral : undefined) }
const askLibrary = (question: Fields): Fields => JSON.parse(JSON.stringify(answer(question, { dialects })))

const check = (conformance: Conformance): Report => {
  const checked = checkVectors(conformance)
  if (isLeft(checked)) throw new Error(checked.left.message)
  return checked.right
}

const failuresOf = (report: Report): ReadonlyArray<string> =>
  report.results.filter(({ state }) => state === 'failed').map(({ vector }) => vector.id)

const firstFinding = (report: Report): unknown => report.results.find(({ finding }) => finding)?.finding

/** The library with every plan changed. */
const changed =
  (change: (plan: Record<string, unknown>, question: Fields) => void) =>
  (question: Fields): Fields => {
    const plan: Record<string, unknown> = { ...askLibrary(question) }
    if (question['op'] === 'plan' && plan['error'] === undefined) change(plan, question)
    return plan
  }

const some = vectors.filter(({ id }) => ['planning-001', 'selection-001', 'seed-001'].includes(id))

describe('a skip list', () => {
  it('holds a vector that fails, and says so', () => {
    const wrong = changed((plan) => {
      plan['from'] = 99
    })
    const report = check({ answer: wrong, vectors: some, skip: some.map(({ id }) => id) })
    expect(report).toMatchObject({ ok: true, passed: 0, failed: 0, skipped: some.length, unskipped: 0 })
  })

  it('fails where a vector in it passes', () => {
    const report = check({ answer: askLibrary, vectors: some, skip: ['seed-001'] })
    expect(report).toMatchObject({ ok: false, passed: some.length - 1, failed: 0, skipped: 0, unskipped: 1 })
    expect(report.results.find(({ state }) => state === 'unskipped')?.vector.id).toBe('seed-001')
  })

  it('names only vectors that there are', () => {
    expect(checkVectors({ answer: askLibrary, skip: ['seed-999'] })).toMatchObject({
      left: { kind: 'invalid-input', path: 'skip' }
    })
  })
})

describe('tags', () => {
  it('choose levels and flags, one of each kind', () => {
    const ids = (tags: ReadonlyArray<string>): ReadonlyArray<string> =>
      check({ answer: () => ({}), tags }).results.map(({ vector }) => vector.id)
    const paired = vectors.filter(({ level }) => level === 'pair')
    expect(ids(['pair'])).toEqual(paired.map(({ id }) => id))
    expect(ids(['pair', 'basic'])).toEqual(
      paired.filter(({ flags }) => flags.includes('basic')).map(({ id }) => id)
    )
    expect(ids(['associate', 'pair'])).toHaveLength(
      vectors.filter(({ level }) => level === 'pair' || level === 'associate').length
    )
  })

  it('that fit nothing are an error and not an empty run', () => {
    expect(checkVectors({ answer: askLibrary, tags: ['plans'] })).toMatchObject({
      left: { kind: 'invalid-input', path: 'tags' }
    })
  })

  it('without the level plan ask for no progress', () => {
    const asked: Array<Fields> = []
    const report = check({
      answer: (question) => {
        asked.push(question)
        return askLibrary(question)
      },
      tags: ['select']
    })
    expect(report.ok).toBe(true)
    expect(asked.filter((question) => (question['progress'] ?? null) !== null)).toEqual([])
    expect(asked.filter((question) => question['store'] === 'replace')).toEqual([])
  })
})

describe('an answer that is wrong', () => {
  it.each([
    [
      'a field more in an entry',
      (plan: Record<string, unknown>) => {
        plan['writes'] = (plan['writes'] as ReadonlyArray<object>).map((entry) => ({
          ...entry,
          stripId: false
        }))
      },
      'whole'
    ],
    [
      'no rejected part where null is meant [PLAN-29]',
      (plan: Record<string, unknown>) => {
        if (plan['from'] === null) delete plan['from']
      },
      'whole'
    ],
    [
      'decisions that are not at their positions [EXPLAIN-1]',
      (plan: Record<string, unknown>) => {
        plan['decisions'] = [...(plan['decisions'] as ReadonlyArray<unknown>)].reverse()
      },
      'whole'
    ],
    [
      'a notice that nobody asked for',
      (plan: Record<string, unknown>) => {
        plan['notices'] = [{ kind: 'late-output', position: 0, message: '' }]
      },
      'whole'
    ],
    [
      'one operation for every turn [PROGRESS-8]',
      (plan: Record<string, unknown>) => {
        plan['operation'] = 'always'
      },
      'other-turn'
    ]
  ])('%s is found', (_, change, way) => {
    const report = check({ answer: changed(change), vectors: some })
    expect(report.ok).toBe(false)
    expect(firstFinding(report)).toMatchObject({ kind: 'difference', way })
  })

  it('that changes from one asking to the next is found [PROGRESS-8]', () => {
    let times = 0
    const answerOnce = changed((plan) => {
      plan['operation'] = `operation ${times++}`
    })
    expect(firstFinding(check({ answer: answerOnce, vectors: some }))).toMatchObject({
      way: 'same-question',
      path: 'operation'
    })
  })

  it('to its own progress is found [PLAN-25] [PROGRESS-7]', () => {
    const writesAgain = (question: Fields): Fields => askLibrary({ ...question, progress: null })
    expect(firstFinding(check({ answer: writesAgain, vectors: some }))).toMatchObject({ way: 'own-progress' })
    const trusting = (question: Fields): Fields => {
      const { progress } = question as { progress?: { edge: string; settled: number } | null }
      if (progress == null || progress.settled === 0) return askLibrary(question)
      const own = askLibrary({
        ...question,
        progress: { ...progress, edge: progress.edge.replace(/x$/, '') }
      })
      return own
    }
    expect(firstFinding(check({ answer: trusting, vectors: some }))).toMatchObject({ way: 'changed-edge' })
  })

  it('at a split is found [PLAN-26]', () => {
    const forgetful = changed((plan, question) => {
      const { outcome } = question as { outcome: { kind: string } }
      if (outcome.kind === 'open') plan['writes'] = []
    })
    const report = check({ answer: forgetful, vectors: some.filter(({ level }) => level === 'select') })
    expect(firstFinding(report)).toMatchObject({ way: 'split' })
  })

  it('of a function that throws is a finding of its own', () => {
    const throws = (): never => {
      throw new Error('out of order')
    }
    expect(firstFinding(check({ answer: throws, vectors: some }))).toMatchObject({ kind: 'threw' })
  })

  it('is counted against every rule that its vector shows', () => {
    const report = check({ answer: () => ({ pairs: [], unpaired: [] }), tags: ['pair'] })
    const failed = failuresOf(report)
    expect(failed.length).toBeGreaterThan(5)
    for (const { rule, vectors: count, passed, failed: ids } of report.rules) {
      const shown = vectors.filter(({ level, rules }) => level === 'pair' && rules.includes(rule))
      expect({ rule, count, ids }).toEqual({
        rule,
        count: shown.length,
        ids: shown.map(({ id }) => id).filter((id) => failed.includes(id))
      })
      expect(passed).toBe(count - ids.length)
    }
  })
})

describe('what is not compared', () => {
  const plan = { change: 'none', writes: [], from: null, verdicts: ['withhold'] }
  const received = {
    change: 'none',
    replaces: [],
    from: null,
    writes: [],
    after: { edge: 'mine' },
    operation: 'mine',
    unprotected: [],
    irrevocable: [],
    late: [],
    decisions: [{ position: 0, verdict: 'withhold', rule: 'SELECT-2' }]
  }
  const notice = (kind: string, position: number): object => ({ kind, position, message: 'mine' })

  it('is sentences, digests, and notices of kinds that the text does not name', () => {
    const notices = [notice('unclassified', 0), { kind: 'wrong-field', position: 0, message: 'mine' }]
    const expected = { ...plan, notices: [{ kind: 'unclassified', position: 0 }] }
    expect(compareAnswer(expected, { ...received, notices })).toBeUndefined()
  })

  it('is the order of notices behind the first four, and only theirs [EXPLAIN-4]', () => {
    const expected = {
      ...plan,
      notices: [
        { kind: 'unclassified', position: 0 },
        { kind: 'unpaired-output', position: 1 },
        { kind: 'late-output', position: 1 },
        { kind: 'no-deliverable' }
      ]
    }
    const [odd, unpaired, late] = [
      notice('unclassified', 0),
      notice('unpaired-output', 1),
      notice('late-output', 1)
    ]
    const none = { kind: 'no-deliverable', message: 'mine' }
    expect(compareAnswer(expected, { ...received, notices: [odd, unpaired, none, late] })).toBeUndefined()
    expect(compareAnswer(expected, { ...received, notices: [unpaired, odd, late, none] })?.path).toBe(
      'notices[0].kind'
    )
    expect(compareAnswer(expected, { ...received, notices: [late, odd, unpaired, none] })?.path).toBe(
      'notices[0].kind'
    )
  })

  it('is a place inside the path of an error, but not another place [PROGRESS-9]', () => {
    const expected = { error: { kind: 'invalid-input', path: 'progress.withheld' } }
    const error = (path: string): object => ({ error: { kind: 'invalid-input', path, message: 'mine' } })
    expect(compareAnswer(expected, error('progress.withheld'))).toBeUndefined()
    expect(compareAnswer(expected, error('progress.withheld[1]'))).toBeUndefined()
    expect(compareAnswer(expected, error('progress.with'))?.path).toBe('error.path')
    expect(compareAnswer(expected, error('progress'))?.path).toBe('error.path')
  })
})

describe('reading vectors', () => {
  it.each([
    [{}, ''],
    [[{ ...some[0], level: 'plans' }], '[0].level'],
    [[some[0], { ...some[1], rules: [7] }], '[1].rules[0]'],
    [[{ ...some[0], input: undefined, items: [], steps: [{ outcome: {} }] }], '[0].steps[0].expect']
  ])('names the place of a fault (%#)', (value, path) => {
    expect(readVectors(value)).toMatchObject({ left: { kind: 'decode', path } })
  })
})
