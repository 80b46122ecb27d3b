import type { Logger } from '../../logging/logger.ts'
import type { Pool } from '../../postgres/connections/pool.ts'
import type { Hub } from '../hub.ts'
import type { WalMessage } from './walMessage.ts'
import { readSnapshot, readMissedMessages } from './missedMessages.ts'
import type { RateCounter } from '../rateCounter.ts'
import { topicKey } from '../sockets/subTopic.ts'
import { createDeliveredIds } from './deliveredIds.ts'

export interface Relay {
  /** Tells a message of the log to those who listen. */
  publishFromWal(message: WalMessage): void
  /** Tells from the table what the log has lost, once, also where called again. */
  fillGap(): Promise<void>
  close(): void
}

const snapshotIntervalMs = 10_000
/** A gap that can't be filled that often in a row is said to be one. */
const maxFillAttempts = 5

/**
 * From the database to the hub.
 * @param o.position up to where the log has been told
 * @param o.onLost messages may be missed that nobody can tell any more
 */
export function createRelay(o: {
  hub: Hub
  pool: Pool
  events: RateCounter
  maxPayloadBytes: number
  position: () => bigint
  onLost: () => void
  log: Logger
}): Relay {
  const delivered = createDeliveredIds()
  let failures = 0

  const publish = (message: WalMessage): void => {
    const key = topicKey(message.topic, message.private)
    if (!o.hub.has(key)) return
    if (message.broadcast.body.length > o.maxPayloadBytes) {
      o.log.warn('realtime message too large', { id: message.id, topic: message.topic })
      return
    }
    if (o.events.exceeded()) return
    o.events.add(1)
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
    if (oldest === null) throw new Error('it is not known since when')
    const counts = delivered.counts()
    // What is over now is seen by the reading that follows.
    const snapshot = await readSnapshot(o.pool)
    await readMissedMessages(o.pool, oldest, (message) => {
      if (delivered.addFromTable(message.id)) publish(message)
    })
    delivered.advanceToSnapshot(counts, snapshot)
  }

  tryTakeSnapshot()
  const timer = setInterval(tryTakeSnapshot, snapshotIntervalMs)
  timer.unref()
  return {
    publishFromWal(message) {
      if (delivered.addFromWal(message.id)) publish(message)
    },
    async fillGap() {
      try {
        await fill()
        failures = 0
      } catch (error) {
        if (++failures < maxFillAttempts) throw error
        failures = 0
        o.log.error('realtime messages lost', { reason: (error as Error).message })
        o.onLost()
      }
    },
    close: () => clearInterval(timer),
  }
}
