/**
 * Queries for relationships between tables. Each returns one JSON value, and runs with an empty search_path.
 */

/** The primary keys of all tables, exposed or not: a view may contain the key of a hidden table. */
export const PRIMARY_KEYS_SQL = `
select coalesce(json_agg(json_build_array(p.conrelid::int8, p.conkey)), '[]') as result
from pg_catalog.pg_constraint p where p.contype = 'p'`

/** Foreign keys of all schemas: an exposed view may contain columns of a hidden table. */
export const FOREIGN_KEYS_SQL = `
select coalesce(json_agg(k), '[]') as result from (
  select
    k.conname as "constraint",
    n.nspname as schema, c.relname as table, c.oid::int8 as "tableId",
    fn.nspname as "foreignSchema", fc.relname as "foreignTable", fc.oid::int8 as "foreignTableId",
    pairs.names as columns, pairs.numbers as "columnNumbers",
    exists (
      select from pg_catalog.pg_constraint u
      where u.conrelid = k.conrelid and u.contype in ('p', 'u')
        and u.conkey @> k.conkey and u.conkey <@ k.conkey) as "isUnique"
  from pg_catalog.pg_constraint k
  join pg_catalog.pg_class c on c.oid = k.conrelid
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  join pg_catalog.pg_class fc on fc.oid = k.confrelid
  join pg_catalog.pg_namespace fn on fn.oid = fc.relnamespace
  cross join lateral (
    select
      json_agg(json_build_array(a.attname, fa.attname) order by i) as names,
      json_agg(json_build_array(col, ref) order by i) as numbers
    from unnest(k.conkey, k.confkey) with ordinality as pair (col, ref, i)
    join pg_catalog.pg_attribute a on a.attrelid = k.conrelid and a.attnum = col
    join pg_catalog.pg_attribute fa on fa.attrelid = k.confrelid and fa.attnum = ref) pairs
  where k.contype = 'f' and k.conparentid = 0
) k`

/** Functions with a row as argument that return rows. `$1` are the exposed schemas. */
export const COMPUTED_SQL = `
select coalesce(json_agg(r), '[]') as result from (
  select
    'computed' as kind,
    json_build_object('schema', an.nspname, 'name', ac.relname) as table,
    json_build_object('schema', rn.nspname, 'name', rc.relname) as foreign,
    json_build_object('schema', n.nspname, 'name', p.proname) as routine,
    not p.proretset or p.prorows = 1 as "isSingle"
  from pg_catalog.pg_proc p
  join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  join pg_catalog.pg_class ac on ac.reltype = p.proargtypes[0] and ac.relkind in ('r', 'v', 'm', 'f', 'p')
  join pg_catalog.pg_namespace an on an.oid = ac.relnamespace
  join pg_catalog.pg_class rc on rc.reltype = p.prorettype and rc.relkind in ('r', 'v', 'm', 'f', 'p')
  join pg_catalog.pg_namespace rn on rn.oid = rc.relnamespace
  where p.pronargs = 1 and p.prokind = 'f' and n.nspname = any ($1::text[])
    and an.nspname = any ($1::text[]) and rn.nspname = any ($1::text[])
) r`
