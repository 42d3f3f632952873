/** A changed document keeps the spelling of everything that did not change. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { spreadJson, startWriting } from '../../src/cli/json-text.js'

/** Whatever a test knows to be there. */
// biome-ignore lint/suspicious/noExplicitAny: a test changes what it has just written itself
type Parsed = any

const write = (text: string, change: (value: Parsed) => unknown): string => {
  const before: unknown = JSON.parse(text)
  return startWriting().write(text, before, change(before))
}

const spelled = '12345678901234567890, 1.0, -0, 1e3, 1E+400, "caf\\u00e9 \\/ \\ud800"'

describe('a document that is written again', () => {
  it('has numbers and strings as they were, however deep they lie', () => {
    const kept = `{"role":"user","n":[${spelled}]}`
    const text = `{"seed":12345678901234567890,"messages":[${kept},{"gone":1}, ${kept}],"t":1.0}`
    const changed = write(text, (value) => ({ ...value, messages: [value.messages[2], value.messages[0]] }))
    expect(changed).toBe(`{"seed":12345678901234567890,"messages":[${kept},${kept}],"t":1.0}`)
  })

  it('has what stays in a message that changed as it was, also where it moved to another one', () => {
    const part = `{"big":98765432109876543210,"one":1.0}`
    const text = `[{"index":10000000000000000001,"content":[${part},{"x":1}]},{"content":[{"y":2}]}]`
    const before: Parsed = JSON.parse(text)
    const [first, second] = before
    const after = [
      { ...second, content: [...second.content, first.content[0]] },
      { ...first, content: [first.content[1]] }
    ]
    const writer = startWriting()
    writer.make(after[0], second)
    writer.make(after[1], first)
    const changed = writer.write(text, before, after)
    expect(changed).toBe(`[{"content":[{"y":2},${part}]},{"index":10000000000000000001,"content":[{"x":1}]}]`)
  })

  it('keeps its layout, its names that stand twice, and what surrounds it', () => {
    const text = '\r\n{\r\n  "a": 1, "a": 2.0,\r\n  "items": [1.0],\r\n  "z" : null\r\n}\r\n'
    expect(write(text, (value) => ({ ...value, items: [{ b: [] }] }))).toBe(
      text.replace('[1.0]', '[\n    {\n      "b": []\n    }\n  ]')
    )
    expect(write('{"a": 1.0, "b": [2.0]}', ({ b }) => ({ b, c: undefined }))).toBe('{"b": [2.0]}')
  })

  it('takes names of prototypes for names', () => {
    const text = '{"__proto__":{"n":1.0},"constructor":2.0,"list":[]}'
    const changed = write(text, (value) => ({ ...value, list: [1] }))
    expect(changed).toBe('{"__proto__":{"n":1.0},"constructor":2.0,"list":[1]}')
  })

  it('may nest deeper than any stack in what did not change', () => {
    const deep = `${'['.repeat(100_000)}1.0${']'.repeat(100_000)}`
    expect(write(`[${deep},2]`, ([first]) => [first])).toBe(`[${deep}]`)
    expect(spreadJson(deep).replaceAll(/\s/g, '')).toBe(deep)
  })

  it('means what it was to mean, whatever is left out, doubled or put in [property]', () => {
    const layouts = [undefined, 1, '\t'] as const
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue({ maxDepth: 4 }), { maxLength: 6 }),
        fc.constantFrom(...layouts),
        fc.array(fc.nat(8), { maxLength: 8 }),
        fc.jsonValue({ maxDepth: 2 }),
        (list, layout, places, fresh) => {
          const text = JSON.stringify({ list, other: 1 }, null, layout)
          const before: { readonly list: ReadonlyArray<unknown> } = JSON.parse(text)
          const pick = (place: number): unknown => (place < before.list.length ? before.list[place] : fresh)
          const after = { ...before, list: places.map(pick) }
          const written = startWriting().write(text, before, after)
          expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify(after)))
          expect(JSON.parse(spreadJson(written))).toEqual(JSON.parse(written))
        }
      ),
      { seed: Number(process.env['TURNKEEP_SEED'] ?? 20261130), numRuns: 500 }
    )
  })
})
