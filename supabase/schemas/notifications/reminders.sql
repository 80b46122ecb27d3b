-- Reminders, once or repeated by the local clock. Those that become due reach the devices of people who do not use a page of
-- Linnet, like messages. Decision 43 has the reasons of what jobs send.

-- Table ------------------------------------------------------------------------------------------------

create sequence app.reminder_revs;

create table public.reminders (
  id uuid not null,
  workspace_id uuid not null,
  profile_id uuid not null,
  text text not null
    constraint reminders_text_length check (char_length(text) <= 500)
    constraint reminders_text_legible check (app.are_legible_lines(text)),
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
    or not app.is_time_zone(set_reminder.time_zone)
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

-- Push -------------------------------------------------------------------------------------------------

create function app.queue_reminder_push(reminder public.reminders) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
begin
  insert into public.jobs (kind, owner_id, payload, run_at)
  select 'push', d.id, jsonb_build_object('reminder_id', reminder.id, 'tag', 'reminder:' || reminder.id),
    case when app.has_open_page(p.id, 'active') then now() + interval '95 seconds' else now() end
  from app.live_push_subscriptions(array[reminder.profile_id]) d
  join public.profiles p on p.id = reminder.profile_id
  where not (p.presence = 'dnd' and (p.presence_until is null or p.presence_until > now()));
  return found;
end
$$;
comment on function app.queue_reminder_push is
  'Adds a push for each device of the owner of a reminder that is due, unless they do not want to be disturbed. If the '
  'owner uses a page, the page shows the reminder, and the push waits: it is sent only if no heartbeat follows. Quiet hours do '
  'not apply, because people have chosen this time themselves. Returns whether there is a push.';

create function app.reminder_push_content(device public.push_subscriptions, reminder_id uuid) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  reminder public.reminders;
  message public.messages;
begin
  select r.* into reminder
  from public.reminders r
  join public.workspace_members w on w.workspace_id = r.workspace_id and w.profile_id = r.profile_id
  where r.profile_id = device.profile_id and r.id = reminder_id and r.reminded_at > now() - interval '1 day'
    and w.state = 'active' and (w.access_ends_at is null or w.access_ends_at > now());
  if reminder.id is null or app.has_open_page(device.profile_id, 'active') then return null; end if;
  if btrim(reminder.text) = '' then
    select m.* into message
    from public.messages m
    cross join lateral app.channel_access_of_person(device.profile_id, m.channel_id) a
    where m.id = reminder.message_id and m.deleted_at is null and a.history_from_seq <= m.history_seq;
  end if;
  return jsonb_build_object('kind', 'reminder', 'urgent', true, 'reminder', reminder.id, 'at', reminder.reminded_at,
    'lines', case
      when message.id is not null then jsonb_build_array(jsonb_build_object(
        'author', (select p.name from public.profiles p where p.id = message.author_id),
        'text', app.push_text(device.profile_id, message)))
      when btrim(reminder.text) <> '' then jsonb_build_array(jsonb_build_object('author', null, 'text', reminder.text))
      else '[]' end);
end
$$;
comment on function app.reminder_push_content is
  'What a device shows of a reminder that is due: its text, or that of its message where the owner may read it now. Null '
  'if it was completed, deleted, or became due more than a day ago, and if the owner uses a page.';

-- Job --------------------------------------------------------------------------------------------------

create function app.run_reminders() returns void
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
  if has_push then perform app.try_start_task('push'); end if;
end
$$;
comment on function app.run_reminders is
  'Makes the reminders due whose time has come, and plans the next time of those that are repeated. Every minute.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.set_reminder, public.complete_reminder, public.delete_reminder
  from public, anon, authenticated, service_role;
grant execute on function public.set_reminder, public.complete_reminder, public.delete_reminder to authenticated;

-- Schedule ---------------------------------------------------------------------------------------------

select cron.schedule('linnet: remind', '* * * * *', 'select app.run_reminders()');
