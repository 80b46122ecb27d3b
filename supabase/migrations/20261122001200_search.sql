-- Search in messages, and the search terms of file names.
--
-- The cost depends on what the caller may read, and is bounded. An index entry begins with a channel and a segment of
-- it, which contains at most 4,096 consecutive messages: matches elsewhere are not read. A search first examines the
-- newest messages of the caller's channels, which fills a page for frequent words. It then goes through segments from
-- the newest to the oldest until the page is full or the limit of one request is reached.

insert into public.settings (key, value) values ('search_messages_examined', '1000'), ('search_segments', '500');

-- Terms ------------------------------------------------------------------------------------------------

create function app.split_words(content text) returns text[]
language plpgsql immutable set search_path = ''
as $$
declare
  -- Scripts without spaces are split into pairs of characters, so that any part of a sentence is found.
  unspaced constant text := '[\u0E00-\u0E7F\u3005\u3040-\u30FF\u3400-\u4DBF\u4E00-\u9FFF\uAC00-\uD7AF]';
  between_words constant text := '[\u0001-\u002F\u003A-\u0040\u005B-\u0060\u007B-\u00A9\u00AB-\u00B1\u00B4\u00B6-'
    '\u00B8\u00BB-\u00BF\u00D7\u00F7\u060C\u061B\u061F\u066A-\u066D\u0964\u0965\u2000-\u206F\u3000-\u3004'
    '\u3006-\u303F\uFE00-\uFE0F]+';
  folded text := lower(normalize(regexp_replace(content, '<[@!][^<>]*>', ' ', 'g'), nfkc));
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
comment on function app.split_words is
  'The distinct words of a text in any script. It splits by code points rather than by a text search configuration, so '
  'that the result does not depend on the locale of the server. The time grows linearly with the length, which '
  'commands limit first: a long text would occupy a connection until the statement timeout.';

create function app.search_prefix(channel uuid, segment bigint) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  return left(channel::text, 8) || to_hex(segment) || ':';
end
$$;
comment on function app.search_prefix is
  'The beginning of the index entries of a segment. A part of the channel''s id is enough: queries compare the whole '
  'id as well.';

create function app.search_terms(channel uuid, segment bigint, words tsvector) returns tsvector
language plpgsql immutable set search_path = ''
as $$
declare
  prefix constant text := app.search_prefix(channel, segment);
begin
  return array_to_tsvector(array(select prefix || w from unnest(tsvector_to_array(words)) w));
end
$$;
comment on function app.search_terms is 'The words of a message or file name as the index stores them.';

create function app.query_words(query text) returns text[]
language plpgsql immutable set search_path = ''
as $$
declare
  found constant text[] := app.split_words(query);
begin
  -- The last character of a run that was split into pairs adds no condition to that of its pair.
  return array(
    select w from unnest(found) w
    where char_length(w) > 1 or not exists (select from unnest(found) pair where pair like '_' || w)
    order by char_length(w) desc, w);
end
$$;
comment on function app.query_words is 'The words of a query, longest first.';

create function app.words_query(query text) returns tsquery
language sql immutable set search_path = ''
as $$ select string_agg('''' || w || ''':*', ' & ')::tsquery from unnest(app.query_words(query)) w $$;
comment on function app.words_query is
  'A tsquery that matches texts with words beginning with each word of the query; null if it contains none.';

create function app.terms_query(channel uuid, segment bigint, words text[]) returns tsquery
language plpgsql immutable set search_path = ''
as $$
declare
  prefix constant text := app.search_prefix(channel, segment);
begin
  return (select string_agg('''' || prefix || w || ''':*', ' & ') from unnest(words) w)::tsquery;
end
$$;
comment on function app.terms_query is
  'As words_query, limited to the index entries of one segment. Words contain neither quotes nor backslashes.';

-- Tables -----------------------------------------------------------------------------------------------

create table public.message_search (
  message_id uuid primary key
    references public.messages (id) on delete cascade deferrable initially deferred,
  channel_id uuid not null references public.channels (id) on delete cascade,
  segment bigint not null,
  base_seq bigint not null,
  created_at timestamptz not null,
  words tsvector not null
);
create index message_search_newest on public.message_search (channel_id, created_at desc, message_id desc);
-- Without a pending list, which one of the senders would have to merge for all others, in a hundred times the time.
create index message_search_terms on public.message_search
  using gin (app.search_terms(channel_id, segment, words)) with (fastupdate = off);
comment on table public.message_search is
  'The search terms of messages. Separate, so that a reaction does not rewrite an index. Read by search_messages only. '
  'No access for clients.';
comment on column public.message_search.segment is
  'The revision of the channel in which the message was stored, divided by 4,096.';
-- No estimate uses them, and collecting them would split the words of each sampled row again.
alter index public.message_search_terms alter column 1 set statistics 0;
alter table public.message_search enable row level security;
revoke all on public.message_search from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.message_search to service_role;

create table public.search_segments (
  channel_id uuid not null references public.channels (id) on delete cascade,
  segment bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  primary key (channel_id, segment)
) with (fillfactor = 50);
comment on table public.search_segments is
  'Ranges of a channel''s messages in message_search, with the times of their first and last message. Read by '
  'search_messages only. No access for clients.';
alter table public.search_segments enable row level security;
revoke all on public.search_segments from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.search_segments to service_role;

create function app.set_search_segment() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
begin
  new.segment := coalesce((select m.rev >> 12 from public.messages m where m.id = new.message_id), 0);
  return new;
end
$$;
comment on function app.set_search_segment is
  'Each message takes at least one revision, so a segment contains at most 4,096 messages.';
create trigger search_segments_are_set before insert on public.message_search
  for each row execute function app.set_search_segment();

create function app.extend_search_segments() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
begin
  insert into public.search_segments (channel_id, segment, first_at, last_at)
  select a.channel_id, a.segment, min(a.created_at), max(a.created_at) from added a group by a.channel_id, a.segment
  on conflict (channel_id, segment) do update
  set first_at = least(search_segments.first_at, excluded.first_at),
    last_at = greatest(search_segments.last_at, excluded.last_at)
  where search_segments.channel_id = excluded.channel_id;
  return null;
end
$$;
comment on function app.extend_search_segments is 'Extends the times of segments to those of new messages.';
create trigger search_segments_are_extended after insert on public.message_search
  referencing new table as added
  for each statement execute function app.extend_search_segments();

-- Searching --------------------------------------------------------------------------------------------

create type app.search_position as (created_at timestamptz, message_id uuid);
comment on type app.search_position is 'A position in search results, newest first.';

create type app.search_range as (
  channel_id uuid, history_from_seq bigint, segment bigint, last_at timestamptz
);
comment on type app.search_range is 'A segment of a channel that the caller may read.';

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

create function app.search_newest(
  workspace uuid, channel uuid, text_query tsquery, past app.search_position, size integer, examined integer,
  out hits app.search_position[], out reached_at timestamptz, out reached_id uuid
)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
begin
  with readable as materialized (select * from app.my_channels_since(workspace, channel)),
  heads as materialized (
    select p.*, h.created_at, h.message_id, row_number() over (order by h.created_at desc, h.message_id desc) as ordinal
    from readable p cross join lateral (
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
      select f.created_at, f.message_id, f.base_seq >= h.history_from_seq and f.words @@ text_query as hit,
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
      order by w.created_at desc, w.message_id desc limit size),
    (select b.created_at from bound b), (select b.message_id from bound b)
  into hits, reached_at, reached_id;
end
$$;
comment on function app.search_newest is
  'Matches among the newest messages of the caller''s channels before a position. Also returns the position down to '
  'which all of them were examined; null if none is left.';

create function app.search_ranges(
  workspace uuid, channel uuid, before timestamptz, amount integer
) returns app.search_range[]
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return array(
    select (p.channel_id, p.history_from_seq, s.segment, least(s.last_at, before))::app.search_range
    from app.my_channels_since(workspace, channel) p
    join public.search_segments s on s.channel_id = p.channel_id and s.first_at <= before and s.last_at >= p.since
    order by least(s.last_at, before) desc, p.channel_id, s.segment limit amount);
end
$$;
comment on function app.search_ranges is
  'Segments that the caller may read and that contain messages up to a time, the newest first.';

create function app.search_segments(
  ranges app.search_range[], terms text[], text_query tsquery, past app.search_position, size integer,
  inout hits app.search_position[], out matches bigint
)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
begin
  with matched as materialized (
    select i.created_at, i.message_id
    from unnest(ranges) r cross join lateral (
      -- `offset 0` is an optimisation fence: only the index of terms can be used.
      select s.* from public.message_search s
      where app.search_terms(s.channel_id, s.segment, s.words) @@ app.terms_query(r.channel_id, r.segment, terms)
      offset 0) i
    where i.channel_id = r.channel_id and i.segment = r.segment and i.base_seq >= r.history_from_seq
      and i.words @@ text_query and (i.created_at, i.message_id) < (past.created_at, past.message_id))
  select array(
      select (n.created_at, n.message_id)::app.search_position
      from (select * from matched union all select h.created_at, h.message_id from unnest(hits) h) n
      order by n.created_at desc, n.message_id desc limit size),
    (select count(*) from matched)
  into hits, matches;
end
$$;
comment on function app.search_segments is
  'Adds the matches of segments before a position to hits, of which it returns the newest; also returns their number.';

create function public.search_messages(
  workspace uuid, query text, channel uuid default null, before text default null, "limit" integer default 20
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_variable
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin', 'member', 'guest');
  size constant integer := least(greatest(coalesce(search_messages."limit", 20), 1), 100);
  wanted_words constant text[] := app.query_words(left(search_messages.query, 500));
  text_query constant tsquery := app.words_query(left(search_messages.query, 500));
  max_examined constant integer := (select s.value from public.settings s where s.key = 'search_messages_examined');
  max_segments constant integer := (select s.value from public.settings s where s.key = 'search_segments');
  past app.search_position := ('infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  recent app.search_position[];
  older app.search_position[] := '{}';
  hits app.search_position[];
  reached_at timestamptz;
  reached_id uuid;
  ranges app.search_range[];
  matches bigint;
  searched integer := 0;
  found bigint := 0;
  step integer := 4;
begin
  if before is not null then
    if before !~ '^[0-9]{1,17} [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
      raise exception using errcode = 'PT400', message = 'bad_cursor';
    end if;
    past := (timestamptz 'epoch' + split_part(before, ' ', 1)::bigint * interval '1 microsecond',
      split_part(before, ' ', 2)::uuid);
  end if;
  if text_query is null then return '{"messages": [], "before": null}'; end if;
  -- Rights are applied here rather than by a policy: text search operators are not leakproof, so under a policy every
  -- search would be a sequential scan.
  select n.hits, n.reached_at, n.reached_id into recent, reached_at, reached_id
  from app.search_newest(workspace, channel, text_query, past, size + 1, max_examined) n;
  if reached_at is not null and cardinality(recent) <= size then
    ranges := app.search_ranges(workspace, channel, reached_at, max_segments + 1);
    while searched < least(cardinality(ranges), max_segments) loop
      -- The index is searched for the longest words, which are the rarest; the others are checked in its results.
      select n.hits, n.matches into older, matches
      from app.search_segments(ranges[searched + 1:least(searched + step, max_segments)], wanted_words[1:6], text_query,
        (reached_at, reached_id), size + 1, older) n;
      searched := least(searched + step, max_segments);
      found := found + matches;
      exit when found > 10 * max_examined or cardinality(recent) + (
        select count(*) from unnest(older) h
        where searched >= cardinality(ranges) or h.created_at > ranges[searched + 1].last_at) > size;
      step := case when matches > max_examined then 1 else least(step * 2, 16) end;
    end loop;
    if searched >= cardinality(ranges) then
      reached_at := null;
    else
      -- Complete down to the newest message of the first segment that was not searched.
      older := array(select h from unnest(older) h where h.created_at > ranges[searched + 1].last_at);
      if ranges[searched + 1].last_at < reached_at then
        reached_at := ranges[searched + 1].last_at;
        reached_id := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
      end if;
    end if;
  end if;
  hits := recent || older;
  if cardinality(hits) > size then
    reached_at := hits[size].created_at;
    reached_id := hits[size].message_id;
  end if;
  return jsonb_build_object(
    'messages', app.messages_as_json(array(
      select h.message_id from unnest(hits[1:size]) with ordinality h (created_at, message_id, ordinal)
      order by h.ordinal), me),
    'before', (extract(epoch from reached_at) * 1000000)::bigint || ' ' || reached_id);
end
$$;
comment on function public.search_messages is
  'Messages that the caller may read and that contain words beginning with all of these, newest first. One request '
  'examines a bounded part of them: a page may have fewer than `limit` messages, or none, and still a cursor.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
revoke execute on function public.search_messages from public, anon, authenticated, service_role;
grant execute on function public.search_messages to authenticated;
