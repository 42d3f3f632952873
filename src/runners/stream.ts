/**
 * A turn that is streamed.
 *
 * Law: events pass through as they come, one for each that is asked for, and the turn is settled at the points at
 * which `runTurn` settles it: at its end, at a rejection, at an error, at a cancel, and when the consumer stops
 * reading. The stream ends, or throws, only after that.
 *
 * Rules: PLAN-1, SELECT-23, SELECT-25.
 */
import { type Ending, judge, outcomeOf, thrownBy, type TurnReport, type Verdict } from './ending.js'
import { handleOf, type RunSettings, type TurnHandle } from './run.js'
import { startTurn } from './turn.js'

/** What `streamTurn` is asked. */
export interface StreamQuestion<Event, Raw> extends RunSettings<Raw> {
  /** The host's events. Called once, when the first one is asked for. */
  readonly stream: (turn: TurnHandle<Raw>) => AsyncIterable<Event> | Iterable<Event>
  /** The complete items that an event carries. Absent: the host adds them to the turn itself. */
  readonly itemsOf?: (event: Event) => ReadonlyArray<Raw>
  /** Judges the turn when the events are over. It may answer or throw; a crash is not a rejection. */
  readonly check?: (items: ReadonlyArray<Raw>) => Verdict | Promise<Verdict>
}

/** The events of a turn, to be read once. */
export interface TurnStream<Event, Raw> extends AsyncIterable<Event> {
  /** Both facts, once the turn is settled. Never rejects; never answers if no event was ever asked for. */
  readonly report: Promise<TurnReport<undefined, Raw>>
}

/**
 * Streams a turn and settles it. Reading throws what `promises.runTurn` would reject with.
 *
 * Complexity: one save, or one for every event that carries items.
 */
export const streamTurn = <Event, Raw>(question: StreamQuestion<Event, Raw>): TurnStream<Event, Raw> => {
  const { stream, itemsOf, check, readThrown, input = [] } = question
  let tell: (report: TurnReport<undefined, Raw>) => void = () => undefined
  const report = new Promise<TurnReport<undefined, Raw>>((resolve) => {
    tell = resolve
  })
  async function* pass(): AsyncGenerator<Event, void, undefined> {
    const turn = startTurn(question, input)
    const handle = handleOf(turn, question, check !== undefined)
    let ending: Ending<undefined> = { kind: 'stopped' }
    let verdict: Verdict = { kind: 'accepted' }
    let stage: 'run' | 'check' = 'run'
    let settled: TurnReport<undefined, Raw> | undefined
    try {
      if (question.saves === 'while-running' && input.length > 0) await handle.add()
      for await (const event of stream(handle)) {
        const items = itemsOf?.(event) ?? []
        if (items.length > 0) await handle.add(...items)
        yield event
      }
      stage = 'check'
      const judged = await judge(undefined, check === undefined ? undefined : () => check(turn.items()))
      ending = judged.ending
      verdict = judged.verdict
    } catch (thrown) {
      ending = { kind: 'threw', thrown }
    } finally {
      // Also reached when the consumer stops reading, which skips what follows.
      const outcome = outcomeOf(ending, verdict, stage, readThrown)
      settled = { ending, settlement: await turn.save(outcome) }
      tell(settled)
    }
    const raised = thrownBy(settled)
    if (raised !== null) throw raised.thrown
  }
  const events = pass()
  return { report, [Symbol.asyncIterator]: () => events }
}
