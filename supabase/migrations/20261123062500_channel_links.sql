-- Links to channels in messages: `<#channel-id>`. Like mentions, they are no words for search.

create or replace function app.split_words(content text) returns text[]
language plpgsql immutable set search_path = ''
as $$
declare
  -- Scripts without spaces are split into pairs of characters, so that any part of a sentence is found.
  unspaced constant text := '[\u0E00-\u0E7F\u3005\u3040-\u30FF\u3400-\u4DBF\u4E00-\u9FFF\uAC00-\uD7AF]';
  between_words constant text := '[\u0001-\u002F\u003A-\u0040\u005B-\u0060\u007B-\u00A9\u00AB-\u00B1\u00B4\u00B6-'
    '\u00B8\u00BB-\u00BF\u00D7\u00F7\u060C\u061B\u061F\u066A-\u066D\u0964\u0965\u2000-\u206F\u3000-\u3004'
    '\u3006-\u303F\uFE00-\uFE0F]+';
  folded text := lower(normalize(regexp_replace(content, '<[@!#][^<>]*>', ' ', 'g'), nfkc));
  pairs text[] := '{}';
begin
  if folded ~ unspaced then
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
    from unnest(pairs || regexp_split_to_array(folded, between_words)) w where w <> '');
end
$$;
