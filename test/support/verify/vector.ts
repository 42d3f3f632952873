/**
 * A counter-example as a vector of the specification, so that it can be kept.
 *
 * What it expects is what the oracle answers; what was found is said in its comment.
 */
import { type Progress, startProgress } from '../../../src/core/progress.js'
import { defaultPolicy } from '../../../src/core/policy.js'
import { oraclePlan } from '../oracle.js'
import type { Counterexample } from './explore.js'
import { turnOf } from './letters.js'

const flagsOf: Readonly<Record<string, string>> = {
  'INV-1': 'lost-side-effect',
  'INV-2': 'leaked-rejection',
  'INV-3': 'reordered',
  'INV-4': 'dangling-reasoning',
  'INV-5': 'orphan-output',
  'PROGRESS-3': 'count-skew',
  'PLAN-25': 'duplicated'
}

export const vectorOf = (found: Counterexample): Readonly<Record<string, unknown>> => {
  const items = turnOf(found.word)
  let progress: Progress = startProgress('turn')
  const steps = found.steps.map(({ length, outcome }) => {
    const plan = oraclePlan({
      items: items.slice(0, length),
      turn: 'turn',
      outcome,
      policy: found.policy,
      store: found.store,
      progress
    })
    if ('error' in plan) return { length, outcome, expect: { error: { kind: plan.error } } }
    progress = { ...plan.after, edge: '' }
    const { change, replaces, from, writes, unprotected, irrevocable, late, notices, verdicts } = plan
    const { turn: _, ...after } = plan.after
    const expect = {
      change,
      replaces,
      from,
      writes,
      verdicts,
      after,
      unprotected,
      irrevocable,
      late,
      notices
    }
    return { length, outcome, expect }
  })
  const isRule = /^[A-Z]+-[1-9][0-9]*$/.test(found.rule)
  return {
    name: `${found.rule} holds after ${steps.length} saves of the turn ${found.word}`,
    rules: [isRule ? found.rule : 'PLAN-1'],
    flags: [flagsOf[found.rule] ?? 'basic'],
    level: 'plan',
    comment: `found by the exhaustive check: ${found.detail}`,
    store: found.store,
    ...(found.policy === defaultPolicy ? {} : { policy: found.policy }),
    items,
    steps
  }
}
