-- Two conditions of moving a thread. A refusal no longer shows who has voted in an anonymous poll. Before, somebody who manages
-- the source could try targets that one person cannot read, and learned from `move_reveals` whether this person had voted. Slow
-- mode of the target applies to moves. Before, a move could post any number of messages at once.

create function app.is_secret_vote(message public.messages, key text) returns boolean
language sql immutable set search_path = ''
as $$ select key like 'poll:%' and message.extras #>> '{poll,anonymous}' is not distinct from 'true' $$;
comment on function app.is_secret_vote is
  'Whether a reaction to a message is a vote in an anonymous poll. Nobody else may learn who has voted.';

create function app.slow_mode_seconds(person uuid, channel uuid) returns integer
language sql stable security definer set search_path = ''
as $$
  select case when p.kind = 'person' and m.role not in ('owner', 'admin') and r.role is distinct from 'admin'
    then c.slow_seconds else 0 end
  from public.channels c
  join public.workspace_members m on m.workspace_id = c.workspace_id and m.profile_id = slow_mode_seconds.person
  join public.profiles p on p.id = m.profile_id
  left join public.channel_members r on r.channel_id = c.id and r.profile_id = m.profile_id
  where c.id = slow_mode_seconds.channel
$$;
comment on function app.slow_mode_seconds is
  'The interval between two messages of a person in a channel; 0 without slow mode, for bots, and for those who manage the '
  'workspace or the channel.';

create function app.take_slow_mode_turn(person uuid, channel uuid) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  seconds constant integer := app.slow_mode_seconds(person, channel);
begin
  if coalesce(seconds, 0) = 0 then return; end if;
  insert into public.slow_mode_messages as s (channel_id, profile_id, sent_at)
  values (channel, person, clock_timestamp())
  on conflict (channel_id, profile_id) do update set sent_at = excluded.sent_at
  where s.sent_at <= clock_timestamp() - make_interval(secs => seconds);
  if not found then
    raise exception using errcode = 'PT403', message = 'slow_mode';
  end if;
end
$$;
comment on function app.take_slow_mode_turn is
  'Records that a person posts in a channel. Fails with slow_mode if they have posted within its interval. Needs the lock of '
  'the channel, so that one of two concurrent calls waits.';

create or replace function app.require_permitted_text(author uuid, channel uuid, body text, is_new boolean) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  sender record;
begin
  select c.kind, c.slow_seconds, w.guest_links, m.role, p.kind as author_kind
  into sender
  from public.channels c
  join public.workspaces w on w.id = c.workspace_id
  join public.workspace_members m on m.workspace_id = c.workspace_id and m.profile_id = author
  join public.profiles p on p.id = m.profile_id
  where c.id = channel;
  if sender.author_kind is distinct from 'person' then return; end if;
  if not sender.guest_links and sender.role = 'guest' and app.has_link(body) then
    raise exception using errcode = 'PT403', message = 'links_by_members';
  end if;
  if not is_new then return; end if;
  if sender.kind = 'direct' and channel = any (app.blocked_directs(author)) then
    raise exception using errcode = 'PT403', message = 'person_blocked';
  end if;
  if sender.slow_seconds > 0 then perform app.take_slow_mode_turn(author, channel); end if;
end
$$;
comment on function app.require_permitted_text is
  'Refuses links of guests where only members post them, and of new texts those to people whom their author has blocked, '
  'and a second one within the interval of slow mode. Needs the lock of the channel, so that of two at once one waits.';

create or replace function app.require_movable(message uuid, channel uuid, out replies integer, out losing integer, out gaining integer)
language plpgsql stable security definer set search_path = ''
as $$
declare
  source constant app.channel_access := app.require_live_message(message);
  target constant app.channel_access := app.require_participant(channel);
  manages constant boolean := app.can_manage_channel(source);
  root public.messages;
  ids uuid[];
  authors uuid[];
  reacting uuid[];
  target_readers uuid[];
  slow_seconds integer;
  has_secret_votes boolean;
begin
  select m.* into root from public.messages m where m.id = message;
  ids := app.live_replies(root, 501);
  replies := cardinality(ids);
  ids := ids || message;
  authors := array(select distinct m.author_id from public.messages m where m.id = any (ids));
  if root.extras ? 'moved_to' then
    raise exception using errcode = 'PT409', message = 'message_moved';
  elsif root.deleted_at is not null then
    raise exception using errcode = 'PT409', message = 'message_deleted';
  elsif root.thread_root is not null or root.kind <> 'text' then
    raise exception using errcode = 'PT400', message = 'not_a_thread';
  elsif source.workspace_role = 'guest' or source.workspace_id <> target.workspace_id or channel = root.channel_id
    or source.kind not in ('public', 'private') or target.kind not in ('public', 'private')
    or not (manages or authors <@ array[source.profile_id])
  then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  elsif target.posting = 'admins' and not app.can_manage_channel(target) then
    raise exception using errcode = 'PT403', message = 'posting_admins';
  elsif replies > 500 then
    raise exception using errcode = 'PT400', message = 'replies_at_most_500';
  end if;
  slow_seconds := app.slow_mode_seconds(source.profile_id, channel);
  if slow_seconds > 0 and replies > 0 then
    raise exception using errcode = 'PT403', message = 'slow_mode_thread';
  elsif exists (
    select from public.slow_mode_messages s
    where s.channel_id = channel and s.profile_id = source.profile_id
      and s.sent_at > clock_timestamp() - make_interval(secs => slow_seconds))
  then
    raise exception using errcode = 'PT403', message = 'slow_mode';
  end if;
  target_readers := array(select r.profile_id from app.channel_readers(channel) r);
  with before as (
    select r.profile_id from app.channel_readers(root.channel_id) r where r.history_from_seq <= root.history_seq
  ), after as (select t.profile_id from unnest(target_readers) t (profile_id))
  select count(*) filter (where after.profile_id is null), count(*) filter (where before.profile_id is null)
  into losing, gaining
  from before full join after on after.profile_id = before.profile_id
  join public.profiles p on p.id = coalesce(before.profile_id, after.profile_id) and p.kind <> 'bot';
  if gaining > 0 then
    -- People wrote and reacted for the readers of the source.
    reacting := array(
      select distinct r.profile_id from public.reactions r join public.messages m on m.id = r.message_id
      where r.message_id = any (ids) and not app.is_secret_vote(m, r.emoji));
    has_secret_votes := exists (
      select from public.reactions r join public.messages m on m.id = r.message_id
      where r.message_id = any (ids) and app.is_secret_vote(m, r.emoji));
    -- The result must not depend on who has voted in an anonymous poll. So all who could have voted are treated as voters.
    if not (manages or (reacting <@ array[source.profile_id] and not has_secret_votes)) or (has_secret_votes and losing > 0)
      or exists (
      select from public.profiles p
      where p.id = any (authors || reacting) and p.kind <> 'bot' and p.id <> all (target_readers))
    then
      raise exception using errcode = 'PT403', message = 'move_reveals';
    end if;
  end if;
end
$$;
comment on function app.require_movable is
  'Fails unless the caller may move a thread to a channel: full members who may post there, and manage the source or '
  'have written all of the thread. If more people could read it than before, everybody who wrote or reacted must be able to '
  'read the target. If the thread has votes in an anonymous poll, everybody who can read the source must be able to. A caller '
  'who does not manage the source must also be the only one who reacted. Slow mode of the target permits one message without '
  'replies in its interval. '
  'Returns the number of replies, and of people who can no longer, and can newly, read them.';

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
    new_ids[number] := gen_random_uuid();
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
comment on function public.move_thread is
  'Moves a message with its replies to another channel, as the message `id`: repeated calls move it once. Fails with '
  'move_readers if more people can newly read it than the caller has accepted.';

revoke execute on all functions in schema app from public;
