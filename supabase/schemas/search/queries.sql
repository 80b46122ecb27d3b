-- What a person searches for: words, phrases, exclusions and filters, with accents folded, and corrections of typing errors.
-- Decision 37 gives the reasons.
--
-- Excluded words, authors, contents and states are properties that a message must not have; excluded channels are not searched.
-- Without a word, as in a search by channel, time or people alone, `matching` of a query is null.
--
-- Only a search that finds nothing is repeated with corrections, as one more search of the same kind: each word or one of the
-- words of the vocabulary that are close to it. What it returns is readable to the caller, and it compares as many words
-- whether the vocabulary has any or not, so that neither results nor time reveal words of other channels.

-- Filters ----------------------------------------------------------------------------------------------

create type app.search_filters as (
  authors uuid[], channels uuid[], people uuid[], before timestamptz, after timestamptz, content text[], states text[],
  mentions_me boolean, by_relevance boolean, not_authors uuid[], not_channels uuid[], not_properties text[], mentioned uuid[]
);
comment on type app.search_filters is
  'The filters of search_messages; null where one is absent. `not_properties`: contents and states that are excluded. '
  '`mentioned`: people or groups.';

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
  excluded app.search_filters;
begin
  if filters is null then return parsed; end if;
  if jsonb_typeof(filters) <> 'object' then perform app.refuse_filter('filters'); end if;
  for key, value in select e.key, e.value from jsonb_each(filters) e loop
    if value = 'null' or value = '[]' then
      if key not in ('from', 'in', 'with', 'before', 'after', 'has', 'is', 'mentions', 'mentions_me', 'not', 'order')
      then
        perform app.refuse_filter(key);
      end if;
      continue;
    end if;
    if key in ('from', 'in', 'with', 'has', 'is', 'mentions') then
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
        when 'mentions' then parsed.mentioned := array(select e::uuid from jsonb_array_elements_text(value) e);
        when 'mentions_me' then
          if jsonb_typeof(value) <> 'boolean' then perform app.refuse_filter(key); end if;
          parsed.mentions_me := value;
        when 'not' then
          if jsonb_typeof(value) <> 'object' or exists (
            select from jsonb_object_keys(value) k where k not in ('from', 'in', 'has', 'is'))
          then
            perform app.refuse_filter(key);
          end if;
          excluded := app.parse_search_filters(value);
          if 'saved' = any (excluded.states) then perform app.refuse_filter('is'); end if;
          parsed.not_authors := excluded.authors;
          parsed.not_channels := excluded.channels;
          parsed.not_properties := excluded.content || excluded.states;
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
  matching tsquery, indexed text, phrases text[], excluded_phrases text[], named tsquery, highlights text[],
  correctable text[], unverified tsquery, whole tsquery, any_whole tsquery, by_relevance boolean
);
comment on type app.search_query is
  'What a message has to contain. `matching`: words, properties and phrases. `indexed`: those words and properties by which the index is '
  'searched, as a tsquery in which `%` stands for the prefix of a segment; null if there is none. `phrases`: as '
  'phrase_to_find. `unverified`: what a match has whose phrases must be compared with its text. `named`: any of the words, '
  'for names of files. `highlights`: words and beginnings of words. `correctable`: words that may be typing errors. `whole`, '
  '`any_whole`: all and any of the words as whole words, for the relevance. `by_relevance`: whether hits get a score.';

create function app.search_tokens(query text)
returns table (ordinal bigint, is_excluded boolean, is_phrase boolean, content text, words text[])
language sql immutable set search_path = ''
as $$
  -- A hyphen excludes only before a word, not within.
  select r.ordinal, r.t[1] is not null, r.t[2] is not null, coalesce(r.t[2], r.t[3]),
    app.query_words(coalesce(r.t[2], r.t[3]))
  from regexp_matches(translate(left(query, 500), '“”„‟«»', '""""""'), '(-)?(?:"([^"]*)"?|([^"[:space:]]+))', 'g')
    with ordinality r (t, ordinal)
  order by r.ordinal limit 30
$$;
comment on function app.search_tokens is
  'The words, "phrases" and -excluded words of a query in order: at most 30, of 500 characters.';

create function app.phrase_query(phrase text) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  words text[] := app.ordered_words(phrase);
  last constant text := words[cardinality(words)];
  may_continue boolean := last ~ ('^' || app.unspaced_letters() || '$');
begin
  -- A run of a script without spaces may go on after the phrase: its last character is in a pair then.
  if may_continue and words[cardinality(words) - 1] like '_' || last then
    words := trim_array(words, 1);
    may_continue := false;
  end if;
  -- Not at positions of words of files, whose order is not stored.
  return (select '(' || string_agg('''' || w || ''':D', ' <-> ') || case when may_continue then '*)' else ')' end
    from unnest(words) w);
end
$$;
comment on function app.phrase_query is
  'A tsquery that matches the words of a text that has a phrase: as phrase_to_find, by positions.';

create function app.parse_search(query text, filters app.search_filters, me uuid, alternatives jsonb default '{}')
returns app.search_query
language plpgsql stable set search_path = ''
as $$
declare
  parsed app.search_query;
  token record;
  word text;
  -- Terms that are required, with their lengths.
  required text[] := '{}';
  lengths integer[] := '{}';
  properties text[] := '{}';
  conditions text[];
  unspaced constant text := app.unspaced_letters();
  is_sequence boolean;
begin
  parsed.phrases := '{}';
  parsed.excluded_phrases := '{}';
  parsed.highlights := '{}';
  parsed.correctable := '{}';
  parsed.by_relevance := coalesce(filters.by_relevance, false);
  for token in select t.* from app.search_tokens(query) t where t.words <> '{}' loop
    -- More than its distinct words: also a word twice, or three times the same character.
    is_sequence := btrim(app.fold_phrase(token.content)) ~ ' ' or token.content ~ (unspaced || '{3}');
    if token.is_excluded then
      if not is_sequence then
        properties := properties || ('!''' || token.words[1] || '''');
      else
        parsed.excluded_phrases := parsed.excluded_phrases || app.phrase_to_find(token.content);
        properties := properties || ('(!(' || app.phrase_query(token.content) || ') | ''=long'')');
      end if;
      continue;
    end if;
    foreach word in array token.words loop
      required := required || case
        when alternatives ? word and not token.is_phrase then
          '(''%' || word || ''':* | ' || (
            select string_agg('''%' || a || '''', ' | ') from jsonb_array_elements_text(alternatives -> word) a) || ')'
        else '''%' || word || '''' || case
          when word ~ ('^' || unspaced || '$') then ':*'
          -- `.net` is not the beginning of "network".
          when token.is_phrase or (token.content ~ '^\.' and word = (app.ordered_words(token.content))[1]) then ''
          else ':*' end
      end;
      lengths := lengths || case when word ~ unspaced then 4 else char_length(word) end;
    end loop;
    if cardinality(token.words) = 1 and not token.is_phrase and app.is_correctable(token.words[1]) then
      parsed.correctable := parsed.correctable || token.words;
    end if;
    -- Pairs of characters may match in another order.
    if is_sequence and (token.is_phrase or token.content ~ (unspaced || '{3}')) then
      parsed.phrases := parsed.phrases || app.phrase_to_find(token.content);
      properties := properties || ('(' || app.phrase_query(token.content) || ' | ''=file'' | ''=long'')');
    end if;
    parsed.highlights := parsed.highlights || case
      when token.is_phrase then array[btrim(app.fold_phrase(token.content))]
      else string_to_array(btrim(app.fold_phrase(token.content)), ' ') end;
  end loop;
  select coalesce(array_agg(r.term order by r.size desc, r.term), '{}'), array_agg(r.size order by r.size desc, r.term)
  into required, lengths from (
    select t.term, max(t.size) as size from unnest(required, lengths) t (term, size)
    group by t.term order by max(t.size) desc, t.term limit 20) r;
  parsed.highlights := array(select distinct h from unnest(parsed.highlights) h where h <> '');
  if parsed.phrases <> '{}' or parsed.excluded_phrases <> '{}' then parsed.unverified := '''=file'' | ''=long'''; end if;
  select string_agg(quote_literal(h), ' & ')::tsquery, string_agg(quote_literal(h), ' | ')::tsquery
  into parsed.whole, parsed.any_whole
  from unnest(parsed.highlights) h where h !~ ' ' and h !~ unspaced;
  if cardinality(required) > 0 then
    parsed.named := replace(array_to_string(required, ' | '), '%', '')::tsquery;
  end if;
  -- The longest words are the rarest. Beginnings of one or two letters match many terms of a segment.
  conditions := array(
    select t.term from unnest(required, lengths) with ordinality t (term, size, ordinal)
    where t.ordinal = 1 or (t.ordinal <= 6 and t.size > 2) order by t.ordinal);
  if filters.authors is not null then
    conditions := conditions || (
      '(' || (select string_agg('''%=from:' || a || '''', ' | ') from unnest(filters.authors) a) || ')');
  end if;
  conditions := conditions
    || array(select '''%=' || c || '''' from unnest(filters.content) c)
    || array(select '''%=' || s || '''' from unnest(filters.states) s where s <> 'saved');
  properties := properties
    || array(select '!''=from:' || a || '''' from unnest(filters.not_authors) a)
    || array(select '!''=' || m || '''' from unnest(filters.not_properties) m);
  if filters.mentioned is not null then
    conditions := conditions || (
      '(' || (select string_agg('''%=@' || m || '''', ' | ') from unnest(filters.mentioned) m) || ')');
  end if;
  if filters.mentions_me then
    conditions := conditions || (
      '(''%=@'' | ' || (select string_agg('''%=@' || m || '''', ' | ') from unnest(me || app.group_ids_of(me)) m) || ')');
    properties := properties || ('!''=from:' || me || '''');
  end if;
  parsed.indexed := nullif(array_to_string(conditions, ' & '), '');
  -- An empty tsquery matches nothing.
  parsed.matching := nullif(replace(array_to_string(
    array(select t from unnest(required) t where t <> all (conditions)) || conditions || properties, ' & '), '%', ''),
    '')::tsquery;
  return parsed;
end
$$;
comment on function app.parse_search is
  'Parses a query and adds the properties of the filters. A word matches each word that it begins, and its alternatives as a '
  'whole; an excluded word and a word after a dot match themselves only.';

create function app.has_phrases(message uuid, phrases text[], excluded text[]) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
declare
  content constant text := concat_ws(E'\n',
    app.fold_phrase((
      select concat_ws(E'\n', app.searchable_text(m.body, m.extras),
        (select string_agg(a.name, E'\n') from public.attachments a where a.message_id = m.id))
      from public.messages m where m.id = message)),
    (select string_agg(' ' || array_to_string(t.folded, ''), E'\n')
      from public.attachments a
      join public.file_texts t on t.upload_id = a.upload_id and t.upload_channel_id = a.upload_channel_id
      where a.message_id = message));
begin
  return not exists (select from unnest(phrases) p where strpos(content, p) = 0)
    and not exists (select from unnest(excluded) p where strpos(content, p) > 0);
end
$$;
comment on function app.has_phrases is
  'Whether a message with the names and texts of its files has all of these phrases, and none of the excluded ones.';

-- Corrections ------------------------------------------------------------------------------------------

create function app.typing_distance(one text, other text) returns integer
language plpgsql immutable set search_path = ''
as $$
declare
  length_one constant integer := char_length(one);
  length_other constant integer := char_length(other);
  shorter constant integer := least(length_one, length_other);
  before integer := 0;
  after integer := 0;
  middle_one text;
  middle_other text;
begin
  while before < shorter and substr(one, before + 1, 1) = substr(other, before + 1, 1) loop before := before + 1; end loop;
  while after < shorter - before and substr(one, length_one - after, 1) = substr(other, length_other - after, 1) loop
    after := after + 1;
  end loop;
  middle_one := substr(one, before + 1, length_one - before - after);
  middle_other := substr(other, before + 1, length_other - before - after);
  return case
    when greatest(char_length(middle_one), char_length(middle_other)) <= 1 then 1
    when char_length(middle_one) = 2 and middle_one = reverse(middle_other) then 1
    else 2 end;
end
$$;
comment on function app.typing_distance is
  '1 if one character was added, omitted, replaced or exchanged with its neighbour, otherwise 2.';

create function app.correct_query(query text, corrections jsonb) returns text
language sql immutable set search_path = ''
as $$
  select string_agg(case when t.is_excluded then '-' else '' end || case
      when t.is_phrase then '"' || t.content || '"'
      when not t.is_excluded and cardinality(t.words) = 1 then coalesce(corrections -> t.words[1] ->> 0, t.content)
      else t.content end, ' ' order by t.ordinal)
  from app.search_tokens(query) t
$$;
comment on function app.correct_query is 'A query with its words replaced by the first of their corrections.';
