/**
 * How long does something take, and how much does it allocate?
 *
 * Law: only this file measures. Time: what is to be compared is called in turn, round after round, so that a slow
 * moment of the machine meets all of it; the middle of the rounds is reported with the range of the middle half.
 * Bytes: the growth of the heap and of the buffers beside it over a window in which no collection ran; needs the
 * flags of `bytesFlags`, and says null where a collection ran after all.
 */
import { PerformanceObserver, performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'

/** One thread, so that what is compiled when depends on nothing else; a young generation that a window fits into. */
export const bytesFlags = [
  '--expose-gc',
  '--single-threaded',
  '--min-semi-space-size=256',
  '--max-semi-space-size=256'
]

/** The value below which a share of the numbers lies. */
export const quantile = (numbers, share) => {
  const sorted = Float64Array.from(numbers).sort()
  const place = (sorted.length - 1) * share
  const low = Math.floor(place)
  const high = Math.ceil(place)
  return sorted[low] + (sorted[high] - sorted[low]) * (place - low)
}

/** The middle of the numbers, and how wide their middle half is as a share of it. */
export const middle = (numbers) => {
  const median = quantile(numbers, 0.5)
  const spread = (quantile(numbers, 0.75) - quantile(numbers, 0.25)) / median
  return { median, spread, rounds: numbers.length }
}

/** A batch shorter than this says more about the clock than about the work. */
const shortestBatch = 0.5
const fewestRounds = 3
const mostRounds = 60

const timeOf = (act, times) => {
  const start = performance.now()
  for (let left = times; left > 0; left -= 1) act()
  return (performance.now() - start) / times
}

/** A call that takes this long is not called more often than it must be. */
const longCall = 800

/** How often to call an act in one batch, and how long it took; calling it until then has warmed it up. */
const batchOf = (act, warmUp) => {
  let times = 1
  let spent = 0
  for (;;) {
    const each = timeOf(act, times)
    spent += each * times
    if (each * times >= shortestBatch && spent >= warmUp) return { times, each }
    if (each * times < shortestBatch) times *= 2
  }
}

/** Milliseconds per call of each named act, round by round, for about `budget` milliseconds. */
export const timeTogether = (acts, { budget, warmUp = budget / 3 }) => {
  const rows = Object.entries(acts).map(([name, act]) => ({
    name,
    act,
    ...batchOf(act, warmUp),
    samples: []
  }))
  const fewest = rows.some(({ each }) => each > longCall) ? 1 : fewestRounds
  globalThis.gc?.()
  const end = performance.now() + budget
  for (let round = 0; round < mostRounds && (round < fewest || performance.now() < end); round += 1)
    for (const { act, times, samples } of rows) samples.push(timeOf(act, times))
  return Object.fromEntries(rows.map(({ name, samples }) => [name, samples]))
}

/** How many times as long the first takes, round by round. */
export const ratioOf = (samples, others) => middle(samples.map((sample, round) => sample / others[round]))

const collections = () => {
  let count = 0
  const observer = new PerformanceObserver((list) => {
    count += list.getEntries().length
  })
  observer.observe({ entryTypes: ['gc'] })
  return {
    forget: () => {
      count = 0
    },
    count: () => count
  }
}

const memoryUsed = () => {
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

/** Bytes that fit into a window without a collection. */
const windowSize = 24_000_000
const mostCalls = 2_000

/**
 * Bytes allocated per call once it has been compiled, or null where a collection came between. It is compiled after a
 * number of calls, never after a time: a slow machine reads the same.
 */
export const bytesPerCall = async (act, warmUpCalls) => {
  const observed = collections()
  const readOnce = async (times) => {
    globalThis.gc()
    await setTimeout(20)
    observed.forget()
    const before = memoryUsed()
    for (let left = times; left > 0; left -= 1) act()
    const after = memoryUsed()
    await setTimeout(20)
    return observed.count() === 0 ? (after - before) / times : null
  }
  for (let left = warmUpCalls; left > 0; left -= 1) act()
  const first = await readOnce(1)
  if (first === null) return null
  return readOnce(Math.max(1, Math.min(mostCalls, Math.floor(windowSize / Math.max(first, 1)))))
}

/** Bytes that the answer of an act keeps alive. */
export const bytesRetained = (act, times) => {
  const kept = new Array(times).fill(undefined)
  for (let index = 0; index < times; index += 1) kept[index] = act()
  globalThis.gc()
  const held = memoryUsed()
  kept.fill(undefined)
  globalThis.gc()
  return (held - memoryUsed()) / times
}
