-- Who is notified after an edit, and after pages are closed.
--
-- An edit notifies people of a mention or a keyword that no earlier version of the message had, as long as they have not read
-- the message. It also withdraws the unread counts and notifications that the earlier version caused.
--
-- A heartbeat proves that a page was open at that time. A page reports when it is closed (close_page). A page that cannot report
-- it, such as the page of a closed laptop, counts as open for 90 seconds, and its reader is not notified by other means during
-- this time. So pushes are decided again afterwards, and mails are decided when they are due.

-- Closed pages -----------------------------------------------------------------------------------------

alter table public.heartbeats add column left_at timestamptz;
comment on column public.heartbeats.left_at is
  'When a browser of the person last reported that its last page was closed. A later heartbeat of any device cancels it.';

create function public.close_page() returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_profile();
begin
  update public.heartbeats h set left_at = clock_timestamp() where h.profile_id = me;
  return null;
end
$$;
comment on function public.close_page is
  'Reports that the caller has closed the last page of a browser. Until the next heartbeat, the server no longer leaves '
  'notifications to open pages. The time of the last heartbeat stays, since it shows when the person was last present.';
create or replace function app.notification_recipients(message uuid, push_people uuid[] default '{}', people uuid[] default null)
returns table (profile_id uuid, decision text)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  sent public.messages;
  words text;
begin
  select m.* into sent from public.messages m
  where m.id = message and m.deleted_at is null and m.kind = 'text' and not coalesce(m.extras ?| '{moved,moved_to}', false);
  if sent.id is null then return; end if;
  words := app.fold_phrase(sent.body);
  return query
    select d.profile_id, d.decision
    from (
      select r.profile_id, app.notification_decision(
        is_direct => c.kind in ('direct', 'group'), is_reply => sent.seq is null, mention => n.kind,
        has_keyword => exists (select from unnest(f.keyword_patterns) k where strpos(words, k) > 0),
        follows_thread => coalesce(t.follows, false),
        channel_level => coalesce(s.notify, 'default'), workspace_level => coalesce(f.level, 'mentions'),
        is_muted => coalesce(s.muted, false),
        is_quiet => (p.presence = 'dnd' and (p.presence_until is null or p.presence_until > now()))
          or coalesce(app.is_quiet(f.quiet_days, f.quiet_from, f.quiet_to, f.time_zone, now()), false),
        may_interrupt => coalesce(sent.author_id = any (f.may_interrupt), false),
        page => h.state, has_push => r.profile_id = any (push_people)) as decision
      from public.channels c
      join public.channel_members r on r.channel_id = c.id and r.profile_id <> sent.author_id
        and (r.expires_at is null or r.expires_at > now()) and (people is null or r.profile_id = any (people))
      join public.profiles p on p.id = r.profile_id and p.kind = 'person' and p.user_id is not null
      join public.workspace_members w on w.workspace_id = c.workspace_id and w.profile_id = r.profile_id
        and w.state = 'active' and (w.expires_at is null or w.expires_at > now())
      left join public.channel_member_state s on s.channel_id = c.id and s.profile_id = r.profile_id
      left join public.notification_preferences f on f.workspace_id = c.workspace_id and f.profile_id = r.profile_id
      left join public.heartbeats h on h.profile_id = r.profile_id and h.seen_at > now() - interval '90 seconds'
        and (h.left_at > h.seen_at) is not true
      left join public.thread_members t on t.root_id = sent.thread_root and t.profile_id = r.profile_id
      left join lateral (
        select n.kind from public.mentions n
        where n.message_id = sent.id and case
          when n.group_id is not null then exists (
            select from public.user_group_members g where g.profile_id = r.profile_id and g.group_id = n.group_id)
          else n.profile_id is null or n.profile_id = r.profile_id end
        order by case n.kind when 'person' then 1 when 'here' then 3 else 2 end limit 1) n on true
      where c.id = sent.channel_id
        and (r.history_from_seq <= sent.history_seq or (c.kind = 'public' and w.role <> 'guest'))
        and (c.kind in ('public', 'private') or not exists (
          select from public.blocks b where b.profile_id = r.profile_id and b.blocked_id = sent.author_id))
        and (sent.seq is null or sent.seq > coalesce(s.last_read_seq, 0))
        and (sent.thread_seq is null or sent.thread_seq > coalesce(t.last_read_thread_seq, 0))
    ) d
    where d.decision <> 'none';
end
$$;

-- Edits ------------------------------------------------------------------------------------------------

create function app.edit_recipients(
  message uuid, since timestamptz, push_people uuid[] default '{}', people uuid[] default null
) returns table (profile_id uuid, decision text, is_mentioned boolean)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  edited public.messages;
  earlier text;
  words text;
  earlier_words text;
begin
  select m.* into edited from public.messages m where m.id = message;
  select coalesce(string_agg(r.body, E'\n'), '') into earlier from (
    select r.body from public.message_revisions r
    where r.message_id = message and r.written_at < since order by r.written_at desc limit 10) r;
  words := app.fold_phrase(edited.body);
  earlier_words := app.fold_phrase(earlier);
  return query
    select n.* from (
      select r.profile_id, r.decision, exists (
        select from public.mentions n
        where n.message_id = message and app.concerns_person(n, r.profile_id) and strpos(earlier,
          case n.kind when 'person' then '<@' || n.profile_id || '>' when 'group' then '<@&' || n.group_id || '>'
            else '<!' || n.kind || '>' end) = 0) as is_mentioned
      from app.notification_recipients(message, push_people, people) r) n
    where n.is_mentioned or exists (
      select from public.channels c
      join public.notification_preferences f on f.workspace_id = c.workspace_id and f.profile_id = n.profile_id
      cross join unnest(f.keyword_patterns) k
      where c.id = edited.channel_id and strpos(words, k) > 0
        and strpos(earlier_words, k) = 0);
end
$$;
comment on function app.edit_recipients is
  'The people of app.notification_recipients to whom an edit has added something since a time: the message mentions them '
  '(`is_mentioned`) or has one of their keywords, and none of its ten latest versions from before that time did. All other '
  'reasons to notify were reasons of the new message.';
create or replace function public.my_notifications(channels uuid[], revs bigint[]) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  me constant uuid := app.require_profile();
  push_people constant uuid[] := array(select distinct p.profile_id from app.live_push_subscriptions(array[me]) p);
begin
  if coalesce(cardinality(channels), 0) > 20 or cardinality(channels) is distinct from cardinality(revs) then
    raise exception using errcode = 'PT400', message = 'too_many';
  end if;
  return coalesce((
    select jsonb_agg(jsonb_build_object('id', m.id, 'workspace_id', h.workspace_id, 'channel_id', m.channel_id,
      'seq', m.seq, 'thread_root', m.thread_root, 'thread_seq', m.thread_seq,
      'title', app.conversation_title(me, m.channel_id),
      'author', case when h.kind <> 'direct' then (select p.name from public.profiles p where p.id = m.author_id) end,
      'body', app.push_text(me, m), 'created_at', m.created_at,
      -- The page that calls is open, also if another device has just closed one.
      'decision', case when d.decision = 'mail' then 'desktop' else d.decision end) order by m.created_at, m.id)
    from unnest(channels, revs) c (id, rev)
    cross join lateral (
      select m.* from public.messages m
      where m.channel_id = c.id and m.rev > c.rev
        and (m.created_at > now() - interval '5 minutes' or m.edited_at > now() - interval '5 minutes')
        and m.author_id <> me
      order by m.rev desc limit 20) m
    join public.channels h on h.id = m.channel_id
    cross join lateral (
      select r.decision from app.notification_recipients(m.id, push_people, array[me]) r
      where m.created_at > now() - interval '5 minutes'
      union all
      select r.decision from app.edit_recipients(m.id, now() - interval '5 minutes', push_people, array[me]) r
      where m.created_at <= now() - interval '5 minutes') d
  ), '[]');
end
$$;
comment on function public.my_notifications is
  'Of which messages of the last five minutes the caller is notified, and how: the messages of at most 20 channels after '
  'the given revs, the latest 20 of each; older messages only if an edit of the last five minutes concerns the caller. '
  'A page calls it for channels in which something may concern its reader, also those of their other workspaces: so titles, '
  'authors and texts are complete.';

-- Events -----------------------------------------------------------------------------------------------

create function app.present_unread_readers(message public.messages) returns table (profile_id uuid, seen_at timestamptz)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
    select r.profile_id, h.seen_at
    from public.channel_members r
    join public.heartbeats h on h.profile_id = r.profile_id and h.seen_at > now() - interval '150 seconds'
      and (h.left_at > h.seen_at) is not true
    left join public.channel_member_state s on s.channel_id = r.channel_id and s.profile_id = r.profile_id
    left join public.thread_members t on t.root_id = message.thread_root and t.profile_id = r.profile_id
    where r.channel_id = message.channel_id and r.profile_id <> message.author_id
      and r.history_from_seq <= message.history_seq and (r.expires_at is null or r.expires_at > now())
      and (message.seq > coalesce(s.last_read_seq, 0)
        or (t.follows and message.thread_seq > t.last_read_thread_seq));
end
$$;
comment on function app.present_unread_readers is
  'The members of a channel who have a page open, may read a message, and have not read it in the channel or in a thread that '
  'they follow.';

create function app.notify_edit() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  old_words constant text := app.fold_phrase(old.body);
  new_words constant text := app.fold_phrase(new.body);
  -- The mentions that only one of the two texts has.
  named constant uuid[] := array(
    select t.id from unnest(app.mentioned_profile_ids(old.body) || app.mentioned_profile_ids(new.body)) t (id)
    group by t.id having count(*) = 1);
  grouped constant uuid[] := array(
    select t.id from unnest(app.mentioned_group_ids(old.body) || app.mentioned_group_ids(new.body)) t (id)
    group by t.id having count(*) = 1);
  everyone constant boolean := (strpos(old.body, '<!channel>') > 0) <> (strpos(new.body, '<!channel>') > 0)
    or (strpos(old.body, '<!here>') > 0) <> (strpos(new.body, '<!here>') > 0);
  people constant uuid[] := array(
    select r.profile_id from app.present_unread_readers(new) r
    where everyone or r.profile_id = any (named)
      or exists (select from public.user_group_members g where g.profile_id = r.profile_id and g.group_id = any (grouped))
      or exists (
        select from public.channels c
        join public.notification_preferences f on f.workspace_id = c.workspace_id and f.profile_id = r.profile_id
        cross join unnest(f.keyword_patterns) k
        where c.id = new.channel_id
          and (strpos(old_words, k) > 0) <> (strpos(new_words, k) > 0))
    order by r.seen_at desc limit 100);
begin
  if people = '{}' then return null; end if;
  perform app.notify_user(p.id, 'message_edited', jsonb_build_object('channel_id', new.channel_id,
    'message_id', new.id, 'rev', new.rev, 'notifies', coalesce(r.decision <> 'badge', false)))
  from unnest(people) p (id)
  left join app.notification_recipients(new.id, '{}', people) r on r.profile_id = p.id;
  return null;
end
$$;
comment on function app.notify_edit is
  'Sends an event to people for whom an edit added or removed a mention or a keyword: their unread counts differ, and a '
  'notification that they see may be wrong. `notifies`: whether the message still notifies them. It is sent to people who are '
  'present and have not read the message, at most to the hundred who were present last.';
create constraint trigger edits_are_announced after update of body on public.messages
  deferrable initially deferred for each row
  when (old.body <> new.body and new.kind = 'text' and new.deleted_at is null and (new.extras -> 'moved') is null)
  execute function app.notify_edit();
comment on trigger edits_are_announced on public.messages is 'Deferred, since the mentions are stored after the text.';
create or replace function app.notify_message_deleted(message public.messages) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- Retention deletes many messages, of which no notification is left.
  if message.kind <> 'text' or message.created_at < now() - interval '1 day' then return; end if;
  perform app.notify_user(r.profile_id, 'message_deleted', jsonb_build_object(
    'channel_id', message.channel_id, 'message_id', message.id))
  from (
    select p.profile_id from app.present_unread_readers(message) p order by p.seen_at desc limit 100) r;
end
$$;
comment on function app.notify_message_deleted is
  'Sends an event to people who have not read a message of the last day when it is deleted. They count it, and a page that has '
  'not loaded it may have notified them. It is sent to people who are present, at most to the hundred who were present last.';

create function app.notify_message_moved() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform app.notify_message_deleted(new);
  return null;
end
$$;
comment on function app.notify_message_moved is
  'For people who have not read a moved message, the message is deleted in the source channel.';
create trigger moved_messages_are_announced after update of deleted_at on public.messages
  for each row when (old.deleted_at is null and new.deleted_at is not null and (new.extras -> 'moved_to') is not null)
  execute function app.notify_message_moved();

-- Push -------------------------------------------------------------------------------------------------

drop function app.push_recipients(uuid);
create function app.push_recipients(message uuid, edited_at timestamptz default null)
returns table (profile_id uuid, decision text)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  members constant uuid[] := array(
    select r.profile_id
    from public.messages m
    join public.channel_members r on r.channel_id = m.channel_id and r.profile_id <> m.author_id
    where m.id = push_recipients.message
      and exists (select from public.push_subscriptions p where p.profile_id = r.profile_id));
  people constant uuid[] := array(select distinct p.profile_id from app.live_push_subscriptions(members) p);
begin
  if edited_at is null then
    return query select r.profile_id, r.decision from app.notification_recipients(message, people, people) r;
  else
    return query select r.profile_id, r.decision from app.edit_recipients(message, edited_at, people, people) r;
  end if;
end
$$;
comment on function app.push_recipients is
  'How the members with a device are notified of a message, or of its edit.';

create function app.has_open_page(person uuid, state text default null) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  return exists (
    select from public.heartbeats h
    where h.profile_id = person and h.seen_at > now() - interval '90 seconds'
      and (h.left_at > h.seen_at) is not true and h.state = coalesce(has_open_page.state, h.state));
end
$$;
comment on function app.has_open_page is
  'Whether a page of a person counts as open. If `state` is given (`active` or `away`), the page must have this state.';

create function app.add_device_pushes(job public.jobs) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  edited_at constant timestamptz := job.payload ->> 'edited_at';
  message public.messages;
  written_at timestamptz;
  withheld uuid[];
begin
  select m.* into message from public.messages m where m.id = (job.payload ->> 'message_id')::uuid;
  written_at := coalesce(edited_at, message.created_at);
  if written_at > now() - interval '1 day' then
    with decided as materialized (
      select r.profile_id, case
          -- A page that has notified somebody stays responsible while it is open, also when they leave it idle.
          when r.decision = 'push' and job.payload ? 'withheld' and app.has_open_page(r.profile_id) then 'desktop'
          else r.decision end as decision
      from app.push_recipients(message.id, edited_at) r
      where not job.payload ? 'withheld' or job.payload -> 'withheld' ? r.profile_id::text),
    added as (
      insert into public.jobs (kind, owner_id, payload)
      select 'push', p.id,
        jsonb_build_object('message_id', message.id, 'tag', coalesce(message.thread_root, message.channel_id))
      from app.live_push_subscriptions(array(select d.profile_id from decided d where d.decision = 'push')) p)
    select array_agg(d.profile_id) filter (where d.decision = 'desktop') into withheld from decided d;
  end if;
  if withheld is not null and written_at > now() - interval '150 seconds' then
    -- An open page has sent another heartbeat by then.
    update public.jobs j
    set run_at = now() + interval '95 seconds', attempts = 0,
      payload = j.payload || jsonb_build_object('withheld', withheld)
    where j.id = job.id;
  else
    perform app.finish_job(job.id);
  end if;
end
$$;
comment on function app.add_device_pushes is
  'Adds a push for each device of the people who are to be notified of a message by push. For people whose page counts as open, '
  'it repeats the decision after 95 seconds, twice at most, because the page may have been suspended without a report.';
create or replace function app.queue_push() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  is_called boolean;
begin
  if not exists (select from public.push_subscriptions) then return null; end if;
  -- A sender that leaves the call of the function to an earlier message must not be missed by that call. So it locks this key
  -- before it reads the jobs. app.claim_pushes tries to lock it exclusively, which fails while this transaction has not
  -- committed, and then has the function called once more.
  perform pg_advisory_xact_lock_shared(hashtextextended('queue_push', 0));
  is_called := exists (
    select from public.jobs j
    where j.kind = 'push_message' and j.failed_at is null and j.run_at <= now()
      and j.created_at > now() - interval '2 seconds');
  perform app.add_job('push_message', new.channel_id, jsonb_build_object('message_id', new.id)
    || case when tg_op = 'UPDATE' then jsonb_build_object('edited_at', new.edited_at) else '{}' end);
  if is_called then return null; end if;
  begin
    perform app.call_task('push', '{"wait_ms": 100}');
  exception when others then
    -- A message must not fail because of its notifications. A job of pg_cron calls the function too.
    null;
  end;
  return null;
end
$$;
comment on function app.queue_push is
  'Adds one job for a new or edited message, however many people it notifies. The recipients are determined when it is claimed. '
  'Calls the function `push`, which waits a moment, unless a call for an earlier message has not claimed its job yet. That call '
  'claims this job too.';
create trigger queue_push_of_edit after update of body on public.messages
  for each row when (old.body <> new.body and new.kind = 'text' and new.deleted_at is null and new.edited_at is not null
    and (new.extras -> 'moved') is null)
  execute function app.queue_push();

create function app.notifying_messages(person uuid, message_ids uuid[]) returns setof public.messages
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  return query
    select m.* from app.unread_messages(person, message_ids) m
    where m.edited_at is null or exists (select from app.notification_recipients(m.id, '{}', array[person]))
    order by m.created_at, m.id;
end
$$;
comment on function app.notifying_messages is
  'Those of app.unread_messages that still concern the person: an edit may have removed a mention or a keyword.';

create or replace function app.push_content(device public.push_subscriptions, message_ids uuid[]) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  unread constant public.messages[] := array(select m from app.notifying_messages(device.profile_id, message_ids) m);
  last constant public.messages := unread[cardinality(unread)];
  channel public.channels;
begin
  if last.id is null then return null; end if;
  select c.* into channel from public.channels c where c.id = last.channel_id;
  return jsonb_build_object(
    'kind', 'message',
    'message', last.id, 'channel', last.channel_id, 'thread', last.thread_root, 'seq', coalesce(last.thread_seq, last.seq),
    'urgent', channel.kind in ('direct', 'group') or exists (
      select from public.mentions n
      where n.message_id = last.id and app.concerns_person(n, device.profile_id)),
    'title', app.conversation_title(device.profile_id, channel.id),
    'lines', (
      select jsonb_agg(jsonb_build_object(
        'author', case when channel.kind <> 'direct' then (select p.name from public.profiles p where p.id = m.author_id) end,
        'text', app.push_text(device.profile_id, m)) order by m.created_at, m.id)
      from unnest(unread[greatest(cardinality(unread) - 2, 1):]) m),
    'messages', (select jsonb_agg(m.id) from unnest(unread[greatest(cardinality(unread) - 2, 1):]) m),
    -- What was notified before, and was read, deleted, edited or is no longer readable.
    'close', coalesce((
      select jsonb_agg(e.key) from jsonb_each_text(device.sent) e
      where e.value <> all (array(
        select o.id::text from app.notifying_messages(device.profile_id, array(
          select v.value::uuid from jsonb_each_text(device.sent) v)) o))), '[]'));
end
$$;
comment on function app.push_content is
  'What a device shows of some messages of one conversation, the last three of them; null if nothing of it is to be shown '
  'any more. `close`: tags of notifications that are no longer current.';

-- The devices of all claimed pushes are read by one query: a query for each of them takes 3 ms, most of a claim.
create or replace function public.claim_pushes(max_jobs integer default 200) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  job public.jobs;
  pushes jsonb := '[]';
  found_group record;
  device public.push_subscriptions;
  content jsonb;
  has_claimed boolean := false;
  is_alone boolean;
  -- Decrypting it takes milliseconds.
  secret constant text := app.read_secret('linnet_task_secret');
begin
  for job in select c.* from app.claim_jobs('push_message', 20) c loop
    has_claimed := true;
    begin
      perform app.add_device_pushes(job);
    exception when others then
      -- Others must not wait for it.
      perform app.finish_job(job.id, sqlerrm, 3);
    end;
  end loop;
  for found_group in
    with claimed as materialized (select c.* from app.claim_jobs('push', least(max_jobs, 500)) c),
    groups as materialized (
      select c.owner_id, c.payload ->> 'tag' as tag, array_agg(c.id) as jobs,
        array_agg((c.payload ->> 'message_id')::uuid) as messages, bool_or(c.payload ? 'short') as is_short,
        max(c.payload ->> 'reminder_id')::uuid as reminder_id
      from claimed c group by 1, 2),
    live as materialized (
      select l.id, l as device
      from app.live_push_subscriptions(array(
        select p.profile_id from public.push_subscriptions p join groups g on g.owner_id = p.id)) l)
    select g.*, l.device from groups g left join live l on l.id = g.owner_id
  loop
    has_claimed := true;
    device := found_group.device;
    content := case when device.id is null then null
      when found_group.tag is null then '{"kind": "test", "urgent": true}'
      when found_group.reminder_id is not null then app.reminder_push_content(device, found_group.reminder_id)
      else app.push_content(device, found_group.messages) end;
    if content is null then
      delete from public.jobs j where j.id = any (found_group.jobs);
      continue;
    end if;
    pushes := pushes || jsonb_build_array(jsonb_build_object(
      'jobs', to_jsonb(found_group.jobs), 'subscription', device.id, 'short', found_group.is_short,
      'endpoint', device.endpoint, 'p256dh', device.p256dh, 'auth', device.auth,
      'content', app.shown_content(device, content) || jsonb_build_object('tag', coalesce(found_group.tag, 'test'),
        'language', device.language, 'token', app.push_token(device.id, secret))));
  end loop;
  if has_claimed then
    -- Before due jobs are read, since an author who has not committed may rely on this call; see queue_push.
    is_alone := pg_try_advisory_xact_lock(hashtextextended('queue_push', 0));
    if exists (
      select from public.jobs j
      where j.kind in ('push', 'push_message') and j.failed_at is null and j.run_at <= now())
    then
      -- Another call sends the rest at the same time.
      perform app.call_task('push');
    elsif not is_alone then
      perform app.call_task('push', '{"wait_ms": 100}');
    end if;
  end if;
  return jsonb_build_object('pushes', pushes);
end
$$;
comment on function public.claim_pushes is
  'For service_role: what is due to be sent, one for each device and conversation, with its content as its reader may '
  'read it now.';

create or replace function app.queue_reminder_push(reminder public.reminders) returns boolean
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

create or replace function app.reminder_push_content(device public.push_subscriptions, reminder_id uuid) returns jsonb
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
    and w.state = 'active' and (w.expires_at is null or w.expires_at > now());
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

-- Mail -------------------------------------------------------------------------------------------------

alter table public.mail_messages add column edited_at timestamptz;
comment on column public.mail_messages.edited_at is
  'When an edit added the mention of the person; null if the new message had it, or is a direct message.';

create or replace function app.queue_mail() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if (strpos(new.body, '<@') > 0 or strpos(new.body, '<!') > 0
      or (tg_op = 'INSERT'
        and exists (select from public.channels c where c.id = new.channel_id and c.kind in ('direct', 'group'))))
    and not exists (
      select from public.settings s
      where s.key = 'mail_off_until' and (s.value #>> '{}')::timestamptz > now())
  then
    perform app.add_job('mail_message', new.id,
      case when tg_op = 'UPDATE' then jsonb_build_object('edited_at', new.edited_at) else '{}' end);
  end if;
  return null;
end
$$;
comment on function app.queue_mail is
  'Adds one job for a new or edited message that could be mailed, however many people read it.';
create trigger queue_mail_of_edit after update of body on public.messages
  for each row when (old.body <> new.body and new.kind = 'text' and new.deleted_at is null and new.edited_at is not null
    and (new.extras -> 'moved') is null)
  execute function app.queue_mail();

create or replace function app.queue_mails() returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  job public.jobs;
  edit_at timestamptz;
begin
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
    perform app.call_task('notification-mail');
  end if;
end
$$;
comment on function app.queue_mails is
  'Stores new messages and edits for people whom only mail may reach, plans a mail for each of them, and calls the function '
  'that sends due mails. It runs every minute. A person whose page was open 90 seconds after the message gets no mail about it.';

create or replace function app.mailable_messages(workspace uuid, person uuid)
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

create or replace function public.claim_mails(max_mails integer default 20) returns jsonb
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

select cron.schedule('linnet: send mail', '* * * * *', $$
  select app.queue_mails() where exists (select from public.mail_messages) or exists (
    select from public.jobs j
    where j.kind in ('mail', 'mail_message') and j.failed_at is null and j.run_at <= now())$$);

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
revoke execute on function public.close_page from public, anon, authenticated, service_role;
grant execute on function public.close_page to authenticated;
