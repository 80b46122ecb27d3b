-- Mail: a digest of unread mentions and direct messages of which nothing else has notified a person.
--
-- A direct message or one with a mention adds one job of the kind `mail_message` in its transaction. Each minute,
-- queue_mails evaluates for whom the decision is `mail`, notes the message for them, and adds one job of the kind `mail`
-- for each person. When it is due, the function `notification-mail` claims it, which reads the messages with the rights
-- and preferences of that moment, and sends them as one mail.

-- `mail_off_until`: no mail is queued before this time. An hour after the function found no mail server; `infinity` switches
-- mails off.
insert into public.settings (key, value) values
  ('mail_delay_minutes', '15'), ('mail_interval_minutes', '60'), ('mail_max_per_hour', '500'),
  ('mail_text', 'true'), ('mail_language', '"en"'), ('mail_off_until', 'null');

-- Messages that wait -----------------------------------------------------------------------------------

create table public.mail_messages (
  workspace_id uuid not null,
  profile_id uuid not null,
  message_id uuid not null references public.messages (id) on delete cascade,
  job_id uuid,
  edited_at timestamptz,
  primary key (profile_id, workspace_id, message_id),
  constraint mail_messages_of_a_member foreign key (workspace_id, profile_id)
    references public.workspace_members (workspace_id, profile_id) on delete cascade
);
create index mail_messages_message on public.mail_messages (message_id);
create index mail_messages_member on public.mail_messages (workspace_id, profile_id);
create index mail_messages_job on public.mail_messages (job_id) where job_id is not null;
comment on table public.mail_messages is
  'Messages that wait to be mailed to a person, at most 100 for each: ids and no content. Read by functions only. No '
  'access for clients.';
comment on column public.mail_messages.job_id is 'The job whose current attempt sends the message.';
comment on column public.mail_messages.edited_at is
  'When an edit added the mention of the person; null if the new message had it, or is a direct message.';
alter table public.mail_messages enable row level security;
revoke all on public.mail_messages from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.mail_messages to service_role;

create table public.mail_deliveries (
  workspace_id uuid not null,
  profile_id uuid not null,
  attempted_at timestamptz not null,
  is_rejected boolean not null default false,
  primary key (profile_id, workspace_id),
  constraint mail_deliveries_of_a_member foreign key (workspace_id, profile_id)
    references public.workspace_members (workspace_id, profile_id) on delete cascade
);
create index mail_deliveries_attempted on public.mail_deliveries (workspace_id, attempted_at);
create index mail_deliveries_member on public.mail_deliveries (workspace_id, profile_id);
comment on table public.mail_deliveries is
  'When a person was last sent a mail of their messages. Limits the mails of a person, and those of a workspace in an hour. '
  'Read by functions only. No access for clients.';
comment on column public.mail_deliveries.is_rejected is
  'Whether the mail server refused it for good. The next attempt is made a day later.';
alter table public.mail_deliveries enable row level security;
revoke all on public.mail_deliveries from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.mail_deliveries to service_role;

create function app.queue_mail(message public.messages, is_direct boolean) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  if (is_direct or strpos(message.body, '<@') > 0 or strpos(message.body, '<!') > 0) and not exists (
    select from public.settings s where s.key = 'mail_off_until' and (s.value #>> '{}')::timestamptz > now())
  then
    perform app.add_job('mail_message', message.id, jsonb_strip_nulls(jsonb_build_object('edited_at', message.edited_at)));
  end if;
end
$$;
comment on function app.queue_mail is
  'Adds one job for a new or edited message that could be mailed, however many people read it. `is_direct`: a new message of a '
  'direct conversation, which needs no mention.';

create function app.queue_notifications_of_edit() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if app.is_importing() then return null; end if;
  if exists (select from public.push_subscriptions) then perform app.queue_push(new); end if;
  perform app.queue_mail(new, false);
  return null;
end
$$;
comment on function app.queue_notifications_of_edit is 'Queues push and mail of an edited message.';
create trigger queue_notifications_of_edit after update of body on public.messages
  for each row when (old.body <> new.body and new.kind = 'text' and new.deleted_at is null and new.edited_at is not null
    and (new.extras -> 'moved') is null)
  execute function app.queue_notifications_of_edit();

create function app.mail_address(person uuid) returns text
language sql stable security definer set search_path = ''
as $$
  select u.email
  from public.profiles p join auth.users u on u.id = p.user_id
  where p.id = person and p.kind = 'person' and u.email <> '' and u.email_confirmed_at is not null
    and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
$$;
comment on function app.mail_address is
  'The confirmed address of a person; null if there is none, or the account is disabled or deleted.';

create function app.people_with_push(people uuid[]) returns uuid[]
language sql stable security definer set search_path = ''
as $$
  select coalesce(array_agg(distinct p.profile_id), '{}')
  from app.live_push_subscriptions(people) p where p.problem is null
$$;
comment on function app.people_with_push is
  'Those of some people who have a device whose push service accepted the last notification.';

create function app.queue_mails() returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  job public.jobs;
  edit_at timestamptz;
begin
  -- No mail is planned either: somebody may have read the messages by then.
  if app.is_outgoing_paused() then return; end if;
  -- Two calls must not add two jobs for one person.
  perform pg_advisory_xact_lock(hashtextextended('linnet_mails', 0));
  for job in select j.* from app.claim_jobs('mail_message', 500) j loop
    begin
      edit_at := job.payload ->> 'edited_at';
      with recipients as materialized (
        select m.id as message_id, c.workspace_id, r.profile_id
        from public.messages m
        join public.channels c on c.id = m.channel_id
        cross join lateral (
          select n.profile_id, n.decision, c.kind in ('direct', 'group') or exists (
            select from public.mentions t
            where t.message_id = m.id and app.concerns_person(t, n.profile_id)) as is_mailed
          from app.notification_recipients(m.id) n where edit_at is null
          union all
          select e.profile_id, e.decision, e.is_mentioned
          from app.edit_recipients(m.id, edit_at) e where edit_at is not null) r
        left join public.notification_preferences f
          on f.workspace_id = c.workspace_id and f.profile_id = r.profile_id
        where m.id = job.owner_id and coalesce(edit_at, m.created_at) > now() - interval '1 day'
          -- An open page may be closed before its reader notices the message.
          and r.decision in ('mail', 'desktop') and r.is_mailed and coalesce(f.mail, true)
      ), reached as materialized (
        select app.people_with_push(array(select p.profile_id from recipients p)) as ids
      )
      insert into public.mail_messages (workspace_id, profile_id, message_id, edited_at)
      select r.workspace_id, r.profile_id, r.message_id, edit_at
      from recipients r cross join reached
      where r.profile_id <> all (reached.ids)
        and app.mail_address(r.profile_id) is not null
        and (select count(*) from (
          select from public.mail_messages w
          where w.profile_id = r.profile_id and w.workspace_id = r.workspace_id limit 100) waiting) < 100
      on conflict (profile_id, workspace_id, message_id) do update set edited_at = excluded.edited_at
      where mail_messages.job_id is null;
      perform app.finish_job(job.id);
    exception when others then
      -- Others must not wait for it.
      perform app.finish_job(job.id, sqlerrm, 3);
    end;
  end loop;
  delete from public.mail_messages w
  using public.heartbeats h, public.messages m
  where h.profile_id = w.profile_id and m.id = w.message_id and w.job_id is null
    and h.seen_at > coalesce(w.edited_at, m.created_at) + interval '90 seconds';
  insert into public.jobs (kind, owner_id, payload, run_at)
  select 'mail', w.profile_id, jsonb_build_object('workspace_id', w.workspace_id),
    greatest(min(coalesce(w.edited_at, m.created_at)) + app.minutes_setting('mail_delay_minutes'), max(d.attempted_at)
      + case when bool_or(d.is_rejected) then interval '1 day' else app.minutes_setting('mail_interval_minutes') end)
  from public.mail_messages w
  join public.messages m on m.id = w.message_id
  left join public.mail_deliveries d on d.workspace_id = w.workspace_id and d.profile_id = w.profile_id
  where not exists (
    select from public.jobs j
    where j.owner_id = w.profile_id and j.kind = 'mail' and j.failed_at is null
      and j.payload ->> 'workspace_id' = w.workspace_id::text)
    -- Undecided while the page counts as open.
    and not exists (
      select from public.heartbeats h
      where h.profile_id = w.profile_id and h.seen_at > now() - interval '90 seconds'
        and (h.left_at > h.seen_at) is not true)
  group by w.profile_id, w.workspace_id;
  if exists (select from public.jobs j where j.kind = 'mail' and j.failed_at is null and j.run_at <= now()) then
    perform app.start_task('notification-mail');
  end if;
end
$$;
comment on function app.queue_mails is
  'Stores new messages and edits for people whom only mail may reach, plans a mail for each of them, and calls the function '
  'that sends due mails. It runs every minute. A person whose page was open 90 seconds after the message gets no mail about it.';

-- What is sent -----------------------------------------------------------------------------------------

create function app.mailable_messages(workspace uuid, person uuid)
returns table (message_id uuid, decision text)
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  reached constant uuid[] := app.people_with_push(array[person]);
begin
  if app.mail_address(person) is null or exists (
    select from public.notification_preferences f
    where f.workspace_id = workspace and f.profile_id = person and not f.mail)
  then
    return;
  end if;
  return query
    select w.message_id, r.decision
    from public.mail_messages w
    join public.messages m on m.id = w.message_id
    join public.channels c on c.id = m.channel_id
    cross join lateral app.notification_recipients(m.id, reached, array[person]) r
    where w.workspace_id = workspace and w.profile_id = person
      and coalesce(w.edited_at, m.created_at) > now() - interval '3 days'
      and (c.kind in ('direct', 'group') or exists (
        select from public.mentions n where n.message_id = m.id and app.concerns_person(n, person)))
      -- Somebody who has opened Linnet since has been notified there. A page that closes sooner closes its notifications.
      and not exists (
        select from public.heartbeats h
        where h.profile_id = person and h.seen_at > coalesce(w.edited_at, m.created_at) + interval '90 seconds')
    order by m.created_at, m.id;
end
$$;
comment on function app.mailable_messages is
  'The waiting messages of a person that they may read and have not read, each with how they are notified of it now. '
  '`desktop` is undecided: a page counts as open, but it has not been open for long enough since the message.';

create function app.mail_token(workspace uuid, person uuid) returns text
language sql stable security definer set search_path = ''
as $$
  select workspace || '.' || person || '.' || translate(encode(extensions.hmac(
    'unsubscribe ' || workspace || ' ' || person, app.read_secret('linnet_task_secret'), 'sha256'), 'base64'),
    '+/=', '-_')
$$;
comment on function app.mail_token is
  'By what the link of a mail switches off the mails of its recipient in a workspace, without a session. It permits '
  'nothing else, and does not expire: a link in an old mail works.';

create function app.mail_language(workspace uuid, person uuid default null) returns text
language sql stable security definer set search_path = ''
as $$
  select coalesce(
    (select f.mail_language from public.notification_preferences f
      where f.workspace_id = workspace and f.profile_id = person),
    (select w.language from public.workspaces w where w.id = workspace),
    (select s.value #>> '{}' from public.settings s where s.key = 'mail_language'))
$$;
comment on function app.mail_language is
  'The language of a mail of a workspace: that which the person has chosen, else that of the workspace, else that of the '
  'installation.';

create function app.mail_content(workspace uuid, person uuid, message_ids uuid[]) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  max_messages constant integer := 20;
  has_text constant boolean := coalesce((select s.value from public.settings s where s.key = 'mail_text'), 'true') <> 'false';
begin
  return (
    select jsonb_build_object(
      'to', app.mail_address(person), 'name', p.name, 'time_zone', p.time_zone, 'workspace', w.name,
      'language', app.mail_language(workspace, person),
      'delay_minutes', (select s.value from public.settings s where s.key = 'mail_delay_minutes'),
      'total', cardinality(message_ids),
      'token', app.mail_token(workspace, person),
      'conversations', (
        select jsonb_agg(g.conversation order by g.first)
        from (
          select jsonb_build_object(
            'kind', c.kind,
            'title', app.conversation_title(person, c.id),
            'messages', jsonb_agg(jsonb_build_object(
              'author', a.name, 'created_at', m.created_at, 'path', '/c/' || m.channel_id || '/m/' || m.id,
              'text', case when has_text then app.push_text(person, m) end) order by m.created_at, m.id)) as conversation,
            min(m.created_at) as first
          from public.messages m
          join public.channels c on c.id = m.channel_id
          join public.profiles a on a.id = m.author_id
          where m.id = any (message_ids[:max_messages])
          group by c.id) g))
    from public.profiles p
    join public.workspaces w on w.id = workspace
    where p.id = person);
end
$$;
comment on function app.mail_content is
  'The content of a mail: the first 20 of some messages by conversation, with texts unless the setting `mail_text` is '
  'false. Checks no rights.';

create function public.claim_mails(max_mails integer default 20) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  max_per_hour constant integer := (select s.value::integer from public.settings s where s.key = 'mail_max_per_hour');
  job public.jobs;
  workspace uuid;
  is_postponed boolean;
  due uuid[];
  mails jsonb := '[]';
begin
  -- Two calls must not send more mails than the limit permits.
  perform pg_advisory_xact_lock(hashtextextended('linnet_mails', 0));
  for job in select j.* from app.claim_jobs('mail', least(max_mails, 100), interval '5 minutes') j loop
    workspace := job.payload ->> 'workspace_id';
    if job.payload ? 'sending' then
      -- The attempt ended without a result after the mail server had all of it: the mail may have arrived.
      perform app.end_mail(job, false);
      continue;
    end if;
    if (select count(*) from public.mail_deliveries d
      where d.workspace_id = workspace and d.attempted_at > now() - interval '1 hour') >= max_per_hour
    then
      update public.jobs j set run_at = now() + interval '5 minutes', attempts = 0 where j.id = job.id;
      continue;
    end if;
    -- During a quiet period messages wait for its end; whatever else is no longer to be mailed does not.
    select (p.presence = 'dnd' and (p.presence_until is null or p.presence_until > now()))
      or coalesce(app.is_quiet(f.quiet_days, f.quiet_from, f.quiet_to, f.time_zone, now()), false)
    into is_postponed
    from public.profiles p
    left join public.notification_preferences f on f.profile_id = p.id and f.workspace_id = workspace
    where p.id = job.owner_id;
    with found as materialized (select d.* from app.mailable_messages(workspace, job.owner_id) d),
      removed as (
        delete from public.mail_messages w
        where w.workspace_id = workspace and w.profile_id = job.owner_id and not exists (
          select from found d
          where d.message_id = w.message_id and (d.decision in ('mail', 'desktop') or (is_postponed and d.decision = 'badge'))))
    select coalesce(array_agg(d.message_id) filter (where d.decision = 'mail'), '{}'),
      is_postponed and bool_or(d.decision = 'badge')
    into due, is_postponed from found d;
    if due = '{}' then
      if is_postponed then
        -- Not at once, whatever the setting: while mails are due, each call has the next one made.
        update public.jobs j
        set run_at = now() + greatest(app.minutes_setting('mail_delay_minutes'), interval '1 minute'), attempts = 0
        where j.id = job.id;
      else
        -- queue_mails adds another for undecided messages.
        delete from public.jobs j where j.id = job.id;
      end if;
      continue;
    end if;
    update public.mail_messages w set job_id = case when w.message_id = any (due) then job.id end
    where w.workspace_id = workspace and w.profile_id = job.owner_id;
    update public.jobs j set payload = j.payload || jsonb_build_object('messages', cardinality(due)) where j.id = job.id;
    insert into public.mail_deliveries (workspace_id, profile_id, attempted_at)
    values (workspace, job.owner_id, now())
    on conflict (profile_id, workspace_id) do update set attempted_at = excluded.attempted_at, is_rejected = false
    where mail_deliveries.profile_id = excluded.profile_id;
    mails := mails || jsonb_build_array(app.mail_content(workspace, job.owner_id, due)
      || jsonb_build_object('job', job.id, 'attempt', job.attempts));
  end loop;
  return jsonb_build_object('mails', mails);
end
$$;
comment on function public.claim_mails is
  'For service_role: the mails that are due, each with its messages as its recipient may read them now. What was read, '
  'deleted or is no longer readable, and what somebody wrote before its recipient opened Linnet, is left out. '
  'At most `mail_max_per_hour` for a workspace.';

create function public.begin_mail(job uuid, attempt integer) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  claimed public.jobs;
begin
  select j.* into claimed from public.jobs j
  where j.id = job and j.kind = 'mail' and j.attempts = attempt and j.failed_at is null and j.run_at > now()
    and not j.payload ? 'sending'
  for update;
  if claimed.id is null or (claimed.payload ->> 'messages')::bigint <> (
    select count(*) from public.mail_messages w
    join app.mailable_messages((claimed.payload ->> 'workspace_id')::uuid, claimed.owner_id) d
      on d.message_id = w.message_id and d.decision = 'mail'
    where w.job_id = job)
  then
    return jsonb_build_object('permitted', false);
  end if;
  update public.jobs j set payload = j.payload || '{"sending": true}' where j.id = job;
  return jsonb_build_object('permitted', true);
end
$$;
comment on function public.begin_mail is
  'For service_role: whether the end of a mail may be sent, after which the mail server delivers it. Not if the claim has '
  'ended, or a message was read, deleted or made unreadable since: then it is claimed again without it.';

create function app.end_mail(job public.jobs, rejected boolean) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  workspace constant uuid := job.payload ->> 'workspace_id';
begin
  update public.mail_deliveries d set is_rejected = rejected
  where d.workspace_id = workspace and d.profile_id = job.owner_id and rejected;
  delete from public.mail_messages w where w.job_id = job.id;
  -- queue_mails adds another if messages have arrived since.
  delete from public.jobs j where j.id = job.id;
end
$$;
comment on function app.end_mail is 'Ends a mail that was sent, may have been sent, or never will be.';

create function public.finish_mails(results jsonb, is_last boolean default false) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  done record;
  finished public.jobs;
begin
  perform pg_advisory_xact_lock(hashtextextended('linnet_mails', 0));
  for done in
    select r.* from jsonb_to_recordset(results) as r (job uuid, attempt integer, outcome text, problem text)
  loop
    select j.* into finished from public.jobs j
    where j.id = done.job and j.kind = 'mail' and j.attempts = done.attempt and j.failed_at is null for update;
    if finished.id is null then continue; end if;
    if done.outcome in ('accepted', 'unknown', 'rejected') then
      perform app.end_mail(finished, done.outcome = 'rejected');
      continue;
    end if;
    update public.mail_messages w set job_id = null where w.job_id = finished.id;
    update public.jobs j set payload = j.payload - 'sending' where j.id = finished.id;
    if app.finish_job(finished.id, coalesce(done.problem, 'The mail was not sent.')) then
      delete from public.mail_messages w
      where w.profile_id = finished.owner_id and w.workspace_id = (finished.payload ->> 'workspace_id')::uuid;
    end if;
  end loop;
  if is_last and exists (
    select from public.jobs j where j.kind in ('mail', 'invitation') and j.failed_at is null and j.run_at <= now())
  then
    perform app.start_task('notification-mail');
  end if;
  return jsonb_build_object('finished', jsonb_array_length(results));
end
$$;
comment on function public.finish_mails is
  'For service_role: what became of mails. `accepted`, `rejected` and `unknown` (the mail server had all of it and did not '
  'respond) are not repeated; `failed` is, with exponential backoff. After the last ones of a call, another call is made if '
  'mails or invitations are due.';

create function public.report_no_mail_server() returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
begin
  update public.settings s set value = to_jsonb(now() + interval '1 hour')
  where s.key = 'mail_off_until' and s.value is distinct from '"infinity"';
  update public.invitations i set mail_state = 'failed' where i.mail_state = 'queued';
  delete from public.jobs j where j.kind in ('mail', 'mail_message', 'invitation', 'account_mail');
  delete from public.mail_messages w where w.message_id is not null;
  return '{}';
end
$$;
comment on function public.report_no_mail_server is
  'For service_role: the function has no mail server. What waits is deleted, and nothing is queued for an hour; invitations '
  'that wait have failed.';

-- Unsubscribing ----------------------------------------------------------------------------------------

create function public.unsubscribe_mail(token text, is_confirmed boolean default false) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  workspace uuid;
  person uuid;
  result jsonb;
begin
  if token ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.' then
    select m.workspace_id, m.profile_id into workspace, person from public.workspace_members m
    where m.workspace_id = split_part(token, '.', 1)::uuid and m.profile_id = split_part(token, '.', 2)::uuid;
  end if;
  -- Compares hashes, so that the time of the comparison reveals nothing about the token.
  if person is null or app.hash_token(token) is distinct from app.hash_token(app.mail_token(workspace, person)) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  if is_confirmed then
    -- A repeated request writes and broadcasts nothing.
    insert into public.notification_preferences (workspace_id, profile_id, mail) values (workspace, person, false)
    on conflict (profile_id, workspace_id) do update set mail = false
    where notification_preferences.profile_id = excluded.profile_id and notification_preferences.mail;
    delete from public.mail_messages w where w.workspace_id = workspace and w.profile_id = person and w.job_id is null;
  end if;
  -- The workspace may have got another name after its recipient left.
  select jsonb_build_object('workspace', case
      when m.state = 'active' and (m.expires_at is null or m.expires_at > now()) then w.name end,
    'language', app.mail_language(w.id, person))
  into result
  from public.workspaces w
  join public.workspace_members m on m.workspace_id = w.id and m.profile_id = person
  where w.id = workspace;
  return result;
end
$$;
comment on function public.unsubscribe_mail is
  'For service_role: switches off the mails of the person for whom the token of a mail was made, if confirmed. Returns the '
  'name of the workspace to its members, to others null.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.claim_mails, public.begin_mail, public.finish_mails, public.report_no_mail_server,
  public.unsubscribe_mail from public, anon, authenticated, service_role;
grant execute on function public.claim_mails, public.begin_mail, public.finish_mails, public.report_no_mail_server,
  public.unsubscribe_mail to service_role;

-- Schedule ---------------------------------------------------------------------------------------------

select cron.schedule('linnet: send mail', '* * * * *', $$
  select app.queue_mails() where exists (select from public.mail_messages) or exists (
    select from public.jobs j
    where j.kind in ('mail', 'mail_message') and j.failed_at is null and j.run_at <= now())$$);
