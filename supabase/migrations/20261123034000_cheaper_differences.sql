-- Differences cost less: the caller is resolved by one query, a digest reads each table once and builds no JSON, the
-- digests of presence are shared by all members, and each statement has one plan for all arguments.

-- Access -----------------------------------------------------------------------------------------------

create function app.require_membership(workspace uuid, out profile_id uuid, out role text)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  select w.profile_id, w.role into require_membership.profile_id, require_membership.role
  from auth.sessions s
  join auth.users u on u.id = s.user_id
  join public.profiles p on p.user_id = s.user_id
  join public.workspace_members w on w.workspace_id = workspace and w.profile_id = p.id
  where s.id = (auth.jwt() ->> 'session_id')::uuid
    and s.user_id = auth.uid()
    and (s.not_after is null or s.not_after > now())
    and (u.banned_until is null or u.banned_until <= now()) and u.deleted_at is null
    and (not p.second_factor or (s.aal >= 'aal2' and auth.jwt() ->> 'aal' in ('aal2', 'aal3')))
    and w.state = 'active' and (w.expires_at is null or w.expires_at > now());
  if found then return; end if;
  perform app.require_profile();
  -- A workspace of others and one that does not exist must be indistinguishable.
  raise exception using errcode = 'PT404', message = 'not_found';
end
$$;
comment on function app.require_membership is
  'The caller''s profile and their role in a workspace; fails with session_ended, second_factor_missing or not_found. '
  'One statement, since most commands begin with it.';

create or replace function app.require_role(workspace uuid, variadic allowed text[]) returns uuid
language plpgsql stable security definer set search_path = ''
as $$
declare
  membership constant record := app.require_membership(workspace);
begin
  if not membership.role = any (allowed) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  return membership.profile_id;
end
$$;

-- Digests ----------------------------------------------------------------------------------------------

drop function app.channel_digests;
create function app.channel_digests(viewer uuid, viewer_role text, workspace uuid) returns text
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
-- The planner expects ten rows of each table and would look up each row of the next, one by one.
set enable_nestloop = off
as $$
begin
  return (
    with m as materialized (
      select m.channel_id, m.role, m.history_from_seq from public.channel_members m
      where m.profile_id = viewer and (m.expires_at is null or m.expires_at > now()))
    select app.join_digests(array_agg(d.bucket), array_agg(d.hash)) from (
      select e.bucket, bit_xor(e.hash) as hash from (
        select get_byte(uuid_send(c.id), 15) >> 2 as bucket, hash_record_extended(row(c.id, c.kind, c.name, c.topic,
          c.description, c.posting, c.archived_at, c.first_seq, c.created_by, m.role,
          case when c.kind = 'public' and viewer_role <> 'guest' then 1 else m.history_from_seq end,
          k.rev, k.change_id, k.epoch,
          s.last_read_seq, s.read_version, s.notify, s.muted, s.starred, s.section_id, s.position), 0) as hash
        from m
        join public.channels c on c.id = m.channel_id
        join public.channel_counters k on k.channel_id = m.channel_id
        left join public.channel_state s on s.channel_id = m.channel_id and s.profile_id = viewer
        -- One pass over each index for all channels.
        where c.id = any (array(select m.channel_id from m)) and k.channel_id = any (array(select m.channel_id from m))
          and c.workspace_id = workspace and s.hidden is not true
        offset 0) e
      group by 1) d
  );
end
$$;
comment on function app.channel_digests is
  'Of the channels that app.channel_entries_as_json returns to a member with this role. Unread counts follow from these '
  'columns.';

create unlogged table public.presence_digests (
  workspace_id uuid primary key references public.workspaces (id) on delete cascade,
  digests text not null,
  computed_at timestamptz not null
);
comment on table public.presence_digests is
  'The digests of the presence of all members of a workspace, which are the same for each full member: with 2,000 people '
  'online, computing them was half of a heartbeat. Valid for ten seconds, and computed again by whoever becomes present '
  'or changes state; so only presence that ends is noticed later. Unlogged: worthless after a crash. No access for '
  'clients.';
alter table public.presence_digests enable row level security;
revoke all on public.presence_digests from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.presence_digests to service_role;

create or replace function app.presence_digests(workspace uuid, visible uuid[]) returns text
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  return (
    select app.join_digests(array_agg(d.bucket), array_agg(d.hash)) from (
      select get_byte(uuid_send(h.profile_id), 15) >> 2 as bucket,
        bit_xor(hashtextextended(h.state, uuid_hash_extended(h.profile_id, 0))) as hash
      from public.heartbeats h
      join public.workspace_members w on w.workspace_id = workspace and w.profile_id = h.profile_id
      -- Two and a half heartbeats, so that one may be lost.
      where h.seen_at > now() - interval '150 seconds' and w.state = 'active'
        and (visible is null or h.profile_id = any (visible))
      group by 1
    ) d
  );
end
$$;

create function app.shared_presence_digests(workspace uuid, stored text, is_changed boolean) returns text
language plpgsql volatile security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  shared text;
  computed text;
begin
  if not is_changed then
    select p.digests into shared from public.presence_digests p
    where p.workspace_id = workspace
      and p.computed_at between clock_timestamp() - interval '10 seconds' and clock_timestamp();
    if shared = stored then return shared; end if;
  end if;
  -- The rows of a response must be those that its digests describe.
  computed := app.presence_digests(workspace, null);
  if shared is null then
    insert into public.presence_digests (workspace_id, digests, computed_at)
    select workspace, '', '-infinity'
    where not exists (select from public.presence_digests p where p.workspace_id = workspace)
    on conflict (workspace_id) do nothing;
    -- Another heartbeat that has the lock stores the same.
    update public.presence_digests p set digests = computed, computed_at = clock_timestamp()
    where p.workspace_id = (
      select l.workspace_id from public.presence_digests l
      where l.workspace_id = shared_presence_digests.workspace for update skip locked);
  end if;
  return computed;
end
$$;
comment on function app.shared_presence_digests is
  'The digests of presence for a full member: those computed for another member within ten seconds if they are equal to '
  'the digests `stored`, so that nothing has to be sent, else new ones. `is_changed`: the caller''s own presence did.';

drop function app.digest_of;
create function app.digest_of(hash bigint) returns text
language sql immutable set search_path = ''
as $$ select left(encode(int8send(coalesce(hash, 0)), 'base64'), 6) $$;
comment on function app.digest_of is 'The digest of a list that is sent as a whole, from a hash of its rows.';

-- Differences ------------------------------------------------------------------------------------------

drop function app.differences_of;
create function app.differences_of(viewer uuid, viewer_role text, workspace uuid, stored jsonb)
returns app.differences
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  changed app.differences;
  digest text := app.channel_digests(viewer, viewer_role, workspace);
  buckets integer[];
begin
  changed.digests := '{}';
  changed.channels := '[]';
  changed.threads := '[]';
  changed.sections := '[]';
  if digest is distinct from stored ->> 'channels' then
    buckets := app.changed_buckets(stored ->> 'channels', digest);
    changed.digests := changed.digests || jsonb_build_object('channels', digest);
    changed.channels := app.channel_entries_as_json(viewer, array(
      select m.channel_id
      from public.channel_members m
      join public.channels c on c.id = m.channel_id and c.workspace_id = workspace
      left join public.channel_state s on s.channel_id = c.id and s.profile_id = viewer
      where m.profile_id = viewer and (m.expires_at is null or m.expires_at > now()) and s.hidden is not true
        and get_byte(uuid_send(m.channel_id), 15) >> 2 = any (buckets)));
  end if;
  digest := app.digest_of((
    select bit_xor(hash_record_extended(r, 0)) from app.unread_thread_rows(viewer, workspace) r));
  if digest is distinct from stored ->> 'unread' then
    changed.digests := changed.digests || jsonb_build_object('unread', digest);
    changed.threads := app.unread_threads(viewer, workspace);
  end if;
  digest := app.digest_of((
    select bit_xor(hash_record_extended(row(s.id, s.name, s.position, s.collapsed), 0))
    from public.sections s where s.profile_id = viewer and s.workspace_id = workspace));
  if digest is distinct from stored ->> 'sections' then
    changed.digests := changed.digests || jsonb_build_object('sections', digest);
    changed.sections := app.sections_as_json(viewer, workspace);
  end if;
  return changed;
end
$$;
comment on function app.differences_of is
  'What of a person''s channels, unread threads and sections is not as the digests `stored` describe; everything if it '
  'is null. Checks no rights: the caller has.';

drop function app.workspace_counters_as_json;
create function app.workspace_counters_as_json(workspace uuid, viewer_role text) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  return (
    select jsonb_build_object('rev', k.rev, 'epoch', k.epoch)
    from public.workspace_counters k where k.workspace_id = workspace and viewer_role <> 'guest');
end
$$;
comment on function app.workspace_counters_as_json is
  'The number of the last change of a workspace and the epoch of its topic; null for guests, who may not join it.';

create or replace function public.bootstrap(workspace uuid default null, stored jsonb default null) returns json
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  me public.profiles;
  here public.workspace_members;
  mine constant uuid[] := array(select app.my_workspace_ids());
  changed app.differences;
  visible uuid[];
  people text;
  buckets integer[];
  members json := '[]';
  threads record;
begin
  if not app.is_session_alive() then
    raise exception using errcode = 'PT401', message = 'session_ended';
  end if;
  select * into me from public.profiles p where p.id = app.my_profile_id();
  select m.* into here from public.workspace_members m
  where m.profile_id = me.id and m.workspace_id = any (mine) and m.workspace_id = coalesce(workspace, m.workspace_id)
  order by m.created_at, m.workspace_id limit 1;
  if workspace is not null and here.workspace_id is null then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  changed := app.differences_of(me.id, here.role, here.workspace_id, stored);
  if here.role = 'guest' then visible := array(select app.my_visible_profile_ids()); end if;
  people := app.people_digests(here.workspace_id, visible);
  if people is distinct from stored ->> 'people' then
    changed.digests := changed.digests || jsonb_build_object('people', people);
    buckets := app.changed_buckets(stored ->> 'people', people);
    members := app.members_as_json(here.workspace_id, array(
      select m.profile_id from public.workspace_members m
      where m.workspace_id = here.workspace_id and (visible is null or m.profile_id = any (visible))
        and get_byte(uuid_send(m.profile_id), 15) >> 2 = any (buckets)));
  end if;
  select * into threads from app.thread_digests(me.id);
  if threads.digests is distinct from stored ->> 'threads' then
    changed.digests := changed.digests || jsonb_build_object('threads', threads.digests);
  end if;
  return json_build_object(
    'now', clock_timestamp(),
    'me', case when here.workspace_id is not null then jsonb_build_object(
      'profile', app.profile_as_json(me), 'role', here.role,
      'email', (select u.email from auth.users u where u.id = me.user_id)) end,
    'workspace', app.workspace_as_json(here.workspace_id),
    'workspaces', coalesce((
      select jsonb_agg(app.workspace_as_json(w.id) order by w.created_at, w.id)
      from public.workspaces w where w.id = any (mine)), '[]'),
    'members', members,
    'channels', changed.channels,
    'threads', changed.threads,
    'threads_since', threads.since,
    'sections', changed.sections,
    'people_counters', app.workspace_counters_as_json(here.workspace_id, here.role),
    'topics', (select s.value from public.settings s where s.key = 'topics'),
    'digests', changed.digests);
end
$$;

create or replace function public.heartbeat(workspace uuid, state text, stored jsonb default null) returns json
language plpgsql volatile security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  membership constant record := app.require_membership(workspace);
  changed app.differences;
  visible uuid[];
  previous text;
  presence text;
  buckets integer[];
  people json := '[]';
begin
  if heartbeat.state is null or heartbeat.state not in ('active', 'away') then
    raise exception using errcode = 'PT400', message = 'bad_state';
  end if;
  select h.state into previous from public.heartbeats h
  where h.profile_id = membership.profile_id and h.seen_at > now() - interval '150 seconds';
  insert into public.heartbeats (profile_id, state, seen_at)
  values (membership.profile_id, heartbeat.state, clock_timestamp())
  on conflict (profile_id) do update set state = excluded.state, seen_at = excluded.seen_at
  where heartbeats.profile_id = excluded.profile_id;
  perform app.end_expired_memberships();
  changed := app.differences_of(membership.profile_id, membership.role, workspace, stored);
  if membership.role = 'guest' then
    visible := array(select app.my_visible_profile_ids());
    presence := app.presence_digests(workspace, visible);
  else
    presence := app.shared_presence_digests(
      workspace, stored ->> 'presence', previous is distinct from heartbeat.state);
  end if;
  if presence is distinct from stored ->> 'presence' then
    changed.digests := changed.digests || jsonb_build_object('presence', presence);
    buckets := app.changed_buckets(stored ->> 'presence', presence);
    people := coalesce((
      select json_agg(json_build_object('profile_id', h.profile_id, 'state', h.state))
      from public.heartbeats h
      join public.workspace_members w on w.workspace_id = workspace and w.profile_id = h.profile_id
      where h.seen_at > now() - interval '150 seconds' and w.state = 'active'
        and (visible is null or h.profile_id = any (visible))
        and get_byte(uuid_send(h.profile_id), 15) >> 2 = any (buckets)), '[]');
  end if;
  return json_build_object(
    'now', clock_timestamp(),
    'people', people,
    'channels', changed.channels,
    'threads', changed.threads,
    'sections', changed.sections,
    'people_counters', app.workspace_counters_as_json(workspace, membership.role),
    'digests', changed.digests);
end
$$;

drop function app.visible_people;

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
