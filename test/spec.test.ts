/**
 * The check of the specification is able to fail: each planted fault is found, and named.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  assignIds,
  faultsOfVectors,
  formatVectors,
  readCitations,
  readInvariants,
  readRules,
  SPEC_VERSION
} from '../scripts/spec.mjs'
import * as turnkeep from '../src/index.js'

const schema = JSON.parse(readFileSync(new URL('../docs/spec/vector.schema.json', import.meta.url), 'utf8'))

const rule = (id: string, quote: string): string => `#### ${id}\n> ${quote}\n\nWhy.\n\n`

const vector = {
  id: 'demo-001',
  name: 'an accepted message stays',
  rules: ['SELECT-1'],
  flags: ['basic'],
  level: 'select',
  input: { op: 'plan', items: [{ kind: 'message' }], outcome: { kind: 'accepted' } },
  expect: { change: 'append', from: null, writes: [{ position: 0 }], verdicts: ['keep'] }
}

const faultsOf = (vectors: ReadonlyArray<Readonly<Record<string, unknown>>>): string =>
  faultsOfVectors([{ name: 'demo', vectors }], { rules: [{ id: 'SELECT-1' }], schema, notByVector: {} }).join(
    '\n'
  )

describe('the prose', () => {
  test('is read as one rule for each heading with its quote', () => {
    const text = `# Selection\n\n${rule('SELECT-1', 'A thing MUST\n> be kept.')}${rule('SELECT-2', 'It MUST NOT go.')}`
    const { rules, faults } = readRules([{ file: '04-selection.md', text }])
    expect(faults).toEqual([])
    expect(rules).toEqual([
      {
        id: 'SELECT-1',
        area: 'SELECT',
        verb: 'MUST',
        text: 'A thing MUST be kept.',
        page: '04-selection.md#select-1'
      },
      {
        id: 'SELECT-2',
        area: 'SELECT',
        verb: 'MUST NOT',
        text: 'It MUST NOT go.',
        page: '04-selection.md#select-2'
      }
    ])
  })

  test.each([
    ['two verbs', rule('SELECT-1', 'It MUST stay and SHOULD shine.'), 'SELECT-1 has 2 verbs'],
    ['no verb', rule('SELECT-1', 'It stays.'), 'SELECT-1 has 0 verbs'],
    ['no quote', '#### SELECT-1\n\nIt MUST stay.\n', 'SELECT-1 has no blockquote'],
    [
      'a gap',
      rule('SELECT-1', 'It MUST stay.') + rule('SELECT-3', 'It MUST go.'),
      'expected SELECT-2, found SELECT-3'
    ],
    [
      'another area',
      rule('SELECT-1', 'It MUST stay.') + rule('PLAN-2', 'It MUST go.'),
      'expected SELECT-2, found PLAN-2'
    ]
  ])('with %s is refused', (_, text, message) => {
    expect(readRules([{ file: '04-selection.md', text }]).faults.join('\n')).toContain(message)
  })

  test('names the version that the library names', () => {
    expect(SPEC_VERSION).toBe(turnkeep.SPEC_VERSION)
  })
})

describe('a vector', () => {
  test('that is sound is accepted', () => {
    expect(faultsOf([vector])).toBe('')
  })

  test.each([
    ['an unknown flag', { flags: ['odd'] }, '/flags/0'],
    ['an unknown rule', { rules: ['SELECT-1', 'SELECT-99'] }, 'cites SELECT-99'],
    ['no rule', { rules: [] }, '/rules'],
    ['a modal verb in its name', { name: 'a message must stay' }, 'its name is no fact'],
    ['a field nobody knows', { colour: 'red' }, 'colour'],
    [
      'a misspelled item field',
      { input: { ...vector.input, items: [{ kind: 'message', callID: 'c' }] } },
      'callID'
    ],
    ['too few verdicts', { expect: { ...vector.expect, verdicts: [] } }, '0 verdicts for 1 positions'],
    ['no id', { id: undefined }, 'has no id'],
    ['the id of another file', { id: 'other-001' }, "does not begin with the file's name"]
  ])('with %s is refused', (_, change, message) => {
    const changed = Object.fromEntries(
      Object.entries({ ...vector, ...change }).filter(([, value]) => value !== undefined)
    )
    expect(faultsOf([changed])).toContain(message)
  })

  test('with the name or the id of another one is refused', () => {
    expect(faultsOf([vector, { ...vector, id: 'demo-002' }])).toContain('has the name of')
    expect(faultsOf([vector, { ...vector, name: 'another fact altogether' }])).toContain('has the id of')
  })

  test('is missed where a rule has none', () => {
    expect(faultsOf([])).toBe('SELECT-1: no vector shows it')
  })

  test('gets the number behind the greatest one, and keeps the one it has', () => {
    const { id: _, ...nameless } = vector
    expect(
      assignIds('demo', [nameless, { ...vector, id: 'demo-007' }, nameless]).map(({ id }) => id)
    ).toEqual(['demo-008', 'demo-007', 'demo-009'])
  })

  test('is the same value after formatting', () => {
    expect(JSON.parse(formatVectors([vector]))).toEqual([vector])
  })
})

describe('the coverage', () => {
  test('counts ids in titles and none in comments', () => {
    const text = `const other = give('DEMO-9')\ntest('it stays [DEMO-1]', run)\n// DEMO-2 is "DEMO-2"\ntest.prop([any])('it goes (DEMO-3)', run)\n`
    expect([...readCitations([{ file: 'a.test.ts', text }]).keys()]).toEqual(['DEMO-1', 'DEMO-3'])
  })

  test('reads from which rules an invariant follows', () => {
    expect(readInvariants('#### INV-1\nAll is well.\n\nFollows from: SELECT-1, PLAN-2\n')).toEqual([
      { id: 'INV-1', rules: ['SELECT-1', 'PLAN-2'] }
    ])
  })
})
