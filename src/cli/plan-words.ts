/**
 * How is a plan told to a person?
 *
 * Law: the words for each rule that can give a verdict, for entries, and for what a plan warns of. The plan is repeated,
 * never judged. Positions are 0-based, as everywhere.
 */
import type { Decision } from '../core/explain.js'
import type { Entry } from '../core/entries.js'

/** What a reason may need to know besides its decision. */
export interface Situation {
  readonly decisions: ReadonlyArray<Decision>
  /** Whether a call has a closing once the plan is applied. */
  readonly isClosed: (position: number) => boolean
}

type Reason = (decision: Decision, situation: Situation) => string

const verdictWords: Readonly<Record<Decision['verdict'], string>> = {
  keep: 'is kept',
  redact: 'is kept, redacted',
  withhold: 'is withheld',
  defer: 'waits'
}

/** The position that caused a decision, and what became of it. */
const cause = ({ because }: Decision, { decisions }: Situation): string => {
  const verdict = because === undefined ? undefined : decisions[because]?.verdict
  return verdict === undefined ? `${because}` : `${because}, which ${verdictWords[verdict]}`
}

const kept = ({ verdict }: Decision): boolean => verdict === 'keep' || verdict === 'redact'

const waitsForOwner: Reason = ({ because }) =>
  because === undefined ? 'waits for the item it belongs to' : `belongs to ${because}, which may still change`

const belongs: Reason = (decision, situation) =>
  decision.because === undefined ? 'belongs to what follows it' : `belongs to ${cause(decision, situation)}`

/** Why, by rule. Every rule that the core names in a decision has its words here. */
export const reasons: ReadonlyMap<string, Reason> = new Map<string, Reason>([
  ['SELECT-1', () => 'not in a rejected part'],
  ['SELECT-2', () => 'in the rejected part'],
  ['SELECT-3', belongs],
  ['SELECT-4', () => 'user input'],
  [
    'SELECT-5',
    (decision) =>
      kept(decision)
        ? `answered by ${decision.because}: what it did is done`
        : `answered by ${decision.because}: it was not executed`
  ],
  [
    'SELECT-6',
    (decision, situation) =>
      decision.because === undefined
        ? 'answers a call of an earlier turn'
        : `answers ${cause(decision, situation)}`
  ],
  ['SELECT-7', () => 'carries its own result'],
  ['SELECT-8', ({ because }) => `${because} was made by it and is kept`],
  [
    'SELECT-9',
    (decision, situation) => {
      if (decision.because !== undefined) return `consent for ${cause(decision, situation)}`
      return kept(decision) ? 'consent for a call of an earlier turn' : 'consent for nothing that is kept'
    }
  ],
  [
    'SELECT-10',
    (decision, { isClosed }) => {
      if (!kept(decision)) return 'no output came'
      return isClosed(decision.position) ? 'no output came: it is closed' : 'no output came: kept as it is'
    }
  ],
  [
    'SELECT-12',
    (decision) => (kept(decision) ? 'its provider answers it, or not' : 'no output came from its provider')
  ],
  ['SELECT-13', () => 'cut off while streaming'],
  ['SELECT-14', () => 'cut off, but in the session already: it is closed'],
  ['SELECT-15', () => 'bookkeeping of the runner'],
  ['SELECT-16', () => 'answers no call that waits'],
  ['SELECT-17', () => 'of unknown type, in the rejected part'],
  ['SELECT-18', () => 'reasoning that no item follows'],
  [
    'SELECT-19',
    ({ because }) => `the rejected output of ${because}: the call stays, the payload is replaced`
  ],
  ['SELECT-26', () => 'its input was rejected'],
  ['SELECT-27', belongs],
  ['PLAN-2', () => 'a pending check may still reject it'],
  ['PLAN-3', () => 'waits for the item it belongs to'],
  ['PLAN-4', () => 'cut off so far: waits for the end of the turn'],
  ['PLAN-5', () => 'waits for its output'],
  ['PLAN-6', () => 'its result is still pending'],
  ['PLAN-7', waitsForOwner],
  ['PLAN-8', ({ because }) => `answers ${because}, which waits`],
  ['PLAN-9', waitsForOwner],
  ['PLAN-13', () => 'in the session already; what becomes of it is not decided'],
  ['PLAN-18', () => 'judged by an earlier save'],
  ['PLAN-21', () => 'judged already, and nothing has come since'],
  ['PLAN-22', ({ because }) => `the real output of ${because}, in the place of its closing`],
  ['PLAN-23', ({ because }) => `came after ${because} was closed`],
  ['PLAN-30', ({ because }) => `${because ?? 'its call'} is in the session and must be answered`]
])

/** The rule of a decision and its words. */
export const tellWhy = (decision: Decision, situation: Situation): string => {
  const words = reasons.get(decision.rule)?.(decision, situation)
  return words === undefined ? decision.rule : `${decision.rule} ${words}`
}

/** What is done to an entry, as a suffix: nothing for an item that is written as it is. */
const manner = (entry: Entry): string => {
  if ('close' in entry) return ` (${entry.as})`
  return entry.redact === true
    ? ' (redacted)'
    : entry.stripId === true
      ? ' (without its id, as its reasoning is not written)'
      : ''
}

/** Entries in one line; positions that follow each other become a range. */
export const tellEntries = (entries: ReadonlyArray<Entry>): string => {
  const words: Array<string> = []
  for (let index = 0; index < entries.length; ) {
    const entry = entries[index] as Entry
    if ('close' in entry) {
      words.push(`a closing for ${entry.close}${manner(entry)}`)
      index += 1
      continue
    }
    let end = index + 1
    for (; end < entries.length; end += 1) {
      const next = entries[end] as Entry
      const follows = !('close' in next) && next.position === entry.position + end - index
      if (!follows || manner(next) !== manner(entry)) break
    }
    const last = entry.position + end - 1 - index
    const joint = last === entry.position + 1 ? ', ' : '–'
    words.push(`${entry.position}${last === entry.position ? '' : `${joint}${last}`}${manner(entry)}`)
    index = end
  }
  return words.join(', ')
}

/** A list of positions in words: `3`, `3 and 5`, `3, 5 and 9`. */
export const tellPositions = (positions: ReadonlyArray<number>): string => {
  const last = positions[positions.length - 1]
  return positions.length < 2 ? `${last ?? ''}` : `${positions.slice(0, -1).join(', ')} and ${last}`
}
