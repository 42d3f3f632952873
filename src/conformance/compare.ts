/**
 * Is this answer what a vector expects?
 *
 * Law: the table of `running-vectors.md`: which fields are compared, what is filled in, and what is left out because it
 * is the implementation's own (digests, sentences, the order of some notices). Complexity: linear in the answer.
 */
import { findDifference } from './differ.js'
import { type Fields, isFields } from './vector.js'

/** Two documents that differ, both in the form in which they were compared. */
export interface Difference {
  /** The first place, such as `writes[1]`. */
  readonly path: string
  readonly expected: unknown
  readonly received: unknown
}

const listsByDefaultEmpty = ['replaces', 'unprotected', 'irrevocable', 'late'] as const

/** Notices that come first and in the order of positions (EXPLAIN-4). */
const ordered: ReadonlySet<unknown> = new Set([
  'unclassified',
  'missing-call-id',
  'response-order',
  'unpaired-output'
])
const unordered: ReadonlySet<unknown> = new Set([
  'no-deliverable',
  'open-call',
  'late-output',
  'unrecorded-effect'
])

/** The fields of a received object that an expectation names, to any depth; extra fields are the other side's own. */
const narrow = (expected: unknown, received: unknown): unknown => {
  if (Array.isArray(expected) && Array.isArray(received))
    return received.map((each, index) => narrow(expected[index], each))
  if (!isFields(expected) || !isFields(received)) return received
  const narrowed: Record<string, unknown> = {}
  for (const name of Object.keys(expected))
    if (Object.hasOwn(received, name)) narrowed[name] = narrow(expected[name], received[name])
  return narrowed
}

const pick = (fields: Fields, names: ReadonlyArray<string>): Fields =>
  Object.fromEntries(names.filter((name) => Object.hasOwn(fields, name)).map((name) => [name, fields[name]]))

const sortKey = (notice: Fields): string =>
  `${String(notice['kind'])} ${String(notice['position'] ?? -1).padStart(16)}`

/** The notices that are compared, those without an order behind the others and sorted. */
const arrangeNotices = (notices: unknown): unknown => {
  if (!Array.isArray(notices)) return notices
  const compared = notices.flatMap((notice: unknown) => {
    if (!isFields(notice)) return [{ kind: notice }]
    const known = ordered.has(notice['kind']) || unordered.has(notice['kind'])
    return known ? [pick(notice, ['kind', 'position'])] : []
  })
  // Sorting the tail only: an ordered notice behind an unordered one is out of place, and stays so.
  const start = compared.findIndex(({ kind }) => !ordered.has(kind))
  if (start === -1) return compared
  const tail = compared.slice(start)
  if (tail.some(({ kind }) => ordered.has(kind))) return compared
  return [...compared.slice(0, start), ...tail.sort((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1))]
}

const decisionsOf = (answer: Fields): ReadonlyArray<Fields> =>
  Array.isArray(answer['decisions']) ? answer['decisions'].filter(isFields) : []

/** One field of the decisions at the positions that an expectation names. */
const readDecisions = (answer: Fields, positions: unknown, field: string): Fields => {
  const decisions = decisionsOf(answer)
  const named = isFields(positions) ? Object.keys(positions) : []
  return Object.fromEntries(named.map((position) => [position, decisions[Number(position)]?.[field] ?? null]))
}

const expectedPlan = (expect: Fields): Fields => ({
  change: expect['change'],
  from: expect['from'],
  ...Object.fromEntries(listsByDefaultEmpty.map((name) => [name, expect[name] ?? []])),
  writes: expect['writes'],
  verdicts: expect['verdicts'],
  notices: arrangeNotices(expect['notices'] ?? []),
  ...pick(expect, ['after', 'because', 'rulesOf'])
})

const receivedPlan = (expect: Fields, answer: Fields): Fields => ({
  ...pick(answer, ['change', 'from', ...listsByDefaultEmpty, 'writes']),
  // A decision that does not stand at its position is shown as it is.
  verdicts: decisionsOf(answer).map((decision, position) =>
    decision['position'] === position ? decision['verdict'] : decision
  ),
  notices: arrangeNotices(answer['notices']),
  ...(expect['after'] === undefined ? {} : { after: narrow(expect['after'], answer['after']) }),
  ...(expect['because'] === undefined
    ? {}
    : { because: readDecisions(answer, expect['because'], 'because') }),
  ...(expect['rulesOf'] === undefined ? {} : { rulesOf: readDecisions(answer, expect['rulesOf'], 'rule') })
})

const describe = (expected: unknown, received: unknown): Difference | undefined => {
  const path = findDifference(expected, received)
  return path === undefined ? undefined : { path, expected, received }
}

/** An error document without its sentence; a path inside the expected one counts as that. */
const plainError = (answer: Fields, wanted: Fields): Fields => {
  const error = isFields(answer['error']) ? answer['error'] : {}
  const { path } = wanted
  if (typeof path !== 'string') return { error: pick(error, ['kind']) }
  const received = String(error['path'])
  const inside = received.startsWith(`${path}.`) || received.startsWith(`${path}[`)
  return { error: { ...pick(error, ['kind', 'path']), ...(inside ? { path } : {}) } }
}

/** Everything but sentences, for an answer where an error was expected. */
const withoutSentences = (answer: Fields): Fields =>
  pick(answer, ['change', 'from', 'writes', 'pairs', 'unpaired', 'owner', 'violations', 'items'])

/**
 * How an answer differs from what a vector expects, or undefined.
 *
 * @example
 * compareAnswer({ owner: [1] }, { owner: [null] })?.path // => 'owner[0]'
 */
export const compareAnswer = (expect: Fields, answer: unknown): Difference | undefined => {
  if (!isFields(answer)) return { path: '', expected: expect, received: answer }
  const wanted = expect['error']
  if (isFields(wanted)) {
    const received = answer['error'] === undefined ? withoutSentences(answer) : plainError(answer, wanted)
    return describe({ error: wanted }, received)
  }
  if (answer['error'] !== undefined) return describe(expect, plainError(answer, { path: '' }))
  if (Object.hasOwn(expect, 'verdicts')) return describe(expectedPlan(expect), receivedPlan(expect, answer))
  return describe(expect, narrow(expect, answer))
}
