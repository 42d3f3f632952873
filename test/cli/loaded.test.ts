/**
 * A command loads only what it needs, so that it starts at once. Which modules are loaded is counted, never timed.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const scratch = mkdtempSync(join(tmpdir(), 'turnkeep-loaded-'))
const [hook, start, list] = ['hook.mjs', 'start.mjs', 'list'].map((name) => join(scratch, name)) as [
  string,
  string,
  string
]

beforeAll(() => {
  writeFileSync(
    hook,
    `import { appendFileSync } from 'node:fs'
    export const load = (url, context, next) => {
      appendFileSync(${JSON.stringify(list)}, url + '\\n')
      return next(url, context)
    }`
  )
  writeFileSync(
    start,
    `import { register } from 'node:module'\nregister(${JSON.stringify(`file://${hook}`)})`
  )
})
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

/** The packages, and the chunks with a name of their own, that a run loads. */
const loadedBy = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  writeFileSync(list, '')
  const main = resolve('dist/cli/main.js')
  const run = spawnSync(process.execPath, ['--import', start, main, ...words], { encoding: 'utf8' })
  expect(run.stderr).not.toContain('could not be done')
  const urls = readFileSync(list, 'utf8')
    .split('\n')
    .filter((url) => url.startsWith('file:'))
  const names = urls.map((url) => {
    const inPackage = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)
    return inPackage?.[1] ?? basename(url).replace(/-[A-Z0-9]{8}\.js$/, '')
  })
  return [...new Set(names)].filter((name) => !name.startsWith('chunk') && name !== 'main.js').sort()
}

const packages = ['commander', 'picocolors']
const refused = 'docs/examples/refused-request.json'

describe('what is loaded', () => {
  it.each([
    [['--version'], []],
    [['why', 'No tool output found for function call c1.'], ['why']],
    [
      ['why', 'No tool output found for function call c1.', refused],
      ['chat-completions', 'table', 'why']
    ],
    [[refused], ['audit', 'chat-completions', 'table']],
    [
      ['repair', refused],
      ['chat-completions', 'repair', 'table']
    ],
    [
      ['repair', '--diff', refused],
      ['chat-completions', 'diff', 'repair', 'table']
    ],
    [
      ['repair', '--json', refused],
      ['chat-completions', 'repair']
    ],
    [
      ['shape', refused],
      ['chat-completions', 'shape']
    ]
  ])('by turnkeep %j', (words, names) => {
    const loaded = loadedBy(words)
    const tables = loaded.includes('cli-table3')
    expect(tables).toBe(names.includes('table'))
    const own = loaded.filter((name) => !['cli-table3', 'string-width', ...packages].includes(name))
    const dialects = [
      'chat-completions',
      'anthropic',
      'gemini',
      'langchain',
      'ai-sdk',
      'ai-sdk-ui',
      'responses',
      'agents-js',
      'agents-python',
      'neutral'
    ]
    const known = [
      ...dialects,
      'audit',
      'repair',
      'why',
      'shape',
      'plan',
      'pair',
      'conform',
      'associate',
      'demo',
      'table',
      'diff'
    ]
    expect(own.filter((name) => known.includes(name))).toEqual(names)
  })
})
