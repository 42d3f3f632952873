/**
 * Which figures does noise not touch, and what were they when they were last kept?
 *
 * Law: reads of items, bytes per call, bytes of a bundle, modules: counted on the built package, never timed. The
 * tests compare them with recorded.json, which `npm run bench -- --record` writes. Bytes per call depend on V8 and are
 * kept per major version of Node.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { entries } from '../scripts/entries.mjs'
import { orThrow, planSave, planToJSON, rejected } from '../dist/index.js'
import { bytesFlags } from './meters.mjs'
import { makeTurn, shapeNames } from './shapes.mjs'

const root = fileURLToPath(new URL('../', import.meta.url))
const file = new URL('recorded.json', import.meta.url)

const turnSize = 1_000

/** Reads of properties that one plan of a rejected turn costs, with every list of the answer made, per shape. */
export const countReads = () => {
  const counts = {}
  for (const shape of shapeNames) {
    let reads = 0
    const count = (target, name) => {
      reads += 1
      return Reflect.get(target, name)
    }
    const items = makeTurn(shape, turnSize).map((item) => new Proxy(item, { get: count }))
    planToJSON(orThrow(planSave({ turn: 'turn', items, outcome: rejected('message') })))
    counts[shape] = reads
  }
  return counts
}

/** Bytes that one plan of a rejected turn allocates, per shape and size; each shape in a process of its own. */
export const measureBytes = () => {
  const worker = fileURLToPath(new URL('worker.mjs', import.meta.url))
  const found = {}
  for (const shape of shapeNames) {
    const request = { role: 'bytes', shape, sizes: [20, turnSize], cases: [], budget: 0 }
    const run = spawnSync(process.execPath, [...bytesFlags, worker, JSON.stringify(request)], {
      encoding: 'utf8'
    })
    if (run.status !== 0) throw new Error(`bench/worker.mjs ended with ${run.status}: ${run.stderr}`)
    for (const line of run.stdout.trim().split('\n')) {
      const { size, allocated } = JSON.parse(line)
      found[`${shape}, ${size}`] = allocated === null ? null : Math.round(allocated)
    }
  }
  return found
}

/** What a program that uses one name, or a whole entry, has to load. */
const bundle = async (contents) => {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    external: ['@openai/agents-core', 'ai'],
    write: false,
    logLevel: 'silent'
  })
  return gzipSync(outputFiles[0].contents, { level: 9 }).length
}

const parts = ['retain', 'planSave', 'saveTurn', 'trackTurn', 'audit', 'repair']

/** Bytes after bundling, minifying and gzip: of each entry with what it needs, and of one function of the core alone. */
export const measureSizes = async () => {
  const sizes = {}
  // The conformance entry is the vectors, which grow with the specification.
  for (const { subpath, name } of entries().filter(({ subpath }) => subpath !== './conformance'))
    sizes[subpath] = await bundle(`export * from './dist/${name}.js'`)
  for (const part of parts) sizes[`. { ${part} }`] = await bundle(`export { ${part} } from './dist/index.js'`)
  return sizes
}

const listScript = `
  import { register } from 'node:module'
  const hook = "export const load = (url, context, next) => { if (url.startsWith('file:')) process._rawDebug(url); return next(url, context) }"
  register('data:text/javascript,' + encodeURIComponent(hook))
  await import(process.argv[1])
`

/** The files that importing an entry loads, below the repository. */
export const listModules = (subpath) => {
  const specifier = `turnkeep${subpath.slice(1)}`
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', listScript, specifier], {
    cwd: root,
    encoding: 'utf8'
  })
  if (run.status !== 0) throw new Error(`importing ${specifier} ended with ${run.status}: ${run.stderr}`)
  return run.stderr
    .split('\n')
    .filter((url) => url.startsWith('file:'))
    .map((url) => fileURLToPath(url).slice(root.length))
    .sort()
}

/** What is kept. */
export const readRecord = () => JSON.parse(readFileSync(file, 'utf8'))

/** The major version of Node that runs. */
export const nodeMajor = process.versions.node.split('.')[0]

/** Measures everything and keeps it; the bytes of other versions of Node stay. Answers with the version. */
export const keepRecord = async () => {
  let kept = { bytes: {} }
  try {
    kept = readRecord()
  } catch {
    // Nothing is kept yet.
  }
  const bytes = { ...kept.bytes, [nodeMajor]: measureBytes() }
  const record = { reads: countReads(), bytes, sizes: await measureSizes() }
  writeFileSync(file, `${JSON.stringify(record, null, 2)}\n`)
  return nodeMajor
}
