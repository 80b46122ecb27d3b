-- Search by relevance computes the score of the hits that count, and of no others.

-- A function in SQL without a search path is a part of the query that calls it. All that call it have an empty one.
create or replace function app.hit_score(words tsvector, created_at timestamptz, whole tsquery, any_whole tsquery)
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

create or replace function app.search_newest(
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

create or replace function app.search_segments(
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
