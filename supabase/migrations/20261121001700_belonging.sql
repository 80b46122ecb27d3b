-- Coming, going, managing and closing. One's own row in channel_state outlives one's belonging, so that its
-- read_version never goes back: a device that was away can't take an old pointer for a new one.

create or replace function app.enter_channel(channel uuid, person uuid, by_whom uuid, with_role text) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
declare
  floor bigint := 1;
  seq bigint;
begin
  perform app.lock_channels(array[channel]);
  -- Closed a moment ago: an invitation that also opens other channels goes on.
  if exists (select from public.channels c where c.id = channel and c.archived_at is not null) then return false; end if;
  if exists (
    select from public.channels c
    join public.workspace_members w on w.workspace_id = c.workspace_id and w.profile_id = person
    where c.id = channel and w.role = 'guest'
  ) then
    -- A guest reads from the note of their own coming on.
    select k.last_seq + 1 into floor from public.channel_counters k where k.channel_id = channel;
  end if;
  insert into public.channel_members (channel_id, profile_id, role, history_from_seq)
  values (channel, person, with_role, floor) on conflict do nothing;
  if not found then return false; end if;
  delete from public.channel_removals r where r.channel_id = channel and r.profile_id = person;
  seq := app.say(channel, by_whom, case when by_whom = person then '{"event": "joined"}'
    else jsonb_build_object('event', 'added', 'profile_id', person) end);
  insert into public.channel_state (channel_id, profile_id, last_read_seq) values (channel, person, seq)
  on conflict (channel_id, profile_id) do update
  set last_read_seq = excluded.last_read_seq, read_version = channel_state.read_version + 1, hidden = false
  where channel_state.profile_id = excluded.profile_id;
  perform app.move_meta(channel);
  return true;
end
$$;

create or replace function app.leave_behind(invitation public.invitations, person uuid) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  former constant uuid[] := array(
    select m.channel_id from public.channel_members m join public.channels c on c.id = m.channel_id
    where m.profile_id = person and c.workspace_id = invitation.workspace_id and c.kind in ('public', 'private'));
begin
  -- Those that are entered next too, since all are locked in one order.
  perform app.lock_channels(former || array(
    select o.channel_id from public.invitation_channels o where o.invitation_id = invitation.id));
  delete from public.channel_members m where m.profile_id = person and m.channel_id = any (former);
end
$$;

create or replace function public.join_channel(channel uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  reading app.reading := app.require_reader(channel);
begin
  perform app.lock_channels(array[channel]);
  reading := app.require_reader(channel);
  if reading.archived_at is not null then
    raise exception using errcode = 'PT409', message = 'archived';
  end if;
  -- Whoever reads a channel without belonging is a full member before a public one.
  perform app.enter_channel(channel, reading.profile_id, reading.profile_id, 'member');
  return app.entry_as_json(reading.profile_id, channel);
end
$$;

create or replace function public.leave_channel(channel uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  reading constant app.reading := app.require_reader(channel);
begin
  if reading.kind in ('direct', 'group') then
    update public.channel_state s set hidden = true
    where s.channel_id = channel and s.profile_id = reading.profile_id and not s.hidden;
  elsif reading.member then
    perform app.lock_channels(array[channel]);
    delete from public.channel_members m where m.channel_id = channel and m.profile_id = reading.profile_id;
    if found then
      perform app.say(channel, reading.profile_id, '{"event": "left"}');
      perform app.move_meta(channel);
    end if;
  end if;
  return jsonb_build_object('channel_id', channel);
end
$$;

create or replace function public.add_members(channel uuid, people uuid[]) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  reading app.reading := app.require_participant(channel);
  person uuid;
  added uuid[] := '{}';
begin
  perform app.lock_channels(array[channel]);
  reading := app.require_participant(channel);
  if reading.kind not in ('public', 'private') or reading.workspace_role = 'guest' then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  if cardinality(people) > 1000 then
    raise exception using errcode = 'PT400', message = 'too_many_people';
  end if;
  if exists (
    select from unnest(people) p (id) where not exists (
      select from public.workspace_members w
      where w.workspace_id = reading.workspace_id and w.profile_id = p.id
        and w.state = 'active' and (w.expires_at is null or w.expires_at > now()))
  ) then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  for person in select distinct p from unnest(people) p order by p loop
    if app.enter_channel(channel, person, reading.profile_id, 'member') then added := added || person; end if;
  end loop;
  return jsonb_build_object('channel_id', channel, 'people', to_jsonb(added));
end
$$;

-- Managing ------------------------------------------------------------------------------------------------

create function app.unmanaged(channel uuid) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return not exists (
    select from public.channels c
    join public.channel_members m on m.channel_id = c.id and (m.expires_at is null or m.expires_at > now())
    join public.workspace_members w on w.workspace_id = c.workspace_id and w.profile_id = m.profile_id
      and w.state = 'active' and (w.expires_at is null or w.expires_at > now())
    where c.id = channel and w.role <> 'guest' and (m.role = 'admin' or w.role in ('owner', 'admin'))
  );
end
$$;
comment on function app.unmanaged is
  'Whether nobody who could manage a channel belongs to it any more: its admins left, and no owner or admin of the '
  'workspace is in it.';

create function public.set_channel_role(channel uuid, person uuid, role text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  reading app.reading := app.require_participant(channel);
begin
  perform app.lock_channels(array[channel]);
  reading := app.require_participant(channel);
  -- A channel that nobody manages is found by those in it, or a private one would stay as it is for ever: owners and
  -- admins of the workspace can't even see it.
  if reading.kind not in ('public', 'private') or reading.workspace_role = 'guest'
    or not (app.manages(reading) or app.unmanaged(channel))
  then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  if set_channel_role.role is null or set_channel_role.role not in ('admin', 'member') then
    raise exception using errcode = 'PT400', message = 'channel_members_role_known';
  end if;
  if not exists (select from public.channel_members m where m.channel_id = channel and m.profile_id = person) then
    raise exception using errcode = 'PT404', message = 'not_found';
  elsif exists (
    select from public.workspace_members w
    where w.workspace_id = reading.workspace_id and w.profile_id = person and (w.role = 'guest' or w.state <> 'active')
  ) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  update public.channel_members m set role = set_channel_role.role
  where m.channel_id = channel and m.profile_id = person and m.role <> set_channel_role.role;
  if found then perform app.move_meta(channel); end if;
  return jsonb_build_object('channel_id', channel, 'person', person, 'role', set_channel_role.role);
end
$$;
comment on function public.set_channel_role is
  'Makes a member of a channel one of its admins, or no longer; guests can be none. The last one may step down.';

create or replace function public.remove_member(channel uuid, person uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  reading app.reading := app.require_reader(channel);
begin
  perform app.lock_channels(array[channel]);
  reading := app.require_reader(channel);
  if not app.manages(reading) or person = reading.profile_id then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  delete from public.channel_members m where m.channel_id = channel and m.profile_id = person;
  if not found then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  insert into public.channel_removals (channel_id, profile_id) values (channel, person)
  on conflict (channel_id, profile_id) do update set removed_at = excluded.removed_at
  where channel_removals.profile_id = excluded.profile_id;
  perform app.say(channel, reading.profile_id, jsonb_build_object('event', 'removed', 'profile_id', person));
  perform app.move_meta(channel);
  return jsonb_build_object('channel_id', channel, 'person', person);
end
$$;

-- Closing -------------------------------------------------------------------------------------------------

create function public.archive_channel(channel uuid, "on" boolean) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  reading app.reading := app.require_place(channel);
begin
  perform app.lock_channels(array[channel]);
  reading := app.require_place(channel);
  if not app.manages(reading) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  elsif archive_channel."on" is null then
    raise exception using errcode = 'PT400', message = 'bad_state';
  end if;
  if archive_channel."on" is distinct from (reading.archived_at is not null) then
    update public.channels c set archived_at = case when archive_channel."on" then clock_timestamp() end
    where c.id = channel;
    perform app.say(channel, reading.profile_id,
      jsonb_build_object('event', case when archive_channel."on" then 'archived' else 'unarchived' end));
    perform app.move_meta(channel);
  end if;
  return app.entry_as_json(reading.profile_id, channel);
end
$$;
comment on function public.archive_channel is
  'Closes a channel for words, signs, changes and newcomers, or opens it again. It stays readable, pointers still move, '
  'one''s own words can be deleted, and people can leave or be put out.';

revoke execute on function public.set_channel_role, public.archive_channel from public, anon, authenticated, service_role;
grant execute on function public.set_channel_role, public.archive_channel to authenticated;

revoke execute on all functions in schema app from public;
