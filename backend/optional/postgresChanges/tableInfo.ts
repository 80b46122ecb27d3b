import type pg from 'pg'

/** A table as it is now, and the roles that may read its columns. */
export interface TableInfo {
  /** For SQL: with its schema, quoted. */
  sqlName: string
  hasRowSecurity: boolean
  /** Names of the primary key's columns, with their types for SQL. */
  keys: Map<string, string>
  columns: { name: string; type: string; readers: Set<string> }[]
}

interface Row {
  id: number
  sql_name: string
  row_security: boolean
  keys: { name: string; type: string }[]
  columns: { name: string; type: string; readers: string[] }[]
}

/**
 * Reads tables by OID; dropped ones are omitted. Read with each batch of changes, since privileges may be revoked
 * between two of them, which the WAL does not contain.
 * @param roles roles that do not exist may read nothing
 */
export async function readTableInfo(
  client: pg.ClientBase,
  tables: number[],
  roles: string[],
): Promise<Map<number, TableInfo>> {
  const { rows } = await client.query<Row>({
    name: 'realtime_table_facts',
    text: `select c.oid::int8::float8 as id, quote_ident(n.nspname) || '.' || quote_ident(c.relname) as sql_name,
             c.relrowsecurity as row_security,
             coalesce((
               select json_agg(json_build_object('name', a.attname,
                 'type', quote_ident(tn.nspname) || '.' || quote_ident(t.typname)))
               from pg_catalog.pg_index i
               join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = any (i.indkey)
               join pg_catalog.pg_type t on t.oid = a.atttypid
               join pg_catalog.pg_namespace tn on tn.oid = t.typnamespace
               where i.indrelid = c.oid and i.indisprimary
             ), '[]') as keys,
             coalesce((
               select json_agg(json_build_object('name', a.attname, 'type', t.typname, 'readers', array(
                   select r.rolname from pg_catalog.pg_roles r
                   where r.rolname = any ($2::name[]) and has_column_privilege(r.oid, c.oid, a.attnum, 'select')
                 )) order by a.attnum)
               from pg_catalog.pg_attribute a
               join pg_catalog.pg_type t on t.oid = a.atttypid
               where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
             ), '[]') as columns
           from pg_catalog.pg_class c
           join pg_catalog.pg_namespace n on n.oid = c.relnamespace
           where c.oid = any ($1::oid[])`,
    values: [tables, roles],
  })
  return new Map(
    rows.map((row) => [
      row.id,
      {
        sqlName: row.sql_name,
        hasRowSecurity: row.row_security,
        keys: new Map(row.keys.map(({ name, type }) => [name, type])),
        columns: row.columns.map((column) => ({ ...column, readers: new Set(column.readers) })),
      },
    ]),
  )
}
