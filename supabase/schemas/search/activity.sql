-- What happened that concerns a person: mentions, reactions to their messages, and replies in threads that they follow.
-- Nothing is stored for each person: entries are read from the rows themselves, so that they are always what the person
-- may read now, and whether one is read follows from the read markers. No read marker covers reactions, whose messages may
-- be anywhere in a channel: those until the activity marker have been seen.

-- Marker -----------------------------------------------------------------------------------------------

create table public.activity_markers (
  workspace_id uuid not null,
  profile_id uuid not null,
  seen_at timestamptz not null,
  primary key (workspace_id, profile_id),
  constraint activity_markers_of_a_member foreign key (workspace_id, profile_id)
    references public.workspace_members (workspace_id, profile_id) on delete cascade
);
create index activity_markers_profile on public.activity_markers (profile_id);
comment on table public.activity_markers is
  'Until when a person has seen reactions to their messages of a workspace; without a row, none. No access for clients.';
alter table public.activity_markers enable row level security;
revoke all on public.activity_markers from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.activity_markers to service_role;

create function public.mark_activity_seen(workspace uuid, until timestamptz) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin', 'member', 'guest');
begin
  -- Not into the future: reactions that follow are new.
  insert into public.activity_markers as a (workspace_id, profile_id, seen_at)
  values (workspace, me, least(mark_activity_seen.until, now()))
  on conflict (workspace_id, profile_id) do update set seen_at = excluded.seen_at
  where a.seen_at < excluded.seen_at;
  return null;
end
$$;
comment on function public.mark_activity_seen is
  'Moves the activity marker of the caller forward to the time of the newest reaction that they have seen. Their devices read '
  'it with each page of the activity.';

-- Reading ----------------------------------------------------------------------------------------------

create type app.activity_entry as (
  at bigint, rank integer, key text, kind text, message_id uuid, channel_id uuid, emoji text, profile_id uuid
);
comment on type app.activity_entry is
  'An entry of the activity of a person. Entries are ordered by `at` (microseconds) descending, `rank` (the place of its '
  'kind) and `key` descending, which a cursor names. `profile_id`: who reacted.';

create function app.activity_cursor(before text, rank integer, out since timestamptz, out key text)
language plpgsql immutable set search_path = ''
as $$
declare
  cursor_rank integer;
begin
  since := 'infinity';
  if before is null then return; end if;
  cursor_rank := split_part(before, ' ', 2)::integer;
  since := timestamptz 'epoch' + split_part(before, ' ', 1)::bigint * interval '1 microsecond';
  if cursor_rank = rank then
    key := split_part(before, ' ', 3);
  elsif cursor_rank < rank then
    since := since + interval '1 microsecond';
  end if;
end
$$;
comment on function app.activity_cursor is
  'Where the entries of one kind continue: those before `since`, and where `key` is not null those at that time with a '
  'lower key.';

create function app.activity_candidates(
  viewer uuid, workspace uuid, filter text, before text, size integer
) returns setof app.activity_entry
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  least_id constant uuid := '00000000-0000-0000-0000-000000000000';
  mention_since constant timestamptz := (app.activity_cursor(before, 0)).since;
  mention_id constant uuid := coalesce((app.activity_cursor(before, 0)).key, least_id::text);
  reaction_since constant timestamptz := (app.activity_cursor(before, 1)).since;
  reaction_position constant bigint := coalesce((app.activity_cursor(before, 1)).key, '0');
  reply_since constant timestamptz := (app.activity_cursor(before, 2)).since;
  reply_id constant uuid := coalesce((app.activity_cursor(before, 2)).key, least_id::text);
  -- The history start of each channel that the caller may read, by its id.
  starts constant jsonb := (
    select jsonb_object_agg(r.channel_id, r.history_from_seq) from app.my_readable_channels() r);
begin
  if filter in ('all', 'mentions') then
    return query
      select (extract(epoch from n.created_at) * 1000000)::bigint, 0, n.message_id::text, 'mention', n.message_id,
        n.channel_id, null::text, null::uuid
      from public.mentions n
      join public.messages m on m.id = n.message_id
      where n.profile_id = viewer and (n.created_at, n.message_id) < (mention_since, mention_id)
        and (starts ->> n.channel_id::text)::bigint <= m.history_seq
      order by n.created_at desc, n.message_id desc limit size;
    -- The newest entries are in the channels with the newest entries: only those are read further.
    return query
      with latest as (
        select m.channel_id, m.created_at, newest.at, newest.message_id
        from public.channel_members m
        cross join lateral (
          select n.created_at as at, n.message_id from public.mentions n
          where n.profile_id is null and n.group_id is null and n.channel_id = m.channel_id
            and (n.created_at, n.message_id) < (mention_since, mention_id) and n.created_at >= m.created_at
          order by n.created_at desc, n.message_id desc limit 1) newest
        where m.profile_id = viewer and m.workspace_id = workspace
          and (m.expires_at is null or m.expires_at > now())
        order by newest.at desc, newest.message_id desc limit size
      )
      select (extract(epoch from n.created_at) * 1000000)::bigint, 0, n.message_id::text, 'everyone', n.message_id,
        l.channel_id, null::text, null::uuid
      from latest l
      cross join lateral (
        select e.created_at, e.message_id from public.mentions e
        where e.profile_id is null and e.group_id is null and e.channel_id = l.channel_id
          and (e.created_at, e.message_id) < (mention_since, mention_id) and e.created_at >= l.created_at
        order by e.created_at desc, e.message_id desc limit size) n
      order by n.created_at desc, n.message_id desc limit size;
    return query
      select (extract(epoch from n.created_at) * 1000000)::bigint, 0, n.message_id::text, 'group', n.message_id,
        n.channel_id, null::text, null::uuid
      from unnest(app.group_ids_of(viewer)) g (id)
      cross join lateral (
        select e.created_at, e.message_id, e.channel_id
        from public.mentions e
        join public.messages m on m.id = e.message_id
        where e.group_id = g.id and (e.created_at, e.message_id) < (mention_since, mention_id)
          and (starts ->> e.channel_id::text)::bigint <= m.history_seq
        order by e.created_at desc, e.message_id desc limit size) n
      order by n.created_at desc, n.message_id desc limit size;
  end if;
  if filter in ('all', 'reactions') then
    return query
      select (extract(epoch from r.created_at) * 1000000)::bigint, 1, lpad(r.position::text, 18, '0'), 'reaction',
        r.message_id, null::uuid, r.emoji, r.profile_id
      from public.reactions r
      join public.messages m on m.id = r.message_id
      where r.message_author_id = viewer and r.profile_id <> r.message_author_id
        and r.emoji not like 'poll:%' and r.emoji not like 'task:%'
        and (r.created_at, r.position) < (reaction_since, reaction_position)
        and (starts ->> m.channel_id::text)::bigint <= m.history_seq
      order by r.created_at desc, r.position desc limit size;
  end if;
  if filter in ('all', 'replies') then
    return query
      select (extract(epoch from f.last_reply_at) * 1000000)::bigint, 2, f.root_id::text, 'reply', f.root_id, null::uuid,
        null::text, null::uuid
      from app.followed_threads(viewer) f
      where (f.last_reply_at, f.root_id) < (reply_since, reply_id)
        and (starts ->> f.channel_id::text)::bigint <= f.history_seq
      order by f.last_reply_at desc, f.root_id desc limit size;
  end if;
end
$$;
comment on function app.activity_candidates is
  'For each kind, the `size` newest rows before the cursor that may be entries and that the caller may read: the cursor of a '
  'page names the last of them, with its time. Of mentions of everyone those in channels that the person is a member of, since '
  'they joined. The `message_id` of a reply is the root of its thread.';

create function public.activity(
  workspace uuid, filter text default 'all', before text default null, "limit" integer default 20
) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin', 'member', 'guest');
  is_own constant boolean := app.is_first_party_session();
  size constant integer := least(greatest(coalesce(activity."limit", 20), 1), 50);
  -- Some rows are no entries: what is not readable any more, and what another entry contains.
  examined constant integer := size + 20;
  candidates app.activity_entry[];
  horizon app.activity_entry;
  found app.activity_entry[];
  last app.activity_entry;
  shown uuid[];
  threads uuid[];
  messages jsonb;
  states jsonb;
begin
  if coalesce(activity.filter, '') not in ('all', 'mentions', 'reactions', 'replies') then
    raise exception using errcode = 'PT400', message = 'bad_filter';
  elsif before is not null
    and before !~ '^[0-9]{1,17} ([02] [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|1 [0-9]{18})$'
  then
    raise exception using errcode = 'PT400', message = 'bad_cursor';
  end if;
  candidates := array(select c from app.activity_candidates(me, workspace, activity.filter, before, examined) c);
  -- Where not all rows of a kind were examined, older entries of any kind may follow rows that were not: the page ends
  -- at the newest of these places.
  select (l.last).* into horizon
  from (
    select (array_agg(c order by c.at, c.key collate "C"))[1] as last
    from unnest(candidates) c group by c.kind having count(*) = examined) l
  order by (l.last).at desc, (l.last).rank, (l.last).key collate "C" desc limit 1;

  found := array(
    select row(c.at, c.rank, c.key, c.kind, m.id, m.channel_id, c.emoji, c.profile_id)::app.activity_entry
    -- A message that mentions both the channel and those who are here, or two groups of the person, has equal rows.
    from (select distinct * from unnest(candidates)) c
    cross join lateral (
      select r.id, r.channel_id, r.author_id, r.history_seq, r.seq, r.thread_root from public.messages r
      where c.kind <> 'reply' and r.id = c.message_id and r.deleted_at is null
      union all
      -- The last reply of somebody else, unless the last ones are all one's own.
      (select r.id, r.channel_id, r.author_id, r.history_seq, r.seq, r.thread_root
        from public.messages h
        cross join lateral (
          select l.id, l.channel_id, l.author_id, l.history_seq, l.seq, l.thread_root, l.thread_seq
          from public.messages l
          where l.channel_id = h.channel_id and l.thread_root = h.id and l.deleted_at is null
          order by l.thread_seq desc limit 10) r
        where c.kind = 'reply' and h.id = c.message_id and r.author_id <> me
        order by r.thread_seq desc limit 1)) m
    join public.channels w on w.id = m.channel_id and w.workspace_id = workspace
    cross join lateral app.channel_access_of_person(me, m.channel_id) r
    where (horizon.at is null
        or (c.at, -c.rank, c.key collate "C") >= (horizon.at, -horizon.rank, horizon.key collate "C"))
      and r.history_from_seq <= m.history_seq
      and (not is_own or w.kind in ('public', 'private')
        or not app.has_blocked(me, coalesce(c.profile_id, m.author_id)))
      and case case c.kind when 'group' then 'everyone' else c.kind end
        when 'mention' then m.author_id <> me
        when 'everyone' then m.author_id <> me
          -- A reply that is only in its thread notifies those who follow that.
          and (m.seq is not null or exists (
            select from public.thread_members t where t.root_id = m.thread_root and t.profile_id = me and t.follows))
          and not exists (
            select from public.mentions n
            where n.message_id = m.id and (n.profile_id = me
              or (c.kind = 'group' and n.profile_id is null and n.group_id is null)))
        when 'reply' then app.is_thread_visible(me, workspace, m.channel_id, m.history_seq)
          and (activity.filter <> 'all' or not exists (
            select from public.mentions n
            where n.message_id = m.id and app.concerns_person(n, me)))
        else true end
    order by c.at desc, c.rank, c.key collate "C" desc);

  last := case when cardinality(found) > size then found[size] else horizon end;
  shown := array(select f.message_id from unnest(found[1:size]) with ordinality
    f (at, rank, key, kind, message_id, channel_id, emoji, profile_id, ordinal) order by f.ordinal);
  threads := array(select distinct r.thread_root from public.messages r where r.id = any (shown) and r.thread_root is not null);
  -- Both are in the order of the ids, all of which exist.
  messages := app.messages_as_json(shown, me);
  states := app.threads_as_json(me, threads);
  return jsonb_build_object(
    'entries', coalesce((
      select jsonb_agg(jsonb_build_object(
          'kind', case when f.kind in ('everyone', 'group') then 'mention' else f.kind end,
          'at', timestamptz 'epoch' + f.at * interval '1 microsecond',
          'message', messages -> (f.ordinal - 1)::integer,
          'emoji', f.emoji, 'profile_id', f.profile_id,
          'thread', states -> array_position(threads, (messages -> (f.ordinal - 1)::integer ->> 'thread_root')::uuid) - 1)
        order by f.ordinal)
      from unnest(found[1:size]) with ordinality
        f (at, rank, key, kind, message_id, channel_id, emoji, profile_id, ordinal)), '[]'),
    'before', last.at || ' ' || last.rank || ' ' || last.key,
    -- Nothing that is older than the membership is new.
    'seen_at', (
      select greatest(w.created_at, a.seen_at) from public.workspace_members w
      left join public.activity_markers a on a.workspace_id = w.workspace_id and a.profile_id = w.profile_id
      where w.workspace_id = workspace and w.profile_id = me));
end
$$;
comment on function public.activity is
  'Mentions of the caller, reactions to their messages and replies in threads that they follow, newest first: all that '
  'they may read now. The cost depends on `limit` and on the number of their channels. A page may have fewer entries '
  'than `limit`, even none, and still be followed by another one.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.activity, public.mark_activity_seen from public, anon, authenticated, service_role;
grant execute on function public.activity, public.mark_activity_seen to authenticated;
