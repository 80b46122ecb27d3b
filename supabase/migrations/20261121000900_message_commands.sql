-- Commands that write messages. Each looks for what was already done before it takes a number, and takes numbers
-- only under the lock of the channel's counters, which is held until the end: so numbers have no holes, and the
-- order of numbers is the order in which everyone hears of them.

-- Helpers -----------------------------------------------------------------------------------------------

create function app.next_rev(channel uuid) returns bigint
language plpgsql volatile security definer set search_path = ''
as $$
declare
  taken bigint;
begin
  update public.channel_counters k set rev = k.rev + 1 where k.channel_id = channel returning k.rev into taken;
  return taken;
end
$$;
comment on function app.next_rev is 'The number of a change. Lock the messages that it concerns before.';

create function app.lock_message(message uuid) returns public.messages
language plpgsql volatile security definer set search_path = ''
as $$
declare
  wanted public.messages;
begin
  -- With its root, by id: who answers a thread and who deletes in it must not wait for each other.
  perform from public.messages m
  where m.id = message or m.id = (select r.thread_root from public.messages r where r.id = message)
  order by m.id for no key update;
  select * into wanted from public.messages m where m.id = message;
  return wanted;
end
$$;
comment on function app.lock_message is 'A message, locked together with its root, before any counter.';

create function app.require_message(message uuid) returns app.reading
language plpgsql stable security definer set search_path = ''
as $$
declare
  reading app.reading;
begin
  select (app.reading_of(m.channel_id)).* into reading from public.messages m where m.id = message;
  if reading.profile_id is null or not exists (
    select from public.messages m where m.id = message and m.base_seq >= reading.history_from_seq
  ) then
    perform app.require_profile();
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  return reading;
end
$$;
comment on function app.require_message is
  'What the caller is to the channel of a message that they may read; fails with not_found.';

create function app.require_live_message(message uuid) returns app.reading
language plpgsql stable security definer set search_path = ''
as $$
declare
  reading constant app.reading := app.require_message(message);
begin
  if not reading.member then
    raise exception using errcode = 'PT403', message = 'not_a_member';
  end if;
  if reading.archived_at is not null then
    raise exception using errcode = 'PT409', message = 'archived';
  end if;
  return reading;
end
$$;
comment on function app.require_live_message is 'As require_message, and the caller belongs to its channel, which is not archived.';

create function app.require_body(body text, may_be_empty boolean) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  if body is null or (btrim(body, E' \t\r\n') = '' and not may_be_empty) then
    raise exception using errcode = 'PT400', message = 'messages_not_empty';
  elsif char_length(body) > 20000 then
    raise exception using errcode = 'PT400', message = 'messages_body_length';
  end if;
  return body;
end
$$;
comment on function app.require_body is 'What may be said; fails with messages_not_empty or messages_body_length.';

create function app.attach(message uuid, channel uuid, wanted jsonb) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  file jsonb;
  place integer := 0;
  made_of jsonb;
  path text;
begin
  for file in select f from jsonb_array_elements(wanted) f loop
    path := channel || '/' || lower(file ->> 'id') || '/file';
    if app.upload_in_path(path) is null
      or coalesce(file ->> 'name', '') !~ '^[^[:cntrl:]/\\]{1,255}$'
    then
      raise exception using errcode = 'PT400', message = 'bad_attachment';
    end if;
    select o.metadata into made_of from storage.objects o
    where o.bucket_id = 'files' and o.name = path and o.owner_id = auth.uid()::text
      and o.created_at > now() - interval '1 day'
      and not exists (select from public.file_removals r where r.bucket_id = 'files' and r.name = path);
    if not found then
      raise exception using errcode = 'PT409', message = 'attachments_missing';
    end if;
    insert into public.attachments (message_id, upload_id, upload_channel_id, position, name, type, size, width,
      height, thumb)
    values (message, app.upload_in_path(path), channel, place, file ->> 'name',
      coalesce(made_of ->> 'mimetype', 'application/octet-stream'), coalesce((made_of ->> 'size')::bigint, 0),
      (file ->> 'width')::integer, (file ->> 'height')::integer, coalesce((file ->> 'thumb')::boolean, false));
    place := place + 1;
  end loop;
end
$$;
comment on function app.attach is
  'Names the caller''s own fresh uploads of this channel as files of a message; size and type are what storage saw.';

create function app.call_people(said public.messages, reading app.reading) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  wanted constant uuid[] := app.mentioned_people(said.body);
begin
  if cardinality(wanted) > 0 then
    insert into public.mentions (message_id, channel_id, kind, profile_id, author_id, seq)
    select said.id, said.channel_id, 'person', r.profile_id, said.author_id, said.seq
    from app.channel_readers(said.channel_id) r
    where r.profile_id = any (wanted) and r.profile_id <> said.author_id and r.history_from_seq <= said.base_seq
    on conflict do nothing;
  end if;
  if strpos(said.body, '<!') > 0 then
    insert into public.mentions (message_id, channel_id, kind, author_id, seq)
    select said.id, said.channel_id, k.kind, said.author_id, said.seq
    from (values ('channel'), ('here')) k (kind)
    where strpos(said.body, '<!' || k.kind || '>') > 0
    on conflict do nothing;
  end if;
end
$$;
comment on function app.call_people is
  'Keeps whom a message calls, of those who can read it: a mention tells nobody of a room they cannot enter.';

create function app.forget_reply(root uuid, root_rev bigint) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  with recent as (
    -- Faces come from the latest replies alone, so that a long thread costs no more than a short one.
    select r.author_id, r.created_at, r.thread_seq
    from public.messages t
    join public.messages r on r.channel_id = t.channel_id and r.thread_root = t.id and r.deleted_at is null
    where t.id = root order by r.thread_seq desc limit 100
  )
  update public.messages m
  set rev = root_rev, reply_count = m.reply_count - 1,
    last_reply_at = (select max(recent.created_at) from recent),
    reply_people = array(
      select recent.author_id from recent group by recent.author_id order by max(recent.thread_seq) desc limit 3)
  where m.id = root;
end
$$;
comment on function app.forget_reply is 'Tells a root that one of its replies was deleted.';

create function app.empty_broadcasts(said public.messages) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- None can be older than the message itself.
  update realtime.messages b
  set event = 'rev', payload = jsonb_build_object('channel_id', said.channel_id, 'rev', b.payload -> 'rev')
  where b.inserted_at >= (said.created_at at time zone 'UTC') - interval '1 minute'
    and b.extension = 'broadcast' and b.private is true
    and b.topic like 'channel:' || said.channel_id || ':%'
    and b.payload -> 'message' ->> 'id' = said.id::text;
end
$$;
comment on function app.empty_broadcasts is
  'Takes a message''s words out of what was said of it and may be replayed for days: deleted ones are gone, and '
  'earlier ones are their author''s alone.';

create function app.one_message(id uuid, viewer uuid) returns jsonb
language sql stable security definer set search_path = ''
as $$ select jsonb_build_object('message', app.messages_as_json(array[one_message.id], viewer) -> 0) $$;
comment on function app.one_message is 'The answer of the commands that change one message.';

-- Sending -----------------------------------------------------------------------------------------------

create function public.send_message(
  id uuid, channel uuid, body text, thread_root uuid default null, also_to_channel boolean default false,
  attachments jsonb default '[]'
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  reading app.reading := app.require_reader(channel);
  files constant jsonb := coalesce(send_message.attachments, '[]');
  to_channel constant boolean := send_message.thread_root is null or coalesce(also_to_channel, false);
  words_said text[];
  root public.messages;
  counters public.channel_counters;
  said public.messages;
begin
  if send_message.id is null or jsonb_typeof(files) <> 'array' then
    raise exception using errcode = 'PT400', message = 'bad_attachment';
  end if;
  -- Before any lock: cutting a long text into words must not hold up a channel.
  words_said := app.split_words(coalesce(send_message.body, ''));

  if send_message.thread_root is not null then
    select * into root from public.messages m
    where m.id = send_message.thread_root and m.channel_id = channel for no key update;
  end if;
  select * into counters from public.channel_counters k where k.channel_id = channel for update;
  -- Only under the lock does looking for the id mean anything: of two doubled requests one finds the other's row.
  select * into said from public.messages m where m.id = send_message.id;
  if said.id is not null then
    if said.author_id = reading.profile_id and said.channel_id = channel and said.kind = 'text' then
      return app.one_message(said.id, reading.profile_id) || jsonb_build_object('epoch', counters.epoch);
    end if;
    raise exception using errcode = 'PT409', message = 'conflict';
  end if;

  -- Asked again under the lock, which removing someone takes as well: their last word comes before, or not at all.
  reading := app.require_participant(channel);
  if to_channel and reading.posting = 'admins' and not app.manages(reading) then
    raise exception using errcode = 'PT403', message = 'posting_admins';
  end if;
  perform app.require_body(send_message.body, jsonb_array_length(files) > 0);
  if jsonb_array_length(files) > 10 then
    raise exception using errcode = 'PT400', message = 'attachments_at_most_ten';
  end if;
  if send_message.thread_root is not null then
    if root.id is null or root.base_seq < reading.history_from_seq then
      raise exception using errcode = 'PT404', message = 'not_found';
    elsif root.thread_root is not null or root.kind <> 'text' then
      raise exception using errcode = 'PT400', message = 'not_a_thread';
    elsif root.deleted_at is not null then
      raise exception using errcode = 'PT409', message = 'message_deleted';
    end if;
  end if;
  perform app.attach(send_message.id, channel, files);

  update public.channel_counters k
  set last_seq = k.last_seq + to_channel::integer, rev = k.rev + 1, last_at = greatest(clock_timestamp(), k.last_at)
  where k.channel_id = channel returning * into counters;
  insert into public.messages (id, channel_id, seq, thread_root, thread_seq, base_seq, rev, author_id, body, created_at)
  values (send_message.id, channel, case when to_channel then counters.last_seq end, send_message.thread_root,
    case when send_message.thread_root is not null then root.last_thread_seq + 1 end,
    case when to_channel then counters.last_seq else root.seq end, counters.rev, reading.profile_id,
    send_message.body, counters.last_at)
  -- In another channel the lock is another one: the id may have been taken there meanwhile.
  on conflict (id) do nothing
  returning * into said;
  if said.id is null then
    raise exception using errcode = 'PT409', message = 'conflict';
  end if;
  insert into public.message_search (message_id, channel_id, base_seq, created_at, words)
  values (said.id, channel, said.base_seq, said.created_at, array_to_tsvector(words_said));
  perform app.call_people(said, reading);

  if said.thread_root is not null then
    update public.messages m
    set last_thread_seq = said.thread_seq, reply_count = m.reply_count + 1, last_reply_at = said.created_at,
      reply_people = (array[said.author_id] || array_remove(m.reply_people, said.author_id))[1:3],
      rev = app.next_rev(channel)
    where m.id = said.thread_root;
    insert into public.thread_members (root_id, profile_id, last_read_thread_seq)
    values (said.thread_root, said.author_id, said.thread_seq), (said.thread_root, root.author_id, 0)
    on conflict do nothing;
  end if;
  if reading.kind in ('direct', 'group') then
    update public.channel_state s set hidden = false where s.channel_id = channel and s.hidden;
  end if;
  return app.one_message(said.id, reading.profile_id) || jsonb_build_object('epoch', counters.epoch);
end
$$;
comment on function public.send_message is
  'Says something, once however often it is asked: the client names the message, the server numbers it.';

-- Changing ----------------------------------------------------------------------------------------------

create function public.edit_message(id uuid, body text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  reading constant app.reading := app.require_live_message(edit_message.id);
  words_said constant text[] := app.split_words(coalesce(edit_message.body, ''));
  before constant public.messages := app.lock_message(edit_message.id);
  after public.messages;
begin
  if before.author_id <> reading.profile_id or before.kind <> 'text' then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  elsif before.deleted_at is not null then
    raise exception using errcode = 'PT409', message = 'message_deleted';
  end if;
  perform app.require_body(edit_message.body,
    exists (select from public.attachments a where a.message_id = before.id));
  if edit_message.body <> before.body then
    insert into public.message_revisions (message_id, rev, body, written_at)
    values (before.id, before.rev, before.body, coalesce(before.edited_at, before.created_at));
    update public.message_search s set words = array_to_tsvector(words_said) where s.message_id = before.id;
    perform app.empty_broadcasts(before);
    update public.messages m
    set body = edit_message.body, edited_at = clock_timestamp(), rev = app.next_rev(before.channel_id)
    where m.id = before.id returning * into after;
    delete from public.mentions n
    where n.message_id = before.id and n.kind = 'person' and n.profile_id <> all (app.mentioned_people(after.body));
    delete from public.mentions n
    where n.message_id = before.id and n.kind <> 'person' and strpos(after.body, '<!' || n.kind || '>') = 0;
    perform app.call_people(after, reading);
  end if;
  return app.one_message(before.id, reading.profile_id);
end
$$;
comment on function public.edit_message is 'Changes one''s own words; what they were is kept until the message is deleted.';

create function public.delete_message(id uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  reading constant app.reading := app.require_message(delete_message.id);
  before constant public.messages := app.lock_message(delete_message.id);
begin
  if before.kind <> 'text' or (before.author_id <> reading.profile_id and not app.manages(reading)) then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  if before.deleted_at is null then
    -- The bytes go once nothing else names them.
    insert into public.file_removals (bucket_id, name)
    select 'files', a.upload_channel_id || '/' || a.upload_id || '/' || part
    from public.attachments a, unnest(array['file', 'thumb']) part
    where a.message_id = before.id and not exists (
      select from public.attachments other
      where other.upload_id = a.upload_id and other.upload_channel_id = a.upload_channel_id
        and other.message_id <> before.id)
    on conflict do nothing;
    delete from public.attachments a where a.message_id = before.id;
    delete from public.message_revisions r where r.message_id = before.id;
    delete from public.message_search s where s.message_id = before.id;
    delete from public.mentions n where n.message_id = before.id;
    delete from public.reactions r where r.message_id = before.id;
    delete from public.pins p where p.message_id = before.id;
    perform app.empty_broadcasts(before);
    update public.messages m
    set body = '', deleted_at = clock_timestamp(), rev = app.next_rev(before.channel_id)
    where m.id = before.id;
    if before.thread_root is not null then
      perform app.forget_reply(before.thread_root, app.next_rev(before.channel_id));
    end if;
  end if;
  return app.one_message(before.id, reading.profile_id);
end
$$;
comment on function public.delete_message is
  'Empties a message: words, earlier words, files, signs and copies go, its numbers stay. One''s own, or any for '
  'those who manage the channel.';

revoke execute on function public.send_message, public.edit_message, public.delete_message
  from public, anon, authenticated, service_role;
grant execute on function public.send_message, public.edit_message, public.delete_message to authenticated;

revoke execute on all functions in schema app from public;
