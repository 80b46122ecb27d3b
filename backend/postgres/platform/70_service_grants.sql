-- What the services have granted on their objects, so that a GRANT or REVOKE of a project in their name is undone.

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

revoke execute on all functions in schema linnet_platform from public;
