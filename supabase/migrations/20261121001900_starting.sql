-- The two answers that everything starts from, now with one's threads and sections.

create or replace function public.bootstrap(workspace uuid default null) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  me public.profiles;
  here public.workspace_members;
  mine constant uuid[] := array(select app.my_workspace_ids());
begin
  if not app.session_alive() then
    raise exception using errcode = 'PT401', message = 'session_ended';
  end if;
  select * into me from public.profiles p where p.id = app.my_profile_id();
  select m.* into here from public.workspace_members m
  where m.profile_id = me.id and m.workspace_id = any (mine) and m.workspace_id = coalesce(workspace, m.workspace_id)
  order by m.created_at, m.workspace_id limit 1;
  if workspace is not null and here.workspace_id is null then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  return jsonb_build_object(
    'now', clock_timestamp(),
    'me', case when here.workspace_id is not null then jsonb_build_object(
      'profile', app.profile_as_json(me), 'role', here.role,
      'email', (select u.email from auth.users u where u.id = me.user_id)) end,
    'workspace', app.workspace_as_json(here.workspace_id),
    'workspaces', coalesce((
      select jsonb_agg(app.workspace_as_json(w.id) order by w.created_at, w.id)
      from public.workspaces w where w.id = any (mine)), '[]'),
    'members', coalesce((
      select jsonb_agg(jsonb_build_object('profile', app.profile_as_json(p), 'role', m.role,
        'state', case when m.expires_at <= now() then 'deactivated' else m.state end) order by m.created_at, p.id)
      from public.workspace_members m join public.profiles p on p.id = m.profile_id
      where m.workspace_id = here.workspace_id and p.id in (select app.my_people_ids())), '[]'),
    'channels', coalesce((
      select jsonb_agg(app.entry_as_json(me.id, c.id) order by c.created_at, c.id)
      from public.channel_members m
      join public.channels c on c.id = m.channel_id and c.workspace_id = here.workspace_id
      left join public.channel_state s on s.channel_id = c.id and s.profile_id = me.id
      where m.profile_id = me.id and (m.expires_at is null or m.expires_at > now())
        and s.hidden is not true), '[]'),
    'threads', app.threads_behind(me.id, here.workspace_id),
    'sections', app.sections_as_json(me.id, here.workspace_id),
    'topics', (select s.value from public.settings s where s.key = 'topics'));
end
$$;

create or replace function public.beat(workspace uuid, state text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin', 'member', 'guest');
begin
  if beat.state is null or beat.state not in ('active', 'away') then
    raise exception using errcode = 'PT400', message = 'bad_state';
  end if;
  insert into public.heartbeats (profile_id, state, seen_at) values (me, beat.state, clock_timestamp())
  on conflict (profile_id) do update set state = excluded.state, seen_at = excluded.seen_at
  where heartbeats.profile_id = excluded.profile_id;
  perform app.end_what_expired();
  return jsonb_build_object(
    'now', clock_timestamp(),
    'people', coalesce((
      select jsonb_agg(jsonb_build_object('profile_id', h.profile_id, 'state', h.state))
      from public.heartbeats h
      join public.workspace_members w on w.workspace_id = workspace and w.profile_id = h.profile_id
      -- Two beats and a half: one may be lost on the way.
      where h.seen_at > now() - interval '150 seconds' and w.state = 'active'
        and h.profile_id in (select app.my_people_ids())), '[]'),
    'channels', coalesce((
      select jsonb_agg(jsonb_build_object('channel_id', c.id, 'counters', app.counters_as_json(k),
        'counts', app.unread_counts(me, c.id, greatest(s.last_read_seq, m.history_from_seq - 1)),
        'state', app.state_as_json(s)))
      from public.channel_members m
      join public.channels c on c.id = m.channel_id and c.workspace_id = workspace
      join public.channel_counters k on k.channel_id = c.id
      left join public.channel_state s on s.channel_id = c.id and s.profile_id = me
      where m.profile_id = me and (m.expires_at is null or m.expires_at > now())), '[]'),
    'threads', app.threads_behind(me, workspace));
end
$$;
