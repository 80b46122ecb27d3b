-- Roles, schemas and defaults as on hosted Supabase. Runs as a superuser called supabase_admin in the
-- database `postgres`; may run again, and then leaves what it finds in order as it is.

do $$
declare
  wanted record;
begin
  for wanted in
    select * from (values
      ('postgres',                   'login createdb createrole replication bypassrls'),
      ('anon',                       'nologin'),
      ('authenticated',              'nologin'),
      ('service_role',               'nologin bypassrls'),
      ('authenticator',              'login noinherit'),
      ('supabase_admin',             'login superuser createdb createrole replication bypassrls'),
      ('supabase_auth_admin',        'login noinherit'),
      ('supabase_storage_admin',     'login noinherit'),
      ('supabase_realtime_admin',    'login noinherit replication'),
      ('supabase_functions_admin',   'login noinherit'),
      ('supabase_replication_admin', 'login replication'),
      ('supabase_read_only_user',    'login bypassrls'),
      ('supabase_etl_admin',         'login replication'),
      ('pgbouncer',                  'login'),
      ('dashboard_user',             'nologin createdb createrole replication')
    ) as role (name, attributes)
  loop
    if not exists (select from pg_roles where rolname = wanted.name) then
      execute format('create role %I', wanted.name);
    end if;
    execute format('alter role %I %s', wanted.name, wanted.attributes);
  end loop;

  -- The role that a cluster was made with can't be demoted; elsewhere postgres is no superuser.
  if (select oid from pg_roles where rolname = 'postgres') <> 10 then
    alter role postgres nosuperuser;
  end if;

  execute format('alter database %I owner to postgres', current_database());
end
$$;

grant anon, authenticated, service_role to authenticator;
-- Storage and realtime check the policies as their callers.
grant anon, authenticated, service_role, authenticator to supabase_storage_admin;
grant anon, authenticated, service_role to supabase_realtime_admin;

-- As a member of the service admins postgres may make policies and triggers on their tables (on hosted an
-- extension of the server allows it); 90_guards.sql refuses the rest.
grant anon, authenticated, service_role, authenticator to postgres with admin option;
grant supabase_auth_admin, supabase_storage_admin, supabase_realtime_admin to postgres;
grant pg_monitor, pg_read_all_data, pg_signal_backend to postgres with admin option;
grant execute on function pg_reload_conf() to postgres;
grant pg_read_all_data to supabase_read_only_user, supabase_etl_admin;

-- Our own bookkeeping, which is no part of the contract.
create schema if not exists linnet_platform;
revoke all on schema linnet_platform from public;
grant usage on schema linnet_platform to postgres;

create schema if not exists extensions;
create schema if not exists auth;
create schema if not exists storage;
create schema if not exists realtime;
alter schema auth owner to supabase_auth_admin;
alter schema storage owner to supabase_storage_admin;
alter schema realtime owner to supabase_realtime_admin;

grant usage on schema public, extensions, auth, storage, realtime to anon, authenticated, service_role;
grant usage, create on schema public to postgres;
grant all on schema extensions to postgres, dashboard_user;
grant usage on schema auth to postgres;
grant usage on schema storage, realtime to postgres with grant option;
grant all on schema auth, storage, realtime to dashboard_user;

create extension if not exists pgcrypto with schema extensions;
do $$
begin
  -- Not in every build of PostgreSQL; nothing of the platform needs it.
  if exists (select from pg_available_extensions where name = 'uuid-ossp') then
    create extension if not exists "uuid-ossp" with schema extensions;
  end if;
end
$$;
grant execute on all functions in schema extensions to postgres, dashboard_user, anon, authenticated, service_role;

-- Default privileges of hosted since October 2026, by the statements that make them there. On new tables and sequences
-- the API roles keep what the data API does not use (truncate, references, trigger and maintain; update), so a schema
-- that does not revoke them has the same privileges here. PUBLIC keeps execute on new functions. A database that
-- already ran migrations keeps the default privileges that it has, which these may have changed.
do $$
declare
  kind text;
begin
  if to_regclass('supabase_migrations.schema_migrations') is null then
    foreach kind in array array['tables', 'sequences', 'functions'] loop
      execute format('alter default privileges for role postgres in schema public
        grant all on %s to anon, authenticated, service_role', kind);
      execute format('alter default privileges for role supabase_admin in schema public
        grant all on %s to postgres, anon, authenticated, service_role', kind);
    end loop;
    alter default privileges for role postgres in schema public
      revoke select, insert, update, delete on tables from anon, authenticated, service_role;
    alter default privileges for role postgres in schema public
      revoke usage, select on sequences from anon, authenticated, service_role;
    alter default privileges for role postgres in schema public
      revoke execute on functions from anon, authenticated, service_role;
  end if;
end
$$;

do $$
begin
  execute format('alter database %I set search_path to "$user", public, extensions', current_database());
end
$$;
alter role postgres set search_path to "$user", public, extensions;
alter role supabase_admin set search_path to "$user", public, auth, extensions;
alter role supabase_auth_admin set search_path to auth;
alter role supabase_storage_admin set search_path to storage;
alter role supabase_realtime_admin set search_path to realtime;

alter role anon set statement_timeout to '3s';
alter role authenticated set statement_timeout to '8s';
alter role authenticator set statement_timeout to '8s';
alter role authenticator set lock_timeout to '8s';
alter role supabase_auth_admin set idle_in_transaction_session_timeout to '60s';
