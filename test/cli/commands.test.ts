/**
 * The commands as a person and as a program use them.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { turnkeep } from '../support/command.js'

const turn = 'docs/examples/rejected-turn.json'
const text = readFileSync(turn, 'utf8')

describe('turnkeep plan', () => {
  it('reads a file, standard input by a dash, and standard input without one', () => {
    const shown = turnkeep(['plan', '--outcome', 'rejected', turn])
    expect(shown.state).toBe(0)
    expect(shown.out).toContain('writes       0–3, 6–8\n')
    expect(turnkeep(['plan', '--outcome', 'rejected', '-'], text)).toEqual(shown)
    expect(turnkeep(['plan', '--outcome', 'rejected'], text)).toEqual(shown)
  })

  it('shows ids and tool names, and no contents', () => {
    const { out } = turnkeep(['plan', turn])
    expect(out).toContain('refund_payment')
    for (const hidden of ['promise', 'gAAAA', 're_7H2kQ', 'amount', '4471']) expect(out).not.toContain(hidden)
  })

  it('writes plain text where nobody sees colours', () => {
    expect(turnkeep(['plan', turn], '', { FORCE_COLOR: '1' }).out).not.toContain('\u001b')
  })

  it('ends with 0 though there are notices', () => {
    const { state, out } = turnkeep(['plan'], '[{"kind":"output","callId":"a"},{"kind":"hologram"}]')
    expect(state).toBe(0)
    expect(out).toMatch(
      /notice +0: unpaired-output: .*\nnotice +1: unclassified: \[1\]\.kind: expected one of/
    )
  })

  it('reads a byte order mark, a list of nothing, and items that are none', () => {
    expect(turnkeep(['plan'], '\ufeff[{"kind":"message"}]').state).toBe(0)
    expect(turnkeep(['plan'], '[]').out).toContain('writes       nothing\n')
    expect(turnkeep(['plan', '--dialect', 'responses'], '[null,3,[]]').out).toContain('writes       0–2\n')
  })

  it('lets options win over the question', () => {
    const question = JSON.stringify({
      op: 'plan',
      items: [{ kind: 'message' }],
      outcome: { kind: 'rejected', deliverable: 'message' },
      turn: 'a',
      store: 'append'
    })
    const asked = JSON.parse(turnkeep(['plan', '--json'], question).out)
    expect([asked.writes, asked.after.turn]).toEqual([[], 'a'])
    const words = ['plan', '--json', '--outcome', 'accepted', '--turn', 'b']
    const overruled = JSON.parse(turnkeep(words, question).out)
    expect([overruled.writes, overruled.after.turn]).toEqual([[{ position: 0 }], 'b'])
  })

  it('takes a policy by name, as JSON and as pairs', () => {
    const items = '[{"kind":"call","callId":"a"}]'
    const writes = (policy: string): unknown =>
      JSON.parse(turnkeep(['plan', '--json', '--policy', policy], items).out).writes
    const closing = { close: 0, as: 'interrupted' }
    expect(writes('default')).toEqual([{ position: 0 }, closing])
    expect(writes('seed')).toEqual([{ position: 0 }])
    expect(writes('{"unansweredCalls":"drop"}')).toEqual([])
    expect(writes('unansweredCalls=keep,committed=executed')).toEqual([{ position: 0 }])
  })

  it('says what a save may lose and what it cannot undo', () => {
    const items = '[{"kind":"message"},{"kind":"call","callId":"a"},{"kind":"output","callId":"a"}]'
    const open = turnkeep(['plan', '--outcome', 'open', '--check', 'message'], items).out
    expect(open).toContain('held back    1 and 2: decided, but nothing may pass 0 (PLAN-10)\n')
    expect(open).toContain('unprotected  1 and 2: may have acted')
    const { after } = JSON.parse(turnkeep(['plan', '--json', '--outcome', 'accepted'], items).out)
    const question = {
      items: JSON.parse(items),
      progress: after,
      outcome: { kind: 'rejected', deliverable: 'message' }
    }
    expect(turnkeep(['plan'], JSON.stringify(question)).out).toContain('irrevocable  0: in the session')
    const replaced = turnkeep(['plan', '--store', 'replace'], JSON.stringify(question)).out
    expect(replaced).toContain('writes       1, 2; in place of the last 3 entries of this turn: 0–2\n')
  })

  it('tells items of the three raw dialects and neutral ones apart', () => {
    const inputs: ReadonlyArray<readonly [string, string]> = [
      ['call a', '[{"type":"function_call","call_id":"a","name":"f"}]'],
      ['call b', '[{"type":"function_call","callId":"b","name":"f"}]'],
      ['call c', '[{"type":"tool_call_item","raw_item":{"type":"function_call","call_id":"c","name":"f"}}]'],
      ['call d', '[{"type":"tool_call_item","rawItem":{"type":"function_call","callId":"d","name":"f"}}]'],
      ['call e', '[{"kind":"call","callId":"e","name":"f"}]']
    ]
    for (const [named, input] of inputs) {
      const { out } = turnkeep(['pair'], input)
      expect(out.replace(/ +/g, ' ')).toContain(`0 call f ${named.slice(5)} not answered`)
    }
  })

  it('plans a long turn in one go', () => {
    const items = Array.from({ length: 100_000 }, (_, position) => ({
      kind: position % 2 === 0 ? 'call' : 'output',
      callId: `c${position >> 1}`
    }))
    const { state, out } = turnkeep(['plan'], JSON.stringify(items))
    expect(state).toBe(0)
    expect(out.split('\n').length).toBe(100_000 + 5)
    expect(out).toContain('writes       0–99999\n')
  })
})

describe('turnkeep pair and associate', () => {
  it('say so when there is nothing to show', () => {
    expect(turnkeep(['pair'], '[]')).toEqual({ state: 0, out: 'no calls and no outputs\n', problems: '' })
    expect(turnkeep(['associate'], '[]')).toEqual({ state: 0, out: 'no reasoning\n', problems: '' })
  })

  it('name the partner of each and the owner of each [PAIR-12, REASON-6]', () => {
    const items =
      '[{"kind":"reasoning"},{"kind":"call","callId":"a"},{"kind":"output","callId":"a"},{"kind":"output","callId":"a"},{"kind":"call","callId":"b","selfContained":true},{"kind":"reasoning"}]'
    const rows = (out: string): ReadonlyArray<string> =>
      out.replace(/ {2,}/g, ' ').trim().split('\n').slice(1)
    expect(rows(turnkeep(['pair'], items).out)).toEqual([
      '1 call a answered by 2',
      '2 output a answers 1',
      '3 output a answers no call that waits',
      '4 hosted call b carries its own result'
    ])
    expect(rows(turnkeep(['associate'], items).out)).toEqual([
      '0 reasoning 1 call',
      '5 reasoning nothing: it is trailing'
    ])
  })

  it('answer programs without being told the operation', () => {
    const items = '[{"kind":"reasoning"},{"kind":"call","callId":"a"},{"kind":"output","callId":"a"}]'
    expect(JSON.parse(turnkeep(['pair', '--json'], items).out)).toEqual({ pairs: [[1, 2]], unpaired: [] })
    expect(JSON.parse(turnkeep(['associate', '--json'], items).out)).toEqual({ owner: [1] })
  })
})

describe('--lines', () => {
  it('answers each line in its place, and ends with 2 when one could not be', () => {
    const lines = [
      '{"items":[{"kind":"message"}]}',
      'nope',
      '',
      '{"op":"pair","items":[]}',
      '[]',
      '{"op":"associate","items":[],"dialect":"responses"}'
    ]
    const { state, out, problems } = turnkeep(['plan', '--lines'], lines.join('\r\n'))
    const answers = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(answers).toMatchObject([
      { change: 'append', writes: [{ position: 0 }] },
      { error: { kind: 'not-json' } },
      { error: { kind: 'not-json' } },
      { pairs: [], unpaired: [] },
      { error: { kind: 'invalid-input', path: 'question' } },
      { owner: [] }
    ])
    expect(problems).toBe('turnkeep: 3 of 6 lines could not be answered, the first is line 2\n')
    expect(state).toBe(2)
  })

  it('ends with 0 when every line could be answered, and answers nothing with nothing', () => {
    expect(turnkeep(['pair', '--lines'], '{"items":[]}\n{"items":[]}\n').state).toBe(0)
    expect(turnkeep(['pair', '--lines'], '')).toEqual({ state: 0, out: '', problems: '' })
  })

  it('cuts lines at line feeds only', () => {
    const id = '\u2028\u0085'
    const { out } = turnkeep(['plan', '--lines'], `{"turn":"${id}","items":[]}\n`)
    expect(JSON.parse(out).after.turn).toBe(id)
  })

  it('answers a line before the next one is asked', async () => {
    const child = spawn(process.execPath, ['dist/cli/main.js', 'pair', '--lines'])
    const exited = once(child, 'exit')
    const answer = async (question: string): Promise<string> => {
      const answered = once(child.stdout, 'data')
      child.stdin.write(`${question}\n`)
      return String((await answered)[0])
    }
    expect(await answer('{"items":[]}')).toBe('{"pairs":[],"unpaired":[]}\n')
    expect(await answer('x')).toContain('"not-json"')
    child.stdin.end()
    expect((await exited)[0]).toBe(2)
  })

  it('stops without a word when nobody reads', async () => {
    const child = spawn(process.execPath, ['dist/cli/main.js', 'pair', '--lines'])
    let problems = ''
    child.stderr.on('data', (chunk) => {
      problems += String(chunk)
    })
    child.stdin.on('error', () => undefined)
    const closed = once(child, 'close')
    child.stdin.write('{"items":[]}\n')
    await once(child.stdout, 'data')
    child.stdout.destroy()
    child.stdin.end('{"items":[]}\n'.repeat(20_000))
    expect((await closed)[0]).toBe(0)
    expect(problems).toBe('')
  })
})

describe('turnkeep itself', () => {
  it('prints its version and its help', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
    expect(turnkeep(['--version'])).toEqual({ state: 0, out: `${version}\n`, problems: '' })
    for (const words of [['--help'], ['help'], ['plan', '--help']]) {
      const { state, out, problems } = turnkeep(words)
      expect([state, problems]).toEqual([0, ''])
      expect(out).toContain('Usage: turnkeep')
    }
    expect(turnkeep(['--help']).out).not.toContain('demo')
  })

  it('shows the main job: the table, the usual ways, and the bytes as they came', () => {
    const { state, out } = turnkeep(['demo'])
    const items: ReadonlyArray<unknown> = JSON.parse(text)
    expect(state).toBe(0)
    expect(out).toContain(turnkeep(['plan', '--outcome', 'rejected', turn]).out)
    const bytes = [0, 1, 2, 3, 6, 7, 8].map((position) => `${JSON.stringify(items[position])}\n`).join('')
    expect(out.endsWith(`one a line\n${bytes}`)).toBe(true)
    expect(out).toMatch(/^5 +message +- +x +- +-$/m)
    expect(out).toMatch(/^7 +call refund_payment +x +x +x +-$/m)
  })
})
