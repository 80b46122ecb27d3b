-- Groups of people that are mentioned as one: `<@&group>` in a text.
--
-- A mention of a group is one row, as that of a channel: who is in the group is evaluated when mentions are read, so that a
-- group of a thousand costs a sender no more than one of two. Clients fetch the table when `workspaces.groups_version` has
-- changed. Decision 50 gives the reasons.

-- Tables -----------------------------------------------------------------------------------------------

create table public.user_groups (
  id uuid primary key,
  workspace_id uuid not null references public.workspaces (id) on delete cascade,
  name text not null
    constraint user_groups_name_form check (name ~ '^[^[:space:][:cntrl:]@#<>`][^[:cntrl:]@#<>`]{0,38}[^[:space:][:cntrl:]@#<>`]$')
    constraint user_groups_name_legible check (app.is_legible(name)),
  description text not null default ''
    constraint user_groups_description_length check (char_length(description) <= 250)
    constraint user_groups_description_legible check (app.is_legible(description)),
  created_by uuid not null references public.profiles (id),
  created_at timestamptz not null default now(),
  archived_at timestamptz,
  constraint user_groups_of_workspace unique (workspace_id, id)
);
create unique index user_groups_name_unique on public.user_groups (workspace_id, app.name_key(name));
create index user_groups_author on public.user_groups (created_by);
comment on table public.user_groups is
  'Groups of people that are mentioned as one, at most 200 in a workspace. Commands change them under the lock of the '
  'workspace.';
comment on column public.user_groups.archived_at is
  'Since when it can no longer be mentioned. Earlier mentions keep its name, so the name stays taken.';
alter table public.user_groups enable row level security;
create policy "people see groups with members visible to them" on public.user_groups
  for select to authenticated using (
    workspace_id = any ((select app.my_full_workspace_ids())::uuid[]) or id in (select g.group_id from app.my_guest_group_members() g));
comment on policy "people see groups with members visible to them" on public.user_groups is
  'Full members see all groups. A guest must not learn how the workspace is organized beyond the people of their channels.';
revoke all on public.user_groups from public, anon, authenticated, service_role;
grant select on public.user_groups to authenticated;
grant select, insert, update, delete on public.user_groups to service_role;

create table public.user_group_members (
  group_id uuid not null,
  workspace_id uuid not null,
  profile_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (profile_id, group_id),
  constraint user_group_members_of_group foreign key (workspace_id, group_id)
    references public.user_groups (workspace_id, id) on delete cascade,
  constraint user_group_members_of_workspace foreign key (workspace_id, profile_id)
    references public.workspace_members (workspace_id, profile_id) on delete cascade
);
create index user_group_members_group on public.user_group_members (workspace_id, group_id);
create index user_group_members_member on public.user_group_members (workspace_id, profile_id);
comment on table public.user_group_members is
  'Who is in a group, at most 1,000 people. It gives no rights. Deactivated members stay, so that reactivation restores them.';
alter table public.user_group_members enable row level security;
create policy "people see members of groups who are visible to them" on public.user_group_members
  for select to authenticated
  using (
    workspace_id = any ((select app.my_full_workspace_ids())::uuid[])
    or (group_id, profile_id) in (select g.group_id, g.profile_id from app.my_guest_group_members() g));
comment on policy "people see members of groups who are visible to them" on public.user_group_members is
  'A guest sees neither people outside of their channels nor how many there are.';
revoke all on public.user_group_members from public, anon, authenticated, service_role;
grant select on public.user_group_members to authenticated;
grant select, insert, update, delete on public.user_group_members to service_role;

-- Groups -----------------------------------------------------------------------------------------------

create function app.group_ids_of(person uuid) returns uuid[]
language plpgsql stable security definer set search_path = ''
as $$
begin
  return array(select g.group_id from public.user_group_members g where g.profile_id = person);
end
$$;
comment on function app.group_ids_of is 'The groups that a person is in, at most 50 in a workspace, archived ones too.';

create function app.group_as_json(changed public.user_groups) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object('id', changed.id, 'workspace_id', changed.workspace_id, 'name', changed.name,
    'description', changed.description, 'created_by', changed.created_by, 'created_at', changed.created_at,
    'archived_at', changed.archived_at)
$$;
comment on function app.group_as_json is 'A group as the table shows it.';

create function app.require_group_manager(workspace uuid) returns uuid
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin', 'member');
begin
  -- The lock keeps names unique and quotas exact.
  perform from public.workspaces w where w.id = workspace for no key update;
  if app.my_role(workspace) = 'member' and not exists (
    select from public.workspaces w where w.id = workspace and w.groups_by = 'members')
  then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  perform app.refuse_silenced(workspace, me);
  return me;
end
$$;
comment on function app.require_group_manager is
  'The caller, who may manage the groups of a workspace; else fails with not_found or not_allowed. Locks the workspace.';

create function app.require_group(id uuid) returns public.user_groups
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  found_group public.user_groups;
begin
  perform app.require_profile();
  select g.* into found_group from public.user_groups g
  where g.id = require_group.id and (g.workspace_id = any ((select app.my_full_workspace_ids())::uuid[])
    or g.id in (select m.group_id from app.my_guest_group_members() m));
  if found_group.id is null then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  perform app.require_group_manager(found_group.workspace_id);
  select g.* into found_group from public.user_groups g where g.id = require_group.id;
  return found_group;
end
$$;
comment on function app.require_group is
  'A group that the caller may manage; fails with not_found where they may not see it. Locks the workspace.';

create function app.require_group_name(workspace uuid, id uuid, name text) returns text
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  -- A longer text is not examined. The name is composed, since a mention contains it.
  cleaned constant text := case when octet_length(require_group_name.name) <= 1000
    then normalize(btrim(app.bound_marks(require_group_name.name)), nfc) end;
  key constant text := app.name_key(cleaned);
begin
  if cleaned is null or cleaned !~ '^[^[:space:][:cntrl:]@#<>`][^[:cntrl:]@#<>`]{0,38}[^[:space:][:cntrl:]@#<>`]$' then
    raise exception using errcode = 'PT400', message = 'user_groups_name_form';
  elsif key in ('channel', 'here', 'everyone', 'me')
    or exists (
      select from public.user_groups g
      where g.workspace_id = workspace and g.id <> require_group_name.id and app.name_key(g.name) = key)
    or exists (
      select from public.workspace_members m join public.profiles p on p.id = m.profile_id
      where m.workspace_id = workspace and m.state = 'active' and app.name_key(p.name) = key)
  then
    raise exception using errcode = 'PT409', message = 'group_name_taken';
  end if;
  return cleaned;
end
$$;
comment on function app.require_group_name is
  'The name of a group, trimmed; fails with user_groups_name_form, or with group_name_taken if a group, an active member or a '
  'special mention has an equal one (name_key): a text contains `@name` until it is sent.';

create function app.require_group_description(description text) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  if char_length(btrim(description)) > 250 then
    raise exception using errcode = 'PT400', message = 'user_groups_description_length';
  end if;
  return btrim(description);
end
$$;
comment on function app.require_group_description is
  'The description of a group, trimmed; fails with user_groups_description_length.';

create function app.change_groups_version(workspace uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
begin
  update public.workspaces w
  -- Never the same twice in a row.
  set groups_version = (coalesce(w.groups_version, 0) + 1 + floor(random() * 1000000)::integer) % 1000000000
  where w.id = workspace;
  return app.workspace_as_json(workspace);
end
$$;
comment on function app.change_groups_version is 'Makes clients fetch the groups again, and returns the workspace.';

create function app.add_group_members(target public.user_groups, people uuid[]) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  added uuid[];
begin
  if cardinality(people) > 90 then
    raise exception using errcode = 'PT400', message = 'too_many';
  end if;
  if (select count(*) from unnest(people) p (id)
    join public.workspace_members w on w.workspace_id = target.workspace_id and w.profile_id = p.id and w.state = 'active'
    join public.profiles o on o.id = p.id and o.kind = 'person') < cardinality(people)
  then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  with inserted as (
    insert into public.user_group_members (group_id, workspace_id, profile_id)
    select target.id, target.workspace_id, p.id from unnest(people) p (id)
    on conflict do nothing returning profile_id
  )
  select array_agg(i.profile_id) into added from inserted i;
  if added is null then return; end if;
  if (select count(*) from public.user_group_members g
    where g.workspace_id = target.workspace_id and g.group_id = target.id) > 1000
  then
    raise exception using errcode = 'PT409', message = 'too_many_group_members';
  elsif exists (
    select from public.user_group_members g where g.workspace_id = target.workspace_id and g.profile_id = any (added)
    group by g.profile_id having count(*) > 50)
  then
    raise exception using errcode = 'PT409', message = 'too_many_groups_of_person';
  end if;
  perform app.record_action(target.workspace_id, 'group.members_added',
    jsonb_build_object('group_id', target.id, 'profile_ids', to_jsonb(added)));
end
$$;
comment on function app.add_group_members is
  'Adds people, at most 90 at once. Needs the lock of the workspace, under which the quotas are exact.';

create function public.create_group(
  id uuid, workspace uuid, name text, description text default '', people uuid[] default '{}'
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_group_manager(workspace);
  wanted text;
  created public.user_groups;
begin
  select g.* into created from public.user_groups g where g.id = create_group.id;
  if created.id is not null then
    if created.created_by <> me or created.workspace_id <> workspace then
      raise exception using errcode = 'PT409', message = 'conflict';
    end if;
    return jsonb_build_object('group', app.group_as_json(created), 'workspace', app.workspace_as_json(workspace));
  end if;
  wanted := app.require_group_name(workspace, create_group.id, create_group.name);
  if (select count(*) from public.user_groups g where g.workspace_id = workspace) >= 200 then
    raise exception using errcode = 'PT409', message = 'too_many_groups';
  end if;
  insert into public.user_groups (id, workspace_id, name, description, created_by)
  values (create_group.id, workspace, wanted, coalesce(app.require_group_description(create_group.description), ''), me)
  returning * into created;
  perform app.record_action(workspace, 'group.created', jsonb_build_object('group_id', created.id, 'name', created.name));
  perform app.add_group_members(created, coalesce(people, '{}'));
  return jsonb_build_object('group', app.group_as_json(created), 'workspace', app.change_groups_version(workspace));
end
$$;
comment on function public.create_group is
  'Creates a group. A repeated request creates it once. Its name is unique among groups and active members, ignoring case.';

create function public.change_group(
  id uuid, name text default null, description text default null, is_archived boolean default null
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  before constant public.user_groups := app.require_group(change_group.id);
  wanted constant text := case when change_group.name is null or change_group.name = before.name then before.name
    else app.require_group_name(before.workspace_id, before.id, change_group.name) end;
  changed public.user_groups;
begin
  update public.user_groups g
  set name = wanted, description = coalesce(app.require_group_description(change_group.description), g.description),
    archived_at = case when is_archived is null then g.archived_at when is_archived then coalesce(g.archived_at, now()) end
  where g.id = before.id returning * into changed;
  if changed is not distinct from before then
    return jsonb_build_object('group', app.group_as_json(before), 'workspace', app.workspace_as_json(before.workspace_id));
  end if;
  if changed.name <> before.name then
    perform app.record_action(before.workspace_id, 'group.renamed',
      jsonb_build_object('group_id', before.id, 'from', before.name, 'to', changed.name));
  end if;
  if changed.description <> before.description then
    perform app.record_action(before.workspace_id, 'group.described', jsonb_build_object('group_id', before.id));
  end if;
  if (changed.archived_at is null) <> (before.archived_at is null) then
    perform app.record_action(before.workspace_id,
      case when changed.archived_at is null then 'group.unarchived' else 'group.archived' end,
      jsonb_build_object('group_id', before.id));
  end if;
  return jsonb_build_object('group', app.group_as_json(changed), 'workspace', app.change_groups_version(before.workspace_id));
end
$$;
comment on function public.change_group is
  'Changes the name and the description of a group, archives it or makes it available again; null leaves what it was.';

create function public.change_group_members(id uuid, add uuid[] default '{}', remove uuid[] default '{}') returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  target constant public.user_groups := app.require_group(change_group_members.id);
  removed uuid[];
begin
  if cardinality(remove) > 90 then
    raise exception using errcode = 'PT400', message = 'too_many';
  end if;
  with deleted as (
    delete from public.user_group_members g
    where g.group_id = target.id and g.profile_id = any (remove) and g.profile_id <> all (coalesce(add, '{}'))
    returning g.profile_id
  )
  select array_agg(d.profile_id) into removed from deleted d;
  if removed is not null then
    perform app.record_action(target.workspace_id, 'group.members_removed',
      jsonb_build_object('group_id', target.id, 'profile_ids', to_jsonb(removed)));
  end if;
  perform app.add_group_members(target, array(select distinct p from unnest(add) p));
  return jsonb_build_object('group', app.group_as_json(target), 'workspace', app.change_groups_version(target.workspace_id));
end
$$;
comment on function public.change_group_members is
  'Adds people to a group and removes others, at most 90 each. Fails with not_found for who is no active member.';

-- Mentions ---------------------------------------------------------------------------------------------

create function app.mentioned_group_ids(body text) returns uuid[]
language sql immutable set search_path = ''
as $$
  select case when strpos(body, '<@&') = 0 then '{}'::uuid[] else array(
    select substr(mark, 4, 36)::uuid from unnest(app.mention_marks(body)) mark where mark like '<@&%' limit 20) end
$$;
comment on function app.mentioned_group_ids is 'The groups that a text mentions, 20 at most.';

create function app.sees_group(person uuid, mentioned uuid, channel uuid) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return exists (
    select from public.channels c
    join public.workspace_members w on w.workspace_id = c.workspace_id and w.profile_id = person
    join public.user_groups g on g.id = mentioned and g.workspace_id = c.workspace_id
    where c.id = channel and w.state = 'active' and (w.expires_at is null or w.expires_at > now())
      and (w.role <> 'guest' or exists (
        select from public.user_group_members m join public.channel_members r on r.profile_id = m.profile_id
        where m.group_id = g.id and r.channel_id = c.id)));
end
$$;
comment on function app.sees_group is
  'Whether a reader of the channel may see the name of a group: guests that of groups with somebody in the channel.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.create_group, public.change_group, public.change_group_members
  from public, anon, authenticated, service_role;
grant execute on function public.create_group, public.change_group, public.change_group_members to authenticated;
