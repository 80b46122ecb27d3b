import { randomBytes } from 'node:crypto'
import type { Client } from 'pg'

/** PostgreSQL's promise to keep its log for one reader, over restarts and crashes of it. */
export interface ReplicationSlot {
  /** `lost`: it is gone, or so far behind that PostgreSQL has thrown away what it still needed. */
  state(client: Client): Promise<'valid' | 'lost'>
  /** Answers once it stands, which waits for all transactions open now: the log's position from which it tells. */
  create(client: Client): Promise<bigint>
  /** Also while another reads it, who is cut. */
  drop(client: Client): Promise<void>
}

const prefix = 'linnet_realtime_'
/** Of this process: whatever slots of ours have another name were left by one that was killed. */
const processId = randomBytes(4).toString('hex')
let slots = 0

/** A name for a new slot of the reader `reader` (lower-case letters). */
export function createSlotName(reader: string): string {
  return `${prefix}${processId}_${reader}_${++slots}`
}

/** Drops what killed processes have left, of all readers: one that nobody needs yet has no other time to. */
export async function dropStaleSlots(client: Client): Promise<void> {
  const { rows } = await client.query<{ slot_name: string }>(
    `select slot_name from pg_replication_slots
     where starts_with(slot_name, '${prefix}') and not starts_with(slot_name, '${prefix}${processId}_')
       and database = current_database()`,
  )
  for (const row of rows) await replicationSlot(row.slot_name).drop(client)
}

/**
 * The slot of that name (letters, digits, `_`), for the plugin pgoutput.
 * Clients are replication connections to one database, which know commands and plain SQL alike.
 */
export function replicationSlot(name: string): ReplicationSlot {
  // A former connection may not have been missed yet, and a slot has one reader.
  const terminateReader = (client: Client): Promise<unknown> =>
    client.query(
      `select pg_terminate_backend(active_pid) from pg_replication_slots
       where slot_name = '${name}' and active_pid is not null`,
    )
  const find = async (client: Client): Promise<{ wal_status: string | null } | undefined> => {
    const { rows } = await client.query<{ wal_status: string | null }>(
      `select wal_status from pg_replication_slots where slot_name = '${name}'`,
    )
    return rows[0]
  }
  return {
    async state(client) {
      const found = await find(client)
      if (!found || found.wal_status === 'lost') return 'lost'
      await terminateReader(client)
      return 'valid'
    },
    async create(client) {
      const { rows } = await client.query<{ consistent_point: string }>(
        `CREATE_REPLICATION_SLOT ${name} LOGICAL pgoutput (SNAPSHOT 'nothing')`,
      )
      return parseLsn(rows[0]!.consistent_point)
    },
    async drop(client) {
      if (!(await find(client))) return
      await terminateReader(client)
      await client.query(`DROP_REPLICATION_SLOT ${name} WAIT`)
    },
  }
}

/** A position in the log as PostgreSQL writes it: `16/B374D848`. */
function parseLsn(text: string): bigint {
  const [high, low] = text.split('/')
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`)
}

export function renderLsn(lsn: bigint): string {
  return `${(lsn >> 32n).toString(16)}/${(lsn & 0xffff_ffffn).toString(16)}`
}
