/**
 * The tarball, used as a stranger would: every subpath from ESM, from CommonJS and through a bundler, and the
 * command. It is laid beside copies of its own dependencies, so nothing is fetched.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { entries, manifest } from '../scripts/entries.mjs'

interface Packed {
  readonly filename: string
  readonly size: number
  readonly files: ReadonlyArray<{ readonly path: string }>
}

interface LockEntry {
  readonly dev?: boolean
  readonly peer?: boolean
  readonly devOptional?: boolean
}

/** What a subpath needs besides turnkeep; every other subpath must load without it. */
const peerOf: Readonly<Record<string, string>> = {
  './openai-agents': '@openai/agents-core',
  './ai-sdk': 'ai'
}

const subpaths = entries().map(({ subpath }) => subpath)
const specifier = (subpath: string): string => `turnkeep${subpath.slice(1)}`

let home = ''
let packed: Packed = { filename: '', size: 0, files: [] }

const productionFolders = (): ReadonlyArray<string> => {
  const lock: { readonly packages: Readonly<Record<string, LockEntry>> } = JSON.parse(
    readFileSync('package-lock.json', 'utf8')
  )
  return Object.entries(lock.packages)
    .filter(([path, { dev, peer, devOptional }]) => path !== '' && !dev && !peer && !devOptional)
    .map(([path]) => path)
    .filter((path) => existsSync(path))
}

/** A folder in which turnkeep is installed with its dependencies; with its peers only when asked. */
const install = (name: string, withPeers: boolean): string => {
  const folder = join(home, name)
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  for (const path of productionFolders()) cpSync(path, join(folder, path), { recursive: true })
  execFileSync('tar', ['-xzf', join(home, packed.filename), '-C', join(folder, 'node_modules')])
  cpSync(join(folder, 'node_modules/package'), join(folder, 'node_modules/turnkeep'), { recursive: true })
  rmSync(join(folder, 'node_modules/package'), { recursive: true })
  if (withPeers) {
    for (const peer of Object.keys(manifest().peerDependencies)) {
      const link = join(folder, 'node_modules', peer)
      mkdirSync(dirname(link), { recursive: true })
      symlinkSync(resolve('node_modules', peer), link, 'dir')
    }
  }
  return folder
}

const run = (folder: string, file: string) => {
  const result = spawnSync(process.execPath, [file], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' }
  })
  return { status: result.status, output: result.stdout.trim(), error: result.stderr.trim() }
}

/** Loads one subpath three ways; each prints the sorted names that the subpath exports. */
const load = async (folder: string, subpath: string) => {
  const name = specifier(subpath)
  const file = `load${subpath.replace(/\W+/g, '-')}`
  const print =
    "console.log(Object.keys(loaded).filter((key) => key !== 'default' && key !== '__esModule' && key !== 'module.exports').sort().join())"
  writeFileSync(join(folder, `${file}.mjs`), `import * as loaded from '${name}'\n${print}\n`)
  writeFileSync(join(folder, `${file}.cjs`), `const loaded = require('${name}')\n${print}\n`)
  const bundle = `${file}.bundle.mjs`
  await build({
    entryPoints: [join(folder, `${file}.mjs`)],
    outfile: join(folder, bundle),
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    external: Object.keys(manifest().peerDependencies),
    logLevel: 'silent'
  })
  return { esm: run(folder, `${file}.mjs`), cjs: run(folder, `${file}.cjs`), bundle: run(folder, bundle) }
}

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'turnkeep-pack-'))
  const answer = execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', home], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore']
  })
  const parsed: ReadonlyArray<Packed> | Readonly<Record<string, Packed>> = JSON.parse(answer)
  const [first] = Object.values(parsed)
  if (first === undefined) throw new Error('npm pack named no tarball')
  packed = first
})

afterAll(() => rmSync(home, { recursive: true, force: true }))

describe('the tarball', () => {
  test('holds every file that package.json names; declarations come from `npm run build`', () => {
    const paths = new Set(packed.files.map(({ path }) => `./${path}`))
    const named = Object.values(manifest().exports).flatMap((target) =>
      typeof target === 'string'
        ? [target]
        : Object.values(target).flatMap((condition) => Object.values(condition))
    )
    named.push(...Object.values(manifest().bin), './LICENSE', './NOTICE', './CHANGELOG.md')
    expect(named.filter((path) => !paths.has(path))).toEqual([])
  })

  test('holds no source, test or bench', () => {
    const strangers = packed.files.filter(({ path }) =>
      /^(src|test|bench|scripts|node_modules|\.ci)\//.test(path)
    )
    expect(strangers).toEqual([])
  })

  test('carries the licence of every package whose code is copied into dist', () => {
    const notice = readFileSync('NOTICE', 'utf8')
    for (const name of ['fp-ts', 'io-ts']) {
      expect(notice).toContain(readFileSync(`node_modules/${name}/LICENSE`, 'utf8').trim())
    }
  })

  test('is installed from a lock that names no registry', () => {
    expect(readFileSync('package-lock.json', 'utf8')).not.toMatch(/"resolved": "http/)
  })
})

describe('without the optional peers', () => {
  let folder = ''
  beforeAll(() => {
    folder = install('bare', false)
  })

  test.each(subpaths.filter((subpath) => peerOf[subpath] === undefined))(
    '%s loads from ESM, CommonJS and a bundle',
    async (subpath) => {
      const { esm, cjs, bundle } = await load(folder, subpath)
      expect([esm.error, cjs.error, bundle.error]).toEqual(['', '', ''])
      expect(esm.output).not.toBe('')
      expect([cjs.output, bundle.output]).toEqual([esm.output, esm.output])
    }
  )

  test.each(Object.entries(peerOf))('%s loads, or misses nothing but %s', (subpath, peer) => {
    writeFileSync(join(folder, 'peer.mjs'), `import '${specifier(subpath)}'\n`)
    const { status, error } = run(folder, 'peer.mjs')
    if (status !== 0) expect(error).toContain(`Cannot find package '${peer}'`)
    expect(subpaths).toContain(subpath)
  })

  test('the command starts, and tells its version', () => {
    const command = join(folder, 'node_modules/turnkeep', manifest().bin['turnkeep'] ?? '')
    expect(readFileSync(command, 'utf8').split('\n')[0]).toBe('#!/usr/bin/env node')
    const link = join(folder, 'turnkeep')
    symlinkSync(command, link)
    expect(statSync(link).mode & 0o111).toBe(0o111)
    const { status, stdout, stderr } = spawnSync(link, ['--version'], { cwd: folder, encoding: 'utf8' })
    expect({ status, stdout: stdout.trim(), stderr }).toEqual({
      status: 0,
      stdout: manifest().version,
      stderr: ''
    })
  })

  test('the specification can be read as data', () => {
    const specification = Object.keys(manifest().exports).filter((subpath) => subpath.startsWith('./spec/'))
    const read = specification.map((subpath) => `typeof require('${specifier(subpath)}')`).join(', ')
    writeFileSync(join(folder, 'spec.cjs'), `console.log([${read}].join())\n`)
    expect(run(folder, 'spec.cjs')).toEqual({
      status: 0,
      output: specification.map(() => 'object').join(),
      error: ''
    })
  })
})

describe('with the optional peers', () => {
  test.each(Object.keys(peerOf))('%s loads from ESM, CommonJS and a bundle', async (subpath) => {
    const folder = existsSync(join(home, 'peers')) ? join(home, 'peers') : install('peers', true)
    const { esm, cjs, bundle } = await load(folder, subpath)
    expect([esm.error, cjs.error, bundle.error]).toEqual(['', '', ''])
    expect(esm.output).not.toBe('')
    expect([cjs.output, bundle.output]).toEqual([esm.output, esm.output])
  })
})
