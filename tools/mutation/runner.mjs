/**
 * Runs the tests of the core in one process, again and again, with one mutant after the other switched on.
 *
 * Law: only this file knows how a mutant meets the tests. Every test file is loaded once, through vite, and collected
 * by vitest's own runner; what is run for a mutant are the collected functions. Starting vitest for each mutant takes
 * half a second to load what most tests need some milliseconds for.
 *
 * The tests of a mutant run until one fails: those that have killed most so far first, then the fastest. A mutant that
 * does not end is stopped by the hits that Stryker counts, or by its clock, which starts a new process.
 */
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin'
import { determineHitLimitReached, toMutantRunResult } from '@stryker-mutator/api/test-runner'
import { collectTests, getFn, getHooks } from '@vitest/runner'
import { createServer } from 'vite'
import { isLeftOut, testFiles } from './test-files.mjs'

const shim = fileURLToPath(new URL('./shim.mjs', import.meta.url))

// The switchboard between the instrumented code and whoever runs it.
globalThis.__stryker__ ??= {}
const board = globalThis.__stryker__

const configOf = (root) => ({
  root,
  name: undefined,
  setupFiles: [],
  sequence: { hooks: 'stack', shuffle: false, concurrent: false, seed: 1 },
  allowOnly: false,
  testTimeout: 30_000,
  hookTimeout: 30_000,
  maxConcurrency: 1,
  retry: 0,
  tags: [],
  strictTags: false
})

/** Tests in the order of their files, each with the name that vitest would report. Hooks are refused, not forgotten. */
const testsOf = (file, root) => {
  const found = []
  const visit = (task, names) => {
    if (task.type === 'test') {
      if (task.mode !== 'run') return
      const name = [...names, task.name].join(' ')
      if (isLeftOut(name)) return
      found.push({
        id: `${file.filepath.slice(root.length + 1)}#${name}`,
        name,
        fileName: file.filepath,
        task,
        run: getFn(task)
      })
      return
    }
    if (Object.values(getHooks(task) ?? {}).some((hooks) => hooks.length > 0))
      throw new Error(`${task.name} has hooks`)
    for (const child of task.tasks) visit(child, task === file ? names : [...names, task.name])
  }
  visit(file, [])
  return found
}

class InProcessRunner {
  static inject = tokens(commonTokens.logger)
  tests = new Map()
  kills = new Map()
  durations = new Map()

  constructor(log) {
    this.log = log
  }

  /**
   * Code that also runs while the tests are loaded is loaded without its mutant, as `ignoreStatic` asks for. So there
   * is nothing to load anew; saying no here would start a process for each of those mutants.
   */
  capabilities() {
    return { reloadEnvironment: true }
  }

  async init() {
    const root = process.cwd()
    const server = await createServer({
      root,
      configFile: false,
      logLevel: 'error',
      appType: 'custom',
      server: { middlewareMode: true, hmr: false, watch: null, ws: false },
      optimizeDeps: { noDiscovery: true },
      resolve: { alias: [{ find: /^vitest$/, replacement: shim }] },
      ssr: { noExternal: ['@fast-check/vitest'] }
    })
    const runner = {
      config: configOf(root),
      pool: 'threads',
      trace: (_name, attributes, call) => (call ?? attributes)(),
      importFile: (path) => server.ssrLoadModule(path)
    }
    await server.ssrLoadModule(join(root, 'tools/mutation/setup.mjs'))
    const files = await collectTests(testFiles(root), runner)
    for (const file of files) {
      if (file.result?.state === 'fail')
        throw new Error(`${file.filepath}: ${file.result.errors?.[0]?.stack}`)
      for (const test of testsOf(file, root)) {
        let id = test.id
        for (let number = 2; this.tests.has(id); number += 1) id = `${test.id} (${number})`
        this.tests.set(id, { ...test, id })
      }
    }
    this.server = server
  }

  async run(test) {
    const start = performance.now()
    let failure
    try {
      globalThis.turnkeepTest = test.task
      await test.run()
    } catch (error) {
      failure = error instanceof Error ? error.message : String(error)
    }
    const timeSpentMs = performance.now() - start
    this.durations.set(test.id, timeSpentMs)
    const { id, name, fileName } = test
    return failure === undefined
      ? { id, name, fileName, timeSpentMs, status: 0 }
      : { id, name, fileName, timeSpentMs, status: 1, failureMessage: failure }
  }

  async dryRun() {
    const tests = []
    for (const test of this.tests.values()) {
      board.currentTestId = test.id
      tests.push(await this.run(test))
      board.currentTestId = undefined
    }
    return { status: 'complete', tests, mutantCoverage: board.mutantCoverage }
  }

  ordered(ids) {
    const rank = (id) => this.kills.get(id) ?? 0
    const duration = (id) => this.durations.get(id) ?? 0
    return [...(ids ?? this.tests.keys())].sort(
      (one, other) => rank(other) - rank(one) || duration(one) - duration(other)
    )
  }

  async mutantRun({ testFilter, activeMutant, hitLimit }) {
    const tests = []
    board.hitCount = hitLimit === undefined ? undefined : 0
    board.hitLimit = hitLimit
    board.activeMutant = activeMutant.id
    try {
      for (const id of this.ordered(testFilter)) {
        const result = await this.run(this.tests.get(id))
        tests.push(result)
        if (result.status === 1) {
          this.kills.set(id, (this.kills.get(id) ?? 0) + 1)
          break
        }
        if (hitLimit !== undefined && board.hitCount > hitLimit) break
      }
    } finally {
      board.activeMutant = undefined
    }
    const reached = determineHitLimitReached(board.hitCount, hitLimit)
    return toMutantRunResult(reached ?? { status: 'complete', tests })
  }

  /** What a mutant left behind in this process would have counted for those after it. */
  async dispose() {
    for (const test of this.tests.values()) {
      const { status, failureMessage } = await this.run(test)
      if (status === 1)
        this.log.error(`without a mutant, after all of them, ${test.id} fails: ${failureMessage}`)
    }
    await this.server?.close()
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'in-process', InProcessRunner)]
