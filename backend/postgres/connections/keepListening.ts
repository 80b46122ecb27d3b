import { Client, type ClientConfig } from 'pg'

/** Between attempts to connect, doubling. */
const firstPauseMs = 100
const longestPauseMs = 10_000

export interface KeptListening {
  /** The first attempt to connect has come to its end, however. */
  settled: Promise<void>
  /** Leaves this connection for a new one. */
  renew(): void
  close(): Promise<void>
}

/**
 * Hears `NOTIFY <channel>` on a connection of its own and connects again when that is lost. Since something may have
 * been said meanwhile, each connection begins with `onConnected`.
 */
export function keepListening(o: {
  config: ClientConfig
  /** A plain identifier. */
  channel: string
  /** `application_name` */
  name: string
  onConnected: () => void
  onMessage: (payload: string) => void
  onLost: (reason: string | undefined, retryMs: number) => void
}): KeptListening {
  let client: Client
  let failures = 0
  let retry: NodeJS.Timeout | undefined
  let closed = false

  const connect = async (): Promise<void> => {
    const own = new Client({ ...o.config, application_name: o.name, keepAlive: true })
    client = own
    let isLost = false
    const lose = (error?: Error): void => {
      if (isLost || closed) return
      isLost = true
      void own.end(() => {})
      const pause = Math.min(firstPauseMs * 2 ** failures++, longestPauseMs)
      o.onLost(error?.message, pause)
      retry = setTimeout(() => void connect(), pause)
    }
    own.on('error', lose)
    own.on('end', () => lose())
    own.on('notification', ({ payload }) => o.onMessage(payload ?? ''))
    try {
      await own.connect()
      await own.query(`listen ${o.channel}`)
      failures = 0
      o.onConnected()
    } catch (error) {
      lose(error as Error)
    }
  }

  return {
    settled: connect(),
    renew() {
      void client.end().catch(() => {})
    },
    async close() {
      closed = true
      clearTimeout(retry)
      await client.end().catch(() => {})
    },
  }
}
