/**
 * The oracle's reading of a turn: what an item is, which response it belongs to, what answers what, what owns what.
 *
 * Law: written from `docs/spec/01-items.md` to `03-reasoning.md` alone. It may be slow and looks nothing up in the
 * code of the library; each function reads like the rule it cites.
 */
import type { Item, ItemFields, OpenCall } from '../../src/core/item.js'

const kinds: ReadonlyArray<string> = [
  'message',
  'reasoning',
  'call',
  'output',
  'approval',
  'compaction',
  'context',
  'marker',
  'unclassified'
]

const fieldsOf = (item: Item): ItemFields => item

/** ITEM-5: such a call could never be answered. */
export const lacksCallId = (item: Item): boolean =>
  item.kind === 'call' &&
  item.callId === undefined &&
  item.selfContained !== true &&
  item.namespace !== 'tool-search'

/** ITEM-3, ITEM-4, ITEM-5: the kind that every other rule sees. */
export const kindOf = (item: Item): string => {
  if (item.kind === 'marker') return 'marker'
  if (item.kind === 'output' && item.execution === 'pending') return 'marker'
  if (!kinds.includes(item.kind)) return 'unclassified'
  if (lacksCallId(item)) return 'unclassified'
  return item.kind
}

/** ITEM-2. */
export const originOf = (item: Item): string => {
  if (item.origin !== undefined) return item.origin
  const modelKinds = ['message', 'reasoning', 'call', 'compaction', 'context', 'unclassified']
  return modelKinds.includes(item.kind) || !kinds.includes(item.kind) ? 'model' : 'runner'
}

export const isMarker = (item: Item): boolean => kindOf(item) === 'marker'
export const isPartial = (item: Item): boolean => fieldsOf(item).partial === true && !isMarker(item)
export const isComplete = (item: Item): boolean => !isPartial(item) && !isMarker(item)

export const isCompleteCall = (item: Item): boolean => kindOf(item) === 'call' && isComplete(item)

/** ITEM-6. */
export const isUserInput = (item: Item): boolean =>
  originOf(item) === 'user' && isComplete(item) && kindOf(item) !== 'call' && kindOf(item) !== 'output'

/** ITEM-7. */
export const isModelItem = (item: Item): boolean => originOf(item) === 'model' && !isMarker(item)

/** ITEM-8. */
export const isOwning = (item: Item): boolean =>
  isModelItem(item) && !['reasoning', 'output', 'context'].includes(kindOf(item))

/** A reasoning item that reasoning rules speak of; a user's is user input, whatever its kind (ITEM-6). */
export const isReasoning = (item: Item): boolean => kindOf(item) === 'reasoning' && !isUserInput(item)

export const isRunnerExecuted = (item: Item): boolean => fieldsOf(item).executor !== 'provider'

/** PAIR-3. */
export const canBeAnswered = (item: Item): boolean =>
  kindOf(item) === 'call' && isComplete(item) && fieldsOf(item).selfContained !== true

/** PAIR-3, ITEM-3: an output that takes part in pairing. */
export const isRealOutput = (item: Item): boolean => kindOf(item) === 'output' && isComplete(item)

/** PAIR-4: what must be equal, or null when nothing can be equal to it. */
export const keyOf = (item: { readonly namespace?: string; readonly callId?: string }): string | null => {
  if (item.callId === undefined && item.namespace !== 'tool-search') return null
  return JSON.stringify([item.namespace ?? null, item.callId ?? null])
}

/** What an output answers: a call of the turn by its position, or one of `open` by its place there. */
export type Answered = { readonly call: number } | { readonly open: number }

export interface ReadTurn {
  readonly items: ReadonlyArray<Item>
  readonly open: ReadonlyArray<OpenCall>
  /** Number of response starts up to and with a position: 0 before the first model item. */
  readonly response: ReadonlyArray<number>
  readonly starts: ReadonlyArray<number>
  /** Output position by call position. */
  readonly answeredBy: ReadonlyMap<number, number>
  readonly answers: ReadonlyMap<number, Answered>
  readonly superseded: ReadonlySet<number>
  readonly openUnanswered: ReadonlyArray<number>
  readonly unpaired: ReadonlyArray<number>
  readonly outOfOrder: ReadonlyArray<number>
}

interface Waiting {
  readonly target: Answered
  readonly key: string
  /** −1 for a call of an earlier turn. */
  readonly response: number
}

/** PAIR-1 to PAIR-9, in the order of the positions. */
export const readTurn = (items: ReadonlyArray<Item>, open: ReadonlyArray<OpenCall> = []): ReadTurn => {
  const response: Array<number> = []
  const starts: Array<number> = []
  const answeredBy = new Map<number, number>()
  const answers = new Map<number, Answered>()
  const superseded = new Set<number>()
  const unpaired: Array<number> = []
  const outOfOrder: Array<number> = []
  // PAIR-8
  let waiting: Array<Waiting> = open.map((one, index) => ({
    target: { open: index },
    key: keyOf(one) ?? '',
    response: -1
  }))
  const at = (position: number): Item => items[position] as Item
  const firstModel = items.findIndex(isModelItem)
  const numbered = firstModel >= 0 && at(firstModel).response !== undefined

  // PAIR-1
  const startsByNumber = (position: number): boolean => {
    const before = items.slice(0, position).filter(isModelItem)
    const greatest = Math.max(...before.map((item) => item.response ?? Number.NEGATIVE_INFINITY))
    const own = at(position).response
    if (own === undefined || own < greatest) outOfOrder.push(position)
    return own !== undefined && own > greatest
  }

  // PAIR-2
  const startsByPlace = (position: number): boolean => {
    for (let before = position - 1; before >= 0 && !isModelItem(at(before)); before -= 1)
      if (isUserInput(at(before))) return true
    let previous = position - 1
    while (
      previous >= 0 &&
      (isMarker(at(previous)) || (unpaired.includes(previous) && originOf(at(previous)) !== 'model'))
    )
      previous -= 1
    if (previous < 0) return false
    const byRunner = originOf(at(previous)) !== 'model'
    const answersCall = byRunner && answers.has(previous)
    const isApproval =
      originOf(at(previous)) === 'runner' && kindOf(at(previous)) === 'approval' && !isPartial(at(previous))
    if (!answersCall && !isApproval) return false
    const current = response[position - 1]
    for (let earlier = 0; earlier < position; earlier += 1)
      if (
        response[earlier] === current &&
        canBeAnswered(at(earlier)) &&
        isRunnerExecuted(at(earlier)) &&
        !answeredBy.has(earlier)
      )
        return false
    return true
  }

  for (let position = 0; position < items.length; position += 1) {
    const item = at(position)
    if (isModelItem(item)) {
      const starting =
        position === firstModel || (numbered ? startsByNumber(position) : startsByPlace(position))
      if (starting) starts.push(position)
    }
    response.push(starts.length)

    if (canBeAnswered(item)) {
      const key = keyOf(item as ItemFields) ?? ''
      // PAIR-6
      for (const other of waiting)
        if (other.key === key && other.response !== starts.length && 'call' in other.target)
          superseded.add(other.target.call)
      waiting = waiting.filter((other) => other.key !== key || other.response === starts.length)
      // PAIR-5
      waiting.push({ target: { call: position }, key, response: starts.length })
    }
    if (isRealOutput(item)) {
      const key = keyOf(item as ItemFields)
      const found = waiting.find((other) => other.key === key)
      if (found === undefined) {
        // PAIR-7
        unpaired.push(position)
      } else {
        // PAIR-4
        waiting = waiting.filter((other) => other !== found)
        answers.set(position, found.target)
        if ('call' in found.target) answeredBy.set(found.target.call, position)
      }
    }
  }
  const answeredOpen = [...answers.values()].flatMap((target) => ('open' in target ? [target.open] : []))
  return {
    items,
    open,
    response,
    starts,
    answeredBy,
    answers,
    superseded,
    openUnanswered: open.map((_, index) => index).filter((index) => !answeredOpen.includes(index)),
    unpaired,
    outOfOrder
  }
}

/** SELECT-23: where the last response starts; the end of the turn when there is none. */
export const lastResponseStart = (turn: ReadTurn): number =>
  turn.starts[turn.starts.length - 1] ?? turn.items.length

export const isInLastResponse = (turn: ReadTurn, position: number): boolean =>
  turn.starts.length > 0 && turn.response[position] === turn.starts.length

/** PAIR-10: the call that an approval belongs to. */
export const callOfApproval = (turn: ReadTurn, position: number): number | null => {
  const { callId, namespace } = turn.items[position] as ItemFields
  if (callId === undefined) return null
  const isIts = (item: Item): boolean =>
    isCompleteCall(item) &&
    (item as ItemFields).callId === callId &&
    (item as ItemFields).namespace === namespace
  for (let before = position - 1; before >= 0; before -= 1)
    if (isIts(turn.items[before] as Item)) return before
  for (let after = position + 1; after < turn.items.length; after += 1)
    if (isIts(turn.items[after] as Item)) return after
  return null
}

/** PAIR-11: the call that made a call. */
export const parentOf = (turn: ReadTurn, position: number): number | null => {
  const item = turn.items[position] as Item
  const parent = (item as ItemFields).parent
  if (kindOf(item) !== 'call' || parent === undefined) return null
  for (let before = position - 1; before >= 0; before -= 1) {
    const other = turn.items[before] as Item
    if (isCompleteCall(other) && (other as ItemFields).callId === parent) return before
  }
  return null
}

/** PAIR-11, the other way round. */
export const childrenOf = (turn: ReadTurn, position: number): ReadonlyArray<number> =>
  turn.items.map((_, child) => child).filter((child) => parentOf(turn, child) === position)

/** REASON-1 to REASON-5: every item that a reasoning item belongs to, in order; none when it is trailing. */
export const ownersOf = (
  turn: ReadTurn,
  position: number,
  association: 'next' | 'segment'
): ReadonlyArray<number> => {
  const owners: Array<number> = []
  for (let after = position + 1; after < turn.items.length; after += 1) {
    const item = turn.items[after] as Item
    if (turn.response[after] !== turn.response[position]) break
    if (isUserInput(item)) break
    // REASON-4: further reasoning is part of the same run until an owning item has been met.
    if (isReasoning(item) && owners.length > 0) break
    if (isOwning(item)) {
      owners.push(after)
      if (association === 'next') break
    }
  }
  return owners
}

/** REASON-5: the nearest run of reasoning before a position in its response; empty when there is none. */
export const runBefore = (turn: ReadTurn, position: number): ReadonlyArray<number> => {
  const run: Array<number> = []
  for (let before = position - 1; before >= 0; before -= 1) {
    const item = turn.items[before] as Item
    if (turn.response[before] !== turn.response[position]) break
    if (run.length > 0 && (isOwning(item) || isUserInput(item))) break
    if (isReasoning(item)) run.unshift(before)
  }
  return run
}

/** PAIR-12. */
export const oraclePair = (question: {
  readonly items: ReadonlyArray<Item>
  readonly open?: ReadonlyArray<OpenCall>
}): { pairs: Array<[number, number]>; unpaired: Array<number> } => {
  const turn = readTurn(question.items, question.open)
  const pairs = [...turn.answeredBy.entries()].sort((left, right) => left[0] - right[0])
  return { pairs, unpaired: [...turn.unpaired] }
}

/** REASON-6. */
export const oracleAssociate = (question: {
  readonly items: ReadonlyArray<Item>
  readonly association?: 'next' | 'segment'
}): { owner: Array<number | null> } => {
  const turn = readTurn(question.items)
  const owner: Array<number | null> = []
  question.items.forEach((item, position) => {
    if (!isReasoning(item)) return
    owner.push(ownersOf(turn, position, question.association ?? 'next')[0] ?? null)
  })
  return { owner }
}
