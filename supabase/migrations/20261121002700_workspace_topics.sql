-- A change of a person or of the workspace is one broadcast on the topic `workspace:<id>:<epoch>`, which the full members
-- join, instead of one for each of them. Guests know only the people of their channels: they receive it on their own
-- topics, as before, so that what is stored grows with the guests who know the person and not with the workspace.

create table public.workspace_counters (
  workspace_id uuid primary key references public.workspaces (id) on delete cascade,
  rev bigint not null default 0,
  epoch bigint not null default 1
) with (fillfactor = 50);
comment on table public.workspace_counters is
  'Numbers the changes of a workspace and its people. Apart from workspaces, which guests may read.';
comment on column public.workspace_counters.rev is
  'Counts changes, so that a client notices a lost broadcast. Its row lock keeps them in the order of their numbers.';
comment on column public.workspace_counters.epoch is
  'Rises when a full member loses their place: hosted realtime keeps its decision about a topic, so the topic changes.';
insert into public.workspace_counters (workspace_id) select w.id from public.workspaces w;

alter table public.workspace_counters enable row level security;
revoke all on public.workspace_counters from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.workspace_counters to service_role;

create index workspace_members_guests on public.workspace_members (workspace_id) where role = 'guest';

create function app.create_workspace_counters() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.workspace_counters (workspace_id) values (new.id);
  return null;
end
$$;
comment on function app.create_workspace_counters is 'Gives a new workspace its counters.';
create trigger workspaces_are_counted after insert on public.workspaces
  for each row execute function app.create_workspace_counters();
comment on trigger workspaces_are_counted on public.workspaces is 'However a workspace is created, it has counters.';

create function app.send_to_workspace(workspace uuid, event text, payload jsonb) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  counters public.workspace_counters;
begin
  update public.workspace_counters k set rev = k.rev + 1 where k.workspace_id = workspace returning * into counters;
  -- The workspace itself is being deleted.
  if not found then return; end if;
  perform realtime.send(payload || jsonb_build_object('workspace_id', workspace, 'rev', counters.rev), event,
    'workspace:' || workspace || ':' || counters.epoch, true);
end
$$;
comment on function app.send_to_workspace is
  'Broadcasts a numbered change to the full members of a workspace. Locks its counters until the transaction ends: call '
  'it after everything that locks a channel.';

create function app.raise_workspace_epoch(workspace uuid) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  counters public.workspace_counters;
begin
  update public.workspace_counters k set epoch = k.epoch + 1 where k.workspace_id = workspace returning * into counters;
  if not found then return; end if;
  perform realtime.send(
    jsonb_build_object('workspace_id', workspace, 'epoch', counters.epoch, 'rev', counters.rev, 'members',
      (select count(*) from public.workspace_members m where m.workspace_id = workspace and m.state = 'active')),
    'epoch', 'workspace:' || workspace || ':' || (counters.epoch - 1), true);
end
$$;
comment on function app.raise_workspace_epoch is
  'Moves a workspace to a new topic and sends the last event of the old one: whoever lost their place cannot follow.';

create or replace function app.tell_member(workspace uuid, person uuid) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  member constant jsonb := app.member_as_json(workspace, person);
begin
  perform app.send_to_workspace(workspace, 'member', jsonb_build_object('member', member));
  perform app.tell_person(guest.profile_id, 'member', jsonb_build_object(
    'workspace_id', workspace, 'member', member))
  from public.workspace_members guest
  where guest.workspace_id = workspace and guest.role = 'guest' and guest.state = 'active'
    and (guest.expires_at is null or guest.expires_at > now())
    and (guest.profile_id = person or exists (
      select from public.channel_members a join public.channel_members b on b.channel_id = a.channel_id
      where a.profile_id = guest.profile_id and b.profile_id = person
    ));
end
$$;
comment on function app.tell_member is
  'Sends a changed member to those who may know them: the full members at once, and each guest who shares a channel.';

create or replace function app.tell_place() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  of public.workspace_members;
begin
  if tg_op = 'DELETE' then of := old; else of := new; end if;
  if tg_op = 'DELETE' or of.state <> 'active' or of.expires_at <= now() then
    -- In order of channels, as every lock of counters.
    perform app.raise_epoch(c.id) from (
      select c.id from public.channel_members m join public.channels c on c.id = m.channel_id
      where m.profile_id = of.profile_id and c.workspace_id = of.workspace_id
        and (c.kind <> 'public' or of.role = 'guest')
      order by c.id
    ) c;
  end if;
  if tg_op <> 'INSERT' then perform app.recheck_sockets(of.profile_id); end if;
  perform app.tell_person(of.profile_id, 'workspace', jsonb_build_object('workspace_id', of.workspace_id));
  perform app.tell_member(of.workspace_id, of.profile_id);
  if tg_op <> 'INSERT' and old.role <> 'guest' and old.state = 'active'
    and (tg_op = 'DELETE' or of.role = 'guest' or of.state <> 'active' or of.expires_at <= now())
  then
    perform app.raise_workspace_epoch(of.workspace_id);
  end if;
  return null;
end
$$;

create or replace function app.tell_profile() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if old.user_id is not null and new.user_id is null then
    perform app.raise_epoch(c.id) from (
      select c.id from public.channel_members m join public.channels c on c.id = m.channel_id
      where m.profile_id = new.id and (c.kind <> 'public' or exists (
        select from public.workspace_members w
        where w.workspace_id = c.workspace_id and w.profile_id = new.id and w.role = 'guest'))
      order by c.id
    ) c;
    perform pg_notify('realtime_recheck', old.user_id::text);
  end if;
  -- After the channels, as everything that locks both; and in order of workspaces.
  perform app.tell_member(w.workspace_id, new.id) from (
    select m.workspace_id from public.workspace_members m where m.profile_id = new.id order by m.workspace_id
  ) w;
  if old.user_id is not null and new.user_id is null then
    perform app.raise_workspace_epoch(w.workspace_id) from (
      select m.workspace_id from public.workspace_members m
      where m.profile_id = new.id and m.role <> 'guest' and m.state = 'active' order by m.workspace_id
    ) w;
  end if;
  return null;
end
$$;

drop trigger profiles_are_told on public.profiles;
create constraint trigger profiles_are_told after update on public.profiles
  deferrable initially deferred for each row
  when ((old.user_id, old.name, old.avatar, old.status_emoji, old.status_text, old.status_expires_at, old.presence,
      old.presence_until)
    is distinct from (new.user_id, new.name, new.avatar, new.status_emoji, new.status_text, new.status_expires_at,
      new.presence, new.presence_until))
  execute function app.tell_profile();
comment on trigger profiles_are_told on public.profiles is 'Only for what others see, and the end of the account.';

create or replace function app.notify_workspace() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  changed constant jsonb := jsonb_build_object('workspace', app.workspace_as_json(new.id));
begin
  perform app.send_to_workspace(new.id, 'workspace_changed', changed);
  perform app.tell_person(m.profile_id, 'workspace_changed', changed)
  from public.workspace_members m
  where m.workspace_id = new.id and m.role = 'guest' and m.state = 'active'
    and (m.expires_at is null or m.expires_at > now());
  return null;
end
$$;
comment on function app.notify_workspace is 'Sends a changed workspace to its full members at once, and to each guest.';
comment on trigger workspace_changes_are_sent on public.workspaces is 'Only for a changed name, which is all that others see.';

create or replace function app.can_listen(topic text) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
declare
  part constant text[] := regexp_match(topic,
    '^(user|channel|workspace):([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?::([1-9][0-9]{0,17}))?$');
begin
  if part[1] = 'user' and part[3] is null then
    return coalesce(part[2]::uuid = app.my_profile_id(), false);
  elsif part[1] = 'channel' then
    return (app.reading_of(part[2]::uuid)).profile_id is not null and exists (
      select from public.channel_counters k where k.channel_id = part[2]::uuid and k.epoch = part[3]::bigint
    );
  elsif part[1] = 'workspace' then
    return coalesce(app.my_role(part[2]::uuid) <> 'guest', false) and exists (
      select from public.workspace_counters k where k.workspace_id = part[2]::uuid and k.epoch = part[3]::bigint
    );
  end if;
  return false;
end
$$;
comment on function app.can_listen is
  'Whether the caller may receive a topic: their own; a readable channel''s, and for full members their workspace''s, at '
  'its present epoch.';

create function app.people_counters(workspace uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select jsonb_build_object('rev', k.rev, 'epoch', k.epoch)
    from public.workspace_counters k where k.workspace_id = workspace and app.my_role(workspace) <> 'guest'
  );
end
$$;
comment on function app.people_counters is
  'The number of the last change of a workspace and the epoch of its topic; null for guests, who may not join it.';

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
    'people_counters', app.people_counters(here.workspace_id),
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
    'people_counters', app.people_counters(workspace),
    'threads', app.threads_behind(me, workspace));
end
$$;

revoke execute on all functions in schema app from public;
