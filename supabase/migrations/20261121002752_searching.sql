-- Search whose cost depends on what the caller may read, and is bounded. The index entry of a word begins with its
-- channel and with its segment, which holds at most 4,096 consecutive messages of the channel: matches elsewhere are not
-- read. A search first examines the newest messages of the caller's channels, which fills the page for frequent words, and
-- then goes through segments from the newest to the oldest until the page is full or the limit of one request is reached.

insert into public.settings (key, value) values ('search_messages_examined', '1000'), ('search_segments', '500');

-- Segments ------------------------------------------------------------------------------------------------

create table public.search_segments (
  channel_id uuid not null references public.channels (id) on delete cascade,
  segment bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  primary key (channel_id, segment)
) with (fillfactor = 50);
comment on table public.search_segments is
  'Ranges of a channel''s messages in message_search, with the times between which they lie. Read by search_messages alone.';
alter table public.search_segments enable row level security;
revoke all on public.search_segments from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.search_segments to service_role;

alter table public.message_search add column segment bigint;
comment on column public.message_search.segment is 'The revision of the channel in which the message was stored, divided by 4,096.';

-- Revisions of rows that exist may be those of later changes: their order is used instead, which is never ahead of them.
update public.message_search s set segment = o.place >> 12
from (
  select message_id, row_number() over (partition by channel_id order by created_at, message_id) as place
  from public.message_search
) o
where o.message_id = s.message_id;
insert into public.search_segments (channel_id, segment, first_at, last_at)
select channel_id, segment, min(created_at), max(created_at) from public.message_search group by channel_id, segment;

alter table public.message_search alter column segment set not null;

create function app.set_search_segment() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
begin
  new.segment := coalesce((select m.rev >> 12 from public.messages m where m.id = new.message_id), 0);
  return new;
end
$$;
comment on function app.set_search_segment is 'Each message takes at least one revision, so a segment holds at most 4,096.';

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
comment on function app.extend_search_segments is 'Widens the times of segments to those of new messages.';

create trigger search_segments_are_extended after insert on public.message_search
  referencing new table as added
  for each statement execute function app.extend_search_segments();

-- Terms ---------------------------------------------------------------------------------------------------

create function app.search_prefix(channel uuid, segment bigint) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  return left(channel::text, 8) || to_hex(segment) || ':';
end
$$;
comment on function app.search_prefix is
  'Begins the index entries of a segment. The beginning of the channel''s id is enough: queries compare the whole one as well.';

create function app.search_terms(channel uuid, segment bigint, words tsvector) returns tsvector
language plpgsql immutable set search_path = ''
as $$
declare
  prefix constant text := app.search_prefix(channel, segment);
begin
  return array_to_tsvector(array(select prefix || w from unnest(tsvector_to_array(words)) w));
end
$$;
comment on function app.search_terms is 'The words of a message or file as the index has them.';

create function app.query_words(said text) returns text[]
language plpgsql immutable set search_path = ''
as $$
declare
  found constant text[] := app.split_words(said);
begin
  -- The last character of a run that is cut into pairs requires nothing more than its pair does.
  return array(
    select w from unnest(found) w
    where char_length(w) > 1 or not exists (select from unnest(found) pair where pair like '_' || w)
    order by char_length(w) desc, w);
end
$$;
comment on function app.query_words is 'The words of a search, longest first.';

create or replace function app.words_query(said text) returns tsquery
language sql immutable set search_path = ''
as $$ select string_agg('''' || w || ''':*', ' & ')::tsquery from unnest(app.query_words(said)) w $$;
comment on function app.words_query is 'Every word of a search, as beginnings of words; null when it holds none.';

create function app.terms_query(channel uuid, segment bigint, words text[]) returns tsquery
language plpgsql immutable set search_path = ''
as $$
declare
  prefix constant text := app.search_prefix(channel, segment);
begin
  return (select string_agg('''' || prefix || w || ''':*', ' & ') from unnest(words) w)::tsquery;
end
$$;
comment on function app.terms_query is 'Beginnings of words within one segment. Words contain neither quotes nor backslashes.';

-- Without a pending list, which some send would have to empty for all others.
create index message_search_terms on public.message_search
  using gin (app.search_terms(channel_id, segment, words)) with (fastupdate = off);
drop index public.message_search_words;
create index listed_files_terms on public.listed_files
  using gin (app.search_terms(channel_id, 0, words)) with (fastupdate = off);
drop index public.listed_files_words;
-- Nothing is estimated by them, and gathering them would split each sampled row's words again.
alter index public.message_search_terms alter column 1 set statistics 0;
alter index public.listed_files_terms alter column 1 set statistics 0;
create index message_search_newest on public.message_search (channel_id, created_at desc, message_id desc);
drop index public.message_search_channel;

-- Messages ------------------------------------------------------------------------------------------------

create type app.search_position as (created_at timestamptz, message_id uuid);
comment on type app.search_position is 'A position in a search, newest first.';

create function app.my_channels_since(workspace uuid, channel uuid)
returns table (channel_id uuid, history_from_seq bigint, since timestamptz)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
    select r.channel_id, r.history_from_seq, f.since
    from app.my_reach() r
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
  'The channels of a workspace that the caller reads, or one of them, and from which message and time on: nothing that a '
  'guest may read is older than the first message of their history.';

create or replace function app.my_file_places(workspace uuid, channel uuid, kinds text[])
returns table (channel_id uuid, kind text, history_from_seq bigint, since timestamptz)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
    select c.channel_id, k.kind, c.history_from_seq, c.since
    from app.my_channels_since(workspace, channel) c cross join unnest(kinds) k (kind);
end
$$;

create function app.search_newest(
  workspace uuid, channel uuid, wanted tsquery, past app.search_position, size integer, examined integer,
  out hits app.search_position[], out reached_at timestamptz, out reached_id uuid
)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
begin
  with places as materialized (select * from app.my_channels_since(workspace, channel)),
  heads as materialized (
    select p.*, h.created_at, h.message_id, row_number() over (order by h.created_at desc, h.message_id desc) as place
    from places p cross join lateral (
      select f.created_at, f.message_id from public.message_search f
      where f.channel_id = p.channel_id and f.created_at >= p.since
        and (f.created_at, f.message_id) < (past.created_at, past.message_id)
      order by f.created_at desc, f.message_id desc limit 1) h),
  -- Of the 50 channels with the newest messages, as many messages each as make up the limit.
  depth as materialized (
    select greatest(examined / greatest(least(count(*), 50), 1), 20) as each, count(*) > 50 as more,
      max(h.created_at) filter (where h.place = 51) as created_at,
      -- uuid has no max() before PostgreSQL 18.
      (array_agg(h.message_id) filter (where h.place = 51))[1] as message_id
    from heads h),
  walked as materialized (
    select f.* from depth d cross join heads h cross join lateral (
      select f.created_at, f.message_id, f.base_seq >= h.history_from_seq and f.words @@ wanted as hit,
        row_number() over (order by f.created_at desc, f.message_id desc) = d.each as last
      from public.message_search f
      where f.channel_id = h.channel_id and f.created_at >= h.since
        and (f.created_at, f.message_id) < (past.created_at, past.message_id)
      order by f.created_at desc, f.message_id desc limit d.each) f
    where h.place <= 50),
  -- The newest position behind which something may not have been examined; null where all was.
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
  'Matches among the newest messages of the caller''s channels before a position. Returns the position down to which '
  'all of them were examined, null when no message is left.';

create type app.search_range as (
  channel_id uuid, history_from_seq bigint, segment bigint, last_at timestamptz
);
comment on type app.search_range is 'A segment of a channel that the caller reads.';

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
comment on function app.search_ranges is 'Segments that the caller reads, with messages up to a time, the newest first.';

create function app.search_segments(
  ranges app.search_range[], terms text[], wanted tsquery, past app.search_position, size integer,
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
      -- The fence leaves the index of terms as the only way.
      select s.* from public.message_search s
      where app.search_terms(s.channel_id, s.segment, s.words) @@ app.terms_query(r.channel_id, r.segment, terms)
      offset 0) i
    where i.channel_id = r.channel_id and i.segment = r.segment and i.base_seq >= r.history_from_seq
      and i.words @@ wanted and (i.created_at, i.message_id) < (past.created_at, past.message_id))
  select array(
      select (n.created_at, n.message_id)::app.search_position
      from (select * from matched union all select h.created_at, h.message_id from unnest(hits) h) n
      order by n.created_at desc, n.message_id desc limit size),
    (select count(*) from matched)
  into hits, matches;
end
$$;
comment on function app.search_segments is
  'Adds the matches of segments that lie before a position to hits, of which it returns the newest; and their number.';

create or replace function public.search_messages(
  workspace uuid, words text, channel uuid default null, before text default null, "limit" integer default 20
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_variable
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin', 'member', 'guest');
  size constant integer := least(greatest(coalesce(search_messages."limit", 20), 1), 100);
  wanted_words constant text[] := app.query_words(left(search_messages.words, 500));
  wanted constant tsquery := app.words_query(left(search_messages.words, 500));
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
  if wanted is null then return '{"messages": [], "before": null}'; end if;
  -- Rights are applied here rather than by a policy, under which text operators, not being leakproof, would make
  -- every search a scan.
  select n.hits, n.reached_at, n.reached_id into recent, reached_at, reached_id
  from app.search_newest(workspace, channel, wanted, past, size + 1, max_examined) n;
  if reached_at is not null and cardinality(recent) <= size then
    ranges := app.search_ranges(workspace, channel, reached_at, max_segments + 1);
    while searched < least(cardinality(ranges), max_segments) loop
      -- The longest words, which occur least: the others are compared in what these find.
      select n.hits, n.matches into older, matches
      from app.search_segments(ranges[searched + 1:least(searched + step, max_segments)], wanted_words[1:6], wanted,
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
      -- Nothing newer than the first segment that was not searched is missing.
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
      select h.message_id from unnest(hits[1:size]) with ordinality h (created_at, message_id, place) order by h.place), me),
    'before', (extract(epoch from reached_at) * 1000000)::bigint || ' ' || reached_id);
end
$$;
comment on function public.search_messages is
  'Messages that the caller may read and that contain words beginning with all of these, newest first. One request '
  'examines a bounded part of them: a page may have fewer than `limit` messages, or none, and still a cursor.';

-- Files ---------------------------------------------------------------------------------------------------

drop function app.files_by_words(uuid, uuid, text[], uuid, tsquery, app.file_cursor, integer);

create function app.files_by_words(
  workspace uuid, channel uuid, kinds text[], author uuid, wanted text[], past app.file_cursor, most integer
) returns setof public.listed_files
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
begin
  return query
    select f.* from app.my_channels_since(workspace, channel) c cross join lateral (
      -- The fence leaves the index of terms as the only way.
      select l.* from public.listed_files l
      where app.search_terms(l.channel_id, 0, l.words) @@ app.terms_query(c.channel_id, 0, wanted)
      offset 0) f
    where f.channel_id = c.channel_id and f.base_seq >= c.history_from_seq
      and (author is null or f.author_id = author) and f.kind = any (kinds)
      and (f.created_at, f.message_id) <= (past.created_at, past.message_id)
      and ((f.created_at, f.message_id) < (past.created_at, past.message_id) or f.position > past.position)
    order by f.created_at desc, f.message_id desc, f.position limit most;
end
$$;
comment on function app.files_by_words is 'As files_by_place, of those whose names contain all words or parts of words.';

create or replace function public.list_files(
  workspace uuid, channel uuid default null, kinds text[] default null, author uuid default null,
  words text default null, before text default null, "limit" integer default 50
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_variable
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin', 'member', 'guest');
  size constant integer := least(greatest(coalesce(list_files."limit", 50), 1), 100);
  past constant app.file_cursor := app.as_file_cursor(before);
  named constant text := nullif(btrim(left(list_files.words, 255)), '');
  of_kinds constant text[] := array(select distinct k from unnest(coalesce(list_files.kinds, app.file_kinds())) k);
  listed public.listed_files[];
  last public.listed_files;
begin
  if channel is not null and (app.require_reader(channel)).workspace_id <> workspace then
    raise exception using errcode = 'PT404', message = 'not_found';
  elsif cardinality(of_kinds) = 0 or not of_kinds <@ app.file_kinds() or array_position(of_kinds, null) is not null then
    raise exception using errcode = 'PT400', message = 'bad_file_kind';
  end if;
  if named is not null then
    listed := array(
      select f from app.files_by_words(workspace, channel, of_kinds, author, app.query_words(named), past, size + 1) f);
  elsif author is not null then
    listed := array(select f from app.files_by_author(workspace, channel, of_kinds, author, past, size + 1) f);
  else
    listed := array(select f from app.files_by_place(workspace, channel, of_kinds, past, size + 1) f);
  end if;
  last := listed[size];
  return jsonb_build_object(
    'files', coalesce((
      select jsonb_agg(jsonb_build_object('message_id', m.id, 'channel_id', m.channel_id, 'thread_root', m.thread_root,
        'author_id', m.author_id, 'created_at', m.created_at, 'position', a.position,
        'file', app.attachment_as_json(a)) order by f.place)
      from unnest(listed[1:size]) with ordinality f (
        message_id, upload_id, channel_id, base_seq, author_id, created_at, position, kind, words, place)
      join public.messages m on m.id = f.message_id
      join public.attachments a on a.message_id = f.message_id and a.upload_id = f.upload_id), '[]'),
    'before', case when cardinality(listed) > size then
      (extract(epoch from last.created_at) * 1000000)::bigint || ' ' || last.message_id || ' ' || last.position end);
end
$$;

revoke execute on function app.set_search_segment, app.extend_search_segments, app.search_prefix, app.search_terms,
  app.query_words, app.terms_query, app.my_channels_since, app.search_newest, app.search_ranges, app.search_segments,
  app.files_by_words from public;
