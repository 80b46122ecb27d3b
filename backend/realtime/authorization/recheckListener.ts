import { Client, type ClientConfig } from 'pg'
import type { Logger } from '../../logging/logger.ts'
import { runWithReconnect } from '../../runtime/runWithReconnect.ts'

/**
 * Listens for `NOTIFY realtime_recheck, '<auth user id>'`: data that this user's permissions depend on has changed.
 * `onAll` is called for a notification without a user, and after a reconnect, since any may have been missed.
 */
export function createRecheckListener(o: {
  config: ClientConfig
  onUser: (userId: string) => void
  onAll: () => void
  log: Logger
}): { close(): Promise<void> } {
  let client: Client | null = null

  const running = runWithReconnect({
    async attempt(isReconnect, established) {
      const current = new Client({ ...o.config, application_name: 'realtime recheck' })
      client = current
      const ended = new Promise<void>((resolve) => {
        current.on('end', () => resolve())
        // A broken connection ends as well; without a listener, its error would end the process.
        current.on('error', () => resolve())
      })
      current.on('notification', ({ payload }) => {
        if (payload) o.onUser(payload)
        else o.onAll()
      })
      await current.connect()
      await current.query('listen realtime_recheck')
      established()
      if (isReconnect) o.onAll()
      await ended
    },
    onInterrupted: (reason) => o.log.warn('realtime recheck not listening', { reason }),
  })

  return {
    async close() {
      const closing = running.close()
      // Not awaited: a connection that is still being established does not respond to it.
      client?.end().catch(() => {})
      await closing
    },
  }
}
