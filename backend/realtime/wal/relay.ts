import type { Logger } from '../../logging/logger.ts'
import type { Pool } from '../../postgres/connections/pool.ts'
import type { Hub } from '../hub.ts'
import type { SubscriptionEnd, WalMessage } from './walMessage.ts'
import { readMissedMessages } from './missedMessages.ts'
import { readSnapshot } from './snapshot.ts'
import type { RealtimeContext } from '../context.ts'
import { topicKey } from '../sockets/subTopic.ts'
import { createDeliveredIds } from './deliveredIds.ts'

export interface Relay {
  /** Publishes a message of the WAL, or ends subscriptions. */
  publishFromWal(row: WalMessage | SubscriptionEnd): void
  /** Publishes what the WAL reader missed. It reads the rows from the table and publishes each once. */
  fillGap(): Promise<void>
  close(): void
}

const snapshotIntervalMs = 10_000
/** The number of failed attempts in a row after which messages are reported as lost. */
const maxFillAttempts = 5

/**
 * Publishes messages of the database to the hub.
 * @param o.position up to which the WAL has been delivered
 * @param o.endSubscriptions ends the subscriptions of users to a private topic
 * @param o.onLost called if messages may have been lost
 */
export function createRelay(o: {
  hub: Hub
  pool: Pool
  takeDatabaseEvents: RealtimeContext['takeDatabaseEvents']
  maxPayloadBytes: number
  position: () => bigint
  endSubscriptions: (topic: string, users: readonly string[]) => void
  onLost: () => void
  log: Logger
}): Relay {
  const delivered = createDeliveredIds()
  let failures = 0

  const publish = (message: WalMessage | SubscriptionEnd): void => {
    if ('endedUsers' in message) return o.endSubscriptions(message.topic, message.endedUsers)
    const key = topicKey(message.topic, message.private)
    if (!o.hub.has(key)) return
    if (message.broadcast.body.length > o.maxPayloadBytes) {
      o.log.warn('realtime.message_too_large', { id: message.id, topic: message.topic })
      return
    }
    if (!o.takeDatabaseEvents(1 + o.hub.size(key), message.topic)) return
    o.hub.publish(key, message.topic, { kind: 'broadcast', broadcast: message.broadcast })
  }

  const takeSnapshot = async (): Promise<void> => {
    const counts = delivered.counts()
    delivered.addSnapshot(counts, await readSnapshot(o.pool))
    delivered.advanceTo(o.position())
  }
  const tryTakeSnapshot = (): void => void takeSnapshot().catch(() => {})

  const fill = async (): Promise<void> => {
    delivered.advanceTo(o.position())
    const oldest = delivered.oldestUndelivered()
    if (oldest === null) throw new Error('the start of the gap is not known yet')
    const counts = delivered.counts()
    // The following query sees all transactions that have ended in this snapshot.
    const snapshot = await readSnapshot(o.pool)
    await readMissedMessages(o.pool, oldest, (row) => {
      if (delivered.addFromTable(row.id)) publish(row)
    })
    delivered.advanceToSnapshot(counts, snapshot)
  }

  tryTakeSnapshot()
  const timer = setInterval(tryTakeSnapshot, snapshotIntervalMs)
  timer.unref()
  return {
    publishFromWal(row) {
      if (delivered.addFromWal(row.id)) publish(row)
    },
    async fillGap() {
      try {
        await fill()
        failures = 0
      } catch (error) {
        if (++failures < maxFillAttempts) throw error
        failures = 0
        o.log.error('realtime.messages_lost', { reason: (error as Error).message })
        o.onLost()
      }
    },
    close: () => clearInterval(timer),
  }
}
