/**
 * A streamed result whose end waits for the save.
 *
 * Law: everything is the SDK's own result; only its end is later. Events pass through one for one, and the stream
 * closes, throws, and lets `completed` go only after the turn is settled.
 */

/** A `ReadableStream`, by structure. */
interface EventStream extends AsyncIterable<unknown> {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: unknown }>
    cancel(reason: unknown): Promise<void>
  }
}

interface Streamed {
  readonly completed: Promise<void>
  toStream(): EventStream
  toTextStream(options: { compatibleWithNodeStreams: true }): unknown
}

interface Controller {
  enqueue(event: unknown): void
  close(): void
  error(reason: unknown): void
}

type StreamConstructor = new (
  source: { pull: (controller: Controller) => Promise<void>; cancel: (reason: unknown) => Promise<void> },
  strategy: { highWaterMark: number }
) => EventStream

/** Reads one event for each that is asked for; ends after `settled`. */
const holdEnd = (inner: EventStream, settled: Promise<void>): EventStream => {
  const reader = inner.getReader()
  const Stream = inner.constructor as StreamConstructor
  return new Stream(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read()
          if (!done) return controller.enqueue(value)
          await settled
          controller.close()
        } catch (thrown) {
          await settled
          controller.error(thrown)
        }
      },
      cancel: async (reason) => {
        await reader.cancel(reason)
        await settled
      }
    },
    { highWaterMark: 0 }
  )
}

const textOf = (event: unknown): string | undefined => {
  const { type, data } = event as { readonly type?: unknown; readonly data?: unknown }
  if (type !== 'raw_model_stream_event') return undefined
  const { type: kind, delta } = data as { readonly type?: unknown; readonly delta?: unknown }
  return kind === 'output_text_delta' && typeof delta === 'string' ? delta : undefined
}

/** The text of a stream of events. */
const textStream = (events: EventStream): EventStream => {
  const reader = events.getReader()
  const Stream = events.constructor as StreamConstructor
  const pull = async (controller: Controller): Promise<void> => {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return controller.close()
      const text = textOf(value)
      if (text !== undefined) return controller.enqueue(text)
    }
  }
  return new Stream({ pull, cancel: (reason) => reader.cancel(reason) }, { highWaterMark: 0 })
}

/**
 * The same result, ending after `settled`. A text stream for Node is the SDK's own and ends when the SDK ends it;
 * await `completed` for the save.
 */
export const endAfter = <Result extends object>(result: Result, settled: Promise<void>): Result => {
  const streamed = result as unknown as Streamed
  const completed = settled.then(() => streamed.completed)
  completed.catch(() => undefined)
  let events: EventStream | undefined
  const toStream = (): EventStream => {
    events ??= holdEnd(streamed.toStream(), settled)
    return events
  }
  const own: Readonly<Record<PropertyKey, unknown>> = {
    toStream,
    toTextStream: (options?: { compatibleWithNodeStreams?: boolean }) =>
      options?.compatibleWithNodeStreams === true
        ? streamed.toTextStream({ compatibleWithNodeStreams: true })
        : textStream(toStream()),
    [Symbol.asyncIterator]: () => toStream()[Symbol.asyncIterator]()
  }
  return new Proxy(result, {
    get: (target, name) => {
      if (name === 'completed') return completed
      if (Object.hasOwn(own, name)) return own[name]
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
    set: (target, name, value) => Reflect.set(target, name, value, target)
  })
}
