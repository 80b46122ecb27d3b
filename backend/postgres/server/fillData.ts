import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPool } from '../connections/pool.ts'
import { migratePlatform } from '../schema/migratePlatform.ts'
import { startPostgres } from './startPostgres.ts'

/**
 * Databases that end with their test need not outlive the power; a killed process loses nothing by this. Not
 * synchronous_commit: without it a kill takes what was acknowledged, and the log is read late.
 */
const carelessness = ['fsync', 'full_page_writes']

/**
 * For tests: puts a PostgreSQL with the platform, made once a run, into a data folder that is new, so that a start
 * there takes a third of the time. Does nothing unless LINNET_TEMPLATE names a folder to keep it in.
 */
export async function fillData(dataDir: string): Promise<void> {
  const folder = process.env['LINNET_TEMPLATE']
  if (folder === undefined) return
  const template = join(folder, 'data')
  if (!existsSync(template)) await makeTemplate(folder, template)
  mkdirSync(dataDir, { recursive: true, mode: 0o711 })
  const files = ['postgres', 'postgres-passwords.json'].map((name) => join(template, name))
  const { status, stderr } = spawnSync('cp', ['-Rp', ...files, dataDir], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  // As if a change of the schema were under way: nobody wants a copy of these data first.
  writeFileSync(join(dataDir, 'schema.changing'), '')
}

/** Two runners may be at it at once: whoever comes second takes what the first has made. */
async function makeTemplate(folder: string, template: string): Promise<void> {
  const dataDir = mkdtempSync(join(folder, 'new-'))
  chmodSync(dataDir, 0o755)
  const postgres = await startPostgres({ dataDir })
  const pool = createPool(postgres.config('supabase_admin'), { max: 1, name: 'template' })
  await migratePlatform(pool)
  for (const setting of carelessness) await pool.query(`alter system set ${setting} = off`)
  await pool.end()
  await postgres.stop()
  try {
    renameSync(dataDir, template)
  } catch (error) {
    rmSync(dataDir, { recursive: true, force: true })
    if (!existsSync(template)) throw error
  }
}
