-- Pages of channels and of threads. Messages of a channel and replies of a thread are numbered without gaps, so that a
-- page is a range of numbers: it is computed in one place, and read by one scan of an index.

create function app.page_range(
  first bigint, last bigint, max_size integer, before bigint, after bigint, around bigint,
  out lower bigint, out upper bigint, out size bigint
)
language plpgsql immutable set search_path = ''
as $$
declare
  count constant integer := least(greatest(coalesce(max_size, 50), 1), 100);
  -- Not so far outside that adding the size overflows.
  start constant bigint := greatest(least(around, last + 1), first);
begin
  if after is not null then
    lower := greatest(least(after, last) + 1, first);
    upper := least(lower + count - 1, last);
  elsif around is not null then
    lower := greatest(start - count / 2, first);
    upper := least(start + count - count / 2 - 1, last);
  else
    upper := least(greatest(coalesce(before, last + 1), first), last + 1) - 1;
    lower := greatest(upper - count + 1, first);
  end if;
  size := greatest(upper - lower + 1, 0);
end
$$;
comment on function app.page_range is
  'The numbers of a page among `first` to `last`, and how many: the newest, or those before, after or around a number, half '
  'of them from it on. `max_size`: 1 to 100, 50 if null.';

create or replace function public.channel_page(
  channel uuid, before bigint default null, after bigint default null, around bigint default null,
  "limit" integer default 50
) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  access constant app.channel_access := app.require_reader(channel);
  counters public.channel_counters;
  first bigint;
  page record;
begin
  select * into counters from public.channel_counters k where k.channel_id = channel;
  select greatest(access.history_from_seq, c.first_seq) into first from public.channels c where c.id = channel;
  page := app.page_range(first, counters.last_seq, channel_page."limit", before, after, around);
  return jsonb_build_object('channel_id', channel,
    'messages', app.messages_as_json(array(
      select m.id from public.messages m
      where m.channel_id = channel and m.seq >= page.lower order by m.seq limit page.size), access.profile_id),
    'has_before', page.lower > first, 'has_after', page.upper < counters.last_seq,
    'epoch', counters.epoch, 'rev', counters.rev);
end
$$;

create or replace function public.thread_page(
  root uuid, before bigint default null, after bigint default null, around bigint default null,
  "limit" integer default 50
) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  access constant app.channel_access := app.require_message(root);
  head public.messages;
  counters public.channel_counters;
  page record;
begin
  select * into head from public.messages m where m.id = root and m.thread_root is null;
  if head.id is null then
    raise exception using errcode = 'PT400', message = 'not_a_thread';
  end if;
  select * into counters from public.channel_counters k where k.channel_id = head.channel_id;
  page := app.page_range(1, head.last_thread_seq, thread_page."limit", before, after, around);
  return jsonb_build_object('channel_id', head.channel_id,
    'root', app.messages_as_json(array[root], access.profile_id) -> 0,
    'state', app.thread_as_json(access.profile_id, root),
    'messages', app.messages_as_json(array(
      select m.id from public.messages m
      where m.channel_id = head.channel_id and m.thread_root = root and m.thread_seq >= page.lower
      order by m.thread_seq limit page.size), access.profile_id),
    'has_before', page.lower > 1, 'has_after', page.upper < head.last_thread_seq,
    'epoch', counters.epoch, 'rev', counters.rev);
end
$$;

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
