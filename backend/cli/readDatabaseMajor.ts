import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The major version of PostgreSQL that has created the data. */
export function readDatabaseMajor(dataDir: string): number {
  return Number.parseInt(readFileSync(join(dataDir, 'postgres', 'PG_VERSION'), 'utf8'), 10)
}
