/**
 * What is measured in a run, in which order?
 *
 * Law: turns a selection into requests for `worker.mjs` and `peer.mjs` and collects their rows. It knows which sizes
 * are left out so that a run takes minutes, and what became of a peer that was stopped.
 */
import { otherCases, planCases } from './cases.mjs'
import { bytesFlags } from './meters.mjs'
import { patience, runScript } from './processes.mjs'
import { shapeNames, sizes } from './shapes.mjs'

/** The peers by the names of their rows. */
export const peerNames = {
  select: 'agents-core, selection',
  persist: 'agents-core, plan',
  seed: 'the helper of the seed'
}

/** On these shapes everything is measured up to the largest size; on the others only the plans of turnkeep are. */
const largeShapes = ['alternating', 'chat']
const largest = Math.max(...sizes)
const quickest = [20, 1_000, 10_000]

/** Whether `shape/case/size` was asked for; a part that is missing or `*` takes all. */
const isWanted = (only, shape, name, size) =>
  only.length === 0 ||
  only.some((filter) => {
    const [wantedShape = '*', wantedCase = '*', wantedSize = '*'] = filter.split('/')
    const fits = (wanted, actual) =>
      wanted === '*' || wanted === '' || actual === undefined || wanted === String(actual)
    return (
      fits(wantedShape, shape) && fits(wantedCase, name) && fits(wantedSize.replaceAll(/[_,]/g, ''), size)
    )
  })

const select = ({ only, quick }, shape, names, sizesOf) => {
  const requests = new Map()
  for (const name of names) {
    const wanted = sizesOf(name).filter(
      (size) => (!quick || quickest.includes(size)) && isWanted(only, shape, name, size)
    )
    const key = wanted.join()
    if (wanted.length > 0)
      requests.set(key, { sizes: wanted, cases: [...(requests.get(key)?.cases ?? []), name] })
  }
  return [...requests.values()]
}

const sizesOfOthers = (shape) =>
  largeShapes.includes(shape) ? sizes : sizes.filter((size) => size < largest)

const measurePeer = async (options, shape, peer, report) => {
  const [request] = select(options, shape, [peer], () => sizesOfOthers(shape))
  if (request === undefined) return
  const left = new Set(request.sizes)
  const onRow = (row) => {
    left.delete(row.size)
    report(row)
  }
  const stopped = await runScript(
    'peer.mjs',
    { peer, shape, sizes: request.sizes, budget: options.budget },
    { flags: ['--expose-gc'], onRow }
  )
  for (const size of left) {
    const row = { shape, case: peer, size }
    if (size === stopped?.size)
      report({ ...row, stopped: `stopped after ${patience / 1000} s`, atLeast: patience })
    else report({ ...row, stopped: 'not begun' })
  }
}

/** Every row of a run; `report` is told each as it comes. */
export const measureAll = async (options, report) => {
  const onRow = report
  for (const shape of shapeNames) {
    const times = [
      ...select(options, shape, Object.keys(planCases), () => sizes),
      ...select(options, shape, Object.keys(otherCases), () => sizesOfOthers(shape))
    ]
    for (const { sizes: some, cases } of times) {
      const request = { role: 'time', shape, sizes: some, cases, budget: options.budget }
      await runScript('worker.mjs', request, { flags: ['--expose-gc'], onRow })
    }
    for (const { sizes: some } of select(options, shape, ['bytes'], () =>
      sizes.filter((size) => size < largest)
    ))
      await runScript(
        'worker.mjs',
        { role: 'bytes', shape, sizes: some, cases: ['beside'], budget: 0 },
        { flags: bytesFlags, onRow }
      )
    for (const peer of Object.keys(peerNames)) await measurePeer(options, shape, peer, report)
  }
}
