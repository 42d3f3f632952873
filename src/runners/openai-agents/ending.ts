/**
 * How a run of the SDK ended, in the words of the core.
 *
 * Law: only this file reads the errors, guardrails and interruptions of the SDK as outcomes.
 *
 * Rules: SELECT-23, SELECT-25, SELECT-26, PLAN-2.
 */
import {
  GuardrailExecutionError,
  InputGuardrailTripwireTriggered,
  OutputGuardrailTripwireTriggered,
  type Agent
} from '@openai/agents-core'
import { aborted, accepted, failed, inputRejected, open, type Outcome, rejected } from '../../core/outcome.js'
import { endsWithOutput, type RunLog } from './log.js'

/** What is known of a run when it is over. */
export interface RunEnd {
  /** What it threw, or undefined. */
  readonly error: unknown
  readonly cancelled: boolean
  /** Whether it waits for an approval. */
  readonly interrupted: boolean
  /** Whether the output guardrails have begun to judge. */
  readonly judged: boolean
  readonly agent: Agent<unknown, 'text'> | undefined
  readonly hasGuardrail: boolean
}

/** What an output guardrail may still reject of a response that waits for an approval. */
const pendingCheck = ({ agent, hasGuardrail }: RunEnd): 'none' | 'output' =>
  hasGuardrail && agent !== undefined && agent.toolUseBehavior !== 'run_llm_again' ? 'output' : 'none'

/** The outcome of a run. */
export const outcomeOfRun = (end: RunEnd, log: RunLog): Outcome => {
  const { error, judged } = end
  const check = judged ? 'due' : 'none'
  if (error instanceof InputGuardrailTripwireTriggered) return inputRejected
  if (error instanceof OutputGuardrailTripwireTriggered)
    return rejected(endsWithOutput(log) ? 'output' : 'message')
  if (error instanceof GuardrailExecutionError) return failed(judged ? 'due' : 'none')
  if (error !== undefined) return failed(check)
  if (end.interrupted) return open(pendingCheck(end))
  // A cancel that came after the guardrails had passed changes nothing.
  return end.cancelled && !judged ? aborted('none') : accepted
}

interface Handing {
  readonly outputGuardrails: ReadonlyArray<unknown>
  readonly handoffs: ReadonlyArray<unknown>
}

const isHanding = (value: unknown): value is Handing =>
  typeof value === 'object' && value !== null && 'outputGuardrails' in value && 'handoffs' in value

/** Whether the agent, or one that it can hand over to, has output guardrails. Complexity: linear in the agents. */
export const hasOutputGuardrail = (start: unknown): boolean => {
  const seen = new Set<unknown>()
  const waiting: unknown[] = [start]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (!isHanding(next) || seen.has(next)) continue
    seen.add(next)
    if (next.outputGuardrails.length > 0) return true
    for (const handoff of next.handoffs)
      waiting.push(isHanding(handoff) ? handoff : (handoff as { readonly agent?: unknown }).agent)
  }
  return false
}
