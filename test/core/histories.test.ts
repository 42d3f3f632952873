/**
 * Small histories with their whole answers, on which a small change of audit or repair shows.
 *
 * Each was found by mutation testing (docs/explanation/proof.md): without it some mutant of the library passed every
 * other test. The answers were written down from the library. The Python port derives all but two of them from the text
 * alone; test/cli/conform.test.ts asks it, and names the two and the rules that they break. The vectors say what is right.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type AuditQuestion, audit, type Violation } from '../../src/core/audit.js'
import { type RepairAnswer, repair } from '../../src/core/repair.js'

type Case = AuditQuestion & Omit<RepairAnswer, 'items'> & { readonly violations: ReadonlyArray<Violation> }

const cases = JSON.parse(
  readFileSync(new URL('./fixtures/histories.json', import.meta.url), 'utf8')
) as ReadonlyArray<Case>

/** What a history is made of, and what is asked of it. */
const titleOf = ({ items, profile = 'neutral', open, atRest }: Case): string => {
  const kinds = items.map(({ kind, ...rest }) => [kind, ...Object.keys(rest)].join(' ')).join(', ')
  const demands =
    typeof profile === 'string' ? profile : Object.entries(profile).join(' ').replaceAll(',', ' ')
  return `${kinds}; ${demands}${open === undefined ? '' : '; open calls'}${atRest === true ? '; at rest' : ''}`
}

describe('a history that tells a changed library', () => {
  it.each(cases.map((each, index) => [index, titleOf(each), each] as const))(
    '%i: %s',
    (_index, _title, { violations, edits, order, remaining, ...question }) => {
      expect(audit(question).violations).toStrictEqual(violations)
      const answer = repair(question)
      expect({ edits: answer.edits, order: answer.order, remaining: answer.remaining }).toStrictEqual({
        edits,
        order,
        remaining
      })
      const stripped = new Set(edits.flatMap((edit) => ('stripId' in edit ? [edit.stripId] : [])))
      order.forEach((position, place) => {
        if (position >= 0 && !stripped.has(position))
          expect(answer.items[place]).toBe(question.items[position])
      })
    }
  )
})
