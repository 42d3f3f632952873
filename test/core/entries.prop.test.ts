/** A list of entries tells what a plain list of them would, however few numbers it keeps. */
import { test } from '@fast-check/vitest'
import fc from 'fast-check'
import { expect } from 'vitest'
import { type Entry, EntryList, Form } from '../../src/core/entries.js'

type Step = readonly [position: number, form: number] | readonly [start: number, end: number, plain: true]

const entryOf = (position: number, form: number): Entry => {
  switch (form) {
    case Form.plain:
      return { position }
    case Form.stripped:
      return { position, stripId: true }
    case Form.redacted:
      return { position, redact: true }
    case Form.interrupted:
      return { close: position, as: 'interrupted' }
    case Form.skipped:
      return { close: position, as: 'skipped' }
    default:
      return { close: position, as: 'denied' }
  }
}

const listOf = (
  steps: ReadonlyArray<Step>
): { readonly list: EntryList; readonly plain: ReadonlyArray<Entry> } => {
  const list = new EntryList()
  const plain: Entry[] = []
  for (const step of steps) {
    if (step.length === 2) {
      list.add(step[0], step[1])
      plain.push(entryOf(step[0], step[1]))
    } else {
      list.addPlain(step[0], step[1])
      for (let position = step[0]; position < step[1]; position += 1) plain.push({ position })
    }
  }
  return { list, plain }
}

const position = fc.oneof(fc.nat(12), fc.constantFrom(2 ** 28, 2 ** 29 + 1))
const form = fc.constantFrom(...Object.values(Form))
const plainForm = fc.constant(Form.plain)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(position, fc.oneof(plainForm, form)),
  fc.tuple(fc.nat(12), fc.nat(12), fc.constant(true as const))
)
/** Steps that often go on where the step before them ended, so that stretches are long. */
const steps = fc.oneof(
  fc.array(step, { maxLength: 12 }),
  fc
    .array(fc.oneof(plainForm, form), { maxLength: 12 })
    .map((forms) => forms.map((each, at): Step => [at, each]))
)

test.prop([steps])('is read as it was written, whole and by index', (given) => {
  const { list, plain } = listOf(given)
  expect(list.length).toBe(plain.length)
  expect(Array.from(list)).toEqual(plain)
  expect(plain.map((_, index) => list.at(index))).toEqual(plain)
  for (const index of [-1, 0.5, plain.length, Number.NaN]) expect(list.at(index)).toBeUndefined()
})

test.prop([steps, fc.nat(14)])('is cut behind any number of entries', (given, count) => {
  const { list, plain } = listOf(given)
  const rest = list.from(count)
  expect(rest.length).toBe(Math.max(0, plain.length - count))
  expect(Array.from(rest)).toEqual(plain.slice(count))
  expect(plain.slice(count).map((_, index) => rest.at(index))).toEqual(plain.slice(count))
  expect(Array.from(list)).toEqual(plain)
})

test.prop([steps, fc.nat(14), steps])(
  'goes on as the whole list would, once it was cut',
  (given, count, more) => {
    const { list, plain } = listOf(given)
    const rest = list.from(count)
    const whole = listOf(more)
    for (const entry of whole.plain)
      if ('position' in entry && entry.stripId !== true && entry.redact !== true)
        rest.add(entry.position, Form.plain)
    const plainMore = whole.plain.filter(
      (entry) => 'position' in entry && !('stripId' in entry || 'redact' in entry)
    )
    expect(Array.from(rest)).toEqual([...plain.slice(count), ...plainMore])
  }
)

test.prop([steps, steps, steps])('counts what it has in common with another list', (start, one, other) => {
  const left = listOf([...start, ...one])
  const right = listOf([...start, ...other])
  let same = 0
  while (
    same < left.plain.length &&
    same < right.plain.length &&
    JSON.stringify(left.plain[same]) === JSON.stringify(right.plain[same])
  )
    same += 1
  expect(left.list.countSame(right.list)).toBe(same)
  expect(right.list.countSame(left.list)).toBe(same)
})

test.prop([steps])('keeps two numbers for each stretch of neighbours of one form', (given) => {
  const { list, plain } = listOf(given)
  const place = (entry: Entry): number => ('close' in entry ? entry.close : entry.position)
  const kind = (entry: Entry): string => JSON.stringify({ ...entry, position: 0, close: 0 })
  const stretches = plain.filter(
    (entry, index) =>
      index === 0 ||
      place(entry) !== place(plain[index - 1] as Entry) + 1 ||
      kind(entry) !== kind(plain[index - 1] as Entry)
  )
  expect(list.stretches.length).toBe(stretches.length * 2)
})

test('goes on with a stretch that was added at once', () => {
  const list = new EntryList()
  list.addPlain(3, 5)
  list.add(5, Form.plain)
  list.addPlain(6, 6)
  list.addPlain(6, 8)
  expect(list.stretches).toEqual([3 * 8, 0])
  expect(Array.from(list)).toEqual([3, 4, 5, 6, 7].map((position) => ({ position })))
})

test('begins with any entry, and is not changed by no entries', () => {
  const stripped = new EntryList()
  stripped.add(0, Form.stripped)
  expect(Array.from(stripped)).toEqual([{ position: 0, stripId: true }])
  const none = new EntryList()
  none.addPlain(9, 9)
  expect([none.length, none.stretches]).toEqual([0, []])
})
