import type { Pool } from '../../postgres/connections/pool.ts'
import type { WalMessage } from '../wal/walMessage.ts'

/** The maximum of the hosted service. */
const maxMessages = 25
/** The end of the year 9999, in ms: PostgreSQL raises an error for times far beyond. */
const maxTime = 253_402_300_799_999

/** The `columns` of a row of realtime.messages. */
export interface MessageRow extends Record<string, unknown> {
  id: string
  topic: string
  private: boolean
  event: string
  payload: string | null
  binary_payload: Buffer | null
}

export const columns = `id::text, topic, private, event, payload::text, binary_payload`

export function toMessage(row: MessageRow): WalMessage {
  return {
    id: row.id,
    topic: row.topic,
    private: row.private,
    broadcast: {
      event: row.event,
      encoding: row.binary_payload ? 'binary' : 'json',
      body: row.binary_payload ?? Buffer.from(row.payload ?? 'null'),
      meta: { id: row.id },
    },
  }
}

/**
 * The newest private messages of a topic since `since` (ms since 1970), in the order of insertion; at most 25. Row
 * security is not checked: who may subscribe may read earlier messages too. Null for invalid parameters.
 */
export async function readReplay(
  pool: Pool,
  topic: string,
  since: unknown,
  limit: unknown,
): Promise<WalMessage[] | null> {
  const requested = limit ?? maxMessages
  if (!Number.isSafeInteger(since) || !Number.isSafeInteger(requested)) return null
  if ((since as number) < 0 || (since as number) > maxTime) return null
  const { rows } = await pool.query<MessageRow>({
    name: 'realtime_replay',
    text: `select ${columns} from realtime.messages
           where topic = $1 and private is true and extension = 'broadcast' and event is not null
             and (payload is not null or binary_payload is not null)
             and (expires_at is null or expires_at > now())
             and inserted_at >= (to_timestamp($2::double precision / 1000) at time zone 'UTC')
             and inserted_at < (now() at time zone 'UTC') + interval '1 minute'
           order by inserted_at desc, age(xmin), cmin::text::bigint desc, ctid desc limit $3`,
    values: [topic, since, Math.max(1, Math.min(requested as number, maxMessages))],
  })
  return rows.map(toMessage).toReversed()
}
