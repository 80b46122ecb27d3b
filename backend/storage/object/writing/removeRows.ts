import type pg from 'pg'
import type { CallerOptions } from '../../../postgres/connections/asCaller.ts'
import { asCallerInteractive } from '../../../postgres/connections/asCaller.ts'
import type { Storage } from '../../Storage.ts'
import type { ObjectRow } from '../rows.ts'

/**
 * Runs a DELETE on objects as the caller and removes the bytes once it is committed, never before: a
 * rolled-back deletion must find its file. Returns the deleted rows.
 * @param statement returns at least `version`
 */
export async function removeRows(
  storage: Storage,
  o: CallerOptions,
  statement: pg.QueryConfig,
): Promise<ObjectRow[]> {
  const rows = await asCallerInteractive(storage.pool, o, async (client) => {
    const result = await client.query<ObjectRow>(statement)
    await storage.bytes.mark(versionsOf(result.rows))
    return result.rows
  })
  await Promise.all(versionsOf(rows).map((version) => storage.bytes.discard(version)))
  return rows
}

const versionsOf = (rows: readonly ObjectRow[]): string[] =>
  rows.map((row) => row.version).filter((version) => typeof version === 'string')
