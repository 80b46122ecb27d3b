-- Workspaces: their members, founding the first one, and ending a membership.
--
-- A change of a member or of the workspace is one broadcast on the topic `workspace:<id>:<epoch>`, which full members
-- join. Guests may see only the people of their channels and receive such changes on their own topics, so that the
-- number of stored broadcasts grows with the guests who share a channel and not with the members.

-- Tables -----------------------------------------------------------------------------------------------

create table public.workspaces (
  id uuid primary key default gen_random_uuid(),
  name text not null
    constraint workspaces_name_length check (char_length(btrim(name)) between 1 and 80)
    constraint workspaces_name_plain check (name !~ '[[:cntrl:]]')
    constraint workspaces_name_legible check (app.is_legible(name)),
  created_at timestamptz not null default now()
);
comment on table public.workspaces is 'A group of people and everything they share.';
alter table public.workspaces enable row level security;
create policy "members see their workspaces" on public.workspaces
  for select to authenticated using (id in (select app.my_workspace_ids()));
comment on policy "members see their workspaces" on public.workspaces is
  'Outsiders must not learn which workspaces exist.';
revoke all on public.workspaces from public, anon, authenticated, service_role;
grant select on public.workspaces to authenticated;
grant select, insert, update, delete on public.workspaces to service_role;

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
create index workspace_members_guests on public.workspace_members (workspace_id) where role = 'guest';
create index workspace_members_expiring on public.workspace_members (expires_at)
  where expires_at is not null and state = 'active';
comment on table public.workspace_members is
  'Membership grants access: an account without an active row here sees nothing.';
comment on column public.workspace_members.expires_at is 'When a guest''s access ends.';
alter table public.workspace_members enable row level security;
create policy "members see fellow members" on public.workspace_members
  for select to authenticated using (
    workspace_id in (select app.my_workspace_ids()) and profile_id in (select app.my_visible_profile_ids())
  );
comment on policy "members see fellow members" on public.workspace_members is
  'Both conditions are needed: a guest of this workspace may see a person of another one.';
revoke all on public.workspace_members from public, anon, authenticated, service_role;
grant select on public.workspace_members to authenticated;
grant select, insert, update, delete on public.workspace_members to service_role;

create table public.workspace_counters (
  workspace_id uuid primary key references public.workspaces (id) on delete cascade,
  rev bigint not null default 0,
  epoch bigint not null default 1
) with (fillfactor = 50);
comment on table public.workspace_counters is
  'Numbers the changes of a workspace and its members. Separate from workspaces, which guests may read. No access for '
  'clients.';
comment on column public.workspace_counters.rev is
  'Counts changes, so that a client notices a lost broadcast. The row lock keeps broadcasts in the order of their '
  'numbers.';
comment on column public.workspace_counters.epoch is
  'Incremented when a full member loses access: hosted realtime caches its decision about a topic, so the topic '
  'changes.';
alter table public.workspace_counters enable row level security;
revoke all on public.workspace_counters from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.workspace_counters to service_role;

-- Workspaces -------------------------------------------------------------------------------------------

create function app.workspace_as_json(workspace uuid) returns jsonb
language sql stable security definer set search_path = ''
as $$ select jsonb_build_object('id', w.id, 'name', w.name) from public.workspaces w where w.id = workspace $$;
comment on function app.workspace_as_json is 'A workspace as its members see it.';

create function app.create_workspace_counters() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.workspace_counters (workspace_id) values (new.id);
  return null;
end
$$;
comment on function app.create_workspace_counters is 'Creates the counters of a new workspace.';
create trigger workspaces_have_counters after insert on public.workspaces
  for each row execute function app.create_workspace_counters();
comment on trigger workspaces_have_counters on public.workspaces is
  'A trigger, so that every workspace has counters, however it was created.';

create function public.register_setup_token(token text default null) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  setup_token constant text := coalesce(token, app.random_token());
begin
  if exists (select from public.workspaces) then return '{"founded": true}'; end if;
  insert into public.settings (key, value) values ('setup_token', to_jsonb(app.hash_token(setup_token)))
  on conflict (key) do update set value = excluded.value where settings.key = 'setup_token';
  return jsonb_build_object('founded', false, 'token', setup_token);
end
$$;
comment on function public.register_setup_token is
  'For service_role: returns a token whose bearer may found the workspace. A new token replaces the last; once a '
  'workspace exists, none is returned.';

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
  if account is null or not app.is_session_alive() then
    raise exception using errcode = 'PT401', message = 'session_ended';
  end if;
  if exists (select from public.workspaces) then
    raise exception using errcode = 'PT409', message = 'already_founded';
  end if;
  -- The delete is also the lock: of two concurrent calls with the token, one finds it.
  delete from public.settings s where s.key = 'setup_token' and s.value = to_jsonb(app.hash_token(token));
  if not found then
    raise exception using errcode = 'PT403', message = 'bad_token';
  end if;
  insert into public.profiles (user_id, name) values (account, app.require_name(person_name, 'profiles_name_length'))
  on conflict (user_id) do update set name = excluded.name where profiles.user_id = excluded.user_id
  returning * into me;
  insert into public.workspaces (id, name)
  values (new_workspace, app.require_name(workspace_name, 'workspaces_name_length'));
  insert into public.workspace_members (workspace_id, profile_id, role) values (new_workspace, me.id, 'owner');
  perform app.insert_channel(new_channel, new_workspace, 'public',
    app.require_name(channel_name, 'channels_name_length'), '', me.id);
  return jsonb_build_object('workspace', app.workspace_as_json(new_workspace),
    'profile', app.profile_as_json(me), 'channel_id', new_channel);
end
$$;
comment on function public.found_workspace is
  'Makes the bearer of the set-up token the owner of the first workspace. The token works once.';

create function public.rename_workspace(workspace uuid, name text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin');
begin
  update public.workspaces w set name = app.require_name(rename_workspace.name, 'workspaces_name_length')
  where w.id = workspace and me is not null;
  return app.workspace_as_json(workspace);
end
$$;
comment on function public.rename_workspace is
  'Renames a workspace, for its owners and admins. Its members receive the new name at once.';

-- Members ----------------------------------------------------------------------------------------------

create function app.member_as_json(workspace uuid, person uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select jsonb_build_object(
      'profile', app.profile_as_json(p), 'role', w.role,
      'state', case when w.expires_at <= now() then 'deactivated' else w.state end)
    from public.workspace_members w join public.profiles p on p.id = w.profile_id
    where w.workspace_id = workspace and w.profile_id = person
  );
end
$$;
comment on function app.member_as_json is 'A member: profile, role and state.';

create function public.deactivate_member(workspace uuid, person uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin');
  membership public.workspace_members;
begin
  select * into membership from public.workspace_members w
  where w.workspace_id = workspace and w.profile_id = person for update;
  if membership.profile_id is null then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  if membership.profile_id = me or membership.role = 'owner'
    or (membership.role = 'admin' and app.my_role(workspace) <> 'owner')
  then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  update public.workspace_members w set state = 'deactivated', deactivated_at = now()
  where w.workspace_id = workspace and w.profile_id = person and w.state <> 'deactivated';
  return app.member_as_json(workspace, person);
end
$$;
comment on function public.deactivate_member is
  'Ends a membership: all rights end with the transaction, messages stay.';

create function public.erase_person(workspace uuid, person uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_role(workspace, 'owner');
  erased public.profiles;
begin
  select p.* into erased from public.profiles p
  join public.workspace_members w on w.profile_id = p.id and w.workspace_id = workspace
  where p.id = person for no key update of p;
  if erased.id is null then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  -- Active members change their name themselves.
  if person = me or exists (
    select from public.workspace_members w
    join auth.users u on u.id = erased.user_id and u.deleted_at is null
    where w.profile_id = person and w.state = 'active' and (w.expires_at is null or w.expires_at > now())
  ) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  update public.profiles p
  set name = 'Deleted user', avatar = null, status_emoji = null, status_text = null, status_expires_at = null,
    presence = 'auto', presence_until = null
  where p.id = person;
  delete from public.sections s where s.profile_id = person;
  return app.member_as_json(workspace, person);
end
$$;
comment on function public.erase_person is
  'Removes the name, avatar and status of somebody who left or whose account is gone, at their request. Their messages '
  'stay readable, under the name "Deleted user". For owners.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
revoke execute on function public.register_setup_token, public.found_workspace, public.rename_workspace,
  public.deactivate_member, public.erase_person from public, anon, authenticated, service_role;
grant execute on function public.register_setup_token to service_role;
grant execute on function public.found_workspace, public.rename_workspace, public.deactivate_member,
  public.erase_person to authenticated;
