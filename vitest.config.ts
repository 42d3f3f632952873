import { defineConfig } from 'vitest/config'
import { countsReporter } from './test/support/reporter.js'

// Tests that use what was built: the only ones that wait for a build.
const builtTests = ['test/{docs,pack,purity}.test.ts', 'test/cli/**/*.test.ts', 'test/built/**/*.test.ts']

export default defineConfig({
  test: {
    reporters: ['default', countsReporter()],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['src/cli/**'],
      reporter: ['text', 'json-summary'],
      thresholds: { 'src/core/**': { lines: 100, branches: 100, functions: 100, statements: 100 } }
    },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.prop.test.ts', ...builtTests],
          testTimeout: 30_000,
          hookTimeout: 120_000
        }
      },
      {
        test: {
          name: 'property',
          include: ['test/**/*.prop.test.ts'],
          setupFiles: ['test/support/property.ts'],
          testTimeout: 120_000
        }
      },
      {
        test: {
          name: 'types',
          include: [],
          typecheck: {
            enabled: true,
            only: true,
            include: ['test/types/**/*.test-d.ts'],
            tsconfig: './tsconfig.json'
          }
        }
      },
      {
        test: {
          name: 'package',
          include: builtTests,
          globalSetup: ['test/support/built.ts'],
          testTimeout: 60_000,
          hookTimeout: 180_000
        }
      }
    ]
  }
})
