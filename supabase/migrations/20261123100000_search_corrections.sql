-- Typing errors in searches, corrected against a vocabulary.
--
-- Only a search that finds nothing is repeated with corrections, as one more search of the same kind: each word or one of the
-- words of the vocabulary that are close to it. What it returns is readable to the caller, and it compares as many words
-- whether the vocabulary has any or not, so that neither results nor time reveal words of other channels.

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

alter table public.search_segments add column words_until timestamptz;
comment on column public.search_segments.words_until is
  'Messages up to this time are in search_vocabulary. Messages of a channel are stored in the order of their times.';

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
      select w.word, least(count(*), 3)::smallint as messages
      from public.message_search f cross join lateral unnest(tsvector_to_array(f.words)) w (word)
      where f.channel_id = range.channel_id and f.segment = range.segment and f.created_at <= range.last_at
        and (range.words_until is null or f.created_at > range.words_until) and app.is_correctable(w.word)
      group by w.word),
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
  'Adds the words of new messages to the vocabulary, of a bounded number of segments, the oldest first. A scheduled job, so '
  'that senders neither compute keys nor wait for each other.';

create function app.remove_from_vocabulary() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
begin
  delete from public.search_vocabulary v
  using public.channels c
  where c.id = old.channel_id and v.workspace_id = c.workspace_id and v.messages < 3
    and v.word = any (tsvector_to_array(old.words))
    and (tg_op = 'DELETE' or v.word <> all (tsvector_to_array(new.words)));
  return null;
end
$$;
comment on function app.remove_from_vocabulary is
  'Removes words of deleted and edited messages that occurred in few others: what was deleted does not remain here.';
create trigger deleted_words_are_removed after delete or update of words on public.message_search
  for each row execute function app.remove_from_vocabulary();

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

create function app.similar_words(workspace uuid, word text, amount integer) returns text[]
language sql stable security definer set search_path = ''
as $$
  select array(
    select c.word from (
      select v.word, v.messages, app.typing_distance(similar_words.word, v.word) as distance
      from public.search_vocabulary v
      where v.keys && app.deletion_keys(workspace, similar_words.word)
        and v.workspace_id = workspace and v.word <> similar_words.word
      limit 200) c
    -- Two errors are frequent in long words only.
    where c.distance = 1 or char_length(similar_words.word) >= 8
    order by c.distance, left(c.word, 1) = left(similar_words.word, 1) desc, c.messages desc, c.word limit amount)
$$;
comment on function app.similar_words is
  'Words of the vocabulary of a workspace that are close to a word, the closest first. They may occur only where the caller '
  'does not read: they are searched for, never returned.';

-- Queries ----------------------------------------------------------------------------------------------

drop function public.search_messages;
drop function app.parse_search;
alter type app.search_query add attribute correctable text[];
comment on type app.search_query is
  'What a message has to contain. `matching`: words and marks. `indexed`: those of them by which the index is searched, '
  'as a tsquery in which `%` stands for the prefix of a segment; null if there is none. `phrases`: as phrase_to_find. '
  '`named`: any of the words, for names of files. `highlights`: words and beginnings of words. `correctable`: words that '
  'may be typing errors.';

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

create function app.parse_search(query text, filters app.search_filters, me uuid, alternatives jsonb default '{}')
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
begin
  parsed.phrases := '{}';
  parsed.excluded_phrases := '{}';
  parsed.highlights := '{}';
  parsed.correctable := '{}';
  for token in select t.* from app.search_tokens(query) t where t.words <> '{}' loop
    if token.is_excluded then
      if cardinality(token.words) = 1 then
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
    if cardinality(token.words) > 1 and (token.is_phrase or token.content ~ (unspaced || '{3}')) then
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
  parsed.matching := replace(array_to_string(
    array(select t from unnest(required) t where t <> all (conditions)) || conditions || marks, ' & '), '%', '')::tsquery;
  return parsed;
end
$$;
comment on function app.parse_search is
  'Parses a query and adds the marks of the filters. A word matches each word that it begins, and its alternatives as a '
  'whole; an excluded word matches itself only.';

create function app.search_alternatives(workspace uuid, words text[]) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select coalesce(jsonb_object_agg(w.word, to_jsonb((
    -- Always eight: how many there are must not take more or less time.
    app.similar_words(workspace, w.word, 8) || array(select w.word || 'zq' || n from generate_series(1, 8) n))[1:8])), '{}')
  from (select distinct w from unnest(words[1:6]) w) w (word)
$$;
comment on function app.search_alternatives is 'For each of these words eight that may have been meant, some of which occur nowhere.';

create function app.used_corrections(hits app.search_position[], alternatives jsonb) returns jsonb
language sql stable security definer set search_path = ''
as $$
  with found as materialized (
    select w.word, count(*) as amount
    from unnest(hits) h join public.message_search s on s.message_id = h.message_id
    cross join lateral unnest(tsvector_to_array(s.words)) w (word) group by w.word)
  select coalesce(jsonb_object_agg(c.word, c.corrections), '{}') from (
    select a.key as word,
      jsonb_agg(o.word order by app.typing_distance(a.key, o.word), f.amount desc, o.ordinal) as corrections
    from jsonb_each(alternatives) a
    cross join lateral jsonb_array_elements_text(a.value) with ordinality o (word, ordinal)
    join found f on f.word = o.word
    where not exists (select from found f where starts_with(f.word, a.key))
    group by a.key) c
$$;
comment on function app.used_corrections is
  'Of the alternatives of words that the hits do not have, those that they have: the closest first, then the most '
  'frequent.';

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
  amount constant integer := case when parsed.by_relevance then 1000 else size + 1 end;
  search app.search_query := app.parse_search(coalesce(search_messages.query, ''), parsed, me);
  has_filter constant boolean := coalesce(parsed.authors, parsed.channels, parsed.people) is not null
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
comment on function public.search_messages is
  'Messages that the caller may read and that match a query and filters, newest first or by relevance among the newest '
  '1,000; if there is none, those that match the query with typing errors corrected. One request examines a bounded part '
  'of them: a page may have fewer than `limit` messages, or none, and still a cursor.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
revoke execute on function public.search_messages from public, anon, authenticated, service_role;
grant execute on function public.search_messages to authenticated;

-- Schedule ---------------------------------------------------------------------------------------------

select cron.schedule('linnet: search vocabulary', '* * * * *', 'select app.update_search_vocabulary()');
