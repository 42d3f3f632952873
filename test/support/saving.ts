/**
 * A turn saved in any number of steps by anything that plans, into a session that believes nothing.
 */
import type { Item, OpenCall } from '../../src/core/item.js'
import type { Outcome } from '../../src/core/outcome.js'
import type { Policy } from '../../src/core/policy.js'
import { type Progress, startProgress } from '../../src/core/progress.js'
import type { PlanDocument } from './answers.js'
import { oraclePlan, type Question } from './oracle.js'
import { readTurn } from './oracle-turn.js'
import { type Applied, applyToSession, type Session } from './session-model.js'

export type Planned =
  | { readonly plan: PlanDocument; readonly progress: Progress }
  | { readonly error: string }

export type Planner = (question: Question) => Planned

/** The oracle as something that plans. */
export const planByOracle: Planner = (question) => {
  const plan = oraclePlan(question)
  if ('error' in plan) return plan
  const progress = { ...plan.after, edge: '' }
  return {
    progress,
    plan: {
      ...plan,
      after: progress as unknown as Record<string, unknown>,
      operation: '',
      decisions: plan.verdicts.map((verdict, position) => ({
        position,
        verdict,
        rule: plan.rules[position] as string
      }))
    }
  }
}

export interface SaveStep {
  readonly items: ReadonlyArray<Item>
  readonly outcome: Outcome
  readonly fate?: 'written' | 'dropped' | 'unheard'
}

export interface Saving {
  readonly turn?: string
  readonly policy: Policy
  readonly store: 'append' | 'replace'
  readonly open: ReadonlyArray<OpenCall>
  readonly steps: ReadonlyArray<SaveStep>
}

export interface Saved {
  readonly session: Session
  readonly progress: Progress
  readonly applied: ReadonlyArray<Applied>
  /** Every question that was asked, with its answer. */
  readonly asked: ReadonlyArray<{ readonly question: Question; readonly answer: Planned }>
  readonly errors: ReadonlyArray<string>
  readonly reported: ReadonlySet<number>
}

/**
 * Makes the saves one after the other. A plan that is `dropped` was never written; one that is `unheard` was written
 * and is made once more from what the store says: it must then be found that nothing is left to write.
 */
export const saveTurnBy = (planner: Planner, saving: Saving): Saved => {
  const turn = saving.turn ?? 'turn'
  let session: Session = []
  let progress = startProgress(turn)
  const applied: Array<Applied> = []
  const asked: Array<{ question: Question; answer: Planned }> = []
  const errors: Array<string> = []
  const reported = new Set<number>()
  for (const step of saving.steps) {
    const attempts = step.fate === 'dropped' || step.fate === 'unheard' ? 2 : 1
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      const question: Question = {
        items: step.items,
        turn,
        outcome: step.outcome,
        policy: saving.policy,
        progress,
        store: saving.store,
        open: saving.open
      }
      const answer = planner(question)
      asked.push({ question, answer })
      if ('error' in answer) {
        errors.push(answer.error)
        continue
      }
      if (step.fate === 'dropped' && attempt === 1) continue
      const { plan } = answer
      const isSameLength = step.items.length === progress.final && step.outcome.kind !== 'open'
      const frozen = isSameLength ? progress.sealed : progress.final
      session = applyToSession(session, plan)
      progress = answer.progress
      const { answeredBy } = readTurn(step.items, saving.open)
      for (const position of [...plan.irrevocable, ...plan.late]) {
        reported.add(position)
        // PLAN-30: the output of a call that could not be taken back stays with it.
        const output = answeredBy.get(position)
        if (output !== undefined && plan.irrevocable.includes(position)) reported.add(output)
      }
      for (const notice of plan.notices)
        if (notice.kind === 'late-output' && notice.position !== undefined) reported.add(notice.position)
      applied.push({
        items: step.items,
        open: saving.open,
        outcome: step.outcome,
        policy: saving.policy,
        store: saving.store,
        frozen,
        session,
        plan,
        reported: new Set(reported)
      })
    }
  }
  return { session, progress, applied, asked, errors, reported }
}
