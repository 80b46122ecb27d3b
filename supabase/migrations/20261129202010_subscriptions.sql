-- Loss of access ends the subscriptions of those who lost it, and nobody else joins a topic again.
--
-- Hosted realtime caches its decision about a topic, so that a channel or workspace must move to a new topic (epoch) when
-- somebody loses access. A server with realtime.end_subscriptions ends the subscriptions itself. Decision 3 has the reasons.

create function app.accounts_of(people uuid[]) returns uuid[]
language sql stable security definer set search_path = ''
as $$ select array(select p.user_id from public.profiles p where p.id = any (people) and p.user_id is not null) $$;
comment on function app.accounts_of is 'The accounts of people, without the people who have none.';

create function app.end_channel_subscriptions(channel uuid, accounts uuid[]) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  current_epoch bigint;
begin
  if to_regprocedure('realtime.end_subscriptions(text,uuid[])') is null then
    perform app.increment_channel_epoch(channel);
    return;
  end if;
  -- Locked, as incrementing the epoch would: no other transaction may move the channel to another topic meanwhile.
  select k.epoch into current_epoch from public.channel_counters k where k.channel_id = channel for no key update;
  perform realtime.end_subscriptions('channel:' || channel || ':' || current_epoch, accounts)
  where current_epoch is not null;
end
$$;
comment on function app.end_channel_subscriptions is
  'Ends the subscriptions of accounts that lost access to a channel: they receive no later event. On a server that cannot '
  'end them, moves the channel to a new topic, which they cannot join.';

create function app.end_workspace_subscriptions(workspace uuid, accounts uuid[]) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  current_epoch bigint;
begin
  if to_regprocedure('realtime.end_subscriptions(text,uuid[])') is null then
    perform app.increment_workspace_epoch(workspace);
    return;
  end if;
  select k.epoch into current_epoch from public.workspace_counters k where k.workspace_id = workspace for no key update;
  perform realtime.end_subscriptions('workspace:' || workspace || ':' || current_epoch, accounts)
  where current_epoch is not null;
end
$$;
comment on function app.end_workspace_subscriptions is
  'Ends the subscriptions of accounts to the topic of a workspace, as app.end_channel_subscriptions does for a channel.';

create or replace function app.notify_channel_membership() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  membership public.channel_members;
begin
  if tg_op = 'DELETE' then membership := old; else membership := new; end if;
  if tg_op = 'DELETE' and exists (
    select from public.channels c
    where c.id = membership.channel_id and (c.kind <> 'public' or exists (
      select from public.workspace_members w
      where w.workspace_id = c.workspace_id and w.profile_id = membership.profile_id and w.role = 'guest')))
  then
    perform app.end_channel_subscriptions(membership.channel_id, app.accounts_of(array[membership.profile_id]));
  elsif tg_op <> 'DELETE' and membership.history_from_seq > 1 then
    -- Subscribers can replay the earlier messages of a topic.
    perform app.increment_channel_epoch(membership.channel_id);
  end if;
  if tg_op <> 'INSERT' then perform app.recheck_sockets(membership.profile_id); end if;
  perform app.notify_user(membership.profile_id, 'membership', jsonb_build_object(
    'channel_id', membership.channel_id, 'entry', case when exists (
      select from public.channel_members m
      left join public.channel_member_state s on s.channel_id = m.channel_id and s.profile_id = m.profile_id
      where m.channel_id = membership.channel_id and m.profile_id = membership.profile_id and s.hidden is not true
    ) then app.channel_entry_as_json(membership.profile_id, membership.channel_id) end));
  return null;
end
$$;
comment on function app.notify_channel_membership is
  'Sends a person their changed membership of a channel. Ends their subscriptions if they lost access, and moves the channel '
  'to a new topic if they joined with a history start. Deferred, so that both follow all other events of the transaction.';

create or replace function app.make_channel_private(channel uuid) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  others uuid[];
begin
  -- First: those who lose access receive neither a new name nor the message that the channel became private.
  others := array(
    select w.profile_id
    from public.channels c
    join public.workspace_members w on w.workspace_id = c.workspace_id and w.role <> 'guest'
    where c.id = channel and not exists (
      select from public.channel_members m where m.channel_id = c.id and m.profile_id = w.profile_id));
  perform app.end_channel_subscriptions(channel, app.accounts_of(others));
  perform app.recheck_sockets(o) from unnest(others) o;
  -- In a public channel a full member's history start has no effect: members keep what they could read until now.
  update public.channel_members m set history_from_seq = 1
  where m.channel_id = channel and m.history_from_seq > 1 and exists (
    select from public.channels c
    join public.workspace_members w on w.workspace_id = c.workspace_id and w.profile_id = m.profile_id
    where c.id = channel and w.role <> 'guest');
  -- An invitation created before no longer opens the channel if its author is not a member.
  delete from public.invitation_channels o
  where o.channel_id = channel and not exists (
    select from public.invitations i
    join public.channel_members m on m.channel_id = o.channel_id and m.profile_id = i.invited_by
    where i.id = o.invitation_id);
end
$$;
comment on function app.make_channel_private is
  'What happens besides when a public channel becomes private: others lose access at once, full members who are in it '
  'keep theirs to the whole history. Guests keep their history start, as in either kind.';

create or replace function app.notify_workspace_membership() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  membership public.workspace_members;
  account uuid[];
begin
  if tg_op = 'DELETE' then membership := old; else membership := new; end if;
  account := app.accounts_of(array[membership.profile_id]);
  if tg_op = 'DELETE' or membership.state <> 'active' or membership.expires_at <= now() then
    -- Ordered by channel id, as every lock of counters.
    perform app.end_channel_subscriptions(c.id, account) from (
      select c.id from public.channel_members m join public.channels c on c.id = m.channel_id
      where m.profile_id = membership.profile_id and c.workspace_id = membership.workspace_id
        and (c.kind <> 'public' or membership.role = 'guest')
      order by c.id
    ) c;
  end if;
  if tg_op <> 'INSERT' then perform app.recheck_sockets(membership.profile_id); end if;
  perform app.notify_user(membership.profile_id, 'workspace',
    jsonb_build_object('workspace_id', membership.workspace_id));
  perform app.notify_member(membership.workspace_id, membership.profile_id);
  if tg_op <> 'INSERT' and old.role <> 'guest' and old.state = 'active'
    and (tg_op = 'DELETE' or membership.role = 'guest' or membership.state <> 'active'
      or membership.expires_at <= now())
  then
    perform app.end_workspace_subscriptions(membership.workspace_id, account);
  end if;
  return null;
end
$$;
comment on function app.notify_workspace_membership is
  'Notifies a person, and those who may see them, that their membership of a workspace began, changed or ended.';

create or replace function app.notify_profile() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if old.user_id is not null and new.user_id is null then
    perform app.end_channel_subscriptions(c.id, array[old.user_id]) from (
      select c.id from public.channel_members m join public.channels c on c.id = m.channel_id
      where m.profile_id = new.id and (c.kind <> 'public' or exists (
        select from public.workspace_members w
        where w.workspace_id = c.workspace_id and w.profile_id = new.id and w.role = 'guest'))
      order by c.id
    ) c;
    perform pg_notify('realtime_recheck', old.user_id::text);
  end if;
  -- After the channels, as everything that locks both; ordered by workspace id.
  perform app.notify_member(w.workspace_id, new.id) from (
    select m.workspace_id from public.workspace_members m where m.profile_id = new.id order by m.workspace_id
  ) w;
  if old.user_id is not null and new.user_id is null then
    perform app.end_workspace_subscriptions(w.workspace_id, array[old.user_id]) from (
      select m.workspace_id from public.workspace_members m
      where m.profile_id = new.id and m.role <> 'guest' and m.state = 'active' order by m.workspace_id
    ) w;
  end if;
  return null;
end
$$;
comment on function app.notify_profile is
  'Sends a changed profile. Where the account is gone, ends its subscriptions to channels and workspaces.';

revoke execute on all functions in schema app from public;
