import { escapeIdentifier } from 'pg'
import { Unread, type DatabaseReader } from '../readDatabase.ts'

export interface Access {
  read: boolean
  /** Which of insert, update, delete, on the whole table or some of its columns. */
  write: string[]
}

export interface TableFacts {
  schema: string
  name: string
  kind: 'table' | 'partitioned table' | 'view' | 'materialized view' | 'foreign table'
  rowSecurity: boolean
  policies: number
  /** With indexes and what is stored beside it; 0 for views. */
  bytes: number
  /** Null where it isn't known, and for views. */
  rows: { count: number; exact: boolean } | null
  anon: Access
  authenticated: Access
  /** For a view: whether it reads with the rights of whoever asks. */
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

const kinds: Record<string, TableFacts['kind']> = {
  r: 'table',
  p: 'partitioned table',
  v: 'view',
  m: 'materialized view',
  f: 'foreign table',
}

/** As many as a page shows. */
const mostTables = 1_000
/** A table no larger is counted row by row, until as much has been read in all. */
const smallBytes = 1024 * 1024
const mostCountedBytes = 32 * 1024 * 1024

const accessSql = (role: string): string => `
  has_schema_privilege('${role}', n.oid, 'usage')
    and has_any_column_privilege('${role}', c.oid, 'select') as ${role}_read,
  case when has_schema_privilege('${role}', n.oid, 'usage') then array_remove(array[
    case when has_any_column_privilege('${role}', c.oid, 'insert') then 'insert' end,
    case when has_any_column_privilege('${role}', c.oid, 'update') then 'update' end,
    case when has_table_privilege('${role}', c.oid, 'delete') then 'delete' end
  ], null) else '{}' end as ${role}_write`

/** Sizes want a lock, if a light one: without them while another holds the table for itself. */
const tablesSql = (sized: boolean): string => `
  select
    n.nspname as schema, c.relname as name, c.relkind as kind, c.relrowsecurity as row_security,
    (select count(*) from pg_policy where polrelid = c.oid)::int as policies,
    c.reltuples::float8 as tuples, c.relpages as pages,
    ${sized ? `case when c.relkind in ('r', 'm') then coalesce(pg_relation_size(c.oid), 0) else 0 end` : `c.relpages::bigint * 8192`}::float8 as main_bytes,
    ${
      sized
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
  limit ${mostTables}`

/**
 * All tables and views, or the `only` one; at most 1,000. Small tables are counted where `counted` asks for it,
 * the others estimated. Throws Unread.
 */
export async function readTables(
  database: DatabaseReader,
  { only, counted }: { only?: { schema: string; name: string }; counted: boolean },
): Promise<TableFacts[]> {
  const values = [only?.schema ?? null, only?.name ?? null]
  const rows = await database.read<Row>(tablesSql(true), values).catch((error: unknown) => {
    if (error instanceof Unread && error.code === '55P03') return database.read<Row>(tablesSql(false), values)
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

/** What the planner would say: the density when last analysed, times the size now. */
function estimate({ kind, tuples, pages, main_bytes: bytes }: Row): TableFacts['rows'] {
  if (kind !== 'r' && kind !== 'm' && kind !== 'p') return null
  if (tuples < 0 || (pages === 0 && bytes > 0)) return null
  return { count: Math.round(pages === 0 ? tuples : (tuples / pages) * (bytes / 8192)), exact: false }
}

async function countSmall(database: DatabaseReader, rows: Row[]): Promise<Map<Row, TableFacts['rows']>> {
  let room = mostCountedBytes
  const small = rows
    .filter(({ kind, main_bytes: bytes }) => kind === 'r' && bytes <= smallBytes)
    .sort((a, b) => a.main_bytes - b.main_bytes)
    .filter(({ main_bytes: bytes }) => (room -= bytes) >= 0)
  const counts = new Map<Row, TableFacts['rows']>()
  for (let at = 0; at < small.length; at += 50) {
    const some = small.slice(at, at + 50)
    const sql = some.map((row, i) => `select ${i} as i, count(*)::float8 as count from ${nameOf(row)}`)
    const told = await database
      .read<{ i: number; count: number }>(sql.join(' union all '))
      // One that is locked, or dropped meanwhile, leaves its neighbours with estimates.
      .catch(() => [])
    for (const { i, count } of told) counts.set(some[i]!, { count, exact: true })
  }
  return counts
}

const nameOf = ({ schema, name }: { schema: string; name: string }): string =>
  `${escapeIdentifier(schema)}.${escapeIdentifier(name)}`

/** Counts the rows of a table, however many; views are not counted, since they may run anybody's functions. Throws Unread. */
export async function countRows(database: DatabaseReader, table: TableFacts): Promise<number> {
  const [row] = await database.readLong<{ count: number }>(
    `select count(*)::float8 as count from ${nameOf(table)}`,
  )
  return row!.count
}
