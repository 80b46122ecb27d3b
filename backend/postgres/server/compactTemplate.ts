import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ClientConfig } from 'pg'
import { createPool } from '../connections/pool.ts'

/** Catalogs that migrations change most. */
const catalogs = ['pg_proc', 'pg_description', 'pg_depend', 'pg_attribute']

/** Another file of the WAL may follow the current one where less than this is left of it. */
const minWalBytes = 2 ** 20

/**
 * For tests: halves what each copy of a template writes. Removes old versions of rows from catalogs, and returns the files of
 * the WAL that the server does not need once it has been stopped.
 * @param admin of supabase_admin
 * @param data PostgreSQL's data folder
 */
export async function compactTemplate(admin: ClientConfig, data: string): Promise<string[]> {
  const pool = createPool(admin, { max: 1, name: 'template' })
  try {
    for (const catalog of catalogs) await pool.query(`vacuum full pg_catalog.${catalog}`)
    await pool.query('checkpoint')
    const { rows } = await pool.query<{ name: string; left: number }>(
      `select pg_walfile_name(at) as name, setting::int - (pg_walfile_name_offset(at)).file_offset as left
       from pg_current_wal_lsn() as at, pg_settings where pg_settings.name = 'wal_segment_size'`,
    )
    const [current] = rows
    // The checkpoint of the shutdown must not begin another file.
    if (current === undefined || current.left < minWalBytes) return []
    const folder = join(data, 'pg_wal')
    return readdirSync(folder)
      .filter((file) => /^[0-9A-F]{24}$/.test(file) && file !== current.name)
      .map((file) => join(folder, file))
  } finally {
    await pool.end()
  }
}
