-- Broadcasts: the database speaks on private topics, clients only listen. They are hints; numbers are proof.
-- `channel:<id>:<epoch>` for what all readers may know, `user:<profile id>` for one's own.

-- Speaking ----------------------------------------------------------------------------------------------

create function app.tell_channel(channel uuid, event text, payload jsonb) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform realtime.send(payload, event, 'channel:' || channel || ':' || k.epoch, true)
  from public.channel_counters k where k.channel_id = channel;
end
$$;
comment on function app.tell_channel is 'Says something to all who listen to a channel now.';

create function app.tell_person(person uuid, event text, payload jsonb) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform realtime.send(payload, event, 'user:' || person, true);
end
$$;
comment on function app.tell_person is 'Says something to one person''s own devices.';

create function app.recheck_sockets(person uuid) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform pg_notify('realtime_recheck', p.user_id::text)
  from public.profiles p where p.id = person and p.user_id is not null;
end
$$;
comment on function app.recheck_sockets is
  'Has the embedded home ask this person''s topics again, so that sockets end with membership. Elsewhere nobody hears.';

create function app.raise_epoch(channel uuid) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  raised constant text := coalesce(current_setting('app.epochs_raised', true), '');
  now_at public.channel_counters;
begin
  -- Once a channel and transaction: a second would send listeners to a topic that nobody ever speaks on.
  if strpos(raised, channel::text) > 0 then return; end if;
  perform set_config('app.epochs_raised', raised || channel::text || ' ', true);
  update public.channel_counters k set epoch = k.epoch + 1 where k.channel_id = channel returning * into now_at;
  if not found then return; end if;
  perform realtime.send(
    jsonb_build_object('channel_id', channel, 'epoch', now_at.epoch, 'rev', now_at.rev, 'members',
      (select count(*) from public.channel_members m where m.channel_id = channel)),
    'epoch', 'channel:' || channel || ':' || (now_at.epoch - 1), true);
end
$$;
comment on function app.raise_epoch is
  'Moves a channel to a new topic and says so, last, on the old one: whoever lost sight cannot follow.';

-- What is said of messages --------------------------------------------------------------------------------

create function app.tell_message() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  kind constant text := (select c.kind from public.channels c where c.id = new.channel_id);
  reaction constant text := nullif(current_setting('app.reaction', true), '');
  payload jsonb;
begin
  if exists (
    select from public.channel_members m
    where m.channel_id = new.channel_id and m.history_from_seq > 1 and m.history_from_seq > new.base_seq
  ) then
    -- Some listener may not read this one: they all ask, and each gets what is theirs.
    perform app.tell_channel(new.channel_id, 'rev', jsonb_build_object('channel_id', new.channel_id, 'rev', new.rev));
  else
    payload := jsonb_build_object('channel_id', new.channel_id, 'rev', new.rev,
      'message', app.messages_as_json(array[new.id], null) -> 0);
    if reaction is not null then
      payload := payload || jsonb_build_object('reaction', reaction::jsonb);
    end if;
    perform app.tell_channel(new.channel_id, 'message', payload);
  end if;
  if tg_op = 'INSERT' and kind in ('direct', 'group') then
    perform app.tell_person(m.profile_id, 'poke', jsonb_build_object(
      'channel_id', new.channel_id, 'seq', new.seq, 'rev', new.rev, 'mention', false))
    from app.channel_readers(new.channel_id) m where m.profile_id <> new.author_id;
  end if;
  return null;
end
$$;
comment on function app.tell_message is
  'Says each change of a message with its rev: whole, or as a bare number when it lies below some member''s floor.';

create trigger messages_are_told after insert or update of rev on public.messages
  for each row execute function app.tell_message();

create function app.tell_mention() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform app.tell_person(new.profile_id, 'poke', jsonb_build_object(
    'channel_id', new.channel_id, 'seq', new.seq, 'rev', m.rev, 'mention', true))
  from public.messages m where m.id = new.message_id;
  return null;
end
$$;
comment on function app.tell_mention is 'Pokes who is called by name. @channel pokes nobody: it is found on the next beat.';

create trigger mentions_are_told after insert on public.mentions
  for each row when (new.profile_id is not null) execute function app.tell_mention();

create function app.tell_meta() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform app.tell_channel(new.channel_id, 'meta', jsonb_build_object(
    'channel_id', new.channel_id, 'rev', new.rev, 'channel', app.channel_as_json(new.channel_id)));
  return null;
end
$$;
comment on function app.tell_meta is 'Says that a channel''s name, topic, rules or people changed.';

create trigger channel_meta_is_told after update of meta_rev on public.channel_counters
  for each row when (new.meta_rev <> old.meta_rev) execute function app.tell_meta();

-- What is said of belonging -------------------------------------------------------------------------------

create function app.tell_membership() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  of public.channel_members;
begin
  if tg_op = 'DELETE' then of := old; else of := new; end if;
  if (tg_op = 'DELETE' and exists (
      select from public.channels c
      where c.id = of.channel_id and (c.kind <> 'public' or exists (
        select from public.workspace_members w
        where w.workspace_id = c.workspace_id and w.profile_id = of.profile_id and w.role = 'guest'))))
    or (tg_op <> 'DELETE' and of.history_from_seq > 1)
  then
    perform app.raise_epoch(of.channel_id);
  end if;
  if tg_op <> 'INSERT' then perform app.recheck_sockets(of.profile_id); end if;
  perform app.tell_person(of.profile_id, 'membership', jsonb_build_object(
    'channel_id', of.channel_id, 'entry', case when exists (
      select from public.channel_members m
      left join public.channel_state s on s.channel_id = m.channel_id and s.profile_id = m.profile_id
      where m.channel_id = of.channel_id and m.profile_id = of.profile_id and s.hidden is not true
    ) then app.entry_as_json(of.profile_id, of.channel_id) end));
  return null;
end
$$;
comment on function app.tell_membership is
  'Tells a person of their place in a channel, and moves the channel to a new topic when someone lost sight of it '
  'or joined with a floor. Deferred, so that it is said last on the old topic.';

create constraint trigger memberships_are_told after insert or update or delete on public.channel_members
  deferrable initially deferred for each row execute function app.tell_membership();

create function app.tell_member(workspace uuid, person uuid) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform app.tell_person(other.profile_id, 'member', jsonb_build_object(
    'workspace_id', workspace, 'member', app.member_as_json(workspace, person)))
  from public.workspace_members other
  where other.workspace_id = workspace and other.state = 'active'
    and (other.expires_at is null or other.expires_at > now())
    and (other.role <> 'guest' or other.profile_id = person or exists (
      select from public.channel_members a join public.channel_members b on b.channel_id = a.channel_id
      where a.profile_id = other.profile_id and b.profile_id = person
    ));
end
$$;
comment on function app.tell_member is 'Tells a person''s card to those who may know them: guests only to guests they meet.';

create function app.tell_place() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  of public.workspace_members;
begin
  if tg_op = 'DELETE' then of := old; else of := new; end if;
  if tg_op = 'DELETE' or of.state <> 'active' or of.expires_at <= now() then
    -- In order of channels, as every lock of counters.
    perform app.raise_epoch(c.id) from (
      select c.id from public.channel_members m join public.channels c on c.id = m.channel_id
      where m.profile_id = of.profile_id and c.workspace_id = of.workspace_id
        and (c.kind <> 'public' or of.role = 'guest')
      order by c.id
    ) c;
  end if;
  if tg_op <> 'INSERT' then perform app.recheck_sockets(of.profile_id); end if;
  perform app.tell_person(of.profile_id, 'workspace', jsonb_build_object('workspace_id', of.workspace_id));
  perform app.tell_member(of.workspace_id, of.profile_id);
  return null;
end
$$;
comment on function app.tell_place is
  'Tells a person, and those who know them, that their place in a workspace began, changed or ended.';

create constraint trigger places_are_told after insert or update or delete on public.workspace_members
  deferrable initially deferred for each row execute function app.tell_place();

create function app.tell_profile() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform app.tell_member(w.workspace_id, new.id) from public.workspace_members w where w.profile_id = new.id;
  if old.user_id is not null and new.user_id is null then
    perform app.raise_epoch(c.id) from (
      select c.id from public.channel_members m join public.channels c on c.id = m.channel_id
      where m.profile_id = new.id and (c.kind <> 'public' or exists (
        select from public.workspace_members w
        where w.workspace_id = c.workspace_id and w.profile_id = new.id and w.role = 'guest'))
      order by c.id
    ) c;
    perform pg_notify('realtime_recheck', old.user_id::text);
  end if;
  return null;
end
$$;
comment on function app.tell_profile is 'Tells a changed card; an account that is gone loses sight of its channels.';

create constraint trigger profiles_are_told after update on public.profiles
  deferrable initially deferred for each row execute function app.tell_profile();

create function app.tell_state() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  entry constant jsonb := case when new.hidden <> old.hidden and not new.hidden
    then app.entry_as_json(new.profile_id, new.channel_id) end;
begin
  if new.hidden <> old.hidden then
    -- Someone who may no longer read a conversation is not told that it goes on.
    if new.hidden or entry is not null then
      perform app.tell_person(new.profile_id, 'membership', jsonb_build_object('channel_id', new.channel_id,
        'entry', entry));
    end if;
  else
    perform app.tell_person(new.profile_id, 'state', jsonb_build_object('channel_id', new.channel_id,
      'state', app.state_as_json(new), 'counts', app.unread_counts(new.profile_id, new.channel_id, greatest(
        new.last_read_seq, (select m.history_from_seq - 1 from public.channel_members m
          where m.channel_id = new.channel_id and m.profile_id = new.profile_id)))));
  end if;
  return null;
end
$$;
comment on function app.tell_state is 'Tells one''s other devices that a pointer or preference moved.';

create trigger states_are_told after update on public.channel_state
  for each row when (old.* is distinct from new.*) execute function app.tell_state();

-- Listening ---------------------------------------------------------------------------------------------

create function app.can_listen(topic text) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
declare
  part constant text[] := regexp_match(topic,
    '^(user|channel):([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?::([1-9][0-9]{0,17}))?$');
begin
  if part[1] = 'user' and part[3] is null then
    return coalesce(part[2]::uuid = app.my_profile_id(), false);
  elsif part[1] = 'channel' then
    return (app.reading_of(part[2]::uuid)).profile_id is not null and exists (
      select from public.channel_counters k where k.channel_id = part[2]::uuid and k.epoch = part[3]::bigint
    );
  end if;
  return false;
end
$$;
comment on function app.can_listen is
  'Whether the caller may listen to a topic: their own, and a readable channel''s at its present epoch.';

-- The topic is compared too: a caller could set another one than that of the rows they read. No policy lets
-- anyone insert, since whoever may send typing may forge a message; typing is a command.
create policy "readers listen to their channels and themselves" on realtime.messages
  for select to authenticated using (
    extension = 'broadcast'
    and topic = (select realtime.topic())
    and (select app.can_listen((select realtime.topic())))
  );

revoke execute on all functions in schema app from public;
grant execute on function app.can_listen to authenticated;
