-- What postgres, the role of migrations, may do although it is no superuser: extensions, foreign data wrappers, publications and
-- event triggers.

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

revoke execute on all functions in schema linnet_platform from public;
grant execute on function
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
