-- Broadcasts of messages carry the text only where the text is new. A reaction, a pin or a reply below sends what changed,
-- with the rev that it follows: a client that holds another one asks for the changes. So one stored broadcast at a time
-- carries a message's text, and taking the text out of it is one look-up by the time at which it was sent.

alter table public.messages add column broadcast_at timestamptz;
alter table public.messages alter column broadcast_at set default now();
comment on column public.messages.broadcast_at is
  'Start of the transaction that broadcast the present text: the stored broadcast has the same time.';

-- Until now each change was stored with the text. Whoever replays these asks for the changes instead.
update realtime.messages b
set event = 'rev',
  payload = jsonb_build_object('channel_id', b.payload -> 'channel_id', 'rev', b.payload -> 'rev', 'id', b.payload -> 'id')
where b.extension = 'broadcast' and b.private is true and b.event = 'message' and b.topic like 'channel:%';

create or replace function app.tell_channel(channel uuid, event text, payload jsonb) returns void
language plpgsql volatile security definer set search_path = '' set timezone = 'UTC'
as $$
begin
  perform realtime.send(payload, event, 'channel:' || channel || ':' || k.epoch, true)
  from public.channel_counters k where k.channel_id = channel;
end
$$;
comment on function app.tell_channel is
  'Broadcasts to all who receive a channel now. In UTC whatever the session''s time zone is: hosted stores the time of a '
  'broadcast in that of the session, and app.empty_broadcasts looks for it.';

create or replace function app.empty_broadcasts(said public.messages) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  update realtime.messages b
  set event = 'rev', payload = jsonb_build_object('channel_id', said.channel_id, 'rev', b.payload -> 'rev')
  where b.inserted_at = said.broadcast_at at time zone 'UTC'
    and b.extension = 'broadcast' and b.private is true
    and b.topic like 'channel:' || said.channel_id || ':%'
    and b.payload -> 'message' ->> 'id' = said.id::text;
end
$$;
comment on function app.empty_broadcasts is
  'Removes a message''s text from the stored broadcast that carries it and may be replayed for days: deleted texts are '
  'gone, and earlier ones are their author''s alone.';

create function app.reaction_as_json(message uuid, changed jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return changed || coalesce((
    select r.value || jsonb_build_object('at', r.place - 1)
    from jsonb_array_elements(app.reactions_as_json(message, null)) with ordinality r (value, place)
    where r.value ->> 'emoji' = changed ->> 'emoji'
  ), '{"count": 0, "people": [], "at": 0}');
end
$$;
comment on function app.reaction_as_json is
  'A changed reaction, as it is now and where it stands among those of its message. Grows with no other reaction.';

create or replace function app.tell_message() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  reaction constant text := nullif(current_setting('app.reaction', true), '');
  has_new_text constant boolean := tg_op = 'INSERT'
    or (old.body, old.edited_at, old.deleted_at) is distinct from (new.body, new.edited_at, new.deleted_at);
  message jsonb;
begin
  if exists (
    select from public.channel_members m
    where m.channel_id = new.channel_id and m.history_from_seq > 1 and m.history_from_seq > new.base_seq
  ) then
    -- Some receiver may not read this one: they all ask, and each gets what is theirs.
    perform app.tell_channel(new.channel_id, 'rev', jsonb_build_object('channel_id', new.channel_id, 'rev', new.rev));
  elsif has_new_text then
    message := app.messages_as_json(array[new.id], null) -> 0;
    perform app.tell_channel(new.channel_id, 'message', jsonb_build_object('channel_id', new.channel_id,
      'rev', new.rev, 'message', message));
  else
    perform app.tell_channel(new.channel_id, 'changed', jsonb_build_object('channel_id', new.channel_id,
        'rev', new.rev, 'message_id', new.id, 'before', old.rev)
      || case when reaction is null then jsonb_build_object('changes', jsonb_build_object(
          'last_thread_seq', new.last_thread_seq, 'reply_count', new.reply_count,
          'reply_people', to_jsonb(new.reply_people), 'last_reply_at', new.last_reply_at,
          'pinned_at', (select p.pinned_at from public.pins p where p.message_id = new.id)))
        else jsonb_build_object('reaction', app.reaction_as_json(new.id, reaction::jsonb)) end);
  end if;
  if tg_op = 'INSERT' then
    -- Nobody's reaction is on it yet, so its author is answered the same: built twice it would hold the channel longer.
    perform set_config('app.said', coalesce(message::text, ''), true);
    if exists (select from public.channels c where c.id = new.channel_id and c.kind in ('direct', 'group')) then
      perform app.tell_person(m.profile_id, 'poke', jsonb_build_object(
        'channel_id', new.channel_id, 'seq', new.seq, 'rev', new.rev, 'mention', false))
      from app.channel_readers(new.channel_id) m where m.profile_id <> new.author_id;
    end if;
  end if;
  return null;
end
$$;
comment on function app.tell_message is
  'Broadcasts each change of a message with its rev: whole where its text is new, else what changed; as a bare number when '
  'it lies below some member''s history start.';

create or replace function public.edit_message(id uuid, body text, edit uuid default null) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  reading constant app.reading := app.require_live_message(edit_message.id);
  -- Before any lock, and the length before the splitting, which takes time in proportion to it.
  words_said constant text[] := app.split_words(app.require_body(edit_message.body,
    exists (select from public.attachments a where a.message_id = edit_message.id)));
  before constant public.messages := app.lock_message(edit_message.id);
  after public.messages;
  called uuid[];
begin
  if before.author_id <> reading.profile_id or before.kind <> 'text' then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  elsif before.deleted_at is not null then
    raise exception using errcode = 'PT409', message = 'message_deleted';
  end if;
  if edit_message.edit is not null then
    insert into public.message_edits (message_id, edit) values (before.id, edit_message.edit) on conflict do nothing;
    if not found then return app.one_message(before.id, reading.profile_id); end if;
  end if;
  if edit_message.body <> before.body then
    insert into public.message_revisions (message_id, rev, body, written_at)
    values (before.id, before.rev, before.body, coalesce(before.edited_at, before.created_at));
    update public.message_search s set words = array_to_tsvector(words_said) where s.message_id = before.id;
    perform app.empty_broadcasts(before);
    -- Asked again, as hold_live_message does.
    perform app.lock_channels(array[before.channel_id]);
    perform app.require_live_message(before.id);
    update public.messages m
    set body = edit_message.body, edited_at = clock_timestamp(), broadcast_at = now(),
      rev = app.next_rev(before.channel_id)
    where m.id = before.id returning * into after;
    delete from public.mentions n
    where n.message_id = before.id and n.kind = 'person' and n.profile_id <> all (app.mentioned_people(after.body));
    delete from public.mentions n
    where n.message_id = before.id and n.kind <> 'person' and strpos(after.body, '<!' || n.kind || '>') = 0;
    called := app.call_people(after);
    if after.thread_root is not null and cardinality(called) > 0 then
      perform app.follow_called(after, h, called) from public.messages h where h.id = after.thread_root;
    end if;
  end if;
  return app.one_message(before.id, reading.profile_id);
end
$$;

revoke execute on all functions in schema app from public;
