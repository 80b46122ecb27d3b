import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPool } from '../connections/pool.ts'
import { migratePlatform } from '../schema/migratePlatform.ts'
import { fromTemplate } from './fromTemplate.ts'
import { startPostgres, type Postgres } from './startPostgres.ts'

/**
 * Databases that end with their test need not outlive the power; a killed process loses nothing by this. Not
 * synchronous_commit: without it a kill takes what was acknowledged, and the log is read late.
 */
const carelessness = ['fsync', 'full_page_writes']

/**
 * For tests: puts a PostgreSQL with the platform, made once a run, into a data folder that is new, so that a start
 * there takes a third of the time. `further`: what the template of that name holds beyond the platform. Answers false,
 * and does nothing, unless LINNET_TEMPLATE names a folder to keep it in.
 */
export async function fillData(
  dataDir: string,
  further: { name: string; add: (postgres: Postgres) => Promise<void> } | null = null,
): Promise<boolean> {
  const filled = await fromTemplate(further?.name ?? 'data', dataDir, async (folder) => {
    const postgres = await startPostgres({ dataDir: folder })
    const pool = createPool(postgres.config('supabase_admin'), { max: 1, name: 'template' })
    await migratePlatform(pool)
    for (const setting of carelessness) await pool.query(`alter system set ${setting} = off`)
    await pool.end()
    await further?.add(postgres)
    await postgres.stop()
    // Each start links its own.
    rmSync(join(folder, 'extensions'), { recursive: true, force: true })
  })
  // As if a change of the schema were under way: nobody wants a copy of these data first.
  if (filled) writeFileSync(join(dataDir, 'schema.changing'), '')
  return filled
}
