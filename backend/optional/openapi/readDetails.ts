import type { Pool } from '../../postgres/connections/pool.ts'
import type { SchemaCache } from '../../rest/schemaCache/schemaCache.ts'
import { COMMENT_SQL, ROUTINE_DETAILS_SQL, TABLE_DETAILS_SQL } from './detailsSql.ts'
import type { ColumnDetails, RoutineDetails, SchemaDetails, TableDetails } from './schemaDetails.ts'

type TableRow = Omit<TableDetails, 'columns'> & {
  name: string
  columns: (ColumnDetails & { name: string })[] | null
}
type RoutineRow = RoutineDetails & { oid: string }

/** Details live as long as their schema cache. */
const detailsByCache = new WeakMap<SchemaCache, Map<string, Promise<SchemaDetails>>>()

/** A schema's details, read at the first request and once for each schema cache. Throws pg's errors and the pool's. */
export function readDetails(cache: SchemaCache, o: { pool: Pool; schema: string }): Promise<SchemaDetails> {
  const bySchema = detailsByCache.get(cache) ?? new Map<string, Promise<SchemaDetails>>()
  detailsByCache.set(cache, bySchema)
  let details = bySchema.get(o.schema)
  if (!details) {
    details = load(o)
    bySchema.set(o.schema, details)
    // The next request tries again.
    details.catch(() => bySchema.delete(o.schema))
  }
  return details
}

function load({ pool, schema }: { pool: Pool; schema: string }): Promise<SchemaDetails> {
  return pool.withClient(async (client) => {
    await client.query(`begin isolation level repeatable read read only; set local search_path = ''`)
    try {
      const queryJson = async <T>(text: string): Promise<T> =>
        (await client.query<{ result: T }>(text, [schema])).rows[0]!.result
      const comment = await queryJson<string | null>(COMMENT_SQL)
      const tables = await queryJson<TableRow[]>(TABLE_DETAILS_SQL)
      const routines = await queryJson<RoutineRow[]>(ROUTINE_DETAILS_SQL)
      return {
        comment,
        tables: new Map(
          tables.map((row) => [row.name, { comment: row.comment, columns: byName(row.columns ?? []) }]),
        ),
        routines: new Map(routines.map(({ oid, ...row }) => [oid, row])),
      }
    } finally {
      await client.query('rollback')
    }
  })
}

function byName(rows: (ColumnDetails & { name: string })[]): Map<string, ColumnDetails> {
  return new Map(rows.map(({ name, ...details }) => [name, details]))
}
