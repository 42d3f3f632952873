/**
 * A turn that is run to its end and then judged.
 *
 * Law: run, judge, settle, in this order, and a report of all three. A rejection is told only after the committed
 * items are stored. The host's loop is called once.
 *
 * Rules: PLAN-1, SELECT-23, SELECT-25.
 */
import type { Task } from 'fp-ts/lib/Task.js'
import type { Outcome, PendingCheck } from '../core/outcome.js'
import { type Ending, judge, outcomeOf, type ReadThrown, type TurnReport, type Verdict } from './ending.js'
import type { Settlement, TurnSettings } from './settle.js'
import { type RunningTurn, startTurn } from './turn.js'

/** What a host's loop is given. */
export interface TurnHandle<Raw> {
  /** The turn so far, input included. */
  readonly items: () => ReadonlyArray<Raw>
  /**
   * Adds what the model or a tool produced, in order; each item is complete, and is read once. Under
   * `saves: 'while-running'` it waits for the save, and the answer is what became of it; otherwise it is null. Never
   * rejects.
   */
  readonly add: (...items: Raw[]) => Promise<Settlement<Raw> | null>
}

/** What every form of running a turn takes. */
export interface RunSettings<Raw> extends TurnSettings<Raw> {
  /** The input of the turn: its first items. */
  readonly input?: ReadonlyArray<Raw>
  /** When the turn is saved. While it runs, every `add` is a save. Default `at-the-end`. */
  readonly saves?: 'at-the-end' | 'while-running'
  /** What the check may still reject while the turn runs. Default `message` where there is a check, else `none`. */
  readonly pending?: PendingCheck
  /** Reads what was thrown; undefined leaves it to `outcomeOfThrown`. */
  readonly readThrown?: ReadThrown
}

/** What `runTurn` is asked. */
export interface RunQuestion<A, Raw> extends RunSettings<Raw> {
  /** The host's loop. Called once. */
  readonly run: (turn: TurnHandle<Raw>) => A | Promise<A>
  /** Judges the result. It may answer or throw; a crash is not a rejection. Absent: the result is accepted. */
  readonly check?: (value: A, items: ReadonlyArray<Raw>) => Verdict | Promise<Verdict>
}

/** The handle of a turn; what is added after the end is saved under the turn's outcome. */
export const handleOf = <Raw>(
  turn: RunningTurn<Raw>,
  settings: RunSettings<Raw>,
  hasCheck: boolean
): TurnHandle<Raw> => {
  const pending: Outcome = { kind: 'open', check: settings.pending ?? (hasCheck ? 'message' : 'none') }
  return {
    items: turn.items,
    add: async (...items) => {
      turn.add(items)
      const ended = turn.outcome()
      if (ended !== null) return turn.save(ended)
      return settings.saves === 'while-running' ? turn.save(pending) : null
    }
  }
}

/**
 * Runs a turn and settles it. The task never rejects: what was thrown is in the report.
 *
 * Complexity: one save, or one for every `add`. Rules: PLAN-1, SELECT-25.
 */
export const runTurn =
  <A, Raw>(question: RunQuestion<A, Raw>): Task<TurnReport<A, Raw>> =>
  async () => {
    const { run, check, readThrown, input = [] } = question
    const turn = startTurn(question, input)
    const handle = handleOf(turn, question, check !== undefined)
    if (question.saves === 'while-running' && input.length > 0) await handle.add()
    const settleAs = async (ending: Ending<A>, outcome: Outcome): Promise<TurnReport<A, Raw>> => ({
      ending,
      settlement: await turn.save(outcome)
    })
    let value: A
    try {
      value = await run(handle)
    } catch (thrown) {
      const ending: Ending<A> = { kind: 'threw', thrown }
      return settleAs(ending, outcomeOf(ending, { kind: 'accepted' }, 'run', readThrown))
    }
    const judged = await judge(value, check === undefined ? undefined : () => check(value, turn.items()))
    return settleAs(judged.ending, outcomeOf(judged.ending, judged.verdict, 'check', readThrown))
  }
