import type { IncomingMessage } from 'node:http'
import type { Version } from '../../../wire/realtime.ts'
import { createBudget, serverItself } from '../../budgets/createBudget.ts'
import { clientOf } from '../../runtime/clientAddress/clientOf.ts'
import { isLoopback, networkOf } from '../../runtime/clientAddress/parseAddress.ts'
import type { RealtimeSettings } from '../settings.ts'

/** Why a connection is not let in: status and sentence of the answer to its handshake. */
export interface Refusal {
  status: 403 | 404 | 429
  message: string
}

/** Who may connect, and how many at once. */
export interface Admission {
  /** Takes a place, which `leave` gives back, once; or says why there is none. */
  enter(req: IncomingMessage): Refusal | { version: Version; leave: () => void }
}

/**
 * Any site's page may connect unless the settings name some, as on the hosted service: a connection is known
 * by the key in its address and by the tokens it sends, never by a cookie that a browser adds on its own, so
 * a foreign page has nothing to borrow. Programs, which send no `Origin`, are never kept out by it.
 */
export function createAdmission(settings: RealtimeSettings): Admission {
  const slots = createBudget({
    capacity: settings.maxConcurrentUsers,
    maxPerCaller: settings.maxConnectionsPerAddress,
  })

  return {
    enter(req) {
      const url = new URL(req.url ?? '/', 'http://localhost')
      const version = parseVersion(url.searchParams.get('vsn'))
      if (!url.pathname.endsWith('/websocket')) return { status: 404, message: 'Not Found' }
      if (!version) return { status: 403, message: 'Unsupported protocol version' }
      const { origin } = req.headers
      if (origin !== undefined && settings.allowedOrigins && !settings.allowedOrigins.has(origin)) {
        return { status: 403, message: 'This origin is not allowed' }
      }
      if (!slots.has(serverItself)) return { status: 429, message: 'Too many connected users' }
      const caller = callerOf(req)
      if (!slots.take(caller)) return { status: 429, message: 'Too many connections from this address' }
      return { version, leave: () => slots.release(caller) }
    },
  }
}

/** Phoenix takes a client that names no version for a 1.0.0 one. */
function parseVersion(vsn: string | null): Version | null {
  if (vsn === null || /^1\.0\.\d+$/.test(vsn)) return '1.0.0'
  return /^2\.0\.\d+$/.test(vsn) ? '2.0.0' : null
}

/** What a connection is counted under: this machine is bounded by the number of all places alone. */
function callerOf(req: IncomingMessage): string {
  const { address } = clientOf(req)
  return isLoopback(address) ? serverItself : networkOf(address)
}
