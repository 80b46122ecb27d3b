import type { Pool } from '../../postgres/connections/pool.ts'
import type { WalMessage } from './walMessage.ts'
import { columns, toMessage, type MessageRow } from '../broadcast/replay.ts'

/** A moment of the database. */
export interface Snapshot {
  /** Every transaction that was over then, and each part of it that has a number of its own, is below. */
  next: bigint
  /** Every transaction and part below was over then. */
  oldest: bigint
  /** A position of the log behind the ends of all that were over. */
  position: bigint
}

const batchSize = 500

export async function readSnapshot(pool: Pool): Promise<Snapshot> {
  // The snapshot is older than the position, since the statement began with it.
  const { rows } = await pool.query<{ oldest: string; next: string; at: string }>({
    name: 'realtime_wal_snapshot',
    text: `select pg_snapshot_xmin(pg_current_snapshot())::text as oldest,
             pg_snapshot_xmax(pg_current_snapshot())::text as next,
             (pg_current_wal_insert_lsn() - '0/0')::text as at`,
  })
  const [row] = rows as [{ oldest: string; next: string; at: string }]
  return { oldest: BigInt(row.oldest), next: BigInt(row.next), position: BigInt(row.at) }
}

/**
 * Calls `tell` for the messages that transactions from the number `oldest` on have left in the table, in the
 * order in which they were inserted. That is the order of commits for writers who hold a lock from before
 * they speak until they commit. The times of messages are not asked: a long transaction stamps its messages
 * when it begins, and clocks jump. A few are in memory at once.
 */
export async function readMissedMessages(
  pool: Pool,
  oldest: bigint,
  onMessage: (message: WalMessage) => void,
): Promise<void> {
  await pool.transaction(async (client) => {
    await client.query(
      `declare missed no scroll cursor for
       select ${columns} from realtime.messages
       where age(xmin) <= age('${oldest}'::xid8::xid)
         and extension = 'broadcast' and event is not null and private is not null and not skip_broadcast
         and (payload is not null or binary_payload is not null)
       order by age(xmin) desc, cmin::text::bigint, inserted_at, ctid`,
    )
    for (;;) {
      const { rows } = await client.query<MessageRow>(`fetch ${batchSize} from missed`)
      for (const row of rows) onMessage(toMessage(row))
      if (rows.length < batchSize) return
      // What was told goes out, and what clients say is read, before the next.
      await new Promise((resolve) => setImmediate(resolve))
    }
  })
}
