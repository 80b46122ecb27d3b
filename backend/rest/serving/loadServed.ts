import type { Logger } from '../../logging/logger.ts'
import { refreshRoleSettings } from '../../postgres/connections/roleSettings.ts'
import type { Pool } from '../../postgres/connections/pool.ts'
import { leavesTraces } from './leavesTraces.ts'
import { loadSettings } from '../settings/loadSettings.ts'
import { PlanCache } from '../PlanCache.ts'
import type { RestSettings } from '../settings/restSettings.ts'
import type { RestContext } from '../RestContext.ts'
import { loadSchemaCache } from '../schemaCache/loadSchemaCache.ts'
import type { SchemaCache } from '../schemaCache/schemaCache.ts'

/**
 * What requests are answered from. A request keeps the one it began with; a reload makes the next one whole, so
 * that no plan meets settings or a catalogue that it was not made from.
 */
export interface Served {
  context: RestContext
  cache: SchemaCache
  plans: PlanCache
}

/**
 * Reads settings and catalogue in one snapshot, so that no half of a migration is seen. Throws pg's errors.
 * @param o.base what the settings are where the database has none
 */
export async function loadServed(
  o: { pool: Pool; base: RestSettings; log: Logger },
  before: Served | null,
): Promise<Served> {
  const { pool, base, log } = o
  const began = performance.now()
  const { settings, faults, untidy, cache } = await pool.withClient(async (client) => {
    await client.query('begin isolation level repeatable read read only')
    try {
      const own = await loadSettings(client, base, before?.context.settings ?? base)
      await client.query(`set local search_path = ''`)
      const untidy = await leavesTraces(client)
      await refreshRoleSettings(pool, client)
      return { ...own, untidy, cache: await loadSchemaCache(client, own.settings) }
    } finally {
      await client.query('rollback')
    }
  })
  for (const fault of faults) log.warn('setting in the database not taken', { fault })
  log.info('schema read', {
    tables: cache.tables.size,
    routines: cache.routines.size,
    ms: Math.round(performance.now() - began),
  })
  return { context: { pool, settings, untidy }, cache, plans: new PlanCache() }
}
