-- The start of a client from set queries: one query for all channels and one for all people, where one function call for
-- each of them made the start take four times as long.
--
-- The objects that other functions return one at a time (app.channel_as_json, app.counters_as_json,
-- app.channel_state_as_json, app.unread_counts, app.profile_as_json) are built in place here: PostgreSQL inlines no
-- function that sets its search path. They are json where they are large, which takes half of the time of jsonb.

create function app.channel_entries_as_json(viewer uuid, ids uuid[]) returns json
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  return coalesce((
    select json_agg((
      select entry from (
        select
          (select o from (
            select c.id, c.workspace_id, c.kind, c.name, c.topic, c.description, c.posting, c.archived_at, c.first_seq,
              c.created_by, c.created_at,
              case when c.kind in ('direct', 'group') then (
                select json_agg(p.profile_id order by p.profile_id) from public.channel_members p
                where p.channel_id = c.id) end as people) o) as channel,
          (select o from (select k.last_seq, k.rev, k.meta_rev, k.epoch, k.change_id) o) as counters,
          m.profile_id is not null as member, m.role as channel_role,
          case when c.kind = 'public' and w.role <> 'guest' then 1 else m.history_from_seq end as history_from_seq,
          (select o from (
            select coalesce(s.last_read_seq, 0) as last_read_seq, coalesce(s.read_version, 0) as read_version,
              coalesce(s.notify, 'mentions') as notify, coalesce(s.muted, false) as muted,
              coalesce(s.starred, false) as starred, s.section_id, s.position) o) as state,
          (select o from (
            select n.unread, case when n.unread > 0 then (
              select least(count(*), 100) from (
                (select a.seq from public.mentions a
                  where a.profile_id = viewer and a.channel_id = c.id and a.seq > n.read_marker
                  order by a.seq limit 100)
                union
                (select a.seq from public.mentions a
                  where a.profile_id is null and a.channel_id = c.id and a.seq > n.read_marker
                    and a.author_id <> viewer
                  order by a.seq limit 100)
              ) mentioning) else 0 end as mentions) o) as counts,
          k.last_at as last_message_at
      ) entry) order by c.created_at, c.id)
    from public.channels c
    join public.channel_counters k on k.channel_id = c.id
    join public.workspace_members w on w.workspace_id = c.workspace_id and w.profile_id = viewer
      and w.state = 'active' and (w.expires_at is null or w.expires_at > now())
    left join public.channel_members m on m.channel_id = c.id and m.profile_id = viewer
      and (m.expires_at is null or m.expires_at > now())
    left join public.channel_state s on s.channel_id = c.id and s.profile_id = viewer and m.profile_id is not null
    cross join lateral (
      select r.read_marker, (
        select count(*) from (
          select from public.messages a
          where a.channel_id = c.id and a.seq > r.read_marker and a.seq is not null and a.deleted_at is null
            and a.kind = 'text' and a.author_id <> viewer
          order by a.seq limit 100) newer) as unread
      -- Without a membership there is no read marker, and nothing is unread.
      from (select greatest(s.last_read_seq, m.history_from_seq - 1)
        where m.profile_id is not null offset 0) r (read_marker)
      union all
      select null, 0 where m.profile_id is null
    ) n
    where c.id = any (ids) and (m.profile_id is not null or (c.kind = 'public' and w.role <> 'guest'))
  ), '[]');
end
$$;
comment on function app.channel_entries_as_json is
  'Channels as one of their readers sees them, in the order of their creation: channel, counters, membership, state and '
  'unread counts (as app.unread_counts). Those that the person may not read are left out.';

create or replace function app.channel_entry_as_json(viewer uuid, channel uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (app.channel_entries_as_json(viewer, array[channel]) -> 0)::jsonb;
end
$$;
comment on function app.channel_entry_as_json is
  'A channel as one of its readers sees it: one of app.channel_entries_as_json; null if they may not read it.';

create function app.members_as_json(workspace uuid, visible uuid[]) returns json
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  return coalesce((
    select json_agg((
      select member from (
        select
          (select o from (
            select p.id, p.kind, p.name, p.avatar, p.status_emoji, p.status_text, p.status_expires_at, p.presence,
              p.presence_until) o) as profile,
          w.role, case when w.expires_at <= now() then 'deactivated' else w.state end as state
      ) member) order by w.created_at, p.id)
    from public.workspace_members w join public.profiles p on p.id = w.profile_id
    where w.workspace_id = workspace and p.id = any (visible)
  ), '[]');
end
$$;
comment on function app.members_as_json is
  'These members of a workspace, in the order in which they joined it. Checks no rights: the caller has.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
