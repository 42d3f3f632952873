/** Every vector of the levels audit and repair, and the laws that hold for each of them. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type AuditQuestion, audit, auditRules } from '../../src/core/audit.js'
import { type Profile, profileOf, profiles, profileValues } from '../../src/core/profile.js'
import { repair } from '../../src/core/repair.js'
import { loadVectors } from '../support/vectors.js'

interface HistoryVector {
  readonly name: string
  readonly rules: ReadonlyArray<string>
  readonly level: string
  readonly input: AuditQuestion & { readonly op: string; readonly dialect?: string }
  readonly expect: unknown
}

const vectors = (loadVectors() as ReadonlyArray<unknown> as ReadonlyArray<HistoryVector>).filter(
  (vector) => (vector.level === 'audit' || vector.level === 'repair') && vector.input.dialect === undefined
)
const audited = vectors.filter((vector) => vector.level === 'audit')
const repaired = vectors.filter((vector) => vector.level === 'repair')

const questionOf = ({ input: { op: _, ...question } }: HistoryVector): AuditQuestion => question

describe('a history is audited', () => {
  it.each(audited)('$name $rules', (vector) => {
    expect(audit(questionOf(vector))).toEqual(vector.expect)
  })
})

describe('a history is repaired', () => {
  it.each(repaired)('$name $rules', (vector) => {
    const { edits, order, remaining } = repair(questionOf(vector))
    expect({ edits, order, remaining }).toEqual(vector.expect)
  })

  it.each(vectors)('and then has nothing left to repair: $name [REPAIR-26, REPAIR-27]', (vector) => {
    const question = questionOf(vector)
    const once = repair(question)
    const errors = audit({ ...question, items: once.items }).violations.filter(
      (each) => each.severity === 'error'
    )
    expect(errors.map((each) => each.rule)).toEqual(once.remaining.map((each) => each.rule))
    expect(repair({ ...question, items: once.items }).items).toBe(once.items)
  })
})

describe('profiles', () => {
  it('consist of the fields of the specification, with its values, and no other [AUDIT-2]', () => {
    const chapter = readFileSync(new URL('../../docs/spec/08-audit.md', import.meta.url), 'utf8')
    for (const [field, values] of Object.entries(profileValues)) {
      const row = chapter.split('\n').find((line) => line.startsWith(`| \`${field}\` |`)) ?? ''
      const cell = (row.split('|')[2] ?? '').match(/`[^`]+`/g) ?? []
      expect([field, ...cell]).toEqual([
        field,
        ...values.map((value) => (value === 'many' ? '`"many"`' : `\`${value}\``))
      ])
    }
    for (const profile of Object.values(profiles))
      expect(Object.keys(profile).sort()).toEqual(Object.keys(profileValues).sort())
  })

  it('are what the table of presets says [AUDIT-2]', () => {
    const chapter = readFileSync(new URL('../../docs/spec/08-audit.md', import.meta.url), 'utf8')
    const table = chapter.slice(chapter.indexOf('| preset | fields |'), chapter.indexOf('#### AUDIT-3'))
    const named = new Map<string, Profile>([['neutral', profileOf({})]])
    for (const [, name = '', cell = ''] of table.matchAll(/^\| `([a-z-]+)` \| (.*) \|$/gm)) {
      const base = named.get(/as `([a-z-]+)`/.exec(cell)?.[1] ?? 'neutral')
      const fields = [...cell.matchAll(/`([a-zA-Z]+): ([a-z-]+)`/g)].map(([, field, value]) => [field, value])
      named.set(name, { ...base, ...Object.fromEntries(fields) } as Profile)
    }
    expect(Object.fromEntries(named)).toEqual(profiles)
  })

  it('rule alone: a name and its record are answered alike [AUDIT-3]', () => {
    for (const { input } of vectors) {
      if (typeof input.profile !== 'string') continue
      expect(audit({ ...input, profile: profiles[input.profile] })).toEqual(audit(input))
    }
  })

  it('have no rule outside the table of violations [AUDIT-1]', () => {
    const chapter = readFileSync(new URL('../../docs/spec/08-audit.md', import.meta.url), 'utf8')
    const table = chapter.slice(chapter.indexOf('| rule | what is wrong'), chapter.indexOf('## Profiles'))
    expect([...table.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, rule]) => rule)).toEqual([...auditRules])
  })
})
