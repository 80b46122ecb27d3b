import type pg from 'pg'
import type { Pool } from '../postgres/connections/pool.ts'

/**
 * Runs `work` in a transaction; what it hands to `later` happens only once that is committed. Mails go
 * this way: one that left before a rollback would hold a link to nothing.
 */
export async function transact<T>(
  pool: Pool,
  work: (client: pg.Client, later: (deed: () => void) => void) => Promise<T>,
): Promise<T> {
  const deeds: (() => void)[] = []
  const result = await pool.transaction((client) => work(client, (deed) => deeds.push(deed)))
  for (const deed of deeds) deed()
  return result
}
