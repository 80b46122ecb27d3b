import type { Client } from 'pg'

/** An object that depends on another one. */
export interface Dependent {
  /** The key of its fact, or a description such as `default value for column a of table b`. */
  key: string
  /** Whether it can be dropped and created again without a loss: a function, trigger, policy or view. */
  isSafe: boolean
}

/** The objects that depend on one object, without objects that PostgreSQL drops with it. `search_path` must be empty. */
const query = `
with target as (
  select $1::regclass as classid, $2::oid as objid
  union all
  select 'pg_type'::regclass, oid from pg_type where $1::regclass = 'pg_class'::regclass and typrelid = $2::oid
  union all
  select 'pg_type'::regclass, typarray from pg_type where $1::regclass = 'pg_class'::regclass and typrelid = $2::oid
),
dependent as (
  select distinct
    case when d.classid = 'pg_rewrite'::regclass then 'pg_class'::regclass::oid else d.classid end as classid,
    case when d.classid = 'pg_rewrite'::regclass then (select ev_class from pg_rewrite where oid = d.objid) else d.objid end as objid,
    case when d.classid = 'pg_rewrite'::regclass then 0 else d.objsubid end as objsubid
  from pg_depend d join target t on t.classid = d.refclassid and t.objid = d.refobjid
  where d.deptype in ('n', 'a')
)
select classid, objid,
  case
    when classid = 'pg_proc'::regclass then (select format('function %I.%I(%s)', pronamespace::regnamespace::name, proname,
      pg_get_function_identity_arguments(oid)) from pg_proc where oid = objid and prokind in ('f', 'p'))
    when classid = 'pg_policy'::regclass then (select 'policy "' || polname || '" on ' || polrelid::regclass from pg_policy where oid = objid)
    when classid = 'pg_trigger'::regclass then (select 'trigger ' || quote_ident(tgname) || ' on ' || tgrelid::regclass
      from pg_trigger where oid = objid)
    when classid = 'pg_class'::regclass then (select 'view ' || oid::regclass from pg_class where oid = objid and relkind = 'v')
  end as key,
  pg_describe_object(classid, objid, objsubid) as description
from dependent
where (classid, objid) not in (select classid, objid from target)
order by description`

/** The objects that prevent a DROP of an object without CASCADE. @param client whose `search_path` is empty */
export async function findDependents(
  client: Client,
  object: { classid: string; objid: string },
): Promise<(Dependent & { classid: string; objid: string })[]> {
  const { rows } = await client.query<{
    classid: string
    objid: string
    key: string | null
    description: string
  }>(query, [object.classid, object.objid])
  return rows.map(({ classid, objid, key, description }) => ({
    classid,
    objid,
    key: key ?? description,
    isSafe: key !== null,
  }))
}
