/**
 * Everything a run of the OpenAI Agents SDK can end in, with a scripted model: what the model answers, what the
 * tools do, how the run is driven, and what the specification leaves in the session.
 */
import {
  Agent,
  type AgentInputItem,
  type OutputGuardrail,
  Runner,
  RunState,
  type Session,
  setTracingDisabled,
  tool,
  Usage
} from '@openai/agents-core'
import {
  assistantMessage,
  functionCall,
  modelError,
  ScriptedModel,
  type ScriptedModelInput
} from '@openai/agents-core/testing'
import { z } from 'zod'

setTracingDisabled(true)

export type Mode = 'run' | 'stream'
type Run = Runner['run']

/** The ways in which a final output can be a tool's. */
export type ToolFinal = 'stop_on_first_tool' | 'stopAtToolNames' | 'function'

/** Letters stand for what the model emits: see `emit`. */
type Emission = string | 'error'

export interface Scenario {
  readonly group: '2.1' | '2.2' | '2.3' | '2.4'
  readonly name: string
  /** One list per model response, each item by its short name. */
  readonly responses: ReadonlyArray<ReadonlyArray<Emission>>
  readonly guardrail?: 'trips' | 'passes' | 'throws'
  readonly toolFinal?: ToolFinal
  readonly maxTurns?: number
  readonly handlesMaxTurns?: boolean
  /** Aborts the run when this happens. */
  readonly aborts?: 'in-model-2' | 'in-tool'
  /** The consumer of the stream stops after the first result of a tool. */
  readonly breaks?: boolean
  /** What happens at the approval of `n1`. */
  readonly approval?: 'approve' | 'reject' | 'wait'
  readonly resumes?: 'live' | 'serialized'
  readonly modes?: ReadonlyArray<Mode>
  /** The SDK refuses to resume this state from text, with any session: no tool runs, and the call waits. */
  readonly refused?: true
  /** The session by the specification, after `user`. */
  readonly leaves: ReadonlyArray<string>
  /** How often each tool runs; one for every call by default. */
  readonly ran?: Readonly<Record<string, number>>
}

const toolNames: Readonly<Record<string, string>> = {
  c: 'pay',
  s: 'stop',
  f: 'failSoftly',
  x: 'failHard',
  n: 'needsApproval'
}

/** `rs_*` reasoning, `msg_*` message, `web` a hosted search, `h` a handoff, and a letter with a number a call. */
const emit = (name: string): unknown => {
  if (name.startsWith('rs_')) return { type: 'reasoning', id: name, content: [] }
  if (name.startsWith('msg_')) return assistantMessage(`says ${name}`, { id: name })
  if (name === 'web')
    return {
      type: 'hosted_tool_call',
      id: 'ws_1',
      name: 'web_search_call',
      status: 'completed',
      providerData: { type: 'web_search_call', status: 'completed' }
    }
  if (name === 'h') return functionCall('transfer_to_Second', {}, { callId: 'h', id: 'fc_h' })
  return functionCall(toolNames[name.charAt(0)] ?? name, {}, { callId: name, id: `fc_${name}` })
}

/** A number that makes each response id of a process its own, as a provider's are. */
let responseCount = 0

const scriptOf = (scenario: Scenario, abort: () => void): ScriptedModelInput[] =>
  scenario.responses.map((response, number): ScriptedModelInput => {
    if (response[0] === 'error') return modelError(new Error('the model failed'))
    const answer = () => {
      responseCount += 1
      return { usage: new Usage(), output: response.map(emit), responseId: `resp_${responseCount}` }
    }
    if (scenario.aborts === 'in-model-2' && number === 1)
      return {
        type: 'responder',
        respond: () => {
          abort()
          throw new DOMException('aborted', 'AbortError')
        }
      } as ScriptedModelInput
    return { type: 'responder', respond: answer } as unknown as ScriptedModelInput
  })

export interface Stage {
  readonly agent: Agent<unknown, 'text'>
  readonly ran: Record<string, number>
  readonly controller: AbortController
}

/** The agents, tools and guardrails of a scenario; `ran` counts what was done. */
export const setStage = (scenario: Scenario): Stage => {
  const ran: Record<string, number> = {}
  const controller = new AbortController()
  const count = (callId: string | undefined): void => {
    const key = callId ?? '?'
    ran[key] = (ran[key] ?? 0) + 1
  }
  const makeTool = (name: string, act: (callId: string) => string, needsApproval = false) =>
    tool({
      name,
      description: name,
      parameters: z.object({}),
      needsApproval,
      ...(name === 'failHard' ? { errorFunction: null } : {}),
      execute: async (_input, _context, details) => {
        const callId = details?.toolCall?.callId ?? '?'
        count(callId)
        if (scenario.aborts === 'in-tool') controller.abort()
        return act(callId)
      }
    })
  const fail = (): string => {
    throw new Error('the tool failed')
  }
  const tools = [
    makeTool('pay', (callId) => `paid ${callId}`),
    makeTool('stop', (callId) => `stopped ${callId}`),
    makeTool('failSoftly', fail),
    makeTool('failHard', fail),
    makeTool('needsApproval', (callId) => `did ${callId}`, true)
  ]
  const guardrail: OutputGuardrail = {
    name: 'check',
    execute: async () => {
      if (scenario.guardrail === 'throws') throw new Error('the check crashed')
      return { tripwireTriggered: scenario.guardrail === 'trips', outputInfo: undefined }
    }
  }
  const model = new ScriptedModel(scriptOf(scenario, () => controller.abort()))
  const toolUseBehavior =
    scenario.toolFinal === undefined
      ? ('run_llm_again' as const)
      : scenario.toolFinal === 'stop_on_first_tool'
        ? ('stop_on_first_tool' as const)
        : scenario.toolFinal === 'stopAtToolNames'
          ? { stopAtToolNames: ['stop', 'failSoftly', 'needsApproval'] }
          : async (
              _context: unknown,
              results: ReadonlyArray<{ tool: { name: string }; output?: unknown }>
            ) => {
              const last = results.find(
                (result) => result.tool.name === 'stop' || result.tool.name === 'needsApproval'
              )
              return last === undefined
                ? { isFinalOutput: false as const, isInterrupted: undefined }
                : { isFinalOutput: true as const, isInterrupted: undefined, finalOutput: String(last.output) }
            }
  const shared = {
    model,
    tools,
    ...(scenario.guardrail === undefined ? {} : { outputGuardrails: [guardrail] }),
    toolUseBehavior: toolUseBehavior as never
  }
  const second = new Agent({ name: 'Second', ...shared })
  const agent = new Agent({ name: 'First', ...shared, handoffs: [second] })
  return { agent: agent as Agent<unknown, 'text'>, ran, controller }
}

export interface Played {
  readonly error: unknown
  /** The session at the interruption, when there was one. */
  readonly atInterruption: ReadonlyArray<AgentInputItem> | undefined
  readonly items: ReadonlyArray<AgentInputItem>
  readonly ran: Readonly<Record<string, number>>
}

/** Runs a scenario to its end on a session. */
export const play = async (scenario: Scenario, mode: Mode, run: Run, session: Session): Promise<Played> => {
  const { agent, ran, controller } = setStage(scenario)
  let error: unknown
  let state: RunState<unknown, Agent<unknown, 'text'>> | undefined
  let atInterruption: ReadonlyArray<AgentInputItem> | undefined
  const options = {
    session,
    signal: controller.signal,
    ...(scenario.maxTurns === undefined ? {} : { maxTurns: scenario.maxTurns }),
    ...(scenario.handlesMaxTurns === true
      ? { errorHandlers: { maxTurns: () => ({ finalOutput: 'enough', includeInHistory: false }) } }
      : {})
  }
  const once = async (input: string | RunState<unknown, Agent<unknown, 'text'>>): Promise<void> => {
    try {
      if (mode === 'run') {
        state = (await run(agent, input, options as never)).state as never
        return
      }
      const result = await run(agent, input, { ...options, stream: true } as never)
      state = result.state as never
      const events = result as unknown as AsyncIterable<{ type: string; name?: string }>
      for await (const event of events) {
        if (scenario.breaks === true && event.name === 'tool_output') break
      }
      if (scenario.breaks !== true) await (result as unknown as { completed: Promise<void> }).completed
    } catch (thrown) {
      error = thrown
    }
  }
  await once('go')
  if (scenario.approval !== undefined && state !== undefined) {
    atInterruption = await session.getItems()
    if (scenario.approval !== 'wait') {
      if (scenario.resumes === 'serialized') state = await RunState.fromString(agent, state.toString())
      for (const waiting of state.getInterruptions()) {
        if (scenario.approval === 'approve') state.approve(waiting)
        else state.reject(waiting)
      }
      await once(state)
    }
  }
  // A native stream that was left early goes on for a moment.
  if (scenario.breaks === true) await new Promise((resolve) => setTimeout(resolve, 20))
  return { error, atInterruption, items: await session.getItems(), ran }
}

const textOf = (item: AgentInputItem): string => JSON.stringify(item)

/** The short name of a stored item; `-id` where it lost its id, and what its output says when that is not its own. */
export const nameOf = (item: AgentInputItem): string => {
  const { type, id, callId } = item as { type?: string; id?: string; callId?: string }
  if (
    type === 'reasoning' ||
    ((type ?? 'message') === 'message' && 'role' in item && item.role === 'assistant')
  )
    return id ?? `${type}-id`
  if (type === 'hosted_tool_call') return 'web'
  if (type === 'function_call') return callId === undefined ? '?' : id === undefined ? `${callId}-id` : callId
  if (type === 'function_call_result') {
    const text = textOf(item)
    const how = /withheld by an output (check|guardrail)/.test(text)
      ? ':redacted'
      : text.includes('run was interrupted')
        ? ':interrupted'
        : text.includes('not executed') || text.includes('not approved')
          ? ':denied'
          : /the tool failed|An error occurred/.test(text)
            ? ':error'
            : ''
    return `out(${callId})${how}`
  }
  return 'role' in item ? item.role : String(type)
}

const finals: ReadonlyArray<ToolFinal> = ['stop_on_first_tool', 'stopAtToolNames', 'function']

const toolFinalRows: ReadonlyArray<Omit<Scenario, 'group' | 'guardrail'>> = [
  { name: '[call]', responses: [['s1']], leaves: ['s1', 'out(s1):redacted'] },
  {
    name: '[call1, call2]',
    responses: [['s1', 's2']],
    leaves: ['s1', 's2', 'out(s1):redacted', 'out(s2):redacted']
  },
  {
    name: '[call1 ok, call2 fails softly]',
    responses: [['s1', 'f2']],
    leaves: ['s1', 'f2', 'out(s1):redacted', 'out(f2):redacted']
  },
  { name: '[message, call]', responses: [['msg_1', 's1']], leaves: ['s1', 'out(s1):redacted'] },
  { name: '[rs, call]', responses: [['rs_a', 's1']], leaves: ['rs_a', 's1', 'out(s1):redacted'] },
  {
    name: '[rs_a, message, rs_b, call]',
    responses: [['rs_a', 'msg_1', 'rs_b', 's1']],
    leaves: ['rs_b', 's1', 'out(s1):redacted']
  },
  {
    name: '[rs, call1, call2]',
    responses: [['rs_a', 's1', 's2']],
    leaves: ['rs_a', 's1', 's2', 'out(s1):redacted', 'out(s2):redacted']
  },
  { name: '[call, trailing rs]', responses: [['s1', 'rs_a']], leaves: ['s1', 'out(s1):redacted'] },
  { name: '[web search, call]', responses: [['web', 's1']], leaves: ['web', 's1', 'out(s1):redacted'] }
]

const toolFinalTurns: ReadonlyArray<Omit<Scenario, 'group' | 'guardrail'>> = [
  {
    name: 'T1[call c1] T2[call s1]',
    responses: [['c1'], ['s1']],
    leaves: ['c1', 'out(c1)', 's1', 'out(s1):redacted']
  },
  {
    name: 'T1[rs, call c1] T2[rs, call s1]',
    responses: [
      ['rs_a', 'c1'],
      ['rs_b', 's1']
    ],
    leaves: ['rs_a', 'c1', 'out(c1)', 'rs_b', 's1', 'out(s1):redacted']
  }
]

const messageRows: ReadonlyArray<Omit<Scenario, 'group' | 'guardrail'>> = [
  { name: 'T1[call] T2[msg]', responses: [['c1'], ['msg_1']], leaves: ['c1', 'out(c1)'] },
  {
    name: 'T1[rs, call] T2[rs2, msg]',
    responses: [
      ['rs_a', 'c1'],
      ['rs_b', 'msg_1']
    ],
    leaves: ['rs_a', 'c1', 'out(c1)']
  },
  {
    name: 'T1[msg, call] T2[msg2]',
    responses: [['msg_1', 'c1'], ['msg_2']],
    leaves: ['msg_1', 'c1', 'out(c1)']
  },
  {
    name: 'T1[rs_a, msg, rs_b, call] T2[rs, msg]',
    responses: [
      ['rs_a', 'msg_1', 'rs_b', 'c1'],
      ['rs_c', 'msg_2']
    ],
    leaves: ['rs_a', 'msg_1', 'rs_b', 'c1', 'out(c1)']
  },
  {
    name: 'T1[rs, call1, call2] T2[msg]',
    responses: [['rs_a', 'c1', 'c2'], ['msg_1']],
    leaves: ['rs_a', 'c1', 'c2', 'out(c1)', 'out(c2)']
  },
  {
    name: 'T1[call ok, call soft-fail] T2[msg]',
    responses: [['c1', 'f2'], ['msg_1']],
    leaves: ['c1', 'f2', 'out(c1)', 'out(f2):error']
  },
  { name: 'T1[call, rs tail] T2[msg]', responses: [['c1', 'rs_a'], ['msg_1']], leaves: ['c1', 'out(c1)'] },
  { name: 'T1[call] T2[msg, rs tail]', responses: [['c1'], ['msg_1', 'rs_a']], leaves: ['c1', 'out(c1)'] },
  { name: '[msg]', responses: [['msg_1']], leaves: [] },
  { name: '[rs, msg]', responses: [['rs_a', 'msg_1']], leaves: [] },
  { name: '[web, msg]', responses: [['web', 'msg_1']], leaves: ['web'] },
  { name: '[rs, web, rs2, msg]', responses: [['rs_a', 'web', 'rs_b', 'msg_1']], leaves: ['rs_a', 'web'] },
  { name: 'handoff, B[msg]', responses: [['h'], ['msg_1']], leaves: ['h', 'out(h)'] },
  {
    name: '[rs, handoff] B[rs, msg]',
    responses: [
      ['rs_a', 'h'],
      ['rs_b', 'msg_1']
    ],
    leaves: ['rs_a', 'h', 'out(h)']
  }
]

const otherRows: ReadonlyArray<Omit<Scenario, 'group'>> = [
  {
    name: 'turn limit, two effects ran',
    responses: [['c1'], ['rs_a', 'c2']],
    maxTurns: 2,
    leaves: ['c1', 'out(c1)', 'rs_a', 'c2', 'out(c2)']
  },
  {
    name: 'model error in T2',
    responses: [['rs_a', 'c1'], ['error']],
    leaves: ['rs_a', 'c1', 'out(c1)']
  },
  { name: 'model error in T1', responses: [['error']], leaves: [] },
  {
    name: 'parallel [rs, c1 ok, c2 throws hard]',
    responses: [['rs_a', 'c1', 'x2']],
    leaves: ['rs_a', 'c1', 'x2', 'out(c1)', 'out(x2):error']
  },
  {
    name: 'cancel in the model call of T2',
    responses: [['rs_a', 'c1'], ['msg_1']],
    aborts: 'in-model-2',
    leaves: ['rs_a', 'c1', 'out(c1)']
  },
  {
    name: 'cancel while the tool of T1 runs',
    responses: [['rs_a', 'c1'], ['msg_1']],
    aborts: 'in-tool',
    leaves: ['rs_a', 'c1', 'out(c1)']
  },
  {
    name: 'cancel while the final tool runs, with a guardrail',
    responses: [['rs_a', 'msg_1', 's1']],
    aborts: 'in-tool',
    guardrail: 'passes',
    toolFinal: 'stop_on_first_tool',
    leaves: ['rs_a', 'msg_1', 's1', 'out(s1)']
  },
  {
    name: 'consumer stops reading after the result of a tool',
    responses: [['rs_a', 'c1'], ['msg_1']],
    breaks: true,
    modes: ['stream'],
    leaves: ['rs_a', 'c1', 'out(c1)']
  },
  {
    name: 'guardrail throws, final message',
    responses: [
      ['rs_a', 'c1'],
      ['rs_b', 'msg_1']
    ],
    guardrail: 'throws',
    leaves: ['rs_a', 'c1', 'out(c1)', 'rs_b', 'msg_1']
  },
  {
    name: 'guardrail throws, tool final [rs, msg, call]',
    responses: [['rs_a', 'msg_1', 's1']],
    guardrail: 'throws',
    toolFinal: 'stop_on_first_tool',
    leaves: ['rs_a', 'msg_1', 's1', 'out(s1)']
  },
  {
    name: 'turn limit with a handler that keeps its answer out of history',
    responses: [['rs_a', 'c1']],
    maxTurns: 1,
    handlesMaxTurns: true,
    leaves: ['rs_a', 'c1', 'out(c1)']
  }
]

const resumes = ['live', 'serialized'] as const

const approvalRows: ReadonlyArray<Omit<Scenario, 'group'>> = [
  {
    name: 'approval asked for beside a tool that ran',
    responses: [['rs_a', 'msg_1', 'c1', 'n1']],
    approval: 'wait',
    ran: { c1: 1 },
    leaves: ['rs_a', 'msg_1', 'c1', 'n1', 'out(c1)']
  },
  {
    name: 'approval asked for where the tool result is final',
    responses: [['rs_a', 'msg_1', 'n1']],
    approval: 'wait',
    guardrail: 'trips',
    toolFinal: 'stop_on_first_tool',
    ran: {},
    leaves: ['n1-id']
  },
  ...resumes.flatMap(
    (resumed): ReadonlyArray<Omit<Scenario, 'group'>> => [
      {
        name: `approve, ${resumed}`,
        responses: [['rs_a', 'msg_1', 'c1', 'n1'], ['msg_2']],
        approval: 'approve',
        resumes: resumed,
        leaves: ['rs_a', 'msg_1', 'c1', 'n1', 'out(c1)', 'out(n1)', 'msg_2']
      },
      {
        name: `reject, ${resumed}`,
        responses: [['rs_a', 'msg_1', 'n1'], ['msg_2']],
        approval: 'reject',
        resumes: resumed,
        ran: {},
        leaves: ['rs_a', 'msg_1', 'n1', 'out(n1):denied', 'msg_2']
      },
      {
        name: `approve, then the model fails, ${resumed}`,
        responses: [['rs_a', 'msg_1', 'n1'], ['error']],
        approval: 'approve',
        resumes: resumed,
        leaves: ['rs_a', 'msg_1', 'n1', 'out(n1)']
      },
      {
        name: `approve, then the message trips, ${resumed}`,
        responses: [
          ['rs_a', 'msg_1', 'n1'],
          ['rs_b', 'msg_2']
        ],
        guardrail: 'trips',
        approval: 'approve',
        resumes: resumed,
        leaves: ['rs_a', 'msg_1', 'n1', 'out(n1)']
      },
      {
        name: `tool final: approve and pass, ${resumed}`,
        responses: [['rs_a', 'msg_1', 'n1']],
        guardrail: 'passes',
        toolFinal: 'stop_on_first_tool',
        approval: 'approve',
        resumes: resumed,
        ...(resumed === 'live'
          ? { leaves: ['rs_a', 'msg_1', 'n1', 'out(n1)'] }
          : { refused: true, leaves: ['n1-id'], ran: {} })
      },
      {
        name: `tool final: approve and trip, ${resumed}`,
        responses: [['rs_a', 'msg_1', 'n1']],
        guardrail: 'trips',
        toolFinal: 'stop_on_first_tool',
        approval: 'approve',
        resumes: resumed,
        ...(resumed === 'live'
          ? { leaves: ['n1-id', 'out(n1):redacted'] }
          : { refused: true, leaves: ['n1-id'], ran: {} })
      },
      {
        name: `tool final, only the call: approve and trip, ${resumed}`,
        responses: [['n1']],
        guardrail: 'trips',
        toolFinal: 'stop_on_first_tool',
        approval: 'approve',
        resumes: resumed,
        leaves: ['n1', 'out(n1):redacted']
      }
    ]
  )
]

const isFor = (toolFinal: ToolFinal, row: Omit<Scenario, 'group' | 'guardrail'>): boolean =>
  toolFinal === 'stop_on_first_tool' || row.responses.flat().every((name) => !name.startsWith('f'))

/** Every row of every table. */
export const scenarios: ReadonlyArray<Scenario> = [
  ...finals.flatMap((toolFinal) =>
    toolFinalRows
      .filter((row) => isFor(toolFinal, row))
      .map(
        (row): Scenario => ({
          ...row,
          group: '2.1',
          guardrail: 'trips',
          toolFinal,
          name: `${row.name}, ${toolFinal}`
        })
      )
  ),
  ...finals.slice(1).flatMap((toolFinal) =>
    toolFinalTurns.map(
      (row): Scenario => ({
        ...row,
        group: '2.1',
        guardrail: 'trips',
        toolFinal,
        name: `${row.name}, ${toolFinal}`
      })
    )
  ),
  ...messageRows.map((row): Scenario => ({ ...row, group: '2.2', guardrail: 'trips' })),
  ...otherRows.map((row): Scenario => ({ ...row, group: '2.3' })),
  ...approvalRows.map((row): Scenario => ({ ...row, group: '2.4' }))
]

/** How often each tool of a scenario is to run. */
export const expectedRuns = (scenario: Scenario): Readonly<Record<string, number>> =>
  scenario.ran ??
  Object.fromEntries(
    scenario.responses
      .flat()
      .filter((name) => /^[csfxn]\d$/.test(name))
      .map((name) => [name, 1])
  )
