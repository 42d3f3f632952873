/** What the steps of a turn say has changed since the last save is what has changed. */
import { fc, test } from '@fast-check/vitest'
import { expect } from 'vitest'
import { type StepMessage, startSteps } from '../../src/runners/ai-sdk/steps.js'

const callId = fc.constantFrom('a', 'b', 'c', 'open')

type Act =
  | { readonly kind: 'begin' | 'save' | 'ask' | 'wait' }
  | { readonly kind: 'text'; readonly ends: boolean }
  | { readonly kind: 'call' | 'start' | 'end'; readonly callId: string }
  | { readonly kind: 'finish'; readonly cumulative: boolean; readonly calls: ReadonlyArray<string> }

const acts: fc.Arbitrary<ReadonlyArray<Act>> = fc.array(
  fc.oneof<[fc.Arbitrary<Act>, fc.Arbitrary<Act>, fc.Arbitrary<Act>, fc.Arbitrary<Act>]>(
    fc.record({ kind: fc.constantFrom('begin' as const, 'save', 'save', 'save', 'ask', 'wait') }),
    fc.record({ kind: fc.constant('text' as const), ends: fc.boolean() }),
    fc.record({ kind: fc.constantFrom('call' as const, 'start', 'end'), callId }),
    fc.record({
      kind: fc.constant('finish' as const),
      cumulative: fc.boolean(),
      calls: fc.array(callId, { maxLength: 2 })
    })
  ),
  { maxLength: 24, size: 'max' }
)

const call = (toolCallId: string) => ({ type: 'tool-call', toolCallId, toolName: 'pay', input: {} })
const result = (toolCallId: string) => ({ type: 'tool-result', toolCallId, toolName: 'pay', output: 'paid' })

test.prop({ acts })('a save tells the messages from the first that is not as it was', ({ acts: drawn }) => {
  const steps = startSteps(new Set(['open']))
  let saved: ReadonlyArray<StepMessage> = []
  let told: ReadonlyArray<StepMessage> = []
  for (const act of drawn) {
    if (act.kind === 'begin') steps.begin()
    else if (act.kind === 'ask') steps.messages()
    else if (act.kind === 'wait') steps.isWaiting()
    else if (act.kind === 'text') {
      steps.take({ type: 'text-start', id: 't' })
      steps.take({ type: 'text-delta', id: 't', delta: 'words' })
      if (act.ends) steps.take({ type: 'text-end', id: 't' })
    } else if (act.kind === 'call') steps.take(call(act.callId))
    else if (act.kind === 'start') steps.start(call(act.callId))
    else if (act.kind === 'end') steps.end(result(act.callId))
    else if (act.kind === 'finish') {
      const own = [
        { role: 'assistant', content: [{ type: 'text', text: 'words' }, ...act.calls.map(call)] },
        ...(act.calls.length === 0 ? [] : [{ role: 'tool', content: act.calls.map(result) }])
      ]
      told = [...told, ...own]
      steps.finish(act.cumulative ? told : own)
    } else {
      const { from, messages } = steps.save()
      saved = [...saved.slice(0, from), ...messages]
      expect(saved).toEqual(steps.messages())
      expect(steps.save()).toEqual({ from: saved.length, messages: [] })
    }
  }
})
