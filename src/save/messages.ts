/**
 * From messages to messages ready to write, in one pure step.
 *
 * Law: decode with the handed block dialect, plan, rebuild; the caller does the writing. What the session holds
 * before and after is rebuilt as far back as a message can change, and the messages that differ are the write. On a
 * store that can only append, an open save ends at the end of a message.
 *
 * Rules: BLOCK-9 to BLOCK-12.
 */
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import type { PlanError } from '../core/error.js'
import type { Item, ItemFields } from '../core/item.js'
import type { Entry } from '../core/entries.js'
import { type LoadedTurn, loadTurn } from '../core/load.js'
import type { Outcome } from '../core/outcome.js'
import { planSave, type SavePlan } from '../core/plan.js'
import type { Profile } from '../core/profile.js'
import type { PlanQuestion } from '../core/question.js'
import { loadSaved } from '../core/saved.js'
import type { BlockDialect, DecodeError, Rebuilt } from '../ports/dialect.js'
import { answerOf, type SaveAnswer, type Write } from './answer.js'
import { findBoundary, isMessageEnd } from './boundary.js'
import { dropUnsealed } from './prefix.js'
import { listStanding } from './standing.js'
import { findWindow } from './window.js'

/** What `saveMessages` is asked: a plan question whose items are messages of many parts. */
export interface SaveMessagesQuestion<Message> extends Omit<PlanQuestion, 'items'> {
  readonly dialect: BlockDialect<Message>
  /** The whole turn as the runner has it, every time: a list of messages. */
  readonly items: unknown
  /** What a signature of the provider vouches for. Only `prefix` changes what is written. Default: `segment`. */
  readonly signatureScope?: Profile['signatureScope']
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

/**
 * The plan, cut back to the end of a message where the store can only append. A plan that is cut is one of a shorter
 * turn, made from the whole of it: then the save is linear in the turn.
 */
export const cutToMessage = (
  loaded: LoadedTurn,
  whole: SavePlan,
  question: PlanQuestion
): Either<PlanError, SavePlan> => {
  const { items, outcome, store = 'append' } = question
  if (outcome.kind !== 'open' || store !== 'append') return right(whole)
  // A store that could replace before has written past what waits: there is no end of a message to go back to.
  if (whole.expects.ahead.length > 0) return right(whole)
  const floor = Math.max(whole.expects.settled, whole.expects.final)
  let end = whole.after.settled
  if (whole.change === 'none' || isMessageEnd(items, end, floor)) return right(whole)
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

/** What messages are made of: a turn that was read, and how its plans are to be written. */
export interface MessageTurn<Message> {
  readonly dialect: BlockDialect<Message>
  readonly messages: ReadonlyArray<Message>
  readonly items: ReadonlyArray<Item>
  readonly loaded: LoadedTurn
  readonly signatureScope: Profile['signatureScope'] | undefined
}

/** A list of its own: the messages of a turn that is followed are a list that goes on. */
const rebuildOnly = <Message>(
  { dialect, messages, items }: MessageTurn<Message>,
  entries: ReadonlyArray<Entry>
): ReadonlyArray<Message> => dialect.rebuild({ messages, items, entries }).messages.slice()

const appendMessages = <Message>(turn: MessageTurn<Message>, plan: SavePlan): ReadonlyArray<Message> => {
  const { items, loaded, signatureScope } = turn
  const writes = Array.from(plan.writes)
  if (signatureScope !== 'prefix') return rebuildOnly(turn, writes)
  const after = loadSaved(plan.after, items.length)
  const stays = new Set<number>()
  const standing = isLeft(after) ? [] : listStanding(loaded, after.right)
  for (const entry of dropUnsealed(items, standing)) if ('position' in entry) stays.add(entry.position)
  return rebuildOnly(
    turn,
    writes.filter((entry) => 'close' in entry || stays.has(entry.position))
  )
}

const changeOf = <Message>(
  items: ReadonlyArray<Message>,
  replaces: ReadonlyArray<Message>
): Write<Message> => ({
  change: replaces.length > 0 ? 'replace-suffix' : items.length > 0 ? 'append' : 'none',
  items,
  replaces
})

/**
 * The messages that a plan writes and takes away.
 *
 * Complexity: linear in the messages from the last start of a response in front of what changes; where a signature
 * vouches for everything before it, linear in the turn. Rules: BLOCK-9, BLOCK-12.
 */
export const writeMessages = <Message>(turn: MessageTurn<Message>, plan: SavePlan): Write<Message> => {
  const { dialect, messages, items, loaded, signatureScope } = turn
  if (plan.change === 'none') return changeOf<Message>([], [])
  if (loaded.state.appendOnly) return changeOf(appendMessages(turn, plan), [])
  const isSealed = signatureScope === 'prefix'
  const rebuild = (entries: ReadonlyArray<Entry>): Rebuilt<Message> =>
    dialect.rebuild({ messages, items, entries: isSealed ? dropUnsealed(items, entries) : entries })
  const standing = listStanding(loaded, loaded.state.saved, isSealed ? 0 : findWindow(loaded, items, plan))
  const before = rebuild(standing)
  const after = rebuild(
    standing.slice(0, standing.length - plan.replaces.length).concat(Array.from(plan.writes))
  )
  let same = 0
  const most = Math.min(before.recipes.length, after.recipes.length)
  while (same < most && before.recipes[same] === after.recipes[same]) same += 1
  return changeOf(after.messages.slice(same), before.messages.slice(same))
}

/**
 * What one save of a turn writes, as messages.
 *
 * Errors: those of `planSave`, and `decode` when `items` is no list. Then nothing is to be written.
 * Complexity: linear in the turn. Rules: BLOCK-9 to BLOCK-12.
 */
export const saveMessages = <Message>(
  question: SaveMessagesQuestion<Message>
): Either<PlanError | DecodeError, SaveAnswer<Message>> => {
  const { dialect, signatureScope, ...rest } = question
  const decoded = dialect.decode(question.items)
  if (isLeft(decoded)) return left(decoded.left)
  const { items, messages, notices } = decoded.right
  const asked: PlanQuestion = { ...rest, items }
  const loaded = loadTurn(asked)
  if (isLeft(loaded)) return loaded
  const whole = planSave(asked)
  const planned = isLeft(whole) ? whole : cutToMessage(loaded.right, whole.right, asked)
  if (isLeft(planned)) return planned
  const turn = { dialect, messages, items, loaded: loaded.right, signatureScope }
  return right(answerOf(planned.right, writeMessages(turn, planned.right), notices))
}
