/**
 * How is another program asked, one line at a time?
 *
 * Law: the dialogue: a question is a line, its answer is the next line. Everything that can go wrong with that has a
 * name of its own, so that a hanging program is not taken for a wrong one. After a crash or a hang the program is
 * started again for the next question.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { type Either, left, right } from 'fp-ts/lib/Either.js'
import type { Trouble } from '../conformance/report.js'

/** Another implementation. */
export interface Peer {
  /** Sends lines at once and waits for as many; a trouble is in place of all of them. */
  readonly ask: (lines: ReadonlyArray<string>) => Promise<Either<Trouble, ReadonlyArray<string>>>
  /** Lines that came unasked since the last question. */
  readonly takeExtra: () => ReadonlyArray<string>
  /** Ends the program, so that the next question starts it anew: its lines can no longer be told apart. */
  readonly restart: () => void
  /** Closes its input and waits for its end; a trouble if it says more or ends with an error. */
  readonly end: () => Promise<Trouble | undefined>
}

export interface PeerOptions {
  readonly command: string
  readonly words: ReadonlyArray<string>
  /** Milliseconds that one answer may take. */
  readonly timeout: number
}

/** A program that is running, with the lines that it has said. */
interface Running {
  readonly child: ChildProcessWithoutNullStreams
  readonly lines: Array<string>
  /** What it said on standard error last, to be shown when it crashes. */
  complaint: string
  /** Set when it has ended or could not be started. */
  ended: { readonly message: string; readonly status: number | null } | undefined
  /** Called when a line has come or the program has ended. */
  notify: () => void
}

const longestComplaint = 2000

/** Milliseconds that a program may take to start, on top of its first answer. */
const startTime = 10_000

const startProgram = ({ command, words }: PeerOptions): Running => {
  const child = spawn(command, [...words], { stdio: ['pipe', 'pipe', 'pipe'] })
  const running: Running = { child, lines: [], complaint: '', ended: undefined, notify: () => undefined }
  let rest = ''
  child.stdout.setEncoding('utf8')
  child.stdout.on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n')
    rest = parts.pop() ?? ''
    running.lines.push(...parts.map((line) => line.replace(/\r$/, '')))
    if (parts.length > 0) running.notify()
  })
  child.stderr.setEncoding('utf8')
  child.stderr.on('data', (chunk: string) => {
    running.complaint = (running.complaint + chunk).slice(-longestComplaint)
  })
  // A program that has gone away is told by its end, not by a broken pipe.
  child.stdin.on('error', () => undefined)
  const finish = (message: string, status: number | null): void => {
    if (running.ended !== undefined) return
    if (rest !== '') running.lines.push(rest)
    rest = ''
    running.ended = { message, status }
    running.notify()
  }
  child.on('error', (error) => finish(`could not be started: ${error.message}`, null))
  child.on('close', (status, signal) =>
    finish(signal === null ? `ended with status ${status}` : `was ended by ${signal}`, status)
  )
  return running
}

/** Waits until something holds, or for a time; says whether it held. */
const waitUntil = (running: Running, holds: () => boolean, timeout: number): Promise<boolean> =>
  new Promise((resolve) => {
    if (holds()) return resolve(true)
    const stop = (held: boolean): void => {
      clearTimeout(timer)
      running.notify = () => undefined
      resolve(held)
    }
    const timer = setTimeout(() => stop(false), timeout)
    running.notify = () => {
      if (holds()) stop(true)
    }
  })

const lastLine = (text: string): string => text.trim().split('\n').at(-1)?.trim() ?? ''

const crash = ({ ended, complaint }: Running): Trouble => {
  const said = lastLine(complaint)
  return {
    kind: 'crash',
    message: `the program ${ended?.message ?? 'ended'}${said === '' ? '' : `, and said: ${said}`}`
  }
}

/** Starts nothing yet: the program is started by the first question. */
export const openPeer = (options: PeerOptions): Peer => {
  let running: Running | undefined
  const { timeout } = options

  const letGo = (): void => {
    if (running?.ended === undefined) running?.child.kill('SIGKILL')
    running = undefined
  }

  const ask: Peer['ask'] = async (questions) => {
    const patience = timeout * questions.length + (running === undefined ? startTime : 0)
    running ??= startProgram(options)
    const current = running
    const from = current.lines.length
    const wanted = from + questions.length
    current.child.stdin.write(questions.map((line) => `${line}\n`).join(''))
    const done = (): boolean => current.lines.length >= wanted || current.ended !== undefined
    const held = await waitUntil(current, done, patience)
    if (current.lines.length >= wanted) return right(current.lines.splice(from, questions.length))
    letGo()
    if (held) return left(crash(current))
    const waited = `no answer within ${patience} ms; is every line flushed?`
    return left({ kind: 'timeout', message: waited })
  }

  const end: Peer['end'] = async () => {
    const current = running
    if (current === undefined) return undefined
    const before = current.lines.length
    current.child.stdin.end()
    const held = await waitUntil(current, () => current.ended !== undefined, timeout)
    letGo()
    if (!held)
      return {
        kind: 'timeout',
        message: `the program did not end within ${timeout} ms of the end of its input`
      }
    const extra = current.lines.length - before
    if (extra > 0) return { kind: 'extra-line', message: `${extra} lines came behind the last answer` }
    const { status } = current.ended ?? { status: null }
    // 2 says that some line could not be answered, which is what some vectors are about.
    return status === 0 || status === 2 ? undefined : crash(current)
  }

  return { ask, takeExtra: () => running?.lines.splice(0) ?? [], restart: letGo, end }
}
