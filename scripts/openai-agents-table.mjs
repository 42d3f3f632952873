// Writes the tables of docs/explanation/openai-agents.md anew: `node scripts/openai-agents-table.mjs`.
// Every row is run with a scripted model; the same rows are tests.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = new URL('../', import.meta.url)
const page = new URL('docs/explanation/openai-agents.md', root)
const bundle = new URL('node_modules/.cache/turnkeep/agents-table.mjs', root)

await build({
  entryPoints: [fileURLToPath(new URL('test/support/agents-table.ts', root))],
  outfile: fileURLToPath(bundle),
  bundle: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
  logLevel: 'error'
})
const { makeTables } = await import(bundle.href)
const [head] = readFileSync(page, 'utf8').split('<!-- generated below -->')
writeFileSync(page, `${head}<!-- generated below -->\n\n${await makeTables()}`)
