-- Answers: the rows as the app and the broadcasts show them. Each shape is made in one place, so that a page, a
-- change and an event can never disagree about the same message.
--
-- The busiest functions keep one plan for all arguments: it is the same walk along an index whoever asks, and
-- planning anew took four times as long as the walk.

create function app.profile_as_json(profile public.profiles) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object(
    'id', profile.id, 'kind', profile.kind, 'name', profile.name, 'avatar', profile.avatar,
    'status_emoji', profile.status_emoji, 'status_text', profile.status_text,
    'status_expires_at', profile.status_expires_at)
$$;
comment on function app.profile_as_json is 'A person as others see them.';

create function app.member_as_json(workspace uuid, person uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select jsonb_build_object(
      'profile', app.profile_as_json(p), 'role', w.role,
      'state', case when w.expires_at <= now() then 'deactivated' else w.state end)
    from public.workspace_members w join public.profiles p on p.id = w.profile_id
    where w.workspace_id = workspace and w.profile_id = person
  );
end
$$;
comment on function app.member_as_json is 'A person with their place in a workspace.';

create function app.channel_as_json(channel uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select jsonb_build_object(
      'id', c.id, 'workspace_id', c.workspace_id, 'kind', c.kind, 'name', c.name, 'topic', c.topic,
      'posting', c.posting, 'archived_at', c.archived_at, 'first_seq', c.first_seq,
      'created_by', c.created_by, 'created_at', c.created_at,
      'people', case when c.kind in ('direct', 'group') then (
        select jsonb_agg(m.profile_id order by m.profile_id) from public.channel_members m where m.channel_id = c.id
      ) end)
    from public.channels c where c.id = channel
  );
end
$$;
comment on function app.channel_as_json is 'A channel, the same for each of its readers.';

create function app.unread_counts(viewer uuid, channel uuid, pointer bigint) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  unread integer;
  mentions integer;
begin
  select count(*) into unread from (
    select from public.messages m
    where m.channel_id = channel and m.seq > pointer and m.seq is not null and m.deleted_at is null
      and m.kind = 'text' and m.author_id <> viewer
    order by m.seq limit 100
  ) read_on;
  if unread = 0 then return '{"unread": 0, "mentions": 0}'; end if;
  -- A message that calls one by name and everyone as well counts once.
  select count(*) into mentions from (
    (select n.seq from public.mentions n
      where n.profile_id = viewer and n.channel_id = channel and n.seq > pointer order by n.seq limit 100)
    union
    (select n.seq from public.mentions n
      where n.profile_id is null and n.channel_id = channel and n.seq > pointer and n.author_id <> viewer
      order by n.seq limit 100)
  ) called;
  return jsonb_build_object('unread', unread, 'mentions', least(mentions, 100));
end
$$;
comment on function app.unread_counts is
  'What someone has not read, counted from their pointer each time and never kept, so that it cannot drift. Stops '
  'at 100 ("99+"); deleted, own and system messages are left out.';

create function app.state_as_json(state public.channel_state) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object(
    'last_read_seq', coalesce(state.last_read_seq, 0), 'read_version', coalesce(state.read_version, 0),
    'notify', coalesce(state.notify, 'mentions'), 'muted', coalesce(state.muted, false),
    'starred', coalesce(state.starred, false), 'section', state.section)
$$;
comment on function app.state_as_json is 'One''s own pointer and preferences; those of a newcomer where there is no row.';

create function app.counters_as_json(counters public.channel_counters) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object('last_seq', counters.last_seq, 'rev', counters.rev, 'meta_rev', counters.meta_rev,
    'epoch', counters.epoch)
$$;
comment on function app.counters_as_json is 'Where a channel stands.';

create function app.entry_as_json(viewer uuid, channel uuid) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  return (
    select jsonb_build_object(
      'channel', app.channel_as_json(c.id), 'counters', app.counters_as_json(k),
      'member', m.profile_id is not null, 'channel_role', m.role,
      'history_from_seq', case when c.kind = 'public' and w.role <> 'guest' then 1 else m.history_from_seq end,
      'state', app.state_as_json(s),
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
comment on function app.entry_as_json is 'A channel as one of its readers sees it; null when they may not.';

create function app.reactions_as_json(message uuid, viewer uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce((
    select jsonb_agg(
      jsonb_build_object('emoji', e.emoji, 'count', e.count, 'people', to_jsonb(e.people))
        || case when viewer is null then '{}' else jsonb_build_object('mine', e.mine) end
      order by e.first)
    from (
      select r.emoji, count(*) as count, min(r.position) as first, bool_or(r.profile_id = viewer) as mine,
        (array_agg(r.profile_id order by r.position))[1:20] as people
      from public.reactions r where r.message_id = message group by r.emoji
    ) e
  ), '[]');
end
$$;
comment on function app.reactions_as_json is
  'Reactions by kind, in order of the first; `mine` only where there is a viewer, since broadcasts have none.';

create function app.messages_as_json(ids uuid[], viewer uuid) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  return coalesce((
    select jsonb_agg(
      jsonb_build_object(
        'id', m.id, 'channel_id', m.channel_id, 'kind', m.kind, 'seq', m.seq, 'thread_root', m.thread_root,
        'thread_seq', m.thread_seq, 'last_thread_seq', m.last_thread_seq, 'reply_count', m.reply_count,
        'reply_people', to_jsonb(m.reply_people), 'last_reply_at', m.last_reply_at, 'base_seq', m.base_seq,
        'rev', m.rev, 'author_id', m.author_id, 'body', m.body, 'system', m.system, 'created_at', m.created_at,
        'edited_at', m.edited_at, 'deleted_at', m.deleted_at, 'pinned_at', p.pinned_at,
        'attachments', coalesce(a.attachments, '[]'), 'reactions', coalesce(r.reactions, '[]'))
      order by wanted.place)
    from unnest(ids) with ordinality wanted (id, place)
    join public.messages m on m.id = wanted.id
    left join public.pins p on p.message_id = m.id
    left join (
      select f.message_id, jsonb_agg(
        jsonb_build_object('id', f.upload_id, 'name', f.name, 'type', f.type, 'size', f.size, 'width', f.width,
          'height', f.height, 'thumb', f.thumb)
        order by f.position) as attachments
      from public.attachments f where f.message_id = any (ids) group by f.message_id
    ) a on a.message_id = m.id
    left join (
      select q.message_id, app.reactions_as_json(q.message_id, viewer) as reactions
      from public.reactions q where q.message_id = any (ids) group by q.message_id
    ) r on r.message_id = m.id
  ), '[]');
end
$$;
comment on function app.messages_as_json is
  'These messages, whole, in the given order. Asks nobody''s rights: who calls it has. What hangs on them is '
  'gathered once for all, so that a plain message costs no look-up of its own.';

revoke execute on all functions in schema app from public;
