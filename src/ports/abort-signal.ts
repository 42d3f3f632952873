/**
 * How a host says that nobody waits any more.
 *
 * Law: types only, and only what the signals of browsers and of Node have in common.
 */

/** An `AbortSignal`, by structure. */
export interface AbortSignalLike {
  readonly aborted: boolean
  readonly reason?: unknown
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}
