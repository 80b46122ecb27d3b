-- Splitting a text into words takes time in proportion to its length, and commands check the length first: a long text
-- occupied a connection until the statement timeout.

create or replace function app.split_words(said text) returns text[]
language plpgsql immutable set search_path = ''
as $$
declare
  -- Scripts that write without spaces are cut into pairs, so that any part of a sentence is found.
  unspaced constant text := '[\u0E00-\u0E7F\u3005\u3040-\u30FF\u3400-\u4DBF\u4E00-\u9FFF\uAC00-\uD7AF]';
  between_words constant text := '[\u0001-\u002F\u003A-\u0040\u005B-\u0060\u007B-\u00A9\u00AB-\u00B1\u00B4\u00B6-'
    '\u00B8\u00BB-\u00BF\u00D7\u00F7\u060C\u061B\u061F\u066A-\u066D\u0964\u0965\u2000-\u206F\u3000-\u3004'
    '\u3006-\u303F\uFE00-\uFE0F]+';
  folded text := lower(normalize(regexp_replace(said, '<[@!][^<>]*>', ' ', 'g'), nfkc));
  pairs text[] := '{}';
begin
  if folded ~ unspaced then
    -- One statement for all runs: appending to an array run by run would copy it each time. The last character of a
    -- run stands alone too, or it could only be found behind the one before it.
    pairs := array(
      select concat(s.sign, lead(s.sign) over (partition by r.run order by s.place))
      from regexp_matches(folded, '(' || unspaced || '+)', 'g') with ordinality r (texts, run)
      cross join lateral string_to_table(r.texts[1], null) with ordinality s (sign, place));
    folded := regexp_replace(folded, unspaced || '+', ' ', 'g');
  end if;
  return array(
    select distinct left(w, 100)
    from unnest(pairs || regexp_split_to_array(folded, between_words)) w where w <> '');
end
$$;

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
  perform app.require_body(send_message.body, jsonb_array_length(files) > 0);
  -- Before any lock: other senders do not wait while a long text is split.
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
