-- The devices of all claimed pushes are read by one query: a query for each of them took 3 ms, most of a claim.

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
    with claimed as materialized (select c.* from app.claim_jobs('push', least(max_jobs, 500)) c),
    groups as materialized (
      select c.owner_id, c.payload ->> 'tag' as tag, array_agg(c.id) as jobs,
        array_agg((c.payload ->> 'message_id')::uuid) as messages, bool_or(c.payload ? 'short') as is_short
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
