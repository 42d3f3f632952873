/** The import table is what the sources do, and the checker sees each way to break it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { entries } from '../scripts/entries.mjs'
import { checkArchitecture, type Violation } from './support/architecture.js'

const readSources = (): ReadonlyMap<string, string> => {
  const sources = new Map<string, string>()
  for (const name of readdirSync('src', { recursive: true, encoding: 'utf8' }).sort()) {
    if (name.endsWith('.ts')) sources.set(`src/${name}`, readFileSync(`src/${name}`, 'utf8'))
  }
  return sources
}

const law = '/** Law: a planted file. */\n'

/** Violations of small planted sources, each of which opens as it should. */
const check = (files: Readonly<Record<string, string>>): ReadonlyArray<string> => {
  const sources = new Map(Object.entries(files).map(([file, text]) => [file, law + text]))
  return checkArchitecture(sources).map(({ rule, file }) => `${rule} ${file}`)
}

describe('the sources', () => {
  test('keep the import table', () => {
    const sources = readSources()
    expect(sources.size).toBeGreaterThan(4)
    expect(checkArchitecture(sources)).toEqual([])
  })

  test('exist for every exported subpath', () => {
    const missing = entries().filter(({ source }) => !existsSync(source))
    expect(missing.map(({ subpath, source }) => `${subpath}: ${source}`)).toEqual([])
  })
})

describe('the checker', () => {
  const item = 'export interface Item {}\n'
  const cases: ReadonlyArray<
    readonly [rule: Violation['rule'], where: string, files: Readonly<Record<string, string>>]
  > = [
    [
      'layer',
      'src/core/pair.ts',
      { 'src/core/pair.ts': "import { a } from '../ports/a.js'", 'src/ports/a.ts': '' }
    ],
    [
      'layer',
      'src/save/apply.ts',
      { 'src/save/apply.ts': "import('../dialects/x.js')", 'src/dialects/x.ts': '' }
    ],
    [
      'layer',
      'src/runners/run.ts',
      { 'src/runners/run.ts': "import '../sessions/x.js'", 'src/sessions/x.ts': '' }
    ],
    ['layer', 'src/sessions/x.ts', { 'src/sessions/x.ts': "import '../save/x.js'", 'src/save/x.ts': '' }],
    ['layer', 'src/index.ts', { 'src/index.ts': "import '../src/dialects/x.js'", 'src/dialects/x.ts': '' }],
    ['layer', 'src/cli/main.ts', { 'src/cli/main.ts': "import '../../test/support/builders.js'" }],
    ['layer', 'src/core/plan.ts', { 'src/core/plan.ts': "import '../../bench/baseline/seed.js'" }],
    [
      'layer',
      'src/core/plan.ts',
      { 'src/core/plan.ts': "type A = import('../save/x.js').A", 'src/save/x.ts': '' }
    ],
    ['ladder', 'src/core/pair.ts', { 'src/core/pair.ts': "import './plan.js'", 'src/core/plan.ts': '' }],
    ['ladder', 'src/core/queue.ts', { 'src/core/queue.ts': '' }],
    ['dialect', 'src/dialects/a.ts', { 'src/dialects/a.ts': "import './b.js'", 'src/dialects/b.ts': '' }],
    [
      'types-only',
      'src/ports/a.ts',
      { 'src/ports/a.ts': "import { type A, b } from '../core/item.js'", 'src/core/item.ts': item }
    ],
    ['index', 'src/cli/main.ts', { 'src/cli/main.ts': "import '../index.js'", 'src/index.ts': '' }],
    ['unresolved', 'src/cli/main.ts', { 'src/cli/main.ts': "import './gone.js'" }],
    ['specifier', 'src/core/pair.ts', { 'src/core/pair.ts': "import './item'", 'src/core/item.ts': item }],
    ['package', 'src/core/pair.ts', { 'src/core/pair.ts': "import * as t from 'io-ts'" }],
    ['package', 'src/core/pair.ts', { 'src/core/pair.ts': "import * as T from 'fp-ts/lib/TaskEither.js'" }],
    ['package', 'src/save/apply.ts', { 'src/save/apply.ts': "import { pipe } from 'fp-ts/function'" }],
    ['package', 'src/save/apply.ts', { 'src/save/apply.ts': "import { option } from 'fp-ts'" }],
    ['package', 'src/dialects/a.ts', { 'src/dialects/a.ts': "import * as t from 'io-ts/es6/index.js'" }],
    ['package', 'src/sessions/sqlite.ts', { 'src/sessions/sqlite.ts': "import { readFile } from 'node:fs'" }],
    [
      'package',
      'src/runners/run.ts',
      { 'src/runners/run.ts': "import type { Session } from '@openai/agents-core'" }
    ],
    [
      'export-star',
      'src/runners/index.ts',
      { 'src/runners/index.ts': "export * from './run.js'", 'src/runners/run.ts': '' }
    ],
    ['default-export', 'src/save/apply.ts', { 'src/save/apply.ts': 'export default 1' }],
    [
      'cycle',
      'src/save/a.ts',
      { 'src/save/a.ts': "import './b.js'", 'src/save/b.ts': "import type { A } from './a.js'" }
    ],
    ['name', 'src/save/utils.ts', { 'src/save/utils.ts': '' }],
    ['name', 'src/save/common/a.ts', { 'src/save/common/a.ts': '' }],
    ['ambient', 'src/core/plan.ts', { 'src/core/plan.ts': 'export const now = () => Date.now()' }],
    ['ambient', 'src/core/plan.ts', { 'src/core/plan.ts': 'export const draw = () => Math.random()' }],
    ['ambient', 'src/core/plan.ts', { 'src/core/plan.ts': 'export type Later = Promise<number>' }],
    [
      'ambient',
      'src/core/plan.ts',
      { 'src/core/plan.ts': 'export const copy = (a: string) => JSON.parse(a)' }
    ],
    ['ambient', 'src/core/plan.ts', { 'src/core/plan.ts': 'console.log(1)' }],
    ['ambient', 'src/core/plan.ts', { 'src/core/plan.ts': 'export const where = process.cwd()' }],
    ['unfinished', 'src/save/apply.ts', { 'src/save/apply.ts': '// TO' + 'DO' }]
  ]

  test.each(cases)('finds %s in %s: %o', (rule, where, files) => {
    expect(check(files)).toEqual([`${rule} ${where}`])
  })

  test('finds a file without an opening comment', () => {
    const found = checkArchitecture(new Map([['src/save/apply.ts', 'export const a = 1\n']]))
    expect(found.map(({ rule }) => rule)).toEqual(['opening'])
  })

  test('lets the table itself stand', () => {
    const allowed = {
      'src/core/item.ts': item,
      'src/core/pair.ts':
        "import type { Item } from './item.js'\n// Date and JSON in a comment, 'process' in a string",
      'src/ports/dialect.ts':
        "import type { Either } from 'fp-ts/lib/Either.js'\nimport type { Item } from '../core/item.js'",
      'src/dialects/wire/blocks.ts': "import '../../core/item.js'",
      'src/dialects/anthropic.ts':
        "import * as t from 'io-ts'\nimport './wire/blocks.js'\nimport './anthropic/rebuild.js'\nimport '../core/item.js'",
      'src/dialects/anthropic/rebuild.ts': "import { failure } from 'io-ts/lib/PathReporter.js'",
      'src/save/apply.ts': "import '../core/pair.js'\nimport '../ports/dialect.js'",
      'src/runners/openai-agents.ts':
        "import '../save/apply.js'\nimport type { Session } from '@openai/agents-core'",
      'src/sessions/memory.ts': "import '../ports/dialect.js'\nimport type { Item } from '../core/item.js'",
      'src/conformance/vectors.ts':
        "import '../dialects/anthropic.js'\nimport vectors from '../../docs/spec/vectors.json' with { type: 'json' }",
      'src/cli/main.ts':
        "import { readFileSync } from 'node:fs'\nimport '../conformance/vectors.js'\nimport 'commander'",
      'src/index.ts': "export type { Item } from './core/item.js'\nexport { a } from './save/apply.js'"
    }
    expect(check(allowed)).toEqual([])
  })
})
