/**
 * What one save of a turn must write.
 *
 * Law: only this file answers a plan question. The answer is one value: the entries to write, the entries they
 * replace, the progress that the store must hold and the progress after. The caller applies it or does not; nothing
 * here waits, writes or remembers. Complexity: linear in the turn, each item is read a bounded number of times.
 *
 * Rules: PLAN-1 to PLAN-31, PROGRESS-2, PROGRESS-8.
 */
import { type Either, isLeft, right } from 'fp-ts/lib/Either.js'
import { digestOperation } from './digest.js'
import { type Draft, isChange, topAfter, type TurnState } from './draft.js'
import { draftEnded } from './ended.js'
import { type Entries, type Entry, noEntries } from './entries.js'
import type { PlanError } from './error.js'
import { type Decision, decideAll, unprotectedOf } from './explain.js'
import { rejectedFrom } from './judge.js'
import { edgeOf, type LoadedTurn, loadTurn } from './load.js'
import type { Outcome } from './outcome.js'
import { type Notice, noticesOf } from './notice.js'
import { draftOpen } from './opened.js'
import type { Progress } from './progress.js'
import type { PlanQuestion } from './question.js'
import { listSet, type Members, membersFrom, type Saved, type SetName } from './saved.js'
import { NONE, SHORT } from './structure.js'

/** Decisions, made when they are asked for. */
export interface Decisions extends Iterable<Decision> {
  readonly length: number
}

/** Everything that one write needs. */
export interface SavePlan {
  readonly change: 'append' | 'replace-suffix' | 'none'
  /** The last entries of this turn as the store holds them, oldest first, that the write takes away. */
  readonly replaces: Entries
  /** First position of the rejected part, or null. */
  readonly from: number | null
  readonly writes: Entries
  /** The progress that the store must hold; otherwise plan again from the one it holds. */
  readonly expects: Progress
  readonly after: Progress
  /** The id of the write: equal on retry. */
  readonly operation: string
  /** Calls and outputs that are not in the session yet and not withheld either. */
  readonly unprotected: ReadonlyArray<number>
  /** Positions in an append-only store that should be withheld, redacted or restored. */
  readonly irrevocable: ReadonlyArray<number>
  /** Calls whose closing stands out of place in an append-only store. */
  readonly late: ReadonlyArray<number>
  readonly notices: ReadonlyArray<Notice>
  readonly decisions: Decisions
}

/** The draft of a save: what changes, before it is put into words. */
export const draftSave = (state: TurnState, outcome: Outcome): Either<PlanError, Draft> => {
  const { saved, structure, scan } = state
  if (outcome.kind !== 'open') return draftEnded(state, outcome)
  if (saved.final === 0 || structure.length !== saved.final) return draftOpen(state, outcome)
  return right({
    base: structure.length,
    bits: new Uint8Array(0),
    settled: saved.settled,
    final: saved.final,
    sealed: saved.sealed,
    writes: noEntries,
    replaces: noEntries,
    irrevocable: [],
    late: [],
    scan
  })
}

/** The progress after a draft. */
const progressAfter = (loaded: LoadedTurn, draft: Draft): Progress => {
  const { saved } = loaded.state
  const { base, bits, settled } = draft
  const edge = edgeOf(loaded, settled, topAfter(saved, draft), base, bits)
  const { sets } = saved
  const listed = sets.withheld.length + sets.ahead.length + sets.closed.length + sets.redacted.length
  const fields = {
    turn: saved.progress.turn,
    revision: saved.progress.revision + 1,
    settled,
    final: draft.final,
    sealed: draft.sealed,
    written: saved.written + draft.writes.length - draft.replaces.length,
    edge
  }
  if (bits.length + listed > SHORT) return listLater(fields, saved, draft)
  const members = membersFrom(base, bits, settled)
  return {
    turn: fields.turn,
    revision: fields.revision,
    settled,
    final: fields.final,
    sealed: fields.sealed,
    withheld: listSet('withheld', sets, members, draft),
    ahead: listSet('ahead', sets, members, draft),
    closed: listSet('closed', sets, members, draft),
    redacted: listSet('redacted', sets, members, draft),
    written: fields.written,
    edge
  }
}

/** A progress whose position sets become arrays when they are asked for. */
const listLater = (fields: Omit<Progress, SetName>, saved: Saved, draft: Draft): Progress => {
  const made: { [Name in SetName]?: ReadonlyArray<number> } = {}
  let members: Members | undefined
  const list = (name: SetName): ReadonlyArray<number> => {
    members ??= membersFrom(draft.base, draft.bits, draft.settled)
    made[name] ??= listSet(name, saved.sets, members, draft)
    return made[name] as ReadonlyArray<number>
  }
  return {
    turn: fields.turn,
    revision: fields.revision,
    settled: fields.settled,
    final: fields.final,
    sealed: fields.sealed,
    get withheld() {
      return list('withheld')
    },
    get ahead() {
      return list('ahead')
    },
    get closed() {
      return list('closed')
    },
    get redacted() {
      return list('redacted')
    },
    written: fields.written,
    edge: fields.edge
  }
}

const changeOf = (draft: Draft): SavePlan['change'] => {
  if (draft.replaces.length > 0) return 'replace-suffix'
  return draft.writes.length > 0 ? 'append' : 'none'
}

const rejectedPart = (outcome: Outcome, { policy, structure }: TurnState): number | null => {
  const from = outcome.kind === 'open' ? NONE : rejectedFrom(outcome, policy, structure)
  return from === NONE ? null : from
}

const operationOf = (after: Progress, saved: Saved, { writes, replaces }: Draft): string =>
  digestOperation(after, saved.digest, replaces.length, writes.length, writes.stretches)

/** A plan; a class, so that the lists that nobody asks for cost nothing. */
class DraftedPlan implements SavePlan {
  readonly change: SavePlan['change']
  readonly replaces: Entries
  readonly from: number | null
  readonly writes: Entries
  readonly expects: Progress
  readonly after: Progress
  readonly operation: string
  readonly irrevocable: ReadonlyArray<number>
  readonly late: ReadonlyArray<number>
  private readonly draft: Draft
  private readonly outcome: Outcome
  private readonly length: number
  private readonly again: () => TurnState
  private madeUnprotected: ReadonlyArray<number> | undefined
  private madeNotices: ReadonlyArray<Notice> | undefined

  constructor(loaded: LoadedTurn, outcome: Outcome, draft: Draft, again: () => TurnState) {
    const { saved } = loaded.state
    const after = isChange(saved, draft) ? progressAfter(loaded, draft) : saved.progress
    this.change = changeOf(draft)
    this.replaces = draft.replaces
    this.from = rejectedPart(outcome, loaded.state)
    this.writes = draft.writes
    this.expects = saved.progress
    this.after = after
    this.operation = operationOf(after, saved, draft)
    this.irrevocable = draft.irrevocable
    this.late = draft.late
    this.draft = draft
    this.outcome = outcome
    this.length = loaded.state.structure.length
    this.again = again
    this.madeUnprotected = undefined
    this.madeNotices = undefined
  }

  get unprotected(): ReadonlyArray<number> {
    const { base, bits } = this.draft
    this.madeUnprotected ??= unprotectedOf(this.again(), this.outcome, base + bits.length)
    return this.madeUnprotected
  }

  get notices(): ReadonlyArray<Notice> {
    this.madeNotices ??= noticesOf(this.again(), this.outcome)
    return this.madeNotices
  }

  get decisions(): Decisions {
    return { length: this.length, [Symbol.iterator]: () => decideAll(this.again(), this.outcome) }
  }
}

/**
 * Puts a draft into the words of an answer. `again` gives the turn as it was planned, for the lists that are made
 * only when they are asked for.
 */
export const planOf = (
  loaded: LoadedTurn,
  outcome: Outcome,
  draft: Draft,
  again: () => TurnState
): SavePlan => new DraftedPlan(loaded, outcome, draft, again)

/**
 * What one save must write, given the whole turn, what is stored of it, and how it stands.
 *
 * Errors: `invalid-input`, `foreign-turn`, `beyond-turn`, `edge-mismatch`, and on an append-only store
 * `out-of-order`; then nothing is to be written. Complexity: linear; each item is read a bounded number of times.
 * Rules: PLAN-1 to PLAN-30.
 *
 * @example
 * const rejectedTurn = orThrow(
 *   planSave({
 *     turn: 'run-7/3',
 *     items: [{ kind: 'message' }, { kind: 'call', callId: 'a' }, { kind: 'output', callId: 'a' }],
 *     outcome: { kind: 'rejected', deliverable: 'message' }
 *   })
 * )
 * Array.from(rejectedTurn.writes) // => [{ position: 1 }, { position: 2 }]
 */
export const planSave = (question: PlanQuestion): Either<PlanError, SavePlan> => {
  const loaded = loadTurn(question)
  if (isLeft(loaded)) return loaded
  const { state } = loaded.right
  const draft = draftSave(state, question.outcome)
  return isLeft(draft) ? draft : right(planOf(loaded.right, question.outcome, draft.right, () => state))
}

/** A plan as the JSON of the specification: every list made. Complexity: linear. */
export interface PlanDocument {
  readonly change: SavePlan['change']
  readonly replaces: ReadonlyArray<Entry>
  readonly from: number | null
  readonly writes: ReadonlyArray<Entry>
  readonly after: Progress
  readonly operation: string
  readonly unprotected: ReadonlyArray<number>
  readonly irrevocable: ReadonlyArray<number>
  readonly late: ReadonlyArray<number>
  readonly notices: ReadonlyArray<Notice>
  readonly decisions: ReadonlyArray<Decision>
}

/**
 * The plan as plain data, for a file, a wire or a test. Complexity: linear in the turn.
 *
 * @example
 * planToJSON(orThrow(planSave({ turn: 't', items: [], outcome: { kind: 'accepted' } }))).change // => 'none'
 */
export const planToJSON = (plan: SavePlan): PlanDocument => ({
  change: plan.change,
  replaces: Array.from(plan.replaces),
  from: plan.from,
  writes: Array.from(plan.writes),
  after: { ...plan.after },
  operation: plan.operation,
  unprotected: plan.unprotected,
  irrevocable: plan.irrevocable,
  late: plan.late,
  notices: plan.notices,
  decisions: Array.from(plan.decisions)
})

/**
 * The value of an `Either`, for callers without fp-ts.
 *
 * Errors: throws an `Error` whose `cause` is the typed error and whose message is its message.
 *
 * @example
 * orThrow({ _tag: 'Right', right: 1 }) // => 1
 */
export const orThrow = <E extends { readonly message: string }, A>(either: Either<E, A>): A => {
  if (isLeft(either)) throw new Error(either.left.message, { cause: either.left })
  return either.right
}
