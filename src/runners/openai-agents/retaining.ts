/**
 * The SDK's own run, with a session in which nothing that was done is lost.
 *
 * Law: the SDK runs as it does; its writes are held back, and the turn is settled once, when the run is over. One
 * engine serves both modes: a run that is not streamed is a stream that nobody reads, so the model must be able to
 * stream. The caller gets the SDK's results and errors, unchanged, after the save; what became of the save is told
 * by a callback. No retention rule is written here.
 *
 * Rules: PLAN-1, PLAN-19, PLAN-22, PLAN-25, SELECT-4.
 */
import * as E from 'fp-ts/lib/Either.js'
import {
  type Agent,
  type AgentInputItem,
  type OutputGuardrail,
  RunResult,
  Runner,
  RunState,
  type Session,
  type StreamedRunResult
} from '@openai/agents-core'
import type { StoreKind } from '../../core/plan.js'
import type { Policy } from '../../core/policy.js'
import type { AbortSignalLike } from '../../ports/abort-signal.js'
import type { Dialect } from '../../ports/dialect.js'
import type { SessionStore } from '../../ports/session-store.js'
import { hasOutputGuardrail, outcomeOfRun } from './ending.js'
import {
  answeredCalls,
  type LogItem,
  type RunLog,
  startLog,
  takeItems,
  takeResponses,
  takeToolEnds,
  type ToolEnd,
  turnOf
} from './log.js'
import { makeOutbox, type Outbox } from './outbox.js'
import { resumedStore, storeOf } from './recover.js'
import { makeReport, type RetentionReport, saveRun, writtenInput } from './save-run.js'
import { endAfter } from './streamed.js'

/** What `retaining` takes. */
export interface RetainingOptions {
  /** `agentsJs`, or one made of it with `with` or `withWording`. */
  readonly dialect: Dialect<LogItem>
  /** Told once for every save, before the run's promise or stream ends. The only place where a failed save is told. */
  readonly onSave: (report: RetentionReport) => void
  readonly policy?: Policy
  /** Default `replace`. */
  readonly store?: StoreKind
  /** Its configuration and its listeners are used. Default: a runner as the SDK's `run` makes it. */
  readonly runner?: Runner
  /** An id for the turn, the same when a state is resumed. Default: made from the first response and the first call. */
  readonly turn?: () => string
  /** How often a save is planned when other writers are met. Default 4. */
  readonly attempts?: number
  /** Ends the wait for a store that does not answer. */
  readonly saveSignal?: AbortSignalLike
}

type AnyAgent = Agent<any, any>
type AnyState = RunState<any, any>
type AnyStream = StreamedRunResult<any, any>
type RunInput = string | AgentInputItem[] | AnyState

interface RunOptions {
  readonly session?: Session
  readonly stream?: boolean
  readonly signal?: { readonly reason?: unknown }
  readonly conversationId?: string
  readonly previousResponseId?: string
  readonly sessionInputCallback?: unknown
  readonly callModelInputFilter?: unknown
}

/** What is remembered of a state, so that resuming it writes nothing twice. */
interface KeptRun {
  readonly turn: string
  readonly log: RunLog
  readonly store: SessionStore<AgentInputItem>
  /** Input that is not stored yet. */
  readonly input: ReadonlyArray<AgentInputItem>
}

const keptRuns = new WeakMap<AnyState, KeptRun>()

/** A state that cannot be resumed: the SDK has dropped calls from it whose effects the session holds. */
export interface StaleStateError extends Error {
  readonly kind: 'stale-state'
  readonly callIds: ReadonlyArray<string>
}

/** Resuming such a state would run its tools again. */
const checkState = (state: AnyState, kept: KeptRun): void => {
  const { newItems } = new RunResult(state)
  const present = new Set(newItems.map(({ rawItem }) => (rawItem as { readonly callId?: unknown }).callId))
  const callIds = [...answeredCalls(kept.log)].filter((callId) => !present.has(callId))
  if (callIds.length === 0) return
  const message = `this state has lost ${callIds.length} calls that have run and that the session holds: start a new run from the session`
  const error: StaleStateError = Object.assign(new Error(message), { kind: 'stale-state' as const, callIds })
  throw error
}

const hookNames = ['agent_start', 'agent_end', 'agent_handoff', 'agent_tool_start', 'agent_tool_end'] as const

/** What is seen of a run while it runs. */
interface Watch {
  readonly runner: Runner
  readonly ends: ToolEnd[]
  result: AnyStream | undefined
  judged: boolean
  onToolEnd: (() => void) | undefined
}

const isFunctionCall = (call: unknown): call is ToolEnd['call'] =>
  (call as { readonly type?: unknown } | undefined)?.type === 'function_call'

/** A runner like the given one that also tells what it does. */
const watchRun = (base: Runner | undefined, hasGuardrail: boolean, take: (watch: Watch) => void): Watch => {
  const recorder: OutputGuardrail<any> = {
    name: 'turnkeep_recorder',
    execute: async ({ agent }) => {
      // Guardrails of an agent that runs as a tool judge another run.
      if (watch.result === undefined || agent === watch.result.lastAgent) {
        take(watch)
        watch.judged = true
      }
      return { tripwireTriggered: false, outputInfo: undefined }
    }
  }
  const configured = base?.config ?? {}
  // Without guardrails of its own a run must not get one: the SDK saves such runs differently.
  const runner = new Runner(
    hasGuardrail
      ? { ...configured, outputGuardrails: [...(base?.config.outputGuardrails ?? []), recorder] }
      : configured
  )
  const watch: Watch = { runner, ends: [], result: undefined, judged: false, onToolEnd: undefined }
  if (base !== undefined) {
    for (const name of hookNames) {
      runner.on(name, (...args: unknown[]) => {
        Reflect.apply(base.emit, base, [name, ...args])
      })
    }
  }
  runner.on('agent_tool_end', (_context, _agent, _tool, text, { toolCall }) => {
    if (isFunctionCall(toolCall)) watch.ends.push({ call: toolCall, text })
    watch.onToolEnd?.()
  })
  return watch
}

const inputItems = (input: string | AgentInputItem[]): AgentInputItem[] =>
  typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : input

/** What the run was given, as the session is to hold it. */
const ownInput = (input: RunInput, reshaped: boolean, outbox: Outbox, log: RunLog): AgentInputItem[] => {
  if (input instanceof RunState) return []
  return reshaped ? writtenInput(outbox.written(), log) : inputItems(input)
}

/** A run of the SDK that is settled when it is over. */
const startRetained = async (
  options: RetainingOptions,
  agent: AnyAgent,
  input: RunInput,
  runOptions: RunOptions,
  session: Session
): Promise<{ readonly result: AnyStream; readonly settled: Promise<void> }> => {
  const state = input instanceof RunState ? (input as AnyState) : undefined
  const kept = state === undefined ? undefined : keptRuns.get(state)
  if (state !== undefined && kept !== undefined) checkState(state, kept)
  const earlier = state === undefined ? undefined : new RunResult(state)
  const log = kept?.log ?? startLog(earlier?.newItems ?? [], earlier?.rawResponses ?? [])
  for (const response of earlier?.rawResponses ?? []) log.taken.add(response)
  const resumedTurn =
    state === undefined
      ? undefined
      : (kept?.turn ?? options.turn?.() ?? turnOf(log, earlier?.rawResponses ?? []))
  const before =
    resumedTurn === undefined || kept !== undefined
      ? undefined
      : await resumedStore(session, resumedTurn, log.items, options.dialect, options.policy)

  const { runner: base } = options
  const guarded = (base?.config.outputGuardrails?.length ?? 0) > 0
  const hasGuardrail = guarded || hasOutputGuardrail(agent) || hasOutputGuardrail(earlier?.lastAgent)
  const outbox = makeOutbox(session)
  const watch = watchRun(base, hasGuardrail, ({ result, judged }) => {
    if (result !== undefined && !judged) takeItems(log, result.newItems)
  })
  const result = (await watch.runner.run(agent, input, {
    ...runOptions,
    session: outbox.session,
    stream: true
  } as never)) as AnyStream
  watch.result = result
  const reshaped =
    (runOptions.sessionInputCallback ?? base?.config.sessionInputCallback) !== undefined ||
    (runOptions.callModelInputFilter ?? base?.config.callModelInputFilter) !== undefined

  const finish = async (error: unknown): Promise<void> => {
    if (error === undefined || !watch.judged) takeItems(log, result.newItems)
    if (error !== undefined && !watch.judged) takeResponses(log, result.rawResponses)
    takeToolEnds(log, watch.ends)
    const interrupted = error === undefined && result.interruptions.length > 0
    const outcome = outcomeOfRun(
      {
        error,
        cancelled: result.cancelled,
        interrupted,
        judged: watch.judged,
        agent: result.lastAgent,
        hasGuardrail
      },
      log
    )
    const store = kept?.store ?? before ?? storeOf(session)
    const wanted = resumedTurn ?? options.turn?.() ?? turnOf(log, result.rawResponses)
    const turn = await freshTurn(store, wanted, state !== undefined)
    const pendingInput = kept === undefined ? ownInput(input, reshaped, outbox, log) : kept.input
    const question = {
      ...options,
      store,
      turn,
      log,
      outcome,
      input: pendingInput,
      kind: options.store ?? 'replace'
    }
    const saved = await saveRun(question)
    const left = saved.input !== null && E.isLeft(saved.input) ? pendingInput : []
    keptRuns.set(result.state, { turn, log, store, input: left })
    options.onSave(makeReport(question, saved))
    if (outcome.kind === 'open') return
    watch.onToolEnd = () => {
      if (!takeToolEnds(log, watch.ends)) return
      const late = { ...question, input: [] }
      void saveRun(late).then((again) => options.onSave(makeReport(late, again)))
    }
  }
  const settled = result.completed.then(
    () => finish(undefined),
    (error: unknown) => finish(error)
  )
  settled.catch(() => undefined)
  return { result, settled }
}

let turns = 0

/** An id that no earlier turn of the session has used; a resumed turn keeps its own. */
const freshTurn = async (
  store: SessionStore<AgentInputItem>,
  wanted: string | undefined,
  resumed: boolean
): Promise<string> => {
  turns += 1
  const random = `${Math.random().toString(36).slice(2)}${turns.toString(36)}`
  if (wanted === undefined) return random
  if (resumed) return wanted
  const known = await store.progress(wanted)()
  return E.isRight(known) && known.right !== null ? `${wanted}/${random}` : wanted
}

/** Reads a stream to its end and keeps nothing; what it throws is told elsewhere. */
const drain = async (result: AnyStream): Promise<void> => {
  try {
    for await (const _event of result) {
      // Reading is what frees the queue.
    }
  } catch {
    return
  }
}

/** The result of a run that is not streamed, or what it throws. */
const runToEnd = async (
  result: AnyStream,
  settled: Promise<void>,
  runOptions: RunOptions
): Promise<RunResult<any, any>> => {
  const drained = drain(result)
  await settled
  await drained
  await result.completed
  const finished = new RunResult<any, any>(result.state)
  if (result.cancelled && runOptions.signal !== undefined && result.interruptions.length === 0)
    throw runOptions.signal.reason
  return finished
}

/**
 * The SDK's `run` for sessions that must not lose what was done.
 *
 * The same arguments, results and errors as the SDK's own `run`, streamed or not. Without a session, or where the
 * server keeps the conversation, it is the SDK's `run`. A state that is resumed is saved to the same turn; one from
 * which the SDK has dropped calls that ran is refused with a `StaleStateError`. Complexity: linear in the turn.
 *
 * @example
 * const run = retaining({ dialect: agentsJs, onSave: (report) => reports.push(report) })
 * typeof run // => 'function'
 */
export const retaining = (options: RetainingOptions): Runner['run'] => {
  const run = async (agent: AnyAgent, input: RunInput, runOptions: RunOptions = {}): Promise<unknown> => {
    const { session, conversationId, previousResponseId } = runOptions
    if (session === undefined || conversationId !== undefined || previousResponseId !== undefined) {
      const native = options.runner ?? new Runner()
      return native.run(agent, input, runOptions as never)
    }
    const { result, settled } = await startRetained(options, agent, input, runOptions, session)
    if (runOptions.stream === true) return endAfter(result, settled)
    return runToEnd(result, settled, runOptions)
  }
  return run as Runner['run']
}
