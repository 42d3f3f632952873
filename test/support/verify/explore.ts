/**
 * Tries every run of the save protocol over every turn of an alphabet up to a length.
 *
 * A turn grows letter by letter. At each length every state that was reached so far (what the session holds, what the
 * store says of it, what was reported) is saved under every outcome; a save leads to another state, which is saved in
 * turn until no new state appears. Equal states are one. So every way to cut a turn into saves is tried, every pending
 * check, every ending, every second judgement. A crash before a write is the state in which nothing was saved; a crash
 * after it is the state after, planned again from the progress that the store holds, which must find nothing to do.
 */
import type { EndedOutcome, Outcome } from '../../../src/core/outcome.js'
import type { StoreKind } from '../../../src/core/question.js'
import { defaultPolicy, type Policy } from '../../../src/core/policy.js'
import { type Progress, startProgress } from '../../../src/core/progress.js'
import { type Facts, readFacts } from './facts.js'
import {
  acknowledgeGrowing,
  differenceOf,
  extendGrowing,
  type Growing,
  memoryAfter,
  replay,
  resumeGrowing,
  startGrowing
} from './growing.js'
import { isCanonical, nextLetters, turnOf } from './letters.js'
import { type Answer, type Plan, type Planner, positionOf, withoutLists } from './planner.js'
import {
  applyPlan,
  checkMade,
  type Fault,
  heldIn,
  maskOfPositions,
  readBack,
  rejectedPart,
  sameNumbers,
  sameProgress
} from './session.js'

export interface Bound {
  readonly policyName: string
  readonly policy: Policy
  readonly alphabet: string
  readonly length: number
  /** Whether a turn also grows after it was ended. */
  readonly growth: boolean
  readonly store: StoreKind
}

export interface Step {
  readonly length: number
  readonly outcome: Outcome
}

/** A run of the protocol after which something does not hold. */
export interface Counterexample extends Fault {
  readonly word: string
  readonly policy: Policy
  readonly policyName: string
  readonly store: StoreKind
  readonly steps: ReadonlyArray<Step>
}

export interface Counts {
  turns: number
  states: number
  plans: number
  growingPlans: number
  errors: number
}

export const noCounts = (): Counts => ({ turns: 0, states: 0, plans: 0, growingPlans: 0, errors: 0 })

export const addCounts = (left: Counts, right: Counts): Counts => ({
  turns: left.turns + right.turns,
  states: left.states + right.states,
  plans: left.plans + right.plans,
  growingPlans: left.growingPlans + right.growingPlans,
  errors: left.errors + right.errors
})

interface Path {
  readonly before: Path | undefined
  readonly step: Step
}

interface State {
  readonly key: string
  readonly session: ReadonlyArray<number>
  /** As it is read again from the store. */
  readonly progress: Progress
  readonly reported: number
  readonly discarded: boolean
  readonly path: Path | undefined
  /** Outcomes after whose save this state was reached at this length. */
  readonly reachedBy: Set<Outcome>
  readonly growing: Map<string, Growing>
}

/** A save that was made, and where it led. */
interface Saved {
  readonly answer: Answer
  readonly isUnchanged: boolean
  /** That of the progress after it. */
  readonly revision: number
  readonly next: State | undefined
}

const checks: ReadonlyArray<Outcome> = (['none', 'message', 'output', 'input'] as const).map((check) => ({
  kind: 'open',
  check
}))

const endingsByLength: Array<ReadonlyArray<EndedOutcome>> = []

/** Every way in which a turn of a length can end. */
const endingsOf = (length: number): ReadonlyArray<EndedOutcome> => {
  const known = endingsByLength[length]
  if (known !== undefined) return known
  const endings: Array<EndedOutcome> = [{ kind: 'accepted' }, { kind: 'input-rejected' }]
  for (const deliverable of ['message', 'output'] as const) {
    endings.push({ kind: 'rejected', deliverable })
    for (let from = 0; from < length; from += 1) endings.push({ kind: 'rejected', deliverable, from })
  }
  for (const kind of ['failed', 'aborted'] as const)
    for (const check of ['none', 'due'] as const) endings.push({ kind, check })
  endingsByLength[length] = endings
  return endings
}

/** One of the endings that reject the same part with the same deliverable. */
const distinctEndings = (facts: Facts, policy: Policy): ReadonlyArray<EndedOutcome> => {
  const kinds = new Set<string>()
  return endingsOf(facts.length).filter((outcome) => {
    const what = outcome.kind === 'rejected' ? outcome.deliverable : outcome.kind === 'input-rejected'
    const kind = `${rejectedPart(facts, outcome, policy)} ${what}`
    if (kinds.has(kind)) return false
    kinds.add(kind)
    return true
  })
}

/** One ending of each kind. */
const isTelling = (outcome: EndedOutcome): boolean =>
  outcome.kind === 'accepted' ||
  outcome.kind === 'input-rejected' ||
  (outcome.kind === 'rejected' && outcome.deliverable === 'output' && outcome.from === undefined)

const keyOf = (
  progress: Progress,
  session: ReadonlyArray<number>,
  reported: number,
  discarded: boolean
): string =>
  `${progress.settled},${progress.final},${progress.sealed}|${progress.withheld}|${progress.ahead}|${progress.closed}|${progress.redacted}|${session}|${reported}|${discarded}`

/** What a store gives back: the progress as JSON, parsed again. */
const readAgain = (progress: Progress): Progress => JSON.parse(JSON.stringify(progress)) as Progress

const stepsOf = (path: Path | undefined): Array<Step> => {
  const steps: Array<Step> = []
  for (let at = path; at !== undefined; at = at.before) steps.unshift(at.step)
  return steps
}

export interface Exploration {
  readonly counts: Counts
  /** The smallest counter-example of each rule. */
  readonly found: ReadonlyMap<string, Counterexample>
}

const isSmaller = (one: Counterexample, other: Counterexample): boolean =>
  one.word.length !== other.word.length
    ? one.word.length < other.word.length
    : one.steps.length < other.steps.length

/** Explores the words that begin with `under`; of those on the way there it counts and checks none. */
export const explore = (planner: Planner, bound: Bound, under = ''): Exploration => {
  const { policy, store, growth } = bound
  const counts = noCounts()
  const found = new Map<string, Counterexample>()
  const turn = 'turn'
  const track = { turn, policy, store }
  // The lists that trackers make from the whole turn are compared where that costs little.
  const comparesLists = bound.length <= 2
  // Every tracker that can have come to a state up to three items; of longer turns two of them.
  const mostTrackers = bound.length <= 3 ? Number.POSITIVE_INFINITY : 2

  const note = (fault: Fault, word: string, path: Path | undefined): void => {
    const { policyName } = bound
    const counterexample = { ...fault, word, policy, policyName, store, steps: stepsOf(path) }
    const known = found.get(fault.rule)
    if (known === undefined || isSmaller(counterexample, known)) found.set(fault.rule, counterexample)
  }

  const ask = (facts: Facts, state: State, outcome: Outcome, name = turn): Answer =>
    planner.plan({
      items: facts.items,
      turn: name,
      outcome,
      policy,
      store,
      progress: name === turn ? state.progress : { ...state.progress, turn: name }
    })

  /** Invariant 7 and its like: the session of one save of the whole turn. */
  const singleSessions = (facts: Facts): ((outcome: Outcome) => ReadonlyArray<number> | undefined) => {
    const known = new Map<Outcome, ReadonlyArray<number> | undefined>()
    return (outcome) => {
      if (!known.has(outcome)) {
        const answer = planner.plan({ items: facts.items, turn, outcome, policy, store })
        known.set(outcome, 'plan' in answer ? answer.plan.writes : undefined)
      }
      return known.get(outcome)
    }
  }

  const isOneSession = (
    single: ReadonlyArray<number>,
    session: ReadonlyArray<number>,
    reported: number
  ): boolean => {
    if (store === 'replace' || reported === 0) return sameNumbers(single, session)
    // Of what could not be taken back, and of how that makes others be written, everything was reported.
    const rest = (codes: ReadonlyArray<number>): string =>
      codes
        .filter((code) => (reported & (1 << positionOf(code))) === 0)
        .map((code) => ((code & 7) === 1 ? code & ~1 : code))
        .join()
    return rest(single) === rest(session)
  }

  const visit = (word: string, arrived: ReadonlyArray<State>, isCounted: boolean): Map<string, State> => {
    const facts = readFacts(word, turnOf(word), policy.association)
    const known = new Map<string, State>(arrived.map((state) => [state.key, state]))
    const queue: Array<State> = [...arrived]
    const expanded = new Map<State, ReadonlyMap<Outcome, Saved>>()
    const single = singleSessions(facts)
    const distinct = distinctEndings(facts, policy)
    const readBackOf = new Map<string, ReadonlyArray<Fault>>()
    if (isCounted) counts.turns += 1

    const enter = (
      plan: Plan,
      session: ReadonlyArray<number>,
      reported: number,
      discarded: boolean,
      path: Path
    ): State => {
      const key = keyOf(plan.after, session, reported, discarded)
      const entered = known.get(key)
      if (entered !== undefined) return entered
      const progress = readAgain(plan.after)
      const growing = new Map<string, Growing>()
      if (planner.isLibrary === true) {
        const resumed = resumeGrowing(progress, facts.length)
        growing.set(resumed.key, resumed)
      }
      const state = {
        key,
        session,
        progress,
        reported,
        discarded,
        path,
        growing,
        reachedBy: new Set<Outcome>()
      }
      known.set(key, state)
      queue.push(state)
      return state
    }

    /** One save from one state: everything is checked, and the state that it leads to is entered. */
    const save = (state: State, outcome: Outcome, operations: Map<string, string>): Saved => {
      const answer = ask(facts, state, outcome)
      const path = { before: state.path, step: { length: facts.length, outcome } }
      let isSound = true
      const add = (rule: string, detail: string): void => {
        isSound = false
        if (isCounted) note({ rule, detail }, word, path)
      }
      if (isCounted) counts.plans += 1
      if ('error' in answer) {
        if (isCounted) counts.errors += 1
        if (answer.error !== 'out-of-order' || store === 'replace')
          add('PLAN-17', `an error: ${answer.error}`)
        else if (state.progress.final === 0) add('PLAN-17', 'open saves have led to an error')
        return { answer, isUnchanged: false, revision: state.progress.revision, next: undefined }
      }
      const { plan } = answer
      // A crash before the write: asked again, the operation is the same. Trackers ask for the library.
      if (planner.isLibrary !== true) {
        const again = ask(facts, state, outcome)
        if (!('plan' in again) || again.plan.operation !== plan.operation)
          add('PROGRESS-8', 'the same question has another operation')
      }
      const session = applyPlan(state.session, plan)
      if ('rule' in session) {
        add(session.rule, session.detail)
        return { answer, isUnchanged: false, revision: state.progress.revision, next: undefined }
      }
      const isIdle = plan.writes.length === 0 && plan.replaces.length === 0
      const isUnchanged = isIdle && sameProgress(plan.after, state.progress)
      checkOperation(state, outcome, plan, isIdle, operations, add)
      const reported = state.reported | reportedBy(state, plan, add)
      const isDiscarding = policy.speculative === 'discard' && outcome.kind === 'input-rejected'
      const discarded = state.discarded || isDiscarding
      checkMade({ facts, policy, store, outcome, before: state, session, plan, reported, discarded }, add)
      checkReadBack(session, outcome, reported, add)
      if (outcome.kind !== 'open') checkSingle(state, outcome, session, reported, add)
      if (!isSound) return { answer, isUnchanged, revision: plan.after.revision, next: undefined }
      const next = isUnchanged ? state : enter(plan, session, reported, discarded, path)
      next.reachedBy.add(outcome)
      // What is remembered of many plans is small: the progress is that of the state, whatever its revision.
      const kept = comparesLists ? answer : { plan: { ...withoutLists(plan), after: next.progress } }
      return { answer: kept, isUnchanged, revision: plan.after.revision, next }
    }

    /** The same saves by every tracker that can have come to the state, each compared with `planSave`. */
    const saveGrowing = (state: State, saves: ReadonlyMap<Outcome, Saved>): void => {
      let asked = 0
      for (const growing of state.growing.values()) {
        if (growing.isDone) {
          asked += 1
          continue
        }
        growing.isDone = true
        if (asked === mostTrackers) continue
        asked += 1
        const tracker = replay(growing, track, facts.items)
        for (const [outcome, { answer, revision, next }] of saves) {
          // What a tracker remembers of open saves matters to open saves; two of each state try every ending.
          if (asked > 2 && outcome.kind !== 'open' && !isTelling(outcome)) continue
          if (isCounted) counts.growingPlans += 1
          const difference = differenceOf(
            tracker,
            outcome,
            answer,
            { before: state.progress.revision, after: revision },
            comparesLists
          )
          if (difference !== undefined && isCounted)
            note({ rule: 'incremental', detail: difference }, word, {
              before: state.path,
              step: { length: facts.length, outcome }
            })
          if (difference !== undefined || next === undefined || 'error' in answer) continue
          const memory = memoryAfter(tracker)
          if (next.growing.has(memory)) continue
          next.growing.set(memory, acknowledgeGrowing(growing, outcome, memory))
          if (expanded.has(next) && next !== state) queue.push(next)
        }
      }
    }

    const reportedBy = (state: State, plan: Plan, add: (rule: string, detail: string) => void): number => {
      const { irrevocable, late } = plan
      if (irrevocable.length + late.length > 0 && store === 'replace')
        add('PLAN-15', 'a store that can replace a suffix was told that something is irrevocable or late')
      if (store === 'replace') return 0
      let reported = maskOfPositions(irrevocable) | maskOfPositions(late)
      if (state.progress.closed.length > 0) reported |= maskOfPositions(plan.lateOutputs())
      for (const position of irrevocable) {
        // The output of a call that could not be taken back stays with it (PLAN-30).
        const output = facts.outputOf[position] as number
        if (output !== -1) reported |= 1 << output
      }
      if ((maskOfPositions(irrevocable) & ~heldIn(state.session)) !== 0)
        add('PLAN-15', 'something is listed as irrevocable that was not in the session')
      return reported
    }

    const checkOperation = (
      state: State,
      outcome: Outcome,
      plan: Plan,
      isIdle: boolean,
      operations: Map<string, string>,
      add: (rule: string, detail: string) => void
    ): void => {
      const effect = `${plan.replaces.length}|${plan.writes}|${keyOf(plan.after, [], 0, false)}`
      const other = operations.get(plan.operation)
      operations.set(plan.operation, effect)
      if (other !== undefined && other !== effect)
        add('PROGRESS-8', 'two different writes have one operation, so the second would be taken for a retry')
      if (state.path !== undefined || isIdle) return
      // A second turn of the same shape in the same session: its write may not be taken for a retry of the first.
      const twin = ask(facts, state, outcome, 'another turn')
      if ('plan' in twin && twin.plan.operation === plan.operation)
        add(
          'INV-1',
          'the write of another turn of this shape has the same operation: taken for a retry, it is lost'
        )
      const later = planner.plan({
        items: facts.items,
        turn,
        outcome,
        policy,
        store,
        progress: { ...startProgress(turn), revision: 7 }
      })
      if ('plan' in later && later.plan.operation === plan.operation)
        add('PROGRESS-8', 'the operation does not depend on the revision')
    }

    const checkReadBack = (
      session: ReadonlyArray<number>,
      outcome: Outcome,
      reported: number,
      add: (rule: string, detail: string) => void
    ): void => {
      if (policy !== defaultPolicy) return
      // What was reported as late stands out of place, and a wire has no place for that.
      if (reported !== 0) return
      const atRest = outcome.kind === 'open'
      const key = `${session}${atRest}`
      let faults = readBackOf.get(key)
      if (faults === undefined) {
        faults = readBack(facts, session, atRest)
        readBackOf.set(key, faults)
      }
      for (const fault of faults) add(fault.rule, fault.detail)
    }

    const checkSingle = (
      state: State,
      outcome: EndedOutcome,
      session: ReadonlyArray<number>,
      reported: number,
      add: (rule: string, detail: string) => void
    ): void => {
      const isWholeJudged =
        state.progress.final === 0 || (state.progress.final === facts.length && state.progress.sealed === 0)
      if (!isWholeJudged) return
      const once = single(outcome)
      if (once === undefined || isOneSession(once, session, reported)) return
      const rule = state.progress.final === 0 ? 'INV-7' : 'PLAN-14'
      // A closing that was written by the judgement before stays where it is.
      if (rule === 'PLAN-14' && store === 'append') {
        const differs = (heldIn(session) ^ heldIn(once)) & ~reported
        if (differs !== 0) add('PLAN-15', 'judged again, the session differs in what no plan has reported')
        return
      }
      add(rule, `the session is ${session}, that of one save ${once}`)
    }

    const checkSelection = (): void => {
      if (planner.select === undefined || policy.unansweredCalls === 'drop') return
      for (const outcome of endingsOf(facts.length)) {
        const kept = planner.select(facts.items, outcome, policy)
        const part = rejectedPart(facts, outcome, policy)
        const from = kept.filter((position) => position < part).length
        const isRejection = part >= 0 && outcome.kind !== 'input-rejected'
        const deliverable = outcome.kind === 'rejected' ? outcome.deliverable : 'message'
        const mapped: EndedOutcome = isRejection ? { kind: 'rejected', deliverable, from } : outcome
        const again = planner.select(
          kept.map((position) => facts.items[position] as (typeof facts.items)[number]),
          mapped,
          policy
        )
        if (again.length !== kept.length)
          note({ rule: 'INV-6', detail: `selecting from the selection ${kept} leaves ${again}` }, word, {
            before: undefined,
            step: { length: facts.length, outcome }
          })
      }
    }

    if (isCounted) checkSelection()
    for (let at = 0; at < queue.length; at += 1) {
      const state = queue[at] as State
      let saves = expanded.get(state)
      if (saves === undefined) {
        const operations = new Map<string, string>()
        const made = new Map<Outcome, Saved>()
        for (const outcome of checks) made.set(outcome, save(state, outcome, operations))
        const isEveryEnding = facts.length <= 3 || state.path === undefined
        for (const outcome of isEveryEnding ? endingsOf(facts.length) : distinct)
          made.set(outcome, save(state, outcome, operations))
        expanded.set(state, made)
        saves = made
      }
      saveGrowing(state, saves)
    }
    // A crash after a write: planned again from the store, there is nothing left to do.
    for (const [state, saves] of expanded)
      for (const outcome of state.reachedBy) {
        const again = saves.get(outcome) ?? save(state, outcome, new Map())
        if (again.isUnchanged || !isCounted) continue
        const path = { before: state.path, step: { length: facts.length, outcome } }
        note({ rule: 'PLAN-25', detail: 'planned again, there is more to write' }, word, path)
      }
    if (isCounted) counts.states += known.size
    return known
  }

  const grow = (word: string, arrived: ReadonlyArray<State>): void => {
    const isOnTheWay = word.length < under.length
    const known = visit(word, arrived, !isOnTheWay)
    if (word.length === bound.length) return
    const next = isOnTheWay ? [under[word.length] as string] : nextLetters(word, bound.alphabet)
    const carried = Array.from(known.values()).filter((state) => growth || state.progress.final === 0)
    for (const letter of next) {
      const items = turnOf(word + letter)
      grow(
        word + letter,
        carried.map((state) => {
          const growing = new Map<string, Growing>()
          for (const one of state.growing.values()) {
            const extended = extendGrowing(one, track, items)
            if (!growing.has(extended.key)) growing.set(extended.key, extended)
          }
          return { ...state, reachedBy: new Set(), growing }
        })
      )
    }
  }

  if (!isCanonical(under)) return { counts, found }
  const progress = startProgress(turn)
  const fresh: State = {
    key: keyOf(progress, [], 0, false),
    session: [],
    progress,
    reported: 0,
    discarded: false,
    path: undefined,
    reachedBy: new Set(),
    growing: new Map(planner.isLibrary === true ? [['start', startGrowing()]] : [])
  }
  grow('', [fresh])
  return { counts, found }
}
