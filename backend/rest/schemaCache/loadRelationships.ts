import type pg from 'pg'
import { buildRelationships } from './buildRelationships.ts'
import { loadViews } from './loadViews.ts'
import { keyOf } from './qualifiedName.ts'
import { COMPUTED_SQL, FOREIGN_KEYS_SQL, PRIMARY_KEYS_SQL } from './relationshipsSql.ts'
import type { ComputedRelationship, Relationship, Table } from './schemaCache.ts'
import { type CatalogueKey, viewPrimaryKey, withViewKeys } from './viewKeys.ts'

/**
 * Reads relationships, and sets the primary keys of views in `tables`. Throws pg's errors.
 */
export async function loadRelationships(
  client: Pick<pg.ClientBase, 'query'>,
  tables: Map<string, Table>,
  o: { schemas: string[]; extraSearchPath: string[] },
): Promise<Map<string, Relationship[]>> {
  const queryJson = async <T>(text: string, values: unknown[] = []): Promise<T> =>
    (await client.query<{ result: T }>(text, values)).rows[0]!.result
  const views = await loadViews(client, o.schemas, o.extraSearchPath)
  const primaryKeys = new Map(await queryJson<[number, number[]][]>(PRIMARY_KEYS_SQL))
  for (const view of views) {
    const table = tables.get(keyOf(view.schema, view.name))
    if (table) table.primaryKey = viewPrimaryKey(view, primaryKeys)
  }
  const keys = await queryJson<CatalogueKey[]>(FOREIGN_KEYS_SQL)
  const computed = await queryJson<ComputedRelationship[]>(COMPUTED_SQL, [o.schemas])
  return buildRelationships(tables, withViewKeys(keys, views), computed)
}
