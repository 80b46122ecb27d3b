import type { Pool } from '../../../backend/postgres/connections/pool.ts'
import { migratePlatform } from '../../../backend/postgres/schema/migratePlatform.ts'
import { installStandIns } from './installStandIns.ts'

/** Prepares a database of a PostgreSQL other than the embedded one. @param pool of supabase_admin */
export async function preparePlatform(pool: Pool): Promise<void> {
  await migratePlatform(pool)
  await grantLikeOlderProjects(pool)
  await installStandIns(pool)
}

/**
 * Default privileges of hosted projects before October 2026, which many still have: whatever a migration creates in
 * `public` is open to the API roles until the migration revokes it.
 */
async function grantLikeOlderProjects(pool: Pool): Promise<void> {
  for (const kind of ['tables', 'sequences', 'functions']) {
    await pool.query(
      `alter default privileges for role postgres in schema public
       grant all on ${kind} to anon, authenticated, service_role`,
    )
  }
}
