-- The heartbeats of an application with the scope channels:read set the presence of its person. The person then seemed to be
-- active, and received neither push notifications nor mails. Commands of read scopes change nothing now.

create or replace function public.heartbeat(workspace uuid, state text, stored jsonb default null) returns json
language plpgsql volatile security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  membership constant record := app.require_membership(workspace);
  -- The heartbeat of an application does not show that the person is present.
  is_own constant boolean := app.is_first_party_session();
  changed app.differences;
  visible uuid[];
  previous text;
  presence text;
  buckets integer[];
  people json := '[]';
begin
  if heartbeat.state is null or heartbeat.state not in ('active', 'away') then
    raise exception using errcode = 'PT400', message = 'bad_state';
  end if;
  perform app.check_stored_digests(stored);
  if is_own then
    select h.state into previous from public.heartbeats h
    where h.profile_id = membership.profile_id and h.seen_at > now() - interval '150 seconds';
    insert into public.heartbeats (profile_id, state, seen_at)
    values (membership.profile_id, heartbeat.state, clock_timestamp())
    on conflict (profile_id) do update set state = excluded.state, seen_at = excluded.seen_at
    where heartbeats.profile_id = excluded.profile_id;
  end if;
  perform app.end_expired_memberships();
  changed := app.differences_of(membership.profile_id, membership.role, workspace, stored);
  if membership.role = 'guest' then
    visible := array(select app.my_visible_profile_ids());
    presence := app.presence_digests(workspace, visible);
  else
    presence := app.shared_presence_digests(
      workspace, stored ->> 'presence', is_own and previous is distinct from heartbeat.state);
  end if;
  if presence is distinct from stored ->> 'presence' then
    changed.digests := changed.digests || jsonb_build_object('presence', presence);
    buckets := app.changed_buckets(stored ->> 'presence', presence);
    people := coalesce((
      select json_agg(json_build_object('profile_id', h.profile_id, 'state', h.state))
      from public.heartbeats h
      join public.workspace_members w on w.workspace_id = workspace and w.profile_id = h.profile_id
      where h.seen_at > now() - interval '150 seconds' and w.state = 'active'
        and (visible is null or h.profile_id = any (visible))
        and get_byte(uuid_send(h.profile_id), 15) >> 2 = any (buckets)), '[]');
  end if;
  return json_build_object(
    'now', clock_timestamp(),
    'people', people,
    'channels', changed.channels,
    'threads', changed.threads,
    'sections', changed.sections,
    'own', changed.own,
    'workspace_counters', app.workspace_counters_as_json(workspace, membership.role),
    'digests', changed.digests);
end
$$;
comment on function public.heartbeat is
  'Called every 20 to 60 seconds: stores the caller''s presence, unless an application calls it, and returns what of the '
  'presence of others, of the caller''s channels, unread threads and sections is not as the digests `stored` describe; '
  'everything without them.';
