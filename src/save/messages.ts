/**
 * From messages to messages ready to write, in one pure step.
 *
 * Law: decode with the handed block dialect, plan, rebuild; the caller does the writing. What the session holds is
 * rebuilt from the progress before and after, and the messages that differ are the write. On a store that can only
 * append, an open save ends at the end of a message. Complexity: linear in the turn.
 *
 * Rules: BLOCK-9 to BLOCK-12.
 */
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import type { PlanError } from '../core/error.js'
import type { Item, ItemFields } from '../core/item.js'
import type { Entry } from '../core/layout.js'
import type { Outcome } from '../core/outcome.js'
import { type LoadedTurn, loadTurn } from '../core/load.js'
import { planSave, type SavePlan } from '../core/plan.js'
import type { Profile } from '../core/profile.js'
import type { Progress } from '../core/progress.js'
import type { PlanQuestion } from '../core/question.js'
import type { BlockDialect, DecodeError } from '../ports/dialect.js'
import { findBoundary, isMessageEnd } from './boundary.js'
import { type AnswerNotice, joinNotices } from './notices.js'
import { dropUnsealed } from './prefix.js'
import { listStanding } from './standing.js'

/** What `saveMessages` is asked: a plan question whose items are messages of many parts. */
export interface SaveMessagesQuestion<Message> extends Omit<PlanQuestion, 'items'> {
  readonly dialect: BlockDialect<Message>
  /** The whole turn as the runner has it, every time: a list of messages. */
  readonly items: unknown
  /** What a signature of the provider vouches for. Only `prefix` changes what is written. Default: `segment`. */
  readonly signatureScope?: Profile['signatureScope']
}

/** One write, in messages. */
export interface SaveMessagesAnswer<Message> {
  readonly change: SavePlan['change']
  /** To be written, in order; untouched messages are the caller's own objects. */
  readonly items: ReadonlyArray<Message>
  /** The last messages of this turn in the store that the write takes away, oldest first. */
  readonly replaces: ReadonlyArray<Message>
  /** The progress that the store must hold before the write. */
  readonly expects: Progress
  /** The progress to keep with the write, in its own transaction. It counts items, not messages. */
  readonly progress: Progress
  readonly operation: string
  readonly notices: ReadonlyArray<AnswerNotice>
  readonly plan: SavePlan
}

/** How a turn stands whose last messages are left out: what a check may reject may be among them. */
const withoutEnd = (outcome: Outcome, loaded: LoadedTurn, end: number): Outcome => {
  if (outcome.kind !== 'open' || outcome.check === 'input') return outcome
  const { responseStart } = loaded.state.structure
  return responseStart >= 0 && responseStart < end ? outcome : { kind: 'open', check: 'none' }
}

/** Calls and outputs that the whole plan would have written and the shorter one does not, with those of both. */
const unprotectedOf = (
  items: ReadonlyArray<Item>,
  whole: SavePlan,
  short: SavePlan
): ReadonlyArray<number> => {
  const written = new Set<number>()
  for (const entry of short.writes) if ('position' in entry) written.add(entry.position)
  const found = new Set(whole.unprotected)
  for (const entry of whole.writes) {
    if (!('position' in entry) || written.has(entry.position)) continue
    const { kind, partial }: ItemFields = items[entry.position] as Item
    if ((kind === 'call' && partial !== true) || kind === 'output') found.add(entry.position)
  }
  return [...found].sort((earlier, later) => earlier - later)
}

/** A plan of the turn up to the end of a message, told as a plan of the whole turn. */
const mergePlans = (items: ReadonlyArray<Item>, whole: SavePlan, short: SavePlan): SavePlan => ({
  change: short.change,
  replaces: short.replaces,
  from: whole.from,
  writes: short.writes,
  expects: short.expects,
  after: short.after,
  operation: short.operation,
  unprotected: unprotectedOf(items, whole, short),
  irrevocable: short.irrevocable,
  late: short.late,
  notices: whole.notices,
  decisions: whole.decisions
})

/** The plan, cut back to the end of a message where the store can only append. */
const planMessages = (loaded: LoadedTurn, question: PlanQuestion): Either<PlanError, SavePlan> => {
  const planned = planSave(question)
  const { items, outcome, store = 'append' } = question
  if (isLeft(planned) || outcome.kind !== 'open' || store !== 'append') return planned
  const whole = planned.right
  // A store that could replace before has written past what waits: there is no end of a message to go back to.
  if (whole.expects.ahead.length > 0) return planned
  const floor = Math.max(whole.expects.settled, whole.expects.final)
  let end = whole.after.settled
  if (whole.change === 'none' || isMessageEnd(items, end, floor)) return planned
  for (;;) {
    end = findBoundary(loaded, items, end, floor)
    const cut = planSave({
      ...question,
      items: items.slice(0, end),
      outcome: withoutEnd(outcome, loaded, end)
    })
    if (isLeft(cut)) return cut
    const { settled } = cut.right.after
    if (end <= floor || isMessageEnd(items, settled, floor)) return right(mergePlans(items, whole, cut.right))
    end = settled
  }
}

interface Write<Message> {
  readonly items: ReadonlyArray<Message>
  readonly replaces: ReadonlyArray<Message>
}

const writesOf = <Message>(
  question: SaveMessagesQuestion<Message>,
  items: ReadonlyArray<Item>,
  messages: ReadonlyArray<Message>,
  loaded: LoadedTurn,
  plan: SavePlan
): Write<Message> => {
  const { dialect, signatureScope, store = 'append' } = question
  const seal = (entries: ReadonlyArray<Entry>): ReadonlyArray<Entry> =>
    signatureScope === 'prefix' ? dropUnsealed(items, entries) : entries
  const rebuild = (entries: Iterable<Entry>): ReturnType<BlockDialect<Message>['rebuild']> =>
    dialect.rebuild({ messages, items, entries })
  if (plan.change === 'none') return { items: [], replaces: [] }
  if (store === 'append') {
    const writes = Array.from(plan.writes)
    if (signatureScope !== 'prefix') return { items: rebuild(writes).messages, replaces: [] }
    const stays = new Set<number>()
    for (const entry of seal(listStanding(loaded, plan.after))) {
      if ('position' in entry) stays.add(entry.position)
    }
    const sealed = writes.filter((entry) => 'close' in entry || stays.has(entry.position))
    return { items: rebuild(sealed).messages, replaces: [] }
  }
  const before = rebuild(seal(listStanding(loaded, plan.expects)))
  const after = rebuild(seal(listStanding(loaded, plan.after)))
  let same = 0
  const most = Math.min(before.recipes.length, after.recipes.length)
  while (same < most && before.recipes[same] === after.recipes[same]) same += 1
  return { items: after.messages.slice(same), replaces: before.messages.slice(same) }
}

/**
 * What one save of a turn writes, as messages.
 *
 * Errors: those of `planSave`, and `decode` when `items` is no list. Then nothing is to be written.
 * Complexity: linear in the turn. Rules: BLOCK-9 to BLOCK-12.
 */
export const saveMessages = <Message>(
  question: SaveMessagesQuestion<Message>
): Either<PlanError | DecodeError, SaveMessagesAnswer<Message>> => {
  const { dialect, signatureScope: _scope, ...rest } = question
  const decoded = dialect.decode(question.items)
  if (isLeft(decoded)) return left(decoded.left)
  const { items, messages, notices } = decoded.right
  const asked: PlanQuestion = { ...rest, items }
  const loaded = loadTurn(asked)
  if (isLeft(loaded)) return loaded
  const planned = planMessages(loaded.right, asked)
  if (isLeft(planned)) return planned
  const plan = planned.right
  const write = writesOf(question, items, messages, loaded.right, plan)
  return right({
    change: write.replaces.length > 0 ? 'replace-suffix' : write.items.length > 0 ? 'append' : 'none',
    items: write.items,
    replaces: write.replaces,
    expects: plan.expects,
    progress: plan.after,
    operation: plan.operation,
    notices: joinNotices(notices, plan.notices),
    plan
  })
}
