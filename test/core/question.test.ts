/** Every field of a question and of a progress that is not of its form is named, with what was expected. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import {
  acknowledge,
  defaultPolicy,
  orThrow,
  type PlanQuestion,
  type Progress,
  planSave,
  policyValues,
  resumeTurn,
  startProgress,
  type TrackQuestion,
  trackTurn
} from '../../src/index.js'

const invalid = (path: string, expected: string): unknown =>
  E.left({ kind: 'invalid-input', path, expected, message: `${path} must be ${expected}` })

const question: PlanQuestion = {
  turn: 'run-7/3',
  items: [{ kind: 'message', origin: 'user' }, { kind: 'message' }],
  outcome: { kind: 'accepted' }
}

const kinds = 'one of accepted, rejected, failed, aborted, input-rejected, open'
const deliverables = 'message or output'
const from = 'a position of the turn: a whole number from 0 to below 2'
const checks = 'one of none, message, output, input'

describe('a question', () => {
  test.each<[string, object, string, string]>([
    ['items that are no list', { items: { length: 1 } }, 'items', 'a list of items'],
    ['a turn that is no string', { turn: 7 }, 'turn', 'a string'],
    ['a store of no known kind', { store: 'rewrite' }, 'store', 'append or replace'],
    ['a store that is null', { store: null }, 'store', 'append or replace'],
    ['open calls that are no list', { open: 'a' }, 'open', 'a list of calls'],
    ['an open call that is null', { open: [{ callId: 'a' }, null] }, 'open[1].callId', 'a string'],
    ['an open call that is an id', { open: ['a'] }, 'open[0].callId', 'a string'],
    ['an open call that is missing', { open: [undefined] }, 'open[0].callId', 'a string'],
    ['an open call without an id', { open: [{ namespace: 'n' }] }, 'open[0].callId', 'a string'],
    ['a policy that is null', { policy: null }, 'policy', 'an object with the fields of a policy'],
    ['a policy that is a name', { policy: 'seed' }, 'policy', 'an object with the fields of a policy'],
    ['no outcome', { outcome: undefined }, 'outcome', 'an object with a kind'],
    ['an outcome that is null', { outcome: null }, 'outcome', 'an object with a kind'],
    ['an outcome that is a word', { outcome: 'accepted' }, 'outcome', 'an object with a kind'],
    ['an outcome of no known kind', { outcome: { kind: 'done' } }, 'outcome.kind', kinds],
    ['a rejection of nothing', { outcome: { kind: 'rejected' } }, 'outcome.deliverable', deliverables],
    [
      'a rejection behind the turn',
      { outcome: { kind: 'rejected', deliverable: 'message', from: 2 } },
      'outcome.from',
      from
    ],
    [
      'a rejection in front of it',
      { outcome: { kind: 'rejected', deliverable: 'output', from: -1 } },
      'outcome.from',
      from
    ],
    [
      'a rejection between items',
      { outcome: { kind: 'rejected', deliverable: 'output', from: 0.5 } },
      'outcome.from',
      from
    ],
    [
      'a rejection from a word',
      { outcome: { kind: 'rejected', deliverable: 'output', from: '1' } },
      'outcome.from',
      from
    ],
    ['a failure without a check', { outcome: { kind: 'failed' } }, 'outcome.check', 'none or due'],
    [
      'an abort with the check of an open turn',
      { outcome: { kind: 'aborted', check: 'message' } },
      'outcome.check',
      'none or due'
    ],
    ['an open turn without a check', { outcome: { kind: 'open' } }, 'outcome.check', checks],
    [
      'an open turn with the check of an end',
      { outcome: { kind: 'open', check: 'due' } },
      'outcome.check',
      checks
    ]
  ])('with %s is refused [PLAN-28]', (_, bad, path, expected) => {
    expect(planSave({ ...question, ...bad } as PlanQuestion)).toEqual(invalid(path, expected))
  })

  test.each([null, undefined, 'turn', 7])('that is %s is refused [PLAN-28]', (none) => {
    expect(planSave(none as unknown as PlanQuestion)).toEqual(invalid('question', 'an object'))
  })

  test.each(Object.entries(policyValues))('has no other value of policy.%s [SELECT-30]', (name, values) => {
    const refused = invalid(`policy.${name}`, `one of ${values.join(', ')}`)
    const { [name]: _, ...rest } = { ...defaultPolicy } as Record<string, string>
    for (const policy of [{ ...defaultPolicy, [name]: 'maybe' }, { ...defaultPolicy, [name]: null }, rest])
      expect(planSave({ ...question, policy } as unknown as PlanQuestion)).toEqual(refused)
    for (const value of values) {
      const policy = { ...defaultPolicy, [name]: value }
      expect(E.isRight(planSave({ ...question, policy } as unknown as PlanQuestion)), value).toBe(true)
    }
  })

  test('has no other field of a policy [SELECT-30]', () => {
    const policy = { ...defaultPolicy, toString: 'keep' }
    expect(planSave({ ...question, policy } as PlanQuestion)).toEqual(
      invalid(
        'policy.toString',
        `absent: there is no such field; the fields are ${Object.keys(policyValues).join(', ')}`
      )
    )
  })

  test('of a turn that grows is refused in the same words [PLAN-28]', () => {
    const bad = (fields: object): TrackQuestion => ({ turn: 'run-7/3', ...fields }) as TrackQuestion
    expect(trackTurn(bad({ turn: null }))).toEqual(invalid('turn', 'a string'))
    expect(trackTurn(bad({ store: 'both' }))).toEqual(invalid('store', 'append or replace'))
    expect(trackTurn(bad({ open: [{}] }))).toEqual(invalid('open[0].callId', 'a string'))
    expect(trackTurn(bad({ policy: { ...defaultPolicy, unjudged: '' } }))).toEqual(
      invalid('policy.unjudged', 'one of keep, withhold')
    )
  })
})

describe('a progress', () => {
  const fresh = startProgress('run-7/3')
  const whole = 'a whole number of at least 0'
  const sum = 'settled − withheld + ahead + closed'

  const wrong: ReadonlyArray<[string, unknown, string, string]> = [
    ['that is a number', 3, 'progress', 'a progress or null'],
    ['of no turn', { ...fresh, turn: 3 }, 'progress.turn', 'a string'],
    ['with a negative revision', { ...fresh, revision: -1 }, 'progress.revision', whole],
    ['with half a position settled', { ...fresh, settled: 0.5 }, 'progress.settled', whole],
    ['with a final that is a word', { ...fresh, final: '0' }, 'progress.final', whole],
    ['with a sealed that is no number', { ...fresh, sealed: Number.NaN }, 'progress.sealed', whole],
    ['without a written', { ...fresh, written: undefined }, 'progress.written', whole],
    ['without an edge', { ...fresh, edge: null }, 'progress.edge', 'a string'],
    [
      'that ended behind what is settled',
      { ...fresh, settled: 1, final: 2, written: 1 },
      'progress.final',
      'at most progress.settled'
    ],
    [
      'that is sealed behind its end',
      { ...fresh, settled: 2, final: 1, sealed: 2, written: 2 },
      'progress.sealed',
      'at most progress.final'
    ],
    [
      'with withheld positions that are no list',
      { ...fresh, withheld: 0 },
      'progress.withheld',
      'a list of positions'
    ],
    [
      'with a position withheld twice',
      { ...fresh, settled: 2, withheld: [0, 0] },
      'progress.withheld',
      'ascending positions from 0 to below 2; the one at index 1 is not'
    ],
    [
      'with a position withheld that is not settled',
      { ...fresh, settled: 2, withheld: [2] },
      'progress.withheld',
      'ascending positions from 0 to below 2; the one at index 0 is not'
    ],
    [
      'with a position ahead that is settled',
      { ...fresh, settled: 2, ahead: [1] },
      'progress.ahead',
      'ascending positions at least 2; the one at index 0 is not'
    ],
    [
      'with a position ahead that is a word',
      { ...fresh, ahead: [0, '1'] },
      'progress.ahead',
      'ascending positions at least 0; the one at index 1 is not'
    ],
    [
      'with a closing of a call behind the last entry',
      { ...fresh, settled: 1, ahead: [3], closed: [4] },
      'progress.closed',
      'ascending positions from 0 to below 4; the one at index 0 is not'
    ],
    [
      'with a redaction behind the last entry',
      { ...fresh, settled: 1, redacted: [1] },
      'progress.redacted',
      'ascending positions from 0 to below 1; the one at index 0 is not'
    ],
    [
      'that counts too many entries',
      { ...fresh, settled: 2, withheld: [0], written: 2 },
      'progress.written',
      `1: ${sum}`
    ],
    [
      'with a closing of a call that is withheld',
      { ...fresh, settled: 1, withheld: [0], closed: [0], written: 1 },
      'progress.closed',
      'positions that are in the store'
    ],
    [
      'with a redaction of what is withheld',
      { ...fresh, settled: 1, withheld: [0], redacted: [0] },
      'progress.redacted',
      'positions that are in the store'
    ],
    [
      'of more positions than any turn has',
      { ...fresh, settled: 2 ** 30 + 1, written: 2 ** 30 + 1 },
      'progress.settled',
      'at most 1073741824'
    ]
  ]

  test.each(wrong.filter(([name]) => !name.startsWith('of more')))(
    '%s is refused [PROGRESS-9]',
    (_, bad, path, expected) => {
      expect(planSave({ ...question, progress: bad as Progress })).toEqual(invalid(path, expected))
    }
  )

  test.each(wrong)('%s is refused where a turn grows [PROGRESS-9]', (_, bad, path, expected) => {
    expect(trackTurn({ turn: 'run-7/3', progress: bad as Progress })).toEqual(invalid(path, expected))
  })

  test.each(wrong.slice(1))(
    '%s is refused by a tracker that goes on from it [PROGRESS-9]',
    (_, bad, path, expected) => {
      const tracker = orThrow(trackTurn({ turn: 'run-7/3' }))
      expect(resumeTurn(tracker, bad as Progress)).toEqual(invalid(path, expected))
      expect(acknowledge(tracker, { after: bad as Progress, expects: fresh })).toEqual(
        invalid(path, expected)
      )
    }
  )

  test.each([null, 3, 'progress'])('that is %s is none to go on from [PROGRESS-9]', (none) => {
    const tracker = orThrow(trackTurn({ turn: 'run-7/3' }))
    const refused = invalid('progress', 'a progress')
    expect(resumeTurn(tracker, none as unknown as Progress)).toEqual(refused)
    expect(acknowledge(tracker, { after: none as unknown as Progress, expects: fresh })).toEqual(refused)
  })

  test('of more positions than the turn is told from a malformed one [PLAN-27]', () => {
    expect(
      planSave({ ...question, progress: { ...fresh, settled: 2 ** 30 + 1, written: 2 ** 30 + 1 } })
    ).toEqual(
      E.left({
        kind: 'beyond-turn',
        path: 'items',
        message: `items has 2 positions, the progress speaks of ${2 ** 30 + 1}: give the whole turn, from its first item`
      })
    )
  })

  test('that is null or absent is that of a turn of which nothing is stored [PROGRESS-1]', () => {
    for (const progress of [null, undefined, fresh])
      expect(orThrow(planSave({ ...question, progress } as PlanQuestion)).expects).toEqual(fresh)
    expect(orThrow(trackTurn({ turn: 'run-7/3', progress: null })).progress).toEqual(fresh)
  })
})
