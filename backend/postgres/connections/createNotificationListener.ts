import { Client, type ClientConfig } from 'pg'
import { runWithReconnect } from '../../runtime/runWithReconnect.ts'

export interface NotificationListener {
  /** Resolves when the first attempt to connect has succeeded or failed. */
  firstAttempt: Promise<void>
  /** Replaces the connection by a new one. */
  reconnect(): void
  close(): Promise<void>
}

/**
 * Receives `NOTIFY <channel>` on a connection of its own and reconnects when that is lost. Notifications may have been
 * missed meanwhile, so `onConnected` is called for each new connection.
 */
export function createNotificationListener(o: {
  config: ClientConfig
  /** A plain identifier. */
  channel: string
  /** `application_name` */
  name: string
  maxDelayMs?: number
  onConnected: (isReconnect: boolean) => void
  /** @param payload empty for a notification without one */
  onMessage: (payload: string) => void
  onLost: (reason: string, retryMs: number) => void
}): NotificationListener {
  let client: Client | null = null
  let isConnected = false
  let endFirstAttempt = (): void => {}
  const firstAttempt = new Promise<void>((resolve) => {
    endFirstAttempt = resolve
  })

  const running = runWithReconnect({
    maxDelayMs: o.maxDelayMs,
    async attempt(isReconnect, established) {
      const current = new Client({ ...o.config, application_name: o.name, keepAlive: true })
      client = current
      const lost = connectionLost(current)
      current.on('notification', ({ payload }) => o.onMessage(payload ?? ''))
      try {
        await current.connect()
        await current.query(`listen ${o.channel}`)
        isConnected = true
        established()
        o.onConnected(isReconnect)
        endFirstAttempt()
        await lost
      } finally {
        isConnected = false
        endFirstAttempt()
        current.end().catch(() => {})
      }
    },
    onInterrupted: o.onLost,
  })

  return {
    firstAttempt,
    reconnect() {
      client?.end().catch(() => {})
    },
    async close() {
      const closing = running.close()
      const ending = client?.end().catch(() => {})
      // A connection that is still being established does not respond.
      if (isConnected) await ending
      await closing
    },
  }
}

/** Rejects when the connection has ended. */
export function connectionLost(client: Client): Promise<never> {
  const lost = new Promise<never>((_, reject) => {
    client.on('end', () => reject(new Error('the connection has ended')))
    // A broken connection ends as well; without a listener, its error would end the process.
    client.on('error', reject)
  })
  lost.catch(() => {})
  return lost
}
