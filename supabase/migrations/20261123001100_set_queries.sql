-- One query where a function ran for each message, thread or channel: reactions of a page, the inbox of threads, the
-- list of channels; and a list of files by words that does not read every match.

-- Messages ---------------------------------------------------------------------------------------------

create or replace function app.messages_as_json(ids uuid[], viewer uuid) returns jsonb
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
      order by requested.ordinal)
    from unnest(ids) with ordinality requested (id, ordinal)
    join public.messages m on m.id = requested.id
    left join public.pins p on p.message_id = m.id
    left join (
      select f.message_id, jsonb_agg(app.attachment_as_json(f) order by f.position) as attachments
      from public.attachments f where f.message_id = any (ids) group by f.message_id
    ) a on a.message_id = m.id
    left join (
      -- As reactions_as_json, of all messages at once.
      select e.message_id, jsonb_agg(
        jsonb_build_object('emoji', e.emoji, 'count', e.count, 'people', to_jsonb(e.people))
          || case when viewer is null then '{}' else jsonb_build_object('mine', e.mine) end
        order by e.first) as reactions
      from (
        select q.message_id, q.emoji, count(*) as count, min(q.position) as first,
          bool_or(q.profile_id = viewer) as mine, (array_agg(q.profile_id order by q.position))[1:20] as people
        from public.reactions q where q.message_id = any (ids) group by q.message_id, q.emoji
      ) e group by e.message_id
    ) r on r.message_id = m.id
  ), '[]');
end
$$;

-- Threads ----------------------------------------------------------------------------------------------

create function app.thread_channels(viewer uuid, workspace uuid) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  return coalesce((
    select jsonb_object_agg(c.id, case when c.kind = 'public' and w.role <> 'guest' then 1 else m.history_from_seq end)
    from public.workspace_members w
    join public.channel_members m on m.profile_id = w.profile_id and (m.expires_at is null or m.expires_at > now())
    join public.channels c on c.id = m.channel_id and c.workspace_id = w.workspace_id
    left join public.channel_state s on s.channel_id = c.id and s.profile_id = viewer
    where w.workspace_id = workspace and w.profile_id = viewer
      and w.state = 'active' and (w.expires_at is null or w.expires_at > now()) and s.hidden is not true
  ), '{}');
end
$$;
comment on function app.thread_channels is
  'The channels whose threads are shown to a person, as is_thread_visible decides for one: those of which they are a '
  'member and that they have not hidden, with the start of the history that they may read.';

drop function public.thread_inbox;
create function public.thread_inbox(
  workspace uuid, unread_only boolean default false, before text default null, "limit" integer default 20
) returns json
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin', 'member', 'guest');
  size constant integer := least(greatest(coalesce(thread_inbox."limit", 20), 1), 50);
  unread constant boolean := coalesce(unread_only, false);
  history_starts constant jsonb := app.thread_channels(me, workspace);
  since timestamptz := 'infinity';
  since_id uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  roots uuid[];
  roots_shown uuid[];
  replies uuid[];
  roots_of_replies uuid[];
  messages jsonb;
begin
  if before is not null then
    if before !~ '^[0-9]{1,17} [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
      raise exception using errcode = 'PT400', message = 'bad_cursor';
    end if;
    since := timestamptz 'epoch' + split_part(before, ' ', 1)::bigint * interval '1 microsecond';
    since_id := split_part(before, ' ', 2)::uuid;
  end if;
  if unread then
    -- Replies after the read marker are not necessarily unread: they may be one's own, or deleted.
    roots := array(
      select t.root_id
      from public.thread_members t
      cross join lateral (
        select h.channel_id, h.base_seq from public.messages h where h.id = t.root_id offset 0) h
      where t.profile_id = me and t.follows and t.has_unread and t.reply_at is not null
        and (t.reply_at, t.root_id) < (since, since_id)
        and h.base_seq >= (history_starts ->> h.channel_id::text)::bigint
        and exists (
          select from public.messages r
          where r.channel_id = h.channel_id and r.thread_root = t.root_id and r.deleted_at is null
            and r.thread_seq > t.last_read_thread_seq and r.author_id <> me)
      order by t.reply_at desc, t.root_id desc limit size + 1);
  else
    roots := array(
      select t.root_id
      from public.thread_members t
      cross join lateral (
        select h.channel_id, h.base_seq from public.messages h where h.id = t.root_id offset 0) h
      where t.profile_id = me and t.follows and t.reply_at is not null
        and (t.reply_at, t.root_id) < (since, since_id)
        and h.base_seq >= (history_starts ->> h.channel_id::text)::bigint
      order by t.reply_at desc, t.root_id desc limit size + 1);
  end if;
  roots_shown := roots[1:size];
  select array_agg(l.id order by w.ordinal, l.thread_seq), array_agg(w.id order by w.ordinal, l.thread_seq)
  into replies, roots_of_replies
  from unnest(roots_shown) with ordinality w (id, ordinal)
  join public.messages h on h.id = w.id
  cross join lateral (
    select r.id, r.thread_seq from public.messages r
    where r.channel_id = h.channel_id and r.thread_root = h.id and r.deleted_at is null
    order by r.thread_seq desc limit 3) l;
  -- In the order of the ids, all of which exist.
  messages := app.messages_as_json(roots_shown || coalesce(replies, '{}'), me);
  return json_build_object(
    'threads', coalesce((
      select json_agg(json_build_object(
        'state', app.thread_as_json(me, w.id),
        'root', messages -> (w.ordinal - 1)::integer,
        'replies', coalesce((
          select json_agg(messages -> (cardinality(roots_shown) + r.ordinal - 1)::integer order by r.ordinal)
          from unnest(roots_of_replies) with ordinality r (root, ordinal) where r.root = w.id), '[]'))
        order by w.ordinal)
      from unnest(roots_shown) with ordinality w (id, ordinal)), '[]'),
    'before', case when cardinality(roots) > size then (
      select (extract(epoch from t.reply_at) * 1000000)::bigint || ' ' || t.root_id
      from public.thread_members t where t.root_id = roots[size] and t.profile_id = me) end);
end
$$;
comment on function public.thread_inbox is
  'The threads that the caller follows, latest reply first, each with its last replies. Threads whose replies are all '
  'deleted, and threads that are not readable, are left out. json, as browse_channels.';

-- Files ------------------------------------------------------------------------------------------------

insert into public.settings (key, value) values ('list_files_examined', '200');

create index listed_files_newest on public.listed_files (created_at desc, message_id desc, position);

create function app.newest_files_by_words(
  workspace uuid, channel uuid, kinds text[], author uuid, terms text[], past app.file_cursor, max_files integer,
  examined integer
) returns setof public.listed_files
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  history_starts constant jsonb := (
    select jsonb_object_agg(c.channel_id, c.history_from_seq) from app.my_channels_since(workspace, channel) c);
  words_query constant tsquery := (select string_agg('''' || w || ''':*', ' & ') from unnest(terms) w)::tsquery;
begin
  return query
    select f.* from (
      select l.* from public.listed_files l
      where (l.created_at, l.message_id) <= (past.created_at, past.message_id)
      order by l.created_at desc, l.message_id desc, l.position limit examined) f
    where ((f.created_at, f.message_id) < (past.created_at, past.message_id) or f.position > past.position)
      and f.base_seq >= (history_starts ->> f.channel_id::text)::bigint
      and (author is null or f.author_id = author) and f.kind = any (kinds) and f.words @@ words_query
    order by f.created_at desc, f.message_id desc, f.position limit max_files;
end
$$;
comment on function app.newest_files_by_words is
  'As files_by_words, among so many of the newest files after the cursor only: what many names contain, such as one '
  'letter or "png", fills a page from them, where the index of terms would return every file with such a name.';

create or replace function public.list_files(
  workspace uuid, channel uuid default null, kinds text[] default null, author uuid default null,
  query text default null, before text default null, "limit" integer default 50
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_variable
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin', 'member', 'guest');
  size constant integer := least(greatest(coalesce(list_files."limit", 50), 1), 100);
  past constant app.file_cursor := app.parse_file_cursor(before);
  name_query constant text := nullif(btrim(left(list_files.query, 255)), '');
  terms constant text[] := app.query_words(coalesce(name_query, ''));
  of_kinds constant text[] := array(select distinct k from unnest(coalesce(list_files.kinds, app.file_kinds())) k);
  examined integer := coalesce(
    (select s.value::integer from public.settings s where s.key = 'list_files_examined'), 200);
  listed public.listed_files[];
  last public.listed_files;
begin
  if channel is not null and (app.require_reader(channel)).workspace_id <> workspace then
    raise exception using errcode = 'PT404', message = 'not_found';
  elsif cardinality(of_kinds) = 0 or not of_kinds <@ app.file_kinds() or array_position(of_kinds, null) is not null then
    raise exception using errcode = 'PT400', message = 'bad_file_kind';
  end if;
  if name_query is not null then
    listed := array(
      select f
      from app.newest_files_by_words(workspace, channel, of_kinds, author, terms, past, size + 1, examined) f);
    -- Half as many again as should be needed, if that is not too many.
    if cardinality(listed) between greatest((size + 1) * 3 / 20, 1) and size then
      examined := examined * (size + 1) * 3 / (cardinality(listed) * 2);
      listed := array(
        select f
        from app.newest_files_by_words(workspace, channel, of_kinds, author, terms, past, size + 1, examined) f);
    end if;
    -- Without a full page there may be older matches: few names contain these words.
    if cardinality(listed) <= size then
      listed := array(
        select f from app.files_by_words(workspace, channel, of_kinds, author, terms, past, size + 1) f);
    end if;
  elsif author is not null then
    listed := array(select f from app.files_by_author(workspace, channel, of_kinds, author, past, size + 1) f);
  else
    listed := array(select f from app.files_by_channel(workspace, channel, of_kinds, past, size + 1) f);
  end if;
  last := listed[size];
  return jsonb_build_object(
    'files', coalesce((
      select jsonb_agg(jsonb_build_object('message_id', m.id, 'channel_id', m.channel_id, 'thread_root', m.thread_root,
        'author_id', m.author_id, 'created_at', m.created_at, 'position', a.position,
        'file', app.attachment_as_json(a)) order by f.ordinal)
      from unnest(listed[1:size]) with ordinality f (
        message_id, upload_id, channel_id, base_seq, author_id, created_at, position, kind, words, ordinal)
      join public.messages m on m.id = f.message_id
      join public.attachments a on a.message_id = f.message_id and a.upload_id = f.upload_id), '[]'),
    'before', case when cardinality(listed) > size then
      (extract(epoch from last.created_at) * 1000000)::bigint || ' ' || last.message_id || ' ' || last.position end);
end
$$;

-- Channels ---------------------------------------------------------------------------------------------

drop function public.browse_channels;
create function public.browse_channels(workspace uuid) returns json
language plpgsql stable security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin', 'member', 'guest');
  readable constant uuid[] := array(select r.channel_id from app.my_readable_channels() r);
begin
  return json_build_object('channels', coalesce((
    select json_agg((
      select o from (
        select
          -- As channel_as_json, of all channels at once; `people` is for direct conversations and groups.
          (select d from (
            select c.id, c.workspace_id, c.kind, c.name, c.topic, c.description, c.posting, c.archived_at, c.first_seq,
              c.created_by, c.created_at, null as people) d) as channel,
          coalesce(n.members, 0) as members, coalesce(n.member, false) as member) o)
      order by lower(c.name))
    from public.channels c
    left join (
      select m.channel_id, count(*) as members, bool_or(m.profile_id = me) as member
      from public.channel_members m where m.channel_id = any (readable) group by m.channel_id) n on n.channel_id = c.id
    where c.workspace_id = workspace and c.id = any (readable) and c.kind in ('public', 'private')
  ), '[]'));
end
$$;
comment on function public.browse_channels is
  'The channels that the caller may read; for guests only those of which they are members. json, which takes half of '
  'the time of jsonb.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
revoke execute on function public.thread_inbox, public.browse_channels from public, anon, authenticated, service_role;
grant execute on function public.thread_inbox, public.browse_channels to authenticated;
