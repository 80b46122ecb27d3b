-- Words: one definition for search, keywords of notifications and trigger words of webhooks. Decision 73 gives the reasons.

create function app.fold_text(content text) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  if octet_length(content) = char_length(content) then return lower(content); end if;
  -- Decomposed, so that accents are characters of their own; composed again, since Hangul and kana are decomposed too.
  return normalize(regexp_replace(
    replace(replace(replace(
      translate(lower(normalize(app.bound_marks(content), nfkd)), 'øłđħıς', 'oldhiσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'),
    '[\u0300-\u036F\u0591-\u05BD\u05BF\u05C1\u05C2\u05C7\u0640\u064B-\u0652\u0670]+', '', 'g'), nfc);
end
$$;
comment on function app.fold_text is
  'A text without case, accents, vowel points and compatibility forms: what search compares. Letters that differ by an '
  'accent only are the same then, as й and и.';

create function app.unspaced_letters() returns text
language sql immutable set search_path = ''
as $$
  select '[\u0E00-\u0E3E\u0E40-\u0E4E\u0E50-\u0E59\u0E80-\u0EFF'
    || '\u0F00\u0F18\u0F19\u0F20-\u0F33\u0F35\u0F37\u0F39\u0F3E-\u0F84\u0F86-\u0FBC\u0FC6'
    || '\u1000-\u1049\u104C-\u109F\u1780-\u17D3\u17D7\u17DC-\u17FF\u1950-\u1A1B\u1A20-\u1A99\u1AA7\u1B00-\u1B59'
    || '\u2190-\u2BFF\u3005-\u3007\u3021-\u3029\u3031-\u3035\u303B\u303C\u3040-\u318F\u31A0-\u31BF\u31F0-\u31FF'
    || '\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uA980-\uA9C0\uA9CF-\uA9DD\uA9E0-\uA9FF\uAA60-\uAADD\uAC00-\uD7AF'
    || '\uF900-\uFAFF\U0001B000-\U0001B16F\U0001F000-\U0001FAFF\U00020000-\U0003FFFF]'
$$;
comment on function app.unspaced_letters is
  'A pattern of the letters of scripts that are searched without regard to spaces, and of symbols and emoji. Scripts: Thai, Lao, '
  'Tibetan, Burmese, Khmer, Tai, Balinese, Javanese, Yi, Japanese, Chinese, Korean. The application highlights by the same '
  'ranges (findMatches.ts).';

create function app.word_separators() returns text
language sql immutable set search_path = ''
as $$
  select '[\u0001-\u002F\u003A-\u0040\u005B-\u0060\u007B-\u00A9\u00AB-\u00B1\u00B4\u00B6-\u00B8\u00BB-\u00BF\u00D7\u00F7'
    || '\u055A-\u055F\u0589\u058A\u05BE\u05C0\u05C3\u05C6\u060C\u061B\u061F\u066A-\u066D\u06D4\u0700-\u070D\u0964\u0965\u0DF4'
    || '\u0E3F\u0E4F\u0E5A\u0E5B\u0F01-\u0F17\u0F1A-\u0F1F\u0F34\u0F36\u0F38\u0F3A-\u0F3D\u0F85\u0FBE-\u0FC5\u0FC7-\u0FDA'
    || '\u104A\u104B\u1361-\u1368\u1400\u166E\u1680\u169B\u169C\u16EB-\u16ED\u1735\u1736\u17D4-\u17D6\u17D8-\u17DA\u1800-\u180A'
    || '\u1A1E\u1A1F\u1AA0-\u1AA6\u1AA8-\u1AAD\u1B5A-\u1B6A\u2000-\u206F\u2E00-\u2E7F\u3000-\u3004\u3008-\u3020\u302A-\u3030'
    || '\u3036-\u303A\u303D-\u303F\uA4FE\uA4FF\uA60D-\uA60F\uA8CE\uA8CF\uA9C1-\uA9CD\uA9DE\uA9DF\uABEB\uFE00-\uFE0F\uFFF9-\uFFFD]+'
$$;
comment on function app.word_separators is
  'A pattern of the characters that separate words. `+` and `#` after a word may belong to it: see fold_phrase.';

create function app.text_to_split(content text) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  return translate(app.fold_text(case when strpos(content, '<') > 0
    then regexp_replace(content, '<[@!#][^<>]*>', ' ', 'g') else content end), E'\u00AD\u200B\u200D\u2060\uFEFF', '');
end
$$;
comment on function app.text_to_split is
  'A text as it is split into words: folded, without mentions and links to channels, and without invisible characters within '
  'words, such as the breaks that keyboards for Khmer and Burmese add between words.';

create function app.ordered_words(content text) returns text[]
language plpgsql immutable set search_path = ''
as $$
declare
  unspaced constant text := app.unspaced_letters();
  folded constant text := btrim(app.fold_phrase(content));
begin
  if folded = '' then return '{}'; end if;
  if octet_length(folded) <= 100 and octet_length(folded) = char_length(folded) then return string_to_array(folded, ' '); end if;
  if octet_length(folded) = char_length(folded) or folded !~ unspaced then
    return array(
      select left(p.part, 100) from unnest(string_to_array(folded, ' ')) with ordinality p (part, ordinal) order by p.ordinal);
  end if;
  -- One statement for all runs: appending to an array run by run would copy it each time. The planner expects few
  -- rows from an array. Its estimates for functions that return sets would cause JIT compilation. The last character of a run
  -- is a word too, or it would be found only with the one before it.
  return array(
    select left(w.word, 100)
    from unnest(string_to_array(folded, ' ')) with ordinality p (part, ordinal)
    cross join lateral (
      select p.part as word, 0::bigint as ordinal where p.part !~ unspaced
      union all
      select concat(s.letter, lead(s.letter) over (order by s.ordinal)), s.ordinal
      from unnest(string_to_array(p.part, null)) with ordinality s (letter, ordinal) where p.part ~ unspaced) w
    order by p.ordinal, w.ordinal);
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
  max_words constant integer := 4000;
  words constant text[] := app.ordered_words(content);
begin
  -- A tsvector has 256 positions of a word, and none above 16,383.
  if cardinality(words) <= max_words then
    return (
      coalesce((select string_agg('''' || w.word || ''':' || w.ordinal, ' ') from unnest(words) with ordinality w (word, ordinal)), '')
      || case when cardinality(words) > 255 then ' ''=long''' else '' end)::tsvector;
  end if;
  return (
    select string_agg('''' || w.word || ''':' || w.ordinal, ' ') || ' ''=long'''
    from unnest(words) with ordinality w (word, ordinal)
    join (
      select d.word from unnest(words) with ordinality d (word, ordinal)
      group by d.word order by min(d.ordinal) limit max_words) indexed on indexed.word = w.word)::tsvector;
end
$$;
comment on function app.index_text is
  'The words of a text with their positions, as message_search stores them: the first 4,000 distinct ones. A text with the property '
  '`=long` may have more positions than can be stored.';

create function app.fold_phrase(content text) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  separators constant text := app.word_separators();
  others text;
  folded text := app.text_to_split(content);
  has_signs constant boolean := strpos(folded, '+') > 0 or strpos(folded, '#') > 0;
begin
  if octet_length(folded) > char_length(folded) then
    folded := regexp_replace(folded, '(' || app.unspaced_letters() || '+)', ' \1 ', 'g');
  end if;
  -- `C++`, `A+` and `C#` are words, `a+b` and `page#top` are two. Private characters replace these signs until the other
  -- signs are separators. If the text itself contains private characters, they separate words.
  if has_signs then
    -- The beginning of a class of all characters that are not separators.
    others := '[^' || substr(separators, 2, char_length(separators) - 3);
    folded := translate(folded, E'\uE000\uE001', '  ');
    folded := regexp_replace(folded, '(' || others || '])\+\+(?!' || others || '0-9])', E'\\1\uE000\uE000 ', 'g');
    folded := regexp_replace(folded, '(' || others || '\uE000])\+(?!' || others || '])', E'\\1\uE000 ', 'g');
    folded := regexp_replace(folded, '(' || others || '\uE000])#(?!' || others || '])', E'\\1\uE001 ', 'g');
  end if;
  folded := ' ' || btrim(regexp_replace(folded, separators, ' ', 'g')) || ' ';
  return case when has_signs then translate(folded, E'\uE000\uE001', '+#') else folded end;
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
