-- The scheduler sends one message of each author in turn, so that slow messages of one author do not delay all others.

drop function app.send_next_scheduled_message();

create function app.send_next_scheduled_message(candidates uuid[] default null) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
declare
  job public.jobs;
  due public.scheduled_messages;
  reason text;
begin
  select c.* into job from app.claim_jobs('scheduled_message', 1, candidates := candidates) c;
  if job.id is null then return false; end if;
  select s.* into due from public.scheduled_messages s where s.job_id = job.id for update;
  if due.id is null then
    perform app.finish_job(job.id);
    return true;
  end if;
  begin
    perform app.post_as(due.profile_id, due.id, due.channel_id, due.body, due.thread_root, due.also_to_channel,
      due.quote_id, due.files);
    -- Under the lock of the channel, which post_as holds.
    if not due.on_web and exists (
      select from public.channels c where c.id = due.channel_id and c.web_since is not null)
    then
      raise exception using errcode = 'PT409', message = 'channel_on_web';
    end if;
    -- Its trigger deletes the job.
    delete from public.scheduled_messages s where s.job_id = job.id;
    return true;
  exception when others then
    if sqlstate like 'PT4%' then
      reason := sqlerrm;
    elsif app.finish_job(job.id, sqlerrm) then
      reason := 'server_error';
    end if;
  end;
  if reason is not null then
    update public.scheduled_messages s
    set problem = reason, job_id = null, rev = nextval('app.scheduled_message_revs') where s.job_id = job.id;
    delete from public.jobs j where j.id = job.id;
  end if;
  return true;
end
$$;
comment on function app.send_next_scheduled_message is
  'Sends the scheduled message that is due first, of the jobs `candidates` if given, in this transaction; false if none is '
  'due. What its author may not send any more is kept with the reason; after other errors it is tried again with backoff.';

create function app.first_due_scheduled_jobs() returns uuid[]
language sql stable security definer set search_path = ''
as $$
  select array(
    select f.id from (
      select distinct on (j.owner_id) j.id, j.run_at from public.jobs j
      where j.kind = 'scheduled_message' and j.failed_at is null and j.run_at <= clock_timestamp()
      order by j.owner_id, j.run_at, j.id) f
    order by f.run_at, f.id limit 1000)
$$;
comment on function app.first_due_scheduled_jobs is
  'For each author, the job of the scheduled message that is due first; the oldest jobs first. One turn of the scheduler.';

create or replace procedure app.send_scheduled_messages()
language plpgsql
as $$
declare
  jobs uuid[];
  job uuid;
  sent integer := 0;
begin
  loop
    jobs := app.first_due_scheduled_jobs();
    exit when cardinality(jobs) = 0;
    foreach job in array jobs loop
      -- False where another scheduler has sent it.
      perform app.send_next_scheduled_message(array[job]);
      -- A transaction for each: the lock of a channel ends with its message.
      commit;
      sent := sent + 1;
      exit when sent >= 1000;
    end loop;
    exit when sent >= 1000;
  end loop;
end
$$;
comment on procedure app.send_scheduled_messages is
  'Sends the scheduled messages that are due, at most 1,000, with one of each author in each turn. It runs every minute. It '
  'is neither security definer nor has a search path, because such a procedure cannot commit.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
revoke execute on procedure app.send_scheduled_messages from public;
