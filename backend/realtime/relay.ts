import type { Log } from '../log.ts'
import type { Pool } from '../postgres/pool.ts'
import type { Hub } from './hub.ts'
import type { LoggedMessage } from './loggedMessage.ts'
import type { RateCounter } from './rateCounter.ts'
import { readRecent } from './replay.ts'
import { topicKey } from './subTopic.ts'

export interface Relay {
  /** Tells a message of the database to those who listen, once. */
  tell(message: LoggedMessage): void
  /** Tells what was inserted while the log could not be read. */
  resume(): Promise<void>
}

/** How far back a break is mended, and how many messages are remembered as told. */
const mostMended = 5_000
/** A transaction stamps its messages when it begins and is told when it commits: look back further by this. */
const longestTransactionSeconds = 30

/** From the database to the hub. */
export function createRelay(o: {
  hub: Hub
  pool: Pool
  events: RateCounter
  maxPayloadBytes: number
  log: Log
}): Relay {
  // In the order in which they were told; a Set forgets its oldest first.
  const told = new Set<string>()
  let toldAt = performance.now()

  const tell = (message: LoggedMessage): void => {
    if (told.has(message.id)) return
    told.add(message.id)
    if (told.size > mostMended) told.delete(told.values().next().value!)
    toldAt = performance.now()
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

  return {
    tell,
    async resume() {
      const seconds = (performance.now() - toldAt) / 1000 + longestTransactionSeconds
      const missed = await readRecent(o.pool, seconds, mostMended)
      for (const message of missed) tell(message)
    },
  }
}
