import type { Pool } from '../../postgres/connections/pool.ts'
import type { SchemaCache } from '../schemaCache/schemaCache.ts'
import { COMMENT_SQL, ROUTINE_DETAILS_SQL, TABLE_DETAILS_SQL } from './detailsSql.ts'
import type { ColumnDetails, RoutineDetails, SchemaDetails, TableDetails } from './schemaDetails.ts'

type TableRow = Omit<TableDetails, 'columns'> & {
  name: string
  columns: (ColumnDetails & { name: string })[] | null
}
type RoutineRow = RoutineDetails & { oid: string }

/** They live as long as the cache that they belong to. */
const known = new WeakMap<SchemaCache, Map<string, Promise<SchemaDetails>>>()

/** A schema's details, read once for each cache, when first asked for. Throws pg's errors and the pool's. */
export function readDetails(cache: SchemaCache, o: { pool: Pool; schema: string }): Promise<SchemaDetails> {
  const bySchema = known.get(cache) ?? new Map<string, Promise<SchemaDetails>>()
  known.set(cache, bySchema)
  let details = bySchema.get(o.schema)
  if (!details) {
    details = load(o)
    bySchema.set(o.schema, details)
    // The next one who asks tries again.
    details.catch(() => bySchema.delete(o.schema))
  }
  return details
}

function load({ pool, schema }: { pool: Pool; schema: string }): Promise<SchemaDetails> {
  return pool.withClient(async (client) => {
    await client.query(`begin isolation level repeatable read read only; set local search_path = ''`)
    try {
      const ask = async <T>(text: string): Promise<T> =>
        (await client.query<{ answer: T }>(text, [schema])).rows[0]!.answer
      const comment = await ask<string | null>(COMMENT_SQL)
      const tables = await ask<TableRow[]>(TABLE_DETAILS_SQL)
      const routines = await ask<RoutineRow[]>(ROUTINE_DETAILS_SQL)
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
