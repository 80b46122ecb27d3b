-- Results of commands do not reveal to an OAuth application what its person has saved, and whom they have blocked.
--
-- The tables of saved messages and blocks are closed to applications. A search for saved messages still
-- returned them. A search and the activity left out conversations with blocked people, but an application can read these
-- conversations with the same scope. The difference between both was a list of the blocked people.

create or replace function app.search_scopes(workspace uuid, filters app.search_filters) returns app.search_scope[]
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  is_own constant boolean := app.is_first_party_session();
  blocked constant uuid[] := case when is_own then app.blocked_directs(app.my_profile_id()) else '{}' end;
begin
  if 'saved' = any (filters.states) and not is_own then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  return array(
    select (r.channel_id, r.history_from_seq, greatest(r.since, filters.after))::app.search_scope
    from app.my_channels_since(workspace, null) r
    where r.channel_id <> all (blocked)
      and (filters.channels is null or r.channel_id = any (filters.channels))
      and (filters.not_channels is null or r.channel_id <> all (filters.not_channels))
      and (filters.people is null or exists (
        select from public.channels c
        where c.id = r.channel_id and c.kind in ('direct', 'group') and cardinality(filters.people) = (
          select count(*) from public.channel_members m
          where m.channel_id = c.id and m.profile_id = any (filters.people)))));
end
$$;
comment on function app.search_scopes is
  'The channels that the caller may read and the filters include: those of `in`, and conversations with all people of '
  '`with`, without the excluded ones and those with people whom the caller has blocked. Applications learn neither which '
  'messages their person has saved nor whom they have blocked.';

create or replace function public.activity(
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
  return jsonb_build_object(
    'entries', coalesce((
      select jsonb_agg(jsonb_build_object(
          'kind', case when f.kind in ('everyone', 'group') then 'mention' else f.kind end,
          'at', timestamptz 'epoch' + f.at * interval '1 microsecond',
          'message', app.messages_as_json(array[f.message_id], me) -> 0,
          'emoji', f.emoji, 'profile_id', f.profile_id,
          'thread', (
            select app.thread_as_json(me, m.thread_root) from public.messages m
            where m.id = f.message_id and m.thread_root is not null))
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

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
