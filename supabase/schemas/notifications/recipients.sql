-- Who is notified of a message, and how.
--
-- One pure function decides from facts of the message, preferences and devices; one query evaluates it for all members of a
-- channel. Whoever delivers (pages, push, mail) uses its result.

-- Decision ---------------------------------------------------------------------------------------------

create function app.is_quiet(days smallint[], begins time, ends time, zone text, at timestamptz) returns boolean
language sql immutable set search_path = ''
as $$
  select coalesce(case
    when begins < ends then extract(isodow from l.local)::smallint = any (days)
      and l.local::time >= begins and l.local::time < ends
    else (extract(isodow from l.local)::smallint = any (days) and l.local::time >= begins)
      or (extract(isodow from l.local - interval '1 day')::smallint = any (days) and l.local::time < ends)
    end, false)
  from (select at at time zone zone as local) l
$$;
comment on function app.is_quiet is
  'Whether a time is within a quiet period. Compares the local clock, so that a period begins and ends at the same local '
  'time when daylight-saving time begins or ends. From and to the same time: the whole day.';

create function app.notification_decision(
  is_direct boolean default false, is_reply boolean default false, mention text default null,
  has_keyword boolean default false, follows_thread boolean default false,
  channel_level text default 'default', workspace_level text default 'mentions', is_muted boolean default false,
  is_quiet boolean default false, may_interrupt boolean default false,
  page text default null, has_push boolean default false
) returns text
language sql immutable set search_path = ''
as $$
  select case
    when not f.is_wanted and not f.is_addressed then 'none'
    when is_muted or f.level = 'nothing' or not f.is_wanted then 'badge'
    when is_quiet and not may_interrupt then 'badge'
    when page = 'active' then 'desktop'
    when has_push then 'push'
    when page = 'away' then 'desktop'
    else 'mail'
  end
  from (
    select l.level, m.is_mentioned or (is_direct and not is_reply) as is_addressed,
      coalesce(m.is_mentioned or (has_keyword and not is_muted) or (is_reply and follows_thread and not is_muted)
        or (l.level = 'all' and not is_reply and not is_muted), false) as is_wanted
    from (select case when channel_level <> 'default' then channel_level
        when is_direct then 'all' else workspace_level end as level) l,
      (select coalesce(mention = 'person'
        or (mention in ('channel', 'group') and (not is_reply or follows_thread))
        or (mention = 'here' and page = 'active' and (not is_reply or follows_thread)), false) as is_mentioned) m
  ) f
$$;
comment on function app.notification_decision is
  'How a person is notified of an unread message that they may read: `none`, `badge` (counted, without a notification), '
  '`desktop` (by an open page), `push`, or `mail` after a delay. `mention`: `person`, `group`, `channel` or `here`. `page`: '
  '`active` or `away` if a page is open, else null. In threads only mentions by name, and what concerns followers.';

create function app.notification_recipients(message uuid, push_people uuid[] default '{}', people uuid[] default null)
returns table (profile_id uuid, decision text)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  sent public.messages;
  words text;
begin
  select m.* into sent from public.messages m
  where m.id = message and m.deleted_at is null and m.kind = 'text' and not coalesce(m.extras ?| '{moved,moved_to}', false);
  if sent.id is null then return; end if;
  words := app.fold_phrase(sent.body);
  return query
    select d.profile_id, d.decision
    from (
      select r.profile_id, app.notification_decision(
        is_direct => c.kind in ('direct', 'group'), is_reply => sent.seq is null, mention => n.kind,
        has_keyword => exists (select from unnest(f.keyword_patterns) k where strpos(words, k) > 0),
        follows_thread => coalesce(t.follows, false),
        channel_level => coalesce(s.notify, 'default'), workspace_level => coalesce(f.level, 'mentions'),
        is_muted => coalesce(s.muted, false),
        is_quiet => (p.presence = 'dnd' and (p.presence_until is null or p.presence_until > now()))
          or coalesce(app.is_quiet(f.quiet_days, f.quiet_from, f.quiet_to, f.time_zone, now()), false),
        may_interrupt => coalesce(sent.author_id = any (f.may_interrupt), false),
        page => h.state, has_push => r.profile_id = any (push_people)) as decision
      from public.channels c
      join public.channel_members r on r.channel_id = c.id and r.profile_id <> sent.author_id
        and (r.expires_at is null or r.expires_at > now()) and (people is null or r.profile_id = any (people))
      join public.profiles p on p.id = r.profile_id and p.kind = 'person' and p.user_id is not null
      join public.workspace_members w on w.workspace_id = c.workspace_id and w.profile_id = r.profile_id
        and w.state = 'active' and (w.access_ends_at is null or w.access_ends_at > now())
      left join public.channel_member_state s on s.channel_id = c.id and s.profile_id = r.profile_id
      left join public.notification_preferences f on f.workspace_id = c.workspace_id and f.profile_id = r.profile_id
      left join public.heartbeats h on h.profile_id = r.profile_id and h.seen_at > now() - interval '90 seconds'
        and (h.left_at > h.seen_at) is not true
      left join public.thread_members t on t.root_id = sent.thread_root and t.profile_id = r.profile_id
      left join lateral (
        select n.kind from public.mentions n
        where n.message_id = sent.id and case
          when n.group_id is not null then exists (
            select from public.user_group_members g where g.profile_id = r.profile_id and g.group_id = n.group_id)
          else n.profile_id is null or n.profile_id = r.profile_id end
        order by case n.kind when 'person' then 1 when 'here' then 3 else 2 end limit 1) n on true
      where c.id = sent.channel_id
        and (r.history_from_seq <= sent.history_seq or (c.kind = 'public' and w.role <> 'guest'))
        and (c.kind in ('public', 'private') or not exists (
          select from public.blocks b where b.profile_id = r.profile_id and b.blocked_id = sent.author_id))
        and (sent.seq is null or sent.seq > coalesce(s.last_read_seq, 0))
        and (sent.thread_seq is null or sent.thread_seq > coalesce(t.last_read_thread_seq, 0))
    ) d
    where d.decision <> 'none';
end
$$;
comment on function app.notification_recipients is
  'The members of a channel who are notified of a message, each with how; see notification_decision. Of members only who '
  'may read the message and has not read it. `push_people`: who has a device that receives push messages. `people`: '
  'evaluates for these only. One query: 2,000 members are one scan of their channel. Checks no rights of the caller.';

-- Text of pushes and mails -----------------------------------------------------------------------------

create function app.sees_person(person uuid, other uuid, channel uuid) returns boolean
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  return exists (
    select from public.channels c
    join public.workspace_members r on r.workspace_id = c.workspace_id and r.profile_id = person
    join public.workspace_members o on o.workspace_id = c.workspace_id and o.profile_id = other
    where c.id = channel and r.state = 'active' and (r.expires_at is null or r.expires_at > now())
      and (r.role <> 'guest' or exists (
        select from public.channel_members m where m.channel_id = c.id and m.profile_id = other)));
end
$$;
comment on function app.sees_person is
  'Whether a reader of the channel may see the name of another person: members see those of the workspace, guests those '
  'of the channel.';

create function app.conversation_title(person uuid, channel uuid) returns text
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  return (
    select case when c.kind in ('public', 'private') then '#' || c.name else (
      select string_agg(p.name, ', ' order by p.name)
      from public.channel_members m join public.profiles p on p.id = m.profile_id
      where m.channel_id = c.id and m.profile_id <> person) end
    from public.channels c where c.id = channel);
end
$$;
comment on function app.conversation_title is
  'What notifications call a conversation: the name of a channel, or the other people of a direct or group conversation.';

-- Pages ------------------------------------------------------------------------------------------------

-- A page and a device never notify of the same message: both know who has devices.
create function public.my_notifications(channels uuid[], revs bigint[]) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  me constant uuid := app.require_profile();
  push_people constant uuid[] := array(select distinct p.profile_id from app.live_push_subscriptions(array[me]) p);
begin
  if coalesce(cardinality(channels), 0) > 20 or cardinality(channels) is distinct from cardinality(revs) then
    raise exception using errcode = 'PT400', message = 'too_many';
  end if;
  return coalesce((
    select jsonb_agg(jsonb_build_object('id', m.id, 'workspace_id', h.workspace_id, 'channel_id', m.channel_id,
      'seq', m.seq, 'thread_root', m.thread_root, 'thread_seq', m.thread_seq,
      'title', app.conversation_title(me, m.channel_id),
      'author', case when h.kind <> 'direct' then (select p.name from public.profiles p where p.id = m.author_id) end,
      'body', app.push_text(me, m), 'created_at', m.created_at,
      -- The page that calls is open, also if another device has just closed one.
      'decision', case when d.decision = 'mail' then 'desktop' else d.decision end) order by m.created_at, m.id)
    from unnest(channels, revs) c (id, rev)
    cross join lateral (
      select m.* from public.messages m
      where m.channel_id = c.id and m.rev > c.rev
        and (m.created_at > now() - interval '5 minutes' or m.edited_at > now() - interval '5 minutes')
        and m.author_id <> me
      order by m.rev desc limit 20) m
    join public.channels h on h.id = m.channel_id
    cross join lateral (
      select r.decision from app.notification_recipients(m.id, push_people, array[me]) r
      where m.created_at > now() - interval '5 minutes'
      union all
      select r.decision from app.edit_recipients(m.id, now() - interval '5 minutes', push_people, array[me]) r
      where m.created_at <= now() - interval '5 minutes') d
  ), '[]');
end
$$;
comment on function public.my_notifications is
  'Of which messages of the last five minutes the caller is notified, and how: the messages of at most 20 channels after '
  'the given revs, the latest 20 of each; older messages only if an edit of the last five minutes concerns the caller. '
  'A page calls it for channels in which something may concern its reader, also those of their other workspaces: so titles, '
  'authors and texts are complete.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.my_notifications from public, anon, authenticated, service_role;
grant execute on function public.my_notifications to authenticated;
