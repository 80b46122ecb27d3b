-- Messages that are sent at a time chosen by their author. Decision 43 has the reasons.

-- Table ------------------------------------------------------------------------------------------------

create sequence app.scheduled_message_revs;

create table public.scheduled_messages (
  id uuid not null,
  profile_id uuid not null references public.profiles (id) on delete cascade,
  channel_id uuid not null references public.channels (id) on delete cascade,
  thread_root uuid references public.messages (id) on delete cascade,
  also_to_channel boolean not null default false,
  body text not null constraint scheduled_messages_body_length check (char_length(body) between 1 and 20000),
  quote_id uuid,
  send_at timestamptz not null,
  job_id uuid,
  problem text constraint scheduled_messages_problem_plain check (problem ~ '^[a-z_]{1,40}$'),
  rev bigint not null default nextval('app.scheduled_message_revs'),
  primary key (profile_id, id),
  constraint scheduled_messages_waiting_or_failed check ((job_id is null) = (problem is not null))
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
$$;
comment on function app.scheduled_message_as_json is 'A scheduled message as its author''s devices get it.';

create function app.notify_scheduled_message() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  changed constant public.scheduled_messages := case when tg_op = 'DELETE' then old else new end;
begin
  if tg_op = 'DELETE' then delete from public.jobs j where j.id = old.job_id; end if;
  perform app.notify_user(changed.profile_id, 'scheduled',
    case when tg_op = 'DELETE' then jsonb_build_object('id', changed.id, 'state', null)
      else app.scheduled_message_as_json(changed) end
    || jsonb_build_object('workspace_id', (
      select c.workspace_id from public.channels c where c.id = changed.channel_id)));
  return null;
end
$$;
comment on function app.notify_scheduled_message is
  'Sends a changed scheduled message to the devices of its author, and deletes the job of a deleted one.';
create trigger scheduled_messages_are_broadcast after insert or update or delete on public.scheduled_messages
  for each row execute function app.notify_scheduled_message();

-- Sending without a session ----------------------------------------------------------------------------

create function app.post_as(
  author uuid, id uuid, channel uuid, body text, thread_root uuid default null, also_to_channel boolean default false,
  quote uuid default null
) returns uuid
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  -- Before any lock, as in send_message.
  search_words constant text[] := app.split_words(app.require_message_body(body, false));
  is_reply constant boolean := post_as.thread_root is not null;
  to_channel constant boolean := not is_reply or also_to_channel;
  access app.channel_access;
  quoted record;
  counters public.channel_counters;
  root public.messages;
  sent public.messages;
  mentioned uuid[] := '{}';
begin
  if is_reply then
    select m.* into root from public.messages m
    where m.id = post_as.thread_root and m.channel_id = channel for no key update;
  end if;
  -- The lock that removing a member and archiving take: nothing is posted after them.
  perform app.lock_channels(array[channel]);
  select m.* into sent from public.messages m where m.id = post_as.id;
  if sent.id is not null then
    if sent.author_id = author and sent.channel_id = channel and sent.kind = 'text' then return sent.id; end if;
    raise exception using errcode = 'PT409', message = 'conflict';
  end if;
  select p.id, c.workspace_id, w.role, c.kind, c.posting, c.archived_at, a.member, m.role, a.history_from_seq
  into access
  from public.channels c
  cross join lateral app.channel_access_of_person(author, c.id) a
  join public.profiles p on p.id = author
  join public.workspace_members w on w.workspace_id = c.workspace_id and w.profile_id = author
  left join public.channel_members m on m.channel_id = c.id and m.profile_id = author
  where c.id = channel and (p.kind = 'bot' or exists (
    select from auth.users u
    where u.id = p.user_id and (u.banned_until is null or u.banned_until <= now()) and u.deleted_at is null));
  if not access.member is true then
    raise exception using errcode = 'PT403', message = 'not_a_member';
  elsif access.archived_at is not null then
    raise exception using errcode = 'PT409', message = 'archived';
  elsif to_channel and access.posting = 'admins' and not app.can_manage_channel(access) then
    raise exception using errcode = 'PT403', message = 'posting_admins';
  elsif is_reply and (root.id is null or root.base_seq < access.history_from_seq) then
    raise exception using errcode = 'PT404', message = 'not_found';
  elsif is_reply and (root.thread_root is not null or root.kind <> 'text') then
    raise exception using errcode = 'PT400', message = 'not_a_thread';
  elsif is_reply and root.deleted_at is not null then
    raise exception using errcode = 'PT409', message = 'message_deleted';
  end if;
  if quote is not null then
    select m.deleted_at into quoted
    from public.messages m cross join lateral app.channel_access_of_person(author, m.channel_id) a
    where m.id = quote and m.base_seq >= a.history_from_seq;
    if not found then
      raise exception using errcode = 'PT404', message = 'not_found';
    elsif quoted.deleted_at is not null then
      raise exception using errcode = 'PT409', message = 'message_deleted';
    end if;
  end if;
  update public.channel_counters k
  set last_seq = k.last_seq + to_channel::integer, rev = k.rev + 1, last_at = greatest(clock_timestamp(), k.last_at)
  where k.channel_id = channel returning * into counters;
  insert into public.messages (id, channel_id, seq, thread_root, thread_seq, base_seq, rev, author_id, body, extras,
    created_at)
  values (post_as.id, channel, case when to_channel then counters.last_seq end, post_as.thread_root,
    case when is_reply then root.last_thread_seq + 1 end,
    case when to_channel then counters.last_seq else root.seq end, counters.rev, author, post_as.body,
    case when quote is not null then jsonb_build_object('quote', jsonb_build_object('message_id', quote)) end,
    counters.last_at)
  -- A concurrent request with the same id in another channel takes another lock.
  on conflict (id) do nothing
  returning * into sent;
  if sent.id is null then
    raise exception using errcode = 'PT409', message = 'conflict';
  end if;
  insert into public.message_search (message_id, channel_id, base_seq, created_at, words)
  values (sent.id, channel, sent.base_seq, sent.created_at, array_to_tsvector(search_words));
  if strpos(sent.body, '<') > 0 then mentioned := app.record_mentions(sent); end if;
  if is_reply then
    update public.messages m
    set last_thread_seq = sent.thread_seq, reply_count = m.reply_count + 1, last_reply_at = sent.created_at,
      reply_people = (array[sent.author_id] || array_remove(m.reply_people, sent.author_id))[1:3],
      rev = app.next_rev(channel)
    where m.id = sent.thread_root returning * into root;
    perform app.update_followers(sent, root, mentioned);
  end if;
  if access.kind in ('direct', 'group') then
    update public.channel_state s set hidden = false where s.channel_id = channel and s.hidden;
  end if;
  return sent.id;
end
$$;
comment on function app.post_as is
  'Sends a message of a person or a bot without a session, with the rights that the author has now; returns its id. '
  'Repeated calls with one id send it once. Fails as send_message does: with not_a_member, archived, posting_admins or '
  'conflict, in a thread or with a quote also with not_found or message_deleted.';

create or replace function app.post_as_bot(bot uuid, channel uuid, body text, thread_root uuid default null)
returns uuid
language plpgsql volatile security definer set search_path = ''
as $$
begin
  return app.post_as(bot, gen_random_uuid(), channel, body, thread_root);
end
$$;

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
  also_to_channel boolean default false, quote uuid default null
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access constant app.channel_access := app.require_participant(channel);
  is_reply constant boolean := schedule_message.thread_root is not null;
  root public.messages;
  scheduled public.scheduled_messages;
begin
  if schedule_message.id is null then
    raise exception using errcode = 'PT400', message = 'bad_state';
  end if;
  perform app.require_message_body(schedule_message.body, false);
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
  if (not is_reply or coalesce(schedule_message.also_to_channel, false)) and access.posting = 'admins'
    and not app.can_manage_channel(access)
  then
    raise exception using errcode = 'PT403', message = 'posting_admins';
  end if;
  if is_reply then
    select m.* into root from public.messages m
    where m.id = schedule_message.thread_root and m.channel_id = channel and m.base_seq >= access.history_from_seq;
    if root.id is null then
      raise exception using errcode = 'PT404', message = 'not_found';
    elsif root.thread_root is not null or root.kind <> 'text' then
      raise exception using errcode = 'PT400', message = 'not_a_thread';
    elsif root.deleted_at is not null then
      raise exception using errcode = 'PT409', message = 'message_deleted';
    end if;
  end if;
  if quote is not null then perform app.quote_extra(jsonb_build_object('message_id', quote), '[]'); end if;
  if (select count(*) from public.scheduled_messages s where s.profile_id = access.profile_id) >= 100 then
    raise exception using errcode = 'PT400', message = 'scheduled_at_most_100';
  end if;
  insert into public.scheduled_messages (id, profile_id, channel_id, thread_root, also_to_channel, body, quote_id,
    send_at, job_id)
  values (schedule_message.id, access.profile_id, channel, schedule_message.thread_root,
    is_reply and coalesce(schedule_message.also_to_channel, false), schedule_message.body, quote,
    schedule_message.send_at,
    app.add_job('scheduled_message', access.profile_id, jsonb_build_object('message_id', schedule_message.id),
      schedule_message.send_at))
  returning * into scheduled;
  return jsonb_build_object('scheduled', app.scheduled_message_as_json(scheduled));
end
$$;
comment on function public.schedule_message is
  'Sends a message at a time within a year. The client chooses the id, which will be that of the message: repeated calls '
  'schedule it once; `scheduled` is null if it was sent already. The rights to send it are checked now and when it is sent.';

create function public.change_scheduled_message(id uuid, body text default null, send_at timestamptz default null)
returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  scheduled public.scheduled_messages :=
    app.lock_scheduled_message(app.require_profile(), change_scheduled_message.id);
begin
  if change_scheduled_message.body is not null then
    scheduled.body := app.require_message_body(change_scheduled_message.body, false);
  end if;
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
  set body = scheduled.body, send_at = scheduled.send_at, job_id = scheduled.job_id, problem = scheduled.problem,
    rev = nextval('app.scheduled_message_revs')
  where s.profile_id = scheduled.profile_id and s.id = scheduled.id returning * into scheduled;
  return jsonb_build_object('scheduled', app.scheduled_message_as_json(scheduled));
end
$$;
comment on function public.change_scheduled_message is
  'Changes the text or the time of a scheduled message. Another time also schedules one again that could not be sent.';

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
    perform app.require_reader(sent.channel_id);
    return app.message_response(sent.id, me);
  end if;
  scheduled := app.lock_scheduled_message(me, send_scheduled_message.id);
  perform public.send_message(scheduled.id, scheduled.channel_id, scheduled.body, scheduled.thread_root,
    scheduled.also_to_channel, '[]', case when scheduled.quote_id is not null then
      jsonb_build_object('quote', jsonb_build_object('message_id', scheduled.quote_id)) end);
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

create function app.send_next_scheduled_message() returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
declare
  job public.jobs;
  due public.scheduled_messages;
  reason text;
begin
  select c.* into job from app.claim_jobs('scheduled_message', 1) c;
  if job.id is null then return false; end if;
  select s.* into due from public.scheduled_messages s where s.job_id = job.id for update;
  if due.id is null then
    perform app.finish_job(job.id);
    return true;
  end if;
  begin
    perform app.post_as(due.profile_id, due.id, due.channel_id, due.body, due.thread_root, due.also_to_channel,
      due.quote_id);
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
  'Sends the scheduled message that is due first, in this transaction; false if none is due. What its author may not '
  'send any more is kept with the reason; after other errors it is tried again with backoff.';

create procedure app.send_scheduled_messages()
language plpgsql
as $$
begin
  for _ in 1..1000 loop
    exit when not app.send_next_scheduled_message();
    -- A transaction for each: the lock of a channel ends with its message.
    commit;
  end loop;
end
$$;
comment on procedure app.send_scheduled_messages is
  'Sends the scheduled messages that are due, at most 1,000. Every minute. Neither security definer nor a search path: '
  'a procedure with one of them cannot commit.';

-- Differences ------------------------------------------------------------------------------------------

create or replace function app.own_differences(viewer uuid, workspace uuid, stored jsonb, changed app.differences)
returns app.differences
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  digest text;
  buckets integer[];
begin
  changed.own := '{}';
  select app.join_digests(array_agg(b.bucket), array_agg(b.hash)) into digest from (
    select get_byte(uuid_send(d.id), 15) >> 2 as bucket,
      bit_xor(hash_record_extended(row(d.id, d.rev, d.change_id), 0)) as hash
    from public.drafts d join public.channels c on c.id = d.channel_id
    where d.profile_id = viewer and c.workspace_id = workspace
    group by 1) b;
  if digest is distinct from stored ->> 'drafts' then
    buckets := app.changed_buckets(stored ->> 'drafts', digest);
    changed.digests := changed.digests || jsonb_build_object('drafts', digest);
    changed.own := changed.own || jsonb_build_object('drafts', coalesce((
      select jsonb_agg(app.draft_as_json(d)) from public.drafts d join public.channels c on c.id = d.channel_id
      where d.profile_id = viewer and c.workspace_id = workspace
        and get_byte(uuid_send(d.id), 15) >> 2 = any (buckets)), '[]'));
  end if;
  select app.join_digests(array_agg(b.bucket), array_agg(b.hash)) into digest from (
    select get_byte(uuid_send(s.message_id), 15) >> 2 as bucket,
      bit_xor(hash_record_extended(row(s.message_id, s.rev, s.state), 0)) as hash
    from public.saved_messages s join public.channels c on c.id = s.channel_id
    where s.profile_id = viewer and c.workspace_id = workspace
    group by 1) b;
  if digest is distinct from stored ->> 'saved' then
    buckets := app.changed_buckets(stored ->> 'saved', digest);
    changed.digests := changed.digests || jsonb_build_object('saved', digest);
    changed.own := changed.own || jsonb_build_object('saved', coalesce((
      select jsonb_agg(app.saved_message_as_json(s))
      from public.saved_messages s join public.channels c on c.id = s.channel_id
      where s.profile_id = viewer and c.workspace_id = workspace
        and get_byte(uuid_send(s.message_id), 15) >> 2 = any (buckets)), '[]'));
  end if;
  select app.join_digests(array_agg(b.bucket), array_agg(b.hash)) into digest from (
    select get_byte(uuid_send(r.id), 15) >> 2 as bucket,
      bit_xor(hash_record_extended(row(r.id, r.rev), 0)) as hash
    from public.command_responses r join public.channels c on c.id = r.channel_id
    where r.profile_id = viewer and c.workspace_id = workspace
    group by 1) b;
  if digest is distinct from stored ->> 'responses' then
    buckets := app.changed_buckets(stored ->> 'responses', digest);
    changed.digests := changed.digests || jsonb_build_object('responses', digest);
    changed.own := changed.own || jsonb_build_object('responses', coalesce((
      select jsonb_agg(app.command_response_as_json(r))
      from public.command_responses r join public.channels c on c.id = r.channel_id
      where r.profile_id = viewer and c.workspace_id = workspace
        and get_byte(uuid_send(r.id), 15) >> 2 = any (buckets)), '[]'));
  end if;
  select app.join_digests(array_agg(b.bucket), array_agg(b.hash)) into digest from (
    select get_byte(uuid_send(s.id), 15) >> 2 as bucket, bit_xor(hash_record_extended(row(s.id, s.rev), 0)) as hash
    from public.saved_searches s
    where s.profile_id = viewer and s.workspace_id = workspace
    group by 1) b;
  if digest is distinct from stored ->> 'searches' then
    buckets := app.changed_buckets(stored ->> 'searches', digest);
    changed.digests := changed.digests || jsonb_build_object('searches', digest);
    changed.own := changed.own || jsonb_build_object('searches', coalesce((
      select jsonb_agg(app.saved_search_as_json(s)) from public.saved_searches s
      where s.profile_id = viewer and s.workspace_id = workspace
        and get_byte(uuid_send(s.id), 15) >> 2 = any (buckets)), '[]'));
  end if;
  select app.join_digests(array_agg(b.bucket), array_agg(b.hash)) into digest from (
    select get_byte(uuid_send(s.id), 15) >> 2 as bucket, bit_xor(hash_record_extended(row(s.id, s.rev), 0)) as hash
    from public.scheduled_messages s join public.channels c on c.id = s.channel_id
    where s.profile_id = viewer and c.workspace_id = workspace
    group by 1) b;
  if digest is distinct from stored ->> 'scheduled' then
    buckets := app.changed_buckets(stored ->> 'scheduled', digest);
    changed.digests := changed.digests || jsonb_build_object('scheduled', digest);
    changed.own := changed.own || jsonb_build_object('scheduled', coalesce((
      select jsonb_agg(app.scheduled_message_as_json(s))
      from public.scheduled_messages s join public.channels c on c.id = s.channel_id
      where s.profile_id = viewer and c.workspace_id = workspace
        and get_byte(uuid_send(s.id), 15) >> 2 = any (buckets)), '[]'));
  end if;
  return changed;
end
$$;

-- People -----------------------------------------------------------------------------------------------

create or replace function public.erase_person(workspace uuid, person uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_role(workspace, 'owner');
  erased public.profiles;
begin
  select p.* into erased from public.profiles p
  join public.workspace_members w on w.profile_id = p.id and w.workspace_id = workspace
  where p.id = person for no key update of p;
  if erased.id is null then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  -- Active members change their name themselves.
  if person = me or exists (
    select from public.workspace_members w
    join auth.users u on u.id = erased.user_id and u.deleted_at is null
    where w.profile_id = person and w.state = 'active' and (w.expires_at is null or w.expires_at > now())
  ) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  update public.profiles p
  set name = 'Deleted user', avatar = null, status_emoji = null, status_text = null, status_expires_at = null,
    presence = 'auto', presence_until = null, title = null, time_zone = null
  where p.id = person;
  delete from public.sections s where s.profile_id = person;
  delete from public.drafts d where d.profile_id = person;
  delete from public.scheduled_messages s where s.profile_id = person;
  delete from public.saved_searches s where s.profile_id = person;
  delete from public.notification_preferences f where f.profile_id = person;
  delete from public.saved_messages m where m.profile_id = person;
  delete from public.command_invocations i where i.profile_id = person;
  delete from public.command_responses r where r.profile_id = person;
  return app.member_as_json(workspace, person);
end
$$;

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
revoke execute on procedure app.send_scheduled_messages from public;
revoke execute on function public.schedule_message, public.change_scheduled_message, public.send_scheduled_message,
  public.delete_scheduled_message from public, anon, authenticated, service_role;
grant execute on function public.schedule_message, public.change_scheduled_message, public.send_scheduled_message,
  public.delete_scheduled_message to authenticated;

-- Schedule ---------------------------------------------------------------------------------------------

select cron.schedule('linnet: send scheduled messages', '* * * * *', 'call app.send_scheduled_messages()');
