-- Reading: what the app asks for. Each answer comes from one snapshot, so that its rev, its epoch and its rows agree.

create function public.bootstrap(workspace uuid default null) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  me public.profiles;
  here public.workspace_members;
  mine constant uuid[] := array(select app.my_workspace_ids());
begin
  if not app.session_alive() then
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
      where m.workspace_id = here.workspace_id and p.id in (select app.my_people_ids())), '[]'),
    'channels', coalesce((
      select jsonb_agg(app.entry_as_json(me.id, c.id) order by c.created_at, c.id)
      from public.channel_members m
      join public.channels c on c.id = m.channel_id and c.workspace_id = here.workspace_id
      left join public.channel_state s on s.channel_id = c.id and s.profile_id = me.id
      where m.profile_id = me.id and (m.expires_at is null or m.expires_at > now())
        and s.hidden is not true), '[]'),
    'topics', (select s.value from public.settings s where s.key = 'topics'));
end
$$;
comment on function public.bootstrap is
  'Everything an app needs to start, in one answer. Grows with the channels one is in, not with what was said.';

create function app.end_what_expired() returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  channel uuid;
begin
  -- One person a beat, since the channels of two would not be locked in one order.
  update public.workspace_members w set state = 'deactivated', deactivated_at = w.expires_at
  where (w.workspace_id, w.profile_id) = (
    select x.workspace_id, x.profile_id from public.workspace_members x
    where x.expires_at <= now() and x.state = 'active' limit 1 for update skip locked);
  if found then return; end if;
  for channel in
    select distinct m.channel_id from public.channel_members m where m.expires_at <= now() order by m.channel_id
  loop
    -- Counters before members, as leaving and removing lock them.
    perform app.lock_channels(array[channel]);
    delete from public.channel_members m where m.channel_id = channel and m.expires_at <= now();
    if found then perform app.move_meta(channel); end if;
  end loop;
end
$$;
comment on function app.end_what_expired is
  'Rights end by the clock anyway; this ends what already listens, since a moment that passes fires no trigger.';

create function public.beat(workspace uuid, state text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin', 'member', 'guest');
begin
  if beat.state is null or beat.state not in ('active', 'away') then
    raise exception using errcode = 'PT400', message = 'bad_state';
  end if;
  insert into public.heartbeats (profile_id, state, seen_at) values (me, beat.state, clock_timestamp())
  on conflict (profile_id) do update set state = excluded.state, seen_at = excluded.seen_at
  where heartbeats.profile_id = excluded.profile_id;
  perform app.end_what_expired();
  return jsonb_build_object(
    'now', clock_timestamp(),
    'people', coalesce((
      select jsonb_agg(jsonb_build_object('profile_id', h.profile_id, 'state', h.state))
      from public.heartbeats h
      join public.workspace_members w on w.workspace_id = workspace and w.profile_id = h.profile_id
      -- Two beats and a half: one may be lost on the way.
      where h.seen_at > now() - interval '150 seconds' and w.state = 'active'
        and h.profile_id in (select app.my_people_ids())), '[]'),
    'channels', coalesce((
      select jsonb_agg(jsonb_build_object('channel_id', c.id, 'counters', app.counters_as_json(k),
        'counts', app.unread_counts(me, c.id, greatest(s.last_read_seq, m.history_from_seq - 1)),
        'state', app.state_as_json(s)))
      from public.channel_members m
      join public.channels c on c.id = m.channel_id and c.workspace_id = workspace
      join public.channel_counters k on k.channel_id = c.id
      left join public.channel_state s on s.channel_id = c.id and s.profile_id = me
      where m.profile_id = me and (m.expires_at is null or m.expires_at > now())), '[]'));
end
$$;
comment on function public.beat is
  'Each minute: I am here, who else is, and where my channels stand, whichever topics I hold.';

create function public.channel_page(
  channel uuid, before bigint default null, after bigint default null, around bigint default null,
  "limit" integer default 50
) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  reading constant app.reading := app.require_reader(channel);
  size constant integer := least(greatest(coalesce(channel_page."limit", 50), 1), 100);
  floor constant bigint := reading.history_from_seq;
  first bigint;
  last bigint;
  ids uuid[];
begin
  if after is not null then
    select array_agg(p.id order by p.seq), min(p.seq), max(p.seq) into ids, first, last from (
      select m.id, m.seq from public.messages m
      where m.channel_id = channel and m.seq > greatest(after, floor - 1) order by m.seq limit size) p;
  elsif around is not null then
    select array_agg(p.id order by p.seq), min(p.seq), max(p.seq) into ids, first, last from (
      (select m.id, m.seq from public.messages m
        where m.channel_id = channel and m.seq >= floor and m.seq < around order by m.seq desc limit size / 2)
      union all
      (select m.id, m.seq from public.messages m
        where m.channel_id = channel and m.seq >= greatest(around, floor) order by m.seq limit size - size / 2)) p;
  else
    select array_agg(p.id order by p.seq), min(p.seq), max(p.seq) into ids, first, last from (
      select m.id, m.seq from public.messages m
      where m.channel_id = channel and m.seq >= floor and m.seq < coalesce(before, 9223372036854775807)
      order by m.seq desc limit size) p;
  end if;
  return (
    select jsonb_build_object('channel_id', channel,
      'messages', app.messages_as_json(coalesce(ids, '{}'), reading.profile_id),
      -- Numbers have no holes, so they say themselves what lies beyond the page; reading for it would be a scan.
      'has_before', coalesce(first, before, after + 1, k.last_seq + 1) > greatest(floor, c.first_seq)
        and k.last_seq >= floor,
      'has_after', coalesce(last, after, before - 1, 0) < k.last_seq,
      'epoch', k.epoch, 'rev', k.rev)
    from public.channel_counters k join public.channels c on c.id = k.channel_id where k.channel_id = channel
  );
end
$$;
comment on function public.channel_page is 'Messages of a timeline: the newest, or those before, after or around a number.';

create function public.channel_changes(channel uuid, after_rev bigint) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  reading constant app.reading := app.require_reader(channel);
  now_at public.channel_counters;
  ids uuid[];
begin
  select * into now_at from public.channel_counters k where k.channel_id = channel;
  if after_rev between 0 and now_at.rev then
    ids := array(
      select m.id from public.messages m
      where m.channel_id = channel and m.rev > after_rev and m.base_seq >= reading.history_from_seq
      order by m.rev limit 301);
  end if;
  -- A rev that this home never reached comes from before a restore: nothing known then can be trusted.
  if ids is null or cardinality(ids) > 300 then
    return jsonb_build_object('channel_id', channel, 'reset', true,
      'entry', app.entry_as_json(reading.profile_id, channel), 'epoch', now_at.epoch, 'rev', now_at.rev);
  end if;
  return jsonb_build_object('channel_id', channel, 'reset', false,
    'messages', app.messages_as_json(ids, reading.profile_id),
    'entry', case when now_at.meta_rev > after_rev then app.entry_as_json(reading.profile_id, channel) end,
    'epoch', now_at.epoch, 'rev', now_at.rev);
end
$$;
comment on function public.channel_changes is
  'Whole messages that changed after a rev, the channel if it did, and the rev reached; or reset, when too much did.';

create function public.thread_page(
  root uuid, before bigint default null, after bigint default null, "limit" integer default 50
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  reading constant app.reading := app.require_message(root);
  size constant integer := least(greatest(coalesce(thread_page."limit", 50), 1), 100);
  head public.messages;
  first bigint;
  last bigint;
  ids uuid[];
begin
  select * into head from public.messages m where m.id = root and m.thread_root is null;
  if head.id is null then
    raise exception using errcode = 'PT400', message = 'not_a_thread';
  end if;
  if after is not null then
    select array_agg(p.id order by p.thread_seq), min(p.thread_seq), max(p.thread_seq) into ids, first, last from (
      select m.id, m.thread_seq from public.messages m
      where m.channel_id = head.channel_id and m.thread_root = root and m.thread_seq > after
      order by m.thread_seq limit size) p;
  else
    select array_agg(p.id order by p.thread_seq), min(p.thread_seq), max(p.thread_seq) into ids, first, last from (
      select m.id, m.thread_seq from public.messages m
      where m.channel_id = head.channel_id and m.thread_root = root
        and m.thread_seq < coalesce(before, 9223372036854775807)
      order by m.thread_seq desc limit size) p;
  end if;
  return (
    select jsonb_build_object('channel_id', head.channel_id,
      'root', app.messages_as_json(array[root], reading.profile_id) -> 0,
      'messages', app.messages_as_json(coalesce(ids, '{}'), reading.profile_id),
      -- Replies are numbered without holes, so the root's own number says what lies beyond the page.
      'has_before', coalesce(first, before, after + 1, 1) > 1 and head.last_thread_seq > 0,
      'has_after', coalesce(last, after, before - 1, 0) < head.last_thread_seq,
      'epoch', k.epoch, 'rev', k.rev)
    from public.channel_counters k where k.channel_id = head.channel_id
  );
end
$$;
comment on function public.thread_page is 'A root and replies of its thread: the newest, or those before or after a number.';

create function public.search_messages(
  workspace uuid, words text, channel uuid default null, before text default null, "limit" integer default 20
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin', 'member', 'guest');
  size constant integer := least(greatest(coalesce(search_messages."limit", 20), 1), 100);
  wanted constant tsquery := app.words_query(left(search_messages.words, 500));
  since timestamptz := 'infinity';
  since_id uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  ids uuid[];
begin
  if before is not null then
    if before !~ '^[0-9]{1,17} [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
      raise exception using errcode = 'PT400', message = 'bad_cursor';
    end if;
    since := timestamptz 'epoch' + split_part(before, ' ', 1)::bigint * interval '1 microsecond';
    since_id := split_part(before, ' ', 2)::uuid;
  end if;
  -- Rights are applied here rather than by a policy, under which text operators, not being leakproof, would make
  -- every search a scan.
  ids := array(
    select s.message_id
    from public.message_search s
    join app.my_reach() r on r.channel_id = s.channel_id and s.base_seq >= r.history_from_seq
    join public.channels c on c.id = s.channel_id
    where s.words @@ wanted and c.workspace_id = workspace
      and (channel is null or s.channel_id = channel)
      and (s.created_at, s.message_id) < (since, since_id)
    order by s.created_at desc, s.message_id desc limit size + 1);
  return jsonb_build_object(
    'messages', app.messages_as_json(ids[1:size], me),
    'before', case when cardinality(ids) > size then (
      select (extract(epoch from s.created_at) * 1000000)::bigint || ' ' || s.message_id
      from public.message_search s where s.message_id = ids[size]) end);
end
$$;
comment on function public.search_messages is
  'Messages that hold every word (or begin with it), newest first, of what the caller may read.';

create function public.who_can_read(message uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  reading constant app.reading := app.require_message(message);
begin
  return jsonb_build_object(
    'people', coalesce((
      select jsonb_agg(r.profile_id order by r.profile_id)
      from public.messages m, app.channel_readers(m.channel_id) r
      where m.id = message and r.history_from_seq <= m.base_seq
        and r.profile_id in (select app.my_people_ids())), '[]'),
    'everyone', reading.kind = 'public');
end
$$;
comment on function public.who_can_read is 'Who can read a message now; everyone means all full members, and these guests.';

revoke execute on function public.bootstrap, public.beat, public.channel_page, public.channel_changes,
  public.thread_page, public.search_messages, public.who_can_read from public, anon, authenticated, service_role;
grant execute on function public.bootstrap, public.beat, public.channel_page, public.channel_changes,
  public.thread_page, public.search_messages, public.who_can_read to authenticated;

revoke execute on all functions in schema app from public;
