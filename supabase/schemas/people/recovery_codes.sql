-- Recovery codes: how a person who has lost their second factor gets into their account. The auth service has no stable API for
-- such codes. A code removes the factors of the account, so that the session of the caller needs none any more. Decision 98 gives
-- the reasons.

create table public.recovery_codes (
  user_id uuid not null references auth.users (id) on delete cascade,
  code_hash text not null,
  created_at timestamptz not null default now(),
  primary key (user_id, code_hash)
);
comment on table public.recovery_codes is
  'The unused recovery codes of accounts with a second factor, at most ten of each. They end with the last factor, unless one of '
  'them removed it. Read by functions only. No access for clients.';
comment on column public.recovery_codes.code_hash is
  'The hash (app.hash_token) of account and code. A code has 80 random bits, so it cannot be found by its hash.';
alter table public.recovery_codes enable row level security;
revoke all on public.recovery_codes from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.recovery_codes to service_role;

create function app.hash_recovery_code(account uuid, code text) returns text
language sql immutable set search_path = ''
as $$
  -- Only digits and the letters a to f occur. People write them with spaces, in capitals, and an O for a zero.
  select app.hash_token(account || ' ' || regexp_replace(translate(lower(left(code, 100)), 'ol', '01'), '[^0-9a-f]', '', 'g'))
$$;
comment on function app.hash_recovery_code is 'The stored form of a recovery code.';

create function app.end_recovery_codes() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if current_setting('linnet.is_recovering', true) is distinct from 'true' and not app.has_second_factor(old.user_id) then
    delete from public.recovery_codes c where c.user_id = old.user_id;
  end if;
  return null;
end
$$;
comment on function app.end_recovery_codes is 'Deletes the codes of an account whose last second factor was removed.';
create trigger end_recovery_codes after delete on auth.mfa_factors
  for each row when (old.status = 'verified') execute function app.end_recovery_codes();

-- Commands ---------------------------------------------------------------------------------------------

create function public.my_recovery_codes() returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform app.require_own_session();
  return (
    select jsonb_build_object('remaining', count(*), 'created_at', max(c.created_at))
    from public.recovery_codes c where c.user_id = auth.uid());
end
$$;
comment on function public.my_recovery_codes is 'How many recovery codes the caller''s account has left, and when they were created.';

create function public.create_recovery_codes() returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  account constant uuid := auth.uid();
  codes text[];
begin
  perform app.require_own_session();
  -- Factors change under the same lock.
  perform from auth.users u where u.id = account for update;
  -- The session has verified the factor: app.require_own_session.
  if not app.has_second_factor(account) then
    raise exception using errcode = 'PT409', message = 'conflict';
  end if;
  codes := array(
    select regexp_replace(substr(app.hash_token(app.random_token()), 1, 20), '(.{5})(?=.)', '\1-', 'g')
    from generate_series(1, 10));
  delete from public.recovery_codes c where c.user_id = account;
  insert into public.recovery_codes (user_id, code_hash)
  select account, app.hash_recovery_code(account, c) from unnest(codes) c;
  perform app.record_account_action(account, 'account.recovery_codes_created', true);
  return jsonb_build_object('codes', codes);
end
$$;
comment on function public.create_recovery_codes is
  'Replaces the recovery codes of the caller''s account by ten new ones, which no response contains again. Fails with conflict '
  'if the account has no second factor.';

create function app.require_first_factor() returns void
language plpgsql stable security definer set search_path = ''
as $$
declare
  claims constant jsonb := auth.jwt();
  account constant uuid := claims ->> 'sub';
  session constant uuid := claims ->> 'session_id';
begin
  if not exists (
    select from auth.sessions s join auth.users u on u.id = s.user_id
    where s.id = session and s.user_id = account and s.oauth_client_id is null
      and (s.not_after is null or s.not_after > now())
      and (u.banned_until is null or u.banned_until <= now()) and u.deleted_at is null)
  then
    raise exception using errcode = 'PT401', message = 'session_ended';
  end if;
end
$$;
comment on function app.require_first_factor is
  'Fails with session_ended unless the caller''s own session is alive, as app.require_own_session. The session need not have '
  'verified a second factor.';

create function app.queue_account_mail(account uuid, payload jsonb) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  if exists (
    select from public.settings s where s.key = 'mail_off_until' and (s.value #>> '{}')::timestamptz > now())
  then return; end if;
  perform app.add_job('account_mail', account, payload);
  perform app.start_task('notification-mail');
end
$$;
comment on function app.queue_account_mail is
  'Queues a mail about an account. The payload names what it is about, and the address and language of an account that is '
  'deleted before the mail is sent.';

create function public.use_recovery_code(code text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  account constant uuid := auth.uid();
  session constant uuid := auth.jwt() ->> 'session_id';
begin
  perform app.require_first_factor();
  perform app.consume_rate_limit_of(account, 'recovery_code', 1);
  perform from auth.users u where u.id = account for update;
  if not app.has_second_factor(account) then
    raise exception using errcode = 'PT409', message = 'conflict';
  end if;
  delete from public.recovery_codes c
  where c.user_id = account and c.code_hash = app.hash_recovery_code(account, use_recovery_code.code);
  -- No error: it would undo the count of the attempts.
  if not found then return '{"accepted": false}'; end if;
  perform set_config('linnet.is_recovering', 'true', true);
  delete from auth.mfa_factors f where f.user_id = account;
  perform set_config('linnet.is_recovering', 'false', true);
  perform app.explain_ended_sessions('recovery_code_used');
  -- The device with the factor may be in the hands of somebody else.
  delete from auth.sessions s where s.user_id = account and s.id <> session;
  -- This session has no factor any more that it could have verified.
  update auth.sessions s set aal = 'aal1', factor_id = null where s.id = session and s.aal > 'aal1';
  perform app.record_account_action(account, 'account.recovery_code_used', true);
  perform app.queue_account_mail(account, '{"about": "recovery_code_used"}');
  return '{"accepted": true}';
end
$$;
comment on function public.use_recovery_code is
  'Uses a recovery code of the caller''s account, from a session that has not verified the second factor. It removes all factors, '
  'ends all other sessions, and mails the person. A wrong code changes nothing. Fails with rate_limited after too many '
  'attempts, and with conflict if the account has no second factor.';

-- Mails ------------------------------------------------------------------------------------------------

create function public.claim_account_mails(max_mails integer default 20) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  job public.jobs;
  mail jsonb;
  mails jsonb := '[]';
begin
  for job in select c.* from app.claim_jobs('account_mail', least(greatest(max_mails, 1), 20)) c loop
    mail := (
      select jsonb_build_object('job', job.id, 'attempt', job.attempts,
        'about', coalesce(job.payload ->> 'about', 'recovery_code_used'),
        'to', coalesce(job.payload ->> 'to', u.email), 'used_at', job.created_at,
        'remaining', (select count(*) from public.recovery_codes c where c.user_id = u.id),
        'due_at', (select d.due_at from public.account_deletions d where d.user_id = u.id),
        'language', coalesce(job.payload ->> 'language', app.mail_language(m.workspace_id, m.profile_id)))
      from (select job.owner_id) o (id)
      left join auth.users u on u.id = o.id and u.email <> '' and u.email_confirmed_at is not null and u.deleted_at is null
      left join public.profiles p on p.user_id = u.id
      left join public.workspace_members m on m.profile_id = p.id and app.is_active_member(m)
      where (u.id is not null or job.payload ? 'to')
        -- The person has kept the account meanwhile.
        and (job.payload ->> 'about' is distinct from 'deletion_requested' or exists (
          select from public.account_deletions d where d.user_id = u.id))
      order by m.created_at limit 1);
    -- A mail that a killed function was sending may have arrived. It is not repeated.
    if mail is null or job.payload ? 'sending' then
      perform app.finish_job(job.id);
    else
      mails := mails || mail;
    end if;
  end loop;
  return jsonb_build_object('mails', mails);
end
$$;
comment on function public.claim_account_mails is
  'For service_role: mails that are due about used recovery codes and deletions of accounts, each with the address of the '
  'account.';

create function public.begin_account_mail(job uuid, attempt integer) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
begin
  update public.jobs j set payload = j.payload || '{"sending": true}'
  where j.id = job and j.kind = 'account_mail' and j.attempts = attempt and j.failed_at is null and j.run_at > now()
    and not j.payload ? 'sending';
  return jsonb_build_object('permitted', found);
end
$$;
comment on function public.begin_account_mail is
  'For service_role: whether the end of a mail may be sent. Not if its claim has ended.';

create function public.finish_account_mails(results jsonb) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  done record;
begin
  for done in
    select j.id, r.outcome, r.problem
    from jsonb_to_recordset(results) as r (job uuid, attempt integer, outcome text, problem text)
    join public.jobs j on j.id = r.job
    where j.kind = 'account_mail' and j.attempts = r.attempt and j.failed_at is null
  loop
    if done.outcome in ('accepted', 'unknown', 'rejected') then
      perform app.finish_job(done.id);
    else
      update public.jobs j set payload = j.payload - 'sending' where j.id = done.id;
      perform app.finish_job(done.id, coalesce(done.problem, 'The mail was not sent.'));
    end if;
  end loop;
  return jsonb_build_object('finished', jsonb_array_length(results));
end
$$;
comment on function public.finish_account_mails is
  'For service_role: the results of mails, as in finish_mails. A mail that may have arrived is not sent again.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.my_recovery_codes, public.create_recovery_codes, public.use_recovery_code,
  public.claim_account_mails, public.begin_account_mail, public.finish_account_mails
  from public, anon, authenticated, service_role;
grant execute on function public.my_recovery_codes, public.create_recovery_codes, public.use_recovery_code to authenticated;
grant execute on function public.claim_account_mails, public.begin_account_mail, public.finish_account_mails to service_role;

-- Schedule ---------------------------------------------------------------------------------------------

select cron.schedule('linnet: mail accounts', '* * * * *', $$
  select app.start_task('notification-mail') where exists (
    select from public.jobs j where j.kind = 'account_mail' and j.failed_at is null and j.run_at <= now())$$);
