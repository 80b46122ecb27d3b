/** Excludes schemas of PostgreSQL itself and of the platform's bookkeeping. */
const excludesSystem = `not like 'pg\\_%' and n.nspname not in ('information_schema', 'linnet_platform', 'supabase_migrations')`

/** Objects with a smaller id were created with the cluster. */
const firstNormalId = 16_384

/** The roles and privileges of an `aclitem[]`, one a line. */
const aclLines = (acl: string): string => `(
  select string_agg(coalesce(g.rolname, 'everyone') || ': ' || lower(a.privilege_type)
    || case when a.is_grantable then ' with grant option' else '' end, e'\\n'
    order by coalesce(g.rolname, 'everyone') collate "C", a.privilege_type)
  from aclexplode(${acl}) a left join pg_roles g on g.oid = a.grantee)`

/**
 * Everything that migrations create, as text: kind, name, of, schema, value. Members of extensions are excluded, as their
 * versions differ between platforms. `search_path` must be empty.
 */
export const catalogueQuery = `
with member as (select classid, objid from pg_depend where deptype = 'e'),
namespaces as (
  select n.* from pg_namespace n where n.nspname ${excludesSystem}
    and not exists (select from member where classid = 'pg_namespace'::regclass and objid = n.oid)
),
relation as (
  select c.*, n.nspname, format('%I.%I', n.nspname, c.relname) as name,
    case c.relkind when 'v' then 'view' when 'm' then 'view' when 'S' then 'sequence' else 'table' end as kind
  from pg_class c join pg_namespace n on n.oid = c.relnamespace and n.nspname ${excludesSystem}
  where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
    and not exists (select from member where classid = 'pg_class'::regclass and objid = c.oid)
),
routine as (
  select p.*, n.nspname, format('%I.%I(%s)', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)) as name
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace and n.nspname ${excludesSystem}
  where not exists (select from member where classid = 'pg_proc'::regclass and objid = p.oid)
),
own_type as (
  select t.*, n.nspname, format('%I.%I', n.nspname, t.typname) as name
  from pg_type t join pg_namespace n on n.oid = t.typnamespace and n.nspname ${excludesSystem}
  left join pg_class c on c.oid = t.typrelid
  where t.typtype in ('e', 'd', 'r', 'c') and coalesce(c.relkind, 'c') = 'c'
    and not exists (select from member where classid = 'pg_type'::regclass and objid = t.oid)
),
acls as (
  select 'schema ' || n.nspname as object, n.nspname, n.nspowner as owner,
    coalesce(n.nspacl, acldefault('n', n.nspowner)) as acl, null::name as attname
  from namespaces n
  union all
  select kind || ' ' || name, nspname, relowner,
    coalesce(relacl, acldefault(case relkind when 'S' then 's' else 'r' end::"char", relowner)), null
  from relation
  union all
  select kind || ' ' || r.name, r.nspname, relowner, a.attacl, a.attname
  from relation r join pg_attribute a on a.attrelid = r.oid and a.attacl is not null and not a.attisdropped
  union all
  select 'function ' || name, nspname, proowner, coalesce(proacl, acldefault('f', proowner)), null from routine
  union all
  select 'type ' || name, nspname, typowner, coalesce(typacl, acldefault('T', typowner)), null from own_type
),
privilege as (
  select object, h.nspname, a.grantee = h.owner as is_owner, coalesce(g.rolname, 'everyone') as role,
    lower(a.privilege_type) || case when h.attname is null then '' else ' of ' || h.attname end
      || case when a.is_grantable and a.grantee <> h.owner then ' with grant option' else '' end
      || case when a.grantor <> h.owner then ' granted by ' || pg_get_userbyid(a.grantor) else '' end as privilege
  from acls h cross join lateral aclexplode(h.acl) a left join pg_roles g on g.oid = a.grantee
),
described as (
  select classoid, objoid, objsubid, description,
    pg_identify_object(classoid, objoid, objsubid) as object
  from pg_description d
  where (objoid >= ${firstNormalId} or classoid = 'pg_namespace'::regclass and objoid = 'public'::regnamespace)
    and not exists (select from member m where m.classid = d.classoid and m.objid = d.objoid)
)
select 'extension' as kind, e.extname::text as name, null::text as of, null::text as schema, '' as value from pg_extension e
union all
select 'extension_details', e.extname, 'extension ' || e.extname, null, format('%s in %I', extversion, n.nspname)
from pg_extension e join pg_namespace n on n.oid = e.extnamespace
union all
select 'schema', nspname, null, nspname, '' from namespaces
union all
select 'type', t.name, null, t.nspname,
  (select string_agg(e.enumlabel, e'\\n' order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid)
from own_type t where t.typtype = 'e'
union all
select 'composite_type', t.name, null, t.nspname, coalesce(
  (select string_agg(quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod)
    || case when a.attcollation <> y.typcollation then ' collate ' || a.attcollation::regcollation::text else '' end, e'\\n'
    order by a.attnum)
   from pg_attribute a join pg_type y on y.oid = a.atttypid
   where a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped), '')
from own_type t where t.typtype = 'c'
union all
select 'domain', t.name, null, t.nspname,
  format_type(t.typbasetype, t.typtypmod) || case when t.typnotnull then ' not null' else '' end
  || coalesce(' default ' || t.typdefault, '') || coalesce(' collate ' || nullif(t.typcollation, 0)::regcollation::text, '') || coalesce(
    (select string_agg(e'\\n' || quote_ident(c.conname) || ' ' || pg_get_constraintdef(c.oid), '' order by c.conname)
     from pg_constraint c where c.contypid = t.oid), '')
from own_type t where t.typtype = 'd'
union all
select 'range_type', t.name, null, t.nspname,
  format('of %s, class %s, collation %s, canonical %s, difference %s', format_type(r.rngsubtype, null), o.opcname,
    nullif(r.rngcollation, 0)::regcollation, r.rngcanonical, r.rngsubdiff)
from own_type t join pg_range r on r.rngtypid = t.oid join pg_opclass o on o.oid = r.rngsubopc
union all
select 'table', name, null, nspname, relkind::text from relation where kind = 'table'
union all
select 'table_details', r.name, kind || ' ' || r.name, nspname,
  concat_ws(e'\\n',
    'persistence ' || relpersistence::text,
    'options ' || array_to_string(reloptions, ','),
    'options of long values ' || (select array_to_string(t.reloptions, ',') from pg_class t where t.oid = r.reltoastrelid),
    'access method ' || (select amname from pg_am a where a.oid = r.relam),
    'replica identity ' || relreplident::text,
    'partitioned ' || pg_get_partkeydef(r.oid),
    'bound ' || pg_get_expr(relpartbound, r.oid),
    'of ' || nullif(reloftype, 0)::regtype::text,
    'inherits ' || (select string_agg(inhparent::regclass::text, ', ' order by inhseqno)
      from pg_inherits i where i.inhrelid = r.oid),
    'tablespace ' || (select spcname from pg_tablespace s where s.oid = r.reltablespace),
    'server ' || (select s.srvname || ' ' || coalesce(array_to_string(f.ftoptions, ','), '')
      from pg_foreign_table f join pg_foreign_server s on s.oid = f.ftserver where f.ftrelid = r.oid))
from relation r where kind = 'table'
union all
select 'view', name, null, nspname,
  pg_get_viewdef(oid) || coalesce(array_to_string(reloptions, ','), '') from relation where kind = 'view'
union all
select 'sequence', name, 'table ' || (
    select r.name from pg_depend d join relation r on r.oid = d.refobjid
    where d.classid = 'pg_class'::regclass and d.objid = relation.oid
      and d.refclassid = 'pg_class'::regclass and d.deptype in ('a', 'i')),
  nspname, '' from relation where kind = 'sequence'
union all
select 'sequence_details', r.name, 'sequence ' || r.name, r.nspname,
  format('%s, start %s, increment %s, from %s to %s, cache %s, %s, persistence %s', format_type(s.seqtypid, null),
    s.seqstart, s.seqincrement, s.seqmin, s.seqmax, s.seqcache,
    case when s.seqcycle then 'cycle' else 'no cycle' end, r.relpersistence)
  || coalesce((select format(', owned by %s.%I', d.refobjid::regclass, a.attname)
    from pg_depend d join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
    where d.classid = 'pg_class'::regclass and d.objid = r.oid
      and d.refclassid = 'pg_class'::regclass and d.deptype in ('a', 'i')), '')
from relation r join pg_sequence s on s.seqrelid = r.oid
union all
select 'owner', kind || ' ' || name, kind || ' ' || name, nspname, pg_get_userbyid(relowner)
from relation where kind <> 'sequence'
union all
select 'owner', 'function ' || name, 'function ' || name, nspname, pg_get_userbyid(proowner) from routine
union all
select 'other_owner', 'sequence ' || name, 'sequence ' || name, nspname, pg_get_userbyid(relowner)
from relation where kind = 'sequence'
union all
select 'other_owner', 'schema ' || nspname, 'schema ' || nspname, nspname, pg_get_userbyid(nspowner) from namespaces
union all
select 'other_owner', 'type ' || name, 'type ' || name, nspname, pg_get_userbyid(typowner) from own_type
union all
select 'row_security', name, 'table ' || name, nspname,
  case when relrowsecurity then 'on' else 'off' end || case when relforcerowsecurity then ', owner too' else '' end
from relation where relkind in ('r', 'p')
union all
select 'column', r.name || '.' || quote_ident(a.attname), 'table ' || r.name, r.nspname,
  format_type(a.atttypid, a.atttypmod) || case when a.attnotnull then ' not null' else '' end ||
  coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')
from relation r join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
where r.kind = 'table'
union all
select 'column_details', r.name || '.' || quote_ident(a.attname), 'column ' || r.name || '.' || quote_ident(a.attname),
  r.nspname,
  concat_ws(', ',
    'position ' || (row_number() over (partition by a.attrelid order by a.attnum))::text,
    'collation ' || case when a.attcollation <> y.typcollation then a.attcollation::regcollation::text end,
    'identity ' || nullif(a.attidentity::text, ''),
    'generated ' || nullif(a.attgenerated::text, ''),
    'storage ' || case when a.attstorage <> y.typstorage then a.attstorage::text end,
    'compression ' || nullif(a.attcompression::text, ''),
    'statistics ' || nullif(a.attstattarget, -1)::text,
    'options ' || array_to_string(a.attoptions, ','),
    'options of the server ' || array_to_string(a.attfdwoptions, ','),
    case when a.attislocal then null else 'inherited' end)
from relation r join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
join pg_type y on y.oid = a.atttypid
where r.kind = 'table'
union all
select 'constraint', quote_ident(c.conname) || ' of ' || r.name,
  -- Since PostgreSQL 18 NOT NULL is a constraint of its own.
  coalesce((select 'column ' || r.name || '.' || quote_ident(a.attname) from pg_attribute a
    where c.contype = 'n' and a.attrelid = r.oid and a.attnum = c.conkey[1]), 'table ' || r.name),
  r.nspname, pg_get_constraintdef(c.oid)
from pg_constraint c join relation r on r.oid = c.conrelid where c.contype in ('c', 'f', 'p', 'u', 'x', 'n')
union all
select 'index', i.indexrelid::regclass::text, 'table ' || r.name, r.nspname, pg_get_indexdef(i.indexrelid)
from pg_index i join relation r on r.oid = i.indrelid
where not exists (select from pg_constraint c where c.conindid = i.indexrelid and c.contype in ('p', 'u', 'x'))
union all
select 'index_details', i.indexrelid::regclass::text, 'index ' || i.indexrelid::regclass::text, r.nspname,
  concat_ws(', ',
    case when i.indisvalid then null else 'invalid' end,
    case when i.indisclustered then 'clustered' end,
    case when i.indisreplident then 'replica identity' end,
    'options ' || array_to_string(x.reloptions, ','),
    (select string_agg(format('statistics of column %s %s', a.attnum, a.attstattarget), ', ' order by a.attnum)
     from pg_attribute a where a.attrelid = x.oid and coalesce(a.attstattarget, -1) <> -1))
from pg_index i join relation r on r.oid = i.indrelid join pg_class x on x.oid = i.indexrelid
union all
select 'policy', '"' || p.polname || '" on ' || r.name, 'table ' || r.name, r.nspname,
  p.polcmd::text || p.polpermissive || (select string_agg(coalesce(g.rolname, 'public'), ',' order by g.rolname)
    from unnest(p.polroles) role left join pg_roles g on g.oid = role)
  || ' using ' || coalesce(pg_get_expr(p.polqual, p.polrelid), '')
  || ' check ' || coalesce(pg_get_expr(p.polwithcheck, p.polrelid), '')
from pg_policy p join relation r on r.oid = p.polrelid
union all
select 'trigger', quote_ident(t.tgname) || ' on ' || r.name, 'table ' || r.name, r.nspname,
  case t.tgenabled when 'D' then 'off ' else '' end || pg_get_triggerdef(t.oid)
from pg_trigger t join relation r on r.oid = t.tgrelid where not t.tgisinternal
union all
select 'trigger_state', quote_ident(t.tgname) || ' on ' || r.name, 'trigger ' || quote_ident(t.tgname) || ' on ' || r.name,
  r.nspname, t.tgenabled::text
from pg_trigger t join relation r on r.oid = t.tgrelid where not t.tgisinternal
union all
select 'rule', quote_ident(w.rulename) || ' on ' || r.name, r.kind || ' ' || r.name, r.nspname,
  w.ev_enabled::text || ' ' || pg_get_ruledef(w.oid)
from pg_rewrite w join relation r on r.oid = w.ev_class where w.rulename <> '_RETURN'
union all
select 'statistics', format('%I.%I', n.nspname, s.stxname), 'table ' || r.name, n.nspname,
  pg_get_statisticsobjdef(s.oid) || ' ' || coalesce(nullif(s.stxstattarget, -1)::text, '')
from pg_statistic_ext s join relation r on r.oid = s.stxrelid join pg_namespace n on n.oid = s.stxnamespace
union all
select 'function', name, null, nspname, case when prokind = 'a' then 'aggregate' else pg_get_functiondef(oid) end from routine
union all
select 'aggregate', r.name, 'function ' || r.name, r.nspname,
  concat_ws(', ', aggkind, aggnumdirectargs, aggtransfn, aggfinalfn, aggcombinefn, aggserialfn, aggdeserialfn, aggmtransfn,
    aggminvtransfn, aggmfinalfn, aggfinalextra, aggmfinalextra, aggfinalmodify, aggmfinalmodify,
    (select oprname from pg_operator o where o.oid = aggsortop),
    aggtranstype::regtype, aggtransspace, aggmtranstype::regtype, aggmtransspace,
    'from ' || agginitval, 'moving from ' || aggminitval, r.proparallel, r.proisstrict)
from routine r join pg_aggregate a on a.aggfnoid = r.oid
union all
select 'grant', role || ' on ' || object, object, nspname, string_agg(privilege, e'\\n' order by privilege collate "C")
from privilege where not is_owner group by role, object, nspname
union all
select 'owner_grant', role || ' on ' || object, object, nspname, string_agg(privilege, e'\\n' order by privilege collate "C")
from privilege where is_owner group by role, object, nspname
union all
select 'default_privileges', format('%s of %s%s', case d.defaclobjtype when 'r' then 'tables' when 'S' then 'sequences'
    when 'f' then 'functions' when 'T' then 'types' when 'n' then 'schemas' else d.defaclobjtype::text end,
    pg_get_userbyid(d.defaclrole), coalesce(' in ' || n.nspname, '')),
  'schema ' || n.nspname, n.nspname, coalesce(${aclLines('d.defaclacl')}, '')
from pg_default_acl d left join pg_namespace n on n.oid = d.defaclnamespace
union all
select 'comment', (object).type || ' ' || (object).identity,
  case when (object).type in ('table', 'view', 'sequence', 'schema', 'table column')
    then replace((object).type, 'table column', 'column') || ' ' || (object).identity end,
  (object).schema, description
from described
where coalesce((object).schema, 'public') not in ('linnet_platform', 'supabase_migrations')
  and (object).identity not in ('linnet_platform', 'supabase_migrations')
union all
select 'security_label', l.objtype || ' ' || l.objname || ' of ' || l.provider, null, n.nspname, l.label
from pg_seclabels l left join pg_namespace n on n.oid = l.objnamespace
union all
select 'publication', format('%I.%I', p.schemaname, p.tablename), 'table ' || format('%I.%I', p.schemaname, p.tablename),
  p.schemaname, ''
from pg_publication_tables p where p.pubname = 'supabase_realtime'
union all
select 'publication_details', p.pubname, null, null,
  concat_ws(e'\\n', pg_get_userbyid(p.pubowner), case when p.puballtables then 'all tables' end,
    concat_ws(', ', case when p.pubinsert then 'insert' end, case when p.pubupdate then 'update' end,
      case when p.pubdelete then 'delete' end, case when p.pubtruncate then 'truncate' end,
      case when p.pubviaroot then 'through the root' end),
    (select string_agg(format('schema %I', n.nspname), e'\\n' order by n.nspname)
     from pg_publication_namespace s join pg_namespace n on n.oid = s.pnnspid where s.pnpubid = p.oid),
    (select string_agg(concat_ws(' ', r.prrelid::regclass, r.prattrs, pg_get_expr(r.prqual, r.prrelid)), e'\\n'
       order by r.prrelid::regclass::text collate "C")
     from pg_publication_rel r where r.prpubid = p.oid))
from pg_publication p
union all
select 'event_trigger', e.evtname, null, null,
  concat_ws(', ', e.evtevent, array_to_string(e.evttags, ' '), e.evtfoid::regprocedure, e.evtenabled,
    pg_get_userbyid(e.evtowner))
from pg_event_trigger e
where not exists (select from member where classid = 'pg_event_trigger'::regclass and objid = e.oid)
union all
select 'other_object', (o.object).type || ' ' || (o.object).identity, null, (o.object).schema, o.value
from (
  select pg_identify_object(tableoid, oid, 0) as object, tableoid, oid,
    concat_ws(' ', oprcode, oprrest, oprjoin, oprcanmerge, oprcanhash, oprresult::regtype) as value
  from pg_operator where oid >= ${firstNormalId}
  union all
  select pg_identify_object(tableoid, oid, 0), tableoid, oid,
    concat_ws(' ', nullif(castfunc, 0)::regprocedure, castcontext, castmethod)
  from pg_cast where oid >= ${firstNormalId}
  union all
  select pg_identify_object(tableoid, oid, 0), tableoid, oid,
    concat_ws(' ', collprovider, collisdeterministic, collcollate, collctype)
  from pg_collation where oid >= ${firstNormalId}
  union all
  select pg_identify_object(c.tableoid, c.oid, 0), c.tableoid, c.oid, concat_ws(e'\\n', c.cfgparser,
    (select string_agg(format('%s %s %s', m.maptokentype, m.mapseqno, m.mapdict::regdictionary), e'\\n'
       order by m.maptokentype, m.mapseqno) from pg_ts_config_map m where m.mapcfg = c.oid))
  from pg_ts_config c where c.oid >= ${firstNormalId}
  union all
  select pg_identify_object(d.tableoid, d.oid, 0), d.tableoid, d.oid, concat_ws(' ',
    (select tmplname from pg_ts_template t where t.oid = d.dicttemplate), d.dictinitoption)
  from pg_ts_dict d where d.oid >= ${firstNormalId}
  union all
  select pg_identify_object(tableoid, oid, 0), tableoid, oid, '' from pg_opclass where oid >= ${firstNormalId}
  union all
  select pg_identify_object(tableoid, oid, 0), tableoid, oid, '' from pg_opfamily where oid >= ${firstNormalId}
  union all
  select pg_identify_object(tableoid, oid, 0), tableoid, oid, '' from pg_language where oid >= ${firstNormalId}
  union all
  select pg_identify_object(tableoid, oid, 0), tableoid, oid, '' from pg_conversion where oid >= ${firstNormalId}
  union all
  select pg_identify_object(tableoid, oid, 0), tableoid, oid,
    concat_ws(' ', nullif(fdwhandler, 0)::regprocedure, nullif(fdwvalidator, 0)::regprocedure, fdwoptions, fdwacl)
  from pg_foreign_data_wrapper where oid >= ${firstNormalId}
  union all
  select pg_identify_object(tableoid, oid, 0), tableoid, oid, concat_ws(' ', srvtype, srvversion, srvoptions, srvacl)
  from pg_foreign_server where oid >= ${firstNormalId}
) o
where not exists (select from member where classid = o.tableoid and objid = o.oid)
union all
select 'role', r.rolname, null, null,
  concat_ws(', ', case when rolsuper then 'superuser' end, case when rolinherit then 'inherit' end,
    case when rolcreaterole then 'createrole' end, case when rolcreatedb then 'createdb' end,
    case when rolcanlogin then 'login' end, case when rolreplication then 'replication' end,
    case when rolbypassrls then 'bypassrls' end, 'connections ' || nullif(rolconnlimit, -1)::text,
    'member of ' || (select string_agg(pg_get_userbyid(m.roleid) || case when m.admin_option then ' with admin option' else '' end,
      ' ' order by pg_get_userbyid(m.roleid) collate "C") from pg_auth_members m where m.member = r.oid))
from pg_roles r where r.rolname not like 'pg\\_%'
union all
-- The data API's, such as the function that limits its requests.
select 'setting', split_part(setting, '=', 1), null, null, substr(setting, strpos(setting, '=') + 1)
from pg_db_role_setting s join pg_roles r on r.oid = s.setrole, unnest(s.setconfig) setting
where s.setdatabase = 0 and r.rolname = 'authenticator' and setting like 'pgrst.%'
union all
select 'role_setting', split_part(setting, '=', 1) || ' of ' || coalesce(r.rolname, 'all roles')
    || case when s.setdatabase = 0 then '' else ' in this database' end, null, null,
  substr(setting, strpos(setting, '=') + 1)
from pg_db_role_setting s left join pg_roles r on r.oid = s.setrole, unnest(s.setconfig) setting
where s.setdatabase in (0, (select oid from pg_database where datname = current_database()))`
