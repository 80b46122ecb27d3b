-- Search in messages. Decisions 21 and 37 give the reasons.
--
-- The cost depends on what the caller may read, and is bounded. A search first examines the newest messages of the caller's
-- channels, which fills a page for frequent words. It then goes through segments from the newest to the oldest until the
-- page is full or the limit of one request is reached. Phrases are found by the positions of words; a bounded number of texts
-- is compared with them, those of files and of very long messages.
--
-- An example: Bea searches for `orchid`. She reads #lobby with 30,000 messages, which are 8 segments, and #side with 600
-- messages, which are one segment. Nobody has added her to the private channel #closed, in which 5,000 messages have the word.
--
-- 1. `search_messages` requires that Bea is a member. It needs 21 matches: a page of 20, and one that shows whether more follow.
-- 2. `search_scopes` returns #lobby and #side. All later steps read rows and index entries of these channels only.
-- 3. `search_newest` reads the times of the last 16 messages of each channel. They show that the last 400 messages of both
--    channels were written within four days. It examines these 400 messages, and finds 3 matches.
-- 4. `search_positions` expects that the other 18 matches need 3,200 further messages: 18 times the 133 messages for a match so
--    far, and a third more. One request examines at most 3,000 in this way, so the index is faster.
-- 5. `search_ranges` lists the 9 segments from the newest to the oldest. `search_segments` searches 4 of them, and then more at
--    a time. In segment 7 of #lobby, the index is searched for terms that begin with `2ae9dd317:orchid`: the beginning of the
--    id of #lobby, the number of the segment, and the word. The search stops when 21 matches are newer than all messages of the
--    next segment. The matches of #closed are terms such as `fa40ecf80:orchid`, which this search does not read.
-- 6. `search_hits_as_json` reads the 20 messages of the page, and `with_adjacent` the message before and after each of them. The
--    cursor is the position of the last one.
--
-- One request examines at most 3,000 messages and 500 segments. It ends after 10,000 matches, or after a step that has compared
-- 300 texts. If it reaches a limit, it returns the matches up to there with a cursor, at which the next request continues.
--
-- Time reveals nothing about #closed: whether it has the word 5,000 times or never, each step reads the same rows, pages and
-- index terms. The time depends on how often the word occurs in #lobby and #side, which Bea may count anyway. The exception is
-- a guest whose history begins within a segment: the search reads the matches before this beginning and leaves them out. They
-- are at most the 4,096 messages of a segment. If nothing matches, the word may be a typing error. Then the search is repeated
-- once with words from the vocabularies of #lobby and #side (vocabulary.sql), within the same limits.

-- Many matches of the index are in old pages: to read one of them takes as long as to examine several new messages.
insert into public.settings (key, value) values
  ('search_messages_examined', '400'), ('search_messages_deeper', '3000'), ('search_messages_compared', '300'),
  ('search_segments', '500');

-- Ranges -----------------------------------------------------------------------------------------------

create type app.search_position as (created_at timestamptz, message_id uuid);
comment on type app.search_position is 'A position in search results, newest first.';
create type app.search_hit as (
  created_at timestamptz, message_id uuid, is_unverified boolean, score double precision
);
comment on type app.search_hit is
  'A message that matches; `is_unverified` until its phrases are compared with its text. `score`: in a search by relevance, '
  'as hit_score.';
create type app.search_scope as (channel_id uuid, history_from_seq bigint, since timestamptz);
comment on type app.search_scope is 'A channel that is searched, with the seq and time at which the search ends.';
create type app.search_range as (
  channel_id uuid, history_from_seq bigint, since timestamptz, segment bigint, last_at timestamptz
);
comment on type app.search_range is 'A segment of a channel that is searched.';

create function app.my_channels_since(workspace uuid, channel uuid)
returns table (channel_id uuid, history_from_seq bigint, since timestamptz)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
    select r.channel_id, r.history_from_seq, f.since
    from app.my_readable_channels() r
    join public.channels c on c.id = r.channel_id and c.workspace_id = workspace
    cross join lateral (
      select case when r.history_from_seq <= 1 then '-infinity'
        else coalesce((
          select m.created_at from public.messages m
          where m.channel_id = r.channel_id and m.seq >= r.history_from_seq order by m.seq limit 1), 'infinity')
        end as since offset 0) f
    where channel is null or r.channel_id = channel;
end
$$;
comment on function app.my_channels_since is
  'The channels of a workspace that the caller may read, or one of them, with the seq and time at which the readable '
  'history starts: nothing that a guest may read is older than the first message of their history.';

-- The tables of saved messages and blocks are closed to applications. An application can read conversations with blocked people
-- by its scopes, so a result without them would reveal whom its person has blocked.
create function app.search_scopes(workspace uuid, filters app.search_filters) returns app.search_scope[]
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  is_own constant boolean := app.is_first_party_session();
  blocked constant uuid[] := case when is_own then app.blocked_directs(app.my_profile_id()) else '{}' end;
begin
  if 'saved' = any (filters.states) and not is_own then
    raise exception using errcode = 'PT403', message = 'not_allowed';
  end if;
  return array(
    select (r.channel_id, r.history_from_seq, greatest(r.since, filters.after))::app.search_scope
    from app.my_channels_since(workspace, null) r
    where r.channel_id <> all (blocked)
      and (filters.channels is null or r.channel_id = any (filters.channels))
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
  '`with`, without the excluded ones and those with people whom the caller has blocked. Applications learn neither which '
  'messages their person has saved nor whom they have blocked.';

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

-- Searching --------------------------------------------------------------------------------------------

create function app.max_texts_compared(search app.search_query) returns integer
language sql stable security definer set search_path = ''
as $$
  select case when search.unverified is null then 0 else (
    select s.value::integer from public.settings s where s.key = 'search_messages_compared') end
$$;
comment on function app.max_texts_compared is
  'How many texts a step of a search compares with its phrases at most: those of files and of very long messages.';

-- A function in SQL without a search path is a part of the query that calls it. All that call it have an empty one.
create function app.hit_score(words tsvector, created_at timestamptz, whole tsquery, any_whole tsquery)
returns double precision
language sql stable
as $$
  -- Not in numeric, whose ln and exp take longer than all the rest.
  select coalesce((words @@ whole)::integer + (words @@ any_whole)::integer, 0)::double precision
    -- Few other words; replies and reactions; and age, which halves its part in about three months.
    + 1 / (1 + ln(greatest(length(words), 1)::double precision))
    + '0.3'::double precision * ((words @@ '''=reaction''')::integer + (words @@ '''=thread''')::integer)
    + exp(least(date_part('epoch', created_at - now()), 0) / '1e7'::double precision)
$$;
comment on function app.hit_score is
  'The relevance of a message that matches: whole words rather than beginnings, short messages, those that people replied or '
  'reacted to, newer ones. `whole`, `any_whole`: as in search_query, which would take longer to pass for each of a thousand '
  'hits. Computed where the words are read: to look the hits up again takes longer than to compute it.';

create function app.verify_phrases(
  candidates app.search_hit[], search app.search_query, size integer,
  out hits app.search_hit[], out limited app.search_position
)
language plpgsql stable security definer set search_path = ''
as $$
declare
  max_compared constant integer := app.max_texts_compared(search);
  hit app.search_hit;
  compared integer := 0;
  previous app.search_position;
begin
  hits := '{}';
  foreach hit in array candidates loop
    exit when cardinality(hits) >= size;
    if hit.is_unverified then
      if compared >= max_compared then
        limited := previous;
        exit;
      end if;
      compared := compared + 1;
      hit.is_unverified := not app.has_phrases(hit.message_id, search.phrases, search.excluded_phrases);
    end if;
    if not hit.is_unverified then hits := hits || hit; end if;
    previous := (hit.created_at, hit.message_id);
  end loop;
end
$$;
comment on function app.verify_phrases is
  'The first `size` of these hits whose messages have the phrases, and none of the excluded ones. `limited`: the last of them '
  'that was compared, if there were more texts than one search may compare; null otherwise.';

create function app.search_newest(
  scopes app.search_scope[], search app.search_query, past app.search_position, size integer, amount bigint,
  out hits app.search_hit[], out reached app.search_position, out examined bigint, out is_limited boolean
)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  -- Of each channel so many messages show how much is written there.
  sample constant integer := greatest(least(400 / greatest(cardinality(scopes), 1), 16), 4);
  result record;
begin
  with sampled as materialized (
    select p.*, n.newest_at, n.oldest_at, n.found = sample as has_more
    from unnest(scopes) p cross join lateral (
      select max(f.created_at) as newest_at, min(f.created_at) as oldest_at, count(*) as found from (
        select f.created_at from public.message_search f
        where f.channel_id = p.channel_id and f.created_at >= p.since
          and (f.created_at, f.message_id) < (past.created_at, past.message_id)
        order by f.created_at desc, f.message_id desc limit sample) f) n
    where n.found > 0),
  origin as materialized (
    select least(greatest(now(), max(s.newest_at)), past.created_at) as at from sampled s),
  -- Messages per second.
  rates as materialized (
    select s.*, case when s.has_more
      then sample / greatest(extract(epoch from o.at - s.oldest_at)::double precision, 1e-6) else 0 end as rate
    from sampled s cross join origin o),
  -- In so many seconds all channels together should have `amount` messages.
  goal as materialized (select least(amount / nullif(sum(r.rate), 0), 1e9) as seconds from rates r),
  ends as materialized (
    select coalesce(o.at - g.seconds * interval '1 second', '-infinity') as at, coalesce(g.seconds, 0) as seconds
    from goal g cross join origin o),
  -- Estimates may be wrong: of each channel no more than half again as many.
  quotas as materialized (
    select r.*, least(1.5 * r.rate * e.seconds, amount)::bigint + sample as quota from rates r cross join ends e),
  walked as materialized (
    select f.created_at, f.message_id, f.is_hit, f.is_last,
      f.is_hit and search.unverified is not null and f.words @@ search.unverified as is_unverified,
      case when f.is_hit and search.by_relevance then f.words end as words
    from ends e cross join quotas r cross join lateral (
      select f.created_at, f.message_id, f.words,
        f.history_seq >= r.history_from_seq and (search.matching is null or f.words @@ search.matching) as is_hit,
        row_number() over (order by f.created_at desc, f.message_id desc) = r.quota as is_last
      from public.message_search f
      where f.channel_id = r.channel_id and f.created_at >= greatest(r.since, e.at)
        and (f.created_at, f.message_id) < (past.created_at, past.message_id)
      order by f.created_at desc, f.message_id desc limit r.quota) f
    where r.newest_at >= e.at),
  -- The newest position before which a message may not have been examined; none if all were.
  bound as materialized (
    select b.created_at, b.message_id from (
      select w.created_at, w.message_id from walked w where w.is_last
      union all
      select e.at, '00000000-0000-0000-0000-000000000000' from ends e where e.at > '-infinity') b
    order by b.created_at desc, b.message_id desc limit 1),
  complete as materialized (
    select w.* from walked w
    where not exists (select from bound b where (w.created_at, w.message_id) < (b.created_at, b.message_id)))
  select array(
      select (h.created_at, h.message_id, h.is_unverified, case when search.by_relevance
        then app.hit_score(h.words, h.created_at, search.whole, search.any_whole) end)::app.search_hit
      from (
        select c.* from complete c where c.is_hit
        order by c.created_at desc, c.message_id desc limit size + app.max_texts_compared(search)) h
      order by h.created_at desc, h.message_id desc) as hits,
    (select (b.created_at, b.message_id)::app.search_position from bound b) as reached,
    (select count(*) from complete) as examined
  into result;
  hits := result.hits;
  reached := result.reached;
  examined := result.examined;
  is_limited := false;
  if search.unverified is not null then
    select v.* into result from app.verify_phrases(hits, search, size) v;
    hits := result.hits;
    is_limited := result.limited is not null;
    if is_limited then reached := result.limited; end if;
  end if;
end
$$;
comment on function app.search_newest is
  'Matches among the newest messages of these channels before a position: of about the last `amount` messages of all of them, '
  'as far as the rates at which messages were written there show when that began. `reached`: the position down to which all '
  'were examined, null if none is left; `examined`: how many these were. `is_limited`: there were more texts than one search '
  'may compare with phrases.';

create function app.search_segments(
  ranges app.search_range[], search app.search_query, past app.search_position, size integer,
  out hits app.search_hit[], out matches bigint, out limited app.search_position
)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  verified record;
begin
  with found as materialized (
    select f.created_at, f.message_id,
      search.unverified is not null and f.words @@ search.unverified as is_unverified,
      case when search.by_relevance then f.words end as words
    from unnest(ranges) r cross join lateral (
      -- `offset 0` is an optimisation fence: only the index of terms can be used.
      select s.* from public.message_search s
      where app.search_terms(s.channel_id, s.segment, s.words)
        @@ replace(search.indexed, '%', app.search_prefix(r.channel_id, r.segment))::tsquery
      offset 0) f
    where f.channel_id = r.channel_id and f.segment = r.segment and f.history_seq >= r.history_from_seq
      and f.created_at >= r.since and (f.created_at, f.message_id) < (past.created_at, past.message_id)
      and f.words @@ search.matching)
  select array(
      select (h.created_at, h.message_id, h.is_unverified, case when search.by_relevance
        then app.hit_score(h.words, h.created_at, search.whole, search.any_whole) end)::app.search_hit
      from (
        select f.* from found f
        order by f.created_at desc, f.message_id desc limit size + app.max_texts_compared(search)) h
      order by h.created_at desc, h.message_id desc),
    (select count(*) from found)
  into hits, matches;
  if search.unverified is not null then
    select v.* into verified from app.verify_phrases(hits, search, size) v;
    hits := verified.hits;
    limited := verified.limited;
  end if;
end
$$;
comment on function app.search_segments is
  'The newest matches of segments before a position, and the number of all matches. `limited`: the position at which as many '
  'texts as permitted were compared with phrases.';

create function app.search_saved(
  scopes app.search_scope[], search app.search_query, past app.search_position, size integer, me uuid
) returns app.search_hit[]
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return array(
    select (f.created_at, f.message_id, false,
      case when search.by_relevance
        then app.hit_score(f.words, f.created_at, search.whole, search.any_whole) end)::app.search_hit
    from public.saved_messages s
    join public.message_search f on f.message_id = s.message_id
    join unnest(scopes) p on p.channel_id = f.channel_id and f.history_seq >= p.history_from_seq and f.created_at >= p.since
    where s.profile_id = me and (f.created_at, f.message_id) < (past.created_at, past.message_id)
      and (search.matching is null or f.words @@ search.matching)
      and (search.unverified is null or not f.words @@ search.unverified
        or app.has_phrases(f.message_id, search.phrases, search.excluded_phrases))
    order by f.created_at desc, f.message_id desc limit size);
end
$$;
comment on function app.search_saved is 'Matches among the messages that a person has saved, which are at most 500.';

create function app.search_positions(
  scopes app.search_scope[], search app.search_query, past app.search_position, size integer,
  out hits app.search_hit[], out reached app.search_position
)
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_variable
declare
  max_examined constant integer := (select s.value from public.settings s where s.key = 'search_messages_examined');
  max_deeper constant integer := (select s.value from public.settings s where s.key = 'search_messages_deeper');
  max_segments constant integer := (select s.value from public.settings s where s.key = 'search_segments');
  result record;
  amount bigint := max_examined;
  examined bigint := 0;
  older app.search_hit[] := '{}';
  ranges app.search_range[];
  searched integer := 0;
  found bigint := 0;
  step integer := 4;
  limited app.search_position;
  bound app.search_position;
begin
  hits := '{}';
  reached := past;
  for round in 1..8 loop
    select n.* into result
    from app.search_newest(scopes, search, reached, size - cardinality(hits), amount) n;
    hits := hits || result.hits;
    reached := result.reached;
    examined := examined + result.examined;
    if reached is null or cardinality(hits) >= size or result.is_limited then
      return;
    end if;
    -- A third more than should be needed, unless the index is faster.
    amount := case when search.indexed is null then max_deeper - examined
      else greatest(examined, 10) * (size - cardinality(hits)) * 4 / (3 * greatest(cardinality(hits), 1)) end;
    exit when amount <= 0 or examined + amount > max_deeper;
  end loop;
  if search.indexed is null then return; end if;
  ranges := app.search_ranges(scopes, reached.created_at, max_segments + 1);
  while searched < least(cardinality(ranges), max_segments) loop
    select n.* into result
    from app.search_segments(ranges[searched + 1:least(searched + step, max_segments)], search, reached, size) n;
    older := older || result.hits;
    limited := result.limited;
    searched := least(searched + step, max_segments);
    found := found + result.matches;
    exit when limited is not null or found > 10000 or (
      cardinality(hits) + cardinality(older) >= size and cardinality(hits) + (
        select count(*) from unnest(older) h
        where searched >= cardinality(ranges) or h.created_at > ranges[searched + 1].last_at) >= size);
    step := case when result.matches > 1000 then 1 else least(step * 2, 16) end;
  end loop;
  -- Complete down to the newest message of the first segment that was not searched, or to the last compared text.
  if searched < cardinality(ranges) then
    bound := (ranges[searched + 1].last_at, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  end if;
  if limited is not null and (bound is null or limited > bound) then bound := limited; end if;
  hits := hits || array(
    select h from unnest(older) h
    where bound is null or (h.created_at, h.message_id) >= (bound.created_at, bound.message_id)
    order by h.created_at desc, h.message_id desc limit size - cardinality(hits));
  reached := case when bound is not null then least(reached, bound) end;
  if cardinality(hits) >= size then reached := (hits[size].created_at, hits[size].message_id); end if;
end
$$;
comment on function app.search_positions is
  'The newest matches before a position, `size` at most, and the position down to which they are complete; null if all '
  'messages were searched. It first examines the newest messages, then more of them if the first had enough matches to expect '
  'a full page, otherwise segments by the index.';

create function app.search_hits_as_json(hits app.search_hit[], search app.search_query, me uuid) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  patterns constant text[] := app.patterns_to_find(search);
begin
  return coalesce((
    select jsonb_agg(jsonb_build_object(
      'message', m.value,
      'channel', jsonb_build_object('id', c.id, 'kind', c.kind, 'name', c.name),
      'file', case when m.value -> 'attachments' <> '[]' then
        app.matching_file((m.value ->> 'id')::uuid, search, patterns) end) order by m.ordinal)
    from jsonb_array_elements(app.messages_as_json(array(
      select h.message_id
      from unnest(hits) with ordinality h (created_at, message_id, is_unverified, score, ordinal)
      order by h.ordinal), me))
      with ordinality m (value, ordinal)
    join public.channels c on c.id = (m.value ->> 'channel_id')::uuid), '[]');
end
$$;
comment on function app.search_hits_as_json is
  'Messages with their channel, and the first of their files that has one of the words. Checks no rights: the caller has.';

create function app.adjacent_as_json(message public.messages) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select jsonb_build_object(
    'id', message.id, 'author_id', message.author_id, 'body', left(message.body, 1000),
    'files', case when message.body = '' then array(
      select f.name from public.attachments f where f.message_id = message.id order by f.position limit 3) else '{}' end)
$$;
comment on function app.adjacent_as_json is
  'What one line of text shows of a message: its author and the beginning of its text, or the names of its files without a '
  'text. Checks no rights: the caller has.';

-- The message beside a hit is looked up first, and its history start is compared afterwards. A comparison within the look-up
-- would read all messages before the history start of a guest.
create function app.with_adjacent(hits jsonb, scopes app.search_scope[]) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan set enable_seqscan = off
-- PostgreSQL 15 and 17 would read all messages to join them with the hits.
set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
begin
  return coalesce((
    select jsonb_agg(h.value || jsonb_build_object('before', b.adjacent, 'after', a.adjacent) order by h.ordinal)
    from jsonb_array_elements(hits) with ordinality h (value, ordinal)
    join public.messages m on m.id = (h.value #>> '{message,id}')::uuid
    join unnest(scopes) s on s.channel_id = m.channel_id
    left join lateral (
      select app.adjacent_as_json(o.message) as adjacent
      from (
        select 1 as rank, c as message from (
          select n from public.messages n
          where m.thread_root is null and n.channel_id = m.channel_id and n.seq < m.seq
            and n.seq is not null and n.deleted_at is null and n.kind = 'text'
          order by n.seq desc limit 1) c (c)
        union all
        select 1, c from (
          select n from public.messages n
          where m.thread_root is not null and n.channel_id = m.channel_id and n.thread_root = m.thread_root
            and n.thread_seq < m.thread_seq and n.deleted_at is null
          order by n.thread_seq desc limit 1) c (c)
        union all
        select 2, n from public.messages n where n.id = m.thread_root and n.deleted_at is null) o
      where (o.message).history_seq >= s.history_from_seq
      order by o.rank limit 1) b on true
    left join lateral (
      select app.adjacent_as_json(o.message) as adjacent
      from (
        select c as message from (
          select n from public.messages n
          where m.thread_root is null and n.channel_id = m.channel_id and n.seq > m.seq
            and n.seq is not null and n.deleted_at is null and n.kind = 'text'
          order by n.seq limit 1) c (c)
        union all
        select c from (
          select n from public.messages n
          where m.thread_root is not null and n.channel_id = m.channel_id and n.thread_root = m.thread_root
            and n.thread_seq > m.thread_seq and n.deleted_at is null
          order by n.thread_seq limit 1) c (c)) o
      where (o.message).history_seq >= s.history_from_seq
      limit 1) a on true), '[]');
end
$$;
comment on function app.with_adjacent is
  'These hits with the messages before and after them in their channel or thread, as far as the caller may read them. Two index '
  'look-ups for each hit, however many messages the channel has. The scopes are the channels that the caller may read.';

create function app.used_corrections(hits app.search_hit[], alternatives jsonb) returns jsonb
language sql stable security definer set search_path = ''
as $$
  with found as materialized (
    select s.message_id, w.word
    from unnest(hits) h join public.message_search s on s.message_id = h.message_id
    cross join lateral unnest(tsvector_to_array(s.words)) w (word))
  select coalesce(jsonb_object_agg(c.word, c.corrections), '{}') from (
    select u.word, jsonb_agg(u.correction order by app.typing_distance(u.word, u.correction), u.amount desc, u.ordinal)
      as corrections
    from (
      select a.key as word, o.word as correction, o.ordinal, count(*) as amount
      from jsonb_each(alternatives) a
      cross join lateral jsonb_array_elements_text(a.value) with ordinality o (word, ordinal)
      join found f on f.word = o.word
      where not exists (select from found g where g.message_id = f.message_id and starts_with(g.word, a.key))
      group by a.key, o.word, o.ordinal) u
    group by u.word) c
$$;
comment on function app.used_corrections is
  'Of the alternatives of words, those that hits have instead of the word: the closest first, then the most frequent.';

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
  has_filter constant boolean := coalesce(parsed.authors, parsed.channels, parsed.people, parsed.not_channels,
      parsed.mentioned) is not null
    or coalesce(parsed.before, parsed.after) is not null or coalesce(parsed.content, parsed.states) is not null
    or coalesce(parsed.mentions_me, false);
  is_corrected boolean := coalesce(before like 'c %', false);
  alternatives jsonb;
  corrections jsonb := '{}';
  scopes app.search_scope[] := '{}';
  past app.search_position := ('infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  -- Of a page by relevance: how many precede it.
  skipped integer := 0;
  hits app.search_hit[] := '{}';
  result record;
  first_hit app.search_position;
  reached app.search_position;
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
        alternatives := app.search_alternatives(scopes, search.correctable);
        exit when alternatives = '{}';
        search := app.parse_search(query, parsed, me, alternatives);
      end if;
      if 'saved' = any (parsed.states) then
        hits := app.search_saved(scopes, search, past, amount, me);
      else
        select p.* into result from app.search_positions(scopes, search, past, amount) p;
        hits := result.hits;
        reached := result.reached;
      end if;
      exit when is_corrected or before is not null or hits <> '{}' or reached is not null
        or search.correctable = '{}';
      is_corrected := true;
    end loop;
  end if;
  if is_corrected then corrections := app.used_corrections(hits[1:200], alternatives); end if;
  if parsed.by_relevance then
    -- All pages rank the same hits, those from the newest of the first page on.
    first_hit := case when before is not null then past
      else (hits[1].created_at + interval '1 microsecond', '00000000-0000-0000-0000-000000000000')::app.search_position end;
    if cardinality(hits) > skipped + size then
      next := 'r' || skipped + size || ' ' || (extract(epoch from first_hit.created_at) * 1000000)::bigint || ' '
        || first_hit.message_id;
    end if;
    hits := array(
      select h from unnest(hits) h order by h.score desc, h.created_at desc, h.message_id desc limit size offset skipped);
  else
    if cardinality(hits) > size then reached := (hits[size].created_at, hits[size].message_id); end if;
    next := (extract(epoch from reached.created_at) * 1000000)::bigint || ' ' || reached.message_id;
    hits := hits[1:size];
  end if;
  return jsonb_build_object('hits', app.with_adjacent(app.search_hits_as_json(hits, search, me), scopes),
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

revoke execute on function public.search_messages from public, anon, authenticated, service_role;
grant execute on function public.search_messages to authenticated;
