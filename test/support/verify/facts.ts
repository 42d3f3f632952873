/**
 * What is true of a turn, whatever is planned: who answers whom, what belongs to what, where a response starts.
 *
 * Law: read with the oracle's reading of the rules, never with `src/core`. Sets of positions are bit masks: a turn
 * here has at most thirty positions.
 */
import type { Item, ItemFields } from '../../../src/core/item.js'
import type { Policy } from '../../../src/core/policy.js'
import {
  canBeAnswered,
  isCompleteCall,
  isModelItem,
  isReasoning,
  isRunnerExecuted,
  kindOf,
  lastResponseStart,
  ownersOf,
  readTurn
} from '../oracle-turn.js'

export interface Facts {
  readonly word: string
  readonly items: ReadonlyArray<Item>
  readonly length: number
  /** Complete calls, self-contained ones included: they may have had an effect. */
  readonly calls: number
  /** Complete calls that the runner owes an output. */
  readonly owed: number
  /** Outputs that are complete, whether or not they answer a call. */
  readonly outputs: number
  /** Outputs that say that the tool did not run. */
  readonly refused: number
  /** Messages of the model. */
  readonly messages: number
  readonly reasoning: number
  /** Call → output; −1 if unanswered. */
  readonly outputOf: ReadonlyArray<number>
  /** Output → call; −1 if it answers nothing. */
  readonly callOf: ReadonlyArray<number>
  /** Reasoning → mask of the items it belongs to. */
  readonly owners: ReadonlyArray<number>
  /** Start of the last response; the length if there is none. */
  readonly lastStart: number
  /** Whether one response uses a key twice, or two calls with one key wait at once: nobody could send such a turn. */
  readonly sharesKeys: boolean
}

const maskOf = (items: ReadonlyArray<Item>, test: (item: Item) => boolean): number =>
  items.reduce((mask, item, position) => (test(item) ? mask | (1 << position) : mask), 0)

export const readFacts = (
  word: string,
  items: ReadonlyArray<Item>,
  association: Policy['association']
): Facts => {
  const turn = readTurn(items)
  const outputOf = items.map((_, position) => turn.answeredBy.get(position) ?? -1)
  const callOf = items.map((_, position) => {
    const target = turn.answers.get(position)
    return target !== undefined && 'call' in target ? target.call : -1
  })
  const owners = items.map((_, position) =>
    ownersOf(turn, position, association).reduce((mask, owner) => mask | (1 << owner), 0)
  )
  const keyAt = (position: number): string => {
    const item: ItemFields = items[position] as Item
    return JSON.stringify([item.namespace ?? null, item.callId ?? null])
  }
  const sharesKeys = items.some(
    (item, position) =>
      canBeAnswered(item) &&
      items.some((other, later) => {
        if (later <= position || !canBeAnswered(other) || keyAt(later) !== keyAt(position)) return false
        return turn.response[later] === turn.response[position] || (outputOf[position] as number) > later
      })
  )
  return {
    word,
    items,
    length: items.length,
    calls: maskOf(items, isCompleteCall),
    owed: maskOf(items, (item) => canBeAnswered(item) && isRunnerExecuted(item)),
    outputs: maskOf(items, (item) => kindOf(item) === 'output'),
    refused: maskOf(
      items,
      (item) => item.kind === 'output' && (item.execution === 'denied' || item.execution === 'skipped')
    ),
    messages: maskOf(items, (item) => isModelItem(item) && kindOf(item) === 'message'),
    reasoning: maskOf(items, isReasoning),
    outputOf,
    callOf,
    owners,
    lastStart: lastResponseStart(turn),
    sharesKeys
  }
}
