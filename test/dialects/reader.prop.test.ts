/** A list that is read as it grows reads as the whole list, whatever the pieces and however often it goes back. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { agentsJs } from '../../src/dialects/agents-js.js'
import { agentsPython } from '../../src/dialects/agents-python.js'
import { neutral } from '../../src/dialects/neutral.js'
import { responses } from '../../src/dialects/responses.js'
import { agentsTypes } from '../../src/dialects/wire/agents-wire.js'
import { wrapperTypes } from '../../src/dialects/wire/run-items.js'
import type { BlockDialect, Dialect, Reader } from '../../src/ports/dialect.js'
import { conversations } from './conversations.js'
import { decodeOrThrow } from './decoding.js'
import { spellings } from './spellings.js'

const id = fc.constantFrom('a', 'b', 'c', '', 7)
const named = { requiredKeys: [] as never[] }

/** Fields of all item formats at once, so that what was remembered of one item is asked for by another. */
const wireItem: fc.Arbitrary<unknown> = fc.record(
  {
    type: fc.constantFrom(...agentsTypes.keys(), 'acme_call', 'acme_call_output', 'nobody knows'),
    kind: fc.constantFrom('message', 'call', 'output', 'approval', 'reasoning', 'marker', 'acme', 'nobody'),
    role: fc.constantFrom('user', 'assistant', 'system', 'nobody'),
    id,
    call_id: id,
    callId: id,
    approval_request_id: id,
    namespace: fc.constantFrom('function', 'tool-search'),
    executor: fc.constantFrom('runner', 'provider'),
    execution: fc.constantFrom('server', 'client', 'pending'),
    status: fc.constantFrom('completed', 'incomplete', 'in_progress'),
    providerData: fc.record({ id, call_id: id, type: fc.constantFrom('mcp_call', 'shell_call') }, named)
  },
  named
)
const runItem = fc.record({
  type: fc.constantFrom(...wrapperTypes.keys()),
  rawItem: wireItem,
  raw_item: wireItem
})
const rawItem = fc.oneof(
  { weight: 6, arbitrary: wireItem },
  { weight: 3, arbitrary: runItem },
  fc.constantFrom<unknown>(null, 'text', [], 3)
)

/** Parts and messages with the fields of all formats of messages at once. */
const part = fc.record(
  {
    type: fc.constantFrom(
      ...['text', 'tool-call', 'tool-result', 'tool_use', 'tool_result', 'thinking', 'function', 'acme'],
      ...['tool-approval-request', 'tool-approval-response', 'step-start', 'tool-pay', 'dynamic-tool']
    ),
    id,
    toolCallId: id,
    approvalId: id,
    tool_use_id: id,
    text: fc.constantFrom('', 'words'),
    state: fc.constantFrom('streaming', 'output-available', 'approval-requested'),
    providerOptions: fc.record({ openai: fc.record({ itemId: id }) }),
    providerMetadata: fc.record({ openai: fc.record({ itemId: id }) }),
    functionCall: fc.record({ id, name: fc.constantFrom('pay', 'ask') }, named),
    functionResponse: fc.record({ id, name: fc.constantFrom('pay', 'ask') }, named)
  },
  named
)
const parts = fc.oneof(fc.array(part, { maxLength: 4 }), fc.constantFrom<unknown>('words', '', null))
const oddMessage: fc.Arbitrary<unknown> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record(
      {
        role: fc.constantFrom('user', 'assistant', 'model', 'tool', 'system', 'function', 'nobody'),
        type: fc.constantFrom('human', 'ai', 'tool'),
        content: parts,
        parts,
        tool_calls: fc.array(part, { maxLength: 2 }),
        tool_call_id: id,
        id,
        stop_reason: fc.constantFrom(null, 'end_turn')
      },
      named
    )
  },
  fc.constantFrom<unknown>(null, 'words', [])
)

interface Step {
  /** How many raw values stay, of a hundred of those that were read. */
  readonly stays: number
  readonly raws: ReadonlyArray<unknown>
}

const stepsOf = (raw: fc.Arbitrary<unknown>): fc.Arbitrary<ReadonlyArray<Step>> =>
  fc.array(
    fc.record({
      stays: fc.oneof({ weight: 2, arbitrary: fc.constant(100) }, fc.integer({ min: 0, max: 99 })),
      raws: fc.array(raw, { maxLength: 6 })
    }),
    { maxLength: 6 }
  )

/** Follows the steps with one reader, and compares it with the whole list after each of them. */
const follow = (dialect: Dialect<unknown> | BlockDialect<unknown>, steps: ReadonlyArray<Step>): void => {
  const reader: Reader = dialect.startReading()
  const read: unknown[] = []
  for (const { stays, raws } of steps) {
    const handedOut = reader.notices
    const said = handedOut.slice()
    const before = reader.items.slice()
    if (stays < 100) {
      const count = Math.floor((read.length * stays) / 100)
      read.length = count
      const gone = reader.rewind(count)
      expect([...reader.items, ...gone]).toEqual(before)
    }
    reader.read(raws)
    read.push(...raws)
    const decoded = decodeOrThrow(dialect as never, read)
    expect(reader.items).toEqual(decoded.items)
    expect(reader.notices).toEqual(decoded.notices)
    expect(handedOut.slice(0, said.length)).toEqual(said)
  }
}

const own = { acme_call: 'call', acme: 'output', function_call: 'output', message: 'call' } as const
const itemDialects = [responses, agentsJs, agentsPython, neutral] as ReadonlyArray<Dialect<unknown>>

describe.each(itemDialects.flatMap((dialect) => [dialect, dialect.with(own)]))('$name', (dialect) => {
  test('read in pieces, and taken back, is the whole that is decoded [ITEM-1, ITEM-9]', () => {
    fc.assert(fc.property(stepsOf(rawItem), (steps) => follow(dialect, steps)))
  })
})

describe.each(spellings)('$dialect.name', ({ dialect: given, spell }) => {
  const dialect = given as BlockDialect<unknown>

  test('odd messages read in pieces, and taken back, are the whole that is decoded [ITEM-9, BLOCK-1]', () => {
    fc.assert(
      fc.property(stepsOf(oddMessage), fc.boolean(), (steps, declares) =>
        follow(declares ? dialect.with({ ...own, text: 'call' }) : dialect, steps)
      )
    )
  })

  test('a conversation read in pieces, and taken back, is the whole that is decoded [ITEM-9, BLOCK-1]', () => {
    const spoken = fc.array(fc.record({ stays: fc.integer({ min: 0, max: 130 }), said: conversations }))
    fc.assert(
      fc.property(spoken, (steps) =>
        follow(
          dialect,
          steps.map(({ stays, said }) => ({ stays, raws: spell(said) }))
        )
      )
    )
  })
})
