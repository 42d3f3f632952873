/**
 * The library as something that plans: asked with a question, read through its JSON form.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Progress } from '../../src/core/progress.js'
import { planSave, planToJSON } from '../../src/index.js'
import type { PlanDocument } from './answers.js'
import type { Planner } from './saving.js'

const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

export const planByLibrary: Planner = (question) => {
  const answer = planSave(question)
  if (E.isLeft(answer)) return { error: answer.left.kind }
  const plan = throughJson(planToJSON(answer.right)) as PlanDocument
  return { plan, progress: plan.after as unknown as Progress }
}
