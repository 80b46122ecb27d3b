-- What owners and admins see of people, channels and tasks, and archiving many channels at once.

-- People -----------------------------------------------------------------------------------------------

create function app.administered_person_as_json(member public.workspace_members) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select jsonb_build_object('profile', app.profile_as_json(p), 'role', member.role,
      'state', case when app.is_active_member(member) then 'active' else coalesce(member.ended, 'deactivated') end,
      'expires_at', member.expires_at, 'joined_at', member.created_at, 'email', case when p.kind = 'person' then u.email end,
      'has_account', u.id is not null, 'second_factor', p.second_factor,
      'integrations', (
        select count(*) from app.integrations(member.workspace_id) i where i.created_by = member.profile_id),
      -- Former members may still use other workspaces.
      'seen_at', case when app.is_active_member(member) then greatest(u.last_sign_in_at, h.seen_at, (
        select max(s.refreshed_at at time zone 'UTC') from auth.sessions s where s.user_id = p.user_id)) end)
    from public.profiles p
    left join auth.users u on u.id = p.user_id and u.deleted_at is null
    left join public.heartbeats h on h.profile_id = p.id
    where p.id = member.profile_id
  );
end
$$;
comment on function app.administered_person_as_json is
  'A person as owners and admins see them: with their address, how their membership ended, and when active members were last '
  'there.';

create function public.list_people(
  workspace uuid, query text default '', roles text[] default null, states text[] default null,
  second_factor boolean default null, sort text default 'name', after text default null, "limit" integer default 50
) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  size constant integer := least(greatest(coalesce(list_people."limit", 50), 1), 100);
  term constant text := lower(btrim(left(coalesce(query, ''), 100)));
  name_term constant text := app.name_key(term);
  is_descending constant boolean := sort in ('role.desc', 'joined', 'seen');
  -- The key, the name and the id of the last person of the page before.
  last text[];
  people jsonb;
  total integer;
  next jsonb;
begin
  perform app.require_role(workspace, 'owner', 'admin');
  if list_people.roles <@ array['owner', 'admin', 'member', 'guest'] is false
    or list_people.states <@ array['active', 'deactivated', 'left', 'removed'] is false
    or coalesce(sort, '') not in ('name', 'name.desc', 'role', 'role.desc', 'joined', 'joined.asc', 'seen', 'seen.asc')
  then
    raise exception using errcode = 'PT400', message = 'bad_filter';
  end if;
  if list_people.after is not null then
    begin
      last := array(select jsonb_array_elements_text(list_people.after::jsonb));
      perform last[3]::uuid;
    exception when data_exception then
      raise exception using errcode = 'PT400', message = 'bad_cursor';
    end;
    if cardinality(last) <> 3 or array_position(last, null) is not null then
      raise exception using errcode = 'PT400', message = 'bad_cursor';
    end if;
  end if;
  with found as materialized (
    select p.id, lower(p.name) as name, state.state, seen.seen_at,
      (case
        when sort in ('role', 'role.desc') then array_position(array['owner', 'admin', 'member', 'guest'], m.role)::text
        when sort in ('joined', 'joined.asc') then to_char(m.created_at at time zone 'UTC', 'YYYYMMDDHH24MISSUS')
        when sort in ('seen', 'seen.asc') then coalesce(to_char(seen.seen_at at time zone 'UTC', 'YYYYMMDDHH24MISSUS'), '')
        else '' end) collate "C" as key
    from public.workspace_members m
    join public.profiles p on p.id = m.profile_id and p.kind <> 'bot'
    left join auth.users u on u.id = p.user_id and u.deleted_at is null
    left join public.heartbeats h on h.profile_id = p.id
    left join (
      select s.user_id, max(s.refreshed_at at time zone 'UTC') as refreshed_at from auth.sessions s group by s.user_id
    ) s on s.user_id = p.user_id
    cross join lateral (
      select case when m.state = 'active' and (m.expires_at is null or m.expires_at > now()) then 'active'
        else coalesce(m.ended, 'deactivated') end as state) state
    -- Former members may still use other workspaces.
    cross join lateral (
      select case when state.state = 'active' then greatest(u.last_sign_in_at, h.seen_at, s.refreshed_at) end as seen_at
    ) seen
    where m.workspace_id = workspace
      and (list_people.roles is null or m.role = any (list_people.roles))
      and (list_people.states is null or state.state = any (list_people.states))
      and (list_people.second_factor is null or p.second_factor = list_people.second_factor)
      and (term = '' or strpos(app.name_key(p.name), name_term) > 0 or strpos(lower(u.email), term) > 0
        or strpos(lower(p.title), term) > 0)),
  listed as (
    select f.*, row_number() over (
      order by case when is_descending then f.key end desc, f.key, case when sort = 'name.desc' then f.name end desc,
        f.name, f.id) as position
    from found f
    where last is null or case
      when f.key <> last[1] collate "C" then (f.key < last[1] collate "C") = is_descending
      when f.name <> last[2] then (f.name < last[2]) = (sort = 'name.desc')
      else f.id > last[3]::uuid end)
  select
    (select count(*) from found),
    (select to_jsonb(array[l.key, l.name, l.id::text]) from listed l
      where l.position = size and exists (select from listed n where n.position = size + 1)),
    -- As app.administered_person_as_json, of all people at once.
    coalesce((
      select jsonb_agg(jsonb_build_object(
        'profile', app.profile_as_json(p), 'role', m.role, 'state', l.state, 'expires_at', m.expires_at,
        'joined_at', m.created_at, 'email', case when p.kind = 'person' then u.email end, 'has_account', u.id is not null,
        'second_factor', p.second_factor, 'seen_at', l.seen_at, 'integrations', coalesce(n.integrations, 0))
        order by l.position)
      from listed l
      join public.workspace_members m on m.workspace_id = workspace and m.profile_id = l.id
      join public.profiles p on p.id = l.id
      left join auth.users u on u.id = p.user_id and u.deleted_at is null
      left join (
        select c.created_by, count(*) as integrations from app.integrations(workspace) c group by c.created_by
      ) n on n.created_by = l.id
      where l.position <= size), '[]')
  into total, next, people;
  return jsonb_build_object('people', people, 'total', total, 'after', next::text);
end
$$;
comment on function public.list_people is
  'People of a workspace, also former ones, for its owners and admins: by a part of their name, address or title, by role, by '
  'state and by whether they have a second factor; 100 at most, those after the cursor `after`. Sorted by `name`, `role` (owners '
  'first), `joined` (latest first) or `seen` (latest first), or by the reverse: `name.desc`, `role.desc`, `joined.asc`, '
  '`seen.asc`. Every request reads all members: at most those of one workspace. Bots have their own list.';

create function public.person_details(workspace uuid, person uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin');
  member public.workspace_members;
begin
  select * into member from public.workspace_members m
  where m.workspace_id = workspace and m.profile_id = person and not app.is_bot(m.profile_id);
  if member.profile_id is null then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  return app.administered_person_as_json(member) || jsonb_build_object(
    'channels', coalesce((
      select jsonb_agg(m.channel_id order by m.channel_id) from public.channel_members m
      join app.my_readable_channels() r on r.channel_id = m.channel_id
      join public.channels c on c.id = m.channel_id and c.workspace_id = workspace and c.kind in ('public', 'private')
      where m.profile_id = person and me is not null), '[]'),
    'hidden_channels', (
      select count(*) from public.channel_members m
      join public.channels c on c.id = m.channel_id and c.workspace_id = workspace and c.kind = 'private'
      where m.profile_id = person and m.channel_id not in (select r.channel_id from app.my_readable_channels() r)),
    -- What stays when their data are erased; counted only so far.
    'messages', (
      select count(*) from (
        select from public.messages m
        join public.channels c on c.id = m.channel_id and c.workspace_id = workspace
        where m.author_id = person and m.kind = 'text' and m.deleted_at is null limit 10000) counted));
end
$$;
comment on function public.person_details is
  'A person for owners and admins: also with the channels that the caller may read, the number of others, and the number of '
  'their messages, counted up to 10,000.';

-- The account of a person ------------------------------------------------------------------------------

create function public.sign_out_person(workspace uuid, person uuid) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  member constant public.workspace_members := app.require_person_below(workspace, person);
  account constant uuid := (select p.user_id from public.profiles p where p.id = person and p.kind = 'person');
begin
  if account is null or not app.is_active_member(member) then
    raise exception using errcode = 'PT409', message = 'membership_ended';
  end if;
  -- The account is one for all workspaces. Its sessions cost the person a sign-in, and no right.
  perform app.explain_ended_sessions('ended_by_admin');
  delete from auth.sessions s where s.user_id = account;
  perform app.record_action(workspace, 'member.signed_out', jsonb_build_object('profile_id', person));
  return app.member_as_json(workspace, person);
end
$$;
comment on function public.sign_out_person is
  'Ends all sessions of a person whom the caller ranks above, such as after a device was stolen; with them the access of '
  'applications. The person can sign in again. Fails with membership_ended for former members and people without an account.';

create function public.correct_address(workspace uuid, person uuid, email text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  member constant public.workspace_members := app.require_person_below(workspace, person);
  address constant text := app.email_address(correct_address.email);
  account uuid;
begin
  if address is null then
    raise exception using errcode = 'PT400', message = 'email_address_invalid';
  end if;
  select u.id into account
  from public.profiles p join auth.users u on u.id = p.user_id and u.deleted_at is null
  where p.id = member.profile_id and p.kind = 'person'
  for no key update of u;
  -- Whoever gets an address can sign in with it. Only an account that nobody has used contains nothing that they would gain.
  if account is null
    or exists (select from auth.users u where u.id = account and u.last_sign_in_at is not null)
    or exists (select from auth.sessions s where s.user_id = account)
    or app.has_second_factor(account)
    or exists (
      select from public.workspace_members m where m.profile_id = person and m.workspace_id <> correct_address.workspace)
    or exists (select from public.messages m where m.author_id = person)
    -- What others have written to the person, and what the caller may not read.
    or exists (
      select from public.channel_members m join public.channels c on c.id = m.channel_id and c.kind <> 'public'
      where m.profile_id = person and not exists (
        select from public.channel_members mine
        where mine.channel_id = c.id and mine.profile_id = app.my_profile_id()
          and mine.history_from_seq <= m.history_from_seq and (mine.expires_at is null or mine.expires_at > now())))
  then
    raise exception using errcode = 'PT409', message = 'account_in_use';
  elsif exists (select from auth.users u where u.email = address and not u.is_sso_user and u.id <> account) then
    raise exception using errcode = 'PT409', message = 'address_taken';
  end if;
  update auth.identities i
  set identity_data = i.identity_data || jsonb_build_object('email', address, 'email_verified', false), updated_at = now()
  where i.user_id = account and i.provider = 'email';
  -- Links that were mailed to the former address end.
  delete from auth.one_time_tokens t where t.user_id = account;
  update auth.users u
  set email = address, email_confirmed_at = null, confirmation_token = '', recovery_token = '', email_change = '',
    email_change_token_new = '', email_change_token_current = '', updated_at = now()
  where u.id = account;
  perform app.record_action(workspace, 'member.address_corrected', jsonb_build_object('profile_id', person));
  return app.administered_person_as_json(member);
end
$$;
comment on function public.correct_address is
  'Corrects the address of a person whom the caller ranks above and whose account nobody has ever used. The person confirms the '
  'address by signing in. Fails with account_in_use for every other account: whoever gets its address could read the '
  'conversations of the person. That includes accounts of other workspaces, and accounts in conversations that the caller may not '
  'read. Fails with address_taken if another account has it.';

-- Channels ---------------------------------------------------------------------------------------------

create function app.administered_channels_as_json(ids uuid[]) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'id', c.id, 'kind', c.kind, 'name', c.name, 'topic', c.topic, 'created_at', c.created_at,
    'created_by', c.created_by, 'archived_at', c.archived_at, 'last_message_at', k.last_at,
    'members', coalesce(n.members, 0)) order by i.position), '[]')
  from unnest(ids) with ordinality i (id, position)
  join public.channels c on c.id = i.id
  join public.channel_counters k on k.channel_id = c.id
  left join (
    select m.channel_id, count(*) as members from public.channel_members m
    where m.channel_id = any (ids) and (m.expires_at is null or m.expires_at > now())
    group by m.channel_id) n on n.channel_id = c.id
$$;
comment on function app.administered_channels_as_json is
  'Channels as owners and admins see them in the list of all, in this order. Checks no rights.';

create function public.list_channels(
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
    or coalesce(sort, '') not in
      ('name', 'name.desc', 'members', 'members.asc', 'active', 'inactive', 'created', 'created.asc')
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
      where sort in ('members', 'members.asc') and (m.expires_at is null or m.expires_at > now())
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
      case when sort = 'members.asc' then coalesce(n.members, 0) end,
      case when sort = 'active' then k.last_at end desc nulls last,
      case when sort = 'inactive' then coalesce(k.last_at, c.created_at) end,
      case when sort = 'created' then c.created_at end desc nulls last,
      case when sort = 'created.asc' then c.created_at end,
      case when sort = 'name.desc' then lower(c.name) end desc,
      lower(c.name), c.id);
  -- From the start if the channel of the last page is no longer found.
  listed := found_ids[coalesce(array_position(found_ids, list_channels.after), 0) + 1 :];
  return jsonb_build_object(
    'channels', app.administered_channels_as_json(listed[1:size]),
    'total', cardinality(found_ids),
    'after', case when cardinality(listed) > size then to_jsonb(listed[size]) end);
end
$$;
comment on function public.list_channels is
  'Channels of a workspace for its owners and admins: the public ones, and those private ones that the caller is a member of, by a '
  'part of their name or topic, by kind and by whether they are archived; 100 at most, those after the channel `after`. Sorted '
  'by `name`, `members` (most first), `active` (latest message first) or `created` (latest first), or by the reverse: '
  '`name.desc`, `members.asc`, `inactive`, `created.asc`. At most the channels that one person reads: the cost does not depend '
  'on the number of messages.';

create function public.archive_channels(workspace uuid, channels uuid[], "on" boolean) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin');
  wanted constant uuid[] := array(select distinct w.id from unnest(archive_channels.channels) w (id) where w.id is not null);
  changed uuid[];
  channel uuid;
begin
  if archive_channels."on" is null or cardinality(wanted) not between 1 and 100 then
    raise exception using errcode = 'PT400', message = 'bad_state';
  end if;
  perform app.lock_channels(wanted);
  perform app.require_role(workspace, 'owner', 'admin');
  -- A private channel of others, a conversation and a channel that does not exist are indistinguishable.
  if (
    select count(*) from public.channels c
    where c.id = any (wanted) and c.workspace_id = workspace and c.kind in ('public', 'private')
      and c.id in (select r.channel_id from app.my_readable_channels() r)) <> cardinality(wanted)
  then
    raise exception using errcode = 'PT404', message = 'not_found';
  end if;
  with updated as (
    update public.channels c set archived_at = case when archive_channels."on" then clock_timestamp() end
    where c.id = any (wanted) and (c.archived_at is not null) is distinct from archive_channels."on"
    returning c.id)
  select coalesce(array_agg(u.id order by u.id), '{}') into changed from updated u;
  foreach channel in array changed loop
    perform app.post_system_message(channel, me,
      jsonb_build_object('event', case when archive_channels."on" then 'archived' else 'unarchived' end));
  end loop;
  return jsonb_build_object('changed', cardinality(changed), 'channels', app.administered_channels_as_json(wanted));
end
$$;
comment on function public.archive_channels is
  'Archives up to 100 channels or restores them, all or none: public ones, also those that the caller has not joined, and '
  'private ones that they are a member of. As archive_channel, which is for the members of one channel. For owners and admins.';

-- Tasks ------------------------------------------------------------------------------------------------

create function public.admin_tasks(workspace uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  me constant uuid := app.require_role(workspace, 'owner', 'admin');
begin
  return jsonb_build_object(
    'reports', (
      select count(*) from (
        select from public.reports r
        where r.workspace_id = admin_tasks.workspace and r.state = 'open' and r.author_id is distinct from me limit 100) o),
    'requests', (
      select count(*) from (
        select from public.join_requests r
        where r.workspace_id = admin_tasks.workspace and r.state = 'waiting' and app.has_usable_account(r.profile_id)
        limit 100) w),
    'integrations', (
      select count(*) from (
        select from app.integrations(admin_tasks.workspace) i
        where app.is_unmanaged_integration(admin_tasks.workspace, i.created_by) limit 100) u));
end
$$;
comment on function public.admin_tasks is
  'Counts the reports that nobody has taken (without those of the caller''s own messages), the requests to join that wait for a '
  'decision, and the integrations whose creators no longer manage the workspace. Each count ends at 100. For owners and '
  'admins.';

-- Rights to execute ------------------------------------------------------------------------------------

revoke execute on function public.list_people, public.person_details, public.sign_out_person, public.correct_address,
  public.list_channels, public.archive_channels, public.admin_tasks from public, anon, authenticated, service_role;
grant execute on function public.list_people, public.person_details, public.sign_out_person, public.correct_address,
  public.list_channels, public.archive_channels, public.admin_tasks to authenticated;
