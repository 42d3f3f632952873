/**
 * The parts of the command line that words and places are made of.
 */
import picocolors from 'picocolors'
import { describe, expect, it } from 'vitest'
import type { Decision } from '../../src/core/explain.js'
import type { Progress } from '../../src/core/progress.js'
import { detectDialect } from '../../src/cli/detect.js'
import { lineOf, plainText } from '../../src/cli/failure.js'
import { splitLines } from '../../src/cli/input.js'
import { nameItem, shortId } from '../../src/cli/item-words.js'
import { findBreak } from '../../src/cli/json-place.js'
import { reasons, tellEntries, tellPositions, tellWhy } from '../../src/cli/plan-words.js'
import { drawTable } from '../../src/cli/table.js'
import { mayColour } from '../../src/cli/terminal.js'
import { planByLibrary } from '../support/library.js'
import { loadVectors, savesOf } from '../support/vectors.js'

describe('where a text stops being JSON', () => {
  const sound =
    ' {"a\\u0041\\n": [1, -2.5e+3, true, false, null, "", {}, [], {"b": [[0]]}], "c": "\\"d\\\\"}\n'

  it('is nowhere in JSON', () => {
    for (const text of [sound, '0', '"x"', '[]', ' null ']) expect(findBreak(text)).toBeUndefined()
  })

  it('is found wherever JSON.parse fails, whatever was put in, left out or cut off', () => {
    const isJson = (text: string): boolean => {
      try {
        JSON.parse(text)
        return true
      } catch {
        return false
      }
    }
    let broken = 0
    for (let place = 0; place <= sound.length; place += 1) {
      const changed = [sound.slice(0, place), sound.slice(0, place) + sound.slice(place + 1)]
      for (const sign of [',', ':', '"', '{', '}', '[', ']', '0', '-', '.', 'e', '\\', 't', '\u0001', 'é'])
        changed.push(sound.slice(0, place) + sign + sound.slice(place))
      for (const text of changed) {
        expect([text, findBreak(text) === undefined]).toEqual([text, isJson(text)])
        if (!isJson(text)) broken += 1
      }
    }
    expect(broken).toBeGreaterThan(1000)
  })

  it.each([
    ['[1,]', 1, 4, 'a value', false],
    ['[1 2]', 1, 4, 'a comma or ]', false],
    ['{"a" 1}', 1, 6, 'a colon', false],
    ['{a:1}', 1, 2, 'a name in double quotes or }', false],
    ['{"a":1,}', 1, 8, 'a name in double quotes', false],
    ["['a']", 1, 2, 'a value or ]', false],
    ['[1]\n\n ]', 3, 2, 'nothing more: one document is read', false],
    ['{"a":', 1, 6, 'a value', true],
    ['"a\nb"', 1, 3, 'the rest of a string, with its control characters escaped', false],
    ['"a\\q"', 1, 3, 'the rest of a string, with its control characters escaped', false],
    ['"a\\', 1, 4, 'the rest of a string, with its control characters escaped', true]
  ])('%j', (text, line, column, expected, atEnd) => {
    expect(findBreak(text)).toEqual({ line, column, expected, atEnd })
  })
})

describe('lines of a stream', () => {
  const linesOf = async (chunks: ReadonlyArray<string>, limit: number): Promise<ReadonlyArray<string>> => {
    const source = async function* (): AsyncGenerator<Uint8Array> {
      for (const chunk of chunks) yield Buffer.from(chunk)
    }
    const found: Array<string> = []
    for await (const line of splitLines(source(), limit))
      found.push('bytes' in line ? Buffer.from(line.bytes).toString() : '<too long>')
    return found
  }

  it('are the same wherever its chunks are cut', async () => {
    const text = 'ab\n\nc\r\nde'
    for (let place = 0; place <= text.length; place += 1)
      expect(await linesOf([text.slice(0, place), text.slice(place)], 100)).toEqual(['ab', '', 'c\r', 'de'])
    expect(await linesOf(['ab\n'], 100)).toEqual(['ab'])
    expect(await linesOf([], 100)).toEqual([])
  })

  it('are left out one by one where they are too long', async () => {
    expect(await linesOf(['aaa', 'a\nb\nccc', 'cc', 'c'], 3)).toEqual(['<too long>', 'b', '<too long>'])
  })
})

describe('the dialect of a list', () => {
  const detected = (items: ReadonlyArray<unknown>): string => {
    const found = detectDialect(items, 'FILE')
    return found._tag === 'Right' ? found.right : found.left.message
  }

  it('is the one with the most signs of its own', () => {
    const plain = { role: 'user', content: 'hi' }
    expect(detected([plain, { type: 'reasoning', summary: [] }])).toBe('responses')
    expect(detected([plain, { type: 'web_search_call', id: 'ws' }])).toBe('responses')
    expect(detected([plain, { type: 'hosted_tool_call', name: 'f' }])).toBe('agents-js')
    expect(detected([plain, { type: 'message_output_item', raw_item: {} }])).toBe('agents-python')
    expect(detected([{ kind: 'marker' }, { kind: 'hologram' }])).toBe('neutral')
    const call = { type: 'function_call', call_id: 'a' }
    expect(detected([call, call, { kind: 'call', callId: 'a' }])).toBe('responses')
  })

  it('is named for plain messages alone, and for nothing at all', () => {
    expect(detected([{ role: 'user', content: 'hi' }])).toBe('responses')
    expect(detected([])).toBe('neutral')
  })

  it('is not guessed at', () => {
    const nothing = 'FILE: expected items of one dialect, recognised none of '
    expect(detected([{ role: 'assistant', tool_calls: [] }])).toContain(nothing)
    expect(detected([{ role: 'user', content: 'hi' }, 7])).toContain(nothing)
    expect(detected([{ kind: 'call' }, { rawItem: {} }])).toBe(
      'FILE: expected items of one dialect, found neutral (1 item) and agents-js (1 item); say which with --dialect'
    )
  })
})

describe('words', () => {
  it('exist for the rule of every decision that a vector leads to', () => {
    const met = new Set<string>()
    for (const vector of loadVectors()) {
      if (vector.input?.dialect !== undefined || (vector.level !== 'select' && vector.level !== 'plan'))
        continue
      let progress: Progress | undefined
      for (const save of savesOf(vector)) {
        const { expect: _expected, ...question } = save
        const answer = planByLibrary(progress === undefined ? question : { ...question, progress })
        if ('error' in answer) break
        for (const { rule } of answer.plan.decisions) met.add(rule)
        progress = answer.progress
      }
    }
    expect(met.size).toBeGreaterThan(20)
    expect([...met].filter((rule) => !reasons.has(rule))).toEqual([])
  })

  it('name the cause and what became of it', () => {
    const decisions: ReadonlyArray<Decision> = [
      { position: 0, verdict: 'withhold', rule: 'SELECT-3', because: 1 },
      { position: 1, verdict: 'withhold', rule: 'SELECT-2' }
    ]
    const situation = { decisions, isClosed: () => false }
    expect(decisions.map((decision) => tellWhy(decision, situation))).toEqual([
      'SELECT-3 belongs to 1, which is withheld',
      'SELECT-2 in the rejected part'
    ])
    expect(tellWhy({ position: 0, verdict: 'keep', rule: 'NEW-1' }, situation)).toBe('NEW-1')
  })

  it('put entries into ranges of one manner', () => {
    expect(tellEntries([])).toBe('')
    expect(
      tellEntries([
        { position: 0 },
        { position: 1 },
        { position: 2 },
        { position: 3, redact: true },
        { close: 2, as: 'skipped' },
        { position: 4 },
        { position: 5 },
        { position: 7, stripId: true },
        { position: 8, stripId: true }
      ])
    ).toBe(
      '0–2, 3 (redacted), a closing for 2 (skipped), 4, 5, 7, 8 (without its id, as its reasoning is not written)'
    )
    expect([[], [1], [1, 2], [1, 2, 3]].map(tellPositions)).toEqual(['', '1', '1 and 2', '1, 2 and 3'])
  })

  it('name an item by kind, origin, tool and fate', () => {
    expect(nameItem({ kind: 'message', origin: 'user' }, {})).toBe('user message')
    expect(nameItem({ kind: 'message', origin: 'runner', partial: true }, null)).toBe(
      'partial runner message'
    )
    expect(nameItem({ kind: 'call', executor: 'provider' }, { rawItem: { name: 'f' } })).toBe('hosted call f')
    expect(nameItem({ kind: 'output', execution: 'denied' }, { name: 'no name, but words' })).toBe(
      'output (denied)'
    )
  })

  it('shorten long ids and clean odd ones', () => {
    expect(shortId('rs_0123456789abcdef0')).toBe('rs_0123456789abcdef0')
    expect(shortId('rs_0123456789abcdef01')).toBe('rs_012345678…cdef01')
    expect(shortId('\u001b[31m')).toBe('�[31m')
    expect(shortId('😀'.repeat(400))).toBe(`${'😀'.repeat(12)}…${'😀'.repeat(6)}`)
    expect(shortId(undefined)).toBe('')
  })

  it('stay on one line', () => {
    expect(lineOf({ message: 'a\n  b\u0007' })).toBe('turnkeep: a b�')
    expect(plainText('a\u2028b\u202ec')).toBe('a�b�c')
  })
})

describe('colours', () => {
  it('are for a terminal whose owner has not asked for none', () => {
    expect(mayColour({}, true)).toBe(true)
    expect(mayColour({ NO_COLOR: '' }, true)).toBe(true)
    expect(mayColour({ NO_COLOR: '1' }, true)).toBe(false)
    expect(mayColour({ TERM: 'dumb' }, true)).toBe(false)
    expect(mayColour({ FORCE_COLOR: '1' }, false)).toBe(false)
  })
})

describe('a table', () => {
  const columns = [{ heading: 'a' }, { heading: 'b' }, { heading: 'why' }]
  const draw = (rows: ReadonlyArray<ReadonlyArray<string>>, width: number): string =>
    drawTable({ columns, rows, paint: picocolors.createColors(false), width })

  it('leaves out a column without text, and folds the last one on a terminal', () => {
    const rows = [['1', '', 'one two three four five six seven eight']]
    expect(draw(rows, Number.POSITIVE_INFINITY)).toBe('a  why\n1  one two three four five six seven eight\n')
    expect(draw(rows, 30)).toBe('a  why\n1  one two three four five six\n   seven eight\n')
  })

  it('looks the same when it is long', () => {
    const rows = (count: number): ReadonlyArray<ReadonlyArray<string>> =>
      Array.from({ length: count }, (_, row) => [`${row % 7}`, 'word', row % 2 === 0 ? 'even' : ''])
    const short = draw(rows(14), 80)
    expect(short.split('\n').length).toBe(16)
    const long = draw(rows(1400), 80)
    expect(long.slice(0, short.length)).toBe(short)
    expect(long.split('\n').length).toBe(1402)
  })

  it('is coloured cell by cell', () => {
    const paint = picocolors.createColors(true)
    const painted = [{ heading: 'a', paint: paint.red }, { heading: 'b' }]
    for (const count of [1, 1400]) {
      const rows = Array.from({ length: count }, () => ['x', 'y'])
      const [head, first] = drawTable({ columns: painted, rows, paint, width: 80 }).split('\n')
      expect([head, first]).toEqual([`${paint.bold('a')}  ${paint.bold('b')}`, `${paint.red('x')}  y`])
    }
  })
})
