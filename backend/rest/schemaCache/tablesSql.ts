/**
 * Tables and views of the exposed schemas (`$1`), without partitions. Returns one JSON value, and runs with an empty
 * search_path, so that types and defaults are qualified: the caller's search path may differ.
 *
 * Each part is read once for all tables and joined: subqueries for each of a thousand tables take seconds. Roles are those
 * that a caller can have. `pg_relation_is_updatable` fails for foreign tables whose wrapper has no handler, so they are
 * excluded from it.
 */
export const TABLES_SQL = `
with recursive domains (oid, base) as (
  select t.oid, t.typbasetype from pg_catalog.pg_type t where t.typtype = 'd'
  union all
  select d.oid, t.typbasetype from domains d join pg_catalog.pg_type t on t.oid = d.base where t.typtype = 'd'
), bases as materialized (
  select d.oid, d.base from domains d join pg_catalog.pg_type t on t.oid = d.base where t.typtype <> 'd'
), api_roles as materialized (
  select r.oid, r.rolname from pg_catalog.pg_roles r
  where r.rolname <> current_user and pg_catalog.pg_has_role(current_user, r.oid, 'MEMBER')
), relations as materialized (
  select c.oid, n.nspname, c.relname, c.relkind, c.relrowsecurity
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'v', 'm', 'f', 'p') and not c.relispartition and n.nspname = any ($1::text[])
), sequences as (
  select refobjid, refobjsubid, objid from pg_catalog.pg_depend
  where deptype = 'i' and classid = 'pg_catalog.pg_class'::pg_catalog.regclass and refobjsubid > 0
), columns as (
  select a.attrelid, json_agg(json_build_object(
    'name', a.attname,
    'type', pg_catalog.format_type(a.atttypid, a.atttypmod),
    'baseType', pg_catalog.format_type(coalesce(b.base, a.atttypid), null),
    'default', case
      when a.attgenerated <> '' then null
      when a.attidentity = 'd' then pg_catalog.format('nextval(%L)', s.objid::pg_catalog.regclass)
      when d.adbin is null and b.base is not null then (
        select pg_catalog.pg_get_expr(t.typdefaultbin, 0) from pg_catalog.pg_type t where t.oid = a.atttypid)
      else pg_catalog.pg_get_expr(d.adbin, d.adrelid)
    end) order by a.attnum) as list
  from relations r
  join pg_catalog.pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
  left join bases b on b.oid = a.atttypid
  left join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  left join sequences s on a.attidentity = 'd' and s.refobjid = a.attrelid and s.refobjsubid = a.attnum
  group by a.attrelid
), keys as (
  select k.conrelid, json_agg(a.attname order by a.attname) as list
  from pg_catalog.pg_constraint k
  join pg_catalog.pg_attribute a on a.attrelid = k.conrelid and a.attnum = any (k.conkey)
  where k.contype = 'p'
  group by k.conrelid
), grants as (
  select r.oid, json_agg(w.rolname) as list
  from relations r
  cross join api_roles w
  where pg_catalog.has_table_privilege(w.oid, r.oid, 'SELECT, INSERT, UPDATE, DELETE')
    or pg_catalog.has_any_column_privilege(w.oid, r.oid, 'SELECT, INSERT, UPDATE')
  group by r.oid
)
select coalesce(json_agg(json_build_object(
  'schema', r.nspname, 'name', r.relname,
  'isView', r.relkind in ('v', 'm'),
  'hidesRows', r.relrowsecurity or r.relkind = 'v',
  'insertable', m.can & 8 <> 0, 'updatable', m.can & 4 <> 0, 'deletable', m.can & 16 <> 0,
  'primaryKey', coalesce(k.list, '[]'), 'columns', coalesce(c.list, '[]'), 'roles', coalesce(g.list, '[]')
)), '[]') as result
from relations r
cross join lateral (select case
    when r.relkind in ('r', 'p') then 28
    when r.relkind <> 'f' or exists (
      select from pg_catalog.pg_foreign_table f
      join pg_catalog.pg_foreign_server s on s.oid = f.ftserver
      join pg_catalog.pg_foreign_data_wrapper w on w.oid = s.srvfdw
      where f.ftrelid = r.oid and w.fdwhandler <> 0
    ) then pg_catalog.pg_relation_is_updatable(r.oid, true)
    else 0 end) m (can)
left join columns c on c.attrelid = r.oid
left join keys k on k.conrelid = r.oid
left join grants g on g.oid = r.oid`
