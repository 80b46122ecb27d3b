-- The devices of given people are read by an index: claim_pushes and report_push read all devices for each one before, so
-- that a message to 2,000 people took the square of them. The secret of tokens is decrypted once for each claim.

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
comment on function app.live_push_subscriptions(uuid[]) is
  'Devices of people whose session is alive: not expired, of an account that is neither banned nor deleted, and with its '
  'second factor verified.';

create function app.push_token(subscription uuid, secret text) returns text
language sql immutable set search_path = ''
as $$
  select subscription || '.' || translate(encode(extensions.hmac(
    'push ' || subscription, secret, 'sha256'), 'base64'), '+/=', '-_')
$$;
comment on function app.push_token(uuid, text) is
  'By what a device that has received a message is recognised when it reports that it showed it; `secret` is '
  'linnet_task_secret.';

create or replace function public.my_push_subscriptions() returns jsonb
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

create or replace function public.claim_pushes(max_jobs integer default 200) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  job public.jobs;
  pushes jsonb := '[]';
  found_group record;
  device public.push_subscriptions;
  content jsonb;
  -- Decrypting it takes milliseconds.
  secret constant text := app.read_secret('linnet_task_secret');
begin
  for job in select c.* from app.claim_jobs('push_message', 20) c loop
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
  -- Another call sends the rest at the same time.
  if jsonb_array_length(pushes) > 0 and exists (
    select from public.jobs j
    where j.kind in ('push', 'push_message') and j.failed_at is null and j.run_at <= now())
  then
    perform app.call_task('push');
  end if;
  return jsonb_build_object('pushes', pushes);
end
$$;

create or replace function public.report_push(token text, message uuid default null) returns jsonb
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
      select s.read_version from public.channel_state s
      where s.channel_id = target.channel_id and s.profile_id = device.profile_id), 0));
  else
    perform public.mark_thread_read(target.thread_root, target.thread_seq, coalesce((
      select t.read_version from public.thread_members t
      where t.root_id = target.thread_root and t.profile_id = device.profile_id), 0));
  end if;
  return jsonb_build_object('read', true);
end
$$;

drop function app.live_push_subscriptions();
drop function app.push_token(uuid);

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
