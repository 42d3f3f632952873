/**
 * The save protocol at random: long turns, two writers on one store, and the incremental planner in any hands.
 *
 * The exhaustive check (`npm run verify`) tries every short run over a few letters; here turns have up to 400 items of
 * every kind, every policy field varies, and items may be partial, pending, numbered or of a program. fast-check
 * prints the seed and the smallest case of what fails; `TURNKEEP_SEED` and `TURNKEEP_RUNS` look elsewhere.
 */
import { test } from '@fast-check/vitest'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect } from 'vitest'
import {
  acknowledge,
  extendTurn,
  type Item,
  type OpenCall,
  type Outcome,
  orThrow,
  type Policy,
  type Progress,
  planSave,
  planToJSON,
  planTurn,
  resumeTurn,
  type SavePlan,
  startProgress,
  type StoreKind,
  type TurnTracker,
  trackTurn
} from '../../src/index.js'
import type { PlanDocument } from '../support/answers.js'
import * as drawn from '../support/arbitraries.js'
import { readTurn } from '../support/oracle-turn.js'
import { type Applied, applyToSession, brokenInvariants, type Session } from '../support/session-model.js'

const readAgain = <V>(value: V): V => JSON.parse(JSON.stringify(value)) as V

const documentOf = (plan: SavePlan): PlanDocument => readAgain(planToJSON(plan)) as unknown as PlanDocument

/** Mostly short, so that what fails is small; some of up to 400 items. */
const turns: fc.Arbitrary<ReadonlyArray<Item>> = fc.oneof(
  { weight: 6, arbitrary: drawn.turnArbitrary({ minLength: 1, maxLength: 10 }) },
  { weight: 1, arbitrary: drawn.turnArbitrary({ minLength: 20, maxLength: 80 }) },
  { weight: 1, arbitrary: drawn.turnArbitrary({ minLength: 200, maxLength: 400 }) }
)

const question = {
  items: turns,
  policy: drawn.policy,
  store: drawn.store,
  open: drawn.openCalls
}

const stands = fc.oneof<[fc.Arbitrary<Outcome | drawn.DrawnEnd>, fc.Arbitrary<Outcome | drawn.DrawnEnd>]>(
  drawn.drawnOpen,
  drawn.drawnEnd
)

const outcomeAt = (drawnOutcome: Outcome | drawn.DrawnEnd, length: number): Outcome =>
  'share' in drawnOutcome ? drawn.endAt(drawnOutcome, length) : drawnOutcome

/** What one of two writers does next. Both see the same turn, each as far as it has come for it. */
interface Act {
  readonly writer: 0 | 1
  readonly does: 'see more' | 'plan' | 'write' | 'write again' | 'crash'
  readonly share: number
  readonly stands: Outcome | drawn.DrawnEnd
}

const act: fc.Arbitrary<Act> = fc.record({
  writer: fc.constantFrom(0 as const, 1 as const),
  does: fc.constantFrom(
    'see more' as const,
    'plan' as const,
    'plan' as const,
    'write' as const,
    'write' as const,
    'write again' as const,
    'crash' as const
  ),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  stands
})

interface Shared {
  readonly items: ReadonlyArray<Item>
  readonly policy: Policy
  readonly store: StoreKind
  readonly open: ReadonlyArray<OpenCall>
}

interface Pending {
  readonly plan: SavePlan
  readonly length: number
  readonly outcome: Outcome
}

/** A store with compare-and-write and memory of the operations it has applied, and all that was reported. */
const startStore = ({ items, policy, store, open }: Shared) => {
  let session: Session = []
  let progress: Progress = startProgress('turn')
  const operations = new Set<string>()
  const reported = new Set<number>()
  const applied: Array<Applied> = []

  const write = ({ plan, length, outcome }: Pending): 'applied' | 'known' | 'conflict' => {
    if (operations.has(plan.operation)) return 'known'
    if (JSON.stringify(plan.expects) !== JSON.stringify(progress)) return 'conflict'
    const document = documentOf(plan)
    const isJudgedAgain = length === progress.final && outcome.kind !== 'open'
    const frozen = isJudgedAgain ? progress.sealed : progress.final
    const isChange = document.after['revision'] !== progress.revision
    session = applyToSession(session, document)
    progress = document.after as unknown as Progress
    if (isChange) operations.add(plan.operation)
    const { answeredBy } = readTurn(items.slice(0, length), open)
    for (const position of [...document.irrevocable, ...document.late]) {
      reported.add(position)
      const output = answeredBy.get(position)
      if (output !== undefined && document.irrevocable.includes(position)) reported.add(output)
    }
    for (const notice of document.notices)
      if (notice.kind === 'late-output' && notice.position !== undefined) reported.add(notice.position)
    applied.push({
      items: items.slice(0, length),
      open,
      outcome,
      policy,
      store,
      frozen,
      session,
      plan: document,
      reported: new Set(reported)
    })
    return 'applied'
  }

  return { write, read: () => readAgain(progress), session: () => session, applied }
}

interface Writer {
  tracker: TurnTracker
  pending: Pending | undefined
  last: Pending | undefined
}

/** Lets both writers act, and says what was written. */
const actTogether = (shared: Shared, acts: ReadonlyArray<Act>): ReturnType<typeof startStore> => {
  const { items, policy, store, open } = shared
  const kept = startStore(shared)
  const start = (length: number): TurnTracker =>
    extendTurn(
      orThrow(trackTurn({ turn: 'turn', policy, store, open, progress: kept.read() })),
      items.slice(0, length)
    )
  const writers: readonly [Writer, Writer] = [
    { tracker: start(0), pending: undefined, last: undefined },
    { tracker: start(0), pending: undefined, last: undefined }
  ]
  const takeOver = (writer: Writer): void => {
    const progress = kept.read()
    const reach = Math.max(progress.settled, (progress.ahead[progress.ahead.length - 1] ?? -1) + 1)
    const seen = extendTurn(writer.tracker, items.slice(writer.tracker.length, reach))
    writer.tracker = orThrow(resumeTurn(seen, progress))
  }
  for (const { writer: name, does, share, stands: drawnOutcome } of acts) {
    const writer = writers[name]
    if (does === 'see more') {
      const length = Math.max(writer.tracker.length, Math.round(share * items.length))
      writer.tracker = extendTurn(writer.tracker, items.slice(writer.tracker.length, length))
    } else if (does === 'plan') {
      const { length } = writer.tracker
      const outcome = outcomeAt(drawnOutcome, length)
      const planned = planTurn(writer.tracker, outcome)
      writer.pending = E.isRight(planned) ? { plan: planned.right, length, outcome } : undefined
      // Nothing but a place that an append-only store no longer has.
      if (E.isLeft(planned)) expect(planned.left.kind).toBe('out-of-order')
    } else if (does === 'write' && writer.pending !== undefined) {
      const { pending } = writer
      const isOwn = pending.length === writer.tracker.length
      if (kept.write(pending) === 'applied' && isOwn)
        writer.tracker = orThrow(acknowledge(writer.tracker, pending.plan))
      else takeOver(writer)
      writer.last = pending
      writer.pending = undefined
    } else if (does === 'write again' && writer.last !== undefined) {
      const before = kept.session()
      const { after, expects } = writer.last.plan
      const answer = kept.write(writer.last)
      // A retry finds that its operation was applied, or that another write came first; it never writes twice.
      if (after.revision !== expects.revision) expect(answer).not.toBe('applied')
      expect(kept.session()).toEqual(before)
    } else if (does === 'crash') {
      const progress = kept.read()
      const reach = Math.max(progress.settled, (progress.ahead[progress.ahead.length - 1] ?? -1) + 1)
      writer.tracker = start(Math.max(reach, Math.round(share * items.length)))
      writer.pending = undefined
      writer.last = undefined
    }
  }
  return kept
}

describe('two writers on one store', () => {
  test.prop([fc.record({ ...question, acts: fc.array(act, { maxLength: 30, size: 'max' }) })])(
    'keep the invariants, however their plans, writes, retries and crashes meet [PLAN-25, PROGRESS-2, PROGRESS-8]',
    ({ acts, ...shared }) => {
      const kept = actTogether(shared, acts)
      expect(kept.applied.flatMap((state) => brokenInvariants(state))).toEqual([])
    }
  )
})

/** What somebody may do with trackers, newest and old alike. */
interface Use {
  readonly does: 'extend' | 'plan' | 'acknowledge' | 'resume' | 'go back'
  readonly count: number
  readonly stands: Outcome | drawn.DrawnEnd
}

const use: fc.Arbitrary<Use> = fc.record({
  does: fc.constantFrom(
    'extend' as const,
    'extend' as const,
    'plan' as const,
    'plan' as const,
    'acknowledge' as const,
    'acknowledge' as const,
    'resume' as const,
    'go back' as const
  ),
  count: fc.nat(12),
  stands
})

/** One of the trackers that somebody holds, with the plan that was made from it last. */
interface Held {
  readonly tracker: TurnTracker
  readonly plan: SavePlan | undefined
}

const expectAsPlanSave = (shared: Shared, tracker: TurnTracker, outcome: Outcome): SavePlan | undefined => {
  const { items, policy, store, open } = shared
  const wanted = planSave({
    turn: 'turn',
    items: items.slice(0, tracker.length),
    outcome,
    policy,
    store,
    open,
    progress: readAgain({ ...tracker.progress })
  })
  const planned = planTurn(tracker, outcome)
  if (E.isLeft(planned)) {
    expect(planned).toEqual(wanted)
    return undefined
  }
  expect(planToJSON(planned.right)).toEqual(planToJSON(orThrow(wanted)))
  return planned.right
}

describe('the incremental planner', () => {
  test.prop([fc.record({ ...question, uses: fc.array(use, { minLength: 1, maxLength: 40, size: 'max' }) })], {
    numRuns: 60
  })(
    'equals planSave on every prefix, whoever extends, plans, acknowledges, loses plans or goes back to an old handle',
    ({ uses, ...shared }) => {
      const { items, policy, store, open } = shared
      const held: Array<Held> = [
        { tracker: orThrow(trackTurn({ turn: 'turn', policy, store, open })), plan: undefined }
      ]
      let now = held[0] as Held
      for (const { does, count, stands: drawnOutcome } of uses) {
        const { tracker, plan } = now
        if (does === 'extend')
          now = {
            tracker: extendTurn(tracker, items.slice(tracker.length, tracker.length + 1 + count)),
            plan
          }
        else if (does === 'plan')
          now = {
            tracker,
            plan: expectAsPlanSave(shared, tracker, outcomeAt(drawnOutcome, tracker.length)) ?? plan
          }
        else if (does === 'acknowledge' && plan !== undefined)
          now = { tracker: orThrow(acknowledge(tracker, plan)), plan: undefined }
        else if (does === 'resume' && plan !== undefined)
          now = { tracker: orThrow(resumeTurn(tracker, readAgain({ ...plan.after }))), plan: undefined }
        else if (does === 'go back') now = held[count % held.length] as Held
        held.push(now)
        // Every prefix, under whatever outcome comes next.
        expectAsPlanSave(shared, now.tracker, outcomeAt(drawnOutcome, now.tracker.length))
      }
    }
  )

  test.prop([fc.record({ ...question, outcomes: fc.array(stands, { minLength: 1, maxLength: 6 }) })])(
    'equals planSave when a turn is saved after every item',
    ({ outcomes, ...shared }) => {
      const { items, policy, store, open } = shared
      let tracker = orThrow(trackTurn({ turn: 'turn', policy, store, open }))
      items.forEach((item, position) => {
        tracker = extendTurn(tracker, [item])
        const outcome = outcomeAt(outcomes[position % outcomes.length] as Outcome, tracker.length)
        // Long turns are compared at some lengths, and saved at all of them.
        const isCompared = items.length < 100 || position % 17 === 0 || position > items.length - 5
        const planned = isCompared ? expectAsPlanSave(shared, tracker, outcome) : undefined
        const answer = planned ?? planTurn(tracker, outcome)
        const plan = 'change' in answer ? answer : E.isRight(answer) ? answer.right : undefined
        if (plan !== undefined) tracker = orThrow(acknowledge(tracker, plan))
      })
      expect(tracker.length).toBe(items.length)
    }
  )
})
