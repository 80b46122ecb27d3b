import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The bytes of all databases in a data folder, without WAL; 0 if there are none. PostgreSQL need not run. */
export function databaseBytes(dataDir: string): number {
  const base = join(dataDir, 'postgres', 'base')
  if (!existsSync(base)) return 0
  let bytes = 0
  for (const database of readdirSync(base)) {
    for (const file of readdirSync(join(base, database)))
      bytes += statSync(join(base, database, file), { throwIfNoEntry: false })?.size ?? 0
  }
  return bytes
}
