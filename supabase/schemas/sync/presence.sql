-- Presence: who is active or away, as heartbeats show it, and what has changed since a client last received it.
--
-- A heartbeat (sync_api.sql) computes the presence of a workspace once for all of its members, at most every ten seconds. In a small
-- workspace, a heartbeat that changes the state of its person computes it sooner. The differences are stored as a change with a
-- version. A heartbeat returns the few changes after the version that the client has, so that its cost hardly depends on the number
-- of people. Decision 81 has the reasons.
--
-- Changes are texts. `12a3w` means: the member with the number 12 is active, and the member with the number 15 is away. A
-- number is written as its difference from the number before, and the letters are a (active), w (away) and o (offline).

create unlogged table public.presence (
  workspace_id uuid primary key references public.workspaces (id) on delete cascade,
  generation bigint not null,
  server_started_at timestamptz not null,
  version bigint not null,
  present text not null,
  computed_at timestamptz not null
);
comment on table public.presence is
  'Who is present in each workspace. Unlogged: worthless after a crash, after which the generation is another one. No access '
  'for clients.';
comment on column public.presence.generation is
  'A random number. A client with another generation receives everything: the server lost this row, or was started from a '
  'copy of its files, in which later changes are missing.';
comment on column public.presence.version is
  'The time of the last change in milliseconds since 1970, or one more than the version before if the clock was set back.';
comment on column public.presence.present is 'Everybody who is present, as a change of an empty list.';
alter table public.presence enable row level security;
revoke all on public.presence from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.presence to service_role;

create unlogged table public.presence_changes (
  workspace_id uuid references public.presence (workspace_id) on delete cascade,
  version bigint,
  changes text not null,
  primary key (workspace_id, version)
);
comment on table public.presence_changes is
  'What each computation of presence has changed, for ten minutes. Unlogged, as presence. No access for clients.';
alter table public.presence_changes enable row level security;
revoke all on public.presence_changes from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.presence_changes to service_role;

-- Changes as texts -------------------------------------------------------------------------------------

create function app.encode_presence(numbers bigint[], states text[]) returns text
language sql immutable set search_path = ''
as $$
  select coalesce(string_agg((p.number - p.previous) || p.state, '' order by p.number), '')
  from (
    select n.number, n.state, lag(n.number, 1, 0::bigint) over (order by n.number) as previous
    from unnest(numbers, states) n (number, state)) p
$$;
comment on function app.encode_presence is 'The states of members as a text. The numbers need no order.';

create function app.decode_presence(changes text) returns table (number bigint, state text)
language sql immutable set search_path = ''
as $$
  select (sum(m.parts[1]::bigint) over (order by m.ordinal))::bigint, m.parts[2]
  from regexp_matches(changes, '([0-9]+)([awo])', 'g') with ordinality m (parts, ordinal)
$$;
comment on function app.decode_presence is 'The states of a text of app.encode_presence.';

-- Computing --------------------------------------------------------------------------------------------

create function app.compute_presence(workspace uuid, is_changed boolean) returns void
language plpgsql volatile security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  known public.presence;
  everybody text;
  difference text;
begin
  -- Locked, so that versions are visible in their order. Whoever finds the row locked uses what it has.
  select * into known from public.presence p
  where p.workspace_id = workspace and (
    p.server_started_at <> pg_postmaster_start_time()
    or p.computed_at not between clock_timestamp() - interval '10 seconds' and clock_timestamp()
    -- Some 500 people: computing it for each change of one person would cost the square of their number.
    or (is_changed and octet_length(p.present) < 2000))
  for update skip locked;
  if not found then
    if exists (select from public.presence p where p.workspace_id = workspace) then return; end if;
    insert into public.presence (workspace_id, generation, server_started_at, version, present, computed_at)
    values (workspace, 0, '-infinity', 0, '', '-infinity') on conflict (workspace_id) do nothing;
    select * into known from public.presence p
    where p.workspace_id = workspace and p.computed_at = '-infinity' for update skip locked;
    if not found then return; end if;
  end if;
  if known.server_started_at <> pg_postmaster_start_time() then
    known.generation := floor(random() * 9007199254740991)::bigint;
    known.server_started_at := pg_postmaster_start_time();
  end if;
  -- After the lock, in a snapshot that contains every earlier change.
  with now_present as materialized (
    select w.number, case h.state when 'active' then 'a' else 'w' end as state
    from public.heartbeats h
    join public.workspace_members w on w.workspace_id = workspace and w.profile_id = h.profile_id
    -- Two and a half heartbeats, so that one may be lost.
    where h.seen_at > now() - interval '150 seconds' and w.state = 'active'
  ), differences as (
    select number, coalesce(n.state, 'o') as state
    from app.decode_presence(known.present) b full join now_present n using (number)
    where b.state is distinct from n.state
  )
  select (select app.encode_presence(array_agg(n.number), array_agg(n.state)) from now_present n),
    (select app.encode_presence(array_agg(d.number), array_agg(d.state)) from differences d)
  into everybody, difference;
  if difference <> '' then
    known.version := greatest(known.version + 1, (extract(epoch from clock_timestamp()) * 1000)::bigint);
    insert into public.presence_changes (workspace_id, version, changes) values (workspace, known.version, difference);
    delete from public.presence_changes c where c.workspace_id = workspace and c.version < known.version - 600000;
  end if;
  update public.presence p
  set generation = known.generation, server_started_at = known.server_started_at, version = known.version,
    present = everybody, computed_at = clock_timestamp()
  where p.workspace_id = workspace;
end
$$;
comment on function app.compute_presence is
  'Computes who is present in a workspace, unless this was done within ten seconds. `is_changed`: the caller''s own presence '
  'has changed, which members of a small workspace see at once.';

-- Reading ----------------------------------------------------------------------------------------------

create type app.presence_difference as (cursor text, is_complete boolean, changes text[], people json);
comment on type app.presence_difference is
  'What a client has to apply to know who is present: `changes` in their order for full members, `people` for guests.';

create function app.presence_since(workspace uuid, cursor text, visible uuid[]) returns app.presence_difference
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  known public.presence;
  -- Other people may be visible to a guest than before, whose presence has not changed.
  viewer constant text := case when visible is null then '' else hashtextextended(visible::text, 0)::text end;
  part constant text[] := regexp_match(cursor, '^(-?[0-9]{1,19}):([0-9]{1,18}):(-?[0-9]{0,19})$');
  now_ms constant bigint := (extract(epoch from clock_timestamp()) * 1000)::bigint;
  difference app.presence_difference;
begin
  select * into known from public.presence p where p.workspace_id = workspace;
  if not found then
    -- Another heartbeat is about to commit the first one. The next heartbeat of this client returns everything.
    return ('', false, '{}'::text[], '[]'::json)::app.presence_difference;
  end if;
  difference.is_complete := part is null or part[1] <> known.generation::text or part[3] <> viewer
    or part[2]::bigint not between known.version - 600000
      and case when visible is null then known.version else now_ms end;
  if not difference.is_complete then
    difference.changes := array(
      select c.changes from public.presence_changes c
      where c.workspace_id = workspace and c.version > part[2]::bigint and c.version <= known.version
      order by c.version);
    difference.is_complete := octet_length(array_to_string(difference.changes, '')) > octet_length(known.present) + 1000;
  end if;
  if difference.is_complete then difference.changes := array[known.present]; end if;
  difference.people := '[]';
  if visible is null then
    difference.cursor := known.generation || ':' || known.version || ':';
    return difference;
  end if;
  -- A version would show when somebody changed whom the guest may not know. A computation that is not visible yet has begun
  -- within these 20 seconds, so that its changes follow. Some changes are returned twice.
  difference.cursor := known.generation || ':' || now_ms / 10000 * 10000 - 20000 || ':' || viewer;
  difference.people := coalesce((
    select json_agg(json_build_object('profile_id', w.profile_id,
      'state', case d.state when 'a' then 'active' when 'w' then 'away' else 'offline' end))
    from (
      select distinct on (c.number) c.number, c.state
      from unnest(difference.changes) with ordinality t (changes, ordinal), app.decode_presence(t.changes) c
      order by c.number, t.ordinal desc) d
    join public.workspace_members w on w.workspace_id = workspace and w.number = d.number
    where w.profile_id = any (visible)), '[]');
  difference.changes := '{}';
  return difference;
end
$$;
comment on function app.presence_since is
  'What has changed of the presence of a workspace since a cursor, or everybody who is present (`is_complete`) without a '
  'cursor that is valid for this viewer. `visible`: the people whom a guest may see; null for full members. Checks no rights.';
