/**
 * Questions and answers of the contract, asked of the function that the command line asks.
 */
import { describe, expect, it } from 'vitest'
import { answer } from '../../src/conformance/answer.js'
import { agentsJs } from '../../src/dialects/agents-js.js'
import { neutral } from '../../src/dialects/neutral.js'
import { responses } from '../../src/dialects/responses.js'
import type { SharedDialect } from '../../src/ports/dialect.js'
import {
  answerOfDocument,
  answerOfExpectation,
  type ExpectedPlan,
  narrowTo,
  type PlanDocument
} from '../support/answers.js'
import { loadVectors } from '../support/vectors.js'

const known = new Map(
  Object.entries({ neutral, responses, 'agents-js': agentsJs }).map(([name, dialect]) => [
    name,
    dialect as SharedDialect<unknown>
  ])
)
const dialects = { names: [...known.keys()], find: (name: string) => known.get(name) }

const ask = (question: unknown, op?: string): Record<string, unknown> =>
  JSON.parse(JSON.stringify(answer(question, op === undefined ? { dialects } : { dialects, op })))

const sequences = loadVectors().filter(({ steps, level }) => steps !== undefined && level === 'plan')

describe('a sequence of saves', () => {
  it.each(sequences)('$name $rules', (vector) => {
    let { items = [], policy } = vector
    let progress: unknown = null
    for (const step of vector.steps ?? []) {
      items = step.items ?? items
      policy = step.policy ?? policy
      const found = ask({
        op: 'plan',
        items: items.slice(0, step.length ?? items.length),
        outcome: step.outcome,
        progress,
        store: step.store ?? vector.store ?? 'append',
        open: vector.open ?? [],
        ...(policy === undefined ? {} : { policy })
      })
      if ('error' in step.expect) {
        expect(found).toMatchObject({ error: { kind: step.expect.error.kind } })
        continue
      }
      const wanted = answerOfExpectation(step.expect as ExpectedPlan)
      expect(narrowTo(answerOfDocument(found as unknown as PlanDocument), wanted)).toEqual(wanted)
      progress = found['after']
    }
  })
})

describe('what a question leaves out', () => {
  it('has the defaults of the contract', () => {
    const items = [{ kind: 'message' }]
    const whole = {
      op: 'plan',
      items,
      dialect: 'neutral',
      turn: 'turn',
      outcome: { kind: 'accepted' },
      policy: 'default',
      progress: null,
      store: 'append',
      open: []
    }
    expect(ask({ op: 'plan', items })).toEqual(ask(whole))
    expect(ask({ items }, 'plan')).toEqual(ask(whole))
    expect(ask({ op: 'pair', items }, 'plan')).toEqual({ pairs: [], unpaired: [] })
  })

  it('is not filled in where it is needed', () => {
    expect(ask({ items: [] })).toMatchObject({ error: { kind: 'invalid-input', path: 'op' } })
    expect(ask({ op: 'plan' })).toMatchObject({ error: { kind: 'decode', path: 'items' } })
    expect(ask([], 'plan')).toMatchObject({ error: { kind: 'invalid-input', path: 'question' } })
  })
})

describe('notices [EXPLAIN-4]', () => {
  const noticesOf = (question: object): unknown =>
    (
      ask(question, 'plan')['notices'] as ReadonlyArray<{ readonly kind: string; readonly position?: number }>
    ).map(({ kind, position }) => `${kind}@${position}`)

  it('tell each oddity once, in the order of positions, and say where it is in the raw input', () => {
    const items = [
      { type: 'function_call_output', call_id: 'zzz', output: '' },
      { type: 'function_call', name: 'f' },
      { type: 'hologram' },
      { type: 'function_call_output', output: '' },
      { type: 'message', role: 'assistant', id: 'm', content: [] },
      { type: 'message', role: 'assistant', id: 'm', content: [] }
    ]
    const question = { items, dialect: 'responses', open: [{ callId: 'c0' }] }
    expect(noticesOf(question)).toEqual([
      'unpaired-output@0',
      'missing-call-id@1',
      'unclassified@2',
      'unpaired-output@3',
      'repeated-id@5',
      'open-call@undefined'
    ])
    expect(ask(question, 'plan')['notices']).toMatchObject([
      {},
      { path: '[1].call_id' },
      { path: '[2].type' },
      {},
      {},
      {}
    ])
  })

  it('of neutral items are those of the specification, and fields of a wrong type', () => {
    const items = [
      { kind: 'message', id: 'm' },
      { kind: 'message', id: 'm', origin: 7 },
      { kind: 'call' },
      { kind: 'output' },
      null
    ]
    expect(noticesOf({ items })).toEqual([
      'wrong-field@1',
      'missing-call-id@2',
      'unpaired-output@3',
      'unclassified@4'
    ])
  })
})

describe('a value that came from JSON', () => {
  const odd = [null, true, 3, '', [], {}, { items: [null] }, { length: 1 }, -1, 0.5, 'x'.repeat(1000)]
  const fields = [
    'op',
    'items',
    'dialect',
    'turn',
    'outcome',
    'policy',
    'progress',
    'store',
    'open',
    'other',
    '__proto__'
  ]

  it('never breaks an operation, whatever stands in whichever field', () => {
    let errors = 0
    for (const op of ['plan', 'pair', 'associate'])
      for (const field of fields)
        for (const value of odd) {
          const question = JSON.parse(
            `{"op":"${op}","items":[{"kind":"call","callId":"a"}],"${field}":${JSON.stringify(value)}}`
          )
          const found = ask(question)
          if (!('error' in found)) continue
          const { kind, message, path } = found['error'] as Record<string, unknown>
          expect([kind, message, path]).toEqual([expect.any(String), expect.any(String), expect.any(String)])
          errors += 1
        }
    expect(errors).toBeGreaterThan(100)
  })

  it('never breaks a progress or an outcome either', () => {
    const progress = ask({ items: [{ kind: 'message' }] }, 'plan')['after'] as Record<string, unknown>
    for (const value of odd) {
      for (const field of Object.keys(progress)) {
        const found = ask({ items: [{ kind: 'message' }], progress: { ...progress, [field]: value } }, 'plan')
        expect('error' in found || 'writes' in found).toBe(true)
      }
      for (const field of ['kind', 'deliverable', 'from', 'check', 'other']) {
        const outcome = { kind: 'rejected', deliverable: 'message', [field]: value }
        const found = ask({ items: [{ kind: 'message' }], outcome }, 'plan')
        if (field !== 'from' || value !== 0) expect(found).toHaveProperty('error')
      }
    }
  })
})
