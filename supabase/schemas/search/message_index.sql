-- The index of messages: the words and properties of a text, and the terms that an index entry begins with. Decision 37 gives the
-- reasons.
--
-- An index entry begins with a channel and a segment of it, which contains at most 4,096 consecutive messages: matches
-- elsewhere are not read. Most filters are terms of the index, as words are: `=from:<author>`, `=link`, `=pinned`. A search
-- by filters has the bounds of a search by words. Words contain no `=`, so no word of a query matches such a property.

-- Terms ------------------------------------------------------------------------------------------------

create function app.search_segment(rev bigint) returns bigint
language sql immutable
as $$ select rev >> 12 $$;
comment on function app.search_segment is
  'The segment of a message that was stored with this rev. Each message takes at least one rev, so a segment contains at most '
  '4,096 messages.';

create function app.search_prefix(channel uuid, segment bigint) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  return left(channel::text, 8) || to_hex(segment) || ':';
end
$$;
comment on function app.search_prefix is
  'The beginning of the index entries of a segment. A part of the channel''s id is enough: queries compare the whole '
  'id as well.';

create function app.search_terms(channel uuid, segment bigint, words tsvector) returns tsvector
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
comment on function app.search_terms is 'The words of a message or file name as the index stores them.';

create function app.query_words(query text) returns text[]
language plpgsql immutable set search_path = ''
as $$
declare
  found constant text[] := app.split_words(query);
begin
  -- The last character of a run that was split into pairs adds no condition to that of its pair.
  return array(
    select w from unnest(found) w
    where char_length(w) > 1 or not exists (select from unnest(found) pair where pair like '_' || w)
    order by char_length(w) desc, w);
end
$$;
comment on function app.query_words is 'The words of a query, longest first.';

create function app.terms_query(channel uuid, segment bigint, words text[]) returns tsquery
language plpgsql immutable set search_path = ''
as $$
declare
  prefix constant text := app.search_prefix(channel, segment);
begin
  return (select string_agg('''' || prefix || w || ''':*', ' & ') from unnest(words) w)::tsquery;
end
$$;
comment on function app.terms_query is
  'A tsquery that matches index entries of one segment with words beginning with each of these; null if there are none. Words '
  'contain neither quotes nor backslashes.';

-- Tables -----------------------------------------------------------------------------------------------

create table public.message_search (
  message_id uuid primary key
    references public.messages (id) on delete cascade deferrable initially deferred,
  channel_id uuid not null references public.channels (id) on delete cascade,
  segment bigint not null,
  history_seq bigint not null,
  created_at timestamptz not null,
  words tsvector not null
);
create index message_search_newest on public.message_search (channel_id, created_at desc, message_id desc);
-- Without a pending list, which one of the senders would have to merge for all others, in a hundred times the time; an import
-- uses one: app.use_pending_list. No estimate uses statistics of the terms, and collecting them would split the words of each
-- sampled row again.
create index message_search_terms on public.message_search
  using gin (app.search_terms(channel_id, segment, words)) with (fastupdate = off);
alter index public.message_search_terms alter column 1 set statistics 0;
comment on table public.message_search is
  'The search terms of messages. Separate, so that a reaction does not rewrite an index. Read by search_messages only. '
  'No access for clients.';
comment on column public.message_search.segment is
  'The revision of the channel in which the message was stored, divided by 4,096.';
comment on column public.message_search.words is
  'Words of the text of the message with their positions; properties and words of the names of its files without. Words that only '
  'the text of its files has, have a position of weight A.';
alter table public.message_search enable row level security;
revoke all on public.message_search from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.message_search to service_role;

create table public.search_segments (
  channel_id uuid not null references public.channels (id) on delete cascade,
  segment bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  words_until timestamptz,
  words_version smallint not null default 2,
  primary key (channel_id, segment)
) with (fillfactor = 50);
create index search_segments_to_rebuild on public.search_segments (last_at) where words_version < 2;
comment on table public.search_segments is
  'Ranges of a channel''s messages in message_search, with the times of their first and last message. Read by '
  'search_messages only. No access for clients.';
comment on column public.search_segments.words_until is
  'Messages up to this time are in search_vocabulary. Messages of a channel are stored in the order of their times.';
comment on column public.search_segments.words_version is
  'The version of the definition of words by which the messages were split. The current version is 2. rebuild_search_words '
  'splits messages of earlier versions again.';
alter table public.search_segments enable row level security;
revoke all on public.search_segments from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.search_segments to service_role;

-- Properties -------------------------------------------------------------------------------------------

create function app.text_properties(body text) returns text[]
language sql immutable set search_path = ''
as $$
  select array_remove(array[
    case when body ~* 'https?://[^[:space:]]' then '=link' end,
    case when body ~ '`[^`[:space:]]' then '=code' end,
    case when app.mention_marks(body) && array['<!channel>', '<!here>'] then '=@' end], null)
    || array(select '=@' || id from unnest(app.mentioned_profile_ids(body) || app.mentioned_group_ids(body)) id)
$$;
comment on function app.text_properties is
  'The properties of what a text contains: links, code, mentions of everyone (`=@`), of people and of groups.';

create function app.message_properties(message public.messages) returns text[]
language sql stable set search_path = ''
as $$
  select array_remove(array['=from:' || message.author_id,
    case when message.thread_root is not null or message.reply_count > 0 then '=thread' end,
    case when message.extras ? 'poll' then '=poll' end,
    case when exists (select from public.attachments a where a.message_id = message.id) then '=file' end,
    case when exists (select from public.attachments a where a.message_id = message.id and a.type like 'image/%')
      then '=image' end,
    case when exists (select from public.pins p where p.message_id = message.id) then '=pinned' end,
    case when exists (select from public.reactions r where r.message_id = message.id and r.emoji !~ '^(poll|task):')
      then '=reaction' end], null)
    || app.text_properties(message.body)
$$;
comment on function app.message_properties is
  'The properties by which filters find a message. Votes and ticked tasks are no reactions here.';

create function app.file_words(message uuid) returns text[]
language sql stable set search_path = ''
as $$
  select app.split_words((select string_agg(a.name, ' ') from public.attachments a where a.message_id = message))
$$;
comment on function app.file_words is 'The words of the names of the files of a message; null without files.';

create function app.new_message_properties(message public.messages) returns text[]
language plpgsql immutable set search_path = ''
as $$
declare
  properties text[] := array['=from:' || message.author_id];
begin
  if message.thread_root is not null or message.reply_count > 0 then properties := properties || '=thread'::text; end if;
  if message.extras ? 'poll' then properties := properties || '=poll'::text; end if;
  if message.body ~ '[<`]|://' then properties := properties || app.text_properties(message.body); end if;
  return properties;
end
$$;
comment on function app.new_message_properties is
  'As message_properties, without what a new message cannot have: triggers add the properties of reactions and pins. Without the properties of files.';

create function app.complete_search_words() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
declare
  indexed public.messages;
  files record;
  properties text[];
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
    -- Most commands split the text themselves, before they lock the channel; a copy has its properties already.
    if new.words = strip(new.words) and not new.words @@ '''=from:'':*'::tsquery then
      new.words := app.index_text(app.searchable_text(indexed.body, indexed.extras));
    end if;
    properties := app.new_message_properties(indexed);
    select string_agg(a.name, ' ') as names, bool_or(a.type like 'image/%') as has_image into files
    from public.attachments a where a.message_id = new.message_id;
    if files.names is not null then
      properties := properties || '=file'::text || app.split_words(files.names);
      if files.has_image then properties := properties || '=image'::text; end if;
    end if;
    new.words := new.words || array_to_tsvector(properties);
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
  'Adds the properties of a message and the words of its files to the words of its text; an edit keeps the properties. Sets the segment '
  'of a new row, and extends its times to that of the message.';
create trigger search_words_are_completed before insert on public.message_search
  for each row when (new.segment is null) execute function app.complete_search_words();
comment on trigger search_words_are_completed on public.message_search is
  'Here rather than in the commands, so that copies, imports and tests index the same. A row with its segment is complete: '
  'insert_message inserts one for a message without files.';
create trigger changed_search_words_are_completed before update of words on public.message_search
  for each row execute function app.complete_search_words();

create function app.set_search_property(message uuid, property text, is_set boolean) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  update public.message_search s
  set words = case when is_set then s.words || array_to_tsvector(array[property]) else ts_delete(s.words, property) end
  where s.message_id = message and is_set <> (s.words @@ quote_literal(property)::tsquery);
end
$$;
comment on function app.set_search_property is 'Adds a property to a message or removes it; writes nothing if it is so already.';

create function app.record_reaction_property() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    perform app.set_search_property(new.message_id, '=reaction', true);
  elsif not exists (
    select from public.reactions r where r.message_id = old.message_id and r.emoji !~ '^(poll|task):')
  then
    perform app.set_search_property(old.message_id, '=reaction', false);
  end if;
  return null;
end
$$;
comment on function app.record_reaction_property is 'Sets the property of a message with its first reaction, and removes it with the last.';
create trigger reaction_properties_are_added after insert on public.reactions
  for each row when (new.emoji !~ '^(poll|task):') execute function app.record_reaction_property();
create trigger reaction_properties_are_removed after delete on public.reactions
  for each row when (old.emoji !~ '^(poll|task):') execute function app.record_reaction_property();

create function app.record_pin_property() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform app.set_search_property(case when tg_op = 'INSERT' then new.message_id else old.message_id end, '=pinned',
    tg_op = 'INSERT');
  return null;
end
$$;
comment on function app.record_pin_property is 'Sets the property of pinned messages.';
create trigger pin_properties_are_recorded after insert or delete on public.pins
  for each row execute function app.record_pin_property();

create function app.record_thread_property() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform app.set_search_property(new.id, '=thread', new.reply_count > 0);
  return null;
end
$$;
comment on function app.record_thread_property is 'Sets the property of the root of a thread with its first reply.';
create trigger thread_properties_are_recorded after update of reply_count on public.messages
  for each row when ((old.reply_count > 0) <> (new.reply_count > 0) and new.thread_root is null)
  execute function app.record_thread_property();

create function app.record_text_properties() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
declare
  before constant text[] := app.text_properties(old.body);
  after constant text[] := app.text_properties(new.body);
begin
  if before <> after then
    update public.message_search s set words = ts_delete(s.words, before) || array_to_tsvector(after)
    where s.message_id = new.id;
  end if;
  return null;
end
$$;
comment on function app.record_text_properties is 'Updates the properties of links, code and mentions after an edit.';
create trigger text_properties_are_recorded after update of body on public.messages
  for each row when (old.body <> new.body and new.deleted_at is null) execute function app.record_text_properties();

-- Stored words -----------------------------------------------------------------------------------------

create function app.rebuild_search_words(max_segments integer default 5, max_files integer default 20) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  range record;
  file record;
begin
  for file in
    select t.upload_id, t.upload_channel_id, t.passages from public.file_texts t
    where t.words_version < 2 order by t.upload_id limit max_files for update skip locked
  loop
    update public.file_texts t
    set words_version = 2,
      folded = array(
        select ltrim(app.fold_phrase(replace(p.passage, '<', ' ')), ' ')
        from unnest(file.passages) with ordinality p (passage, ordinal) order by p.ordinal),
      words = array(
        select w.word from unnest(file.passages) with ordinality p (passage, ordinal)
        cross join lateral unnest(app.split_words(replace(p.passage, '<', ' '))) w (word)
        group by w.word order by min(p.ordinal), w.word limit 2000)
    where t.upload_id = file.upload_id and t.upload_channel_id = file.upload_channel_id;
    update public.message_search s set words = app.with_file_words(s.words, s.message_id)
    where s.message_id in (
      select a.message_id from public.attachments a
      where a.upload_id = file.upload_id and a.upload_channel_id = file.upload_channel_id);
  end loop;
  for range in
    select s.channel_id, s.segment, s.first_at, s.last_at from public.search_segments s
    where s.words_version < 2 order by s.last_at desc limit max_segments for update skip locked
  loop
    update public.listed_files l set words = app.name_words(a.name)
    from public.message_search f join public.attachments a on a.message_id = f.message_id
    where f.channel_id = range.channel_id and f.segment = range.segment
      and f.created_at between range.first_at and range.last_at
      and l.message_id = a.message_id and l.upload_id = a.upload_id and l.words <> app.name_words(a.name);
    with split as materialized (
      select f.message_id, app.index_text(app.searchable_text(m.body, m.extras)) as words
      from public.message_search f join public.messages m on m.id = f.message_id
      where f.channel_id = range.channel_id and f.segment = range.segment
        and f.created_at between range.first_at and range.last_at)
    update public.message_search f set words = s.words
    from split s
    where f.message_id = s.message_id
      -- Words of the text are the ones with positions of the default weight.
      and (ts_filter(f.words, '{d}') <> ts_filter(s.words, '{d}')
        or f.words @@ '''=file'''::tsquery and not tsvector_to_array(f.words) @> app.file_words(f.message_id));
    update public.search_segments s set words_version = 2
    where s.channel_id = range.channel_id and s.segment = range.segment;
  end loop;
end
$$;
comment on function app.rebuild_search_words is
  'Splits the texts of stored messages and files into words again after the definition of words has changed. Each call reads a '
  'bounded number of segments, the newest first, and of files. A scheduled job calls it, so that an upgrade does not wait.';

-- Imports ------------------------------------------------------------------------------------------------

create function app.use_pending_list(used boolean) returns boolean
language plpgsql volatile set search_path = '' set lock_timeout = '100ms'
as $$
declare
  is_used constant boolean := (
    select coalesce('fastupdate=on' = any (c.reloptions), false) from pg_catalog.pg_class c
    where c.oid = 'public.message_search_terms'::regclass);
begin
  if is_used = used then return true; end if;
  if used then
    -- The import merges the list, and not the sender whose message fills it.
    alter index public.message_search_terms set (fastupdate = on, gin_pending_list_limit = 65536);
    return true;
  end if;
  -- Each import that uses the list has this lock.
  if not pg_try_advisory_xact_lock(hashtextextended('pending search terms', 0)) then return false; end if;
  alter index public.message_search_terms set (fastupdate = off);
  alter index public.message_search_terms reset (gin_pending_list_limit);
  perform gin_clean_pending_list('public.message_search_terms');
  return true;
exception when lock_not_available then
  return false;
end
$$;
comment on function app.use_pending_list is
  'Sets whether new terms of the search are collected in a list, which is part of each search until it is merged into the index. An '
  'import adds terms in a third of the time so. Returns false if the index is in use for 100 ms, or another import uses the list.';

-- Schedule ---------------------------------------------------------------------------------------------

select cron.schedule('linnet: rebuild search words', '* * * * *', 'select app.rebuild_search_words()
  where exists (select from public.search_segments where words_version < 2)
    or exists (select from public.file_texts where words_version < 2)');
-- After an import that was killed.
select cron.schedule('linnet: end pending search terms', '* * * * *', $$select app.use_pending_list(false)
  where exists (
    select from pg_catalog.pg_class c
    where c.oid = 'public.message_search_terms'::regclass and 'fastupdate=on' = any (c.reloptions))$$);
