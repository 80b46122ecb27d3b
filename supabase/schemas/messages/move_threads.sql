-- Moving a thread, or a message without replies, to another channel. Decision 35.
--
-- No row changes its channel: the target gets new messages, and the old ones are emptied as deleted ones are. An emptied
-- message has the extra `moved_to` with the id of its copy, which each reader looks up with their own rights. A copy has
-- the extra `moved` with the time at which it was written: `created_at` is that of the move, since it must not be below
-- that of the message before.

-- Rights -----------------------------------------------------------------------------------------------

create function app.live_replies(root public.messages, max_replies integer) returns uuid[]
language plpgsql stable security definer set search_path = ''
as $$
begin
  return array(
    select m.id from public.messages m
    where m.channel_id = root.channel_id and m.thread_root = root.id and m.deleted_at is null
    order by m.thread_seq limit max_replies);
end
$$;
comment on function app.live_replies is 'The replies of a thread that are not deleted, in their order.';

-- A refusal does not show who has voted in an anonymous poll: somebody who manages the source could try targets that one person
-- cannot read.
create function app.require_movable(message uuid, channel uuid, out replies integer, out losing integer, out gaining integer)
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

-- Commands ---------------------------------------------------------------------------------------------

create function public.preview_move(message uuid, channel uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  checked constant record := app.require_movable(message, channel);
begin
  return jsonb_build_object('replies', checked.replies, 'losing', checked.losing, 'gaining', checked.gaining);
end
$$;
comment on function public.preview_move is
  'What moving a thread to a channel means: how many replies move, how many people can no longer read them, and how many '
  'can newly. Fails as move_thread.';

create function app.lock_thread(root uuid) returns public.messages
language plpgsql volatile security definer set search_path = ''
as $$
declare
  locked uuid[];
  head public.messages;
begin
  for attempt in 1..10 loop
    begin
      locked := array(
        select l.id from (
          select m.id from public.messages m where m.id = root or m.id in (
            select r.id from public.messages r join public.messages h on h.channel_id = r.channel_id
            where h.id = root and r.thread_root = root)
          order by m.id for no key update) l);
      select m.* into head from public.messages m where m.id = root;
      exit when not exists (
        select from public.messages r
        where r.channel_id = head.channel_id and r.thread_root = root and r.id <> all (locked));
      -- A reply has arrived while the root was awaited. To lock it now would violate the order of locks: all are
      -- released with the subtransaction, and locked again.
      raise exception using errcode = 'PT409', message = 'conflict';
    exception when sqlstate 'PT409' then
      if attempt = 10 then raise; end if;
    end;
  end loop;
  return head;
end
$$;
comment on function app.lock_thread is
  'Locks a message with all its replies, ordered by id, and returns it: no reply can arrive and none can change.';

create function app.move_message(
  original public.messages, new_id uuid, new_root public.messages, channel uuid, counters public.channel_counters,
  thread_seq bigint, extras jsonb
) returns void
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  copy public.messages;
begin
  insert into public.attachments (message_id, upload_id, upload_channel_id, position, name, type, size, width, height,
    thumb)
  select move_message.new_id, a.upload_id, a.upload_channel_id, a.position, a.name, a.type, a.size, a.width, a.height,
    a.thumb
  from public.attachments a where a.message_id = original.id;
  delete from public.attachments a where a.message_id = original.id;
  update public.reactions r set message_id = move_message.new_id where r.message_id = original.id;
  update public.pins p set message_id = move_message.new_id, channel_id = move_message.channel
  where p.message_id = original.id;

  insert into public.messages (id, channel_id, seq, thread_root, thread_seq, last_thread_seq, reply_count, reply_people,
    last_reply_at, history_seq, rev, author_id, body, extras, created_at, edited_at)
  values (new_id, channel, case when new_root.id is null then counters.last_seq end, new_root.id,
    case when new_root.id is not null then move_message.thread_seq end,
    case when new_root.id is null then move_message.thread_seq else 0 end, original.reply_count, original.reply_people,
    original.last_reply_at, counters.last_seq, case when new_root.id is null then counters.rev else app.next_rev(channel) end,
    original.author_id, original.body,
    coalesce(original.extras, '{}') || jsonb_build_object('moved', move_message.extras || jsonb_build_object(
      'written_at', app.written_at(original))),
    counters.last_at, original.edited_at)
  returning * into copy;
  select k.* into counters from public.channel_counters k where k.channel_id = copy.channel_id;
  perform app.publish_new_message(copy, app.messages_as_json(array[copy.id], null) -> 0, counters, app.sender_of(copy.author_id, channel));

  insert into public.message_search (message_id, channel_id, history_seq, created_at, words)
  select copy.id, copy.channel_id, copy.history_seq, copy.created_at, s.words
  from public.message_search s where s.message_id = original.id;
  if strpos(copy.body, '<') > 0 then perform app.record_mentions(copy); end if;
  -- Below every rev of the target, so that the order of texts remains.
  with earlier as (
    select r.rev, row_number() over (order by r.rev desc) as age
    from public.message_revisions r where r.message_id = original.id
  )
  update public.message_revisions r set message_id = copy.id, rev = -earlier.age
  from earlier where r.message_id = original.id and r.rev = earlier.rev;
  -- Both rows are broadcast. Those who cannot read the copy keep the emptied message in their list.
  with saved as (
    delete from public.saved_messages s
    where s.message_id = original.id
      and exists (select from app.channel_access_of_person(s.profile_id, copy.channel_id) a where a.history_from_seq >= 0)
    returning s.profile_id, s.state, s.saved_at
  )
  insert into public.saved_messages (profile_id, message_id, channel_id, state, saved_at)
  select s.profile_id, copy.id, copy.channel_id, s.state, s.saved_at from saved s;
end
$$;
comment on function app.move_message is
  'Inserts the copy of a message with what belongs to it; a reply if `new_root` is given. `thread_seq`: its number, or of '
  'a root the number of its replies. Needs the locks of the message and of both channels, and deferred constraints.';

create function app.empty_moved_message(original public.messages, new_id uuid, mover uuid) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  delete from public.message_edits e where e.message_id = original.id;
  delete from public.message_search s where s.message_id = original.id;
  delete from public.mentions n where n.message_id = original.id;
  update public.messages m
  set body = '', extras = jsonb_build_object('moved_to', jsonb_build_object('message_id', new_id, 'by', mover)),
    deleted_at = clock_timestamp(), reply_count = 0, reply_people = '{}', last_reply_at = null,
    rev = app.next_rev(original.channel_id)
  where m.id = original.id;
end
$$;
comment on function app.empty_moved_message is
  'Empties a message whose copy is in another channel. Only the id of the copy stays, which reveals nothing to those who '
  'may not read it.';

create function app.redact_moved_broadcasts(channel uuid, moved public.messages[]) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  update realtime.messages b
  set event = 'rev', payload = jsonb_build_object('channel_id', channel, 'rev', b.payload -> 'rev')
  where b.inserted_at = any (array(select distinct m.broadcast_at at time zone 'UTC' from unnest(moved) m))
    and b.extension = 'broadcast' and b.private is true and b.topic like 'channel:' || channel || ':%'
    and b.payload -> 'message' ->> 'id' = any (array(select m.id::text from unnest(moved) m));
end
$$;
comment on function app.redact_moved_broadcasts is
  'As app.redact_broadcasts, of all messages of a thread: those that were moved before have one time, so that a query '
  'for each would read the broadcasts of all.';

create function app.move_thread_members(
  original public.messages, new_root public.messages, moved_seqs bigint[]
) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  before constant uuid[] := app.few_followers(original);
begin
  insert into public.thread_members (root_id, profile_id, follows, last_read_thread_seq, read_version, marked_at)
  select new_root.id, t.profile_id, t.follows, n.reached, 0, t.marked_at
  from public.thread_members t
  cross join lateral app.channel_access_of_person(t.profile_id, new_root.channel_id) a
  cross join lateral (select count(*) as reached from unnest(moved_seqs) s where s <= t.last_read_thread_seq) n
  where t.root_id = original.id and a.history_from_seq <= new_root.history_seq;
  update public.thread_members t set follows = false where t.root_id = original.id and t.follows;
  perform app.notify_followers(original.id, before);
  perform app.notify_followers(new_root.id, app.few_followers(new_root));
end
$$;
comment on function app.move_thread_members is
  'Followers and read markers of a moved thread, of those who can read it. `moved_seqs`: the former numbers of its '
  'replies. Nobody follows the emptied thread. No row is broadcast for itself, since a thread may have thousands of '
  'followers: only app.few_followers are notified.';

create function public.move_thread(id uuid, message uuid, channel uuid, accepted_readers integer default 0)
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
comment on function public.move_thread is
  'Moves a message with its replies to another channel, as the message `id`: repeated calls move it once. Fails with '
  'move_readers if more people can newly read it than the caller has accepted.';

create function app.moved_thread_response(original uuid, copy uuid, viewer uuid) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select jsonb_build_object('message', j.messages -> 0, 'moved', j.messages -> 1)
  from (select app.messages_as_json(array[copy, original], viewer) as messages) j
$$;
comment on function app.moved_thread_response is
  'The response of move_thread: the new root, and in `moved` the emptied one.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.preview_move, public.move_thread from public, anon, authenticated, service_role;
grant execute on function public.preview_move, public.move_thread to authenticated;
