-- Statuses and memberships that have ended. The passing of time fires no trigger: pages hide an expired status by their own
-- clock, and a job of each minute ends what nobody else has ended.

create function app.end_expired_statuses() returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- One person, with the broadcasts to everybody who sees them; somebody who is changing theirs is left for later.
  update public.profiles p
  set status_emoji = case when p.status_expires_at <= now() then null else p.status_emoji end,
    status_text = case when p.status_expires_at <= now() then null else p.status_text end,
    status_expires_at = case when p.status_expires_at <= now() then null else p.status_expires_at end,
    presence = case when p.presence_until <= now() then 'auto' else p.presence end,
    presence_until = case when p.presence_until <= now() then null else p.presence_until end
  where p.id = (
    select e.id from public.profiles e where e.status_expires_at <= now() or e.presence_until <= now()
    limit 1 for no key update skip locked);
  return found;
end
$$;
comment on function app.end_expired_statuses is
  'Clears the expired status and presence of one person; false if there is none. For programs that read profiles, which '
  'do not compare the time.';

create function app.end_expired_memberships() returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  channel uuid;
begin
  -- The audit log records the server, and not the person whose heartbeat this is.
  perform set_config('linnet.is_automatic', 'true', true);
  -- One person per heartbeat: the channels of two would not be locked in one order.
  update public.workspace_members w set state = 'deactivated', deactivated_at = w.expires_at
  where (w.workspace_id, w.profile_id) = (
    select x.workspace_id, x.profile_id from public.workspace_members x
    where x.expires_at <= now() and x.state = 'active' limit 1 for update skip locked);
  if found then
    perform set_config('linnet.is_automatic', 'false', true);
    return;
  end if;
  for channel in
    select distinct m.channel_id from public.channel_members m where m.expires_at <= now() order by m.channel_id
  loop
    -- Counters before members, in the lock order of leave_channel and remove_member.
    perform app.lock_channels(array[channel]);
    delete from public.channel_members m where m.channel_id = channel and m.expires_at <= now();
    if found then perform app.increment_meta_rev(channel); end if;
  end loop;
  perform set_config('linnet.is_automatic', 'false', true);
end
$$;
comment on function app.end_expired_memberships is
  'Ends expired memberships. Their rights end by the time alone; this closes open sockets, since the passing of time '
  'fires no trigger.';

create procedure app.end_what_has_expired()
language plpgsql
as $$
begin
  for _ in 1..1000 loop
    exit when not exists (
      select from public.workspace_members w where w.expires_at <= now() and w.state = 'active')
      and not exists (select from public.channel_members m where m.expires_at <= now());
    perform app.end_expired_memberships();
    -- A transaction for each: broadcasts and locks of one do not wait for the others.
    commit;
  end loop;
  for _ in 1..1000 loop
    exit when not app.pause_member();
    commit;
  end loop;
  for _ in 1..1000 loop
    exit when not app.end_expired_statuses();
    commit;
  end loop;
end
$$;
comment on procedure app.end_what_has_expired is
  'Ends expired memberships with their open sockets, closes the sockets of members whose second factor is overdue, and clears '
  'expired statuses, at most 1,000 of each. Every minute.';

-- Schedule ---------------------------------------------------------------------------------------------

select cron.schedule('linnet: end what has expired', '* * * * *', 'call app.end_what_has_expired()');
