/**
 * The messages of a turn, step by step.
 *
 * Law: a step is what the SDK says of it once it is complete, and what was heard of its model and its tools until
 * then. What was saved of a step keeps its order: results stand in the order in which they came. It decides nothing
 * about parts.
 */
import { type Part, type ResponseParts, startResponse } from './response.js'

/** A message, as far as it is looked at here. */
export interface StepMessage {
  readonly role: string
  readonly content: unknown
}

interface Step {
  readonly response: ResponseParts
  /** Calls that ran although the model was not heard. */
  readonly calls: Part[]
  /** Ids of calls whose tool has begun. */
  readonly begun: Set<string>
  /** Results, in the order in which they came. */
  readonly results: Part[]
  isComplete: boolean
  /** Whether a save has seen it. */
  isSaved: boolean
  /** What the SDK says of it, once it is complete; undefined where what was saved of it cannot stand in that. */
  said: ReadonlyArray<StepMessage> | undefined
}

/** The steps of a turn. */
export interface Steps {
  /** A model begins to answer. */
  readonly begin: () => void
  /** The model's answer in progress gave a part. */
  readonly take: (part: Readonly<Record<string, unknown>>) => void
  /** A tool begins. */
  readonly start: (call: Part) => void
  /** A tool has returned. */
  readonly end: (result: Part) => void
  /** The SDK says that a step is complete: its messages, or all so far. */
  readonly finish: (messages: ReadonlyArray<StepMessage>) => void
  readonly messages: () => ReadonlyArray<StepMessage>
  /** What is there now is being saved: it keeps its place from now on. */
  readonly markSaved: () => void
  /** Whether the response that holds a call was heard, or is that of an earlier turn. */
  readonly isHeard: (callId: string) => boolean
  /** Whether a call waits for an approval. */
  readonly isWaiting: () => boolean
}

const partsOf = (message: StepMessage): ReadonlyArray<Part> =>
  Array.isArray(message.content) ? message.content : []

const idOf = (part: Part): string => String(part['toolCallId'])

const heardMessages = ({ response, calls, results }: Step): ReadonlyArray<StepMessage> => {
  const parts = response.parts()
  const known = new Set(parts.filter(({ type }) => type === 'tool-call').map(idOf))
  const content = [...parts, ...calls.filter((call) => !known.has(idOf(call)))]
  const messages: StepMessage[] = content.length === 0 ? [] : [{ role: 'assistant', content }]
  if (results.length > 0) messages.push({ role: 'tool', content: results.slice() })
  return messages
}

const shapeOf = (messages: ReadonlyArray<StepMessage>): string =>
  messages
    .map(
      (message) =>
        `${message.role}:${partsOf(message).map((part) => `${part.type} ${String(part['toolCallId'] ?? '')}`)}`
    )
    .join('\n')

/**
 * Results in the order in which they came, behind them those of tools that never began. What the SDK makes of a tool
 * that began and was cancelled is no result.
 */
const reorder = (message: StepMessage, { begun, results }: Step): StepMessage => {
  if (message.role !== 'tool') return message
  const places = new Map(results.map((result, place) => [idOf(result), place]))
  const placeOf = (part: Part): number => places.get(idOf(part)) ?? results.length
  const content = partsOf(message)
    .filter((part) => part.type !== 'tool-result' || places.has(idOf(part)) || !begun.has(idOf(part)))
    .sort((one, other) => placeOf(one) - placeOf(other))
  return { ...message, content }
}

const ofModel = (messages: ReadonlyArray<StepMessage>): ReadonlyArray<StepMessage> =>
  messages.filter(({ role }) => role === 'assistant')

const messagesOf = (step: Step): ReadonlyArray<StepMessage> => step.said ?? heardMessages(step)

/** Takes what the SDK says of a step, unless what was saved ahead would not stand where it stood. */
const complete = (step: Step, messages: ReadonlyArray<StepMessage>): void => {
  step.isComplete = true
  const said = messages
    .map((message) => reorder(message, step))
    .filter((message) => message.role !== 'tool' || partsOf(message).length > 0)
  if (!step.isSaved || shapeOf(ofModel(said)) === shapeOf(ofModel(heardMessages(step)))) step.said = said
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Messages without the results that are told elsewhere. */
const without = (
  messages: ReadonlyArray<StepMessage>,
  callIds: ReadonlySet<string>
): ReadonlyArray<StepMessage> =>
  messages.flatMap((message) => {
    if (message.role !== 'tool') return [message]
    const content = partsOf(message).filter((part) => part.type !== 'tool-result' || !callIds.has(idOf(part)))
    return content.length === 0
      ? []
      : [content.length === partsOf(message).length ? message : { ...message, content }]
  })

/** Steps of which none has begun. `open`: calls of earlier turns, which tools may answer before the first step. */
export const startSteps = (open: ReadonlySet<string>): Steps => {
  const steps: Step[] = []
  /** Results of calls of earlier turns. */
  const answers: Part[] = []
  /** Messages of the complete steps, as the SDK told them. */
  let told: ReadonlyArray<StepMessage> = []
  const push = (): Step => {
    const step: Step = {
      response: startResponse(),
      calls: [],
      begun: new Set(),
      results: [],
      isComplete: false,
      isSaved: false,
      said: undefined
    }
    steps.push(step)
    return step
  }
  /** The step that runs; a new one when the last is complete. */
  const running = (): Step => {
    const last = steps[steps.length - 1]
    return last === undefined || last.isComplete ? push() : last
  }
  /** The step of each call, by its id. */
  const owners = new Map<string, Step>()
  const heard = new Set<string>()
  /** Version 6 tells all messages so far, version 7 those of the step. Only the ends are compared: a turn may be long. */
  const isCumulative = (messages: ReadonlyArray<StepMessage>): boolean => {
    const last = told.length - 1
    if (last < 0 || messages.length <= told.length) return false
    const ends = [told[last], messages[last]].map((message) =>
      shapeOf(message === undefined ? [] : [message])
    )
    return ends[0] === ends[1] && isSame(messages[0], told[0])
  }
  const messages = (): ReadonlyArray<StepMessage> => [
    ...(answers.length === 0 ? [] : [{ role: 'tool', content: answers.slice() }]),
    ...steps.flatMap(messagesOf)
  ]
  return {
    begin: () => {
      const last = steps[steps.length - 1]
      if (last !== undefined && !last.isComplete) {
        // The answer is asked for again. What was saved of the one before stays where it stands.
        if (last.isSaved || last.begun.size > 0) last.isComplete = true
        else steps.pop()
      }
      push()
    },
    take: (part) => {
      const step = running()
      step.response.take(part)
      if (part['type'] !== 'tool-call') return
      heard.add(String(part['toolCallId']))
      owners.set(String(part['toolCallId']), step)
    },
    start: (call) => {
      if (open.has(idOf(call))) return
      const known = owners.get(idOf(call))
      const step = known ?? running()
      if (known === undefined) step.calls.push(call)
      owners.set(idOf(call), step)
      step.begun.add(idOf(call))
    },
    end: (result) => {
      const isAnswer = open.has(idOf(result)) && !owners.has(idOf(result))
      const results = isAnswer ? answers : (owners.get(idOf(result)) ?? running()).results
      if (!results.some((known) => idOf(known) === idOf(result))) results.push(result)
    },
    finish: (all) => {
      const tellsAll = isCumulative(all)
      const own = tellsAll ? all.slice(told.length) : all
      told = tellsAll ? all : [...told, ...own]
      complete(running(), without(own, new Set(answers.map(idOf))))
    },
    messages,
    markSaved: () => {
      for (const step of steps) step.isSaved = true
    },
    isHeard: (callId) => heard.has(callId) || open.has(callId),
    isWaiting: () => {
      const parts = messages().flatMap(partsOf)
      const answered = new Set(parts.filter(({ type }) => type === 'tool-result').map(idOf))
      return parts.some((part) => part.type === 'tool-approval-request' && !answered.has(idOf(part)))
    }
  }
}
