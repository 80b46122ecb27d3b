-- Storage quotas: how many bytes of files a workspace and each of its people may store.

-- Tables -----------------------------------------------------------------------------------------------

create table public.workspace_storage (
  workspace_id uuid primary key references public.workspaces (id) on delete cascade,
  used_bytes bigint not null default 0,
  max_bytes bigint not null default 100000000000
    constraint workspace_storage_max_range check (max_bytes between 1000000 and 1000000000000000),
  max_bytes_per_person bigint not null default 10000000000
    constraint workspace_storage_person_max_range check (max_bytes_per_person between 1000000 and 1000000000000000)
);
comment on table public.workspace_storage is
  'Bytes of a workspace''s files and its quotas: 100 GB in total and 10 GB for each person unless an owner sets '
  'others. No access for clients.';
alter table public.workspace_storage enable row level security;
revoke all on public.workspace_storage from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.workspace_storage to service_role;

create table public.person_storage (
  workspace_id uuid not null references public.workspaces (id) on delete cascade,
  profile_id uuid not null references public.profiles (id) on delete cascade,
  used_bytes bigint not null default 0,
  primary key (workspace_id, profile_id)
);
create index person_storage_profile on public.person_storage (profile_id);
create index person_storage_largest on public.person_storage (workspace_id, used_bytes desc);
comment on table public.person_storage is
  'Bytes of the files that a person has uploaded to channels of a workspace. No access for clients.';
alter table public.person_storage enable row level security;
revoke all on public.person_storage from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.person_storage to service_role;

create table public.stored_files (
  name text primary key,
  workspace_id uuid not null,
  profile_id uuid,
  bytes bigint not null
);
comment on table public.stored_files is
  'What each object in `files` counts for. Separate, since its channel may be deleted before the object, and its size '
  'and author must be subtracted as they were added. Keyed by name, which objects keep when they are copied to another '
  'server. Without foreign keys: only triggers write here, and a row is deleted with its object. No access for '
  'clients.';
alter table public.stored_files enable row level security;
revoke all on public.stored_files from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.stored_files to service_role;

-- Counting ---------------------------------------------------------------------------------------------

create function app.create_workspace_storage() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.workspace_storage (workspace_id) values (new.id);
  return null;
end
$$;
comment on function app.create_workspace_storage is 'Creates the counter and default quotas of a new workspace.';
create trigger workspaces_have_storage after insert on public.workspaces
  for each row execute function app.create_workspace_storage();
comment on trigger workspaces_have_storage on public.workspaces is 'A trigger, so that counting only has to update.';

create function app.size_of_object(metadata jsonb) returns bigint
language sql immutable set search_path = ''
as $$
  -- `size` once the object is stored; `contentLength` while the policy is checked before the first byte.
  select coalesce(metadata ->> 'size', metadata ->> 'contentLength', '0')::bigint
$$;
comment on function app.size_of_object is 'Bytes of an object, by the metadata that the storage service writes.';

create function app.profile_of_owner(owner_id text) returns uuid
language sql stable set search_path = ''
as $$
  select p.id from public.profiles p
  where p.user_id = case when owner_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then owner_id::uuid end
$$;
comment on function app.profile_of_owner is 'The profile of an object''s owner; null if a service stored it.';

create function app.add_stored_bytes(workspace uuid, profile uuid, added bigint) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  total public.workspace_storage;
  of_person bigint;
begin
  -- Always the workspace's row first: its lock serialises all changes, so that no two exceed a quota together, and the
  -- order prevents deadlocks.
  update public.workspace_storage s set used_bytes = greatest(s.used_bytes + added, 0)
  where s.workspace_id = workspace returning * into total;
  -- The workspace was deleted before its objects.
  if not found then return; end if;
  -- Objects that a service stores have no owner and no quota.
  if profile is null then return; end if;
  insert into public.person_storage as s (workspace_id, profile_id, used_bytes)
  values (workspace, profile, greatest(added, 0))
  on conflict (workspace_id, profile_id) do update set used_bytes = greatest(s.used_bytes + added, 0)
  returning used_bytes into of_person;
  if added > 0 and of_person > total.max_bytes_per_person then
    raise exception using errcode = 'PT413', message = 'person_storage_full';
  end if;
  if added > 0 and total.used_bytes > total.max_bytes then
    raise exception using errcode = 'PT413', message = 'workspace_storage_full';
  end if;
end
$$;
comment on function app.add_stored_bytes is
  'Adds to the counters of a workspace and a person, or subtracts; fails if an addition exceeds a quota.';

create function app.count_stored_files() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
declare
  change record;
begin
  for change in
    with written as (
      select o.name, c.workspace_id, app.profile_of_owner(o.owner_id) as profile_id,
        app.size_of_object(o.metadata) as bytes
      from written_objects o
      left join public.channels c on c.id = app.channel_in_path(o.name)
      where o.bucket_id = 'files'
    ), counted as (
      insert into public.stored_files as s (name, workspace_id, profile_id, bytes)
      -- An object that a service replaces keeps its owner.
      select w.name, coalesce(b.workspace_id, w.workspace_id), coalesce(w.profile_id, b.profile_id), w.bytes
      from written w
      left join public.stored_files b on b.name = w.name
      where coalesce(b.workspace_id, w.workspace_id) is not null
        and (b.name is null or (b.profile_id, b.bytes) is distinct from (coalesce(w.profile_id, b.profile_id), w.bytes))
      on conflict (name) do update set profile_id = excluded.profile_id, bytes = excluded.bytes
      returning s.name, s.workspace_id, s.profile_id, s.bytes
    ), changes as (
      select n.workspace_id, n.profile_id, n.bytes as added from counted n
      union all
      -- The values before this statement.
      select b.workspace_id, b.profile_id, -b.bytes from public.stored_files b
      where b.name in (select n.name from counted n)
    )
    select workspace_id, profile_id, sum(added)::bigint as added from changes
    group by 1, 2 having sum(added) <> 0
    -- Subtractions before additions: a file that changes its owner is never in two counters.
    order by workspace_id, sum(added) > 0, profile_id
  loop
    perform app.add_stored_bytes(change.workspace_id, change.profile_id, change.added);
  end loop;
  return null;
end
$$;
comment on function app.count_stored_files is
  'Counts objects that were stored, replaced or changed in `files`; fails, with the statement, if they exceed a quota.';

create function app.subtract_stored_files() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
declare
  change record;
begin
  for change in
    with deleted as (
      delete from public.stored_files s
      where s.name in (select o.name from old_objects o where o.bucket_id = 'files')
        and not exists (select from storage.objects o where o.bucket_id = 'files' and o.name = s.name)
      returning s.workspace_id, s.profile_id, s.bytes
    )
    select workspace_id, profile_id, -sum(bytes)::bigint as added from deleted
    group by 1, 2 order by workspace_id, profile_id
  loop
    perform app.add_stored_bytes(change.workspace_id, change.profile_id, change.added);
  end loop;
  return null;
end
$$;
comment on function app.subtract_stored_files is 'Subtracts objects that were deleted from `files` or moved away.';

-- No comments on these triggers: on hosted projects the table belongs to another role, which forbids them. Per
-- statement, so that a thousand deletions change each counter once.
create trigger stored_files_are_counted after insert on storage.objects
  referencing new table as written_objects for each statement execute function app.count_stored_files();
create trigger changed_files_are_counted after update on storage.objects
  referencing new table as written_objects for each statement execute function app.count_stored_files();
create trigger deleted_files_are_subtracted after delete on storage.objects
  referencing old table as old_objects for each statement execute function app.subtract_stored_files();
create trigger moved_files_are_subtracted after update on storage.objects
  referencing old table as old_objects for each statement execute function app.subtract_stored_files();

-- Quotas -----------------------------------------------------------------------------------------------

create function app.storage_usage_as_json(workspace uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  total public.workspace_storage;
begin
  select * into total from public.workspace_storage s where s.workspace_id = workspace;
  return jsonb_build_object(
    'used_bytes', total.used_bytes, 'max_bytes', total.max_bytes, 'max_bytes_per_person', total.max_bytes_per_person,
    'people', coalesce((
      select jsonb_agg(jsonb_build_object('profile_id', p.profile_id, 'used_bytes', p.used_bytes)
        order by p.used_bytes desc, p.profile_id)
      from (
        select s.profile_id, s.used_bytes from public.person_storage s
        where s.workspace_id = workspace and s.used_bytes > 0
        order by s.used_bytes desc, s.profile_id limit 10
      ) p), '[]'));
end
$$;
comment on function app.storage_usage_as_json is
  'The storage that a workspace uses, its quotas, and the ten people who use most.';

create function public.storage_usage(workspace uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform app.require_role(workspace, 'owner', 'admin');
  return app.storage_usage_as_json(workspace);
end
$$;
comment on function public.storage_usage is
  'The storage that a workspace uses, for its owners and admins: bytes, quotas and the ten people who use most.';

create function public.set_storage_quotas(workspace uuid, max_bytes bigint, max_bytes_per_person bigint) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform app.require_role(workspace, 'owner');
  if coalesce(max_bytes, 0) not between 1000000 and 1000000000000000
    or coalesce(max_bytes_per_person, 0) not between 1000000 and 1000000000000000
  then
    raise exception using errcode = 'PT400', message = 'bad_quota';
  end if;
  update public.workspace_storage s
  set max_bytes = set_storage_quotas.max_bytes, max_bytes_per_person = set_storage_quotas.max_bytes_per_person
  where s.workspace_id = workspace;
  return app.storage_usage_as_json(workspace);
end
$$;
comment on function public.set_storage_quotas is
  'Sets the quotas of a workspace, 1 MB to 1 PB, for its owners. Files that exist already stay.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
revoke execute on function public.storage_usage, public.set_storage_quotas
  from public, anon, authenticated, service_role;
grant execute on function public.storage_usage, public.set_storage_quotas to authenticated;
