import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPool } from '../connections/pool.ts'
import { migratePlatform } from '../schema/migratePlatform.ts'
import { copyTemplate } from './copyTemplate.ts'
import { startPostgres, type Postgres } from './startPostgres.ts'

/**
 * Databases that end with their test need not outlive the power; a killed process loses nothing by this. Not
 * synchronous_commit: without it a kill takes what was acknowledged, and the log is read late.
 */
const durabilitySettings = ['fsync', 'full_page_writes']

/**
 * For tests: puts a PostgreSQL with the platform, made once a run, into a data folder that is new, so that a start
 * there takes a third of the time. `further`: what the template of that name holds beyond the platform. Answers false,
 * and does nothing, unless LINNET_TEMPLATE names a folder to keep it in.
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
    await postgres.stop()
    // Each start links its own.
    rmSync(join(folder, 'extensions'), { recursive: true, force: true })
  })
  // As if a change of the schema were under way: nobody wants a copy of these data first.
  if (created) writeFileSync(join(dataDir, 'schema.changing'), '')
  return created
}
