// Which source file stands behind which subpath. The `exports` of package.json are the only list: an entry
// `./dist/X.js` is built from `src/X.ts`.
import { readFileSync } from 'node:fs'

const root = new URL('../', import.meta.url)

/** The parsed package.json. */
export const manifest = () => JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))

/** Every code subpath as `{ subpath, name, source }`, where `name` is the path below dist without its ending. */
export const entries = () => {
  const found = []
  for (const [subpath, target] of Object.entries(manifest().exports)) {
    if (typeof target === 'string') continue
    const name = target.import.default.replace(/^\.\/dist\//, '').replace(/\.js$/, '')
    found.push({ subpath, name, source: `src/${name}.ts` })
  }
  return found
}
