import type { ClientBase } from 'pg'

/** A table with rows of its own. */
export interface Table {
  /** Qualified and quoted, such as `public.messages`. */
  name: string
  schema: string
  /** Quoted names, without generated columns, in the order of the table. */
  columns: string[]
  /** The owner, quoted; null if the owner cannot insert rows. */
  owner: string | null
  /** Columns whose values are numbers that only this server can interpret, such as `oid` and `xid8`. */
  internalColumns: string[]
  /** Bytes of the rows, without indexes. */
  bytes: number
  /** A partition's parent and bound. */
  partition: { parent: string; bound: string } | null
}

/** The platform computes these rows from its own objects, whose numbers they contain. */
const computedTables = new Set(['linnet_platform.service_grants', 'linnet_platform.service_acls'])

/** Schemas of PostgreSQL itself are excluded. */
export const isOrdinarySchema = `n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'`

/**
 * Reads which tables of a database have rows of their own, the largest first.
 * @param client with an empty search path
 */
export async function readTables(client: ClientBase): Promise<Table[]> {
  const { rows } = await client.query<Table>(`
    select format('%I.%I', n.nspname, c.relname) as name, n.nspname as schema,
      coalesce(a.columns, '{}') as columns, coalesce(a.internal, '{}') as "internalColumns",
      case when has_table_privilege(c.relowner, c.oid, 'insert') and has_schema_privilege(c.relowner, n.oid, 'usage')
        and not c.relforcerowsecurity then c.relowner::regrole::text end as owner,
      pg_table_size(c.oid)::float8 as bytes,
      (select json_build_object('parent', format('%I.%I', pn.nspname, p.relname),
         'bound', pg_get_expr(c.relpartbound, c.oid))
       from pg_inherits i join pg_class p on p.oid = i.inhparent
       join pg_namespace pn on pn.oid = p.relnamespace where c.relispartition and i.inhrelid = c.oid) as partition
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    cross join lateral (
      select array_agg(quote_ident(attname) order by attnum) filter (where attgenerated = '') as columns,
        array_agg(quote_ident(attname) order by attnum) filter (where atttypid in ('oid'::regtype, 'xid'::regtype,
          'xid8'::regtype, 'cid'::regtype, 'tid'::regtype, 'pg_lsn'::regtype, 'pg_snapshot'::regtype,
          'txid_snapshot'::regtype)) as internal
      from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped
    ) a
    where c.relkind = 'r' and c.relpersistence <> 't' and ${isOrdinarySchema}
    order by pg_table_size(c.oid) desc, c.oid`)
  return rows.filter(({ name }) => !computedTables.has(name))
}
