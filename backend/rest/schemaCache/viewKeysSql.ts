/**
 * What it takes to follow a view's columns to the keys beneath them. Runs with an empty search_path.
 */

/**
 * Views with their stored query trees, in portions: a tree is large, and the trees of a thousand views at once
 * would fill the memory. `$1` are the schemas to look in, `$2` the last id seen, `$3` how many.
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
