/**
 * A turn that is followed from save to save writes what it would write if each save were planned from the whole turn.
 *
 * The other side of the comparison is made of `saveTurn` alone: it decodes and plans the whole turn for every save.
 */
import { fc, test } from '@fast-check/vitest'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect } from 'vitest'
import type { OpenCall } from '../../src/core/item.js'
import type { Outcome } from '../../src/core/outcome.js'
import type { Policy } from '../../src/core/policy.js'
import type { Progress } from '../../src/core/progress.js'
import { agentsJs } from '../../src/dialects/agents-js.js'
import { neutral } from '../../src/dialects/neutral.js'
import { responses } from '../../src/dialects/responses.js'
import type { BlockDialect, Dialect } from '../../src/ports/dialect.js'
import type { Receipt, SessionWrite, StoreError } from '../../src/ports/session-store.js'
import { startTurn, type TurnSettings } from '../../src/runners/index.js'
import type { SaveAnswer } from '../../src/save/answer.js'
import { saveTurn } from '../../src/save/save-turn.js'
import { memorySession } from '../../src/sessions/memory.js'
import type { Session } from '../../src/sessions/session.js'
import { conversations } from '../dialects/conversations.js'
import { spellings } from '../dialects/spellings.js'
import {
  type DrawnEnd,
  drawnEnd,
  drawnOpen,
  endAt,
  items,
  openCalls,
  policy,
  store
} from '../support/arbitraries.js'

/** What becomes of the first write of a save: it may fail before or after it was applied, or meet another writer. */
type Fault = 'none' | 'down' | 'unheard' | 'another'

type Act =
  | { readonly kind: 'add'; readonly count: number }
  /** The last values go, and the one that is last then is another one. */
  | { readonly kind: 'set'; readonly back: number; readonly changes: 'nothing' | 'identity' | 'parts' }
  | { readonly kind: 'save'; readonly stands: Outcome | DrawnEnd; readonly fault: Fault }

const acts: fc.Arbitrary<ReadonlyArray<Act>> = fc.array(
  fc.oneof<[fc.Arbitrary<Act>, fc.Arbitrary<Act>, fc.Arbitrary<Act>]>(
    fc.record({ kind: fc.constant('add' as const), count: fc.nat(3) }),
    fc.record({
      kind: fc.constant('set' as const),
      back: fc.constantFrom(0, 0, 0, 1, 3),
      changes: fc.constantFrom('nothing' as const, 'identity', 'parts', 'parts')
    }),
    fc.record({
      kind: fc.constant('save' as const),
      stands: fc.oneof<[fc.Arbitrary<Outcome | DrawnEnd>, fc.Arbitrary<Outcome | DrawnEnd>]>(
        drawnOpen,
        drawnEnd
      ),
      fault: fc.constantFrom<Fault>('none', 'none', 'none', 'none', 'down', 'unheard', 'another')
    })
  ),
  { minLength: 1, maxLength: 12, size: 'max' }
)

const failed = (applied: 'no' | 'unknown'): StoreError => ({
  kind: 'unavailable',
  reason: 'connection',
  applied,
  message: 'lost'
})

/** A session that notes what is written, and what becomes of its next write is set from outside. */
const makeStore = (
  interrupt: (session: Session<unknown>) => Promise<void>
): {
  readonly session: Session<unknown>
  readonly store: TurnSettings<unknown>['session']
  readonly writes: Array<SessionWrite<unknown>>
  fault: Fault
} => {
  const session = memorySession<unknown>()
  const writes: Array<SessionWrite<unknown>> = []
  const made = {
    session,
    writes,
    fault: 'none' as Fault,
    store: {
      read: session.read,
      progress: session.progress,
      save: (write: SessionWrite<unknown>) => async () => {
        const { fault } = made
        made.fault = 'none'
        writes.push({ ...write, expects: { ...write.expects }, after: { ...write.after } })
        if (fault === 'down') return E.left(failed('no'))
        if (fault === 'another') await interrupt(session)
        const saved = await session.save(write)()
        return fault === 'unheard' ? E.left(failed('unknown')) : saved
      }
    }
  }
  return made
}

/** One of the lists in a message loses its last part. */
const withoutLastPart = (raw: unknown): unknown => {
  if (typeof raw !== 'object' || raw === null) return raw
  const fields = { ...raw } as Record<string, unknown>
  for (const name of ['tool_calls', 'parts', 'content']) {
    const list = fields[name]
    if (Array.isArray(list) && list.length > 0) return { ...fields, [name]: list.slice(0, -1) }
  }
  return fields
}

interface Case {
  readonly dialect: Dialect<unknown> | BlockDialect<unknown>
  readonly raws: ReadonlyArray<unknown>
  readonly acts: ReadonlyArray<Act>
  readonly store: 'append' | 'replace'
  readonly policy: Policy
  readonly open: ReadonlyArray<OpenCall>
  readonly signatureScope?: 'prefix'
}

/** What a settlement tells, as values. */
const told = (
  save: unknown,
  answer: SaveAnswer<unknown> | null,
  pending: SessionWrite<unknown> | null
): unknown => ({
  save,
  pending: pending?.operation,
  answer: answer && {
    change: answer.change,
    items: answer.items,
    replaces: answer.replaces,
    operation: answer.operation,
    progress: { ...answer.progress },
    notices: answer.notices,
    unprotected: answer.plan.unprotected,
    irrevocable: answer.plan.irrevocable,
    late: answer.plan.late,
    decisions: [...answer.plan.decisions]
  }
})

/** Plans every save from the whole turn, and writes it as a runner does. */
const wholeSaver = (given: Case, session: TurnSettings<unknown>['session']) => {
  let progress: Progress | null | undefined
  return async (raws: ReadonlyArray<unknown>, outcome: Outcome): Promise<unknown> => {
    if (progress === undefined) {
      const stored = await session.progress('t')()
      progress = E.isRight(stored) ? stored.right : null
    }
    for (let made = 1; ; made += 1) {
      const { dialect, store: kind, signatureScope } = given
      const planned: ReturnType<typeof saveTurn<unknown, ReadonlyArray<unknown>>> = saveTurn({
        dialect,
        items: raws,
        turn: 't',
        outcome,
        progress,
        store: kind,
        policy: given.policy,
        open: given.open,
        ...(signatureScope === undefined ? {} : { signatureScope })
      })
      progress = undefined
      if (E.isLeft(planned)) return told(planned, null, null)
      const answer = planned.right
      if (answer.change === 'none' && answer.progress.revision === answer.expects.revision) {
        progress = answer.progress
        return told(E.right({ applied: false, progress: { ...progress }, notices: [] }), answer, null)
      }
      const write: SessionWrite<unknown> = {
        turn: 't',
        operation: answer.operation,
        expects: answer.expects,
        change: answer.change,
        replaces: answer.replaces.length,
        items: answer.items,
        after: answer.progress
      }
      const saved = await session.save(write)()
      if (E.isRight(saved)) progress = saved.right.progress
      else if (saved.left.kind === 'conflict' && made < 4) {
        progress = saved.left.stored
        continue
      }
      const lost = E.isLeft(saved) && saved.left.kind === 'unavailable'
      return told(saved, answer, lost ? write : null)
    }
  }
}

/** Runs the acts on both sides. */
const compare = async (given: Case): Promise<void> => {
  const { dialect, raws, store: kind, signatureScope } = given
  const settings = {
    dialect,
    turn: 't',
    store: kind,
    policy: given.policy,
    open: given.open,
    ...(signatureScope === undefined ? {} : { signatureScope })
  }
  let held: ReadonlyArray<unknown> = []
  const interrupt = async (session: Session<unknown>): Promise<void> => {
    const other = startTurn<unknown>({ ...settings, session }, held.slice(0, Math.ceil(held.length / 2)))
    await other.save({ kind: 'open', check: 'none' })
  }
  const followed = makeStore(interrupt)
  const whole = makeStore(interrupt)
  const turn = startTurn<unknown>({ ...settings, session: followed.store })
  const saveWhole = wholeSaver(given, whole.store)
  const later: Array<() => void> = []
  let next = 0
  for (const act of given.acts) {
    if (act.kind === 'add') {
      const more = raws.slice(next, next + act.count)
      next += more.length
      held = [...held, ...more]
      turn.add(more)
    } else if (act.kind === 'set') {
      const kept = held.slice(0, held.length - act.back)
      const last = kept[kept.length - 1]
      const other = act.changes === 'parts' ? withoutLastPart(last) : structuredClone(last)
      const from = Math.max(kept.length - 2, 0)
      const changed = act.changes === 'nothing' || kept.length === 0 ? kept : [...kept.slice(0, -1), other]
      if (act.back === 0) turn.set(changed)
      else turn.set(changed.slice(from), from)
      held = changed
    } else {
      const outcome = 'share' in act.stands ? endAt(act.stands, held.length) : act.stands
      followed.fault = whole.fault = act.fault
      const { save, answer, pending } = await turn.save(outcome)
      const planned = await saveWhole(held, outcome)
      // Lists that are made when asked are asked for at the end, when the turn has gone on.
      later.push(() => {
        const receipt = E.map((kept: Receipt) => ({ ...kept, progress: { ...kept.progress } }))(save)
        expect(told(receipt, answer, pending)).toEqual(planned)
      })
      expect(followed.writes).toEqual(whole.writes)
      expect(turn.items()).toEqual(held)
    }
  }
  expect(await followed.session.getItems()).toEqual(await whole.session.getItems())
  for (const ask of later) ask()
}

const settingsDrawn = { acts, store, policy, open: openCalls }

/** Neutral items, some of them in the words of a provider. */
const asResponses = (item: Readonly<Record<string, unknown>>, place: number): unknown => {
  const { kind, id, callId } = item
  const call_id = callId ?? `c${place}`
  if (kind === 'call') return { type: 'function_call', id, call_id, callId: call_id, name: 'pay' }
  if (kind === 'output') return { type: 'function_call_output', call_id, callId: call_id, output: 'paid' }
  if (kind === 'reasoning') return { type: 'reasoning', id: id ?? `r${place}`, summary: [] }
  const role = item['origin'] === 'user' ? 'user' : 'assistant'
  return { type: kind === 'message' ? 'message' : kind, role, id, content: ['words'] }
}

test.prop({ raws: items, ...settingsDrawn })(
  'neutral items: the same writes, progress and answers [PLAN-1, PLAN-25, PROGRESS-2, PROGRESS-8]',
  (drawn) => compare({ ...drawn, dialect: neutral as unknown as Dialect<unknown> })
)

test.prop({ raws: items, wrapped: fc.boolean(), ...settingsDrawn })(
  'items of a provider: the same writes, progress and answers [PLAN-1, PLAN-25, PROGRESS-2, PROGRESS-8]',
  ({ raws, wrapped, ...drawn }) =>
    compare({
      ...drawn,
      dialect: (wrapped ? agentsJs : responses) as unknown as Dialect<unknown>,
      raws: raws.map((item, place) => asResponses(item as never, place))
    })
)

describe.each(spellings)('$dialect.name', ({ dialect, spell }) => {
  const spoken = fc.array(conversations, { maxLength: 2 })
  test.prop({ spoken, sealed: fc.boolean(), ...settingsDrawn })(
    'messages that come, grow and change: the same writes, progress and answers [PLAN-1, BLOCK-9, BLOCK-10, BLOCK-12]',
    ({ spoken: said, sealed, ...drawn }) =>
      compare({
        ...drawn,
        dialect: dialect as unknown as BlockDialect<unknown>,
        raws: said.flatMap((conversation) => [...spell(conversation)]),
        ...(sealed ? { signatureScope: 'prefix' } : {})
      })
  )
})
