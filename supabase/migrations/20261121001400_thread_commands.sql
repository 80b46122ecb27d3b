-- Commands of threads: reading them, where one stands in each, and what one follows.

create function app.require_thread(root uuid) returns app.reading
language plpgsql stable security definer set search_path = ''
as $$
declare
  reading constant app.reading := app.require_message(root);
begin
  if not exists (
    select from public.messages m where m.id = root and m.thread_root is null and m.kind = 'text'
  ) then
    raise exception using errcode = 'PT400', message = 'not_a_thread';
  end if;
  if not reading.member then
    raise exception using errcode = 'PT403', message = 'not_a_member';
  end if;
  return reading;
end
$$;
comment on function app.require_thread is
  'As require_message, and it can be a root, and the caller belongs to its channel, archived or not.';

create function app.hold_thread(root uuid) returns public.messages
language plpgsql volatile security definer set search_path = ''
as $$
declare
  head public.messages;
begin
  select * into head from public.messages m where m.id = root for share;
  return head;
end
$$;
comment on function app.hold_thread is
  'A root, while no reply is on its way: one in flight has committed, the next waits. Whoever moves a place in a thread '
  'holds it, or a reply could come between the number they read and the place they write.';

create function app.thread_answer(viewer uuid, root uuid, applied boolean) returns jsonb
language sql stable security definer set search_path = ''
as $$ select jsonb_build_object('applied', applied, 'thread', app.thread_as_json(viewer, root)) $$;
comment on function app.thread_answer is 'Where one''s place in a thread stands after a command.';

create function public.mark_thread_read(root uuid, thread_seq bigint, read_version bigint) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  reading constant app.reading := app.require_thread(root);
  head constant public.messages := app.hold_thread(root);
  reached constant bigint := least(mark_thread_read.thread_seq, head.last_thread_seq);
  stands bigint;
begin
  insert into public.thread_members (root_id, profile_id, follows, last_read_thread_seq, read_version)
  select root, reading.profile_id, false, reached, 1
  where mark_thread_read.read_version = 0 and reached > 0
  on conflict do nothing;
  if not found then
    update public.thread_members t
    set last_read_thread_seq = reached, read_version = t.read_version + 1,
      behind = t.follows and reached < head.last_thread_seq
    where t.root_id = root and t.profile_id = reading.profile_id
      and t.read_version = mark_thread_read.read_version and t.last_read_thread_seq < reached;
  end if;
  if not found then
    select t.read_version into stands from public.thread_members t
    where t.root_id = root and t.profile_id = reading.profile_id;
    return app.thread_answer(reading.profile_id, root,
      coalesce(stands, 0) is not distinct from mark_thread_read.read_version);
  end if;
  return app.thread_answer(reading.profile_id, root, true);
end
$$;
comment on function public.mark_thread_read is
  'Raises one''s pointer in a thread if nobody moved it since `read_version`; else answers with the one that stands.';

create function public.mark_thread_unread(root uuid, thread_seq bigint) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  reading constant app.reading := app.require_thread(root);
  head constant public.messages := app.hold_thread(root);
  wanted constant bigint := least(greatest(mark_thread_unread.thread_seq - 1, 0), head.last_thread_seq);
begin
  insert into public.thread_members as t (root_id, profile_id, last_read_thread_seq, read_version, behind, reply_at)
  values (root, reading.profile_id, wanted, 1, wanted < head.last_thread_seq, head.last_reply_at)
  on conflict (root_id, profile_id) do update
  set follows = true, last_read_thread_seq = excluded.last_read_thread_seq, read_version = t.read_version + 1,
    behind = excluded.behind, reply_at = excluded.reply_at
  where not t.follows or t.last_read_thread_seq > excluded.last_read_thread_seq;
  return app.thread_answer(reading.profile_id, root, true);
end
$$;
comment on function public.mark_thread_unread is
  'Makes everything from `thread_seq` on unread again, and follows the thread, or nobody would look there.';

create function public.follow_thread(root uuid, "on" boolean) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  reading constant app.reading := app.require_thread(root);
  head constant public.messages := app.hold_thread(root);
begin
  if follow_thread."on" is null then
    raise exception using errcode = 'PT400', message = 'bad_state';
  elsif follow_thread."on" then
    insert into public.thread_members as t (root_id, profile_id, last_read_thread_seq, read_version, reply_at)
    values (root, reading.profile_id, head.last_thread_seq, 1, head.last_reply_at)
    on conflict (root_id, profile_id) do update
    set follows = true, behind = false, last_read_thread_seq = excluded.last_read_thread_seq,
      read_version = t.read_version + 1, reply_at = excluded.reply_at
    where not t.follows;
  else
    -- A row that says no, also where there was none: it keeps the first answer from making its author follow.
    insert into public.thread_members as t (root_id, profile_id, follows, read_version)
    values (root, reading.profile_id, false, 1)
    on conflict (root_id, profile_id) do update
    set follows = false, behind = false, read_version = t.read_version + 1
    where t.follows;
  end if;
  return app.thread_answer(reading.profile_id, root, true);
end
$$;
comment on function public.follow_thread is
  'Follows a thread from its present end on, or no longer: then only answering, being called by name or asking begins '
  'it again.';

create function public.thread_states(workspace uuid, roots uuid[]) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin', 'member', 'guest');
begin
  if cardinality(roots) > 100 then
    raise exception using errcode = 'PT400', message = 'too_many_threads';
  end if;
  return jsonb_build_object('threads', coalesce((
    select jsonb_agg(app.thread_as_json(me, h.id) order by h.id)
    from public.messages h
    join public.channels c on c.id = h.channel_id and c.workspace_id = workspace
    cross join lateral app.person_reading(me, h.channel_id) r
    where h.id = any (roots) and h.thread_root is null and h.kind = 'text' and r.history_from_seq <= h.base_seq
  ), '[]'));
end
$$;
comment on function public.thread_states is 'One''s place in each of these threads; those one may not read are left out.';

create function public.thread_inbox(
  workspace uuid, unread_only boolean default false, before text default null, "limit" integer default 20
) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin', 'member', 'guest');
  size constant integer := least(greatest(coalesce(thread_inbox."limit", 20), 1), 50);
  unread constant boolean := coalesce(unread_only, false);
  since timestamptz := 'infinity';
  since_id uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  roots uuid[];
begin
  if before is not null then
    if before !~ '^[0-9]{1,17} [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
      raise exception using errcode = 'PT400', message = 'bad_cursor';
    end if;
    since := timestamptz 'epoch' + split_part(before, ' ', 1)::bigint * interval '1 microsecond';
    since_id := split_part(before, ' ', 2)::uuid;
  end if;
  if unread then
    -- Behind is not yet unread: what lies above the pointer may be one's own, or deleted.
    roots := array(
      select t.root_id
      from public.thread_members t
      cross join lateral (
        select h.channel_id, h.base_seq from public.messages h where h.id = t.root_id offset 0) h
      where t.profile_id = me and t.follows and t.behind and t.reply_at is not null
        and (t.reply_at, t.root_id) < (since, since_id)
        and app.shows_thread(me, workspace, h.channel_id, h.base_seq)
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
        and app.shows_thread(me, workspace, h.channel_id, h.base_seq)
      order by t.reply_at desc, t.root_id desc limit size + 1);
  end if;
  return jsonb_build_object(
    'threads', coalesce((
      select jsonb_agg(jsonb_build_object(
        'state', app.thread_as_json(me, h.id),
        'root', app.messages_as_json(array[h.id], me) -> 0,
        'replies', app.messages_as_json(array(
          select l.id from (
            select r.id, r.thread_seq from public.messages r
            where r.channel_id = h.channel_id and r.thread_root = h.id and r.deleted_at is null
            order by r.thread_seq desc limit 3) l
          order by l.thread_seq), me)) order by w.place)
      from unnest(roots[1:size]) with ordinality w (id, place)
      join public.messages h on h.id = w.id), '[]'),
    'before', case when cardinality(roots) > size then (
      select (extract(epoch from t.reply_at) * 1000000)::bigint || ' ' || t.root_id
      from public.thread_members t where t.root_id = roots[size] and t.profile_id = me) end);
end
$$;
comment on function public.thread_inbox is
  'Threads that one follows, latest reply first, each with its last replies. Threads whose replies are all deleted are '
  'left out, as is what one may not read now.';

drop function public.thread_page(uuid, bigint, bigint, integer);

create function public.thread_page(
  root uuid, before bigint default null, after bigint default null, around bigint default null,
  "limit" integer default 50
) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
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
  elsif around is not null then
    select array_agg(p.id order by p.thread_seq), min(p.thread_seq), max(p.thread_seq) into ids, first, last from (
      (select m.id, m.thread_seq from public.messages m
        where m.channel_id = head.channel_id and m.thread_root = root and m.thread_seq < around
        order by m.thread_seq desc limit size / 2)
      union all
      (select m.id, m.thread_seq from public.messages m
        where m.channel_id = head.channel_id and m.thread_root = root and m.thread_seq >= around
        order by m.thread_seq limit size - size / 2)) p;
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
      'state', app.thread_as_json(reading.profile_id, root),
      'messages', app.messages_as_json(coalesce(ids, '{}'), reading.profile_id),
      -- Replies are numbered without holes, so the root's own number says what lies beyond the page.
      'has_before', coalesce(first, before, after + 1, 1) > 1 and head.last_thread_seq > 0,
      'has_after', coalesce(last, after, before - 1, 0) < head.last_thread_seq,
      'epoch', k.epoch, 'rev', k.rev)
    from public.channel_counters k where k.channel_id = head.channel_id
  );
end
$$;
comment on function public.thread_page is
  'A root, one''s own place, and replies of its thread: the newest, or those before, after or around a number.';

revoke execute on function public.mark_thread_read, public.mark_thread_unread, public.follow_thread,
  public.thread_states, public.thread_inbox, public.thread_page from public, anon, authenticated, service_role;
grant execute on function public.mark_thread_read, public.mark_thread_unread, public.follow_thread,
  public.thread_states, public.thread_inbox, public.thread_page to authenticated;

revoke execute on all functions in schema app from public;
