-- Previews of one person's links, and repeated deliveries of one webhook, do not delay those of others.

drop function app.claim_jobs(text, integer, interval);

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
  'instead.';

create or replace function public.claim_link_previews(max_jobs integer) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  max_messages_of_person constant integer := 2;
  candidates constant uuid[] := array(
    select n.id from (
      select j.id, j.run_at <= now() as due, row_number() over (
        -- Those that are being fetched come first, and count.
        partition by m.author_id order by j.run_at <= now(), j.run_at, j.id) as number
      from public.jobs j left join public.messages m on m.id = j.owner_id
      where j.kind = 'link_preview' and j.failed_at is null and (j.attempts > 0 or j.run_at <= now())) n
    where n.due and n.number <= max_messages_of_person);
  claimed public.jobs;
  body text;
  claims jsonb := '[]';
begin
  for claimed in
    select c.* from app.claim_jobs('link_preview', least(max_jobs, 100), candidates := candidates) c
  loop
    select m.body into body from public.messages m where m.id = claimed.owner_id and m.deleted_at is null;
    -- What ended the function twice is not attempted again.
    if body is null or claimed.attempts > 2 then
      perform app.finish_job(claimed.id);
    else
      claims := claims || jsonb_build_object('job', claimed.id, 'body', body);
    end if;
  end loop;
  return claims;
end
$$;
comment on function public.claim_link_previews is
  'For service_role: texts whose links wait for their previews, each for one caller, and two of one author at once. Call '
  'begin_link_previews for each.';

create or replace function app.run_webhook_deliveries() returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  max_attempts constant integer := 200;
  job public.jobs;
  response record;
  candidates uuid[];
begin
  for job in
    select j.* from public.jobs j
    where j.kind = 'webhook' and j.request_id is not null order by j.run_at limit 1000 for update skip locked
  loop
    select r.status_code, r.error_msg, r.timed_out into response from net._http_response r where r.id = job.request_id;
    if found then
      perform app.finish_webhook_delivery(job, case
        when response.status_code between 200 and 299 then null
        when response.status_code is not null then 'The server responded with status ' || response.status_code || '.'
        when response.timed_out then 'The server did not respond in time.'
        else coalesce(response.error_msg, 'The request failed.') end, response.status_code is not distinct from 410);
    elsif job.run_at <= now() then
      perform app.finish_webhook_delivery(job, 'The server did not respond in time.', false);
    end if;
  end loop;
  -- Webhooks in turn: the oldest delivery of each, then the second.
  candidates := array(
    select j.id from public.jobs j
    where j.kind = 'webhook' and j.failed_at is null and j.run_at <= now()
    order by row_number() over (partition by j.owner_id order by j.run_at, j.id), j.run_at limit max_attempts);
  for job in select c.* from app.claim_jobs('webhook', max_attempts, candidates := candidates) c loop
    begin
      perform app.send_webhook_delivery(job);
    exception when others then
      -- Others must not wait for it.
      perform app.finish_webhook_delivery(job, 'The request failed: ' || sqlerrm, false);
    end;
  end loop;
end
$$;
comment on function app.run_webhook_deliveries is
  'Finishes attempts whose response has arrived, and starts due ones, of all webhooks in turn. Every minute.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
