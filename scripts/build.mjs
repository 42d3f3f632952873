// Builds dist: `node scripts/build.mjs [--js] [--if-stale]`.
// --js leaves the declarations out (about a second); --if-stale does nothing when no source has changed.
// The build is written beside dist and takes its place at the end, so that a reader never meets half of one.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))
const stampFile = join(root, 'node_modules/.cache/turnkeep/build.json')
const inputs = [
  'src',
  'docs/spec',
  'scripts/entries.mjs',
  'package.json',
  'tsup.config.ts',
  'tsconfig.json',
  'tsconfig.build.json'
]

const fingerprint = () => {
  const hash = createHash('sha256')
  for (const input of inputs) {
    const path = join(root, input)
    if (!existsSync(path)) continue
    const files = statSync(path).isDirectory()
      ? readdirSync(path, { recursive: true })
          .map((name) => join(path, name))
          .sort()
      : [path]
    for (const file of files)
      if (statSync(file).isFile()) hash.update(file).update('\0').update(readFileSync(file)).update('\0')
  }
  return hash.digest('hex')
}

const isFresh = (mark, declarations) => {
  if (!existsSync(join(root, 'dist')) || !existsSync(stampFile)) return false
  const stamp = JSON.parse(readFileSync(stampFile, 'utf8'))
  return stamp.mark === mark && (stamp.declarations || !declarations)
}

const replaceDist = (built) => {
  for (let attempt = 1; ; attempt += 1) {
    rmSync(join(root, 'dist'), { recursive: true, force: true })
    try {
      renameSync(built, join(root, 'dist'))
      return
    } catch (error) {
      // Another build finished between the two steps.
      if (error.code !== 'ENOTEMPTY' || attempt === 5) throw error
    }
  }
}

/** Builds, and throws when the build fails. */
export const build = ({ declarations = true, onlyIfStale = false } = {}) => {
  const mark = fingerprint()
  if (onlyIfStale && isFresh(mark, declarations)) return
  const next = `dist.${process.pid}`
  try {
    const run = spawnSync(process.execPath, [join(root, 'node_modules/tsup/dist/cli-default.js')], {
      cwd: root,
      env: { ...process.env, TURNKEEP_OUT: next, TURNKEEP_DECLARATIONS: declarations ? 'yes' : 'no' },
      encoding: 'utf8'
    })
    if (run.status !== 0) throw new Error(`the build failed\n${run.stdout}${run.stderr}`)
    const main = join(root, next, 'cli/main.js')
    if (existsSync(main)) chmodSync(main, 0o755)
    replaceDist(join(root, next))
    mkdirSync(join(stampFile, '..'), { recursive: true })
    writeFileSync(stampFile, JSON.stringify({ mark, declarations }))
  } finally {
    rmSync(join(root, next), { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    build({ declarations: !process.argv.includes('--js'), onlyIfStale: process.argv.includes('--if-stale') })
  } catch (error) {
    console.error(error.message)
    process.exitCode = 1
  }
}
