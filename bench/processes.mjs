/**
 * How is a measuring process run, and when is it stopped?
 *
 * Law: starts a script of this folder with a request, hands each JSON line that it prints to the caller, and ends it
 * when it is silent for too long after it has said `start`. Nothing is measured here.
 */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A peer is stopped after this many milliseconds with one turn. */
export const patience = 30_000

/**
 * Runs a script to its end. Answers with the request that it was stopped in, or null. Errors: throws with the
 * script's own words when it ends with a failure.
 */
export const runScript = (script, request, { flags = [], onRow }) =>
  new Promise((resolve, reject) => {
    const file = fileURLToPath(new URL(script, import.meta.url))
    const child = spawn(
      process.execPath,
      ['--max-old-space-size=3500', ...flags, file, JSON.stringify(request)],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, NODE_ENV: 'production' }
      }
    )
    let words = ''
    let running = null
    let stopped = false
    let timer
    child.stderr.on('data', (chunk) => {
      words = (words + chunk).slice(-2000)
    })
    const lines = createInterface({ input: child.stdout })
    lines.on('line', (line) => {
      clearTimeout(timer)
      const row = JSON.parse(line)
      running = row.start === true ? row : null
      if (running === null) onRow(row)
      else {
        timer = setTimeout(() => {
          stopped = true
          child.kill('SIGKILL')
        }, patience)
      }
    })
    child.once('error', reject)
    child.once('close', (code) => {
      clearTimeout(timer)
      if (stopped) resolve(running)
      else if (code === 0) resolve(null)
      else reject(new Error(`bench/${script} ended with ${code}: ${words}`))
    })
  })
