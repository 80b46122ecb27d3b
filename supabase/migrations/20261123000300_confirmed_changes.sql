-- channel_changes responds with `reset` where the server has none of the changes that a client knows: least() ignores null.

create or replace function public.channel_changes(channel uuid, after_rev bigint, known jsonb default null) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  access constant app.channel_access := app.require_reader(channel);
  counters public.channel_counters;
  confirmed bigint := after_rev;
  ids uuid[];
begin
  select * into counters from public.channel_counters k where k.channel_id = channel;
  if jsonb_typeof(known) = 'array' then
    -- Null if none is confirmed, where least() alone would return after_rev.
    select case when max(n.rev) is not null then least(max(n.rev), after_rev) end into confirmed
    from (
      select (e.value ->> 0)::bigint as rev, (e.value ->> 1)::bigint as change_id
      from jsonb_array_elements(known) with ordinality e (value, ordinal) where e.ordinal <= 20) n
    where (n.rev = counters.rev and n.change_id = counters.change_id) or exists (
      select from public.message_changes c
      where c.channel_id = channel and c.rev = n.rev and c.change_id = n.change_id);
  end if;
  if after_rev <= counters.rev and confirmed >= 0 then
    ids := array(
      select c.message_id
      from public.message_changes c
      where c.channel_id = channel and c.rev > confirmed and c.base_seq >= access.history_from_seq
      order by c.rev limit 301);
  end if;
  -- None of the changes that the client knows is on this server, or more than were ever made: a backup was restored.
  if ids is null or cardinality(ids) > 300 then
    return jsonb_build_object('channel_id', channel, 'reset', true,
      'entry', app.channel_entry_as_json(access.profile_id, channel), 'epoch', counters.epoch, 'rev', counters.rev,
      'change_id', counters.change_id);
  end if;
  return jsonb_build_object('channel_id', channel, 'reset', false, 'after', confirmed,
    'messages', app.messages_as_json(ids, access.profile_id),
    'entry', case when counters.meta_rev > confirmed then app.channel_entry_as_json(access.profile_id, channel) end,
    'epoch', counters.epoch, 'rev', counters.rev, 'change_id', counters.change_id);
end
$$;
