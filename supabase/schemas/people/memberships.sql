-- How a membership ends and begins again, and the erasure of somebody who has left. Who may do this to whom is decided by
-- the rules of roles. Decision 46 gives the reasons.

-- The end of a membership ------------------------------------------------------------------------------

create function app.clear_membership_end() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  new.ended := null;
  new.deactivated_at := null;
  return new;
end
$$;
comment on function app.clear_membership_end is 'Clears how and when a membership ended, once it is active again.';
create trigger clear_membership_end before update of state on public.workspace_members
  for each row when (old.state <> 'active' and new.state = 'active') execute function app.clear_membership_end();
comment on trigger clear_membership_end on public.workspace_members is 'Invitations make memberships active again too.';

create function app.end_membership(workspace uuid, person uuid, reason text) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  former uuid[];
begin
  update public.workspace_members m
  set state = 'deactivated', deactivated_at = now(), ended = reason
  where m.workspace_id = workspace and m.profile_id = person
    and (m.state = 'active' or m.ended is distinct from reason);
  if reason is null then return; end if;
  former := array(
    select m.channel_id from public.channel_members m join public.channels c on c.id = m.channel_id
    where m.profile_id = person and c.workspace_id = workspace and c.kind in ('public', 'private'));
  perform app.lock_channels(former);
  delete from public.channel_members m where m.profile_id = person and m.channel_id = any (former);
  perform app.increment_meta_rev(c) from (select c from unnest(former) c order by c) o;
end
$$;
comment on function app.end_membership is
  'Ends a membership; all rights end with the transaction, messages stay. `reason` is null for a member who can be '
  'reactivated with their channels, else left or removed, which ends them too. Direct conversations stay those of the others.';

create function app.end_access_with_membership() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- After a reactivation, links that somebody else may have stay closed.
  update public.invitations i set revoked_at = now()
  where i.invited_by = new.profile_id and i.workspace_id = new.workspace_id and i.revoked_at is null;
  if not exists (
    select from public.workspace_members m where m.profile_id = new.profile_id and app.is_active_member(m)
  ) then
    perform app.explain_ended_sessions(app.membership_end_reason(new), w.name)
    from public.workspaces w where w.id = new.workspace_id;
    -- Also deletes the refresh tokens, including those of OAuth clients. A trigger closes the sockets.
    delete from auth.sessions s
    where s.user_id = (select p.user_id from public.profiles p where p.id = new.profile_id);
  end if;
  return null;
end
$$;
comment on function app.end_access_with_membership is
  'Revokes the invitations of a former member, and ends the sessions of somebody who is in no workspace any more.';
create constraint trigger end_access_with_membership after update of state on public.workspace_members
  deferrable initially deferred for each row when (old.state = 'active' and new.state <> 'active')
  execute function app.end_access_with_membership();
comment on trigger end_access_with_membership on public.workspace_members is
  'Deferred: until the end of the transaction the caller may be the person who leaves.';

create function public.deactivate_member(workspace uuid, person uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  member constant public.workspace_members := app.require_person_below(workspace, person);
begin
  -- Not again for those who left: they would be ones who can be reactivated.
  if member.state = 'active' then perform app.end_membership(workspace, person, null); end if;
  return app.member_as_json(workspace, person);
end
$$;
comment on function public.deactivate_member is
  'Ends a membership until it is reactivated: all rights and sessions end with the transaction, messages and channels stay.';

create function public.reactivate_member(workspace uuid, person uuid, expires_at timestamptz default null) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  member constant public.workspace_members := app.require_person_below(workspace, person);
begin
  if app.is_bot(person) or (member.role <> 'guest' and reactivate_member.expires_at is not null) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  elsif member.ended is not null or app.has_lost_account(person) then
    raise exception using errcode = 'PT409', message = 'membership_ended';
  end if;
  perform app.require_expiry(reactivate_member.expires_at);
  if not app.is_active_member(member) then
    update public.workspace_members m set state = 'active', expires_at = reactivate_member.expires_at
    where m.workspace_id = workspace and m.profile_id = person;
  end if;
  return app.member_as_json(workspace, person);
end
$$;
comment on function public.reactivate_member is
  'Gives a deactivated member their role, channels, drafts and read markers back, and a guest access until a date; neither '
  'sessions nor invitations. Fails with membership_ended for those who left, were removed, or have no account.';

create function public.remove_person(workspace uuid, person uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  member constant public.workspace_members := app.require_person_below(workspace, person);
begin
  if member.ended is null then perform app.end_membership(workspace, person, 'removed'); end if;
  return app.member_as_json(workspace, person);
end
$$;
comment on function public.remove_person is
  'Removes a person from a workspace and its channels. They come back by an invitation.';

create function public.leave_workspace(workspace uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin', 'member', 'guest');
begin
  if app.is_bot(me) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  perform app.lock_members(workspace, array[me]);
  if app.my_role(workspace) = 'owner' then perform app.require_other_owner(workspace, me); end if;
  perform app.end_membership(workspace, me, 'left');
  return jsonb_build_object('workspace_id', workspace);
end
$$;
comment on function public.leave_workspace is
  'Ends the caller''s membership; fails with last_owner for the only owner who can act. Messages stay under their name.';

-- Erasure ----------------------------------------------------------------------------------------------

create function app.erase_profile(person uuid) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  update public.profiles p
  set name = 'Former member', is_erased = true, avatar = null, status_emoji = null, status_text = null, status_expires_at = null,
    presence = 'auto', presence_until = null, title = null, time_zone = null, pronouns = null
  where p.id = person;
  update public.imported_people i set email = null where i.profile_id = person or i.claimed_by = person;
  delete from public.sections s where s.profile_id = person;
  delete from public.drafts d where d.profile_id = person;
  delete from public.reminders r where r.profile_id = person;
  delete from public.scheduled_messages s where s.profile_id = person;
  delete from public.user_group_members g where g.profile_id = person;
  delete from public.saved_searches s where s.profile_id = person;
  delete from public.notification_preferences f where f.profile_id = person;
  delete from public.saved_messages m where m.profile_id = person;
  delete from public.activity_markers a where a.profile_id = person;
  delete from public.command_invocations i where i.profile_id = person;
  delete from public.command_responses r where r.profile_id = person;
  delete from public.push_subscriptions s where s.profile_id = person;
end
$$;
comment on function app.erase_profile is
  'Removes the name, avatar and status of a person, the address of an export, and the rows that were theirs alone. Their messages stay.';

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
  perform app.erase_profile(person);
  delete from public.member_addresses a where a.workspace_id = erase_person.workspace and a.profile_id = person;
  delete from public.join_requests r where r.profile_id = person and r.workspace_id = erase_person.workspace;
  -- Their address is in the account, in invitations to it, and in requests for an account.
  if erased.kind = 'person' and not exists (
    select from public.workspace_members w where w.profile_id = person and w.workspace_id <> workspace
  ) then
    delete from public.sign_up_requests r using auth.users u where u.id = erased.user_id and r.email = lower(u.email);
    -- Other workspaces decide about their own invitations.
    delete from public.invitations i using auth.users u
    where u.id = erased.user_id and i.workspace_id = workspace and i.email = lower(u.email);
    delete from auth.users u where u.id = erased.user_id;
  end if;
  return app.member_as_json(workspace, person);
end
$$;
comment on function public.erase_person is
  'Removes the personal data of somebody who left or whose account is gone, at their request: name, avatar, status, what was '
  'theirs alone, and the account with its address unless it belongs to another workspace too. Their messages stay '
  'readable, under the name "Former member". For owners.';

create function app.end_erasure() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  new.is_erased := false;
  return new;
end
$$;
comment on function app.end_erasure is 'Who is still in another workspace enters a new name.';
create trigger new_names_are_displayed before update of name on public.profiles
  for each row when (old.is_erased and new.name <> old.name) execute function app.end_erasure();
comment on trigger new_names_are_displayed on public.profiles is 'By the person, or when they join another workspace.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.deactivate_member, public.reactivate_member, public.remove_person,
  public.leave_workspace, public.erase_person from public, anon, authenticated, service_role;
grant execute on function public.deactivate_member, public.reactivate_member, public.remove_person,
  public.leave_workspace, public.erase_person to authenticated;
