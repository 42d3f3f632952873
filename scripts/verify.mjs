// The exhaustive check of the save protocol: `node scripts/verify.mjs [--small] [--planted [--check]]`.
// Without arguments every run of the protocol up to the bounds of docs/explanation/proof.md is tried, on two cores;
// a run that breaks an invariant is printed as a vector, the smallest one, and the exit status is 1.
// --planted writes the tables of that page again, with --check it only says whether they are out of date.
import { fork } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('../', import.meta.url))
const pageFile = join(root, 'docs/explanation/proof.md')

/** The check is TypeScript, so it is bundled first. */
const bundle = async () => {
  const folder = join(root, 'node_modules/.cache/turnkeep')
  mkdirSync(folder, { recursive: true })
  const outfile = join(folder, `verify-${process.pid}.mjs`)
  await build({
    entryPoints: [join(root, 'test/support/verify/run.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error'
  })
  return pathToFileURL(outfile).href
}

/** Gives jobs to processes until none is left; answers with `{ job, answer }` for each. */
const runAll = (jobs, bundled, processes) =>
  new Promise((resolve, reject) => {
    const waiting = [...jobs]
    const answers = []
    let running = 0
    const next = (child) => {
      const job = waiting.shift()
      if (job !== undefined) return child.send(job)
      child.disconnect()
      running -= 1
      if (running === 0) resolve(answers)
    }
    for (let index = 0; index < processes; index += 1) {
      // Every core has a process of its own; threads that collect garbage beside them would only take turns.
      const child = fork(fileURLToPath(import.meta.url), ['--work', bundled], {
        execArgv: ['--single-threaded-gc']
      })
      running += 1
      child.on('message', (answer) => {
        answers.push(answer)
        next(child)
      })
      child.on('error', reject)
      child.on('exit', (code) => (code === 0 ? undefined : reject(new Error(`a process ended with ${code}`))))
      next(child)
    }
  })

const thousands = (count) => count.toLocaleString('en')

const describe = ({ turns, states, plans, growingPlans, errors }) =>
  `${thousands(turns)} turns, ${thousands(states)} states, ${thousands(plans)} plans, ` +
  `${thousands(growingPlans)} incremental plans compared, ${thousands(errors)} refused as out of order`

const check = async (isSmall) => {
  const begin = process.hrtime.bigint()
  const bundled = await bundle()
  const { addCounts, extentsOf, listJobs, noCounts, smallestOf, vectorOf } = await import(bundled)
  const extents = extentsOf(isSmall)
  const answers = await runAll(listJobs(extents), bundled, Math.min(2, availableParallelism()))
  let total = noCounts()
  for (const { name, length, growth } of extents) {
    const counts = answers
      .filter(({ job }) => job.extent === name)
      .reduce((sum, { answer }) => addCounts(sum, answer.counts), noCounts())
    total = addCounts(total, counts)
    console.log(`${name}, up to ${length}${growth ? ', growing on' : ''}:\n  ${describe(counts)}`)
  }
  const seconds = Number((process.hrtime.bigint() - begin) / 1_000_000n) / 1000
  console.log(`together:\n  ${describe(total)}, in ${seconds.toFixed(1)} s`)
  const found = answers.flatMap(({ answer }) => answer.found)
  const smallest = smallestOf(found)
  if (smallest === undefined) return 0
  for (const rule of [...new Set(found.map((one) => one.rule))].sort()) {
    const { word, store, policyName, steps, detail } = smallestOf(found.filter((one) => one.rule === rule))
    console.log(
      `\n${rule}, ${store}, policy ${policyName}, turn ${word}: ${detail}\n  ${JSON.stringify(steps)}`
    )
  }
  console.log(`\nthe smallest of all:`)
  console.log(JSON.stringify(vectorOf(smallest), undefined, 2))
  return 1
}

/** Puts generated text between `<!-- name -->` and `<!-- /name -->`. */
export const fillPage = (page, parts) =>
  Object.entries(parts).reduce(
    (text, [name, part]) =>
      text.replace(
        new RegExp(`(<!-- ${name} -->\n)[^]*?(<!-- /${name} -->)`),
        (_, head, foot) => `${head}${part}\n${foot}`
      ),
    page
  )

const writePage = async (isCheck) => {
  const { extentTable, letterTable, plantedTables } = await import(await bundle())
  const { seed, further } = plantedTables()
  const page = readFileSync(pageFile, 'utf8')
  const filled = fillPage(page, { letters: letterTable(), extents: extentTable(), planted: seed, further })
  if (filled === page) return 0
  if (isCheck) {
    console.error('docs/explanation/proof.md is out of date: node scripts/verify.mjs --planted')
    return 1
  }
  writeFileSync(pageFile, filled)
  return 0
}

const [, script, work, bundled] = process.argv
if (script === fileURLToPath(import.meta.url)) {
  const has = (flag) => process.argv.includes(flag)
  if (work === '--work') {
    const { runJob } = await import(bundled)
    process.on('message', (job) => process.send({ job, answer: runJob(job) }))
  } else process.exitCode = has('--planted') ? await writePage(has('--check')) : await check(has('--small'))
}
