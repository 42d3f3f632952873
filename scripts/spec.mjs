/**
 * Keeps the specification in one piece: prose, vectors, and what is generated from both.
 *
 * Law: only this file says when the specification is consistent. It knows no rule's meaning; it reads rule ids, verbs,
 * vectors and the titles of tests. Linear in the text it reads.
 *
 * `node scripts/spec.mjs` writes ids that are missing, docs/spec/rules.json, vectors.json, vectors.jsonl and
 * coverage.md; `--check` writes nothing and fails where a file would differ. `node scripts/spec.mjs seed` gives ids to
 * docs/spec/vectors/seed.json only.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'

export const SPEC_VERSION = '1.0'

const WIDTH = 110
const VERB = /\b(?:MUST NOT|MUST|SHOULD NOT|SHOULD|MAY)\b/g
const MODAL = /\b(?:should|must|may|can|cannot|shall)\b/i
const RULE_ID = /\b[A-Z]+-[1-9][0-9]*\b/g

const read = (path) => readFileSync(path, 'utf8')
const readJson = (path) => JSON.parse(read(path))

/** The sections `#### ID` of a page: id, the blockquote that follows, and the lines below it. */
const sectionsOf = (text) =>
  text
    .split(/^#### /m)
    .slice(1)
    .map((section) => {
      const [heading, ...lines] = section.split('\n')
      const start = lines.findIndex((line) => line.trim() !== '')
      const quote = []
      for (let at = start; at >= 0 && lines[at]?.startsWith('>'); at += 1) {
        quote.push(lines[at].replace(/^> ?/, ''))
      }
      return { id: heading.trim(), quote: quote.join(' ').trim(), lines }
    })

/** Reads the numbered requirements out of the prose. Faults are sentences; the list is in the order of the text. */
export const readRules = (pages) => {
  const rules = []
  const faults = []
  for (const { file, text } of pages) {
    let expected = 1
    let area
    for (const { id, quote } of sectionsOf(text)) {
      const [name, number] = id.split('-')
      area ??= name
      if (name !== area || Number(number) !== expected) {
        faults.push(`${file}: expected ${area}-${expected}, found ${id}`)
      }
      expected = Number(number) + 1
      if (quote === '') faults.push(`${file}: ${id} has no blockquote below its heading`)
      const verbs = quote.match(VERB) ?? []
      if (verbs.length !== 1) faults.push(`${file}: ${id} has ${verbs.length} verbs, expected exactly one`)
      rules.push({ id, area: name, verb: verbs[0] ?? '', text: quote, page: `${file}#${id.toLowerCase()}` })
    }
  }
  return { rules, faults }
}

/** Reads the invariants: what follows from the rules and is shown by properties. */
export const readInvariants = (text) =>
  sectionsOf(text).map(({ id, lines }) => ({
    id,
    rules: (lines.find((line) => line.startsWith('Follows from')) ?? '').match(RULE_ID) ?? []
  }))

/** JSON that stays on one line where it fits into the width; `used` is what stands before it on its line. */
export const formatJson = (value, indent = '', used = 0) => {
  const inline = (part) => {
    if (Array.isArray(part)) return `[${part.map(inline).join(', ')}]`
    if (part === null || typeof part !== 'object') return JSON.stringify(part)
    const fields = Object.entries(part).map(([name, field]) => `${JSON.stringify(name)}: ${inline(field)}`)
    return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
  }
  const line = inline(value)
  if (value === null || typeof value !== 'object' || indent.length + used + line.length < WIDTH) return line
  const deeper = `${indent}  `
  if (Array.isArray(value)) {
    return `[\n${value.map((part) => deeper + formatJson(part, deeper)).join(',\n')}\n${indent}]`
  }
  const fields = Object.entries(value).map(
    ([name, field]) => `${deeper}${JSON.stringify(name)}: ${formatJson(field, deeper, name.length + 4)}`
  )
  return `{\n${fields.join(',\n')}\n${indent}}`
}

/** A vector file as text. */
export const formatVectors = (vectors) => `${formatJson(vectors)}\n`

/** The same vectors, each with an id; numbers go on behind the greatest one in the file. */
export const assignIds = (name, vectors) => {
  let last = 0
  for (const { id } of vectors) last = Math.max(last, Number(id?.split('-').at(-1) ?? 0))
  return vectors.map((vector) => {
    if (vector.id !== undefined) return vector
    last += 1
    return { id: `${name}-${String(last).padStart(3, '0')}`, ...vector }
  })
}

/** Expectations of plans, with the number of positions that each one speaks of. */
const planExpectations = (vector) => {
  if (vector.input !== undefined) return [{ expect: vector.expect, length: vector.input.items?.length }]
  let items = vector.items
  return (vector.steps ?? []).map((step) => {
    items = step.items ?? items
    return { expect: step.expect, length: step.length ?? items.length }
  })
}

/** What is wrong with the vectors of all files, as sentences. */
export const faultsOfVectors = (files, { rules, schema, notByVector }) => {
  const faults = []
  const known = new Set(rules.map((rule) => rule.id))
  const validate = new Ajv2020({ allErrors: true, strict: false }).compile(schema)
  const names = new Map()
  const ids = new Map()
  const shown = new Set()
  for (const { name: file, vectors } of files) {
    vectors.forEach((vector, at) => {
      const place = `${file}.json [${at}] ${vector.id ?? ''} "${vector.name}"`
      if (!validate(vector)) {
        const [first] = validate.errors.filter((error) => !['if', 'oneOf', 'anyOf'].includes(error.keyword))
        faults.push(
          `${place}: ${first?.instancePath ?? ''} ${first?.message} ${JSON.stringify(first?.params)}`
        )
        return
      }
      if (vector.id === undefined) faults.push(`${place}: has no id; run node scripts/spec.mjs`)
      else if (!vector.id.startsWith(`${file}-`))
        faults.push(`${place}: its id does not begin with the file's name`)
      if (ids.has(vector.id)) faults.push(`${place}: has the id of ${ids.get(vector.id)}`)
      if (names.has(vector.name)) faults.push(`${place}: has the name of ${names.get(vector.name)}`)
      ids.set(vector.id, place)
      names.set(vector.name, place)
      if (MODAL.test(vector.name)) faults.push(`${place}: its name is no fact (should, must, may, can)`)
      for (const rule of vector.rules) {
        if (!known.has(rule)) faults.push(`${place}: cites ${rule}, which is no rule`)
        shown.add(rule)
      }
      for (const { expect, length } of planExpectations(vector)) {
        if (expect.verdicts !== undefined && expect.verdicts.length !== length) {
          faults.push(`${place}: has ${expect.verdicts.length} verdicts for ${length} positions`)
        }
      }
    })
  }
  for (const { id } of rules) {
    if (!shown.has(id) && notByVector[id] === undefined) faults.push(`${id}: no vector shows it`)
    if (shown.has(id) && notByVector[id] !== undefined)
      faults.push(`${id}: is in not-by-vector.json and has a vector`)
  }
  for (const id of Object.keys(notByVector)) {
    if (!known.has(id)) faults.push(`not-by-vector.json: ${id} is no rule`)
  }
  return faults
}

/** A string that opens the argument list of test, it, describe, or of what a call such as test.each(…) gives. */
const TITLE = /(?:\b(?:test|it|describe)(?:\.\w+)*|\))\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g

/** Ids that the titles of tests cite, with the files that do. */
export const readCitations = (tests) => {
  const cited = new Map()
  for (const { file, text } of tests) {
    const code = text.replace(/^\s*(?:\*|\/\/|\/\*).*$/gm, '')
    for (const [, , title] of code.matchAll(TITLE)) {
      for (const id of title.match(RULE_ID) ?? []) {
        if (!cited.has(id)) cited.set(id, new Set())
        cited.get(id).add(file)
      }
    }
  }
  return cited
}

/** The matrix rule × vector × test × invariant. */
export const coveragePage = ({ rules, files, cited, invariants, notByVector }) => {
  const vectorsOf = (id) =>
    files.flatMap(({ vectors }) =>
      vectors.filter((vector) => vector.rules.includes(id)).map((vector) => vector.id)
    )
  const testsOf = (id) => [...(cited.get(id) ?? [])].sort().map((file) => `\`${file}\``)
  const invariantsOf = (id) => invariants.filter((each) => each.rules.includes(id)).map((each) => each.id)
  const cell = (list) => (list.length === 0 ? '-' : list.join(', '))
  const rows = rules.map(({ id, page }) => {
    const vectors = notByVector[id] === undefined ? cell(vectorsOf(id)) : `none: ${notByVector[id]}`
    return `| [${id}](${page}) | ${vectors} | ${cell(testsOf(id))} | ${cell(invariantsOf(id))} |`
  })
  const total = files.reduce((sum, { vectors }) => sum + vectors.length, 0)
  return [
    '# Coverage',
    '',
    'Generated by `node scripts/spec.mjs`; a difference fails `npm run check`.',
    '',
    `${rules.length} rules, ${total} vectors. A test is listed where a title in it cites the rule, an invariant where it follows from the rule ([invariants](invariants.md)). Vectors are run whole, at every split and twice (\`test/vectors.test.ts\`).`,
    '',
    '| rule | vectors | tests | invariants |',
    '|---|---|---|---|',
    ...rows,
    '',
    '| invariant | follows from | tests |',
    '|---|---|---|',
    ...invariants.map(
      ({ id, rules: from }) =>
        `| [${id}](invariants.md#${id.toLowerCase()}) | ${cell(from)} | ${cell(testsOf(id))} |`
    ),
    ''
  ].join('\n')
}

const filesBelow = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? filesBelow(path) : [path]
  })

const run = (root, { check, only }) => {
  const spec = join(root, 'docs/spec')
  const pages = readdirSync(spec)
    .filter((file) => /^\d\d-.*\.md$/.test(file))
    .sort()
    .map((file) => ({ file, text: read(join(spec, file)) }))
  const { rules, faults } = readRules(pages)
  const schema = readJson(join(spec, 'vector.schema.json'))
  const notByVector = readJson(join(spec, 'not-by-vector.json'))
  const invariants = readInvariants(read(join(spec, 'invariants.md')))
  const outputs = new Map()
  const files = readdirSync(join(spec, 'vectors'))
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => {
      const name = basename(file, '.json')
      const stored = readJson(join(spec, 'vectors', file))
      const vectors = check || (only.length > 0 && !only.includes(name)) ? stored : assignIds(name, stored)
      if (check || only.length === 0 || only.includes(name)) {
        outputs.set(join(spec, 'vectors', file), formatVectors(vectors))
      }
      return { name, vectors }
    })
  faults.push(...faultsOfVectors(files, { rules, schema, notByVector }))
  const known = new Set(rules.map((rule) => rule.id))
  for (const { id, rules: from } of invariants) {
    if (from.length === 0) faults.push(`invariants.md: ${id} follows from no rule`)
    for (const rule of from)
      if (!known.has(rule)) faults.push(`invariants.md: ${id} cites ${rule}, which is no rule`)
  }
  const tests = filesBelow(join(root, 'test'))
    .filter((path) => path.endsWith('.test.ts'))
    .sort()
    .map((path) => ({ file: relative(root, path).replaceAll('\\', '/'), text: read(path) }))
  const cited = readCitations(tests)
  for (const id of Object.keys(notByVector)) {
    if (!cited.has(id)) faults.push(`${id}: no vector can show it, so the title of a test has to cite it`)
  }
  const all = files.flatMap(({ vectors }) => vectors)
  outputs.set(join(spec, 'rules.json'), `${JSON.stringify({ specVersion: SPEC_VERSION, rules }, null, 2)}\n`)
  outputs.set(
    join(spec, 'vectors.json'),
    `{ "specVersion": "${SPEC_VERSION}", "vectors": [\n${all.map((each) => JSON.stringify(each)).join(',\n')}\n] }\n`
  )
  outputs.set(join(spec, 'vectors.jsonl'), all.map((each) => `${JSON.stringify(each)}\n`).join(''))
  outputs.set(join(spec, 'coverage.md'), coveragePage({ rules, files, cited, invariants, notByVector }))
  for (const [path, text] of outputs) {
    if (existsSync(path) && read(path) === text) continue
    if (check) faults.push(`${relative(root, path)}: differs from what node scripts/spec.mjs writes`)
    else writeFileSync(path, text)
  }
  return { faults, rules: rules.length, vectors: all.length }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const words = process.argv.slice(2)
  const { faults, rules, vectors } = run(fileURLToPath(new URL('..', import.meta.url)), {
    check: words.includes('--check'),
    only: words.filter((word) => !word.startsWith('--'))
  })
  for (const fault of faults) console.error(fault)
  console.log(`${rules} rules, ${vectors} vectors, ${faults.length} faults`)
  process.exitCode = faults.length === 0 ? 0 : 1
}
