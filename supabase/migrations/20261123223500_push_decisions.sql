-- Push messages follow the decision function, and a burst of messages calls the function `push` once.

-- Who is notified --------------------------------------------------------------------------------------

create or replace function app.push_recipients(message uuid) returns setof uuid
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  members constant uuid[] := array(
    select r.profile_id
    from public.messages m
    join public.channel_members r on r.channel_id = m.channel_id and r.profile_id <> m.author_id
    where m.id = push_recipients.message
      and exists (select from public.push_subscriptions p where p.profile_id = r.profile_id));
  people constant uuid[] := array(select distinct p.profile_id from app.live_push_subscriptions(members) p);
begin
  return query
    select r.profile_id from app.notification_recipients(message, people, people) r where r.decision = 'push';
end
$$;
comment on function app.push_recipients is
  'Members to be notified of a message on their devices: those with a device for whom app.notification_decision returns '
  '`push`.';

-- A page and a device never notify of the same message: both know who has devices.
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
    select jsonb_agg(jsonb_build_object('id', m.id, 'channel_id', m.channel_id, 'author_id', m.author_id,
      'seq', m.seq, 'thread_root', m.thread_root, 'thread_seq', m.thread_seq, 'body', left(m.body, 300),
      'created_at', m.created_at,
      'decision', d.decision) order by m.created_at, m.id)
    from unnest(channels, revs) c (id, rev)
    cross join lateral (
      select m.* from public.messages m
      where m.channel_id = c.id and m.rev > c.rev and m.created_at > now() - interval '5 minutes'
        and m.author_id <> me
      order by m.rev desc limit 20) m
    cross join lateral app.notification_recipients(m.id, push_people, array[me]) d
  ), '[]');
end
$$;

-- Calls of the function ----------------------------------------------------------------------------------

create or replace function app.queue_push() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  is_called boolean;
begin
  if not exists (select from public.push_subscriptions) then return null; end if;
  -- Before the jobs are read. Who claims jobs tries to lock this key exclusively: it fails while this transaction has not
  -- committed, and the function is called once more.
  perform pg_advisory_xact_lock_shared(hashtextextended('queue_push', 0));
  is_called := exists (
    select from public.jobs j
    where j.kind = 'push_message' and j.failed_at is null and j.run_at <= now()
      and j.created_at > now() - interval '2 seconds');
  perform app.add_job('push_message', new.channel_id, jsonb_build_object('message_id', new.id));
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
  'Adds one job for a new message, however many people it notifies: who they are is decided when it is claimed. Calls the '
  'function `push`, which waits a moment, unless a call for an earlier message has not claimed its job yet: it claims '
  'this one too.';

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
      insert into public.jobs (kind, owner_id, payload)
      select 'push', p.id, job.payload || jsonb_build_object('tag', coalesce(m.thread_root, m.channel_id))
      from public.messages m
      cross join lateral app.live_push_subscriptions(array(select app.push_recipients(m.id))) p
      where m.id = (job.payload ->> 'message_id')::uuid and m.created_at > now() - interval '1 day';
      perform app.finish_job(job.id);
    exception when others then
      -- Others must not wait for it.
      perform app.finish_job(job.id, sqlerrm, 3);
    end;
  end loop;
  for found_group in
    with claimed as materialized (select c.* from app.claim_jobs('push', least(max_jobs, 500)) c)
    select c.owner_id, c.payload ->> 'tag' as tag, array_agg(c.id) as jobs,
      array_agg((c.payload ->> 'message_id')::uuid) as messages, bool_or(c.payload ? 'short') as is_short,
      (select p.profile_id from public.push_subscriptions p where p.id = c.owner_id) as person
    from claimed c group by 1, 2
  loop
    has_claimed := true;
    select p.* into device from app.live_push_subscriptions(array[found_group.person]) p where p.id = found_group.owner_id;
    content := case when device.id is null then null
      when found_group.tag is null then '{"kind": "test", "urgent": true}'
      else app.push_content(device, found_group.messages) end;
    if content is null then
      delete from public.jobs j where j.id = any (found_group.jobs);
      continue;
    end if;
    pushes := pushes || jsonb_build_array(jsonb_build_object(
      'jobs', to_jsonb(found_group.jobs), 'subscription', device.id, 'short', found_group.is_short,
      'endpoint', device.endpoint, 'p256dh', device.p256dh, 'auth', device.auth,
      'content', content || jsonb_build_object('tag', coalesce(found_group.tag, 'test'), 'language', device.language,
        'token', app.push_token(device.id, secret))));
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

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
