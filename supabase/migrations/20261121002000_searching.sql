-- Search, made anew so that its cost stays that of what it finds. With channels' rows a little wider, PostgreSQL 15 took
-- the walk through every message of each channel for the cheaper plan.

create or replace function public.search_messages(
  workspace uuid, words text, channel uuid default null, before text default null, "limit" integer default 20
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin', 'member', 'guest');
  size constant integer := least(greatest(coalesce(search_messages."limit", 20), 1), 100);
  wanted constant tsquery := app.words_query(left(search_messages.words, 500));
  since timestamptz := 'infinity';
  since_id uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  ids uuid[];
begin
  if before is not null then
    if before !~ '^[0-9]{1,17} [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
      raise exception using errcode = 'PT400', message = 'bad_cursor';
    end if;
    since := timestamptz 'epoch' + split_part(before, ' ', 1)::bigint * interval '1 microsecond';
    since_id := split_part(before, ' ', 2)::uuid;
  end if;
  -- Rights are applied here rather than by a policy, under which text operators, not being leakproof, would make
  -- every search a scan.
  ids := array(
    select s.message_id
    from (
      -- The fence keeps the words' own index the way in: rights only take away from what it finds.
      select f.message_id, f.channel_id, f.base_seq, f.created_at
      from public.message_search f
      where f.words @@ wanted and (channel is null or f.channel_id = channel)
        and (f.created_at, f.message_id) < (since, since_id)
      offset 0
    ) s
    join app.my_reach() r on r.channel_id = s.channel_id and s.base_seq >= r.history_from_seq
    join public.channels c on c.id = s.channel_id and c.workspace_id = workspace
    order by s.created_at desc, s.message_id desc limit size + 1);
  return jsonb_build_object(
    'messages', app.messages_as_json(ids[1:size], me),
    'before', case when cardinality(ids) > size then (
      select (extract(epoch from s.created_at) * 1000000)::bigint || ' ' || s.message_id
      from public.message_search s where s.message_id = ids[size]) end);
end
$$;
