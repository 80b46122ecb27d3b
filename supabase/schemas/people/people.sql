-- People: profiles, presence, and the sessions of one's own account.

-- Tables -----------------------------------------------------------------------------------------------

create table public.profiles (
  id uuid primary key default gen_random_uuid(),
  user_id uuid constraint profiles_one_per_account unique
    constraint profiles_user_id_fkey references auth.users (id) on delete set null,
  second_factor boolean not null default false,
  kind text not null default 'person'
    constraint profiles_kind_known check (kind in ('person', 'bot', 'imported')),
  workspace_ids uuid[] not null default '{}',
  name text not null
    constraint profiles_name_length check (char_length(btrim(name)) between 1 and 80)
    constraint profiles_name_legible check (app.is_legible(name)),
  is_erased boolean not null default false,
  pronouns text
    constraint profiles_pronouns_length check (char_length(pronouns) between 1 and 40 and pronouns = btrim(pronouns))
    constraint profiles_pronouns_legible check (app.is_legible(pronouns)),
  title text
    constraint profiles_title_length check (char_length(title) between 1 and 80 and title = btrim(title))
    constraint profiles_title_legible check (app.is_legible(title)),
  time_zone text
    constraint profiles_time_zone_form check (time_zone ~ '^[A-Za-z0-9_+/-]{1,64}$'),
  avatar text
    constraint profiles_avatar_own_folder check (avatar ~ ('^' || id::text || '/[A-Za-z0-9._-]{1,100}$')),
  status_emoji text
    constraint profiles_status_emoji_length check (char_length(status_emoji) between 1 and 64)
    constraint profiles_status_emoji_plain check (app.is_emoji(status_emoji))
    constraint profiles_status_emoji_legible check (app.is_legible(status_emoji)),
  status_text text
    constraint profiles_status_text_length check (char_length(status_text) <= 100)
    constraint profiles_status_text_legible check (app.is_legible(status_text)),
  status_expires_at timestamptz constraint profiles_status_expires_finite check (isfinite(status_expires_at)),
  presence text not null default 'auto'
    constraint profiles_presence_known check (presence in ('auto', 'away', 'dnd')),
  presence_until timestamptz constraint profiles_presence_until_finite check (isfinite(presence_until)),
  created_at timestamptz not null default now()
);
create index profiles_status_expiring on public.profiles (status_expires_at) where status_expires_at is not null;
create index profiles_presence_expiring on public.profiles (presence_until) where presence_until is not null;
comment on table public.profiles is
  'A person as others see them. Outlives the account, so that messages keep their author.';
comment on column public.profiles.user_id is 'The account; null after it was deleted ("Former member").';
comment on column public.profiles.second_factor is
  'Whether the account has a verified second factor, which its sessions must have verified. Maintained by triggers: '
  'reading auth.mfa_factors with each check made a page of messages 10 % slower.';
comment on column public.profiles.workspace_ids is
  'The workspaces of the person, whatever the state of the membership; maintained by a trigger on workspace_members. '
  'The policy compares it for each profile of a page, where a subquery would read the memberships.';
comment on column public.profiles.is_erased is
  'Whether the name was removed on request. Clients then receive an empty one, and display "Former member" in the language of '
  'their reader.';
comment on column public.profiles.pronouns is 'How the person is referred to, as they write it: "she/her". Null: not given.';
comment on column public.profiles.title is 'What the person does, as they describe it: "Ward nurse". Null: not given.';
comment on column public.profiles.time_zone is
  'A name of the IANA database, as "Europe/Berlin", from which others compute the local time. Null: not shown. A client '
  'that does not know the name shows no time: names are added every year, so that the database checks only the form.';
comment on column public.profiles.presence is
  'The presence that the person chose, until presence_until. Nothing is sent when that time passes: clients compare it '
  'with their clock.';
alter table public.profiles enable row level security;
create policy "people see the profiles visible to them" on public.profiles
  for select to authenticated using (
    workspace_ids && (select app.my_full_workspace_ids()) or id in (select app.my_visible_profile_ids())
  );
comment on policy "people see the profiles visible to them" on public.profiles is
  'Members see each other; a guest sees only people in the same channels, so that nobody can list the directory. The '
  'set of visible people is built only when a row is not of a workspace of which the caller is a full member.';
create policy "people edit their own profile" on public.profiles
  for update to authenticated
  using (id = (select app.my_active_profile_id()) and kind <> 'bot')
  with check (id = (select app.my_active_profile_id()) and kind <> 'bot');
comment on policy "people edit their own profile" on public.profiles is
  'Column grants decide which columns: name, pronouns, title, time zone, avatar, status and presence, never the account or '
  'the kind.';
revoke all on public.profiles from public, anon, authenticated, service_role;
grant select (id, kind, name, pronouns, title, time_zone, avatar, status_emoji, status_text, status_expires_at,
  presence, presence_until, created_at), update (name, pronouns, title, time_zone, avatar, status_emoji, status_text,
  status_expires_at, presence, presence_until) on public.profiles to authenticated;
grant select, insert, update, delete on public.profiles to service_role;
-- Whether there are any: see app.sender_of.
create index profiles_in_several_workspaces on public.profiles (cardinality(workspace_ids)) where cardinality(workspace_ids) > 1;

create unlogged table public.heartbeats (
  profile_id uuid primary key references public.profiles (id) on delete cascade,
  state text not null constraint heartbeats_state_known check (state in ('active', 'away')),
  seen_at timestamptz not null,
  left_at timestamptz
);
comment on table public.heartbeats is
  'Who was present within the last minutes. Unlogged: every client writes here each minute, and the rows are worthless '
  'after a crash. No access for clients.';
comment on column public.heartbeats.left_at is
  'When a browser of the person last reported that its last page was closed. A later heartbeat of any device cancels it.';
alter table public.heartbeats enable row level security;
revoke all on public.heartbeats from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.heartbeats to service_role;

-- Profiles ---------------------------------------------------------------------------------------------

create function app.profile_as_json(profile public.profiles) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object(
    'id', profile.id, 'kind', profile.kind, 'name', case when profile.is_erased then '' else profile.name end, 'avatar', profile.avatar,
    'status_emoji', profile.status_emoji, 'status_text', profile.status_text,
    'status_expires_at', profile.status_expires_at, 'presence', profile.presence,
    'presence_until', profile.presence_until, 'title', profile.title, 'time_zone', profile.time_zone,
    'pronouns', profile.pronouns)
$$;
comment on function app.profile_as_json is 'A profile as others see it.';

create function app.check_profile_time_zone() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if not app.is_time_zone(new.time_zone) then
    raise exception using errcode = '23514', schema = 'public', table = 'profiles', constraint = 'profiles_time_zone_form',
      message = 'new row for relation "profiles" violates check constraint "profiles_time_zone_form"';
  end if;
  return new;
end
$$;
comment on function app.check_profile_time_zone is
  'Refuses an unknown time zone with the error of a check constraint. Everybody reads the time zone, so it must not be free '
  'text.';
create trigger time_zones_are_known before insert or update of time_zone on public.profiles
  for each row when (new.time_zone is not null) execute function app.check_profile_time_zone();

create function app.set_second_factor() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform 1 from auth.users u where u.id = new.user_id for key share;
  new.second_factor := new.user_id is not null and app.has_second_factor(new.user_id);
  return new;
end
$$;
comment on function app.set_second_factor is 'Sets profiles.second_factor for an account that has a factor already.';
create trigger set_second_factor before insert or update of user_id on public.profiles
  for each row execute function app.set_second_factor();

create function app.update_second_factor() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  account uuid;
begin
  -- Two accounts if a factor moved from one to the other.
  for account in
    select distinct a from unnest(array[
      case when tg_op <> 'INSERT' then old.user_id end, case when tg_op <> 'DELETE' then new.user_id end]) a
    where a is not null
  loop
    -- A concurrent insert of the profile locks this row for key share: one of the two sees the other's change.
    perform 1 from auth.users u where u.id = account for update;
    update public.profiles p set second_factor = not p.second_factor
    where p.user_id = account and p.second_factor <> app.has_second_factor(account);
  end loop;
  return null;
end
$$;
comment on function app.update_second_factor is 'Updates profiles.second_factor when the factors of an account change.';
create trigger update_second_factor after insert or delete or update of status, user_id on auth.mfa_factors
  for each row execute function app.update_second_factor();

create function app.remove_avatar_with_account() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  new.avatar = null;
  new.title = null;
  new.time_zone = null;
  new.pronouns = null;
  new.status_emoji = null;
  new.status_text = null;
  new.status_expires_at = null;
  new.presence = 'auto';
  new.presence_until = null;
  return new;
end
$$;
comment on function app.remove_avatar_with_account is
  'Removes avatar, pronouns, title, time zone, status and presence of an account that is deleted. The name stays as the '
  'author of its messages, until erase_person removes it too.';
create trigger avatars_end_with_accounts before update on public.profiles
  for each row when (old.user_id is not null and new.user_id is null)
  execute function app.remove_avatar_with_account();
comment on trigger avatars_end_with_accounts on public.profiles is
  'The foreign key sets user_id to null when the account is deleted.';

-- Own sessions -----------------------------------------------------------------------------------------

create function public.my_sessions() returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  this constant uuid := auth.jwt() ->> 'session_id';
begin
  perform app.require_own_session();
  return coalesce((
    select jsonb_agg(jsonb_build_object(
      'id', s.id, 'created_at', s.created_at,
      -- auth stores it without a time zone, in UTC.
      'refreshed_at', s.refreshed_at at time zone 'UTC',
      'user_agent', s.user_agent, 'ip', host(s.ip), 'aal', coalesce(s.aal, 'aal1'), 'current', s.id = this)
      order by s.id = this desc, s.used_at desc, s.id)
    from (
      select o.*, coalesce(o.refreshed_at at time zone 'UTC', o.created_at) as used_at
      from auth.sessions o
      where o.user_id = auth.uid() and (o.not_after is null or o.not_after > now())
      order by o.id = this desc, used_at desc, o.id limit 100
    ) s), '[]');
end
$$;
comment on function public.my_sessions is
  'The sessions of the caller''s account: this one first, then the most recently used; 100 at most.';

create function public.end_session(id uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  session_id constant uuid := id;
begin
  perform app.require_own_session();
  perform app.explain_ended_sessions(
    case when session_id = (auth.jwt() ->> 'session_id')::uuid then 'signed_out' else 'ended_elsewhere' end);
  -- Cascades to its refresh tokens; a trigger on auth.sessions closes its sockets.
  delete from auth.sessions s where s.id = session_id and s.user_id = auth.uid();
  if not found then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  return jsonb_build_object('id', session_id);
end
$$;
comment on function public.end_session is
  'Ends one of the caller''s sessions, possibly this one; fails with not_found, also for sessions of others.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.my_sessions, public.end_session from public, anon, authenticated, service_role;
grant execute on function public.my_sessions, public.end_session to authenticated;
