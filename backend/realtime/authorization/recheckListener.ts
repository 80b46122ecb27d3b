import { Client, type ClientConfig } from 'pg'
import type { Logger } from '../../logging/logger.ts'
import { runWithReconnect } from '../../runtime/runWithReconnect.ts'

/**
 * Hears `NOTIFY realtime_recheck, '<auth user id>'`: something that this user's rights hang on has changed.
 * `onAll` is called where no user is named, and after a break, in which any may have been named unheard.
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
        // A broken connection ends as well; without a listener its error would end the process.
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
    onInterrupted: (reason) => o.log.warn('realtime recheck unheard', { reason }),
  })

  return {
    async close() {
      const closing = running.close()
      // Not awaited: a connection that is still being made answers no goodbye.
      client?.end().catch(() => {})
      await closing
    },
  }
}
