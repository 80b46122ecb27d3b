-- A message costs about 0.6 of the CPU: one statement reads all that it depends on, its JSON is built from the row, and its
-- search terms are complete when they are inserted.

drop trigger search_segments_are_extended on public.message_search;
drop trigger search_words_are_completed on public.message_search;
drop function app.publish_new_message;
drop function app.lock_new_message;
drop function app.insert_message;
drop function app.require_writer;
drop function app.queue_mail;

create type app.sender as (
  access app.channel_access, is_bot boolean, is_silenced boolean, slow_seconds integer, is_on_web boolean,
  has_webhooks boolean, has_devices boolean, needs_unread_hint boolean, meta_rev bigint
);

create type app.new_message_lock as (epoch bigint, is_sent boolean, is_same boolean);

create index profiles_in_several_workspaces on public.profiles (cardinality(workspace_ids)) where cardinality(workspace_ids) > 1;

create or replace function app.is_visible(content text) returns boolean
language plpgsql immutable set search_path = ''
as $$
begin
  return content ~ ('[^' || app.invisible_characters() || ']');
end
$$;

create function app.sender_of(person uuid, channel uuid) returns app.sender
language plpgsql stable security definer set search_path = ''
as $$
declare
  claims constant jsonb := case when person is null then auth.jwt() end;
  account constant uuid := claims ->> 'sub';
  session constant uuid := claims ->> 'session_id';
  has_verified constant boolean := claims ->> 'aal' in ('aal2', 'aal3');
  sender app.sender;
begin
  select
    row(
      case when m.profile_id is not null or (c.kind = 'public' and w.role <> 'guest') then w.profile_id end,
      c.workspace_id, w.role, c.kind, c.posting, c.archived_at, m.profile_id is not null, m.role,
      case when c.kind = 'public' and w.role <> 'guest' then 1 else m.history_from_seq end)::app.channel_access,
    p.kind = 'bot',
    exists (
      select from public.silences s
      where s.workspace_id = c.workspace_id and s.profile_id = p.id and s.until > now()),
    c.slow_seconds, c.web_since is not null,
    exists (select from public.outgoing_webhooks h where h.channel_id = c.id and h.disabled_at is null),
    exists (select from public.push_subscriptions),
    -- Ordered, so that the planner uses the index, which is empty on most servers, and never reads all profiles.
    c.kind in ('public', 'private') and (
      select cardinality(q.workspace_ids) from public.profiles q
      where cardinality(q.workspace_ids) > 1 order by cardinality(q.workspace_ids) limit 1) > 1,
    k.meta_rev
  into sender
  from public.channels c
  join public.channel_counters k on k.channel_id = c.id
  join public.profiles p on p.id = coalesce(person, (
    select q.id
    from auth.sessions s
    join auth.users u on u.id = s.user_id
    join public.profiles q on q.user_id = s.user_id
    where s.id = session and s.user_id = account
      and (s.not_after is null or s.not_after > now())
      and (u.banned_until is null or u.banned_until <= now()) and u.deleted_at is null
      and (not q.second_factor or (s.aal >= 'aal2' and has_verified))))
  left join public.workspace_members w on w.workspace_id = c.workspace_id and w.profile_id = p.id
    and w.state = 'active' and (w.expires_at is null or w.expires_at > now())
  left join public.channel_members m on m.channel_id = c.id and m.profile_id = w.profile_id
    and (m.expires_at is null or m.expires_at > now())
  where c.id = channel;
  return sender;
end
$$;
comment on function app.sender_of is
  'All that a message of a person to a channel depends on, by one statement, since each statement costs more than what it '
  'reads. Without a person it is the caller, whose session must be alive: without one all is null. Of a person whom somebody '
  'names it checks no account.';

create function app.require_sender(channel uuid) returns app.sender
language plpgsql stable security definer set search_path = ''
as $$
declare
  sender constant app.sender := app.sender_of(null, channel);
begin
  if (sender.access).profile_id is null then
    perform app.require_profile();
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  return sender;
end
$$;
comment on function app.require_sender is
  'What a message of the caller to a channel depends on; fails as app.require_reader does. Whether the caller may write is '
  'checked by app.check_sender.';

create function app.check_sender(sender app.sender) returns void
language plpgsql immutable set search_path = ''
as $$
begin
  if (sender.access).member is not true then
    raise exception using errcode = 'PT403', message = 'not_a_member';
  elsif (sender.access).archived_at is not null then
    raise exception using errcode = 'PT409', message = 'archived';
  elsif sender.is_silenced then
    raise exception using errcode = 'PT403', message = 'silenced';
  end if;
end
$$;
comment on function app.check_sender is
  'Fails as app.require_participant does: with not_a_member, archived or silenced.';

create function app.message_as_json(message public.messages, pinned_at timestamptz, attachments jsonb, reactions jsonb)
returns jsonb
language sql stable
as $$
  select pg_catalog.jsonb_build_object(
    'id', message.id, 'channel_id', message.channel_id, 'kind', message.kind, 'seq', message.seq,
    'thread_root', message.thread_root, 'thread_seq', message.thread_seq, 'last_thread_seq', message.last_thread_seq,
    'reply_count', message.reply_count, 'reply_people', pg_catalog.to_jsonb(message.reply_people),
    'last_reply_at', message.last_reply_at, 'history_seq', message.history_seq, 'rev', message.rev,
    'author_id', message.author_id, 'body', message.body, 'system', message.system, 'created_at', message.created_at,
    'edited_at', message.edited_at, 'deleted_at', message.deleted_at, 'pinned_at', pinned_at,
    'attachments', attachments, 'extras', message.extras, 'reactions', reactions)
$$;
comment on function app.message_as_json is
  'A message with its pin, its attachments and its reactions, which the caller has read.';

create or replace function app.messages_as_json(ids uuid[], viewer uuid) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
begin
  return coalesce((
    select jsonb_agg(
      app.message_as_json(m, p.pinned_at, coalesce(a.attachments, '[]'),
        case when m.extras #>> '{poll,anonymous}' = 'true' then app.without_voters(r.reactions)
          else coalesce(r.reactions, '[]') end)
      order by requested.ordinal)
    from unnest(ids) with ordinality requested (id, ordinal)
    join public.messages m on m.id = requested.id
    left join public.pins p on p.message_id = m.id
    left join (
      select f.message_id, jsonb_agg(app.attachment_as_json(f) order by f.position) as attachments
      from public.attachments f where f.message_id = any (ids) group by f.message_id
    ) a on a.message_id = m.id
    left join (
      -- As reactions_as_json, of all messages at once.
      select e.message_id, jsonb_agg(
        jsonb_build_object('emoji', e.emoji, 'count', e.count, 'people', to_jsonb(e.people))
          || case when viewer is null then '{}' else jsonb_build_object('mine', e.mine) end
        order by e.first) as reactions
      from (
        select q.message_id, q.emoji, count(*) as count, min(q.position) as first,
          bool_or(q.profile_id = viewer) as mine, (array_agg(q.profile_id order by q.position))[1:20] as people
        from public.reactions q where q.message_id = any (ids) group by q.message_id, q.emoji
      ) e group by e.message_id
    ) r on r.message_id = m.id
  ), '[]');
end
$$;

create or replace function app.require_message_body(body text, may_be_empty boolean) returns text
language plpgsql volatile set search_path = ''
as $$
begin
  -- The length first: nothing examines a longer text.
  if char_length(body) > 20000 then
    raise exception using errcode = 'PT400', message = 'messages_body_length';
  elsif body is null or not app.is_visible(body) and not may_be_empty then
    raise exception using errcode = 'PT400', message = 'messages_not_empty';
  end if;
  -- Shorter texts do not count: see consume_characters_of.
  if octet_length(body) > 100 and auth.uid() is not null then
    perform app.consume_characters_of(auth.uid(), 'characters', body);
  end if;
  return body;
end
$$;

create function app.publish_new_message(
  message public.messages, message_json jsonb, counters public.channel_counters, sender app.sender
) returns void
language plpgsql volatile security definer set search_path = '' set timezone = 'UTC'
as $$
declare
  is_direct constant boolean := (sender.access).kind in ('direct', 'group');
  announcement jsonb := jsonb_build_object('channel_id', message.channel_id, 'rev', message.rev,
    'change_id', counters.change_id, 'previous_change_id', counters.previous_change_id);
  -- A history start is at most the next seq of the channel, so that it can be after the root of a reply only.
  is_hidden constant boolean := message.seq is null and app.is_hidden_from_some_reader(message);
begin
  insert into public.message_changes (message_id, channel_id, rev, history_seq, change_id)
  values (message.id, message.channel_id, message.rev, message.history_seq, counters.change_id);
  if sender.needs_unread_hint and message.kind = 'text' and message.seq is not null then
    perform app.notify_first_unread(message);
  end if;
  if not is_hidden then announcement := announcement || jsonb_build_object('message', message_json); end if;
  perform realtime.send(announcement, case when is_hidden then 'rev' else 'message' end,
    'channel:' || message.channel_id || ':' || counters.epoch, true);
  if is_direct then
    perform app.notify_user(r.profile_id, 'activity', jsonb_build_object(
      'channel_id', message.channel_id, 'seq', message.seq, 'rev', message.rev, 'mention', false))
    from app.channel_readers(message.channel_id) r where r.profile_id <> message.author_id;
  end if;
  if message.kind <> 'text' or message.extras -> 'moved' is not null then return; end if;
  if message.body ~ '://|www\.' and app.fetches_link_previews(message.channel_id) then
    perform app.queue_link_previews(message);
  end if;
  if sender.has_webhooks and not sender.is_bot then perform app.queue_webhook_deliveries(message); end if;
  if sender.has_devices then perform app.queue_push(message); end if;
  if is_direct or strpos(message.body, '<') > 0 then perform app.queue_mail(message, is_direct); end if;
end
$$;
comment on function app.publish_new_message is
  'Everything that a new row of messages causes, in this order. The change record comes first, because every event leads '
  'clients to fetch changes. Events follow: the unread hint for people who look at another workspace, the message for the '
  'readers of the channel (only its rev if some of them may not read it), and in direct conversations an event for each reader. '
  'Jobs come last, because they run after the commit and only need the id: link previews, webhooks, push, mail. System messages '
  'and copies of moved messages cause no jobs, since nobody has written anything new. Each function that inserts a message calls '
  'it next, under the lock of the channel. `counters`: of the channel, as of the message. `sender`: of its author.';

create or replace function app.post_system_message(channel uuid, author uuid, note jsonb) returns bigint
language plpgsql volatile security definer set search_path = ''
as $$
declare
  sender constant app.sender := app.sender_of(author, channel);
  counters public.channel_counters;
  posted public.messages;
begin
  if sender.is_silenced then
    -- When a silenced person joins or leaves, others see it only in the list of members.
    if note ->> 'event' in ('joined', 'left') then
      return (select k.last_seq from public.channel_counters k where k.channel_id = post_system_message.channel);
    end if;
    raise exception using errcode = 'PT403', message = 'silenced';
  end if;
  update public.channel_counters k
  set last_seq = k.last_seq + 1, rev = k.rev + 1, last_at = greatest(clock_timestamp(), k.last_at)
  where k.channel_id = channel returning * into counters;
  insert into public.messages (id, channel_id, kind, seq, history_seq, rev, author_id, body, system, created_at)
  values (app.create_message_id(), channel, 'system', counters.last_seq, counters.last_seq, counters.rev, author, '', note,
    counters.last_at)
  returning * into posted;
  perform app.publish_new_message(posted, app.message_as_json(posted, null, '[]', '[]'), counters, sender);
  return counters.last_seq;
end
$$;

create function app.lock_new_message(id uuid, channel uuid, author uuid, meta_rev bigint) returns app.new_message_lock
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  locked app.new_message_lock;
  sent record;
begin
  select k.epoch, false, k.meta_rev = lock_new_message.meta_rev into locked
  from public.channel_counters k where k.channel_id = channel for update skip locked;
  if not found then
    select k.epoch, false, false into locked from public.channel_counters k where k.channel_id = channel for update;
  end if;
  -- Checked under the lock: of two concurrent requests with the same id one finds the other's row.
  select m.author_id, m.channel_id, m.kind into sent from public.messages m where m.id = lock_new_message.id;
  if found then
    if sent.author_id <> author or sent.channel_id <> channel or sent.kind <> 'text' then
      raise exception using errcode = 'PT409', message = 'conflict';
    end if;
    locked.is_sent := true;
  end if;
  return locked;
end
$$;
comment on function app.lock_new_message is
  'Locks the channel, as removing a member and archiving do: nothing is sent after them. The root of a reply is locked before. '
  '`meta_rev`: of the channel when the rights of the author were read; null if they are to be read under the lock. Fails with '
  'conflict if the id is of another message.';

create function app.lock_root(root uuid, channel uuid) returns public.messages
language plpgsql volatile security definer set search_path = ''
as $$
declare
  locked public.messages;
begin
  select m.* into locked from public.messages m where m.id = root and m.channel_id = channel for no key update;
  return locked;
end
$$;
comment on function app.lock_root is 'The root of a new reply, locked; null if it is not in the channel.';

create function app.insert_message(
  sender app.sender, id uuid, channel uuid, body text, words tsvector, root public.messages, to_channel boolean,
  extras jsonb, files jsonb
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access constant app.channel_access := sender.access;
  is_reply constant boolean := root.id is not null;
  counters public.channel_counters;
  sent public.messages;
  message_json jsonb;
  mentioned uuid[] := '{}';
begin
  if access.workspace_role = 'guest' or access.kind = 'direct' or sender.slow_seconds > 0 then
    perform app.require_permitted_text(access.profile_id, channel, insert_message.body, true);
  end if;
  if files <> '[]' then perform app.insert_attachments(insert_message.id, channel, files); end if;
  update public.channel_counters k
  set last_seq = k.last_seq + to_channel::integer, rev = k.rev + 1, last_at = greatest(clock_timestamp(), k.last_at)
  where k.channel_id = channel returning * into counters;
  insert into public.messages (id, channel_id, seq, thread_root, thread_seq, history_seq, rev, author_id, body, extras,
    created_at)
  values (insert_message.id, channel, case when to_channel then counters.last_seq end, root.id,
    case when is_reply then root.last_thread_seq + 1 end,
    case when to_channel then counters.last_seq else root.seq end, counters.rev, access.profile_id,
    insert_message.body, insert_message.extras, counters.last_at)
  -- A concurrent request with the same id in another channel takes another lock.
  on conflict (id) do nothing
  returning * into sent;
  if sent.id is null then
    raise exception using errcode = 'PT409', message = 'conflict';
  end if;
  message_json := app.message_as_json(sent, null, case when files = '[]' then files else (
    select jsonb_agg(app.attachment_as_json(f) order by f.position) from public.attachments f where f.message_id = sent.id) end,
    '[]');
  perform app.publish_new_message(sent, message_json, counters, sender);
  if files = '[]' then
    with indexed as (
      insert into public.message_search (message_id, channel_id, segment, history_seq, created_at, words)
      values (sent.id, channel, app.search_segment(sent.rev), sent.history_seq, sent.created_at,
        insert_message.words || array_to_tsvector(app.marks_of_new_message(sent))))
    insert into public.search_segments as s (channel_id, segment, first_at, last_at)
    values (channel, app.search_segment(sent.rev), sent.created_at, sent.created_at)
    on conflict (channel_id, segment) do update set last_at = greatest(s.last_at, excluded.last_at)
    where s.channel_id = excluded.channel_id;
  else
    insert into public.message_search (message_id, channel_id, history_seq, created_at, words)
    values (sent.id, channel, sent.history_seq, sent.created_at, insert_message.words);
  end if;
  if strpos(sent.body, '<') > 0 then mentioned := app.record_mentions(sent); end if;
  if is_reply then
    update public.messages m
    set last_thread_seq = sent.thread_seq, reply_count = m.reply_count + 1, last_reply_at = sent.created_at,
      reply_people = (array[sent.author_id] || array_remove(m.reply_people, sent.author_id))[1:3],
      rev = app.next_rev(channel)
    where m.id = root.id returning * into root;
    perform app.update_followers(sent, root, mentioned);
  end if;
  if access.kind in ('direct', 'group') then
    -- A person who has blocked the author sees a hidden group again with the next message of somebody else.
    update public.channel_member_state s set hidden = false
    where s.channel_id = channel and s.hidden and not exists (
      select from public.blocks b where b.profile_id = s.profile_id and b.blocked_id = access.profile_id);
  end if;
  return message_json;
end
$$;
comment on function app.insert_message is
  'Inserts a message of this sender, with its search terms, files (as checked_files returned them) and '
  'mentions, and updates its thread. Checks only app.require_permitted_text; needs the locks of lock_new_message. Returns the '
  'JSON of the message.';

create or replace function public.send_message(
  id uuid, channel uuid, body text, thread_root uuid default null, also_to_channel boolean default false,
  attachments jsonb default '[]', extras jsonb default null, drafts uuid[] default null,
  on_web boolean default null
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  sender app.sender := app.require_sender(channel);
  me constant uuid := (sender.access).profile_id;
  files constant jsonb := coalesce(send_message.attachments, '[]');
  requested constant jsonb := nullif(send_message.extras, 'null');
  checked jsonb;
  to_channel constant boolean := send_message.thread_root is null or coalesce(also_to_channel, false);
  search_words tsvector;
  root public.messages;
  locked app.new_message_lock;
  message_json jsonb;
begin
  if send_message.id is null then
    raise exception using errcode = 'PT400', message = 'bad_state';
  elsif jsonb_typeof(files) <> 'array' then
    raise exception using errcode = 'PT400', message = 'bad_attachment';
  elsif jsonb_array_length(files) > 10 then
    raise exception using errcode = 'PT400', message = 'attachments_at_most_ten';
  end if;
  perform app.require_message_body(send_message.body,
    jsonb_array_length(files) > 0 or coalesce(requested ? 'forward', false));
  if requested is not null then perform app.require_extras_shape(requested); end if;
  -- Before any lock, so that other senders do not wait while a long text is split.
  search_words := app.index_text(case when requested is null then send_message.body
    else app.searchable_text(coalesce(send_message.body, ''), requested) end);
  if sender.has_devices or sender.has_webhooks or files <> '[]' or send_message.body ~ '://|www\.' then
    perform app.call_tasks_of_text(channel, send_message.body, files);
  end if;

  if send_message.thread_root is not null then root := app.lock_root(send_message.thread_root, channel); end if;
  locked := app.lock_new_message(send_message.id, channel, me,
    -- A reply may have waited for its root, so its rights are always read again.
    case when send_message.thread_root is null then sender.meta_rev end);
  if locked.is_sent then
    return app.message_response(send_message.id, me) || jsonb_build_object('epoch', locked.epoch);
  end if;

  -- Under the lock, which removing a member takes as well: nothing is sent after the removal.
  if locked.is_same is not true then sender := app.require_sender(channel); end if;
  perform app.check_sender(sender);
  perform app.require_posting(sender.access, send_message.thread_root, root, to_channel);
  if send_message.on_web = false and sender.is_on_web then
    raise exception using errcode = 'PT409', message = 'channel_on_web';
  end if;
  if requested is not null then checked := app.check_extras(requested, files); end if;
  message_json := app.insert_message(sender, send_message.id, channel, send_message.body, search_words, root, to_channel,
    checked, case when files = '[]' then files else app.checked_files(channel, files) end);
  if cardinality(send_message.drafts) > 0 then
    perform app.clear_draft(me, channel, send_message.thread_root, send_message.id, send_message.drafts[1:20]);
  end if;
  return jsonb_build_object('message', message_json, 'epoch', locked.epoch);
end
$$;

create function app.require_writer(person uuid, channel uuid) returns app.sender
language plpgsql stable security definer set search_path = ''
as $$
declare
  sender app.sender;
begin
  if person is not null then sender := app.sender_of(person, channel); end if;
  if sender.is_bot is not true and not exists (
    select from public.profiles p join auth.users u on u.id = p.user_id
    where p.id = person and (u.banned_until is null or u.banned_until <= now()) and u.deleted_at is null)
  then
    raise exception using errcode = 'PT403', message = 'not_a_member';
  end if;
  perform app.check_sender(sender);
  return sender;
end
$$;
comment on function app.require_writer is
  'What a message of a person or a bot to a channel depends on, as require_sender returns it for a caller with a session. Fails '
  'with not_a_member, also if the account is disabled, archived or silenced.';

create or replace function app.post_as(
  author uuid, id uuid, channel uuid, body text, thread_root uuid default null, also_to_channel boolean default false,
  quote uuid default null, files jsonb default '[]'
) returns uuid
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  -- Before any lock, as in send_message.
  search_words constant tsvector := app.index_text(app.require_message_body(body, jsonb_array_length(files) > 0));
  to_channel constant boolean := post_as.thread_root is null or also_to_channel;
  sender app.sender;
  root public.messages;
  quoted record;
begin
  perform app.call_tasks_of_text(channel, post_as.body, files);
  if post_as.thread_root is not null then root := app.lock_root(post_as.thread_root, channel); end if;
  if (app.lock_new_message(post_as.id, channel, author, null)).is_sent then return post_as.id; end if;
  sender := app.require_writer(author, channel);
  perform app.require_posting(sender.access, post_as.thread_root, root, to_channel);
  if quote is not null then
    select m.deleted_at into quoted
    from public.messages m cross join lateral app.channel_access_of_person(author, m.channel_id) a
    where m.id = quote and m.history_seq >= a.history_from_seq;
    if not found then
      raise exception using errcode = 'PT404', message = 'not_found';
    elsif quoted.deleted_at is not null then
      raise exception using errcode = 'PT409', message = 'message_deleted';
    end if;
  end if;
  if files <> '[]' and exists (
    select from jsonb_array_elements(files) f
    where not exists (select from storage.objects o where o.bucket_id = 'files' and o.name = app.file_path(channel, f))
      or exists (select from public.file_deletion_queue q where q.bucket_id = 'files' and q.name = app.file_path(channel, f)))
  then
    raise exception using errcode = 'PT409', message = 'attachments_missing';
  end if;
  perform app.insert_message(sender, post_as.id, channel, post_as.body, search_words, root, to_channel,
    case when quote is not null then jsonb_build_object('quote', jsonb_build_object('message_id', quote)) end, files);
  return post_as.id;
end
$$;

create or replace function app.move_message(
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

create or replace function app.queue_link_previews(message public.messages) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform app.add_job('link_preview', message.id, '{}');
end
$$;

create or replace function app.change_link_previews() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- The job of the earlier text. Deleted under the lock of the message, which begin_link_previews takes first.
  delete from public.jobs j where j.owner_id = new.id and j.kind = 'link_preview';
  if new.deleted_at is null then
    -- Switched off, a link that is taken out of a text still loses its preview.
    if app.fetches_link_previews(new.channel_id) or new.extras ? 'previews' then perform app.queue_link_previews(new); end if;
  elsif new.extras ? 'moved_to' then
    update public.message_previews p set message_id = (new.extras #>> '{moved_to,message_id}')::uuid
    where p.message_id = new.id;
  else
    delete from public.message_previews p where p.message_id = new.id;
  end if;
  return null;
end
$$;

create or replace function app.text_to_split(content text) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  return translate(app.fold_text(case when strpos(content, '<') > 0
    then regexp_replace(content, '<[@!#][^<>]*>', ' ', 'g') else content end), E'\u00AD\u200B\u200D\u2060\uFEFF', '');
end
$$;

create or replace function app.ordered_words(content text) returns text[]
language plpgsql immutable set search_path = ''
as $$
declare
  unspaced constant text := app.unspaced_letters();
  folded constant text := btrim(app.fold_phrase(content));
begin
  if folded = '' then return '{}'; end if;
  if octet_length(folded) <= 100 and octet_length(folded) = char_length(folded) then return string_to_array(folded, ' '); end if;
  if octet_length(folded) = char_length(folded) or folded !~ unspaced then
    return array(
      select left(p.part, 100) from unnest(string_to_array(folded, ' ')) with ordinality p (part, ordinal) order by p.ordinal);
  end if;
  -- One statement for all runs: appending to an array run by run would copy it each time. The planner expects few
  -- rows from an array. Its estimates for functions that return sets would cause JIT compilation. The last character of a run
  -- is a word too, or it would be found only with the one before it.
  return array(
    select left(w.word, 100)
    from unnest(string_to_array(folded, ' ')) with ordinality p (part, ordinal)
    cross join lateral (
      select p.part as word, 0::bigint as ordinal where p.part !~ unspaced
      union all
      select concat(s.letter, lead(s.letter) over (order by s.ordinal)), s.ordinal
      from unnest(string_to_array(p.part, null)) with ordinality s (letter, ordinal) where p.part ~ unspaced) w
    order by p.ordinal, w.ordinal);
end
$$;

create or replace function app.fold_phrase(content text) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  separators constant text := app.word_separators();
  others text;
  folded text := app.text_to_split(content);
  has_signs constant boolean := strpos(folded, '+') > 0 or strpos(folded, '#') > 0;
begin
  if octet_length(folded) > char_length(folded) then
    folded := regexp_replace(folded, '(' || app.unspaced_letters() || '+)', ' \1 ', 'g');
  end if;
  -- `C++`, `A+` and `C#` are words, `a+b` and `page#top` are two. Private characters replace these signs until the other
  -- signs are separators. If the text itself contains private characters, they separate words.
  if has_signs then
    -- The beginning of a class of all characters that are not separators.
    others := '[^' || substr(separators, 2, char_length(separators) - 3);
    folded := translate(folded, E'\uE000\uE001', '  ');
    folded := regexp_replace(folded, '(' || others || '])\+\+(?!' || others || '0-9])', E'\\1\uE000\uE000 ', 'g');
    folded := regexp_replace(folded, '(' || others || '\uE000])\+(?!' || others || '])', E'\\1\uE000 ', 'g');
    folded := regexp_replace(folded, '(' || others || '\uE000])#(?!' || others || '])', E'\\1\uE001 ', 'g');
  end if;
  folded := ' ' || btrim(regexp_replace(folded, separators, ' ', 'g')) || ' ';
  return case when has_signs then translate(folded, E'\uE000\uE001', '+#') else folded end;
end
$$;

create function app.search_segment(rev bigint) returns bigint
language sql immutable
as $$ select rev >> 12 $$;
comment on function app.search_segment is
  'The segment of a message that was stored with this rev. Each message takes at least one rev, so a segment contains at most '
  '4,096 messages.';

create or replace function app.search_terms(channel uuid, segment bigint, words tsvector) returns tsvector
language plpgsql immutable set search_path = ''
as $$
declare
  prefix constant text := app.search_prefix(channel, segment);
begin
  if words = '' then return words; end if;
  -- By strings, since a query would cost more than the rest of the index. Words contain no spaces.
  return array_to_tsvector(string_to_array(prefix || array_to_string(tsvector_to_array(words), ' ' || prefix), ' '));
end
$$;

create function app.marks_of_new_message(message public.messages) returns text[]
language plpgsql immutable set search_path = ''
as $$
declare
  marks text[] := array['=from:' || message.author_id];
begin
  if message.thread_root is not null or message.reply_count > 0 then marks := marks || '=thread'::text; end if;
  if message.extras ? 'poll' then marks := marks || '=poll'::text; end if;
  if message.body ~ '[<`]|://' then marks := marks || app.text_marks(message.body); end if;
  return marks;
end
$$;
comment on function app.marks_of_new_message is
  'As message_marks, without what a new message cannot have: triggers mark reactions and pins. Without the marks of files.';

create or replace function app.complete_search_words() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
declare
  indexed public.messages;
  files record;
  marks text[];
begin
  if tg_op = 'INSERT' then
    select m.* into indexed from public.messages m where m.id = new.message_id;
    new.segment := coalesce(app.search_segment(indexed.rev), 0);
    insert into public.search_segments as s (channel_id, segment, first_at, last_at)
    values (new.channel_id, new.segment, new.created_at, new.created_at)
    on conflict (channel_id, segment) do update
    set first_at = least(s.first_at, excluded.first_at), last_at = greatest(s.last_at, excluded.last_at)
    where s.channel_id = excluded.channel_id;
    if indexed.id is null then return new; end if;
    -- Most commands split the text themselves, before they lock the channel; a copy has its marks already.
    if new.words = strip(new.words) and not new.words @@ '''=from:'':*'::tsquery then
      new.words := app.index_text(app.searchable_text(indexed.body, indexed.extras));
    end if;
    marks := app.marks_of_new_message(indexed);
    select string_agg(a.name, ' ') as names, bool_or(a.type like 'image/%') as has_image into files
    from public.attachments a where a.message_id = new.message_id;
    if files.names is not null then
      marks := marks || '=file'::text || app.split_words(files.names);
      if files.has_image then marks := marks || '=image'::text; end if;
    end if;
    new.words := new.words || array_to_tsvector(marks);
    if files.names is not null then new.words := app.with_file_words(new.words, new.message_id); end if;
  elsif not new.words @@ '''=from:'':*'::tsquery then
    new.words := new.words || array_to_tsvector(
      array(select w from unnest(tsvector_to_array(old.words)) w where w like '=%' and w <> '=long')
        || coalesce(app.file_words(new.message_id), '{}'));
    if new.words @@ '''=file'''::tsquery then new.words := app.with_file_words(new.words, new.message_id); end if;
  end if;
  return new;
end
$$;
comment on function app.complete_search_words is
  'Adds the marks of a message and the words of its files to the words of its text; an edit keeps the marks. Sets the segment '
  'of a new row, and extends its times to that of the message.';

create or replace function app.queue_webhook_deliveries(message public.messages) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  webhook public.outgoing_webhooks;
  beginning constant text := left(ltrim(message.body, E' \t\r\n'), 300);
  first_word text;
  folded text;
begin
  first_word := app.fold_text(substring(beginning from '^\S{1,100}'));
  -- A mention is no word, and the word after it is not the first one.
  folded := case when beginning like '<%' then '' else app.fold_phrase(beginning) end;
  for webhook in
    select h.* from public.outgoing_webhooks h
    where h.channel_id = message.channel_id and h.disabled_at is null
      and (cardinality(h.words) = 0 or app.has_trigger_word(first_word, folded, h.words))
  loop
    if 1000 <= (select count(*) from (
      select from public.jobs j where j.owner_id = webhook.id and j.failed_at is null limit 1000) waiting)
    then
      update public.outgoing_webhooks h set disabled_at = now(), problem = 'Too many deliveries were waiting.'
      where h.id = webhook.id;
      continue;
    end if;
    perform app.add_job('webhook', webhook.id, jsonb_build_object('message_id', message.id));
  end loop;
end
$$;
comment on function app.queue_webhook_deliveries is
  'Adds a delivery of a new message for each webhook of its channel. Not for messages of bots: two bots could answer each other '
  'forever.';

create or replace function app.show_response(
  invocation public.command_invocations, body text, in_channel boolean, replaces boolean
) returns void
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  command public.bot_commands;
  root public.messages;
begin
  select k.* into command from public.bot_commands k where k.id = invocation.command_id;
  -- Neither a bot that was removed nor a caller who was gets anything any more.
  if not exists (
      select from public.bots b cross join lateral app.channel_access_of_person(b.profile_id, invocation.channel_id) a
      where b.profile_id = command.bot_id and b.token_expires_at > now() and a.member)
    or not exists (
      select from app.channel_access_of_person(invocation.profile_id, invocation.channel_id) a where a.member)
  then
    raise exception using errcode = 'PT403', message = 'not_a_member';
  end if;
  if in_channel and body is not null then
    perform app.post_as_bot(command.bot_id, invocation.channel_id, body, invocation.thread_root);
    -- Nobody posts through a bot what they may not write themselves. Checked under the locks of the message.
    select m.* into root from public.messages m where m.id = invocation.thread_root;
    perform app.require_posting((app.require_writer(invocation.profile_id, invocation.channel_id)).access,
      invocation.thread_root, root, invocation.thread_root is null);
    perform app.require_permitted_text(invocation.profile_id, invocation.channel_id, body, true);
  end if;
  if replaces then
    delete from public.command_responses r where r.invocation_id = invocation.id and r.state <> 'pending';
  end if;
  if in_channel or body is null then
    delete from public.command_responses r where r.id = invocation.id and r.state <> 'shown';
    return;
  end if;
  update public.command_responses r
  set state = 'shown', body = show_response.body, problem = null, rev = nextval('app.command_response_revs')
  where r.id = invocation.id and r.state <> 'shown';
  if not found then
    perform app.add_command_response(gen_random_uuid(), invocation, command, 'shown', body);
  end if;
end
$$;

create or replace function app.queue_push(message public.messages) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform app.add_job('push_message', message.channel_id, jsonb_strip_nulls(jsonb_build_object(
    'message_id', message.id, 'edited_at', message.edited_at)));
end
$$;

create function app.queue_mail(message public.messages, is_direct boolean) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  if (is_direct or strpos(message.body, '<@') > 0 or strpos(message.body, '<!') > 0) and not exists (
    select from public.settings s where s.key = 'mail_off_until' and (s.value #>> '{}')::timestamptz > now())
  then
    perform app.add_job('mail_message', message.id, jsonb_strip_nulls(jsonb_build_object('edited_at', message.edited_at)));
  end if;
end
$$;
comment on function app.queue_mail is
  'Adds one job for a new or edited message that could be mailed, however many people read it. `is_direct`: a new message of a '
  'direct conversation, which needs no mention.';

create or replace function app.queue_notifications_of_edit() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if exists (select from public.push_subscriptions) then perform app.queue_push(new); end if;
  perform app.queue_mail(new, false);
  return null;
end
$$;

create trigger search_words_are_completed before insert on public.message_search
  for each row when (new.segment is null) execute function app.complete_search_words();
comment on trigger search_words_are_completed on public.message_search is
  'Here rather than in the commands, so that copies, imports and tests index the same. A row with its segment is complete: '
  'insert_message inserts one for a message without files.';

create trigger changed_search_words_are_completed before update of words on public.message_search
  for each row execute function app.complete_search_words();
comment on type app.sender is
  'What decides whether a person may send a message to a channel, and what the message causes. `access`: as of '
  'app.channel_access_of; with the properties of the channel also if the person may not read it, and then without profile_id. '
  '`has_devices`: whether anybody on this server receives push notifications. `needs_unread_hint`: whether '
  'somebody may be looking at another workspace. `meta_rev`: of the channel, which increases whenever the channel or its members change.';
comment on type app.new_message_lock is
  'What app.lock_new_message has found. `is_sent`: the author has sent the message with this id already. `is_same`: what the '
  'author may do has not changed since it was read, because the lock was free, and the channel and its members have not changed.';

drop function app.record_new_message;
drop function app.extend_search_segments;
drop function app.notify_new_message;
