/**
 * What is reported when a dialect and a plan both have something to say?
 *
 * Law: each oddity is reported once, in the order that EXPLAIN-4 gives. Where both saw the same, the dialect's words
 * stay, because they name the place in the raw input. Complexity: linear in the notices, but for one sort.
 *
 * Rules: EXPLAIN-4, ITEM-5, ITEM-9.
 */
import type { Notice } from '../core/notice.js'
import type { DecodeNotice } from '../ports/dialect.js'

/** A notice of an answer. `path` is a place in the raw input, such as `[3].call_id`. */
export interface AnswerNotice {
  readonly kind: Notice['kind'] | DecodeNotice['kind']
  /** 0-based; absent where it is about no item. */
  readonly position?: number
  readonly message: string
  readonly path?: string
}

type Placed = AnswerNotice & { readonly position: number }

const ofItems: ReadonlySet<string> = new Set([
  'unclassified',
  'missing-call-id',
  'unpaired-output',
  'response-order'
])

const isOfItem = (notice: Notice): notice is Notice & Placed =>
  notice.position !== undefined && ofItems.has(notice.kind)

/** Whether a plan's notice says again what the dialect has said about the same item. */
const repeats = (notice: Notice, said: DecodeNotice['kind']): boolean =>
  notice.kind === said || (notice.kind === 'unclassified' && said === 'missing-call-id')

/** One list of both. */
export const joinNotices = (
  decoded: ReadonlyArray<DecodeNotice>,
  planned: ReadonlyArray<Notice>
): ReadonlyArray<AnswerNotice> => {
  if (decoded.length === 0) return planned
  const plannedAt = new Map<number, ReadonlyArray<Notice>>()
  for (const notice of planned) {
    if (!isOfItem(notice)) continue
    plannedAt.set(notice.position, [...(plannedAt.get(notice.position) ?? []), notice])
  }
  const saidAt = new Map<number, ReadonlyArray<DecodeNotice['kind']>>()
  const placed: Array<Placed> = []
  for (const notice of decoded) {
    // An output without a call id answers nothing: the plan says so.
    const answersNothing =
      notice.kind === 'missing-call-id' &&
      plannedAt.get(notice.position)?.some(({ kind }) => kind === 'unpaired-output') === true
    if (answersNothing) continue
    placed.push(notice)
    saidAt.set(notice.position, [...(saidAt.get(notice.position) ?? []), notice.kind])
  }
  const others: Array<AnswerNotice> = []
  for (const notice of planned) {
    if (!isOfItem(notice)) others.push(notice)
    else if (saidAt.get(notice.position)?.some((said) => repeats(notice, said)) !== true) placed.push(notice)
  }
  placed.sort((left, right) => left.position - right.position)
  return [...placed, ...others]
}
