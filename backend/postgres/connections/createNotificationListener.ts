import { Client, type ClientConfig } from 'pg'

/** Between attempts to connect, doubling. */
const minBackoffMs = 100
const maxBackoffMs = 10_000

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
  onConnected: () => void
  onMessage: (payload: string) => void
  onLost: (reason: string | undefined, retryMs: number) => void
}): NotificationListener {
  let client: Client
  let failures = 0
  let retry: NodeJS.Timeout | undefined
  let closed = false

  const connect = async (): Promise<void> => {
    const connection = new Client({ ...o.config, application_name: o.name, keepAlive: true })
    client = connection
    let isLost = false
    const onDisconnect = (error?: Error): void => {
      if (isLost || closed) return
      isLost = true
      void connection.end(() => {})
      const backoffMs = Math.min(minBackoffMs * 2 ** failures++, maxBackoffMs)
      o.onLost(error?.message, backoffMs)
      retry = setTimeout(() => void connect(), backoffMs)
    }
    connection.on('error', onDisconnect)
    connection.on('end', () => onDisconnect())
    connection.on('notification', ({ payload }) => o.onMessage(payload ?? ''))
    try {
      await connection.connect()
      await connection.query(`listen ${o.channel}`)
      failures = 0
      o.onConnected()
    } catch (error) {
      onDisconnect(error as Error)
    }
  }

  return {
    firstAttempt: connect(),
    reconnect() {
      void client.end().catch(() => {})
    },
    async close() {
      closed = true
      clearTimeout(retry)
      await client.end().catch(() => {})
    },
  }
}
