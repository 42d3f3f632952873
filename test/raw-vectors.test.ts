/**
 * The vectors that also stand in the form in which a provider has them: read, audited, repaired and saved as such.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { answer } from '../src/conformance/answer.js'
import { type AnyDialect, readItems } from '../src/conformance/reading.js'
import { defaultPolicy } from '../src/core/policy.js'
import { startProgress } from '../src/core/progress.js'
import { aiSdkUi } from '../src/dialects/ai-sdk-ui.js'
import { anthropic } from '../src/dialects/anthropic.js'
import { chatCompletions } from '../src/dialects/chat-completions.js'
import { gemini } from '../src/dialects/gemini.js'
import { responses } from '../src/dialects/responses.js'
import { orThrow, saveTurn } from '../src/index.js'
import type { Wording } from '../src/ports/dialect.js'
import { loadVectors, savesOf, type Vector } from './support/vectors.js'

// The words of a closing are the host's own, so that a vector names only which of them stand there.
const words: Wording = {
  interrupted: '<interrupted>',
  skipped: '<skipped>',
  denied: '<denied>',
  failed: '<failed>',
  redacted: '<redacted>'
}

const known = new Map<string, AnyDialect>(
  [aiSdkUi, anthropic, chatCompletions, gemini, responses].map((dialect) => [
    dialect.name,
    dialect.withWording(words) as AnyDialect
  ])
)
const dialects = { names: [...known.keys()], find: (name: string) => known.get(name) }

const dialectOf = (name: string): AnyDialect => {
  const dialect = known.get(name)
  if (dialect === undefined) throw new Error(`no dialect is called ${name}`)
  return dialect
}

type RawVector = Vector & { readonly raw: NonNullable<Vector['raw']> }

const all = loadVectors().filter((vector): vector is RawVector => vector.raw !== undefined)
const asked = all.filter(({ level }) => level === 'audit' || level === 'repair')
const saved = all.filter(({ level }) => level === 'select' || level === 'plan')

const ask = ({ input, raw }: RawVector): Readonly<Record<string, unknown>> => {
  const question = { ...input, dialect: raw.dialect, items: raw.items }
  return JSON.parse(JSON.stringify(answer(question, { dialects }))) as Readonly<Record<string, unknown>>
}

describe('a vector in raw form', () => {
  it('is there for every rule of messages that hold many items', () => {
    const listed = JSON.parse(readFileSync('docs/spec/not-by-vector.json', 'utf8')) as object
    expect(Object.keys(listed).filter((rule) => rule.startsWith('BLOCK-'))).toEqual([])
    expect(asked.length).toBeGreaterThan(70)
    expect(saved.length).toBeGreaterThan(3)
  })

  it.each(all)('is read as the items of the vector: $name $rules', (vector) => {
    const decoded = orThrow(readItems(dialectOf(vector.raw.dialect), vector.raw.items))
    const items = vector.input?.items ?? vector.items ?? []
    // A vector about messages says every field; the others tell things apart by ids that no wire has.
    const isExact = vector.rules.some((rule) => rule.startsWith('BLOCK-'))
    if (isExact) expect(decoded.items).toEqual(items)
    const keyOf = (item: (typeof items)[number]): ReadonlyArray<unknown> => {
      const isAlone = 'selfContained' in item
      return [item.kind, 'callId' in item && !isAlone ? item.callId : null]
    }
    expect(decoded.items.map(keyOf)).toEqual(items.map(keyOf))
  })

  it.each(asked)('is answered like the vector: $name $rules', (vector) => {
    const { items, violations, edits, order, remaining } = ask(vector)
    const said = vector.level === 'audit' ? { violations } : { edits, order, remaining }
    expect(said).toMatchObject(vector.expect as object)
    expect(Object.keys(vector.expect as object).sort()).toEqual(Object.keys(said).sort())
    if (vector.level === 'repair') expect(items).toEqual(vector.raw.result)
  })

  it.each(saved)('is written as the messages of the vector: $name $rules', (vector) => {
    let progress = startProgress('turn')
    for (const [index, save] of savesOf(vector).entries()) {
      const raw = vector.steps?.[index]?.raw ?? vector.raw
      const written = orThrow(
        saveTurn({
          dialect: dialectOf(vector.raw.dialect) as Parameters<typeof saveTurn>[0]['dialect'],
          items: vector.raw.items.slice(0, raw.length),
          turn: save.turn,
          outcome: save.outcome,
          policy: { ...defaultPolicy, ...save.policy },
          store: save.store,
          progress,
          signatureScope: vector.raw.signatureScope
        })
      )
      expect(JSON.parse(JSON.stringify(written.items))).toEqual(raw.result)
      expect(written.replaces).toHaveLength(raw.replaces ?? 0)
      progress = written.progress
    }
  })
})
