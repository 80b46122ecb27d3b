import type { ClientConfig } from 'pg'
import type { Logger } from '../../logging/logger.ts'
import {
  createNotificationListener,
  type NotificationListener,
} from '../../postgres/connections/createNotificationListener.ts'

/**
 * Listens to `NOTIFY pgrst`: `reload schema` or an empty payload (sent by event triggers on DDL), and `reload config`;
 * others are ignored. Each new connection calls `onSchema`, since a notification may have been missed before: a load
 * after `firstAttempt` misses nothing.
 */
export function listenForReloads(o: {
  /** For a separate connection. */
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
    onMessage(payload) {
      if (payload === '' || payload === 'reload schema') o.onSchema()
      else if (payload === 'reload config') o.onConfig()
    },
    onLost: (reason, retryMs) => o.log.warn('rest.notifications_interrupted', { reason, retryMs }),
  })
}
