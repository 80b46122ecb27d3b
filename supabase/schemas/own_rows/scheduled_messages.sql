-- Messages that are sent at a time chosen by their author. Decision 43 has the reasons.
--
-- The uploads of a message stay until it is sent, and are deleted with one that is not.

-- Table ------------------------------------------------------------------------------------------------

create sequence app.scheduled_message_revs;

create table public.scheduled_messages (
  id uuid not null,
  profile_id uuid not null references public.profiles (id) on delete cascade,
  channel_id uuid not null references public.channels (id) on delete cascade,
  thread_root uuid references public.messages (id) on delete cascade,
  also_to_channel boolean not null default false,
  on_web boolean not null default false,
  body text not null constraint scheduled_messages_body_length check (char_length(body) <= 20000),
  files jsonb not null default '[]'
    constraint scheduled_messages_files_count check (jsonb_typeof(files) = 'array' and jsonb_array_length(files) <= 10),
  quote_id uuid,
  send_at timestamptz not null,
  job_id uuid,
  problem text constraint scheduled_messages_problem_plain check (problem ~ '^[a-z_]{1,40}$'),
  rev bigint not null default nextval('app.scheduled_message_revs'),
  primary key (profile_id, id),
  constraint scheduled_messages_waiting_or_failed check ((job_id is null) = (problem is not null)),
  constraint scheduled_messages_not_empty check (body <> '' or files <> '[]')
);
create unique index scheduled_messages_job on public.scheduled_messages (job_id);
create index scheduled_messages_channel on public.scheduled_messages (channel_id);
create index scheduled_messages_thread on public.scheduled_messages (thread_root) where thread_root is not null;
comment on table public.scheduled_messages is
  'Messages that a job sends at a time, at most 100 of a person. A row is deleted with the transaction that sends its '
  'message. One that could not be sent stays, with the reason. Written by schedule_message and other commands.';
comment on column public.scheduled_messages.id is
  'The id of the message that will be sent, chosen by the client. Unique for each person: a global key would reveal by '
  'its errors which ids others use.';
comment on column public.scheduled_messages.on_web is
  'Whether the channel was on the web when its author scheduled or changed it last.';
comment on column public.scheduled_messages.files is
  'Its files, as require_files returned them. They are uploads of its author in its channel.';
comment on column public.scheduled_messages.quote_id is
  'The message that is quoted. No foreign key, as in the extras of messages.';
comment on column public.scheduled_messages.job_id is 'The job that sends it; null once it could not be sent.';
comment on column public.scheduled_messages.problem is 'Why it could not be sent, as the name of a failure.';
comment on column public.scheduled_messages.rev is 'Orders the changes for the devices that receive them.';
alter table public.scheduled_messages enable row level security;
create policy "people see their own scheduled messages" on public.scheduled_messages
  for select to authenticated using (profile_id = (select app.my_profile_id()));
comment on policy "people see their own scheduled messages" on public.scheduled_messages is
  'Nobody else sees what a person has not sent. Also where they may not read the channel any more: it is their text.';
revoke all on public.scheduled_messages from public, anon, authenticated, service_role;
grant select on public.scheduled_messages to authenticated;
grant select, insert, update, delete on public.scheduled_messages to service_role;

-- Rows -------------------------------------------------------------------------------------------------

create function app.scheduled_message_as_json(scheduled public.scheduled_messages) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object('id', scheduled.id, 'channel_id', scheduled.channel_id,
    'thread_root', scheduled.thread_root, 'also_to_channel', scheduled.also_to_channel, 'body', scheduled.body,
    'quote', scheduled.quote_id, 'send_at', scheduled.send_at, 'problem', scheduled.problem, 'rev', scheduled.rev)
  || case when scheduled.files = '[]' then '{}' else jsonb_build_object('files', scheduled.files) end
$$;
comment on function app.scheduled_message_as_json is 'A scheduled message as its author''s devices get it.';

create function app.notify_scheduled_message() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  changed constant public.scheduled_messages := case when tg_op = 'DELETE' then old else new end;
begin
  if tg_op = 'DELETE' then delete from public.jobs j where j.id = old.job_id; end if;
  perform app.notify_own_row(changed.profile_id, 'scheduled', 'scheduled',
    case when tg_op = 'DELETE' then jsonb_build_object('id', changed.id, 'state', null)
      else app.scheduled_message_as_json(changed) end,
    (select c.workspace_id from public.channels c where c.id = changed.channel_id));
  return null;
end
$$;
comment on function app.notify_scheduled_message is
  'Sends a changed scheduled message to the devices of its author, and deletes the job of a deleted one.';
create trigger scheduled_messages_are_broadcast after insert or update or delete on public.scheduled_messages
  for each row execute function app.notify_scheduled_message();

create function app.queue_unscheduled_files() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.file_deletion_queue (bucket_id, name)
  select 'files', p.path
  from jsonb_array_elements(old.files) f
  cross join lateral (
    select app.file_path(old.channel_id, f, part) from unnest(array['file', 'thumb']) part) p (path)
  where (tg_op = 'DELETE' or not new.files @> jsonb_build_array(f))
    -- It was sent, or the same upload is used by another message.
    and not exists (select from public.attachments a where a.upload_id = (f ->> 'id')::uuid)
    and not app.is_scheduled_file(p.path)
  on conflict do nothing;
  if found then perform app.try_start_task('delete-files'); end if;
  return null;
end
$$;
comment on function app.queue_unscheduled_files is
  'Queues the objects of files of a scheduled message that was deleted or no longer has them, in the same transaction.';
create trigger unscheduled_files_are_queued after delete or update of files on public.scheduled_messages
  for each row when (old.files <> '[]') execute function app.queue_unscheduled_files();

-- Commands ---------------------------------------------------------------------------------------------

create function app.require_send_time(at timestamptz) returns void
language plpgsql stable set search_path = ''
as $$
begin
  if at is null or not isfinite(at) or at <= clock_timestamp() then
    raise exception using errcode = 'PT400', message = 'scheduled_in_the_past';
  elsif at > now() + interval '1 year' then
    raise exception using errcode = 'PT400', message = 'scheduled_too_far';
  end if;
end
$$;
comment on function app.require_send_time is 'Fails unless a time is in the future, and within a year.';

create function app.lock_scheduled_message(person uuid, message uuid) returns public.scheduled_messages
language plpgsql volatile security definer set search_path = ''
as $$
declare
  locked public.scheduled_messages;
begin
  -- Devices of one person change it one after the other.
  perform from public.profiles p where p.id = person for no key update;
  -- The job before the row, as the job itself does: it is sent before this command or after it.
  perform from public.jobs j
  where j.id = (select s.job_id from public.scheduled_messages s where s.profile_id = person and s.id = message)
  for update;
  select s.* into locked from public.scheduled_messages s where s.profile_id = person and s.id = message for update;
  if locked.id is null then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  return locked;
end
$$;
comment on function app.lock_scheduled_message is
  'A scheduled message of a person, locked with its job; fails with not_found, also after it was sent.';

create function public.schedule_message(
  id uuid, channel uuid, body text, send_at timestamptz, thread_root uuid default null,
  also_to_channel boolean default false, quote uuid default null,
  attachments jsonb default '[]'
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access constant app.channel_access := app.require_participant(channel);
  is_reply constant boolean := schedule_message.thread_root is not null;
  requested constant jsonb := coalesce(schedule_message.attachments, '[]');
  root public.messages;
  scheduled public.scheduled_messages;
begin
  if schedule_message.id is null then
    raise exception using errcode = 'PT400', message = 'bad_state';
  end if;
  if jsonb_typeof(requested) <> 'array' then
    raise exception using errcode = 'PT400', message = 'bad_attachment';
  elsif jsonb_array_length(requested) > 10 then
    raise exception using errcode = 'PT400', message = 'attachments_at_most_ten';
  end if;
  perform app.accept_message_body(schedule_message.body, jsonb_array_length(requested) > 0);
  -- Two requests of one person are counted together.
  perform from public.profiles p where p.id = access.profile_id for no key update;
  select s.* into scheduled from public.scheduled_messages s
  where s.profile_id = access.profile_id and s.id = schedule_message.id;
  if scheduled.id is not null then
    return jsonb_build_object('scheduled', app.scheduled_message_as_json(scheduled));
  elsif exists (
    select from public.messages m where m.id = schedule_message.id and m.author_id = access.profile_id)
  then
    return jsonb_build_object('scheduled', null);
  end if;
  perform app.require_send_time(schedule_message.send_at);
  if is_reply then
    select m.* into root from public.messages m where m.id = schedule_message.thread_root and m.channel_id = channel;
  end if;
  perform app.require_posting(access, schedule_message.thread_root, root,
    not is_reply or coalesce(schedule_message.also_to_channel, false));
  if quote is not null then perform app.quote_extra(jsonb_build_object('message_id', quote), '[]'); end if;
  if (select count(*) from public.scheduled_messages s where s.profile_id = access.profile_id) >= 100 then
    raise exception using errcode = 'PT400', message = 'scheduled_at_most_100';
  end if;
  insert into public.scheduled_messages (id, profile_id, channel_id, thread_root, also_to_channel, body, quote_id,
    send_at, files, job_id)
  values (schedule_message.id, access.profile_id, channel, schedule_message.thread_root,
    is_reply and coalesce(schedule_message.also_to_channel, false), schedule_message.body, quote,
    schedule_message.send_at, app.require_files(channel, requested),
    app.add_job('scheduled_message', access.profile_id, jsonb_build_object('message_id', schedule_message.id),
      schedule_message.send_at))
  returning * into scheduled;
  return jsonb_build_object('scheduled', app.scheduled_message_as_json(scheduled));
end
$$;
comment on function public.schedule_message is
  'Sends a message at a time within a year. The client chooses the id, which will be that of the message: repeated calls '
  'schedule it once; `scheduled` is null if it was sent already. The rights to send it are checked now and when it is sent. '
  '`attachments`: as in send_message; the uploads stay until then.';

create function public.change_scheduled_message(
  id uuid, body text default null, send_at timestamptz default null, kept_files uuid[] default null,
  attachments jsonb default '[]'
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  scheduled public.scheduled_messages :=
    app.lock_scheduled_message(app.require_profile(), change_scheduled_message.id);
  added jsonb := coalesce(change_scheduled_message.attachments, '[]');
begin
  if jsonb_typeof(added) <> 'array' then
    raise exception using errcode = 'PT400', message = 'bad_attachment';
  elsif added <> '[]' then
    perform app.require_participant(scheduled.channel_id);
    if jsonb_array_length(added) > 10 then
      raise exception using errcode = 'PT400', message = 'attachments_at_most_ten';
    end if;
    added := app.require_files(scheduled.channel_id, added);
  end if;
  scheduled.files := coalesce((
    select jsonb_agg(f.file order by f.position)
    from jsonb_array_elements(scheduled.files) with ordinality f (file, position)
    where (kept_files is null or (f.file ->> 'id')::uuid = any (kept_files))
      -- A repeated request has added them before.
      and not added @> jsonb_build_array(jsonb_build_object('id', f.file ->> 'id'))), '[]') || added;
  if jsonb_array_length(scheduled.files) > 10 then
    raise exception using errcode = 'PT400', message = 'attachments_at_most_ten';
  end if;
  scheduled.body := app.accept_message_body(coalesce(change_scheduled_message.body, scheduled.body),
    jsonb_array_length(scheduled.files) > 0);
  if change_scheduled_message.send_at is not null then
    perform app.require_send_time(change_scheduled_message.send_at);
    scheduled.send_at := change_scheduled_message.send_at;
    if scheduled.job_id is null then
      scheduled.job_id := app.add_job('scheduled_message', scheduled.profile_id,
        jsonb_build_object('message_id', scheduled.id), scheduled.send_at);
      scheduled.problem := null;
    else
      update public.jobs j set run_at = scheduled.send_at, attempts = 0, error = null where j.id = scheduled.job_id;
    end if;
  end if;
  update public.scheduled_messages s
  set body = scheduled.body, files = scheduled.files, send_at = scheduled.send_at, job_id = scheduled.job_id, problem = scheduled.problem,
    rev = nextval('app.scheduled_message_revs')
  where s.profile_id = scheduled.profile_id and s.id = scheduled.id returning * into scheduled;
  return jsonb_build_object('scheduled', app.scheduled_message_as_json(scheduled));
end
$$;
comment on function public.change_scheduled_message is
  'Changes the text, the time or the files of a scheduled message: `kept_files` are those of its files that stay, null for '
  'all, and `attachments` are added after them, as in schedule_message. Another time also schedules one again that could not '
  'be sent.';

create function public.send_scheduled_message(id uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_profile();
  sent public.messages;
  scheduled public.scheduled_messages;
begin
  select m.* into sent from public.messages m where m.id = send_scheduled_message.id and m.author_id = me;
  if sent.id is not null then
    perform app.require_message(sent.id);
    return app.message_response(sent.id, me);
  end if;
  scheduled := app.lock_scheduled_message(me, send_scheduled_message.id);
  -- With the rights of this session; post_as checks those of its author.
  perform app.require_participant(scheduled.channel_id);
  perform app.post_as(me, scheduled.id, scheduled.channel_id, scheduled.body, scheduled.thread_root,
    scheduled.also_to_channel, scheduled.quote_id, scheduled.files);
  delete from public.scheduled_messages s where s.profile_id = me and s.id = scheduled.id;
  return app.message_response(scheduled.id, me);
end
$$;
comment on function public.send_scheduled_message is
  'Sends a scheduled message now; fails as send_message does, and leaves it as it was. Repeated calls send it once.';

create function public.delete_scheduled_message(id uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  deleted constant public.scheduled_messages :=
    app.lock_scheduled_message(app.require_profile(), delete_scheduled_message.id);
begin
  delete from public.scheduled_messages s where s.profile_id = deleted.profile_id and s.id = deleted.id;
  return jsonb_build_object('id', deleted.id);
end
$$;
comment on function public.delete_scheduled_message is
  'Deletes a scheduled message, which is not sent; fails with not_found if it was sent before.';

-- Job --------------------------------------------------------------------------------------------------

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

-- In turn, so that slow messages of one author do not delay all others.
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

create procedure app.send_scheduled_messages()
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

revoke execute on function public.schedule_message, public.change_scheduled_message, public.send_scheduled_message,
  public.delete_scheduled_message from public, anon, authenticated, service_role;
grant execute on function public.schedule_message, public.change_scheduled_message, public.send_scheduled_message,
  public.delete_scheduled_message to authenticated;

-- Schedule ---------------------------------------------------------------------------------------------

select cron.schedule('linnet: send scheduled messages', '* * * * *', 'call app.send_scheduled_messages()');
