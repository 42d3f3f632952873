/**
 * A session in memory.
 *
 * Law: the same answers as a database, without one. Entries are kept as text, so that what comes back never shares
 * a reference with what was handed in, and what a database could not keep is refused here too. Every act runs
 * without giving up the thread. Reads are linear; a save is linear in the turns' entries.
 *
 * Rules: PLAN-14, PROGRESS-8.
 */
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { StoreError } from '../ports/session-store.js'
import type { Backend, EncodedTransaction, Saved, StoredEntry } from './backend.js'
import { decideSave, type EncodedWrite } from './decide.js'
import { canonicalText, decodeId, decodeJson, reject } from './encode.js'
import { makeSession, type Session, type SessionOptions } from './session.js'

export type { Session } from './session.js'

interface Group {
  /** The encoded turn id; null for entries that belong to no turn. */
  readonly turn: string | null
  readonly texts: string[]
  operation: string
  progress: string
  removed: number
}

interface Place {
  groups: Group[]
  readonly turns: Map<string, Group>
  readonly operations: Map<string, string>
}

const addGroup = (place: Place, turn: string | null, texts: ReadonlyArray<string>): Group => {
  const group: Group = { turn, texts: [...texts], operation: '', progress: '', removed: 0 }
  place.groups.push(group)
  if (turn !== null) place.turns.set(turn, group)
  return group
}

const readTail = (place: Place, limit: number | null): ReadonlyArray<StoredEntry> => {
  const entries: StoredEntry[] = []
  const most = limit ?? Number.POSITIVE_INFINITY
  for (let number = place.groups.length - 1; number >= 0 && entries.length < most; number -= 1) {
    const group = place.groups[number] as Group
    const turn = group.turn === null ? null : decodeId(group.turn)
    for (let position = group.texts.length - 1; position >= 0 && entries.length < most; position -= 1) {
      entries.push({ number, position, turn, text: group.texts[position] as string })
    }
  }
  return entries.reverse()
}

const save = (place: Place, write: EncodedWrite): E.Either<StoreError, Saved> => {
  const stored = place.turns.get(write.turn)
  const decision = decideSave(
    write,
    stored === undefined ? null : { ...stored, number: 0, entries: stored.texts.length + stored.removed }
  )
  if (E.isLeft(decision)) return decision
  if (decision.right.kind === 'repeat')
    return E.right({ applied: false, progress: stored?.progress ?? '', notices: [] })
  const group = stored ?? addGroup(place, write.turn, [])
  group.texts.length = decision.right.keep
  for (const text of write.items) group.texts.push(text)
  group.operation = write.operation
  group.progress = write.after
  return E.right({ applied: true, progress: write.after, notices: [] })
}

/** Removes the last entry, in whichever turn it stands. */
const dropLast = (place: Place): string | null => {
  for (let number = place.groups.length - 1; number >= 0; number -= 1) {
    const group = place.groups[number] as Group
    const text = group.texts.pop()
    if (text === undefined) continue
    if (group.turn !== null) group.removed += 1
    return text
  }
  return null
}

const matches = (place: Place, expected: ReadonlyArray<string>): boolean => {
  const tail = readTail(place, expected.length)
  if (tail.length !== expected.length) return false
  return tail.every(({ text }, position) => {
    const canonical = canonicalText(decodeJson(text), 'items')
    return E.isRight(canonical) && canonical.right === expected[position]
  })
}

const transact = (place: Place, transaction: EncodedTransaction): E.Either<StoreError, void> => {
  const known = place.operations.get(transaction.operation)
  if (known !== undefined) {
    return known === transaction.digest
      ? E.right(undefined)
      : E.left(reject('operationId', 'an id that no other transaction has used'))
  }
  const expected = transaction.expected ?? []
  if (!matches(place, expected))
    return E.left(reject('transaction.expectedSuffix', 'the last entries of the session'))
  for (let count = 0; count < expected.length; count += 1) dropLast(place)
  addGroup(place, null, transaction.items)
  place.operations.set(transaction.operation, transaction.digest)
  return E.right(undefined)
}

const makeBackend = (): Backend => {
  const place: Place = { groups: [], turns: new Map(), operations: new Map() }
  return {
    tail: (limit) => TE.fromIO(() => readTail(place, limit)),
    progress: (turn) => TE.fromIO(() => place.turns.get(turn)?.progress ?? null),
    save: (write) => TE.fromIOEither(() => save(place, write)),
    add: (texts) =>
      TE.fromIO(() => {
        addGroup(place, null, texts)
      }),
    pop: () => TE.fromIO(() => dropLast(place)),
    clear: () =>
      TE.fromIO(() => {
        place.groups = []
        place.turns.clear()
        place.operations.clear()
      }),
    transact: (transaction) => TE.fromIOEither(() => transact(place, transaction))
  }
}

/** What `memorySession` takes. */
export type MemoryOptions<Raw> = Partial<SessionOptions<Raw>>

/**
 * A session that lasts as long as the value.
 *
 * Errors: `conflict`, `rejected`, `diverged`. Complexity: a save is linear in what it writes, a read in what it
 * returns. Rules: PLAN-14, PROGRESS-8.
 *
 * @example
 * const session = memorySession<string>({ sessionId: 'chat-1' })
 * await session.addItems(['hello'])
 * await session.getItems() // => ['hello']
 */
export const memorySession = <Raw>(options: MemoryOptions<Raw> = {}): Session<Raw> =>
  makeSession(makeBackend(), { ...options, sessionId: options.sessionId ?? 'memory' })
