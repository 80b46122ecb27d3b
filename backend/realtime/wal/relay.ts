import type { Logger } from '../../logging/logger.ts'
import type { Pool } from '../../postgres/connections/pool.ts'
import type { Hub } from '../hub.ts'
import type { LoggedMessage } from './loggedMessage.ts'
import { readMark, readMissed } from './missedMessages.ts'
import type { RateCounter } from '../rateCounter.ts'
import { topicKey } from '../sockets/subTopic.ts'
import { createToldMessages } from './toldMessages.ts'

export interface Relay {
  /** Tells a message of the log to those who listen. */
  tell(message: LoggedMessage): void
  /** Tells from the table what the log has lost, once, also where called again. */
  fillGap(): Promise<void>
  close(): void
}

const markEveryMs = 10_000
/** A gap that can't be filled that often in a row is said to be one. */
const mostAttempts = 5

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
  const told = createToldMessages()
  let failures = 0

  const publish = (message: LoggedMessage): void => {
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

  const mark = async (): Promise<void> => {
    const sofar = told.sofar()
    told.note(sofar, await readMark(o.pool))
    told.reach(o.position())
  }
  const tryMark = (): void => void mark().catch(() => {})

  const fill = async (): Promise<void> => {
    told.reach(o.position())
    const oldest = told.oldestUntold()
    if (oldest === null) throw new Error('it is not known since when')
    const sofar = told.sofar()
    // What is over now is seen by the reading that follows.
    const before = await readMark(o.pool)
    await readMissed(o.pool, oldest, (message) => {
      if (told.addFromTable(message.id)) publish(message)
    })
    told.reachMark(sofar, before)
  }

  tryMark()
  const timer = setInterval(tryMark, markEveryMs)
  timer.unref()
  return {
    tell(message) {
      if (told.addFromLog(message.id)) publish(message)
    },
    async fillGap() {
      try {
        await fill()
        failures = 0
      } catch (error) {
        if (++failures < mostAttempts) throw error
        failures = 0
        o.log.error('realtime messages lost', { reason: (error as Error).message })
        o.onLost()
      }
    },
    close: () => clearInterval(timer),
  }
}
