-- The arguments with which clients describe their stored rows are bounded.
--
-- A request with 160,000 entries in `stored` or `known` was compared entry by entry and took a second of the database.

create function app.check_stored_digests(stored jsonb) returns void
language plpgsql immutable set search_path = ''
as $$
begin
  -- Thirteen kinds have digests of at most 384 characters each.
  if pg_column_size(stored) > 20000 then
    raise exception using errcode = 'PT400', message = 'bad_state';
  end if;
end
$$;
comment on function app.check_stored_digests is
  'Fails with bad_state if a client passes more digests than any server has sent.';

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
  perform app.check_stored_digests(stored);
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
    'own', changed.own,
    'workspace_counters', app.workspace_counters_as_json(here.workspace_id, here.role),
    'max_topics', (select s.value from public.settings s where s.key = 'topics'),
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
  perform app.check_stored_digests(stored);
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
    'own', changed.own,
    'workspace_counters', app.workspace_counters_as_json(workspace, membership.role),
    'digests', changed.digests);
end
$$;

create or replace function public.channel_changes(channel uuid, after_rev bigint, known jsonb default null) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  access constant app.channel_access := app.require_reader(channel);
  counters public.channel_counters;
  confirmed bigint := after_rev;
  ids uuid[];
begin
  select * into counters from public.channel_counters k where k.channel_id = channel;
  if jsonb_typeof(known) = 'array' then
    if jsonb_array_length(known) > 20 then
      raise exception using errcode = 'PT400', message = 'bad_state';
    end if;
    -- Null if none is confirmed, where least() alone would return after_rev.
    select case when max(n.rev) is not null then least(max(n.rev), after_rev) end into confirmed
    from (
      select (e.value ->> 0)::bigint as rev, (e.value ->> 1)::bigint as change_id
      from jsonb_array_elements(known) e) n
    where (n.rev = counters.rev and n.change_id = counters.change_id) or exists (
      select from public.message_changes c
      where c.channel_id = channel and c.rev = n.rev and c.change_id = n.change_id);
  end if;
  if after_rev <= counters.rev and confirmed >= 0 then
    ids := array(
      select c.message_id
      from public.message_changes c
      where c.channel_id = channel and c.rev > confirmed and c.history_seq >= access.history_from_seq
      order by c.rev limit 301);
  end if;
  -- None of the changes that the client knows is on this server, or more than were ever made: a backup was restored.
  if ids is null or cardinality(ids) > 300 then
    return jsonb_build_object('channel_id', channel, 'reset', true,
      'entry', app.channel_entry_as_json(access.profile_id, channel), 'epoch', counters.epoch, 'rev', counters.rev,
      'change_id', counters.change_id);
  end if;
  return jsonb_build_object('channel_id', channel, 'reset', false, 'after', confirmed,
    'messages', app.messages_as_json(ids, access.profile_id),
    'entry', case when counters.meta_rev > confirmed then app.channel_entry_as_json(access.profile_id, channel) end,
    'epoch', counters.epoch, 'rev', counters.rev, 'change_id', counters.change_id);
end
$$;
comment on function public.channel_changes is
  'The messages that changed after a rev, complete, the channel if it changed, and the rev reached. `known`: numbers and '
  'ids of changes that the client has; fails with bad_state if there are more than 20. If the server lacks the latest known '
  'change, the response has the changes after the latest one that both have, which is `after`. `reset` if they share none, or '
  'if too much changed.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
