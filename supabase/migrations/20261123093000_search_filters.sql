-- Search by phrases, exclusions and filters, with accents folded. Decision 37.
--
-- Most filters are terms of the index, as words are: `=from:<author>`, `=link`, `=pinned`. A search by filters has the
-- bounds of a search by words. Words contain no `=`, so no word of a query matches such a mark.

insert into public.settings (key, value) values ('search_messages_deeper', '4000');

drop function public.search_messages;
drop function app.search_newest, app.search_ranges, app.search_segments;
drop type app.search_range;
drop index public.message_search_terms, public.listed_files_terms;

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

create or replace function app.split_words(content text) returns text[]
language plpgsql immutable set search_path = ''
as $$
declare
  unspaced constant text := app.unspaced_letters();
  folded text := app.text_to_split(content);
  pairs text[] := '{}';
begin
  -- Scripts without spaces are split into pairs of characters, so that any part of a sentence is found.
  if octet_length(folded) > char_length(folded) and folded ~ unspaced then
    -- One statement for all runs: appending to an array run by run would copy it each time. The last character of a run
    -- is a word too, or it would be found only with the one before it.
    pairs := array(
      select concat(s.letter, lead(s.letter) over (partition by r.run order by s.ordinal))
      from regexp_matches(folded, '(' || unspaced || '+)', 'g') with ordinality r (texts, run)
      cross join lateral string_to_table(r.texts[1], null) with ordinality s (letter, ordinal));
    folded := regexp_replace(folded, unspaced || '+', ' ', 'g');
  end if;
  return array(
    select distinct left(w, 100)
    from unnest(pairs || regexp_split_to_array(folded, app.word_separators())) w where w <> '');
end
$$;

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

-- Marks ------------------------------------------------------------------------------------------------

create function app.text_marks(body text) returns text[]
language sql immutable set search_path = ''
as $$
  select array_remove(array[
    case when body ~* 'https?://[^[:space:]]' then '=link' end,
    case when body ~ '`[^`[:space:]]' then '=code' end,
    case when body ~ '<!(channel|here)>' then '=@' end], null)
    || array(select '=@' || id from unnest(app.mentioned_profile_ids(body)) id)
$$;
comment on function app.text_marks is
  'The marks of what a text contains: links, code, mentions of everyone (`=@`) and of people.';

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

drop trigger search_segments_are_set on public.message_search;
drop function app.set_search_segment;

create function app.complete_search_words() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
declare
  indexed public.messages;
begin
  if tg_op = 'INSERT' then
    select * into indexed from public.messages m where m.id = new.message_id;
    new.segment := coalesce(indexed.rev >> 12, 0);
    if indexed.id is null then return new; end if;
    new.words := new.words || array_to_tsvector(
      app.message_marks(indexed) || coalesce(app.file_words(new.message_id), '{}'));
  elsif not new.words @@ '''=from:'':*'::tsquery then
    new.words := new.words || array_to_tsvector(
      array(select w from unnest(tsvector_to_array(old.words)) w where w like '=%')
        || coalesce(app.file_words(new.message_id), '{}'));
  end if;
  return new;
end
$$;
comment on function app.complete_search_words is
  'Adds the marks of a message and the words of its files to the words of its text, which commands store; an edit keeps '
  'the marks. Sets the segment of a new row: each message takes at least one revision, so a segment contains at most '
  '4,096 messages.';
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

-- Existing rows are indexed anew: words have other forms than before.
update public.message_search s
set words = array_to_tsvector(app.split_words(app.searchable_text(m.body, m.extras)) || app.message_marks(m)
  || coalesce(app.file_words(m.id), '{}'))
from public.messages m where m.id = s.message_id;
update public.listed_files f set words = app.name_words(a.name)
from public.attachments a where a.message_id = f.message_id and a.upload_id = f.upload_id;
-- Without pending lists, which one of the senders would have to merge for all others. No estimate uses statistics of
-- these columns, and collecting them would split the words of each sampled row again.
create index message_search_terms on public.message_search
  using gin (app.search_terms(channel_id, segment, words)) with (fastupdate = off);
alter index public.message_search_terms alter column 1 set statistics 0;
create index listed_files_terms on public.listed_files
  using gin (app.search_terms(channel_id, 0, words)) with (fastupdate = off);
alter index public.listed_files_terms alter column 1 set statistics 0;

-- Filters ----------------------------------------------------------------------------------------------

create type app.search_filters as (
  authors uuid[], channels uuid[], people uuid[], before timestamptz, after timestamptz, content text[], states text[],
  mentions_me boolean, by_relevance boolean
);
comment on type app.search_filters is 'The filters of search_messages; null where one is absent.';

create function app.refuse_filter(key text) returns void
language plpgsql immutable set search_path = ''
as $$
begin
  raise exception using errcode = 'PT400', message = 'bad_filter', detail = left(key, 50);
end
$$;
comment on function app.refuse_filter is 'Fails with bad_filter, with the key of the filter as details.';

create function app.parse_search_filters(filters jsonb) returns app.search_filters
language plpgsql stable set search_path = ''
as $$
declare
  parsed app.search_filters;
  key text;
  value jsonb;
begin
  if filters is null then return parsed; end if;
  if jsonb_typeof(filters) <> 'object' then perform app.refuse_filter('filters'); end if;
  for key, value in select e.key, e.value from jsonb_each(filters) e loop
    if value = 'null' or value = '[]' then
      if key not in ('from', 'in', 'with', 'before', 'after', 'has', 'is', 'mentions_me', 'order') then
        perform app.refuse_filter(key);
      end if;
      continue;
    end if;
    if key in ('from', 'in', 'with', 'has', 'is') then
      if jsonb_typeof(value) <> 'array' or jsonb_array_length(value) > 10
        or exists (select from jsonb_array_elements(value) e where jsonb_typeof(e) <> 'string')
      then
        perform app.refuse_filter(key);
      end if;
    end if;
    begin
      case key
        when 'from' then parsed.authors := array(select e::uuid from jsonb_array_elements_text(value) e);
        when 'in' then parsed.channels := array(select e::uuid from jsonb_array_elements_text(value) e);
        when 'with' then parsed.people := array(select distinct e::uuid from jsonb_array_elements_text(value) e);
        when 'has' then
          parsed.content := array(select e from jsonb_array_elements_text(value) e);
          if not parsed.content <@ array['file', 'link', 'image', 'reaction', 'code', 'poll'] then
            perform app.refuse_filter(key);
          end if;
        when 'is' then
          parsed.states := array(select e from jsonb_array_elements_text(value) e);
          if not parsed.states <@ array['thread', 'pinned', 'saved'] then perform app.refuse_filter(key); end if;
        when 'before', 'after' then
          -- Times without a zone would depend on the setting of the session.
          if jsonb_typeof(value) <> 'string'
            or value #>> '{}' !~ '^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:?\d\d)$'
          then
            perform app.refuse_filter(key);
          elsif key = 'before' then
            parsed.before := value #>> '{}';
          else
            parsed.after := value #>> '{}';
          end if;
        when 'mentions_me' then
          if jsonb_typeof(value) <> 'boolean' then perform app.refuse_filter(key); end if;
          parsed.mentions_me := value;
        when 'order' then
          if value not in ('"newest"', '"relevance"') then perform app.refuse_filter(key); end if;
          parsed.by_relevance := value = '"relevance"';
        else perform app.refuse_filter(key);
      end case;
    exception when invalid_text_representation or invalid_datetime_format or datetime_field_overflow then
      perform app.refuse_filter(key);
    end;
  end loop;
  return parsed;
end
$$;
comment on function app.parse_search_filters is
  'Parses the filters of search_messages; fails with bad_filter, with the key as details. Absent, null and an empty list '
  'are no filter.';

-- Queries ----------------------------------------------------------------------------------------------

create type app.search_query as (
  matching tsquery, indexed text, phrases text[], excluded_phrases text[], named tsquery, highlights text[]
);
comment on type app.search_query is
  'What a message has to contain. `matching`: words and marks. `indexed`: those of them by which the index is searched, '
  'as a tsquery in which `%` stands for the prefix of a segment; null if there is none. `phrases`: as phrase_to_find. '
  '`named`: any of the words, for names of files. `highlights`: words and beginnings of words.';

create function app.parse_search(query text, filters app.search_filters, me uuid) returns app.search_query
language plpgsql immutable set search_path = ''
as $$
declare
  parsed app.search_query;
  token text[];
  content text;
  words text[];
  word text;
  -- Terms that are required, with their lengths.
  required text[] := '{}';
  lengths integer[] := '{}';
  marks text[] := '{}';
  conditions text[];
  unspaced constant text := app.unspaced_letters();
begin
  parsed.phrases := '{}';
  parsed.excluded_phrases := '{}';
  parsed.highlights := '{}';
  -- A hyphen excludes only before a word, not within.
  for token in
    select t from regexp_matches(translate(left(query, 500), '“”„‟«»', '""""""'),
      '(-)?(?:"([^"]*)"?|([^"[:space:]]+))', 'g') t
    limit 30
  loop
    content := coalesce(token[2], token[3]);
    words := app.query_words(content);
    continue when cardinality(words) = 0;
    if token[1] is not null then
      if cardinality(words) = 1 then
        marks := marks || ('!''' || words[1] || '''');
      else
        parsed.excluded_phrases := parsed.excluded_phrases || app.phrase_to_find(content);
      end if;
      continue;
    end if;
    foreach word in array words loop
      required := required || ('''%' || word || ''''
        || case when token[2] is null or word ~ ('^' || unspaced || '$') then ':*' else '' end);
      lengths := lengths || case when word ~ unspaced then 4 else char_length(word) end;
    end loop;
    -- Pairs of characters may match in another order.
    if cardinality(words) > 1 and (token[2] is not null or content ~ (unspaced || '{3}')) then
      parsed.phrases := parsed.phrases || app.phrase_to_find(content);
    end if;
    if token[2] is not null then
      parsed.highlights := parsed.highlights || btrim(app.fold_phrase(content));
    else
      parsed.highlights := parsed.highlights || string_to_array(btrim(app.fold_phrase(content)), ' ');
    end if;
  end loop;
  required := array(
    select t.term from unnest(required, lengths) t (term, size)
    group by t.term order by max(t.size) desc, t.term limit 20);
  parsed.highlights := array(select distinct h from unnest(parsed.highlights) h where h <> '');
  if cardinality(required) > 0 then
    parsed.named := replace(array_to_string(required, ' | '), '%', '')::tsquery;
  end if;
  -- The longest words are the rarest. Beginnings of one or two letters match many terms of a segment.
  conditions := array(
    select t.term from unnest(required) with ordinality t (term, ordinal)
    where t.ordinal = 1 or (t.ordinal <= 6 and (char_length(t.term) > 7 or t.term ~ unspaced))
    order by t.ordinal);
  if filters.authors is not null then
    conditions := conditions || (
      '(' || (select string_agg('''%=from:' || a || '''', ' | ') from unnest(filters.authors) a) || ')');
  end if;
  conditions := conditions
    || array(select '''%=' || c || '''' from unnest(filters.content) c)
    || array(select '''%=' || s || '''' from unnest(filters.states) s where s <> 'saved');
  if filters.mentions_me then
    conditions := conditions || ('(''%=@'' | ''%=@' || me || ''')');
    marks := marks || ('!''=from:' || me || '''');
  end if;
  parsed.indexed := nullif(array_to_string(conditions, ' & '), '');
  parsed.matching := replace(array_to_string(
    array(select t from unnest(required) t where t <> all (conditions)) || conditions || marks, ' & '), '%', '')::tsquery;
  return parsed;
end
$$;
comment on function app.parse_search is
  'Parses words, "phrases" and -excluded words, and adds the marks of the filters. At most 500 characters and 30 parts are '
  'read. A word matches each word that it begins, an excluded word itself only.';

create function app.segment_query(channel uuid, segment bigint, indexed text) returns tsquery
language plpgsql immutable set search_path = ''
as $$
begin
  return replace(indexed, '%', app.search_prefix(channel, segment))::tsquery;
end
$$;
comment on function app.segment_query is 'The query of one segment, from `indexed` of a search_query.';

create function app.has_phrases(message uuid, phrases text[], excluded text[]) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
declare
  content constant text := app.fold_phrase((
    select concat_ws(E'\n', app.searchable_text(m.body, m.extras),
      (select string_agg(a.name, E'\n') from public.attachments a where a.message_id = m.id))
    from public.messages m where m.id = message));
begin
  return not exists (select from unnest(phrases) p where strpos(content, p) = 0)
    and not exists (select from unnest(excluded) p where strpos(content, p) > 0);
end
$$;
comment on function app.has_phrases is
  'Whether a message with the names of its files has all of these phrases, and none of the excluded ones.';

-- Searching --------------------------------------------------------------------------------------------

create type app.search_scope as (channel_id uuid, history_from_seq bigint, since timestamptz);
comment on type app.search_scope is 'A channel that is searched, with the seq and time at which the search ends.';

create type app.search_range as (
  channel_id uuid, history_from_seq bigint, since timestamptz, segment bigint, last_at timestamptz
);
comment on type app.search_range is 'A segment of a channel that is searched.';

create function app.search_scopes(workspace uuid, filters app.search_filters) returns app.search_scope[]
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return array(
    select (r.channel_id, r.history_from_seq, greatest(r.since, filters.after))::app.search_scope
    from app.my_channels_since(workspace, null) r
    where (filters.channels is null or r.channel_id = any (filters.channels))
      and (filters.people is null or exists (
        select from public.channels c
        where c.id = r.channel_id and c.kind in ('direct', 'group') and cardinality(filters.people) = (
          select count(*) from public.channel_members m
          where m.channel_id = c.id and m.profile_id = any (filters.people)))));
end
$$;
comment on function app.search_scopes is
  'The channels that the caller may read and the filters include: those of `in`, and conversations with all people of '
  '`with`.';

create function app.search_newest(
  scopes app.search_scope[], search app.search_query, past app.search_position, size integer, examined integer,
  out hits app.search_position[], out reached_at timestamptz, out reached_id uuid
)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  verified constant boolean := search.phrases <> '{}' or search.excluded_phrases <> '{}';
begin
  with heads as materialized (
    select p.*, h.created_at, h.message_id, row_number() over (order by h.created_at desc, h.message_id desc) as ordinal
    from unnest(scopes) p cross join lateral (
      select f.created_at, f.message_id from public.message_search f
      where f.channel_id = p.channel_id and f.created_at >= p.since
        and (f.created_at, f.message_id) < (past.created_at, past.message_id)
      order by f.created_at desc, f.message_id desc limit 1) h),
  -- From each of the 50 channels with the newest messages an equal share of the limit.
  depth as materialized (
    select greatest(examined / greatest(least(count(*), 50), 1), 20) as each, count(*) > 50 as more,
      max(h.created_at) filter (where h.ordinal = 51) as created_at,
      -- uuid has no max() before PostgreSQL 18.
      (array_agg(h.message_id) filter (where h.ordinal = 51))[1] as message_id
    from heads h),
  walked as materialized (
    select f.* from depth d cross join heads h cross join lateral (
      select f.created_at, f.message_id, f.base_seq >= h.history_from_seq
          and (search.matching is null or f.words @@ search.matching) as hit,
        row_number() over (order by f.created_at desc, f.message_id desc) = d.each as last
      from public.message_search f
      where f.channel_id = h.channel_id and f.created_at >= h.since
        and (f.created_at, f.message_id) < (past.created_at, past.message_id)
      order by f.created_at desc, f.message_id desc limit d.each) f
    where h.ordinal <= 50),
  -- The newest position before which a message may not have been examined; null if all were.
  bound as materialized (
    select b.created_at, b.message_id from (
      select w.created_at, w.message_id from walked w where w.last
      union all
      (select w.created_at, w.message_id from walked w, depth d
        where d.more and (w.created_at, w.message_id) > (d.created_at, d.message_id)
        order by w.created_at, w.message_id limit 1)) b
    order by b.created_at desc, b.message_id desc limit 1)
  select array(
      select (o.created_at, o.message_id)::app.search_position from (
        select w.created_at, w.message_id from walked w
        where w.hit and not exists (
          select from bound b where (w.created_at, w.message_id) < (b.created_at, b.message_id))
        order by w.created_at desc, w.message_id desc) o
      where not verified or app.has_phrases(o.message_id, search.phrases, search.excluded_phrases)
      limit size),
    (select b.created_at from bound b), (select b.message_id from bound b)
  into hits, reached_at, reached_id;
end
$$;
comment on function app.search_newest is
  'Matches among the newest messages of these channels before a position. Also returns the position down to which all '
  'of them were examined; null if none is left.';

create function app.search_ranges(
  scopes app.search_scope[], before timestamptz, amount integer
) returns app.search_range[]
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return array(
    select (p.channel_id, p.history_from_seq, p.since, s.segment, least(s.last_at, before))::app.search_range
    from unnest(scopes) p
    join public.search_segments s on s.channel_id = p.channel_id and s.first_at <= before and s.last_at >= p.since
    order by least(s.last_at, before) desc, p.channel_id, s.segment limit amount);
end
$$;
comment on function app.search_ranges is
  'Segments of these channels that contain messages up to a time, the newest first.';

create function app.search_segments(
  ranges app.search_range[], search app.search_query, past app.search_position, size integer,
  inout hits app.search_position[], out matches bigint
)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  verified constant boolean := search.phrases <> '{}' or search.excluded_phrases <> '{}';
begin
  with matched as materialized (
    select i.created_at, i.message_id
    from unnest(ranges) r cross join lateral (
      -- `offset 0` is an optimisation fence: only the index of terms can be used.
      select s.* from public.message_search s
      where app.search_terms(s.channel_id, s.segment, s.words) @@ app.segment_query(r.channel_id, r.segment, search.indexed)
      offset 0) i
    where i.channel_id = r.channel_id and i.segment = r.segment and i.base_seq >= r.history_from_seq
      and i.created_at >= r.since and (i.created_at, i.message_id) < (past.created_at, past.message_id)
      and i.words @@ search.matching
      and (not verified or app.has_phrases(i.message_id, search.phrases, search.excluded_phrases)))
  select array(
      select (n.created_at, n.message_id)::app.search_position
      from (select * from matched union all select h.created_at, h.message_id from unnest(hits) h) n
      order by n.created_at desc, n.message_id desc limit size),
    (select count(*) from matched)
  into hits, matches;
end
$$;
comment on function app.search_segments is
  'Adds the matches of segments before a position to hits, of which it returns the newest; also returns their number.';

create function app.search_saved(
  scopes app.search_scope[], search app.search_query, past app.search_position, size integer, me uuid
) returns app.search_position[]
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return array(
    select (f.created_at, f.message_id)::app.search_position
    from public.saved_messages s
    join public.message_search f on f.message_id = s.message_id
    join unnest(scopes) p on p.channel_id = f.channel_id and f.base_seq >= p.history_from_seq and f.created_at >= p.since
    where s.profile_id = me and (f.created_at, f.message_id) < (past.created_at, past.message_id)
      and (search.matching is null or f.words @@ search.matching)
      and (search.phrases = '{}' and search.excluded_phrases = '{}'
        or app.has_phrases(f.message_id, search.phrases, search.excluded_phrases))
    order by f.created_at desc, f.message_id desc limit size);
end
$$;
comment on function app.search_saved is 'Matches among the messages that a person has saved, which are at most 500.';

create function app.search_positions(
  scopes app.search_scope[], search app.search_query, past app.search_position, size integer,
  out hits app.search_position[], out reached_at timestamptz, out reached_id uuid
)
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_variable
declare
  max_examined constant integer := (select s.value from public.settings s where s.key = 'search_messages_examined');
  max_deeper constant integer := (select s.value from public.settings s where s.key = 'search_messages_deeper');
  max_segments constant integer := (select s.value from public.settings s where s.key = 'search_segments');
  older app.search_position[] := '{}';
  ranges app.search_range[];
  matches bigint;
  needed bigint;
  searched integer := 0;
  found bigint := 0;
  step integer := 4;
begin
  select n.hits, n.reached_at, n.reached_id into hits, reached_at, reached_id
  from app.search_newest(scopes, search, past, size, max_examined) n;
  if reached_at is not null and cardinality(hits) < size then
    -- A third more than should be needed, unless the index is faster.
    needed := case when search.indexed is null then max_deeper
      else max_examined::bigint * (size - cardinality(hits)) * 4 / (3 * greatest(cardinality(hits), 1)) end;
    if needed <= max_deeper then
      select hits || n.hits, n.reached_at, n.reached_id into hits, reached_at, reached_id
      from app.search_newest(scopes, search, (reached_at, reached_id), size - cardinality(hits), needed::integer) n;
    end if;
  end if;
  if reached_at is not null and cardinality(hits) < size and search.indexed is not null then
    ranges := app.search_ranges(scopes, reached_at, max_segments + 1);
    while searched < least(cardinality(ranges), max_segments) loop
      select n.hits, n.matches into older, matches
      from app.search_segments(ranges[searched + 1:least(searched + step, max_segments)], search,
        (reached_at, reached_id), size, older) n;
      searched := least(searched + step, max_segments);
      found := found + matches;
      exit when found > 10 * max_examined or cardinality(hits) + (
        select count(*) from unnest(older) h
        where searched >= cardinality(ranges) or h.created_at > ranges[searched + 1].last_at) >= size;
      step := case when matches > max_examined then 1 else least(step * 2, 16) end;
    end loop;
    if searched >= cardinality(ranges) then
      reached_at := null;
    else
      -- Complete down to the newest message of the first segment that was not searched.
      older := array(select h from unnest(older) h where h.created_at > ranges[searched + 1].last_at);
      if ranges[searched + 1].last_at < reached_at then
        reached_at := ranges[searched + 1].last_at;
        reached_id := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
      end if;
    end if;
    hits := hits || older;
  end if;
  if cardinality(hits) >= size then
    hits := hits[1:size];
    reached_at := hits[size].created_at;
    reached_id := hits[size].message_id;
  end if;
end
$$;
comment on function app.search_positions is
  'Positions of the newest matches before a position, `size` at most, and the position down to which they are complete; '
  'null if all messages were searched. It first examines the newest messages, then more of them if the first had enough '
  'matches to expect a full page, otherwise segments by the index.';

create function app.rank_positions(hits app.search_position[], search app.search_query) returns app.search_position[]
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  whole_words constant text[] := array(
    select h from unnest(search.highlights) h where h !~ ' ' and h !~ app.unspaced_letters());
begin
  return array(
    select (s.created_at, s.message_id)::app.search_position
    from unnest(hits) h join public.message_search s on s.message_id = h.message_id
    cross join lateral (
      select count(*) as amount from unnest(whole_words) w where s.words @@ ('''' || w || '''')::tsquery) exact
    order by exact.amount
        -- Few other words; replies and reactions; and age, which halves the value in about three months.
        + 1 / (1 + ln(greatest(length(s.words), 1)))
        + 0.3 * (s.words @@ '''=reaction'''::tsquery)::integer + 0.3 * (s.words @@ '''=thread'''::tsquery)::integer
        + exp(-extract(epoch from greatest(now() - s.created_at, interval '0')) / 1e7) desc,
      s.created_at desc, s.message_id desc);
end
$$;
comment on function app.rank_positions is
  'Positions by relevance: whole words rather than beginnings, short messages, those that people replied or reacted to, '
  'newer ones.';

create function app.search_hits_as_json(hits app.search_position[], search app.search_query, me uuid) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return coalesce((
    select jsonb_agg(jsonb_build_object(
      'message', m.value,
      'channel', jsonb_build_object('id', c.id, 'kind', c.kind, 'name', c.name),
      'file', (
        select jsonb_build_object('position', f.ordinal - 1, 'matched', 'name')
        from jsonb_array_elements(m.value -> 'attachments') with ordinality f (value, ordinal)
        where array_to_tsvector(app.split_words(f.value ->> 'name')) @@ search.named
        order by f.ordinal limit 1)) order by m.ordinal)
    from jsonb_array_elements(app.messages_as_json(array(
      select h.message_id from unnest(hits) with ordinality h (created_at, message_id, ordinal) order by h.ordinal), me))
      with ordinality m (value, ordinal)
    join public.channels c on c.id = (m.value ->> 'channel_id')::uuid), '[]');
end
$$;
comment on function app.search_hits_as_json is
  'Messages with their channel, and the first of their files whose name has one of the words. Checks no rights: the '
  'caller has.';

create function public.search_messages(
  workspace uuid, query text, filters jsonb default null, before text default null, "limit" integer default 20
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_variable
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin', 'member', 'guest');
  size constant integer := least(greatest(coalesce(search_messages."limit", 20), 1), 50);
  parsed constant app.search_filters := app.parse_search_filters(search_messages.filters);
  search constant app.search_query := app.parse_search(coalesce(search_messages.query, ''), parsed, me);
  has_filter constant boolean := coalesce(parsed.authors, parsed.channels, parsed.people) is not null
    or coalesce(parsed.before, parsed.after) is not null or coalesce(parsed.content, parsed.states) is not null
    or coalesce(parsed.mentions_me, false);
  past app.search_position := ('infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  -- Of a page by relevance: how many precede it.
  skipped integer := 0;
  hits app.search_position[];
  first_hit app.search_position;
  reached_at timestamptz;
  reached_id uuid;
  next text;
begin
  if before is not null then
    if before !~ '^(r[0-9]{1,4} )?[0-9]{1,17} [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
      or (before like 'r%') <> coalesce(parsed.by_relevance, false)
    then
      raise exception using errcode = 'PT400', message = 'bad_cursor';
    end if;
    skipped := coalesce(substring(before from '^r([0-9]+)')::integer, 0);
    past := (
      timestamptz 'epoch' + substring(before from '([0-9]+) [0-9a-f-]+$')::bigint * interval '1 microsecond',
      right(before, 36)::uuid);
  end if;
  if parsed.before is not null then
    past := least(past, (parsed.before, '00000000-0000-0000-0000-000000000000')::app.search_position);
  end if;
  if search.matching is not null or search.phrases <> '{}' or search.excluded_phrases <> '{}' or has_filter then
    -- Rights are applied here rather than by a policy: text search operators are not leakproof, so under a policy every
    -- search would be a sequential scan.
    declare
      scopes constant app.search_scope[] := app.search_scopes(workspace, parsed);
      amount constant integer := case when parsed.by_relevance then 1000 else size + 1 end;
    begin
      if 'saved' = any (parsed.states) then
        hits := app.search_saved(scopes, search, past, amount, me);
      else
        select p.hits, p.reached_at, p.reached_id into hits, reached_at, reached_id
        from app.search_positions(scopes, search, past, amount) p;
      end if;
    end;
  end if;
  if parsed.by_relevance then
    -- All pages rank the same hits, those from the newest of the first page on.
    first_hit := case when before is null then hits[1] else past end;
    if before is null and first_hit is not null then
      first_hit.created_at := first_hit.created_at + interval '1 microsecond';
      first_hit.message_id := '00000000-0000-0000-0000-000000000000';
    end if;
    if cardinality(hits) > skipped + size then
      next := 'r' || skipped + size || ' ' || (extract(epoch from first_hit.created_at) * 1000000)::bigint || ' '
        || first_hit.message_id;
    end if;
    hits := (app.rank_positions(hits, search))[skipped + 1:skipped + size];
  else
    if cardinality(hits) > size then
      reached_at := hits[size].created_at;
      reached_id := hits[size].message_id;
    end if;
    next := (extract(epoch from reached_at) * 1000000)::bigint || ' ' || reached_id;
    hits := hits[1:size];
  end if;
  return jsonb_build_object('hits', app.search_hits_as_json(hits, search, me), 'highlights', to_jsonb(search.highlights),
    'next', next);
end
$$;
comment on function public.search_messages is
  'Messages that the caller may read and that match a query and filters, newest first or by relevance among the newest '
  '1,000. One request examines a bounded part of them: a page may have fewer than `limit` messages, or none, and still a '
  'cursor.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
revoke execute on function public.search_messages from public, anon, authenticated, service_role;
grant execute on function public.search_messages to authenticated;
