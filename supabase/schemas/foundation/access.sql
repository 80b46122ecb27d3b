-- Who the caller is and what they may access: the functions by which most policies and commands decide.
--
-- A caller is known by a live session in auth.sessions. Where the account has a verified second factor, the session
-- must have verified it. Each query below checks that with the same expression, where `has_verified` is the claim `aal` of the
-- token:
--
--   (not p.second_factor or (s.aal >= 'aal2' and has_verified))
--
-- The row alone would accept a token that was issued before the factor was verified; the token alone would accept one
-- whose factor was removed while another exists. The expression is repeated, since a function would add a call to every
-- request: my_fully_readable_channel_ids with its first query in a function takes 0.082 instead of 0.070 ms. On hosted
-- projects too, `postgres`, the owner of these functions, may select and delete in auth.sessions and select from
-- auth.mfa_factors.
--
-- Functions that every request calls parse the claims once, into variables: `auth.jwt()` and `auth.uid()` in a WHERE clause
-- are inlined and parse the claims for each row that is compared, which in a table of some dozen rows is most of the time of
-- a request. The account is the claim `sub`, which is what auth.uid() returns for these claims.
--
-- A membership grants access until `access_ends_at`, which combines the expiry of a guest with the date from which the workspace
-- requires a second factor (people/second_factors.sql).
--
-- Channels: full members read every public channel of their workspace. Guests and readers of other channels need a
-- membership row, whose history start (`history_from_seq`) is the first message that they may read.

-- Session and profile ----------------------------------------------------------------------------------

create function app.has_second_factor(account uuid) returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (select from auth.mfa_factors f where f.user_id = account and f.status = 'verified')
$$;
comment on function app.has_second_factor is 'Whether an account has a verified second factor.';

create function app.is_session_alive() returns boolean
language plpgsql stable security definer set search_path = ''
as $$
declare
  claims constant jsonb := auth.jwt();
  account constant uuid := claims ->> 'sub';
  session constant uuid := claims ->> 'session_id';
  has_verified constant boolean := claims ->> 'aal' in ('aal2', 'aal3');
  is_verified boolean;
begin
  -- Read from the factors themselves: an account without a profile may have one too.
  select (s.aal >= 'aal2' and has_verified) or not app.has_second_factor(s.user_id)
  into is_verified
  from auth.sessions s
  join auth.users u on u.id = s.user_id
  where s.id = session and s.user_id = account
    and (s.not_after is null or s.not_after > now())
    and (u.banned_until is null or u.banned_until <= now()) and u.deleted_at is null;
  if not found then return false; end if;
  if is_verified is not true then
    raise exception using errcode = 'PT403', message = 'second_factor_missing';
  end if;
  return true;
end
$$;
comment on function app.is_session_alive is
  'Whether the session of the caller''s token has not ended, so that signing out invalidates its tokens immediately. '
  'Fails with second_factor_missing if the account has a second factor that this session has not verified.';

create function app.is_first_party_session() returns boolean
language plpgsql stable security definer set search_path = ''
as $$
declare
  claims constant jsonb := auth.jwt();
  account constant uuid := claims ->> 'sub';
  session constant uuid := claims ->> 'session_id';
begin
  return exists (
    select from auth.sessions s where s.id = session and s.user_id = account and s.oauth_client_id is null);
end
$$;
comment on function app.is_first_party_session is
  'Whether the session of the caller is their own, and not that of an application which they have let in by OAuth. '
  'False without a session. Jobs and service_role have none, and call nothing that uses this function.';

create function app.require_own_session() returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if not app.is_session_alive() then
    raise exception using errcode = 'PT401', message = 'session_ended';
  end if;
  if not app.is_first_party_session() then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
end
$$;
comment on function app.require_own_session is
  'Fails with session_ended unless the caller''s session is alive, and with not_allowed if it belongs to an OAuth '
  'client: a client must not see or end the sessions of its user.';

create function app.my_profile_id() returns uuid
language plpgsql stable security definer set search_path = ''
as $$
declare
  claims constant jsonb := auth.jwt();
  account constant uuid := claims ->> 'sub';
  session constant uuid := claims ->> 'session_id';
  has_verified constant boolean := claims ->> 'aal' in ('aal2', 'aal3');
begin
  return (
    select p.id
    from auth.sessions s
    join auth.users u on u.id = s.user_id
    join public.profiles p on p.user_id = s.user_id
    where s.id = session and s.user_id = account
      and (s.not_after is null or s.not_after > now())
      and (u.banned_until is null or u.banned_until <= now()) and u.deleted_at is null
      and (not p.second_factor or (s.aal >= 'aal2' and has_verified))
  );
end
$$;
comment on function app.my_profile_id is
  'The caller''s profile if the session is alive and has verified an existing second factor, else null.';

create function app.require_profile() returns uuid
language plpgsql stable security definer set search_path = ''
as $$
declare
  me constant uuid := app.my_profile_id();
begin
  if me is not null then return me; end if;
  if not app.is_session_alive() then
    raise exception using errcode = 'PT401', message = 'session_ended';
  end if;
  raise exception using errcode = 'PT404', message = 'not_found';
end
$$;
comment on function app.require_profile is 'The caller''s profile; fails with session_ended or not_found.';

-- Applications -----------------------------------------------------------------------------------------

-- The file application_policies lists the tables that an application may read with a scope.

create function app.is_oauth_client(client_id uuid) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return exists (select from auth.oauth_clients c where c.id = is_oauth_client.client_id and c.deleted_at is null);
end
$$;
comment on function app.is_oauth_client is
  'Whether the auth service knows this application. Bounds the rows of application_grants.';

create function app.has_scope(scope text) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
declare
  claims constant jsonb := auth.jwt();
  account constant uuid := claims ->> 'sub';
  session constant uuid := claims ->> 'session_id';
begin
  return exists (
    select from auth.sessions s
    where s.id = session and s.user_id = account and (s.oauth_client_id is null or exists (
      select from public.application_grants g join public.profiles p on p.id = g.profile_id
      where p.user_id = s.user_id and g.client_id = s.oauth_client_id and has_scope.scope = any (g.scopes))));
end
$$;
comment on function app.has_scope is
  'Whether the session of the caller is their own, or that of an application to which they have granted this scope. False '
  'without a session, as app.is_first_party_session.';

-- Workspaces -------------------------------------------------------------------------------------------

create function app.my_workspace_ids() returns setof uuid
language plpgsql stable security definer set search_path = ''
as $$
declare
  me constant uuid := app.my_profile_id();
begin
  return query
    select m.workspace_id from public.workspace_members m
    where m.profile_id = me and m.state = 'active' and (m.access_ends_at is null or m.access_ends_at > now());
end
$$;
comment on function app.my_workspace_ids is 'Workspaces in which the caller has an active membership.';

create function app.my_full_workspace_ids() returns uuid[]
language plpgsql stable security definer set search_path = ''
as $$
declare
  claims constant jsonb := auth.jwt();
  account constant uuid := claims ->> 'sub';
  session constant uuid := claims ->> 'session_id';
  has_verified constant boolean := claims ->> 'aal' in ('aal2', 'aal3');
begin
  -- One statement, since policies evaluate it in each request.
  return array(
    select w.workspace_id
    from auth.sessions s
    join auth.users u on u.id = s.user_id
    join public.profiles p on p.user_id = s.user_id
    join public.workspace_members w on w.profile_id = p.id
    where s.id = session and s.user_id = account
      and (s.not_after is null or s.not_after > now())
      and (u.banned_until is null or u.banned_until <= now()) and u.deleted_at is null
      and (not p.second_factor or (s.aal >= 'aal2' and has_verified))
      and w.role <> 'guest' and w.state = 'active' and (w.access_ends_at is null or w.access_ends_at > now()));
end
$$;
comment on function app.my_full_workspace_ids is
  'Workspaces in which the caller is a full member, and so sees everyone who is or was a member.';

create function app.my_managed_workspace_ids() returns setof uuid
language plpgsql stable security definer set search_path = ''
as $$
declare
  me constant uuid := app.my_profile_id();
begin
  return query
    select m.workspace_id from public.workspace_members m
    where m.profile_id = me and m.role in ('owner', 'admin')
      and m.state = 'active' and (m.access_ends_at is null or m.access_ends_at > now());
end
$$;
comment on function app.my_managed_workspace_ids is 'Workspaces that the caller owns or administers.';

create function app.my_edit_history_workspace_ids() returns setof uuid
language plpgsql stable security definer set search_path = ''
as $$
begin
  return query
    select m.workspace_id from public.workspace_members m join public.workspaces w on w.id = m.workspace_id
    where m.profile_id = app.my_profile_id()
      and m.state = 'active' and (m.access_ends_at is null or m.access_ends_at > now())
      and (m.role in ('owner', 'admin') and w.edit_history_by <> 'authors'
        or m.role = 'member' and w.edit_history_by = 'members');
end
$$;
comment on function app.my_edit_history_workspace_ids is 'Workspaces in which the caller may see earlier texts of others.';

create function app.my_active_profile_id() returns uuid
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (select app.my_profile_id() where exists (select from app.my_workspace_ids()));
end
$$;
comment on function app.my_active_profile_id is
  'The caller''s profile if it has an active membership: a deactivated member cannot change the name that others see.';

create function app.my_role(workspace uuid) returns text
language plpgsql stable security definer set search_path = ''
as $$
declare
  me constant uuid := app.my_profile_id();
begin
  return (
    select m.role from public.workspace_members m
    where m.workspace_id = workspace and m.profile_id = me
      and m.state = 'active' and (m.access_ends_at is null or m.access_ends_at > now())
  );
end
$$;
comment on function app.my_role is 'The caller''s role in a workspace; null without an active membership.';

create function app.refuse_paused_member(person uuid, workspace uuid) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if exists (
    select from public.workspace_members w
    where w.workspace_id = refuse_paused_member.workspace and w.profile_id = person and app.is_active_member(w)
      and w.second_factor_due <= now())
  then
    raise exception using errcode = 'PT403', message = 'second_factor_required';
  end if;
end
$$;
comment on function app.refuse_paused_member is
  'Fails with second_factor_required if a member of a workspace has no access because their account has no second factor.';

create function app.require_membership(workspace uuid, out profile_id uuid, out role text)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  claims constant jsonb := auth.jwt();
  account constant uuid := claims ->> 'sub';
  session constant uuid := claims ->> 'session_id';
  has_verified constant boolean := claims ->> 'aal' in ('aal2', 'aal3');
begin
  select w.profile_id, w.role into require_membership.profile_id, require_membership.role
  from auth.sessions s
  join auth.users u on u.id = s.user_id
  join public.profiles p on p.user_id = s.user_id
  join public.workspace_members w on w.workspace_id = workspace and w.profile_id = p.id
  where s.id = session and s.user_id = account
    and (s.not_after is null or s.not_after > now())
    and (u.banned_until is null or u.banned_until <= now()) and u.deleted_at is null
    and (not p.second_factor or (s.aal >= 'aal2' and has_verified))
    and w.state = 'active' and (w.access_ends_at is null or w.access_ends_at > now());
  if found then return; end if;
  perform app.refuse_paused_member(app.require_profile(), workspace);
  -- A workspace of others and one that does not exist must be indistinguishable.
  raise exception using errcode = 'PT404', message = 'not_found';
end
$$;
comment on function app.require_membership is
  'The caller''s profile and their role in a workspace; fails with session_ended, second_factor_missing, '
  'second_factor_required or not_found. '
  'One statement, since most commands begin with it.';

create function app.require_role(workspace uuid, variadic allowed text[]) returns uuid
language plpgsql stable security definer set search_path = ''
as $$
declare
  membership constant record := app.require_membership(workspace);
begin
  if not membership.role = any (allowed) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  return membership.profile_id;
end
$$;
comment on function app.require_role is
  'The caller''s profile if they have one of the roles; fails with not_found outside the workspace and with '
  'not_allowed inside.';

create function app.my_visible_profile_ids() returns setof uuid
language plpgsql stable security definer set search_path = ''
as $$
declare
  me constant uuid := app.my_profile_id();
begin
  return query
    select other.profile_id
    from public.workspace_members mine
    join public.workspace_members other on other.workspace_id = mine.workspace_id
    where mine.profile_id = me and mine.role <> 'guest'
      and mine.state = 'active' and (mine.access_ends_at is null or mine.access_ends_at > now())
    union
    select other.profile_id
    from app.my_readable_channels() readable
    join public.channel_members other on other.channel_id = readable.channel_id
    -- For guests only: everyone in a full member's channels is in the first part already.
    where exists (select from public.workspace_members g where g.profile_id = me and g.role = 'guest')
    union
    select me where me is not null;
end
$$;
comment on function app.my_visible_profile_ids is
  'The profiles that the caller may see: fellow members; for a guest only people in the same channels.';

create function app.my_guest_group_members() returns table (group_id uuid, profile_id uuid)
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.my_profile_id();
begin
  return query
    with w as materialized (
      select w.workspace_id from public.workspace_members w
      where w.profile_id = me and w.role = 'guest' and w.state = 'active' and (w.access_ends_at is null or w.access_ends_at > now())
    ), others as materialized (
      select distinct c.workspace_id, o.profile_id
      from w
      join public.channels c on c.workspace_id = w.workspace_id
      join app.my_readable_channels() r on r.channel_id = c.id
      join public.channel_members o on o.channel_id = c.id
      union
      select w.workspace_id, me from w
    )
    select g.group_id, g.profile_id
    from others o
    join public.user_group_members g on g.workspace_id = o.workspace_id and g.profile_id = o.profile_id;
end
$$;
comment on function app.my_guest_group_members is
  'Members of groups whom a guest sees: people in the same channels, and the guest. No rows for full members.';

-- Channels ---------------------------------------------------------------------------------------------

create function app.my_readable_channels() returns table (channel_id uuid, history_from_seq bigint)
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  claims constant jsonb := auth.jwt();
  account constant uuid := claims ->> 'sub';
  session constant uuid := claims ->> 'session_id';
  has_verified constant boolean := claims ->> 'aal' in ('aal2', 'aal3');
begin
  -- One statement, since policies evaluate it in each request.
  return query
    with me as materialized (
      select w.profile_id, w.workspace_id, w.role
      from auth.sessions s
      join auth.users u on u.id = s.user_id
      join public.profiles p on p.user_id = s.user_id
      join public.workspace_members w on w.profile_id = p.id
      where s.id = session and s.user_id = account
        and (s.not_after is null or s.not_after > now())
        and (u.banned_until is null or u.banned_until <= now()) and u.deleted_at is null
        and (not p.second_factor or (s.aal >= 'aal2' and has_verified))
        and w.state = 'active' and (w.access_ends_at is null or w.access_ends_at > now())
    )
    -- Full members read every public channel completely, whatever history start a membership row has.
    select c.id, 1::bigint
    from me join public.channels c on c.workspace_id = me.workspace_id and c.kind = 'public'
    where me.role <> 'guest'
    union all
    select c.id, m.history_from_seq
    from me
    join public.channel_members m on m.profile_id = me.profile_id
    join public.channels c on c.id = m.channel_id and c.workspace_id = me.workspace_id
    where (m.expires_at is null or m.expires_at > now()) and (c.kind <> 'public' or me.role = 'guest');
end
$$;
comment on function app.my_readable_channels is
  'Every channel that the caller may read, once, with the start of the readable history. A policy that uses it as a '
  'set evaluates it once per statement.';

create function app.my_fully_readable_channel_ids() returns setof uuid
language plpgsql stable security definer set search_path = ''
as $$
declare
  claims constant jsonb := auth.jwt();
  account constant uuid := claims ->> 'sub';
  session constant uuid := claims ->> 'session_id';
  has_verified constant boolean := claims ->> 'aal' in ('aal2', 'aal3');
begin
  -- One statement, since a policy evaluates it in each request.
  return query
    with me as materialized (
      select w.profile_id, w.workspace_id, w.role
      from auth.sessions s
      join auth.users u on u.id = s.user_id
      join public.profiles p on p.user_id = s.user_id
      join public.workspace_members w on w.profile_id = p.id
      where s.id = session and s.user_id = account
        and (s.not_after is null or s.not_after > now())
        and (u.banned_until is null or u.banned_until <= now()) and u.deleted_at is null
        and (not p.second_factor or (s.aal >= 'aal2' and has_verified))
        and w.state = 'active' and (w.access_ends_at is null or w.access_ends_at > now())
    )
    select c.id
    from me join public.channels c on c.workspace_id = me.workspace_id and c.kind = 'public'
    where me.role <> 'guest'
    union all
    select m.channel_id
    from me join public.channel_members m on m.profile_id = me.profile_id and m.workspace_id = me.workspace_id
    where m.history_from_seq = 1 and (m.expires_at is null or m.expires_at > now());
end
$$;
comment on function app.my_fully_readable_channel_ids is
  'The channels of app.my_readable_channels() that the caller may read from the beginning; some of them twice.';

create function app.my_history_starts() returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select jsonb_object_agg(r.channel_id, r.history_from_seq)
    from app.my_readable_channels() r where r.history_from_seq > 1);
end
$$;
comment on function app.my_history_starts is
  'The start of the readable history by channel, for the channels that the caller may not read from the beginning; '
  'null if there are none.';

create type app.channel_access as (
  profile_id uuid, workspace_id uuid, workspace_role text, kind text, posting text, archived_at timestamptz,
  member boolean, channel_role text, history_from_seq bigint
);
comment on type app.channel_access is 'The access of one caller to one channel.';

create function app.channel_access_of(channel uuid) returns app.channel_access
language plpgsql stable security definer set search_path = ''
as $$
declare
  claims constant jsonb := auth.jwt();
  account constant uuid := claims ->> 'sub';
  session constant uuid := claims ->> 'session_id';
  has_verified constant boolean := claims ->> 'aal' in ('aal2', 'aal3');
  access app.channel_access;
begin
  select p.id, c.workspace_id, w.role, c.kind, c.posting, c.archived_at, m.profile_id is not null, m.role,
    case when c.kind = 'public' and w.role <> 'guest' then 1 else m.history_from_seq end
  into access
  from auth.sessions s
  join auth.users u on u.id = s.user_id
  join public.profiles p on p.user_id = s.user_id
  join public.channels c on c.id = channel
  join public.workspace_members w on w.workspace_id = c.workspace_id and w.profile_id = p.id
  left join public.channel_members m on m.channel_id = c.id and m.profile_id = p.id
    and (m.expires_at is null or m.expires_at > now())
  where s.id = session and s.user_id = account
    and (s.not_after is null or s.not_after > now())
    and (u.banned_until is null or u.banned_until <= now()) and u.deleted_at is null
    and (not p.second_factor or (s.aal >= 'aal2' and has_verified))
    and w.state = 'active' and (w.access_ends_at is null or w.access_ends_at > now())
    and (m.profile_id is not null or (c.kind = 'public' and w.role <> 'guest'));
  return access;
end
$$;
comment on function app.channel_access_of is
  'The caller''s access to a channel; all null if they may not read it. One statement, since it runs more often than '
  'any other.';

create function app.refuse_paused_reader(person uuid, channel uuid) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  -- Only of a channel that the person could read: others must not learn that it exists.
  perform app.refuse_paused_member(person, c.workspace_id)
  from public.channels c
  where c.id = channel and (
    exists (
      select from public.workspace_members w
      where w.workspace_id = c.workspace_id and w.profile_id = person and w.role <> 'guest' and c.kind = 'public')
    or exists (
      select from public.channel_members m
      where m.channel_id = c.id and m.profile_id = person and (m.expires_at is null or m.expires_at > now())));
end
$$;
comment on function app.refuse_paused_reader is
  'Fails as app.refuse_paused_member in a channel that the person could read with a second factor, so that clients keep what '
  'they were sending.';

create function app.can_read_channel(channel uuid) returns boolean
language sql stable security definer set search_path = ''
as $$ select (app.channel_access_of(channel)).profile_id is not null $$;
comment on function app.can_read_channel is 'Whether the caller can read a channel now.';

create function app.require_reader(channel uuid) returns app.channel_access
language plpgsql stable security definer set search_path = ''
as $$
declare
  access constant app.channel_access := app.channel_access_of(channel);
begin
  if access.profile_id is null then
    perform app.refuse_paused_reader(app.require_profile(), channel);
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  return access;
end
$$;
comment on function app.require_reader is
  'The caller''s access to a channel; fails with not_found, whether the channel does not exist or is not readable.';

create function app.require_channel_member(channel uuid) returns app.channel_access
language plpgsql stable security definer set search_path = ''
as $$
declare
  access constant app.channel_access := app.require_reader(channel);
begin
  if not access.member then
    raise exception using errcode = 'PT403', message = 'not_a_member';
  end if;
  return access;
end
$$;
comment on function app.require_channel_member is
  'As require_reader; also requires membership. The channel may be archived.';

create function app.require_participant(channel uuid) returns app.channel_access
language plpgsql stable security definer set search_path = ''
as $$
declare
  access constant app.channel_access := app.require_reader(channel);
begin
  if not access.member then
    raise exception using errcode = 'PT403', message = 'not_a_member';
  end if;
  if access.archived_at is not null then
    raise exception using errcode = 'PT409', message = 'archived';
  end if;
  perform app.refuse_silenced(access.workspace_id, access.profile_id);
  return access;
end
$$;
comment on function app.require_participant is
  'As require_channel_member; also requires that the channel is not archived and that the caller is not silenced.';

create type app.sender as (
  access app.channel_access, is_bot boolean, is_silenced boolean, slow_seconds integer, is_on_web boolean,
  has_webhooks boolean, has_devices boolean, needs_unread_hint boolean, meta_rev bigint
);
comment on type app.sender is
  'What decides whether a person may send a message to a channel, and what the message causes. `access`: as of '
  'app.channel_access_of; with the properties of the channel also if the person may not read it, and then without profile_id. '
  '`has_devices`: whether anybody on this server receives push notifications. `needs_unread_hint`: whether '
  'somebody may be looking at another workspace. `meta_rev`: of the channel, which increases whenever the channel or its members change.';

create function app.sender_of(person uuid, channel uuid) returns app.sender
language plpgsql stable security definer set search_path = ''
as $$
declare
  claims constant jsonb := case when person is null then auth.jwt() end;
  account constant uuid := claims ->> 'sub';
  session constant uuid := claims ->> 'session_id';
  has_verified constant boolean := claims ->> 'aal' in ('aal2', 'aal3');
  sender app.sender;
begin
  select
    row(
      case when m.profile_id is not null or (c.kind = 'public' and w.role <> 'guest') then w.profile_id end,
      c.workspace_id, w.role, c.kind, c.posting, c.archived_at, m.profile_id is not null, m.role,
      case when c.kind = 'public' and w.role <> 'guest' then 1 else m.history_from_seq end)::app.channel_access,
    p.kind = 'bot',
    exists (
      select from public.silences s
      where s.workspace_id = c.workspace_id and s.profile_id = p.id and s.until > now()),
    c.slow_seconds, c.web_since is not null,
    exists (select from public.outgoing_webhooks h where h.channel_id = c.id and h.disabled_at is null),
    exists (select from public.push_subscriptions),
    -- Ordered, so that the planner uses the index, which is empty on most servers, and never reads all profiles.
    c.kind in ('public', 'private') and (
      select cardinality(q.workspace_ids) from public.profiles q
      where cardinality(q.workspace_ids) > 1 order by cardinality(q.workspace_ids) limit 1) > 1,
    k.meta_rev
  into sender
  from public.channels c
  join public.channel_counters k on k.channel_id = c.id
  join public.profiles p on p.id = coalesce(person, (
    select q.id
    from auth.sessions s
    join auth.users u on u.id = s.user_id
    join public.profiles q on q.user_id = s.user_id
    where s.id = session and s.user_id = account
      and (s.not_after is null or s.not_after > now())
      and (u.banned_until is null or u.banned_until <= now()) and u.deleted_at is null
      and (not q.second_factor or (s.aal >= 'aal2' and has_verified))))
  left join public.workspace_members w on w.workspace_id = c.workspace_id and w.profile_id = p.id
    and w.state = 'active' and (w.access_ends_at is null or w.access_ends_at > now())
  left join public.channel_members m on m.channel_id = c.id and m.profile_id = w.profile_id
    and (m.expires_at is null or m.expires_at > now())
  where c.id = channel;
  return sender;
end
$$;
comment on function app.sender_of is
  'All that a message of a person to a channel depends on, by one statement, since each statement costs more than what it '
  'reads. Without a person it is the caller, whose session must be alive: without one all is null. Of a person whom somebody '
  'names it checks no account.';

create function app.require_sender(channel uuid) returns app.sender
language plpgsql stable security definer set search_path = ''
as $$
declare
  sender constant app.sender := app.sender_of(null, channel);
begin
  if (sender.access).profile_id is null then
    perform app.refuse_paused_reader(app.require_profile(), channel);
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  return sender;
end
$$;
comment on function app.require_sender is
  'What a message of the caller to a channel depends on; fails as app.require_reader does. Whether the caller may write is '
  'checked by app.check_sender.';

create function app.check_sender(sender app.sender) returns void
language plpgsql immutable set search_path = ''
as $$
begin
  if (sender.access).member is not true then
    raise exception using errcode = 'PT403', message = 'not_a_member';
  elsif (sender.access).archived_at is not null then
    raise exception using errcode = 'PT409', message = 'archived';
  elsif sender.is_silenced then
    raise exception using errcode = 'PT403', message = 'silenced';
  end if;
end
$$;
comment on function app.check_sender is
  'Fails as app.require_participant does: with not_a_member, archived or silenced.';

create function app.can_manage_channel(access app.channel_access) returns boolean
language sql immutable set search_path = ''
as $$
  select access.member and access.kind in ('public', 'private')
    and (access.channel_role = 'admin' or access.workspace_role in ('owner', 'admin'))
$$;
comment on function app.can_manage_channel is
  'Whether the caller may change a channel and its members: admins of the channel, and owners and admins of the '
  'workspace who are its members.';

create function app.channel_access_of_person(person uuid, channel uuid, out member boolean, out history_from_seq bigint)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  select m.profile_id is not null, case when c.kind = 'public' and w.role <> 'guest' then 1 else m.history_from_seq end
  into member, history_from_seq
  from public.channels c
  join public.workspace_members w on w.workspace_id = c.workspace_id and w.profile_id = person
  left join public.channel_members m on m.channel_id = c.id and m.profile_id = person
    and (m.expires_at is null or m.expires_at > now())
  where c.id = channel
    and w.state = 'active' and (w.expires_at is null or w.expires_at > now())
    and (m.profile_id is not null or (c.kind = 'public' and w.role <> 'guest'));
end
$$;
comment on function app.channel_access_of_person is
  'The access of one person to a channel: one row of channel_readers; all null if they may not read it. Also of a paused person.';

create function app.channel_readers(channel uuid) returns table (profile_id uuid, history_from_seq bigint)
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
    select w.profile_id, case when c.kind = 'public' and w.role <> 'guest' then 1 else m.history_from_seq end
    from public.channels c
    join public.workspace_members w on w.workspace_id = c.workspace_id
    left join public.channel_members m on m.channel_id = c.id and m.profile_id = w.profile_id
      and (m.expires_at is null or m.expires_at > now())
    where c.id = channel
      and w.state = 'active' and (w.expires_at is null or w.expires_at > now())
      and (m.profile_id is not null or (c.kind = 'public' and w.role <> 'guest'));
end
$$;
comment on function app.channel_readers is
  'Everyone who may read a channel, with the start of their history: the inverse of the policies. Also paused people, who are '
  'mentioned and follow threads as before. What is sent to people is sent to those of app.can_open_workspace.';

create function app.can_open_workspace(person uuid, workspace uuid) returns boolean
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  return exists (
    select from public.workspace_members w
    where w.workspace_id = can_open_workspace.workspace and w.profile_id = person
      and w.state = 'active' and (w.access_ends_at is null or w.access_ends_at > now()));
end
$$;
comment on function app.can_open_workspace is
  'Whether a person has access to a workspace now: an active member who is not paused. Checks no account.';

create function app.can_receive(person uuid, channel uuid) returns boolean
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  return exists (
    select from public.channels c join public.workspace_members w on w.workspace_id = c.workspace_id
    where c.id = channel and w.profile_id = person
      and w.state = 'active' and (w.access_ends_at is null or w.access_ends_at > now()));
end
$$;
comment on function app.can_receive is
  'Whether a person has access to the workspace of a channel now, so that events, pushes and mails about it can be sent to them.';

-- Messages ---------------------------------------------------------------------------------------------

create function app.require_message(message uuid) returns app.channel_access
language plpgsql stable security definer set search_path = ''
as $$
declare
  access app.channel_access;
begin
  -- In FROM: `(function).*` would be evaluated once for each of its columns.
  select r.* into access
  from public.messages m cross join lateral app.channel_access_of(m.channel_id) r
  where m.id = message and m.history_seq >= r.history_from_seq;
  if access.profile_id is null then
    perform app.refuse_paused_reader(
      app.require_profile(), (select m.channel_id from public.messages m where m.id = message));
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  return access;
end
$$;
comment on function app.require_message is
  'The caller''s access to the channel of a message that they may read; fails with not_found.';

create function app.require_live_message(message uuid) returns app.channel_access
language plpgsql stable security definer set search_path = ''
as $$
declare
  access constant app.channel_access := app.require_message(message);
begin
  if not access.member then
    raise exception using errcode = 'PT403', message = 'not_a_member';
  end if;
  if access.archived_at is not null then
    raise exception using errcode = 'PT409', message = 'archived';
  end if;
  perform app.refuse_silenced(access.workspace_id, access.profile_id);
  return access;
end
$$;
comment on function app.require_live_message is
  'As require_message; also requires membership of a channel that is not archived, and that the caller is not silenced.';

create function app.require_thread(root uuid) returns app.channel_access
language plpgsql stable security definer set search_path = ''
as $$
declare
  access constant app.channel_access := app.require_message(root);
begin
  if not exists (
    select from public.messages m where m.id = root and m.thread_root is null and m.kind = 'text'
  ) then
    raise exception using errcode = 'PT400', message = 'not_a_thread';
  end if;
  if not access.member then
    raise exception using errcode = 'PT403', message = 'not_a_member';
  end if;
  return access;
end
$$;
comment on function app.require_thread is
  'As require_message; also requires that the message can be the root of a thread, and membership. The channel may be '
  'archived.';

-- Rights to execute ------------------------------------------------------------------------------------

grant execute on function app.my_profile_id, app.is_first_party_session, app.is_oauth_client, app.has_scope,
  app.my_workspace_ids, app.my_full_workspace_ids, app.my_managed_workspace_ids, app.my_edit_history_workspace_ids,
  app.my_active_profile_id, app.my_visible_profile_ids, app.my_guest_group_members, app.my_readable_channels,
  app.my_fully_readable_channel_ids, app.my_history_starts to authenticated;
