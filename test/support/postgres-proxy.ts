/**
 * A socket between a client and Postgres that loses or withholds the server's answers on request.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestPostgres } from './postgres.js'

/** What happens to an answer that holds the wanted tag, such as `COMMIT`. */
export type Fate = 'cut' | 'swallow' | 'delay'

export interface PostgresProxy {
  readonly configuration: TestPostgres['configuration']
  /** Lets the next answer that holds the tag meet its fate; later ones pass. */
  readonly arm: (tag: string, fate: Fate) => void
  /** How many answers have met their fate. */
  readonly struck: () => number
  /** Ends every connection, as a network that comes down. */
  readonly cutAll: () => void
  readonly close: () => Promise<void>
}

const delay = 50

export const startProxy = async (server: TestPostgres): Promise<PostgresProxy> => {
  const folder = mkdtempSync(join(tmpdir(), 'turnkeep-proxy-'))
  const sockets = new Set<Socket>()
  let armed: { readonly tag: string; readonly fate: Fate } | undefined
  let struck = 0
  const listener = createServer((near) => {
    const far = connect(join(server.socket, '.s.PGSQL.5432'))
    let silent = false
    const end = (): void => {
      near.destroy()
      far.destroy()
      sockets.delete(near)
    }
    sockets.add(near)
    for (const socket of [near, far]) socket.on('error', end).on('close', end)
    near.on('data', (chunk) => far.write(chunk))
    far.on('data', (chunk) => {
      if (silent) return
      const fate = armed !== undefined && chunk.includes(armed.tag) ? armed.fate : undefined
      if (fate === undefined) {
        near.write(chunk)
        return
      }
      armed = undefined
      struck += 1
      if (fate === 'cut') end()
      else if (fate === 'swallow') silent = true
      else setTimeout(() => near.write(chunk), delay)
    })
  })
  listener.listen(join(folder, '.s.PGSQL.5432'))
  await once(listener, 'listening')
  return {
    configuration: { ...server.configuration, host: folder },
    arm: (tag, fate) => {
      armed = { tag, fate }
    },
    struck: () => struck,
    cutAll: () => {
      for (const socket of sockets) socket.destroy()
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      listener.close()
      await once(listener, 'close')
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
