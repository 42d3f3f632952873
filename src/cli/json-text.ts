/**
 * How is a changed document written, so that what nobody touched keeps its spelling?
 *
 * Law: JSON numbers and strings have more spellings than JavaScript keeps: `12345678901234567890` and `1.0` read as other
 * numbers than they were. So what did not change is copied from the text it came from, and only what is new is printed.
 * What is equal to what stood there is spelled as it stood there. One pass over the text of every container that
 * changed, without recursion over what did not: a payload may nest as deep as it likes.
 */
import { isRecord } from '../conformance/question.js'
import { skipString } from './json-place.js'

/** Where a value stands in a text: from its first to behind its last character. */
interface Range {
  readonly start: number
  readonly end: number
}

const skipSpace = (text: string, start: number): number => {
  let offset = start
  while (' \t\n\r'.includes(text[offset] ?? 'x')) offset += 1
  return offset
}

const plainEnd = /[\s,\]}]|$/g

/** The offset behind a value of a text that is JSON. */
const skipValue = (text: string, start: number): number => {
  const first = text[start]
  if (first === '"') return skipString(text, start)
  if (first !== '[' && first !== '{') {
    plainEnd.lastIndex = start
    return plainEnd.exec(text)?.index ?? text.length
  }
  let depth = 0
  for (let offset = start; ; ) {
    const sign = text[offset]
    if (sign === '"') {
      offset = skipString(text, offset)
      continue
    }
    offset += 1
    if (sign === '[' || sign === '{') depth += 1
    else if (sign === ']' || sign === '}') depth -= 1
    if (depth === 0) return offset
  }
}

/** Where the elements of a list stand. */
const elementsOf = (text: string, start: number): ReadonlyArray<Range> => {
  const found: Array<Range> = []
  for (let offset = skipSpace(text, start + 1); text[offset] !== ']'; ) {
    const end = skipValue(text, offset)
    found.push({ start: offset, end })
    offset = skipSpace(text, end)
    if (text[offset] === ',') offset = skipSpace(text, offset + 1)
  }
  return found
}

/** Where the values of an object stand, by name. Of a name that stands there twice the last one counts, as in JSON.parse. */
const membersOf = (text: string, start: number): ReadonlyMap<string, Range> => {
  const found = new Map<string, Range>()
  for (let offset = skipSpace(text, start + 1); text[offset] !== '}'; ) {
    const name: string = JSON.parse(text.slice(offset, skipString(text, offset)))
    const value = skipSpace(text, skipSpace(text, skipString(text, offset)) + 1)
    const end = skipValue(text, value)
    found.set(name, { start: value, end })
    offset = skipSpace(text, end)
    if (text[offset] === ',') offset = skipSpace(text, offset + 1)
  }
  return found
}

/** A value that was read from a text, and where it stands there. */
interface Known extends Range {
  readonly text: string
  readonly value: unknown
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Where the containers directly inside a container stand. */
const childrenOf = ({ text, start, value }: Known): ReadonlyArray<Known> => {
  const found: Array<Known> = []
  if (Array.isArray(value)) {
    for (const [index, range] of elementsOf(text, start).entries())
      if (isContainer(value[index])) found.push({ text, value: value[index], ...range })
  } else if (isRecord(value)) {
    for (const [name, range] of membersOf(text, start))
      if (isContainer(value[name])) found.push({ text, value: value[name], ...range })
  }
  return found
}

/** How deep a part may lie in a document that was taken apart: list, message, content, part. */
export const mostLevels = 7

/**
 * The place of each new element in the old list: its own, that of the element it was made from, or that of one that went
 * missing there; else −1. A wrong guess costs nothing but the spelling of a number that is new.
 */
const matchElements = (
  before: ReadonlyArray<unknown>,
  after: ReadonlyArray<unknown>,
  madeFrom: ReadonlyMap<unknown, unknown>
): ReadonlyArray<number> => {
  const places = new Map<unknown, number>()
  for (const [index, value] of before.entries()) if (isContainer(value)) places.set(value, index)
  const matched = after.map((value) => places.get(value) ?? places.get(madeFrom.get(value)) ?? -1)
  const stays = new Set(matched)
  let next = 0
  return matched.map((place) => {
    if (place >= 0) {
      next = Math.max(next, place + 1)
      return place
    }
    if (next >= before.length || stays.has(next)) return -1
    next += 1
    return next - 1
  })
}

interface Layout {
  readonly indent: string
  readonly comma: string
  readonly colon: string
}

/** How a text is laid out, by its beginning. */
const layoutOf = (text: string): Layout => {
  const head = text.slice(0, 10_000)
  const indent = /\n([ \t]+)\S/.exec(head)?.[1] ?? ''
  const airy = /":[ ]/.test(head)
  return { indent, comma: airy && indent === '' ? ', ' : ',', colon: airy || indent !== '' ? ': ' : ':' }
}

const wrap = (
  open: string,
  parts: ReadonlyArray<string>,
  close: string,
  { indent, comma }: Layout,
  depth: number
): string => {
  if (parts.length === 0) return open + close
  if (indent === '') return open + parts.join(comma) + close
  const inner = `\n${indent.repeat(depth + 1)}`
  return `${open}${inner}${parts.join(`${comma}${inner}`)}\n${indent.repeat(depth)}${close}`
}

/** Writes changed documents again, each from its own text. */
export interface JsonWriter {
  /** Says where a value stands that may turn up elsewhere, and what is in it, so many levels deep. */
  readonly know: (text: string, value: unknown, depth: number) => void
  /** Says from which old value a new one was made. */
  readonly make: (value: unknown, from: unknown) => void
  /** The text of a document that was read as `before` and has become `after`. */
  readonly write: (text: string, before: unknown, after: unknown) => string
  /** The text of a new value, which may hold known ones. */
  readonly print: (value: unknown, like: string) => string
}

/** A writer that knows nothing yet. */
export const startWriting = (): JsonWriter => {
  const places = new Map<unknown, Known>()
  const madeFrom = new Map<unknown, unknown>()
  const knowParts = (known: Known, left: number): void => {
    if (places.has(known.value)) return
    places.set(known.value, known)
    if (left > 0) for (const child of childrenOf(known)) knowParts(child, left - 1)
  }
  const sourceOf = ({ text, start, end }: Known): string => text.slice(start, end)
  const print = (value: unknown, layout: Layout, depth: number): string => {
    const known = places.get(value)
    if (known !== undefined) return sourceOf(known)
    if (Array.isArray(value)) {
      const parts = value.map((each: unknown) => print(each, layout, depth + 1))
      return wrap('[', parts, ']', layout, depth)
    }
    if (!isRecord(value)) return JSON.stringify(value) ?? 'null'
    const parts: Array<string> = []
    for (const name of Object.keys(value)) {
      if (value[name] === undefined) continue
      parts.push(`${JSON.stringify(name)}${layout.colon}${print(value[name], layout, depth + 1)}`)
    }
    return wrap('{', parts, '}', layout, depth)
  }
  const weaveList = (known: Known, after: ReadonlyArray<unknown>, layout: Layout, depth: number): string => {
    const before = known.value as ReadonlyArray<unknown>
    const ranges = elementsOf(known.text, known.start)
    const matched = matchElements(before, after, madeFrom)
    const stays = new Set(after)
    const childOf = (place: number): Known => ({
      text: known.text,
      value: before[place],
      ...(ranges[place] as Range)
    })
    for (let place = 0; place < before.length; place += 1)
      if (isContainer(before[place]) && !stays.has(before[place])) knowParts(childOf(place), mostLevels)
    const parts = after.map((value, index) => {
      const place = matched[index] as number
      return place < 0 ? print(value, layout, depth + 1) : weave(childOf(place), value, layout, depth + 1)
    })
    return wrap('[', parts, ']', layout, depth)
  }
  /** An object that has the names that it had: whatever stands between its values stays as well. */
  const splice = (
    known: Known,
    ranges: ReadonlyMap<string, Range>,
    after: Readonly<Record<string, unknown>>,
    layout: Layout,
    depth: number
  ): string => {
    const { text } = known
    const before = known.value as Readonly<Record<string, unknown>>
    const parts: Array<string> = []
    let done = known.start
    for (const [name, range] of [...ranges].sort(([, left], [, right]) => left.start - right.start)) {
      const child = { text, value: before[name], ...range }
      parts.push(text.slice(done, range.start), weave(child, after[name], layout, depth + 1))
      done = range.end
    }
    parts.push(text.slice(done, known.end))
    return parts.join('')
  }
  const weave = (known: Known, after: unknown, layout: Layout, depth: number): string => {
    const { text, value: before } = known
    if (Object.is(before, after)) return sourceOf(known)
    if (places.has(after)) return print(after, layout, depth)
    if (Array.isArray(before) && Array.isArray(after)) return weaveList(known, after, layout, depth)
    if (!isRecord(before) || !isRecord(after)) return print(after, layout, depth)
    const ranges = membersOf(text, known.start)
    const isSame = Object.keys(before).every((name) => Object.hasOwn(after, name))
    if (isSame && Object.keys(after).length === ranges.size)
      return splice(known, ranges, after, layout, depth)
    const parts: Array<string> = []
    for (const name of Object.keys(after)) {
      if (after[name] === undefined) continue
      const range = Object.hasOwn(before, name) ? ranges.get(name) : undefined
      const written =
        range === undefined
          ? print(after[name], layout, depth + 1)
          : weave({ text, value: before[name], ...range }, after[name], layout, depth + 1)
      parts.push(`${JSON.stringify(name)}${layout.colon}${written}`)
    }
    return wrap('{', parts, '}', layout, depth)
  }
  const rootOf = (text: string, value: unknown): Known => {
    const start = skipSpace(text, 0)
    return { text, value, start, end: skipValue(text, start) }
  }
  return {
    make: (value, from) => {
      if (isContainer(value)) madeFrom.set(value, from)
    },
    know: (text, value, depth) => knowParts(rootOf(text, value), depth),
    write: (text, before, after) => {
      const root = rootOf(text, before)
      return text.slice(0, root.start) + weave(root, after, layoutOf(text), 0) + text.slice(root.end)
    },
    print: (value, like) => print(value, layoutOf(like), 0)
  }
}

/** Deeper levels are not indented further. */
const deepest = 40

/** A document with one value per line, each in its own spelling. The text has to be JSON, or JSON Lines. */
export const spreadJson = (text: string): string => {
  const parts: Array<string> = []
  let depth = 0
  const newLine = (): void => {
    parts.push(`\n${'  '.repeat(Math.min(depth, deepest))}`)
  }
  for (let offset = skipSpace(text, 0); offset < text.length; offset = skipSpace(text, offset)) {
    const sign = text[offset] as string
    if (sign === '[' || sign === '{') {
      const next = skipSpace(text, offset + 1)
      if (text[next] === ']' || text[next] === '}') {
        parts.push(sign, text[next] as string)
        offset = next + 1
        continue
      }
      parts.push(sign)
      depth += 1
      newLine()
    } else if (sign === ']' || sign === '}') {
      depth -= 1
      newLine()
      parts.push(sign)
    } else if (sign === ',') {
      parts.push(sign)
      newLine()
    } else if (sign === ':') parts.push(': ')
    else {
      const end = skipValue(text, offset)
      parts.push(text.slice(offset, end))
      offset = end
      if (depth === 0) parts.push('\n')
      continue
    }
    offset += 1
    if (depth === 0) parts.push('\n')
  }
  return parts.join('')
}
