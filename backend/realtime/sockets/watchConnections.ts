import type { Connection } from './connection.ts'
import { expiryError, sessionEndedMessage } from '../authorization/token.ts'

/**
 * Clients send a heartbeat every 25 s. One that is silent for longer is pinged, which browsers respond to even if they
 * throttle the page's timers; one that stays silent is disconnected, which is detected within 45 s.
 */
const silence = { pingAfterMs: 28_000, terminateAfterMs: 42_000 }
const heartbeatCheckMs = 2_000
const expiryCheckMs = 1_000

/**
 * Terminates half-open connections, closes those that never join, and closes topics whose token has expired or
 * whose session has ended.
 * @param joinTimeoutMs after which a connection that has not joined a topic is closed
 */
export function watchConnections(connections: Set<Connection>, joinTimeoutMs: number): { close(): void } {
  let checkedAt = performance.now()
  const heartbeats = setInterval(() => {
    const now = performance.now()
    // The machine was suspended: frames that arrived meanwhile have not been read yet.
    const wasSuspended = now - checkedAt > 5 * heartbeatCheckMs
    checkedAt = now
    for (const connection of connections) {
      if (wasSuspended) connection.receivedAt = Math.max(connection.receivedAt, now - silence.pingAfterMs)
      if (!connection.hasJoined && now - connection.openedAt > joinTimeoutMs) {
        connection.end(1008, 'No topic was joined in time')
      }
      const silent = now - connection.receivedAt
      if (silent >= silence.terminateAfterMs) connection.terminate()
      else if (silent >= silence.pingAfterMs) connection.ping()
    }
  }, heartbeatCheckMs)
  const expiries = setInterval(() => {
    const now = Date.now()
    for (const connection of connections) if (connection.nextExpiry <= now) endExpired(connection, now)
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

function endExpired(connection: Connection, now: number): void {
  connection.nextExpiry = Infinity
  for (const channel of connection.channels()) {
    const error = expiryError(channel.caller)
    if (error) channel.shutdown(error.message)
    else if (channel.expiresAt <= now) channel.shutdown(sessionEndedMessage)
    else connection.scheduleExpiry(channel.expiresAt)
  }
}
