-- Workspaces: founding the first one, creating further ones, and their members. Decisions 46 and 53 give the reasons.
--
-- A change of a member or of the workspace is one broadcast on the topic `workspace:<id>:<epoch>`, which full members
-- join. Guests may see only the people of their channels and receive such changes on their own topics: at most the hundred
-- who were present last, so that the number of stored broadcasts grows neither with members nor with guests.

-- Tables -----------------------------------------------------------------------------------------------

create table public.workspaces (
  id uuid primary key default gen_random_uuid(),
  name text not null
    constraint workspaces_name_length check (char_length(btrim(name)) between 1 and 80)
    constraint workspaces_name_legible check (app.is_legible(name)),
  icon text
    constraint workspaces_icon_path check (icon ~ ('^' || id || '/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.(webp|jpg)$')),
  language text
    constraint workspaces_language_tag check (language ~ '^[a-z]{2,3}$'),
  channels_by text not null default 'members'
    constraint workspaces_channels_by_known check (channels_by in ('admins', 'members')),
  invitations_by text not null default 'admins'
    constraint workspaces_invitations_by_known check (invitations_by in ('admins', 'members')),
  mention_everyone_by text not null default 'everyone'
    constraint workspaces_mention_everyone_by_known check (mention_everyone_by in ('admins', 'members', 'everyone')),
  deletions_by text not null default 'channel_admins'
    constraint workspaces_deletions_by_known check (deletions_by in ('authors', 'admins', 'channel_admins')),
  edit_history_by text not null default 'authors'
    constraint workspaces_edit_history_by_known check (edit_history_by in ('authors', 'admins', 'members')),
  custom_emoji_by text not null default 'admins'
    constraint workspaces_custom_emoji_by_known check (custom_emoji_by in ('admins', 'members')),
  groups_by text not null default 'admins'
    constraint workspaces_groups_by_known check (groups_by in ('admins', 'members')),
  web_channels_by text not null default 'admins'
    constraint workspaces_web_channels_by_known check (web_channels_by in ('admins', 'channel_admins')),
  guest_links boolean not null default true,
  open_requests boolean not null default false,
  read_receipts text not null default 'off'
    constraint workspaces_read_receipts_known check (read_receipts in ('off', 'members', 'everyone')),
  link_previews boolean not null default false,
  rev integer not null default 0,
  emoji_version integer,
  groups_version integer,
  created_by uuid references public.profiles (id) on delete set null,
  created_at timestamptz not null default now(),
  deletes_at timestamptz,
  second_factor_from timestamptz,
  reauthentication boolean not null default false,
  allows_private_export boolean not null default false,
  private_export_from timestamptz
);
create index workspaces_deleted on public.workspaces (deletes_at) where deletes_at is not null;
create index workspaces_created_by on public.workspaces (created_by) where created_by is not null;
create index workspaces_open on public.workspaces (created_at) where open_requests;
create index workspaces_icon on public.workspaces (icon) where icon is not null;
comment on table public.workspaces is 'A group of people and everything they share.';
comment on column public.workspaces.icon is
  'Path in the bucket `avatars`; null: the initial is displayed. Each version has a path of its own.';
comment on column public.workspaces.language is
  'The language of its mails and invitations, for people who have not chosen one; null: the setting mail_language. Newcomers '
  'see it when they join.';
comment on column public.workspaces.rev is
  'One more with each change, so that a client ignores an older state that arrives later.';
comment on column public.workspaces.channels_by is 'Who may create channels.';
comment on column public.workspaces.invitations_by is
  'Who may invite: members invite members and guests, and manage the invitations that they created.';
comment on column public.workspaces.mention_everyone_by is
  'Who may write @channel and @here: everyone, no guests, or those who manage the channel.';
comment on column public.workspaces.deletions_by is
  'Who may delete messages of others: nobody, those who manage the workspace in channels that they are in, or also admins of '
  'the channel.';
comment on column public.workspaces.edit_history_by is
  'Who may see earlier texts of the messages that they can read, besides the author: nobody, owners and admins, or all '
  'members.';
comment on column public.workspaces.custom_emoji_by is
  'Who may add custom emoji: owners and admins, or all full members. Never guests.';
comment on column public.workspaces.groups_by is
  'Who may create and change groups: owners and admins, or all full members. Never guests.';
comment on column public.workspaces.web_channels_by is
  'Who may put public channels on the web: owners and admins who are in the channel, or also admins of the channel.';
comment on column public.workspaces.guest_links is 'Whether guests may send messages with links.';
comment on column public.workspaces.open_requests is
  'Whether anyone with an account and a confirmed address may see the workspace and ask to join it.';
comment on column public.workspaces.read_receipts is
  'Whether people who share what they have read see it of each other, in conversations of up to 12 people: nowhere, in '
  'channels without guests, or everywhere.';
comment on column public.workspaces.link_previews is
  'Whether the server fetches previews of links in new messages. The sites learn that somebody has posted a link to them.';
comment on column public.workspaces.emoji_version is
  'Another number after each change of the custom emoji, null before the first. Random, so that a restored backup does '
  'not use it again.';
comment on column public.workspaces.groups_version is
  'Another number after each change of groups or their members, null before the first. Random, so that a restored backup '
  'does not use it again.';
comment on column public.workspaces.created_by is
  'Whose quota of workspaces it counts against, also after they have left it.';
comment on column public.workspaces.deletes_at is
  'When the workspace and everything in it will be deleted; null: never. Until then it works as ever, and an owner may cancel.';
comment on column public.workspaces.second_factor_from is
  'From when people have access only with a second factor; null: none is required.';
comment on column public.workspaces.reauthentication is
  'Whether owners and admins authenticate again before dangerous commands (people/reauthentication.sql).';
comment on column public.workspaces.allows_private_export is
  'Whether an export for the owners contains private and direct conversations (administration/exports.sql). All members see it.';
comment on column public.workspaces.private_export_from is
  'When owners can first export private conversations: 24 hours after an owner has allowed it, so that members see the setting first. '
  'Null: at once, if allows_private_export is set.';
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
  ended text
    constraint workspace_members_ended_known check (ended in ('left', 'removed'))
    constraint workspace_members_ended_inactive check (ended is null or state = 'deactivated'),
  created_at timestamptz not null default now(),
  number bigint not null generated by default as identity,
  second_factor_due timestamptz,
  access_ends_at timestamptz generated always as (least(expires_at, second_factor_due)) stored,
  is_paused boolean not null default false,
  primary key (workspace_id, profile_id),
  constraint workspace_members_expiry_for_guests check (expires_at is null or role = 'guest')
);
create index workspace_members_profile on public.workspace_members (profile_id);
create index workspace_members_guests on public.workspace_members (workspace_id) where role = 'guest';
create index workspace_members_expiring on public.workspace_members (expires_at)
  where expires_at is not null and state = 'active';
create index workspace_members_pausing on public.workspace_members (second_factor_due)
  where second_factor_due is not null and not is_paused;
comment on table public.workspace_members is
  'Membership grants access: an account without an active row here sees nothing.';
comment on column public.workspace_members.expires_at is 'When a guest''s access ends.';
comment on column public.workspace_members.ended is
  'Whether the person left or was removed: they come back by an invitation. Null for a member who is deactivated or whose '
  'access expired, and who can be reactivated.';
comment on column public.workspace_members.second_factor_due is
  'workspaces.second_factor_from for a person whose account has no second factor, else null. Maintained by triggers.';
comment on column public.workspace_members.access_ends_at is
  'When access ends: as a guest, or without a second factor. Each check of access compares this one column, so that the '
  'requirement of a second factor costs nothing. `expires_at` alone decides whether somebody is still a member.';
comment on column public.workspace_members.is_paused is
  'Whether subscriptions have ended because the second factor is overdue. Rights end by access_ends_at alone.';
comment on column public.workspace_members.number is
  'Stands for the person in texts of presence. Full members only: it shows how many members there are.';
alter table public.workspace_members enable row level security;
create policy "members see fellow members" on public.workspace_members
  for select to authenticated using (
    workspace_id = any ((select app.my_full_workspace_ids())::uuid[])
    or (workspace_id in (select app.my_workspace_ids()) and profile_id in (select app.my_visible_profile_ids()))
  );
comment on policy "members see fellow members" on public.workspace_members is
  'Full members see everyone of their workspace. A guest sees a membership of this workspace only if they see the '
  'person: both conditions are needed, since a guest may see a person of another workspace.';
revoke all on public.workspace_members from public, anon, authenticated, service_role;
revoke all on sequence public.workspace_members_number_seq from public, anon, authenticated, service_role;
-- Neither `ended`, since whether somebody was removed is for those who manage the workspace, nor the former address.
grant select (workspace_id, profile_id, role, state, expires_at, deactivated_at, created_at) on public.workspace_members
  to authenticated;
grant select, insert, update, delete on public.workspace_members to service_role;

create table public.workspace_counters (
  workspace_id uuid primary key references public.workspaces (id) on delete cascade,
  rev bigint not null default 0,
  epoch bigint not null default 1,
  people_digests text not null default repeat('AAAAAA', 64)
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
comment on column public.workspace_counters.people_digests is
  'What app.people_digests returns to full members. They see the same people: the change of a person replaces the digest '
  'of a bucket by a random one, so that a start reads none of them.';
alter table public.workspace_counters enable row level security;
revoke all on public.workspace_counters from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.workspace_counters to service_role;

-- Workspaces -------------------------------------------------------------------------------------------

create function app.workspace_as_json(workspace uuid) returns jsonb
language sql stable security definer set search_path = ''
as $$
  -- Without what is as in most workspaces: each start contains it.
  select jsonb_strip_nulls(jsonb_build_object('id', w.id, 'name', w.name, 'icon', w.icon, 'language', w.language,
    'rev', nullif(w.rev, 0),
    'emoji_version', w.emoji_version,
    'custom_emoji_by', nullif(w.custom_emoji_by, 'admins'), 'read_receipts', nullif(w.read_receipts, 'off'),
    'link_previews', nullif(w.link_previews, false), 'groups_version', w.groups_version,
    'groups_by', nullif(w.groups_by, 'admins'), 'channels_by', nullif(w.channels_by, 'members'),
    'invitations_by', nullif(w.invitations_by, 'admins'),
    'mention_everyone_by', nullif(w.mention_everyone_by, 'everyone'),
    'deletions_by', nullif(w.deletions_by, 'channel_admins'),
    'edit_history_by', nullif(w.edit_history_by, 'authors'),
    'web_channels_by', nullif(w.web_channels_by, 'admins'), 'deletes_at', w.deletes_at,
    'second_factor_from', w.second_factor_from, 'reauthentication', nullif(w.reauthentication, false),
    'allows_private_export', nullif(w.allows_private_export, false), 'private_export_from', w.private_export_from))
  from public.workspaces w where w.id = workspace
$$;
comment on function app.workspace_as_json is 'A workspace as its members see it.';

create function app.increment_workspace_rev() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  new.rev := old.rev + 1;
  return new;
end
$$;
comment on function app.increment_workspace_rev is 'Counts a change of the workspace.';
create trigger workspace_changes_are_counted before update on public.workspaces
  for each row when (old.* is distinct from new.*) execute function app.increment_workspace_rev();
comment on trigger workspace_changes_are_counted on public.workspaces is
  'A trigger, so that every change is counted, whichever command made it.';

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

create function app.insert_workspace(id uuid, name text, channel_name text, creator uuid) returns uuid
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  new_channel constant uuid := gen_random_uuid();
begin
  insert into public.workspaces (id, name, created_by)
  values (insert_workspace.id, app.require_name(insert_workspace.name, 'workspaces_name_length'), creator);
  insert into public.workspace_members (workspace_id, profile_id, role)
  values (insert_workspace.id, creator, 'owner');
  perform app.insert_channel(new_channel, insert_workspace.id, 'public',
    app.require_name(insert_workspace.channel_name, 'channels_name_length'), '', creator);
  return new_channel;
end
$$;
comment on function app.insert_workspace is
  'Creates a workspace with its owner and its first channel, whose id it returns.';

create function public.found_workspace(token text, workspace_name text, channel_name text, person_name text)
returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  account constant uuid := auth.uid();
  new_workspace constant uuid := gen_random_uuid();
  new_channel uuid;
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
  delete from public.settings s where s.key = 'first_workspace';
  new_channel := app.insert_workspace(new_workspace, workspace_name, channel_name, me.id);
  return jsonb_build_object('workspace', app.workspace_as_json(new_workspace),
    'profile', app.profile_as_json(me), 'channel_id', new_channel);
end
$$;
comment on function public.found_workspace is
  'Makes the bearer of the set-up token the owner of the first workspace. The token works once.';

create function public.create_workspace(id uuid, name text, channel_name text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_profile();
  new_channel uuid;
begin
  if create_workspace.id is null then
    raise exception using errcode = 'PT409', message = 'conflict';
  end if;
  -- The lock makes concurrent calls count one after the other.
  perform from public.profiles p where p.id = me for no key update;
  if not exists (
    select from public.workspace_members w
    where w.profile_id = me and w.role = 'owner'
      and w.state = 'active' and (w.access_ends_at is null or w.access_ends_at > now())
  ) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  if exists (select from public.workspaces w where w.id = create_workspace.id) then
    -- A repeated call returns the workspace, even if it was renamed since.
    select c.id into new_channel
    from public.workspaces w join public.channels c on c.workspace_id = w.id
    where w.id = create_workspace.id and w.created_by = me and app.my_role(w.id) is not null
    order by c.created_at, c.id limit 1;
    if new_channel is not null then
      return jsonb_build_object('workspace', app.workspace_as_json(create_workspace.id), 'channel_id', new_channel);
    end if;
    raise exception using errcode = 'PT409', message = 'conflict';
  end if;
  if (select count(*) from public.workspaces w where w.created_by = me) >= 10 then
    raise exception using errcode = 'PT409', message = 'too_many_workspaces';
  end if;
  new_channel := app.insert_workspace(create_workspace.id, create_workspace.name, create_workspace.channel_name, me);
  return jsonb_build_object('workspace', app.workspace_as_json(create_workspace.id), 'channel_id', new_channel);
end
$$;
comment on function public.create_workspace is
  'Creates a further workspace, for owners of one; at most 10 for each person. The client creates the id, so that a '
  'repeated request creates one.';

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
      'state', case when w.expires_at <= now() then 'deactivated' else w.state end, 'number', w.number)
    from public.workspace_members w join public.profiles p on p.id = w.profile_id
    where w.workspace_id = workspace and w.profile_id = person
  );
end
$$;
comment on function app.member_as_json is 'A member as full members see them: profile, role, state and number.';

create function app.members_as_json(workspace uuid, visible uuid[], has_numbers boolean) returns json
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  return coalesce((
    select json_agg((
      select member from (
        select
          (select o from (
            select p.id, p.kind, case when p.is_erased then '' else p.name end as name, p.avatar, p.status_emoji, p.status_text, p.status_expires_at, p.presence,
              p.presence_until, p.title, p.time_zone, p.pronouns) o) as profile,
          w.role, case when w.expires_at <= now() then 'deactivated' else w.state end as state,
          case when has_numbers then w.number end as number
      ) member) order by w.created_at, p.id)
    from public.workspace_members w join public.profiles p on p.id = w.profile_id
    where w.workspace_id = workspace and p.id = any (visible)
  ), '[]');
end
$$;
comment on function app.members_as_json is
  'These members of a workspace, in the order in which they joined it. Checks no rights: the caller has. `has_numbers`: for full '
  'members.';

create function app.is_bot(person uuid) returns boolean
language sql stable security definer set search_path = ''
as $$ select exists (select from public.profiles p where p.id = person and p.kind = 'bot') $$;
comment on function app.is_bot is 'Whether a profile is a bot''s, which has commands of its own.';

create function app.is_active_member(member public.workspace_members) returns boolean
language sql stable security definer set search_path = ''
as $$ select member.state = 'active' and (member.expires_at is null or member.expires_at > now()) $$;
comment on function app.is_active_member is 'Whether a membership grants access now.';

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

create function app.require_few_memberships() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- The lock makes concurrent insertions count one after the other.
  perform from public.profiles p where p.id = new.profile_id for no key update;
  if (select count(*) from public.workspace_members w
      where w.profile_id = new.profile_id and w.workspace_id <> new.workspace_id) >= 50
  then
    raise exception using errcode = 'PT409', message = 'too_many_memberships';
  end if;
  return new;
end
$$;
comment on function app.require_few_memberships is
  'Refuses the membership of a person who is or was in 50 other workspaces: each start and summary contains all of them.';
create trigger people_are_in_few_workspaces before insert on public.workspace_members
  for each row execute function app.require_few_memberships();
comment on trigger people_are_in_few_workspaces on public.workspace_members is
  'A trigger, so that it applies to each way of joining.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.register_setup_token, public.found_workspace, public.create_workspace,
  public.rename_workspace from public, anon, authenticated, service_role;
grant execute on function public.register_setup_token to service_role;
grant execute on function public.found_workspace, public.create_workspace, public.rename_workspace to authenticated;
