/**
 * A language model whose responses are heard.
 *
 * Law: the model is the caller's, and so is what it answers; every part is seen as it passes, one for one, before a
 * tool can run on it. A model that is only a name cannot be heard.
 */

type Fields = Readonly<Record<string, unknown>>

/** What is told of a model. */
export interface ModelListener {
  readonly onStart: () => void
  readonly onPart: (part: Fields) => void
  /** The reader of a stream stopped before its end. */
  readonly onCancel: () => void
}

/** A `ReadableStream`, by structure. */
interface PartStream {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Fields }>
    cancel(reason: unknown): Promise<void>
  }
}

interface Controller {
  enqueue(part: unknown): void
  close(): void
}

type StreamConstructor = new (
  source: { pull: (controller: Controller) => Promise<void>; cancel: (reason: unknown) => Promise<void> },
  strategy: { highWaterMark: number }
) => PartStream

interface Model {
  readonly doStream: (options: unknown) => PromiseLike<Fields & { readonly stream: PartStream }>
  readonly doGenerate: (options: unknown) => PromiseLike<Fields & { readonly content: ReadonlyArray<Fields> }>
}

const hearStream = (stream: PartStream, listener: ModelListener): PartStream => {
  const reader = stream.getReader()
  const Stream = stream.constructor as StreamConstructor
  return new Stream(
    {
      pull: async (controller) => {
        const { done, value } = await reader.read()
        if (done) return controller.close()
        if (value !== undefined) listener.onPart(value)
        controller.enqueue(value)
      },
      cancel: async (reason) => {
        await reader.cancel(reason)
        listener.onCancel()
      }
    },
    { highWaterMark: 0 }
  )
}

/** The same model, heard; a name is returned as it is. */
export const hearModel = <M>(model: M, listener: ModelListener): M => {
  if (typeof model !== 'object' || model === null) return model
  const heard = model as unknown as Model
  const own: Model = {
    doStream: async (options) => {
      listener.onStart()
      const result = await heard.doStream(options)
      return { ...result, stream: hearStream(result.stream, listener) }
    },
    doGenerate: async (options) => {
      listener.onStart()
      const result = await heard.doGenerate(options)
      for (const part of result.content) listener.onPart(part)
      return result
    }
  }
  return new Proxy(model, {
    get: (target, name) => {
      if (name === 'doStream' || name === 'doGenerate') return own[name]
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    }
  })
}
