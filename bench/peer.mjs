/**
 * Measures one function of a peer on one shape, beside turnkeep on the same turn.
 *
 * Law: runs in a process of its own that may be stopped at any moment: it says `start` before it calls the peer, and
 * prints a JSON line per size after it. The peer's functions are those of the installed files of
 * `@openai/agents-core`; the helper that turnkeep grew from is `baseline/retain.ts`.
 */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { planCases } from './cases.mjs'
import { middle, ratioOf, timeTogether } from './meters.mjs'
import { countSelected, toRunItems } from './run-items.mjs'
import { makeTurn } from './shapes.mjs'
import { importTypescript } from './typescript.mjs'

const { peer, shape, sizes, budget } = JSON.parse(process.argv[2])

const say = (row) => process.stdout.write(`${JSON.stringify({ shape, case: peer, ...row })}\n`)

const expect = (actual, expected) => {
  if (actual !== expected) throw new Error(`${peer}: expected ${expected} items, got ${actual}`)
}

const folderOf = (name) =>
  fileURLToPath(new URL('.', pathToFileURL(createRequire(import.meta.url).resolve(name))))

const loadAgents = async () => {
  const agents = await import('@openai/agents-core')
  const file = join(folderOf('@openai/agents-core'), 'runner/blockedOutputPersistence.mjs')
  return { agents, blocked: await import(pathToFileURL(file).href) }
}

const useSelection = async () => {
  const { agents, blocked } = await loadAgents()
  const agent = new agents.Agent({ name: 'clerk' })
  return (items) => {
    const runItems = toRunItems(items, agents, agent)
    return {
      act: () => blocked.selectRunItemIndexesForBlockedOutput(runItems, 0),
      check: (selected) => expect(selected.length, countSelected(items))
    }
  }
}

const usePlan = async () => {
  const { agents, blocked } = await loadAgents()
  const agent = new agents.Agent({ name: 'clerk' })
  return (items) => {
    const question = {
      items: toRunItems(items, agents, agent),
      alreadyPersistedCount: 0,
      currentDeferredIndexes: new Set(),
      outputBlocked: true,
      canUseHistoryTransactions: true
    }
    return {
      act: () => blocked.buildRunItemPersistencePlan(question),
      check: (plan) => expect(plan.runItemsToPersist.length, countSelected(items))
    }
  }
}

const isProgramOutput = ({ kind, namespace }) => kind === 'output' && namespace === 'program'

const useSeed = async () => {
  const { retainByForwardScan } = await importTypescript('bench/baseline/retain.ts')
  return (items) => ({
    act: () => retainByForwardScan(items),
    check: (kept) => expect(kept.length, countSelected(items) + items.filter(isProgramOutput).length)
  })
}

const peers = { select: useSelection, persist: usePlan, seed: useSeed }
const prepare = await peers[peer]()

/** A call that takes this long is measured by the one call that was checked. */
const longCall = 3_000

for (const size of sizes) {
  const items = makeTurn(shape, size)
  const { act, check } = prepare(items)
  const rejected = planCases.rejected(items)
  say({ size, start: true })
  const start = performance.now()
  const answer = act()
  const once = performance.now() - start
  check(answer)
  const samples = timeTogether(once > longCall ? { rejected } : { peer: act, rejected }, { budget })
  const peerSamples = samples.peer ?? samples.rejected.map(() => once)
  say({
    size,
    time: samples.peer === undefined ? { median: once, spread: 0, rounds: 1 } : middle(peerSamples),
    base: 'rejected',
    ratio: ratioOf(peerSamples, samples.rejected)
  })
}
