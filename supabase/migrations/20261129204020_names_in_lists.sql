-- The lists of people and channels for admins find names as people compare them (app.name_key). A search for a name in full-width
-- letters, or with an invisible character, found nothing.

create or replace function public.list_people(
  workspace uuid, query text default '', roles text[] default null, states text[] default null,
  second_factor boolean default null, after uuid default null, "limit" integer default 50
) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  size constant integer := least(greatest(coalesce(list_people."limit", 50), 1), 100);
  term constant text := lower(btrim(left(coalesce(query, ''), 100)));
  name_term constant text := app.name_key(term);
  found_ids uuid[];
  listed uuid[];
begin
  perform app.require_role(workspace, 'owner', 'admin');
  if list_people.roles <@ array['owner', 'admin', 'member', 'guest'] is false
    or list_people.states <@ array['active', 'deactivated', 'left', 'removed'] is false
  then
    raise exception using errcode = 'PT400', message = 'bad_filter';
  end if;
  found_ids := array(
    select p.id
    from public.workspace_members m
    join public.profiles p on p.id = m.profile_id and p.kind <> 'bot'
    left join auth.users u on u.id = p.user_id and u.deleted_at is null
    where m.workspace_id = workspace
      and (list_people.roles is null or m.role = any (list_people.roles))
      and (list_people.states is null or case
        when m.state = 'active' and (m.expires_at is null or m.expires_at > now()) then 'active'
        else coalesce(m.ended, 'deactivated') end = any (list_people.states))
      and (list_people.second_factor is null or p.second_factor = list_people.second_factor)
      and (term = '' or strpos(app.name_key(p.name), name_term) > 0 or strpos(lower(u.email), term) > 0
        or strpos(lower(p.title), term) > 0)
    order by lower(p.name), p.id);
  -- From the start if the person of the last page is no longer found.
  listed := found_ids[coalesce(array_position(found_ids, list_people.after), 0) + 1 :];
  return jsonb_build_object(
    -- As app.administered_person_as_json, of all people at once.
    'people', coalesce((
      select jsonb_agg(jsonb_build_object(
        'profile', app.profile_as_json(p), 'role', m.role,
        'state', case when m.state = 'active' and (m.expires_at is null or m.expires_at > now()) then 'active'
          else coalesce(m.ended, 'deactivated') end,
        'expires_at', m.expires_at, 'joined_at', m.created_at, 'email', case when p.kind = 'person' then u.email end,
        'has_account', u.id is not null, 'second_factor', p.second_factor,
        'seen_at', greatest(u.last_sign_in_at, h.seen_at, s.refreshed_at),
        'integrations', coalesce(n.integrations, 0)) order by i.position)
      from unnest(listed[1:size]) with ordinality i (id, position)
      join public.workspace_members m on m.workspace_id = workspace and m.profile_id = i.id
      join public.profiles p on p.id = i.id
      left join auth.users u on u.id = p.user_id and u.deleted_at is null
      left join public.heartbeats h on h.profile_id = p.id
      left join lateral (
        select max(s.refreshed_at at time zone 'UTC') as refreshed_at
        from auth.sessions s where s.user_id = p.user_id) s on true
      left join (
        select c.created_by, count(*) as integrations from app.integrations(workspace) c group by c.created_by
      ) n on n.created_by = i.id), '[]'),
    'total', cardinality(found_ids),
    'after', case when cardinality(listed) > size then to_jsonb(listed[size]) end);
end
$$;

create or replace function public.list_channels(
  workspace uuid, query text default '', kinds text[] default null, archived boolean default null,
  sort text default 'name', after uuid default null, "limit" integer default 50
) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  size constant integer := least(greatest(coalesce(list_channels."limit", 50), 1), 100);
  term constant text := lower(btrim(left(coalesce(query, ''), 100)));
  name_term constant text := app.name_key(term);
  found_ids uuid[];
  listed uuid[];
begin
  perform app.require_role(workspace, 'owner', 'admin');
  if list_channels.kinds <@ array['public', 'private'] is false
    or coalesce(sort, '') not in ('name', 'members', 'active', 'inactive', 'created')
  then
    raise exception using errcode = 'PT400', message = 'bad_filter';
  end if;
  found_ids := array(
    select c.id
    from public.channels c
    join public.channel_counters k on k.channel_id = c.id
    left join (
      select m.channel_id, count(*) as members
      from public.channel_members m
      where sort = 'members' and (m.expires_at is null or m.expires_at > now())
        and m.channel_id = any (array(select r.channel_id from app.my_readable_channels() r))
      group by m.channel_id) n on n.channel_id = c.id
    where c.workspace_id = workspace and c.kind in ('public', 'private')
      -- An administrator reads no private channel that they are not in: neither its name nor that it exists.
      and c.id = any (array(select r.channel_id from app.my_readable_channels() r))
      and (list_channels.kinds is null or c.kind = any (list_channels.kinds))
      and (list_channels.archived is null or (c.archived_at is not null) = list_channels.archived)
      and (term = '' or strpos(app.name_key(c.name), name_term) > 0 or strpos(lower(c.topic), term) > 0)
    order by
      case when sort = 'members' then n.members end desc nulls last,
      case when sort = 'active' then k.last_at end desc nulls last,
      case when sort = 'inactive' then coalesce(k.last_at, c.created_at) end,
      case when sort = 'created' then c.created_at end desc nulls last,
      lower(c.name), c.id);
  -- From the start if the channel of the last page is no longer found.
  listed := found_ids[coalesce(array_position(found_ids, list_channels.after), 0) + 1 :];
  return jsonb_build_object(
    'channels', app.administered_channels_as_json(listed[1:size]),
    'total', cardinality(found_ids),
    'after', case when cardinality(listed) > size then to_jsonb(listed[size]) end);
end
$$;
