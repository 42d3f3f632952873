/** Whatever is mended in a document, the rest of it means what it meant, and what remains is what is said to remain. */
import fc from 'fast-check'
import { isLeft } from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { startDialects } from '../../src/cli/dialects.js'
import { openEnvelope } from '../../src/cli/envelope.js'
import { type Mended, mendHistory } from '../../src/conformance/operations/repair.js'
import { type Question, readQuestion } from '../../src/conformance/question.js'
import { conversations } from '../dialects/conversations.js'
import { spellings } from '../dialects/spellings.js'

const profileOf: Readonly<Record<string, string>> = {
  langchain: 'anthropic',
  'ai-sdk-ui': 'ai-sdk'
}

const must = <A>(
  either: { readonly _tag: 'Left'; readonly left: unknown } | { readonly _tag: 'Right'; readonly right: A }
): A => {
  if (either._tag === 'Left') throw new Error(JSON.stringify(either.left))
  return either.right
}

const loaded = startDialects()

const mendList = (
  list: ReadonlyArray<unknown>,
  dialect: string
): { readonly question: Question; readonly mended: Mended } => {
  const profile = profileOf[dialect] ?? dialect
  const question = must(readQuestion({ items: list, dialect, profile }, loaded))
  return { question, mended: must(mendHistory(question)) }
}

/** Where each message of the mended list comes from, as the command has it. */
const placesOf = ({ origins }: Mended, { decoded }: Question): ReadonlyArray<number> =>
  origins.map((held) => {
    const placeOf = (position: number): number => decoded.items[position]?.source?.message ?? position
    const kept = held.find((origin) => origin >= 0)
    return kept === undefined ? -1 - placeOf(-1 - (held[0] ?? -1)) : placeOf(kept)
  })

/** The same cases on every run, unless asked otherwise. */
const drawing = {
  seed: Number(process.env['TURNKEEP_SEED'] ?? 20261130),
  numRuns: Number(process.env['TURNKEEP_RUNS'] ?? 150)
}

const layouts = fc.constantFrom<string | number | undefined>(undefined, 1, 2, '\t')
const rest = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })

describe.each(spellings)('a document of $dialect.name', ({ dialect: { name }, spell }) => {
  it('is mended in its envelope, whatever surrounds it [REPAIR-3, REPAIR-26]', async () => {
    await loaded.need(name)
    fc.assert(
      fc.property(
        conversations,
        fc.array(fc.nat(10), { maxLength: 3 }),
        layouts,
        rest,
        fc.constantFrom('list', 'body', 'lines'),
        (spoken, gone, layout, around, form) => {
          const messages = spell(spoken.filter((_, index) => !gone.includes(index)))
          fc.pre(form !== 'lines' || messages.length > 1)
          const body = { ...around, messages, input: null, contents: null, output: null, items: null }
          const text =
            form === 'list'
              ? JSON.stringify(messages, null, layout)
              : form === 'body'
                ? JSON.stringify(body, null, layout)
                : messages.map((message) => `${JSON.stringify({ n: 1, message })}\n`).join('')
          const envelope = must(openEnvelope(text, 'here'))
          const { question, mended } = mendList(envelope.list, name)
          const list = mended.document.items
          if (mended.document.edits.length === 0) return
          const written = must(envelope.write({ list, from: placesOf(mended, question) }))
          if (form === 'lines' && list.length === 0) {
            expect(written).toBe('')
            return
          }
          const again = must(openEnvelope(written, 'there'))
          expect(again.list).toEqual(list)
          if (form === 'body') expect(JSON.parse(written)).toEqual({ ...JSON.parse(text), messages: list })
          const { mended: twice } = mendList(again.list, name)
          const rules = (each: Mended): ReadonlyArray<string> =>
            each.document.remaining.map(({ rule }) => rule)
          if (twice.document.edits.length === 0) expect(rules(twice)).toEqual(rules(mended))
          expect(
            isLeft(envelope.write({ list: envelope.list, from: envelope.list.map((_, place) => place) }))
          ).toBe(false)
        }
      ),
      drawing
    )
  })
})
