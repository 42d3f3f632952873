/**
 * How does the bench use a TypeScript module of this repository?
 *
 * Law: bundles it to a file below node_modules, so that its packages are found, and imports that.
 */
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('../', import.meta.url))

/** The module at a path below the repository. */
export const importTypescript = async (path) => {
  const outfile = join(
    root,
    'node_modules/.cache/turnkeep/bench',
    `${path.replaceAll('/', '-')}.${process.pid}.mjs`
  )
  await build({
    entryPoints: [join(root, path)],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'silent'
  })
  return import(pathToFileURL(outfile).href)
}
