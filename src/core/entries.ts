/**
 * The entries of a session, and how a list of them is kept.
 *
 * Law: only this file knows how an entry is a number and how many numbers a list of them needs. An entry is its
 * position times 8 plus a form. Most lists are a few stretches of neighbours that are written as they are, so a list
 * keeps the first entry of each stretch, and no object exists until somebody asks for it. Adding is constant, finding
 * the entry at an index logarithmic in the stretches.
 *
 * Rules: SELECT-11, SELECT-20, SELECT-22.
 */

/** How an entry is written; the last three are closings of the call at the position. */
export const Form = { plain: 0, stripped: 1, redacted: 2, interrupted: 4, skipped: 5, denied: 6 } as const

/** One entry of a session, as the answer of a plan shows it. */
export type Entry =
  | { readonly position: number; readonly stripId?: true; readonly redact?: true }
  | { readonly close: number; readonly as: 'interrupted' | 'skipped' | 'denied' }

/** Entries over compact numbers: no object exists until it is asked for. */
export interface Entries extends Iterable<Entry> {
  readonly length: number
  /** The entry at a 0-based index, or undefined. */
  readonly at: (index: number) => Entry | undefined
}

/** By how much the numbers of two neighbours of one form differ. */
const STEP = 8

const entryOf = (code: number): Entry => {
  const position = Math.floor(code / STEP)
  switch (code % STEP) {
    case Form.stripped:
      return { position, stripId: true }
    case Form.redacted:
      return { position, redact: true }
    case Form.interrupted:
      return { close: position, as: 'interrupted' }
    case Form.skipped:
      return { close: position, as: 'skipped' }
    case Form.denied:
      return { close: position, as: 'denied' }
    default:
      return { position }
  }
}

/** A list of entries that is made once, from its first entry to its last. */
export class EntryList implements Entries {
  /** For each stretch the number of its first entry, and how many entries stand before it. */
  readonly stretches: number[] = []
  private count = 0
  private next = -1

  /** How many entries there are. */
  get length(): number {
    return this.count
  }

  /** Adds one entry of a position. */
  add(position: number, form: number): void {
    const code = position * STEP + form
    if (code !== this.next) this.stretches.push(code, this.count)
    this.next = code + STEP
    this.count += 1
  }

  /** Adds the entries of the positions from `start` to below `end`, as they are. */
  addPlain(start: number, end: number): void {
    if (start >= end) return
    this.add(start, Form.plain)
    this.count += end - start - 1
    this.next = end * STEP
  }

  at(index: number): Entry | undefined {
    if (!(index >= 0 && index < this.count) || !Number.isInteger(index)) return undefined
    return entryOf(this.codeAt(index))
  }

  *[Symbol.iterator](): IterableIterator<Entry> {
    for (let stretch = 0; stretch < this.stretches.length; stretch += 2) {
      const end = this.endOf(stretch)
      let code = this.stretches[stretch] as number
      for (let index = this.stretches[stretch + 1] as number; index < end; index += 1) {
        yield entryOf(code)
        code += STEP
      }
    }
  }

  /** How many entries at the beginning are the same as those of another list. */
  countSame(other: EntryList): number {
    let stretch = 0
    while (
      stretch < this.stretches.length &&
      this.stretches[stretch] === other.stretches[stretch] &&
      this.endOf(stretch) === other.endOf(stretch)
    )
      stretch += 2
    if (this.stretches[stretch] !== other.stretches[stretch]) return this.stretches[stretch + 1] ?? this.count
    return Math.min(this.endOf(stretch), other.endOf(stretch))
  }

  /** The entries behind the first `count`. */
  from(count: number): EntryList {
    const rest = new EntryList()
    if (count >= this.count) return rest
    const stretch = this.stretchAt(count)
    rest.stretches.push(this.codeAt(count), 0)
    for (let later = stretch + 2; later < this.stretches.length; later += 2)
      rest.stretches.push(this.stretches[later] as number, (this.stretches[later + 1] as number) - count)
    rest.count = this.count - count
    rest.next = this.next
    return rest
  }

  private endOf(stretch: number): number {
    return this.stretches[stretch + 3] ?? this.count
  }

  private codeAt(index: number): number {
    const stretch = this.stretchAt(index)
    return (this.stretches[stretch] as number) + (index - (this.stretches[stretch + 1] as number)) * STEP
  }

  /** Where in `stretches` the one begins that holds an index. */
  private stretchAt(index: number): number {
    let low = 0
    let high = this.stretches.length / 2
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if ((this.stretches[middle * 2 + 1] as number) <= index) low = middle
      else high = middle
    }
    return low * 2
  }
}

/** No entries. */
export const noEntries: EntryList = new EntryList()
