import { escapeIdentifier } from 'pg'
import { ReadError, type DatabaseReader } from '../readDatabase.ts'

export interface TableAccess {
  read: boolean
  /** The granted ones of insert, update, delete, on the table or on some columns. */
  write: string[]
}

export interface TableSummary {
  schema: string
  name: string
  kind: 'table' | 'partitioned table' | 'view' | 'materialized view' | 'foreign table'
  rowSecurity: boolean
  policies: number
  /** Including indexes and TOAST; 0 for views. */
  bytes: number
  /** Null if unknown, and for views. */
  rows: { count: number; exact: boolean } | null
  anon: TableAccess
  authenticated: TableAccess
  /** For a view: whether it is SECURITY INVOKER. */
  asCaller: boolean
  comment: string | null
}

interface Row {
  schema: string
  name: string
  kind: string
  row_security: boolean
  policies: number
  tuples: number
  pages: number
  main_bytes: number
  bytes: number
  anon_read: boolean
  anon_write: string[]
  authenticated_read: boolean
  authenticated_write: string[]
  as_caller: boolean
  comment: string | null
}

const kinds: Record<string, TableSummary['kind']> = {
  r: 'table',
  p: 'partitioned table',
  v: 'view',
  m: 'materialized view',
  f: 'foreign table',
}

/** The number that a page shows. */
const maxTables = 1_000
/** Tables up to this size are counted exactly, up to a total of `maxCountedBytes`. */
const maxSmallTableBytes = 1024 * 1024
const maxCountedBytes = 32 * 1024 * 1024

const accessSql = (role: string): string => `
  has_schema_privilege('${role}', n.oid, 'usage')
    and has_any_column_privilege('${role}', c.oid, 'select') as ${role}_read,
  case when has_schema_privilege('${role}', n.oid, 'usage') then array_remove(array[
    case when has_any_column_privilege('${role}', c.oid, 'insert') then 'insert' end,
    case when has_any_column_privilege('${role}', c.oid, 'update') then 'update' end,
    case when has_table_privilege('${role}', c.oid, 'delete') then 'delete' end
  ], null) else '{}' end as ${role}_write`

/** Sizes need an ACCESS SHARE lock, so they are left out while a table is locked exclusively. */
const tablesSql = (withSizes: boolean): string => `
  select
    n.nspname as schema, c.relname as name, c.relkind as kind, c.relrowsecurity as row_security,
    (select count(*) from pg_policy where polrelid = c.oid)::int as policies,
    c.reltuples::float8 as tuples, c.relpages as pages,
    ${withSizes ? `case when c.relkind in ('r', 'm') then coalesce(pg_relation_size(c.oid), 0) else 0 end` : `c.relpages::bigint * 8192`}::float8 as main_bytes,
    ${
      withSizes
        ? `case when c.relkind in ('r', 'm') then coalesce(pg_total_relation_size(c.oid), 0)
             when c.relkind = 'p' then coalesce((
               select sum(pg_total_relation_size(relid)) from pg_partition_tree(c.oid) where isleaf), 0)
             else 0 end`
        : `c.relpages::bigint * 8192`
    }::float8 as bytes,
    ${accessSql('anon')},
    ${accessSql('authenticated')},
    coalesce(c.reloptions && array['security_invoker=true', 'security_invoker=on', 'security_invoker=1'], false)
      as as_caller,
    obj_description(c.oid, 'pg_class') as comment
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
    and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
    and ($1::text is null or (n.nspname = $1 and c.relname = $2))
  order by n.nspname, c.relname
  limit ${maxTables}`

/**
 * All tables and views, at most 1,000, or the `only` one. With `counted`, small tables are counted; all other row
 * counts are estimates. Throws ReadError.
 */
export async function readTables(
  database: DatabaseReader,
  { only, counted }: { only?: { schema: string; name: string }; counted: boolean },
): Promise<TableSummary[]> {
  const values = [only?.schema ?? null, only?.name ?? null]
  const rows = await database.read<Row>(tablesSql(true), values).catch((error: unknown) => {
    if (error instanceof ReadError && error.code === '55P03')
      return database.read<Row>(tablesSql(false), values)
    throw error
  })
  const counts = await countSmall(database, counted ? rows : [])
  return rows.map((row) => ({
    schema: row.schema,
    name: row.name,
    kind: kinds[row.kind] ?? 'table',
    rowSecurity: row.row_security,
    policies: row.policies,
    bytes: row.bytes,
    rows: counts.get(row) ?? estimate(row),
    anon: { read: row.anon_read, write: row.anon_write },
    authenticated: { read: row.authenticated_read, write: row.authenticated_write },
    asCaller: row.as_caller,
    comment: row.comment,
  }))
}

/** The planner's estimate: the row density at the last ANALYZE, times the current size. */
function estimate({ kind, tuples, pages, main_bytes: bytes }: Row): TableSummary['rows'] {
  if (kind !== 'r' && kind !== 'm' && kind !== 'p') return null
  if (tuples < 0 || (pages === 0 && bytes > 0)) return null
  return { count: Math.round(pages === 0 ? tuples : (tuples / pages) * (bytes / 8192)), exact: false }
}

async function countSmall(database: DatabaseReader, rows: Row[]): Promise<Map<Row, TableSummary['rows']>> {
  let remainingBytes = maxCountedBytes
  const small = rows
    .filter(({ kind, main_bytes: bytes }) => kind === 'r' && bytes <= maxSmallTableBytes)
    .sort((a, b) => a.main_bytes - b.main_bytes)
    .filter(({ main_bytes: bytes }) => (remainingBytes -= bytes) >= 0)
  const counts = new Map<Row, TableSummary['rows']>()
  for (let at = 0; at < small.length; at += 50) {
    const batch = small.slice(at, at + 50)
    const sql = batch.map((row, i) => `select ${i} as i, count(*)::float8 as count from ${nameOf(row)}`)
    const result = await database
      .read<{ i: number; count: number }>(sql.join(' union all '))
      // If one of the tables is locked or was dropped, all of this batch keep their estimates.
      .catch(() => [])
    for (const { i, count } of result) counts.set(batch[i]!, { count, exact: true })
  }
  return counts
}

const nameOf = ({ schema, name }: { schema: string; name: string }): string =>
  `${escapeIdentifier(schema)}.${escapeIdentifier(name)}`

/** Counts the rows of a table exactly. Not for views, which may call any function. Throws ReadError. */
export async function countRows(database: DatabaseReader, table: TableSummary): Promise<number> {
  const [row] = await database.readLong<{ count: number }>(
    `select count(*)::float8 as count from ${nameOf(table)}`,
  )
  return row!.count
}
