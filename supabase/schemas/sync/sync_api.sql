-- What a client calls to start and to stay up to date: bootstrap, heartbeat, pages and changes of channels.
--
-- A start takes one query for all channels and one for all people, where one function call for each of them took four times
-- as long. The objects that other functions return one at a time (app.channel_as_json, app.channel_member_state_as_json,
-- app.unread_counts, app.profile_as_json) are built in place: PostgreSQL inlines no function that sets its search path. They
-- are json where they are large, which takes half of the time of jsonb.
--
-- Messages of a channel and replies of a thread are numbered without gaps, so that a page is a range of numbers: it is
-- computed in one place, and read by one scan of an index.

-- Starting ---------------------------------------------------------------------------------------------

create function app.channel_entries_as_json(viewer uuid, ids uuid[]) returns json
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  my_groups constant uuid[] := app.group_ids_of(viewer);
begin
  return coalesce((
    select json_agg((
      select entry from (
        select
          (select o from (
            select c.id, c.workspace_id, c.kind, c.name, c.topic, c.description, c.posting, c.archived_at, c.first_seq,
              c.web_since, c.web_files_after_seq is not null as web_files, c.slow_seconds, c.created_by, c.created_at,
              case when c.kind in ('direct', 'group') then (
                select json_agg(p.profile_id order by p.profile_id) from public.channel_members p
                where p.channel_id = c.id) end as people) o) as channel,
          (select o from (select k.last_seq, k.rev, k.meta_rev, k.epoch, k.change_id) o) as counters,
          m.profile_id is not null as member, m.role as channel_role,
          case when c.kind = 'public' and w.role <> 'guest' then 1 else m.history_from_seq end as history_from_seq,
          (select o from (
            select coalesce(s.last_read_seq, 0) as last_read_seq, coalesce(s.read_version, 0) as read_version,
              coalesce(s.notify, 'default') as notify, coalesce(s.muted, false) as muted,
              coalesce(s.starred, false) as starred, s.section_id, s.position,
              coalesce(s.rev, 0) as rev) o) as state,
          (select o from (
            select n.unread, case when n.unread > 0 then (
              select least(count(*), 100) from (
                (select a.seq from public.mentions a
                  where a.profile_id = viewer and a.channel_id = c.id and a.seq > n.read_marker
                  order by a.seq limit 100)
                union
                (select a.seq from public.mentions a
                  where a.profile_id is null and a.group_id is null and a.channel_id = c.id and a.seq > n.read_marker
                    and a.author_id <> viewer
                  order by a.seq limit 100)
                union
                (select a.seq from unnest(my_groups) g (id)
                  cross join lateral (
                    select a.seq from public.mentions a
                    where a.group_id = g.id and a.channel_id = c.id and a.seq > n.read_marker and a.author_id <> viewer
                    order by a.seq limit 100) a)
              ) mentioning) else 0 end as mentions) o) as counts,
          k.last_at as last_message_at
      ) entry) order by c.created_at, c.id)
    from public.channels c
    join public.channel_counters k on k.channel_id = c.id
    join public.workspace_members w on w.workspace_id = c.workspace_id and w.profile_id = viewer
      and w.state = 'active' and (w.access_ends_at is null or w.access_ends_at > now())
    left join public.channel_members m on m.channel_id = c.id and m.profile_id = viewer
      and (m.expires_at is null or m.expires_at > now())
    left join public.channel_member_state s on s.channel_id = c.id and s.profile_id = viewer and m.profile_id is not null
    cross join lateral (
      select r.read_marker, (
        select count(*) from (
          select from public.messages a
          where a.channel_id = c.id and a.seq > r.read_marker and a.seq is not null and a.deleted_at is null
            and a.kind = 'text' and a.author_id <> viewer
          order by a.seq limit 100) newer) as unread
      -- Without a membership there is no read marker, and nothing is unread.
      from (select greatest(s.last_read_seq, m.history_from_seq - 1)
        where m.profile_id is not null offset 0) r (read_marker)
      union all
      select null, 0 where m.profile_id is null
    ) n
    where c.id = any (ids) and (m.profile_id is not null or (c.kind = 'public' and w.role <> 'guest'))
  ), '[]');
end
$$;
comment on function app.channel_entries_as_json is
  'Channels as one of their readers sees them, in the order of their creation: channel, counters, membership, state and '
  'unread counts (as app.unread_counts). Those that the person may not read are left out.';

create function app.channel_entry_as_json(viewer uuid, channel uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (app.channel_entries_as_json(viewer, array[channel]) -> 0)::jsonb;
end
$$;
comment on function app.channel_entry_as_json is
  'A channel as one of its readers sees it: one of app.channel_entries_as_json; null if they may not read it.';

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

-- Digests are compared entry by entry: a request with 160,000 entries took a second of the database.
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

create function public.bootstrap(workspace uuid default null, stored jsonb default null) returns json
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
        and get_byte(uuid_send(m.profile_id), 15) >> 2 = any (buckets)), visible is null);
  end if;
  select * into threads from app.thread_digests(me.id);
  if threads.digests is distinct from stored ->> 'threads' then
    changed.digests := changed.digests || jsonb_build_object('threads', threads.digests);
  end if;
  return json_build_object(
    'now', clock_timestamp(),
    'me', case when here.workspace_id is not null then jsonb_build_object(
      'profile', app.profile_as_json(me), 'role', here.role, 'second_factor', me.second_factor,
      'email', (select u.email from auth.users u where u.id = me.user_id))
      -- Without what most people do not have.
      || jsonb_strip_nulls(jsonb_build_object('expires_at', here.expires_at,
        'deletes_at', (select d.due_at from public.account_deletions d where d.user_id = me.user_id))) end,
    'workspace', app.workspace_as_json(here.workspace_id),
    'workspaces', coalesce((
      select jsonb_agg(app.workspace_as_json(w.id) order by w.created_at, w.id)
      from public.workspaces w where w.id = any (mine)), '[]'),
    'paused_workspaces', app.paused_workspaces_as_json(me.id),
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
comment on function public.bootstrap is
  'Everything that a client needs to start, in one response; for a client that sends the digests of what it has stored, '
  'the differences. Its size depends on the channels of the caller, not on their messages.';

-- An application does not change the presence of its person, who would otherwise seem to be active, and receive neither push
-- notifications nor mails.
create function public.heartbeat(workspace uuid, state text, stored jsonb default null) returns json
language plpgsql volatile security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  membership constant record := app.require_membership(workspace);
  -- The heartbeat of an application does not show that the person is present.
  is_own constant boolean := app.is_first_party_session();
  changed app.differences;
  visible uuid[];
  previous text;
  presence app.presence_difference;
begin
  if heartbeat.state is null or heartbeat.state not in ('active', 'away') then
    raise exception using errcode = 'PT400', message = 'bad_state';
  end if;
  perform app.check_stored_digests(stored);
  if is_own then
    select h.state into previous from public.heartbeats h
    where h.profile_id = membership.profile_id and h.seen_at > now() - interval '150 seconds';
    insert into public.heartbeats (profile_id, state, seen_at)
    values (membership.profile_id, heartbeat.state, clock_timestamp())
    on conflict (profile_id) do update set state = excluded.state, seen_at = excluded.seen_at
    where heartbeats.profile_id = excluded.profile_id;
  end if;
  perform app.end_expired_memberships();
  changed := app.differences_of(membership.profile_id, membership.role, workspace, stored);
  if membership.role = 'guest' then visible := array(select app.my_visible_profile_ids() order by 1); end if;
  perform app.compute_presence(workspace, is_own and previous is distinct from heartbeat.state);
  presence := app.presence_since(workspace, stored ->> 'presence', visible);
  return json_build_object(
    'now', clock_timestamp(),
    'presence', json_build_object('complete', presence.is_complete, 'changes', presence.changes),
    'people', presence.people,
    'channels', changed.channels,
    'threads', changed.threads,
    'sections', changed.sections,
    'own', changed.own,
    'workspace_counters', app.workspace_counters_as_json(workspace, membership.role),
    'digests', changed.digests || jsonb_build_object('presence', presence.cursor));
end
$$;
comment on function public.heartbeat is
  'Called every 20 to 60 seconds: stores the caller''s presence, unless an application calls it. Returns what of the caller''s '
  'channels, unread threads and sections is not as the digests `stored` describe, and what has changed of the presence of '
  'others since the cursor `stored.presence`; everything without them.';

-- Pages and changes ------------------------------------------------------------------------------------

create function app.page_range(
  first bigint, last bigint, max_size integer, before bigint, after bigint, around bigint,
  out lower bigint, out upper bigint, out size bigint
)
language plpgsql immutable set search_path = ''
as $$
declare
  count constant integer := least(greatest(coalesce(max_size, 50), 1), 100);
  -- Not so far outside that adding the size overflows.
  start constant bigint := greatest(least(around, last + 1), first);
begin
  if after is not null then
    lower := greatest(least(after, last) + 1, first);
    upper := least(lower + count - 1, last);
  elsif around is not null then
    lower := greatest(start - count / 2, first);
    upper := least(start + count - count / 2 - 1, last);
  else
    upper := least(greatest(coalesce(before, last + 1), first), last + 1) - 1;
    lower := greatest(upper - count + 1, first);
  end if;
  size := greatest(upper - lower + 1, 0);
end
$$;
comment on function app.page_range is
  'The numbers of a page among `first` to `last`, and how many: the newest, or those before, after or around a number, half '
  'of them from it on. `max_size`: 1 to 100, 50 if null.';

create function public.channel_page(
  channel uuid, before bigint default null, after bigint default null, around bigint default null,
  "limit" integer default 50
) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  access constant app.channel_access := app.require_reader(channel);
  counters public.channel_counters;
  first bigint;
  page record;
begin
  select * into counters from public.channel_counters k where k.channel_id = channel;
  select greatest(access.history_from_seq, c.first_seq) into first from public.channels c where c.id = channel;
  page := app.page_range(first, counters.last_seq, channel_page."limit", before, after, around);
  return jsonb_build_object('channel_id', channel,
    'messages', app.messages_as_json(array(
      select m.id from public.messages m
      where m.channel_id = channel and m.seq >= page.lower order by m.seq limit page.size), access.profile_id),
    'has_before', page.lower > first, 'has_after', page.upper < counters.last_seq,
    'epoch', counters.epoch, 'rev', counters.rev);
end
$$;
comment on function public.channel_page is
  'Messages of a channel: the newest, or those before, after or around a number.';

-- A conversation is opened at a date by this message.
create function public.message_at(channel uuid, since timestamptz) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  access constant app.channel_access := app.require_reader(channel);
  first bigint;
  lower bigint;
  upper bigint;
  middle bigint;
  found jsonb;
begin
  select greatest(access.history_from_seq, c.first_seq), k.last_seq + 1 into first, upper
  from public.channels c join public.channel_counters k on k.channel_id = c.id
  where c.id = channel;
  lower := first;
  -- Messages are numbered without gaps in the order of their time: each step reads one row by its number.
  while lower < upper loop
    middle := lower + (upper - lower) / 2;
    if exists (
      select from public.messages m where m.channel_id = channel and m.seq = middle and m.created_at < since)
    then
      lower := middle + 1;
    else
      upper := middle;
    end if;
  end loop;
  -- The condition of the index messages_unread, which has no deleted messages.
  select jsonb_build_object('id', m.id, 'seq', m.seq, 'created_at', m.created_at) into found
  from public.messages m
  where m.channel_id = channel and m.seq >= lower
    and m.seq is not null and m.deleted_at is null and m.kind = 'text'
  order by m.seq limit 1;
  if found is null then
    select jsonb_build_object('id', m.id, 'seq', m.seq, 'created_at', m.created_at) into found
    from public.messages m
    where m.channel_id = channel and m.seq >= first and m.seq < lower
      and m.seq is not null and m.deleted_at is null and m.kind = 'text'
    order by m.seq desc limit 1;
  end if;
  return jsonb_build_object('message', found);
end
$$;
comment on function public.message_at is
  'The first message of a channel at or after a time (without one: of all), else the last one before it; null in a channel '
  'without messages. Deleted and system messages and those before the start of the caller''s history are left out.';

create function public.channel_changes(channel uuid, after_rev bigint, known jsonb default null) returns jsonb
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

create function public.who_can_read(message uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  access constant app.channel_access := app.require_message(message);
  readers uuid[];
begin
  readers := array(
    select r.profile_id
    from public.messages m, app.channel_readers(m.channel_id) r
    where m.id = message and r.history_from_seq <= m.history_seq
      and r.profile_id in (select app.my_visible_profile_ids())
    order by r.profile_id);
  return jsonb_build_object(
    'people', to_jsonb(readers),
    'members', to_jsonb(array(
      select c.profile_id
      from public.messages m
      join public.channel_members c on c.channel_id = m.channel_id
      where m.id = message and c.profile_id = any (readers) and (c.expires_at is null or c.expires_at > now())
      order by c.profile_id)),
    'everyone', access.kind = 'public');
end
$$;
comment on function public.who_can_read is
  'Who can read a message and its files. `members`: those of them who are members of its channel; the others are full '
  'members of the workspace, who read every public channel. `everyone` means all full members, besides the listed '
  'guests.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.bootstrap, public.heartbeat, public.channel_page, public.message_at,
  public.channel_changes, public.who_can_read from public, anon, authenticated, service_role;
grant execute on function public.bootstrap, public.heartbeat, public.channel_page, public.message_at,
  public.channel_changes, public.who_can_read to authenticated;
