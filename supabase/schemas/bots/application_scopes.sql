-- What an application may do that a person has let in by OAuth: what the person has granted it, not all that they may do.
-- The restrictive policies of the tables and app.check_application_scope require a scope by app.has_scope, or the person's own
-- session by app.is_first_party_session. Decision 49 has the reasons.

-- Table ------------------------------------------------------------------------------------------------

create table public.application_grants (
  profile_id uuid not null default app.my_profile_id() references public.profiles (id) on delete cascade,
  client_id uuid not null,
  scopes text[] not null
    constraint application_grants_scopes_known
    check (scopes <@ array['channels:read', 'messages:read', 'messages:write']::text[] and cardinality(scopes) <= 3),
  granted_at timestamptz not null default now(),
  primary key (profile_id, client_id)
);
comment on table public.application_grants is
  'The scopes that a person has granted to an application, an OAuth client of the auth service. An application without a '
  'row signs the person in, and accesses nothing.';
comment on column public.application_grants.client_id is
  'The id of a row of auth.oauth_clients, without a foreign key: the auth service owns that table.';
comment on column public.application_grants.scopes is
  'channels:read: workspaces, channels, people and their profiles. messages:read: messages, files and search. '
  'messages:write: sends, changes and deletes messages, reactions, pins, files and read markers as the person.';
alter table public.application_grants enable row level security;
create policy "people manage their own grants" on public.application_grants
  for all to authenticated
  using (profile_id = (select app.my_profile_id()))
  with check (profile_id = (select app.my_profile_id()) and app.is_oauth_client(client_id));
comment on policy "people manage their own grants" on public.application_grants is
  'Only the person decides what an application may do as them.';
revoke all on public.application_grants from public, anon, authenticated, service_role;
grant select, delete, insert (client_id, scopes), update (client_id, scopes) on public.application_grants
  to authenticated;
grant select, insert, update, delete on public.application_grants to service_role;

create function app.recheck_application_sockets() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform app.recheck_sockets(coalesce(new.profile_id, old.profile_id));
  return null;
end
$$;
comment on function app.recheck_application_sockets is
  'Ends the topics of an application that has lost the scope for them.';
create trigger application_grants_recheck_sockets after update or delete on public.application_grants
  for each row execute function app.recheck_application_sockets();

-- Requests ---------------------------------------------------------------------------------------------

create function app.check_application_scope(path text) returns void
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
