import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const script = fileURLToPath(new URL('../../scripts/demo.mjs', import.meta.url))

test('the demo makes two refunds with the SDK and one with turnkeep, streamed or not, and says so in plain text', () => {
  const run = spawnSync(process.execPath, [script], {
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' }
  })
  expect(run.stderr).toBe('')
  expect(run.status).toBe(0)
  const refunds = [...run.stdout.matchAll(/│ ((?:the SDK|turnkeep), \w+) +│.*│ (\d) x/g)].map(
    ([, way, count]) => [way, count]
  )
  expect(refunds).toEqual([
    ['the SDK, run', '2'],
    ['the SDK, stream', '2'],
    ['turnkeep, run', '1'],
    ['turnkeep, stream', '1']
  ])
  expect(run.stdout).not.toContain('4242')
})

test('on a terminal it is coloured', () => {
  const env: NodeJS.ProcessEnv = { ...process.env, FORCE_COLOR: '1' }
  delete env['NO_COLOR']
  const run = spawnSync(process.execPath, [script], { encoding: 'utf8', env })
  expect(run.stdout).toContain('\u001b[32m1 x')
  expect(run.stdout).toContain('\u001b[31m2 x')
})
