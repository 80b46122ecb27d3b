-- What an application may do that a person let in by OAuth: read and write messages as they do, and nothing that changes
-- who is where, with which role, by which invitation, or how an account is entered.

create function app.check_application(path text) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  -- A command that is not listed is refused, so that a new one is closed until somebody decides.
  if path like '/rpc/%' and path <> all (array[
    '/rpc/bootstrap', '/rpc/beat', '/rpc/browse_channels', '/rpc/channel_people', '/rpc/who_can_read',
    '/rpc/channel_page', '/rpc/channel_changes', '/rpc/thread_page', '/rpc/thread_inbox', '/rpc/thread_states',
    '/rpc/search_messages', '/rpc/list_files', '/rpc/view_invitation', '/rpc/open_direct',
    '/rpc/send_message', '/rpc/edit_message', '/rpc/delete_message', '/rpc/react', '/rpc/pin_message', '/rpc/typing',
    '/rpc/mark_read', '/rpc/mark_unread', '/rpc/mark_thread_read', '/rpc/mark_thread_unread', '/rpc/follow_thread'
  ]) and exists (
    select from auth.sessions s
    where s.id = (auth.jwt() ->> 'session_id')::uuid and s.oauth_client_id is not null
  ) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
end
$$;
comment on function app.check_application is
  'Fails with not_allowed where an OAuth client''s session calls a command that is not for applications.';

create or replace function app.check_request() returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  path constant text := current_setting('request.path', true);
begin
  if auth.uid() is null then return; end if;
  perform app.check_application(path);
  -- What only reads can't be counted here, and sends nothing.
  if current_setting('transaction_read_only') = 'on' then return; end if;
  perform app.use_allowance(case
    when path in ('/rpc/send_message', '/rpc/edit_message', '/rpc/delete_message') then 'message'
    when path in ('/rpc/react', '/rpc/pin_message') then 'reaction'
    when path = '/rpc/typing' then 'typing'
    when path = '/profiles' then 'profile'
    when path in ('/channel_state', '/sections', '/rpc/beat', '/rpc/mark_read', '/rpc/mark_unread',
      '/rpc/mark_thread_read', '/rpc/mark_thread_unread', '/rpc/follow_thread') then 'own'
    else 'other'
  end);
end
$$;
comment on function app.check_request is
  'Called by the data API before each request: closes commands to applications, and bounds how often one person changes '
  'things. Settings: rate_limits.';

revoke execute on function app.check_application from public;
