-- Limits of API requests: how often one person may change things, and what OAuth applications may call.
--
-- Each change is stored, broadcast and replayed for days, so without a limit one client's loop fills the disk and every
-- client of the workspace. The data API calls app.check_request before each request, so that limits apply to every
-- command and every table, including those added later.

create unlogged table public.rate_limits (
  user_id uuid not null,
  kind text not null,
  full_at timestamptz not null,
  primary key (user_id, kind)
) with (fillfactor = 50);
comment on table public.rate_limits is
  'What each account has used of its rate limits; a row in the past means the same as none. Unlogged: worthless after '
  'a crash. At most one row for each account and kind. No access for clients.';
comment on column public.rate_limits.full_at is 'When the limit is fully available again, if nothing more is used.';
alter table public.rate_limits enable row level security;
revoke all on public.rate_limits from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.rate_limits to service_role;

insert into public.settings (key, value) values ('rate_limits', '{
  "message": {"per_minute": 60, "burst": 120},
  "reaction": {"per_minute": 120, "burst": 120},
  "typing": {"per_minute": 60, "burst": 60},
  "profile": {"per_minute": 10, "burst": 20},
  "own": {"per_minute": 300, "burst": 600},
  "other": {"per_minute": 60, "burst": 300}
}');

create function app.consume_rate_limit(limit_kind text, amount integer default 1) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  allowed constant jsonb := (select s.value -> limit_kind from public.settings s where s.key = 'rate_limits');
  each interval;
  now_at constant timestamptz := clock_timestamp();
begin
  -- Without the setting there is no limit.
  if coalesce((allowed ->> 'per_minute')::numeric, 0) <= 0 then return; end if;
  each := interval '1 minute' / (allowed ->> 'per_minute')::double precision;
  insert into public.rate_limits as r (user_id, kind, full_at)
  select auth.uid(), limit_kind, now_at + amount * each
  where amount <= coalesce((allowed ->> 'burst')::integer, 1)
  on conflict (user_id, kind) do update set full_at = greatest(r.full_at, now_at) + amount * each
  where greatest(r.full_at, now_at) + amount * each <= now_at + (allowed ->> 'burst')::integer * each;
  if not found then
    raise exception using errcode = 'PT429', message = 'rate_limited';
  end if;
end
$$;
comment on function app.consume_rate_limit is
  'Uses some of the caller''s rate limit of a kind, which refills steadily; fails with rate_limited if too little is '
  'left. Called before any other lock; a request that fails gives it back.';

create function app.count_preference_changes() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  more constant integer := (select count(*) - 1 from changed);
begin
  -- One request may change all rows, and each change is a broadcast.
  if more > 0 and auth.uid() is not null and current_setting('request.path', true) = '/channel_state' then
    perform app.consume_rate_limit('own', more);
  end if;
  return null;
end
$$;
comment on function app.count_preference_changes is
  'Counts a request that changes the preferences of several channels as several.';
create trigger preferences_are_counted after update on public.channel_state referencing new table as changed
  for each statement execute function app.count_preference_changes();
comment on trigger preferences_are_counted on public.channel_state is 'For a PATCH without a filter.';

create function app.check_oauth_client(path text) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  -- Commands that are not listed are refused, so that a new one is closed by default.
  if path like '/rpc/%' and path <> all (array[
    '/rpc/bootstrap', '/rpc/heartbeat', '/rpc/browse_channels', '/rpc/channel_people', '/rpc/who_can_read',
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
comment on function app.check_oauth_client is
  'Fails with not_allowed if an OAuth client''s session calls a command that is not for applications: they read and '
  'write messages like their user, but change no memberships, roles, invitations or sign-in methods.';

create function app.check_request() returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  path constant text := current_setting('request.path', true);
begin
  if auth.uid() is null then return; end if;
  perform app.check_oauth_client(path);
  -- Read-only transactions cannot count, and broadcast nothing.
  if current_setting('transaction_read_only') = 'on' then return; end if;
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
comment on function app.check_request is
  'Called by the data API before each request: closes commands to applications, and limits how often one person '
  'changes things. Settings: rate_limits.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
grant execute on function app.check_request to anon, authenticated, service_role;

alter role authenticator set pgrst.db_pre_request = 'app.check_request';
notify pgrst, 'reload config';
