/**
 * Tools that tell when they begin and what they return.
 *
 * Law: a tool is the caller's; its input, its output and its errors pass through unchanged. What it returned is told
 * in the form in which a message holds it. A tool that was cancelled has returned nothing.
 */
import type { Part } from './response.js'

type Fields = Readonly<Record<string, unknown>>

/** What is told of a tool. */
export interface ToolListener {
  /** Before it runs. The tool waits for it. */
  readonly onStart: (call: Part) => Promise<void>
  /** After it has run. The caller waits for it. */
  readonly onEnd: (result: Part) => Promise<void>
}

interface ToolOptions {
  readonly toolCallId: string
  readonly abortSignal?: { readonly aborted: boolean }
}

interface Tool {
  readonly execute: (input: unknown, options: ToolOptions) => unknown
  readonly toModelOutput?: (given: Fields) => unknown
}

const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value

const plainOutput = (output: unknown): Fields =>
  typeof output === 'string' ? { type: 'text', value: output } : { type: 'json', value: output ?? null }

const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : typeof thrown === 'string' ? thrown : 'the tool failed'

const wrap = (name: string, tool: Tool, listener: ToolListener): Tool['execute'] => {
  const resultOf = (toolCallId: string, output: unknown): Part => ({
    type: 'tool-result',
    toolCallId,
    toolName: name,
    output
  })
  const outputOf = async (toolCallId: string, input: unknown, output: unknown): Promise<unknown> => {
    try {
      return tool.toModelOutput === undefined
        ? plainOutput(output)
        : await tool.toModelOutput({ toolCallId, input, output })
    } catch {
      return plainOutput(output)
    }
  }
  const fail = async (thrown: unknown, { toolCallId, abortSignal }: ToolOptions): Promise<void> => {
    if (abortSignal?.aborted === true) return
    await listener.onEnd(resultOf(toolCallId, { type: 'error-text', value: messageOf(thrown) }))
  }
  async function* passOn(
    outputs: AsyncIterable<unknown>,
    input: unknown,
    options: ToolOptions
  ): AsyncGenerator<unknown> {
    let last: unknown
    try {
      for await (const output of outputs) {
        last = output
        yield output
      }
    } catch (thrown) {
      await fail(thrown, options)
      throw thrown
    }
    await listener.onEnd(resultOf(options.toolCallId, await outputOf(options.toolCallId, input, last)))
  }
  const run = async (input: unknown, options: ToolOptions): Promise<unknown> => {
    const { toolCallId } = options
    await listener.onStart({ type: 'tool-call', toolCallId, toolName: name, input })
    let output: unknown
    try {
      output = await tool.execute(input, options)
    } catch (thrown) {
      await fail(thrown, options)
      throw thrown
    }
    if (!isIterable(output)) {
      await listener.onEnd(resultOf(toolCallId, await outputOf(toolCallId, input, output)))
    }
    return output
  }
  const isGenerator = /^Async(Generator)?GeneratorFunction$/.test(tool.execute.constructor.name)
  if (!isGenerator) return run
  return async function* generate(input, options) {
    const outputs = await run(input, options)
    yield* passOn(outputs as AsyncIterable<unknown>, input, options)
  }
}

/** The same tools, heard. Tools without `execute` are run by somebody else. */
export const hearTools = <Tools extends object>(tools: Tools, listener: ToolListener): Tools => {
  const heard: Record<string, unknown> = {}
  for (const [name, tool] of Object.entries(tools)) {
    const { execute } = tool as Partial<Tool>
    heard[name] =
      typeof execute === 'function' ? { ...tool, execute: wrap(name, tool as Tool, listener) } : tool
  }
  return heard as Tools
}
