/**
 * Input that nobody expects costs one clear line and the exit state 2, or is read all the same. Never a stack trace, and
 * never a word of the contents.
 */
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { type Run, turnkeep } from '../support/command.js'

const scratch = mkdtempSync(join(tmpdir(), 'turnkeep-hostile-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const refusal = 'No tool output found for function call c1.'
const commands: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ['audit', ['audit']],
  ['repair', ['repair']],
  ['why', ['why', refusal]],
  ['shape', ['shape']],
  ['plan', ['plan']]
]

const checkManners = (run: Run, name: string): void => {
  expect(run.problems).not.toMatch(/^ {4}at |node:internal|RangeError|TypeError/m)
  expect(run.problems).not.toContain('SECRET')
  if (name !== 'repair') expect(run.out).not.toContain('SECRET')
  if (run.state !== 2) return
  expect(run.out).toBe('')
  expect(run.problems).toMatch(/^turnkeep: [^\n]+\n$/)
}

const call = '{"type":"function_call","id":"fc","call_id":"c1","name":"find","arguments":"{}"}'
const nest = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
const nestObject = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
const deep = 100_000

/** What it is, its text, the words of the refusal where it is refused, and the exit states of the five commands. */
type Case = readonly [string, string | Uint8Array, string | undefined, string]

const cases: ReadonlyArray<Case> = [
  [
    'truncated JSON',
    `{"input":[${call},{"type":"mess`,
    'the text ends; expected the rest of a string',
    '22222'
  ],
  ['nothing', '', 'expected JSON, found nothing', '22222'],
  ['blanks', ' \r\n\t', 'expected JSON, found nothing', '22222'],
  ['null', 'null', 'expected a list of items', '22222'],
  ['a string', '"SECRET"', 'expected a list of items', '22222'],
  ['an empty list', '[]', undefined, '00000'],
  ['a list of nothing', '[null,1,"SECRET",[]]', 'recognised none of', '22222'],
  ['another envelope', '{"choices":[{"message":{"role":"assistant","content":"SECRET"}}]}', '', '22222'],
  [
    'dialects that are mixed',
    `[${call},{"role":"assistant","content":null,"tool_calls":[]}]`,
    'found responses (1 item) and chat-completions (1 item)',
    '22220'
  ],
  [
    'bytes that are no UTF-8',
    Buffer.from(`[{"type":"message","x":"\xff"}]`, 'latin1'),
    'at byte 24',
    '22222'
  ],
  ['bytes of UTF-16', Buffer.from('\ufeff[]', 'utf16le'), 'the mark of UTF-16', '22222'],
  ['a mark of UTF-8, and CRLF', `\ufeff[\r\n${call}\r\n]\r\n`, undefined, '10100'],
  ['brackets without end', '['.repeat(deep), 'column 100001: the text ends', '22222'],
  ['brackets in brackets', nest(deep), 'recognised none of', '22222'],
  ['a deep payload', `[${call.replace('"{}"', nestObject(deep))}]`, undefined, '10100'],
  [
    'a deep payload beside what changes',
    `{"system":"SECRET","x":${nest(deep)},"messages":[{"role":"user","content":${nest(deep)}},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"find","input":${nestObject(deep)}},{"type":"text","text":"SECRET"}]}]}`,
    'give the list under "messages"',
    '10102'
  ],
  [
    'lines, one of them broken',
    '{"role":"user","content":"SECRET"}\n{"role":"assistant"\n',
    'not JSON: line 2, column',
    '22222'
  ],
  [
    'ids and names of prototypes',
    `{"__proto__":{"input":[]},"constructor":2,"input":[${call.replaceAll('"c1"', '"__proto__"').replace('"fc"', '"constructor"')},${call.replaceAll('"c1"', '"constructor"').replace('"fc"', '"__proto__"')},{"type":"function_call_output","call_id":"toString","output":"SECRET","__proto__":{"call_id":"c1"}},{"type":"__proto__"},{"type":"constructor"},{"type":"reasoning","id":"toString","summary":[]}]}`,
    'give the list under "input"',
    '10102'
  ],
  [
    'a question of prototypes',
    '{"items":[{"kind":"constructor"},{"kind":"call","callId":"__proto__","namespace":"toString"}],"profile":{"__proto__":{}}}',
    'profile.__proto__ must be absent',
    '22100'
  ],
  [
    'numbers that are too large, and -0',
    `[${call.slice(0, -1)},"a":1e999,"b":-0,"c":${'9'.repeat(400)}}]`,
    undefined,
    '10100'
  ],
  [
    'halves of characters, and what moves a cursor',
    `[${call.replace('c1', '\\ud800').replace('find', '\\u001b[31mSECRET')},{"type":"function_call_output","call_id":"\\udc00","output":"SECRET"}]`,
    undefined,
    '10100'
  ],
  ['names that stand twice', `{"input":[],"input":[${call}]}`, 'give the list under "input"', '10102']
]

describe.each(cases)('%s', (_, text, words, states) => {
  it.each(commands)(`is met by %s`, (name, given) => {
    const run = turnkeep([...given, '-'], text)
    checkManners(run, name)
    const place = commands.findIndex(([other]) => other === name)
    expect(`${run.state}`).toBe(states[place])
    if (run.state === 2 && words !== undefined) expect(run.problems).toContain(words)
    if (name === 'repair' && run.state === 0 && run.out !== '[]')
      expect(turnkeep(['audit', '-'], run.out).state).toBe(0)
  })
})

describe('a file of 200 MB', () => {
  const file = join(scratch, 'large.json')
  const piece = `,{"role":"user","content":"SECRET ${'x'.repeat(1_000_000)}"}`
  const target = openSync(file, 'w')
  writeSync(target, '[{"role":"user","content":"x"}')
  for (let written = 0; written < 200_000_000; written += piece.length) writeSync(target, piece)
  writeSync(target, ']')
  closeSync(target)

  it.each(commands)('is read or refused by %s, within its memory', (name, given) => {
    const run = turnkeep([...given, file])
    checkManners(run, name)
    if (run.state === 2) expect(run.problems).toMatch(/at most \d+ MB are read as one document/)
  })
})

describe('a file with a byte that is no UTF-8', () => {
  const file = join(scratch, 'latin1.json')
  writeFileSync(file, Buffer.from(`[${call},"caf\xe9"]`, 'latin1'))

  it.each(commands)('is refused by %s with the place of the byte', (name, given) => {
    const run = turnkeep([...given, file])
    checkManners(run, name)
    expect([run.state, run.problems]).toEqual([
      2,
      `turnkeep: ${file}: expected UTF-8, found a byte that is none at byte ${call.length + 7}\n`
    ])
  })
})
