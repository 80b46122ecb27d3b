-- The extensions that are installed in a new project, and what they depend on. Where a server doesn't offer the
-- stand-ins (15 has no path for them) their scripts are for its tests to run.

-- In PostgreSQL's data directory, mode 0600, created before the first start.
create or replace function linnet_platform.vault_key() returns bytea
language sql stable set search_path = '' as $$
  select pg_catalog.decode(pg_catalog.btrim(pg_catalog.pg_read_file('linnet-vault.key'), e' \n'), 'hex')
$$;
revoke execute on function linnet_platform.vault_key() from public;

-- A publication of all tables contains the tables of extensions too. UPDATE and DELETE fail in a published table that has neither
-- a primary key nor this identity.
create or replace function linnet_platform.identify_rows_of(extension text) returns void
language plpgsql set search_path = '' as $$
declare
  found oid;
begin
  for found in
    select c.oid from pg_catalog.pg_class c
    join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.objid = c.oid
      and d.deptype = 'e'
    join pg_catalog.pg_extension e on e.oid = d.refobjid and e.extname = extension
    where c.relkind in ('r', 'p') and c.relreplident = 'd'
      and not exists (select from pg_catalog.pg_index i where i.indrelid = c.oid and i.indisprimary)
  loop
    execute pg_catalog.format('alter table %s replica identity full', found::pg_catalog.regclass);
  end loop;
end
$$;
revoke execute on function linnet_platform.identify_rows_of(text) from public;

create table if not exists linnet_platform.preinstalled_extensions (name name primary key);

do $$
declare
  wanted record;
begin
  for wanted in
    select * from (values
      -- An update script to a new version is stored with the old ones; listing the version here updates installed ones.
      ('pg_net', 'extensions', 'net', '0.20.4'),
      ('supabase_vault', 'vault', 'vault', '0.3.1')
    ) as extension (name, in_schema, own_schema, version)
    where exists (select from pg_available_extensions a where a.name = extension.name)
  loop
    if exists (select from pg_extension where extname = wanted.name and extversion <> wanted.version) then
      execute format('alter extension %I update to %L', wanted.name, wanted.version);
    elsif
      -- Once: what a project has dropped, or has a schema of its own for, does not come back.
      not exists (select from linnet_platform.preinstalled_extensions p where p.name = wanted.name)
      and not exists (select from pg_namespace where nspname = wanted.own_schema)
    then
      if wanted.in_schema = wanted.own_schema then
        execute format('create schema %I', wanted.in_schema);
      end if;
      execute format('create extension if not exists %I with schema %I', wanted.name, wanted.in_schema);
    end if;
    perform linnet_platform.identify_rows_of(wanted.name);
    insert into linnet_platform.preinstalled_extensions values (wanted.name) on conflict do nothing;
  end loop;
end
$$;
