import type { IncomingMessage } from 'node:http'
import type { Version } from '../../../wire/realtime.ts'
import { clientOf } from '../../client/clientOf.ts'
import { isLoopback, networkOf } from '../../client/parseAddress.ts'
import type { RateCounter } from '../rateCounter.ts'
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
export function createAdmission(settings: RealtimeSettings, joins: RateCounter): Admission {
  const byAddress = new Map<string, number>()
  let total = 0

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
      if (total >= settings.maxConcurrentUsers) return { status: 429, message: 'Too many connected users' }
      if (joins.exceeded()) return { status: 429, message: 'Too many joins per second' }
      const address = addressOf(req)
      const there = (address !== null && byAddress.get(address)) || 0
      if (there >= settings.maxConnectionsPerAddress) {
        return { status: 429, message: 'Too many connections from this address' }
      }
      total++
      if (address !== null) byAddress.set(address, there + 1)
      return {
        version,
        leave() {
          total--
          if (address === null) return
          const left = byAddress.get(address)! - 1
          if (left === 0) byAddress.delete(address)
          else byAddress.set(address, left)
        },
      }
    },
  }
}

/** Phoenix takes a client that names no version for a 1.0.0 one. */
function parseVersion(vsn: string | null): Version | null {
  if (vsn === null || /^1\.0\.\d+$/.test(vsn)) return '1.0.0'
  return /^2\.0\.\d+$/.test(vsn) ? '2.0.0' : null
}

/** What a connection is counted under; null for this machine, which is not held back. */
function addressOf(req: IncomingMessage): string | null {
  const { address } = clientOf(req)
  return isLoopback(address) ? null : networkOf(address)
}
