/**
 * The query for views, to trace their columns. Runs with an empty search_path.
 */

/**
 * Views with their stored query trees, in batches: trees are large, and those of a thousand views would exhaust memory.
 * `$1` are the schemas, `$2` the last id, `$3` the batch size.
 */
export const VIEWS_SQL = `
select
  c.oid::int8 as id, n.nspname as schema, c.relname as name, r.ev_action as tree,
  (select json_object_agg(a.attnum, a.attname) from pg_catalog.pg_attribute a
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join pg_catalog.pg_rewrite r on r.ev_class = c.oid and r.rulename = '_RETURN'
where c.relkind in ('v', 'm') and n.nspname = any ($1::text[]) and c.oid > $2::oid
order by c.oid limit $3`
