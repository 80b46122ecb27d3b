-- Filters of a search that exclude: authors, channels, contents and states.
--
-- They are marks that a message must not have, as excluded words are; excluded channels are not searched.

alter type app.search_filters
  add attribute not_authors uuid[], add attribute not_channels uuid[], add attribute not_marks text[];
comment on type app.search_filters is
  'The filters of search_messages; null where one is absent. `not_marks`: contents and states that are excluded.';

create or replace function app.parse_search_filters(filters jsonb) returns app.search_filters
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
      if key not in ('from', 'in', 'with', 'before', 'after', 'has', 'is', 'mentions_me', 'not', 'order') then
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
          parsed.not_marks := excluded.content || excluded.states;
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

create or replace function app.parse_search(query text, filters app.search_filters, me uuid, alternatives jsonb default '{}')
returns app.search_query
language plpgsql immutable set search_path = ''
as $$
declare
  parsed app.search_query;
  token record;
  word text;
  -- Terms that are required, with their lengths.
  required text[] := '{}';
  lengths integer[] := '{}';
  marks text[] := '{}';
  conditions text[];
  unspaced constant text := app.unspaced_letters();
  is_sequence boolean;
begin
  parsed.phrases := '{}';
  parsed.excluded_phrases := '{}';
  parsed.highlights := '{}';
  parsed.correctable := '{}';
  for token in select t.* from app.search_tokens(query) t where t.words <> '{}' loop
    -- More than its distinct words: also a word twice, or three times the same character.
    is_sequence := btrim(app.fold_phrase(token.content)) ~ ' ' or token.content ~ (unspaced || '{3}');
    if token.is_excluded then
      if not is_sequence then
        marks := marks || ('!''' || token.words[1] || '''');
      else
        parsed.excluded_phrases := parsed.excluded_phrases || app.phrase_to_find(token.content);
      end if;
      continue;
    end if;
    foreach word in array token.words loop
      required := required || case
        when alternatives ? word and not token.is_phrase then
          '(''%' || word || ''':* | ' || (
            select string_agg('''%' || a || '''', ' | ') from jsonb_array_elements_text(alternatives -> word) a) || ')'
        else '''%' || word || '''' || case when not token.is_phrase or word ~ ('^' || unspaced || '$') then ':*' else '' end
      end;
      lengths := lengths || case when word ~ unspaced then 4 else char_length(word) end;
    end loop;
    if cardinality(token.words) = 1 and not token.is_phrase and app.is_correctable(token.words[1]) then
      parsed.correctable := parsed.correctable || token.words;
    end if;
    -- Pairs of characters may match in another order.
    if is_sequence and (token.is_phrase or token.content ~ (unspaced || '{3}')) then
      parsed.phrases := parsed.phrases || app.phrase_to_find(token.content);
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
  marks := marks
    || array(select '!''=from:' || a || '''' from unnest(filters.not_authors) a)
    || array(select '!''=' || m || '''' from unnest(filters.not_marks) m);
  if filters.mentions_me then
    conditions := conditions || ('(''%=@'' | ''%=@' || me || ''')');
    marks := marks || ('!''=from:' || me || '''');
  end if;
  parsed.indexed := nullif(array_to_string(conditions, ' & '), '');
  -- An empty tsquery matches nothing.
  parsed.matching := nullif(replace(array_to_string(
    array(select t from unnest(required) t where t <> all (conditions)) || conditions || marks, ' & '), '%', ''),
    '')::tsquery;
  return parsed;
end
$$;

create or replace function app.search_scopes(workspace uuid, filters app.search_filters) returns app.search_scope[]
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return array(
    select (r.channel_id, r.history_from_seq, greatest(r.since, filters.after))::app.search_scope
    from app.my_channels_since(workspace, null) r
    where (filters.channels is null or r.channel_id = any (filters.channels))
      and (filters.not_channels is null or r.channel_id <> all (filters.not_channels))
      and (filters.people is null or exists (
        select from public.channels c
        where c.id = r.channel_id and c.kind in ('direct', 'group') and cardinality(filters.people) = (
          select count(*) from public.channel_members m
          where m.channel_id = c.id and m.profile_id = any (filters.people)))));
end
$$;
comment on function app.search_scopes is
  'The channels that the caller may read and the filters include: those of `in`, and conversations with all people of '
  '`with`, without the excluded ones.';

create or replace function public.search_messages(
  workspace uuid, query text, filters jsonb default null, before text default null, "limit" integer default 20
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_variable
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin', 'member', 'guest');
  size constant integer := least(greatest(coalesce(search_messages."limit", 20), 1), 50);
  parsed constant app.search_filters := app.parse_search_filters(search_messages.filters);
  amount constant integer := case when parsed.by_relevance then 1000 else size + 1 end;
  search app.search_query := app.parse_search(coalesce(search_messages.query, ''), parsed, me);
  has_filter constant boolean := coalesce(parsed.authors, parsed.channels, parsed.people, parsed.not_channels) is not null
    or coalesce(parsed.before, parsed.after) is not null or coalesce(parsed.content, parsed.states) is not null
    or coalesce(parsed.mentions_me, false);
  is_corrected boolean := coalesce(before like 'c %', false);
  alternatives jsonb;
  corrections jsonb := '{}';
  scopes app.search_scope[] := '{}';
  past app.search_position := ('infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  -- Of a page by relevance: how many precede it.
  skipped integer := 0;
  hits app.search_position[] := '{}';
  first_hit app.search_position;
  reached_at timestamptz;
  reached_id uuid;
  next text;
begin
  if before is not null then
    if before !~ '^(c )?(r[0-9]{1,4} )?[0-9]{1,17} [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
      or (before ~ 'r') <> coalesce(parsed.by_relevance, false)
    then
      raise exception using errcode = 'PT400', message = 'bad_cursor';
    end if;
    skipped := coalesce(substring(before from 'r([0-9]+)')::integer, 0);
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
    scopes := app.search_scopes(workspace, parsed);
    loop
      if is_corrected then
        alternatives := app.search_alternatives(workspace, search.correctable);
        search := app.parse_search(query, parsed, me, alternatives);
      end if;
      if 'saved' = any (parsed.states) then
        hits := app.search_saved(scopes, search, past, amount, me);
      else
        select p.hits, p.reached_at, p.reached_id into hits, reached_at, reached_id
        from app.search_positions(scopes, search, past, amount) p;
      end if;
      exit when is_corrected or before is not null or hits <> '{}' or reached_at is not null
        or search.correctable = '{}';
      is_corrected := true;
    end loop;
  end if;
  if is_corrected then corrections := app.used_corrections(hits[1:200], alternatives); end if;
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
  return jsonb_build_object('hits', app.search_hits_as_json(hits, search, me),
      'highlights', array(
        select h from unnest(search.highlights) h where not corrections ? h
        union select w from jsonb_each(corrections) c, jsonb_array_elements_text(c.value) w),
      'next', case when is_corrected then 'c ' else '' end || next)
    || case when corrections = '{}' then '{}'
      else jsonb_build_object('corrected', app.correct_query(query, corrections)) end;
end
$$;
