-- What a page of messages costs: the claims are parsed once in each function that identifies the caller, and the
-- policies of profiles and messages compare a row with few values instead of building the set of all visible people.
--
-- `auth.jwt()` and `auth.uid()` in a WHERE clause are inlined and parse the claims for each row that is compared, which
-- in a table of some dozen rows is most of the time of a request. As variables they are parsed once. The account is the
-- claim `sub`, which is what auth.uid() returns for these claims.

-- Session and profile ----------------------------------------------------------------------------------

create or replace function app.is_session_alive() returns boolean
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

create or replace function app.my_profile_id() returns uuid
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

-- Workspaces -------------------------------------------------------------------------------------------

create or replace function app.my_workspace_ids() returns setof uuid
language plpgsql stable security definer set search_path = ''
as $$
declare
  me constant uuid := app.my_profile_id();
begin
  return query
    select m.workspace_id from public.workspace_members m
    where m.profile_id = me and m.state = 'active' and (m.expires_at is null or m.expires_at > now());
end
$$;

create or replace function app.my_managed_workspace_ids() returns setof uuid
language plpgsql stable security definer set search_path = ''
as $$
declare
  me constant uuid := app.my_profile_id();
begin
  return query
    select m.workspace_id from public.workspace_members m
    where m.profile_id = me and m.role in ('owner', 'admin')
      and m.state = 'active' and (m.expires_at is null or m.expires_at > now());
end
$$;

create or replace function app.my_role(workspace uuid) returns text
language plpgsql stable security definer set search_path = ''
as $$
declare
  me constant uuid := app.my_profile_id();
begin
  return (
    select m.role from public.workspace_members m
    where m.workspace_id = workspace and m.profile_id = me
      and m.state = 'active' and (m.expires_at is null or m.expires_at > now())
  );
end
$$;

create function app.my_full_workspace_ids() returns uuid[]
language plpgsql stable security definer set search_path = ''
as $$
declare
  me constant uuid := app.my_profile_id();
begin
  return array(
    select m.workspace_id from public.workspace_members m
    where m.profile_id = me and m.role <> 'guest'
      and m.state = 'active' and (m.expires_at is null or m.expires_at > now()));
end
$$;
comment on function app.my_full_workspace_ids is
  'Workspaces in which the caller is a full member, and so sees everyone who is or was a member.';

-- Channels ---------------------------------------------------------------------------------------------

create or replace function app.my_readable_channels() returns table (channel_id uuid, history_from_seq bigint)
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
        and w.state = 'active' and (w.expires_at is null or w.expires_at > now())
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

create or replace function app.channel_access_of(channel uuid) returns app.channel_access
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
    and w.state = 'active' and (w.expires_at is null or w.expires_at > now())
    and (m.profile_id is not null or (c.kind = 'public' and w.role <> 'guest'));
  return access;
end
$$;

-- Policies ---------------------------------------------------------------------------------------------

alter policy "readers see messages from their history start on" on public.messages using (
  channel_id in (select r.channel_id from app.my_readable_channels() r where r.history_from_seq = 1)
  or base_seq >= ((select app.my_history_starts()) ->> channel_id::text)::bigint
);
comment on policy "readers see messages from their history start on" on public.messages is
  'Both sets are evaluated once per statement, the second one only for channels that are not in the first. A reply has '
  'the base_seq of its root, so a thread is visible as a whole or not at all.';

alter table public.profiles add column workspace_ids uuid[] not null default '{}';
comment on column public.profiles.workspace_ids is
  'The workspaces of the person, whatever the state of the membership; maintained by a trigger on workspace_members. '
  'The policy compares it for each profile of a page, where a subquery would read the memberships.';

create function app.update_profile_workspaces() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  person uuid;
begin
  -- Ordered, so that two statements lock the same profiles in the same order.
  for person in
    select distinct p from unnest(array[
      case when tg_op <> 'INSERT' then old.profile_id end, case when tg_op <> 'DELETE' then new.profile_id end]) p
    where p is not null order by p
  loop
    -- Locked before the memberships are read: of two concurrent changes the later one sees both.
    perform from public.profiles p where p.id = person for no key update;
    update public.profiles p
    set workspace_ids = array(
      select m.workspace_id from public.workspace_members m where m.profile_id = person order by m.workspace_id)
    where p.id = person;
  end loop;
  return null;
end
$$;
comment on function app.update_profile_workspaces is
  'Updates profiles.workspace_ids when a membership begins, moves or is deleted.';
create trigger update_profile_workspaces after insert or delete or update of workspace_id, profile_id
  on public.workspace_members for each row execute function app.update_profile_workspaces();

update public.profiles p
set workspace_ids = array(
  select m.workspace_id from public.workspace_members m where m.profile_id = p.id order by m.workspace_id)
where exists (select from public.workspace_members m where m.profile_id = p.id);

alter policy "people see the profiles visible to them" on public.profiles using (
  workspace_ids && (select app.my_full_workspace_ids()) or id in (select app.my_visible_profile_ids())
);
comment on policy "people see the profiles visible to them" on public.profiles is
  'Members see each other; a guest sees only people in the same channels, so that nobody can list the directory. The '
  'set of visible people is built only when a row is not of a workspace of which the caller is a full member.';

alter policy "members see fellow members" on public.workspace_members using (
  workspace_id = any ((select app.my_full_workspace_ids())::uuid[])
  or (workspace_id in (select app.my_workspace_ids()) and profile_id in (select app.my_visible_profile_ids()))
);
comment on policy "members see fellow members" on public.workspace_members is
  'Full members see everyone of their workspace. A guest sees a membership of this workspace only if they see the '
  'person: both conditions are needed, since a guest may see a person of another workspace.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
grant execute on function app.my_full_workspace_ids, app.my_history_starts to authenticated;
