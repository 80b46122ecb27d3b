-- Read markers of channels. Unread counts are derived from them and never stored, so that they cannot drift.
--
-- recount_unread counts without the numbers that mentions have copied from their message, and so verifies them.

-- Channels ---------------------------------------------------------------------------------------------

create function app.unread_counts(viewer uuid, channel uuid, read_marker bigint) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  unread integer;
  mentions integer;
begin
  select count(*) into unread from (
    select from public.messages m
    where m.channel_id = channel and m.seq > read_marker and m.seq is not null and m.deleted_at is null
      and m.kind = 'text' and m.author_id <> viewer
    order by m.seq limit 100
  ) newer;
  if unread = 0 then return '{"unread": 0, "mentions": 0}'; end if;
  -- A message that mentions a person by name and the whole channel counts once.
  select count(*) into mentions from (
    (select n.seq from public.mentions n
      where n.profile_id = viewer and n.channel_id = channel and n.seq > read_marker order by n.seq limit 100)
    union
    (select n.seq from public.mentions n
      where n.profile_id is null and n.group_id is null and n.channel_id = channel and n.seq > read_marker
        and n.author_id <> viewer
      order by n.seq limit 100)
    union
    (select a.seq from unnest(app.group_ids_of(viewer)) g (id)
      cross join lateral (
        select n.seq from public.mentions n
        where n.group_id = g.id and n.channel_id = channel and n.seq > read_marker and n.author_id <> viewer
        order by n.seq limit 100) a)
  ) mentioning;
  return jsonb_build_object('unread', unread, 'mentions', least(mentions, 100));
end
$$;
comment on function app.unread_counts is
  'Unread messages and mentions after a read marker. Stops at 100 ("99+"); deleted, own and system messages do not '
  'count.';

create function app.read_marker_response(access app.channel_access, channel uuid, applied boolean) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select jsonb_build_object('channel_id', channel, 'applied', applied, 'state', app.channel_member_state_as_json(s),
      'counts', app.unread_counts(s.profile_id, channel, greatest(s.last_read_seq, access.history_from_seq - 1)))
    from public.channel_member_state s where s.channel_id = channel and s.profile_id = access.profile_id
  );
end
$$;
comment on function app.read_marker_response is
  'The response of commands that move a read marker: the state of the channel and its unread counts.';

create function public.mark_read(channel uuid, seq bigint, read_version bigint) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access constant app.channel_access := app.require_channel_member(channel);
  reached bigint;
  applied boolean;
begin
  select least(mark_read.seq, k.last_seq) into reached from public.channel_counters k where k.channel_id = channel;
  update public.channel_member_state s set last_read_seq = reached, read_version = s.read_version + 1
  where s.channel_id = channel and s.profile_id = access.profile_id
    and s.read_version = mark_read.read_version and s.last_read_seq < reached;
  applied := found or exists (
    select from public.channel_member_state s
    where s.channel_id = channel and s.profile_id = access.profile_id and s.read_version = mark_read.read_version);
  return app.read_marker_response(access, channel, applied);
end
$$;
comment on function public.mark_read is
  'Advances the caller''s read marker if nobody moved it since `read_version`; otherwise returns the current one.';

create function public.mark_unread(channel uuid, seq bigint) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access constant app.channel_access := app.require_channel_member(channel);
begin
  update public.channel_member_state s
  set last_read_seq = greatest(mark_unread.seq - 1, 0), read_version = s.read_version + 1
  where s.channel_id = channel and s.profile_id = access.profile_id
    and s.last_read_seq > greatest(mark_unread.seq - 1, 0);
  return app.read_marker_response(access, channel, true);
end
$$;
comment on function public.mark_unread is
  'Makes everything from `seq` on unread again: the only command that lowers a read marker.';

-- Read receipts ----------------------------------------------------------------------------------------

create function app.shares_reads(person uuid, workspace uuid) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce((
    select f.shares_reads from public.notification_preferences f
    where f.profile_id = person and f.workspace_id = workspace), false);
end
$$;
comment on function app.shares_reads is 'Whether a person lets others see what they have read in a workspace.';

create function public.seen_by(message uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  max_people constant integer := 12;
  access constant app.channel_access := app.require_message(message);
  target public.messages;
  mode text;
begin
  select m.* into target from public.messages m where m.id = message;
  select w.read_receipts into mode from public.workspaces w where w.id = access.workspace_id;
  if mode = 'off' or (mode = 'members' and exists (
    select from app.channel_readers(target.channel_id) r
    join public.workspace_members w on w.workspace_id = access.workspace_id and w.profile_id = r.profile_id
    join public.profiles p on p.id = r.profile_id
    -- Bots are guests too, but no people.
    where w.role = 'guest' and p.kind <> 'bot'))
    or (select count(*) from (
      select from app.channel_readers(target.channel_id) r
      join public.profiles p on p.id = r.profile_id and p.kind <> 'bot'
      limit max_people + 1) people) > max_people
  then
    raise exception using errcode = 'PT403', message = 'read_receipts_off';
  end if;
  if not app.shares_reads(access.profile_id, access.workspace_id) then
    raise exception using errcode = 'PT403', message = 'reads_not_shared';
  end if;
  return jsonb_build_object('people', to_jsonb(array(
    select r.profile_id
    from app.channel_readers(target.channel_id) r
    join public.profiles p on p.id = r.profile_id and p.kind <> 'bot'
    left join public.channel_member_state s on s.channel_id = target.channel_id and s.profile_id = r.profile_id
    left join public.thread_members t on t.root_id = target.thread_root and t.profile_id = r.profile_id
    where r.history_from_seq <= target.history_seq and r.profile_id <> target.author_id
      and r.profile_id in (select app.my_visible_profile_ids())
      and app.shares_reads(r.profile_id, access.workspace_id)
      and (s.last_read_seq >= target.seq or t.last_read_thread_seq >= target.thread_seq)
    order by r.profile_id)));
end
$$;
comment on function public.seen_by is
  'Who has read up to a message, without its author, of those who share it; from their read markers, so that nothing is '
  'stored or broadcast. Fails with read_receipts_off unless the workspace has switched it on, for channels with guests too '
  'where the channel has some, and where more than 12 people can read. Fails with reads_not_shared if the caller does not '
  'share it.';

-- Recounting -------------------------------------------------------------------------------------------

create function public.recount_unread(workspace uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin', 'member', 'guest');
  max_examined constant integer := 1000;
begin
  return jsonb_build_object(
    'channels', coalesce((
      select jsonb_agg(jsonb_build_object('channel_id', m.channel_id,
        'unread', least(counted.unread, 100), 'mentions', least(counted.mentions, 100)))
      from public.channel_members m
      join public.channel_member_state s on s.channel_id = m.channel_id and s.profile_id = me
      cross join lateral (
        select count(*) as examined, count(*) filter (where later.counts) as unread,
          count(*) filter (where later.counts and exists (
            select from public.mentions n
            where n.message_id = later.id and n.seq is not null and app.concerns_person(n, me)
          )) as mentions
        from (
          select r.id, r.kind = 'text' and r.deleted_at is null and r.author_id <> me as counts
          from public.messages r
          where r.channel_id = m.channel_id and r.seq > greatest(s.last_read_seq, m.history_from_seq - 1)
          order by r.seq limit max_examined) later) counted
      where m.profile_id = me and m.workspace_id = workspace and (m.expires_at is null or m.expires_at > now())
        and counted.examined < max_examined), '[]'),
    'threads', coalesce((
      select jsonb_agg(jsonb_build_object('root_id', t.root_id,
        'unread', least(counted.unread, 100), 'mentions', least(counted.mentions, 100)))
      from (
        select f.root_id, f.last_read_thread_seq, f.channel_id from app.followed_threads(me, true) f
        where app.is_thread_visible(me, workspace, f.channel_id, f.history_seq)
        order by f.last_reply_at desc, f.root_id desc limit 100) t
      cross join lateral (
        select count(*) as examined, count(*) filter (where later.counts) as unread,
          count(*) filter (where later.counts and exists (
            select from public.mentions n
            where n.message_id = later.id and n.thread_seq is not null and app.concerns_person(n, me)
          )) as mentions
        from (
          select r.id, r.deleted_at is null and r.author_id <> me as counts
          from public.messages r
          where r.channel_id = t.channel_id and r.thread_root = t.root_id and r.thread_seq > t.last_read_thread_seq
          order by r.thread_seq limit max_examined) later) counted
      where counted.examined < max_examined), '[]'));
end
$$;
comment on function public.recount_unread is
  'Counts the caller''s unread messages and mentions message by message. Conversations with 1,000 or more messages after the '
  'read marker are left out, since counts end at 100. At most 100 threads.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.mark_read, public.mark_unread, public.seen_by, public.recount_unread
  from public, anon, authenticated, service_role;
grant execute on function public.mark_read, public.mark_unread, public.seen_by, public.recount_unread to authenticated;
