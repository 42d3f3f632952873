/**
 * Every `ts` block of the documents and every `@example` of the sources runs, and what it claims (`// => value`)
 * is so. Documents use the built package by its name, as a reader would; examples use the sources.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exportedValues, type Page, pageModule, readExamples, readMarkdown } from './support/documents.js'

const mostBlocksNotRun = 5

/** Inside the repository, so that `turnkeep` means this package; one per process, so that two runs do not meet. */
const folder = resolve(`test/.docs/${process.pid}`)

const filesBelow = (start: string, ending: string): ReadonlyArray<string> =>
  existsSync(start)
    ? readdirSync(start, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith(ending) && !name.includes('node_modules'))
        .sort()
        .map((name) => `${start}/${name}`)
    : []

const read = (file: string): string => readFileSync(file, 'utf8')

const documents: ReadonlyArray<Page> = [
  ...(existsSync('README.md') ? ['README.md'] : []),
  ...filesBelow('docs', '.md')
]
  .map((file) => readMarkdown(file, read(file)))
  .filter(({ blocks }) => blocks.length > 0)

const sources: ReadonlyArray<Page> = filesBelow('src', '.ts')
  .map((file) => readExamples(file, read(file)))
  .filter(({ blocks }) => blocks.length > 0)

/** An example speaks as its own module does, and may use what the package exports. */
const namesInScope = (file: string) => (used: ReadonlySet<string>) => {
  const lines: Array<string> = []
  const left = new Set(used)
  for (const module of [file, 'src/index.ts']) {
    if (!existsSync(module)) continue
    const names = exportedValues(read(module)).filter((name) => left.has(name))
    for (const name of names) left.delete(name)
    if (names.length > 0) lines.push(`import { ${names.join(', ')} } from ${JSON.stringify(resolve(module))}`)
  }
  return lines
}

interface Failure {
  readonly line: number
  readonly message: string
}

const moduleName = (file: string): string => file.replace(/[^A-Za-z0-9]+/g, '-')

const prepare = (pages: ReadonlyArray<Page>, isSource: boolean) =>
  pages.map((page) => ({ page, module: pageModule(page, isSource ? namesInScope(page.file) : () => []) }))

const prepared = [...prepare(documents, false), ...prepare(sources, true)]

const runPages = async (): Promise<ReadonlyMap<string, ReadonlyArray<Failure>>> => {
  const failures = new Map<string, ReadonlyArray<Failure>>()
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, 'here'), { recursive: true })
  if (existsSync('docs/examples'))
    cpSync('docs/examples', join(folder, 'here/docs/examples'), { recursive: true })
  const outputs = new Map<string, string>()
  for (const { page, module } of prepared) {
    const output = join(folder, `${moduleName(page.file)}.mjs`)
    try {
      await build({
        stdin: { contents: module.code, loader: 'ts', resolveDir: folder, sourcefile: page.file },
        outfile: output,
        bundle: true,
        packages: 'external',
        platform: 'node',
        format: 'esm',
        target: 'node20',
        logLevel: 'silent'
      })
      outputs.set(output, page.file)
    } catch (error) {
      failures.set(page.file, [{ line: page.blocks[0]?.line ?? 1, message: String(error) }])
    }
  }
  const run = spawnSync(process.execPath, [resolve('test/support/run-pages.mjs'), ...outputs.keys()], {
    cwd: join(folder, 'here'),
    encoding: 'utf8',
    timeout: 120_000
  })
  for (const line of run.stdout.split('\n').filter((text) => text !== '')) {
    const answer: { readonly page: string; readonly failures: ReadonlyArray<Failure> } = JSON.parse(line)
    failures.set(outputs.get(answer.page) ?? answer.page, answer.failures)
  }
  for (const file of outputs.values()) {
    if (!failures.has(file))
      failures.set(file, [{ line: 1, message: `never ended: ${run.error} ${run.stderr}` }])
  }
  return failures
}

describe('the documents', () => {
  let failures: ReadonlyMap<string, ReadonlyArray<Failure>> = new Map()
  beforeAll(async () => {
    failures = await runPages()
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  for (const { page, module } of prepared) {
    test(`${page.file}: ${page.blocks.length} blocks, ${module.claims} claims`, () => {
      const found = failures.get(page.file)?.map(({ line, message }) => `${page.file}:${line} ${message}`)
      expect([...module.mistakes, ...(found ?? ['was not run'])].join('\n\n')).toBe('')
    })
  }

  test(`leave at most ${mostBlocksNotRun} blocks out, each with its reason`, () => {
    const left = documents.flatMap(({ file, blocks }) =>
      blocks
        .filter(({ noRun }) => noRun !== undefined)
        .map(({ line, noRun }) => ({ place: `${file}:${line}`, noRun }))
    )
    expect(left.filter(({ noRun }) => noRun === '')).toEqual([])
    expect(left.length, left.map(({ place, noRun }) => `${place} ${noRun}`).join('\n')).toBeLessThanOrEqual(
      mostBlocksNotRun
    )
  })
})

describe('reading documents', () => {
  const fence = '```'
  const text = [
    '# A page',
    `${fence}ts`,
    'const a = 1',
    'a // => 1',
    fence,
    `${fence}json`,
    '{}',
    fence
  ].join('\n')

  test('finds ts blocks with their line', () => {
    expect(readMarkdown('a.md', text).blocks).toEqual([{ line: 3, code: 'const a = 1\na // => 1' }])
  })

  test('finds why a block is not run', () => {
    const page = readMarkdown('a.md', `${fence}ts no-run needs a key\nsend()\n${fence}\n`)
    expect(page.blocks).toEqual([{ line: 2, code: 'send()', noRun: 'needs a key' }])
  })

  test('finds examples with their line', () => {
    const page = readExamples(
      'a.ts',
      '/** Law. */\n\n/**\n * Adds.\n *\n * @example\n * add(1, 2) // => 3\n */\nexport const add = 1\n'
    )
    expect(page.blocks).toEqual([{ line: 6, code: '\nadd(1, 2) // => 3\n' }])
  })

  test('checks a claim at the end of a line, below it, over several lines, of a name and of a printed value', () => {
    const code = [
      '1 + 1 // => 2',
      "'a'",
      '// => "a"',
      'const b = [1] // => [',
      '//   1',
      '//  ]',
      'console.log(3) // => 3'
    ]
    const module = pageModule({ file: 'a.md', blocks: [{ line: 10, code: code.join('\n') }] }, () => [])
    expect(module.mistakes).toEqual([])
    expect(module.claims).toBe(4)
    const checks = module.code.replaceAll('\n', ' ').match(/check\(\d+, [^;]*\)/g)
    expect(checks).toEqual([
      'check(10, 1 + 1, (2 ))',
      `check(12, 'a', ("a" ))`,
      'check(13, b, ([    1   ] ))',
      'check(16, 3, (3 ))'
    ])
  })

  test('reports a claim that nothing shows, and one that is no expression', () => {
    const code = 'if (true) {\n  1 // => 1\n}\n2 // => two things'
    expect(pageModule({ file: 'a.md', blocks: [{ line: 1, code }] }, () => []).mistakes).toEqual([
      "a.md:4 claims 'two things', which is no expression",
      'a.md:2 claims a value that no top-level expression shows'
    ])
  })

  test('lets blocks import the same name twice from one place only', () => {
    const block = (line: number, code: string) => ({ line, code })
    const same = "import { audit } from 'turnkeep'"
    const other = "import { audit } from 'elsewhere'"
    const once = pageModule({ file: 'a.md', blocks: [block(1, same), block(5, same)] }, () => [])
    expect([once.mistakes.length, once.code.match(/import/g)?.length]).toEqual([0, 1])
    const twice = pageModule({ file: 'a.md', blocks: [block(1, same), block(5, other)] }, () => [])
    expect(twice.mistakes).toEqual(["a.md:5 imports 'audit' a second time, from another place"])
  })

  test('runs the pages in a process that tells a false claim and its line', () => {
    const run = spawnSync(process.execPath, ['test/support/run-pages.mjs', 'test/support/false-claims.mjs'], {
      encoding: 'utf8'
    })
    const answer: { readonly failures: ReadonlyArray<Failure> } = JSON.parse(run.stdout)
    expect(answer.failures.map(({ line }) => line)).toEqual([7, 9])
  })
})
