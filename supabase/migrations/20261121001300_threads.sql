-- Threads as their people see them: who follows one, how far each has read, what is unread, and who is told.
--
-- `behind` and `reply_at` repeat what the root says, so that what is unread, and the inbox, are walks along an index
-- of one's own rows. Both move only under the root's lock, as the root's numbers do, so they can't drift.

-- Tables ------------------------------------------------------------------------------------------------

alter table public.thread_members
  add column behind boolean not null default false,
  add column reply_at timestamptz;
comment on column public.thread_members.behind is
  'Of a thread that is followed: whether replies lie above the pointer, be it own or deleted ones. Counts are made anew.';
comment on column public.thread_members.reply_at is 'Of a thread that is followed: its root''s last_reply_at.';

update public.thread_members t
set behind = t.last_read_thread_seq < m.last_thread_seq, reply_at = m.last_reply_at
from public.messages m where m.id = t.root_id and t.follows;

create index thread_members_inbox on public.thread_members (profile_id, reply_at desc, root_id desc) where follows;
create index thread_members_behind on public.thread_members (profile_id, reply_at desc, root_id desc)
  where follows and behind;

alter table public.mentions add column thread_root uuid, add column thread_seq bigint;
comment on column public.mentions.thread_root is 'Of a reply: its thread, so that calls within one are counted by an index.';

update public.mentions n set thread_root = m.thread_root, thread_seq = m.thread_seq
from public.messages m where m.id = n.message_id and m.thread_root is not null;

alter table public.mentions
  add constraint mentions_thread_numbered check ((thread_root is null) = (thread_seq is null));
create index mentions_thread on public.mentions (thread_root, profile_id, thread_seq) where thread_root is not null;

-- What is unread in a thread, in order, as messages_unread is for a channel.
create index messages_thread_unread on public.messages (channel_id, thread_root, thread_seq) include (author_id)
  where thread_root is not null and deleted_at is null;

-- Who reads ---------------------------------------------------------------------------------------------

create function app.person_reading(person uuid, channel uuid, out member boolean, out history_from_seq bigint)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  select m.profile_id is not null, case when c.kind = 'public' and w.role <> 'guest' then 1 else m.history_from_seq end
  into member, history_from_seq
  from public.channels c
  join public.workspace_members w on w.workspace_id = c.workspace_id and w.profile_id = person
  left join public.channel_members m on m.channel_id = c.id and m.profile_id = person
    and (m.expires_at is null or m.expires_at > now())
  where c.id = channel
    and w.state = 'active' and (w.expires_at is null or w.expires_at > now())
    and (m.profile_id is not null or (c.kind = 'public' and w.role <> 'guest'));
end
$$;
comment on function app.person_reading is
  'What one person is to a channel: channel_readers for one; all null for who may not read it.';

-- Answers -----------------------------------------------------------------------------------------------

create function app.thread_counts(viewer uuid, channel uuid, root uuid, pointer bigint) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  unread integer;
  mentions integer;
begin
  select count(*) into unread from (
    select from public.messages m
    where m.channel_id = channel and m.thread_root = root and m.thread_seq > pointer and m.deleted_at is null
      and m.author_id <> viewer
    order by m.thread_seq limit 100
  ) read_on;
  if unread = 0 then return '{"unread": 0, "mentions": 0}'; end if;
  -- A reply that calls one by name and everyone as well counts once.
  select count(*) into mentions from (
    (select n.thread_seq from public.mentions n
      where n.thread_root = root and n.profile_id = viewer and n.thread_seq > pointer
      order by n.thread_seq limit 100)
    union
    (select n.thread_seq from public.mentions n
      where n.thread_root = root and n.profile_id is null and n.thread_seq > pointer and n.author_id <> viewer
      order by n.thread_seq limit 100)
  ) called;
  return jsonb_build_object('unread', unread, 'mentions', least(mentions, 100));
end
$$;
comment on function app.thread_counts is 'As unread_counts, of one thread.';

create function app.thread_as_json(viewer uuid, root uuid) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  return (
    select jsonb_build_object('channel_id', h.channel_id, 'root_id', h.id,
      'follows', p.follows, 'last_read_thread_seq', coalesce(t.last_read_thread_seq, 0),
      'read_version', coalesce(t.read_version, 0), 'last_thread_seq', h.last_thread_seq,
      'last_reply_at', h.last_reply_at, 'rev', k.rev,
      'counts', case when p.follows and t.behind
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
  'One''s own place in a thread. Only who belongs to its channel follows it: having left, one is called no more. Asks '
  'nobody''s rights.';

create function app.shows_thread(viewer uuid, workspace uuid, channel uuid, base_seq bigint) returns boolean
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  return exists (
    select from public.channels c
    cross join lateral app.person_reading(viewer, c.id) r
    left join public.channel_state s on s.channel_id = c.id and s.profile_id = viewer
    where c.id = channel and c.workspace_id = workspace
      and r.member and r.history_from_seq <= shows_thread.base_seq and s.hidden is not true
  );
end
$$;
comment on function app.shows_thread is
  'Whether a thread that someone follows is shown to them: they belong to its channel, reach its root, and have not '
  'closed the conversation.';

create function app.threads_behind(viewer uuid, workspace uuid) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  return coalesce((
    select jsonb_agg(app.thread_as_json(viewer, b.root_id) order by b.reply_at desc, b.root_id desc)
    from (
      select t.root_id, t.reply_at
      from public.thread_members t
      cross join lateral (
        select h.channel_id, h.base_seq from public.messages h where h.id = t.root_id offset 0) h
      where t.profile_id = viewer and t.follows and t.behind and t.reply_at is not null
        and app.shows_thread(viewer, workspace, h.channel_id, h.base_seq)
      order by t.reply_at desc, t.root_id desc limit 100
    ) b
  ), '[]');
end
$$;
comment on function app.threads_behind is
  'The threads that someone follows and has not read to the end, latest first, at most 100. Costs what is unread, not '
  'what is followed. A conversation that one closed is silent until something is said there.';

-- Following ---------------------------------------------------------------------------------------------

create function app.follow_called(said public.messages, root public.messages, people uuid[]) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  insert into public.thread_members as t (root_id, profile_id, last_read_thread_seq, read_version, behind, reply_at)
  select root.id, p.id, said.thread_seq - 1, 1, true, root.last_reply_at
  -- A reply may be readable where its root, below a floor, is not: nobody follows what they can't see.
  from unnest(people) p (id) cross join lateral app.person_reading(p.id, root.channel_id) r
  where r.history_from_seq <= root.base_seq
  on conflict (root_id, profile_id) do update
  set follows = true, last_read_thread_seq = greatest(t.last_read_thread_seq, excluded.last_read_thread_seq),
    read_version = t.read_version + 1, reply_at = excluded.reply_at,
    behind = greatest(t.last_read_thread_seq, excluded.last_read_thread_seq) < root.last_thread_seq
  where not t.follows;
end
$$;
comment on function app.follow_called is
  'Has those whom a reply calls by name follow its thread from that reply on. Needs the root''s lock.';

create function app.thread_hearers(root public.messages) returns setof public.thread_members
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  -- Each follower by their keys: a join would rather read everyone in the channel and in the workspace.
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
    where c.id = root.channel_id and (m.history_from_seq <= root.base_seq or (c.kind = 'public' and w.role <> 'guest'));
end
$$;
comment on function app.thread_hearers is
  'Who follows a thread and may be told of it: they belong to its channel and reach its root. In one query, since a reply '
  'asks it while it holds the channel.';

create function app.follow_reply(said public.messages, root public.messages, people uuid[]) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- Who answers follows; and having read to the end, they have read their own words too.
  insert into public.thread_members as t (root_id, profile_id, last_read_thread_seq, read_version, reply_at)
  values (root.id, said.author_id, said.thread_seq, 1, root.last_reply_at)
  on conflict (root_id, profile_id) do update
  set follows = true, behind = false, last_read_thread_seq = excluded.last_read_thread_seq,
    read_version = t.read_version + 1
  where not t.follows or not t.behind;
  -- Who began follows from the first answer on, unless they said no before it came.
  if said.thread_seq = 1 and root.author_id <> said.author_id then
    insert into public.thread_members (root_id, profile_id, last_read_thread_seq, read_version, behind, reply_at)
    values (root.id, root.author_id, 0, 1, true, root.last_reply_at)
    on conflict do nothing;
  end if;
  if cardinality(people) > 0 then perform app.follow_called(said, root, people); end if;
  update public.thread_members t
  set reply_at = root.last_reply_at, behind = t.behind or t.profile_id <> said.author_id
  where t.root_id = root.id and t.follows;
  perform app.tell_person(t.profile_id, 'reply', jsonb_build_object('channel_id', root.channel_id,
    'root_id', root.id, 'thread_seq', said.thread_seq, 'rev', said.rev,
    'mention', exists (
      select from public.mentions n
      where n.message_id = said.id and (n.profile_id is null or n.profile_id = t.profile_id))))
  from app.thread_hearers(root) t where t.profile_id <> said.author_id;
end
$$;
comment on function app.follow_reply is
  'What a reply does to the people of its thread: who follows it from now on, who is behind, and who is told. Takes the '
  'root as the reply left it; needs its lock.';

create function app.forget_unread_reply(gone public.messages) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  update public.thread_members t set reply_at = h.last_reply_at
  from public.messages h
  where h.id = gone.thread_root and t.root_id = h.id and t.follows and t.reply_at is distinct from h.last_reply_at;
  perform app.tell_person(t.profile_id, 'thread', app.thread_as_json(t.profile_id, t.root_id))
  from public.messages h cross join lateral app.thread_hearers(h) t
  where h.id = gone.thread_root and t.last_read_thread_seq < gone.thread_seq and t.profile_id <> gone.author_id;
end
$$;
comment on function app.forget_unread_reply is
  'Tells those who had not read a reply that it is gone, and moves its thread back to where the last one left stands.';

-- Telling -----------------------------------------------------------------------------------------------

create function app.tell_thread() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform app.tell_person(new.profile_id, 'thread', app.thread_as_json(new.profile_id, new.root_id))
  from public.messages h cross join lateral app.person_reading(new.profile_id, h.channel_id) r
  where h.id = new.root_id and r.member and r.history_from_seq <= h.base_seq;
  return null;
end
$$;
comment on function app.tell_thread is
  'Tells one''s own devices that one''s place in a thread moved: whoever may not read the thread is told nothing.';

create trigger thread_places_begin after insert on public.thread_members
  for each row execute function app.tell_thread();
create trigger thread_places_move after update of read_version on public.thread_members
  for each row when (old.read_version <> new.read_version) execute function app.tell_thread();

revoke execute on all functions in schema app from public;
