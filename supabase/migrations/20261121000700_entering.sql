-- Entering: founding, inviting, accepting, leaving. Commands are definer functions that first ask for the right;
-- failures are names, which the app alone turns into sentences.

-- Helpers -----------------------------------------------------------------------------------------------

create function app.lock_channels(channels uuid[]) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform from public.channel_counters k where k.channel_id = any (channels) order by k.channel_id for update;
end
$$;
comment on function app.lock_channels is
  'Locks counters in the one order, by channel; messages are locked before. Any other order meets itself one day.';

create function app.say(channel uuid, author uuid, note jsonb) returns bigint
language plpgsql volatile security definer set search_path = ''
as $$
declare
  now_at public.channel_counters;
begin
  update public.channel_counters k
  set last_seq = k.last_seq + 1, rev = k.rev + 1, last_at = greatest(clock_timestamp(), k.last_at)
  where k.channel_id = channel returning * into now_at;
  insert into public.messages (id, channel_id, kind, seq, base_seq, rev, author_id, body, system, created_at)
  values (gen_random_uuid(), channel, 'system', now_at.last_seq, now_at.last_seq, now_at.rev, author, '', note,
    now_at.last_at);
  return now_at.last_seq;
end
$$;
comment on function app.say is 'Notes in a channel''s timeline that someone came, left or changed it; answers its seq.';

create function app.move_meta(channel uuid) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  update public.channel_counters k set rev = k.rev + 1, meta_rev = k.rev + 1 where k.channel_id = channel;
end
$$;
comment on function app.move_meta is 'Numbers a change of the channel itself.';

create function app.enter_channel(channel uuid, person uuid, by_whom uuid, with_role text) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
declare
  floor bigint := 1;
  seq bigint;
begin
  perform app.lock_channels(array[channel]);
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
comment on function app.enter_channel is 'Makes a person belong to a channel, caught up; false when they already did.';

create function app.make_channel(id uuid, workspace uuid, kind text, name text, topic text, by_whom uuid)
returns void
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  seq bigint;
begin
  insert into public.channels (id, workspace_id, kind, name, topic, created_by)
  values (make_channel.id, workspace, make_channel.kind, make_channel.name, make_channel.topic, by_whom);
  insert into public.channel_counters (channel_id) values (make_channel.id);
  insert into public.channel_members (channel_id, profile_id, role) values (make_channel.id, by_whom, 'admin');
  seq := app.say(make_channel.id, by_whom, '{"event": "created"}');
  insert into public.channel_state (channel_id, profile_id, last_read_seq) values (make_channel.id, by_whom, seq);
  perform app.move_meta(make_channel.id);
end
$$;
comment on function app.make_channel is 'A named channel with its first admin.';

create function app.workspace_as_json(workspace uuid) returns jsonb
language sql stable security definer set search_path = ''
as $$ select jsonb_build_object('id', w.id, 'name', w.name) from public.workspaces w where w.id = workspace $$;
comment on function app.workspace_as_json is 'A workspace as its members see it.';

-- Founding ----------------------------------------------------------------------------------------------

create function public.offer_setup(token text default null) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  offered constant text := coalesce(token, app.random_token());
begin
  if exists (select from public.workspaces) then return '{"founded": true}'; end if;
  insert into public.settings (key, value) values ('setup_token', to_jsonb(app.hash_token(offered)))
  on conflict (key) do update set value = excluded.value where settings.key = 'setup_token';
  return jsonb_build_object('founded', false, 'token', offered);
end
$$;
comment on function public.offer_setup is
  'For the service: a token whose bearer may found the workspace. The newest counts; a founded home has none.';

create function public.found_workspace(token text, workspace_name text, channel_name text, person_name text)
returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  account constant uuid := auth.uid();
  new_workspace constant uuid := gen_random_uuid();
  new_channel constant uuid := gen_random_uuid();
  me public.profiles;
begin
  if account is null or not app.session_alive() then
    raise exception using errcode = 'PT401', message = 'session_ended';
  end if;
  if exists (select from public.workspaces) then
    raise exception using errcode = 'PT409', message = 'already_founded';
  end if;
  -- Deleting is the lock: of two who hold the token, one finds it.
  delete from public.settings s where s.key = 'setup_token' and s.value = to_jsonb(app.hash_token(token));
  if not found then
    raise exception using errcode = 'PT403', message = 'bad_token';
  end if;
  insert into public.profiles (user_id, name) values (account, app.require_name(person_name, 'profiles_name_length'))
  on conflict (user_id) do update set name = excluded.name where profiles.user_id = excluded.user_id
  returning * into me;
  insert into public.workspaces (id, name) values (new_workspace, app.require_name(workspace_name, 'workspaces_name_length'));
  insert into public.workspace_members (workspace_id, profile_id, role) values (new_workspace, me.id, 'owner');
  perform app.make_channel(new_channel, new_workspace, 'public', app.require_name(channel_name, 'channels_name_length'), '', me.id);
  return jsonb_build_object('workspace', app.workspace_as_json(new_workspace),
    'profile', app.profile_as_json(me), 'channel_id', new_channel);
end
$$;
comment on function public.found_workspace is
  'Makes the bearer of the set-up token the owner. The token ends with it, so no stranger is faster twice.';

-- Inviting ----------------------------------------------------------------------------------------------

create function public.create_invitation(
  workspace uuid, role text, channels uuid[], email text default null, max_uses integer default null,
  hours integer default 168
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin');
  token constant text := app.random_token();
  address constant text := nullif(lower(btrim(create_invitation.email)), '');
  made public.invitations;
begin
  if create_invitation.role is null or create_invitation.role not in ('admin', 'member', 'guest')
    or hours is null or hours not between 1 and 720
    or create_invitation.max_uses not between 1 and 1000
    or (address is not null and (address !~ '^[^@[:space:]]+@[^@[:space:]]+$' or char_length(address) > 320))
  then
    raise exception using errcode = 'PT400', message = 'bad_invitation';
  end if;
  if create_invitation.role = 'admin' and app.my_role(workspace) <> 'owner' then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  if create_invitation.role = 'guest' and coalesce(cardinality(channels), 0) = 0 then
    raise exception using errcode = 'PT400', message = 'guest_needs_channel';
  end if;
  -- Nobody opens a channel that is closed to them.
  if exists (
    select from unnest(channels) c (id)
    where (app.reading_of(c.id)).workspace_id is distinct from workspace
      or (app.reading_of(c.id)).kind not in ('public', 'private')
  ) then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  insert into public.invitations (workspace_id, token_hash, role, email, invited_by, max_uses, expires_at)
  values (workspace, app.hash_token(token), create_invitation.role, address, me,
    coalesce(create_invitation.max_uses, case when address is null then 50 else 1 end),
    now() + make_interval(hours => hours))
  returning * into made;
  insert into public.invitation_channels (invitation_id, channel_id)
  select distinct made.id, c.id from unnest(channels) c (id);
  return jsonb_build_object('id', made.id, 'token', token, 'expires_at', made.expires_at);
end
$$;
comment on function public.create_invitation is
  'A way in for one address or for whoever holds the link. Admins are invited by owners alone.';

create function app.require_invitation(token text) returns public.invitations
language plpgsql stable security definer set search_path = ''
as $$
declare
  invitation public.invitations;
begin
  select * into invitation from public.invitations i where i.token_hash = app.hash_token(token);
  if invitation.id is null then
    raise exception using errcode = 'PT404', message = 'invitation_invalid';
  elsif invitation.revoked_at is not null then
    raise exception using errcode = 'PT410', message = 'invitation_revoked';
  elsif invitation.expires_at <= now() then
    raise exception using errcode = 'PT410', message = 'invitation_expired';
  end if;
  -- A door that was opened by someone who was put out since is no way back for them under another name.
  if not exists (
    select from public.workspace_members w
    where w.workspace_id = invitation.workspace_id and w.profile_id = invitation.invited_by
      and w.role in ('owner', 'admin') and w.state = 'active' and (w.expires_at is null or w.expires_at > now())
  ) then
    raise exception using errcode = 'PT410', message = 'invitation_revoked';
  end if;
  return invitation;
end
$$;
comment on function app.require_invitation is 'The live invitation of a token; fails with what is wrong with it.';

create function public.view_invitation(token text) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  invitation constant public.invitations := app.require_invitation(token);
begin
  if invitation.uses >= invitation.max_uses then
    raise exception using errcode = 'PT410', message = 'invitation_used';
  end if;
  return (
    select jsonb_build_object('workspace_name', w.name, 'invited_by', p.name, 'role', invitation.role,
      'channels', coalesce((
        select jsonb_agg(c.name order by lower(c.name)) from public.invitation_channels o
        join public.channels c on c.id = o.channel_id and c.archived_at is null
        where o.invitation_id = invitation.id), '[]'),
      'expires_at', invitation.expires_at)
    from public.workspaces w, public.profiles p
    where w.id = invitation.workspace_id and p.id = invitation.invited_by
  );
end
$$;
comment on function public.view_invitation is
  'What an invitation opens, for anyone who holds its token: the token is the right, also before sign-in.';

create function app.leave_behind(invitation public.invitations, person uuid) returns void
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
  delete from public.channel_state s where s.profile_id = person and s.channel_id = any (former);
end
$$;
comment on function app.leave_behind is
  'Ends what a person who comes back once belonged to: an invitation opens what it names, not rooms that its writer '
  'may not even know, and a guest''s floor is that of their new coming. Conversations with people stay.';

create function public.accept_invitation(token text, person_name text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  account auth.users;
  invitation public.invitations;
  me public.profiles;
  place public.workspace_members;
  opened uuid;
  entered boolean := false;
  first_channel uuid;
begin
  if not app.session_alive() then
    raise exception using errcode = 'PT401', message = 'session_ended';
  end if;
  select * into account from auth.users u where u.id = auth.uid();
  -- Locked before it is read, or two at once would both be the last.
  perform from public.invitations i where i.token_hash = app.hash_token(token) for update;
  invitation := app.require_invitation(token);
  if account.is_anonymous or account.email_confirmed_at is null
    or (invitation.email is not null and invitation.email <> lower(account.email))
  then
    raise exception using errcode = 'PT403', message = 'invitation_other_email';
  end if;
  select * into me from public.profiles p where p.user_id = account.id;
  select * into place from public.workspace_members w
  where w.workspace_id = invitation.workspace_id and w.profile_id = me.id for update;
  if place.profile_id is null or place.state <> 'active' or place.expires_at <= now() then
    if invitation.uses >= invitation.max_uses then
      raise exception using errcode = 'PT410', message = 'invitation_used';
    end if;
    -- Whoever was shut out comes back by a letter written since, not by an old link.
    if place.profile_id is not null and (invitation.email is null
      or invitation.created_at <= coalesce(place.deactivated_at, place.expires_at))
    then
      raise exception using errcode = 'PT403', message = 'not_allowed';
    end if;
    insert into public.profiles (user_id, name) values (account.id, app.require_name(person_name, 'profiles_name_length'))
    on conflict (user_id) do update set name = excluded.name where profiles.user_id = excluded.user_id
    returning * into me;
    insert into public.workspace_members (workspace_id, profile_id, role)
    values (invitation.workspace_id, me.id, invitation.role)
    on conflict (workspace_id, profile_id) do update
    set role = excluded.role, state = 'active', expires_at = null, deactivated_at = null
    where workspace_members.profile_id = excluded.profile_id;
    update public.invitations i set uses = i.uses + 1 where i.id = invitation.id;
    if place.profile_id is not null then perform app.leave_behind(invitation, me.id); end if;
    entered := true;
  end if;
  for opened in
    select c.id from public.invitation_channels o
    join public.channels c on c.id = o.channel_id and c.archived_at is null
    where o.invitation_id = invitation.id and not exists (
      -- As with the workspace: whoever was put out, or asked in by one who was, needs a letter written since.
      select from public.channel_removals r
      where r.channel_id = c.id and r.profile_id in (me.id, invitation.invited_by)
        and (r.removed_at >= invitation.created_at or (r.profile_id = me.id and invitation.email is null))
    )
    order by c.id
  loop
    -- A used-up link opens nothing more to those who came by another way.
    if entered or invitation.uses < invitation.max_uses then
      perform app.enter_channel(opened, me.id, me.id, 'member');
    end if;
    first_channel := coalesce(first_channel, opened);
  end loop;
  return jsonb_build_object('workspace', app.workspace_as_json(invitation.workspace_id),
    'profile', app.profile_as_json(me), 'channel_id', first_channel);
end
$$;
comment on function public.accept_invitation is
  'Brings the caller in. Asked again by the same person it answers the same and uses nothing up.';

create function public.revoke_invitation(id uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_profile();
begin
  update public.invitations i set revoked_at = coalesce(i.revoked_at, now())
  where i.id = revoke_invitation.id and me is not null
    and i.workspace_id in (select app.my_managed_workspace_ids());
  if not found then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  return jsonb_build_object('id', revoke_invitation.id);
end
$$;
comment on function public.revoke_invitation is 'Ends an invitation; those who came by it stay.';

create function public.before_user_created(event jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  address constant text := lower(btrim(event -> 'user' ->> 'email'));
  token constant text := event -> 'user' -> 'user_metadata' ->> 'invitation';
begin
  if not exists (select from public.workspaces) or exists (
    select from public.invitations i
    where (i.email = address or i.token_hash = app.hash_token(token))
      and (i.email is null or i.email = address)
      and i.revoked_at is null and i.expires_at > now() and i.uses < i.max_uses
  ) then
    return '{}';
  end if;
  return jsonb_build_object('error', jsonb_build_object('http_code', 403,
    'message', 'This Linnet is by invitation. Ask someone who is in it to invite you.'));
end
$$;
comment on function public.before_user_created is
  'Hook of the auth service: accounts are for the invited. Only spares noise; the gate is membership.';

-- Ending someone's place --------------------------------------------------------------------------------

create function public.deactivate_member(workspace uuid, person uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin');
  place public.workspace_members;
begin
  select * into place from public.workspace_members w
  where w.workspace_id = workspace and w.profile_id = person for update;
  if place.profile_id is null then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  if place.profile_id = me or place.role = 'owner' or (place.role = 'admin' and app.my_role(workspace) <> 'owner')
  then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  update public.workspace_members w set state = 'deactivated', deactivated_at = now()
  where w.workspace_id = workspace and w.profile_id = person and w.state <> 'deactivated';
  return app.member_as_json(workspace, person);
end
$$;
comment on function public.deactivate_member is
  'Ends someone''s place: every right goes with the transaction, what they said stays.';

revoke execute on function public.offer_setup, public.found_workspace, public.create_invitation,
  public.view_invitation, public.accept_invitation, public.revoke_invitation, public.before_user_created,
  public.deactivate_member from public, anon, authenticated, service_role;
grant execute on function public.offer_setup to service_role;
grant execute on function public.found_workspace, public.create_invitation, public.accept_invitation,
  public.revoke_invitation, public.deactivate_member to authenticated;
grant execute on function public.view_invitation to anon, authenticated;
grant execute on function public.before_user_created to supabase_auth_admin;

revoke execute on all functions in schema app from public;
