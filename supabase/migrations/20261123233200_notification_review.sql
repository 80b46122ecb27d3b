-- Notifications and scheduled work after a review of their rights: pushes and mails name only people whom their reader
-- may see; scheduled messages count as messages; one failing reminder does not stop the others.

-- Text of pushes and mails -----------------------------------------------------------------------------

create function app.sees_person(person uuid, other uuid, channel uuid) returns boolean
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  return exists (
    select from public.channels c
    join public.workspace_members r on r.workspace_id = c.workspace_id and r.profile_id = person
    join public.workspace_members o on o.workspace_id = c.workspace_id and o.profile_id = other
    where c.id = channel and r.state = 'active' and (r.expires_at is null or r.expires_at > now())
      and (r.role <> 'guest' or exists (
        select from public.channel_members m where m.channel_id = c.id and m.profile_id = other)));
end
$$;
comment on function app.sees_person is
  'Whether a reader of the channel may see the name of another person: members see those of the workspace, guests those '
  'of the channel.';

create or replace function app.push_text(person uuid, message public.messages) returns text
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  max_length constant integer := 1000;
  body text := left(message.body, max_length);
  mark text;
  name text;
begin
  -- A spoiler whose end is cut off would be shown.
  if char_length(message.body) > max_length and cardinality(string_to_array(body, '||')) % 2 = 0 then
    body := left(body, char_length(body) - strpos(reverse(body), '||') - 1) || '…';
  end if;
  for mark in select distinct r[1] from regexp_matches(body, '<[@#][0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}>', 'g') r loop
    if left(mark, 2) = '<@' then
      -- The name of a person is for those who may see them.
      select '@' || p.name into name from public.profiles p
      where p.id = substr(mark, 3, 36)::uuid and app.sees_person(person, p.id, message.channel_id);
    else
      -- The name of a channel is for those who may read it.
      select '#' || c.name into name
      from public.channels c
      cross join lateral app.channel_access_of_person(person, c.id) a
      where c.id = substr(mark, 3, 36)::uuid and a.history_from_seq is not null;
    end if;
    body := replace(body, mark, coalesce(name, substr(mark, 2, 1) || '…'));
    name := null;
  end loop;
  body := replace(replace(body, '<!channel>', '@channel'), '<!here>', '@here');
  if btrim(body) = '' then
    body := (select string_agg(f.name, ', ' order by f.position) from public.attachments f where f.message_id = message.id);
  end if;
  return coalesce(body, '…');
end
$$;

-- Unsubscribing ----------------------------------------------------------------------------------------

create or replace function public.unsubscribe_mail(token text, is_confirmed boolean default false) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  place uuid;
  person uuid;
  result jsonb;
begin
  if token ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.' then
    select m.workspace_id, m.profile_id into place, person from public.workspace_members m
    where m.workspace_id = split_part(token, '.', 1)::uuid and m.profile_id = split_part(token, '.', 2)::uuid;
  end if;
  -- Compares hashes, so that the time of the comparison reveals nothing about the token.
  if person is null or app.hash_token(token) is distinct from app.hash_token(app.mail_token(place, person)) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  if is_confirmed then
    -- A repeated request writes and broadcasts nothing.
    insert into public.notification_preferences (workspace_id, profile_id, mail) values (place, person, false)
    on conflict (profile_id, workspace_id) do update set mail = false
    where notification_preferences.profile_id = excluded.profile_id and notification_preferences.mail;
    delete from public.mail_messages w where w.workspace_id = place and w.profile_id = person and w.job_id is null;
  end if;
  select jsonb_build_object('workspace', w.name, 'language', coalesce(f.mail_language, (
      select s.value #>> '{}' from public.settings s where s.key = 'mail_language')))
  into result
  from public.workspaces w
  left join public.notification_preferences f on f.workspace_id = w.id and f.profile_id = person
  where w.id = place;
  return result;
end
$$;

-- Scheduled messages -----------------------------------------------------------------------------------

create or replace function public.send_scheduled_message(id uuid) returns jsonb
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
  perform public.send_message(scheduled.id, scheduled.channel_id, scheduled.body, scheduled.thread_root,
    scheduled.also_to_channel, '[]', case when scheduled.quote_id is not null then
      jsonb_build_object('quote', jsonb_build_object('message_id', scheduled.quote_id)) end);
  delete from public.scheduled_messages s where s.profile_id = me and s.id = scheduled.id;
  return app.message_response(scheduled.id, me);
end
$$;

create or replace function app.check_request() returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  path constant text := current_setting('request.path', true);
  is_read_only constant boolean := current_setting('transaction_read_only') = 'on';
begin
  if is_read_only and path not like '/rpc/%' then return; end if;
  if auth.uid() is null then return; end if;
  perform app.check_oauth_client(path);
  -- Read-only transactions cannot count, and broadcast nothing.
  if is_read_only then return; end if;
  perform app.consume_rate_limit(case
    when path in ('/rpc/send_message', '/rpc/edit_message', '/rpc/delete_message', '/rpc/schedule_message',
      '/rpc/change_scheduled_message', '/rpc/send_scheduled_message') then 'message'
    when path in ('/rpc/react', '/rpc/pin_message', '/rpc/close_poll') then 'reaction'
    when path = '/rpc/typing' then 'typing'
    when path = '/profiles' then 'profile'
    when path in ('/channel_state', '/sections', '/rpc/heartbeat', '/rpc/mark_read', '/rpc/mark_unread',
      '/rpc/mark_thread_read', '/rpc/mark_thread_unread', '/rpc/follow_thread', '/rpc/save_draft',
      '/rpc/save_message') then 'own'
    else 'other'
  end);
end
$$;

-- Reminders --------------------------------------------------------------------------------------------

create or replace function app.run_reminders() returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  job public.jobs;
  following timestamptz;
  reminder public.reminders;
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
    exception when others then
      -- One that fails, such as for a time zone that no longer exists, does not stop the others.
      perform app.finish_job(job.id, sqlerrm);
    end;
  end loop;
end
$$;

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
