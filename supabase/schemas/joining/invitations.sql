-- Invitations: creating, viewing and accepting them, and sign-up.
--
-- An invitation grants what its author could grant now: it ends with their account, membership or role, and opens no
-- channel that they can no longer read.

-- Tables -----------------------------------------------------------------------------------------------

create table public.invitations (
  id uuid primary key default gen_random_uuid(),
  workspace_id uuid not null references public.workspaces (id) on delete cascade,
  token_hash text not null constraint invitations_token_once unique,
  role text not null constraint invitations_role_known check (role in ('admin', 'member', 'guest')),
  access_days integer
    constraint invitations_access_days_range check (access_days is null or (access_days between 1 and 365 and role = 'guest')),
  email text constraint invitations_email_plain
    check (email = lower(btrim(email)) and char_length(email) <= 320 and email like '_%@_%' and app.is_legible(email)),
  mail_state text
    constraint invitations_mail_state_known check (mail_state in ('queued', 'sent', 'rejected', 'failed')),
  invited_by uuid not null references public.profiles (id) on delete cascade,
  max_uses integer not null constraint invitations_max_uses_range check (max_uses between 1 and 1000),
  uses integer not null default 0 constraint invitations_uses_within_max check (uses between 0 and max_uses),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  created_at timestamptz not null default now(),
  starts_at timestamptz constraint invitations_start_for_guests check (starts_at is null or role = 'guest')
);
-- The order of list_invitations; also serves the foreign key.
create index invitations_newest on public.invitations (workspace_id, created_at, id);
create index invitations_invited_by on public.invitations (invited_by);
create index invitations_email on public.invitations (email) where email is not null;
comment on table public.invitations is
  'Invitations. Only the hash of a token is stored, so that a copy of the table admits nobody.';
comment on column public.invitations.access_days is 'Days from joining until a guest''s access ends; null: it does not end.';
comment on column public.invitations.starts_at is
  'When a guest can first join; null: at once. Nobody joins or signs up by the invitation before.';
comment on column public.invitations.mail_state is
  'What became of the mail; null: the server sends none. A rejected one was refused by the mail server of the recipient.';
alter table public.invitations enable row level security;
create policy "admins see invitations" on public.invitations
  for select to authenticated using (workspace_id in (select app.my_managed_workspace_ids()));
comment on policy "admins see invitations" on public.invitations is
  'Invitations contain e-mail addresses: only those who create and revoke them read them.';
revoke all on public.invitations from public, anon, authenticated, service_role;
grant select (id, workspace_id, role, email, invited_by, max_uses, uses, expires_at, revoked_at, created_at) on
  public.invitations to authenticated;
grant select, insert, update, delete on public.invitations to service_role;

create table public.invitation_channels (
  invitation_id uuid not null references public.invitations (id) on delete cascade,
  channel_id uuid not null references public.channels (id) on delete cascade,
  primary key (invitation_id, channel_id)
);
create index invitation_channels_channel on public.invitation_channels (channel_id);
comment on table public.invitation_channels is 'Channels that an invitation opens.';
alter table public.invitation_channels enable row level security;
create policy "admins see the channels of invitations" on public.invitation_channels
  for select to authenticated using (
    channel_id in (select r.channel_id from app.my_readable_channels() r)
    and exists (
      select from public.invitations i
      where i.id = invitation_channels.invitation_id and i.workspace_id in (select app.my_managed_workspace_ids())
    )
  );
comment on policy "admins see the channels of invitations" on public.invitation_channels is
  'An admin who cannot read a private channel must not learn of it from the invitation of another.';
revoke all on public.invitation_channels from public, anon, authenticated, service_role;
grant select on public.invitation_channels to authenticated;
grant select, insert, update, delete on public.invitation_channels to service_role;

create table public.sign_up_requests (
  invitation_id uuid not null references public.invitations (id) on delete cascade,
  email text not null constraint sign_up_requests_email_plain
    check (email = lower(btrim(email)) and char_length(email) <= 320 and email like '_%@_%' and app.is_legible(email)),
  requested_at timestamptz not null default now(),
  primary key (invitation_id, email)
);
create index sign_up_requests_email on public.sign_up_requests (email);
create index sign_up_requests_age on public.sign_up_requests (requested_at);
comment on table public.sign_up_requests is
  'Addresses for which the bearer of an invitation link requested an account, valid for an hour; 100 at most for each '
  'invitation. The sign-up hook looks for the address: a token in the account''s metadata would be in every access '
  'token and visible to OAuth clients. No access for clients.';
alter table public.sign_up_requests enable row level security;
revoke all on public.sign_up_requests from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.sign_up_requests to service_role;

-- Rights -----------------------------------------------------------------------------------------------

create function app.can_invite(person uuid, workspace uuid, role text) returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (
    select from public.workspace_members w
    join public.workspaces o on o.id = w.workspace_id
    join public.profiles p on p.id = w.profile_id
    join auth.users u on u.id = p.user_id
    where w.workspace_id = can_invite.workspace and w.profile_id = person
      and w.state = 'active' and (w.expires_at is null or w.expires_at > now())
      and (w.role = 'owner' or (can_invite.role <> 'admin'
        and (w.role = 'admin' or w.role = 'member' and o.invitations_by = 'members')))
      and (u.banned_until is null or u.banned_until <= now()) and u.deleted_at is null)
$$;
comment on function app.can_invite is
  'Whether a person may invite to this role: only owners invite admins, members only where the workspace allows it, and '
  'nobody whose account was deleted or banned.';

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
  if not app.can_invite(invitation.invited_by, invitation.workspace_id, invitation.role) then
    raise exception using errcode = 'PT410', message = 'invitation_revoked';
  end if;
  return invitation;
end
$$;
comment on function app.require_invitation is 'The valid invitation of a token; otherwise fails with the reason.';

create function app.require_started(invitation public.invitations) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if invitation.starts_at > now() then
    raise exception using errcode = 'PT403', message = 'invitation_not_started';
  end if;
end
$$;
comment on function app.require_started is
  'Fails with invitation_not_started before the time from which a guest has access. The invitation can be viewed before.';

create function app.require_invitation_or_setup_token(token text) returns public.invitations
language plpgsql stable security definer set search_path = ''
as $$
declare
  invitation public.invitations;
begin
  if not exists (
    select from public.settings s where s.key = 'setup_token' and s.value = to_jsonb(app.hash_token(token))
  ) then
    invitation := app.require_invitation(token);
    if invitation.uses >= invitation.max_uses then
      raise exception using errcode = 'PT410', message = 'invitation_used';
    end if;
  end if;
  return invitation;
end
$$;
comment on function app.require_invitation_or_setup_token is
  'The valid invitation of a token, null for the set-up token; otherwise fails with the reason.';

create function app.require_readable_channels(workspace uuid, channels uuid[]) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  if exists (
    select from unnest(channels) c (id) cross join lateral app.channel_access_of(c.id) r
    where r.workspace_id is distinct from workspace or r.kind not in ('public', 'private')
  ) then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
end
$$;
comment on function app.require_readable_channels is
  'Fails with not_found unless the caller may read each of these channels, and all are of the workspace.';

create function app.channels_of_invitation(invitation public.invitations) returns table (channel_id uuid)
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
    select c.id from public.invitation_channels o
    join public.channels c on c.id = o.channel_id and c.archived_at is null
    cross join lateral app.channel_access_of_person(invitation.invited_by, c.id) author
    where o.invitation_id = invitation.id and author.history_from_seq is not null;
end
$$;
comment on function app.channels_of_invitation is
  'The channels that an invitation opens now: archived ones and those that its author can no longer read are left out.';

-- Managing ---------------------------------------------------------------------------------------------

create function app.invitation_as_json(invitation public.invitations) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return jsonb_build_object('id', invitation.id, 'role', invitation.role, 'email', invitation.email,
    'invited_by', invitation.invited_by, 'max_uses', invitation.max_uses, 'uses', invitation.uses,
    'created_at', invitation.created_at, 'expires_at', invitation.expires_at,
    'access_days', invitation.access_days, 'starts_at', invitation.starts_at, 'mail', invitation.mail_state,
    'suspended', not app.can_invite(invitation.invited_by, invitation.workspace_id, invitation.role),
    'channels', coalesce((
      select jsonb_agg(o.channel_id order by o.channel_id) from app.channels_of_invitation(invitation) o
      where o.channel_id in (select r.channel_id from app.my_readable_channels() r)), '[]'));
end
$$;
comment on function app.invitation_as_json is
  'An invitation as those who manage the workspace see it: without its token, and only with channels that the caller '
  'may read.';

create function public.create_invitation(
  workspace uuid, role text, channels uuid[], email text default null, max_uses integer default null,
  hours integer default 168, access_days integer default null, starts_at timestamptz default null
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin', 'member');
  token constant text := app.random_token();
  -- A text that cannot be an address stays as it is, and is refused.
  address constant text := coalesce(app.email_address(create_invitation.email), nullif(btrim(create_invitation.email), ''));
  opened constant uuid[] := array(select distinct c from unnest(channels[1:101]) c);
  invitation public.invitations;
begin
  if not app.can_invite(me, workspace, 'member') then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  if create_invitation.role is null or create_invitation.role not in ('admin', 'member', 'guest')
    or hours is null or hours not between 1 and 720
    or create_invitation.max_uses not between 1 and 1000
    or create_invitation.access_days not between 1 and 365
    or (create_invitation.access_days is not null and create_invitation.role <> 'guest')
    or (create_invitation.starts_at is not null and create_invitation.role <> 'guest')
    or create_invitation.starts_at > now() + interval '1 year'
    or not app.is_email_address(address)
  then
    raise exception using errcode = 'PT400', message = 'bad_invitation';
  end if;
  if cardinality(channels) > 100 then
    raise exception using errcode = 'PT400', message = 'too_many_channels';
  end if;
  if not app.can_invite(me, workspace, create_invitation.role) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  if create_invitation.role = 'guest' and cardinality(opened) = 0 then
    raise exception using errcode = 'PT400', message = 'guest_needs_channel';
  end if;
  if 1000 <= (
    select count(*) from public.invitations i where i.invited_by = me and i.created_at > now() - interval '1 day')
  then
    raise exception using errcode = 'PT409', message = 'too_many_invitations';
  end if;
  -- Nobody may open a channel that they cannot read. Checked again under the locks that making a channel private and
  -- removing a member take.
  perform app.require_readable_channels(workspace, opened);
  perform app.lock_channels(opened);
  perform app.require_readable_channels(workspace, opened);
  insert into public.invitations (workspace_id, token_hash, role, email, invited_by, max_uses, expires_at, access_days, starts_at)
  values (workspace, app.hash_token(token), create_invitation.role, address, me,
    coalesce(create_invitation.max_uses, case when address is null then 50 else 1 end),
    greatest(now(), create_invitation.starts_at) + make_interval(hours => hours), create_invitation.access_days,
    -- Not `-infinity`, which pages cannot show.
    case when create_invitation.starts_at > now() then create_invitation.starts_at end)
  returning * into invitation;
  insert into public.invitation_channels (invitation_id, channel_id)
  select invitation.id, c.id from unnest(opened) c (id);
  return jsonb_build_object('id', invitation.id, 'token', token, 'expires_at', invitation.expires_at);
end
$$;
comment on function public.create_invitation is
  'Creates an invitation for one address or for everyone who has the link, 1,000 at most by a person in a day. Only owners '
  'invite admins; members invite where the workspace allows it. The access of guests can begin at a time, and end '
  'some days after they have joined. The invitation expires some hours after it begins.';

create function public.list_invitations(workspace uuid, before text default null, "limit" integer default 50)
returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin', 'member');
  sees_all constant boolean := app.my_role(workspace) in ('owner', 'admin');
  size constant integer := least(greatest(coalesce(list_invitations."limit", 50), 1), 100);
  created_before timestamptz := 'infinity';
  id_before uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  listed public.invitations[];
  last public.invitations;
begin
  if not app.can_invite(me, workspace, 'member') then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
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
      and (sees_all or i.invited_by = me)
      -- No invitation is valid for longer: older rows need not be read. A mailed one that has expired can be sent again.
      and i.created_at > now() - interval '720 hours'
      and i.revoked_at is null and (i.expires_at > now() or i.mail_state is not null) and i.uses < i.max_uses
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
  'Invitations of a workspace that are neither revoked nor used up nor expired, and mailed ones that have expired, newest '
  'first: all for its owners and admins, for members who may invite their own.';

create function public.revoke_invitation(id uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_profile();
begin
  update public.invitations i set revoked_at = coalesce(i.revoked_at, now())
  where i.id = revoke_invitation.id and (i.workspace_id in (select app.my_managed_workspace_ids())
    or i.invited_by = me and i.workspace_id in (select app.my_workspace_ids()));
  if not found then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  return jsonb_build_object('id', revoke_invitation.id);
end
$$;
comment on function public.revoke_invitation is
  'Revokes an invitation, by its author or those who manage the workspace; those who accepted it stay.';

-- Accepting --------------------------------------------------------------------------------------------

create function public.view_invitation(token text) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  invitation constant public.invitations := app.require_invitation(token);
  names constant text[] := array(
    select c.name from app.channels_of_invitation(invitation) o join public.channels c on c.id = o.channel_id
    order by lower(c.name));
  is_member constant boolean := invitation.workspace_id in (select app.my_workspace_ids());
begin
  -- Members open the link that they joined with again.
  if invitation.uses >= invitation.max_uses and not is_member then
    raise exception using errcode = 'PT410', message = 'invitation_used';
  elsif invitation.role = 'guest' and cardinality(names) = 0 then
    raise exception using errcode = 'PT410', message = 'invitation_without_channels';
  end if;
  return (
    select jsonb_build_object('workspace_name', w.name, 'invited_by', p.name, 'role', invitation.role,
      'channels', names, 'expires_at', invitation.expires_at, 'access_days', invitation.access_days,
      'starts_at', case when invitation.starts_at > now() then invitation.starts_at end, 'language', w.language,
      'is_member', is_member)
    from public.workspaces w, public.profiles p
    where w.id = invitation.workspace_id and p.id = invitation.invited_by
  );
end
$$;
comment on function public.view_invitation is
  'What an invitation opens, for the bearer of its token, also before sign-in, and whether the caller is a member already.';

create function public.accept_invitation(token text, person_name text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  account auth.users;
  invitation public.invitations;
  membership public.workspace_members;
begin
  if not app.is_session_alive() then
    raise exception using errcode = 'PT401', message = 'session_ended';
  end if;
  select * into account from auth.users u where u.id = auth.uid();
  -- Locked before it is read: otherwise two concurrent calls could both take the last use.
  perform from public.invitations i where i.token_hash = app.hash_token(token) for update;
  invitation := app.require_invitation(token);
  perform app.require_started(invitation);
  if account.is_anonymous
    or (account.email_confirmed_at is null and not exists (
      select from public.sign_up_requests r
      where r.invitation_id = invitation.id and r.email = lower(account.email)
        and r.requested_at > now() - interval '1 hour'))
    or (invitation.email is not null and invitation.email <> lower(account.email))
  then
    raise exception using errcode = 'PT403', message = 'invitation_other_email';
  end if;
  select w.* into membership from public.workspace_members w join public.profiles p on p.id = w.profile_id
  where w.workspace_id = invitation.workspace_id and p.user_id = account.id for update of w;
  if membership.profile_id is null or not app.is_active_member(membership) then
    if invitation.uses >= invitation.max_uses then
      raise exception using errcode = 'PT410', message = 'invitation_used';
    end if;
    -- A former member comes back by an invitation to their address that is newer than the end of their membership.
    if membership.profile_id is not null and (invitation.email is null
      or invitation.created_at <= coalesce(membership.deactivated_at, membership.expires_at))
    then
      raise exception using errcode = 'PT403', message = 'not_allowed';
    end if;
  end if;
  return app.admit_member(invitation.workspace_id, account.id, coalesce(person_name, ''), invitation);
end
$$;
comment on function public.accept_invitation is
  'Makes the caller a member. Repeated by the same person it returns the same and counts once. A caller whose address is unconfirmed '
  'must have requested the sign-up with this token in the last hour. Addresses stay unconfirmed on servers that send no codes by mail.';

-- Sign-up ----------------------------------------------------------------------------------------------

create function public.request_sign_up(token text, email text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  address constant text := app.email_address(request_sign_up.email);
  invitation public.invitations;
begin
  if address is null then
    raise exception using errcode = 'PT400', message = 'email_address_invalid';
  end if;
  invitation := app.require_invitation_or_setup_token(token);
  perform app.require_started(invitation);
  if invitation.email <> address then
    raise exception using errcode = 'PT403', message = 'invitation_other_email';
  end if;
  -- Before a workspace exists the hook admits everyone.
  if invitation.id is not null then
    delete from public.sign_up_requests r where r.requested_at <= now() - interval '1 hour';
    insert into public.sign_up_requests (invitation_id, email) values (invitation.id, address)
    on conflict (invitation_id, email) do update set requested_at = now();
    delete from public.sign_up_requests r where r.invitation_id = invitation.id and r.email in (
      select o.email from public.sign_up_requests o where o.invitation_id = invitation.id
      order by o.requested_at desc, o.email = address desc offset 100);
  end if;
  return jsonb_build_object('expires_at', now() + interval '1 hour');
end
$$;
comment on function public.request_sign_up is
  'Permits an account for an address within the next hour, for the bearer of an invitation''s token or the set-up '
  'token.';

create function public.before_user_created(event jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  address constant text := coalesce(
    app.email_address(event -> 'user' ->> 'email'), lower(btrim(event -> 'user' ->> 'email')));
  metadata constant jsonb := event -> 'user' -> 'user_metadata';
  inviter constant text := metadata ->> 'invited_by';
  workspace_name constant text := metadata ->> 'workspace_name';
  confirms_email constant boolean := coalesce((event ->> 'confirms_email')::boolean, true);
begin
  -- The templates of mails compare it with texts. Of another type it would be an error, and the person would get no mail.
  if jsonb_typeof(metadata -> 'language') not in ('string', 'null') then
    return jsonb_build_object('error', jsonb_build_object('http_code', 400, 'message', 'The language must be a text.'));
  end if;
  if (inviter is null and workspace_name is null
      and (not exists (select from public.workspaces) or (confirms_email and app.may_sign_up(address))))
    or exists (
    select from public.invitations i
    join public.profiles p on p.id = i.invited_by
    join public.workspaces w on w.id = i.workspace_id
    where ((i.email = address and confirms_email)
        or ((i.email is null or i.email = address) and exists (
          select from public.sign_up_requests r
          where r.email = address and r.invitation_id = i.id and r.requested_at > now() - interval '1 hour')))
      and app.can_invite(i.invited_by, i.workspace_id, i.role)
      and i.revoked_at is null and i.expires_at > now() and i.uses < i.max_uses
      and (i.starts_at is null or i.starts_at <= now())
      and coalesce(inviter, p.name) = p.name and coalesce(workspace_name, w.name) = w.name
  ) then
    -- An imported person's account, which nobody has used, opens conversations: only a code to its address proves its
    -- owner. The error reveals the account, so that only people with an invitation get it.
    if not confirms_email and exists (
      select from auth.users u join public.profiles p on p.user_id = u.id
      where u.email = address and u.last_sign_in_at is null)
    then
      return jsonb_build_object('error', jsonb_build_object('http_code', 403, 'message', 'account_needs_code'));
    end if;
    return '{}';
  end if;
  return jsonb_build_object('error', jsonb_build_object('http_code', 403,
    'message', 'This Linnet is by invitation. Ask someone who is in it to invite you.'));
end
$$;
comment on function public.before_user_created is
  'Hook of the auth service: only invited people, and those whose address may join or ask, get accounts, and the mail that '
  'invites them names nobody but its author. It prevents useless accounts; access depends on membership. If '
  'confirms_email is false, only people who have shown the token of an invitation get accounts.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.create_invitation, public.list_invitations, public.revoke_invitation,
  public.view_invitation, public.accept_invitation, public.request_sign_up, public.before_user_created
  from public, anon, authenticated, service_role;
grant execute on function public.create_invitation, public.list_invitations, public.revoke_invitation,
  public.accept_invitation to authenticated;
grant execute on function public.view_invitation, public.request_sign_up to anon, authenticated;
grant execute on function public.before_user_created to supabase_auth_admin;
