-- What postgres, the role of migrations, may not do although it is a member of the service admins; what it may
-- do although it is no superuser; and the signal that makes REST read the schema again.

-- One value for who owns what belongs to the services, for their own triggers and default privileges.
create or replace function linnet_platform.service_state() returns text
language sql stable security definer set search_path = '' as $$
  with service_schema as (
    select oid from pg_catalog.pg_namespace where nspname in ('auth', 'storage', 'realtime')
  )
  select pg_catalog.md5(pg_catalog.string_agg(line, e'\n' order by line))
  from (
    select pg_catalog.format('schema %s %s', oid, nspowner) as line
    from pg_catalog.pg_namespace where oid in (select oid from service_schema)
    union all
    select pg_catalog.format('class %s %s', oid, relowner)
    from pg_catalog.pg_class where relnamespace in (select oid from service_schema)
    union all
    select pg_catalog.format('function %s %s', oid, proowner)
    from pg_catalog.pg_proc
    -- By the index of what depends on a schema: pg_proc has none by schema.
    where oid in (
      select objid from pg_catalog.pg_depend
      where classid = 'pg_catalog.pg_proc'::pg_catalog.regclass
        and refclassid = 'pg_catalog.pg_namespace'::pg_catalog.regclass
        and refobjid in (select oid from service_schema)
    )
    union all
    select pg_catalog.format('type %s %s', oid, typowner)
    from pg_catalog.pg_type where typnamespace in (select oid from service_schema)
    union all
    select pg_catalog.format('trigger %s %s %s %s %s', t.oid, t.tgrelid, t.tgname, t.tgfoid, t.tgenabled)
    from pg_catalog.pg_trigger t
    join pg_catalog.pg_class c on c.oid = t.tgrelid
    join pg_catalog.pg_proc p on p.oid = t.tgfoid
    where not t.tgisinternal
      and c.relnamespace in (select oid from service_schema)
      and p.pronamespace in (select oid from service_schema)
    union all
    select pg_catalog.format('default %s %s %s', oid, defaclnamespace, defaclacl)
    from pg_catalog.pg_default_acl
    -- The role postgres creates no objects in these schemas.
    where defaclnamespace in (select oid from service_schema)
      and defaclrole <> 'postgres'::pg_catalog.regrole
  ) as states
$$;
comment on function linnet_platform.service_state() is
  'A digest of owners, own triggers and default privileges in auth, storage and realtime: commands that do not say what they touch are refused when it changes.';

-- What the owners of the services' objects have granted. On hosted postgres is no member of them: PostgreSQL lets it
-- grant what it holds with grant option, and revoke what it granted. Here it is a member, so for everything else
-- PostgreSQL takes its GRANT and REVOKE for one of the owner; settle_service_grants() undoes those.
create table if not exists linnet_platform.service_grants (
  classid oid,
  objid oid,
  objsubid integer,
  grantee oid,
  privilege text,
  is_option boolean,
  primary key (classid, objid, objsubid, grantee, privilege, is_option)
);
comment on table linnet_platform.service_grants is
  'Privileges, and grant options for them, that the owners of objects in auth, storage and realtime have granted.';

create table if not exists linnet_platform.service_acls (digest text not null);
-- For a publication of all tables: without an identity, each GRANT would fail to update this table.
alter table linnet_platform.service_acls replica identity full;
comment on table linnet_platform.service_acls is
  'One row: a digest of the access privileges in auth, storage and realtime when they were last compared.';

-- Each GRANT computes it, and a project has hundreds: the objects are found by the index of what depends on a schema,
-- since pg_class and pg_proc have none by schema. A table's row type depends on the table; indexes have no privileges.
create or replace function linnet_platform.service_acls() returns text
language sql stable set search_path = '' as $$
  with service_schema as (
    select oid, nspacl from pg_catalog.pg_namespace where nspname in ('auth', 'storage', 'realtime')
  ), service_object as (
    select classid, objid from pg_catalog.pg_depend
    where refclassid = 'pg_catalog.pg_namespace'::pg_catalog.regclass and refobjid in (select oid from service_schema)
  ), service_class as (
    select oid, relacl, reltype from pg_catalog.pg_class
    where oid in (select objid from service_object where classid = 'pg_catalog.pg_class'::pg_catalog.regclass)
  )
  select pg_catalog.md5(pg_catalog.string_agg(line, e'\n' order by line))
  from (
    select pg_catalog.format('schema %s %s', oid, nspacl) as line from service_schema
    union all
    select pg_catalog.format('class %s %s', oid, relacl) from service_class where relacl is not null
    union all
    select pg_catalog.format('column %s %s %s', attrelid, attnum, attacl)
    from pg_catalog.pg_attribute where attacl is not null and attrelid in (select oid from service_class)
    union all
    select pg_catalog.format('function %s %s', oid, proacl)
    from pg_catalog.pg_proc
    where proacl is not null
      and oid in (select objid from service_object where classid = 'pg_catalog.pg_proc'::pg_catalog.regclass)
    union all
    select pg_catalog.format('type %s %s', oid, typacl)
    from pg_catalog.pg_type
    where typacl is not null and oid in (
      select objid from service_object where classid = 'pg_catalog.pg_type'::pg_catalog.regclass
      union all
      select reltype from service_class
    )
  ) as acls
$$;

create or replace function linnet_platform.service_objects() returns table (
  classid oid, objid oid, objsubid integer, target text, column_name name, owner oid, is_default boolean, acl aclitem[]
)
language sql stable set search_path = '' as $$
  with service_schema as (
    select oid from pg_catalog.pg_namespace where nspname in ('auth', 'storage', 'realtime')
  )
  select 'pg_catalog.pg_namespace'::pg_catalog.regclass, oid, 0, pg_catalog.format('schema %I', nspname), null::name,
    nspowner, nspacl is null, coalesce(nspacl, pg_catalog.acldefault('n', nspowner))
  from pg_catalog.pg_namespace where oid in (select oid from service_schema)
  union all
  select 'pg_catalog.pg_class'::pg_catalog.regclass, oid, 0,
    pg_catalog.format('%s %s', case relkind when 'S' then 'sequence' else 'table' end, oid::pg_catalog.regclass), null,
    relowner, relacl is null,
    coalesce(relacl, pg_catalog.acldefault((case relkind when 'S' then 's' else 'r' end)::"char", relowner))
  from pg_catalog.pg_class
  where relnamespace in (select oid from service_schema) and relkind in ('r', 'p', 'v', 'm', 'f', 'S')
  union all
  select 'pg_catalog.pg_class'::pg_catalog.regclass, c.oid, a.attnum,
    pg_catalog.format('table %s', c.oid::pg_catalog.regclass), a.attname, c.relowner, a.attacl is null,
    coalesce(a.attacl, '{}')
  from pg_catalog.pg_attribute a join pg_catalog.pg_class c on c.oid = a.attrelid
  where c.relnamespace in (select oid from service_schema) and not a.attisdropped
    and (a.attacl is not null
      or exists (select from linnet_platform.service_grants g where g.objid = c.oid and g.objsubid = a.attnum))
  union all
  select 'pg_catalog.pg_proc'::pg_catalog.regclass, oid, 0, pg_catalog.format('routine %s', oid::pg_catalog.regprocedure),
    null, proowner, proacl is null, coalesce(proacl, pg_catalog.acldefault('f', proowner))
  from pg_catalog.pg_proc where pronamespace in (select oid from service_schema)
  union all
  select 'pg_catalog.pg_type'::pg_catalog.regclass, oid, 0, pg_catalog.format('type %s', oid::pg_catalog.regtype),
    null, typowner, typacl is null, coalesce(typacl, pg_catalog.acldefault('T', typowner))
  from pg_catalog.pg_type
  -- PostgreSQL grants nothing on arrays and multiranges by themselves.
  where typnamespace in (select oid from service_schema) and typtype not in ('b', 'm')
$$;

create or replace function linnet_platform.current_service_grants() returns table (
  classid oid, objid oid, objsubid integer, grantee oid, privilege text, is_option boolean, is_default boolean
)
language sql stable set search_path = '' as $$
  select o.classid, o.objid, o.objsubid, a.grantee, a.privilege_type, option.wanted,
    o.is_default or a.grantee = o.owner
  from linnet_platform.service_objects() o
  cross join lateral pg_catalog.aclexplode(o.acl) a
  cross join (values (false), (true)) as option (wanted)
  where a.grantor = o.owner and (a.is_grantable or not option.wanted)
$$;

-- How that differs from what the owners have granted. What the services created since has its defaults.
create or replace function linnet_platform.service_grant_changes() returns table (
  grantee oid, privilege text, is_option boolean, target text, column_name name, is_added boolean
)
language sql stable set search_path = '' as $$
  with present as materialized (
    select * from linnet_platform.current_service_grants()
  ), change as (
    select classid, objid, objsubid, grantee, privilege, is_option, true as is_added
    from present left join linnet_platform.service_grants kept
      using (classid, objid, objsubid, grantee, privilege, is_option)
    where kept.classid is null and not present.is_default
    union all
    select classid, objid, objsubid, grantee, privilege, is_option, false
    from linnet_platform.service_grants kept left join present
      using (classid, objid, objsubid, grantee, privilege, is_option)
    where present.classid is null
      and (grantee = 0 or exists (select from pg_catalog.pg_roles where oid = grantee))
  )
  select grantee, privilege, is_option, target, column_name, is_added
  from change join linnet_platform.service_objects() using (classid, objid, objsubid)
  order by is_option
$$;

-- Each file of the platform ends with this.
create or replace function linnet_platform.record_service_grants() returns void
language plpgsql set search_path = '' as $$
begin
  truncate linnet_platform.service_grants;
  insert into linnet_platform.service_grants
  select classid, objid, objsubid, grantee, privilege, is_option from linnet_platform.current_service_grants();
  truncate linnet_platform.service_acls;
  insert into linnet_platform.service_acls values (linnet_platform.service_acls());
end
$$;

-- The services themselves, and superusers, are not held back.
create or replace function linnet_platform.is_guarded() returns boolean
language sql stable set search_path = '' as $$
  select session_user not in ('supabase_auth_admin', 'supabase_storage_admin', 'supabase_realtime_admin')
    and not exists (select from pg_catalog.pg_roles where rolname = session_user and rolsuper)
$$;

create or replace function linnet_platform.refuse(what text) returns void
language plpgsql set search_path = '' as $$
begin
  raise exception using
    errcode = '42501',
    message = format('%s belongs to the platform and can''t be changed by %s', what, session_user),
    hint = 'In the schemas auth, storage and realtime you may create policies, triggers and comments only.';
end
$$;

-- Undoes grants in the name of owners, with PostgreSQL's warnings.
create or replace function linnet_platform.settle_service_grants() returns void
language plpgsql security definer set search_path = '' as $$
declare
  change record;
  warned text[] := '{}';
begin
  if (select digest from linnet_platform.service_acls) = linnet_platform.service_acls() then
    return;
  end if;
  -- Before PostgreSQL 17 event triggers of a project can't be kept from running below, as superuser.
  if current_setting('server_version_num')::int >= 170000 then
    perform pg_catalog.set_config('event_triggers', 'off', true);
    for change in select * from linnet_platform.service_grant_changes() loop
      execute pg_catalog.format(
        case
          when change.is_added then 'revoke %s %s %s on %s from %s cascade'
          else 'grant %2$s %3$s on %4$s to %5$s %6$s'
        end,
        case when change.is_option then 'grant option for' end,
        change.privilege,
        '(' || pg_catalog.quote_ident(change.column_name) || ')',
        change.target,
        case change.grantee when 0 then 'public' else change.grantee::pg_catalog.regrole::text end,
        case when change.is_option then 'with grant option' end
      );
      continue when change.target = any (warned);
      warned := warned || change.target;
      raise warning using
        message = pg_catalog.format(
          case when change.is_added then 'no privileges were granted for %s' else 'no privileges could be revoked for %s' end,
          change.target),
        hint = 'It belongs to the platform. Grant only what postgres holds there with grant option, in a statement of its own.';
    end loop;
    perform pg_catalog.set_config('event_triggers', 'on', true);
  end if;
  if exists (select from linnet_platform.service_grant_changes()) then
    perform linnet_platform.refuse('What this would touch');
  end if;
  update linnet_platform.service_acls set digest = linnet_platform.service_acls();
end
$$;

create or replace function linnet_platform.remember_service_state() returns event_trigger
language plpgsql security definer set search_path = '' as $$
begin
  if linnet_platform.is_guarded() then
    perform pg_catalog.set_config('linnet.service_state', linnet_platform.service_state(), true);
  end if;
end
$$;

create or replace function linnet_platform.guard_services() returns event_trigger
language plpgsql security definer set search_path = '' as $$
declare
  command record;
begin
  if not linnet_platform.is_guarded() then
    return;
  end if;
  for command in select * from pg_catalog.pg_event_trigger_ddl_commands() loop
    if command.command_tag in ('COMMENT', 'CREATE POLICY', 'ALTER POLICY', 'CREATE TRIGGER', 'ALTER TRIGGER') then
      continue;
    end if;
    -- By owner too: what was moved to another schema is still theirs.
    if command.schema_name in ('auth', 'storage', 'realtime')
      or (command.object_type = 'schema' and command.object_identity in ('auth', 'storage', 'realtime'))
      or (command.object_type = 'rule' and exists (
        select from pg_catalog.pg_rewrite r join pg_catalog.pg_class c on c.oid = r.ev_class
        where r.oid = command.objid and c.relnamespace::pg_catalog.regnamespace::text in ('auth', 'storage', 'realtime')
      ))
      -- A child table would slip its rows into its parent.
      or exists (
        select from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid = i.inhparent
        where i.inhrelid = command.objid and command.classid = 'pg_catalog.pg_class'::pg_catalog.regclass
          and c.relnamespace::pg_catalog.regnamespace::text in ('auth', 'storage', 'realtime')
      )
      -- A publication sends every change.
      or (command.object_type in ('publication', 'publication relation') and exists (
        select from pg_catalog.pg_publication_rel r
        join pg_catalog.pg_publication p on p.oid = r.prpubid and p.pubowner = session_user::pg_catalog.regrole
        join pg_catalog.pg_class c on c.oid = r.prrelid
        where c.relnamespace::pg_catalog.regnamespace::text in ('auth', 'storage', 'realtime')
      ))
      or exists (
        select from pg_catalog.pg_shdepend d
        where d.classid = command.classid and d.objid = command.objid and d.deptype = 'o'
          and d.dbid = (select oid from pg_catalog.pg_database where datname = pg_catalog.current_database())
          and d.refclassid = 'pg_catalog.pg_authid'::pg_catalog.regclass
          and d.refobjid in ('supabase_auth_admin'::pg_catalog.regrole,
            'supabase_storage_admin'::pg_catalog.regrole, 'supabase_realtime_admin'::pg_catalog.regrole)
      )
    then
      perform linnet_platform.refuse(command.object_type || ' ' || command.object_identity);
    end if;
  end loop;
  if tg_tag in ('GRANT', 'REVOKE', 'DROP OWNED') then
    perform linnet_platform.settle_service_grants();
  end if;
  if tg_tag in ('ALTER DEFAULT PRIVILEGES', 'DROP OWNED', 'CREATE TRIGGER', 'ALTER TRIGGER', 'DROP TRIGGER')
    and pg_catalog.current_setting('linnet.service_state', true) is distinct from linnet_platform.service_state()
  then
    perform linnet_platform.refuse('What ' || tg_tag || ' would touch');
  end if;
end
$$;

create or replace function linnet_platform.guard_dropped() returns event_trigger
language plpgsql security definer set search_path = '' as $$
declare
  dropped record;
begin
  if not linnet_platform.is_guarded() then
    return;
  end if;
  for dropped in
    select * from pg_catalog.pg_event_trigger_dropped_objects() as candidate
    -- A constraint trigger goes with the constraint that it is.
    where object_type <> 'table constraint' or not exists (
      select from pg_catalog.pg_event_trigger_dropped_objects() as other
      where other.object_type = 'trigger' and other.object_identity = candidate.object_identity
    )
  loop
    if (dropped.schema_name in ('auth', 'storage', 'realtime')
        and dropped.object_type not in ('policy', 'trigger'))
      or (dropped.object_type = 'schema'
        and dropped.object_name in ('auth', 'storage', 'realtime', 'linnet_platform'))
    then
      perform linnet_platform.refuse(dropped.object_type || ' ' || dropped.object_identity);
    end if;
  end loop;
end
$$;

-- Does nothing: see linnet_keeps_… below.
create or replace function linnet_platform.keep_owner() returns event_trigger
language plpgsql set search_path = '' as $$
begin
end
$$;

-- migrate() calls this before it commits, in case ownership was lost by a command that the guards do not know.
create or replace function linnet_platform.assert_services_intact() returns void
language plpgsql stable security definer set search_path = '' as $$
declare
  lost text;
begin
  select pg_catalog.format('%s %s', kind, name) into lost
  from (
    select 'schema' as kind, oid::pg_catalog.regnamespace::text as name, oid as namespace, nspowner as owner
    from pg_catalog.pg_namespace
    union all
    select 'relation', oid::pg_catalog.regclass::text, relnamespace, relowner from pg_catalog.pg_class
    union all
    select 'function', oid::pg_catalog.regprocedure::text, pronamespace, proowner from pg_catalog.pg_proc
  ) as owned
  where namespace in (select oid from pg_catalog.pg_namespace where nspname in ('auth', 'storage', 'realtime'))
    and owner not in ('supabase_admin'::pg_catalog.regrole, 'supabase_auth_admin'::pg_catalog.regrole,
      'supabase_storage_admin'::pg_catalog.regrole, 'supabase_realtime_admin'::pg_catalog.regrole)
  limit 1;
  if found then
    perform linnet_platform.refuse(lost);
  end if;
end
$$;

-- The extensions that hosted lets postgres create, as far as they may be here; made by supabase_admin as there.
create or replace function linnet_platform.is_privileged_extension(extension text) returns boolean
language sql immutable set search_path = '' as $$
  select extension in (
    'address_standardizer', 'address_standardizer_data_us', 'autoinc', 'bloom', 'btree_gin', 'btree_gist', 'citext',
    'cube', 'dblink', 'dict_int', 'dict_xsyn', 'earthdistance', 'fuzzystrmatch', 'hstore', 'http', 'hypopg',
    'index_advisor', 'insert_username', 'intarray', 'isn', 'ltree', 'moddatetime', 'pg_cron', 'pg_graphql',
    'pg_hashids', 'pg_jsonschema', 'pg_net', 'pg_partman', 'pg_prewarm', 'pg_repack', 'pg_stat_monitor',
    'pg_stat_statements', 'pg_trgm', 'pg_walinspect', 'pgaudit', 'pgcrypto', 'pgjwt', 'pgmq', 'pgroonga',
    'pgrouting', 'pgrowlocks', 'pgsodium', 'pgstattuple', 'pgtap', 'plpgsql', 'plpgsql_check', 'plv8', 'postgis',
    'postgis_raster', 'postgis_sfcgal', 'postgis_tiger_geocoder', 'postgis_topology', 'postgres_fdw', 'refint',
    'rum', 'seg', 'sslinfo', 'supabase_vault', 'tablefunc', 'tcn', 'timescaledb', 'tsm_system_rows',
    'tsm_system_time', 'unaccent', 'uuid-ossp', 'vector', 'wrappers')
$$;

-- What follows runs as superuser, so no event trigger of a migration may run meanwhile: it would be superuser too.
-- (The setting exists from PostgreSQL 17 on.) The guards rest with them, so what they guard is compared instead.
create or replace function linnet_platform.begin_privileged() returns text
language plpgsql set search_path = '' as $$
begin
  if current_setting('server_version_num')::int >= 170000 then
    perform pg_catalog.set_config('event_triggers', 'off', true);
  end if;
  return linnet_platform.service_state();
end
$$;

create or replace function linnet_platform.end_privileged(before text) returns void
language plpgsql set search_path = '' as $$
begin
  if current_setting('server_version_num')::int >= 170000 then
    perform pg_catalog.set_config('event_triggers', 'on', true);
  end if;
  if before is distinct from linnet_platform.service_state()
    or exists (select from linnet_platform.service_grant_changes())
  then
    perform linnet_platform.refuse('What this would touch');
  end if;
  notify pgrst, 'reload schema';
end
$$;

-- Gives postgres an object whose owner PostgreSQL requires to be a superuser when it becomes the owner. No code of a
-- project runs meanwhile, since event triggers are off.
create or replace function linnet_platform.give_to_postgres(object text) returns void
language plpgsql set search_path = '' as $$
declare
  was_superuser boolean := (select rolsuper from pg_catalog.pg_roles where rolname = 'postgres');
begin
  if not was_superuser then
    alter role postgres superuser;
  end if;
  execute format('alter %s owner to postgres', object);
  if not was_superuser then
    alter role postgres nosuperuser;
  end if;
end
$$;

create or replace function linnet_platform.create_privileged_extension(
  extension text, in_schema text, at_version text, with_cascade boolean
) returns void
language plpgsql security definer set search_path = '' as $$
declare
  before text := linnet_platform.begin_privileged();
  -- What its control file fixes.
  fixed_schema text := (
    select schema from pg_catalog.pg_available_extension_versions
    where name = extension and schema is not null limit 1
  );
  creates_schema boolean := fixed_schema is not null and pg_catalog.to_regnamespace(format('%I', fixed_schema)) is null;
  wrapper name;
begin
  if not linnet_platform.is_privileged_extension(extension) then
    raise exception using errcode = '42501', message = format('permission denied to create extension "%s"', extension);
  end if;
  if extension = 'pg_cron' then
    -- As on hosted, it is created there whatever schema was requested.
    in_schema := fixed_schema;
  end if;
  if in_schema is not distinct from fixed_schema then
    -- PostgreSQL creates the schema of a control file only if the statement names none.
    in_schema := null;
  elsif in_schema is not null and not pg_catalog.has_schema_privilege(session_user, in_schema, 'create') then
    raise exception using errcode = '42501', message = format('permission denied for schema %s', in_schema);
  end if;
  execute format('create extension %I', extension)
    || case when in_schema is null then '' else format(' schema %I', in_schema) end
    || case when at_version is null then '' else format(' version %L', at_version) end
    || case when with_cascade then ' cascade' else '' end;
  if creates_schema and extension not in ('pg_cron', 'pg_net', 'supabase_vault') then
    execute format('grant usage on schema %I to postgres with grant option', fixed_schema);
    execute format('grant select, insert, update, delete on all tables in schema %I to postgres with grant option',
      fixed_schema);
    execute format('grant usage, select on all sequences in schema %I to postgres with grant option', fixed_schema);
  end if;
  perform linnet_platform.identify_rows_of(extension);
  -- On hosted postgres owns postgres_fdw, and so may create servers and grant their use.
  for wrapper in
    select w.fdwname from pg_catalog.pg_foreign_data_wrapper w
    join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_foreign_data_wrapper'::pg_catalog.regclass
      and d.objid = w.oid and d.deptype = 'e'
    join pg_catalog.pg_extension e on e.oid = d.refobjid and e.extname = extension
  loop
    perform linnet_platform.give_to_postgres(format('foreign data wrapper %I', wrapper));
  end loop;
  perform linnet_platform.end_privileged(before);
end
$$;

-- Runs as the caller: the script of an extension that needs no superuser runs with the rights of the caller.
create or replace function linnet_platform.create_extension(
  extension text, in_schema text, at_version text, with_cascade boolean
) returns void
language plpgsql security invoker as $$
declare
  -- On hosted a superuser creates the extension, so default privileges of the project do not take from PUBLIC the use of
  -- its functions and types.
  revoked text[] := array(
    select case defaclobjtype when 'f' then 'execute on functions' else 'usage on types' end
    from pg_catalog.pg_default_acl
    where defaclrole = current_user::regrole and defaclnamespace = 0 and defaclobjtype in ('f', 'T')
      and not exists (select from pg_catalog.aclexplode(defaclacl) where grantee = 0)
  );
  privilege text;
begin
  if exists (
    select from pg_catalog.pg_available_extension_versions v
    join pg_catalog.pg_available_extensions a on a.name = v.name
    where v.name = extension and v.version = coalesce(at_version, a.default_version) and not v.superuser
  ) then
    foreach privilege in array revoked loop
      execute format('alter default privileges grant %s to public', privilege);
    end loop;
    execute format('create extension %I', extension)
      || case when in_schema is null or in_schema = (
           select v.schema::text from pg_catalog.pg_available_extension_versions v
           where v.name = extension and v.schema is not null limit 1
         ) then '' else format(' schema %I', in_schema) end
      || case when at_version is null then '' else format(' version %L', at_version) end
      || case when with_cascade then ' cascade' else '' end;
    foreach privilege in array revoked loop
      execute format('alter default privileges revoke %s from public', privilege);
    end loop;
    notify pgrst, 'reload schema';
  else
    perform linnet_platform.create_privileged_extension(extension, in_schema, at_version, with_cascade);
  end if;
end
$$;

create or replace function linnet_platform.create_foreign_data_wrapper(
  wrapper text, handler regproc, validator regproc, options text[]
) returns void
language plpgsql security definer set search_path = '' as $$
declare
  before text := linnet_platform.begin_privileged();
  option_list text;
begin
  -- PostgreSQL calls the validator here, as superuser.
  if exists (
    select from pg_catalog.pg_proc p join pg_catalog.pg_roles r on r.oid = p.proowner
    where p.oid in (handler::oid, validator::oid) and not r.rolsuper
  ) then
    raise exception using errcode = '42501',
      message = format('permission denied to create foreign-data wrapper "%s"', wrapper),
      hint = 'Its handler and its validator must be functions of an extension that a superuser owns.';
  end if;
  select pg_catalog.string_agg(format('%I %L', options[i], options[i + 1]), ', ' order by i) into option_list
  from pg_catalog.generate_series(1, pg_catalog.cardinality(options), 2) as i;
  execute format('create foreign data wrapper %I', wrapper)
    || coalesce(' handler ' || (
         select format('%I.%I', n.nspname, p.proname) from pg_catalog.pg_proc p
         join pg_catalog.pg_namespace n on n.oid = p.pronamespace where p.oid = handler::oid), '')
    || coalesce(' validator ' || (
         select format('%I.%I', n.nspname, p.proname) from pg_catalog.pg_proc p
         join pg_catalog.pg_namespace n on n.oid = p.pronamespace where p.oid = validator::oid), '')
    || coalesce(' options (' || option_list || ')', '');
  perform linnet_platform.give_to_postgres(format('foreign data wrapper %I', wrapper));
  perform linnet_platform.end_privileged(before);
end
$$;

-- For all tables where `schemas` is null, else for the tables in these schemas.
create or replace function linnet_platform.create_publication(publication text, schemas text[], options text[])
returns void
language plpgsql security definer set search_path = '' as $$
declare
  before text := linnet_platform.begin_privileged();
  option_list text;
begin
  select pg_catalog.string_agg(format('%I = %L', options[i], options[i + 1]), ', ' order by i) into option_list
  from pg_catalog.generate_series(1, pg_catalog.cardinality(options), 2) as i;
  execute format('create publication %I', publication)
    || case when schemas is null then ' for all tables' else ' for tables in schema ' || (
         select pg_catalog.string_agg(pg_catalog.quote_ident(name), ', ') from pg_catalog.unnest(schemas) as name) end
    || coalesce(' with (' || option_list || ')', '');
  perform linnet_platform.give_to_postgres(format('publication %I', publication));
  perform linnet_platform.end_privileged(before);
end
$$;

-- `action` is add, set or drop.
create or replace function linnet_platform.alter_publication_schemas(publication text, action text, schemas text[])
returns void
language plpgsql security definer set search_path = '' as $$
declare
  before text := linnet_platform.begin_privileged();
begin
  if action not in ('add', 'set', 'drop') or not coalesce((
    select pg_catalog.pg_has_role(session_user, pubowner, 'usage') from pg_catalog.pg_publication
    where pubname = publication), true)
  then
    raise exception using errcode = '42501', message = format('must be owner of publication %s', publication);
  end if;
  execute format('alter publication %I %s tables in schema ', publication, action) || (
    select pg_catalog.string_agg(pg_catalog.quote_ident(name), ', ') from pg_catalog.unnest(schemas) as name);
  perform linnet_platform.end_privileged(before);
end
$$;

create or replace function linnet_platform.drop_privileged_extension(extension text, with_cascade boolean) returns void
language plpgsql security definer set search_path = '' as $$
declare
  before text := linnet_platform.begin_privileged();
begin
  if not linnet_platform.is_privileged_extension(extension) then
    raise exception using errcode = '42501', message = format('must be owner of extension %s', extension);
  end if;
  execute format('drop extension %I', extension) || case when with_cascade then ' cascade' else '' end;
  perform linnet_platform.end_privileged(before);
end
$$;

-- To another schema, or to a version; the newest where that is null.
create or replace function linnet_platform.alter_privileged_extension(extension text, in_schema text, to_version text)
returns void
language plpgsql security definer set search_path = '' as $$
declare
  before text := linnet_platform.begin_privileged();
begin
  if not linnet_platform.is_privileged_extension(extension) then
    raise exception using errcode = '42501', message = format('must be owner of extension %s', extension);
  end if;
  if in_schema is null then
    execute format('alter extension %I update', extension)
      || case when to_version is null then '' else format(' to %L', to_version) end;
  elsif pg_catalog.has_schema_privilege(session_user, in_schema, 'create') then
    execute format('alter extension %I set schema %I', extension, in_schema);
  else
    raise exception using errcode = '42501', message = format('permission denied for schema %s', in_schema);
  end if;
  perform linnet_platform.end_privileged(before);
end
$$;

-- Whether PostgreSQL itself decides on a change: the caller owns the extension, or it does not exist. The script of an update then
-- runs with the rights of the caller.
create or replace function linnet_platform.is_own_extension(extension text) returns boolean
language sql stable security invoker set search_path = '' as $$
  select not exists (
    select from pg_catalog.pg_extension e
    where e.extname = extension and not pg_catalog.pg_has_role(current_user, e.extowner, 'usage')
  )
$$;

create or replace function linnet_platform.drop_extension(extension text, with_cascade boolean) returns void
language plpgsql security invoker as $$
begin
  if linnet_platform.is_own_extension(extension) then
    execute format('drop extension %I', extension) || case when with_cascade then ' cascade' else '' end;
  else
    perform linnet_platform.drop_privileged_extension(extension, with_cascade);
  end if;
end
$$;

create or replace function linnet_platform.alter_extension(extension text, in_schema text, to_version text)
returns void
language plpgsql security invoker as $$
begin
  if not linnet_platform.is_own_extension(extension) then
    perform linnet_platform.alter_privileged_extension(extension, in_schema, to_version);
  elsif in_schema is null then
    execute format('alter extension %I update', extension)
      || case when to_version is null then '' else format(' to %L', to_version) end;
  else
    execute format('alter extension %I set schema %I', extension, in_schema);
  end if;
end
$$;

create or replace function linnet_platform.comment_on_extension(extension text, comment text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  before text := linnet_platform.begin_privileged();
begin
  execute format('comment on extension %I is %L', extension, comment);
  perform linnet_platform.end_privileged(before);
end
$$;

create or replace function linnet_platform.create_event_trigger(
  trigger_name text, event text, tags text[], function_name text
) returns void
language plpgsql security definer set search_path = '' as $$
begin
  execute format('create event trigger %I on %I', trigger_name, event)
    || coalesce((select ' when tag in (' || string_agg(quote_literal(tag), ', ') || ')' from unnest(tags) as tag), '')
    || format(' execute function %s()', function_name::regproc);
end
$$;

-- Event triggers are owned by a superuser by force; those with a function of the platform stay as they are.
create or replace function linnet_platform.change_event_trigger(trigger_name text, change text, value text)
returns void
language plpgsql security definer set search_path = '' as $$
begin
  if exists (
    select from pg_catalog.pg_event_trigger e join pg_catalog.pg_proc p on p.oid = e.evtfoid
    where e.evtname = trigger_name and p.proowner = 'supabase_admin'::regrole
  ) then
    perform linnet_platform.refuse('event trigger ' || trigger_name);
  end if;
  case change
    when 'drop' then execute format('drop event trigger %I', trigger_name);
    when 'rename' then execute format('alter event trigger %I rename to %I', trigger_name, value);
    when 'comment' then execute format('comment on event trigger %I is %L', trigger_name, value);
    when 'enable' then execute format('alter event trigger %I enable', trigger_name);
    when 'enable always' then execute format('alter event trigger %I enable always', trigger_name);
    when 'enable replica' then execute format('alter event trigger %I enable replica', trigger_name);
    when 'disable' then execute format('alter event trigger %I disable', trigger_name);
  end case;
end
$$;

-- REST listens for this and reads the schema again, as PostgREST does.
create or replace function extensions.pgrst_ddl_watch() returns event_trigger
language plpgsql set search_path = '' as $$
begin
  if exists (
    select from pg_catalog.pg_event_trigger_ddl_commands()
    where coalesce(schema_name, '') not in ('pg_temp', 'auth', 'storage', 'realtime')
      and object_identity not like '%pg\_temp.%'
      and object_type not in ('policy', 'publication', 'index')
  ) then
    notify pgrst, 'reload schema';
  end if;
end
$$;

create or replace function extensions.pgrst_drop_watch() returns event_trigger
language plpgsql set search_path = '' as $$
begin
  if exists (
    select from pg_catalog.pg_event_trigger_dropped_objects()
    where not is_temporary
      and coalesce(schema_name, '') not in ('auth', 'storage', 'realtime')
      and object_type in ('schema', 'table', 'foreign table', 'view', 'materialized view', 'function', 'type',
        'table column', 'table constraint', 'rule', 'trigger', 'aggregate', 'cast')
  ) then
    notify pgrst, 'reload schema';
  end if;
end
$$;

revoke execute on all functions in schema linnet_platform from public;
grant execute on function
  linnet_platform.assert_services_intact(),
  linnet_platform.is_privileged_extension(text),
  linnet_platform.create_extension(text, text, text, boolean),
  linnet_platform.create_privileged_extension(text, text, text, boolean),
  linnet_platform.create_foreign_data_wrapper(text, regproc, regproc, text[]),
  linnet_platform.create_publication(text, text[], text[]),
  linnet_platform.alter_publication_schemas(text, text, text[]),
  linnet_platform.is_own_extension(text),
  linnet_platform.drop_extension(text, boolean),
  linnet_platform.drop_privileged_extension(text, boolean),
  linnet_platform.alter_extension(text, text, text),
  linnet_platform.alter_privileged_extension(text, text, text),
  linnet_platform.comment_on_extension(text, text),
  linnet_platform.create_event_trigger(text, text, text[], text),
  linnet_platform.change_event_trigger(text, text, text)
  to postgres;

do $$
begin
  if not exists (select from pg_event_trigger where evtname = 'linnet_remember_service_state') then
    create event trigger linnet_remember_service_state on ddl_command_start
      when tag in ('ALTER DEFAULT PRIVILEGES', 'DROP OWNED', 'CREATE TRIGGER', 'ALTER TRIGGER', 'DROP TRIGGER')
      execute function linnet_platform.remember_service_state();
  end if;
  if not exists (select from pg_event_trigger where evtname = 'linnet_guard_services') then
    create event trigger linnet_guard_services on ddl_command_end
      execute function linnet_platform.guard_services();
  end if;
  if not exists (select from pg_event_trigger where evtname = 'linnet_guard_dropped') then
    create event trigger linnet_guard_dropped on sql_drop
      execute function linnet_platform.guard_dropped();
  end if;
  if not exists (select from pg_event_trigger where evtname = 'pgrst_ddl_watch') then
    create event trigger pgrst_ddl_watch on ddl_command_end execute function extensions.pgrst_ddl_watch();
  end if;
  if not exists (select from pg_event_trigger where evtname = 'pgrst_drop_watch') then
    create event trigger pgrst_drop_watch on sql_drop execute function extensions.pgrst_drop_watch();
  end if;
end
$$;

-- Dumps of data set session_replication_role, as hosted allows it: that must not put the guards to sleep.
grant set on parameter session_replication_role to postgres;
alter event trigger linnet_remember_service_state enable always;
alter event trigger linnet_guard_services enable always;
alter event trigger linnet_guard_dropped enable always;
alter event trigger pgrst_ddl_watch enable always;
alter event trigger pgrst_drop_watch enable always;

-- REASSIGN OWNED fires no event trigger, but it takes all that a role owns or nothing, and gives an event trigger to
-- superusers alone. So each service owns one, which never fires. (A role owns what it was given as a superuser.)
do $$
declare
  service text;
begin
  foreach service in array array['auth', 'storage', 'realtime'] loop
    continue when exists (select from pg_event_trigger where evtname = 'linnet_keeps_' || service);
    execute format(
      'create event trigger %I on table_rewrite when tag in (''ALTER TYPE'') execute function linnet_platform.keep_owner()',
      'linnet_keeps_' || service);
    execute format('alter role %I superuser', 'supabase_' || service || '_admin');
    execute format('alter event trigger %I owner to %I',
      'linnet_keeps_' || service, 'supabase_' || service || '_admin');
    execute format('alter role %I nosuperuser', 'supabase_' || service || '_admin');
  end loop;
end
$$;
