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
  readonly number: number
  readonly response: ResponseParts
  /** Calls that ran although the model was not heard. */
  readonly calls: Part[]
  /** Ids of calls whose tool has begun. */
  readonly begun: Set<string>
  /** Results, in the order in which they came, by the ids of their calls. */
  readonly results: Map<string, Part>
  /** What the model has said so far, as a message, until it says more. */
  spoken: ReadonlyArray<StepMessage> | undefined
  isComplete: boolean
  /** Whether a save has seen it. */
  isSaved: boolean
  /** What the SDK says of it, once it is complete; undefined where what was saved of it cannot stand in that. */
  said: ReadonlyArray<StepMessage> | undefined
}

/** The messages from a 0-based place on; those in front of it are the same as at the last save. */
export interface StepChanges {
  readonly from: number
  readonly messages: ReadonlyArray<StepMessage>
}

/** The steps of a turn. What a save asks for is linear in the steps that changed. */
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
  /** What is there now is being saved: it keeps its place from now on. The answer is what it was not before. */
  readonly save: () => StepChanges
  /** Whether the response that holds a call was heard, or is that of an earlier turn. */
  readonly isHeard: (callId: string) => boolean
  /** Whether a call waits for an approval. */
  readonly isWaiting: () => boolean
}

const partsOf = (message: StepMessage): ReadonlyArray<Part> =>
  Array.isArray(message.content) ? message.content : []

const idOf = (part: Part): string => String(part['toolCallId'])

const spokenMessages = ({ response, calls }: Step): ReadonlyArray<StepMessage> => {
  const parts = response.parts()
  const known = new Set(parts.filter(({ type }) => type === 'tool-call').map(idOf))
  const content = [...parts, ...calls.filter((call) => !known.has(idOf(call)))]
  return content.length === 0 ? [] : [{ role: 'assistant', content }]
}

const heardMessages = (step: Step): ReadonlyArray<StepMessage> => {
  step.spoken ??= spokenMessages(step)
  const { spoken, results } = step
  return results.size === 0 ? spoken : [...spoken, { role: 'tool', content: [...results.values()] }]
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
  const places = new Map(Array.from(results.keys(), (callId, place) => [callId, place]))
  const placeOf = (part: Part): number => places.get(idOf(part)) ?? results.size
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

const isSame = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other)

/** Messages without the results that are told elsewhere. */
const without = (
  messages: ReadonlyArray<StepMessage>,
  elsewhere: ReadonlyMap<string, unknown>
): ReadonlyArray<StepMessage> =>
  messages.flatMap((message) => {
    if (message.role !== 'tool') return [message]
    const parts = partsOf(message)
    const content = parts.filter((part) => part.type !== 'tool-result' || !elsewhere.has(idOf(part)))
    if (content.length === parts.length) return [message]
    return content.length === 0 ? [] : [{ ...message, content }]
  })

/** What the SDK told of the complete steps, as far as it is compared again: a turn may be long. */
interface Told {
  count: number
  first: StepMessage | undefined
  last: StepMessage | undefined
}

/** Version 6 tells all messages so far, version 7 those of the step. */
const isCumulative = (told: Told, messages: ReadonlyArray<StepMessage>): boolean => {
  const { count, first, last } = told
  const again = messages[count - 1]
  if (last === undefined || again === undefined || messages.length <= count) return false
  return shapeOf([last]) === shapeOf([again]) && isSame(messages[0], first)
}

/** Steps of which none has begun. `open`: calls of earlier turns, which tools may answer before the first step. */
export const startSteps = (open: ReadonlySet<string>): Steps => {
  const steps: Step[] = []
  /** Results of calls of earlier turns. */
  const answers = new Map<string, Part>()
  const told: Told = { count: 0, first: undefined, last: undefined }
  const laid: StepMessage[] = []
  /** Where the messages of each step begin. */
  const places: number[] = []
  /** The first step whose messages are to be laid out again; −1 for the answers in front of all steps. */
  let changed = -1
  /** The first message that is not as it was at the last save. */
  let unsaved = 0
  const change = (step: number): void => {
    changed = Math.min(changed, step)
  }
  const lay = (): void => {
    const from = Math.max(changed, 0)
    if (changed < 0) laid.length = 0
    else if (from < places.length) laid.length = places[from] as number
    unsaved = Math.min(unsaved, laid.length)
    if (changed < 0 && answers.size > 0) laid.push({ role: 'tool', content: [...answers.values()] })
    places.length = Math.min(places.length, from)
    for (let number = from; number < steps.length; number += 1) {
      places.push(laid.length)
      for (const message of messagesOf(steps[number] as Step)) laid.push(message)
    }
    changed = steps.length
  }
  const push = (): Step => {
    const step: Step = {
      number: steps.length,
      response: startResponse(),
      calls: [],
      begun: new Set(),
      results: new Map(),
      spoken: undefined,
      isComplete: false,
      isSaved: false,
      said: undefined
    }
    steps.push(step)
    change(step.number)
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
  /** A step has said more. */
  const speak = (step: Step): void => {
    step.spoken = undefined
    change(step.number)
  }
  return {
    begin: () => {
      const last = steps[steps.length - 1]
      if (last !== undefined && !last.isComplete) {
        // The answer is asked for again. What was saved of the one before stays where it stands.
        if (last.isSaved || last.begun.size > 0) last.isComplete = true
        else {
          steps.pop()
          change(last.number)
        }
      }
      push()
    },
    take: (part) => {
      const step = running()
      step.response.take(part)
      speak(step)
      if (part['type'] !== 'tool-call') return
      heard.add(String(part['toolCallId']))
      owners.set(String(part['toolCallId']), step)
    },
    start: (call) => {
      if (open.has(idOf(call))) return
      const known = owners.get(idOf(call))
      const step = known ?? running()
      if (known === undefined) {
        step.calls.push(call)
        speak(step)
      }
      owners.set(idOf(call), step)
      step.begun.add(idOf(call))
    },
    end: (result) => {
      const callId = idOf(result)
      const isAnswer = open.has(callId) && !owners.has(callId)
      const step = isAnswer ? undefined : (owners.get(callId) ?? running())
      const results = step?.results ?? answers
      if (results.has(callId)) return
      results.set(callId, result)
      change(step?.number ?? -1)
    },
    finish: (all) => {
      const own = isCumulative(told, all) ? all.slice(told.count) : all
      told.first ??= own[0]
      told.last = own[own.length - 1] ?? told.last
      told.count += own.length
      const step = running()
      complete(step, without(own, answers))
      change(step.number)
    },
    messages: () => {
      lay()
      return laid.slice()
    },
    save: () => {
      lay()
      for (let last = steps.length - 1; last >= 0; last -= 1) {
        const step = steps[last] as Step
        if (step.isSaved) break
        step.isSaved = true
      }
      const changes = { from: unsaved, messages: laid.slice(unsaved) }
      unsaved = laid.length
      return changes
    },
    isHeard: (callId) => heard.has(callId) || open.has(callId),
    isWaiting: () => {
      lay()
      const parts = laid.flatMap(partsOf)
      const answered = new Set(parts.filter(({ type }) => type === 'tool-result').map(idOf))
      return parts.some((part) => part.type === 'tool-approval-request' && !answered.has(idOf(part)))
    }
  }
}
