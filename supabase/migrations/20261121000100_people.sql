-- People: who there is, which workspace they belong to, and how they come in.
--
-- The schema `app` holds what policies and commands ask. It is not exposed, so nobody calls it over HTTP; its
-- functions are owned by postgres, which passes by row security, and each checks the session itself.

create schema if not exists app;
comment on schema app is 'Helpers of policies and commands. Never exposed through the API.';
revoke all on schema app from public;
grant usage on schema app to authenticated, service_role;

-- Tables ------------------------------------------------------------------------------------------------

create table public.profiles (
  id uuid primary key default gen_random_uuid(),
  user_id uuid constraint profiles_one_per_account unique
    constraint profiles_user_id_fkey references auth.users (id) on delete set null,
  kind text not null default 'person'
    constraint profiles_kind_known check (kind in ('person', 'bot', 'imported')),
  name text not null
    constraint profiles_name_length check (char_length(btrim(name)) between 1 and 80)
    constraint profiles_name_plain check (name !~ '[[:cntrl:]]'),
  avatar text
    constraint profiles_avatar_own_folder check (avatar ~ ('^' || id::text || '/[A-Za-z0-9._-]{1,100}$')),
  status_emoji text constraint profiles_status_emoji_length check (char_length(status_emoji) between 1 and 64),
  status_text text constraint profiles_status_text_length check (char_length(status_text) <= 100),
  status_expires_at timestamptz,
  created_at timestamptz not null default now()
);
comment on table public.profiles is
  'A person as others know them. Outlives the account, so that what was said keeps its author.';
comment on column public.profiles.user_id is 'The account; null once it is gone ("Former member").';

create table public.workspaces (
  id uuid primary key default gen_random_uuid(),
  name text not null
    constraint workspaces_name_length check (char_length(btrim(name)) between 1 and 80)
    constraint workspaces_name_plain check (name !~ '[[:cntrl:]]'),
  created_at timestamptz not null default now()
);
comment on table public.workspaces is 'A group of people and everything they share.';

create table public.workspace_members (
  workspace_id uuid not null references public.workspaces (id) on delete cascade,
  profile_id uuid not null references public.profiles (id) on delete cascade,
  role text not null
    constraint workspace_members_role_known check (role in ('owner', 'admin', 'member', 'guest')),
  state text not null default 'active'
    constraint workspace_members_state_known check (state in ('active', 'deactivated')),
  expires_at timestamptz,
  deactivated_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (workspace_id, profile_id)
);
create index workspace_members_profile on public.workspace_members (profile_id);
create index workspace_members_expiring on public.workspace_members (expires_at)
  where expires_at is not null and state = 'active';
comment on table public.workspace_members is
  'Membership is the gate: an account without an active row here sees nothing at all.';
comment on column public.workspace_members.expires_at is 'A guest''s last moment; rights end with it.';

create table public.invitations (
  id uuid primary key default gen_random_uuid(),
  workspace_id uuid not null references public.workspaces (id) on delete cascade,
  token_hash text not null constraint invitations_token_once unique,
  role text not null constraint invitations_role_known check (role in ('admin', 'member', 'guest')),
  email text constraint invitations_email_plain
    check (email = lower(btrim(email)) and char_length(email) <= 320 and email like '_%@_%'),
  invited_by uuid not null references public.profiles (id) on delete cascade,
  max_uses integer not null constraint invitations_max_uses_range check (max_uses between 1 and 1000),
  uses integer not null default 0 constraint invitations_uses_within_max check (uses between 0 and max_uses),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  created_at timestamptz not null default now()
);
create index invitations_workspace on public.invitations (workspace_id);
create index invitations_invited_by on public.invitations (invited_by);
create index invitations_email on public.invitations (email) where email is not null;
comment on table public.invitations is
  'Ways in. Only the hash of a token is kept, so that a stolen copy of the table opens no door.';

create table public.settings (
  key text primary key,
  value jsonb not null
);
comment on table public.settings is
  'The installation''s own switches, and the hash of its set-up token. No API role but the service''s reads it.';

insert into public.settings (key, value) values ('topics', '30');

-- Helpers -----------------------------------------------------------------------------------------------

create function app.hash_token(token text) returns text
language sql immutable set search_path = ''
as $$ select encode(sha256(convert_to(token, 'UTF8')), 'hex') $$;
comment on function app.hash_token is
  'What is kept of a token. Plain SHA-256 is enough, since tokens are random and long, not chosen by people.';

create function app.random_token() returns text
language sql volatile set search_path = ''
as $$
  select translate(
    encode(decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'), 'base64'),
    '+/=', '-_')
$$;
comment on function app.random_token is '244 random bits, safe in a link.';

create function app.session_alive() returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return exists (
    select from auth.sessions s
    join auth.users u on u.id = s.user_id
    where s.id = (auth.jwt() ->> 'session_id')::uuid
      and s.user_id = auth.uid()
      and (s.not_after is null or s.not_after > now())
      and (u.banned_until is null or u.banned_until <= now()) and u.deleted_at is null
  );
end
$$;
comment on function app.session_alive is
  'Whether the caller''s token belongs to a session that has not ended: signing out ends its tokens at once.';

create function app.my_profile_id() returns uuid
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select p.id
    from auth.sessions s
    join auth.users u on u.id = s.user_id
    join public.profiles p on p.user_id = s.user_id
    where s.id = (auth.jwt() ->> 'session_id')::uuid
      and s.user_id = auth.uid()
      and (s.not_after is null or s.not_after > now())
      and (u.banned_until is null or u.banned_until <= now()) and u.deleted_at is null
  );
end
$$;
comment on function app.my_profile_id is 'The caller''s profile while their session lives, else null.';

create function app.my_workspace_ids() returns setof uuid
language plpgsql stable security definer set search_path = ''
as $$
begin
  return query
    select m.workspace_id from public.workspace_members m
    where m.profile_id = app.my_profile_id()
      and m.state = 'active' and (m.expires_at is null or m.expires_at > now());
end
$$;
comment on function app.my_workspace_ids is 'Workspaces in which the caller has a place now.';

create function app.my_card_id() returns uuid
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (select app.my_profile_id() where exists (select from app.my_workspace_ids()));
end
$$;
comment on function app.my_card_id is
  'The profile that the caller may change: whoever was shut out must not go on renaming what others see.';

create function app.my_managed_workspace_ids() returns setof uuid
language plpgsql stable security definer set search_path = ''
as $$
begin
  return query
    select m.workspace_id from public.workspace_members m
    where m.profile_id = app.my_profile_id() and m.role in ('owner', 'admin')
      and m.state = 'active' and (m.expires_at is null or m.expires_at > now());
end
$$;
comment on function app.my_managed_workspace_ids is 'Workspaces that the caller owns or administers now.';

-- Channels come with the next migration; the body is resolved when it is first called.
create function app.my_people_ids() returns setof uuid
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
      and mine.state = 'active' and (mine.expires_at is null or mine.expires_at > now())
    union
    select other.profile_id
    from app.my_reach() reach
    join public.channel_members other on other.channel_id = reach.channel_id
    -- Asked of guests alone: whom a full member meets in a channel is a fellow member already.
    where exists (select from public.workspace_members g where g.profile_id = me and g.role = 'guest')
    union
    select me where me is not null;
end
$$;
comment on function app.my_people_ids is
  'Whom the caller may know: fellow members; for a guest only those in the same channels.';

create function app.require_profile() returns uuid
language plpgsql stable security definer set search_path = ''
as $$
declare
  me constant uuid := app.my_profile_id();
begin
  if me is not null then return me; end if;
  if not app.session_alive() then
    raise exception using errcode = 'PT401', message = 'session_ended';
  end if;
  raise exception using errcode = 'PT404', message = 'not_found';
end
$$;
comment on function app.require_profile is 'The caller''s profile; fails with session_ended or not_found.';

create function app.my_role(workspace uuid) returns text
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select m.role from public.workspace_members m
    where m.workspace_id = workspace and m.profile_id = app.my_profile_id()
      and m.state = 'active' and (m.expires_at is null or m.expires_at > now())
  );
end
$$;
comment on function app.my_role is 'The caller''s role in a workspace now; null without a place in it.';

create function app.require_role(workspace uuid, variadic allowed text[]) returns uuid
language plpgsql stable security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_profile();
  my_role constant text := app.my_role(workspace);
begin
  -- A workspace that one is not in must look like one that is not there.
  if my_role is null then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  if not my_role = any (allowed) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  return me;
end
$$;
comment on function app.require_role is
  'The caller''s profile when they hold one of the roles; fails with not_found outside, not_allowed inside.';

create function app.require_name(name text, failure text) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  if name is null or char_length(btrim(name)) not between 1 and 80 or name ~ '[[:cntrl:]]' then
    raise exception using errcode = 'PT400', message = failure;
  end if;
  return btrim(name);
end
$$;
comment on function app.require_name is 'The name without its outer blanks; fails with the constraint''s name that it would break.';

-- Row security ------------------------------------------------------------------------------------------

alter table public.profiles enable row level security;
alter table public.workspaces enable row level security;
alter table public.workspace_members enable row level security;
alter table public.invitations enable row level security;
alter table public.settings enable row level security;

create policy "people see those they may know" on public.profiles
  for select to authenticated using (id in (select app.my_people_ids()));
comment on policy "people see those they may know" on public.profiles is
  'Members know each other; a guest knows only who shares a channel, so that a directory can''t be walked.';

create policy "people edit their own profile" on public.profiles
  for update to authenticated
  using (id = (select app.my_card_id())) with check (id = (select app.my_card_id()));
comment on policy "people edit their own profile" on public.profiles is
  'Which columns is a matter of grants: name, picture and status, never the account or the kind.';

create policy "members see their workspaces" on public.workspaces
  for select to authenticated using (id in (select app.my_workspace_ids()));
comment on policy "members see their workspaces" on public.workspaces is
  'An installation does not tell strangers which groups it holds.';

create policy "members see who belongs" on public.workspace_members
  for select to authenticated using (
    workspace_id in (select app.my_workspace_ids()) and profile_id in (select app.my_people_ids())
  );
comment on policy "members see who belongs" on public.workspace_members is
  'Both halves are needed: a guest of this workspace may know a person from another one.';

create policy "admins see invitations" on public.invitations
  for select to authenticated using (workspace_id in (select app.my_managed_workspace_ids()));
comment on policy "admins see invitations" on public.invitations is
  'Invitations carry addresses; only those who send and revoke them read them.';

-- Grants: nothing is given by default, and what older projects give by default is taken back. ---------------

revoke all on public.profiles, public.workspaces, public.workspace_members, public.invitations,
  public.settings from public, anon, authenticated, service_role;
grant select (id, kind, name, avatar, status_emoji, status_text, status_expires_at, created_at)
  on public.profiles to authenticated;
grant update (name, avatar, status_emoji, status_text, status_expires_at) on public.profiles to authenticated;
grant select on public.workspaces, public.workspace_members to authenticated;
grant select (id, workspace_id, role, email, invited_by, max_uses, uses, expires_at, revoked_at, created_at)
  on public.invitations to authenticated;
grant select, insert, update, delete on public.profiles, public.workspaces, public.workspace_members,
  public.invitations, public.settings to service_role;

revoke execute on all functions in schema app from public;
grant execute on function app.my_profile_id, app.my_card_id, app.my_workspace_ids, app.my_managed_workspace_ids,
  app.my_people_ids to authenticated;
