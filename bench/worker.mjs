/**
 * Measures one shape in a process of its own, so that no figure depends on what was measured before it.
 *
 * Law: takes a request as JSON, prints one JSON line per figure. `time` needs `--expose-gc`, `bytes` the flags of
 * `bytesFlags`.
 */
import { otherCases, planCases } from './cases.mjs'
import { floor, pairingMap } from './floor.mjs'
import { bytesPerCall, bytesRetained, middle, ratioOf, timeTogether } from './meters.mjs'
import { makeTurn } from './shapes.mjs'

const { role, shape, sizes, cases, budget } = JSON.parse(process.argv[2])

const say = (row) => process.stdout.write(`${JSON.stringify({ shape, ...row })}\n`)

const wanted = (names) => names.filter((name) => cases.includes(name))

const sayTimes = (size, samples, base, names) => {
  for (const name of names)
    say({ case: name, size, time: middle(samples[name]), base, ratio: ratioOf(samples[name], samples[base]) })
}

const timePlans = (items, size) => {
  const names = wanted(Object.keys(planCases))
  if (names.length === 0) return
  const acts = Object.fromEntries(names.map((name) => [name, planCases[name](items)]))
  sayTimes(
    size,
    timeTogether({ floor: planCases.floor(items), ...acts }, { budget, warmUp: budget / 2 }),
    'floor',
    names
  )
}

const timeOthers = (items, size) => {
  for (const name of wanted(Object.keys(otherCases))) {
    const acts = { [name]: otherCases[name](items), rejected: planCases.rejected(items) }
    sayTimes(size, timeTogether(acts, { budget: budget / 2, warmUp: budget / 2 }), 'rejected', [name])
  }
}

/** Calls after which nothing is compiled any more; a long turn has its loops compiled within few. */
const warmUpCallsFor = (size) => Math.max(30, Math.min(20_000, Math.floor(3_000_000 / size)))

const readBytes = async (items, size) => {
  const warmUp = warmUpCallsFor(size)
  const act = planCases.rejected(items)
  const allocated = await bytesPerCall(act, warmUp)
  const beside = cases.includes('beside')
    ? {
        floor: await bytesPerCall(() => floor(items), warmUp),
        map: await bytesPerCall(() => pairingMap(items), warmUp),
        retained: bytesRetained(act, Math.max(2, Math.min(200, Math.floor(2_000_000 / size))))
      }
    : {}
  say({ case: 'bytes', size, allocated, ...beside })
}

for (const size of sizes) {
  const items = makeTurn(shape, size)
  if (role === 'bytes') await readBytes(items, size)
  else {
    timePlans(items, size)
    timeOthers(items, size)
  }
}
