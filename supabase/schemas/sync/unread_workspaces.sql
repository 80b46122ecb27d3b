-- What is unread in the other workspaces of people who are in several.
--
-- A client shows one workspace. Of the others it requests a summary (`unread_workspaces`) when it starts, every minute, and
-- when an event of the topic `user:<id>` announces that something may have changed there. Decision 53.

-- What is unread ---------------------------------------------------------------------------------------

create function public.unread_workspaces() returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  me constant uuid := app.require_profile();
begin
  return jsonb_build_object('workspaces', coalesce((
    select jsonb_agg(jsonb_build_object('workspace_id', w.workspace_id, 'name', s.name, 'icon', s.icon,
      'unread', coalesce(u.unread, false) or exists (select from app.unread_thread_rows(me, w.workspace_id)),
      'mentions', least(coalesce(u.mentions, 0), 100)) order by w.workspace_id)
    from public.workspace_members w
    join public.workspaces s on s.id = w.workspace_id
    left join lateral (
      select bool_or((one.counts ->> 'mentions')::integer > 0
          or (not one.muted and (one.counts ->> 'unread')::integer > 0)) as unread,
        sum(case when one.kind in ('public', 'private') then (one.counts ->> 'mentions')::integer
          when one.muted then 0 else (one.counts ->> 'unread')::integer end)::integer as mentions
      from (
        -- Only conversations with a message after the read marker are counted, the latest 200.
        select c.kind, coalesce(s.muted, false) as muted,
          app.unread_counts(me, c.id, greatest(s.last_read_seq, m.history_from_seq - 1)) as counts
        from public.channel_members m
        join public.channels c on c.id = m.channel_id and c.workspace_id = w.workspace_id
        join public.channel_counters k on k.channel_id = c.id
        left join public.channel_member_state s on s.channel_id = c.id and s.profile_id = me
        where m.profile_id = me and (m.expires_at is null or m.expires_at > now()) and s.hidden is not true
          and c.archived_at is null and k.last_seq > greatest(s.last_read_seq, m.history_from_seq - 1)
        order by k.last_at desc nulls last, c.id limit 200) one
    ) u on true
    where w.profile_id = me and w.state = 'active' and (w.access_ends_at is null or w.access_ends_at > now())), '[]'));
end
$$;
comment on function public.unread_workspaces is
  'Of each workspace of the caller: its name and icon, whether anything is unread that is not muted, and the number of '
  'mentions and direct messages, which stops at 100.';

create function app.notify_first_unread(message public.messages) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform app.notify_user(r.profile_id, 'unread', jsonb_build_object(
    'workspace_id', r.workspace_id, 'channel_id', message.channel_id))
  from (
    select m.profile_id, c.workspace_id
    from public.channels c
    join public.channel_members m on m.channel_id = c.id and m.profile_id <> message.author_id
    left join public.channel_member_state s on s.channel_id = c.id and s.profile_id = m.profile_id
    join public.profiles p on p.id = m.profile_id and cardinality(p.workspace_ids) > 1
    join public.workspace_members w on w.workspace_id = c.workspace_id and w.profile_id = p.id
      and w.state = 'active' and (w.access_ends_at is null or w.access_ends_at > now())
    join public.heartbeats h on h.profile_id = p.id and h.seen_at > now() - interval '150 seconds'
    where c.id = message.channel_id and c.kind in ('public', 'private')
      and s.muted is not true and greatest(s.last_read_seq, m.history_from_seq - 1) >= message.seq - 1
      and (m.expires_at is null or m.expires_at > now())
    order by h.seen_at desc limit 100) r;
end
$$;
comment on function app.notify_first_unread is
  'Announces the first unread message of a channel to members who are present and in several workspaces, since they may '
  'be looking at another one: at most 100, others find it by their next summary. Direct messages and mentions are '
  'announced to everyone already, and replies that are only in their thread to those who follow it.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.unread_workspaces from public, anon, authenticated, service_role;
grant execute on function public.unread_workspaces to authenticated;
