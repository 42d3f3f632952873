/**
 * Whether a write may be applied.
 *
 * Law: only this file compares a write with what is stored of its turn. It reads no database: a store loads the
 * turn inside its transaction, asks here, and does what the answer says.
 *
 * Rules: PLAN-1, PROGRESS-2, PROGRESS-5, PROGRESS-8.
 */
import * as E from 'fp-ts/lib/Either.js'
import { startProgress, type Progress } from '../core/progress.js'
import type { SessionWrite, StoreError, StoreRejected } from '../ports/session-store.js'
import { decodeProgress, encodeId, encodeItems, encodeProgress, progressText, reject } from './encode.js'

/** A write as text. */
export interface EncodedWrite {
  readonly turn: string
  readonly turnId: string
  readonly operation: string
  readonly expects: string
  readonly after: string
  readonly replaces: number
  readonly items: ReadonlyArray<string>
}

/** What a store keeps of a turn beside its entries. */
export interface StoredTurn {
  /** The turn's place among the turns of the session. */
  readonly number: number
  readonly operation: string
  readonly progress: string
  /** Entries after the last save. */
  readonly entries: number
  /** Entries removed since by another door. */
  readonly removed: number
}

/** What a store has to do. */
export type Decision =
  | { readonly kind: 'repeat'; readonly progress: Progress }
  /** Remove this turn's entries from position `keep` on, then write the items from there. */
  | { readonly kind: 'apply'; readonly keep: number }

const checkShape = (write: SessionWrite<unknown>): StoreRejected | null => {
  if (write.expects.turn !== write.turn) return reject('expects.turn', 'the id of the written turn')
  if (write.after.turn !== write.turn) return reject('after.turn', 'the id of the written turn')
  if (write.operation === '') return reject('operation', 'an id that is not empty')
  if (!Number.isSafeInteger(write.replaces) || write.replaces < 0)
    return reject('replaces', 'a whole number of entries')
  if (write.replaces > 0 && write.change !== 'replace-suffix')
    return reject('replaces', '0 unless the change is replace-suffix')
  if (write.items.length > 0 && write.change === 'none')
    return reject('items', 'no entries where the change is none')
  return null
}

/** A write as text, or why it can never be stored. Complexity: linear in the texts. */
export const encodeWrite = (write: SessionWrite<unknown>): E.Either<StoreRejected, EncodedWrite> => {
  const wrong = checkShape(write)
  if (wrong !== null) return E.left(wrong)
  const turn = encodeId(write.turn, 'turn')
  if (E.isLeft(turn)) return turn
  const operation = encodeId(write.operation, 'operation')
  if (E.isLeft(operation)) return operation
  const expects = encodeProgress(write.expects, 'expects')
  if (E.isLeft(expects)) return expects
  const after = encodeProgress(write.after, 'after')
  if (E.isLeft(after)) return after
  const items = encodeItems(write.items, 'items')
  if (E.isLeft(items)) return items
  return E.right({
    turn: turn.right,
    turnId: write.turn,
    operation: operation.right,
    expects: expects.right,
    after: after.right,
    replaces: write.replaces,
    items: items.right
  })
}

const conflict = (turn: string, stored: Progress | null): StoreError => ({
  kind: 'conflict',
  turn,
  stored,
  message: 'the stored progress of the turn is not the expected one: plan again from the stored one'
})

/** The error of a turn whose stored progress cannot be read. */
export const corruptProgress = (turn: string): StoreError => ({
  kind: 'corrupt',
  turn,
  path: 'turns.progress',
  message: 'turns.progress: expected the JSON of a progress'
})

/** Whether a write can only be applied where nothing is stored of its turn. Complexity: constant. */
export const isFirst = (write: EncodedWrite): boolean =>
  write.replaces === 0 && write.expects === progressText(startProgress(write.turnId))

/** What a store has to do with a write, given what it holds of the turn. Complexity: linear in the progress. */
export const decideSave = (
  write: EncodedWrite,
  stored: StoredTurn | null
): E.Either<StoreError, Decision> => {
  if (stored === null) {
    if (progressText(startProgress(write.turnId)) !== write.expects)
      return E.left(conflict(write.turnId, null))
    return write.replaces === 0 ? E.right({ kind: 'apply', keep: 0 }) : E.left(tooMany(0))
  }
  const progress = decodeProgress(stored.progress)
  if (progress === null) return E.left(corruptProgress(write.turnId))
  if (stored.operation === write.operation) return E.right({ kind: 'repeat', progress })
  if (stored.progress !== write.expects) return E.left(conflict(write.turnId, progress))
  if (stored.removed > 0)
    return E.left({
      kind: 'diverged',
      turn: write.turnId,
      removed: stored.removed,
      message: 'entries of this turn were removed since its last save, so its progress is not true any more'
    })
  return write.replaces <= stored.entries
    ? E.right({ kind: 'apply', keep: stored.entries - write.replaces })
    : E.left(tooMany(stored.entries))
}

const tooMany = (entries: number): StoreRejected =>
  reject('replaces', `at most the ${entries} entries that are stored of this turn`)
