import type { Logger } from '../../logging/logger.ts'
import { refreshRoleSettings } from '../../postgres/connections/roleSettings.ts'
import type { Pool } from '../../postgres/connections/pool.ts'
import { leavesSessionState } from './leavesSessionState.ts'
import { loadSettings } from '../settings/loadSettings.ts'
import { PlanCache } from '../PlanCache.ts'
import type { RestSettings } from '../settings/restSettings.ts'
import type { RestContext } from '../RestContext.ts'
import { loadSchemaCache } from '../schemaCache/loadSchemaCache.ts'
import type { SchemaCache } from '../schemaCache/schemaCache.ts'

/**
 * Settings, schema cache and plans. A request uses the same ones until it ends; a reload replaces all of them, so that a
 * plan is never used with other settings or another schema.
 */
export interface Snapshot {
  context: RestContext
  cache: SchemaCache
  plans: PlanCache
}

/**
 * Reads settings and catalogue in one snapshot, so that a migration is visible completely or not at all. The timeouts of
 * requests do not apply: without the catalogue the server does not start, and cannot serve a changed schema. Throws pg's errors.
 * @param o.base settings that the database does not override
 */
export async function loadSnapshot(
  o: { pool: Pool; base: RestSettings; log: Logger },
  before: Snapshot | null,
): Promise<Snapshot> {
  const { pool, base, log } = o
  const began = performance.now()
  const { settings, faults, leavesState, cache } = await pool.withClient(async (client) => {
    await client.query('begin isolation level repeatable read read only; set local statement_timeout = 0')
    try {
      const loaded = await loadSettings(client, base, before?.context.settings ?? base)
      await client.query(`set local search_path = ''`)
      const leavesState = await leavesSessionState(client)
      await refreshRoleSettings(pool, client)
      return { ...loaded, leavesState, cache: await loadSchemaCache(client, loaded.settings) }
    } finally {
      await client.query('rollback')
    }
  })
  for (const fault of faults) log.warn('rest.setting_ignored', { reason: fault })
  log.info('rest.schema_loaded', {
    tables: cache.tables.size,
    routines: cache.routines.size,
    ms: Math.round(performance.now() - began),
  })
  return { context: { pool, settings, leavesSessionState: leavesState }, cache, plans: new PlanCache() }
}
