-- Read markers of channels. Unread counts are derived from them and never stored, so that they cannot drift.

create function app.unread_counts(viewer uuid, channel uuid, read_marker bigint) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  unread integer;
  mentions integer;
begin
  select count(*) into unread from (
    select from public.messages m
    where m.channel_id = channel and m.seq > read_marker and m.seq is not null and m.deleted_at is null
      and m.kind = 'text' and m.author_id <> viewer
    order by m.seq limit 100
  ) newer;
  if unread = 0 then return '{"unread": 0, "mentions": 0}'; end if;
  -- A message that mentions a person by name and the whole channel counts once.
  select count(*) into mentions from (
    (select n.seq from public.mentions n
      where n.profile_id = viewer and n.channel_id = channel and n.seq > read_marker order by n.seq limit 100)
    union
    (select n.seq from public.mentions n
      where n.profile_id is null and n.channel_id = channel and n.seq > read_marker and n.author_id <> viewer
      order by n.seq limit 100)
  ) mentioning;
  return jsonb_build_object('unread', unread, 'mentions', least(mentions, 100));
end
$$;
comment on function app.unread_counts is
  'Unread messages and mentions after a read marker. Stops at 100 ("99+"); deleted, own and system messages do not '
  'count.';

create function app.read_marker_response(access app.channel_access, channel uuid, applied boolean) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select jsonb_build_object('channel_id', channel, 'applied', applied, 'state', app.channel_state_as_json(s),
      'counts', app.unread_counts(s.profile_id, channel, greatest(s.last_read_seq, access.history_from_seq - 1)))
    from public.channel_state s where s.channel_id = channel and s.profile_id = access.profile_id
  );
end
$$;
comment on function app.read_marker_response is
  'The response of commands that move a read marker: the state of the channel and its unread counts.';

create function public.mark_read(channel uuid, seq bigint, read_version bigint) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access constant app.channel_access := app.require_channel_member(channel);
  reached bigint;
  applied boolean;
begin
  select least(mark_read.seq, k.last_seq) into reached from public.channel_counters k where k.channel_id = channel;
  update public.channel_state s set last_read_seq = reached, read_version = s.read_version + 1
  where s.channel_id = channel and s.profile_id = access.profile_id
    and s.read_version = mark_read.read_version and s.last_read_seq < reached;
  applied := found or exists (
    select from public.channel_state s
    where s.channel_id = channel and s.profile_id = access.profile_id and s.read_version = mark_read.read_version);
  return app.read_marker_response(access, channel, applied);
end
$$;
comment on function public.mark_read is
  'Advances the caller''s read marker if nobody moved it since `read_version`; otherwise returns the current one.';

create function public.mark_unread(channel uuid, seq bigint) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  access constant app.channel_access := app.require_channel_member(channel);
begin
  update public.channel_state s
  set last_read_seq = greatest(mark_unread.seq - 1, 0), read_version = s.read_version + 1
  where s.channel_id = channel and s.profile_id = access.profile_id
    and s.last_read_seq > greatest(mark_unread.seq - 1, 0);
  return app.read_marker_response(access, channel, true);
end
$$;
comment on function public.mark_unread is
  'Makes everything from `seq` on unread again: the only command that lowers a read marker.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
revoke execute on function public.mark_read, public.mark_unread from public, anon, authenticated, service_role;
grant execute on function public.mark_read, public.mark_unread to authenticated;
