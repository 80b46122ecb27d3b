import type { Pool } from '../../postgres/connections/pool.ts'
import type { WalMessage } from './walMessage.ts'
import { columns, toMessage, type MessageRow } from '../broadcast/replay.ts'

/** A snapshot of the database with a position of the WAL. */
export interface Snapshot {
  /** xmax: all transactions that had ended, including subtransactions, have smaller IDs. */
  next: bigint
  /** xmin: all transactions and subtransactions with smaller IDs had ended. */
  oldest: bigint
  /** A position after the ends of all transactions that had ended. */
  position: bigint
}

const batchSize = 500

export async function readSnapshot(pool: Pool): Promise<Snapshot> {
  // The snapshot is older than the position, since it is taken when the statement starts.
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
 * Calls `onMessage` for the messages that transactions from the ID `oldest` on have stored, in the order of insertion.
 * That is the order of commits for writers that hold a lock from before the insert until they commit. The times of
 * messages are not used: a long transaction has the time of its start, and clocks may be set. Read in batches, to bound
 * memory.
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
      // Yields, so that messages are sent and client frames are read between batches.
      await new Promise((resolve) => setImmediate(resolve))
    }
  })
}
