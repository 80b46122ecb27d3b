-- Limits of API requests: how often one person may change things.
--
-- Each change is stored, broadcast and replayed for days, so without a limit one client's loop fills the disk and every
-- client of the workspace. The data API calls app.check_request before each request, so that limits apply to every
-- command and every table, including those added later. It returns first where it has nothing to decide: a read of a table
-- counts against no rate limit, and applications may read what their scopes allow. Parsing the claims to find that out takes
-- a tenth of the time of a request for a page of messages.

-- Limits -----------------------------------------------------------------------------------------------

create unlogged table public.rate_limits (
  user_id uuid not null,
  kind text not null,
  full_at timestamptz not null,
  slot smallint not null constraint rate_limits_slot_known check (slot between 1 and 4),
  primary key (user_id, kind, slot)
) with (fillfactor = 50);
comment on table public.rate_limits is
  'What each account has used of its rate limits; a row in the past means the same as none. Unlogged: worthless after '
  'a crash. At most four rows, called slots, for each account and kind. No access for clients.';
comment on column public.rate_limits.user_id is 'An account, or a webhook.';
comment on column public.rate_limits.full_at is
  'When the slot is fully available again, if nothing more is used.';
comment on column public.rate_limits.slot is
  'A quarter of the limit, which one transaction at a time may use: requests that are in progress use different slots.';
alter table public.rate_limits enable row level security;
revoke all on public.rate_limits from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.rate_limits to service_role;

insert into public.settings (key, value) values ('rate_limits', '{
  "message": {"per_minute": 60, "burst": 120},
  "characters": {"per_minute": 6000, "burst": 400000},
  "draft_characters": {"per_minute": 20000, "burst": 1000000},
  "reaction": {"per_minute": 120, "burst": 120},
  "typing": {"per_minute": 60, "burst": 60},
  "profile": {"per_minute": 10, "burst": 20},
  "own": {"per_minute": 300, "burst": 600},
  "draft": {"per_minute": 60, "burst": 120},
  "move": {"per_minute": 10, "burst": 30},
  "command": {"per_minute": 20, "burst": 20},
  "webhook": {"per_minute": 60, "burst": 60},
  "recovery_code": {"per_minute": 1, "burst": 8},
  "other": {"per_minute": 60, "burst": 300}
}');

create function app.consume_rate_limit_of(consumer uuid, limit_kind text, amount integer) returns void
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  slots constant integer := 4;
  allowed constant jsonb := (select s.value -> limit_kind from public.settings s where s.key = 'rate_limits');
  capacity constant double precision := coalesce((allowed ->> 'burst')::double precision, 1) / slots;
  now_at constant timestamptz := clock_timestamp();
  key constant text := consumer || limit_kind;
  -- In which a slot regains one use.
  each interval;
  needed double precision := amount;
  has_slot boolean := false;
  available double precision;
begin
  -- Without the setting there is no limit.
  if coalesce((allowed ->> 'per_minute')::numeric, 0) <= 0 then return; end if;
  each := slots * interval '1 minute' / (allowed ->> 'per_minute')::double precision;
  for attempt in 1 .. 2 loop
    for n in 1 .. slots loop
      -- Another transaction that has this lock uses the slot until it ends.
      continue when not pg_try_advisory_xact_lock(hashtextextended(key, n));
      has_slot := true;
      insert into public.rate_limits as r (user_id, kind, slot, full_at)
      select consumer, limit_kind, n, now_at + amount * each where amount <= capacity
      on conflict (user_id, kind, slot) do update set full_at = greatest(r.full_at, now_at) + amount * each
      where greatest(r.full_at, now_at) + amount * each <= now_at + capacity * each;
      if found then return; end if;
      available := coalesce(available, (
        select slots * capacity - coalesce(sum(extract(epoch from greatest(r.full_at - now_at, '0')) / extract(epoch from each)), 0)
        from public.rate_limits r where r.user_id = consumer and r.kind = limit_kind));
      exit when available < amount;
    end loop;
    exit when has_slot;
    -- All slots are in use. A transaction that has a slot waits for no other, so this wait ends.
    perform pg_advisory_xact_lock(hashtextextended(key, 1 + floor(random() * slots)::integer));
  end loop;
  if available >= amount then
    -- No slot has enough, but several may.
    for n in 1 .. slots loop
      continue when not pg_try_advisory_xact_lock(hashtextextended(key, n));
      available := capacity - coalesce((
        select extract(epoch from greatest(r.full_at - now_at, '0')) / extract(epoch from each)
        from public.rate_limits r where r.user_id = consumer and r.kind = limit_kind and r.slot = n), 0);
      available := least(available, needed);
      continue when available <= 0;
      insert into public.rate_limits as r (user_id, kind, slot, full_at)
      values (consumer, limit_kind, n, now_at + available * each)
      on conflict (user_id, kind, slot) do update set full_at = greatest(r.full_at, now_at) + available * each;
      needed := needed - available;
      if needed < 0.000001 then return; end if;
    end loop;
  end if;
  raise exception using errcode = 'PT429', message = 'rate_limited';
end
$$;
comment on function app.consume_rate_limit_of is
  'Uses some of the rate limit of a kind that an account or a webhook has, which refills steadily; fails with rate_limited if '
  'too little is left. A transaction locks only the slots that it uses, each a quarter of the limit, so four requests of one '
  'account at the same time do not wait for each other. What the locked slots have left is not available to others meanwhile. '
  'Called before any other lock; a request that fails returns what it has used.';

create function app.consume_rate_limit(limit_kind text, amount integer default 1) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform app.consume_rate_limit_of(auth.uid(), limit_kind, amount);
end
$$;
comment on function app.consume_rate_limit is 'Uses some of the caller''s rate limit, as app.consume_rate_limit_of.';

-- The other limits count requests. A guest could write 60 messages of 20,000 characters a minute, and the database would store,
-- index and broadcast 39 GB a day.
create function app.consume_characters_of(consumer uuid, limit_kind text, content text) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  if octet_length(content) > 100 then
    -- The check of the length refuses a longer text, with its own error.
    perform app.consume_rate_limit_of(consumer, limit_kind, least(char_length(content), 20000));
  end if;
end
$$;
comment on function app.consume_characters_of is
  'Counts the characters of a text towards a rate limit. Texts of up to 100 bytes do not count: counting one costs as much as '
  'storing it, and the limits of requests are enough for them.';

create function app.count_draft_characters() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if auth.uid() is not null then perform app.consume_characters_of(auth.uid(), 'draft_characters', new.body); end if;
  return null;
end
$$;
comment on function app.count_draft_characters is 'Counts the characters of drafts: each change stores and broadcasts the whole draft.';
create trigger draft_characters_are_counted after insert or update of body on public.drafts
  for each row execute function app.count_draft_characters();
comment on trigger draft_characters_are_counted on public.drafts is
  'An AFTER trigger: a BEFORE trigger would count an insert twice that becomes an update.';

create function app.count_preference_changes() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  more constant integer := (select count(*) - 1 from changed);
begin
  -- One request may change all rows, and each change is a broadcast.
  if more > 0 and auth.uid() is not null and current_setting('request.path', true) = '/channel_member_state' then
    perform app.consume_rate_limit('own', more);
  end if;
  return null;
end
$$;
comment on function app.count_preference_changes is
  'Counts a request that changes the preferences of several channels as several.';
create trigger preferences_are_counted after update on public.channel_member_state referencing new table as changed
  for each statement execute function app.count_preference_changes();
comment on trigger preferences_are_counted on public.channel_member_state is 'For a PATCH without a filter.';

-- Requests ---------------------------------------------------------------------------------------------

create function app.check_request() returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  path constant text := current_setting('request.path', true);
  is_read_only constant boolean := current_setting('transaction_read_only') = 'on';
begin
  -- What follows compares the path as it was sent, while the data API decodes it: `/%72pc/…` calls a command, too.
  if path !~ '^/(rpc/)?[A-Za-z0-9_]*$' then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  if is_read_only and path not like '/rpc/%' then return; end if;
  if auth.uid() is null then return; end if;
  perform app.check_application_scope(path);
  -- Read-only transactions cannot count, and broadcast nothing.
  if is_read_only then return; end if;
  perform app.check_reauthentication(path);
  perform app.consume_rate_limit(case
    when path in ('/rpc/send_message', '/rpc/edit_message', '/rpc/delete_message', '/rpc/schedule_message',
      '/rpc/change_scheduled_message', '/rpc/send_scheduled_message') then 'message'
    when path in ('/rpc/react', '/rpc/pin_message', '/rpc/close_poll') then 'reaction'
    when path = '/rpc/typing' then 'typing'
    when path = '/profiles' then 'profile'
    when path in ('/channel_member_state', '/sections', '/rpc/heartbeat', '/rpc/mark_read', '/rpc/mark_unread',
      '/rpc/mark_thread_read', '/rpc/mark_thread_unread', '/rpc/follow_thread',
      '/rpc/save_message', '/rpc/mark_activity_seen') then 'own'
    -- Each is stored and broadcast whole.
    when path = '/rpc/save_draft' then 'draft'
    else 'other'
  end);
end
$$;
comment on function app.check_request is
  'Called by the data API before each request: closes commands to applications, requires a recent authentication for dangerous '
  'commands, and limits how often one person changes things. Settings: rate_limits.';

alter role authenticator set pgrst.db_pre_request = 'app.check_request';
notify pgrst, 'reload config';

-- Rights to execute ------------------------------------------------------------------------------------

grant execute on function app.check_request to anon, authenticated, service_role;
