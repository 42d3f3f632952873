import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { makeTables } from '../support/agents-table.js'

test('the page about the OpenAI Agents SDK shows what its rows leave today', async () => {
  const page = readFileSync(new URL('../../docs/explanation/openai-agents.md', import.meta.url), 'utf8')
  const [, generated = ''] = page.split('<!-- generated below -->')
  // Written anew by `node scripts/openai-agents-table.mjs`.
  expect(generated.trim()).toBe((await makeTables()).trim())
})
