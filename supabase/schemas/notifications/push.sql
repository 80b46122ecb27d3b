-- Web Push: notifications of devices on which no page of Linnet is open. Decision 39 gives the reasons.
--
-- A message adds one job of the kind `push_message` in its transaction; a burst of messages calls the function `push` once.
-- The function claims the job, which adds a job of the kind `push` for each device of those to be notified, and sends these.
-- A job contains ids only. The database reads the message just before the notification is sent, with the recipient's current rights.
-- It sends no notification of a message that the recipient has read meanwhile, or can no longer read.

-- Keys -------------------------------------------------------------------------------------------------

-- `linnet deploy --check` lists secrets that functions read and that Vault does not have, for an owner to create. The function
-- `push` creates this one at its first call, so it exists without a value until then.
select app.store_secret('linnet_push_keys', 'null', 'Identifies this server to push services (VAPID).');

create function public.push_keys(made jsonb default null) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  stored text := nullif(app.read_secret('linnet_push_keys'), 'null');
begin
  if stored is null and made is not null then
    -- Two calls must not create two pairs.
    perform pg_advisory_xact_lock(hashtextextended('linnet_push_keys', 0));
    stored := nullif(app.read_secret('linnet_push_keys'), 'null');
    if stored is null then
      perform app.store_secret('linnet_push_keys', made::text, 'Identifies this server to push services (VAPID).');
      stored := made::text;
    end if;
  end if;
  return jsonb_build_object('keys', stored::jsonb,
    'contact', (select s.value from public.settings s where s.key = 'push_contact'),
    'allowed', (select s.value from public.settings s where s.key = 'push_allowed'));
end
$$;
comment on function public.push_keys is
  'For service_role: the key pair that identifies this server to push services (RFC 8292), how its operator can be '
  'reached, and which addresses may be requested although they are not public. Stores `made` if there is no pair.';

-- Devices ----------------------------------------------------------------------------------------------

create table public.push_subscriptions (
  id uuid primary key,
  profile_id uuid not null references public.profiles (id) on delete cascade,
  session_id uuid not null,
  endpoint text not null constraint push_subscriptions_endpoint_once unique
    constraint push_subscriptions_endpoint_length check (char_length(endpoint) <= 1000),
  p256dh text not null constraint push_subscriptions_p256dh_plain check (p256dh ~ '^[A-Za-z0-9_-]{87}$'),
  auth text not null constraint push_subscriptions_auth_plain check (auth ~ '^[A-Za-z0-9_-]{22}$'),
  device text not null
    constraint push_subscriptions_device_length check (char_length(device) <= 300)
    constraint push_subscriptions_device_legible check (app.is_legible(device)),
  language text not null constraint push_subscriptions_language_plain check (language ~ '^[A-Za-z-]{2,20}$'),
  created_at timestamptz not null default now(),
  accepted_at timestamptz,
  shown_at timestamptz,
  hides_content boolean not null default false,
  problem text constraint push_subscriptions_problem_length check (char_length(problem) <= 300),
  sent jsonb not null default '{}'
);
create index push_subscriptions_profile on public.push_subscriptions (profile_id);
create index push_subscriptions_session on public.push_subscriptions (session_id);
comment on table public.push_subscriptions is
  'Browsers that receive notifications while no page is open (RFC 8030), at most 10 for each person. Each belongs to a '
  'session and ends with it. Read by functions only. No access for clients.';
comment on column public.push_subscriptions.endpoint is 'The address at the push service of the browser''s vendor.';
comment on column public.push_subscriptions.p256dh is 'The public key of the browser (RFC 8291), base64url.';
comment on column public.push_subscriptions.auth is 'The authentication secret of the browser (RFC 8291), base64url.';
comment on column public.push_subscriptions.device is 'The user agent as the browser sent it: not validated.';
comment on column public.push_subscriptions.accepted_at is 'When the push service last accepted a message.';
comment on column public.push_subscriptions.shown_at is 'When the browser last reported that it showed a notification.';
comment on column public.push_subscriptions.hides_content is
  'Whether notifications of this device only show that there is something new: neither who wrote, nor where, nor what.';
comment on column public.push_subscriptions.problem is
  'Why the last message was not accepted: `keys`, `refused`, `unreachable`, or `status` and that of the response; null if it '
  'was.';
comment on column public.push_subscriptions.sent is
  'The last message that was sent of each of the 20 conversations notified last, by the tag of the conversation: what was '
  'read meanwhile is closed by the next message.';
alter table public.push_subscriptions enable row level security;
revoke all on public.push_subscriptions from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.push_subscriptions to service_role;

-- A user who sets the address decides which host this server connects to. The setting
-- push_endpoints therefore permits only the services of browser vendors.
insert into public.settings (key, value) values
  ('push_endpoints', to_jsonb(
    '^https://(fcm\.googleapis\.com|([a-z0-9-]+\.)*push\.services\.mozilla\.com'
    || '|([a-z0-9-]+\.)+notify\.windows\.com|([a-z0-9-]+\.)*push\.apple\.com)/'::text)),
  ('push_contact', 'null'), ('push_allowed', '[]');

create function app.end_push_with_session() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  delete from public.push_subscriptions p where p.session_id = old.id;
  return null;
end
$$;
comment on function app.end_push_with_session is 'Deletes the push subscription of a session that has ended.';
create trigger end_push_with_session after delete on auth.sessions
  for each row execute function app.end_push_with_session();

create function app.remove_pushes() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  delete from public.jobs j where j.kind = 'push' and j.owner_id = old.id;
  return null;
end
$$;
comment on function app.remove_pushes is 'Deletes what was to be sent to a device with it.';
create trigger remove_pushes after delete on public.push_subscriptions
  for each row execute function app.remove_pushes();

-- Of given people, so that their devices are read by an index: a message to 2,000 people reads each device once.
create function app.live_push_subscriptions(people uuid[]) returns setof public.push_subscriptions
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  return query
  select p.*
  from public.push_subscriptions p
  join public.profiles o on o.id = p.profile_id
  join auth.sessions s on s.id = p.session_id and s.user_id = o.user_id
  join auth.users u on u.id = s.user_id
  where p.profile_id = any (people) and (s.not_after is null or s.not_after > now())
    and (u.banned_until is null or u.banned_until <= now()) and u.deleted_at is null
    and (not o.second_factor or s.aal >= 'aal2');
end
$$;
comment on function app.live_push_subscriptions is
  'Devices of people whose session is alive: not expired, of an account that is neither banned nor deleted, and with its '
  'second factor verified.';

-- The secret is an argument, so that it is decrypted once for each claim and not for each device.
create function app.push_token(subscription uuid, secret text) returns text
language sql immutable set search_path = ''
as $$
  select subscription || '.' || translate(encode(extensions.hmac(
    'push ' || subscription, secret, 'sha256'), 'base64'), '+/=', '-_')
$$;
comment on function app.push_token is
  'By what a device that has received a message is recognised when it reports that it showed it; `secret` is '
  'linnet_task_secret.';

-- Own devices ------------------------------------------------------------------------------------------

create function app.push_subscription_as_json(subscription public.push_subscriptions) returns jsonb
language sql stable set search_path = ''
as $$
  select jsonb_build_object('id', subscription.id, 'device', subscription.device,
    'created_at', subscription.created_at, 'accepted_at', subscription.accepted_at,
    'shown_at', subscription.shown_at, 'problem', subscription.problem, 'hides_content', subscription.hides_content,
    'current', subscription.session_id = (auth.jwt() ->> 'session_id')::uuid)
$$;
comment on function app.push_subscription_as_json is 'A device as its owner sees it: without address and keys.';

create function public.add_push_subscription(
  id uuid, endpoint text, p256dh text, auth text, device text, language text, hides_content boolean default null
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_profile();
  this_session constant uuid := auth.jwt() ->> 'session_id';
  hidden boolean := add_push_subscription.hides_content;
  added public.push_subscriptions;
begin
  perform app.require_own_session();
  if add_push_subscription.id is null
    or coalesce(char_length(add_push_subscription.endpoint), 1001) > 1000
    or add_push_subscription.endpoint ~ '[^!-~]'
    or add_push_subscription.endpoint !~ (
      select s.value #>> '{}' from public.settings s where s.key = 'push_endpoints')
    or coalesce(add_push_subscription.p256dh, '') !~ '^[A-Za-z0-9_-]{87}$'
    or coalesce(add_push_subscription.auth, '') !~ '^[A-Za-z0-9_-]{22}$'
    or coalesce(add_push_subscription.language, '') !~ '^[A-Za-z-]{2,20}$'
  then
    raise exception using errcode = 'PT400', message = 'bad_push_subscription';
  end if;
  -- Two requests of one person are counted together.
  perform from public.profiles p where p.id = me for no key update;
  -- A page that does not know the setting leaves it as it was in this browser.
  hidden := coalesce(hidden, (
    select bool_or(p.hides_content) from public.push_subscriptions p
    where p.profile_id = me and (p.id = add_push_subscription.id or p.session_id = this_session)), false);
  -- A browser has one subscription, whoever is signed in, and a session is in one browser.
  delete from public.push_subscriptions p
  where p.id <> add_push_subscription.id
    and (p.endpoint = add_push_subscription.endpoint or (p.profile_id = me and p.session_id = this_session));
  delete from public.push_subscriptions p
  where p.profile_id = me and p.id in (
    select o.id from public.push_subscriptions o
    where o.profile_id = me and o.id <> add_push_subscription.id
    order by coalesce(o.accepted_at, o.created_at) desc, o.id offset 9);
  insert into public.push_subscriptions (id, profile_id, session_id, endpoint, p256dh, auth, device, language,
    hides_content)
  values (add_push_subscription.id, me, this_session, add_push_subscription.endpoint, add_push_subscription.p256dh,
    add_push_subscription.auth, left(coalesce(add_push_subscription.device, ''), 300), add_push_subscription.language,
    hidden)
  on conflict (id) do update set session_id = excluded.session_id, endpoint = excluded.endpoint,
    p256dh = excluded.p256dh, auth = excluded.auth, device = excluded.device, language = excluded.language,
    hides_content = excluded.hides_content
  where push_subscriptions.profile_id = me
  returning * into added;
  if added.id is null then
    raise exception using errcode = 'PT400', message = 'bad_push_subscription';
  end if;
  return app.push_subscription_as_json(added);
end
$$;
comment on function public.add_push_subscription is
  'Sends notifications to this browser until its session ends. Of a person''s other devices the 9 used last remain. Which '
  'push services are permitted is a setting, push_endpoints.';

create function public.remove_push_subscription(id uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_profile();
begin
  perform app.require_own_session();
  delete from public.push_subscriptions p where p.id = remove_push_subscription.id and p.profile_id = me;
  return jsonb_build_object('id', remove_push_subscription.id);
end
$$;
comment on function public.remove_push_subscription is
  'Ends the notifications of one of the caller''s devices; succeeds also if it has none.';

create function public.my_push_subscriptions() returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_profile();
begin
  perform app.require_own_session();
  return coalesce((
    select jsonb_agg(app.push_subscription_as_json(p) order by p.created_at desc, p.id)
    from app.live_push_subscriptions(array[me]) p), '[]');
end
$$;
comment on function public.my_push_subscriptions is 'The caller''s devices that receive notifications.';

create function public.test_push(id uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_profile();
begin
  perform app.require_own_session();
  if not exists (
    select from public.push_subscriptions p where p.id = test_push.id and p.profile_id = me for no key update)
  then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  if not exists (
    select from public.jobs j where j.kind = 'push' and j.owner_id = test_push.id and j.payload ? 'test')
  then
    perform app.add_job('push', test_push.id, '{"test": true}');
  end if;
  perform app.start_task('push');
  return jsonb_build_object('id', test_push.id);
end
$$;
comment on function public.test_push is 'Sends a test notification to one of the caller''s devices.';

-- Who is notified --------------------------------------------------------------------------------------

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

create function app.queue_push(message public.messages) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform app.add_job('push_message', message.channel_id, jsonb_strip_nulls(jsonb_build_object(
    'message_id', message.id, 'edited_at', message.edited_at)));
end
$$;
comment on function app.queue_push is
  'Adds one job for a new or edited message, however many people it notifies. The recipients are determined when it is claimed.';

-- What is sent -----------------------------------------------------------------------------------------

create function app.unread_messages(person uuid, message_ids uuid[]) returns setof public.messages
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  return query
    select m.*
    from public.messages m
    cross join lateral app.channel_access_of_person(person, m.channel_id) a
    left join public.channel_member_state s on s.channel_id = m.channel_id and s.profile_id = person
    left join public.thread_members t on t.root_id = m.thread_root and t.profile_id = person
    where m.id = any (message_ids) and m.deleted_at is null and not coalesce(m.extras ? 'moved_to', false)
      and a.history_from_seq <= m.history_seq and app.can_receive(person, m.channel_id)
      and (m.seq is null or m.seq > coalesce(s.last_read_seq, 0))
      and (m.thread_seq is null or m.thread_seq > coalesce(t.last_read_thread_seq, 0))
    order by m.created_at, m.id;
end
$$;
comment on function app.unread_messages is
  'Those of some messages that a person may read now and has not read, the oldest first.';

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

create function app.push_text(person uuid, message public.messages) returns text
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
  foreach mark in array app.mention_marks(body) loop
    if left(mark, 2) = '<!' then
      name := '@' || btrim(mark, '<!>');
    elsif left(mark, 3) = '<@&' then
      -- The name of a group is for those who may see one of its members.
      select '@' || g.name into name from public.user_groups g
      where g.id = substr(mark, 4, 36)::uuid and app.sees_group(person, g.id, message.channel_id);
    elsif left(mark, 2) = '<@' then
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
    -- Behind a backslash the same mark is text.
    body := regexp_replace(body, '(?<!\\)((?:\\\\)*)' || mark,
      '\1' || replace(coalesce(name, substr(mark, 2, 1) || '…'), '\', '\\'), 'g');
    name := null;
  end loop;
  if btrim(body) = '' then
    body := (select string_agg(f.name, ', ' order by f.position) from public.attachments f where f.message_id = message.id);
  end if;
  return coalesce(body, '…');
end
$$;
comment on function app.push_text is
  'The text of a message with names for what it mentions, or the names of its files.';

-- A notification has the number of the message that it displays: a page closes it once that message was read, and not because the
-- message has not arrived in the page yet.
create function app.push_content(device public.push_subscriptions, message_ids uuid[]) returns jsonb
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

create function app.shown_content(device public.push_subscriptions, content jsonb) returns jsonb
language sql immutable set search_path = ''
as $$
  select case when device.hides_content then content - '{title,lines}'::text[] else content end
$$;
comment on function app.shown_content is 'What a device may show of a notification.';

-- The devices of all claimed pushes are read by one query: a query for each of them takes 3 ms, most of a claim.
create function public.claim_pushes(max_jobs integer default 200) returns jsonb
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
  -- Before due jobs are read, since an author who has not committed may rely on this call; see start_tasks_of_text.
  is_alone := pg_try_advisory_xact_lock(hashtextextended('queue_push', 0));
  if has_claimed and exists (
    select from public.jobs j
    where j.kind in ('push', 'push_message') and j.failed_at is null and j.run_at <= now())
  then
    -- Another call sends the rest at the same time.
    perform app.start_task('push');
  elsif not is_alone then
    perform app.start_task('push', '{"wait_ms": 100}');
  end if;
  return jsonb_build_object('pushes', pushes);
end
$$;
comment on function public.claim_pushes is
  'For service_role: what is due to be sent, one for each device and conversation, with its content as its reader may '
  'read it now.';

create function public.finish_pushes(results jsonb) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  done record;
  job_id uuid;
  later timestamptz;
begin
  for done in
    select r.* from jsonb_to_recordset(results) as
      r (jobs uuid[], subscription uuid, status integer, retry_after integer, problem text, tag text, message uuid,
        close text[], short boolean)
    order by r.subscription
  loop
    if done.status between 200 and 299 then
      delete from public.jobs j where j.id = any (done.jobs);
      update public.push_subscriptions p set accepted_at = now(), problem = null,
        sent = case when done.message is null then p.sent else (
          select jsonb_object_agg(k.key, k.value) from (
            select e.key, e.value from jsonb_each(
              (p.sent - coalesce(done.close, '{}') - done.tag) || jsonb_build_object(done.tag, done.message)) e
            order by e.key = done.tag desc limit 20) k) end
      where p.id = done.subscription;
    elsif done.status in (404, 410) then
      -- The browser has ended the subscription.
      delete from public.push_subscriptions p where p.id = done.subscription;
    elsif done.status = 413 and not done.short then
      update public.jobs j set payload = j.payload || '{"short": true}', run_at = now() where j.id = any (done.jobs);
    elsif done.status between 400 and 499 and done.status not in (408, 429) then
      delete from public.jobs j where j.id = any (done.jobs);
      update public.push_subscriptions p set problem = left(done.problem, 300) where p.id = done.subscription;
    else
      later := now() + least(greatest(coalesce(done.retry_after, 0), 0), 3600) * interval '1 second';
      foreach job_id in array done.jobs loop
        if app.finish_job(job_id, done.problem, 6) then
          delete from public.jobs j where j.id = job_id;
        end if;
      end loop;
      -- A service that limits one message would refuse the others too.
      update public.jobs j set run_at = greatest(j.run_at, later)
      where j.kind = 'push' and j.owner_id = done.subscription;
      update public.push_subscriptions p set problem = left(done.problem, 300) where p.id = done.subscription;
    end if;
  end loop;
  if exists (select from public.jobs j where j.kind = 'push' and j.payload ? 'short' and j.run_at <= now()) then
    perform app.start_task('push');
  end if;
  return jsonb_build_object('finished', jsonb_array_length(results));
end
$$;
comment on function public.finish_pushes is
  'For service_role: what the push services responded with. 404 and 410 end a subscription, 413 sends less, 429 and '
  'errors of a server repeat later, after `retry_after` seconds at the earliest; any other refusal is not repeated.';

create function public.report_push(token text, message uuid default null) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  device public.push_subscriptions;
  target public.messages;
begin
  if token ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.' then
    select l.* into device
    from public.push_subscriptions p cross join lateral app.live_push_subscriptions(array[p.profile_id]) l
    where p.id = left(token, 36)::uuid and l.id = p.id;
  end if;
  if device.id is null or app.hash_token(token) is distinct from app.hash_token(app.push_token(device.id, app.read_secret('linnet_task_secret'))) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  if message is null then
    update public.push_subscriptions p set shown_at = now()
    where p.id = device.id and (p.shown_at is null or p.shown_at < now() - interval '5 seconds');
    return jsonb_build_object('read', false);
  end if;
  select m.* into target from app.unread_messages(device.profile_id, array[message]) m;
  if target.id is null then return jsonb_build_object('read', false); end if;
  -- As the person, with the checks of the command.
  perform set_config('request.jwt.claims', jsonb_build_object('role', 'authenticated', 'sub', s.user_id,
    'session_id', s.id, 'aal', coalesce(s.aal, 'aal1'))::text, true)
  from auth.sessions s where s.id = device.session_id;
  if target.thread_root is null then
    perform public.mark_read(target.channel_id, target.seq, coalesce((
      select s.read_version from public.channel_member_state s
      where s.channel_id = target.channel_id and s.profile_id = device.profile_id), 0));
  else
    perform public.mark_thread_read(target.thread_root, target.thread_seq, coalesce((
      select t.read_version from public.thread_members t
      where t.root_id = target.thread_root and t.profile_id = device.profile_id), 0));
  end if;
  return jsonb_build_object('read', true);
end
$$;
comment on function public.report_push is
  'For service_role: a device that received a message reports that it showed it, or that its reader has read everything '
  'up to `message`. The token was part of the encrypted message.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.push_keys, public.add_push_subscription, public.remove_push_subscription,
  public.my_push_subscriptions, public.test_push, public.claim_pushes, public.finish_pushes, public.report_push
  from public, anon, authenticated, service_role;
grant execute on function public.push_keys, public.claim_pushes, public.finish_pushes, public.report_push
  to service_role;
grant execute on function public.add_push_subscription, public.remove_push_subscription, public.my_push_subscriptions,
  public.test_push to authenticated;

-- Schedule ---------------------------------------------------------------------------------------------

select cron.schedule('linnet: send push', '* * * * *', $$
  select app.start_task('push') where exists (
    select from public.jobs j
    where j.kind in ('push', 'push_message') and j.failed_at is null and j.run_at <= now())$$);
