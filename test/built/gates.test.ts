/**
 * What the built package costs, counted where noise cannot reach: reads of items, bytes per call, bytes of a bundle
 * and modules. A figure that has changed on purpose is kept anew with `npm run bench -- --record`.
 */
import { expect, test } from 'vitest'
import {
  countReads,
  listModules,
  measureBytes,
  measureSizes,
  nodeMajor,
  readRecord
} from '../../bench/gates.mjs'

/** How far a figure may be from the kept one, up or down: one that fell must be kept, or it may rise again unseen. */
const tolerance = 0.05

/** Where nothing was kept for this version of Node, the figures of the others bound it. */
const toleranceOfOthers = 0.25

const advice = 'keep it anew with: npm run bench -- --record'

type Figures = Readonly<Record<string, number | null>>

/** The figures that are too far from the kept ones. */
const findChanged = (found: Figures, kept: Figures, allowed: number): ReadonlyArray<string> =>
  [...new Set([...Object.keys(found), ...Object.keys(kept)])].flatMap((name) => {
    const [now, then] = [found[name] ?? 0, kept[name] ?? 0]
    return then > 0 && Math.abs(now / then - 1) <= allowed ? [] : [`${name}: ${now}, kept ${then}; ${advice}`]
  })

const record = readRecord()

test('a plan reads items as often as it did, shape by shape', () => {
  expect(findChanged(countReads(), record.reads, tolerance)).toEqual([])
})

test('a plan allocates as many bytes as it did, shape by shape', { timeout: 120_000 }, () => {
  const own = record.bytes[nodeMajor]
  const kept = own ?? Object.values(record.bytes)[0] ?? {}
  const allowed = own === undefined ? toleranceOfOthers : tolerance
  expect(findChanged(measureBytes(), kept, allowed)).toEqual([])
})

test('every entry is as large as it was, bundled, minified and packed', async () => {
  expect(findChanged(await measureSizes(), record.sizes, tolerance)).toEqual([])
})

test('a figure that fell or rose, that is new or gone, is told', () => {
  const kept = { same: 100, rose: 100, fell: 100, gone: 100 }
  const found = { same: 104, rose: 106, fell: 94, new: 1 }
  expect(findChanged(found, kept, tolerance).map((line) => line.split(':')[0])).toEqual([
    'rose',
    'fell',
    'new',
    'gone'
  ])
})

test('importing the package loads one file, and no dependency', () => {
  expect(listModules('.')).toEqual(['dist/index.js'])
})

test.each(['./sessions/memory', './sessions/sqlite', './sessions/postgres', './runners'])(
  'importing %s loads one file: no driver and no SDK',
  (subpath) => {
    expect(listModules(subpath)).toEqual([
      `dist${subpath.slice(1)}${subpath === './runners' ? '/index' : ''}.js`
    ])
  }
)

test('importing a dialect loads its own file and io-ts, and no other dialect', () => {
  const own = listModules('./dialects/responses').filter((file) => !file.startsWith('node_modules/io-ts/'))
  expect(own).toEqual(['dist/dialects/responses.js'])
})
