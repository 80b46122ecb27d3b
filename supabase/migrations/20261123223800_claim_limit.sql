-- claim_jobs claimed more jobs than requested where the planner evaluates its subquery once for each row of the table: a
-- limit with `skip locked` then finds other rows each time. An array is evaluated once.

create or replace function app.claim_jobs(kind text, max_jobs integer, lease interval default interval '2 minutes')
returns setof public.jobs
language plpgsql volatile security definer set search_path = ''
as $$
begin
  return query
    update public.jobs j set attempts = j.attempts + 1, run_at = now() + lease, request_id = null
    where j.id = any (array(
      select d.id from public.jobs d
      where d.kind = claim_jobs.kind and d.failed_at is null and d.run_at <= now()
      order by d.run_at limit max_jobs for update skip locked))
    returning j.*;
end
$$;

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
