import { statfs } from 'node:fs/promises'
import type { DatabaseReader } from '../readDatabase.ts'

export interface DatabaseState {
  version: string
  startedAt: Date
  bytes: number
  connections: number
  maxConnections: number
}

/** The state of PostgreSQL. Throws ReadError. */
export async function readDatabaseState(database: DatabaseReader): Promise<DatabaseState> {
  const [row] = await database.read<DatabaseState & Record<string, unknown>>(
    `select split_part(current_setting('server_version'), ' ', 1) as version,
       pg_postmaster_start_time() as "startedAt", pg_database_size(current_database())::float8 as bytes,
       (select count(*) from pg_stat_activity where backend_type = 'client backend')::int as connections,
       current_setting('max_connections')::int as "maxConnections"`,
  )
  return row!
}

/** Space on the disk of the data; null if the system does not provide it. */
export async function readDisk(dataDir: string): Promise<{ freeBytes: number; totalBytes: number } | null> {
  try {
    const { bavail, blocks, bsize } = await statfs(dataDir)
    return blocks > 0 ? { freeBytes: bavail * bsize, totalBytes: blocks * bsize } : null
  } catch {
    return null
  }
}
