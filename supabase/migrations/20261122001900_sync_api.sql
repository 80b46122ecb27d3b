-- What a client calls to start and to stay up to date: bootstrap, heartbeat, pages and changes of channels.

create function app.channel_entry_as_json(viewer uuid, channel uuid) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  return (
    select jsonb_build_object(
      'channel', app.channel_as_json(c.id), 'counters', app.counters_as_json(k),
      'member', m.profile_id is not null, 'channel_role', m.role,
      'history_from_seq', case when c.kind = 'public' and w.role <> 'guest' then 1 else m.history_from_seq end,
      'state', app.channel_state_as_json(s),
      'counts', case when m.profile_id is null then '{"unread": 0, "mentions": 0}'::jsonb
        else app.unread_counts(viewer, c.id, greatest(s.last_read_seq, m.history_from_seq - 1)) end,
      'last_message_at', k.last_at)
    from public.channels c
    join public.channel_counters k on k.channel_id = c.id
    join public.workspace_members w on w.workspace_id = c.workspace_id and w.profile_id = viewer
      and w.state = 'active' and (w.expires_at is null or w.expires_at > now())
    left join public.channel_members m on m.channel_id = c.id and m.profile_id = viewer
      and (m.expires_at is null or m.expires_at > now())
    left join public.channel_state s on s.channel_id = c.id and s.profile_id = viewer and m.profile_id is not null
    where c.id = channel and (m.profile_id is not null or (c.kind = 'public' and w.role <> 'guest'))
  );
end
$$;
comment on function app.channel_entry_as_json is
  'A channel as one of its readers sees it: channel, counters, membership, state and unread counts; null if they may '
  'not read it.';

create function app.workspace_counters_as_json(workspace uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select jsonb_build_object('rev', k.rev, 'epoch', k.epoch)
    from public.workspace_counters k where k.workspace_id = workspace and app.my_role(workspace) <> 'guest'
  );
end
$$;
comment on function app.workspace_counters_as_json is
  'The number of the last change of a workspace and the epoch of its topic; null for guests, who may not join it.';

create function public.bootstrap(workspace uuid default null) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  me public.profiles;
  here public.workspace_members;
  mine constant uuid[] := array(select app.my_workspace_ids());
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
  return jsonb_build_object(
    'now', clock_timestamp(),
    'me', case when here.workspace_id is not null then jsonb_build_object(
      'profile', app.profile_as_json(me), 'role', here.role,
      'email', (select u.email from auth.users u where u.id = me.user_id)) end,
    'workspace', app.workspace_as_json(here.workspace_id),
    'workspaces', coalesce((
      select jsonb_agg(app.workspace_as_json(w.id) order by w.created_at, w.id)
      from public.workspaces w where w.id = any (mine)), '[]'),
    'members', coalesce((
      select jsonb_agg(jsonb_build_object('profile', app.profile_as_json(p), 'role', m.role,
        'state', case when m.expires_at <= now() then 'deactivated' else m.state end) order by m.created_at, p.id)
      from public.workspace_members m join public.profiles p on p.id = m.profile_id
      where m.workspace_id = here.workspace_id and p.id in (select app.my_visible_profile_ids())), '[]'),
    'channels', coalesce((
      select jsonb_agg(app.channel_entry_as_json(me.id, c.id) order by c.created_at, c.id)
      from public.channel_members m
      join public.channels c on c.id = m.channel_id and c.workspace_id = here.workspace_id
      left join public.channel_state s on s.channel_id = c.id and s.profile_id = me.id
      where m.profile_id = me.id and (m.expires_at is null or m.expires_at > now())
        and s.hidden is not true), '[]'),
    'threads', app.unread_threads(me.id, here.workspace_id),
    'sections', app.sections_as_json(me.id, here.workspace_id),
    'people_counters', app.workspace_counters_as_json(here.workspace_id),
    'topics', (select s.value from public.settings s where s.key = 'topics'));
end
$$;
comment on function public.bootstrap is
  'Everything that a client needs to start, in one response. Its size depends on the channels of the caller, not on '
  'their messages.';

create function app.end_expired_memberships() returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  channel uuid;
begin
  -- One person per heartbeat: the channels of two would not be locked in one order.
  update public.workspace_members w set state = 'deactivated', deactivated_at = w.expires_at
  where (w.workspace_id, w.profile_id) = (
    select x.workspace_id, x.profile_id from public.workspace_members x
    where x.expires_at <= now() and x.state = 'active' limit 1 for update skip locked);
  if found then return; end if;
  for channel in
    select distinct m.channel_id from public.channel_members m where m.expires_at <= now() order by m.channel_id
  loop
    -- Counters before members, in the lock order of leave_channel and remove_member.
    perform app.lock_channels(array[channel]);
    delete from public.channel_members m where m.channel_id = channel and m.expires_at <= now();
    if found then perform app.bump_meta_rev(channel); end if;
  end loop;
end
$$;
comment on function app.end_expired_memberships is
  'Ends expired memberships. Their rights end by the time alone; this closes open sockets, since the passing of time '
  'fires no trigger.';

create function public.heartbeat(workspace uuid, state text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin', 'member', 'guest');
begin
  if heartbeat.state is null or heartbeat.state not in ('active', 'away') then
    raise exception using errcode = 'PT400', message = 'bad_state';
  end if;
  insert into public.heartbeats (profile_id, state, seen_at) values (me, heartbeat.state, clock_timestamp())
  on conflict (profile_id) do update set state = excluded.state, seen_at = excluded.seen_at
  where heartbeats.profile_id = excluded.profile_id;
  perform app.end_expired_memberships();
  return jsonb_build_object(
    'now', clock_timestamp(),
    'people', coalesce((
      select jsonb_agg(jsonb_build_object('profile_id', h.profile_id, 'state', h.state))
      from public.heartbeats h
      join public.workspace_members w on w.workspace_id = workspace and w.profile_id = h.profile_id
      -- Two and a half heartbeats, so that one may be lost.
      where h.seen_at > now() - interval '150 seconds' and w.state = 'active'
        and h.profile_id in (select app.my_visible_profile_ids())), '[]'),
    'channels', coalesce((
      select jsonb_agg(jsonb_build_object('channel_id', c.id, 'counters', app.counters_as_json(k),
        'counts', app.unread_counts(me, c.id, greatest(s.last_read_seq, m.history_from_seq - 1)),
        'state', app.channel_state_as_json(s)))
      from public.channel_members m
      join public.channels c on c.id = m.channel_id and c.workspace_id = workspace
      join public.channel_counters k on k.channel_id = c.id
      left join public.channel_state s on s.channel_id = c.id and s.profile_id = me
      where m.profile_id = me and (m.expires_at is null or m.expires_at > now())), '[]'),
    'people_counters', app.workspace_counters_as_json(workspace),
    'threads', app.unread_threads(me, workspace));
end
$$;
comment on function public.heartbeat is
  'Called each minute: stores the caller''s presence, and returns that of others and the counters of all channels of '
  'the caller, including those whose topics they have not joined.';

create function public.channel_page(
  channel uuid, before bigint default null, after bigint default null, around bigint default null,
  "limit" integer default 50
) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  access constant app.channel_access := app.require_reader(channel);
  size constant integer := least(greatest(coalesce(channel_page."limit", 50), 1), 100);
  history_start constant bigint := access.history_from_seq;
  first bigint;
  last bigint;
  ids uuid[];
begin
  if after is not null then
    select array_agg(p.id order by p.seq), min(p.seq), max(p.seq) into ids, first, last from (
      select m.id, m.seq from public.messages m
      where m.channel_id = channel and m.seq > greatest(after, history_start - 1) order by m.seq limit size) p;
  elsif around is not null then
    select array_agg(p.id order by p.seq), min(p.seq), max(p.seq) into ids, first, last from (
      (select m.id, m.seq from public.messages m
        where m.channel_id = channel and m.seq >= history_start and m.seq < around order by m.seq desc limit size / 2)
      union all
      (select m.id, m.seq from public.messages m
        where m.channel_id = channel and m.seq >= greatest(around, history_start)
        order by m.seq limit size - size / 2)) p;
  else
    select array_agg(p.id order by p.seq), min(p.seq), max(p.seq) into ids, first, last from (
      select m.id, m.seq from public.messages m
      where m.channel_id = channel and m.seq >= history_start and m.seq < coalesce(before, 9223372036854775807)
      order by m.seq desc limit size) p;
  end if;
  return (
    select jsonb_build_object('channel_id', channel,
      'messages', app.messages_as_json(coalesce(ids, '{}'), access.profile_id),
      -- Numbers have no gaps, so they tell whether there are more messages; a query would scan for them.
      'has_before', coalesce(first, before, after + 1, k.last_seq + 1) > greatest(history_start, c.first_seq)
        and k.last_seq >= history_start,
      'has_after', coalesce(last, after, before - 1, 0) < k.last_seq,
      'epoch', k.epoch, 'rev', k.rev)
    from public.channel_counters k join public.channels c on c.id = k.channel_id where k.channel_id = channel
  );
end
$$;
comment on function public.channel_page is
  'Messages of a channel: the newest, or those before, after or around a number.';

create function public.channel_changes(channel uuid, after_rev bigint) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  access constant app.channel_access := app.require_reader(channel);
  counters public.channel_counters;
  ids uuid[];
begin
  select * into counters from public.channel_counters k where k.channel_id = channel;
  if after_rev between 0 and counters.rev then
    ids := array(
      select c.message_id
      from public.message_changes c
      where c.channel_id = channel and c.rev > after_rev and c.base_seq >= access.history_from_seq
      order by c.rev limit 301);
  end if;
  -- A rev that this server never reached is from before a restore: what the client has stored may be wrong.
  if ids is null or cardinality(ids) > 300 then
    return jsonb_build_object('channel_id', channel, 'reset', true,
      'entry', app.channel_entry_as_json(access.profile_id, channel), 'epoch', counters.epoch, 'rev', counters.rev);
  end if;
  return jsonb_build_object('channel_id', channel, 'reset', false,
    'messages', app.messages_as_json(ids, access.profile_id),
    'entry', case when counters.meta_rev > after_rev then app.channel_entry_as_json(access.profile_id, channel) end,
    'epoch', counters.epoch, 'rev', counters.rev);
end
$$;
comment on function public.channel_changes is
  'The messages that changed after a rev, complete, the channel if it changed, and the rev reached; `reset` if too '
  'much changed.';

create function public.who_can_read(message uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  access constant app.channel_access := app.require_message(message);
begin
  return jsonb_build_object(
    'people', coalesce((
      select jsonb_agg(r.profile_id order by r.profile_id)
      from public.messages m, app.channel_readers(m.channel_id) r
      where m.id = message and r.history_from_seq <= m.base_seq
        and r.profile_id in (select app.my_visible_profile_ids())), '[]'),
    'everyone', access.kind = 'public');
end
$$;
comment on function public.who_can_read is
  'Who can read a message; `everyone` means all full members, besides the listed guests.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
revoke execute on function public.bootstrap, public.heartbeat, public.channel_page, public.channel_changes,
  public.who_can_read from public, anon, authenticated, service_role;
grant execute on function public.bootstrap, public.heartbeat, public.channel_page, public.channel_changes,
  public.who_can_read to authenticated;
