import { extensionFiles } from '../../../backend/postgres/extensions/extensionFiles.ts'
import type { Pool } from '../../../backend/postgres/connections/pool.ts'

/**
 * Runs the scripts of the stand-ins that Linnet's migrations use, as `create extension` would where the server had
 * a path for them, which 15 has not.
 * @param pool of supabase_admin
 */
export async function installStandIns(pool: Pool): Promise<void> {
  const files = new Map(extensionFiles().map(({ name, text }) => [name, text]))
  for (const extension of ['supabase_vault', 'pg_net', 'pg_cron']) {
    const control = files.get(`${extension}.control`)
    if (control === undefined) continue
    const setting = (name: string): string | undefined =>
      new RegExp(`^${name} *= *'?([^'\\n]*)`, 'm').exec(control)?.[1]
    const script = files.get(`${extension}--${setting('default_version')}.sql`)!
    const schema = setting('schema') ?? 'extensions'
    await pool.transaction(async (client) => {
      await client.query(`create schema if not exists ${schema}; set local search_path to ${schema}`)
      await client.query(script.replaceAll('@extschema@', schema))
    })
  }
}
