import { statfs } from 'node:fs/promises'
import type { DatabaseReader } from '../readDatabase.ts'

export interface DatabaseFacts {
  version: string
  startedAt: Date
  bytes: number
  connections: number
  most: number
}

/** PostgreSQL itself. Throws Unread. */
export async function readDatabaseFacts(database: DatabaseReader): Promise<DatabaseFacts> {
  const [row] = await database.read<DatabaseFacts & Record<string, unknown>>(
    `select split_part(current_setting('server_version'), ' ', 1) as version,
       pg_postmaster_start_time() as "startedAt", pg_database_size(current_database())::float8 as bytes,
       (select count(*) from pg_stat_activity where backend_type = 'client backend')::int as connections,
       current_setting('max_connections')::int as most`,
  )
  return row!
}

/** Of the disk that holds the data; null where the system doesn't tell. */
export async function readDisk(dataDir: string): Promise<{ freeBytes: number; totalBytes: number } | null> {
  try {
    const { bavail, blocks, bsize } = await statfs(dataDir)
    return blocks > 0 ? { freeBytes: bavail * bsize, totalBytes: blocks * bsize } : null
  } catch {
    return null
  }
}
