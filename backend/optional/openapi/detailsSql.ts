/**
 * Queries for the OpenAPI description; each returns one JSON value. `$1` is the schema's name. Those of the details need
 * an empty search_path, so that types are qualified.
 */

/** The comment of the schema. */
export const COMMENT_SQL = `
select (select pg_catalog.obj_description(n.oid, 'pg_namespace')
  from pg_catalog.pg_namespace n where n.nspname = $1) as result`

/**
 * Tables with their columns. Domains are resolved to their base type; each may add NOT NULL, and only the innermost can
 * have a length.
 */
export const TABLE_DETAILS_SQL = `
with recursive domains as (
  select oid, typbasetype as base, typtypmod as modifier, typnotnull as is_required
  from pg_catalog.pg_type where typtype = 'd'
  union all
  select d.oid, t.typbasetype, t.typtypmod, d.is_required or t.typnotnull
  from domains d join pg_catalog.pg_type t on t.oid = d.base where t.typtype = 'd'
), bases as (
  select d.* from domains d join pg_catalog.pg_type t on t.oid = d.base where t.typtype <> 'd'
), described as (
  select
    a.attrelid,
    a.attname as name,
    c.description as comment,
    case
      when base.typnamespace = 'pg_catalog'::pg_catalog.regnamespace then pg_catalog.format_type(base.oid, null)
      else pg_catalog.format_type(a.atttypid, a.atttypmod)
    end as type,
    not a.attnotnull and not coalesce(b.is_required, false) as "isNullable",
    case
      when m.modifier < 0 then null
      when base.oid in ('varchar'::pg_catalog.regtype, 'bpchar'::pg_catalog.regtype) then m.modifier - 4
      when base.oid in ('bit'::pg_catalog.regtype, 'varbit'::pg_catalog.regtype) then m.modifier
    end as "maxLength",
    coalesce(e.labels, '[]') as labels
  from pg_catalog.pg_attribute a
  join pg_catalog.pg_class r on r.oid = a.attrelid
  join pg_catalog.pg_namespace n on n.oid = r.relnamespace
  left join bases b on b.oid = a.atttypid
  join pg_catalog.pg_type base on base.oid = coalesce(b.base, a.atttypid)
  cross join lateral (select coalesce(b.modifier, a.atttypmod) as modifier) m
  left join pg_catalog.pg_description c on c.objoid = a.attrelid and c.objsubid = a.attnum
    and c.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass
  left join lateral (
    select json_agg(l.enumlabel order by l.enumsortorder) as labels
    from pg_catalog.pg_enum l where l.enumtypid = base.oid) e on base.typtype = 'e'
  where n.nspname = $1 and r.relkind in ('r', 'v', 'm', 'f', 'p') and not r.relispartition
    and a.attnum > 0 and not a.attisdropped
)
select coalesce(json_agg(json_build_object(
  'name', r.relname, 'comment', pg_catalog.obj_description(r.oid, 'pg_class'), 'columns', k.columns
)), '[]') as result
from pg_catalog.pg_class r
join pg_catalog.pg_namespace n on n.oid = r.relnamespace
left join (
  select attrelid, json_agg(json_build_object(
    'name', name, 'comment', comment, 'type', type, 'isNullable', "isNullable",
    'maxLength', "maxLength", 'labels', labels)) as columns
  from described group by attrelid) k on k.attrelid = r.oid
where n.nspname = $1 and r.relkind in ('r', 'v', 'm', 'f', 'p') and not r.relispartition`

/** Functions with their parameter types; types of the schema itself are not qualified. */
export const ROUTINE_DETAILS_SQL = `
select coalesce(json_agg(json_build_object(
  'oid', p.oid, 'comment', pg_catalog.obj_description(p.oid, 'pg_proc'), 'types', coalesce(x.types, '[]')
)), '[]') as result
from pg_catalog.pg_proc p
join pg_catalog.pg_namespace n on n.oid = p.pronamespace
left join lateral (
  select json_agg(case
    when e.typnamespace <> p.pronamespace then pg_catalog.format_type(t.oid, null)
    else pg_catalog.quote_ident(e.typname) || case when e.oid = t.oid then '' else '[]' end
  end order by arg.i) as types
  from unnest(p.proargtypes::oid[]) with ordinality as arg (type, i)
  join pg_catalog.pg_type t on t.oid = arg.type
  join pg_catalog.pg_type e on e.oid = case when t.typcategory = 'A' then t.typelem else t.oid end) x on true
where n.nspname = $1 and p.prokind = 'f'`

/** Objects that the caller can use. The role must be set before. */
export const ACCESS_SQL = `
select
  (select coalesce(json_agg(r.relname), '[]')
    from pg_catalog.pg_class r join pg_catalog.pg_namespace n on n.oid = r.relnamespace
    where n.nspname = $1 and r.relkind in ('r', 'v', 'm', 'f', 'p') and not r.relispartition
      and (pg_catalog.pg_has_role(r.relowner, 'USAGE')
        or pg_catalog.has_table_privilege(r.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
        or pg_catalog.has_any_column_privilege(r.oid, 'SELECT, INSERT, UPDATE, REFERENCES'))) as tables,
  (select coalesce(json_agg(p.oid), '[]')
    from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    where n.nspname = $1 and p.prokind = 'f'
      and pg_catalog.has_function_privilege(p.oid, 'EXECUTE')) as routines`
