/**
 * How a contract case says what it expected.
 *
 * Law: no test framework and nothing but the port is used; a failed expectation is a thrown `Error`.
 * Values are compared as JSON, whatever the order of keys.
 */
import { startProgress, type Progress } from '../../core/progress.js'
import type { Receipt, SessionStore, SessionWrite, StoreError } from '../../ports/session-store.js'
import { canonicalText } from '../encode.js'

/** Somewhere that sessions live: a database, a server. */
export interface Place {
  /** A new handle on a session, as another process would get it. */
  readonly open: (sessionId: string) => Promise<SessionStore<unknown>> | SessionStore<unknown>
  readonly close?: () => Promise<void> | void
}

/** Cases by name. */
export type Cases = Readonly<Record<string, (place: Place) => Promise<void>>>

export type Store = SessionStore<unknown>

const textOf = (value: unknown): string => {
  const text = canonicalText(value, 'value')
  return text._tag === 'Right' ? text.right : text.left.message
}

const short = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text)

export const expectSame = (what: string, found: unknown, expected: unknown): void => {
  const shown = textOf(found)
  const wanted = textOf(expected)
  if (shown !== wanted) throw new Error(`${what}: expected ${short(wanted)}, found ${short(shown)}`)
}

export const expectSuccess = async <A>(
  what: string,
  task: () => Promise<
    { readonly _tag: 'Left'; readonly left: StoreError } | { readonly _tag: 'Right'; readonly right: A }
  >
): Promise<A> => {
  const result = await task()
  if (result._tag === 'Left') throw new Error(`${what}: expected success, found ${result.left.kind}`)
  return result.right
}

export const expectError = async <K extends StoreError['kind']>(
  what: string,
  kind: K,
  task: () => Promise<{ readonly _tag: 'Left'; readonly left: StoreError } | { readonly _tag: 'Right' }>
): Promise<Extract<StoreError, { kind: K }>> => {
  const result = await task()
  const found = result._tag === 'Left' ? result.left : undefined
  if (found?.kind !== kind) throw new Error(`${what}: expected ${kind}, found ${found?.kind ?? 'success'}`)
  return found as Extract<StoreError, { kind: K }>
}

interface Step {
  readonly items?: ReadonlyArray<unknown>
  readonly replaces?: number
  readonly operation?: string
}

/** A write that goes on from a progress: each item a position of its own. */
export const nextWrite = (expects: Progress, step: Step = {}): SessionWrite<unknown> => {
  const items = step.items ?? []
  const replaces = step.replaces ?? 0
  const written = expects.written - replaces + items.length
  const revision = expects.revision + 1
  const change = replaces > 0 ? 'replace-suffix' : items.length > 0 ? 'append' : 'none'
  return {
    turn: expects.turn,
    operation: step.operation ?? `${expects.turn}:${revision}`,
    expects,
    change,
    replaces,
    items,
    after: { ...expects, revision, settled: written, written, edge: `edge-${revision}` }
  }
}

export const save = (store: Store, write: SessionWrite<unknown>): Promise<Receipt> =>
  expectSuccess(`save ${write.operation}`, store.save(write))

export const expectItems = async (store: Store, expected: ReadonlyArray<unknown>): Promise<void> => {
  const view = await expectSuccess('read', store.read())
  expectSame('items', view.items, expected)
  expectSame('notices', view.notices, [])
}

export const expectProgress = async (
  store: Store,
  turn: string,
  expected: Progress | null
): Promise<void> => {
  expectSame('progress', await expectSuccess('progress', store.progress(turn)), expected)
}

export const first: Progress = startProgress('turn-1')
export const second: Progress = startProgress('turn-2')
