-- Differences: a client that has stored rows sends digests of them, and gets the rows that are not the same any more.
-- Decision 25 has the reasons.
--
-- Rows of a kind are divided into 64 buckets by the last bits of their id. A digest is six characters; the digests of a
-- kind are one text, bucket by bucket. They are computed from what the caller may see at that moment: a membership that
-- ended, a role, a history start or a restored backup is a difference like any other. Clients return digests as they
-- received them and compute none, so what is hashed may change with any release.

create function app.join_digests(buckets integer[], hashes bigint[]) returns text
language sql immutable set search_path = ''
as $$
  select string_agg(coalesce(d.digest, 'AAAAAA'), '' order by b.bucket)
  from generate_series(0, 63) b (bucket)
  left join (
    select u.bucket, left(encode(int8send(u.hash), 'base64'), 6) as digest
    from unnest(buckets, hashes) u (bucket, hash)) d on d.bucket = b.bucket
$$;
comment on function app.join_digests is 'The digests of all buckets as one text; that of an empty bucket is AAAAAA.';

create function app.changed_buckets(stored text, current text) returns integer[]
language sql immutable set search_path = ''
as $$
  select array(
    select b.bucket from generate_series(0, 63) b (bucket)
    where stored is null or substr(stored, b.bucket * 6 + 1, 6) <> substr(current, b.bucket * 6 + 1, 6))
$$;
comment on function app.changed_buckets is 'The buckets whose digest a client does not have; all without digests.';

create function app.digest_of(value text) returns text
language sql immutable set search_path = ''
as $$ select left(encode(int8send(hashtextextended(coalesce(value, ''), 0)), 'base64'), 6) $$;
comment on function app.digest_of is 'The digest of a list that is sent as a whole.';

-- Kinds ------------------------------------------------------------------------------------------------

create function app.people_digests(workspace uuid, visible uuid[]) returns text
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  return (
    select app.join_digests(array_agg(d.bucket), array_agg(d.hash)) from (
      select get_byte(uuid_send(p.id), 15) >> 2 as bucket, bit_xor(hash_record_extended(row(p.id, p.kind, p.name,
        p.avatar, p.status_emoji, p.status_text, p.status_expires_at, p.presence, p.presence_until, w.role,
        w.state, w.expires_at <= now()), 0)) as hash
      from public.workspace_members w join public.profiles p on p.id = w.profile_id
      where w.workspace_id = workspace and (visible is null or p.id = any (visible))
      group by 1
    ) d
  );
end
$$;
comment on function app.people_digests is 'Of the members of a workspace; of all if `visible` is null.';

create function app.channel_digests(viewer uuid, workspace uuid) returns text
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  return (
    select app.join_digests(array_agg(d.bucket), array_agg(d.hash)) from (
      select get_byte(uuid_send(c.id), 15) >> 2 as bucket, bit_xor(hash_record_extended(row(c, m.role,
        case when c.kind = 'public' and w.role <> 'guest' then 1 else m.history_from_seq end,
        k.last_seq, k.rev, k.change_id, k.meta_rev, k.epoch, k.last_at,
        s.last_read_seq, s.read_version, s.notify, s.muted, s.starred, s.section_id, s.position), 0)) as hash
      from public.workspace_members w
      join public.channel_members m on m.profile_id = w.profile_id and (m.expires_at is null or m.expires_at > now())
      join public.channels c on c.id = m.channel_id and c.workspace_id = w.workspace_id
      join public.channel_counters k on k.channel_id = c.id
      left join public.channel_state s on s.channel_id = c.id and s.profile_id = viewer
      where w.workspace_id = workspace and w.profile_id = viewer and s.hidden is not true
      group by 1
    ) d
  );
end
$$;
comment on function app.channel_digests is
  'Of the channels that app.channel_entries_as_json returns to a member. Unread counts follow from these columns.';

create function app.thread_digests(viewer uuid, out digests text, out since timestamptz)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  select app.join_digests(array_agg(d.bucket), array_agg(d.hash)), min(d.since) into digests, since from (
    select get_byte(uuid_send(n.root_id), 15) >> 2 as bucket,
      bit_xor(hash_record_extended(row(n.root_id, n.last_read_thread_seq, n.read_version, n.has_unread, n.reply_at), 0))
        as hash,
      min(n.reply_at) filter (where n.ordinal = 400) as since
    from (
      select t.*, row_number() over (order by t.reply_at desc, t.root_id desc) as ordinal
      from public.thread_members t
      where t.profile_id = viewer and t.follows and t.reply_at is not null
      order by t.reply_at desc, t.root_id desc limit 400) n
    group by 1
  ) d;
end
$$;
comment on function app.thread_digests is
  'Of the 400 threads with the latest replies that a person follows; `since` is the time of the last of so many, null if '
  'there are fewer.';

create function app.unread_thread_rows(viewer uuid, workspace uuid)
returns table (root_id uuid, reply_at timestamptz, read_version bigint, rev bigint, change_id bigint)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
    select t.root_id, t.reply_at, t.read_version, k.rev, k.change_id
    from public.workspace_members w
    join public.thread_members t on t.profile_id = w.profile_id
    cross join lateral (
      select h.channel_id, h.base_seq from public.messages h where h.id = t.root_id offset 0) h
    cross join lateral (
      select m.history_from_seq from public.channel_members m
      where m.channel_id = h.channel_id and m.profile_id = viewer and (m.expires_at is null or m.expires_at > now())
      offset 0) m
    join public.channels c on c.id = h.channel_id and c.workspace_id = w.workspace_id
    join public.channel_counters k on k.channel_id = h.channel_id
    where w.workspace_id = workspace and w.profile_id = viewer
      and w.state = 'active' and (w.expires_at is null or w.expires_at > now())
      and t.follows and t.has_unread and t.reply_at is not null
      and (m.history_from_seq <= h.base_seq or (c.kind = 'public' and w.role <> 'guest'))
      and not exists (
        select from public.channel_state s
        where s.channel_id = h.channel_id and s.profile_id = viewer and s.hidden)
    order by t.reply_at desc, t.root_id desc limit 100;
end
$$;
comment on function app.unread_thread_rows is
  'The threads of app.unread_threads, with what changes when one of them does.';

create or replace function app.unread_threads(viewer uuid, workspace uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce((
    select jsonb_agg(app.thread_as_json(viewer, r.root_id) order by r.reply_at desc, r.root_id desc)
    from app.unread_thread_rows(viewer, workspace) r
  ), '[]');
end
$$;

create function app.presence_digests(workspace uuid, visible uuid[]) returns text
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  return (
    select app.join_digests(array_agg(d.bucket), array_agg(d.hash)) from (
      select get_byte(uuid_send(h.profile_id), 15) >> 2 as bucket,
        bit_xor(hash_record_extended(row(h.profile_id, h.state), 0)) as hash
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
comment on function app.presence_digests is 'Of the people who are present; of all members if `visible` is null.';

create function app.visible_people(workspace uuid) returns uuid[]
language plpgsql stable security definer set search_path = ''
as $$
begin
  if app.my_role(workspace) <> 'guest' then return null; end if;
  return array(select app.my_visible_profile_ids());
end
$$;
comment on function app.visible_people is
  'The people whom a guest may see; null for full members, who see all members of their workspace.';

-- Differences ------------------------------------------------------------------------------------------

create type app.differences as (digests jsonb, channels json, threads jsonb, sections jsonb);
comment on type app.differences is
  'Rows that are not as a client has stored them, whole buckets and lists, and the digests of kinds that changed.';

create function app.differences_of(viewer uuid, workspace uuid, stored jsonb) returns app.differences
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  changed app.differences;
  digest text := app.channel_digests(viewer, workspace);
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
  digest := app.digest_of((select string_agg(r::text, '' order by r.root_id)
    from app.unread_thread_rows(viewer, workspace) r));
  if digest is distinct from stored ->> 'unread' then
    changed.digests := changed.digests || jsonb_build_object('unread', digest);
    changed.threads := app.unread_threads(viewer, workspace);
  end if;
  changed.sections := app.sections_as_json(viewer, workspace);
  digest := app.digest_of(changed.sections::text);
  if digest is distinct from stored ->> 'sections' then
    changed.digests := changed.digests || jsonb_build_object('sections', digest);
  else
    changed.sections := '[]';
  end if;
  return changed;
end
$$;
comment on function app.differences_of is
  'What of a person''s channels, unread threads and sections is not as the digests `stored` describe; everything if it '
  'is null. Checks no rights: the caller has.';

drop function public.bootstrap;
create function public.bootstrap(workspace uuid default null, stored jsonb default null) returns json
language plpgsql stable security definer set search_path = ''
as $$
declare
  me public.profiles;
  here public.workspace_members;
  mine constant uuid[] := array(select app.my_workspace_ids());
  changed app.differences;
  visible uuid[];
  people text;
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
  changed := app.differences_of(me.id, here.workspace_id, stored);
  visible := app.visible_people(here.workspace_id);
  people := app.people_digests(here.workspace_id, visible);
  if people is distinct from stored ->> 'people' then
    changed.digests := changed.digests || jsonb_build_object('people', people);
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
    'members', case when changed.digests ? 'people' then app.members_as_json(here.workspace_id, array(
      select m.profile_id from public.workspace_members m
      where m.workspace_id = here.workspace_id and (visible is null or m.profile_id = any (visible))
        and get_byte(uuid_send(m.profile_id), 15) >> 2 = any (app.changed_buckets(stored ->> 'people', people))))
      else '[]' end,
    'channels', changed.channels,
    'threads', changed.threads,
    'threads_since', threads.since,
    'sections', changed.sections,
    'people_counters', app.workspace_counters_as_json(here.workspace_id),
    'topics', (select s.value from public.settings s where s.key = 'topics'),
    'digests', changed.digests);
end
$$;
comment on function public.bootstrap is
  'Everything that a client needs to start, in one response; for a client that sends the digests of what it has stored, '
  'the differences. Its size depends on the channels of the caller, not on their messages.';

drop function public.heartbeat;
create function public.heartbeat(workspace uuid, state text, stored jsonb default null) returns json
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin', 'member', 'guest');
  changed app.differences;
  visible uuid[];
  presence text;
begin
  if heartbeat.state is null or heartbeat.state not in ('active', 'away') then
    raise exception using errcode = 'PT400', message = 'bad_state';
  end if;
  insert into public.heartbeats (profile_id, state, seen_at) values (me, heartbeat.state, clock_timestamp())
  on conflict (profile_id) do update set state = excluded.state, seen_at = excluded.seen_at
  where heartbeats.profile_id = excluded.profile_id;
  perform app.end_expired_memberships();
  changed := app.differences_of(me, workspace, stored);
  visible := app.visible_people(workspace);
  presence := app.presence_digests(workspace, visible);
  if presence is distinct from stored ->> 'presence' then
    changed.digests := changed.digests || jsonb_build_object('presence', presence);
  end if;
  return json_build_object(
    'now', clock_timestamp(),
    'people', case when changed.digests ? 'presence' then coalesce((
      select json_agg(json_build_object('profile_id', h.profile_id, 'state', h.state))
      from public.heartbeats h
      join public.workspace_members w on w.workspace_id = workspace and w.profile_id = h.profile_id
      where h.seen_at > now() - interval '150 seconds' and w.state = 'active'
        and (visible is null or h.profile_id = any (visible))
        and get_byte(uuid_send(h.profile_id), 15) >> 2
          = any (app.changed_buckets(stored ->> 'presence', presence))), '[]') else '[]' end,
    'channels', changed.channels,
    'threads', changed.threads,
    'sections', changed.sections,
    'people_counters', app.workspace_counters_as_json(workspace),
    'digests', changed.digests);
end
$$;
comment on function public.heartbeat is
  'Called each minute: stores the caller''s presence, and returns what of the presence of others, of the caller''s '
  'channels, unread threads and sections is not as the digests `stored` describe; everything without them.';

-- Changes of a channel ---------------------------------------------------------------------------------

drop function public.channel_changes;
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
    -- Null if none is confirmed, where least() alone would return after_rev.
    select case when max(n.rev) is not null then least(max(n.rev), after_rev) end into confirmed
    from (
      select (e.value ->> 0)::bigint as rev, (e.value ->> 1)::bigint as change_id
      from jsonb_array_elements(known) with ordinality e (value, ordinal) where e.ordinal <= 20) n
    where (n.rev = counters.rev and n.change_id = counters.change_id) or exists (
      select from public.message_changes c
      where c.channel_id = channel and c.rev = n.rev and c.change_id = n.change_id);
  end if;
  if after_rev <= counters.rev and confirmed >= 0 then
    ids := array(
      select c.message_id
      from public.message_changes c
      where c.channel_id = channel and c.rev > confirmed and c.base_seq >= access.history_from_seq
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
  'ids of changes that the client has (20 at most); where the server does not have the latest of them, the changes after '
  'the latest one that it has, which is `after`. `reset` if it has none, or too much changed.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
revoke execute on function public.bootstrap, public.heartbeat, public.channel_changes
  from public, anon, authenticated, service_role;
grant execute on function public.bootstrap, public.heartbeat, public.channel_changes to authenticated;
