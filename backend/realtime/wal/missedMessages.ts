import type { Pool } from '../../postgres/connections/pool.ts'
import { readEndedUsers, type SubscriptionEnd, type WalMessage } from './walMessage.ts'
import { columns, toMessage, type MessageRow } from '../broadcast/replay.ts'

const batchSize = 500

/**
 * Calls `onRow` for the messages and ends of subscriptions that transactions from the ID `oldest` on have stored, in the
 * order of insertion.
 * That is the order of commits for writers that hold a lock from before the insert until they commit. The times of
 * messages are not used: a long transaction has the time of its start, and clocks may be set. Read in batches, to bound
 * memory.
 */
export async function readMissedMessages(
  pool: Pool,
  oldest: bigint,
  onRow: (row: WalMessage | SubscriptionEnd) => void,
): Promise<void> {
  await pool.transaction(async (client) => {
    await client.query(
      `declare missed no scroll cursor for
       select ${columns}, extension from realtime.messages
       where age(xmin) <= age('${oldest}'::xid8::xid)
         and event is not null and private is not null and (payload is not null or binary_payload is not null)
         and (extension = 'broadcast' and not skip_broadcast
           or extension = 'system' and event = 'end_subscriptions' and payload is not null)
       order by age(xmin) desc, cmin::text::bigint, inserted_at, ctid`,
    )
    for (;;) {
      const { rows } = await client.query<MessageRow & { extension: string }>(
        `fetch ${batchSize} from missed`,
      )
      for (const row of rows) {
        const { id, topic, payload, extension } = row
        if (extension === 'broadcast') onRow(toMessage(row))
        else onRow({ id, topic, ...readEndedUsers(payload!) })
      }
      if (rows.length < batchSize) return
      // Yields, so that messages are sent and client frames are read between batches.
      await new Promise((resolve) => setImmediate(resolve))
    }
  })
}
