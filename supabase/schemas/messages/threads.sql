-- Threads: who follows one, their read markers, unread counts and the inbox.
--
-- A row of thread_members has only what a person has chosen: whether they follow the thread, and their read marker. Whether
-- there are unread replies, and when the last one came, follows from the root. So a reply costs the same for two followers and
-- for two thousand, and what a person reads depends on the number of threads that they follow. Decision 13.

-- Tables -----------------------------------------------------------------------------------------------

create table public.thread_members (
  root_id uuid not null references public.messages (id) on delete cascade,
  profile_id uuid not null references public.profiles (id) on delete cascade,
  follows boolean not null default true,
  last_read_thread_seq bigint not null default 0,
  read_version bigint not null default 0,
  marked_at timestamptz not null default now(),
  primary key (root_id, profile_id)
);
create index thread_members_profile on public.thread_members (profile_id);
create index thread_members_followed on public.thread_members (profile_id)
  include (root_id, last_read_thread_seq, read_version) where follows;
create index thread_members_followers on public.thread_members (root_id, profile_id) where follows;
comment on table public.thread_members is
  'A person''s state in a thread: whether they follow it, and their read marker.';
comment on column public.thread_members.marked_at is
  'When the person last followed the thread, moved their read marker or replied. Threads with the oldest times are unfollowed '
  'if a person follows more than app.limit_followed_threads permits.';
alter table public.thread_members enable row level security;
create policy "people see their own thread states" on public.thread_members
  for select to authenticated using (
    profile_id = (select app.my_profile_id())
    and exists (select from public.messages m where m.id = thread_members.root_id)
  );
comment on policy "people see their own thread states" on public.thread_members is
  'Nobody else sees what a person follows; the row is hidden once the thread is not readable.';
revoke all on public.thread_members from public, anon, authenticated, service_role;
grant select on public.thread_members to authenticated;
grant select, insert, update, delete on public.thread_members to service_role;

-- Reading ----------------------------------------------------------------------------------------------

create function app.followed_threads(viewer uuid, unread_only boolean default false)
returns table (
  root_id uuid, channel_id uuid, history_seq bigint, last_read_thread_seq bigint, read_version bigint, last_thread_seq bigint,
  last_reply_at timestamptz
)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
-- Reads each root by its key: with estimates of how often roots repeat, the planner would cache them or read all messages.
set enable_memoize = off set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
begin
  return query
    select t.root_id, m.channel_id, m.history_seq, t.last_read_thread_seq, t.read_version, m.last_thread_seq, m.last_reply_at
    from public.thread_members t join public.messages m on m.id = t.root_id
    where t.profile_id = viewer and t.follows and m.last_reply_at is not null
      and (not unread_only or t.last_read_thread_seq < m.last_thread_seq);
end
$$;
comment on function app.followed_threads is
  'The threads that a person follows, or those with replies after the read marker, with the numbers of their roots. Threads '
  'without remaining replies are left out. Reads one root for each followed thread. Checks no rights.';

create function app.threads_as_json(viewer uuid, roots uuid[]) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  return coalesce((
    select jsonb_agg(jsonb_build_object('channel_id', h.channel_id, 'root_id', h.id,
        'follows', p.follows, 'last_read_thread_seq', p.read_marker, 'read_version', coalesce(t.read_version, 0),
        'last_thread_seq', h.last_thread_seq, 'last_reply_at', h.last_reply_at, 'rev', k.rev,
        'counts', jsonb_build_object('unread', u.unread, 'mentions', n.mentions)) order by r.ordinal)
    from unnest(roots) with ordinality r (id, ordinal)
    join public.messages h on h.id = r.id
    join public.channel_counters k on k.channel_id = h.channel_id
    left join public.thread_members t on t.root_id = h.id and t.profile_id = viewer
    left join public.channel_members m on m.channel_id = h.channel_id and m.profile_id = viewer
      and (m.expires_at is null or m.expires_at > now())
    cross join lateral (
      select coalesce(t.follows and m.profile_id is not null, false) as follows,
        coalesce(t.last_read_thread_seq, 0) as read_marker) p
    cross join lateral (
      select case when p.follows and p.read_marker < h.last_thread_seq then (
        select count(*) from (
          select from public.messages a
          where a.channel_id = h.channel_id and a.thread_root = h.id and a.thread_seq > p.read_marker
            and a.deleted_at is null and a.author_id <> viewer
          order by a.thread_seq limit 100) newer) else 0 end as unread
      offset 0) u
    cross join lateral (
      -- A reply that mentions a person by name and the whole channel counts once.
      select case when u.unread > 0 then (
        select least(count(*), 100) from (
          (select a.thread_seq from public.mentions a
            where a.thread_root = h.id and a.profile_id = viewer and a.thread_seq > p.read_marker
            order by a.thread_seq limit 100)
          union
          (select a.thread_seq from public.mentions a
            where a.thread_root = h.id and a.profile_id is null and a.thread_seq > p.read_marker and a.author_id <> viewer
              and (a.group_id is null or a.group_id = any ((select app.group_ids_of(viewer))::uuid[]))
            order by a.thread_seq limit 100)) mentioning) else 0 end as mentions
      offset 0) n
  ), '[]');
end
$$;
comment on function app.threads_as_json is
  'A person''s states in threads, in the order of the roots, all of which exist. Only members of its channel follow a thread: '
  'whoever left is not notified any more. Counts are as of unread_counts. Checks no rights.';

create function app.thread_as_json(viewer uuid, root uuid) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  return app.threads_as_json(viewer, array[root]) -> 0;
end
$$;
comment on function app.thread_as_json is 'A person''s state in a thread: one of app.threads_as_json.';

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
    with unread as materialized (
      select f.root_id, f.last_reply_at, f.read_version, f.channel_id, f.history_seq
      from app.followed_threads(viewer, true) f
    ), readable as materialized (
      -- The rights to each channel once, not for each thread.
      select m.channel_id, m.history_from_seq, m.rev, m.change_id
      from public.workspace_members w
      cross join (select distinct o.channel_id from unread o) u
      cross join lateral (
        select r.channel_id, k.rev, k.change_id,
          case when w.role = 'guest' or r.history_from_seq = 1
              or not exists (select from public.channels c where c.id = r.channel_id and c.kind = 'public')
            then r.history_from_seq else 1 end as history_from_seq
        from public.channel_members r
        join public.channel_counters k on k.channel_id = r.channel_id
        left join public.channel_member_state s on s.channel_id = r.channel_id and s.profile_id = viewer
        where r.channel_id = u.channel_id and r.profile_id = viewer and r.workspace_id = workspace
          and (r.expires_at is null or r.expires_at > now()) and s.hidden is not true
        offset 0) m
      where w.workspace_id = workspace and w.profile_id = viewer
        and w.state = 'active' and (w.access_ends_at is null or w.access_ends_at > now())
    )
    select u.root_id, u.last_reply_at, u.read_version, r.rev, r.change_id
    from unread u join readable r on r.channel_id = u.channel_id and r.history_from_seq <= u.history_seq
    order by u.last_reply_at desc, u.root_id desc limit 100;
end
$$;
comment on function app.unread_thread_rows is
  'The threads of app.unread_threads, with what changes when one of them does.';

create function app.unread_threads(viewer uuid, workspace uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return app.threads_as_json(viewer, array(
    select r.root_id from app.unread_thread_rows(viewer, workspace) r order by r.reply_at desc, r.root_id desc));
end
$$;
comment on function app.unread_threads is
  'The followed threads that a person has not read to the end, latest first, 100 at most. The cost depends on the number of '
  'followed threads, not on their replies. Threads of a hidden conversation are left out until it has a new message.';

create function app.thread_response(viewer uuid, root uuid, applied boolean) returns jsonb
language sql stable security definer set search_path = ''
as $$ select jsonb_build_object('applied', applied, 'thread', app.thread_as_json(viewer, root)) $$;
comment on function app.thread_response is 'The response of commands that change a person''s state in a thread.';

-- Followers --------------------------------------------------------------------------------------------

create function app.few_followers(root public.messages) returns uuid[]
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  max_followers constant integer := 20;
  followers constant uuid[] := array(
    select t.profile_id from public.thread_members t where t.root_id = root.id and t.follows limit max_followers + 1);
begin
  if cardinality(followers) > max_followers then return '{}'; end if;
  -- Looks up each follower by key: for a plain join the planner reads all members of the channel and the workspace.
  return array(
    select f.profile_id
    from public.channels c
    cross join unnest(followers) f (profile_id)
    cross join lateral (
      select m.history_from_seq from public.channel_members m
      where m.channel_id = c.id and m.profile_id = f.profile_id and (m.expires_at is null or m.expires_at > now())
      offset 0) m
    cross join lateral (
      select w.role from public.workspace_members w
      where w.workspace_id = c.workspace_id and w.profile_id = f.profile_id
        and w.state = 'active' and (w.access_ends_at is null or w.access_ends_at > now())
      offset 0) w
    where c.id = root.channel_id and (m.history_from_seq <= root.history_seq or (c.kind = 'public' and w.role <> 'guest')));
end
$$;
comment on function app.few_followers is
  'The followers of a thread who receive events of their own: members of its channel who may read its root. None if more than '
  'twenty people follow the thread, since each event is a row that is written under the lock of the channel. Pages that have '
  'joined the topic of the channel receive the replies of such a thread there, and all others with their next heartbeat.';

create function app.follow_mentioned(reply public.messages, root public.messages, people uuid[]) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  insert into public.thread_members as t (root_id, profile_id, last_read_thread_seq, read_version)
  select root.id, p.id, reply.thread_seq - 1, 1
  -- A reply may be readable while its root is before the history start: nobody follows a thread that they cannot read.
  from unnest(people) p (id) cross join lateral app.channel_access_of_person(p.id, root.channel_id) r
  where r.history_from_seq <= root.history_seq
  on conflict (root_id, profile_id) do update
  set follows = true, last_read_thread_seq = greatest(t.last_read_thread_seq, excluded.last_read_thread_seq),
    read_version = t.read_version + 1, marked_at = excluded.marked_at
  where not t.follows;
end
$$;
comment on function app.follow_mentioned is
  'Makes people who are mentioned by name in a reply follow its thread from that reply on. Needs the lock of the root.';

create function app.update_followers(reply public.messages, root public.messages, people uuid[]) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  has_mentions constant boolean := exists (select from public.mentions n where n.message_id = reply.id);
begin
  -- The author of a reply follows the thread. If they had read to the end, their own reply is read too.
  insert into public.thread_members as t (root_id, profile_id, last_read_thread_seq, read_version)
  values (root.id, reply.author_id, reply.thread_seq, 1)
  on conflict (root_id, profile_id) do update
  set follows = true, last_read_thread_seq = excluded.last_read_thread_seq, read_version = t.read_version + 1,
    marked_at = excluded.marked_at
  where not t.follows or t.last_read_thread_seq >= reply.thread_seq - 1;
  -- The author of the root follows from the first reply on, unless they unfollowed before it.
  if reply.thread_seq = 1 and root.author_id <> reply.author_id then
    insert into public.thread_members (root_id, profile_id, last_read_thread_seq, read_version)
    values (root.id, root.author_id, 0, 1)
    on conflict do nothing;
  end if;
  if cardinality(people) > 0 then perform app.follow_mentioned(reply, root, people); end if;
  perform app.notify_user(t.id, 'reply', jsonb_build_object('channel_id', root.channel_id,
    'root_id', root.id, 'thread_seq', reply.thread_seq, 'rev', reply.rev,
    'mention', has_mentions and exists (
      select from public.mentions n
      where n.message_id = reply.id and app.concerns_person(n, t.id))))
  from unnest(app.few_followers(root)) t (id) where t.id <> reply.author_id;
end
$$;
comment on function app.update_followers is
  'What a reply changes for the people of its thread: who follows it, and who of app.few_followers is notified at once. The '
  'cost does not depend on the number of followers. Takes the root as the reply left it; needs its lock.';

create function app.limit_followed_threads() returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  with excess as (
    select f.root_id, f.profile_id,
      row_number() over (partition by f.profile_id order by f.marked_at desc, f.root_id desc) as position
    from public.thread_members f
    where f.follows and f.profile_id in (
      select c.profile_id from public.thread_members c where c.follows group by c.profile_id having count(*) > 1000)
  ), oldest as (
    -- A reply may have locked the rows of people whom it mentions.
    select t.root_id, t.profile_id
    from public.thread_members t join excess e on e.root_id = t.root_id and e.profile_id = t.profile_id
    where e.position > 1000 limit 1000 for update of t skip locked
  )
  update public.thread_members t set follows = false, read_version = t.read_version + 1
  from oldest o where t.root_id = o.root_id and t.profile_id = o.profile_id;
end
$$;
comment on function app.limit_followed_threads is
  'Unfollows threads of people who follow more than a thousand: those that the person has not read, followed or replied in for '
  'the longest time. It bounds what a heartbeat reads. At most 1,000 rows in a call.';

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

create function app.notify_followers(root uuid, people uuid[]) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform app.notify_user(p.id, 'thread', app.thread_as_json(p.id, root)) from unnest(people) p (id);
end
$$;
comment on function app.notify_followers is 'Sends these people their state in a thread.';

create function app.notify_reply_deleted(deleted public.messages) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform app.notify_followers(deleted.thread_root, array(
    select t.profile_id
    from public.messages root
    cross join lateral unnest(app.few_followers(root)) f (id)
    join public.thread_members t on t.root_id = root.id and t.profile_id = f.id
    where root.id = deleted.thread_root and t.last_read_thread_seq < deleted.thread_seq
      and t.profile_id <> deleted.author_id));
end
$$;
comment on function app.notify_reply_deleted is
  'Notifies those of app.few_followers who had not read a deleted reply.';

-- Commands ---------------------------------------------------------------------------------------------

create function public.mark_thread_read(root uuid, thread_seq bigint, read_version bigint) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access constant app.channel_access := app.require_thread(root);
  reached constant bigint := (
    select least(mark_thread_read.thread_seq, m.last_thread_seq) from public.messages m where m.id = root);
  current_version bigint;
begin
  insert into public.thread_members (root_id, profile_id, follows, last_read_thread_seq, read_version)
  select root, access.profile_id, false, reached, 1
  where mark_thread_read.read_version = 0 and reached > 0
  on conflict do nothing;
  if not found then
    update public.thread_members t
    set last_read_thread_seq = reached, read_version = t.read_version + 1, marked_at = now()
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
  new_seq constant bigint := (
    select least(greatest(mark_thread_unread.thread_seq - 1, 0), m.last_thread_seq) from public.messages m where m.id = root);
begin
  insert into public.thread_members as t (root_id, profile_id, last_read_thread_seq, read_version)
  values (root, access.profile_id, new_seq, 1)
  on conflict (root_id, profile_id) do update
  set follows = true, last_read_thread_seq = excluded.last_read_thread_seq, read_version = t.read_version + 1,
    marked_at = excluded.marked_at
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
begin
  if follow_thread."on" is null then
    raise exception using errcode = 'PT400', message = 'bad_state';
  elsif follow_thread."on" then
    insert into public.thread_members as t (root_id, profile_id, last_read_thread_seq, read_version)
    select root, access.profile_id, m.last_thread_seq, 1 from public.messages m where m.id = root
    on conflict (root_id, profile_id) do update
    set follows = true, last_read_thread_seq = excluded.last_read_thread_seq, read_version = t.read_version + 1,
      marked_at = excluded.marked_at
    where not t.follows;
  else
    -- Inserts a row even if there was none: it keeps the first reply from making the root's author follow.
    insert into public.thread_members as t (root_id, profile_id, follows, read_version)
    values (root, access.profile_id, false, 1)
    on conflict (root_id, profile_id) do update
    set follows = false, read_version = t.read_version + 1, marked_at = excluded.marked_at
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
  return jsonb_build_object('threads', app.threads_as_json(me, array(
    select h.id
    from public.messages h
    join public.channels c on c.id = h.channel_id and c.workspace_id = workspace
    cross join lateral app.channel_access_of_person(me, h.channel_id) r
    where h.id = any (roots) and h.thread_root is null and h.kind = 'text' and r.history_from_seq <= h.history_seq
    order by h.id)));
end
$$;
comment on function public.thread_states is
  'The caller''s state in each of these threads; threads that they may not read are left out.';

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
  since timestamptz := 'infinity';
  since_id uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  roots uuid[];
  roots_shown uuid[];
  replies uuid[];
  roots_of_replies uuid[];
  states jsonb;
  messages jsonb;
begin
  if before is not null then
    if before !~ '^[0-9]{1,17} [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
      raise exception using errcode = 'PT400', message = 'bad_cursor';
    end if;
    since := timestamptz 'epoch' + split_part(before, ' ', 1)::bigint * interval '1 microsecond';
    since_id := split_part(before, ' ', 2)::uuid;
  end if;
  roots := array(
    select f.root_id
    from (
      -- Sorted first, so that the conditions are checked only until the page is full.
      select t.* from app.followed_threads(me, unread) t
      where (t.last_reply_at, t.root_id) < (since, since_id)
      order by t.last_reply_at desc, t.root_id desc offset 0) f
    cross join lateral (
      select m.history_from_seq <= f.history_seq
          or exists (select from public.channels c where c.id = m.channel_id and c.kind = 'public')
          and not exists (
            select from public.workspace_members w
            where w.workspace_id = m.workspace_id and w.profile_id = me and w.role = 'guest') as is_readable
      from public.channel_members m
      where m.channel_id = f.channel_id and m.profile_id = me and m.workspace_id = workspace
        and (m.expires_at is null or m.expires_at > now())
        and not exists (
          select from public.channel_member_state s
          where s.channel_id = m.channel_id and s.profile_id = me and s.hidden)
      offset 0) r
    where r.is_readable
      -- Replies after the read marker are not necessarily unread: they may be one's own, or deleted.
      and (not unread or exists (
        select from public.messages r
        where r.channel_id = f.channel_id and r.thread_root = f.root_id and r.deleted_at is null
          and r.thread_seq > f.last_read_thread_seq and r.author_id <> me))
    order by f.last_reply_at desc, f.root_id desc limit size + 1);
  roots_shown := roots[1:size];
  select array_agg(l.id order by w.ordinal, l.thread_seq), array_agg(w.id order by w.ordinal, l.thread_seq)
  into replies, roots_of_replies
  from unnest(roots_shown) with ordinality w (id, ordinal)
  join public.messages h on h.id = w.id
  cross join lateral (
    select r.id, r.thread_seq from public.messages r
    where r.channel_id = h.channel_id and r.thread_root = h.id and r.deleted_at is null
    order by r.thread_seq desc limit 3) l;
  -- Both are in the order of the ids, all of which exist.
  states := app.threads_as_json(me, roots_shown);
  messages := app.messages_as_json(roots_shown || coalesce(replies, '{}'), me);
  return json_build_object(
    'threads', coalesce((
      select json_agg(json_build_object(
        'state', states -> (w.ordinal - 1)::integer,
        'root', messages -> (w.ordinal - 1)::integer,
        'replies', coalesce((
          select json_agg(messages -> (cardinality(roots_shown) + r.ordinal - 1)::integer order by r.ordinal)
          from unnest(roots_of_replies) with ordinality r (root, ordinal) where r.root = w.id), '[]'))
        order by w.ordinal)
      from unnest(roots_shown) with ordinality w (id, ordinal)), '[]'),
    'before', case when cardinality(roots) > size then (
      select (extract(epoch from m.last_reply_at) * 1000000)::bigint || ' ' || m.id
      from public.messages m where m.id = roots[size]) end);
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

revoke execute on function public.mark_thread_read, public.mark_thread_unread, public.follow_thread,
  public.thread_states, public.thread_inbox, public.thread_page from public, anon, authenticated, service_role;
grant execute on function public.mark_thread_read, public.mark_thread_unread, public.follow_thread,
  public.thread_states, public.thread_inbox, public.thread_page to authenticated;

-- Schedule ---------------------------------------------------------------------------------------------

select cron.schedule('linnet: limit followed threads', '43 * * * *', 'select app.limit_followed_threads()');
