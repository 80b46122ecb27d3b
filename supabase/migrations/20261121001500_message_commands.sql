-- Commands that write messages, made anew: a reply moves the places of its thread's people, an edit has a name, and
-- what would change an archived channel is asked again under its lock.

create table public.message_edits (
  message_id uuid not null references public.messages (id) on delete cascade,
  edit uuid not null,
  primary key (message_id, edit)
);
comment on table public.message_edits is
  'Which named changes a message has had, so that one asked again, even after a later one, changes nothing.';
alter table public.message_edits enable row level security;
revoke all on public.message_edits from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.message_edits to service_role;

-- Helpers -----------------------------------------------------------------------------------------------

create function app.hold_live_message(message uuid) returns public.messages
language plpgsql volatile security definer set search_path = ''
as $$
declare
  held constant public.messages := app.lock_message(message);
begin
  perform app.lock_channels(array[held.channel_id]);
  perform app.require_live_message(message);
  return held;
end
$$;
comment on function app.hold_live_message is
  'A message, locked with its root and its channel, and the right to change it asked again under the locks: archiving and '
  'removing take the channel''s too, so that nothing changes after them.';

drop function app.call_people(public.messages, app.reading);

create function app.call_people(said public.messages) returns uuid[]
language plpgsql volatile security definer set search_path = ''
as $$
declare
  wanted constant uuid[] := app.mentioned_people(said.body);
  called uuid[] := '{}';
begin
  if cardinality(wanted) > 0 then
    with made as (
      insert into public.mentions (message_id, channel_id, kind, profile_id, author_id, seq, thread_root, thread_seq)
      select said.id, said.channel_id, 'person', p.id, said.author_id, said.seq, said.thread_root, said.thread_seq
      from unnest(wanted) p (id) cross join lateral app.person_reading(p.id, said.channel_id) r
      where p.id <> said.author_id and r.history_from_seq <= said.base_seq
      on conflict do nothing returning profile_id
    )
    select coalesce(array_agg(m.profile_id), '{}') into called from made m;
  end if;
  if strpos(said.body, '<!') > 0 then
    insert into public.mentions (message_id, channel_id, kind, author_id, seq, thread_root, thread_seq)
    select said.id, said.channel_id, k.kind, said.author_id, said.seq, said.thread_root, said.thread_seq
    from (values ('channel'), ('here')) k (kind)
    where strpos(said.body, '<!' || k.kind || '>') > 0
    on conflict do nothing;
  end if;
  return called;
end
$$;
comment on function app.call_people is
  'Keeps whom a message calls, of those who can read it, and answers whom it called by name only now: a mention tells '
  'nobody of a room they cannot enter.';

create or replace function app.tell_message() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  reaction constant text := nullif(current_setting('app.reaction', true), '');
  message jsonb;
begin
  if exists (
    select from public.channel_members m
    where m.channel_id = new.channel_id and m.history_from_seq > 1 and m.history_from_seq > new.base_seq
  ) then
    -- Some listener may not read this one: they all ask, and each gets what is theirs.
    perform app.tell_channel(new.channel_id, 'rev', jsonb_build_object('channel_id', new.channel_id, 'rev', new.rev));
  else
    message := app.messages_as_json(array[new.id], null) -> 0;
    perform app.tell_channel(new.channel_id, 'message', jsonb_build_object('channel_id', new.channel_id,
      'rev', new.rev, 'message', message)
      || case when reaction is null then '{}' else jsonb_build_object('reaction', reaction::jsonb) end);
  end if;
  if tg_op = 'INSERT' then
    -- Nobody's sign is on it yet, so its author is answered the same: made twice it would hold the channel longer.
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

-- Sending -----------------------------------------------------------------------------------------------

create or replace function public.send_message(
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
  called uuid[] := '{}';
  shown jsonb;
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
  if jsonb_array_length(files) > 0 then perform app.attach(send_message.id, channel, files); end if;

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
  if strpos(said.body, '<') > 0 then called := app.call_people(said); end if;

  if said.thread_root is not null then
    update public.messages m
    set last_thread_seq = said.thread_seq, reply_count = m.reply_count + 1, last_reply_at = said.created_at,
      reply_people = (array[said.author_id] || array_remove(m.reply_people, said.author_id))[1:3],
      rev = app.next_rev(channel)
    where m.id = said.thread_root returning * into root;
    perform app.follow_reply(said, root, called);
  end if;
  if reading.kind in ('direct', 'group') then
    update public.channel_state s set hidden = false where s.channel_id = channel and s.hidden;
  end if;
  shown := nullif(current_setting('app.said', true), '')::jsonb;
  if shown ->> 'id' is distinct from said.id::text then
    shown := app.messages_as_json(array[said.id], reading.profile_id) -> 0;
  end if;
  return jsonb_build_object('message', shown, 'epoch', counters.epoch);
end
$$;

-- Changing ----------------------------------------------------------------------------------------------

drop function public.edit_message(uuid, text);

create function public.edit_message(id uuid, body text, edit uuid default null) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  reading constant app.reading := app.require_live_message(edit_message.id);
  words_said constant text[] := app.split_words(coalesce(edit_message.body, ''));
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
  perform app.require_body(edit_message.body,
    exists (select from public.attachments a where a.message_id = before.id));
  if edit_message.body <> before.body then
    insert into public.message_revisions (message_id, rev, body, written_at)
    values (before.id, before.rev, before.body, coalesce(before.edited_at, before.created_at));
    update public.message_search s set words = array_to_tsvector(words_said) where s.message_id = before.id;
    perform app.empty_broadcasts(before);
    -- Only now, since looking for what was told may take long; and asked again, as hold_live_message does.
    perform app.lock_channels(array[before.channel_id]);
    perform app.require_live_message(before.id);
    update public.messages m
    set body = edit_message.body, edited_at = clock_timestamp(), rev = app.next_rev(before.channel_id)
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
comment on function public.edit_message is
  'Changes one''s own words; what they were is kept until the message is deleted. A change that has a name happens once, '
  'however often and late it is asked.';

create or replace function public.delete_message(id uuid) returns jsonb
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
    delete from public.message_edits e where e.message_id = before.id;
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
      perform app.forget_unread_reply(before);
    end if;
  end if;
  return app.one_message(before.id, reading.profile_id);
end
$$;

-- Signs -------------------------------------------------------------------------------------------------

create or replace function public.react(message uuid, emoji text, "on" boolean) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  reading constant app.reading := app.require_live_message(message);
  shown constant public.messages := app.hold_live_message(message);
begin
  if shown.deleted_at is not null then
    raise exception using errcode = 'PT409', message = 'message_deleted';
  end if;
  if react.emoji is null or char_length(react.emoji) not between 1 and 64 or react.emoji ~ '[[:cntrl:][:space:]]'
    or react."on" is null
  then
    raise exception using errcode = 'PT400', message = 'bad_emoji';
  end if;
  if react."on" then
    insert into public.reactions (message_id, emoji, profile_id)
    values (message, react.emoji, reading.profile_id) on conflict do nothing;
  else
    delete from public.reactions r
    where r.message_id = message and r.emoji = react.emoji and r.profile_id = reading.profile_id;
  end if;
  if found then
    if (select count(distinct r.emoji) from public.reactions r where r.message_id = message) > 50 then
      raise exception using errcode = 'PT409', message = 'reactions_kinds';
    end if;
    -- Whose sign changed goes along, so that each client can follow which are its own.
    perform set_config('app.reaction', jsonb_build_object('emoji', react.emoji, 'by', reading.profile_id,
      'on', react."on")::text, true);
    update public.messages m set rev = app.next_rev(shown.channel_id) where m.id = message;
    perform set_config('app.reaction', '', true);
  end if;
  return app.one_message(message, reading.profile_id);
end
$$;

create or replace function public.pin_message(message uuid, "on" boolean) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  reading constant app.reading := app.require_live_message(message);
  shown constant public.messages := app.hold_live_message(message);
begin
  if reading.workspace_role = 'guest' or shown.kind <> 'text' then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  elsif shown.deleted_at is not null then
    raise exception using errcode = 'PT409', message = 'message_deleted';
  end if;
  if pin_message."on" then
    insert into public.pins (message_id, channel_id, pinned_by)
    values (message, shown.channel_id, reading.profile_id) on conflict do nothing;
  else
    delete from public.pins p where p.message_id = message;
  end if;
  if found then
    update public.messages m set rev = app.next_rev(shown.channel_id) where m.id = message;
  end if;
  return app.one_message(message, reading.profile_id);
end
$$;

revoke execute on function public.edit_message from public, anon, authenticated, service_role;
grant execute on function public.edit_message to authenticated;

revoke execute on all functions in schema app from public;
