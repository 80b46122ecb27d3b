-- The check before each request of the data API returns first where it has nothing to decide: a read of a table counts
-- against no rate limit, and applications may read what their user can read. Parsing the claims to find that out took
-- a tenth of a page of messages.

create or replace function app.check_request() returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  path constant text := current_setting('request.path', true);
  is_read_only constant boolean := current_setting('transaction_read_only') = 'on';
begin
  if is_read_only and path not like '/rpc/%' then return; end if;
  if auth.uid() is null then return; end if;
  perform app.check_oauth_client(path);
  -- Read-only transactions cannot count, and broadcast nothing.
  if is_read_only then return; end if;
  perform app.consume_rate_limit(case
    when path in ('/rpc/send_message', '/rpc/edit_message', '/rpc/delete_message') then 'message'
    when path in ('/rpc/react', '/rpc/pin_message') then 'reaction'
    when path = '/rpc/typing' then 'typing'
    when path = '/profiles' then 'profile'
    when path in ('/channel_state', '/sections', '/rpc/heartbeat', '/rpc/mark_read', '/rpc/mark_unread',
      '/rpc/mark_thread_read', '/rpc/mark_thread_unread', '/rpc/follow_thread') then 'own'
    else 'other'
  end);
end
$$;
