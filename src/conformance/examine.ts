/**
 * Does an implementation answer one vector as it has to, in every way of asking it?
 *
 * Law: what is asked, in which order, with which progress, and what follows from one answer for the next: the page
 * `running-vectors.md`. It asks by yielding, so that it knows no process, no waiting and no time. What is
 * implementation-defined is compared with the same implementation's own: same or different.
 *
 * Rules: PLAN-25, PLAN-26, PROGRESS-3, PROGRESS-5, PROGRESS-7, PROGRESS-8.
 * Complexity: quadratic in the items of a vector, for its splits.
 */
import { compareAnswer, type Difference } from './compare.js'
import { findDifference } from './differ.js'
import { type Fields, isFields, type SequenceVector, type SingleVector, type Vector } from './vector.js'

/** How a vector was asked when something came out wrong. */
export type Way = 'whole' | 'same-question' | 'own-progress' | 'changed-edge' | 'other-turn' | 'split'

/** An answer that is not what it has to be. */
export interface Fault extends Difference {
  readonly kind: 'difference'
  readonly way: Way
  /** 0-based step of a sequence; 0 in a vector of one question. */
  readonly step: number
  /** What has to hold, in a sentence. */
  readonly message: string
  readonly question: Fields
}

/** A vector that is being examined: yields questions, is given answers, returns the first fault. */
export type Examination = Generator<Fields, Fault | undefined, unknown>

/** What is asked beyond what a vector says. */
export interface Depth {
  /** Ask again with the other side's own progress: level `plan`. */
  readonly saves: boolean
  /** Save every turn at every split, which is most of the work; only where `saves`. */
  readonly splits: boolean
}

interface Asked {
  readonly question: Fields
  readonly expect: Fields
  readonly answer: unknown
}

interface Slot {
  readonly question: Fields
  readonly expect: Fields
  readonly step: number
}

const isSequence = (vector: Vector): vector is SequenceVector => 'steps' in vector

/** The questions of a vector, all but the progress of a sequence. */
const layOut = (vector: Vector): ReadonlyArray<Slot> => {
  if (!isSequence(vector)) return [{ question: vector.input, expect: vector.expect, step: 0 }]
  let { items, policy } = vector
  return vector.steps.map((step, index) => {
    items = step.items ?? items
    if (Object.hasOwn(step, 'policy')) policy = step['policy']
    const question = {
      op: 'plan',
      items: items.slice(0, step.length ?? items.length),
      outcome: step.outcome,
      policy: policy ?? 'default',
      store: step['store'] ?? vector.store ?? 'append',
      open: vector.open ?? []
    }
    return { question, expect: step.expect, step: index }
  })
}

const fault = (
  way: Way,
  slot: Pick<Slot, 'question' | 'step'>,
  message: string,
  difference: Difference
): Fault => ({ kind: 'difference', way, step: slot.step, question: slot.question, message, ...difference })

const differ = (expected: unknown, received: unknown): Difference | undefined => {
  const path = findDifference(expected, received)
  return path === undefined ? undefined : { path, expected, received }
}

const isPlan = (answer: unknown): answer is Fields & { readonly after: Fields } =>
  isFields(answer) && answer['error'] === undefined && isFields(answer['after'])

/** The same question once more, and with what it has left. */
function* askAgain(slot: Slot, answer: unknown, depth: Depth): Examination {
  const again = differ(answer, yield slot.question)
  if (again !== undefined)
    return fault('same-question', slot, 'the same question has the same answer in every field', again)
  if (!depth.saves || !isPlan(answer)) return undefined

  const own = { ...slot.question, progress: answer.after }
  const kept = yield own
  const nothing = { change: 'none', replaces: [], writes: [], after: answer.after }
  const received = isPlan(kept)
    ? { change: kept['change'], replaces: kept['replaces'], writes: kept['writes'], after: kept.after }
    : kept
  const more = differ(nothing, received)
  if (more !== undefined) {
    const message = 'planned again with its own progress, a plan writes nothing and changes nothing (PLAN-25)'
    return fault('own-progress', { ...slot, question: own }, message, more)
  }

  const edge = `${String(answer.after['edge'])}x`
  const shifted = { ...slot.question, progress: { ...answer.after, edge } }
  const refused = compareAnswer({ error: { kind: 'edge-mismatch' } }, yield shifted)
  if (refused !== undefined) {
    const message = 'a progress with another edge is refused (PROGRESS-7)'
    return fault('changed-edge', { ...slot, question: shifted }, message, refused)
  }
  return undefined
}

/** Another turn of the same shape has another operation. */
function* askOfOtherTurn(slot: Slot, answer: unknown): Examination {
  if (!isPlan(answer)) return undefined
  const question = { ...slot.question, turn: `${String(slot.question['turn'] ?? 'turn')}-other` }
  const other = yield question
  const operation = isFields(other) ? other['operation'] : undefined
  if (typeof operation === 'string' && operation !== answer['operation']) return undefined
  const message = 'another turn of the same shape has another operation (PROGRESS-8)'
  return fault('other-turn', { ...slot, question }, message, {
    path: 'operation',
    expected: { operation: `a string other than ${String(answer['operation'])}` },
    received: { operation }
  })
}

/** The check that an open plan names when it knows how the turn will end; undefined for an open turn. */
const checkToCome = (question: Fields): string | undefined => {
  const outcome = isFields(question['outcome']) ? question['outcome'] : { kind: 'accepted' }
  const policy = isFields(question['policy']) ? question['policy'] : {}
  switch (outcome['kind']) {
    case 'open':
      return undefined
    case 'rejected':
      return String(outcome['deliverable'])
    case 'input-rejected':
      return 'input'
    case 'failed':
    case 'aborted':
      return outcome['check'] === 'due' && policy['unjudged'] === 'withhold' ? 'message' : 'none'
    default:
      return 'none'
  }
}

/** Sets of lengths: every single one, every pair, and all together. */
const listSplits = (length: number): ReadonlyArray<ReadonlyArray<number>> => {
  const splits: Array<ReadonlyArray<number>> = []
  const all: Array<number> = []
  for (let first = 1; first <= length; first += 1) {
    splits.push([first])
    all.push(first)
    for (let second = first + 1; second <= length; second += 1) splits.push([first, second])
  }
  if (length > 2) splits.push(all)
  return splits
}

/** Saves a turn that grows and then ends, on a store that can replace, and compares the session (PLAN-26). */
function* askSplit(slot: Slot, check: string, split: ReadonlyArray<number>, whole: unknown): Examination {
  const { items, outcome, progress: _, ...rest } = slot.question
  const list = items as ReadonlyArray<unknown>
  const saves = split.map((length) => ({ items: list.slice(0, length), outcome: { kind: 'open', check } }))
  let session: ReadonlyArray<unknown> = []
  let progress: unknown = null
  for (const save of [...saves, { items, outcome }]) {
    const question = { ...rest, ...save, progress, store: 'replace' }
    const answer = yield question
    const at = `saved at ${[...split, list.length].join(', ')}, here at ${(save.items as typeof list).length}`
    const failed = (message: string, difference: Difference): Fault =>
      fault('split', { question, step: slot.step }, `${at}: ${message}`, difference)
    const { replaces, writes } = isFields(answer) ? answer : {}
    if (!isPlan(answer) || !Array.isArray(replaces) || !Array.isArray(writes))
      return failed('an open turn is planned', { path: '', expected: 'a plan', received: answer })
    const kept = session.length - replaces.length
    const ends = differ(session.slice(Math.max(kept, 0)), replaces)
    if (ends !== undefined) return failed('what is replaced is the end of the session (PLAN-14)', ends)
    session = [...session.slice(0, kept), ...writes]
    progress = answer.after
    const count = differ({ written: session.length }, { written: answer.after['written'] })
    if (count !== undefined) return failed('written counts the session (PROGRESS-3)', count)
  }
  const end = differ(whole, session)
  if (end === undefined) return undefined
  const message = `saved at ${[...split, list.length].join(', ')}: the session is that of one save (PLAN-26)`
  return fault('split', slot, message, end)
}

function* askSplits(slot: Slot): Examination {
  const check = checkToCome(slot.question)
  const { items } = slot.question
  if (check === undefined || !Array.isArray(items)) return undefined
  const { progress: _, ...fresh } = slot.question
  const whole = yield { ...fresh, store: 'replace' }
  if (!isPlan(whole)) return undefined
  for (const split of listSplits(items.length)) {
    const found = yield* askSplit(slot, check, split, whole['writes'])
    if (found !== undefined) return found
  }
  return undefined
}

/** A turn that is one and the same at every step, so that it may be saved at any length. */
const canBeSplit = (vector: Vector): boolean =>
  (vector.level === 'select' || vector.level === 'plan') &&
  (isSequence(vector)
    ? vector.steps.every((step) => !Object.hasOwn(step, 'items') && !Object.hasOwn(step, 'policy'))
    : (vector as SingleVector).input['op'] === 'plan')

/** Asks a vector in every way. Yields questions and is given answers; returns the first fault. */
export function* examine(vector: Vector, depth: Depth): Examination {
  const asked: Array<Asked> = []
  let progress: unknown = null
  for (const laid of layOut(vector)) {
    const slot = isSequence(vector) ? { ...laid, question: { ...laid.question, progress } } : laid
    const answer = yield slot.question
    asked.push({ question: slot.question, expect: slot.expect, answer })
    const difference = compareAnswer(slot.expect, answer)
    if (difference !== undefined) return fault('whole', slot, 'the answer is the expected one', difference)
    const again = yield* askAgain(slot, answer, depth)
    if (again !== undefined) return again
    if (isPlan(answer)) progress = answer.after
  }
  const first = asked[0]
  if (first !== undefined && (first.question['progress'] ?? null) === null) {
    const other = yield* askOfOtherTurn({ ...first, step: 0 }, first.answer)
    if (other !== undefined) return other
  }
  const last = asked.at(-1)
  if (
    !depth.saves ||
    !depth.splits ||
    last === undefined ||
    last.expect['error'] !== undefined ||
    !canBeSplit(vector)
  )
    return undefined
  return yield* askSplits({ question: last.question, expect: last.expect, step: asked.length - 1 })
}
