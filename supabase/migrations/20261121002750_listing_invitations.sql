-- Invitations: the list of open ones, a bound for the channels of one, and no guest without a channel.

-- The list of a workspace's invitations is read in this order; it also serves the foreign key.
drop index public.invitations_workspace;
create index invitations_newest on public.invitations (workspace_id, created_at, id);

create function app.channels_opened_by(invitation public.invitations) returns table (channel_id uuid)
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
    select c.id from public.invitation_channels o
    join public.channels c on c.id = o.channel_id and c.archived_at is null
    cross join lateral app.person_reading(invitation.invited_by, c.id) author
    where o.invitation_id = invitation.id and author.history_from_seq is not null;
end
$$;
comment on function app.channels_opened_by is
  'The channels that an invitation opens now: archived ones and those that its author can no longer read are left out.';

create function app.invitation_as_json(invitation public.invitations) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return jsonb_build_object('id', invitation.id, 'role', invitation.role, 'email', invitation.email,
    'invited_by', invitation.invited_by, 'max_uses', invitation.max_uses, 'uses', invitation.uses,
    'created_at', invitation.created_at, 'expires_at', invitation.expires_at,
    'suspended', not app.may_invite(invitation.invited_by, invitation.workspace_id, invitation.role),
    'channels', coalesce((
      select jsonb_agg(o.channel_id order by o.channel_id) from app.channels_opened_by(invitation) o
      where o.channel_id in (select r.channel_id from app.my_reach() r)), '[]'));
end
$$;
comment on function app.invitation_as_json is
  'An invitation as those who manage the workspace see it: without its token, and only with channels that the caller reads.';

create function public.list_invitations(workspace uuid, before text default null, "limit" integer default 50)
returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  size constant integer := least(greatest(coalesce(list_invitations."limit", 50), 1), 100);
  created_before timestamptz := 'infinity';
  id_before uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  listed public.invitations[];
  last public.invitations;
begin
  perform app.require_role(workspace, 'owner', 'admin');
  if before is not null then
    if before !~ '^[0-9]{1,17} [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
      raise exception using errcode = 'PT400', message = 'bad_cursor';
    end if;
    created_before := timestamptz 'epoch' + split_part(before, ' ', 1)::bigint * interval '1 microsecond';
    id_before := split_part(before, ' ', 2)::uuid;
  end if;
  listed := array(
    select i from public.invitations i
    where i.workspace_id = workspace and (i.created_at, i.id) < (created_before, id_before)
      -- No invitation lives longer: older rows need not be read.
      and i.created_at > now() - interval '720 hours'
      and i.revoked_at is null and i.expires_at > now() and i.uses < i.max_uses
    order by i.created_at desc, i.id desc limit size + 1);
  last := listed[size];
  return jsonb_build_object(
    'invitations', coalesce((
      select jsonb_agg(app.invitation_as_json(i) order by i.created_at desc, i.id desc) from unnest(listed[1:size]) i),
      '[]'),
    'before', case when cardinality(listed) > size then
      (extract(epoch from last.created_at) * 1000000)::bigint || ' ' || last.id end);
end
$$;
comment on function public.list_invitations is
  'Invitations of a workspace that are neither revoked nor expired nor used up, newest first, for its owners and admins.';

revoke execute on function public.list_invitations from public, anon, authenticated, service_role;
grant execute on function public.list_invitations to authenticated;

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
  opened constant uuid[] := array(select distinct c from unnest(channels[1:101]) c);
  made public.invitations;
begin
  if create_invitation.role is null or create_invitation.role not in ('admin', 'member', 'guest')
    or hours is null or hours not between 1 and 720
    or create_invitation.max_uses not between 1 and 1000
    or (address is not null and (address !~ '^[^@[:space:]]+@[^@[:space:]]+$' or char_length(address) > 320))
  then
    raise exception using errcode = 'PT400', message = 'bad_invitation';
  end if;
  if cardinality(channels) > 100 then
    raise exception using errcode = 'PT400', message = 'too_many_channels';
  end if;
  if create_invitation.role = 'admin' and app.my_role(workspace) <> 'owner' then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  if create_invitation.role = 'guest' and cardinality(opened) = 0 then
    raise exception using errcode = 'PT400', message = 'guest_needs_channel';
  end if;
  -- Nobody opens a channel that they cannot read. Checked again under the locks that making a channel private and
  -- removing a member take.
  perform app.require_readable_channels(workspace, opened);
  perform app.lock_channels(opened);
  perform app.require_readable_channels(workspace, opened);
  insert into public.invitations (workspace_id, token_hash, role, email, invited_by, max_uses, expires_at)
  values (workspace, app.hash_token(token), create_invitation.role, address, me,
    coalesce(create_invitation.max_uses, case when address is null then 50 else 1 end),
    now() + make_interval(hours => hours))
  returning * into made;
  insert into public.invitation_channels (invitation_id, channel_id)
  select made.id, c.id from unnest(opened) c (id);
  return jsonb_build_object('id', made.id, 'token', token, 'expires_at', made.expires_at);
end
$$;

create or replace function public.view_invitation(token text) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  invitation constant public.invitations := app.require_invitation(token);
  names constant text[] := array(
    select c.name from app.channels_opened_by(invitation) o join public.channels c on c.id = o.channel_id
    order by lower(c.name));
begin
  if invitation.uses >= invitation.max_uses then
    raise exception using errcode = 'PT410', message = 'invitation_used';
  elsif invitation.role = 'guest' and cardinality(names) = 0 then
    raise exception using errcode = 'PT410', message = 'invitation_without_channels';
  end if;
  return (
    select jsonb_build_object('workspace_name', w.name, 'invited_by', p.name, 'role', invitation.role,
      'channels', names, 'expires_at', invitation.expires_at)
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
    -- A former member comes back by an invitation to their address that is newer than the end of their membership.
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
  -- Read under their locks: a channel that became private or was archived a moment ago is no longer opened.
  perform app.lock_channels(array(
    select o.channel_id from public.invitation_channels o where o.invitation_id = invitation.id));
  for opened in
    select o.channel_id from app.channels_opened_by(invitation) o
    where not exists (
      -- As with the workspace: whoever was removed, or was invited by someone who was, needs a newer invitation.
      select from public.channel_removals r
      where r.channel_id = o.channel_id and r.profile_id in (me.id, invitation.invited_by)
        and (r.removed_at >= invitation.created_at or (r.profile_id = me.id and invitation.email is null))
    )
    order by o.channel_id
  loop
    -- A used-up invitation opens nothing more for those who are members already.
    if entered or invitation.uses < invitation.max_uses then
      added := app.enter_channel(opened, me.id, me.id, 'member') or added;
    end if;
    first_channel := coalesce(first_channel, opened);
  end loop;
  if entered and invitation.role = 'guest' and not added then
    raise exception using errcode = 'PT410', message = 'invitation_without_channels';
  end if;
  if entered or added then
    update public.invitations i set uses = i.uses + 1 where i.id = invitation.id;
  end if;
  return jsonb_build_object('workspace', app.workspace_as_json(invitation.workspace_id),
    'profile', app.profile_as_json(me), 'channel_id', first_channel);
end
$$;

revoke execute on function app.channels_opened_by, app.invitation_as_json from public;
