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
  type AgentInputItem,
  isOpenAIResponsesCompactionAwareSession,
  Runner,
  RunResult,
  type Session
} from '@openai/agents-core'
import type { StoreKind } from '../../core/question.js'
import type { Policy } from '../../core/policy.js'
import type { AbortSignalLike } from '../../ports/abort-signal.js'
import type { Dialect } from '../../ports/dialect.js'
import { hasOutputGuardrail, outcomeOfRun } from './ending.js'
import { beginTurn, isServerManaged, keepRun, type KeptRun, openRun, type RunInput } from './kept.js'
import { type LogItem, takeItems, takeResponses, takeToolEnds, turnOf } from './log.js'
import { makeOutbox, type Outbox } from './outbox.js'
import { makeReport, type RetentionReport, type RunSave, saveRun, writtenInput } from './save-run.js'
import { endAfter } from './streamed.js'
import { type AnyStream, type Watch, watchRun } from './watch.js'

/** What `retaining` takes. */
export interface RetainingOptions {
  /** `agentsJs`, or one made of it with `with` or `withWording`. */
  readonly dialect: Dialect<LogItem>
  /** Told once for every run, before the run's promise or stream ends. A failed save is told nowhere else. */
  readonly onSave: (report: RetentionReport) => void
  readonly policy?: Policy
  /** Default `replace`. */
  readonly store?: StoreKind
  /** Its configuration and its listeners are used. Default: a runner as the SDK's `run` makes it. */
  readonly runner?: Runner
  /** An id for the turn, the same when a state is resumed. Default: made of the first response and the first call. */
  readonly turn?: () => string
  /** How often a save is planned when other writers are met. Default 4. */
  readonly attempts?: number
  /** Ends the wait for a store that does not answer. */
  readonly saveSignal?: AbortSignalLike
}

type AnyAgent = Parameters<Runner['run']>[0]

/** The options of the SDK's run that matter here; the others are passed on. */
interface RunOptions {
  readonly session?: Session
  readonly stream?: boolean
  readonly signal?: { readonly reason?: unknown }
  readonly conversationId?: string
  readonly previousResponseId?: string
  readonly sessionInputCallback?: unknown
  readonly callModelInputFilter?: unknown
  readonly reasoningItemIdPolicy?: 'preserve' | 'omit'
}

/** A run that was started. */
interface Started {
  readonly kept: KeptRun
  readonly outbox: Outbox
  readonly watch: Watch
  readonly result: AnyStream
  readonly hasGuardrail: boolean
}

const start = async (
  options: RetainingOptions,
  agent: AnyAgent,
  input: RunInput,
  runOptions: RunOptions,
  session: Session
): Promise<Started> => {
  const kept = await openRun(options, session, input)
  const { runner: base } = options
  const hasGuardrail =
    (base?.config.outputGuardrails?.length ?? 0) > 0 ||
    hasOutputGuardrail(agent) ||
    hasOutputGuardrail(kept.lastAgent)
  const outbox = makeOutbox(session)
  const watch = watchRun(base, hasGuardrail, kept.log)
  const own = { ...runOptions, session: outbox.session, stream: true }
  const result = (await watch.runner.run(agent, input, own as never)) as unknown as AnyStream
  kept.holder.context = result.runContext
  watch.start(result)
  return { kept, outbox, watch, result, hasGuardrail }
}

/** What the run was given, as the session is to hold it. */
const inputOf = (
  options: RetainingOptions,
  input: RunInput,
  runOptions: RunOptions,
  { kept, outbox }: Started
): ReadonlyArray<AgentInputItem> => {
  if (kept.input !== undefined) return kept.input
  const { config } = options.runner ?? {}
  const isReshaped =
    (runOptions.sessionInputCallback ?? config?.sessionInputCallback) !== undefined ||
    (runOptions.callModelInputFilter ?? config?.callModelInputFilter) !== undefined
  if (isReshaped) return writtenInput(outbox.written(), kept.log)
  return typeof input === 'string'
    ? [{ type: 'message', role: 'user', content: input }]
    : (input as AgentInputItem[])
}

/** Takes what is not taken yet. After the guardrails have begun, a state that failed is no source any more. */
const takeRest = ({ kept, watch, result }: Started, error: unknown): void => {
  if (error === undefined || !watch.judged()) takeItems(kept.log, result.newItems)
  if (error !== undefined && !watch.judged()) takeResponses(kept.log, result.rawResponses)
  takeToolEnds(kept.log, watch.ends)
}

const settleRun = async (
  options: RetainingOptions,
  input: RunInput,
  runOptions: RunOptions,
  started: Started,
  error: unknown
): Promise<RetentionReport> => {
  const { kept, watch, result, hasGuardrail } = started
  const { log, store } = kept
  takeRest(started, error)
  const outcome = outcomeOfRun(
    {
      error,
      cancelled: result.cancelled,
      interrupted: error === undefined && result.interruptions.length > 0,
      judged: watch.judged(),
      agent: result.lastAgent,
      hasGuardrail
    },
    log
  )
  const turn = kept.turn ?? (await beginTurn(store, options.turn?.() ?? turnOf(log, result.rawResponses)))
  const policy = runOptions.reasoningItemIdPolicy ?? options.runner?.config.reasoningItemIdPolicy
  const save: RunSave = {
    ...options,
    store,
    kind: options.store ?? 'replace',
    turn,
    log,
    outcome,
    input: inputOf(options, input, runOptions, started),
    omitsReasoningIds: policy === 'omit'
  }
  const saved = await saveRun(save)
  const left = saved.input !== null && E.isLeft(saved.input) ? save.input : []
  keepRun(result.state, { ...kept, turn, input: left, lastAgent: result.lastAgent })
  return makeReport(save, saved)
}

const compact = async (session: Session, result: AnyStream): Promise<void> => {
  if (isOpenAIResponsesCompactionAwareSession(session))
    await session.runCompaction({ responseId: result.lastResponseId })
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
): Promise<unknown> => {
  const drained = drain(result)
  await settled
  await drained
  await result.completed
  if (result.cancelled && runOptions.signal !== undefined && result.interruptions.length === 0)
    throw runOptions.signal.reason
  return new RunResult(result.state)
}

/**
 * The SDK's `run` for sessions that must not lose what was done.
 *
 * The same arguments, results and errors as the SDK's own `run`, streamed or not; where there are output guardrails,
 * their results hold one more, named `turnkeep_recorder`. Without a session, or where the server keeps the
 * conversation, it is the SDK's `run`. A state that is resumed is saved to the same turn; one from which the SDK has
 * dropped calls that ran is refused with a `StaleStateError`. Complexity: linear in the turn.
 *
 * @example
 * import { agentsJs } from 'turnkeep/dialects/agents-js'
 * const reports: unknown[] = []
 * const run = retaining({ dialect: agentsJs, onSave: (report) => reports.push(report) })
 * typeof run // => 'function'
 */
export const retaining = (options: RetainingOptions): Runner['run'] => {
  const run = async (agent: AnyAgent, input: RunInput, runOptions: RunOptions = {}): Promise<unknown> => {
    const { session, conversationId, previousResponseId } = runOptions
    const isServers =
      conversationId !== undefined || previousResponseId !== undefined || isServerManaged(input)
    if (session === undefined || isServers) {
      const native = options.runner ?? new Runner()
      return native.run(agent, input, runOptions as never)
    }
    const started = await start(options, agent, input, runOptions, session)
    const { result } = started
    const finish = async (error: unknown): Promise<void> => {
      const report = await settleRun(options, input, runOptions, started, error)
      options.onSave(report)
      if (report.outcome.kind === 'accepted' && report.saved) await compact(session, result)
    }
    const settled = result.completed.then(
      () => finish(undefined),
      // What the run threw is not hidden by what the host's callback throws.
      (error: unknown) => finish(error).catch(() => undefined)
    )
    settled.catch(() => undefined)
    return runOptions.stream === true ? endAfter(result, settled) : runToEnd(result, settled, runOptions)
  }
  return run as Runner['run']
}
