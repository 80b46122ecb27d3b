-- The JSON of a new message and a changed reaction are results and arguments of functions, in place of session settings.

drop trigger messages_are_broadcast on public.messages;
drop function app.publish_new_message;
drop function app.insert_message;
drop function app.notify_new_message;

create function app.publish_new_message(message public.messages) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  message_json jsonb;
begin
  perform app.record_new_message(message);
  if message.kind = 'text' and message.seq is not null then perform app.notify_first_unread(message); end if;
  message_json := app.notify_new_message(message);
  if message.kind = 'text' and message.extras -> 'moved' is null then
    if message.body ~ '://|www\.' then perform app.queue_link_previews(message); end if;
    perform app.queue_webhook_deliveries(message);
    perform app.queue_push(message);
    perform app.queue_mail(message);
  end if;
  return message_json;
end
$$;
comment on function app.publish_new_message is
  'Everything that a new row of messages causes, in this order. The change record comes first, because every event leads '
  'clients to fetch changes. Events follow: the unread hint for people who look at another workspace, the message for the '
  'readers of the channel, and in direct conversations an event for each reader. Jobs come last, because they run after the '
  'commit and only need the id: link previews, webhooks, push, mail. System messages and copies of moved messages cause no '
  'jobs, since nobody has written anything new. Each function that inserts a message calls it next, under the lock of the '
  'channel. Returns the JSON of the message, which is the response of send_message too.';

create function app.insert_message(
  access app.channel_access, id uuid, channel uuid, body text, words tsvector, root public.messages, to_channel boolean,
  extras jsonb, files jsonb
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  is_reply constant boolean := root.id is not null;
  counters public.channel_counters;
  sent public.messages;
  message_json jsonb;
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
  message_json := app.publish_new_message(sent);
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
    -- A person who has blocked the author sees a hidden group again with the next message of somebody else.
    update public.channel_member_state s set hidden = false
    where s.channel_id = channel and s.hidden and not exists (
      select from public.blocks b where b.profile_id = s.profile_id and b.blocked_id = access.profile_id);
  end if;
  return message_json;
end
$$;
comment on function app.insert_message is
  'Inserts a message of the person with this access, with its search terms, files (as checked_files returned them) and '
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
  access app.channel_access := app.require_reader(channel);
  files constant jsonb := coalesce(send_message.attachments, '[]');
  requested constant jsonb := nullif(send_message.extras, 'null');
  checked jsonb;
  to_channel constant boolean := send_message.thread_root is null or coalesce(also_to_channel, false);
  search_words tsvector;
  locked record;
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
  perform app.require_extras_shape(requested);
  -- Before any lock, so that other senders do not wait while a long text is split.
  search_words := app.index_text(app.searchable_text(coalesce(send_message.body, ''), requested));
  perform app.call_tasks_of_text(channel, send_message.body, files);

  locked := app.lock_new_message(send_message.id, channel, access.profile_id, send_message.thread_root);
  if locked.is_sent then
    return app.message_response(send_message.id, access.profile_id) || jsonb_build_object('epoch', locked.epoch);
  end if;

  -- Checked again under the lock, which removing a member takes as well: nothing is sent after the removal.
  access := app.require_participant(channel);
  perform app.require_posting(access, send_message.thread_root, locked.root, to_channel);
  if send_message.on_web = false
    and exists (select from public.channels c where c.id = channel and c.web_since is not null)
  then
    raise exception using errcode = 'PT409', message = 'channel_on_web';
  end if;
  if requested is not null then checked := app.check_extras(requested, files); end if;
  message_json := app.insert_message(access, send_message.id, channel, send_message.body, search_words, locked.root,
    to_channel, checked, case when files = '[]' then files else app.checked_files(channel, files) end);
  if cardinality(send_message.drafts) > 0 then
    perform app.clear_draft(access.profile_id, channel, send_message.thread_root, send_message.id, send_message.drafts[1:20]);
  end if;
  return jsonb_build_object('message', message_json, 'epoch', locked.epoch);
end
$$;

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
  access app.channel_access;
  locked record;
  quoted record;
begin
  perform app.call_tasks_of_text(channel, post_as.body, files);
  locked := app.lock_new_message(post_as.id, channel, author, post_as.thread_root);
  if locked.is_sent then return post_as.id; end if;
  access := app.require_writer(author, channel);
  perform app.require_posting(access, post_as.thread_root, locked.root, to_channel);
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
  perform app.insert_message(access, post_as.id, channel, post_as.body, search_words, locked.root, to_channel,
    case when quote is not null then jsonb_build_object('quote', jsonb_build_object('message_id', quote)) end, files);
  return post_as.id;
end
$$;

create or replace function public.pin_message(message uuid, "on" boolean) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access constant app.channel_access := app.require_live_message(message);
  target constant public.messages := app.lock_live_message(message);
  pinned public.messages;
begin
  if access.workspace_role = 'guest' or target.kind <> 'text' then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  elsif target.deleted_at is not null then
    raise exception using errcode = 'PT409', message = 'message_deleted';
  end if;
  if pin_message."on" then
    insert into public.pins (message_id, channel_id, pinned_by)
    values (message, target.channel_id, access.profile_id) on conflict do nothing;
  else
    delete from public.pins p where p.message_id = message;
  end if;
  if found then
    update public.messages m set rev = app.next_rev(target.channel_id) where m.id = message returning * into pinned;
    perform app.notify_difference(pinned, target.rev, app.numbers_as_json(pinned));
  end if;
  return app.message_response(message, access.profile_id);
end
$$;

create or replace function app.broadcast_reaction(
  message public.messages, key text, person uuid, is_on boolean, is_anonymous boolean
) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  -- A vote that replaces another one is the second change of the message in this transaction.
  before constant bigint := (select m.rev from public.messages m where m.id = message.id);
  changed public.messages;
begin
  update public.messages m set rev = app.next_rev(message.channel_id) where m.id = message.id returning * into changed;
  -- Includes whose reaction changed, so that each client can update `mine`. An anonymous vote is announced by its number only.
  perform app.notify_difference(changed, before, case when not is_anonymous then jsonb_build_object(
    'reaction', app.reaction_as_json(message.id, jsonb_build_object('emoji', key, 'by', person, 'on', is_on))) end);
end
$$;

create or replace function app.keep_blocked_hidden() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if exists (select from public.blocks b where b.profile_id = new.profile_id)
    and new.channel_id = any (app.blocked_directs(new.profile_id))
  then
    new.hidden := true;
  end if;
  return new;
end
$$;
comment on function app.keep_blocked_hidden is
  'Keeps a direct conversation hidden from a person who has blocked the other one.';

create function app.notify_new_message(message public.messages) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  message_json constant jsonb := app.messages_as_json(array[message.id], null) -> 0;
begin
  if app.is_hidden_from_some_reader(message) then
    perform app.notify_channel(message.channel_id, 'rev', jsonb_build_object(
      'channel_id', message.channel_id, 'rev', message.rev));
  else
    perform app.notify_channel(message.channel_id, 'message', jsonb_build_object(
      'channel_id', message.channel_id, 'rev', message.rev, 'message', message_json));
  end if;
  if exists (select from public.channels c where c.id = message.channel_id and c.kind in ('direct', 'group')) then
    perform app.notify_user(r.profile_id, 'activity', jsonb_build_object(
      'channel_id', message.channel_id, 'seq', message.seq, 'rev', message.rev, 'mention', false))
    from app.channel_readers(message.channel_id) r where r.profile_id <> message.author_id;
  end if;
  return message_json;
end
$$;
comment on function app.notify_new_message is
  'Broadcasts a new message to the readers of its channel; only the rev if it is before some member''s history start. Each '
  'reader of a direct conversation has an event of their own. Returns the JSON of the message.';

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

create or replace function app.notify_message_change() returns trigger
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

