-- What postgres, the role of migrations, may not do although it is a member of the service admins.

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

revoke execute on all functions in schema linnet_platform from public;
grant execute on function linnet_platform.assert_services_intact() to postgres;

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
end
$$;

-- Dumps of data set session_replication_role, as hosted allows it: that must not put the guards to sleep.
grant set on parameter session_replication_role to postgres;
alter event trigger linnet_remember_service_state enable always;
alter event trigger linnet_guard_services enable always;
alter event trigger linnet_guard_dropped enable always;

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
