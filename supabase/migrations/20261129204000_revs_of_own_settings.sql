-- The read marker and preferences of a person in a channel, and each section of their sidebar, have a number of changes.
--
-- Changes reach a page by events, by the responses to its own requests, and by heartbeats. Without a number, a heartbeat that
-- the server had computed before a change replaced the change on the page, until the next heartbeat 20 to 60 seconds later.

alter table public.channel_member_state add column rev bigint not null default 0;
comment on column public.channel_member_state.rev is 'Counts the changes of the row, and orders them for the devices that receive them.';
alter table public.sections add column rev bigint not null default 0;
comment on column public.sections.rev is 'Counts the changes of the row, and orders them for the devices that receive them.';

create function app.increment_rev() returns trigger
language plpgsql set search_path = ''
as $$
begin
  new.rev := old.rev + 1;
  return new;
end
$$;
comment on function app.increment_rev is
  'Counts a change of a row. Changes of one row wait for each other, so that the number has the order of the commits.';
create trigger channel_member_states_are_counted before update on public.channel_member_state
  for each row when (old.* is distinct from new.*) execute function app.increment_rev();
create trigger sections_are_counted before update on public.sections
  for each row when (old.* is distinct from new.*) execute function app.increment_rev();

create or replace function app.sections_as_json(viewer uuid, workspace uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce((
    select jsonb_agg(
      jsonb_build_object('id', s.id, 'name', btrim(s.name), 'position', s.position, 'collapsed', s.collapsed,
        'rev', s.rev)
      order by s.position, s.id)
    from public.sections s where s.profile_id = viewer and s.workspace_id = workspace
  ), '[]');
end
$$;

create or replace function app.channel_member_state_as_json(state public.channel_member_state) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object(
    'last_read_seq', coalesce(state.last_read_seq, 0), 'read_version', coalesce(state.read_version, 0),
    'notify', coalesce(state.notify, 'default'), 'muted', coalesce(state.muted, false),
    'starred', coalesce(state.starred, false), 'section_id', state.section_id, 'position', state.position,
    'rev', coalesce(state.rev, 0))
$$;

create or replace function app.channel_entries_as_json(viewer uuid, ids uuid[]) returns json
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  my_groups constant uuid[] := app.group_ids_of(viewer);
begin
  return coalesce((
    select json_agg((
      select entry from (
        select
          (select o from (
            select c.id, c.workspace_id, c.kind, c.name, c.topic, c.description, c.posting, c.archived_at, c.first_seq,
              c.web_since, c.slow_seconds, c.created_by, c.created_at,
              case when c.kind in ('direct', 'group') then (
                select json_agg(p.profile_id order by p.profile_id) from public.channel_members p
                where p.channel_id = c.id) end as people) o) as channel,
          (select o from (select k.last_seq, k.rev, k.meta_rev, k.epoch, k.change_id) o) as counters,
          m.profile_id is not null as member, m.role as channel_role,
          case when c.kind = 'public' and w.role <> 'guest' then 1 else m.history_from_seq end as history_from_seq,
          (select o from (
            select coalesce(s.last_read_seq, 0) as last_read_seq, coalesce(s.read_version, 0) as read_version,
              coalesce(s.notify, 'default') as notify, coalesce(s.muted, false) as muted,
              coalesce(s.starred, false) as starred, s.section_id, s.position,
              coalesce(s.rev, 0) as rev) o) as state,
          (select o from (
            select n.unread, case when n.unread > 0 then (
              select least(count(*), 100) from (
                (select a.seq from public.mentions a
                  where a.profile_id = viewer and a.channel_id = c.id and a.seq > n.read_marker
                  order by a.seq limit 100)
                union
                (select a.seq from public.mentions a
                  where a.profile_id is null and a.group_id is null and a.channel_id = c.id and a.seq > n.read_marker
                    and a.author_id <> viewer
                  order by a.seq limit 100)
                union
                (select a.seq from unnest(my_groups) g (id)
                  cross join lateral (
                    select a.seq from public.mentions a
                    where a.group_id = g.id and a.channel_id = c.id and a.seq > n.read_marker and a.author_id <> viewer
                    order by a.seq limit 100) a)
              ) mentioning) else 0 end as mentions) o) as counts,
          k.last_at as last_message_at
      ) entry) order by c.created_at, c.id)
    from public.channels c
    join public.channel_counters k on k.channel_id = c.id
    join public.workspace_members w on w.workspace_id = c.workspace_id and w.profile_id = viewer
      and w.state = 'active' and (w.expires_at is null or w.expires_at > now())
    left join public.channel_members m on m.channel_id = c.id and m.profile_id = viewer
      and (m.expires_at is null or m.expires_at > now())
    left join public.channel_member_state s on s.channel_id = c.id and s.profile_id = viewer and m.profile_id is not null
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

create or replace function app.differences_of(viewer uuid, viewer_role text, workspace uuid, stored jsonb)
returns app.differences
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  changed app.differences;
  digest text := app.channel_digests(viewer, viewer_role, workspace);
  buckets integer[];
begin
  changed.digests := '{}';
  changed.channels := '[]';
  changed.threads := '[]';
  changed.sections := '[]';
  if digest is distinct from stored ->> 'channels' then
    buckets := app.changed_buckets(stored ->> 'channels', digest);
    changed.digests := changed.digests || jsonb_build_object('channels', digest);
    changed.channels := app.channel_entries_as_json(viewer, array(
      select m.channel_id
      from public.channel_members m
      join public.channels c on c.id = m.channel_id and c.workspace_id = workspace
      left join public.channel_member_state s on s.channel_id = c.id and s.profile_id = viewer
      where m.profile_id = viewer and (m.expires_at is null or m.expires_at > now()) and s.hidden is not true
        and get_byte(uuid_send(m.channel_id), 15) >> 2 = any (buckets)));
  end if;
  digest := app.digest_of((
    select bit_xor(hash_record_extended(r, 0)) from app.unread_thread_rows(viewer, workspace) r));
  if digest is distinct from stored ->> 'unread' then
    changed.digests := changed.digests || jsonb_build_object('unread', digest);
    changed.threads := app.unread_threads(viewer, workspace);
  end if;
  digest := app.digest_of((
    select bit_xor(hash_record_extended(row(s.id, s.name, s.position, s.collapsed, s.rev), 0))
    from public.sections s where s.profile_id = viewer and s.workspace_id = workspace));
  if digest is distinct from stored ->> 'sections' then
    changed.digests := changed.digests || jsonb_build_object('sections', digest);
    changed.sections := app.sections_as_json(viewer, workspace);
  end if;
  if not app.is_first_party_session() then
    changed.own := '{}';
    return changed;
  end if;
  return app.own_differences(viewer, workspace, stored, changed);
end
$$;

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
