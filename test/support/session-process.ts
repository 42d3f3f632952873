/** Starts processes that save to a session, and waits for them; what they run is `session-worker.ts`. */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import type { SessionWrite } from '../../src/ports/session-store.js'

/** What a process is to do. */
export interface WorkerTask {
  readonly name: string
  readonly place:
    | { readonly kind: 'sqlite'; readonly file: string }
    | {
        readonly kind: 'postgres'
        readonly table: string
        readonly configuration: { readonly host: string; readonly user: string; readonly database: string }
      }
  readonly sessionId: string
  readonly act: 'write' | 'turns' | 'share' | 'read'
  readonly writes: ReadonlyArray<SessionWrite<unknown>>
  /** How many turns, or entries of the shared turn. */
  readonly count: number
  /** The statement, counted from 1, at which the process kills itself. */
  readonly dieAt?: number
  readonly dieWhen?: 'before' | 'sent'
  /** The user to become before the database is opened. */
  readonly uid?: number
}

/** What became of a process. */
export interface WorkerEnd {
  readonly signal: NodeJS.Signals | null
  readonly code: number | null
  /** What the store had acknowledged, one value per line. */
  readonly lines: ReadonlyArray<Record<string, unknown>>
  readonly errors: string
}

export interface Workers {
  readonly run: (task: WorkerTask, killAfter?: number) => Promise<WorkerEnd>
  /** Kills what still runs and removes the bundle. */
  readonly stop: () => void
}

/** Builds the worker once; each `run` is a process of its own. */
export const makeWorkers = async (): Promise<Workers> => {
  const cache = resolve('node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'turnkeep-worker-'))
  const file = join(folder, 'worker.mjs')
  await build({
    entryPoints: ['test/support/session-worker.ts'],
    outfile: file,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // The drivers alone stay outside: a process that loads one file is started sooner.
    external: ['libsql', 'pg'],
    minify: true,
    logLevel: 'error'
  })
  const running = new Set<ChildProcess>()
  return {
    run: (task, killAfter) =>
      new Promise((resolveEnd) => {
        const child = spawn(process.execPath, [file, JSON.stringify(task)], {
          stdio: ['ignore', 'pipe', 'pipe']
        })
        running.add(child)
        let output = ''
        let errors = ''
        let lines = 0
        child.stdout.on('data', (chunk: Buffer) => {
          output += chunk.toString()
          lines += chunk.toString().split('\n').length - 1
          if (killAfter !== undefined && lines >= killAfter) child.kill('SIGKILL')
        })
        child.stderr.on('data', (chunk: Buffer) => {
          errors += chunk.toString()
        })
        child.once('close', (code, signal) => {
          running.delete(child)
          const whole = output.split('\n').slice(0, -1)
          resolveEnd({
            code,
            signal,
            errors,
            lines: whole.map((line) => JSON.parse(line) as Record<string, unknown>)
          })
        })
      }),
    stop: () => {
      for (const child of running) child.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** Runs tasks, two at a time. */
export const inPairs = async <A, B>(tasks: ReadonlyArray<A>, run: (task: A) => Promise<B>): Promise<B[]> => {
  const results: B[] = []
  let next = 0
  const work = async (): Promise<void> => {
    while (next < tasks.length) {
      const mine = next
      next += 1
      results[mine] = await run(tasks[mine] as A)
    }
  }
  await Promise.all([work(), work()])
  return results
}
