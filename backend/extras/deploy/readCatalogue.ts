import type { ClientBase } from 'pg'

export type Kind =
  | 'extension'
  | 'schema'
  | 'type'
  | 'table'
  | 'owner'
  | 'row_security'
  | 'column'
  | 'constraint'
  | 'index'
  | 'policy'
  | 'trigger'
  | 'view'
  | 'sequence'
  | 'function'
  | 'grant'
  | 'publication'
  | 'setting'
  | 'bucket'
  | 'job'

/** An entry of a database's catalogue. */
export interface CatalogueEntry {
  kind: Kind
  /** Unique within its kind: `public.messages`, `"name" on public.messages`, `anon on table public.messages`. */
  name: string
  /** The table, function or schema that it belongs to: `table public.messages`; null if none. */
  of: string | null
  /** Its definition, equal in two databases with the same migrations. */
  value: string
}

/** Entries by `<kind> <name>`. */
export type Catalogue = ReadonlyMap<string, CatalogueEntry>

/** Roles whose privileges are compared: those of the API, and of the service that calls hooks. */
const roles = `('anon', 'authenticated', 'service_role', 'supabase_auth_admin')`

/** Excludes schemas of PostgreSQL itself and of the platform's bookkeeping. */
const excludesSystem = `not like 'pg\\_%' and n.nspname not in ('information_schema', 'linnet_platform', 'supabase_migrations')`

/**
 * Everything that migrations create, as text. `search_path` is empty while it runs, so that every name is qualified.
 * Members of extensions are excluded, as their versions differ between platforms, and MAINTAIN, which is new in
 * PostgreSQL 17.
 */
const query = `
with member as (select classid, objid from pg_depend where deptype = 'e'),
namespaces as (
  select n.* from pg_namespace n where n.nspname ${excludesSystem}
    and not exists (select from member where classid = 'pg_namespace'::regclass and objid = n.oid)
),
relation as (
  select c.*, format('%I.%I', n.nspname, c.relname) as name,
    case c.relkind when 'v' then 'view' when 'm' then 'view' when 'S' then 'sequence' else 'table' end as kind
  from pg_class c join pg_namespace n on n.oid = c.relnamespace and n.nspname ${excludesSystem}
  where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
    and not exists (select from member where classid = 'pg_class'::regclass and objid = c.oid)
),
routine as (
  select p.*, format('%I.%I(%s)', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)) as name
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace and n.nspname ${excludesSystem}
  where not exists (select from member where classid = 'pg_proc'::regclass and objid = p.oid)
),
acls as (
  select 'schema ' || n.nspname as object, n.nspowner as owner,
    coalesce(n.nspacl, acldefault('n', n.nspowner)) as acl, null::name as attname
  from namespaces n
  union all
  select kind || ' ' || name, relowner,
    coalesce(relacl, acldefault(case relkind when 'S' then 's' else 'r' end::"char", relowner)), null
  from relation
  union all
  select kind || ' ' || r.name, relowner, a.attacl, a.attname
  from relation r join pg_attribute a on a.attrelid = r.oid and a.attacl is not null and not a.attisdropped
  union all
  select 'function ' || name, proowner, coalesce(proacl, acldefault('f', proowner)), null from routine
),
privilege as (
  select object, coalesce(g.rolname, 'everyone') as role,
    lower(a.privilege_type) || case when h.attname is null then '' else ' of ' || h.attname end as privilege
  from acls h cross join lateral aclexplode(h.acl) a left join pg_roles g on g.oid = a.grantee
  where a.grantee <> h.owner and a.privilege_type <> 'MAINTAIN' and (a.grantee = 0 or g.rolname in ${roles})
)
select 'extension' as kind, e.extname::text as name, null::text as of, '' as value from pg_extension e
union all
select 'schema', nspname, null, '' from namespaces
union all
select 'type', format('%I.%I', n.nspname, t.typname), null,
  (select string_agg(e.enumlabel, e'\\n' order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid)
from pg_type t join pg_namespace n on n.oid = t.typnamespace and n.nspname ${excludesSystem} where t.typtype = 'e'
union all
select 'table', name, null, relkind::text from relation where kind = 'table'
union all
select 'view', name, null,
  pg_get_viewdef(oid) || coalesce(array_to_string(reloptions, ','), '') from relation where kind = 'view'
union all
select 'sequence', name, 'table ' || (
    select r.name from pg_depend d join relation r on r.oid = d.refobjid
    where d.classid = 'pg_class'::regclass and d.objid = relation.oid
      and d.refclassid = 'pg_class'::regclass and d.deptype in ('a', 'i')),
  '' from relation where kind = 'sequence'
union all
select 'owner', kind || ' ' || name, kind || ' ' || name, pg_get_userbyid(relowner) from relation where kind <> 'sequence'
union all
select 'owner', 'function ' || name, 'function ' || name, pg_get_userbyid(proowner) from routine
union all
select 'row_security', name, 'table ' || name,
  case when relrowsecurity then 'on' else 'off' end || case when relforcerowsecurity then ', owner too' else '' end
from relation where relkind in ('r', 'p')
union all
select 'column', r.name || '.' || quote_ident(a.attname), 'table ' || r.name,
  format_type(a.atttypid, a.atttypmod) || case when a.attnotnull then ' not null' else '' end ||
  coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')
from relation r join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
where r.kind = 'table'
union all
select 'constraint', quote_ident(c.conname) || ' of ' || r.name, 'table ' || r.name, pg_get_constraintdef(c.oid)
from pg_constraint c join relation r on r.oid = c.conrelid where c.contype in ('c', 'f', 'p', 'u', 'x')
union all
select 'index', i.indexrelid::regclass::text, 'table ' || r.name, pg_get_indexdef(i.indexrelid)
from pg_index i join relation r on r.oid = i.indrelid
where not exists (select from pg_constraint c where c.conindid = i.indexrelid and c.contype in ('p', 'u', 'x'))
union all
select 'policy', '"' || p.polname || '" on ' || r.name, 'table ' || r.name,
  p.polcmd::text || p.polpermissive || (select string_agg(coalesce(g.rolname, 'public'), ',' order by g.rolname)
    from unnest(p.polroles) role left join pg_roles g on g.oid = role)
  || ' using ' || coalesce(pg_get_expr(p.polqual, p.polrelid), '')
  || ' check ' || coalesce(pg_get_expr(p.polwithcheck, p.polrelid), '')
from pg_policy p join relation r on r.oid = p.polrelid
union all
select 'trigger', quote_ident(t.tgname) || ' on ' || r.name, 'table ' || r.name,
  case t.tgenabled when 'D' then 'off ' else '' end || pg_get_triggerdef(t.oid)
from pg_trigger t join relation r on r.oid = t.tgrelid where not t.tgisinternal
union all
select 'function', name, null, case when prokind = 'a' then 'aggregate' else pg_get_functiondef(oid) end from routine
union all
select 'grant', role || ' on ' || object, object, string_agg(privilege, e'\\n' order by privilege)
from privilege group by role, object
union all
select 'publication', format('%I.%I', p.schemaname, p.tablename), 'table ' || format('%I.%I', p.schemaname, p.tablename), ''
from pg_publication_tables p where p.pubname = 'supabase_realtime'
union all
-- The data API's, such as the function that limits its requests.
select 'setting', split_part(setting, '=', 1), null, substr(setting, strpos(setting, '=') + 1)
from pg_db_role_setting s join pg_roles r on r.oid = s.setrole, unnest(s.setconfig) setting
where s.setdatabase = 0 and r.rolname = 'authenticator' and setting like 'pgrst.%'`

const buckets = `
select 'bucket' as kind, id as name, null as of,
  case when public then 'public' else 'private' end || e'\\n' || coalesce(file_size_limit::text, '') || e'\\n' ||
  coalesce(array_to_string(allowed_mime_types, ','), '') as value
from storage.buckets`

const jobs = `
select 'job' as kind, coalesce(jobname, 'of ' || schedule) as name, null as of,
  case when active then 'on' else 'off' end || e'\\n' || schedule || e'\\n' || command as value
from cron.job`

async function relationExists(client: ClientBase, relation: string): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean }>('select to_regclass($1) is not null as there', [
    relation,
  ])
  return rows[0]!.there
}

/** Reads the catalogue of a database. Changes only `search_path` of this session. */
export async function readCatalogue(client: ClientBase): Promise<Catalogue> {
  await client.query("set search_path to ''")
  const { rows } = await client.query<CatalogueEntry>(query)
  const facts = [...rows]
  if (await relationExists(client, 'storage.buckets'))
    facts.push(...(await client.query<CatalogueEntry>(buckets)).rows)
  if (await relationExists(client, 'cron.job')) facts.push(...(await client.query<CatalogueEntry>(jobs)).rows)
  return new Map(facts.map((fact) => [`${fact.kind} ${fact.name}`, fact]))
}
