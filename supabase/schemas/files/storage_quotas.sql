-- Storage quotas: how many bytes of files a workspace and each of its people may store, how many pictures, how many bytes each
-- channel stores, and the complete lists of who and what uses storage.

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

-- Pictures ---------------------------------------------------------------------------------------------

create function app.limit_pictures() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
declare
  max_pictures constant integer := 20;
  uploaded record;
begin
  for uploaded in
    select distinct split_part(o.name, '/', 1) as folder, app.workspace_in_emoji_path(o.name) is not null as is_emoji, o.owner_id
    -- What a service copies has no owner and no limit.
    from written_objects o where o.bucket_id = 'avatars' and o.owner_id is not null
    order by folder
  loop
    -- Of two concurrent uploads the second counts the first.
    perform pg_advisory_xact_lock(hashtextextended('pictures/' || uploaded.folder, 0));
    if max_pictures < (
      select count(*) from storage.objects o
      left join public.workspaces w on w.id::text = uploaded.folder
      where o.bucket_id = 'avatars'
        and o.name collate "C" > uploaded.folder || '/' and o.name collate "C" < uploaded.folder || '0'
        -- All pictures of a person; of a workspace its icons, or what nobody but this person has added as emoji.
        and (w.id is null or (app.workspace_in_emoji_path(o.name) is not null) = uploaded.is_emoji)
        and (w.id is null or not uploaded.is_emoji or (
          o.owner_id = uploaded.owner_id and o.created_at > now() - interval '1 day' and not exists (
            select from public.custom_emoji e where e.workspace_id = w.id and e.workspace_id || '/' || e.id = o.name))))
    then
      raise exception using errcode = '42501', message = 'too_many_pictures';
    end if;
  end loop;
  return null;
end
$$;
comment on function app.limit_pictures is
  'Limits the objects in `avatars`, so that nobody fills the disk: 20 avatars of a person and 20 icons of a workspace, which stay '
  'until they are replaced or unused for a day, and 20 images of a person that no emoji uses yet. On the objects and not in a '
  'policy, since the storage service checks policies before the first byte and stores the object after the last one.';
create trigger pictures_are_limited after insert on storage.objects
  referencing new table as written_objects for each statement execute function app.limit_pictures();

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

-- Storage by channel -----------------------------------------------------------------------------------

create table public.channel_storage (
  channel_id uuid primary key references public.channels (id) on delete cascade,
  used_bytes bigint not null default 0
);
comment on table public.channel_storage is
  'Bytes of the files that were uploaded to a channel, so that a list costs the same however many files there are. Read by '
  'list_channel_storage only. No access for clients.';
alter table public.channel_storage enable row level security;
revoke all on public.channel_storage from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.channel_storage to service_role;

create function app.add_channel_bytes(names text[], workspaces uuid[], added bigint[]) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- The counter of the workspace first, as add_stored_bytes, which follows: its lock serialises all changes.
  perform from public.workspace_storage s where s.workspace_id = any (workspaces) order by s.workspace_id for no key update;
  -- The channel of a file may have been deleted before it.
  insert into public.channel_storage (channel_id)
  select distinct c.id from unnest(names) n (name) join public.channels c on c.id = app.channel_in_path(n.name)
  on conflict do nothing;
  update public.channel_storage s set used_bytes = greatest(s.used_bytes + f.added, 0)
  from (
    select app.channel_in_path(n.name) as channel_id, sum(n.added)::bigint as added
    from unnest(names, added) n (name, added) group by 1) f
  where s.channel_id = f.channel_id and f.added <> 0;
end
$$;
comment on function app.add_channel_bytes is 'Adds the bytes of files to the counters of their channels, or subtracts.';

create function app.count_channel_storage() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
declare
  names text[];
  workspaces uuid[];
  added bigint[];
begin
  if tg_op = 'INSERT' then
    select array_agg(n.name), array_agg(n.workspace_id), array_agg(n.bytes) into names, workspaces, added from new_files n;
  elsif tg_op = 'DELETE' then
    select array_agg(o.name), array_agg(o.workspace_id), array_agg(-o.bytes) into names, workspaces, added from old_files o;
  else
    select array_agg(c.name), array_agg(c.workspace_id), array_agg(c.added) into names, workspaces, added
    from (
      select n.name, n.workspace_id, n.bytes as added from new_files n
      union all select o.name, o.workspace_id, -o.bytes from old_files o) c;
  end if;
  if names is not null then perform app.add_channel_bytes(names, workspaces, added); end if;
  return null;
end
$$;
comment on function app.count_channel_storage is 'Counts files that are added, replaced and deleted in the counters of their channels.';
create trigger added_files_count_for_channels after insert on public.stored_files
  referencing new table as new_files for each statement execute function app.count_channel_storage();
comment on trigger added_files_count_for_channels on public.stored_files is
  'On what is counted already, not on storage.objects: sizes and paths are decided in one place.';
create trigger changed_files_count_for_channels after update on public.stored_files
  referencing old table as old_files new table as new_files for each statement execute function app.count_channel_storage();
comment on trigger changed_files_count_for_channels on public.stored_files is 'An object that is replaced changes its size.';
create trigger deleted_files_count_for_channels after delete on public.stored_files
  referencing old table as old_files for each statement execute function app.count_channel_storage();
comment on trigger deleted_files_count_for_channels on public.stored_files is 'Also of a channel that exists no longer.';

-- Lists of what uses storage ---------------------------------------------------------------------------

create function public.list_person_storage(workspace uuid, after uuid default null, "limit" integer default 50)
returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  size constant integer := least(greatest(coalesce(list_person_storage."limit", 50), 1), 100);
  after_bytes bigint;
  listed jsonb;
begin
  perform app.require_role(workspace, 'owner', 'admin');
  -- From the start if the person of the last page has no files any more.
  select s.used_bytes into after_bytes from public.person_storage s
  where s.workspace_id = workspace and s.profile_id = list_person_storage.after and s.used_bytes > 0;
  select coalesce(jsonb_agg(jsonb_build_object('profile_id', p.profile_id, 'used_bytes', p.used_bytes)
    order by p.used_bytes desc, p.profile_id), '[]') into listed
  from (
    select s.profile_id, s.used_bytes from public.person_storage s
    where s.workspace_id = workspace and s.used_bytes > 0
      and (after_bytes is null or s.used_bytes <= after_bytes)
      and (after_bytes is null or s.used_bytes < after_bytes or s.profile_id > list_person_storage.after)
    order by s.used_bytes desc, s.profile_id limit size + 1) p;
  return jsonb_build_object(
    'people', case when jsonb_array_length(listed) > size then listed - size else listed end,
    'after', case when jsonb_array_length(listed) > size then listed -> size - 1 -> 'profile_id' end);
end
$$;
comment on function public.list_person_storage is
  'People of a workspace by the bytes of their files, descending, for its owners and admins; 100 at most, those after the person '
  '`after`. Former members too, whose files stay.';

create function public.list_channel_storage(workspace uuid, after uuid default null, "limit" integer default 50)
returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan
as $$
declare
  size constant integer := least(greatest(coalesce(list_channel_storage."limit", 50), 1), 100);
  result jsonb;
begin
  perform app.require_role(workspace, 'owner', 'admin');
  with named as materialized (
    -- Of conversations also their own are left out: a list of whom somebody sends files is nobody else's to look over.
    select c.id, c.kind, c.name, c.archived_at, s.used_bytes,
      row_number() over (order by s.used_bytes desc, c.id) as position
    from public.channel_storage s
    join public.channels c on c.id = s.channel_id
    where s.channel_id = any (array(select r.channel_id from app.my_readable_channels() r))
      and c.workspace_id = workspace and c.kind in ('public', 'private') and s.used_bytes > 0
  ), start as (
    -- From the start if the channel of the last page has no files any more.
    select coalesce((select n.position from named n where n.id = list_channel_storage.after), 0) as position
  )
  select jsonb_build_object(
    'channels', coalesce((
      select jsonb_agg(jsonb_build_object('id', n.id, 'kind', n.kind, 'name', n.name, 'archived_at', n.archived_at,
        'used_bytes', n.used_bytes) order by n.position)
      from named n, start where n.position > start.position and n.position <= start.position + size), '[]'),
    -- A difference of counters: its cost does not depend on how many conversations there are.
    'other_bytes', greatest((select w.used_bytes from public.workspace_storage w where w.workspace_id = workspace)
      - coalesce((select sum(n.used_bytes) from named n), 0), 0),
    'after', (select n.id from named n, start
      where n.position = start.position + size and exists (select from named m where m.position > n.position)))
  into result;
  return result;
end
$$;
comment on function public.list_channel_storage is
  'Channels of a workspace by the bytes of their files, descending, for its owners and admins: public ones and the private ones '
  'that the caller is a member of; 100 at most, those after the channel `after`. `other_bytes`: of all other channels and '
  'conversations together, without their number.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.storage_usage, public.set_storage_quotas, public.list_person_storage,
  public.list_channel_storage from public, anon, authenticated, service_role;
grant execute on function public.storage_usage, public.set_storage_quotas, public.list_person_storage,
  public.list_channel_storage to authenticated;
