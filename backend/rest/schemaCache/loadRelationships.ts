import type pg from 'pg'
import { buildRelationships } from './buildRelationships.ts'
import { loadViews } from './loadViews.ts'
import { COMPUTED_SQL, FOREIGN_KEYS_SQL, PRIMARY_KEYS_SQL } from './relationshipsSql.ts'
import { keyOf } from './named.ts'
import type { ComputedRelationship, Relationship, Table } from './schemaCache.ts'
import { viewPrimaryKey, withViewKeys } from './viewKeys.ts'
import type { CatalogueKey } from './viewKeys.ts'

/**
 * Reads what leads from table to table, and gives the views among `tables` the primary keys that they show. Throws
 * pg's errors.
 */
export async function loadRelationships(
  client: Pick<pg.ClientBase, 'query'>,
  tables: Map<string, Table>,
  o: { schemas: string[]; extraSearchPath: string[] },
): Promise<Map<string, Relationship[]>> {
  const ask = async <T>(text: string, values: unknown[] = []): Promise<T> =>
    (await client.query<{ answer: T }>(text, values)).rows[0]!.answer
  const views = await loadViews(client, o.schemas, o.extraSearchPath)
  const primaryKeys = new Map(await ask<[number, number[]][]>(PRIMARY_KEYS_SQL))
  for (const view of views) {
    const table = tables.get(keyOf(view.schema, view.name))
    if (table) table.primaryKey = viewPrimaryKey(view, primaryKeys)
  }
  const keys = await ask<CatalogueKey[]>(FOREIGN_KEYS_SQL)
  const computed = await ask<ComputedRelationship[]>(COMPUTED_SQL, [o.schemas])
  return buildRelationships(tables, withViewKeys(keys, views), computed)
}
