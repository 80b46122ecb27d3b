-- Threads: who follows one, their read markers, unread counts and the inbox.
--
-- `has_unread` and `reply_at` of thread_members duplicate values of the root, so that unread threads and the inbox are
-- index scans over one's own rows. Both change only under the lock of the root, as its numbers do, so they cannot
-- drift.

-- Tables -----------------------------------------------------------------------------------------------

create table public.thread_members (
  root_id uuid not null references public.messages (id) on delete cascade,
  profile_id uuid not null references public.profiles (id) on delete cascade,
  follows boolean not null default true,
  last_read_thread_seq bigint not null default 0,
  read_version bigint not null default 0,
  has_unread boolean not null default false,
  reply_at timestamptz,
  primary key (root_id, profile_id)
);
create index thread_members_profile on public.thread_members (profile_id);
create index thread_members_inbox on public.thread_members (profile_id, reply_at desc, root_id desc) where follows;
create index thread_members_unread on public.thread_members (profile_id, reply_at desc, root_id desc)
  where follows and has_unread;
comment on table public.thread_members is
  'A person''s state in a thread: whether they follow it, and their read marker.';
comment on column public.thread_members.has_unread is
  'For followers: whether there are replies after the read marker, their own and deleted ones included. Counts are '
  'computed when read.';
comment on column public.thread_members.reply_at is 'For followers: last_reply_at of the root.';
alter table public.thread_members enable row level security;
create policy "people see their own thread states" on public.thread_members
  for select to authenticated using (
    profile_id = (select app.my_profile_id())
    and exists (select from public.messages m where m.id = thread_members.root_id)
  );
comment on policy "people see their own thread states" on public.thread_members is
  'Nobody else sees what a person follows; the row is hidden once the thread is not readable.';
create policy "applications are limited to their scopes" on public.thread_members
  as restrictive for all to authenticated using ((select app.has_scope('messages:read')))
  with check ((select app.is_first_party_session()));
comment on policy "applications are limited to their scopes" on public.thread_members is
  'Applications see it with the scope messages:read, and write nothing here.';
revoke all on public.thread_members from public, anon, authenticated, service_role;
grant select on public.thread_members to authenticated;
grant select, insert, update, delete on public.thread_members to service_role;

-- Reading ----------------------------------------------------------------------------------------------

create function app.thread_counts(viewer uuid, channel uuid, root uuid, read_marker bigint) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  my_groups constant uuid[] := app.group_ids_of(viewer);
  unread integer;
  mentions integer;
begin
  select count(*) into unread from (
    select from public.messages m
    where m.channel_id = channel and m.thread_root = root and m.thread_seq > read_marker and m.deleted_at is null
      and m.author_id <> viewer
    order by m.thread_seq limit 100
  ) newer;
  if unread = 0 then return '{"unread": 0, "mentions": 0}'; end if;
  -- A reply that mentions a person by name and the whole channel counts once.
  select count(*) into mentions from (
    (select n.thread_seq from public.mentions n
      where n.thread_root = root and n.profile_id = viewer and n.thread_seq > read_marker
      order by n.thread_seq limit 100)
    union
    (select n.thread_seq from public.mentions n
      where n.thread_root = root and n.profile_id is null and n.thread_seq > read_marker and n.author_id <> viewer
        and (n.group_id is null or n.group_id = any (my_groups))
      order by n.thread_seq limit 100)
  ) mentioning;
  return jsonb_build_object('unread', unread, 'mentions', least(mentions, 100));
end
$$;
comment on function app.thread_counts is 'As unread_counts, for one thread.';

create function app.thread_as_json(viewer uuid, root uuid) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  return (
    select jsonb_build_object('channel_id', h.channel_id, 'root_id', h.id,
      'follows', p.follows, 'last_read_thread_seq', coalesce(t.last_read_thread_seq, 0),
      'read_version', coalesce(t.read_version, 0), 'last_thread_seq', h.last_thread_seq,
      'last_reply_at', h.last_reply_at, 'rev', k.rev,
      'counts', case when p.follows and t.has_unread
        then app.thread_counts(viewer, h.channel_id, h.id, t.last_read_thread_seq)
        else '{"unread": 0, "mentions": 0}'::jsonb end)
    from public.messages h
    join public.channel_counters k on k.channel_id = h.channel_id
    left join public.thread_members t on t.root_id = h.id and t.profile_id = viewer
    left join public.channel_members m on m.channel_id = h.channel_id and m.profile_id = viewer
      and (m.expires_at is null or m.expires_at > now())
    cross join lateral (select coalesce(t.follows and m.profile_id is not null, false) as follows) p
    where h.id = root
  );
end
$$;
comment on function app.thread_as_json is
  'A person''s state in a thread. Only members of its channel follow it: whoever left is not notified any more. Checks '
  'no rights.';

create function app.is_thread_visible(viewer uuid, workspace uuid, channel uuid, history_seq bigint) returns boolean
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  return exists (
    select from public.channels c
    cross join lateral app.channel_access_of_person(viewer, c.id) r
    left join public.channel_member_state s on s.channel_id = c.id and s.profile_id = viewer
    where c.id = channel and c.workspace_id = workspace
      and r.member and r.history_from_seq <= is_thread_visible.history_seq and s.hidden is not true
  );
end
$$;
comment on function app.is_thread_visible is
  'Whether a followed thread is shown to a person: they are a member of its channel, may read its root, and have not '
  'hidden the conversation.';

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
      select h.channel_id, h.history_seq from public.messages h where h.id = t.root_id offset 0) h
    cross join lateral (
      select m.history_from_seq from public.channel_members m
      where m.channel_id = h.channel_id and m.profile_id = viewer and (m.expires_at is null or m.expires_at > now())
      offset 0) m
    join public.channels c on c.id = h.channel_id and c.workspace_id = w.workspace_id
    join public.channel_counters k on k.channel_id = h.channel_id
    where w.workspace_id = workspace and w.profile_id = viewer
      and w.state = 'active' and (w.expires_at is null or w.expires_at > now())
      and t.follows and t.has_unread and t.reply_at is not null
      and (m.history_from_seq <= h.history_seq or (c.kind = 'public' and w.role <> 'guest'))
      and not exists (
        select from public.channel_member_state s
        where s.channel_id = h.channel_id and s.profile_id = viewer and s.hidden)
    order by t.reply_at desc, t.root_id desc limit 100;
end
$$;
comment on function app.unread_thread_rows is
  'The threads of app.unread_threads, with what changes when one of them does.';

create function app.unread_threads(viewer uuid, workspace uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce((
    select jsonb_agg(app.thread_as_json(viewer, r.root_id) order by r.reply_at desc, r.root_id desc)
    from app.unread_thread_rows(viewer, workspace) r
  ), '[]');
end
$$;
comment on function app.unread_threads is
  'The followed threads that a person has not read to the end, latest first, 100 at most. The cost depends on unread '
  'threads, not on followed ones. Threads of a hidden conversation are left out until it has a new message.';

create function app.thread_response(viewer uuid, root uuid, applied boolean) returns jsonb
language sql stable security definer set search_path = ''
as $$ select jsonb_build_object('applied', applied, 'thread', app.thread_as_json(viewer, root)) $$;
comment on function app.thread_response is 'The response of commands that change a person''s state in a thread.';

-- Followers --------------------------------------------------------------------------------------------

create function app.thread_subscribers(root public.messages) returns setof public.thread_members
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  -- Looks up each follower by key: for a plain join the planner reads all members of the channel and the workspace.
  return query
    select t.*
    from public.channels c
    cross join lateral (
      select * from public.thread_members t where t.root_id = root.id and t.follows offset 0) t
    cross join lateral (
      select m.history_from_seq from public.channel_members m
      where m.channel_id = c.id and m.profile_id = t.profile_id and (m.expires_at is null or m.expires_at > now())
      offset 0) m
    cross join lateral (
      select w.role from public.workspace_members w
      where w.workspace_id = c.workspace_id and w.profile_id = t.profile_id
        and w.state = 'active' and (w.expires_at is null or w.expires_at > now())
      offset 0) w
    where c.id = root.channel_id and (m.history_from_seq <= root.history_seq or (c.kind = 'public' and w.role <> 'guest'));
end
$$;
comment on function app.thread_subscribers is
  'The followers of a thread who may be notified: members of its channel who may read its root. One query, since a '
  'reply runs it while it locks the channel.';

create function app.follow_mentioned(reply public.messages, root public.messages, people uuid[]) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  insert into public.thread_members as t (root_id, profile_id, last_read_thread_seq, read_version, has_unread, reply_at)
  select root.id, p.id, reply.thread_seq - 1, 1, true, root.last_reply_at
  -- A reply may be readable while its root is before the history start: nobody follows a thread that they cannot read.
  from unnest(people) p (id) cross join lateral app.channel_access_of_person(p.id, root.channel_id) r
  where r.history_from_seq <= root.history_seq
  on conflict (root_id, profile_id) do update
  set follows = true, last_read_thread_seq = greatest(t.last_read_thread_seq, excluded.last_read_thread_seq),
    read_version = t.read_version + 1, reply_at = excluded.reply_at,
    has_unread = greatest(t.last_read_thread_seq, excluded.last_read_thread_seq) < root.last_thread_seq
  where not t.follows;
end
$$;
comment on function app.follow_mentioned is
  'Makes people who are mentioned by name in a reply follow its thread from that reply on. Needs the lock of the root.';

create function app.update_followers(reply public.messages, root public.messages, people uuid[]) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- The author of a reply follows the thread. If they had read to the end, their own reply is read too.
  insert into public.thread_members as t (root_id, profile_id, last_read_thread_seq, read_version, reply_at)
  values (root.id, reply.author_id, reply.thread_seq, 1, root.last_reply_at)
  on conflict (root_id, profile_id) do update
  set follows = true, has_unread = false, last_read_thread_seq = excluded.last_read_thread_seq,
    read_version = t.read_version + 1
  where not t.follows or not t.has_unread;
  -- The author of the root follows from the first reply on, unless they unfollowed before it.
  if reply.thread_seq = 1 and root.author_id <> reply.author_id then
    insert into public.thread_members (root_id, profile_id, last_read_thread_seq, read_version, has_unread, reply_at)
    values (root.id, root.author_id, 0, 1, true, root.last_reply_at)
    on conflict do nothing;
  end if;
  if cardinality(people) > 0 then perform app.follow_mentioned(reply, root, people); end if;
  update public.thread_members t
  set reply_at = root.last_reply_at, has_unread = t.has_unread or t.profile_id <> reply.author_id
  where t.root_id = root.id and t.follows;
  perform app.notify_user(t.profile_id, 'reply', jsonb_build_object('channel_id', root.channel_id,
    'root_id', root.id, 'thread_seq', reply.thread_seq, 'rev', reply.rev,
    'mention', exists (
      select from public.mentions n
      where n.message_id = reply.id and app.concerns_person(n, t.profile_id))))
  from (
    select t.profile_id
    from app.thread_subscribers(root) t left join public.heartbeats h on h.profile_id = t.profile_id
    where t.profile_id <> reply.author_id
    order by h.seen_at desc nulls last limit 100) t;
end
$$;
comment on function app.update_followers is
  'What a reply changes for the people of its thread: who follows it, who has unread replies, and who is notified at '
  'once: the hundred who were present last; others learn of it by their next heartbeat. Takes the root as the reply left '
  'it; needs its lock.';

create function app.uncount_reply(root uuid, root_rev bigint) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  with recent as (
    -- Avatars come from the latest replies only, so that a long thread costs no more than a short one.
    select r.author_id, app.written_at(r) as written_at, r.thread_seq
    from public.messages t
    join public.messages r on r.channel_id = t.channel_id and r.thread_root = t.id and r.deleted_at is null
    where t.id = root order by r.thread_seq desc limit 100
  )
  update public.messages m
  set rev = root_rev, reply_count = m.reply_count - 1,
    last_reply_at = (select max(recent.written_at) from recent),
    reply_people = array(
      select recent.author_id from recent group by recent.author_id order by max(recent.thread_seq) desc limit 3)
  where m.id = root;
end
$$;
comment on function app.uncount_reply is
  'Updates the counts and authors of a root after one of its replies was deleted.';

create function app.notify_reply_deleted(deleted public.messages) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  update public.thread_members t set reply_at = h.last_reply_at
  from public.messages h
  where h.id = deleted.thread_root and t.root_id = h.id and t.follows and t.reply_at is distinct from h.last_reply_at;
  perform app.notify_user(t.profile_id, 'thread', app.thread_as_json(t.profile_id, deleted.thread_root))
  from (
    select t.profile_id
    from public.messages root cross join lateral app.thread_subscribers(root) t
    left join public.heartbeats h on h.profile_id = t.profile_id
    where root.id = deleted.thread_root and t.last_read_thread_seq < deleted.thread_seq
      and t.profile_id <> deleted.author_id
    order by h.seen_at desc nulls last limit 100) t;
end
$$;
comment on function app.notify_reply_deleted is
  'Notifies those who had not read a deleted reply, as update_followers does, and moves the thread back to the time of '
  'its last remaining reply.';

-- Commands ---------------------------------------------------------------------------------------------

create function app.lock_thread_root(root uuid) returns public.messages
language plpgsql volatile security definer set search_path = ''
as $$
declare
  head public.messages;
begin
  select * into head from public.messages m where m.id = root for share;
  return head;
end
$$;
comment on function app.lock_thread_root is
  'Locks a root against new replies and returns it: a reply in flight has committed, the next one waits. Without it, a '
  'reply could arrive between reading the last number and writing a read marker.';

create function public.mark_thread_read(root uuid, thread_seq bigint, read_version bigint) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access constant app.channel_access := app.require_thread(root);
  head constant public.messages := app.lock_thread_root(root);
  reached constant bigint := least(mark_thread_read.thread_seq, head.last_thread_seq);
  current_version bigint;
begin
  insert into public.thread_members (root_id, profile_id, follows, last_read_thread_seq, read_version)
  select root, access.profile_id, false, reached, 1
  where mark_thread_read.read_version = 0 and reached > 0
  on conflict do nothing;
  if not found then
    update public.thread_members t
    set last_read_thread_seq = reached, read_version = t.read_version + 1,
      has_unread = t.follows and reached < head.last_thread_seq
    where t.root_id = root and t.profile_id = access.profile_id
      and t.read_version = mark_thread_read.read_version and t.last_read_thread_seq < reached;
  end if;
  if not found then
    select t.read_version into current_version from public.thread_members t
    where t.root_id = root and t.profile_id = access.profile_id;
    return app.thread_response(access.profile_id, root,
      coalesce(current_version, 0) is not distinct from mark_thread_read.read_version);
  end if;
  return app.thread_response(access.profile_id, root, true);
end
$$;
comment on function public.mark_thread_read is
  'Advances the caller''s read marker in a thread if nobody moved it since `read_version`; otherwise returns the '
  'current one.';

create function public.mark_thread_unread(root uuid, thread_seq bigint) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access constant app.channel_access := app.require_thread(root);
  head constant public.messages := app.lock_thread_root(root);
  new_seq constant bigint := least(greatest(mark_thread_unread.thread_seq - 1, 0), head.last_thread_seq);
begin
  insert into public.thread_members as t (root_id, profile_id, last_read_thread_seq, read_version, has_unread, reply_at)
  values (root, access.profile_id, new_seq, 1, new_seq < head.last_thread_seq, head.last_reply_at)
  on conflict (root_id, profile_id) do update
  set follows = true, last_read_thread_seq = excluded.last_read_thread_seq, read_version = t.read_version + 1,
    has_unread = excluded.has_unread, reply_at = excluded.reply_at
  where not t.follows or t.last_read_thread_seq > excluded.last_read_thread_seq;
  return app.thread_response(access.profile_id, root, true);
end
$$;
comment on function public.mark_thread_unread is
  'Makes everything from `thread_seq` on unread again, and follows the thread, so that it appears in the inbox.';

create function public.follow_thread(root uuid, "on" boolean) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access constant app.channel_access := app.require_thread(root);
  head constant public.messages := app.lock_thread_root(root);
begin
  if follow_thread."on" is null then
    raise exception using errcode = 'PT400', message = 'bad_state';
  elsif follow_thread."on" then
    insert into public.thread_members as t (root_id, profile_id, last_read_thread_seq, read_version, reply_at)
    values (root, access.profile_id, head.last_thread_seq, 1, head.last_reply_at)
    on conflict (root_id, profile_id) do update
    set follows = true, has_unread = false, last_read_thread_seq = excluded.last_read_thread_seq,
      read_version = t.read_version + 1, reply_at = excluded.reply_at
    where not t.follows;
  else
    -- Inserts a row even if there was none: it keeps the first reply from making the root's author follow.
    insert into public.thread_members as t (root_id, profile_id, follows, read_version)
    values (root, access.profile_id, false, 1)
    on conflict (root_id, profile_id) do update
    set follows = false, has_unread = false, read_version = t.read_version + 1
    where t.follows;
  end if;
  return app.thread_response(access.profile_id, root, true);
end
$$;
comment on function public.follow_thread is
  'Follows a thread from its current end on, or unfollows it: after that only a reply, a mention by name or this '
  'command follows it again.';

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
    cross join lateral app.channel_access_of_person(me, h.channel_id) r
    where h.id = any (roots) and h.thread_root is null and h.kind = 'text' and r.history_from_seq <= h.history_seq
  ), '[]'));
end
$$;
comment on function public.thread_states is
  'The caller''s state in each of these threads; threads that they may not read are left out.';

create function app.thread_channels(viewer uuid, workspace uuid) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  return coalesce((
    select jsonb_object_agg(c.id, case when c.kind = 'public' and w.role <> 'guest' then 1 else m.history_from_seq end)
    from public.workspace_members w
    join public.channel_members m on m.profile_id = w.profile_id and (m.expires_at is null or m.expires_at > now())
    join public.channels c on c.id = m.channel_id and c.workspace_id = w.workspace_id
    left join public.channel_member_state s on s.channel_id = c.id and s.profile_id = viewer
    where w.workspace_id = workspace and w.profile_id = viewer
      and w.state = 'active' and (w.expires_at is null or w.expires_at > now()) and s.hidden is not true
  ), '{}');
end
$$;
comment on function app.thread_channels is
  'The channels whose threads are shown to a person, as is_thread_visible decides for one: those of which they are a '
  'member and that they have not hidden, with the start of the history that they may read.';

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
        select h.channel_id, h.history_seq from public.messages h where h.id = t.root_id offset 0) h
      where t.profile_id = me and t.follows and t.has_unread and t.reply_at is not null
        and (t.reply_at, t.root_id) < (since, since_id)
        and h.history_seq >= (history_starts ->> h.channel_id::text)::bigint
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
        select h.channel_id, h.history_seq from public.messages h where h.id = t.root_id offset 0) h
      where t.profile_id = me and t.follows and t.reply_at is not null
        and (t.reply_at, t.root_id) < (since, since_id)
        and h.history_seq >= (history_starts ->> h.channel_id::text)::bigint
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

create function public.thread_page(
  root uuid, before bigint default null, after bigint default null, around bigint default null,
  "limit" integer default 50
) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  access constant app.channel_access := app.require_message(root);
  head public.messages;
  counters public.channel_counters;
  page record;
begin
  select * into head from public.messages m where m.id = root and m.thread_root is null;
  if head.id is null then
    raise exception using errcode = 'PT400', message = 'not_a_thread';
  end if;
  select * into counters from public.channel_counters k where k.channel_id = head.channel_id;
  page := app.page_range(1, head.last_thread_seq, thread_page."limit", before, after, around);
  return jsonb_build_object('channel_id', head.channel_id,
    'root', app.messages_as_json(array[root], access.profile_id) -> 0,
    'state', app.thread_as_json(access.profile_id, root),
    'messages', app.messages_as_json(array(
      select m.id from public.messages m
      where m.channel_id = head.channel_id and m.thread_root = root and m.thread_seq >= page.lower
      order by m.thread_seq limit page.size), access.profile_id),
    'has_before', page.lower > 1, 'has_after', page.upper < head.last_thread_seq,
    'epoch', counters.epoch, 'rev', counters.rev);
end
$$;
comment on function public.thread_page is
  'A root, the caller''s state in the thread, and replies: the newest, or those before, after or around a number.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
revoke execute on function public.mark_thread_read, public.mark_thread_unread, public.follow_thread,
  public.thread_states, public.thread_inbox, public.thread_page from public, anon, authenticated, service_role;
grant execute on function public.mark_thread_read, public.mark_thread_unread, public.follow_thread,
  public.thread_states, public.thread_inbox, public.thread_page to authenticated;
