/**
 * `turnkeep conform` as the writer of a port uses it: a port that conforms, ports with one mistake each, and programs
 * that break the dialogue.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mistakes, writeMistake } from '../../scripts/mutate-port.mjs'
import type { DialogueReport } from '../../src/cli/dialogue.js'
import { type Run, turnkeep } from '../support/command.js'

const port = 'docs/spec/ports/python'
const levels = 'pair,associate,select,plan,audit,repair'
const hasPython =
  spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 11))']).status === 0

/** Where there is no python3, the tests of the port say so and pass. */
const needPython = (): boolean => {
  if (!hasPython) console.warn('python3 3.11 or later is not on this machine: the Python port was not run')
  return hasPython
}

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnkeep-conform-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface ShownReport extends Omit<DialogueReport, 'results'> {
  readonly results: ReadonlyArray<{
    readonly id: string
    readonly state: string
    readonly finding?: { readonly kind: string; readonly way?: string; readonly message: string }
  }>
}

const conform = (options: ReadonlyArray<string>, command: ReadonlyArray<string>, path = port): Run =>
  turnkeep(['conform', ...options, '--', ...command], '', { PYTHONPATH: path, PYTHONDONTWRITEBYTECODE: '1' })

const reportOf = (run: Run): ShownReport => {
  expect(run.problems).toBe('')
  return JSON.parse(run.out) as ShownReport
}

const python = ['python3', '-m', 'turnkeep_port']

describe('the Python port', () => {
  it('passes every vector of its levels in every way', () => {
    if (!needPython()) return
    const run = conform(['--tags', levels], python)
    expect(run.out).toMatch(/\n\d+ vectors passed, 0 failed: conforms\n$/)
    expect(run).toMatchObject({ state: 0, problems: '' })
    expect(run.out).toMatch(/^PLAN +(\d+) of \1$/m)
  })

  it.each(mistakes)('with a mistake is caught: $name', (mistake) => {
    if (!needPython()) return
    const run = conform(
      ['--tags', levels, '--no-splits', '--bail', '--json'],
      python,
      writeMistake(mistake, folder)
    )
    expect(run.state).toBe(1)
    const report = reportOf(run)
    expect(report.dialogue).toEqual([])
    const last = report.results.at(-1)
    expect(last?.state).toBe('failed')
    // A wrong answer, or no answer at all because the mistake made the program end.
    expect(['difference', 'crash']).toContain(last?.finding?.kind)
  })
})

/**
 * Histories on which the library answers otherwise than the text says, by their place in the file. One on which both
 * agree does not belong here.
 */
const contested: Readonly<Record<number, string>> = {
  3: 'under by-occurrence an output is moved in front of a waiting call though no rule moves it (REPAIR-3)',
  69: 'a partial context is not counted as an item of its message (REPAIR-14)'
}

interface History {
  readonly violations: unknown
  readonly edits: unknown
  readonly order: unknown
  readonly remaining: unknown
}

describe('the histories of the core tests, asked of the port', () => {
  it('have the answers that follow from the text', () => {
    if (!needPython()) return
    const histories = JSON.parse(
      readFileSync('test/core/fixtures/histories.json', 'utf8')
    ) as ReadonlyArray<History>
    const questions = histories.flatMap(
      ({ violations: _violations, edits: _edits, order: _order, remaining: _remaining, ...question }) =>
        ['audit', 'repair'].map((op) => JSON.stringify({ op, ...question }))
    )
    const run = spawnSync('python3', ['-m', 'turnkeep_port'], {
      input: `${questions.join('\n')}\n`,
      encoding: 'utf8',
      env: { ...process.env, PYTHONPATH: port, PYTHONDONTWRITEBYTECODE: '1' }
    })
    expect(run.stderr).toBe('')
    const answers = run.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(answers).toHaveLength(questions.length)
    const differing: Array<number> = []
    histories.forEach(({ violations, edits, order, remaining }, index) => {
      const { items: _items, ...repaired } = answers[2 * index + 1] ?? {}
      const derived = { ...answers[2 * index], ...repaired }
      if (!isDeepStrictEqual(derived, { violations, edits, order, remaining })) differing.push(index)
    })
    expect(differing).toEqual(Object.keys(contested).map(Number))
  })
})

/** A program of a few lines that answers every line in its own way. */
const programOf = (body: string): ReadonlyArray<string> => [
  process.execPath,
  '-e',
  `const write = (value) => process.stdout.write((typeof value === 'string' ? value : JSON.stringify(value)) + '\\n')
   let lines = 0
   require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
     lines += 1
     let question = {}
     try { question = JSON.parse(line) } catch { return write({ error: { kind: 'invalid-input', message: 'no JSON' } }) }
     ${body}
   })`
]

const vectorsFile = (): string => {
  const path = join(folder, 'three.json')
  const vector = (id: string, items: ReadonlyArray<object>, expect: object): object => ({
    id,
    name: `the vector ${id}`,
    rules: ['PAIR-12'],
    flags: ['basic'],
    level: 'pair',
    input: { op: 'pair', items },
    expect
  })
  const call = { kind: 'call', callId: 'a' }
  const output = { kind: 'output', callId: 'a' }
  const vectors = [
    vector('three-001', [call, output], { pairs: [[0, 1]], unpaired: [] }),
    vector('three-002', [output], { pairs: [], unpaired: [0] }),
    vector('three-003', [call], { pairs: [], unpaired: [] })
  ]
  writeFileSync(path, JSON.stringify(vectors))
  return path
}

/** A right answer to each of the three questions, as source text. */
const rightAnswer =
  "question.items.length === 2 ? { pairs: [[0, 1]], unpaired: [] } : { pairs: [], unpaired: question.items[0].kind === 'output' ? [0] : [] }"

const askThree = (body: string, options: ReadonlyArray<string> = []): ShownReport =>
  reportOf(conform(['--vectors', vectorsFile(), '--json', ...options], programOf(body)))

const troubles = (report: ShownReport): ReadonlyArray<string> => [
  ...report.dialogue.map(({ kind }) => kind),
  ...report.results.flatMap(({ finding }) => (finding === undefined ? [] : [finding.kind]))
]

describe('a program that breaks the dialogue', () => {
  it('is told from one that keeps it', () => {
    expect(askThree(`write(${rightAnswer})`)).toMatchObject({ ok: true, passed: 3, dialogue: [] })
  })

  it('by ending is a crash, with what it said last', () => {
    const report = askThree("console.error('no such rule'); process.exit(3)")
    expect(troubles(report)).toEqual(['crash', 'crash', 'crash', 'crash'])
    expect(report.results[0]?.finding?.message).toBe(
      'the program ended with status 3, and said: no such rule'
    )
  })

  it('at one question only costs that vector', () => {
    const report = askThree(
      `if (lines > 3 && question.items[0].kind === 'output') process.exit(1); write(${rightAnswer})`
    )
    expect(report.results.map(({ state }) => state)).toEqual(['passed', 'failed', 'passed'])
    expect(troubles(report)).toEqual(['crash'])
  })

  it('by saying nothing is a timeout', () => {
    const report = askThree(
      `if (lines > 3 && question.items[0].kind === 'output') return; write(${rightAnswer})`,
      ['--timeout', '700']
    )
    expect(report.results.map(({ state }) => state)).toEqual(['passed', 'failed', 'passed'])
    expect(troubles(report)).toEqual(['timeout'])
  })

  it('by a line that is no JSON is told so', () => {
    const report = askThree("write('pairs: none')")
    expect(troubles(report)).toEqual(['not-json', 'not-json', 'not-json'])
  })

  it('by more lines than questions is told so', () => {
    // Both lines in one write, so that the second cannot be taken for the answer to a later question.
    const report = askThree(
      `const text = JSON.stringify(${rightAnswer}) + '\\n'; process.stdout.write(lines === 5 ? text + '{}\\n' : text)`
    )
    expect(troubles(report)).toContain('extra-line')
    expect(report.ok).toBe(false)
  })

  it('by answers in another order is told so', () => {
    const report = askThree(
      `globalThis.held ??= []
       held.push(${rightAnswer})
       if (lines > 3) return held.splice(0).forEach(write)
       if (lines === 3) held.splice(0).reverse().forEach(write)`
    )
    expect(troubles(report)).toEqual(['order'])
  })

  it('by an answer to a line that is no question is told so', () => {
    const command = [
      process.execPath,
      '-e',
      `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        let question = { items: [{ kind: 'call' }] }
        try { question = JSON.parse(line) } catch {}
        console.log(JSON.stringify(${rightAnswer}))
      })`
    ]
    const report = reportOf(conform(['--vectors', vectorsFile(), '--json'], command))
    expect(report).toMatchObject({ ok: false, passed: 3, dialogue: [{ kind: 'not-json' }] })
  })

  it('by ending with another status is told so', () => {
    const report = askThree(`write(${rightAnswer}); process.on('exit', () => { process.exitCode = 9 })`)
    expect(report).toMatchObject({ ok: false, passed: 3, dialogue: [{ kind: 'crash' }] })
  })

  it('by not being there at all is a crash that names it', () => {
    const report = reportOf(conform(['--vectors', vectorsFile(), '--json'], ['turnkeep-no-such-program']))
    expect(report.results[0]?.finding?.message).toContain('could not be started')
  })
})

describe('the report', () => {
  const wrong = `write(question.items.length === 2 ? { pairs: [[1, 0]], unpaired: [] } : ${rightAnswer})`

  it('shows the first difference as a diff, and counts per rule', () => {
    const run = conform(['--vectors', vectorsFile()], programOf(wrong))
    expect(run.state).toBe(1)
    expect(run.out).toContain('failed three-001 the vector three-001 [PAIR-12] (basic)')
    expect(run.out).toContain(
      'step 0, whole: the answer is the expected one, first at pairs[0][0] (- expected, + received)'
    )
    expect(run.out).toMatch(/^ +- +\[0,1\]$/m)
    expect(run.out).toMatch(/^ +\+ +\[1,0\]$/m)
    expect(run.out).toMatch(/^PAIR +0 of 1 +PAIR-12 \(three-001\)$/m)
    expect(run.out).toMatch(/\n2 vectors passed, 1 failed: does not conform\n$/)
  })

  it('lists every rule when asked', () => {
    const run = conform(['--vectors', vectorsFile(), '--rules'], programOf(wrong))
    expect(run.out).toMatch(/^PAIR-12 +2 of 3 +three-001$/m)
  })

  it('is well with a skip list whose entries fail, and not with one that has rotted', () => {
    const skip = join(folder, 'skip.txt')
    writeFileSync(skip, '# known\nthree-001 # our pairs are the other way round\n')
    const command = programOf(wrong)
    const well = conform(['--vectors', vectorsFile(), '--skip', skip], command)
    expect(well.state).toBe(0)
    expect(well.out).toMatch(/\n2 vectors passed, 0 failed, 1 skipped and failing: conforms\n$/)
    writeFileSync(skip, 'three-001\nthree-002\n')
    const rotten = conform(['--vectors', vectorsFile(), '--skip', skip], command)
    expect(rotten.state).toBe(1)
    expect(rotten.out).toContain('failed three-002')
    expect(rotten.out).toContain('is in the skip list and passes: take it out')
  })

  it.each([
    [['--tags', 'plans'], /^turnkeep: tags: expected levels or flags .*found plans$/],
    [['--skip', 'no-such-file.txt'], /^turnkeep: no-such-file\.txt: the skip list cannot be read$/],
    [['--vectors', 'package.json'], /^turnkeep: package\.json: expected a list of vectors$/],
    [['--timeout', '0'], /whole number from 1/]
  ])('cannot be made with %j', (options, problem) => {
    const run = conform(options, programOf(wrong))
    expect(run.state).toBe(2)
    expect(run.problems.trim()).toMatch(problem)
  })

  it('needs a command', () => {
    expect(conform([], [])).toMatchObject({
      state: 2,
      problems: 'turnkeep: expected the command of an implementation: turnkeep conform -- COMMAND…\n'
    })
  })
})
