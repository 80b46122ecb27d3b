-- Ids of messages begin with the time.
--
-- Clients choose UUIDs of version 7 for their messages, so that the primary key of messages grows at its end. The database
-- does the same for system messages, for messages of webhooks and commands, and for the copies of a moved thread.

create function app.create_message_id() returns uuid
language sql volatile set search_path = ''
as $$
  -- 48 bits of milliseconds, the version, the microseconds as 12 bits, then 64 bits of a UUID of version 4 with its variant.
  select encode(
    int8send((now.us / 1000 << 16) | (7 << 12) | now.us % 1000 * 4096 / 1000)
    || substring(uuid_send(gen_random_uuid()) from 9), 'hex')::uuid
  from (select (extract(epoch from clock_timestamp()) * 1000000)::bigint) now (us)
$$;
comment on function app.create_message_id is
  'A UUID of version 7 (RFC 9562, section 6.2, method 3), as uuidv7() of PostgreSQL 18. Clients choose the ids of all other '
  'messages.';

create or replace function app.post_system_message(channel uuid, author uuid, note jsonb) returns bigint
language plpgsql volatile security definer set search_path = ''
as $$
declare
  counters public.channel_counters;
begin
  -- When a silenced person joins or leaves, others see it only in the list of members.
  if note ->> 'event' in ('joined', 'left') and app.is_silenced(author, channel) then
    return (select k.last_seq from public.channel_counters k where k.channel_id = post_system_message.channel);
  end if;
  update public.channel_counters k
  set last_seq = k.last_seq + 1, rev = k.rev + 1, last_at = greatest(clock_timestamp(), k.last_at)
  where k.channel_id = channel returning * into counters;
  insert into public.messages (id, channel_id, kind, seq, history_seq, rev, author_id, body, system, created_at)
  values (app.create_message_id(), channel, 'system', counters.last_seq, counters.last_seq, counters.rev, author, '', note,
    counters.last_at);
  return counters.last_seq;
end
$$;

create or replace function app.post_as_bot(bot uuid, channel uuid, body text, thread_root uuid default null)
returns uuid
language plpgsql volatile security definer set search_path = ''
as $$
begin
  if auth.uid() is null then perform app.consume_characters_of(bot, 'characters', body); end if;
  return app.post_as(bot, app.create_message_id(), channel, body, thread_root);
end
$$;

create or replace function public.move_thread(id uuid, message uuid, channel uuid, accepted_readers integer default 0)
returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access constant app.channel_access := app.require_message(message);
  root public.messages;
  copy public.messages;
  counters public.channel_counters;
  checked record;
  originals public.messages[];
  new_ids uuid[];
begin
  if move_thread.id is null then
    raise exception using errcode = 'PT400', message = 'bad_state';
  end if;
  if exists (select from public.messages m where m.id = message and m.extras ? 'moved_to') then
    perform app.consume_rate_limit('move');
  else
    checked := app.require_movable(message, channel);
    -- A long thread locks both channels for longer.
    perform app.consume_rate_limit('move', 1 + checked.replies / 25);
  end if;
  root := app.lock_thread(message);
  perform app.lock_channels(array[root.channel_id, channel]);
  if root.extras #>> '{moved_to,message_id}' = move_thread.id::text
    and root.extras #>> '{moved_to,by}' = access.profile_id::text
  then
    perform app.require_message(move_thread.id);
    return app.moved_thread_response(message, move_thread.id, access.profile_id);
  end if;
  -- Checked under the locks, which posting, archiving and changing members take as well.
  checked := app.require_movable(message, channel);
  if checked.gaining > coalesce(accepted_readers, 0) then
    raise exception using errcode = 'PT409', message = 'move_readers';
  elsif exists (select from public.messages m where m.id = move_thread.id) then
    raise exception using errcode = 'PT409', message = 'conflict';
  end if;
  perform app.take_slow_mode_turn(access.profile_id, channel);
  originals := array(
    select m from unnest(app.live_replies(root, checked.replies)) with ordinality r (id, ordinal)
    join public.messages m on m.id = r.id order by r.ordinal);

  update public.channel_counters k
  set last_seq = k.last_seq + 1, rev = k.rev + 1, last_at = greatest(clock_timestamp(), k.last_at)
  where k.channel_id = channel returning * into counters;
  -- What the mover had read stays read: they know what they have moved.
  update public.channel_member_state s set last_read_seq = counters.last_seq, read_version = s.read_version + 1
  where s.channel_id = channel and s.profile_id = access.profile_id and s.last_read_seq = counters.last_seq - 1;
  set constraints public.reactions_message_id_fkey, public.pins_message_id_fkey deferred;
  perform app.move_message(root, move_thread.id, null, channel, counters, checked.replies,
    jsonb_build_object('by', access.profile_id, 'from', message));
  select m.* into copy from public.messages m where m.id = move_thread.id;
  for number in 1..checked.replies loop
    new_ids[number] := app.create_message_id();
    perform app.move_message(originals[number], new_ids[number], copy, channel, counters, number, '{}');
  end loop;
  set constraints public.reactions_message_id_fkey, public.pins_message_id_fkey immediate;
  perform app.redact_moved_broadcasts(root.channel_id, originals || root);
  for number in 1..checked.replies loop
    perform app.empty_moved_message(originals[number], new_ids[number], access.profile_id);
  end loop;
  perform app.empty_moved_message(root, copy.id, access.profile_id);
  perform app.move_thread_members(root, copy, array(select o.thread_seq from unnest(originals) o));
  return app.moved_thread_response(message, copy.id, access.profile_id);
end
$$;

revoke execute on all functions in schema app from public;
