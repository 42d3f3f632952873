/** Messages of the Anthropic API: every block, its way through plans, and back. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { accepted, open, rejected } from '../../src/core/outcome.js'
import { anthropic, type AnthropicMessage, anthropicTypes } from '../../src/dialects/anthropic.js'
import { decodeBlocks, emptySession, everything, kindsOf, rebuildWith, saveInto, without } from './blocks.js'
import { deepFreeze } from './decoding.js'

const text = (words: string): object => ({ type: 'text', text: words })
const thought = (words: string): object => ({ type: 'thinking', thinking: words, signature: `s-${words}` })
const use = (id: string): object => ({ type: 'tool_use', id, name: 'pay', input: {} })
const result = (id: string, content: unknown = 'done'): object => ({
  type: 'tool_result',
  tool_use_id: id,
  content
})
const say = (role: string, content: unknown): AnthropicMessage => deepFreeze({ role, content })
const user = (...content: ReadonlyArray<object>): AnthropicMessage => say('user', content)
const assistant = (...content: ReadonlyArray<object>): AnthropicMessage => say('assistant', content)

describe('what each block is', () => {
  test('a string is one text of its speaker (BLOCK-1, BLOCK-2)', () => {
    expect(
      decodeBlocks(anthropic, [say('user', 'hi'), say('assistant', 'ho'), say('system', 'so')]).items
    ).toEqual([
      { kind: 'message', origin: 'user', source: { message: 0, part: 0 } },
      { kind: 'message', source: { message: 1, part: 0 }, response: 0 },
      { kind: 'message', origin: 'user', role: 'system', source: { message: 2, part: 0 } }
    ])
  })

  test('calls, outputs and thoughts, with one number for each message of the model (PAIR-1, BLOCK-13)', () => {
    const turn = [
      say('user', 'go'),
      assistant(thought('a'), text('b'), use('c1'), use('c2')),
      user(result('c1'), { ...result('c2'), is_error: true }, text('and?')),
      assistant(text('done'))
    ]
    expect(decodeBlocks(anthropic, turn).items.map(({ source: _, ...item }) => item)).toEqual([
      { kind: 'message', origin: 'user' },
      { kind: 'reasoning', signature: 'present', response: 0 },
      { kind: 'message', response: 0 },
      { kind: 'call', callId: 'c1', response: 0 },
      { kind: 'call', callId: 'c2', response: 0 },
      { kind: 'output', callId: 'c1' },
      { kind: 'output', callId: 'c2', execution: 'failed' },
      { kind: 'message', origin: 'user' },
      { kind: 'message', response: 1 }
    ])
  })

  test('every type of block that the package declares is known', () => {
    const source = readFileSync(
      'node_modules/@anthropic-ai/sdk/resources/beta/messages/messages.d.ts',
      'utf8'
    )
    const union = /export type BetaContentBlockParam = ([^;]*);/.exec(source)?.[1]?.split(' | ') ?? []
    expect(union.length).toBeGreaterThan(20)
    const types = union.map((name) => {
      const body = source.slice(source.indexOf(`export interface ${name} {`)).split('\n}')[0] ?? ''
      return /\n {4}type: '([a-z_]+)'/.exec(body)?.[1]
    })
    expect(types.filter((type) => type === undefined || !anthropicTypes.has(type))).toEqual([])
  })

  test("the provider's own calls and results are the model's", () => {
    const turn = [
      assistant(
        { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} },
        {
          type: 'web_search_tool_result',
          tool_use_id: 's1',
          content: { type: 'web_search_tool_result_error' }
        },
        { type: 'mcp_tool_use', id: 'm1', name: 'x', server_name: 'y', input: {} },
        { type: 'mcp_tool_result', tool_use_id: 'm1', is_error: false, content: [] },
        { type: 'mcp_tool_listing', mcp_server_name: 'y', tools: [] },
        { type: 'compaction', content: 'before' }
      )
    ]
    expect(kindsOf(anthropic, turn)).toEqual([
      { kind: 'call', namespace: 'server', executor: 'provider', callId: 's1' },
      { kind: 'output', origin: 'model', namespace: 'server', callId: 's1', execution: 'failed' },
      { kind: 'call', namespace: 'mcp', executor: 'provider', callId: 'm1' },
      { kind: 'output', origin: 'model', namespace: 'mcp', callId: 'm1' },
      { kind: 'context' },
      { kind: 'compaction' }
    ])
  })

  test('a response that was cut off ends in a partial block', () => {
    const cut = { role: 'assistant', stop_reason: 'max_tokens', content: [text('a'), use('c1')] }
    const still = { role: 'assistant', stop_reason: null, content: [text('a')] }
    const whole = { role: 'assistant', stop_reason: 'tool_use', content: [use('c2')] }
    expect(kindsOf(anthropic, [cut, still, whole])).toEqual([
      { kind: 'message' },
      { kind: 'call', callId: 'c1', partial: true },
      { kind: 'message', partial: true },
      { kind: 'call', callId: 'c2' }
    ])
  })

  test('a signature is present, cut off, or gone', () => {
    const turn = [
      assistant(
        { type: 'thinking', thinking: 'a', signature: 's' },
        { type: 'thinking', thinking: 'a', signature: '' },
        { type: 'thinking', thinking: 'a' },
        { type: 'redacted_thinking', data: 'xx' }
      )
    ]
    expect(decodeBlocks(anthropic, turn).items.map(({ signature }) => signature)).toEqual([
      'present',
      'partial',
      'missing',
      'present'
    ])
  })

  test('what cannot be placed is unclassified and reported with its path (ITEM-9)', () => {
    const turn: ReadonlyArray<unknown> = [
      7,
      { role: 'robot', content: 'x' },
      assistant({ type: 'hologram' }, { type: 'tool_use', id: 4 }, {}),
      user(thought('a'), use('c1')),
      { role: 'user', content: [null, { type: 'tool_result', content: 'x' }] },
      { role: 'user', content: 8 }
    ]
    const { items, notices } = decodeBlocks(anthropic, turn)
    expect(items.map(({ kind }) => kind)).toEqual([
      ...Array.from({ length: 8 }, () => 'unclassified'),
      'output',
      'unclassified'
    ])
    expect(notices.map(({ path }) => path)).toEqual([
      '[0]',
      '[1].role',
      '[2].content[0].type',
      '[2].content[1].id',
      '[2].content[1].id',
      '[2].content[2].type',
      '[3].content[0]',
      '[3].content[1]',
      '[4].content[0]',
      '[4].content[1].tool_use_id',
      '[5].content'
    ])
    expect(rebuildWith(anthropic, turn as ReadonlyArray<AnthropicMessage>, everything).messages).toBe(turn)
  })

  test('only an input that is no list is an error', () => {
    expect(anthropic.decode({ messages: [] })).toMatchObject({
      _tag: 'Left',
      left: { received: 'an object' }
    })
  })

  test('the place of an item is told in the document that was given', () => {
    const { pathOf } = decodeBlocks(anthropic, [say('user', 'a'), assistant(text('b'), use('c'))])
    expect([0, 1, 2, 3].map(pathOf)).toEqual(['[0].content', '[1].content[0]', '[1].content[1]', ''])
  })

  test("a host's own type of block is declared", () => {
    const acme = anthropic.with({ acme_use: 'call', acme_done: 'output', text: 'context' })
    const turn = [
      assistant({ type: 'acme_use', id: 'c' }, text('a')),
      user({ type: 'acme_done', tool_use_id: 'c' })
    ]
    expect(kindsOf(acme, turn)).toEqual([
      { kind: 'call', callId: 'c' },
      { kind: 'message' },
      { kind: 'output', callId: 'c' }
    ])
    expect(decodeBlocks(acme, turn).notices.map(({ kind }) => kind)).toEqual(['wrong-field'])
  })
})

describe('messages are rebuilt', () => {
  test('as the very list when nothing changed (BLOCK-3)', () => {
    const turn = [user(text('a')), assistant(use('c1'), text('late')), user(result('c1')), assistant()]
    expect(rebuildWith(anthropic, turn, everything).messages).toBe(turn)
  })

  test('with untouched messages and blocks by identity (BLOCK-3, BLOCK-4)', () => {
    const turn = [user(text('a')), assistant(thought('t'), text('b'), use('c1')), user(result('c1'))]
    const { messages } = rebuildWith(anthropic, turn, without(2))
    expect(messages).toEqual([turn[0], assistant(thought('t'), use('c1')), turn[2]])
    expect(messages[0]).toBe(turn[0])
    expect(messages[2]).toBe(turn[2])
    const blocks = (messages[1] as unknown as { readonly content: ReadonlyArray<unknown> }).content
    expect(blocks[1]).toBe((turn[1] as unknown as { readonly content: ReadonlyArray<unknown> }).content[2])
  })

  test('without messages that are empty or nothing but thoughts (BLOCK-7)', () => {
    const turn = [user(text('a')), assistant(thought('t'), text('b')), say('assistant', 'c')]
    expect(rebuildWith(anthropic, turn, without(2, 3)).messages).toEqual([turn[0]])
  })

  test('with a closing among the results of its message (BLOCK-6)', () => {
    const turn = [assistant(use('c1'), use('c2')), user(result('c1'), text('and'))]
    const { messages } = rebuildWith(anthropic, turn, () => [
      { position: 0 },
      { position: 1 },
      { position: 2 },
      { close: 1, as: 'interrupted' },
      { position: 3 }
    ])
    expect(messages).toEqual([
      turn[0],
      user(
        result('c1'),
        { ...result('c2', expect.stringContaining('may have run')), is_error: true },
        text('and')
      )
    ])
  })

  test('with a closing in a message of its own where no result stands (BLOCK-6)', () => {
    const turn = [assistant(use('c1')), user(text('and'))]
    const { messages } = rebuildWith(anthropic, turn, () => [
      { position: 0 },
      { close: 0, as: 'denied' },
      { position: 1 }
    ])
    expect(messages).toEqual([
      turn[0],
      user({ ...result('c1', 'This call was refused and not executed.'), is_error: true }),
      turn[1]
    ])
    expect(messages[2]).toBe(turn[1])
  })

  test('in two where a closing has to stand inside, each part once (BLOCK-4)', () => {
    const turn = [assistant(use('c1'), text('a')), assistant(text('b'))]
    const { messages } = rebuildWith(anthropic, turn, () => [
      { position: 0 },
      { close: 0, as: 'skipped' },
      { position: 1 },
      { position: 2 }
    ])
    expect(messages).toEqual([
      assistant(use('c1')),
      user({ ...result('c1', 'This call was not executed.'), is_error: true }),
      assistant(text('a')),
      turn[1]
    ])
    expect(messages[3]).toBe(turn[1])
  })

  test('with results that were moved back, first and together (BLOCK-6)', () => {
    const turn = [
      assistant(use('c1'), use('c2')),
      user(result('c1'), text('so')),
      user(text('x'), result('c2'))
    ]
    const { messages } = rebuildWith(anthropic, turn, () =>
      [0, 1, 2, 5, 3, 4].map((position) => ({ position }))
    )
    expect(messages).toEqual([turn[0], user(result('c1'), result('c2'), text('so')), user(text('x'))])
  })

  test('with results first and calls last when a message changes, and only then (BLOCK-6)', () => {
    const turn = [
      assistant(text('a'), use('c1'), text('b'), thought('t'), use('c2'), text('c')),
      user(text('x'), result('c1'), result('c2'), text('y'))
    ]
    expect(rebuildWith(anthropic, turn, without(0, 9)).messages).toEqual([
      assistant(text('b'), use('c1'), thought('t'), text('c'), use('c2')),
      user(result('c1'), result('c2'), text('x'))
    ])
  })

  test('without the earlier of two signed thoughts that would come together (BLOCK-8)', () => {
    const turn = [
      assistant(thought('a'), text('b'), thought('c'), thought('d'), use('c1')),
      user(result('c1'))
    ]
    expect(rebuildWith(anthropic, turn, without(1)).messages).toEqual([
      assistant(thought('c'), thought('d'), use('c1')),
      turn[1]
    ])
    expect(rebuildWith(anthropic, turn, without(2)).messages).toEqual([
      assistant(thought('a'), text('b'), thought('d'), use('c1')),
      turn[1]
    ])
  })

  test('with an output whose payload is gone, whatever fields it had', () => {
    const turn = [
      assistant(use('c1')),
      user({ ...result('c1', [{ type: 'text', text: 'secret' }]), toolUseResult: { stdout: 'secret' } })
    ]
    const { messages } = rebuildWith(anthropic, turn, () => [{ position: 0 }, { position: 1, redact: true }])
    expect(JSON.stringify(messages)).not.toContain('secret')
    expect(messages[1]).toEqual(
      user(result('c1', 'The tool ran. Its output was withheld by an output check.'))
    )
  })

  test('with the words of the host', () => {
    const polite = anthropic.withWording({ skipped: 'Not now.' })
    const turn = [assistant(use('c1'))]
    const { messages } = rebuildWith(polite, turn, () => [{ position: 0 }, { close: 0, as: 'skipped' }])
    expect(messages[1]).toEqual(user({ ...result('c1', 'Not now.'), is_error: true }))
  })
})

describe('a turn is saved', () => {
  const turn = [
    say('user', 'go'),
    assistant(thought('t'), text('hm'), use('c1')),
    user(result('c1')),
    assistant(thought('u'), text('bad'))
  ]

  test('whole when it was accepted, as the very messages', () => {
    const { messages } = saveInto(emptySession, anthropic, turn, accepted, 'append')
    expect(messages.map((message, index) => message === turn[index])).toEqual([true, true, true, true])
  })

  test('without the rejected message (SELECT-2)', () => {
    const { messages } = saveInto(emptySession, anthropic, turn, rejected('message'), 'append')
    expect(messages).toEqual(turn.slice(0, 3))
  })

  test('with an executed call of a rejected message, and its thought only where it belongs (SELECT-3)', () => {
    const { messages } = saveInto(
      emptySession,
      anthropic,
      [
        turn[0],
        assistant(thought('a'), text('bad'), thought('b'), use('c1')),
        turn[2]
      ] as ReadonlyArray<AnthropicMessage>,
      rejected('message'),
      'append'
    )
    expect(messages).toEqual([turn[0], assistant(thought('b'), use('c1')), turn[2]])
  })

  test('up to the end of a message while a check is pending (BLOCK-10)', () => {
    const growing = turn.slice(0, 2)
    const first = saveInto(emptySession, anthropic, growing, open('message'), 'append')
    expect(first.messages).toEqual([turn[0]])
    expect(first.answer?.plan.unprotected).toEqual([3])
    const second = saveInto(first, anthropic, turn, open('message'), 'append')
    expect(second.messages).toEqual(turn.slice(0, 3))
    expect(second.messages[1]).toBe(turn[1])
    expect(saveInto(second, anthropic, turn, rejected('message'), 'append').messages).toEqual(
      turn.slice(0, 3)
    )
  })

  test('with its call ahead of the check where the store can replace (BLOCK-11)', () => {
    const first = saveInto(emptySession, anthropic, turn.slice(0, 2), open('message'), 'replace')
    expect(first.messages).toEqual([turn[0], assistant(use('c1'))])
    const second = saveInto(first, anthropic, turn, accepted, 'replace')
    expect(second.answer?.change).toBe('replace-suffix')
    expect(second.answer?.replaces).toEqual([assistant(use('c1'))])
    expect(second.messages).toEqual(turn)
  })

  test('without any later thought where signatures vouch for everything before (BLOCK-12)', () => {
    const long = [
      turn[0],
      assistant(text('x'), use('c0')),
      ...turn.slice(1, 3),
      assistant(thought('v'), text('end'))
    ]
    const items = long as ReadonlyArray<AnthropicMessage>
    const policy = { signatureScope: 'prefix' } as const
    const { messages } = saveInto(emptySession, anthropic, items, accepted, 'append', policy)
    expect(messages).toEqual([
      turn[0],
      long[1],
      user({ ...result('c0', expect.any(String)), is_error: true }),
      assistant(text('hm'), use('c1')),
      turn[2],
      assistant(text('end'))
    ])
    expect(saveInto(emptySession, anthropic, turn, accepted, 'append', policy).messages).toEqual(turn)
  })
})
