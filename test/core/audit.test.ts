/** Every vector of the levels audit and repair, and the laws that hold for each of them. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type AuditQuestion, audit, auditRules } from '../../src/core/audit.js'
import {
  checkProfile,
  type Profile,
  type ProfileName,
  profileOf,
  profiles,
  profileValues
} from '../../src/core/profile.js'
import type { Item } from '../../src/core/item.js'
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
    for (const [, name = '', cell = ''] of table.matchAll(/^\| `([a-z0-9.-]+)` \| (.*) \|$/gm)) {
      const base = named.get(/as `([a-z0-9.-]+)`/.exec(cell)?.[1] ?? 'neutral')
      const fields = [...cell.matchAll(/`([a-zA-Z]+): ([a-z-]+)`/g)].map(([, field, value]) => [field, value])
      named.set(name, { ...base, ...Object.fromEntries(fields) } as Profile)
    }
    expect(Object.fromEntries(named)).toEqual(profiles)
  })

  it.each([
    ['a name that nobody has', 'constructor', 'profile'],
    ['a number', 7, 'profile'],
    ['the number none', Number.NaN, 'profile'],
    ['a list', [], 'profile'],
    ['an unknown field', { colour: 'red' }, 'profile.colour'],
    ['a field of a prototype', { valueOf: 'free' }, 'profile.valueOf'],
    ['an unknown value', { reasoning: 'loud' }, 'profile.reasoning']
  ])('are typed errors where they are none: %s [AUDIT-2]', (_, given, path) => {
    const profile = given as ProfileName
    expect(checkProfile(profile)).toMatchObject({ kind: 'invalid-input', path })
    for (const ask of [audit, repair]) {
      let thrown: unknown
      try {
        ask({ items: [], profile })
      } catch (error) {
        thrown = error
      }
      expect((thrown as Error).cause).toMatchObject({ kind: 'invalid-input', path })
      expect((thrown as Error).message).toContain(path)
    }
  })

  it('that are none are told what they could be [AUDIT-2]', () => {
    const names = Object.keys(profiles).join(', ')
    const fields = Object.keys(profileValues).join(', ')
    expect([
      checkProfile('constructor')?.message,
      checkProfile({ colour: 'red' })?.message,
      checkProfile({ adjacency: 'far' })?.message
    ]).toEqual([
      `profile must be one of ${names}, or an object with the fields that differ`,
      `profile.colour must be absent: there is no such field; the fields are ${fields}`,
      'profile.adjacency must be one of free, turn, message, response'
    ])
  })

  it('are not nothing, though a question may leave its profile out [AUDIT-2]', () => {
    expect(checkProfile(null)).toMatchObject({ kind: 'invalid-input', path: 'profile' })
    expect(audit({ items: [] }).violations).toEqual([])
  })

  it('of Gemini 2.5 ask for no signature, those of Gemini 3 for the first call of a step [AUDIT-27, AUDIT-32]', () => {
    const items: ReadonlyArray<Item> = [
      { kind: 'message', origin: 'user' },
      { kind: 'call', callId: 'a', signature: 'none' },
      { kind: 'call', callId: 'b', signature: 'none' },
      { kind: 'output', callId: 'a' },
      { kind: 'output', callId: 'b' }
    ]
    expect(audit({ items, profile: 'gemini-2.5' }).violations).toEqual([])
    expect(audit({ items, profile: 'gemini' }).violations).toEqual([
      { rule: 'signature-missing', severity: 'error', position: 1, callId: 'a' }
    ])
    const halves = items.slice(0, 4)
    expect(repair({ items: halves, profile: 'gemini-2.5' })).toMatchObject({
      edits: [{ close: 2, as: 'interrupted', after: 2 }],
      remaining: []
    })
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
