/** Whether the type is a domain named like a media type. */
function isMediaType(type: string): string {
  return `(${type}.typtype = 'd' and (${type}.typname ~* '^[a-z0-9.-]+/[a-z0-9.+-]+$' or ${type}.typname = '*/*'))`
}

/** Whether the type is bytea or a domain over it: domains have the output function of their base type. */
function isBytes(type: string): string {
  return `${type}.typoutput = 'pg_catalog.byteaout'::pg_catalog.regproc`
}

/** The media type of a function's result as JSON, or null; `type` is the row of its type. */
export function mediaTypeSql(type: string): string {
  return `case when ${isMediaType(type)} then json_build_object('mime', ${type}.typname, 'isBytes', ${isBytes(type)}) end`
}

/**
 * `handlers`: aggregates over rows of a table, or over any rows, that return a media type. `feature`: the function that
 * converts a row to a GeoJSON feature, preferably that of PostGIS. `$1` are the exposed schemas; runs with an empty
 * search_path.
 */
export const MEDIA_HANDLERS_SQL = `
select json_build_object('handlers', (
  select coalesce(json_agg(h), '[]') from (
    select
      t.typname as mime,
      ${isBytes('t')} as "isBytes",
      json_build_object('schema', n.nspname, 'name', p.proname) as routine,
      case when c.oid is not null then json_build_object('schema', cn.nspname, 'name', c.relname) end as row
    from pg_catalog.pg_aggregate a
    join pg_catalog.pg_proc p on p.oid = a.aggfnoid
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    join pg_catalog.pg_type t on t.oid = p.prorettype
    left join pg_catalog.pg_class c on c.reltype = p.proargtypes[0] and c.relkind in ('r', 'v', 'm', 'f', 'p')
    left join pg_catalog.pg_namespace cn on cn.oid = c.relnamespace
    where p.pronargs = 1 and n.nspname = any ($1::text[]) and ${isMediaType('t')}
      and (c.oid is not null or p.proargtypes[0] = 'pg_catalog.anyelement'::pg_catalog.regtype)
  ) h
), 'feature', (
  select json_build_object('schema', n.nspname, 'name', p.proname)
  from pg_catalog.pg_proc p
  join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  left join pg_catalog.pg_depend d
    on d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass and d.objid = p.oid and d.deptype = 'e'
  where p.proname = 'st_asgeojson' and p.proargtypes[0] = 'pg_catalog.record'::pg_catalog.regtype
  order by d.objid is null, p.oid limit 1
)) as result`
