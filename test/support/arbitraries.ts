/**
 * Random turns, policies, outcomes and sequences of saves.
 *
 * Turns are small and drawn over few ids, so that calls collide, outputs are orphaned and reasoning is stacked in
 * nearly every one of them; some are long.
 */
import fc from 'fast-check'
import type { Item, OpenCall } from '../../src/core/item.js'
import type { EndedOutcome, Outcome } from '../../src/core/outcome.js'
import { defaultPolicy, type Policy, policyValues, seedPolicy } from '../../src/core/policy.js'

type Draft = Record<string, unknown>

const callId = fc.constantFrom('a', 'a', 'a', 'b', 'b', 'c')
const namespace = fc.constantFrom(undefined, undefined, undefined, undefined, 'tool-search', 'agent')
const executor = fc.constantFrom(undefined, undefined, undefined, 'runner', 'provider')

/** A record without the fields that were drawn as absent. */
const record = (fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Draft> =>
  fc
    .record(fields)
    .map((drawn) => Object.fromEntries(Object.entries(drawn).filter(([, value]) => value !== undefined)))

const rarely = <V>(value: V, weight = 8): fc.Arbitrary<V | undefined> =>
  fc.oneof({ weight, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constant(value) })

const shared = { id: fc.constantFrom(undefined, 'x', 'y'), partial: rarely(true, 12) }

const itemArbitrary: fc.Arbitrary<Draft> = fc.oneof(
  {
    weight: 6,
    arbitrary: record({
      kind: fc.constant('call'),
      callId,
      namespace,
      executor,
      parent: fc.constantFrom(undefined, undefined, undefined, 'a', 'b'),
      selfContained: rarely(true),
      execution: fc.constantFrom(undefined, undefined, undefined, 'running', 'pending', 'skipped', 'denied'),
      origin: fc.constantFrom(undefined, undefined, undefined, undefined, undefined, 'runner', 'user'),
      ...shared
    })
  },
  { weight: 1, arbitrary: record({ kind: fc.constant('call'), namespace, executor, ...shared }) },
  {
    weight: 6,
    arbitrary: record({
      kind: fc.constant('output'),
      callId,
      namespace,
      execution: fc.constantFrom(
        undefined,
        undefined,
        'executed',
        'failed',
        'denied',
        'skipped',
        'interrupted',
        'pending'
      ),
      origin: fc.constantFrom(undefined, undefined, undefined, undefined, 'model', 'user'),
      ...shared
    })
  },
  { weight: 1, arbitrary: record({ kind: fc.constant('output'), namespace, ...shared }) },
  {
    weight: 4,
    arbitrary: record({
      kind: fc.constant('message'),
      origin: fc.constantFrom(undefined, undefined, undefined, 'runner'),
      ...shared
    })
  },
  { weight: 2, arbitrary: record({ kind: fc.constant('message'), origin: fc.constant('user'), ...shared }) },
  {
    weight: 4,
    arbitrary: record({
      kind: fc.constant('reasoning'),
      origin: fc.constantFrom(undefined, undefined, undefined, undefined, undefined, 'runner'),
      ...shared
    })
  },
  {
    weight: 2,
    arbitrary: record({
      kind: fc.constant('approval'),
      callId: fc.option(callId, { nil: undefined, freq: 8 }),
      namespace,
      origin: fc.constantFrom(undefined, undefined, 'model', 'user'),
      ...shared
    })
  },
  {
    weight: 2,
    arbitrary: record({
      kind: fc.constantFrom('compaction', 'context', 'marker', 'unclassified', 'widget'),
      origin: fc.constantFrom(undefined, undefined, undefined, 'model', 'runner', 'user'),
      ...shared
    })
  }
)

const outputExecution = fc.constantFrom(
  undefined,
  undefined,
  undefined,
  'failed',
  'denied',
  'skipped',
  'interrupted',
  'pending'
)

/** What a model does on purpose: reasoning before a call, a call with its output, a program with its calls. */
const phrase: fc.Arbitrary<ReadonlyArray<Draft>> = fc.oneof(
  record({ callId, executor, execution: outputExecution }).map((drawn) => {
    const { callId: id, execution, executor: by } = drawn
    return [
      { kind: 'call', callId: id, ...(by === undefined ? {} : { executor: by }) },
      { kind: 'output', callId: id, ...(execution === undefined ? {} : { execution }) }
    ]
  }),
  record({ callId, execution: outputExecution }).map(({ callId: id, execution }) => [
    { kind: 'reasoning' },
    { kind: 'call', callId: id },
    { kind: 'output', callId: id, ...(execution === undefined ? {} : { execution }) }
  ]),
  fc.tuple(callId, callId).map(([first, second]) => [
    { kind: 'call', callId: first },
    { kind: 'call', callId: second },
    { kind: 'output', callId: second },
    { kind: 'output', callId: first }
  ]),
  record({ executor, execution: outputExecution }).map(({ executor: by, execution }) => [
    { kind: 'call', callId: 'program', ...(by === undefined ? {} : { executor: by }) },
    { kind: 'call', callId: 'a', parent: 'program' },
    { kind: 'output', callId: 'a', ...(execution === undefined ? {} : { execution }) }
  ]),
  fc.constant([{ kind: 'reasoning' }, { kind: 'message' }]),
  callId.map((id) => [
    { kind: 'approval', callId: id, origin: 'model' },
    { kind: 'approval', callId: id },
    { kind: 'call', callId: id, selfContained: true }
  ])
)

const phrases: fc.Arbitrary<ReadonlyArray<Draft>> = fc.oneof(
  { weight: 3, arbitrary: itemArbitrary.map((item) => [item]) },
  { weight: 2, arbitrary: phrase }
)

/** Response numbers on all model items, on none, or broken. */
const numbering = fc.constantFrom('none', 'none', 'all', 'all', 'broken')

const number = (
  items: ReadonlyArray<Draft>,
  way: string,
  steps: ReadonlyArray<number>
): ReadonlyArray<Draft> => {
  let response = 0
  return items.map((item, position) => {
    const step = steps[position % steps.length] ?? 0
    if (way === 'none') return item
    if (way === 'all') {
      response += step === 3 ? 1 : 0
      return { ...item, response }
    }
    return step === 0 ? item : { ...item, response: step }
  })
}

const asItems = (drafts: ReadonlyArray<Draft>): ReadonlyArray<Item> =>
  drafts as unknown as ReadonlyArray<Item>

/** Turns of so many phrases, a phrase being one item or a few that belong together. */
export const turnArbitrary = (lengths: {
  readonly minLength?: number
  readonly maxLength: number
}): fc.Arbitrary<ReadonlyArray<Item>> =>
  fc
    .tuple(
      fc.array(phrases, { ...lengths, size: 'max' }),
      numbering,
      fc.array(fc.nat(3), { minLength: 1, maxLength: 8 })
    )
    .map(([drawn, way, steps]) => asItems(number(drawn.flat(), way, steps)))

/** Mostly small turns, some long. */
export const items: fc.Arbitrary<ReadonlyArray<Item>> = fc.oneof(
  { weight: 1, arbitrary: fc.constant([]) },
  { weight: 16, arbitrary: turnArbitrary({ minLength: 1, maxLength: 6 }) },
  { weight: 1, arbitrary: turnArbitrary({ minLength: 10, maxLength: 40 }) }
)

/** Turns in which every response is numbered. */
export const numberedItems: fc.Arbitrary<ReadonlyArray<Item>> = fc
  .tuple(
    fc.array(phrases, { maxLength: 6, size: 'max' }),
    fc.array(fc.nat(3), { minLength: 1, maxLength: 8 })
  )
  .map(([drawn, steps]) => asItems(number(drawn.flat(), 'all', steps)))

export const policy: fc.Arbitrary<Policy> = fc.oneof(
  fc.constant(defaultPolicy),
  fc.constant(seedPolicy),
  fc.record(
    Object.fromEntries(
      Object.entries(policyValues).map(([field, values]) => [field, fc.constantFrom(...values)])
    )
  ) as unknown as fc.Arbitrary<Policy>
)

export const openCalls: fc.Arbitrary<ReadonlyArray<OpenCall>> = fc.oneof(
  { weight: 3, arbitrary: fc.constant([]) },
  {
    weight: 1,
    arbitrary: fc.array(
      record({ callId, namespace }).map((drawn) => drawn as unknown as OpenCall),
      { maxLength: 3 }
    )
  }
)

export const store: fc.Arbitrary<'append' | 'replace'> = fc.constantFrom('append', 'replace')

/** A part of a turn, in tenths. Drawn from a list, because random fractions crowd around 0. */
export const share: fc.Arbitrary<number> = fc.constantFrom(1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0)

/** The same without the end: a position of a turn that is not empty. */
const place: fc.Arbitrary<number> = fc.constantFrom(0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)

/** An ended outcome; a share of a turn's length stands for `from`. */
export interface DrawnEnd {
  readonly outcome: EndedOutcome
  readonly share: number | null
}

export const drawnEnd: fc.Arbitrary<DrawnEnd> = fc.oneof(
  fc.constant({ outcome: { kind: 'accepted' } as const, share: null }),
  fc.record({
    outcome: fc.constantFrom(
      { kind: 'rejected', deliverable: 'message' } as const,
      { kind: 'rejected', deliverable: 'output' } as const
    ),
    share: fc.option(place, { nil: null, freq: 1 })
  }),
  fc.constantFrom(
    { outcome: { kind: 'failed', check: 'none' } as const, share: null },
    { outcome: { kind: 'failed', check: 'due' } as const, share: null },
    { outcome: { kind: 'aborted', check: 'none' } as const, share: null },
    { outcome: { kind: 'aborted', check: 'due' } as const, share: null },
    { outcome: { kind: 'input-rejected' } as const, share: null }
  )
)

/** The outcome that was drawn, for a turn of this length. */
export const endAt = ({ outcome, share }: DrawnEnd, length: number): EndedOutcome =>
  outcome.kind === 'rejected' && share !== null && length > 0
    ? { ...outcome, from: Math.floor(share * length) }
    : outcome

export const drawnOpen: fc.Arbitrary<Outcome> = fc
  .constantFrom('none' as const, 'none' as const, 'message' as const, 'output' as const, 'input' as const)
  .map((check) => ({ kind: 'open', check }))

/** One save in a sequence: how much of the turn there is, how it stands, and what goes wrong. */
export interface DrawnSave {
  readonly share: number
  readonly stands: DrawnEnd | Outcome
  /** The plan is made and dropped; written without the caller hearing of it; or all is well. */
  readonly fate: 'written' | 'dropped' | 'unheard'
}

const drawnSave: fc.Arbitrary<DrawnSave> = fc.record({
  share,
  stands: fc.oneof<[fc.Arbitrary<Outcome | DrawnEnd>, fc.Arbitrary<Outcome | DrawnEnd>]>(drawnOpen, drawnEnd),
  fate: fc.constantFrom('written' as const, 'written' as const, 'written' as const, 'dropped', 'unheard')
})

export const saves: fc.Arbitrary<ReadonlyArray<DrawnSave>> = fc.array(drawnSave, {
  minLength: 1,
  maxLength: 5
})

/** The lengths at which a turn is saved, never shrinking, and how it stands there. */
export const layOut = (
  drawn: ReadonlyArray<DrawnSave>,
  length: number
): ReadonlyArray<{
  readonly length: number
  readonly outcome: Outcome
  readonly fate: DrawnSave['fate']
}> => {
  const shares = drawn.map((save) => save.share).sort((left, right) => left - right)
  return drawn.map((save, index) => {
    const at = Math.round((shares[index] as number) * length)
    const outcome = 'share' in save.stands ? endAt(save.stands, at) : save.stands
    return { length: at, outcome, fate: save.fate }
  })
}

/** Positions that are still partial or pending in the earlier saves of a turn. */
export const unfinished = fc.array(fc.record({ share: place, until: fc.constantFrom(1, 2, 3, 4) }), {
  maxLength: 2
})

/** The turn as it was when its last items were still unfinished. */
export const asUnfinished = (
  whole: ReadonlyArray<Item>,
  drawn: ReadonlyArray<{ readonly share: number; readonly until: number }>,
  step: number
): ReadonlyArray<Item> =>
  whole.map((item, position) => {
    const isUnfinished = drawn.some(
      ({ share, until }) => Math.floor(share * whole.length) === position && step < until
    )
    if (!isUnfinished) return item
    return item.kind === 'output' ? { ...item, execution: 'pending' } : { ...item, partial: true }
  })
