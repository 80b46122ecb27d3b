-- The index of messages: the words and marks of a text, the terms that an index entry begins with, and the vocabulary.
-- Decision 37 gives the reasons.
--
-- An index entry begins with a channel and a segment of it, which contains at most 4,096 consecutive messages: matches
-- elsewhere are not read. Most filters are terms of the index, as words are: `=from:<author>`, `=link`, `=pinned`. A search
-- by filters has the bounds of a search by words. Words contain no `=`, so no word of a query matches such a mark.

-- Words ------------------------------------------------------------------------------------------------

create function app.fold_text(content text) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  if octet_length(content) = char_length(content) then return lower(content); end if;
  -- Decomposed, so that accents are characters of their own; composed again, since Hangul and kana are decomposed too.
  return normalize(regexp_replace(
    replace(replace(replace(
      translate(lower(normalize(content, nfkd)), 'øłđħıς', 'oldhiσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'),
    '[\u0300-\u036F\u0591-\u05BD\u05BF\u05C1\u05C2\u05C7\u0640\u064B-\u0652\u0670]+', '', 'g'), nfc);
end
$$;
comment on function app.fold_text is
  'A text without case, accents, vowel points and compatibility forms: what search compares. Letters that differ by an '
  'accent only are the same then, as й and и.';

create function app.unspaced_letters() returns text
language sql immutable set search_path = ''
as $$ select '[\u0E00-\u0E7F\u3005\u3040-\u30FF\u3400-\u4DBF\u4E00-\u9FFF\uAC00-\uD7AF]' $$;
comment on function app.unspaced_letters is
  'A pattern of the letters of scripts that are searched without regard to spaces: Thai, Japanese, Chinese, Korean.';

create function app.word_separators() returns text
language sql immutable set search_path = ''
as $$
  select '[\u0001-\u002F\u003A-\u0040\u005B-\u0060\u007B-\u00A9\u00AB-\u00B1\u00B4\u00B6-\u00B8\u00BB-\u00BF\u00D7\u00F7'
    || '\u060C\u061B\u061F\u066A-\u066D\u0964\u0965\u2000-\u206F\u3000-\u3004\u3006-\u303F\uFE00-\uFE0F]+'
$$;
comment on function app.word_separators is 'A pattern of what separates words.';

create function app.text_to_split(content text) returns text
language sql immutable set search_path = ''
as $$
  select app.fold_text(case when strpos(content, '<') > 0
    then regexp_replace(content, '<[@!#][^<>]*>', ' ', 'g') else content end)
$$;
comment on function app.text_to_split is 'A text as it is split into words: folded, without mentions and links to channels.';

create function app.ordered_words(content text) returns text[]
language plpgsql immutable set search_path = ''
as $$
declare
  unspaced constant text := app.unspaced_letters();
  folded constant text := app.text_to_split(content);
begin
  if octet_length(folded) = char_length(folded) or folded !~ unspaced then
    return array(
      select left(p.part, 100) from unnest(regexp_split_to_array(folded, app.word_separators())) with ordinality p (part, ordinal)
      where p.part <> '' order by p.ordinal);
  end if;
  -- One statement for all runs: appending to an array run by run would copy it each time. Of arrays the planner expects few
  -- rows, where the estimates for functions that return sets would cause JIT compilation. The last character of a run is a word
  -- too, or it would be found only with the one before it.
  return array(
    select left(w.word, 100)
    from unnest(regexp_split_to_array(regexp_replace(folded, '(' || unspaced || '+)', ' \1 ', 'g'), app.word_separators()))
      with ordinality p (part, ordinal)
    cross join lateral (
      select p.part as word, 0::bigint as ordinal where p.part !~ unspaced
      union all
      select concat(s.letter, lead(s.letter) over (order by s.ordinal)), s.ordinal
      from unnest(string_to_array(p.part, null)) with ordinality s (letter, ordinal) where p.part ~ unspaced) w
    where w.word <> '' order by p.ordinal, w.ordinal);
end
$$;
comment on function app.ordered_words is
  'The words of a text in any script, in order. Scripts without spaces are split into pairs of characters, so that any part '
  'of a sentence is found. It splits by code points rather than by a text search configuration, so that the result does not '
  'depend on the locale of the server. The time grows linearly with the length, which commands limit first: a long text would '
  'occupy a connection until the statement timeout.';

create function app.split_words(content text) returns text[]
language sql immutable set search_path = ''
as $$ select array(select distinct w from unnest(app.ordered_words(content)) w) $$;
comment on function app.split_words is 'The distinct words of a text, as ordered_words.';

create function app.index_text(content text) returns tsvector
language plpgsql immutable set search_path = ''
as $$
declare
  words constant text[] := app.ordered_words(content);
begin
  -- A tsvector has 256 positions of a word, and none above 16,383.
  return (
    coalesce((select string_agg('''' || w.word || ''':' || w.ordinal, ' ') from unnest(words) with ordinality w (word, ordinal)), '')
    || case when cardinality(words) > 255 then ' ''=long''' else '' end)::tsvector;
end
$$;
comment on function app.index_text is
  'The words of a text with their positions, as message_search stores them. `=long` marks a text that may have more positions '
  'than can be stored.';

create function app.fold_phrase(content text) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  folded text := app.text_to_split(content);
begin
  if octet_length(folded) > char_length(folded) then
    folded := regexp_replace(folded, '(' || app.unspaced_letters() || '+)', ' \1 ', 'g');
  end if;
  return ' ' || btrim(regexp_replace(folded, app.word_separators(), ' ', 'g')) || ' ';
end
$$;
comment on function app.fold_phrase is
  'A text with one space before, between and after its words, as split_words has them, in order. A run of a script without '
  'spaces is one word.';

create function app.phrase_to_find(content text) returns text
language sql immutable set search_path = ''
as $$
  -- A part of a run is found as well, so its ends are no ends of words.
  select nullif(regexp_replace(
    regexp_replace(app.fold_phrase(content), '^ (' || app.unspaced_letters() || ')', '\1'),
    '(' || app.unspaced_letters() || ') $', '\1'), '  ')
$$;
comment on function app.phrase_to_find is 'What fold_phrase of a text contains if the text has this phrase; null if it has no word.';

-- Terms ------------------------------------------------------------------------------------------------

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
  return array_to_tsvector(array(select prefix || w from unnest(tsvector_to_array(words)) w));
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
-- Without a pending list, which one of the senders would have to merge for all others, in a hundred times the time. No
-- estimate uses statistics of the terms, and collecting them would split the words of each sampled row again.
create index message_search_terms on public.message_search
  using gin (app.search_terms(channel_id, segment, words)) with (fastupdate = off);
alter index public.message_search_terms alter column 1 set statistics 0;
comment on table public.message_search is
  'The search terms of messages. Separate, so that a reaction does not rewrite an index. Read by search_messages only. '
  'No access for clients.';
comment on column public.message_search.segment is
  'The revision of the channel in which the message was stored, divided by 4,096.';
comment on column public.message_search.words is
  'Words of the text of the message with their positions; marks and words of the names of its files without. Words that only '
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
  primary key (channel_id, segment)
) with (fillfactor = 50);
comment on table public.search_segments is
  'Ranges of a channel''s messages in message_search, with the times of their first and last message. Read by '
  'search_messages only. No access for clients.';
comment on column public.search_segments.words_until is
  'Messages up to this time are in search_vocabulary. Messages of a channel are stored in the order of their times.';
alter table public.search_segments enable row level security;
revoke all on public.search_segments from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.search_segments to service_role;

create function app.extend_search_segments() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
begin
  insert into public.search_segments (channel_id, segment, first_at, last_at)
  select a.channel_id, a.segment, min(a.created_at), max(a.created_at) from added a group by a.channel_id, a.segment
  on conflict (channel_id, segment) do update
  set first_at = least(search_segments.first_at, excluded.first_at),
    last_at = greatest(search_segments.last_at, excluded.last_at)
  where search_segments.channel_id = excluded.channel_id;
  return null;
end
$$;
comment on function app.extend_search_segments is 'Extends the times of segments to those of new messages.';
create trigger search_segments_are_extended after insert on public.message_search
  referencing new table as added
  for each statement execute function app.extend_search_segments();

-- Marks ------------------------------------------------------------------------------------------------

create function app.text_marks(body text) returns text[]
language sql immutable set search_path = ''
as $$
  select array_remove(array[
    case when body ~* 'https?://[^[:space:]]' then '=link' end,
    case when body ~ '`[^`[:space:]]' then '=code' end,
    case when body ~ '<!(channel|here)>' then '=@' end], null)
    || array(select '=@' || id from unnest(app.mentioned_profile_ids(body) || app.mentioned_group_ids(body)) id)
$$;
comment on function app.text_marks is
  'The marks of what a text contains: links, code, mentions of everyone (`=@`), of people and of groups.';

create function app.message_marks(message public.messages) returns text[]
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
    || app.text_marks(message.body)
$$;
comment on function app.message_marks is
  'The marks by which filters find a message. Votes and ticked tasks are no reactions here.';

create function app.file_words(message uuid) returns text[]
language sql stable set search_path = ''
as $$
  select app.split_words((select string_agg(a.name, ' ') from public.attachments a where a.message_id = message))
$$;
comment on function app.file_words is 'The words of the names of the files of a message; null without files.';

create function app.complete_search_words() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
declare
  indexed record;
  files record;
  marks text[];
begin
  if tg_op = 'INSERT' then
    select m.id, m.rev, m.author_id, m.body, m.extras, m.thread_root, m.reply_count into indexed
    from public.messages m where m.id = new.message_id;
    new.segment := coalesce(indexed.rev >> 12, 0);
    if indexed.id is null then return new; end if;
    -- Most commands split the text themselves, before they lock the channel; a copy has its marks already.
    if new.words = strip(new.words) and not new.words @@ '''=from:'':*'::tsquery then
      new.words := app.index_text(app.searchable_text(indexed.body, indexed.extras));
    end if;
    -- As message_marks, without what a new message cannot have: triggers mark reactions and pins.
    marks := array['=from:' || indexed.author_id];
    if indexed.thread_root is not null or indexed.reply_count > 0 then marks := marks || '=thread'::text; end if;
    if indexed.extras ? 'poll' then marks := marks || '=poll'::text; end if;
    if indexed.body ~ '[<`]|://' then marks := marks || app.text_marks(indexed.body); end if;
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
  'of a new row: each message takes at least one revision, so a segment contains at most 4,096 messages.';
create trigger search_words_are_completed before insert or update of words on public.message_search
  for each row execute function app.complete_search_words();
comment on trigger search_words_are_completed on public.message_search is
  'Here rather than in the commands, so that imports and tests index the same.';

create function app.set_search_mark(message uuid, mark text, is_set boolean) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  update public.message_search s
  set words = case when is_set then s.words || array_to_tsvector(array[mark]) else ts_delete(s.words, mark) end
  where s.message_id = message and is_set <> (s.words @@ quote_literal(mark)::tsquery);
end
$$;
comment on function app.set_search_mark is 'Adds a mark to a message or removes it; writes nothing if it is so already.';

create function app.mark_reaction() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    perform app.set_search_mark(new.message_id, '=reaction', true);
  elsif not exists (
    select from public.reactions r where r.message_id = old.message_id and r.emoji !~ '^(poll|task):')
  then
    perform app.set_search_mark(old.message_id, '=reaction', false);
  end if;
  return null;
end
$$;
comment on function app.mark_reaction is 'Marks messages by their first reaction, and removes the mark with the last.';
create trigger reactions_are_marked after insert on public.reactions
  for each row when (new.emoji !~ '^(poll|task):') execute function app.mark_reaction();
create trigger removed_reactions_are_marked after delete on public.reactions
  for each row when (old.emoji !~ '^(poll|task):') execute function app.mark_reaction();

create function app.mark_pin() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform app.set_search_mark(case when tg_op = 'INSERT' then new.message_id else old.message_id end, '=pinned',
    tg_op = 'INSERT');
  return null;
end
$$;
comment on function app.mark_pin is 'Marks pinned messages.';
create trigger pins_are_marked after insert or delete on public.pins
  for each row execute function app.mark_pin();

create function app.mark_thread() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform app.set_search_mark(new.id, '=thread', new.reply_count > 0);
  return null;
end
$$;
comment on function app.mark_thread is 'Marks the root of a thread by its first reply.';
create trigger threads_are_marked after update of reply_count on public.messages
  for each row when ((old.reply_count > 0) <> (new.reply_count > 0) and new.thread_root is null)
  execute function app.mark_thread();

create function app.mark_edited_text() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
declare
  before constant text[] := app.text_marks(old.body);
  after constant text[] := app.text_marks(new.body);
begin
  if before <> after then
    update public.message_search s set words = ts_delete(s.words, before) || array_to_tsvector(after)
    where s.message_id = new.id;
  end if;
  return null;
end
$$;
comment on function app.mark_edited_text is 'Updates the marks of links, code and mentions after an edit.';
create trigger edited_texts_are_marked after update of body on public.messages
  for each row when (old.body <> new.body and new.deleted_at is null) execute function app.mark_edited_text();

-- Vocabulary -------------------------------------------------------------------------------------------

create table public.search_vocabulary (
  workspace_id uuid not null references public.workspaces (id) on delete cascade,
  word text not null,
  messages smallint not null,
  keys integer[] not null,
  primary key (workspace_id, word)
);
create index search_vocabulary_keys on public.search_vocabulary using gin (keys) with (fastupdate = off);
comment on table public.search_vocabulary is
  'Words of the messages of a workspace, at most 200,000, by which typing errors are corrected. Read by search_messages only. '
  'No access for clients.';
comment on column public.search_vocabulary.messages is
  'In how many messages the word was found, 3 at most: with fewer, it is deleted with one of them.';
comment on column public.search_vocabulary.keys is 'As deletion_keys.';
alter table public.search_vocabulary enable row level security;
revoke all on public.search_vocabulary from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.search_vocabulary to service_role;

create function app.deletion_keys(workspace uuid, word text) returns integer[]
language sql immutable set search_path = ''
as $$
  select array(
    select distinct ('x' || left(md5(workspace || overlay(word placing '' from n for 1)), 8))::bit(32)::integer
    from generate_series(1, char_length(word) + 1) n)
$$;
comment on function app.deletion_keys is
  'Hashes of a word and of what remains of it without one of its characters. Words that differ by a character, or by two '
  'that were exchanged, have one in common (symmetric deletion).';

create function app.is_correctable(word text) returns boolean
language sql immutable set search_path = ''
as $$ select char_length(word) between 4 and 30 and word !~ '[0-9=]' and word !~ app.unspaced_letters() $$;
comment on function app.is_correctable is
  'Whether a word is stored in the vocabulary and corrected: neither short, nor a number, nor a pair of characters.';

create function app.update_search_vocabulary(max_segments integer default 50) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  range record;
begin
  for range in
    select s.channel_id, s.segment, s.last_at, s.words_until, c.workspace_id
    from public.search_segments s join public.channels c on c.id = s.channel_id
    where s.words_until is null or s.words_until < s.last_at
    order by s.last_at limit max_segments
  loop
    with added as materialized (
      select w.lexeme as word, least(count(*), 3)::smallint as messages
      from public.message_search f cross join lateral unnest(f.words) w
      where f.channel_id = range.channel_id and f.segment = range.segment and f.created_at <= range.last_at
        and (range.words_until is null or f.created_at > range.words_until)
        -- A few files would fill it.
        and not 'A' = any (coalesce(w.weights, '{}')) and app.is_correctable(w.lexeme)
      group by w.lexeme),
    counted as (
      update public.search_vocabulary v set messages = least(v.messages + a.messages, 3)
      from added a where v.workspace_id = range.workspace_id and v.word = a.word and v.messages < 3)
    insert into public.search_vocabulary (workspace_id, word, messages, keys)
    select range.workspace_id, a.word, a.messages, app.deletion_keys(range.workspace_id, a.word)
    from added a
    where not exists (
        select from public.search_vocabulary v where v.workspace_id = range.workspace_id and v.word = a.word)
      and (select count(*) < 200000 from (
        select from public.search_vocabulary v where v.workspace_id = range.workspace_id limit 200000) v)
    on conflict do nothing;
    update public.search_segments s set words_until = range.last_at
    where s.channel_id = range.channel_id and s.segment = range.segment;
  end loop;
end
$$;
comment on function app.update_search_vocabulary is
  'Adds the words of new messages to the vocabulary, without those of files, of a bounded number of segments, the oldest '
  'first. A scheduled job, so that senders neither compute keys nor wait for each other.';

create function app.remove_from_vocabulary() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
declare
  removed text[];
  workspace uuid;
begin
  if tg_op = 'DELETE' then
    removed := array(select u.lexeme from unnest(old.words) u where not 'A' = any (coalesce(u.weights, '{}')));
  else
    -- Not by comparing arrays: files have thousands of words.
    removed := array(
      select u.lexeme from unnest(old.words) u where not 'A' = any (coalesce(u.weights, '{}'))
      except select u.lexeme from unnest(new.words) u where not 'A' = any (coalesce(u.weights, '{}')));
  end if;
  if removed = '{}' then return null; end if;
  workspace := (select c.workspace_id from public.channels c where c.id = old.channel_id);
  delete from public.search_vocabulary v
  where v.workspace_id = workspace and v.word in (
    select l.word from public.search_vocabulary l
    where l.workspace_id = workspace and l.word = any (removed) and l.messages < 3 for update skip locked);
  return null;
end
$$;
comment on function app.remove_from_vocabulary is
  'Removes words of deleted and edited messages that occurred in few others: what was deleted does not remain here. A word '
  'that another transaction is writing is left to it: waiting for it could end in a deadlock.';
create trigger deleted_words_are_removed after delete or update of words on public.message_search
  for each row execute function app.remove_from_vocabulary();

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;

-- Schedule ---------------------------------------------------------------------------------------------

select cron.schedule('linnet: search vocabulary', '* * * * *', 'select app.update_search_vocabulary()');
