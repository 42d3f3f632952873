/**
 * Callbacks, tools and a model for `streamText` and `generateText` of the AI SDK, versions 6 and 7.
 *
 * Law: a tool that has run is in the session before its result is given back, whatever happens then. The turn is
 * settled at its first end; what a version calls after that changes nothing, and a result that comes late is saved
 * under that end. No package of the SDK is loaded: everything is taken by structure.
 *
 * Rules: PLAN-2, PLAN-22, PLAN-25.
 */
import {
  aborted,
  accepted,
  type EndedOutcome,
  failed,
  type Outcome,
  type PendingCheck
} from '../../core/outcome.js'
import type { Settlement, TurnSettings } from '../settle.js'
import { startTurn } from '../turn.js'
import type { Part } from './response.js'
import { startSteps, type StepMessage } from './steps.js'
import { hearModel } from './tap.js'
import { hearTools } from './tools.js'

/** What `keepSteps` takes. `Message` is the SDK's `ModelMessage`. */
export interface KeepStepsQuestion<Message, Tools extends object, Model> extends TurnSettings<Message> {
  /** The new messages of this turn, to be stored with it: not the history. */
  readonly input?: ReadonlyArray<Message>
  readonly tools?: Tools
  /**
   * A model object: what it says is known as it comes, and calls are stored before they run. With a model that is only
   * a name, or none, a step is stored when it is complete or when the turn ends; of one that was cut off only the calls
   * that ran are known, and they are stored without their reasoning.
   */
  readonly model?: Model
  /** When the turn is saved. While it runs: before and after every tool, and after every step. Default `while-running`. */
  readonly saves?: 'at-the-end' | 'while-running'
  /** What a check of the host may still reject. Unless `none`, which is the default, the host ends the turn by `settle`. */
  readonly pending?: PendingCheck
  /** Told after every save that ends the turn, and after every late one. */
  readonly onSave?: (settlement: Settlement<Message>) => void
  /** Told of an error of the stream: `onError` takes the place of the SDK's own logging. */
  readonly onError?: (event: { readonly error: unknown }) => void
}

/** What is handed to `streamText` or `generateText`. */
export interface KeptSteps<Message, Tools extends object, Model> {
  readonly tools: Tools
  readonly model: Model
  readonly onStepFinish: (step: {
    readonly response: { readonly messages: ReadonlyArray<StepMessage> }
  }) => Promise<void>
  readonly onFinish: () => Promise<void>
  /** Only `streamText` calls it. */
  readonly onAbort: () => Promise<void>
  /** Only `streamText` calls it. */
  readonly onError: (event: { readonly error: unknown }) => Promise<void>
  /**
   * Ends the turn, if nothing has ended it yet: after a check, in the `catch` of `generateText`, in the `finally` of a
   * loop that may stop reading. Default `aborted`. A rejection may follow an acceptance. Never rejects.
   */
  readonly settle: (outcome?: EndedOutcome) => Promise<Settlement<Message>>
  /** The turn so far. */
  readonly messages: () => ReadonlyArray<Message>
}

/**
 * Keeps the steps of one turn.
 *
 * Spread the callbacks, the tools and the model into `streamText` or `generateText`. Never throws; what became of a
 * save is told by `onSave` and `settle`. Complexity: one save before and after every tool, linear in the steps that
 * changed since the one before.
 *
 * @example
 * import { aiSdk } from 'turnkeep/dialects/ai-sdk'
 * import { memorySession } from 'turnkeep/sessions/memory'
 * const kept = keepSteps({ dialect: aiSdk, session: memorySession(), turn: 'chat-1/1', tools: {}, model: 'a/model' })
 * const settlement = await kept.settle()
 * settlement.outcome // => { kind: 'aborted', check: 'none' }
 */
export const keepSteps = <
  Message extends { readonly role: string },
  Tools extends object = Record<string, never>,
  Model = undefined
>(
  question: KeepStepsQuestion<Message, Tools, Model>
): KeptSteps<Message, Tools, Model> => {
  const { input = [], pending = 'none', saves = 'while-running', onSave } = question
  const steps = startSteps(new Set((question.open ?? []).map(({ callId }) => callId)))
  const turn = startTurn<Message>(question, input)
  const messages = (): ReadonlyArray<Message> => [
    ...input,
    ...(steps.messages() as ReadonlyArray<StepMessage & Message>)
  ]
  let ended: EndedOutcome | null = null
  const saveAs = async (outcome: Outcome): Promise<Settlement<Message>> => {
    const changes = steps.save()
    turn.set(changes.messages as ReadonlyArray<StepMessage & Message>, input.length + changes.from)
    const settlement = await turn.save(outcome)
    if (outcome.kind !== 'open') onSave?.(settlement)
    return settlement
  }
  const saveOpen = async (): Promise<void> => {
    if (ended !== null) await saveAs(ended)
    else if (saves === 'while-running') await saveAs({ kind: 'open', check: pending })
  }
  /** A step of which only its calls are known is not saved ahead: what else the model said could not be put in front. */
  const saveTool = async ({ toolCallId }: Part): Promise<void> => {
    if (ended !== null || steps.isHeard(String(toolCallId))) await saveOpen()
  }
  const end = async (outcome: EndedOutcome): Promise<void> => {
    if (ended !== null) return
    ended = outcome
    await saveAs(outcome)
  }
  return {
    tools: hearTools((question.tools ?? {}) as Tools, {
      onStart: async (call) => {
        steps.start(call)
        await saveTool(call)
      },
      onEnd: async (result) => {
        steps.end(result)
        await saveTool(result)
      }
    }),
    model: hearModel(question.model as Model, {
      onStart: steps.begin,
      // A stream that nobody reads may run on, and the next step with it: that is no part of a turn that has ended.
      onPart: (part) => {
        if (ended === null) steps.take(part)
      },
      // Whoever stopped reading may ask the model again: the turn is stored as if it ended here, and can go on.
      onCancel: () => {
        if (ended === null) void saveAs(aborted())
      }
    }),
    onStepFinish: async ({ response }) => {
      if (ended !== null) return
      steps.finish(response.messages)
      await saveOpen()
    },
    onFinish: async () => {
      if (steps.isWaiting() || pending !== 'none') await saveOpen()
      else await end(accepted)
    },
    onAbort: () => end(aborted()),
    onError: async (event) => {
      await end(failed())
      question.onError?.(event)
    },
    settle: (outcome = aborted()) => {
      if (ended === null || (ended.kind === 'accepted' && outcome.kind === 'rejected')) ended = outcome
      return saveAs(ended)
    },
    messages
  }
}
