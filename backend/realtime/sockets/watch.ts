import type { Connection } from './connection.ts'
import { expired } from '../authorization/token.ts'

/**
 * A client says a heartbeat every 25 s. One that is silent for longer is pinged, which a browser answers
 * even where it lets the page's timers sleep; one that stays silent is gone, and found so within 45 s.
 */
const silence = { pingAfterMs: 28_000, cutAfterMs: 42_000 }
const heartbeatCheckMs = 2_000
const expiryCheckMs = 1_000

/**
 * Cuts half-open sockets, closes those that never join, and ends the topics whose token has expired.
 * @param joinTimeoutMs after which a connection that has not joined a topic is closed
 */
export function watchConnections(connections: Set<Connection>, joinTimeoutMs: number): { close(): void } {
  let checkedAt = performance.now()
  const heartbeats = setInterval(() => {
    const now = performance.now()
    // We have slept ourselves (a lid that was closed): what came meanwhile has not been read yet.
    const slept = now - checkedAt > 5 * heartbeatCheckMs
    checkedAt = now
    for (const connection of connections) {
      if (slept) connection.heardAt = Math.max(connection.heardAt, now - silence.pingAfterMs)
      if (!connection.hasJoined && now - connection.openedAt > joinTimeoutMs) {
        connection.end(1008, 'No topic was joined in time')
      }
      const silent = now - connection.heardAt
      if (silent >= silence.cutAfterMs) connection.terminate()
      else if (silent >= silence.pingAfterMs) connection.ping()
    }
  }, heartbeatCheckMs)
  const expiries = setInterval(() => {
    const now = Date.now()
    for (const connection of connections) if (connection.nextExpiry <= now) endExpired(connection)
  }, expiryCheckMs)
  heartbeats.unref()
  expiries.unref()
  return {
    close() {
      clearInterval(heartbeats)
      clearInterval(expiries)
    },
  }
}

function endExpired(connection: Connection): void {
  connection.nextExpiry = Infinity
  for (const channel of connection.channels()) {
    const over = expired(channel.caller)
    if (over) channel.shutdown(over.message)
    else connection.expectExpiry(channel.expiresAt)
  }
}
