-- What a search and a message cost: phrases are compared with a bounded number of texts, and the marks of a new message are
-- computed without queries where it has none.

insert into public.settings (key, value) values ('search_messages_compared', '300');

-- Marks ------------------------------------------------------------------------------------------------

create or replace function app.complete_search_words() returns trigger
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
  elsif not new.words @@ '''=from:'':*'::tsquery then
    new.words := new.words || array_to_tsvector(
      array(select w from unnest(tsvector_to_array(old.words)) w where w like '=%')
        || coalesce(app.file_words(new.message_id), '{}'));
  end if;
  return new;
end
$$;

-- Searching --------------------------------------------------------------------------------------------

drop function app.search_positions, app.search_newest, app.search_segments;

create function app.compare_phrases(hits app.search_position[], search app.search_query, size integer)
returns app.search_position[]
language plpgsql stable security definer set search_path = ''
as $$
declare
  hit app.search_position;
  compared app.search_position[] := '{}';
begin
  foreach hit in array hits loop
    if app.has_phrases(hit.message_id, search.phrases, search.excluded_phrases) then
      compared := compared || hit;
      exit when cardinality(compared) >= size;
    end if;
  end loop;
  return compared;
end
$$;
comment on function app.compare_phrases is
  'The first `size` of these positions whose messages have the phrases, and none of the excluded ones.';

create function app.search_newest(
  scopes app.search_scope[], search app.search_query, past app.search_position, size integer, examined integer,
  compared integer,
  out hits app.search_position[], out reached_at timestamptz, out reached_id uuid, out is_limited boolean
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
      select (w.created_at, w.message_id)::app.search_position from walked w
      where w.hit and not exists (
        select from bound b where (w.created_at, w.message_id) < (b.created_at, b.message_id))
      order by w.created_at desc, w.message_id desc limit case when verified then compared + 1 else size end),
    (select b.created_at from bound b), (select b.message_id from bound b)
  into hits, reached_at, reached_id;
  is_limited := false;
  if verified then
    if cardinality(hits) > compared then
      is_limited := true;
      reached_at := hits[compared].created_at;
      reached_id := hits[compared].message_id;
    end if;
    hits := app.compare_phrases(hits[1:compared], search, size);
  end if;
end
$$;
comment on function app.search_newest is
  'Matches among the newest messages of these channels before a position. Also returns the position down to which all '
  'of them were examined; null if none is left. `is_limited`: there were more texts than `compared` to compare with phrases.';

create function app.search_segments(
  ranges app.search_range[], search app.search_query, past app.search_position, size integer, compared integer,
  inout hits app.search_position[], out matches bigint,
  out limited_at timestamptz, out limited_id uuid
)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  verified constant boolean := search.phrases <> '{}' or search.excluded_phrases <> '{}';
  matched app.search_position[];
begin
  with found as materialized (
    select i.created_at, i.message_id
    from unnest(ranges) r cross join lateral (
      -- `offset 0` is an optimisation fence: only the index of terms can be used.
      select s.* from public.message_search s
      where app.search_terms(s.channel_id, s.segment, s.words) @@ app.segment_query(r.channel_id, r.segment, search.indexed)
      offset 0) i
    where i.channel_id = r.channel_id and i.segment = r.segment and i.base_seq >= r.history_from_seq
      and i.created_at >= r.since and (i.created_at, i.message_id) < (past.created_at, past.message_id)
      and i.words @@ search.matching)
  select array(
      select (f.created_at, f.message_id)::app.search_position from found f
      order by f.created_at desc, f.message_id desc limit case when verified then compared + 1 else size end),
    (select count(*) from found)
  into matched, matches;
  if verified then
    if cardinality(matched) > compared then
      limited_at := matched[compared].created_at;
      limited_id := matched[compared].message_id;
    end if;
    matched := app.compare_phrases(matched[1:compared], search, size);
  end if;
  hits := array(
    select (n.created_at, n.message_id)::app.search_position from unnest(hits || matched) n
    order by n.created_at desc, n.message_id desc limit size);
end
$$;
comment on function app.search_segments is
  'Adds the matches of segments before a position to hits, of which it returns the newest; also returns their number, before '
  'phrases are compared. `limited_at`: the position at which as many texts as permitted were compared.';

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
  -- Fewer matches are worth as much work where their texts are compared.
  compared constant integer := (select s.value from public.settings s where s.key = 'search_messages_compared');
  is_limited boolean;
  limited_at timestamptz;
  limited_id uuid;
  bound app.search_position;
begin
  select n.hits, n.reached_at, n.reached_id, n.is_limited into hits, reached_at, reached_id, is_limited
  from app.search_newest(scopes, search, past, size, max_examined, compared) n;
  if not is_limited and reached_at is not null and cardinality(hits) < size then
    -- A third more than should be needed, unless the index is faster.
    needed := case when search.indexed is null then max_deeper
      else max_examined::bigint * (size - cardinality(hits)) * 4 / (3 * greatest(cardinality(hits), 1)) end;
    if needed <= max_deeper then
      select hits || n.hits, n.reached_at, n.reached_id, n.is_limited into hits, reached_at, reached_id, is_limited
      from app.search_newest(
        scopes, search, (reached_at, reached_id), size - cardinality(hits), needed::integer, compared) n;
    end if;
  end if;
  if not is_limited and reached_at is not null and cardinality(hits) < size and search.indexed is not null then
    ranges := app.search_ranges(scopes, reached_at, max_segments + 1);
    while searched < least(cardinality(ranges), max_segments) loop
      select n.hits, n.matches, n.limited_at, n.limited_id into older, matches, limited_at, limited_id
      from app.search_segments(ranges[searched + 1:least(searched + step, max_segments)], search,
        (reached_at, reached_id), size, compared, older) n;
      searched := least(searched + step, max_segments);
      found := found + matches;
      exit when limited_at is not null or found > 10 * max_examined or cardinality(hits) + (
        select count(*) from unnest(older) h
        where searched >= cardinality(ranges) or h.created_at > ranges[searched + 1].last_at) >= size;
      step := case when matches > max_examined then 1 else least(step * 2, 16) end;
    end loop;
    -- Complete down to the newest message of the first segment that was not searched, or to the last compared text.
    if searched < cardinality(ranges) then
      bound := (ranges[searched + 1].last_at, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
    end if;
    if limited_at is not null and (bound is null or (limited_at, limited_id)::app.search_position > bound) then
      bound := (limited_at, limited_id);
    end if;
    if bound is null then
      reached_at := null;
    else
      older := array(select h from unnest(older) h where h >= bound);
      if bound < (reached_at, reached_id)::app.search_position then
        reached_at := bound.created_at;
        reached_id := bound.message_id;
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

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
