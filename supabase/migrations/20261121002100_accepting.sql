-- Accepting, made anew: a channel that an invitation names can become private, or be archived, while it is accepted.

create or replace function public.accept_invitation(token text, person_name text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  account auth.users;
  invitation public.invitations;
  me public.profiles;
  place public.workspace_members;
  opened uuid;
  entered boolean := false;
  first_channel uuid;
begin
  if not app.session_alive() then
    raise exception using errcode = 'PT401', message = 'session_ended';
  end if;
  select * into account from auth.users u where u.id = auth.uid();
  -- Locked before it is read, or two at once would both be the last.
  perform from public.invitations i where i.token_hash = app.hash_token(token) for update;
  invitation := app.require_invitation(token);
  if account.is_anonymous or account.email_confirmed_at is null
    or (invitation.email is not null and invitation.email <> lower(account.email))
  then
    raise exception using errcode = 'PT403', message = 'invitation_other_email';
  end if;
  select * into me from public.profiles p where p.user_id = account.id;
  select * into place from public.workspace_members w
  where w.workspace_id = invitation.workspace_id and w.profile_id = me.id for update;
  if place.profile_id is null or place.state <> 'active' or place.expires_at <= now() then
    if invitation.uses >= invitation.max_uses then
      raise exception using errcode = 'PT410', message = 'invitation_used';
    end if;
    -- Whoever was shut out comes back by a letter written since, not by an old link.
    if place.profile_id is not null and (invitation.email is null
      or invitation.created_at <= coalesce(place.deactivated_at, place.expires_at))
    then
      raise exception using errcode = 'PT403', message = 'not_allowed';
    end if;
    insert into public.profiles (user_id, name) values (account.id, app.require_name(person_name, 'profiles_name_length'))
    on conflict (user_id) do update set name = excluded.name where profiles.user_id = excluded.user_id
    returning * into me;
    insert into public.workspace_members (workspace_id, profile_id, role)
    values (invitation.workspace_id, me.id, invitation.role)
    on conflict (workspace_id, profile_id) do update
    set role = excluded.role, state = 'active', expires_at = null, deactivated_at = null
    where workspace_members.profile_id = excluded.profile_id;
    update public.invitations i set uses = i.uses + 1 where i.id = invitation.id;
    if place.profile_id is not null then perform app.leave_behind(invitation, me.id); end if;
    entered := true;
  end if;
  -- Looked at under their locks: what was closed or archived a moment ago, this invitation opens no more.
  perform app.lock_channels(array(
    select o.channel_id from public.invitation_channels o where o.invitation_id = invitation.id));
  for opened in
    select c.id from public.invitation_channels o
    join public.channels c on c.id = o.channel_id and c.archived_at is null
    where o.invitation_id = invitation.id and not exists (
      -- As with the workspace: whoever was put out, or asked in by one who was, needs a letter written since.
      select from public.channel_removals r
      where r.channel_id = c.id and r.profile_id in (me.id, invitation.invited_by)
        and (r.removed_at >= invitation.created_at or (r.profile_id = me.id and invitation.email is null))
    )
    order by c.id
  loop
    -- A used-up link opens nothing more to those who came by another way.
    if entered or invitation.uses < invitation.max_uses then
      perform app.enter_channel(opened, me.id, me.id, 'member');
    end if;
    first_channel := coalesce(first_channel, opened);
  end loop;
  return jsonb_build_object('workspace', app.workspace_as_json(invitation.workspace_id),
    'profile', app.profile_as_json(me), 'channel_id', first_channel);
end
$$;
