import type { IncomingMessage } from 'node:http'
import type { Version } from '../../../wire/payloadText.ts'
import { createBudget, serverCallerKey } from '../../budgets/createBudget.ts'
import { clientOf } from '../../runtime/clientAddress/clientOf.ts'
import { isLoopback, networkOf } from '../../runtime/clientAddress/parseAddress.ts'
import type { RealtimeSettings } from '../settings.ts'

/** Why a connection is refused: status and message of the response to its handshake. */
export interface Refusal {
  status: 403 | 404 | 429
  message: string
}

/** Limits who may connect, and how many connections there are. */
export interface Admission {
  /** Counts a connection until `leave` is called once, or returns why it is refused. */
  enter(req: IncomingMessage): Refusal | { version: Version; leave: () => void }
}

/**
 * Pages of any origin may connect unless the settings list some, as in the hosted service: a connection is authenticated
 * by the key in its URL and the tokens it sends, never by a cookie that the browser adds, so cross-site requests gain
 * nothing. Clients without `Origin` are never refused for it.
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
      if (!slots.has(serverCallerKey)) return { status: 429, message: 'Too many connected users' }
      const caller = callerOf(req)
      if (!slots.take(caller)) return { status: 429, message: 'Too many connections from this address' }
      return { version, leave: () => slots.release(caller) }
    },
  }
}

/** As in Phoenix, the default version is 1.0.0. */
function parseVersion(vsn: string | null): Version | null {
  if (vsn === null || /^1\.0\.\d+$/.test(vsn)) return '1.0.0'
  return /^2\.0\.\d+$/.test(vsn) ? '2.0.0' : null
}

/** The address that a connection is counted for; local connections are limited by the total only. */
function callerOf(req: IncomingMessage): string {
  const { address } = clientOf(req)
  return isLoopback(address) ? serverCallerKey : networkOf(address)
}
