import type { Client } from 'pg'

/** Drops a replication slot, for which PostgreSQL retains the WAL, unless it is missing or in use. */
export async function dropInactiveSlot(client: Pick<Client, 'query'>, name: string): Promise<void> {
  await client.query(
    'select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = $1 and not active',
    [name],
  )
}
