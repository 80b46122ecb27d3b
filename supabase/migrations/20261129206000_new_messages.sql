-- Everything that a new message causes is named in order by one function, app.publish_new_message, in place of ten triggers.

drop trigger queue_link_previews on public.messages;
drop trigger queue_webhook_deliveries on public.messages;
drop trigger queue_push on public.messages;
drop trigger queue_push_of_edit on public.messages;
drop trigger queue_mail on public.messages;
drop trigger queue_mail_of_edit on public.messages;
drop trigger silenced_people_write_nothing on public.messages;
drop trigger new_texts_are_checked on public.messages;
drop trigger first_unread_messages_are_announced on public.messages;
drop trigger message_changes_are_recorded on public.messages;
drop trigger change_link_previews on public.messages;
drop trigger edited_texts_are_checked on public.messages;
drop trigger messages_are_broadcast on public.messages;
drop function app.queue_link_previews;
drop function app.queue_webhook_deliveries;
drop function app.queue_push;
drop function app.queue_mail;
drop function app.notify_first_unread;

create function app.record_new_message(message public.messages) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  insert into public.message_changes (message_id, channel_id, rev, history_seq, change_id)
  select message.id, message.channel_id, message.rev, message.history_seq, k.change_id
  from public.channel_counters k where k.channel_id = message.channel_id;
end
$$;
comment on function app.record_new_message is 'Adds a new message to message_changes.';

create function app.publish_new_message(message public.messages) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform app.record_new_message(message);
  if message.kind = 'text' and message.seq is not null then perform app.notify_first_unread(message); end if;
  perform app.notify_new_message(message);
  if message.kind <> 'text' or message.extras -> 'moved' is not null then return; end if;
  if message.body ~ '://|www\.' then perform app.queue_link_previews(message); end if;
  perform app.queue_webhook_deliveries(message);
  perform app.queue_push(message);
  perform app.queue_mail(message);
end
$$;
comment on function app.publish_new_message is
  'Everything that a new row of messages causes, in this order. The change record comes first, because every event leads '
  'clients to fetch changes. Events follow: the unread hint for people who look at another workspace, the message for the '
  'readers of the channel, and in direct conversations an event for each reader. Jobs come last, because they run after the '
  'commit and only need the id: link previews, webhooks, push, mail. System messages and copies of moved messages cause no '
  'jobs, since nobody has written anything new. Each function that inserts a message calls it next, under the lock of the '
  'channel.';

create or replace function app.post_system_message(channel uuid, author uuid, note jsonb) returns bigint
language plpgsql volatile security definer set search_path = ''
as $$
declare
  counters public.channel_counters;
  posted public.messages;
begin
  if app.is_silenced(author, channel) then
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
  perform app.publish_new_message(posted);
  return counters.last_seq;
end
$$;
comment on function app.post_system_message is
  'Inserts a system message (someone joined, left or changed the channel) and returns its seq. A silenced person joins and '
  'leaves without a message, and the function returns the last seq of the channel. Fails with silenced if a silenced person '
  'causes another event.';

create or replace function app.insert_message(
  access app.channel_access, id uuid, channel uuid, body text, words tsvector, root public.messages, to_channel boolean,
  extras jsonb, files jsonb
) returns public.messages
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  is_reply constant boolean := root.id is not null;
  counters public.channel_counters;
  sent public.messages;
  mentioned uuid[] := '{}';
begin
  perform app.require_permitted_text(access.profile_id, channel, insert_message.body, true);
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
  perform app.publish_new_message(sent);
  insert into public.message_search (message_id, channel_id, history_seq, created_at, words)
  values (sent.id, channel, sent.history_seq, sent.created_at, insert_message.words);
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
    update public.channel_member_state s set hidden = false where s.channel_id = channel and s.hidden;
  end if;
  return sent;
end
$$;
comment on function app.insert_message is
  'Inserts a message of the person with this access, with its search terms, files (as checked_files returned them) and '
  'mentions, and updates its thread. Checks only app.require_permitted_text; needs the locks of lock_new_message.';

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
  perform app.publish_new_message(copy);

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

create function app.queue_link_previews(message public.messages) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- Switched off, a link that is taken out of a text still loses its preview.
  if not app.fetches_link_previews(message.channel_id) and not coalesce(message.extras ? 'previews', false) then
    return;
  end if;
  perform app.add_job('link_preview', message.id, '{}');
end
$$;
comment on function app.queue_link_previews is
  'Adds a job for the links of a text, whose owner is the message.';

create function app.change_link_previews() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- The job of the earlier text. Deleted under the lock of the message, which begin_link_previews takes first.
  delete from public.jobs j where j.owner_id = new.id and j.kind = 'link_preview';
  if new.deleted_at is null then
    perform app.queue_link_previews(new);
  elsif new.extras ? 'moved_to' then
    update public.message_previews p set message_id = (new.extras #>> '{moved_to,message_id}')::uuid
    where p.message_id = new.id;
  else
    delete from public.message_previews p where p.message_id = new.id;
  end if;
  return null;
end
$$;
comment on function app.change_link_previews is
  'Queues the links of a changed text. What belongs to a deleted message is deleted; what belongs to one that was moved goes '
  'with it.';

create function app.queue_webhook_deliveries(message public.messages) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  webhook public.outgoing_webhooks;
  beginning constant text := left(ltrim(message.body, E' \t\r\n'), 300);
  first_word text;
  folded text;
begin
  if not exists (select from public.outgoing_webhooks h where h.channel_id = message.channel_id) then return; end if;
  -- Two bots could answer each other forever.
  if exists (select from public.profiles p where p.id = message.author_id and p.kind = 'bot') then return; end if;
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
  'Adds a delivery of a new message for each webhook of its channel. Messages of bots are not delivered.';

create function app.queue_push(message public.messages) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  if not exists (select from public.push_subscriptions) then return; end if;
  perform app.add_job('push_message', message.channel_id, jsonb_strip_nulls(jsonb_build_object(
    'message_id', message.id, 'edited_at', message.edited_at)));
end
$$;
comment on function app.queue_push is
  'Adds one job for a new or edited message, however many people it notifies. The recipients are determined when it is claimed.';

create function app.queue_mail(message public.messages) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  if (strpos(message.body, '<@') > 0 or strpos(message.body, '<!') > 0
      or (message.edited_at is null
        and exists (select from public.channels c where c.id = message.channel_id and c.kind in ('direct', 'group'))))
    and not exists (
      select from public.settings s
      where s.key = 'mail_off_until' and (s.value #>> '{}')::timestamptz > now())
  then
    perform app.add_job('mail_message', message.id, jsonb_strip_nulls(jsonb_build_object('edited_at', message.edited_at)));
  end if;
end
$$;
comment on function app.queue_mail is
  'Adds one job for a new or edited message that could be mailed, however many people read it.';

create function app.queue_notifications_of_edit() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform app.queue_push(new);
  perform app.queue_mail(new);
  return null;
end
$$;
comment on function app.queue_notifications_of_edit is 'Queues push and mail of an edited message.';

create or replace function app.keep_blocked_hidden() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if exists (select from public.blocks b where b.profile_id = new.profile_id) and exists (
    select from public.channels c
    where c.id = new.channel_id and case c.kind
      when 'direct' then c.id = any (app.blocked_directs(new.profile_id))
      -- Shown by messages of others: notify_new_message stores the new one here.
      when 'group' then app.has_blocked(new.profile_id,
        (nullif(current_setting('app.new_message', true), '')::jsonb ->> 'author_id')::uuid)
      else false end)
  then
    new.hidden := true;
  end if;
  return new;
end
$$;

create function app.check_edited_text() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform app.require_permitted_text(new.author_id, new.channel_id, new.body, false);
  return new;
end
$$;
comment on function app.check_edited_text is 'Fails as app.require_permitted_text does.';

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

create function app.notify_new_message(message public.messages) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  message_json jsonb;
begin
  if app.is_hidden_from_some_reader(message) then
    perform app.notify_channel(message.channel_id, 'rev', jsonb_build_object(
      'channel_id', message.channel_id, 'rev', message.rev));
  else
    message_json := app.messages_as_json(array[message.id], null) -> 0;
    perform app.notify_channel(message.channel_id, 'message', jsonb_build_object(
      'channel_id', message.channel_id, 'rev', message.rev, 'message', message_json));
  end if;
  -- A new message has no reactions, so send_message returns the same JSON: building it twice would lock the channel longer.
  perform set_config('app.new_message', coalesce(message_json::text, ''), true);
  if exists (select from public.channels c where c.id = message.channel_id and c.kind in ('direct', 'group')) then
    perform app.notify_user(r.profile_id, 'activity', jsonb_build_object(
      'channel_id', message.channel_id, 'seq', message.seq, 'rev', message.rev, 'mention', false))
    from app.channel_readers(message.channel_id) r where r.profile_id <> message.author_id;
  end if;
end
$$;
comment on function app.notify_new_message is
  'Broadcasts a new message to the readers of its channel; only the rev if it is before some member''s history start. Each '
  'reader of a direct conversation has an event of their own.';

create function app.notify_message_change() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  reaction constant text := nullif(current_setting('app.reaction', true), '');
begin
  -- A broadcast contains who reacted: an anonymous vote is announced by its number only.
  if reaction = 'anonymous' or app.is_hidden_from_some_reader(new) then
    perform app.notify_channel(new.channel_id, 'rev', jsonb_build_object('channel_id', new.channel_id, 'rev', new.rev));
  elsif (old.body, old.edited_at, old.deleted_at, old.extras)
    is distinct from (new.body, new.edited_at, new.deleted_at, new.extras)
  then
    perform app.notify_channel(new.channel_id, 'message', jsonb_build_object('channel_id', new.channel_id,
      'rev', new.rev, 'message', app.messages_as_json(array[new.id], null) -> 0));
  else
    perform app.notify_channel(new.channel_id, 'changed', jsonb_build_object('channel_id', new.channel_id,
        'rev', new.rev, 'message_id', new.id, 'before', old.rev)
      || case when reaction is null then jsonb_build_object('changes', jsonb_build_object(
          'last_thread_seq', new.last_thread_seq, 'reply_count', new.reply_count,
          'reply_people', to_jsonb(new.reply_people), 'last_reply_at', new.last_reply_at,
          'pinned_at', (select p.pinned_at from public.pins p where p.message_id = new.id)))
        else jsonb_build_object('reaction', app.reaction_as_json(new.id, reaction::jsonb)) end);
  end if;
  return null;
end
$$;
comment on function app.notify_message_change is
  'Broadcasts each change of a message with its rev: the whole message if its text is new, else what changed; only the '
  'rev if the message is before some member''s history start.';

create function app.notify_first_unread(message public.messages) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform app.notify_user(r.profile_id, 'unread', jsonb_build_object(
    'workspace_id', r.workspace_id, 'channel_id', message.channel_id))
  from (
    select m.profile_id, c.workspace_id
    from public.channels c
    join public.channel_members m on m.channel_id = c.id and m.profile_id <> message.author_id
    left join public.channel_member_state s on s.channel_id = c.id and s.profile_id = m.profile_id
    join public.profiles p on p.id = m.profile_id and cardinality(p.workspace_ids) > 1
    join public.heartbeats h on h.profile_id = p.id and h.seen_at > now() - interval '150 seconds'
    where c.id = message.channel_id and c.kind in ('public', 'private')
      and s.muted is not true and greatest(s.last_read_seq, m.history_from_seq - 1) >= message.seq - 1
      and (m.expires_at is null or m.expires_at > now())
    order by h.seen_at desc limit 100) r;
end
$$;
comment on function app.notify_first_unread is
  'Announces the first unread message of a channel to members who are present and in several workspaces, since they may '
  'be looking at another one: at most 100, others find it by their next summary. Direct messages and mentions are '
  'announced to everyone already, and replies that are only in their thread to those who follow it.';

create trigger message_changes_are_recorded after update of rev on public.messages
  for each row execute function app.record_message_change();
comment on trigger message_changes_are_recorded on public.messages is
  'Runs under the lock of the channel''s counters, like the change of the rev itself.';

create trigger change_link_previews after update of body on public.messages
  for each row when (old.kind = 'text' and old.body <> new.body and (old.body ~ '://|www\.' or new.body ~ '://|www\.'))
  execute function app.change_link_previews();

create trigger queue_notifications_of_edit after update of body on public.messages
  for each row when (old.body <> new.body and new.kind = 'text' and new.deleted_at is null and new.edited_at is not null
    and (new.extras -> 'moved') is null)
  execute function app.queue_notifications_of_edit();

create trigger edited_texts_are_checked before update of body on public.messages
  for each row when (new.body <> old.body and new.deleted_at is null and new.author_id is not null)
  execute function app.check_edited_text();
comment on trigger edited_texts_are_checked on public.messages is 'A link cannot be added later.';

create trigger messages_are_broadcast after update of rev on public.messages
  for each row execute function app.notify_message_change();

drop function app.check_new_text;
drop function app.notify_message;
