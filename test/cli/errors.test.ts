/**
 * What cannot be used costs one clear line and the exit state 2, whatever it is.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { turnkeep } from '../support/command.js'

const turn = 'docs/examples/rejected-turn.json'
const scratch = mkdtempSync(join(tmpdir(), 'turnkeep-errors-'))
const file = (name: string): string => join(scratch, name)

const progress = {
  turn: 'turn',
  revision: 1,
  settled: 1,
  final: 0,
  sealed: 0,
  withheld: [],
  ahead: [],
  closed: [],
  redacted: [],
  written: 1,
  edge: 'x'
}

beforeAll(() => {
  const saved = (name: string, value: object): void => writeFileSync(file(name), JSON.stringify(value))
  saved('foreign.json', { ...progress, turn: 'another' })
  saved('edge.json', progress)
  saved('beyond.json', { ...progress, settled: 40, written: 40 })
  saved('negative.json', { ...progress, settled: -1 })
  saved('fraction.json', { ...progress, revision: 0.5 })
  saved('answer.json', { after: { ...progress, final: 'x' } })
})
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

/** Arguments, standard input, what the line must name. */
type Case = readonly [what: string, words: ReadonlyArray<string>, input: string | Uint8Array, line: string]

const question = (fields: object): string => JSON.stringify({ items: [{ kind: 'message' }], ...fields })

const cases: ReadonlyArray<Case> = [
  ['no command', [], '', 'expected a command; turnkeep --help lists them'],
  ['an unknown command', ['plann'], '', "unknown command 'plann'"],
  ['an unknown option', ['plan', '--outcom', 'accepted'], '', "unknown option '--outcom'"],
  ['an unknown outcome', ['plan', '--outcome', 'lost'], '', 'Allowed choices are accepted, rejected, failed'],
  ['two files', ['plan', turn, turn], '', "too many arguments for 'plan'"],
  [
    'two ways at once',
    ['plan', '--json', '--lines', turn],
    '',
    "'--json' cannot be used with option '--lines'"
  ],
  ['a fractional position', ['plan', '--from', '1.5', turn], '', 'a whole number from 0'],
  ['a negative position', ['plan', '--from=-1', turn], '', 'a whole number from 0'],
  ['from without a rejection', ['plan', '--from', '1', turn], '', '--from goes only with --outcome rejected'],
  [
    'check with a rejection',
    ['plan', '--outcome', 'rejected', '--check', 'due', turn],
    '',
    '--check goes only with --outcome failed, --outcome aborted, --outcome open'
  ],
  [
    'a check of another outcome',
    ['plan', '--outcome', 'open', '--check', 'due', turn],
    '',
    'outcome.check must be one of none, message, output, input'
  ],
  [
    'from outside the turn',
    ['plan', '--outcome', 'rejected', '--from', '9', turn],
    '',
    'outcome.from must be a position of the turn: a whole number from 0 to below 9'
  ],
  [
    'a policy of no form',
    ['plan', '--policy', 'strict', turn],
    '',
    'It must be default, seed, a JSON object'
  ],
  [
    'a policy that is broken JSON',
    ['plan', '--policy', '{"committed"', turn],
    '',
    'It must be default, seed'
  ],
  ['an unknown policy field', ['plan', '--policy', 'colour=red', turn], '', 'policy.colour must be absent'],
  [
    'an unknown policy value',
    ['plan', '--policy', '{"committed":"perhaps"}', turn],
    '',
    'policy.committed must be one of answered, executed'
  ],
  ['a missing file', ['plan', file('none.json')], '', 'none.json: there is no such file'],
  ['a folder', ['plan', scratch], '', 'expected a file, found a folder'],
  [
    'a missing progress',
    ['plan', '--progress', file('none.json'), turn],
    '',
    'none.json: there is no such file'
  ],
  [
    'two inputs from one stream',
    ['plan', '--progress', '-', '-'],
    '',
    'cannot both be read from standard input'
  ],
  [
    'progress of another turn',
    ['plan', '--turn', 't', '--progress', file('foreign.json'), turn],
    '',
    'progress.turn is "another"'
  ],
  [
    'progress of other items',
    ['plan', '--progress', file('edge.json'), turn],
    '',
    'are not those that were saved'
  ],
  [
    'progress beyond the turn',
    ['plan', '--progress', file('beyond.json'), turn],
    '',
    'items has 9 positions'
  ],
  [
    'progress with a negative number',
    ['plan', '--progress', file('negative.json'), turn],
    '',
    'progress.settled must be'
  ],
  [
    'progress with a fraction',
    ['plan', '--progress', file('fraction.json'), turn],
    '',
    'progress.revision must be'
  ],
  [
    'progress inside an answer',
    ['plan', '--progress', file('answer.json'), turn],
    '',
    'progress.final must be'
  ],
  ['nothing at all', ['plan'], '', 'standard input: expected JSON, found nothing'],
  ['no JSON', ['plan'], 'hello', 'standard input: not JSON: line 1, column 1: expected a value'],
  [
    'truncated JSON',
    ['plan'],
    '[\n{"kind": "message"},\n{"kind": "mess',
    'line 3, column 15: the text ends; expected the rest of a string'
  ],
  ['two documents', ['plan'], '[]\n[]', 'line 2, column 1: expected nothing more: one document is read'],
  ['invalid UTF-8', ['plan'], Buffer.from('5b22ff225d', 'hex'), 'found a byte that is none at byte 2'],
  ['UTF-16', ['plan'], Buffer.from('\ufeff[]', 'utf16le'), 'found the mark of UTF-16 at its start'],
  [
    'JSON that nests without end',
    ['plan'],
    '['.repeat(200_000),
    'column 200001: the text ends; expected a value or ]'
  ],
  ['a number', ['plan'], '3', 'expected a list of items or a question'],
  ['an envelope', ['plan'], '{"object":"response","output":[]}', 'give the list under "output"'],
  ['a question without items', ['plan'], '{"outcome":{"kind":"accepted"}}', 'items must be a list of items'],
  [
    'a question of another operation',
    ['plan'],
    question({ op: 'pair' }),
    'op must be plan here, or be left out'
  ],
  [
    'a field of no question',
    ['plan'],
    question({ outcom: {} }),
    'outcom must be absent: there is no such field'
  ],
  [
    'a field of no outcome',
    ['plan'],
    question({ outcome: { kind: 'accepted', from: 0 } }),
    'outcome.from must be absent'
  ],
  [
    'an outcome that is a word',
    ['plan'],
    question({ outcome: 'accepted' }),
    'outcome must be an object with a kind'
  ],
  [
    'an unknown dialect',
    ['plan'],
    question({ dialect: 'morse' }),
    'dialect must be one of neutral, responses'
  ],
  ['a turn that is no string', ['plan'], question({ turn: 7 }), 'turn must be a string'],
  ['an unknown store', ['plan'], question({ store: 'insert' }), 'store must be append or replace'],
  [
    'open calls of a wrong type',
    ['pair'],
    question({ open: [{ callId: 1 }] }),
    'open[0].callId must be a string'
  ],
  [
    'a prototype as an operation',
    ['plan', '--json'],
    question({ op: 'constructor' }),
    'op must be one of plan'
  ],
  [
    'items of no dialect',
    ['plan'],
    '[{"a":1}]',
    'recognised none of neutral, responses, agents-js, agents-python'
  ],
  [
    'items of two dialects',
    ['plan'],
    '[{"type":"function_call","call_id":"a"},{"type":"function_call","callId":"b"}]',
    'found responses (1 item) and agents-js (1 item); say which with --dialect'
  ]
]

describe('what cannot be used', () => {
  it.each(cases)('%s', (_what, words, input, line) => {
    const { state, out, problems } = turnkeep(words, input)
    expect(problems).toMatch(/^turnkeep: [^\n]+\n$/)
    expect(problems).toContain(line)
    expect(state).toBe(2)
    if (!words.includes('--json')) expect(out).toBe('')
  })

  it('is an error document with --json, beside the line', () => {
    const { state, out, problems } = turnkeep(['plan', '--json'], '{"items":3}')
    expect(JSON.parse(out)).toEqual({
      error: { kind: 'decode', message: 'items must be a list of items', path: 'items' }
    })
    expect(problems).toBe('turnkeep: items must be a list of items\n')
    expect(state).toBe(2)
  })

  it('is told by its first malformed field before the items', () => {
    const { out } = turnkeep(['plan', '--json'], '{"items":3,"policy":{"colour":1}}')
    expect(JSON.parse(out)).toMatchObject({ error: { kind: 'invalid-input', path: 'policy.colour' } })
  })

  it('never shows what an item holds', () => {
    const secret = 'my password is hunter2'
    const broken = JSON.stringify([{ kind: 'message', content: secret }]).slice(0, -2)
    const odd = JSON.stringify([{ kind: 'message', id: [secret], [secret]: 1 }, { kind: secret }])
    for (const input of [broken, odd]) {
      for (const way of [[], ['--json']]) {
        const { out, problems } = turnkeep(['plan', ...way], input)
        expect(out + problems).not.toContain('hunter2')
      }
    }
  })

  it('cannot steer a terminal', () => {
    const id = '\u001b[2J\u202eid'
    const items = [
      { kind: 'call', id, callId: id, response: 1 },
      { kind: 'message', id }
    ]
    const { out } = turnkeep(['plan', '--turn', id], JSON.stringify(items))
    const { problems } = turnkeep(['plan', '--policy', '{"\\u001b[2J":"x"}'], JSON.stringify(items))
    for (const text of [out, problems]) {
      expect(text).toContain('�[2J')
      expect(text).not.toContain('\u001b')
      expect(text).not.toContain('\u202e')
    }
  })

  it('is more than the memory would take', () => {
    const { state, problems } = turnkeep(['plan'], `[${' '.repeat(20_000_000)}]`, {
      NODE_OPTIONS: '--max-old-space-size=256'
    })
    expect(problems).toMatch(
      /^turnkeep: standard input: at most \d+ MB are read as one document;[^\n]*--lines\n$/
    )
    expect(state).toBe(2)
  })

  it('is more items than any turn has', () => {
    const { state, problems } = turnkeep(['plan'], `[${'{},'.repeat(2_000_000)}{}]`)
    expect(problems).toBe('turnkeep: standard input: expected at most 2000000 items, found 2000001\n')
    expect(state).toBe(2)
  })
})
