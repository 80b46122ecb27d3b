import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import type { BudgetSettings } from '../budgets/budgetSettings.ts'
import { networkKey } from '../budgets/callerKey.ts'
import { createBudget, serverCallerKey } from '../budgets/createBudget.ts'
import type { FairScheduler } from '../budgets/createFairScheduler.ts'
import { networkOf, parseAddress } from '../runtime/clientAddress/parseAddress.ts'
import { createFairQueue } from '../runtime/createFairQueue.ts'
import type { PausingServer } from './listenOnPort.ts'

/** Accepted connections that may wait for their turn: as many as wait to be accepted. */
const maxWaiting = 4_096

/** Files of the process that no connection may use: the database's, objects, logs, functions. */
const reservedFiles = 1_024

/** The limit of open files that Linux sets for the process, which Node has raised to the maximum; null if unknown. */
function maxFiles(): number | null {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))
    return limit && Number(limit[1])
  } catch {
    return null
  }
}

/** Connections that fit below the limit of open files. */
export function maxConnectionsOf(wanted: number, files: number | null = maxFiles()): number {
  return files === null ? wanted : Math.min(wanted, Math.max(files - reservedFiles, Math.floor(files / 2)))
}

export interface ConnectionWatch {
  /** The connection has sent the head of a request: it is a client's. */
  onRequest(socket: Socket): void
  stats(): ConnectionStats
  /** Closes connections that wait for their turn, and those that are still accepted. */
  close(): void
}

export interface ConnectionStats {
  open: number
  max: number
  /** Closed at once, since their address had its share or there were too many. */
  refused: number
  /** Closed because they waited for their turn or had sent no request yet, and too many others did too. */
  dropped: number
}

const endpointOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`

/**
 * Passes connections on to the server's own listeners in turn by address, so that many of one address delay those of others
 * by one each. Until then nothing is read of them. Of too many that wait, the newest one of the address with the most is
 * closed, which costs less than to begin a request.
 *
 * Counts connections by the address of the peer (of IPv6 the /64). Those of trusted proxies are limited only by the
 * total number, since a proxy opens them for all clients. Of too many that have not sent a request yet, the oldest one of
 * the address with the most is closed: an attacker that opens many closes its own.
 */
export function limitConnections(
  server: PausingServer,
  settings: Pick<BudgetSettings, 'maxConnections' | 'maxConnectionsPerAddress' | 'maxSilentConnections'>,
  isTrusted: (address: string) => boolean,
  scheduler: FairScheduler,
): ConnectionWatch {
  const max = maxConnectionsOf(settings.maxConnections)
  const connections = createBudget({ capacity: max, maxPerCaller: settings.maxConnectionsPerAddress })
  /** By the address and port of the peer: under TLS a request has another socket than its connection. */
  const silent = new Map<string, { socket: Socket; caller: string }>()
  /** Those of each address, oldest first. */
  const silentOf = new Map<string, Set<string>>()
  const maxSilent = Math.min(settings.maxSilentConnections, Math.ceil(max / 4))
  const waiting = createFairQueue<Socket>()
  let dropped = 0
  let isClosed = false

  server.pauseOnConnect = true
  const listeners = server.listeners('connection') as ((socket: Socket) => void)[]
  server.removeAllListeners('connection')
  /** Passes a connection on, unless it has been closed meanwhile. */
  const pass = (caller: string, socket: Socket): void => {
    if (!waiting.remove(caller, socket)) return
    const endpoint = endpointOf(socket)
    silent.set(endpoint, { socket, caller })
    silentOf.set(caller, (silentOf.get(caller) ?? new Set()).add(endpoint))
    socket.once('close', () => {
      if (silent.get(endpoint)?.socket === socket) takeSilent(endpoint)
    })
    for (const listener of listeners) listener.call(server, socket)
    socket.resume()
    if (silent.size <= maxSilent) return
    const most = [...silentOf.values()].reduce((a, b) => (b.size > a.size ? b : a))
    const [oldest] = most
    dropped++
    takeSilent(oldest!)!.destroy()
  }

  const takeSilent = (endpoint: string): Socket | undefined => {
    const entry = silent.get(endpoint)
    if (!entry) return undefined
    silent.delete(endpoint)
    const own = silentOf.get(entry.caller)!
    own.delete(endpoint)
    if (own.size === 0) silentOf.delete(entry.caller)
    return entry.socket
  }

  server.on('connection', (socket: Socket) => {
    const address = parseAddress(socket.remoteAddress ?? '')
    // Gone before it was accepted.
    if (address === null || isClosed) return void socket.destroy()
    const caller = isTrusted(address) ? serverCallerKey : networkKey(networkOf(address))
    if (!connections.take(caller)) return void socket.destroy()
    socket.once('close', () => {
      connections.release(caller)
      waiting.remove(caller, socket)
    })
    waiting.add(caller, socket)
    scheduler.add({
      callerKey: caller,
      runNext() {
        pass(caller, socket)
        return false
      },
    })
    if (waiting.size() <= maxWaiting) return
    dropped++
    waiting.takeLast(waiting.largest()!.key)!.destroy()
  })

  return {
    onRequest: (socket) => void takeSilent(endpointOf(socket)),
    stats() {
      const { used, refused } = connections.stats()
      return { open: used, max, refused, dropped }
    },
    close() {
      isClosed = true
      for (const socket of waiting.take(waiting.size())) socket.destroy()
    },
  }
}
