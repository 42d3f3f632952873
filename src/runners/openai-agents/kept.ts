/**
 * What is remembered of a state between two runs of it.
 *
 * Law: a state that is resumed goes on with the turn, the items and the store of its last run. A state that comes
 * from text is known by its first response and its first call. A state that has lost what the session holds is
 * refused.
 *
 * Rules: PLAN-19, PROGRESS-11.
 */
import * as E from 'fp-ts/lib/Either.js'
import { type AgentInputItem, RunResult, RunState, type Runner, type Session } from '@openai/agents-core'
import type { Policy } from '../../core/policy.js'
import type { Dialect } from '../../ports/dialect.js'
import type { SessionStore } from '../../ports/session-store.js'
import { type ContextHolder, withRunContext } from './context.js'
import { answeredCalls, type LogItem, rawOf, type RunLog, startLog, turnOf } from './log.js'
import { resumedStore, storeOf } from './recover.js'

/** What the SDK's run takes as input. */
export type RunInput = Parameters<Runner['run']>[1]

type AnyState = Exclude<RunInput, string | AgentInputItem[]>

/** A run that begins or goes on. */
export interface KeptRun {
  /** Undefined until the run has given it one. */
  readonly turn: string | undefined
  readonly log: RunLog
  readonly store: SessionStore<AgentInputItem>
  /** Input that is not stored yet; undefined for the input of a run that begins. */
  readonly input: ReadonlyArray<AgentInputItem> | undefined
  readonly lastAgent: unknown
  /** Where the context of the run goes once it is known. */
  readonly holder: ContextHolder
}

/** What resuming needs to know of the caller. */
export interface ResumeOptions {
  readonly dialect: Dialect<LogItem>
  readonly policy?: Policy
  readonly turn?: () => string
}

const keptRuns = new WeakMap<AnyState, KeptRun>()

/** A state that cannot be resumed: the SDK has dropped calls from it whose effects the session holds. */
export interface StaleStateError extends Error {
  readonly kind: 'stale-state'
  readonly callIds: ReadonlyArray<string>
}

const callIdOf = (raw: unknown): unknown => (raw as { readonly callId?: unknown } | undefined)?.callId

/** Resuming such a state would ask the model again, and run its tools again. */
const checkState = (state: AnyState, kept: KeptRun): void => {
  const present = new Set(new RunResult(state).newItems.map((item) => callIdOf(rawOf(item))))
  const callIds = [...answeredCalls(kept.log)].filter((callId) => !present.has(callId))
  if (callIds.length === 0) return
  const message = `this state has lost ${callIds.length} of the calls that ran and that the session holds: start a new run from the session`
  const error: StaleStateError = Object.assign(new Error(message), { kind: 'stale-state' as const, callIds })
  throw error
}

/** Remembers a state. */
export const keepRun = (state: AnyState, kept: KeptRun): void => {
  keptRuns.set(state, kept)
}

/**
 * The run that an input begins or goes on with.
 *
 * Errors: rejects with a `StaleStateError`, or with `untrusted` where a history can be read in two ways.
 */
export const openRun = async (
  options: ResumeOptions,
  session: Session,
  input: RunInput
): Promise<KeptRun> => {
  if (!(input instanceof RunState)) {
    const holder: ContextHolder = { context: undefined }
    const store = storeOf(withRunContext(session, holder))
    return { turn: undefined, log: startLog([], []), store, input: undefined, lastAgent: undefined, holder }
  }
  const kept = keptRuns.get(input)
  const { newItems, rawResponses, lastAgent, runContext } = new RunResult(input)
  if (kept !== undefined) {
    checkState(input, kept)
    for (const response of rawResponses) kept.log.taken.add(response)
    return kept
  }
  const log = startLog(newItems, rawResponses)
  const turn = options.turn?.() ?? turnOf(log, rawResponses)
  const holder: ContextHolder = { context: runContext }
  const bound = withRunContext(session, holder)
  const store =
    turn === undefined
      ? storeOf(bound)
      : await resumedStore(bound, turn, log.items, options.dialect, options.policy)
  return { turn, log, store, input: [], lastAgent, holder }
}

/** Whether the server keeps the conversation that a state belongs to. */
export const isServerManaged = (input: RunInput): boolean => {
  if (!(input instanceof RunState)) return false
  try {
    const { conversationId, previousResponseId } = input.toJSON() as {
      readonly conversationId?: unknown
      readonly previousResponseId?: unknown
    }
    return typeof conversationId === 'string' || typeof previousResponseId === 'string'
  } catch {
    return false
  }
}

let turns = 0

const randomId = (): string => {
  turns += 1
  return `${Math.random().toString(36).slice(2)}${turns.toString(36)}`
}

/** The id of a turn that begins now: the wanted one, unless an earlier turn of the session has it. */
export const beginTurn = async (
  store: SessionStore<AgentInputItem>,
  wanted: string | undefined
): Promise<string> => {
  if (wanted === undefined) return randomId()
  const known = await store.progress(wanted)()
  return E.isRight(known) && known.right !== null ? `${wanted}/${randomId()}` : wanted
}
