/** Turns on which the code and the oracle once differed, shrunk: each is asked again on every run. */
import { describe, expect, it } from 'vitest'
import { accepted, inputRejected, open, rejected } from '../../src/core/outcome.js'
import { defaultPolicy } from '../../src/core/policy.js'
import { answerOfDocument, answerOfOracle } from '../support/answers.js'
import { expectInvariants } from '../support/laws.js'
import { planByLibrary } from '../support/library.js'
import { oraclePlan } from '../support/oracle.js'
import { type Saving, saveTurnBy } from '../support/saving.js'
import { approval, call, message, output, reasoning } from '../support/turns.js'

const base = { policy: defaultPolicy, store: 'append', open: [] } as const

const found: ReadonlyArray<readonly [string, Saving]> = [
  [
    'a late output takes the place of the closing of the first call, not of the second [PLAN-22]',
    {
      ...base,
      store: 'replace',
      steps: [
        { items: [call('a')], outcome: accepted },
        { items: [call('a'), call('a'), output('a')], outcome: accepted }
      ]
    }
  ],
  [
    'a sealed call is never left without an answer when the input is rejected [PLAN-22, SELECT-26]',
    {
      ...base,
      store: 'replace',
      policy: { ...defaultPolicy, speculative: 'discard' },
      steps: [
        { items: [call('a')], outcome: accepted },
        { items: [call('a'), output('a')], outcome: inputRejected }
      ]
    }
  ],
  [
    'a superseded parent waits while its child does [PLAN-2, SELECT-8]',
    {
      ...base,
      policy: { ...defaultPolicy, unansweredCalls: 'drop', committed: 'executed' },
      steps: [
        {
          items: [
            call('program', { response: 1 }),
            call('a', { parent: 'program', response: 1 }),
            output('a', { execution: 'denied' }),
            call('program', { response: 2 })
          ],
          outcome: open('input')
        }
      ]
    }
  ],
  [
    'a superseded call that every ending withholds is decided [PLAN-2, PLAN-5]',
    {
      ...base,
      policy: { ...defaultPolicy, unansweredCalls: 'drop', speculative: 'discard' },
      steps: [{ items: [call('a', { response: 1 }), call('a', { response: 2 })], outcome: open('input') }]
    }
  ],
  [
    'a superseded parent is closed at once, also under drop [PLAN-24, SELECT-28]',
    {
      ...base,
      policy: { ...defaultPolicy, unansweredCalls: 'drop' },
      steps: [
        {
          items: [call('a', { response: 1 }), call('a', { parent: 'a', response: 2 }), output('a')],
          outcome: open('none')
        }
      ]
    }
  ],
  [
    'an output that becomes real below a later length is written with the verdict keep [PLAN-22]',
    {
      ...base,
      store: 'replace',
      steps: [
        { items: [call('a'), output('a', { execution: 'pending' })], outcome: accepted },
        { items: [call('a'), output('a'), reasoning(), message()], outcome: rejected('message') }
      ]
    }
  ],
  [
    'a late output is reported by each plan until it is sealed [PLAN-23]',
    {
      ...base,
      steps: [
        { items: [call('a'), call('a'), output('a')], outcome: rejected('message') },
        { items: [call('a'), call('a'), output('a'), output('a')], outcome: open('none') },
        { items: [call('a'), call('a'), output('a'), output('a')], outcome: open('none') }
      ]
    }
  ],
  [
    'what is held back behind a waiting call is unprotected, also a self-contained call [PLAN-10, PLAN-12]',
    {
      ...base,
      policy: { ...defaultPolicy, unansweredCalls: 'drop' },
      steps: [{ items: [call('a'), call('a', { selfContained: true })], outcome: open('none') }]
    }
  ],
  [
    'a superseded call of an earlier turn is reported [PAIR-9]',
    { ...base, open: [{ callId: 'b' }], steps: [{ items: [call('b')], outcome: accepted }] }
  ],
  [
    'an approval without a call id belongs to no call [PAIR-10]',
    {
      ...base,
      steps: [
        {
          items: [
            call(undefined, { namespace: 'tool-search' }),
            message(),
            approval(undefined, { namespace: 'tool-search' })
          ],
          outcome: rejected('message')
        }
      ]
    }
  ],
  [
    'the unpaired output of the model starts one response, not two [PAIR-2]',
    {
      ...base,
      steps: [
        {
          items: [
            message(),
            approval(),
            approval('b', { origin: 'user' }),
            output('a', { origin: 'model' }),
            call('a')
          ],
          outcome: rejected('message')
        }
      ]
    }
  ]
]

describe('a turn that was once planned wrongly', () => {
  it.each(found)('%s', (_, saving) => {
    const saved = saveTurnBy(planByLibrary, saving)
    expect(saved.asked.length).toBeGreaterThan(0)
    for (const { question, answer } of saved.asked)
      expect('error' in answer ? { error: answer.error } : answerOfDocument(answer.plan)).toEqual(
        answerOfOracle(oraclePlan(question))
      )
    expectInvariants(saved)
  })
})
