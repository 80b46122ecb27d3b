-- Settings of a workspace, and what the mail of an invitation may display.

create function app.notify_workspace() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform app.tell_person(m.profile_id, 'workspace_changed', jsonb_build_object(
    'workspace', app.workspace_as_json(new.id)))
  from public.workspace_members m
  where m.workspace_id = new.id and m.state = 'active' and (m.expires_at is null or m.expires_at > now());
  return null;
end
$$;
comment on function app.notify_workspace is 'Sends a changed workspace to each of its active members.';

create trigger workspace_changes_are_sent after update on public.workspaces
  for each row when (old.name is distinct from new.name) execute function app.notify_workspace();
comment on trigger workspace_changes_are_sent on public.workspaces is
  'Only for a changed name: each notification is one broadcast per member.';

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

-- The names are shown in the mail, which is sent by whoever calls the auth service: without the comparison, the holder
-- of an invitation link could have mails with a text of their choice sent to any address.
create or replace function public.before_user_created(event jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  address constant text := lower(btrim(event -> 'user' ->> 'email'));
  metadata constant jsonb := event -> 'user' -> 'user_metadata';
  token constant text := metadata ->> 'invitation';
  inviter constant text := metadata ->> 'invited_by';
  workspace_name constant text := metadata ->> 'workspace_name';
begin
  if (inviter is null and workspace_name is null and not exists (select from public.workspaces)) or exists (
    select from public.invitations i
    join public.profiles p on p.id = i.invited_by
    join public.workspaces w on w.id = i.workspace_id
    where (i.email = address or i.token_hash = app.hash_token(token))
      and (i.email is null or i.email = address)
      and i.revoked_at is null and i.expires_at > now() and i.uses < i.max_uses
      and coalesce(inviter, p.name) = p.name and coalesce(workspace_name, w.name) = w.name
  ) then
    return '{}';
  end if;
  return jsonb_build_object('error', jsonb_build_object('http_code', 403,
    'message', 'This Linnet is by invitation. Ask someone who is in it to invite you.'));
end
$$;
comment on function public.before_user_created is
  'Hook of the auth service: only invited people get accounts, and the mail that invites them names nobody else than who '
  'did. It prevents useless accounts; access depends on membership.';

revoke execute on function app.notify_workspace from public;
revoke execute on function public.rename_workspace from public, anon, authenticated, service_role;
grant execute on function public.rename_workspace to authenticated;
