-- What the servers of webhooks and commands respond with, up to 5 MiB each, is not stored for hours.

create function app.reduce_job_response() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  kind constant text := (
    select j.kind from public.jobs j where j.request_id = new.id and j.kind in ('webhook', 'command'));
begin
  if kind is not null then
    new.headers := null;
    -- Of a longer response to a command it only matters that it is too long.
    new.content := case kind when 'command' then left(new.content, 100001) end;
  end if;
  return new;
end
$$;
comment on function app.reduce_job_response is
  'Of a response to a webhook only the status is stored, and of one to a command what receive_command_response reads.';
create trigger reduce_job_response before insert on net._http_response
  for each row execute function app.reduce_job_response();

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
exception when others then
  -- The worker of pg_net stores the responses of others in the same transaction. expire_commands ends the job.
  return null;
end
$$;
comment on function app.receive_command_response is
  'Handles what the server of a command responded with, as soon as pg_net stores it, and deletes it there. A body is '
  'converted by the function command-response.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
