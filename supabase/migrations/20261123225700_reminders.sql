-- Reminders, once or repeated by the local clock. Decision 43 has the reasons of what jobs send.

-- Table ------------------------------------------------------------------------------------------------

create sequence app.reminder_revs;

create table public.reminders (
  id uuid not null,
  workspace_id uuid not null,
  profile_id uuid not null,
  text text not null constraint reminders_text_length check (char_length(text) <= 500),
  message_id uuid references public.messages (id) on delete cascade,
  channel_id uuid references public.channels (id) on delete cascade,
  due_at timestamptz not null,
  time_zone text not null,
  repeats text constraint reminders_repeats_known check (repeats in ('daily', 'weekdays', 'weekly', 'monthly')),
  starts_at timestamp not null,
  reminded_at timestamptz,
  job_id uuid,
  rev bigint not null default nextval('app.reminder_revs'),
  primary key (profile_id, id),
  constraint reminders_of_a_member foreign key (workspace_id, profile_id)
    references public.workspace_members (workspace_id, profile_id) on delete cascade,
  constraint reminders_of_something check (btrim(text) <> '' or message_id is not null),
  constraint reminders_wait_or_are_due check (job_id is not null or reminded_at is not null)
);
create unique index reminders_job on public.reminders (job_id);
create index reminders_member on public.reminders (workspace_id, profile_id);
create index reminders_message on public.reminders (message_id) where message_id is not null;
create index reminders_channel on public.reminders (channel_id) where channel_id is not null;
comment on table public.reminders is
  'Of what people want to be reminded, at most 100 of each in a workspace. Without the text of a message: it is read with '
  'the person''s own rights. Written by set_reminder and other commands.';
comment on column public.reminders.id is 'Chosen by the client, unique for each person.';
comment on column public.reminders.due_at is 'The next time; of a reminder that is not repeated, also when it has passed.';
comment on column public.reminders.starts_at is
  'The first time by the local clock of time_zone. All others are computed from it, so that they keep the local time when '
  'daylight-saving time begins or ends, and the day of a month after a shorter one.';
comment on column public.reminders.reminded_at is 'When it became due and was not completed since; null before.';
comment on column public.reminders.job_id is 'The job of the next time; null if there is none.';
comment on column public.reminders.rev is 'Orders the changes for the devices that receive them.';
alter table public.reminders enable row level security;
create policy "people see their own reminders" on public.reminders
  for select to authenticated using (
    profile_id = (select app.my_profile_id()) and workspace_id in (select app.my_workspace_ids()));
comment on policy "people see their own reminders" on public.reminders is 'Nobody else sees them.';
revoke all on public.reminders from public, anon, authenticated, service_role;
grant select on public.reminders to authenticated;
grant select, insert, update, delete on public.reminders to service_role;

-- Rows -------------------------------------------------------------------------------------------------

create function app.reminder_as_json(reminder public.reminders) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object('id', reminder.id, 'text', reminder.text, 'message_id', reminder.message_id,
    'channel_id', reminder.channel_id, 'due_at', reminder.due_at, 'time_zone', reminder.time_zone,
    'repeats', reminder.repeats, 'reminded_at', reminder.reminded_at, 'rev', reminder.rev)
$$;
comment on function app.reminder_as_json is 'A reminder as its owner''s devices get it.';

create function app.notify_reminder() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  changed constant public.reminders := case when tg_op = 'DELETE' then old else new end;
begin
  if tg_op = 'DELETE' then delete from public.jobs j where j.id = old.job_id; end if;
  perform app.notify_user(changed.profile_id, 'reminders',
    case when tg_op = 'DELETE' then jsonb_build_object('id', changed.id, 'state', null)
      else app.reminder_as_json(changed) end
    || jsonb_build_object('workspace_id', changed.workspace_id));
  return null;
end
$$;
comment on function app.notify_reminder is
  'Sends a changed reminder to the devices of its owner, and deletes the job of a deleted one.';
create trigger reminders_are_broadcast after insert or update or delete on public.reminders
  for each row execute function app.notify_reminder();

-- Times ------------------------------------------------------------------------------------------------

create function app.next_occurrence(starts_at timestamp, zone text, repeats text, after timestamptz) returns timestamptz
language plpgsql immutable set search_path = ''
as $$
declare
  local_after constant timestamp := after at time zone zone;
  step constant interval := case repeats when 'weekly' then interval '7 days' when 'monthly' then interval '1 month'
    else interval '1 day' end;
  -- One step too few at most: those before are not after `after`.
  n integer := greatest(0, case repeats
    when 'weekly' then (local_after::date - starts_at::date) / 7
    when 'monthly' then (extract(year from local_after) - extract(year from starts_at)) * 12
      + extract(month from local_after) - extract(month from starts_at)
    else local_after::date - starts_at::date end - 1);
  local_next timestamp;
begin
  loop
    -- Each from the first: the 31st is the last day of shorter months, and the 31st again afterwards.
    local_next := starts_at + n * step;
    if local_next at time zone zone > after
      and not (repeats = 'weekdays' and extract(isodow from local_next) > 5)
    then
      return local_next at time zone zone;
    end if;
    n := n + 1;
  end loop;
end
$$;
comment on function app.next_occurrence is
  'The first time after `after` of what is repeated daily, on weekdays, weekly or monthly since a local time. A local time '
  'that does not exist on a day, because clocks are set forward, is an hour later on that day only.';

-- Commands ---------------------------------------------------------------------------------------------

create function app.lock_reminder(person uuid, reminder uuid) returns public.reminders
language plpgsql volatile security definer set search_path = ''
as $$
declare
  locked public.reminders;
begin
  perform from public.profiles p where p.id = person for no key update;
  -- The job before the row, as the job itself does.
  perform from public.jobs j
  where j.id = (select r.job_id from public.reminders r where r.profile_id = person and r.id = reminder) for update;
  select r.* into locked from public.reminders r where r.profile_id = person and r.id = reminder for update;
  return locked;
end
$$;
comment on function app.lock_reminder is 'A reminder of a person, locked with its job; null if there is none.';

create function public.set_reminder(
  id uuid, workspace uuid, due_at timestamptz, time_zone text, text text default '', message uuid default null,
  repeats text default null
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin', 'member', 'guest');
  reminder public.reminders;
  about app.channel_access;
  source_channel uuid;
begin
  if set_reminder.id is null or char_length(coalesce(set_reminder.text, '')) > 500
    or (btrim(coalesce(set_reminder.text, '')) = '' and message is null)
    or (set_reminder.repeats is not null and set_reminder.repeats not in ('daily', 'weekdays', 'weekly', 'monthly'))
    -- PostgreSQL accepts other names than those of the IANA database too, and fails for the rest.
    or not exists (select from pg_catalog.pg_timezone_names z where z.name = set_reminder.time_zone)
  then
    raise exception using errcode = 'PT400', message = 'bad_reminder';
  end if;
  perform app.require_send_time(set_reminder.due_at);
  reminder := app.lock_reminder(me, set_reminder.id);
  if message is not null and message is distinct from reminder.message_id then
    about := app.require_message(message);
    if about.workspace_id <> workspace then
      raise exception using errcode = 'PT404', message = 'not_found';
    end if;
  end if;
  if reminder.id is null and (
    select count(*) from public.reminders r where r.profile_id = me and r.workspace_id = workspace) >= 100
  then
    raise exception using errcode = 'PT400', message = 'reminders_at_most_100';
  elsif reminder.id is not null and reminder.workspace_id <> workspace then
    raise exception using errcode = 'PT409', message = 'conflict';
  end if;
  select m.channel_id into source_channel from public.messages m where m.id = message;
  if reminder.job_id is null then
    reminder.job_id := app.add_job('reminder', me, jsonb_build_object('reminder_id', set_reminder.id),
      set_reminder.due_at);
  else
    update public.jobs j set run_at = set_reminder.due_at, attempts = 0, error = null where j.id = reminder.job_id;
  end if;
  insert into public.reminders as r (id, workspace_id, profile_id, text, message_id, channel_id, due_at, time_zone,
    repeats, starts_at, job_id)
  values (set_reminder.id, workspace, me, coalesce(set_reminder.text, ''), message, source_channel,
    set_reminder.due_at, set_reminder.time_zone, set_reminder.repeats,
    set_reminder.due_at at time zone set_reminder.time_zone, reminder.job_id)
  on conflict (profile_id, id) do update
  set text = excluded.text, message_id = excluded.message_id, channel_id = excluded.channel_id,
    due_at = excluded.due_at, time_zone = excluded.time_zone, repeats = excluded.repeats,
    starts_at = excluded.starts_at, reminded_at = null, job_id = excluded.job_id, rev = excluded.rev
  returning * into reminder;
  return jsonb_build_object('reminder', app.reminder_as_json(reminder));
end
$$;
comment on function public.set_reminder is
  'Creates or changes a reminder of the caller, of a text or a message that they may read, within a year. The client '
  'chooses the id. `time_zone`: by whose clock it is repeated, a name of the IANA database.';

create function public.complete_reminder(id uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  reminder public.reminders := app.lock_reminder(app.require_profile(), complete_reminder.id);
begin
  if reminder.repeats is null then
    delete from public.reminders r where r.profile_id = reminder.profile_id and r.id = reminder.id;
    return jsonb_build_object('reminder', null);
  end if;
  update public.reminders r set reminded_at = null, rev = nextval('app.reminder_revs')
  where r.profile_id = reminder.profile_id and r.id = reminder.id returning * into reminder;
  return jsonb_build_object('reminder', app.reminder_as_json(reminder));
end
$$;
comment on function public.complete_reminder is
  'Completes a reminder: it is deleted, or waits for its next time if it is repeated. Succeeds also if there is none.';

create function public.delete_reminder(id uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  reminder constant public.reminders := app.lock_reminder(app.require_profile(), delete_reminder.id);
begin
  delete from public.reminders r where r.profile_id = reminder.profile_id and r.id = reminder.id;
  return jsonb_build_object('id', delete_reminder.id);
end
$$;
comment on function public.delete_reminder is 'Deletes a reminder with all its times. Succeeds also if there is none.';

-- Job --------------------------------------------------------------------------------------------------

create function app.run_reminders() returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  job public.jobs;
  following timestamptz;
  reminder public.reminders;
begin
  for job in select c.* from app.claim_jobs('reminder', 1000) c loop
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
  end loop;
end
$$;
comment on function app.run_reminders is
  'Makes the reminders due whose time has come, and plans the next time of those that are repeated. Every minute.';

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
  select app.join_digests(array_agg(b.bucket), array_agg(b.hash)) into digest from (
    select get_byte(uuid_send(r.id), 15) >> 2 as bucket, bit_xor(hash_record_extended(row(r.id, r.rev), 0)) as hash
    from public.reminders r
    where r.profile_id = viewer and r.workspace_id = workspace
    group by 1) b;
  if digest is distinct from stored ->> 'reminders' then
    buckets := app.changed_buckets(stored ->> 'reminders', digest);
    changed.digests := changed.digests || jsonb_build_object('reminders', digest);
    changed.own := changed.own || jsonb_build_object('reminders', coalesce((
      select jsonb_agg(app.reminder_as_json(r)) from public.reminders r
      where r.profile_id = viewer and r.workspace_id = workspace
        and get_byte(uuid_send(r.id), 15) >> 2 = any (buckets)), '[]'));
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
  delete from public.reminders r where r.profile_id = person;
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
revoke execute on function public.set_reminder, public.complete_reminder, public.delete_reminder
  from public, anon, authenticated, service_role;
grant execute on function public.set_reminder, public.complete_reminder, public.delete_reminder to authenticated;

-- Schedule ---------------------------------------------------------------------------------------------

select cron.schedule('linnet: remind', '* * * * *', 'select app.run_reminders()');
