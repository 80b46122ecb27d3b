-- Background jobs: the queue of work that is done after a commit, calls of Edge Functions, and the removal of expired rows.
--
-- A transaction that adds a job usually calls the Edge Function for it. pg_cron starts jobs that are due later, and repeats lost
-- calls. The platform invokes the functions in `supabase/functions` directly, or pg_net calls them. For pg_net, Vault stores the
-- address of the server and the secret by which the functions recognise the database. Decision 34 gives the reasons of the queue,
-- and decision 80 the reasons of the calls.

-- Queue ------------------------------------------------------------------------------------------------

create table public.jobs (
  id uuid primary key default gen_random_uuid(),
  kind text not null constraint jobs_kind_plain check (kind ~ '^[a-z_]{1,32}$'),
  owner_id uuid not null,
  payload jsonb not null constraint jobs_payload_small check (octet_length(payload::text) <= 4000),
  attempts smallint not null default 0,
  run_at timestamptz not null default now(),
  request_id bigint,
  error text,
  failed_at timestamptz,
  created_at timestamptz not null default now()
);
create index jobs_due on public.jobs (kind, run_at) where failed_at is null;
create index jobs_owner on public.jobs (owner_id, created_at);
create index jobs_failed on public.jobs (failed_at) where failed_at is not null;
create index jobs_request on public.jobs (request_id) where request_id is not null;
create index jobs_retried on public.jobs (kind, created_at) where failed_at is null and error is not null;
comment on table public.jobs is
  'Work that is done outside of the transaction that requests it, and repeated until it succeeds. A finished job is '
  'deleted; one that failed for good stays for a week, with its error. Read by functions only. No access for clients.';
comment on column public.jobs.owner_id is 'Whose job it is, of the kind''s choice; of a webhook for `webhook`.';
comment on column public.jobs.payload is 'What is to be done: ids and no content, which could be deleted meanwhile.';
comment on column public.jobs.run_at is 'The next attempt; of an attempt that is in progress, when it is given up.';
comment on column public.jobs.request_id is 'The request of pg_net by which the current attempt is made.';
alter table public.jobs enable row level security;
revoke all on public.jobs from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.jobs to service_role;

create function app.add_job(kind text, owner uuid, payload jsonb, run_at timestamptz default now()) returns uuid
language plpgsql volatile security definer set search_path = ''
as $$
declare
  added uuid;
begin
  insert into public.jobs (kind, owner_id, payload, run_at)
  values (add_job.kind, add_job.owner, add_job.payload, add_job.run_at) returning id into added;
  return added;
end
$$;
comment on function app.add_job is 'Adds a job to the queue and returns its id.';

-- The ids are an array, which is evaluated once: where the planner evaluates a subquery once for each row of the table, a
-- limit with `skip locked` finds other rows each time, and more jobs are claimed than requested.
create function app.claim_jobs(
  kind text, max_jobs integer, lease interval default interval '2 minutes', candidates uuid[] default null
) returns setof public.jobs
language plpgsql volatile security definer set search_path = ''
as $$
declare
  -- More than finish_job permits: only attempts that end without a result reach it.
  max_attempts constant integer := 12;
begin
  if claim_jobs.kind = any (app.outgoing_job_kinds()) and app.is_outgoing_paused() then return; end if;
  return query
    with claimed as (
      update public.jobs j
      set attempts = j.attempts + 1, run_at = now() + lease, request_id = null,
        failed_at = case when j.attempts >= max_attempts then now() end,
        error = case when j.attempts >= max_attempts then 'The attempts ended without a result.' else j.error end
      where j.id = any (array(
        select d.id from public.jobs d
        where d.kind = claim_jobs.kind and d.failed_at is null and d.run_at <= now()
          and (candidates is null or d.id = any (candidates))
        order by d.run_at limit max_jobs for update skip locked))
      returning j.*)
    select c.* from claimed c where c.failed_at is null;
end
$$;
comment on function app.claim_jobs is
  'Claims due jobs of a kind, of `candidates` if given: nobody else gets them until the lease has passed, after which they '
  'are due again. One whose attempts end again and again without a result, since it ends its function, has failed for good '
  'instead. None of a kind that sends something to other servers, while app.is_outgoing_paused.';

create function app.finish_job(job uuid, problem text default null, max_attempts integer default 7) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
declare
  finished public.jobs;
begin
  if problem is null then
    delete from public.jobs j where j.id = job;
    return false;
  end if;
  -- 30 seconds, then four times as long each time, up to about eight hours; a tenth more or less.
  update public.jobs j
  set request_id = null, error = left(problem, 300),
    failed_at = case when j.attempts >= max_attempts then now() end,
    run_at = now() + interval '30 seconds' * power(4, least(j.attempts, 6) - 1) * (0.9 + random() * 0.2)
  where j.id = job returning * into finished;
  return finished.failed_at is not null;
end
$$;
comment on function app.finish_job is
  'Deletes a job that succeeded (without a problem), or plans its next attempt with exponential backoff; after the last '
  'attempt it has failed for good. Returns whether it has.';

-- Calling functions ------------------------------------------------------------------------------------

select app.store_secret('linnet_task_secret', app.random_token(),
  'Authenticates calls of the database to Linnet''s functions.');

-- Clears `mail_off_until`: a start of the server may have brought a mail server.
create function public.register_server_url(url text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
begin
  if app.read_secret('project_url') is distinct from url then
    perform app.store_secret('project_url', url, 'The URL of this server, for calls of Linnet''s functions.');
  end if;
  if app.read_secret('linnet_task_secret') is null then
    perform app.store_secret('linnet_task_secret', app.random_token(),
      'Authenticates calls of the database to Linnet''s functions.');
  end if;
  update public.settings s set value = 'null'
  where s.key = 'mail_off_until' and s.value not in ('null', '"infinity"');
  return jsonb_build_object('url', url);
end
$$;
comment on function public.register_server_url is
  'For service_role: stores the URL of this server, at each start. On hosted projects it is stored once, as the Vault '
  'secret project_url.';

create function public.check_task(secret text) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  -- Compares hashes, so that the time of the comparison reveals nothing about the secret.
  return jsonb_build_object('valid',
    coalesce(app.hash_token(secret) = app.hash_token(app.read_secret('linnet_task_secret')), false));
end
$$;
comment on function public.check_task is 'For service_role: whether a call with this secret comes from this database.';

create function app.start_task(task text, body jsonb default '{}') returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  address text;
  secret text;
begin
  if task = any (app.outgoing_tasks()) and app.is_outgoing_paused() then return; end if;
  if to_regprocedure('supabase_functions.invoke(text, jsonb)') is not null then
    -- It merges calls that follow each other closely, so the function need not wait for them.
    perform supabase_functions.invoke(task, body - 'wait_ms');
    return;
  end if;
  address := app.read_secret('project_url');
  secret := app.read_secret('linnet_task_secret');
  if address is not null and secret is not null then
    perform net.http_post(
      url := rtrim(address, '/') || '/functions/v1/' || task,
      body := start_task.body,
      headers := jsonb_build_object('content-type', 'application/json', 'x-linnet-task', secret),
      timeout_milliseconds := 60000);
  end if;
end
$$;
comment on function app.start_task is
  'Calls one of Linnet''s functions once this transaction has committed: directly if the platform provides '
  'supabase_functions.invoke, else by a request to the server''s URL. Does nothing if this URL is not known. `wait_ms` in the '
  'body is how long the function waits for further work. Does not call functions that send something to other servers, while '
  'app.is_outgoing_paused.';

create function app.try_start_task(task text, body jsonb default '{}') returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform app.start_task(task, body);
exception
  when syntax_error_or_access_rule_violation or invalid_schema_name or raise_exception or object_not_in_prerequisite_state then
    raise warning 'The function % was not called: %', task, sqlerrm;
end
$$;
comment on function app.try_start_task is
  'As app.start_task, but the transaction does not fail if pg_net is missing or does not accept the request: a job of pg_cron '
  'calls the function for due work, too.';

-- Responses --------------------------------------------------------------------------------------------

-- The servers of webhooks and commands respond with up to 5 MiB each, which pg_net stores for hours.
create function app.reduce_job_response() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  kind constant text := (
    select j.kind from public.jobs j where j.request_id = new.id and j.kind in ('webhook', 'command'));
begin
  if kind is not null then
    new.headers := null;
    -- The database stores one character more than a command may respond with, so that it finds a response that is too long.
    new.content := case kind when 'command' then left(new.content, 100001) end;
  end if;
  return new;
end
$$;
comment on function app.reduce_job_response is
  'Of a response to a webhook only the status is stored, and of one to a command what receive_command_response reads.';
create trigger reduce_job_response before insert on net._http_response
  for each row execute function app.reduce_job_response();

-- Cleaning up ------------------------------------------------------------------------------------------

create function app.sweep() returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- Only those older than a day: app.require_files accepts uploads until then.
  perform app.queue_unreferenced_objects('files');
  perform app.queue_unreferenced_objects('avatars');
  if exists (select from public.file_deletion_queue) then perform app.try_start_task('delete-files'); end if;
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
comment on function app.sweep is
  'Removes what has expired: uploads and avatars that nothing references, unusable invitations, old heartbeats, rate '
  'limits that are full again, jobs that failed a week ago, and old runs of cron.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.register_server_url, public.check_task from public, anon, authenticated, service_role;
grant execute on function public.register_server_url, public.check_task to service_role;

-- Schedule ---------------------------------------------------------------------------------------------

select cron.schedule('linnet: sweep', '17 * * * *', 'select app.sweep()');
