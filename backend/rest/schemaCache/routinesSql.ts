import { mediaTypeSql } from './mediaHandlersSql.ts'

/** Base types; a domain may be based on another domain. */
const BASE_TYPES = `with recursive base_types (oid, base) as (
  select t.oid, t.oid from pg_catalog.pg_type t where t.typbasetype = 0
  union all
  select t.oid, b.base from base_types b join pg_catalog.pg_type t on t.typbasetype = b.oid
)`

const ROLES = `(select coalesce(json_agg(r.rolname), '[]') from pg_catalog.pg_roles r
  where r.rolname <> current_user and pg_catalog.pg_has_role(current_user, r.oid, 'MEMBER') and `

/**
 * Functions of the exposed schemas (`$1`) that a request can call: no trigger functions, and no unnamed parameters except
 * a single one with the type of a body. Returns one JSON value, and runs with an empty search_path, so that types are
 * qualified: the caller's search path may differ.
 */
export const ROUTINES_SQL = `
${BASE_TYPES}
select coalesce(json_agg(f), '[]') as result from (
  select
    p.oid,
    n.nspname as schema,
    p.proname as name,
    coalesce(a.parameters, '[]') as parameters,
    p.proretset as "isSet",
    t.typtype = 'c' or coalesce(p.proargmodes && '{t,b,o}'::"char"[], false) as "isComposite",
    p.prorettype = 'pg_catalog.void'::pg_catalog.regtype and not p.proretset as "isVoid",
    (select ${mediaTypeSql('r')} from pg_catalog.pg_type r where r.oid = p.prorettype) as media,
    json_build_object('schema', tn.nspname, 'name', coalesce(tc.relname, t.typname)) as returns,
    case p.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end as volatility,
    coalesce(p.proconfig, '{}') as config,
    ${ROLES} pg_catalog.has_function_privilege(r.oid, p.oid, 'EXECUTE')) as roles
  from pg_catalog.pg_proc p
  join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  join base_types bt on bt.oid = p.prorettype
  join pg_catalog.pg_type t on t.oid = bt.base
  join pg_catalog.pg_namespace tn on tn.oid = t.typnamespace
  left join pg_catalog.pg_class tc on tc.oid = t.typrelid
  left join lateral (
    select
      json_agg(json_build_object(
        'name', x.name, 'type', pg_catalog.format_type(x.type, null),
        'readAs', case x.type
          when 'pg_catalog.bit'::pg_catalog.regtype then 'bit varying'
          when 'pg_catalog.bit[]'::pg_catalog.regtype then 'bit varying[]'
          when 'pg_catalog.bpchar'::pg_catalog.regtype then 'character varying'
          when 'pg_catalog.bpchar[]'::pg_catalog.regtype then 'character varying[]'
          else pg_catalog.format_type(x.type, null) end,
        'isRequired', x.position <= p.pronargs - p.pronargdefaults, 'isVariadic', x.mode = 'v'
      ) order by x.position) as parameters,
      count(*) filter (where x.name = '') as unnamed,
      count(*) as total,
      bool_and(x.type = any ('{json,jsonb,text,bytea,xml}'::pg_catalog.regtype[])) as "areBodies"
    from (
      select coalesce(arg.name, '') as name, arg.type, coalesce(arg.mode, 'i') as mode,
        row_number() over (order by arg.i) as position
      from unnest(coalesce(p.proallargtypes, p.proargtypes::oid[]), p.proargnames, p.proargmodes)
        with ordinality as arg (type, name, mode, i)
      where coalesce(arg.mode, 'i') in ('i', 'b', 'v')
    ) x
  ) a on true
  where p.prokind = 'f' and n.nspname = any ($1::text[])
    and p.prorettype not in ('pg_catalog.trigger'::pg_catalog.regtype, 'pg_catalog.event_trigger'::pg_catalog.regtype)
    and (a.total = 0 or a.unnamed = 0 or (a.total = 1 and a."areBodies"))
) f`
