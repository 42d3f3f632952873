/** The reference page says what the dialects do. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { referenceTables } from './reference.js'

describe('docs/reference/dialects.md', () => {
  const page = readFileSync('docs/reference/dialects.md', 'utf8')

  test.each([...referenceTables])('holds the table %s as it is', (name, table) => {
    const [, between] = page.split(`<!-- table ${name} -->\n`)
    expect(between?.split('\n<!-- end -->')[0]).toBe(table)
  })

  test('holds no table that is not checked', () => {
    const names = [...page.matchAll(/<!-- table (\S+) -->/g)].map((match) => match[1])
    expect(names).toEqual([...referenceTables.keys()])
  })
})
