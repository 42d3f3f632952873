/**
 * What is known of a turn once its items have been read.
 *
 * Law: only this file says in which form. Compact arrays by position, shared by everything that comes after; filled
 * by `pair.ts`, `refer.ts` and `claim.ts`, and read by nobody else's leave but not written again. What is known
 * of a prefix never changes when the turn grows, but for links, which are added.
 *
 * Rules: none of its own.
 */
import type { Item, OpenCall } from './item.js'

/** No link: an unanswered call, an unpaired output, trailing reasoning. */
export const NONE = -1

/**
 * Up to this many positions, plain lists are made where typed arrays of four bytes would be: a typed array of more
 * than 64 bytes lies outside of the heap, and making one takes many times as long as making a small list.
 */
export const SHORT = 64

/** One number per position. */
export type Numbers = number[] | Int32Array

/** Calls of one key that waited together. */
export interface CallQueue {
  readonly calls: number[]
  /** How many of `calls` are answered; the rest waits, or was superseded. */
  answered: number
}

/** What the forward pass has found so far. Arrays may be longer than `length`; only the prefix counts. */
export interface Structure {
  items: ReadonlyArray<Item>
  length: number
  roles: Uint8Array
  flags: Uint8Array
  /** call → output, output → call (−2 − i for the i-th open call), reasoning → owner, approval → call; else −1. */
  links: Numbers
  readonly open: ReadonlyArray<OpenCall>
  /** Which open calls were answered. */
  readonly openAnswered: boolean[]
  /** What is reported, ascending: four times the position plus one of `Odd`. */
  readonly odd: number[]
  /** How many positions are reasoning. */
  reasoning: number
  /** How many of these belong to an item. */
  owned: number
  /** Lowest marker, cut off item or output of nothing; infinity if there is none. */
  irregular: number
  /** Positions of approvals, ascending. */
  readonly approvals: number[]
  /** Child call → its parent's position. Empty in almost every turn, and then shared. */
  parents: ReadonlyMap<number, number>
  /** Calls that joined another waiting call of their key. Empty in almost every turn, and then shared. */
  queues: ReadonlyMap<number, CallQueue>
  /** Calls that became superseded, in the order in which that was seen. */
  readonly superseded: number[]
  /** Start of the last response; −1 while there is no model item. */
  responseStart: number
  /** Position of the last user input; −1 if none. */
  lastUser: number
  /** Lowest position whose approval or parent was found only later, since somebody last set this to infinity. */
  touched: number
  /** Lowest reasoning item that was claimed, since somebody last set this to infinity. */
  claimed: number
  readonly scan: Scan
}

/** The last call or queue of each call id of one namespace. */
export type FiledCalls = Map<string | undefined, number | CallQueue>

/** Where the forward pass stands between two extensions; only `pair.ts` and `refer.ts` read it. */
export interface Scan {
  /** Whether responses are numbered: undecided before the first model item (PAIR-1, PAIR-2). */
  numbered: boolean | undefined
  /** The greatest response number so far. */
  number: number
  userSinceModel: boolean
  /** The first reasoning item that waits for its owner; −1 if none. */
  run: number
  /** How many reasoning items stand before that one. */
  reasoningBefore: number
  /** Whether the nearest predecessor ends a response once its calls are answered; not kept where something else decides. */
  endsResponse: boolean
  /** Runner-executed calls of the current response that wait. */
  unanswered: number
  /** The last call or queue of each key, by namespace and call id; whether it waits is another question. */
  calls: Map<string | undefined, FiledCalls> | undefined
  /** Those of `calls` in the namespace that was asked for last, which is the next one too in almost every turn. */
  filed: FiledCalls | undefined
  namespace: string | undefined
  /** How many calls of `calls` wait. */
  waiting: number
  /** Whether a key was ever filed twice, so that it has to be looked up before it is filed. */
  repeats: boolean
  /** Waiting calls that are not in `calls`, in order; no two have one key. */
  readonly held: number[]
  /** Last complete call of each id, once a parent was seen. */
  callsById: Map<string, number> | undefined
  /** Last complete call of each key, once an approval was seen. */
  callsByKey: Map<string, number> | undefined
  /** Approvals that no call has come for yet, by key. */
  waitingApprovals: Map<string, number[]> | undefined
}

/** A map that stays empty: all structures share it, and adding to it throws. */
const emptyForAll = <Value>(): ReadonlyMap<number, Value> =>
  Object.assign(new Map<number, Value>(), { set: undefined })

const NO_PARENTS: ReadonlyMap<number, number> = emptyForAll()
const NO_QUEUES: ReadonlyMap<number, CallQueue> = emptyForAll()

const emptyLinks = (capacity: number): Numbers =>
  capacity <= SHORT ? new Array<number>(capacity).fill(NONE) : new Int32Array(capacity).fill(NONE)

/** An empty structure; `open` calls wait once `pair.ts` has let them. Complexity: linear in `capacity`. */
export const emptyStructure = (open: ReadonlyArray<OpenCall>, capacity: number): Structure => ({
  items: [],
  length: 0,
  roles: new Uint8Array(capacity),
  flags: new Uint8Array(capacity),
  links: emptyLinks(capacity),
  open,
  openAnswered: open.map(() => false),
  odd: [],
  reasoning: 0,
  owned: 0,
  irregular: Infinity,
  approvals: [],
  parents: NO_PARENTS,
  queues: NO_QUEUES,
  superseded: [],
  responseStart: NONE,
  lastUser: NONE,
  touched: Infinity,
  claimed: Infinity,
  scan: {
    numbered: undefined,
    number: 0,
    userSinceModel: false,
    run: NONE,
    reasoningBefore: 0,
    endsResponse: false,
    unanswered: 0,
    calls: undefined,
    filed: undefined,
    namespace: undefined,
    waiting: 0,
    repeats: false,
    held: [],
    callsById: undefined,
    callsByKey: undefined,
    waitingApprovals: undefined
  }
})

/** Makes room for a turn of a length. Complexity: amortised linear. */
export const reserve = (structure: Structure, length: number): void => {
  if (length <= structure.roles.length) return
  const capacity = Math.max(length, structure.roles.length * 2)
  const roles = new Uint8Array(capacity)
  roles.set(structure.roles)
  const flags = new Uint8Array(capacity)
  flags.set(structure.flags)
  structure.roles = roles
  structure.flags = flags
  const links = emptyLinks(capacity)
  for (let position = 0; position < structure.length; position += 1)
    links[position] = structure.links[position] as number
  structure.links = links
}
