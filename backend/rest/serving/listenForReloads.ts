import { Client } from 'pg'
import type { ClientConfig } from 'pg'
import type { Log } from '../../log/log.ts'

const CHANNEL = 'pgrst'
/** Between attempts to connect, doubling. */
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 10_000

export interface Listening {
  /** The first attempt to connect has come to its end, however: what is read from now on misses nothing. */
  settled: Promise<void>
  close(): Promise<void>
}

/**
 * Tells of `NOTIFY pgrst`: `reload schema`, or nothing (event triggers send it on DDL), and `reload config`; any
 * other word is nobody's. Connects again when the connection is lost; since a notification may have been missed
 * meanwhile, each connection begins with telling.
 */
export function listenForReloads(o: {
  /** For a connection of its own. */
  config: ClientConfig
  log: Log
  onSchema: () => void
  onConfig: () => void
}): Listening {
  let client: Client
  let failures = 0
  let retry: NodeJS.Timeout | undefined
  let closed = false

  const connect = async (): Promise<void> => {
    const own = new Client({ ...o.config, application_name: 'rest listener', keepAlive: true })
    client = own
    let isLost = false
    const lose = (error?: Error): void => {
      if (isLost || closed) return
      isLost = true
      void own.end(() => {})
      const pause = Math.min(FIRST_PAUSE_MS * 2 ** failures++, LONGEST_PAUSE_MS)
      o.log.warn('no notifications of schema changes', { error: error?.message, retryMs: pause })
      retry = setTimeout(() => void connect(), pause)
    }
    own.on('error', lose)
    own.on('end', () => lose())
    own.on('notification', ({ payload }) => {
      if (!payload || payload === 'reload schema') o.onSchema()
      else if (payload === 'reload config') o.onConfig()
    })
    try {
      await own.connect()
      await own.query(`listen ${CHANNEL}`)
      failures = 0
      o.onSchema()
    } catch (error) {
      lose(error as Error)
    }
  }

  return {
    settled: connect(),
    async close() {
      closed = true
      clearTimeout(retry)
      await client.end().catch(() => {})
    },
  }
}
