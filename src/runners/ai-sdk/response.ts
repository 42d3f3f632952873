/**
 * What a language model has said, as the parts of a message.
 *
 * Law: only this file reads the parts that a language model of the AI SDK (specification 3 or 4) gives, streamed or
 * at once. A text or a thought that was not ended, and that nothing follows, is no part yet: it was cut off. It decides nothing about parts.
 */

/** A part of a model message. */
export type Part = Readonly<Record<string, unknown>> & { readonly type: string }

type Fields = Readonly<Record<string, unknown>>

/** A response while it comes. */
export interface ResponseParts {
  /** Complete parts, in the order in which the model began them. */
  readonly parts: () => ReadonlyArray<Part>
  /** Takes a part of a stream, or of the content of a response. */
  readonly take: (part: Fields) => void
}

interface Draft {
  part: Part
  isWhole: boolean
}

const optionsOf = (...metadata: ReadonlyArray<unknown>): Fields => {
  for (const value of metadata) if (value !== undefined) return { providerOptions: value }
  return {}
}

const parseInput = (input: unknown): unknown => {
  if (typeof input !== 'string') return input
  try {
    return JSON.parse(input.trim() === '' ? '{}' : input)
  } catch {
    return input
  }
}

const callOf = (part: Fields): Part => ({
  type: 'tool-call',
  toolCallId: part['toolCallId'],
  toolName: part['toolName'],
  input: parseInput(part['input']),
  ...(part['providerExecuted'] === true ? { providerExecuted: true } : {}),
  ...optionsOf(part['providerMetadata'])
})

const resultOf = (part: Fields): Part => ({
  type: 'tool-result',
  toolCallId: part['toolCallId'],
  toolName: part['toolName'],
  output: { type: part['isError'] === true ? 'error-json' : 'json', value: part['result'] ?? null },
  ...optionsOf(part['providerMetadata'])
})

/** Parts that come whole, by type. Sources and raw chunks are no part of a message. */
const readWhole = (part: Fields): Part | undefined => {
  switch (part['type']) {
    case 'tool-call':
      return callOf(part)
    case 'tool-result':
      return part['preliminary'] === true ? undefined : resultOf(part)
    case 'tool-approval-request':
      return {
        type: 'tool-approval-request',
        approvalId: part['approvalId'],
        toolCallId: part['toolCallId']
      }
    case 'file':
      return {
        type: 'file',
        data: part['data'],
        mediaType: part['mediaType'],
        ...optionsOf(part['providerMetadata'])
      }
    case 'text':
    case 'reasoning':
      return {
        type: part['type'],
        text: part['text'] ?? '',
        ...optionsOf(part['providerMetadata'])
      }
    default:
      return undefined
  }
}

const streamed = /^(text|reasoning)-(start|delta|end)$/

/** Parts of which nothing would be sent. */
const isEmpty = ({ type, text, providerOptions }: Part): boolean =>
  (type === 'text' || type === 'reasoning') && text === '' && providerOptions === undefined

/** A response of which nothing has come yet. */
export const startResponse = (): ResponseParts => {
  const drafts: Draft[] = []
  const running = new Map<string, Draft>()
  const takeStreamed = (part: Fields, type: string, step: string): void => {
    const key = `${type} ${String(part['id'])}`
    const metadata = part['providerMetadata']
    const known = running.get(key)
    if (step === 'start' || known === undefined) {
      const draft: Draft = {
        part: { type, text: part['delta'] ?? '', ...optionsOf(metadata) },
        isWhole: step === 'end'
      }
      drafts.push(draft)
      running.set(key, draft)
      return
    }
    const { part: before } = known
    known.part = {
      ...before,
      text: `${String(before['text'])}${step === 'delta' ? String(part['delta'] ?? '') : ''}`,
      ...optionsOf(metadata, before['providerOptions'])
    }
    if (step !== 'end') return
    known.isWhole = true
    running.delete(key)
  }
  return {
    parts: () => {
      // Some providers end a text only after the calls behind it: what something whole follows is not cut off.
      let end = drafts.length
      while (end > 0 && drafts[end - 1]?.isWhole !== true) end -= 1
      return drafts.slice(0, end).flatMap(({ part }) => (isEmpty(part) ? [] : [part]))
    },
    take: (part) => {
      const [, type, step] = streamed.exec(String(part['type'])) ?? []
      if (type !== undefined && step !== undefined) return takeStreamed(part, type, step)
      const whole = readWhole(part)
      if (whole !== undefined) drafts.push({ part: whole, isWhole: true })
    }
  }
}
