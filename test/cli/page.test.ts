/**
 * Every example of the command line's reference page prints what the page shows.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { shell } from '../support/command.js'

const page = readFileSync('docs/reference/command-line.md', 'utf8')
const scratch = mkdtempSync(join(tmpdir(), 'turnkeep-page-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

interface Example {
  readonly command: string
  readonly shown: string
}

const examples: ReadonlyArray<Example> = [...page.matchAll(/```console\n([\s\S]*?)```/g)].flatMap(
  ([, block]) =>
    (block ?? '')
      .split(/^\$ /m)
      .slice(1)
      .map((text) => {
        const end = text.indexOf('\n')
        return { command: text.slice(0, end), shown: text.slice(end + 1) }
      })
)

/** Digests are implementation-defined, and a page that showed them would tell nothing. */
const withoutDigests = (text: string): string =>
  text.replace(/"edge":"[0-9a-f]+"/g, '"edge":"…"').replace(/"operation":"[^"]+"/g, '"operation":"…"')

describe('the reference page of the command line', () => {
  it('has examples', () => {
    expect(examples.length).toBeGreaterThan(8)
  })

  it.each(examples)('$command', ({ command, shown }) => {
    const { out } = shell(command, { SCRATCH: scratch })
    expect(withoutDigests(out)).toBe(shown)
  })

  it('names every option of plan', () => {
    const { out } = shell('turnkeep plan --help')
    const options = [...out.matchAll(/^ {2}(--[a-z]+)/gm)].map(([, option]) => option ?? '')
    expect(options.length).toBeGreaterThan(8)
    expect(options.filter((option) => !page.includes(`| \`${option}\` |`))).toEqual([])
  })
})
