import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'tsup'
import { entries } from './scripts/entries.mjs'

// scripts/build.mjs chooses the folder, so that a finished build can take the place of the old one at once.
const folder = process.env['TURNKEEP_OUT'] ?? 'dist'
const declarations = process.env['TURNKEEP_DECLARATIONS'] !== 'no'

const library = Object.fromEntries(
  entries()
    .filter(({ source }) => existsSync(source))
    .map(({ name, source }) => [name, source])
)
const commandLine = 'src/cli/main.ts'

export default defineConfig([
  {
    entry: library,
    outDir: folder,
    tsconfig: 'tsconfig.build.json',
    format: ['esm', 'cjs'],
    target: 'es2022',
    platform: 'neutral',
    dts: declarations ? { compilerOptions: { ignoreDeprecations: '6.0' } } : false,
    splitting: false,
    sourcemap: false,
    clean: false,
    silent: true,
    noExternal: [/^fp-ts(\/|$)/],
    esbuildOptions(options) {
      options.alias = { 'fp-ts/lib': 'fp-ts/es6' }
    }
  },
  ...(existsSync(commandLine)
    ? [
        {
          entry: { main: commandLine },
          outDir: join(folder, 'cli'),
          tsconfig: 'tsconfig.cli.json',
          format: ['esm' as const],
          target: 'node20',
          platform: 'node' as const,
          dts: false,
          splitting: true,
          sourcemap: false,
          clean: false,
          silent: true,
          noExternal: [/^fp-ts(\/|$)/, /^io-ts(\/|$)/],
          esbuildOptions(options: { alias?: Record<string, string> }) {
            options.alias = {
              'fp-ts/lib': 'fp-ts/es6',
              'io-ts/lib': 'io-ts/es6',
              'io-ts': 'io-ts/es6/index.js'
            }
          }
        }
      ]
    : [])
])
