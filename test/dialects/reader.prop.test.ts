/** A list that is read as it grows reads as the whole list, whatever the pieces and however often it goes back. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { agentsJs } from '../../src/dialects/agents-js.js'
import { agentsPython } from '../../src/dialects/agents-python.js'
import { neutral } from '../../src/dialects/neutral.js'
import { responses } from '../../src/dialects/responses.js'
import type { BlockDialect, Dialect, Reader } from '../../src/ports/dialect.js'
import { conversations } from './conversations.js'
import { decodeOrThrow } from './decoding.js'
import { oddMessage, rawItem } from './odd-values.js'
import { spellings } from './spellings.js'

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
