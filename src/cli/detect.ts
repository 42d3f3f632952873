/**
 * In which dialect is a list of items written?
 *
 * Law: each dialect has signs that no other one has; the one with the most items that carry its own sign is named. What
 * carries no sign of its own (a plain message) decides nothing, unless there is nothing else. A tie, or a list in which
 * nothing is recognised, is never guessed at. Complexity: linear in the items.
 */
import { type Either, left, right } from 'fp-ts/lib/Either.js'
import { isRecord } from '../conformance/question.js'
import { type Failure, failure } from './failure.js'

/** A raw item or message. */
export type Raw = Readonly<Record<string, unknown>>

/** What gives a dialect away. */
export interface Signs {
  readonly dialect: string
  /** Whether only this dialect writes an item so. */
  readonly owns: (raw: Raw) => boolean
}

const kinds: ReadonlySet<unknown> = new Set([
  'message',
  'reasoning',
  'call',
  'output',
  'approval',
  'compaction',
  'context',
  'marker',
  'unclassified'
])

const hasAny = (raw: Raw, names: ReadonlyArray<string>): boolean =>
  names.some((name) => Object.hasOwn(raw, name))

const isType = (raw: Raw, names: ReadonlyArray<string>): boolean =>
  typeof raw['type'] === 'string' && names.includes(raw['type'])

const signs: ReadonlyArray<Signs> = [
  { dialect: 'neutral', owns: (raw) => raw['type'] === undefined && kinds.has(raw['kind']) },
  {
    dialect: 'responses',
    owns: (raw) =>
      typeof raw['type'] === 'string' &&
      (hasAny(raw, ['call_id', 'encrypted_content', 'approval_request_id', 'server_label']) ||
        (raw['type'] === 'reasoning' && hasAny(raw, ['summary'])) ||
        isType(raw, [
          'web_search_call',
          'file_search_call',
          'code_interpreter_call',
          'image_generation_call',
          'local_shell_call',
          'item_reference'
        ]))
  },
  {
    dialect: 'agents-js',
    owns: (raw) =>
      isRecord(raw['rawItem']) ||
      (typeof raw['type'] === 'string' &&
        (hasAny(raw, ['callId', 'providerData']) ||
          isType(raw, ['function_call_result', 'hosted_tool_call'])))
  },
  { dialect: 'agents-python', owns: (raw) => isRecord(raw['raw_item']) }
]

/** What several dialects write alike: a message with a role, without anything of a provider's own. */
const isPlainMessage = (raw: Raw): boolean =>
  typeof raw['role'] === 'string' &&
  (raw['type'] === undefined || raw['type'] === 'message') &&
  ['user', 'assistant', 'system', 'developer'].includes(raw['role']) &&
  !hasAny(raw, ['tool_calls', 'function_call', 'tool_call_id', 'parts'])

/** Plain messages read the same in each of these; the first is named. */
const ofPlainMessages = 'responses'

const plural = (count: number): string => (count === 1 ? '1 item' : `${count} items`)

/** The dialect of a list. Errors: `unknown-dialect`, with the candidates. */
export const detectDialect = (
  items: ReadonlyArray<unknown>,
  place: string,
  more: ReadonlyArray<Signs> = [],
  ofPlain: string = ofPlainMessages
): Either<Failure, string> => {
  const all = [...signs, ...more]
  if (items.length === 0) return right('neutral')
  const counts = all.map(() => 0)
  let plain = 0
  for (const raw of items) {
    if (!isRecord(raw)) continue
    const owner = all.findIndex(({ owns }) => owns(raw))
    if (owner !== -1) counts[owner] = (counts[owner] ?? 0) + 1
    else if (isPlainMessage(raw)) plain += 1
  }
  const most = Math.max(...counts)
  const found = all
    .map(({ dialect }, index) => ({ dialect, count: counts[index] ?? 0 }))
    .filter(({ count }) => count > 0)
  const best = found.filter(({ count }) => count === most)
  if (best.length === 1 && best[0] !== undefined) return right(best[0].dialect)
  if (found.length === 0 && plain === items.length) return right(ofPlain)
  const candidates =
    best.length > 1
      ? `found ${best.map(({ dialect, count }) => `${dialect} (${plural(count)})`).join(' and ')}`
      : `recognised none of ${all.map(({ dialect }) => dialect).join(', ')}`
  return left(
    failure(
      'unknown-dialect',
      `${place}: expected items of one dialect, ${candidates}; say which with --dialect`
    )
  )
}
