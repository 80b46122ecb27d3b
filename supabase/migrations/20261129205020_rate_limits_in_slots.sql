-- Requests of one person do not wait for each other.
--
-- A request updates what its caller has used of a rate limit before the command runs, and the row is locked until the request
-- commits. If the command then waits for a channel, every other request of this person waited for it too.

truncate public.rate_limits;
alter table public.rate_limits
  drop constraint rate_limits_pkey,
  add column slot smallint not null constraint rate_limits_slot_known check (slot between 1 and 4),
  add primary key (user_id, kind, slot);
comment on table public.rate_limits is
  'What each account has used of its rate limits; a row in the past means the same as none. Unlogged: worthless after '
  'a crash. At most four rows, called slots, for each account and kind. No access for clients.';
comment on column public.rate_limits.slot is
  'A quarter of the limit, which one transaction at a time may use: requests that are in progress use different slots.';
comment on column public.rate_limits.full_at is
  'When the slot is fully available again, if nothing more is used.';

create or replace function app.consume_rate_limit_of(consumer uuid, limit_kind text, amount integer) returns void
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

create or replace function app.sweep() returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- Only those older than a day: app.checked_files accepts uploads until then.
  perform app.queue_unreferenced_objects('files');
  perform app.queue_unreferenced_objects('avatars');
  if exists (select from public.file_deletion_queue) then perform app.try_task('delete-files'); end if;
  -- Invitations that can no longer be used, with their e-mail addresses. Only after a month, so that the bearer of a
  -- link learns why it no longer works.
  delete from public.invitations i
  where least(i.expires_at, i.revoked_at) < now() - interval '30 days'
    or (i.uses >= i.max_uses and i.created_at < now() - interval '90 days');
  delete from public.heartbeats h where h.seen_at < now() - interval '1 day';
  delete from public.jobs j where j.failed_at < now() - interval '7 days';
  -- pg_cron stores runs forever; pg_net deletes its responses itself.
  delete from cron.job_run_details d where d.end_time < now() - interval '7 days';
  -- Last, since a request whose row is deleted waits for the end of this transaction; without rows that requests are using.
  delete from public.rate_limits r
  where r.ctid in (select l.ctid from public.rate_limits l where l.full_at < now() for update skip locked);
end
$$;

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
