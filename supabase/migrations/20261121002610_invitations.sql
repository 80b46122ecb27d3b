-- An invitation is worth what its author could grant now: it ends with their account, place or role, opens no channel
-- that they lost, and counts members who enter a channel by it.

create function app.may_invite(person uuid, workspace uuid, role text) returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (
    select from public.workspace_members w
    join public.profiles p on p.id = w.profile_id
    join auth.users u on u.id = p.user_id
    where w.workspace_id = may_invite.workspace and w.profile_id = person
      and w.state = 'active' and (w.expires_at is null or w.expires_at > now())
      and (w.role = 'owner' or (w.role = 'admin' and may_invite.role <> 'admin'))
      and (u.banned_until is null or u.banned_until <= now()) and u.deleted_at is null)
$$;
comment on function app.may_invite is
  'Whether a person may invite to this role now: only owners invite admins, and nobody whose account was deleted or banned.';

create function app.require_readable_channels(workspace uuid, channels uuid[]) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  if exists (
    select from unnest(channels) c (id) cross join lateral app.reading_of(c.id) r
    where r.workspace_id is distinct from workspace or r.kind not in ('public', 'private')
  ) then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
end
$$;
comment on function app.require_readable_channels is
  'Fails with not_found unless the caller reads each of these channels, and all are of the workspace.';

create or replace function public.create_invitation(
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
  -- Nobody opens a channel that is closed to them. Checked again under the locks that closing a channel and removing
  -- a member take.
  perform app.require_readable_channels(workspace, channels);
  perform app.lock_channels(channels);
  perform app.require_readable_channels(workspace, channels);
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

create or replace function app.require_invitation(token text) returns public.invitations
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
  if not app.may_invite(invitation.invited_by, invitation.workspace_id, invitation.role) then
    raise exception using errcode = 'PT410', message = 'invitation_revoked';
  end if;
  return invitation;
end
$$;

create or replace function public.view_invitation(token text) returns jsonb
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
        cross join lateral app.person_reading(invitation.invited_by, c.id) r
        where o.invitation_id = invitation.id and r.history_from_seq is not null), '[]'),
      'expires_at', invitation.expires_at)
    from public.workspaces w, public.profiles p
    where w.id = invitation.workspace_id and p.id = invitation.invited_by
  );
end
$$;

create or replace function public.accept_invitation(token text, person_name text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  account auth.users;
  invitation public.invitations;
  me public.profiles;
  place public.workspace_members;
  opened uuid;
  entered boolean := false;
  added boolean := false;
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
    if place.profile_id is not null then perform app.leave_behind(invitation, me.id); end if;
    entered := true;
  end if;
  -- Looked at under their locks: what was closed or archived a moment ago, this invitation opens no more.
  perform app.lock_channels(array(
    select o.channel_id from public.invitation_channels o where o.invitation_id = invitation.id));
  for opened in
    select c.id from public.invitation_channels o
    join public.channels c on c.id = o.channel_id and c.archived_at is null
    -- Closed to its author since: in any way, not only by removal.
    cross join lateral app.person_reading(invitation.invited_by, c.id) author
    where o.invitation_id = invitation.id and author.history_from_seq is not null and not exists (
      -- As with the workspace: whoever was put out, or asked in by one who was, needs a letter written since.
      select from public.channel_removals r
      where r.channel_id = c.id and r.profile_id in (me.id, invitation.invited_by)
        and (r.removed_at >= invitation.created_at or (r.profile_id = me.id and invitation.email is null))
    )
    order by c.id
  loop
    -- A used-up link opens nothing more to those who came by another way.
    if entered or invitation.uses < invitation.max_uses then
      added := app.enter_channel(opened, me.id, me.id, 'member') or added;
    end if;
    first_channel := coalesce(first_channel, opened);
  end loop;
  if entered or added then
    update public.invitations i set uses = i.uses + 1 where i.id = invitation.id;
  end if;
  return jsonb_build_object('workspace', app.workspace_as_json(invitation.workspace_id),
    'profile', app.profile_as_json(me), 'channel_id', first_channel);
end
$$;

create or replace function public.before_user_created(event jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  address constant text := lower(btrim(event -> 'user' ->> 'email'));
  metadata constant jsonb := event -> 'user' -> 'user_metadata';
  token constant text := metadata ->> 'invitation';
  inviter constant text := metadata ->> 'invited_by';
  workspace_name constant text := metadata ->> 'workspace_name';
begin
  if (inviter is null and workspace_name is null and not exists (select from public.workspaces)) or exists (
    select from public.invitations i
    join public.profiles p on p.id = i.invited_by
    join public.workspaces w on w.id = i.workspace_id
    where (i.email = address or i.token_hash = app.hash_token(token))
      and (i.email is null or i.email = address)
      and app.may_invite(i.invited_by, i.workspace_id, i.role)
      and i.revoked_at is null and i.expires_at > now() and i.uses < i.max_uses
      and coalesce(inviter, p.name) = p.name and coalesce(workspace_name, w.name) = w.name
  ) then
    return '{}';
  end if;
  return jsonb_build_object('error', jsonb_build_object('http_code', 403,
    'message', 'This Linnet is by invitation. Ask someone who is in it to invite you.'));
end
$$;

revoke execute on function app.may_invite, app.require_readable_channels from public;
