import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPool } from '../connections/pool.ts'
import { migratePlatform } from '../schema/migratePlatform.ts'
import { compactTemplate } from './compactTemplate.ts'
import { copyTemplate } from './copyTemplate.ts'
import { startPostgres, type Postgres } from './startPostgres.ts'

/**
 * Settings that are off in tests, whose databases need not survive a power failure; a killed process loses nothing
 * without them. Not synchronous_commit: without it a kill loses acknowledged commits, and the WAL is read late.
 */
const durabilitySettings = ['fsync', 'full_page_writes']

/**
 * For tests: copies a PostgreSQL with the platform, created once for each test run, to a new data folder, so that a
 * start takes a third of the time. `additional`: what the template of that name has beyond the platform. Returns false,
 * and does nothing, unless LINNET_TEMPLATE names the folder of templates.
 */
export async function createDataFromTemplate(
  dataDir: string,
  additional: { name: string; add: (postgres: Postgres) => Promise<void> } | null = null,
): Promise<boolean> {
  const created = await copyTemplate(additional?.name ?? 'data', dataDir, async (folder) => {
    const postgres = await startPostgres({ dataDir: folder })
    const pool = createPool(postgres.config('supabase_admin'), { max: 1, name: 'template' })
    await migratePlatform(pool)
    for (const setting of durabilitySettings) await pool.query(`alter system set ${setting} = off`)
    await pool.end()
    await additional?.add(postgres)
    const unused = await compactTemplate(postgres.config('supabase_admin'), join(folder, 'postgres'))
    await postgres.stop()
    // The checkpoint of the shutdown may have removed it.
    for (const file of unused) rmSync(file, { force: true })
    // Written at each start.
    rmSync(join(folder, 'extensions'), { recursive: true, force: true })
  })
  // As if a schema change were in progress: the data of tests need no backup.
  if (created) writeFileSync(join(dataDir, 'schema.changing'), '')
  return created
}
