-- Roles in a workspace, and the access of guests. Decision 46 gives the reasons.
--
-- Nobody acts on a person whose role is equal or above their own: owners change admins, members and guests, admins change
-- members and guests. Owners are equal, so that an owner can only step down or leave, and the last one can do neither.
-- The interface shows these rules; the commands enforce them under locks, so that of two concurrent commands the second
-- sees the roles that the first has left.

-- Rights -----------------------------------------------------------------------------------------------

create function app.role_rank(role text) returns integer
language sql immutable set search_path = ''
as $$ select coalesce(array_position(array['guest', 'member', 'admin', 'owner'], role), 0) $$;
comment on function app.role_rank is 'Roles in order: 1 guest to 4 owner; 0 for somebody who is not in the workspace.';

create function app.lock_members(workspace uuid, people uuid[]) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform from public.workspace_members m
  where m.workspace_id = lock_members.workspace and m.profile_id = any (people) order by m.profile_id for no key update;
end
$$;
comment on function app.lock_members is
  'Locks memberships, ordered by profile. Of two people who demote each other, the second is refused.';

create function app.require_rank_above(workspace uuid, person uuid) returns uuid
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me uuid := app.require_role(workspace, 'owner', 'admin');
  their_role text;
begin
  -- Locked, and the caller's role read again: neither changes until the command has committed.
  perform from public.workspace_members w
  where w.workspace_id = workspace and w.profile_id in (me, person) order by w.profile_id for share;
  me := app.require_role(workspace, 'owner', 'admin');
  select w.role into their_role from public.workspace_members w
  where w.workspace_id = workspace and w.profile_id = person;
  if their_role is null then
    raise exception using errcode = 'PT404', message = 'not_found';
  elsif person = me or app.role_rank(their_role) >= app.role_rank(app.my_role(workspace)) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  return me;
end
$$;
comment on function app.require_rank_above is
  'The profile of the caller, an owner or admin whose role is above that of the person: nobody acts on themselves, on '
  'somebody above, or on an equal. Fails with not_allowed, or with not_found for somebody outside of the workspace.';

create function app.require_person_below(workspace uuid, person uuid) returns public.workspace_members
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin');
  member public.workspace_members;
begin
  -- Locked for the change that follows, before the share locks of require_rank_above.
  perform app.lock_members(workspace, array[me, person]);
  perform app.require_rank_above(workspace, person);
  select * into member from public.workspace_members m where m.workspace_id = workspace and m.profile_id = person;
  return member;
end
$$;
comment on function app.require_person_below is
  'The membership of a person whom the caller ranks above (app.require_rank_above), with both locked.';

create function app.require_other_owner(workspace uuid, person uuid) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- Of two owners who leave concurrently, the second sees that the first has left.
  perform from public.workspaces w where w.id = workspace for no key update;
  if not exists (
    select from public.workspace_members m
    where m.workspace_id = workspace and m.profile_id <> person and m.role = 'owner' and app.is_active_member(m)
      and not app.has_lost_account(m.profile_id)
  ) then
    raise exception using errcode = 'PT409', message = 'last_owner';
  end if;
end
$$;
comment on function app.require_other_owner is 'Fails with last_owner unless the workspace has another owner who can act.';

-- Roles ------------------------------------------------------------------------------------------------

create function app.end_channel_admin_roles() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  managed constant uuid[] := array(
    select m.channel_id from public.channel_members m join public.channels c on c.id = m.channel_id
    where m.profile_id = new.profile_id and c.workspace_id = new.workspace_id and m.role = 'admin');
begin
  if cardinality(managed) = 0 then return null; end if;
  perform app.lock_channels(managed);
  update public.channel_members m set role = 'member'
  where m.profile_id = new.profile_id and m.channel_id = any (managed) and m.role = 'admin';
  perform app.increment_meta_rev(c) from (select c from unnest(managed) c order by c) o;
  return null;
end
$$;
comment on function app.end_channel_admin_roles is 'Guests administer no channels, also those who were members before.';
create trigger end_channel_admin_roles after update of role on public.workspace_members
  for each row when (old.role <> 'guest' and new.role = 'guest') execute function app.end_channel_admin_roles();

create function public.set_member_role(workspace uuid, person uuid, role text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin');
  requested constant text := set_member_role.role;
  member public.workspace_members;
  my_role text;
begin
  if app.role_rank(requested) = 0 then
    raise exception using errcode = 'PT400', message = 'workspace_members_role_known';
  end if;
  if person = me then
    perform app.lock_members(workspace, array[me]);
    select m.* into member from public.workspace_members m where m.workspace_id = workspace and m.profile_id = me;
    my_role := app.my_role(workspace);
    if requested = 'guest' or my_role is null or app.role_rank(requested) > app.role_rank(my_role) then
      raise exception using errcode = 'PT403', message = 'not_allowed';
    end if;
    if my_role = 'owner' and requested <> 'owner' then perform app.require_other_owner(workspace, me); end if;
  else
    member := app.require_person_below(workspace, person);
    my_role := app.my_role(workspace);
    -- Owners appoint admins and owners, a guest only after they have become a member; admins appoint nobody like them.
    if (my_role = 'admin' and app.role_rank(requested) >= app.role_rank('admin'))
      or (member.role = 'guest' and app.role_rank(requested) > app.role_rank('member')) or app.is_bot(person)
    then
      raise exception using errcode = 'PT403', message = 'not_allowed';
    end if;
    if not app.is_active_member(member) or (requested = 'owner' and not app.has_usable_account(person)) then
      raise exception using errcode = 'PT409', message = 'membership_ended';
    end if;
  end if;
  update public.workspace_members m
  set role = requested, expires_at = case when requested = 'guest' then m.expires_at end
  where m.workspace_id = workspace and m.profile_id = person and m.role <> requested;
  return app.member_as_json(workspace, person);
end
$$;
comment on function public.set_member_role is
  'Changes the role of a person below the caller, to one that the caller may give, or lowers the caller''s own. A member who '
  'becomes a guest stays in the channels that they are in; a guest who becomes a member has access without an end.';

create function public.transfer_ownership(workspace uuid, person uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_role(workspace, 'owner');
  member public.workspace_members;
begin
  perform app.lock_members(workspace, array[me, person]);
  perform app.require_role(workspace, 'owner');
  select m.* into member from public.workspace_members m where m.workspace_id = workspace and m.profile_id = person;
  if member.profile_id is null then
    raise exception using errcode = 'PT404', message = 'not_found';
  elsif person = me or member.role = 'guest' then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  elsif not app.is_active_member(member) or not app.has_usable_account(person) then
    raise exception using errcode = 'PT409', message = 'membership_ended';
  end if;
  perform from public.workspaces w where w.id = workspace for no key update;
  update public.workspace_members m set role = 'owner'
  where m.workspace_id = workspace and m.profile_id = person and m.role <> 'owner';
  update public.workspace_members m set role = 'admin' where m.workspace_id = workspace and m.profile_id = me;
  return app.member_as_json(workspace, person);
end
$$;
comment on function public.transfer_ownership is
  'Makes an admin or member the owner of a workspace, and the caller an admin, at once.';

-- Guests -----------------------------------------------------------------------------------------------

create function app.set_channels_of_guest(workspace uuid, guest uuid, channels uuid[]) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := app.my_profile_id();
  before constant uuid[] := array(
    select m.channel_id from public.channel_members m
    join app.my_readable_channels() r on r.channel_id = m.channel_id
    join public.channels c on c.id = m.channel_id and c.workspace_id = workspace and c.kind in ('public', 'private')
    where m.profile_id = guest);
  chosen uuid[];
  channel uuid;
begin
  perform app.lock_channels(before || channels[1:101]);
  chosen := app.require_bot_channels(workspace, channels);
  for channel in select c from unnest(before) c where c <> all (chosen) order by c loop
    delete from public.channel_members m where m.channel_id = channel and m.profile_id = guest;
    if found then
      insert into public.channel_removals (channel_id, profile_id) values (channel, guest)
      on conflict (channel_id, profile_id) do update set removed_at = excluded.removed_at
      where channel_removals.profile_id = excluded.profile_id;
      perform app.post_system_message(channel, me, jsonb_build_object('event', 'removed', 'profile_id', guest));
      perform app.increment_meta_rev(channel);
    end if;
  end loop;
  perform app.add_channel_member(c, guest, me, 'member') from unnest(chosen) c where c <> all (before);
end
$$;
comment on function app.set_channels_of_guest is
  'Sets the channels of a guest or bot, of those that the caller may read; they stay in others. They read messages from '
  'their joining on.';

create function app.require_expiry(expires_at timestamptz) returns void
language plpgsql stable set search_path = ''
as $$
begin
  if expires_at <= now() or expires_at > now() + interval '5 years' then
    raise exception using errcode = 'PT400', message = 'bad_expiry';
  end if;
end
$$;
comment on function app.require_expiry is
  'Fails with bad_expiry unless the end of an access is in the future, within five years, or null for none.';

create function public.set_guest_access(
  workspace uuid, person uuid, channels uuid[], expires_at timestamptz default null
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  member constant public.workspace_members := app.require_person_below(workspace, person);
begin
  if member.role <> 'guest' or app.is_bot(person) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  elsif not app.is_active_member(member) then
    raise exception using errcode = 'PT409', message = 'membership_ended';
  end if;
  perform app.require_expiry(set_guest_access.expires_at);
  perform app.set_channels_of_guest(workspace, person, channels);
  update public.workspace_members m set expires_at = set_guest_access.expires_at
  where m.workspace_id = workspace and m.profile_id = person
    and m.expires_at is distinct from set_guest_access.expires_at;
  return app.member_as_json(workspace, person);
end
$$;
comment on function public.set_guest_access is
  'Sets the channels of a guest, of those that the caller may read, and when their access ends; null: without an end.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.set_member_role, public.transfer_ownership, public.set_guest_access
  from public, anon, authenticated, service_role;
grant execute on function public.set_member_role, public.transfer_ownership, public.set_guest_access to authenticated;
