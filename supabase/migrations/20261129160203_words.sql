-- One definition of words for search, keywords of notifications and trigger words of webhooks.
--
-- Words of Khmer, Lao, Burmese, Tibetan and Javanese were found at the beginning of a sentence only, keywords did not occur
-- within sentences of any script without spaces, and `C++` was the word "c". Stored messages and files are split again by a
-- job. Decision 73 gives the reasons.

-- Words ------------------------------------------------------------------------------------------------

create or replace function app.unspaced_letters() returns text
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

create or replace function app.word_separators() returns text
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

create or replace function app.text_to_split(content text) returns text
language sql immutable set search_path = ''
as $$
  select translate(app.fold_text(case when strpos(content, '<') > 0
    then regexp_replace(content, '<[@!#][^<>]*>', ' ', 'g') else content end), E'\u00AD\u200B\u200D\u2060\uFEFF', '')
$$;
comment on function app.text_to_split is
  'A text as it is split into words: folded, without mentions and links to channels, and without invisible characters within '
  'words, such as the breaks that keyboards for Khmer and Burmese add between words.';

create or replace function app.fold_phrase(content text) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  separators constant text := app.word_separators();
  -- The beginning of a class of all characters that are not separators.
  others constant text := '[^' || substr(separators, 2, char_length(separators) - 3);
  folded text := app.text_to_split(content);
  has_signs constant boolean := strpos(folded, '+') > 0 or strpos(folded, '#') > 0;
begin
  if octet_length(folded) > char_length(folded) then
    folded := regexp_replace(folded, '(' || app.unspaced_letters() || '+)', ' \1 ', 'g');
  end if;
  -- `C++`, `A+` and `C#` are words, `a+b` and `page#top` are two. Private characters replace these signs until the other
  -- signs are separators. If the text itself contains private characters, they separate words.
  if has_signs then
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

create or replace function app.ordered_words(content text) returns text[]
language plpgsql immutable set search_path = ''
as $$
declare
  unspaced constant text := app.unspaced_letters();
  folded constant text := btrim(app.fold_phrase(content));
begin
  if folded = '' then return '{}'; end if;
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

create or replace function app.index_text(content text) returns tsvector
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
  'The words of a text with their positions, as message_search stores them: the first 4,000 distinct ones. `=long` marks a text '
  'that may have more positions than can be stored.';

-- Queries ----------------------------------------------------------------------------------------------

create or replace function app.parse_search(query text, filters app.search_filters, me uuid, alternatives jsonb default '{}')
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
  marks text[] := '{}';
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
        marks := marks || ('!''' || token.words[1] || '''');
      else
        parsed.excluded_phrases := parsed.excluded_phrases || app.phrase_to_find(token.content);
        marks := marks || ('(!(' || app.phrase_query(token.content) || ') | ''=long'')');
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
      marks := marks || ('(' || app.phrase_query(token.content) || ' | ''=file'' | ''=long'')');
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
  marks := marks
    || array(select '!''=from:' || a || '''' from unnest(filters.not_authors) a)
    || array(select '!''=' || m || '''' from unnest(filters.not_marks) m);
  if filters.mentioned is not null then
    conditions := conditions || (
      '(' || (select string_agg('''%=@' || m || '''', ' | ') from unnest(filters.mentioned) m) || ')');
  end if;
  if filters.mentions_me then
    conditions := conditions || (
      '(''%=@'' | ' || (select string_agg('''%=@' || m || '''', ' | ') from unnest(me || app.group_ids_of(me)) m) || ')');
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
comment on function app.parse_search is
  'Parses a query and adds the marks of the filters. A word matches each word that it begins, and its alternatives as a '
  'whole; an excluded word and a word after a dot match themselves only.';

-- Keywords ---------------------------------------------------------------------------------------------

alter table public.notification_preferences add column keyword_patterns text[] not null default '{}';
comment on column public.notification_preferences.keyword_patterns is
  'The phrases to find in texts, as phrase_to_find returns them. Computed from `keywords`, and read by '
  'notification_recipients.';

create or replace function app.check_notification_preferences() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- The constraints refuse more keywords and longer ones.
  if cardinality(new.keywords) <= 20 and octet_length(array_to_string(new.keywords, ' ', '')) <= 1000 then
    select coalesce(array_agg(k.keyword order by k.keyword), '{}'), coalesce(array_agg(k.pattern order by k.keyword), '{}')
    into new.keywords, new.keyword_patterns
    from (
      select min(c.keyword) as keyword, c.pattern
      from (
        select btrim(regexp_replace(lower(u), '[[:space:]]+', ' ', 'g')) as keyword, app.phrase_to_find(u) as pattern
        from unnest(new.keywords) u) c
      where c.pattern is not null
      group by c.pattern) k;
  end if;
  new.quiet_days := array(select distinct d from unnest(new.quiet_days) d order by 1);
  if not app.is_time_zone(new.time_zone) then
    raise exception using errcode = '23514', schema = 'public', table = 'notification_preferences',
      constraint = 'notification_preferences_time_zone_known',
      message = 'new row for relation "notification_preferences" violates check constraint '
        '"notification_preferences_time_zone_known"';
  end if;
  return new;
end
$$;
comment on function app.check_notification_preferences is
  'Normalizes keywords and days, and refuses an unknown time zone with the error of a check constraint: it would make '
  'the notification of everybody fail. Of keywords that have the same words, one is stored.';

-- The triggers are disabled, since they check and broadcast changes that people make.
alter table public.notification_preferences disable trigger user;
update public.notification_preferences f
set keyword_patterns = array(
  select app.phrase_to_find(k.keyword) from unnest(f.keywords) with ordinality k (keyword, ordinal)
  where app.phrase_to_find(k.keyword) is not null order by k.ordinal)
where f.keywords <> '{}';
alter table public.notification_preferences enable trigger user;

create or replace function app.notification_recipients(message uuid, push_people uuid[] default '{}', people uuid[] default null)
returns table (profile_id uuid, decision text)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  sent public.messages;
  words text;
begin
  select m.* into sent from public.messages m
  where m.id = message and m.deleted_at is null and m.kind = 'text' and not coalesce(m.extras ?| '{moved,moved_to}', false);
  if sent.id is null then return; end if;
  words := app.fold_phrase(sent.body);
  return query
    select d.profile_id, d.decision
    from (
      select r.profile_id, app.notification_decision(
        is_direct => c.kind in ('direct', 'group'), is_reply => sent.seq is null, mention => n.kind,
        has_keyword => exists (select from unnest(f.keyword_patterns) k where strpos(words, k) > 0),
        follows_thread => coalesce(t.follows, false),
        channel_level => coalesce(s.notify, 'default'), workspace_level => coalesce(f.level, 'mentions'),
        is_muted => coalesce(s.muted, false),
        is_quiet => (p.presence = 'dnd' and (p.presence_until is null or p.presence_until > now()))
          or coalesce(app.is_quiet(f.quiet_days, f.quiet_from, f.quiet_to, f.time_zone, now()), false),
        may_interrupt => coalesce(sent.author_id = any (f.may_interrupt), false),
        page => h.state, has_push => r.profile_id = any (push_people)) as decision
      from public.channels c
      join public.channel_members r on r.channel_id = c.id and r.profile_id <> sent.author_id
        and (r.expires_at is null or r.expires_at > now()) and (people is null or r.profile_id = any (people))
      join public.profiles p on p.id = r.profile_id and p.kind = 'person' and p.user_id is not null
      join public.workspace_members w on w.workspace_id = c.workspace_id and w.profile_id = r.profile_id
        and w.state = 'active' and (w.expires_at is null or w.expires_at > now())
      left join public.channel_member_state s on s.channel_id = c.id and s.profile_id = r.profile_id
      left join public.notification_preferences f on f.workspace_id = c.workspace_id and f.profile_id = r.profile_id
      left join public.heartbeats h on h.profile_id = r.profile_id and h.seen_at > now() - interval '90 seconds'
      left join public.thread_members t on t.root_id = sent.thread_root and t.profile_id = r.profile_id
      left join lateral (
        select n.kind from public.mentions n
        where n.message_id = sent.id and case
          when n.group_id is not null then exists (
            select from public.user_group_members g where g.profile_id = r.profile_id and g.group_id = n.group_id)
          else n.profile_id is null or n.profile_id = r.profile_id end
        order by case n.kind when 'person' then 1 when 'here' then 3 else 2 end limit 1) n on true
      where c.id = sent.channel_id
        and (r.history_from_seq <= sent.history_seq or (c.kind = 'public' and w.role <> 'guest'))
        and (c.kind in ('public', 'private') or not exists (
          select from public.blocks b where b.profile_id = r.profile_id and b.blocked_id = sent.author_id))
        and (sent.seq is null or sent.seq > coalesce(s.last_read_seq, 0))
        and (sent.thread_seq is null or sent.thread_seq > coalesce(t.last_read_thread_seq, 0))
    ) d
    where d.decision <> 'none';
end
$$;

drop function app.notification_text(text);

-- Trigger words ----------------------------------------------------------------------------------------

create function app.has_trigger_word(first_word text, words text, trigger_words text[]) returns boolean
language sql immutable set search_path = ''
as $$
  select exists (
    select from unnest(trigger_words) t
    where app.fold_text(t) = first_word
      -- A trigger word with signs, such as `!deploy`, is compared with its signs.
      or (btrim(app.fold_phrase(t)) = app.text_to_split(t)
        and starts_with(words, ' ' || ltrim(app.phrase_to_find(t), ' '))))
$$;
comment on function app.has_trigger_word is
  'Whether a text begins with one of these words. `first_word`: the text before the first space, as fold_text returns it. '
  '`words`: the text as fold_phrase returns it.';

create or replace function app.queue_webhook_deliveries() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  webhook public.outgoing_webhooks;
  beginning constant text := left(ltrim(new.body, E' \t\r\n'), 300);
  first_word text;
  folded text;
  job public.jobs;
begin
  if not exists (select from public.outgoing_webhooks h where h.channel_id = new.channel_id) then return null; end if;
  -- Two bots could answer each other forever.
  if exists (select from public.profiles p where p.id = new.author_id and p.kind = 'bot') then return null; end if;
  first_word := app.fold_text(substring(beginning from '^\S{1,100}'));
  -- A mention is no word, and the word after it is not the first one.
  folded := case when beginning like '<%' then '' else app.fold_phrase(beginning) end;
  for webhook in
    select h.* from public.outgoing_webhooks h
    where h.channel_id = new.channel_id and h.disabled_at is null
      and (cardinality(h.words) = 0 or app.has_trigger_word(first_word, folded, h.words))
  loop
    if 1000 <= (select count(*) from (
      select from public.jobs j where j.owner_id = webhook.id and j.failed_at is null limit 1000) waiting)
    then
      update public.outgoing_webhooks h set disabled_at = now(), problem = 'Too many deliveries were waiting.'
      where h.id = webhook.id;
      continue;
    end if;
    insert into public.jobs (kind, owner_id, payload, attempts, run_at)
    values ('webhook', webhook.id, jsonb_build_object('message_id', new.id), 1, now() + interval '2 minutes')
    returning * into job;
    begin
      perform app.send_webhook_delivery(job);
    exception when others then
      -- A message must not fail because of a webhook. The job is due again after its lease.
      null;
    end;
  end loop;
  return null;
end
$$;

-- Stored words -----------------------------------------------------------------------------------------

alter table public.search_segments add column words_version smallint not null default 1;
alter table public.search_segments alter column words_version set default 2;
comment on column public.search_segments.words_version is
  'The version of the definition of words by which the messages were split. The current version is 2. rebuild_search_words '
  'splits messages of earlier versions again.';
create index search_segments_to_rebuild on public.search_segments (last_at) where words_version < 2;
alter table public.file_texts add column words_version smallint not null default 1;
alter table public.file_texts alter column words_version set default 2;
comment on column public.file_texts.words_version is 'See search_segments.words_version.';
create index file_texts_to_rebuild on public.file_texts (upload_id) where words_version < 2;

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

select cron.schedule('linnet: rebuild search words', '* * * * *', 'select app.rebuild_search_words()
  where exists (select from public.search_segments where words_version < 2)
    or exists (select from public.file_texts where words_version < 2)');

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
