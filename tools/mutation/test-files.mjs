/**
 * Which tests a mutant has to pass.
 *
 * Law: only this file says what is left out, and why: what takes longer than all other tests together, and what vitest's
 * own runner cannot run alone. docs/explanation/proof.md says the same.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

const slow = new Set(['verify.test.ts', 'linear.test.ts'])
const others = ['test/vectors.test.ts', 'test/errors.test.ts', 'test/conformance/answer.test.ts']

/** Reads are counted over long histories; the table of refusals is compared with a page by a snapshot. */
const leftOut = [
  / is audited and repaired with a bounded number of reads /,
  /^the table of refusals is what docs/
]

export const isLeftOut = (name) => leftOut.some((pattern) => pattern.test(name))

export const testFiles = (root) => [
  ...readdirSync(join(root, 'test/core'))
    .filter((name) => name.endsWith('.test.ts') && !slow.has(name))
    .map((name) => join(root, 'test/core', name)),
  ...others.map((name) => join(root, name))
]
