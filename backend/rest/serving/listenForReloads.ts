import type { ClientConfig } from 'pg'
import type { Logger } from '../../logging/logger.ts'
import {
  createNotificationListener,
  type NotificationListener,
} from '../../postgres/connections/createNotificationListener.ts'

/**
 * Tells of `NOTIFY pgrst`: `reload schema`, or nothing (event triggers send it on DDL), and `reload config`; any
 * other word is nobody's. Each connection begins with telling, since a notification may have been missed before it:
 * what is read once it has `settled` misses nothing.
 */
export function listenForReloads(o: {
  /** For a connection of its own. */
  config: ClientConfig
  log: Logger
  onSchema: () => void
  onConfig: () => void
}): Pick<NotificationListener, 'firstAttempt' | 'close'> {
  return createNotificationListener({
    config: o.config,
    channel: 'pgrst',
    name: 'rest listener',
    onConnected: o.onSchema,
    onMessage(word) {
      if (word === '' || word === 'reload schema') o.onSchema()
      else if (word === 'reload config') o.onConfig()
    },
    onLost: (error, retryMs) => o.log.warn('no notifications of schema changes', { error, retryMs }),
  })
}
