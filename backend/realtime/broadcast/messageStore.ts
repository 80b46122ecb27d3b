import { randomUUID } from 'node:crypto'
import type { Broadcast } from '../../../wire/realtime.ts'
import type { Logger } from '../../logging/logger.ts'
import type { Pool } from '../../postgres/connections/pool.ts'

/** How long a broadcast is stored for replay, in seconds; null for the maximum. */
export interface Persist {
  ttl: number | null
}

export interface MessageStore {
  /**
   * Stores a private broadcast for replay. Resolves once it is on disk, with false if it could not be stored; never
   * rejects. `body` must not change until then.
   */
  store(message: { id: string; topic: string; broadcast: Broadcast; persist: Persist }): Promise<boolean>
  close(): void
}

type PendingMessage = Parameters<MessageStore['store']>[0] & { resolve: (message: boolean) => void }

/** Messages per statement, and the maximum that may wait; further ones are not stored. */
const limits = { batch: 200, waiting: 5_000, waitingBytes: 16 * 1024 * 1024 }
const deleteIntervalMs = 60_000
/** Three days, after which partitions are dropped. */
const maxTtlSeconds = 259_200

/**
 * Parses `persist`, which is true, or `{ttl}` in seconds. Null if the client does not request storage, 'invalid' for
 * any other value.
 */
export function parsePersist(value: unknown): Persist | 'invalid' | null {
  if (value === undefined || value === null || value === false) return null
  if (value === true) return { ttl: null }
  if (typeof value !== 'object' || Array.isArray(value)) return 'invalid'
  const { ttl } = value as { ttl?: unknown }
  if (ttl === undefined) return { ttl: null }
  if (typeof ttl !== 'number' || !Number.isSafeInteger(ttl) || ttl < 1) return 'invalid'
  return { ttl: Math.min(ttl, maxTtlSeconds) }
}

export const newMessageId = randomUUID

/** Stores broadcasts in batches, and deletes those whose time to live is over. */
export function createMessageStore(pool: Pool, log: Logger): MessageStore {
  let waiting: PendingMessage[] = []
  let waitingBytes = 0
  let storing = false
  let hasExpiring = true

  const storeBatches = async (): Promise<void> => {
    storing = true
    while (waiting.length > 0) {
      const batch = waiting.slice(0, limits.batch)
      waiting = waiting.slice(limits.batch)
      const results = await insert(batch)
      batch.forEach((message, at) => {
        waitingBytes -= message.broadcast.body.length
        message.resolve(results[at]!)
      })
    }
    storing = false
  }

  const insert = async (batch: PendingMessage[]): Promise<boolean[]> => {
    try {
      await insertMessages(pool, batch)
      return batch.map(() => true)
    } catch (error) {
      // One that PostgreSQL cannot store (a NUL in its JSON) must not prevent the others.
      if (batch.length > 1 && (error as { code?: string }).code?.startsWith('22')) {
        const results: boolean[] = []
        for (const message of batch) results.push(...(await insert([message])))
        return results
      }
      log.warn('realtime.message_store_failed', { topic: batch[0]!.topic, reason: (error as Error).message })
      return batch.map(() => false)
    }
  }

  const deleteExpired = (): void => {
    if (!hasExpiring) return
    hasExpiring = false
    pool.query('delete from realtime.messages where expires_at <= now()').then(
      ({ rowCount }) => (hasExpiring ||= (rowCount ?? 0) > 0),
      () => (hasExpiring = true),
    )
  }
  const timer = setInterval(deleteExpired, deleteIntervalMs)
  timer.unref()

  return {
    store: (message) =>
      new Promise((resolve) => {
        const size = message.broadcast.body.length
        if (waiting.length >= limits.waiting || waitingBytes + size > limits.waitingBytes)
          return resolve(false)
        waitingBytes += size
        if (message.persist.ttl !== null) hasExpiring = true
        waiting.push({ ...message, resolve })
        if (!storing) void storeBatches()
      }),
    close: () => clearInterval(timer),
  }
}

async function insertMessages(pool: Pool, batch: PendingMessage[]): Promise<void> {
  const json = ({ broadcast }: PendingMessage): boolean => broadcast.encoding === 'json'
  await pool.query({
    name: 'realtime_store',
    text: `insert into realtime.messages
             (id, topic, event, payload, binary_payload, expires_at, extension, private, skip_broadcast)
           select id, topic, event, payload::jsonb, bytes, now() + make_interval(secs => ttl),
             'broadcast', true, true
           from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::bytea[], $6::float8[])
             message (id, topic, event, payload, bytes, ttl)`,
    values: [
      batch.map(({ id }) => id),
      batch.map(({ topic }) => topic),
      batch.map(({ broadcast }) => broadcast.event),
      batch.map((message) => (json(message) ? Buffer.from(message.broadcast.body).toString() : null)),
      batch.map((message) => (json(message) ? null : Buffer.from(message.broadcast.body))),
      batch.map(({ persist }) => persist.ttl),
    ],
  })
}
