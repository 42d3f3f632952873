/**
 * What is seen of a run while it runs.
 *
 * Law: the caller's runner is not changed. One like it runs instead, passes on every event, tells what each tool
 * returned, and looks at the result at the moment at which the guardrails begin to judge it: the SDK rewrites its
 * state when they reject the result of a tool.
 */
import { type RunConfig, Runner } from '@openai/agents-core'
import { type RunLog, takeItems, type ToolEnd } from './log.js'

/** A streamed result of the SDK. */
export type AnyStream = Awaited<ReturnType<Runner['run']>>

type Guardrail = NonNullable<RunConfig['outputGuardrails']>[number]

/** A run that is watched. */
export interface Watch {
  readonly runner: Runner
  /** What tools reported at their end, in that order. */
  readonly ends: ReadonlyArray<ToolEnd>
  /** Whether the guardrails have begun to judge the output of this run. */
  readonly judged: () => boolean
  /** Says which result the runner has made. */
  readonly start: (result: AnyStream) => void
}

const hookNames = ['agent_start', 'agent_end', 'agent_handoff', 'agent_tool_start', 'agent_tool_end'] as const

const passOn = (from: Runner, to: Runner): void => {
  for (const name of hookNames) {
    from.on(name, (...args: unknown[]) => {
      Reflect.apply(to.emit, to, [name, ...args])
    })
  }
}

const isFunctionCall = (call: unknown): call is ToolEnd['call'] =>
  (call as { readonly type?: unknown } | undefined)?.type === 'function_call'

/** A runner like the given one, whose run is watched. */
export const watchRun = (base: Runner | undefined, hasGuardrail: boolean, log: RunLog): Watch => {
  const ends: ToolEnd[] = []
  let judged = false
  let start: (result: AnyStream) => void = () => undefined
  const started = new Promise<AnyStream>((resolve) => {
    start = resolve
  })
  const recorder: Guardrail = {
    name: 'turnkeep_recorder',
    execute: async ({ agent }) => {
      const result = await started
      // Guardrails of an agent that runs as a tool judge another run.
      if (agent === result.lastAgent) {
        takeItems(log, result.newItems)
        judged = true
      }
      return { tripwireTriggered: false, outputInfo: undefined }
    }
  }
  const configured = base?.config ?? {}
  // A run without guardrails must not get one: the SDK saves such runs differently.
  const runner = new Runner(
    hasGuardrail
      ? { ...configured, outputGuardrails: [...(base?.config.outputGuardrails ?? []), recorder] }
      : configured
  )
  if (base !== undefined) passOn(runner, base)
  runner.on('agent_tool_end', (_context, _agent, _tool, text, { toolCall }) => {
    if (isFunctionCall(toolCall)) ends.push({ call: toolCall, text })
  })
  return {
    runner,
    ends,
    judged: () => judged,
    start
  }
}
