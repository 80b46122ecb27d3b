-- Both of the previous changes: `matching` is null without a word, and repeated words are compared.

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

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
