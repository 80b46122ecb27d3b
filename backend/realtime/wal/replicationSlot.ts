import { randomBytes } from 'node:crypto'
import type { Client } from 'pg'
import { parseLsn } from '../../postgres/connections/lsn.ts'

/** A replication slot: PostgreSQL retains WAL for one reader, across restarts and crashes. */
export interface ReplicationSlot {
  /** `lost`: it was dropped, or PostgreSQL has removed WAL that it still needed. */
  state(client: Client): Promise<'valid' | 'lost'>
  /** Resolves with the start position once all transactions that are open now have ended. */
  create(client: Client): Promise<bigint>
  /** Also while another connection reads it, which is terminated. */
  drop(client: Client): Promise<void>
}

const prefix = 'linnet_realtime_'
/** In the slot names of this process: slots with another ID were left behind by a killed process. */
const processId = randomBytes(4).toString('hex')
let slots = 0

/** A name for a new slot of the reader `reader` (lower-case letters). */
export function createSlotName(reader: string): string {
  return `${prefix}${processId}_${reader}_${++slots}`
}

/** Drops slots of killed processes, for all readers, including those that are not needed yet. */
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
 * Clients are replication connections to one database, which accept replication commands and SQL.
 */
export function replicationSlot(name: string): ReplicationSlot {
  // PostgreSQL may not have noticed the end of the previous connection, and a slot has only one reader.
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
