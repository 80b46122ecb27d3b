-- Realtime: what the database broadcasts, on which topics, and who may receive them.
--
-- Topics: `channel:<id>:<epoch>` for the readers of a channel, `workspace:<id>:<epoch>` for the full members of a
-- workspace, `user:<id>` for the devices of one person. When someone loses access,
-- the server ends their subscriptions. Hosted realtime cannot: it caches its decision about a topic, so that the epoch is
-- incremented and the topic changes. Only the database broadcasts; no policy lets clients send.
--
-- A broadcast contains the text of a message only where the text is new. A reaction, a pin or a reply sends what
-- changed and the rev before: a client with another rev fetches the changes. So one stored broadcast at a time contains
-- a message's text, and is found by its time when the text must be removed.

insert into public.settings (key, value) values ('topics', '30');

-- Sending ----------------------------------------------------------------------------------------------

create function app.notify_user(person uuid, event text, payload jsonb) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  if app.is_importing() then return; end if;
  perform realtime.send(payload, event, 'user:' || person, true);
end
$$;
comment on function app.notify_user is 'Broadcasts to the devices of one person.';

create function app.notify_channel(channel uuid, event text, payload jsonb) returns void
language plpgsql volatile security definer set search_path = '' set timezone = 'UTC'
as $$
begin
  if app.is_importing() then return; end if;
  perform realtime.send(
    case when payload ->> 'rev' = k.rev::text then payload || jsonb_build_object(
      'change_id', k.change_id, 'previous_change_id', k.previous_change_id) else payload end,
    event, 'channel:' || channel || ':' || k.epoch, true)
  from public.channel_counters k where k.channel_id = channel;
end
$$;
comment on function app.notify_channel is
  'Broadcasts to the readers of a channel. In UTC, whatever the time zone of the session: hosted stores the time of a '
  'broadcast in that of the session, and app.redact_broadcasts compares it.';

create function app.notify_workspace(workspace uuid, event text, payload jsonb, person uuid default null) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  counters public.workspace_counters;
begin
  update public.workspace_counters k
  set rev = k.rev + 1, people_digests = case when person is null then k.people_digests
    else app.replace_digest(k.people_digests, person, uuid_hash_extended(gen_random_uuid(), 0)) end
  where k.workspace_id = workspace returning * into counters;
  -- The workspace itself is being deleted.
  if not found or app.is_importing() then return; end if;
  perform realtime.send(payload || jsonb_build_object('workspace_id', workspace, 'rev', counters.rev), event,
    'workspace:' || workspace || ':' || counters.epoch, true);
end
$$;
comment on function app.notify_workspace is
  'Broadcasts a numbered change to the full members of a workspace, and changes the digest of a person if it is theirs. '
  'Locks the counters until the transaction ends: call it after everything that locks a channel.';

create function app.recheck_sockets(person uuid) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform pg_notify('realtime_recheck', p.user_id::text)
  from public.profiles p where p.id = person and p.user_id is not null;
end
$$;
comment on function app.recheck_sockets is
  'Makes the embedded backend check this person''s topics again, so that sockets close with the membership. On hosted '
  'projects nothing listens.';

create function app.increment_channel_epoch(channel uuid) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  -- With the time, since a server to which a backup is restored uses the ids of transactions again.
  transaction constant bigint := hash_record_extended(row(pg_current_xact_id()::text, now()), 0);
  counters public.channel_counters;
begin
  -- Once per channel and transaction: a second increment would send clients to a topic on which nothing is broadcast.
  update public.channel_counters k set epoch = k.epoch + 1, epoch_transaction = transaction
  where k.channel_id = channel and k.epoch_transaction is distinct from transaction returning * into counters;
  if not found then return; end if;
  perform realtime.send(
    jsonb_build_object('channel_id', channel, 'epoch', counters.epoch, 'rev', counters.rev, 'members',
      (select count(*) from public.channel_members m where m.channel_id = channel)),
    'epoch', 'channel:' || channel || ':' || (counters.epoch - 1), true);
end
$$;
comment on function app.increment_channel_epoch is
  'Moves a channel to a new topic, and announces it as the last event on the old one: whoever lost access cannot '
  'follow.';

create function app.increment_workspace_epoch(workspace uuid) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  counters public.workspace_counters;
begin
  update public.workspace_counters k set epoch = k.epoch + 1 where k.workspace_id = workspace returning * into counters;
  if not found then return; end if;
  perform realtime.send(
    jsonb_build_object('workspace_id', workspace, 'epoch', counters.epoch, 'rev', counters.rev, 'members',
      (select count(*) from public.workspace_members m where m.workspace_id = workspace and m.state = 'active')),
    'epoch', 'workspace:' || workspace || ':' || (counters.epoch - 1), true);
end
$$;
comment on function app.increment_workspace_epoch is
  'Moves a workspace to a new topic, and announces it as the last event on the old one: whoever lost access cannot '
  'follow.';

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

-- Receiving --------------------------------------------------------------------------------------------

create function app.can_subscribe(topic text) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
declare
  part constant text[] := regexp_match(topic,
    '^(user|channel|workspace):([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?::([1-9][0-9]{0,17}))?$');
begin
  if part[1] = 'user' and part[3] is null then
    return coalesce(part[2]::uuid = app.my_profile_id(), false) and app.is_first_party_session();
  elsif part[1] = 'channel' then
    return (app.channel_access_of(part[2]::uuid)).profile_id is not null and app.has_scope('messages:read') and exists (
      select from public.channel_counters k where k.channel_id = part[2]::uuid and k.epoch = part[3]::bigint
    );
  elsif part[1] = 'workspace' then
    return coalesce(app.my_role(part[2]::uuid) <> 'guest', false) and app.has_scope('channels:read') and exists (
      select from public.workspace_counters k where k.workspace_id = part[2]::uuid and k.epoch = part[3]::bigint
    );
  end if;
  return false;
end
$$;
comment on function app.can_subscribe is
  'Whether the caller may receive a topic: their own; that of a readable channel, and for full members that of their '
  'workspace, at the current epoch. Applications never receive the topic of a person, and the others with a scope.';

-- The topic is compared as well: a caller could set another one than that of the rows that they read. There is no
-- policy for insert: a client that may send typing events could forge messages.
create policy "readers receive their channels and their own topic" on realtime.messages
  for select to authenticated using (
    extension = 'broadcast'
    and topic = (select realtime.topic())
    and (select app.can_subscribe((select realtime.topic())))
  );

create function public.typing(channel uuid, thread_root uuid default null) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  access constant app.channel_access := app.require_participant(channel);
begin
  perform app.notify_channel(channel, 'typing', jsonb_build_object('channel_id', channel,
    'profile_id', access.profile_id, 'thread_root', typing.thread_root));
  return null;
end
$$;
comment on function public.typing is
  'Broadcasts that the caller is typing. A command, since a client that may send on a topic could forge messages '
  'there.';

-- Messages ---------------------------------------------------------------------------------------------

create function app.is_hidden_from_some_reader(message public.messages) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return exists (
    select from public.channel_members m
    where m.channel_id = message.channel_id and m.history_from_seq > 1 and m.history_from_seq > message.history_seq);
end
$$;
comment on function app.is_hidden_from_some_reader is
  'Whether some receiver of the channel''s topic may not read this message. Then all fetch the changes, and each gets what they '
  'may read.';

create function app.numbers_as_json(message public.messages) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return jsonb_build_object('changes', jsonb_build_object(
    'last_thread_seq', message.last_thread_seq, 'reply_count', message.reply_count,
    'reply_people', to_jsonb(message.reply_people), 'last_reply_at', message.last_reply_at,
    'pinned_at', (select p.pinned_at from public.pins p where p.message_id = message.id)));
end
$$;
comment on function app.numbers_as_json is
  'What a broadcast contains of a message whose replies or pin have changed, while its text has not.';

create function app.notify_difference(message public.messages, before bigint, difference jsonb) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  if difference is null or app.is_hidden_from_some_reader(message) then
    perform app.notify_channel(message.channel_id, 'rev', jsonb_build_object(
      'channel_id', message.channel_id, 'rev', message.rev));
  else
    perform app.notify_channel(message.channel_id, 'changed', jsonb_build_object('channel_id', message.channel_id,
      'rev', message.rev, 'message_id', message.id, 'before', before) || difference);
  end if;
end
$$;
comment on function app.notify_difference is
  'Broadcasts what has changed of a message since the rev `before`; without a difference, or if the message is before some '
  'member''s history start, only the rev.';

create function app.notify_message_change() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if (old.body, old.edited_at, old.deleted_at, old.extras)
      is not distinct from (new.body, new.edited_at, new.deleted_at, new.extras)
    or app.is_hidden_from_some_reader(new)
  then
    perform app.notify_difference(new, old.rev, app.numbers_as_json(new));
  else
    perform app.notify_channel(new.channel_id, 'message', jsonb_build_object('channel_id', new.channel_id,
      'rev', new.rev, 'message', app.messages_as_json(array[new.id], null) -> 0));
  end if;
  return null;
end
$$;
comment on function app.notify_message_change is
  'Broadcasts a changed message with its rev: the whole message if its text is new, else what changed; only the rev if the '
  'message is before some member''s history start.';
create trigger messages_are_broadcast after update of rev on public.messages
  for each row when (
    (old.body, old.edited_at, old.deleted_at, old.extras, old.last_thread_seq, old.reply_count, old.reply_people,
      old.last_reply_at)
    is distinct from (new.body, new.edited_at, new.deleted_at, new.extras, new.last_thread_seq, new.reply_count,
      new.reply_people, new.last_reply_at))
  execute function app.notify_message_change();
comment on trigger messages_are_broadcast on public.messages is
  'A trigger, since many statements change messages. A reaction and a pin change nothing in the row but the rev: their '
  'commands call app.notify_difference.';

create function app.redact_broadcasts(message public.messages) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  update realtime.messages b
  set event = 'rev', payload = jsonb_build_object('channel_id', message.channel_id, 'rev', b.payload -> 'rev')
  where b.inserted_at = message.broadcast_at at time zone 'UTC'
    and b.extension = 'broadcast' and b.private is true
    and b.topic like 'channel:' || message.channel_id || ':%'
    and b.payload -> 'message' ->> 'id' = message.id::text;
end
$$;
comment on function app.redact_broadcasts is
  'Removes a message''s text from the stored broadcast that contains it and may be replayed for days: deleted texts '
  'are gone, and earlier ones are for their author only.';

create function app.notify_mention() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform app.notify_user(new.profile_id, 'activity', jsonb_build_object(
    'channel_id', new.channel_id, 'seq', new.seq, 'rev', m.rev, 'mention', true))
  from public.messages m where m.id = new.message_id and app.can_receive(new.profile_id, new.channel_id);
  return null;
end
$$;
comment on function app.notify_mention is
  'Notifies a person who was mentioned by name. @channel notifies nobody: clients find it with their next heartbeat.';
create trigger mentions_are_broadcast after insert on public.mentions
  for each row when (new.profile_id is not null and (new.seq is not null or new.thread_seq is not null))
  execute function app.notify_mention();
comment on trigger mentions_are_broadcast on public.mentions is 'Those of a moved message have no number.';

create function app.notify_thread_state() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform app.notify_user(new.profile_id, 'thread', app.thread_as_json(new.profile_id, new.root_id))
  from public.messages h cross join lateral app.channel_access_of_person(new.profile_id, h.channel_id) r
  where h.id = new.root_id and r.member and r.history_from_seq <= h.history_seq
    and app.can_receive(new.profile_id, h.channel_id);
  return null;
end
$$;
comment on function app.notify_thread_state is
  'Sends a person''s changed state in a thread to their devices, if they may read the thread.';
create trigger inserted_thread_states_are_broadcast after insert on public.thread_members
  for each row when (new.read_version > 0) execute function app.notify_thread_state();
comment on trigger inserted_thread_states_are_broadcast on public.thread_members is
  'A row with version 0 is the copy of a row of a moved thread.';
create trigger updated_thread_states_are_broadcast after update of read_version on public.thread_members
  for each row when (old.read_version <> new.read_version) execute function app.notify_thread_state();

-- Channels ---------------------------------------------------------------------------------------------

create function app.notify_channel_meta() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform app.notify_channel(new.channel_id, 'meta', jsonb_build_object(
    'channel_id', new.channel_id, 'rev', new.rev, 'channel', app.channel_as_json(new.channel_id)));
  return null;
end
$$;
comment on function app.notify_channel_meta is 'Broadcasts a change of a channel''s name, topic, settings or members.';
create trigger channel_meta_is_broadcast after update of meta_rev on public.channel_counters
  for each row when (new.meta_rev <> old.meta_rev) execute function app.notify_channel_meta();

create function app.notify_channel_membership() returns trigger
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
create constraint trigger channel_memberships_are_broadcast after insert or update or delete on public.channel_members
  deferrable initially deferred for each row execute function app.notify_channel_membership();

create function app.notify_channel_member_state() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  access record;
begin
  select * into access from app.channel_access_of_person(new.profile_id, new.channel_id);
  -- The row outlives the membership: a person who left or may no longer read the channel is sent nothing.
  if access.member is not true or not app.can_receive(new.profile_id, new.channel_id) then return null; end if;
  if new.hidden <> old.hidden then
    perform app.notify_user(new.profile_id, 'membership', jsonb_build_object('channel_id', new.channel_id,
      'entry', case when not new.hidden then app.channel_entry_as_json(new.profile_id, new.channel_id) end));
  else
    perform app.notify_user(new.profile_id, 'state', jsonb_build_object('channel_id', new.channel_id,
      'state', app.channel_member_state_as_json(new), 'counts', app.unread_counts(new.profile_id, new.channel_id,
        greatest(new.last_read_seq, access.history_from_seq - 1))));
  end if;
  return null;
end
$$;
comment on function app.notify_channel_member_state is
  'Sends a changed read marker or preference to the person''s other devices.';
create trigger channel_member_states_are_broadcast after update on public.channel_member_state
  for each row when (old.* is distinct from new.*) execute function app.notify_channel_member_state();

create function app.notify_sections() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform app.notify_user(s.profile_id, 'sections', jsonb_build_object('workspace_id', s.workspace_id,
    'sections', app.sections_as_json(s.profile_id, s.workspace_id)))
  from (select distinct t.profile_id, t.workspace_id from touched t) s;
  return null;
end
$$;
comment on function app.notify_sections is 'Sends all sections of a person to their other devices, once per statement.';
create trigger inserted_sections_are_broadcast after insert on public.sections referencing new table as touched
  for each statement execute function app.notify_sections();
create trigger updated_sections_are_broadcast after update on public.sections referencing new table as touched
  for each statement execute function app.notify_sections();
create trigger deleted_sections_are_broadcast after delete on public.sections referencing old table as touched
  for each statement execute function app.notify_sections();

-- Workspaces -------------------------------------------------------------------------------------------

create function app.notify_guests(workspace uuid, person uuid, event text, payload jsonb) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform app.notify_user(g.profile_id, event, payload)
  from (
    select guest.profile_id
    from public.workspace_members guest left join public.heartbeats h on h.profile_id = guest.profile_id
    where guest.workspace_id = workspace and guest.role = 'guest' and guest.state = 'active'
      and (guest.access_ends_at is null or guest.access_ends_at > now())
      and (person is null or guest.profile_id = person or exists (
        select from public.channel_members a join public.channel_members b on b.channel_id = a.channel_id
        where a.profile_id = guest.profile_id and b.profile_id = person
      ))
    order by guest.profile_id = person desc, h.seen_at desc nulls last limit 100) g;
end
$$;
comment on function app.notify_guests is
  'Sends an event to the guests of a workspace, or to those who share a channel with a person: at most the hundred who were '
  'present last, the person first. Others receive what has changed when they connect again.';

create function app.notify_member(workspace uuid, person uuid) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  member constant jsonb := app.member_as_json(workspace, person);
begin
  perform app.notify_workspace(workspace, 'member', jsonb_build_object('member', member), person);
  perform app.notify_guests(workspace, person, 'member',
    jsonb_build_object('workspace_id', workspace, 'member', member || '{"number": null}'));
end
$$;
comment on function app.notify_member is
  'Sends a changed member to those who may see them: one broadcast to the full members, and one to each of the guests who '
  'share a channel, a hundred at most.';

create function app.notify_workspace_membership() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  membership public.workspace_members;
  account uuid[];
  has_ended boolean;
begin
  -- A workspace that requires a second factor sets a date for many members at once, which nobody else sees. The page of a
  -- person who has set up their factor continues with its new token: see app.update_second_factor_due.
  if tg_op = 'UPDATE' and new.second_factor_due is distinct from old.second_factor_due and (new.is_paused = old.is_paused
    or (old.is_paused and exists (select from public.profiles p where p.id = new.profile_id and p.second_factor)))
  then
    return null;
  end if;
  if tg_op = 'DELETE' then membership := old; else membership := new; end if;
  account := app.accounts_of(array[membership.profile_id]);
  has_ended := coalesce(tg_op = 'DELETE' or membership.state <> 'active' or membership.access_ends_at <= now(), false);
  if has_ended then
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
  -- Others see a paused member as before.
  if tg_op <> 'UPDATE' or new.is_paused = old.is_paused then
    perform app.notify_member(membership.workspace_id, membership.profile_id);
  end if;
  if tg_op <> 'INSERT' and old.role <> 'guest' and old.state = 'active' and (has_ended or membership.role = 'guest') then
    perform app.end_workspace_subscriptions(membership.workspace_id, account);
  end if;
  return null;
end
$$;
comment on function app.notify_workspace_membership is
  'Notifies a person, and those who may see them, that their membership of a workspace began, changed or ended.';
create constraint trigger workspace_memberships_are_broadcast
  after insert or update or delete on public.workspace_members
  deferrable initially deferred for each row execute function app.notify_workspace_membership();

create function app.notify_profile() returns trigger
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
create constraint trigger profiles_are_broadcast after update on public.profiles
  deferrable initially deferred for each row
  when ((old.user_id, old.kind, old.name, old.is_erased, old.avatar, old.status_emoji, old.status_text,
      old.status_expires_at, old.presence, old.presence_until, old.title, old.time_zone, old.pronouns)
    is distinct from (new.user_id, new.kind, new.name, new.is_erased, new.avatar, new.status_emoji, new.status_text,
      new.status_expires_at, new.presence, new.presence_until, new.title, new.time_zone, new.pronouns))
  execute function app.notify_profile();
comment on trigger profiles_are_broadcast on public.profiles is 'Only for what others see, and the end of the account.';

create function app.notify_workspace_change() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  changed constant jsonb := jsonb_build_object('workspace', app.workspace_as_json(new.id));
begin
  perform app.notify_workspace(new.id, 'workspace_changed', changed);
  perform app.notify_guests(new.id, null, 'workspace_changed', changed);
  return null;
end
$$;
comment on function app.notify_workspace_change is
  'Sends a changed workspace: one broadcast to its full members, and one to each guest, a hundred at most.';
create trigger workspaces_are_broadcast after update on public.workspaces
  for each row when (old.* is distinct from new.*) execute function app.notify_workspace_change();
comment on trigger workspaces_are_broadcast on public.workspaces is 'Members see every column that can change.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.typing from public, anon, authenticated, service_role;
grant execute on function app.can_subscribe, public.typing to authenticated;
