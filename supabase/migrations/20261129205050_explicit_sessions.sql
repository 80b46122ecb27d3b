-- Checks of sessions and scopes are false without a session, and parse the claims once.

create or replace function app.is_first_party_session() returns boolean
language plpgsql stable security definer set search_path = ''
as $$
declare
  claims constant jsonb := auth.jwt();
  account constant uuid := claims ->> 'sub';
  session constant uuid := claims ->> 'session_id';
begin
  return exists (
    select from auth.sessions s where s.id = session and s.user_id = account and s.oauth_client_id is null);
end
$$;
comment on function app.is_first_party_session is
  'Whether the session of the caller is their own, and not that of an application which they have let in by OAuth. '
  'False without a session. Jobs and service_role have none, and call nothing that uses this function.';

create or replace function app.has_scope(scope text) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
declare
  claims constant jsonb := auth.jwt();
  account constant uuid := claims ->> 'sub';
  session constant uuid := claims ->> 'session_id';
begin
  return exists (
    select from auth.sessions s
    where s.id = session and s.user_id = account and (s.oauth_client_id is null or exists (
      select from public.application_grants g join public.profiles p on p.id = g.profile_id
      where p.user_id = s.user_id and g.client_id = s.oauth_client_id and has_scope.scope = any (g.scopes))));
end
$$;
comment on function app.has_scope is
  'Whether the session of the caller is their own, or that of an application to which they have granted this scope. False '
  'without a session, as app.is_first_party_session.';

create or replace function app.require_membership(workspace uuid, out profile_id uuid, out role text)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  claims constant jsonb := auth.jwt();
  account constant uuid := claims ->> 'sub';
  session constant uuid := claims ->> 'session_id';
  has_verified constant boolean := claims ->> 'aal' in ('aal2', 'aal3');
begin
  select w.profile_id, w.role into require_membership.profile_id, require_membership.role
  from auth.sessions s
  join auth.users u on u.id = s.user_id
  join public.profiles p on p.user_id = s.user_id
  join public.workspace_members w on w.workspace_id = workspace and w.profile_id = p.id
  where s.id = session and s.user_id = account
    and (s.not_after is null or s.not_after > now())
    and (u.banned_until is null or u.banned_until <= now()) and u.deleted_at is null
    and (not p.second_factor or (s.aal >= 'aal2' and has_verified))
    and w.state = 'active' and (w.expires_at is null or w.expires_at > now());
  if found then return; end if;
  perform app.require_profile();
  -- A workspace of others and one that does not exist must be indistinguishable.
  raise exception using errcode = 'PT404', message = 'not_found';
end
$$;
comment on function app.require_membership is
  'The caller''s profile and their role in a workspace; fails with session_ended, second_factor_missing or not_found. '
  'One statement, since most commands begin with it.';

create or replace function app.check_application_scope(path text) returns void
language plpgsql stable security definer set search_path = ''
as $$
declare
  -- Null for commands that are not listed, so that a new one is closed to all applications by default.
  scope constant text := case
    when path in ('/rpc/bootstrap', '/rpc/heartbeat', '/rpc/browse_channels', '/rpc/channel_people',
      '/rpc/view_invitation', '/rpc/unread_workspaces') then 'channels:read'
    when path in ('/rpc/channel_page', '/rpc/channel_changes', '/rpc/thread_page', '/rpc/thread_inbox',
      '/rpc/thread_states', '/rpc/search_messages', '/rpc/list_files', '/rpc/messages_by_ids', '/rpc/who_can_read',
      '/rpc/message_at', '/rpc/activity') then 'messages:read'
    when path in ('/rpc/open_direct', '/rpc/send_message', '/rpc/edit_message', '/rpc/delete_message', '/rpc/react',
      '/rpc/pin_message', '/rpc/typing', '/rpc/close_poll', '/rpc/mark_read', '/rpc/mark_unread',
      '/rpc/mark_thread_read', '/rpc/mark_thread_unread', '/rpc/follow_thread') then 'messages:write'
  end;
begin
  if path not like '/rpc/%'
    or (case when scope is null then app.is_first_party_session() else app.has_scope(scope) end)
  then
    return;
  elsif not exists (select from auth.sessions s where s.id = (auth.jwt() ->> 'session_id')::uuid and s.user_id = auth.uid()) then
    -- Callers without an account may call these commands, too.
    if path in ('/rpc/view_invitation', '/rpc/request_sign_up') then return; end if;
    raise exception using errcode = 'PT401', message = 'session_ended';
  end if;
  raise exception using errcode = 'PT403', message = 'not_allowed';
end
$$;
comment on function app.check_application_scope is
  'Fails with not_allowed unless the session of the caller is their own, or that of an application which has the scope '
  'for this command. Fails with session_ended if the session has ended.';
