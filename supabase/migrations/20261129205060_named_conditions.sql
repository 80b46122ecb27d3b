-- Triggers catch the errors that they expect, and log them as warnings.

create or replace function app.queue_metadata_removal() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
declare
  is_first boolean;
begin
  -- The storage service writes the size with the last byte. Before that, it inserts rows to check the policies.
  if coalesce((new.metadata ->> 'size')::bigint, 0) = 0
    or (new.bucket_id = 'files' and app.upload_in_path(new.name) is null)
  then
    return null;
  end if;
  is_first := not exists (
    select from public.jobs j where j.kind = 'remove_metadata' and j.failed_at is null and j.run_at = now());
  perform app.add_job('remove_metadata', new.id, jsonb_build_object('bucket', new.bucket_id, 'name', new.name));
  -- One call for all objects of a transaction.
  if is_first then perform app.try_task('remove-metadata'); end if;
  return null;
end
$$;
comment on function app.queue_metadata_removal is
  'Adds a job that removes the metadata of a stored file or avatar, and calls the function that does so. The object is the '
  'owner of the job.';

create or replace function app.run_reminders() returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  job public.jobs;
  following timestamptz;
  reminder public.reminders;
  has_push boolean := false;
begin
  for job in select c.* from app.claim_jobs('reminder', 1000) c loop
    begin
      select r.* into reminder from public.reminders r where r.job_id = job.id for update;
      -- Times that were missed while the server was stopped remind once.
      following := case when reminder.repeats is not null then
        app.next_occurrence(reminder.starts_at, reminder.time_zone, reminder.repeats, now()) end;
      update public.reminders r
      set reminded_at = r.due_at, due_at = coalesce(following, r.due_at),
        job_id = case when following is not null then job.id end, rev = nextval('app.reminder_revs')
      where r.job_id = job.id;
      if following is null then
        perform app.finish_job(job.id);
      else
        update public.jobs j set run_at = following, attempts = 0 where j.id = job.id;
      end if;
      has_push := app.queue_reminder_push(reminder) or has_push;
    exception when others then
      -- One that fails, such as for a time zone that no longer exists, does not stop the others.
      perform app.finish_job(job.id, sqlerrm);
    end;
  end loop;
  if has_push then perform app.try_task('push'); end if;
end
$$;
comment on function app.run_reminders is
  'Makes the reminders due whose time has come, and plans the next time of those that are repeated. Every minute.';

create or replace function app.receive_command_response() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  job public.jobs;
  invocation public.command_invocations;
begin
  select j.* into job from public.jobs j where j.request_id = new.id and j.kind = 'command' and j.failed_at is null;
  if job.id is null then return null; end if;
  delete from net._http_response r where r.id = new.id;
  if new.status_code between 200 and 299 then
    if btrim(coalesce(new.content, ''), E' \t\r\n') = '' then
      select i.* into invocation from public.command_invocations i
      where i.id = (job.payload ->> 'invocation_id')::uuid;
      perform app.end_command(job, null, null);
      if invocation.id is not null then perform app.show_response(invocation, null, false, false); end if;
    elsif octet_length(new.content) > 100000 then
      perform app.end_command(job, 'The response has more than 100 kB.', 'bad_response');
    else
      perform app.call_task('command-response', jsonb_build_object('job', job.id, 'content', new.content,
        'content_type', coalesce(new.content_type, '')));
    end if;
  elsif new.status_code is not null then
    perform app.end_command(job, 'The server responded with status ' || new.status_code || '.', 'error');
  elsif new.timed_out then
    perform app.end_command(job, 'The server did not respond in time.', 'timeout');
  else
    perform app.end_command(job, coalesce(new.error_msg, 'The request failed.'), 'unreachable');
  end if;
  return null;
-- The worker of pg_net stores the responses of others in the same transaction. expire_commands ends the job.
exception
  -- The bot or the caller is no longer a member.
  when sqlstate 'PT403' then
    return null;
  when transaction_rollback or object_not_in_prerequisite_state or data_exception or integrity_constraint_violation
    or syntax_error_or_access_rule_violation or invalid_schema_name or raise_exception then
    raise warning 'The response % to a slash command was not handled: %', new.id, sqlerrm;
    return null;
end
$$;
comment on function app.receive_command_response is
  'Handles what the server of a command responded with, as soon as pg_net stores it, and deletes it there. A body is '
  'converted by the function command-response.';
